"""The nearest training examples of test examples, from distances and an order that are found once."""

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from errbar.engine.shared._family import Positions
from errbar.engine.shared._guards import constant

Array = NDArray[Any]
# From a table and a depth to the nearest rows of another table for each row of it.
Ordered = Callable[[Array, int], tuple[Array, Array, Array]]
# Prepares what is needed for the other table.
Nearest = Callable[[Array], Ordered]

# Numbers in memory at once: distances, so few that they stay in the cache and their memory is not given back and taken
# anew; and entries of the tables that a block of splits needs.
_MOST_DISTANCES = 2**16
_FEWEST_ROWS = 16
_MOST_ENTRIES = 2**21
_EPS = float(np.finfo(np.float64).eps)


class Search:
    """The search for the k nearest training examples in all splits.

    Parameters
    ----------
    X : ndarray, shape (n, p)
        Features.
    nearest : callable
        What `nearest_by` returns.
    k : int
        Number of neighbours.
    scaled : bool
        Whether features are divided by their standard deviations in the training set first.
    """

    def __init__(self, X: Array, nearest: Nearest, k: int, *, scaled: bool) -> None:
        self._X, self._nearest, self._k, self._scaled = X, nearest, k, scaled

    def run(self, trains: Positions, tests: Positions) -> Iterator[tuple[slice, Array, Array]]:
        """Yield neighbours of the test examples of some consecutive splits, block after block.

        Yields
        ------
        part : slice
            The test examples, counted over all splits.
        positions, distances : ndarray, shape (examples, k)
            From the nearest on. Of equally distant ones the earlier in the data comes first. Distances of splits that
            cannot be done are not-a-number.
        """
        n, k = self._X.shape[0], self._k
        distinct = np.array([np.count_nonzero(np.bincount(train, minlength=n)) for train in trains])
        depths = _depths(k, np.maximum(distinct, 1) / n)
        looked = depths < distinct
        if self._scaled:
            looked[:] = False
        order = None
        if looked.any():
            asked = [test for test, wanted in zip(tests, looked, strict=True) if wanted]
            order = _Order(self._X, self._nearest, np.unique(np.concatenate(asked)), int(depths[looked].max()))
        sizes = np.array([len(test) for test in tests])
        width = max(order.depth if order else 0, k)
        block = np.cumsum(n * looked + sizes * width) // _MOST_ENTRIES
        ends = np.concatenate([[0], np.cumsum(sizes)])
        for first, stop in pairwise([0, *np.flatnonzero(np.diff(block)) + 1, len(tests)]):
            found = self._block(trains[first:stop], tests[first:stop], order, looked[first:stop])
            yield slice(ends[first], ends[stop]), *found

    def _block(
        self, trains: Positions, tests: Positions, order: "_Order | None", looked: NDArray[np.bool_]
    ) -> tuple[Array, Array]:
        cells, sizes = np.concatenate(tests), [len(test) for test in tests]
        positions = np.zeros((cells.size, self._k), dtype=np.intp)
        distances = np.full((cells.size, self._k), np.nan)
        missing = np.ones(cells.size, dtype=bool)
        if order is not None and looked.any():
            split = np.repeat(np.arange(len(tests)), sizes)
            asked = np.flatnonzero(looked[split])
            counts = _counts(trains, self._X.shape[0])
            complete, *found = order.look_up(cells[asked], counts, split[asked], self._k)
            asked = asked[complete]
            positions[asked], distances[asked] = found
            missing[asked] = False
        left = np.flatnonzero(missing)
        for train, own in zip(trains, np.split(left, np.searchsorted(left, np.cumsum(sizes)[:-1])), strict=True):
            if own.size and len(train) >= self._k:
                positions[own], distances[own] = self._directly(train, cells[own])
        return positions, distances

    def _directly(self, train: Array, rows: Array) -> tuple[Array, Array]:
        held, weights = np.unique(train, return_counts=True)
        points, others = self._X[rows], self._X[held]
        if self._scaled:
            middle, scale = self._X[train].mean(axis=0), scale_of(self._X[train])
            points, others = (points - middle) / scale, (others - middle) / scale
        positions, found = np.empty((rows.size, self._k), dtype=np.intp), np.empty((rows.size, self._k))
        step, ordered = max(_FEWEST_ROWS, _MOST_DISTANCES // held.size), self._nearest(others)
        for begin in range(0, rows.size, step):
            part = slice(begin, begin + step)
            columns, found[part] = self._first(points[part], ordered, weights)
            positions[part] = held[columns]
        return positions, found

    def _first(self, points: Array, ordered: Ordered, weights: Array) -> tuple[Array, Array]:
        """Return the nearest of the others and their distances; each counts as often as its weight."""
        columns, found = np.empty((points.shape[0], self._k), dtype=np.intp), np.empty((points.shape[0], self._k))
        left = np.arange(points.shape[0])
        for depth in (min(self._k + 1, weights.size), weights.size):
            order, near, certain = ordered(points[left], depth)
            held = weights[order]
            held[np.arange(depth) >= certain[:, None]] = 0
            complete, picked, distances = _pick(order, near, held, self._k)
            columns[left[complete]], found[left[complete]] = picked, distances
            left = left[~complete]
            if not left.size:
                break
        return columns, found


def _depths(k: int, share: Array) -> Array:
    """Return how many of the nearest of all hold k training examples, which are such a share of all, nearly always.

    That is so where k lies four standard deviations below the expected number. One more, as the last is not certain.
    """
    spread = 2 * np.sqrt(1 - share)
    depths: Array = np.ceil((spread + np.sqrt(spread**2 + k)) ** 2 / share).astype(np.int64) + 1
    return depths


class _Order:
    """The nearest examples of every tested one among all examples."""

    def __init__(self, X: Array, nearest: Nearest, tested: Array, depth: int) -> None:
        n = X.shape[0]
        self.depth = min(depth, n)
        self._row = np.zeros(n, dtype=np.intp)
        self._row[tested] = np.arange(tested.size)
        self._order = np.empty((tested.size, self.depth), dtype=np.int32)
        self._near = np.empty((tested.size, self.depth))
        self._certain = np.empty(tested.size, dtype=np.int64)
        step, ordered = max(_FEWEST_ROWS, _MOST_DISTANCES // n), nearest(X)
        for begin in range(0, tested.size, step):
            part = slice(begin, begin + step)
            self._order[part], self._near[part], self._certain[part] = ordered(X[tested[part]], self.depth)

    def look_up(self, cells: Array, counts: Array, split: Array, k: int) -> tuple[Array, Array, Array]:
        """Return which cells have k neighbours that the training set of their split holds, and these as `_pick` does."""
        rows = self._row[cells]
        order = self._order[rows]
        held = counts.ravel()[order + (split * counts.shape[1])[:, None]]
        held[np.arange(self.depth) >= self._certain[rows][:, None]] = 0
        return _pick(order, self._near[rows], held, k)


def _pick(order: Array, near: Array, held: Array, k: int) -> tuple[Array, Array, Array]:
    """Return which rows hold k or more, and for these the first k positions and distances, each as often as held."""
    reached = np.cumsum(held, axis=1, dtype=np.int32)
    complete = reached[:, -1] >= k
    if held.max(initial=0) <= 1:
        places = np.flatnonzero((held > 0) & (reached <= k) & complete[:, None])
    else:
        taken = np.minimum(np.maximum(k - (reached - held), 0), held)
        taken[~complete] = 0
        places = np.repeat(np.arange(taken.size), taken.ravel())
    return complete, order.ravel()[places].reshape(-1, k), near.ravel()[places].reshape(-1, k)


def _counts(trains: Positions, n: int) -> Array:
    """Return how often each training set holds each example, a row for each set."""
    starts = np.repeat(np.arange(len(trains)) * n, [len(train) for train in trains])
    counts = np.bincount(starts + np.concatenate(trains), minlength=len(trains) * n).reshape(len(trains), n)
    return counts.astype(np.uint8 if counts.max() < 256 else np.int32)


def scale_of(rows: Array) -> Array:
    """Return the standard deviations of features, 1 for constant ones, and not-a-number where rounding decides."""
    scale: Array = rows.std(axis=0)
    scale[scale <= 100 * rows.shape[0] * _EPS * np.abs(rows).max(axis=0)] = np.nan
    scale[constant(rows)] = 1.0
    return scale


def nearest_by(p: float, *, by_products: bool) -> Nearest:
    """Return the function that finds the nearest rows of a table.

    Parameters
    ----------
    p : float
        Power of Minkowski's distance.
    by_products : bool
        Whether Euclidean distances are compared by means of a product of matrices first.

    Returns
    -------
    callable
        For a table ``b`` it gives a function that for a table ``a`` and a depth gives, for each row of `a`, the
        positions of its nearest rows of `b` in order, their distances, and how many of these are certain. Of equally
        distant ones the first counts as nearer. Whether those as far as the last one are the first of their kind is
        not known, so they are not certain, unless all rows of `b` are there.
    """
    if p == 2.0 and by_products:
        return _Products
    return lambda b: lambda a, depth: _ordered(cdist(a, b, "minkowski", p=p), depth)


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
