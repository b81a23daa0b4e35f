"""The nearest training examples of test examples, where it is clear which ones scikit-learn takes.

Scikit-learn takes equally distant examples in an order that depends on its trees, heaps and blocks of products. So examples
that are equally far but for rounding form a tie. A tie that goes on behind the last neighbour leaves it open who that
is, unless the targets in it are all the same.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from scipy.spatial.distance import cdist

from errbar.fits.shared._family import Array, Positions
from errbar.fits.shared._guards import constant

# Numbers in memory at once: distances, so few that they stay in the cache and their memory is not given back and taken
# anew; and entries of the tables that a block of splits needs.
_MOST_DISTANCES = 2**16
_FEWEST_ROWS = 16
_MOST_ENTRIES = 2**21
_EPS = float(np.finfo(np.float64).eps)
# What rounding may do to a squared distance: relative to itself, and for each feature relative to the squares of which
# scikit-learn may take it to be a difference.
_RELATIVE = 1e-12
_ROUNDING = 32 * _EPS
# Powers of what is shorter are not numbers of full precision.
_SHORTEST = 1e-290
# A look into the order of all examples takes so many times longer than one more distance and one more feature of it.
_LOOK = 25
_DISTANCE = 5
_SHARES = 32
# Nearby behind the last neighbour by which ties are told, where distances are found for one split only.
_MORE = 6


@dataclass(frozen=True, eq=False)
class Minkowski:
    """Minkowski's distance.

    Attributes
    ----------
    power : float
        Its power.
    by_products : bool
        Whether Euclidean distances are compared by means of a product of matrices first, which pays with many features.
    in_balls : bool
        Whether scikit-learn's own distances are off as much as the largest ones, as in a ball tree.
    """

    power: float
    by_products: bool
    in_balls: bool

    @property
    def shortest(self) -> float:
        """Shorter distances may come out as zero, or lose digits."""
        return float(max(_SHORTEST ** (1 / self.power), 1e-200))

    def errors(self, table: Array) -> Array:
        """Return what rounding may do to squared distances from each row; that from the other end comes on top."""
        found: Array = np.linalg.norm(table, self.power, axis=1) ** 2 * (
            _ROUNDING * (table.shape[1] + 4)
        )
        return np.full_like(found, found.max(initial=0.0)) if self.in_balls else found

    def nearest(self, points: Array, table: Array, depth: int) -> tuple[Array, Array]:
        """Return the positions of the nearest rows of a table, in order, and their distances, for each point.

        Of equally distant rows the first counts as nearer, but which of those as far as the last one are there is open.
        """
        order, near = (
            np.empty((points.shape[0], depth), dtype=np.int32),
            np.empty((points.shape[0], depth)),
        )
        products = self.power == 2.0 and self.by_products
        factor = (
            np.vstack([-2 * table.T, np.einsum("ij,ij->i", table, table)]) if products else table
        )
        step = max(_FEWEST_ROWS, _MOST_DISTANCES // table.shape[0])
        for begin in range(0, points.shape[0], step):
            part = slice(begin, begin + step)
            own = points[part]
            if products:
                # Squared distances less the square of the point, which does not matter for the order.
                columns = _smallest(np.column_stack([own, np.ones(own.shape[0])]) @ factor, depth)
                found = _differences(own, table, columns)
            else:
                found = cdist(own, table, "minkowski", p=self.power)
                columns = _smallest(found, depth)
                found = np.take_along_axis(found, columns, axis=1)
            again = found.argsort(axis=1, kind="stable")
            order[part], near[part] = (
                np.take_along_axis(values, again, axis=1) for values in (columns, found)
            )
        return order, near


class Nearby:
    """The nearest neighbours of some points, as far as they are certain.

    Parameters
    ----------
    order, near : ndarray, shape (points, depth)
        From `Minkowski.nearest`.
    points, table : ndarray
        From `Minkowski.errors`, of both.
    values : ndarray
        Target of each row of the table.
    metric : Minkowski
        The distance.
    """

    def __init__(
        self,
        order: Array,
        near: Array,
        points: Array,
        table: Array,
        values: Array,
        metric: Minkowski,
    ) -> None:
        depth, size, squares = near.shape[1], table.size, near**2
        errors = points[:, None] + table[order] + _RELATIVE * squares
        tied = (squares[:, 1:] - squares[:, :-1] <= errors[:, 1:] + errors[:, :-1]) | (
            near[:, 1:] < metric.shortest
        )
        self.order, self.near, self._ends = order.copy(), near, None
        last = np.full(near.shape[0], depth - 1)
        if tied.any():
            starts, differ = np.ones(near.shape, dtype=bool), np.zeros(near.shape, dtype=bool)
            starts[:, 1:] = ~tied
            differ[:, 1:] = tied & (values[order[:, 1:]] != values[order[:, :-1]])
            first = np.flatnonzero(starts)
            lengths = np.diff(first, append=near.size)
            ends = np.where(
                np.logical_or.reduceat(differ.ravel(), first), (first + lengths - 1) % depth, -1
            )
            self._ends = np.repeat(ends, lengths).reshape(near.shape)
            last = np.repeat(first % depth, lengths).reshape(near.shape)[:, -1]
        if depth < size:
            # Of a tie that may go on nobody is known for sure; what stands behind the table is in no training set.
            self.order[np.arange(depth) >= last[:, None]] = size

    def first(
        self, k: int, rows: Array, counts: Array, starts: Array
    ) -> tuple[Array, Array, Array]:
        """Return for which rows it is clear who is the nearest, and for these the first k with their distances.

        Parameters
        ----------
        k : int
            Number of neighbours.
        rows : ndarray of int
            Points.
        counts, starts : ndarray
            How often training sets hold each row of the table, one set after another, each with a zero at its end; and
            where that of each point begins.
        """
        order = self.order[rows]
        held = counts[order + starts[:, None]]
        reached = held.cumsum(axis=1, dtype=np.int32)
        clear = reached[:, -1] >= k
        if self._ends is not None:
            ends = self._ends[rows, (reached >= k).argmax(axis=1)]
            cut = np.flatnonzero(ends >= 0)
            clear[cut] &= reached[cut, ends[cut]] == k
        if held.max(initial=0) <= 1:
            places = np.flatnonzero((held > 0) & (reached <= k) & clear[:, None])
        else:
            taken = np.minimum(np.maximum(k - (reached - held), 0), held)
            taken[~clear] = 0
            places = np.repeat(np.arange(taken.size), taken.ravel())
        near = self.near[rows[places // order.shape[1]], places % order.shape[1]]
        return clear, order.ravel()[places].reshape(-1, k), near.reshape(-1, k)


class Search:
    """The search for the k nearest training examples in all splits.

    What is found for a test example depends on its training set only, not on what else is asked.

    Parameters
    ----------
    X : ndarray, shape (n, p)
        Features.
    values : ndarray, shape (n,)
        Targets.
    metric : Minkowski
        The distance.
    k : int
        Number of neighbours.
    scaled : bool
        Whether features are divided by their standard deviations in the training set first.
    """

    def __init__(self, X: Array, values: Array, metric: Minkowski, k: int, *, scaled: bool) -> None:
        self._X, self._values, self._metric, self._k, self._scaled = X, values, metric, k, scaled
        self._errors = metric.errors(X)

    def run(self, trains: Positions, tests: Positions) -> Iterator[tuple[Array, Array, Array]]:
        """Yield the neighbours of the test examples for which they are clear.

        Yields
        ------
        cells : ndarray of int
            Which test examples, counted over all splits.
        positions, distances : ndarray, shape (examples, k)
            From the nearest on.
        """
        (n, p), metric, errors = self._X.shape, self._metric, self._errors
        sizes = np.array([len(test) for test in tests])
        starts = np.cumsum(sizes) - sizes
        distinct = np.array([np.count_nonzero(np.bincount(train, minlength=n)) for train in trains])
        depths = np.minimum(_depths(self._k, np.maximum(distinct * _SHARES // n, 1) / _SHARES), n)
        direct = (distinct * (_DISTANCE + p) < _LOOK * depths) | self._scaled
        for j in np.flatnonzero(direct).tolist():
            clear, positions, distances = self._directly(trains[j], tests[j])
            yield starts[j] + np.flatnonzero(clear), positions, distances
        if direct.all():
            return
        tested = np.unique(
            np.concatenate([test for test, alone in zip(tests, direct, strict=True) if not alone])
        )
        row = np.zeros(n, dtype=np.intp)
        row[tested] = np.arange(tested.size)
        order, near = metric.nearest(self._X[tested], self._X, int(depths[~direct].max()))
        for depth in np.unique(depths[~direct]).tolist():
            nearby = Nearby(
                order[:, :depth], near[:, :depth], errors[tested], errors, self._values, metric
            )
            splits = np.flatnonzero((depths == depth) & ~direct)
            block = np.cumsum(n + sizes[splits] * depth) // _MOST_ENTRIES
            for begin, end in pairwise([0, *np.flatnonzero(np.diff(block)) + 1, splits.size]):
                some = splits[begin:end]
                counts = _counts([trains[j] for j in some], n)
                cells = np.concatenate([tests[j] for j in some])
                places = np.concatenate([starts[j] + np.arange(sizes[j]) for j in some])
                which = np.repeat(np.arange(some.size) * (n + 1), sizes[some])
                clear, positions, distances = nearby.first(self._k, row[cells], counts, which)
                yield places[clear], positions, distances

    def _directly(self, train: Array, test: Array) -> tuple[Array, Array, Array]:
        held, weights = np.unique(train, return_counts=True)
        points, others = self._X[test], self._X[held]
        if self._scaled:
            middle, scale = self._X[train].mean(axis=0), scale_of(self._X[train])
            points, others = (points - middle) / scale, (others - middle) / scale
        if held.size == 0 or not np.isfinite(others).all():
            return (
                np.zeros(len(test), dtype=bool),
                np.empty((0, self._k), dtype=np.intp),
                np.empty((0, self._k)),
            )
        metric = self._metric
        order, near = metric.nearest(points, others, min(self._k + _MORE, held.size))
        nearby = Nearby(
            order, near, metric.errors(points), metric.errors(others), self._values[held], metric
        )
        nobody = np.zeros(len(test), dtype=np.intp)
        clear, columns, distances = nearby.first(
            self._k, np.arange(len(test)), np.append(weights, 0), nobody
        )
        return clear, held[columns], distances


def _depths(k: int, share: Array) -> Array:
    """Return how many of the nearest of all hold k training examples, which are such a share of all, nearly always.

    That is so where k lies five standard deviations below the expected number. One more, as the last is never clear.
    """
    spread = 2.5 * np.sqrt(1 - share)
    depths: Array = np.ceil((spread + np.sqrt(spread**2 + k)) ** 2 / share).astype(np.int64) + 1
    return depths


def _counts(trains: Positions, n: int) -> Array:
    """Return how often each training set holds each example, and a zero behind, set after set."""
    starts = np.repeat(np.arange(len(trains)) * (n + 1), [len(train) for train in trains])
    counts = np.bincount(starts + np.concatenate(trains), minlength=len(trains) * (n + 1))
    return counts.astype(np.uint8 if counts.max() < 256 else np.int32)


def scale_of(rows: Array) -> Array:
    """Return the standard deviations of features, 1 for constant ones, and not-a-number where rounding decides."""
    scale: Array = rows.std(axis=0)
    scale[scale <= 100 * rows.shape[0] * _EPS * np.abs(rows).max(axis=0)] = np.nan
    scale[constant(rows)] = 1.0
    return scale


def _smallest(values: Array, depth: int) -> Array:
    """Return the columns of the smallest values of each row, the columns ascending."""
    if depth >= values.shape[1]:
        return np.broadcast_to(np.arange(values.shape[1]), values.shape)
    order = np.argpartition(values, depth - 1, axis=1)[:, :depth]
    order.sort(axis=1)
    return order


def _differences(a: Array, b: Array, order: Array) -> Array:
    found = np.empty(order.shape)
    step = max(1, _MOST_ENTRIES // (order.shape[1] * a.shape[1]))
    for begin in range(0, a.shape[0], step):
        part = slice(begin, begin + step)
        apart = b[order[part]]
        apart -= a[part, None, :]
        found[part] = np.sqrt(np.einsum("ijk,ijk->ij", apart, apart))
    return found
