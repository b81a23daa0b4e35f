"""Ordinary least squares."""

from typing import Any

import numpy as np
from sklearn.base import RegressorMixin

from errbar._check import FloatArray, IntArray
from errbar_lab.learners._base import SplitLearner, Splits
from errbar_lab.learners._compile import compiled

# A feature of which the features before it leave no larger share unexplained makes the equations ill conditioned.
_LEAST_SHARE = 1e-6
# So does one that varies no more than this, compared with its mean.
_LEAST_SPREAD = 1e-8
_NEGLIGIBLE = 1e-10


class LeastSquares(RegressorMixin, SplitLearner):  # type: ignore[misc]  # scikit-learn has no types
    """Ordinary least squares with an intercept.

    Where the solution is not unique, it is the one of smallest norm, as scikit-learn's ``LinearRegression`` finds it.

    Attributes
    ----------
    coef_ : ndarray, shape (features,)
        Slopes.
    intercept_ : float
        Intercept.
    n_features_in_ : int
        Number of features.

    Notes
    -----
    The centred normal equations are solved by Cholesky's decomposition. Features of which the others explain all but
    a millionth of the variance, constant features and no more examples than features go to a singular value
    decomposition instead, in which singular values below 1e-10 of the largest count as zero.

    Examples
    --------
    >>> from errbar_lab.learners import LeastSquares
    >>> learner = LeastSquares().fit([[0.0], [1.0], [2.0]], [1.0, 3.0, 5.0])
    >>> round(learner.intercept_, 6), learner.coef_.round(6).tolist()
    (1.0, [2.0])
    """

    def _taught(self, y: Any) -> FloatArray:
        return np.array(y, dtype=np.float64)

    def _fit(self, X: FloatArray, y: FloatArray) -> None:
        self._centre, self.coef_ = _solved(np.column_stack([X, y]), np.arange(y.size))
        self.intercept_ = float(self._centre[-1] - self._centre[:-1] @ self.coef_)

    def _predict(self, X: FloatArray) -> FloatArray:
        found = np.empty(X.shape[0])
        _predict(X, np.arange(X.shape[0]), self._centre, self.coef_, found)
        return found

    def _predict_splits(self, X: FloatArray, y: FloatArray, splits: Splits) -> FloatArray:
        data, found = np.column_stack([X, y]), np.empty(splits.test.size)
        for train, test, own in splits.each():
            _predict(X, test, *_solved(data, train), found[own])
        return found


def _solved(data: FloatArray, rows: IntArray) -> tuple[FloatArray, FloatArray]:
    """Return the means of features and target, and the slopes, for some examples; the target is the last column."""
    well, centre, slopes = _solve(data, rows)
    return (centre, slopes) if well else _of_smallest_norm(data[rows, :-1], data[rows, -1])


def _of_smallest_norm(X: FloatArray, y: FloatArray) -> tuple[FloatArray, FloatArray]:
    middle = X.mean(axis=0)
    centred = X - middle
    # What is left of a constant once its mean, itself rounded, is taken off.
    centred[:, np.abs(centred).max(axis=0) <= _NEGLIGIBLE * np.abs(middle)] = 0.0
    slopes = np.linalg.lstsq(centred, y - y.mean(), rcond=_NEGLIGIBLE)[0]
    return np.append(middle, y.mean()), slopes


@compiled
def _solve(data: FloatArray, rows: IntArray) -> tuple[bool, FloatArray, FloatArray]:
    """Return whether the equations are well conditioned, the means of all columns, and the slopes.

    The last column of everything belongs to the target.
    """
    features = data.shape[1] - 1
    centre, equations = np.zeros(features + 1), np.zeros((features, features + 1))
    if rows.size <= features:
        return False, centre, centre
    for row in rows:
        for k in range(centre.size):
            centre[k] += data[row, k]
    centre /= rows.size
    table = np.empty((rows.size, features + 1))
    for i in range(rows.size):
        for k in range(centre.size):
            table[i, k] = data[rows[i], k] - centre[k]
    _accumulate(table, equations)
    varies = True
    for j in range(features):
        varies &= equations[j, j] > rows.size * (_LEAST_SPREAD * centre[j]) ** 2
    if not (varies and _eliminate(equations)):
        return False, centre, centre
    _substitute(equations)
    return True, centre, equations[:, features].copy()


@compiled
def _accumulate(table: FloatArray, equations: FloatArray) -> None:
    """Add up the products of all pairs of columns. The innermost loop has no sum, so it runs in vector registers."""
    rows, columns = table.shape
    # Four rows at a time: the equations are read and written a quarter as often.
    for i in range(0, rows - rows % 4, 4):
        for j in range(columns - 1):
            a, b, c, d = table[i, j], table[i + 1, j], table[i + 2, j], table[i + 3, j]
            for k in range(j, columns):
                equations[j, k] += (
                    a * table[i, k]
                    + b * table[i + 1, k]
                    + c * table[i + 2, k]
                    + d * table[i + 3, k]
                )
    for i in range(rows - rows % 4, rows):
        for j in range(columns - 1):
            for k in range(j, columns):
                equations[j, k] += table[i, j] * table[i, k]


@compiled
def _eliminate(equations: FloatArray) -> bool:
    """Put the triangular factor in place of the equations, or return False if they are ill conditioned."""
    features = equations.shape[0]
    for j in range(features):
        # What the earlier features leave unexplained of feature j; above it stands what they explain.
        left, explained = equations[j, j], 0.0
        for i in range(j):
            explained += equations[i, j] ** 2
        if not left > _LEAST_SHARE * (left + explained):
            return False
        equations[j, j:] /= np.sqrt(left)
        for i in range(j + 1, features):
            factor = equations[j, i]
            for k in range(i, features + 1):
                equations[i, k] -= factor * equations[j, k]
    return True


@compiled
def _substitute(equations: FloatArray) -> None:
    """Put the solution into the last column of the triangular equations."""
    features = equations.shape[0]
    for j in range(features - 1, -1, -1):
        total = equations[j, features]
        for k in range(j + 1, features):
            total -= equations[j, k] * equations[k, features]
        equations[j, features] = total / equations[j, j]


@compiled
def _predict(
    X: FloatArray, rows: IntArray, centre: FloatArray, slopes: FloatArray, found: FloatArray
) -> None:
    """Write down the predictions for some rows."""
    features = slopes.size
    for i in range(rows.size):
        total = centre[features]
        for k in range(features):
            total += (X[rows[i], k] - centre[k]) * slopes[k]
        found[i] = total
