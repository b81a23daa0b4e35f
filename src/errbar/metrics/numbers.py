"""Losses of single examples, and metrics of numbers and probabilities: ratios of means, and roots of one; NaN over nothing."""

from collections.abc import Callable
from typing import Any

import numpy as np

from errbar._check import Array, FloatArray
from errbar.metrics._sample import Measured, Sample


def hit(truth: Array, predicted: Array) -> Any:
    """Return whether each label is right."""
    return np.equal(truth, predicted)


def zero_one(truth: Array, predicted: Array) -> Any:
    """Return whether each label is wrong."""
    return np.not_equal(truth, predicted)


def log_loss(truth: Array, probability: Array) -> Any:
    """Return minus the logarithm of the probability of the class that came, cut at machine precision."""
    chosen = probability[np.arange(truth.size), truth]
    return -np.log(np.clip(chosen, np.finfo(np.float64).eps, 1.0))


def brier(truth: Array, probability: Array) -> Any:
    """Return the squared distance of the probabilities from the truth, for two classes that of one of them."""
    distance = probability.astype(np.float64, copy=True)
    distance[np.arange(truth.size), truth] -= 1.0
    total = np.square(distance).sum(axis=1)
    return total / 2 if probability.shape[1] == 2 else total


def squared_error(truth: Array, predicted: Array) -> Any:
    """Return (y - p)^2."""
    return np.square(truth - predicted)


def squared_log_error(truth: Array, predicted: Array) -> Any:
    """Return the squared difference of log(1 + y) and log(1 + p)."""
    return np.square(np.log1p(truth) - np.log1p(predicted))


def absolute_error(truth: Array, predicted: Array) -> Any:
    """Return |y - p|."""
    return np.abs(truth - predicted)


def percentage_error(truth: Array, predicted: Array) -> Any:
    """Return |y - p| / |y|."""
    return np.abs(truth - predicted) / np.maximum(np.abs(truth), np.finfo(np.float64).eps)


def _squared_over_pairs(truth: Array, predicted: Array) -> float:
    return float(truth.var() + predicted.var() + (truth.mean() - predicted.mean()) ** 2)


def _absolute_over_pairs(truth: Array, predicted: Array) -> float:
    # Each prediction has so many truths below it, and the rest above.
    ascending = np.sort(truth.astype(np.float64))
    sums = np.concatenate([[0.0], np.cumsum(ascending)])
    below = np.searchsorted(ascending, predicted)
    pairs = predicted * (2 * below - truth.size) + sums[-1] - 2 * sums[below]
    return float(pairs.mean()) / truth.size


OVER_PAIRS: dict[Any, Callable[[Array, Array], float]] = {
    squared_error: _squared_over_pairs,
    absolute_error: _absolute_over_pairs,
}
"""Losses whose mean over all pairs of a truth with a prediction is found without all pairs."""

PerExample = Callable[[Array, Array], Any]
"""From truth and predictions to one number per example."""

# Of equal width, as in Guo, Pleiss, Sun & Weinberger (2017).
_BINS = 15


def ratio(top: FloatArray, bottom: FloatArray) -> Measured:
    """Return the ratio of two means, and its influence values."""
    below = bottom.mean()
    value = top.mean() / below
    return value, (top - value * bottom) / below


def skill(loss: PerExample, statistic: Callable[[Array], Any], sample: Sample) -> Measured:
    """Return the share that is avoided of the loss of somebody who predicts a statistic of the training targets."""
    own = loss(sample.truth, sample.predicted)
    value, influence = ratio(own, loss(sample.truth, sample.rival(statistic)))
    return 1.0 - value, -influence


def skill_of_chances(loss: PerExample, sample: Sample) -> Measured:
    """Return the share that is avoided of the loss of the class shares in the training set."""

    def shares(truth: Array) -> FloatArray:
        return np.bincount(truth, minlength=sample.classes) / truth.size

    return skill(loss, shares, sample)


def explained_variance(sample: Sample) -> Measured:
    """Return the share of the variance that is explained."""
    errors = sample.truth - sample.predicted
    truth = sample.truth - sample.truth.mean()
    value, influence = ratio(np.square(errors - errors.mean()), np.square(truth))
    return 1.0 - value, -influence


def root(loss: PerExample, sample: Sample) -> Measured:
    """Return the root of a mean loss."""
    losses = loss(sample.truth, sample.predicted)
    mean = losses.mean()
    value = np.sqrt(mean)
    return value, (losses - mean) / (2.0 * value) if value else np.zeros(losses.size)


def wape(sample: Sample) -> Measured:
    """Return the sum of absolute errors over the sum of absolute truths."""
    return ratio(np.abs(sample.truth - sample.predicted), np.abs(sample.truth))


def calibration_error(sample: Sample) -> Measured:
    """Return the expected calibration error: the mean distance, over bins, of how sure a label is from how often it is right."""
    sure = sample.predicted.max(axis=1)
    excess = (sample.predicted.argmax(axis=1) == sample.truth) - sure
    place = np.minimum((sure * _BINS).astype(int), _BINS - 1)
    # The mean of |sum of a bin's excess|: each example counts with the sign of its bin.
    signs = np.sign(np.bincount(place, weights=excess, minlength=_BINS))
    terms = signs[place] * excess
    return terms.mean(), terms - terms.mean()
