"""Nearest neighbours: the order of the distances once, then the first of it that are in each training set.

Of examples that are equally far but for rounding scikit-learn takes those that its trees, heaps and blocks of products bring
first. Where such a tie goes on behind the last neighbour it must not matter, or the training set is fitted alone.
"""

from collections.abc import Iterator
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from errbar.metrics import LABEL, PROBABILITY, Target

Array = NDArray[Any]

FREE = dict.fromkeys(
    ("KNeighborsClassifier", "KNeighborsRegressor"),
    {"n_neighbors", "algorithm", "leaf_size", "n_jobs"},
)
"""Parameters that may have any value that scikit-learn allows."""

_MOST_PRODUCTS = 5e8
"""All distances take longer than single fits from here on: squared number of examples times features."""

_MOST_SCALED = 1000
"""Scaling differs from training set to training set, and so do distances; with more examples nothing is gained."""

_FEWEST = 0.25
"""Smaller shares of all examples are fitted alone: so far down one would have to look for neighbours."""

_BLOCK = 2**21
_ROUNDING = 64 * float(np.finfo(np.float64).eps)


def suits(learner: Any, X: Array, scaled: bool) -> bool:
    """Tell whether parameters can be used, and it pays."""
    (n, p), k = X.shape, learner.n_neighbors
    return (
        isinstance(k, Integral)
        and not isinstance(k, bool)
        and k >= 1
        and learner.algorithm in ("auto", "brute", "kd_tree", "ball_tree")
        and isinstance(learner.leaf_size, Integral)
        and learner.leaf_size >= 1
        and float(n) ** 2 * p <= _MOST_PRODUCTS
        and (not scaled or n <= _MOST_SCALED)
    )


def predictions(
    learner: Any, scaled: bool, X: Array, target: Target, train_rows: Any, test_rows: Any
) -> Iterator[dict[str, Array] | None]:
    """Yield the predictions of each training set, or None."""
    X, k = np.array(X, dtype=np.float64, order="C"), int(learner.n_neighbors)
    held = [np.bincount(train, minlength=len(X)) for train in train_rows]  # (n,) each
    share = max(min(np.count_nonzero(one) for one in held) / len(X), _FEWEST)
    depth = min(len(X), int(np.ceil(2 * (k + 8) / share)))
    search = None if scaled else _Order(X, depth)
    for train, test, counts in zip(train_rows, test_rows, held, strict=True):
        if np.count_nonzero(counts) < max(_FEWEST * len(X), k):
            yield None
        elif search is None:
            yield _of_scaled(X, target, k, train, test, counts)
        else:
            yield _answers(*search.of(test), search.rounding, counts, target, k)


class _Order:
    """The nearest rows of a table to each of some points, and their squared distances."""

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

    def of(self, points: Array) -> tuple[Array, Array, bool]:
        """Return the order and the squared distances of some points, and whether that is all rows."""
        return self.order[points], self.squares[points], self.complete


def _of_scaled(
    X: Array, target: Target, k: int, train: Array, test: Array, counts: Array
) -> dict[str, Array] | None:
    """Return predictions where features are standardized by the means and scales of the training set."""
    own = np.flatnonzero(counts)
    spread = X[train].std(axis=0)
    constant = X[train].min(axis=0) == X[train].max(axis=0)
    if (spread <= 1e-6 * np.abs(X[train]).max(axis=0))[~constant].any():
        return None
    Z = (X - X[train].mean(axis=0)) / np.where(constant, 1.0, spread)
    search = _Order(Z[own], min(own.size, k + 8), Z[test])
    order, squares, complete = search.of(slice(None))
    return _answers(own[order], squares, complete, search.rounding, counts, target, k)


def _answers(
    order: Array,
    squares: Array,
    complete: bool,
    rounding: float,
    counts: Array,
    target: Target,
    k: int,
) -> dict[str, Array] | None:
    """Return predictions by kind from the order of rows, (m, depth); None where a tie could decide."""
    held = counts[order]
    reached = held.cumsum(axis=1)
    if (reached[:, -1] < k).any():
        return None
    last = (reached >= k).argmax(axis=1)
    radius = np.take_along_axis(squares, last[:, None], axis=1)
    values = target.values[order]
    within = held * (squares <= radius + rounding)
    tied = (within > 0) & (squares >= radius - rounding)
    alike = np.where(tied, values, -np.inf).max(axis=1) == np.where(tied, values, np.inf).min(
        axis=1
    )
    whole = within.sum(axis=1) == k
    if not (whole | alike).all() or not (complete or (squares[:, -1:] > radius + rounding).all()):
        return None
    taken = np.clip(k - (reached - held), 0, held)  # (m, depth), k in each row
    if target.classes is None:
        return {LABEL: (taken * values).sum(axis=1) / k}
    votes = np.stack(
        [(taken * (values == code)).sum(axis=1) for code in range(target.n_classes)], axis=1
    )
    return {LABEL: votes.argmax(axis=1), PROBABILITY: votes / k}
