"""The nearest training examples of test examples, from distances and an order that are found once."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from errbar.engine.shared._distances import Nearest, Ordered
from errbar.engine.shared._family import Positions
from errbar.engine.shared._guards import constant

Array = NDArray[Any]

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
        See `errbar.engine.shared._distances.nearest`.
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
            done = order.look_up(cells[asked], _counts(trains, self._X.shape[0]), split[asked], self._k)
            asked = asked[done.complete]
            positions[asked], distances[asked] = done.positions, done.distances
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
            done = _pick(order, near, held, self._k)
            columns[left[done.complete]], found[left[done.complete]] = done.positions, done.distances
            left = left[~done.complete]
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

    def look_up(self, cells: Array, counts: Array, split: Array, k: int) -> "_Picked":
        """Return the k nearest of each cell that the training set of its split holds."""
        rows = self._row[cells]
        order = self._order[rows]
        held = counts.ravel()[order + (split * counts.shape[1])[:, None]]
        held[np.arange(self.depth) >= self._certain[rows][:, None]] = 0
        return _pick(order, self._near[rows], held, k)


class _Picked(NamedTuple):
    """Neighbours of the rows that have enough of them, and which rows these are."""

    complete: NDArray[np.bool_]
    positions: Array
    distances: Array


def _pick(order: Array, near: Array, held: Array, k: int) -> _Picked:
    """Return the first k columns of each row, each as often as it is held."""
    reached = np.cumsum(held, axis=1, dtype=np.int32)
    complete = reached[:, -1] >= k
    if held.max(initial=0) <= 1:
        places = np.flatnonzero((held > 0) & (reached <= k) & complete[:, None])
    else:
        taken = np.minimum(np.maximum(k - (reached - held), 0), held)
        taken[~complete] = 0
        places = np.repeat(np.arange(taken.size), taken.ravel())
    return _Picked(complete, order.ravel()[places].reshape(-1, k), near.ravel()[places].reshape(-1, k))


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
