"""Metrics of numbers and probabilities: ratios of means, and roots of one; NaN over nothing."""

from collections.abc import Callable
from typing import Any

import numpy as np

from errbar._check import FloatArray
from errbar.metrics._sample import Array, Measured, Sample

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
    """Return the mean distance, over bins of equal width, of how sure the label is from how often it is right."""
    sure = sample.predicted.max(axis=1)
    excess = (sample.predicted.argmax(axis=1) == sample.truth) - sure
    place = np.minimum((sure * _BINS).astype(int), _BINS - 1)
    signs = np.sign(np.bincount(place, weights=excess, minlength=_BINS))
    terms = signs[place] * excess
    return terms.mean(), terms - terms.mean()
