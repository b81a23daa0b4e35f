"""Losses with one number per example. Adding one is one entry, with its words."""

import math
from typing import Any

import numpy as np

from errbar.metrics._loss import Loss
from errbar.metrics._sample import CLASSIFICATION, PROBABILITY, REGRESSION, Array


def hit(truth: Array, predicted: Array) -> Any:
    return np.equal(truth, predicted)


def zero_one(truth: Array, predicted: Array) -> Any:
    return np.not_equal(truth, predicted)


def log_loss(truth: Array, probability: Array) -> Array:
    smallest = np.finfo(np.float64).eps
    chosen = probability[np.arange(truth.size), truth]
    result: Array = -np.log(np.clip(chosen, smallest, 1.0))
    return result


def brier(truth: Array, probability: Array) -> Array:
    distance = probability.astype(np.float64, copy=True)
    distance[np.arange(truth.size), truth] -= 1.0
    total: Array = np.square(distance).sum(axis=1)
    return total / 2 if probability.shape[1] == 2 else total


def squared_error(truth: Array, predicted: Array) -> Any:
    return np.square(truth - predicted)


def squared_log_error(truth: Array, predicted: Array) -> Any:
    return np.square(np.log1p(truth) - np.log1p(predicted))


def absolute_error(truth: Array, predicted: Array) -> Any:
    return np.abs(truth - predicted)


def percentage_error(truth: Array, predicted: Array) -> Any:
    return np.abs(truth - predicted) / np.maximum(np.abs(truth), np.finfo(np.float64).eps)


def _squared_over_pairs(truth: Array, predicted: Array) -> float:
    return float(truth.var() + predicted.var() + (truth.mean() - predicted.mean()) ** 2)


def _absolute_over_pairs(truth: Array, predicted: Array) -> float:
    """Sum |y - p| over all pairs by sorting: each prediction has so many truths below it, and the rest above."""
    ascending = np.sort(truth.astype(np.float64))
    sums = np.concatenate([[0.0], np.cumsum(ascending)])
    below = np.searchsorted(ascending, predicted)
    pairs = predicted * (2 * below - truth.size) + sums[-1] - 2 * sums[below]
    return float(pairs.mean()) / truth.size


_NUMBERS: dict[str, Any] = {"task": REGRESSION, "range": (0.0, math.inf)}
_CHANCES = _NUMBERS | {"task": CLASSIFICATION, "needs": (PROBABILITY,)}

LOSSES: dict[str, Loss] = {
    loss.key: loss
    for loss in (
        Loss("zero-one", zero_one, task=CLASSIFICATION, words="zero-one loss", range=(0.0, 1.0)),
        Loss("log-loss", log_loss, words="log loss", **_CHANCES),
        Loss("brier", brier, words="Brier score", **_CHANCES),
        Loss(
            "squared-error",
            squared_error,
            words="squared error",
            over_pairs=_squared_over_pairs,
            **_NUMBERS,
        ),
        Loss(
            "absolute-error",
            absolute_error,
            words="absolute error",
            over_pairs=_absolute_over_pairs,
            **_NUMBERS,
        ),
    )
}
