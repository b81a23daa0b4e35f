"""The area under the ROC curve: its value, its covariance over learners, and its bootstrap."""

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike, NDArray

from errbar import _check
from errbar._check import FloatArray, IntArray
from errbar.errors import InvalidInputError
from errbar.methods._core import pivot
from errbar.methods._core.one_split import ONE_TEST_SET

AREA = {
    **ONE_TEST_SET,
    "claim": "The area under the ROC curve, on new examples, of the one model (or the difference of the two) that was trained.",
    "own_units": True,
    "loss": "roc_auc",
    "pointwise": False,
}
"""What methods for such areas declare alike."""

BoolArray = NDArray[np.bool_]

# Counts of examples that are worked on at once.
_BLOCK = 2**16


def auc(truth: ArrayLike, score: ArrayLike) -> float:
    """Return the area under the ROC curve: how often a positive example scores above a negative one, ties by half.

    Parameters
    ----------
    truth : array-like of bool, shape (n,)
        Which examples are positive.
    score : array-like, shape (n,)
        Finite scores, higher for what looks positive.

    Raises
    ------
    InvalidInputError
        If not both classes are there.
    """
    positive, checked = _checked(truth, score)
    return pivot.mean(_placements(positive, checked)[0])


def placements(truth: ArrayLike, *scores: ArrayLike) -> tuple[FloatArray, FloatArray]:
    r"""Return the structural components of areas under the ROC curve, in time n log n (Sun & Xu 2014).

    Parameters
    ----------
    truth : array-like of bool, shape (n,)
        Which examples are positive.
    *scores : array-like, shape (n,)
        Finite scores of k learners.

    Returns
    -------
    V10 : ndarray, shape (k, n1)
        Share of negatives that each positive scores above, ties by half.
    V01 : ndarray, shape (k, n0)
        Share of positives that score above each negative.

    Notes
    -----
    With ranks r among all examples and s among those of the same class, ties sharing their mean rank,

    .. math:: V_{10,i} = \frac{r_i - s_i}{n_0}, \qquad V_{01,j} = 1 - \frac{r_j - s_j}{n_1}.
    """
    found = []
    for score in scores:
        positive, checked = _checked(truth, score)
        found.append(_placements(positive, checked))
    return np.stack([above for above, _ in found]), np.stack([below for _, below in found])


def delong(truth: ArrayLike, score: ArrayLike, second: ArrayLike | None = None) -> tuple[float, float]:
    """Return an area under the ROC curve, or the first minus the second, and its standard error by DeLong's method.

    Parameters
    ----------
    truth : array-like of bool, shape (n,)
        Which examples are positive; at least two of either class.
    score, second : array-like, shape (n,)
        Finite scores of a learner, and of the one that is subtracted.

    Raises
    ------
    InvalidInputError
        If a class has fewer than two examples.
    """
    above, below = placements(truth, *([score] if second is None else [score, second]))
    _require_two(above.shape[1], below.shape[1])
    # Differences first: learners that agree everywhere differ by 0 with error 0, exactly.
    one, other = (rows[0] if second is None else rows[0] - rows[1] for rows in (above, below))
    squared = pivot.variance(one) / one.size + pivot.variance(other) / other.size
    return pivot.mean(one), float(np.sqrt(squared))


def bootstrap_auc(
    truth: ArrayLike, score: ArrayLike, resamples: int, rng: Generator, second: ArrayLike | None = None
) -> FloatArray:
    """Return areas under the ROC curve, or differences of two, on resamples of the examples.

    The n examples are drawn from those at hand with replacement, scores and truth together, and both learners meet the
    same draws. A resample that has one class only is drawn again, so the law is that of the bootstrap given both
    classes. Scores are sorted once; a resample is a count for each example, from which its area follows by cumulative
    sums. The order of the examples does not change what is drawn, nor does, where the areas differ, which of two learners
    is subtracted.

    Parameters
    ----------
    truth : array-like of bool, shape (n,)
        Which examples are positive.
    score, second : array-like, shape (n,)
        Finite scores of a learner, and of the one that is subtracted.
    resamples : int
        Number of resamples.
    rng : Generator
        Source of the draws.

    Returns
    -------
    ndarray, shape (resamples,)
        Area, or difference of areas, of each resample.

    Raises
    ------
    InvalidInputError
        If not both classes are there.
    """
    positive, first = _checked(truth, score)
    count = _check.count(resamples, "resamples", 2)
    if second is None:
        order = np.lexsort((first, positive))
        (areas,) = _resampled([_ranking(positive[order], first[order])], count, rng)
        return areas
    _, other = _checked(truth, second)
    if auc(positive, first) < auc(positive, other):
        return np.negative(bootstrap_auc(positive, other, resamples, rng, first))
    order = np.lexsort((other, first, positive))
    one, two = _resampled([_ranking(positive[order], score[order]) for score in (first, other)], count, rng)
    return one - two


