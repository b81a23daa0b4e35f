"""Nearest neighbours: the order of the distances once, then the first of it that are in each training set.

Of examples that are equally far but for rounding scikit-learn takes those that its blocks bring
first. Where such a tie goes on behind the last neighbour the training set is fitted alone.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from errbar.metrics import LABEL, PROBABILITY, Target

Array = NDArray[Any]

_FREE = {"n_neighbors", "algorithm", "leaf_size", "n_jobs"}
FREE = {"KNeighborsClassifier": _FREE, "KNeighborsRegressor": _FREE}
"""Parameters that may have any value that scikit-learn allows."""

_MOST_PRODUCTS = 5e8
"""All distances take longer than single fits from here on: squared number of examples times features."""

_MOST_SCALED = 1000
"""Scaling differs from training set to training set, and so do distances; with more examples nothing is gained."""

_FEWEST = 0.25
"""Smaller shares of all examples are fitted alone: so far down one would have to look for neighbours."""

_BLOCK = 2**21
_ROUNDING = 64 * float(np.finfo(np.float64).eps)


def suits(learner: Any, X: Array, *, scaled: bool) -> bool:
    """Tell whether parameters can be used, and it pays."""
    (n, p), k = X.shape, learner.n_neighbors
    return (
        type(k) is int
        and k >= 1
        and learner.algorithm in ("auto", "brute", "kd_tree", "ball_tree")
        and type(learner.leaf_size) is int
        and learner.leaf_size >= 1
        and float(n) ** 2 * p <= _MOST_PRODUCTS
        and (not scaled or n <= _MOST_SCALED)
    )


def predictions(
    learner: Any, X: Array, target: Target, train_rows: Any, test_rows: Any, *, scaled: bool
) -> Iterator[dict[str, Array] | None]:
    """Yield the predictions of each training set, or None."""
    X, k = np.array(X, dtype=np.float64, order="C"), int(learner.n_neighbors)
    held = np.stack([np.bincount(train, minlength=len(X)) for train in train_rows])  # (splits, n)
    sizes = np.count_nonzero(held, axis=1)
    enough = sizes >= max(_FEWEST * len(X), k)
    if scaled:
        for train, test, counts, known in zip(train_rows, test_rows, held, enough, strict=True):
            yield _of_scaled(X, target, k, train, test, counts) if known else None
        return
    share = max(sizes.min() / len(X), _FEWEST)
    search = _Order(X, min(len(X), int(np.ceil(2 * (k + 8) / share))))
    step = max(1, _BLOCK // (search.order.shape[1] * max(map(len, test_rows))))
    for begin in range(0, len(held), step):
        part = slice(begin, begin + step)
        tests = test_rows[part]
        ends = np.cumsum([len(test) for test in tests])[:-1]
        split = np.repeat(np.arange(len(tests)), [len(test) for test in tests])
        points = np.concatenate(tests)
        counts = held[part][split[:, None], search.order[points]]
        found, clear = _answers(search, points, search.order[points], counts, target, k)
        clear_of = [own.all() for own in np.split(clear, ends)]
        parts = {kind: np.split(values, ends) for kind, values in found.items()}
        for j, known in enumerate(enough[part] & clear_of):
            yield {kind: own[j] for kind, own in parts.items()} if known else None


class _Order:
    def __init__(self, table: Array, depth: int, points: Array | None = None) -> None:
        points = table if points is None else points
        self.rounding = (
            _ROUNDING
            * (table.shape[1] + 4)
            * max(float(np.square(part).sum(axis=1).max()) for part in (table, points))
        )
        self.complete = depth >= len(table)
        self.order = np.empty((len(points), depth), dtype=np.int32)
        self.squares = np.empty((len(points), depth))
        step = max(1, _BLOCK // len(table))
        for begin in range(0, len(points), step):
            part = slice(begin, begin + step)
            found = cdist(points[part], table, "sqeuclidean")
            if not self.complete:
                nearest = np.argpartition(found, depth - 1, axis=1)[:, :depth]
                found = np.take_along_axis(found, nearest, axis=1)
            order = found.argsort(axis=1, kind="stable")
            self.order[part] = (
                order if self.complete else np.take_along_axis(nearest, order, axis=1)
            )
            self.squares[part] = np.take_along_axis(found, order, axis=1)


def _of_scaled(
    X: Array, target: Target, k: int, train: Array, test: Array, counts: Array
) -> dict[str, Array] | None:
    own = np.flatnonzero(counts)
    spread = X[train].std(axis=0)
    constant = X[train].min(axis=0) == X[train].max(axis=0)
    if (spread <= 1e-6 * np.abs(X[train]).max(axis=0))[~constant].any():
        return None
    Z = (X - X[train].mean(axis=0)) / np.where(constant, 1.0, spread)
    search = _Order(Z[own], min(own.size, k + 8), Z[test])
    order = own[search.order]
    found, clear = _answers(search, slice(None), order, counts[order], target, k)
    return found if clear.all() else None


def _answers(
    search: _Order, points: Any, order: Array, held: Array, target: Target, k: int
) -> tuple[dict[str, Array], Array]:
    """Return predictions by kind, and for which points no tie could decide, from rows (points, depth)."""
    squares = search.squares[points]
    reached = held.cumsum(axis=1)
    last = (reached >= k).argmax(axis=1)
    radius = np.take_along_axis(squares, last[:, None], axis=1)
    values = target.values[order]
    within = held * (squares <= radius + search.rounding)
    tied = (within > 0) & (squares >= radius - search.rounding)
    largest = np.where(tied, values, -np.inf).max(axis=1)
    alike = largest == np.where(tied, values, np.inf).min(axis=1)
    clear = (reached[:, -1] >= k) & (alike | (within.sum(axis=1) == k))
    if not search.complete:
        clear &= squares[:, -1] > radius[:, 0] + search.rounding
    taken = np.clip(k - (reached - held), 0, held)
    if target.classes is None:
        return {LABEL: (taken * values).sum(axis=1) / k}, clear
    votes = np.stack(
        [(taken * (values == code)).sum(axis=1) for code in range(target.n_classes)], axis=1
    )
    return {LABEL: votes.argmax(axis=1), PROBABILITY: votes / k}, clear
