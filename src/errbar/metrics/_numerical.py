"""Influence values of any metric: how much one more copy of an example moves it."""

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errbar._check import FloatArray, IntArray
from errbar.errors import InvalidInputError, UndefinedMetricError
from errbar.metrics._sample import Measured

OfWeights = Callable[[FloatArray], float]
"""A metric as a function of the weights of the examples."""

OfRows = Callable[[IntArray], float]
"""A metric as a function of the positions of examples, one of which may stand there twice or not at all."""

MOST = 20_000
"""So many different examples at most: the metric is computed twice for each."""

# A step in a weight: large against rounding, small against curvature.
_STEP = 1e-4
# Derivatives in weights and effects of whole examples agree but for terms of order 1/n.
_ALIKE = 0.25
# A whole example is looked at for so many examples at most.
_LOOKED_AT = 40


def takes_weights(function: Any) -> bool:
    """Return whether a function has a parameter ``sample_weight``."""
    try:
        return "sample_weight" in inspect.signature(function).parameters
    except (TypeError, ValueError):
        return False


def by_weights(key: str, metric: OfWeights, same: IntArray) -> Measured:
    r"""Return a metric and its influence values by derivatives in the weights of the examples.

    Parameters
    ----------
    key : str
        Its name.
    metric : callable
        ``metric(weights)``.
    same : ndarray of int, shape (n,)
        Number of each example among the different ones, from 0 on: equal examples have equal influence.

    Returns
    -------
    tuple
        The metric, and :math:`I_i = n\,(\theta(w + \epsilon e_i) - \theta(w - \epsilon e_i)) / 2\epsilon`.

    Raises
    ------
    InvalidInputError
        If there are too many examples.
    UndefinedMetricError
        If the metric is not smooth.
    """
    n = same.size
    first, counts = _different(key, same)
    value, ones = metric(np.ones(n)), np.ones(n)

    def moved(i: int, by: float) -> float:
        ones[i] += by
        found = metric(ones)
        ones[i] = 1.0
        return found

    each = np.array([n * (moved(i, _STEP) - moved(i, -_STEP)) / (2.0 * _STEP) for i in first])
    some = np.linspace(0, first.size - 1, min(first.size, _LOOKED_AT)).astype(int)
    whole = np.array([n * (moved(first[k], 1.0) - moved(first[k], -1.0)) / 2.0 for k in some])
    _require_smooth(key, each[some], whole)
    return value, _centred(each, same, counts)


def by_rows(key: str, metric: OfRows, same: IntArray) -> Measured:
    r"""Return a metric and its influence values by leaving out each example, and by taking it twice.

    Parameters
    ----------
    key : str
        Its name.
    metric : callable
        ``metric(rows)``.
    same : ndarray of int, shape (n,)
        Number of each example among the different ones.

    Returns
    -------
    tuple
        The metric, and :math:`I_i = n\,(\theta_{+i} - \theta_{-i})/2`.

    Raises
    ------
    InvalidInputError
        If there are too many examples.
    UndefinedMetricError
        If the metric is not smooth.
    """
    n, rows = same.size, np.arange(same.size)
    first, counts = _different(key, same)
    value = metric(rows)
    more = np.array([n * (metric(np.append(rows, i)) - value) for i in first])
    less = np.array([n * (value - metric(np.delete(rows, i))) for i in first])
    _require_smooth(key, more, less)
    return value, _centred((more + less) / 2.0, same, counts)


def _different(key: str, same: IntArray) -> tuple[IntArray, IntArray]:
    """Return the first of each different example, and how often it is there."""
    _, first, counts = np.unique(same, return_index=True, return_counts=True)
    if first.size > MOST:
        raise InvalidInputError(
            f"influence values of {key!r} would take {2 * first.size} computations of it; the limit is {2 * MOST}: try a method for "
            "one score per split, such as 'corrected-t', or a metric of errbar.metrics.METRICS"
        )
    return first, counts


def _require_smooth(key: str, one: FloatArray, other: FloatArray) -> None:
    """Raise unless both ways of moving an example move the metric alike."""
    size = float(np.linalg.norm(one) + np.linalg.norm(other)) / 2.0
    if (
        not (np.isfinite(one).all() and np.isfinite(other).all())
        or np.linalg.norm(one - other) > _ALIKE * size
    ):
        raise UndefinedMetricError(
            f"{key!r} does not change smoothly with its examples, so that it has no influence values and no standard error from one "
            "test set; try a method for one score per split, such as 'corrected-t'"
        )


def _centred(each: FloatArray, same: IntArray, counts: IntArray) -> FloatArray:
    """Return the influence values of all examples; what the steps have left of their mean is taken out."""
    return np.asarray(each[same] - float(counts @ each) / same.size)


def alike(columns: list[NDArray[Any]]) -> IntArray:
    """Return the number of each example among those that are different in these columns."""
    table = np.column_stack([column.reshape(len(column), -1) for column in columns])
    found: IntArray = np.unique(table, axis=0, return_inverse=True)[1]
    return found.ravel()
