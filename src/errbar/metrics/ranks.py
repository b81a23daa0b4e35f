"""Metrics of scores that rank examples: areas under the ROC curve, and average precision."""

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from errbar._check import FloatArray
from errbar.metrics._sample import Measured, Sample

BoolArray = NDArray[np.bool_]


def placements(positive: BoolArray, score: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return V10 (n1,) and V01 (n0,), of which the area under the ROC curve is the mean, from ranks (Sun & Xu 2014)."""
    ranks = midranks_of(score)
    above = ranks[positive] - midranks_of(score[positive])
    below = ranks[~positive] - midranks_of(score[~positive])
    return above / below.size, 1.0 - below / above.size


def midranks_of(values: FloatArray) -> FloatArray:
    """Return the rank of each value, 1 for the smallest; equal ones share their mean."""
    from scipy.stats import rankdata

    return rankdata(values)


def area(positive: BoolArray, score: FloatArray, share: float, rest: float) -> Measured:
    """Return the area under the ROC curve, ties by half (DeLong, DeLong & Clarke-Pearson 1988)."""
    above, below = placements(positive, score)
    value = above.mean()
    influence = np.empty(positive.size)
    influence[positive] = (above - value) / share
    influence[~positive] = (below - value) / rest
    return value, influence


def roc_auc(sample: Sample) -> Measured:
    """Return the area for the positive class."""
    share = sample.class_shares()[sample.positive]
    return area(sample.is_positive, sample.score, share, 1.0 - share)


def one_against_rest(by_share: int, sample: Sample) -> Measured:
    """Return the mean over classes of the area of each against all others, weighted equally or by their shares."""
    truth, shares = sample.truth, sample.class_shares()
    values, influence = np.empty(sample.classes), np.empty((sample.classes, truth.size))
    for k, share in enumerate(shares):
        values[k], influence[k] = area(truth == k, sample.predicted[:, k], share, 1.0 - share)
    if not by_share:
        return values.mean(), influence.mean(axis=0)
    value = float(shares @ values)
    return value, shares @ influence + values[truth] - value


def one_against_one(by_share: int, sample: Sample) -> Measured:
    """Return the mean over pairs of classes of the area between them, weighted equally or by their shares (Hand & Till 2001)."""
    truth, shares = sample.truth, sample.class_shares()
    value, total = 0.0, 0.0
    influence, of_weight = np.zeros(truth.size), np.zeros(sample.classes)
    for pair in combinations(range(sample.classes), 2):
        inside = np.isin(truth, pair)
        weight = shares[list(pair)].sum() if by_share else 1.0
        total += weight
        for k, other in (pair, pair[::-1]):
            score = sample.predicted[inside, k]
            own, moved = area(truth[inside] == k, score, shares[k], shares[other])
            value += weight * own / 2.0
            influence[inside] += weight * moved / 2.0
            of_weight[list(pair)] += own / 2.0
    value /= total
    if by_share:  # each class is in all pairs but those without it
        influence += (of_weight - (sample.classes - 1) * value)[truth]
    return value, influence / total


def average_precision(sample: Sample) -> Measured:
    """Return the mean over positive examples of the precision at their score.

    With weights w: the sum over positives i of w_i/P times T_i/(T_i + F_i), with the weights T_i
    and F_i of positive and negative examples that score as high as i, and P of all positives.
    """
    n = sample.truth.size
    # Examples of one score enter together: steps go from the highest score down.
    _, step, counts = np.unique(-sample.score, return_inverse=True, return_counts=True)
    new = np.bincount(step, weights=sample.is_positive)
    hits, entered = np.cumsum(new), np.cumsum(counts)
    precision = hits / entered
    value = new @ precision / hits[-1]
    # Sums over the positives that score no higher, of the slopes of T/(T + F) in T and in F.
    rises, falls = (
        np.cumsum((new * part / np.square(entered))[::-1])[::-1] for part in (entered - hits, hits)
    )
    slope = np.where(sample.is_positive, (precision - value + rises)[step], -falls[step])
    return value, n * slope / hits[-1]
