"""Losses with one number per example."""

from typing import Any

import numpy as np

from errbar.metrics._sample import Array


def hit(truth: Array, predicted: Array) -> Any:
    return np.equal(truth, predicted)


def zero_one(truth: Array, predicted: Array) -> Any:
    return np.not_equal(truth, predicted)


def log_loss(truth: Array, probability: Array) -> Any:
    chosen = probability[np.arange(truth.size), truth]
    return -np.log(np.clip(chosen, np.finfo(np.float64).eps, 1.0))


def brier(truth: Array, probability: Array) -> Any:
    distance = probability.astype(np.float64, copy=True)
    distance[np.arange(truth.size), truth] -= 1.0
    total = np.square(distance).sum(axis=1)
    return total / 2 if probability.shape[1] == 2 else total


def squared_error(truth: Array, predicted: Array) -> Any:
    return np.square(truth - predicted)


def squared_log_error(truth: Array, predicted: Array) -> Any:
    return np.square(np.log1p(truth) - np.log1p(predicted))


def absolute_error(truth: Array, predicted: Array) -> Any:
    return np.abs(truth - predicted)


def percentage_error(truth: Array, predicted: Array) -> Any:
    return np.abs(truth - predicted) / np.maximum(np.abs(truth), np.finfo(np.float64).eps)
