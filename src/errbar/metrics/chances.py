"""Metrics of predicted probabilities: skill against the class shares, and calibration."""

import numpy as np

from errbar._check import FloatArray
from errbar.metrics._pointwise import brier, log_loss
from errbar.metrics._sample import PROBABILITY, Array, Measured, Sample
from errbar.metrics.numbers import skill

# Of equal width, as in Guo, Pleiss, Sun & Weinberger (2017).
BINS = 15


def log_loss_skill(sample: Sample) -> Measured:
    """Return the share of the log loss of the class shares that is avoided."""
    return skill(
        log_loss(sample.truth, sample.predictions[PROBABILITY]),
        log_loss(sample.truth, _shares(sample)),
    )


def brier_skill(sample: Sample) -> Measured:
    """Return the share of the Brier score of the class shares that is avoided."""
    return skill(
        brier(sample.truth, sample.predictions[PROBABILITY]), brier(sample.truth, _shares(sample))
    )


def calibration_error(sample: Sample) -> Measured:
    """Return the mean distance, over bins of equal width, of how sure the label is from how often it is right.

    It is a sum over bins of absolute means, so the influence of an example is its own term with the sign of its bin.
    """
    probability = sample.predictions[PROBABILITY]
    sure = probability.max(axis=1)
    excess: FloatArray = (probability.argmax(axis=1) == sample.truth) - sure
    place = np.minimum((sure * BINS).astype(int), BINS - 1)
    signs = np.sign(np.bincount(place, weights=excess, minlength=BINS))
    terms = signs[place] * excess
    value = float(terms.mean())
    return value, terms - value


def _shares(sample: Sample) -> FloatArray:
    """Return the class shares that somebody predicts for each example who knows no features."""

    def shares(truth: Array) -> FloatArray:
        return np.bincount(truth, minlength=sample.classes) / truth.size

    found: FloatArray = np.broadcast_to(sample.rival(shares), (sample.truth.size, sample.classes))
    return found
