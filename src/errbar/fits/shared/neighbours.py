"""Nearest neighbours: the order of the distances once, then the first of it that are in each training set.

Of examples that are equally far but for rounding scikit-learn takes those that its blocks bring
first. Where such a tie goes on behind the last neighbour the training set is fitted alone.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from errbar.metrics import Target

Array = NDArray[Any]

_FREE = {"n_neighbors", "algorithm", "leaf_size", "n_jobs"}
FREE = {"KNeighborsClassifier": _FREE, "KNeighborsRegressor": _FREE}
"""Parameters that may have any value that scikit-learn allows."""

_MOST_PRODUCTS = 5e8
"""All distances take longer than single fits from here on: squared number of examples times features."""

_FEWEST = 0.25
"""Smaller shares of all examples are fitted alone: so far down one would have to look for neighbours."""

_BLOCK = 2**21
_ROUNDING = 64 * float(np.finfo(np.float64).eps)


def suits(learner: Any, X: Array) -> bool:
    """Tell whether parameters can be used, and it pays."""
    k, leaf = learner.n_neighbors, learner.leaf_size
    return (
        type(k) is type(leaf) is int
        and min(k, leaf) >= 1
        and learner.algorithm in ("auto", "brute", "kd_tree", "ball_tree")
        and float(len(X)) * X.size <= _MOST_PRODUCTS
    )


def predictions(
    learner: Any, X: Array, target: Target, train_rows: Any, test_rows: Any
) -> Iterator[Array | None]:
    """Yield the predictions of each training set, or None; of classes their probabilities."""
    X, k = np.array(X, dtype=np.float64, order="C"), learner.n_neighbors
    sizes = np.array([np.unique(train).size for train in train_rows])
    share = max(sizes.min() / len(X), _FEWEST)
    depth = min(len(X), int(np.ceil(2 * (k + 8) / share)))
    order, squares = _nearest(X, depth)  # (n, depth)
    rounding = _ROUNDING * (X.shape[1] + 4) * np.square(X).sum(axis=1).max()
    for train, test, size in zip(train_rows, test_rows, sizes, strict=True):
        known = order[test]  # (m, depth)
        far = squares[test]
        held = np.bincount(train, minlength=len(X))[known]
        reached = held.cumsum(axis=1)
        last = (reached >= k).argmax(axis=1)
        radius = np.take_along_axis(far, last[:, None], axis=1)
        values = target.values[known]
        within = held * (far <= radius + rounding)
        tied = (within > 0) & (far >= radius - rounding)
        # One example may be in a training set more than once; two that are equally far are a tie.
        settled = (tied.sum(axis=1) == 1) | (within.sum(axis=1) == k)
        clear = (reached[:, -1] >= k) & settled
        if depth < len(X):
            clear &= far[:, -1] > radius[:, 0] + rounding
        if size < _FEWEST * len(X) or not clear.all():
            yield None
            continue
        taken = np.clip(k - (reached - held), 0, held)
        if target.classes is None:
            yield (taken * values).sum(axis=1) / k
        else:
            codes = range(target.n_classes)
            yield np.stack([(taken * (values == code)).sum(axis=1) for code in codes], axis=1) / k


def _nearest(X: Array, depth: int) -> Any:
    """Return the nearest examples of each, nearest first, and their squared distances."""
    order = np.empty((len(X), depth), dtype=np.int32)
    squares = np.empty((len(X), depth))
    step = max(1, _BLOCK // len(X))
    for begin in range(0, len(X), step):
        part = slice(begin, begin + step)
        found = cdist(X[part], X, "sqeuclidean")
        nearest = np.argpartition(found, depth - 1, axis=1)[:, :depth]
        nearest.sort(axis=1)  # of equals the first
        inside = np.take_along_axis(found, nearest, axis=1)
        by_distance = inside.argsort(axis=1, kind="stable")
        order[part] = np.take_along_axis(nearest, by_distance, axis=1)
        squares[part] = np.take_along_axis(inside, by_distance, axis=1)
    return order, squares
