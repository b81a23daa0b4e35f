"""Linear and ridge regression and the ridge classifier: sums of squares and products, less the rows held out."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lapack

from errbar.metrics import DECISION, LABEL, Target

Array = NDArray[Any]

FREE = {
    "LinearRegression": {"copy_X", "n_jobs"},
    "Ridge": {"alpha", "copy_X", "random_state"},
    "RidgeClassifier": {"alpha", "copy_X", "random_state"},
}
"""Parameters that may have any value that scikit-learn allows."""

_MOST_FEATURES = 512
_TOLERANCE = 1e-8
_ROUNDING = 64 * float(np.finfo(np.float64).eps)


def suits(learner: Any, X: Array, *, scaled: bool) -> bool:  # noqa: ARG001 - scaled or not
    """Tell whether the penalty is a number, and sums of products keep their digits."""
    alpha = getattr(learner, "alpha", 0.0)
    near = np.abs(X.mean(axis=0)) <= 1e4 * X.std(axis=0)
    return (
        isinstance(alpha, float | int)
        and 0 <= alpha < np.inf
        and X.shape[1] <= _MOST_FEATURES
        and bool((near | _is_constant(X)).all())
    )


def predictions(
    learner: Any, X: Array, target: Target, train_rows: Any, test_rows: Any, *, scaled: bool
) -> Iterator[dict[str, Array] | None]:
    """Yield the predictions of each training set, or None."""
    X = np.array(X[:, ~_is_constant(X)], dtype=np.float64, order="C")  # (n, p)
    outputs = _outputs(target)  # (n, q)
    if not X.shape[1]:
        yield from (None for _ in train_rows)
        return
    solve = _Equations(X, outputs, getattr(learner, "alpha", None), scaled=scaled).solve
    for train, test in zip(train_rows, test_rows, strict=True):
        lacks = (
            target.classes is not None and np.unique(target.values[train]).size < target.n_classes
        )
        found = None if lacks else solve(train, test)
        yield found if found is None else _answers(found, target)


def _is_constant(X: Array) -> Array:
    found: Array = X.min(axis=0) == X.max(axis=0)
    return found


def _outputs(target: Target) -> Array:
    """Return the target as columns: a class is 1 and all others -1; of two classes the second is enough."""
    if target.classes is None:
        return target.values[:, None].astype(np.float64)
    classes = np.arange(target.n_classes) if target.n_classes > 2 else np.array([1])
    return np.where(target.values[:, None] == classes, 1.0, -1.0)


def _answers(found: Array, target: Target) -> dict[str, Array] | None:
    """Return predictions by kind; None where two classes are so close that rounding could decide."""
    if target.classes is None:
        return {LABEL: found[:, 0]}
    scores = np.column_stack([-found, found]) / 2 if found.shape[1] == 1 else found
    lead = np.diff(np.partition(scores, -2, axis=1)[:, -2:], axis=1)
    if (lead <= 4 * _TOLERANCE * max(1.0, np.abs(scores).max())).any():
        return None
    return {LABEL: scores.argmax(axis=1), DECISION: found[:, 0] if found.shape[1] == 1 else found}


class _Equations:
    def __init__(self, X: Array, outputs: Array, alpha: float | None, *, scaled: bool) -> None:
        self.X, self.outputs, self.alpha, self.scaled = X, outputs, alpha, scaled
        self.centre, self.level = X.mean(axis=0), outputs.mean(axis=0)
        # About the means of all rows, so that differences of sums lose few digits.
        self.rows = np.column_stack([np.ones(len(X)), X - self.centre, outputs - self.level])
        self.total = self.rows.T @ self.rows  # (1 + p + q, 1 + p + q)

    def solve(self, train: Array, test: Array) -> Array | None:
        """Return predictions, a column for each output; None where rounding could be seen in them."""
        (n, p), size = self.X.shape, len(train)
        counts = np.bincount(train, minlength=n)
        changed = np.flatnonzero(counts != 1)
        if 2 * changed.size < n:
            some = self.rows[changed]
            sums = self.total + (some * (counts[changed] - 1)[:, None]).T @ some
        else:
            some = self.rows[train]
            sums = some.T @ some
        means = sums[0, 1:] / size
        products = sums[1:, 1:] - size * np.multiply.outer(means, means)
        squares = products.diagonal()
        # With fewer examples than features scikit-learn solves other equations.
        if size <= p or (squares <= 1e-4 * size / n * self.total.diagonal()[1:]).any():
            return None

        scale = np.sqrt(squares[:p] / size) if self.scaled else np.ones(p)
        left = products[:p, :p] / np.multiply.outer(scale, scale)
        left.flat[:: p + 1] += self.alpha or 0.0
        unit = 1 / np.sqrt(left.diagonal())
        lower, condition = _factor(left * np.multiply.outer(unit, unit))
        # Without a penalty scikit-learn takes singular values below a share of the largest for zero, in the user's units.
        if condition < 1e-7 or (self.alpha is None and _factor(left)[1] < 1e-9):
            return None
        right = products[:p, p:] / scale[:, None]
        solved, _ = lapack.dpotrs(lower, right * unit[:, None], lower=1)
        points = (self.X[test] - self.centre - means[:p]) / scale
        found: Array = points @ (solved * unit[:, None]) + self.level + means[p:]

        # What rounding does to the solution, and to its product with features that lie far from their means.
        reach = np.sqrt(np.square(points * unit).sum(axis=1)).max()
        error = reach * np.sqrt(np.square(solved).sum(axis=0)).max() / condition
        offsets = np.abs(self.X[test]).max(axis=0) / scale
        error += (offsets @ np.abs(solved * unit[:, None])).max()
        usual = np.sqrt(np.square(self.outputs[train]).mean())
        return found if _ROUNDING * error <= _TOLERANCE * usual else None


def _factor(matrix: Array) -> tuple[Array, float]:
    """Return the Cholesky factor and an estimate of the reciprocal condition number, 0 where there is no factor."""
    norm = float(np.abs(matrix).sum(axis=0).max())
    lower, failed = lapack.dpotrf(matrix, lower=1, clean=1)
    return lower, 0.0 if failed else float(lapack.dpocon(lower, norm, uplo="L")[0])
