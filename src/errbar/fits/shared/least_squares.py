"""Linear and ridge regression: sums of squares and products, less the rows held out."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lapack

from errbar.metrics import Target

Array = NDArray[Any]

FREE = {
    "LinearRegression": {"copy_X", "n_jobs"},
    "Ridge": {"alpha", "copy_X", "random_state"},
}
"""Parameters that may have any value that scikit-learn allows."""

_MOST_FEATURES = 512
_TOLERANCE = 1e-8
_ROUNDING = 64 * float(np.finfo(np.float64).eps)


def suits(learner: Any, X: Array) -> bool:
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
    learner: Any, X: Array, target: Target, train_rows: Any, test_rows: Any
) -> Iterator[Array | None]:
    """Yield the predictions of each training set, or None."""
    X = np.array(X[:, ~_is_constant(X)], dtype=np.float64, order="C")  # (n, p)
    y = target.values.astype(np.float64)
    alpha = getattr(learner, "alpha", None)
    # About the means of all rows, so that differences of sums lose few digits.
    centre, level = X.mean(axis=0), y.mean()
    rows = np.column_stack([np.ones(len(X)), X - centre, y - level])
    total = rows.T @ rows  # (p + 2, p + 2)
    for train, test in zip(train_rows, test_rows, strict=True):
        sums = _sums(rows, total, train)
        found = _solved(sums, total / len(X), alpha)
        if found is None:
            yield None
            continue
        coefficients, means, unit, condition = found
        points = X[test] - centre - means[:-1]  # (m, p)
        # What rounding does to the solution, and to its product with features that lie far from their means.
        reach = np.sqrt(np.square(points * unit).sum(axis=1)).max()
        error = reach * np.linalg.norm(coefficients / unit) / condition
        error += np.abs(X[test]).max(axis=0) @ np.abs(coefficients)
        usual = np.sqrt(np.square(y[train]).mean())
        sound = _ROUNDING * error <= _TOLERANCE * usual
        yield points @ coefficients + level + means[-1] if sound else None


def _is_constant(X: Array) -> Array:
    found: Array = X.min(axis=0) == X.max(axis=0)
    return found


def _sums(rows: Array, total: Array, train: Array) -> Array:
    """Return the sums of products over a training set, by way of those over all rows where that is shorter."""
    counts = np.bincount(train, minlength=len(rows))
    changed = np.flatnonzero(counts != 1)
    if 2 * changed.size >= len(rows):
        some = rows[train]
        return some.T @ some
    some = rows[changed]
    return total + (some * (counts[changed] - 1)[:, None]).T @ some


def _solved(sums: Array, usual: Array, alpha: float | None) -> Any:
    """Return coefficients, means, unit and condition of the equations; None where rounding could be seen in them."""
    size, p = sums[0, 0], len(sums) - 2
    means = sums[0, 1:] / size
    products = sums[1:, 1:] - size * np.multiply.outer(means, means)
    # With fewer examples than features scikit-learn solves other equations.
    if not p or size <= p or (products.diagonal() <= 1e-4 * size * usual.diagonal()[1:]).any():
        return None
    left = products[:p, :p]
    left.flat[:: p + 1] += alpha or 0.0
    unit = 1 / np.sqrt(left.diagonal())
    lower, condition = _factor(left * np.multiply.outer(unit, unit))
    # Without a penalty scikit-learn takes singular values below a share of the largest for zero, in the user's units.
    if condition < 1e-7 or (alpha is None and _factor(left)[1] < 1e-9):
        return None
    solved, _ = lapack.dpotrs(lower, products[:p, p] * unit, lower=1)
    return solved * unit, means, unit, condition


def _factor(matrix: Array) -> Any:
    """Return the Cholesky factor and an estimate of the reciprocal condition number, 0 where there is no factor."""
    norm = float(np.abs(matrix).sum(axis=0).max())
    lower, failed = lapack.dpotrf(matrix, lower=1, clean=1)
    return lower, 0.0 if failed else float(lapack.dpocon(lower, norm, uplo="L")[0])
