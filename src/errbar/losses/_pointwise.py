"""Losses with one number per example. Adding one is one entry, with its words."""

import numpy as np

from errbar.losses._loss import CLASSIFICATION, LABEL, PROBABILITY, REGRESSION, Array, Loss


def _zero_one(truth: Array, predicted: Array) -> Array:
    different: Array = truth != predicted
    return different


def _log_loss(truth: Array, probability: Array) -> Array:
    smallest = np.finfo(np.float64).eps
    chosen = probability[np.arange(truth.size), truth]
    result: Array = -np.log(np.clip(chosen, smallest, 1.0))
    return result


def _brier(truth: Array, probability: Array) -> Array:
    distance = probability.astype(np.float64, copy=True)
    distance[np.arange(truth.size), truth] -= 1.0
    total: Array = np.square(distance).sum(axis=1)
    return total / 2 if probability.shape[1] == 2 else total


def _squared_error(truth: Array, predicted: Array) -> Array:
    squared: Array = np.square(truth - predicted)
    return squared


def _absolute_error(truth: Array, predicted: Array) -> Array:
    absolute: Array = np.abs(truth - predicted)
    return absolute


def _squared_over_pairs(truth: Array, predicted: Array) -> float:
    return float(truth.var() + predicted.var() + (truth.mean() - predicted.mean()) ** 2)


def _absolute_over_pairs(truth: Array, predicted: Array) -> float:
    """Sum |y - p| over all pairs by sorting: each prediction has so many truths below it, and the rest above."""
    ascending = np.sort(truth.astype(np.float64))
    sums = np.concatenate([[0.0], np.cumsum(ascending)])
    below = np.searchsorted(ascending, predicted)
    pairs = predicted * (2 * below - truth.size) + sums[-1] - 2 * sums[below]
    return float(pairs.mean()) / truth.size


LOSSES: dict[str, Loss] = {
    loss.key: loss
    for loss in (
        Loss("zero-one", _zero_one, (LABEL,), CLASSIFICATION, words="zero-one loss"),
        Loss("log-loss", _log_loss, (PROBABILITY,), CLASSIFICATION, words="log loss"),
        Loss("brier", _brier, (PROBABILITY,), CLASSIFICATION, words="Brier score"),
        Loss(
            "squared-error", _squared_error, (LABEL,), REGRESSION, words="squared error", over_pairs=_squared_over_pairs
        ),
        Loss(
            "absolute-error",
            _absolute_error,
            (LABEL,),
            REGRESSION,
            words="absolute error",
            over_pairs=_absolute_over_pairs,
        ),
    )
}