@dataclass(frozen=True, eq=False)
class _Ranking:
    """Where the positive examples stand among the negative ones.

    Attributes
    ----------
    negatives, positives : ndarray of int
        Positions of the examples of each class; the negatives in ascending order of their scores.
    below, upto : ndarray of int
        How many negatives score below each positive, and how many at most as high.
    """

    negatives: IntArray
    positives: IntArray
    below: IntArray
    upto: IntArray

    def areas(self, counts: IntArray) -> FloatArray:
        """Return the area for each row of counts."""
        weights = counts[:, self.positives]
        passed = np.zeros((len(counts), self.negatives.size + 1), dtype=np.int64)
        np.cumsum(counts[:, self.negatives], axis=1, out=passed[:, 1:])
        # Whole numbers up to here: twice the pairs in the right order.
        twice = np.einsum("ij,ij->i", weights, passed[:, self.below])
        twice += twice if self.upto is self.below else np.einsum("ij,ij->i", weights, passed[:, self.upto])
        areas: FloatArray = twice / (2 * passed[:, -1] * np.add.reduce(weights, axis=1))
        return areas


def _ranking(positive: BoolArray, score: FloatArray) -> _Ranking:
    negatives, positives = np.flatnonzero(~positive), np.flatnonzero(positive)
    negatives = negatives[np.argsort(score[negatives], kind="stable")]
    below = score[negatives].searchsorted(score[positives], side="left")
    upto = score[negatives].searchsorted(score[positives], side="right")
    return _Ranking(negatives, positives, below, below if (below == upto).all() else upto)


def _resampled(rankings: list[_Ranking], resamples: int, rng: Generator) -> list[FloatArray]:
    """Return areas of resamples with both classes, for each ranking."""
    positives = rankings[0].positives
    size = positives.size + rankings[0].negatives.size
    rows = min(resamples, max(1, _BLOCK // size))
    areas, filled = [np.empty(resamples) for _ in rankings], 0
    while filled < resamples:
        counts = _counts(size, rows, rng)
        of_positives = np.add.reduce(counts[:, positives], axis=1)
        counts = counts[(of_positives > 0) & (of_positives < size)][: resamples - filled]
        for area, ranking in zip(areas, rankings, strict=True):
            area[filled : filled + len(counts)] = ranking.areas(counts)
        filled += len(counts)
    return areas


def _counts(size: int, rows: int, rng: Generator) -> IntArray:
    """Return how often each of so many examples is drawn, in so many resamples."""
    drawn = rng.integers(0, size, (rows, size))
    drawn += np.arange(0, rows * size, size)[:, None]
    return np.bincount(drawn.ravel(), minlength=rows * size).reshape(rows, size)


def _checked(truth: ArrayLike, score: ArrayLike) -> tuple[BoolArray, FloatArray]:
    checked = _check.vector(score, "score", "example")
    positive = np.asarray(truth, dtype=np.bool_)
    if positive.shape != checked.shape:
        raise InvalidInputError(f"`truth` must have one entry for each of {checked.size} scores, got {positive.shape}")
    if positive.all() or not positive.any():
        found = "positive" if positive.any() else "negative"
        raise InvalidInputError(f"`truth` needs examples of both classes, got {checked.size} {found} ones only")
    return positive, checked


def _require_two(positives: int, negatives: int) -> None:
    if min(positives, negatives) < 2:
        raise InvalidInputError(
            f"`truth` needs at least two examples of either class, got {positives} positive and {negatives} negative"
        )


def _placements(positive: BoolArray, score: FloatArray) -> tuple[FloatArray, FloatArray]:
    shift = _midranks(score)
    shift[positive] -= _midranks(score[positive])
    shift[~positive] -= _midranks(score[~positive])
    above, below = shift[positive], shift[~positive]
    return above / below.size, 1.0 - below / above.size


def _midranks(values: FloatArray) -> FloatArray:
    """Return ranks from 1; ties share the mean of theirs."""
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    return (np.cumsum(counts) - (counts - 1) / 2.0)[place]
