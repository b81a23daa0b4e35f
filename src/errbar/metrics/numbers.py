"""Metrics of numbers that are predicted: each is a ratio of means, or a function of one mean."""

import numpy as np

from errbar._check import FloatArray
from errbar.metrics._sample import LABEL, Measured, Sample


def ratio(top: FloatArray, bottom: FloatArray) -> Measured:
    """Return the ratio of two means."""
    under = float(bottom.mean())
    value = float(top.mean()) / under if under else np.nan
    return value, (top - value * bottom) / under if under else np.full(top.size, np.nan)


def skill(loss: FloatArray, of_rival: FloatArray) -> Measured:
    """Return 1 minus the ratio of two mean losses."""
    value, influence = ratio(loss, of_rival)
    return 1.0 - value, -influence


def root(of_square: FloatArray) -> Measured:
    """Return the root of a mean."""
    mean = float(of_square.mean())
    value = float(np.sqrt(mean))
    return value, (of_square - mean) / (2.0 * value) if value else np.zeros(of_square.size)


def r2(sample: Sample) -> Measured:
    """Return the share of the squared distance from the mean of the training targets that is explained."""
    return skill(np.square(_errors(sample)), np.square(sample.truth - sample.rival(np.mean)))


def d2_absolute(sample: Sample) -> Measured:
    """Return the share of the absolute distance from the median of the training targets that is explained."""
    return skill(np.abs(_errors(sample)), np.abs(sample.truth - sample.rival(np.median)))


def explained_variance(sample: Sample) -> Measured:
    """Return the share of the variance that is explained."""
    errors = _errors(sample)
    return skill(np.square(errors - errors.mean()), np.square(sample.truth - sample.truth.mean()))


def rmse(sample: Sample) -> Measured:
    """Return the root of the mean squared error."""
    return root(np.square(_errors(sample)))


def rmsle(sample: Sample) -> Measured:
    """Return the root of the mean squared error of logarithms of 1 + y."""
    return root(np.square(np.log1p(sample.truth) - np.log1p(sample.predictions[LABEL])))


def wape(sample: Sample) -> Measured:
    """Return the sum of absolute errors over the sum of absolute truths."""
    return ratio(np.abs(_errors(sample)), np.abs(sample.truth).astype(np.float64))


def _errors(sample: Sample) -> FloatArray:
    found: FloatArray = sample.truth - sample.predictions[LABEL]
    return found
