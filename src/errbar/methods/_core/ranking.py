"""The area under the ROC curve: its value, its covariance over learners, and its bootstrap."""

from collections.abc import Callable

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from errbar import _check
from errbar._check import FloatArray, IntArray
from errbar.errors import InvalidInputError
from errbar.methods import distributions as pivot
from errbar.methods._core.one_split import ONE_TEST_SET
from errbar.methods.distributions import Limits
from errbar.metrics.ranks import placements

AREA = {
    **ONE_TEST_SET,
    "claim": "The area under the ROC curve, on new examples, of the one model (or the difference of the two) that was trained.",
    "own_units": True,
    "loss": "roc_auc",
    "pointwise": False,
    "null_range": (-1.0, 1.0),
}
"""What methods for such areas declare alike."""

OF_ONE, OF_TWO = Limits(0.0, 1.0), Limits(-1.0, 1.0)
"""The range of an area, and of the difference of two."""

BoolArray = NDArray[np.bool_]

# Counts of examples that are worked on at once.
_BLOCK = 2**16


def auc(truth: BoolArray, score: FloatArray) -> float:
    """Return the area under the ROC curve: how often a positive example scores above a negative one, ties by half.

    Parameters
    ----------
    truth : ndarray of bool, shape (n,)
        Which examples are positive; both classes are there.
    score : ndarray, shape (n,)
        Finite scores, higher for what looks positive.
    """
    return pivot.mean(placements(truth, score)[0])


def differences(
    truth: BoolArray, score: FloatArray, second: FloatArray | None
) -> tuple[FloatArray, FloatArray]:
    """Return the placements of the examples of both classes, those of the second learner subtracted.

    Learners that agree everywhere differ by 0 with error 0, exactly.
    """
    above, below = placements(truth, score)
    if second is None:
        return above, below
    of_second = placements(truth, second)
    return above - of_second[0], below - of_second[1]


def delong(
    truth: BoolArray, score: FloatArray, second: FloatArray | None = None
) -> tuple[float, float]:
    """Return an area under the ROC curve, or the first minus the second, and its standard error by DeLong's method.

    It is that of the area's influence values, with the sample variance within each class.

    Parameters
    ----------
    truth : ndarray of bool, shape (n,)
        Which examples are positive; at least two of either class.
    score, second : ndarray, shape (n,)
        Finite scores of a learner, and of the one that is subtracted.

    Raises
    ------
    InvalidInputError
        If a class has fewer than two examples.
    """
    above, below = differences(truth, score, second)
    if min(above.size, below.size) < 2:
        raise InvalidInputError(
            f"needs at least two examples of either class, got {above.size} positive and {below.size} negative",
            argument="truth",
        )
    squared = pivot.variance(above) / above.size + pivot.variance(below) / below.size
    return pivot.mean(above), float(np.sqrt(squared))


def bootstrap_auc(
    truth: BoolArray,
    score: FloatArray,
    resamples: int,
    rng: Generator,
    second: FloatArray | None = None,
) -> FloatArray:
    """Return areas under the ROC curve, or differences of two, on resamples of the examples.

    The n examples are drawn from those at hand with replacement, scores and truth together, and both learners meet the
    same draws. A resample that has one class only is drawn again, so the law is that of the bootstrap given both
    classes. Scores are sorted once; a resample is a count for each example, from which its area follows by cumulative
    sums. The order of the examples does not change what is drawn, nor does, where the areas differ, which of two learners
    is subtracted.

    Parameters
    ----------
    truth : ndarray of bool, shape (n,)
        Which examples are positive; both classes are there.
    score, second : ndarray, shape (n,)
        Finite scores of a learner, and of the one that is subtracted.
    resamples : int
        Number of resamples.
    rng : Generator
        Source of the draws.

    Returns
    -------
    ndarray, shape (resamples,)
        Area, or difference of areas, of each resample.
    """
    count = _check.count(resamples, "resamples", 2)
    if second is None:
        order = np.lexsort((score, truth))
        (areas,) = _resampled(truth[order], [score[order]], count, rng)
        return areas
    if auc(truth, score) < auc(truth, second):
        return np.negative(bootstrap_auc(truth, second, resamples, rng, score))
    order = np.lexsort((second, score, truth))
    one, two = _resampled(truth[order], [score[order], second[order]], count, rng)
    return one - two


def _areas_of(positive: BoolArray, score: FloatArray) -> Callable[[IntArray], FloatArray]:
    """Return areas as a function of how often each example counts, a row for each area."""
    negatives, positives = np.flatnonzero(~positive), np.flatnonzero(positive)
    negatives = negatives[np.argsort(score[negatives], kind="stable")]
    # How many negative examples score below each positive one, and how many at most as high.
    below = score[negatives].searchsorted(score[positives], side="left")
    upto = score[negatives].searchsorted(score[positives], side="right")
    untied = bool((below == upto).all())

    def areas(counts: IntArray) -> FloatArray:
        weights = counts[:, positives]
        passed = np.zeros((len(counts), negatives.size + 1), dtype=np.int64)
        np.cumsum(counts[:, negatives], axis=1, out=passed[:, 1:])
        # Whole numbers up to here: twice the pairs in the right order.
        twice = np.einsum("ij,ij->i", weights, passed[:, below])
        twice += twice if untied else np.einsum("ij,ij->i", weights, passed[:, upto])
        found: FloatArray = twice / (2 * passed[:, -1] * np.add.reduce(weights, axis=1))
        return found

    return areas


def _resampled(
    positive: BoolArray, scores: list[FloatArray], resamples: int, rng: Generator
) -> list[FloatArray]:
    """Return areas of resamples with both classes, for the scores of each learner."""
    areas_of = [_areas_of(positive, score) for score in scores]
    positives, size = np.flatnonzero(positive), positive.size
    rows = min(resamples, max(1, _BLOCK // size))
    areas, filled = [np.empty(resamples) for _ in scores], 0
    while filled < resamples:
        counts = _counts(size, rows, rng)
        of_positives = np.add.reduce(counts[:, positives], axis=1)
        counts = counts[(of_positives > 0) & (of_positives < size)][: resamples - filled]
        for area, of_counts in zip(areas, areas_of, strict=True):
            area[filled : filled + len(counts)] = of_counts(counts)
        filled += len(counts)
    return areas


def _counts(size: int, rows: int, rng: Generator) -> IntArray:
    """Return how often each of so many examples is drawn, in so many resamples."""
    drawn = rng.integers(0, size, (rows, size))
    drawn += np.arange(0, rows * size, size)[:, None]
    return np.bincount(drawn.ravel(), minlength=rows * size).reshape(rows, size)
