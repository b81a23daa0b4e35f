"""Distances between examples, and the order of the nearest."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

Array = NDArray[Any]
# From a table and a depth to the nearest rows of another table for each row of it.
Ordered = Callable[[Array, int], tuple[Array, Array, Array]]
# Prepares what is needed for the other table.
Nearest = Callable[[Array], Ordered]

_MOST_ENTRIES = 2**22
_EPS = float(np.finfo(np.float64).eps)


def nearest(name: str, p: float, features: int, wide: int) -> Nearest:
    """Return the function that finds the nearest rows of a table.

    Parameters
    ----------
    name : {"minkowski", "euclidean", "manhattan", "chebyshev"}
        Distance.
    p : float
        Power of Minkowski's distance.
    features : int
        Number of features.
    wide : int
        With more features than this, Euclidean distances are compared by means of a product of matrices first.

    Returns
    -------
    callable
        For a table ``b`` it gives a function that for a table ``a`` and a depth gives, for each row of `a`, the
        positions of its nearest rows of `b` in order, their distances, and how many of these are certain. Of equally
        distant ones the first counts as nearer. Whether those as far as the last one are the first of their kind is
        not known, so they are not certain, unless all rows of `b` are there.
    """
    if name == "minkowski":
        name = {1.0: "manhattan", 2.0: "euclidean", np.inf: "chebyshev"}.get(p, name)
    if name == "euclidean" and features > wide:
        return _Products
    metric: Any = {"manhattan": "cityblock"}.get(name, name)
    power: Any = {"p": p} if name == "minkowski" else {}
    return lambda b: lambda a, depth: _ordered(cdist(a, b, metric, **power), depth)


def _ordered(distances: Array, depth: int) -> tuple[Array, Array, Array]:
    if depth >= distances.shape[1]:
        order = distances.argsort(axis=1, kind="stable")
        return order, np.take_along_axis(distances, order, axis=1), np.full(order.shape[0], order.shape[1])
    order = _smallest(distances, depth)
    order, near = _sorted(order, np.take_along_axis(distances, order, axis=1))
    return order, near, (near < near[:, -1:]).sum(axis=1)


class _Products:
    """Orders Euclidean distances: a product of matrices finds candidates, and differences tell their distances."""

    def __init__(self, b: Array) -> None:
        self._b, self._middle = b, b.mean(axis=0)
        second = b - self._middle
        squares = np.einsum("ij,ij->i", second, second)
        self._largest = squares.max()
        # Squared distances less the square of the row, which does not matter for the order.
        self._factor = np.ascontiguousarray(np.column_stack([-2 * second, squares]).T)

    def __call__(self, a: Array, depth: int) -> tuple[Array, Array, Array]:
        rows, columns = a.shape[0], self._b.shape[0]
        if depth >= columns:
            everything = np.broadcast_to(np.arange(columns), (rows, columns))
            return (*_sorted(everything, _differences(a, self._b, everything)), np.full(rows, columns))
        first = a - self._middle
        squares = np.einsum("ij,ij->i", first, first)
        rough = np.column_stack([first, np.ones(rows)]) @ self._factor
        order = _smallest(rough, depth)
        furthest = np.take_along_axis(rough, order, axis=1).max(axis=1) + squares
        order, near = _sorted(order, _differences(a, self._b, order))
        error = 4 * _EPS * a.shape[1] * (squares + self._largest)
        return order, near, (near**2 < (furthest - 2 * error)[:, None]).sum(axis=1)


def _smallest(values: Array, depth: int) -> Array:
    """Return the columns of the smallest values of each row, the columns ascending."""
    order = np.argpartition(values, depth - 1, axis=1)[:, :depth]
    order.sort(axis=1)
    return order


def _sorted(order: Array, near: Array) -> tuple[Array, Array]:
    again = near.argsort(axis=1, kind="stable")
    return np.take_along_axis(order, again, axis=1), np.take_along_axis(near, again, axis=1)


def _differences(a: Array, b: Array, order: Array) -> Array:
    found = np.empty(order.shape)
    step = max(1, _MOST_ENTRIES // (order.shape[1] * a.shape[1]))
    for begin in range(0, a.shape[0], step):
        part = slice(begin, begin + step)
        apart = b[order[part]]
        apart -= a[part, None, :]
        found[part] = np.sqrt(np.einsum("ijk,ijk->ij", apart, apart))
    return found
