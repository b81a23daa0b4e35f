"""Metrics of scores that rank examples: areas under the ROC curve, and average precision."""

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from errbar._check import FloatArray
from errbar.metrics._sample import PROBABILITY, Measured, Sample

BoolArray = NDArray[np.bool_]


def placements(positive: BoolArray, score: FloatArray) -> tuple[FloatArray, FloatArray]:
    r"""Return the structural components of an area under the ROC curve, in time n log n (Sun & Xu 2014).

    Parameters
    ----------
    positive : ndarray of bool, shape (n,)
        Which examples are positive.
    score : ndarray, shape (n,)
        Finite scores.

    Returns
    -------
    V10 : ndarray, shape (n1,)
        Share of negatives that each positive scores above, ties by half.
    V01 : ndarray, shape (n0,)
        Share of positives that score above each negative.

    Notes
    -----
    With ranks r among all examples and s among those of the same class, ties sharing their mean rank,

    .. math:: V_{10,i} = \frac{r_i - s_i}{n_0}, \qquad V_{01,j} = 1 - \frac{r_j - s_j}{n_1}.
    """
    shift = _midranks(score)
    shift[positive] -= _midranks(score[positive])
    shift[~positive] -= _midranks(score[~positive])
    return shift[positive] / np.count_nonzero(~positive), 1.0 - shift[~positive] / np.count_nonzero(
        positive
    )


def _midranks(values: FloatArray) -> FloatArray:
    """Return ranks from 1; ties share the mean of theirs."""
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    found: FloatArray = (np.cumsum(counts) - (counts - 1) / 2.0)[place]
    return found


def area(
    positive: BoolArray, score: FloatArray, share: float | None = None, rest: float | None = None
) -> Measured:
    """Return the area under the ROC curve: how often a positive example scores above a negative one, ties by half.

    Shares of positive and negative examples weigh the influence values; by default those at hand.
    """
    above, below = placements(positive, score)
    value, of_positive = float(above.mean()), np.count_nonzero(positive) / positive.size
    influence = np.empty(positive.size)
    influence[positive] = (above - value) / (of_positive if share is None else share)
    influence[~positive] = (below - value) / (1.0 - of_positive if rest is None else rest)
    return value, influence


def roc_auc(sample: Sample) -> Measured:
    """Return the area for the positive class."""
    share = sample.class_shares()[sample.positive if sample.positive >= 0 else 1]
    return area(sample.is_positive, sample.score, share, 1.0 - share)


def one_against_rest(sample: Sample, *, by_share: bool) -> Measured:
    """Return the mean over classes of the area of each against all others, weighted equally or by their shares."""
    probability, truth, shares = (
        sample.predictions[PROBABILITY],
        sample.truth,
        sample.class_shares(),
    )
    found = [
        area(truth == k, probability[:, k], shares[k], 1.0 - shares[k])
        for k in range(sample.classes)
    ]
    values, influences = (
        np.array([value for value, _ in found]),
        np.stack([one for _, one in found]),
    )
    weights = shares if by_share else np.full(sample.classes, 1.0 / sample.classes)
    value = float(weights @ values)
    return value, weights @ influences + (values[truth] - value if by_share else 0.0)


def one_against_one(sample: Sample, *, by_share: bool) -> Measured:
    """Return the mean over pairs of classes of the area between them, weighted equally or by their shares (Hand & Till 2001)."""
    probability, truth, shares = (
        sample.predictions[PROBABILITY],
        sample.truth,
        sample.class_shares(),
    )
    value, total = 0.0, 0.0
    influence, of_weight = np.zeros(truth.size), np.zeros(sample.classes)
    for a, b in combinations(range(sample.classes), 2):
        inside = (truth == a) | (truth == b)
        both = [
            area(truth[inside] == k, probability[inside, k], shares[k], shares[other])
            for k, other in ((a, b), (b, a))
        ]
        own, weight = (both[0][0] + both[1][0]) / 2.0, shares[a] + shares[b] if by_share else 1.0
        value, total = value + weight * own, total + weight
        influence[inside] += weight * (both[0][1] + both[1][1]) / 2.0
        of_weight[[a, b]] += own
    value /= total
    if by_share:  # each class is in all pairs but those without it
        influence += (of_weight - (sample.classes - 1) * value)[truth]
    return value, influence / total


def average_precision(sample: Sample) -> Measured:
    """Return the mean over positive examples of the precision at their score.

    With weights w it is the sum over positives i of w_i/P times T_i/(T_i + F_i), where T_i and F_i are the weights of
    positive and negative examples that score as high as i, and P is that of all positives. An example that scores as high as
    i changes T_i or F_i.
    """
    positive, score = sample.is_positive, sample.score
    n, order = positive.size, np.argsort(-score, kind="stable")
    ranked, ordered = positive[order], score[order]
    # Examples of one score enter together: their place is that of the last of them.
    last = np.r_[np.flatnonzero(np.diff(ordered)), n - 1]
    group = np.repeat(np.arange(last.size), np.diff(np.r_[-1, last]))
    hits = np.cumsum(ranked)[last].astype(np.float64)
    others = last + 1.0 - hits
    new = np.diff(np.r_[0.0, hits])
    positives = hits[-1]
    precision = hits / (hits + others)
    value = float(new @ precision) / positives
    # Sums over the positives that score no higher.
    square = np.square(hits + others)
    rises, falls = (np.cumsum((new * part / square)[::-1])[::-1] for part in (others, hits))
    slope = np.where(ranked, precision[group] - value + rises[group], -falls[group]) / positives
    influence = np.empty(n)
    influence[order] = n * slope
    return value, influence
