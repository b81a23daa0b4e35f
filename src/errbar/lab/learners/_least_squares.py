"""Ordinary least squares."""

import numpy as np
from sklearn.base import RegressorMixin

from errbar._check import FloatArray, IntArray
from errbar.lab.learners import _equations, _splits
from errbar.lab.learners._base import SplitLearner
from errbar.lab.learners._splits import Splits

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
    >>> from errbar.lab.learners import LeastSquares
    >>> learner = LeastSquares().fit([[0.0], [1.0], [2.0]], [1.0, 3.0, 5.0])
    >>> round(learner.intercept_, 6), learner.coef_.round(6).tolist()
    (1.0, [2.0])
    """

    _taught = _coded = staticmethod(_splits.numbers)

    def _fit(self, X: FloatArray, y: FloatArray) -> None:
        self._centre, self.coef_ = _solved(np.column_stack([X, y]), np.arange(y.size))
        self.intercept_ = float(self._centre[-1] - self._centre[:-1] @ self.coef_)

    def _predict(self, X: FloatArray) -> FloatArray:
        found = np.empty(X.shape[0])
        _equations.predict(X, np.arange(X.shape[0]), self._centre, self.coef_, found)
        return found

    def _predict_splits(self, X: FloatArray, y: FloatArray, splits: Splits) -> FloatArray:
        data, found = np.column_stack([X, y]), np.empty(splits.test.size)
        for train, test, own in splits.each():
            _equations.predict(X, test, *_solved(data, train), found[own])
        return found


def _solved(data: FloatArray, rows: IntArray) -> tuple[FloatArray, FloatArray]:
    """Return the means of features and target, and the slopes, for some examples; the target is the last column."""
    well, centre, slopes = _equations.solve(data, rows)
    return (centre, slopes) if well else _of_smallest_norm(data[rows, :-1], data[rows, -1])


def _of_smallest_norm(X: FloatArray, y: FloatArray) -> tuple[FloatArray, FloatArray]:
    middle = X.mean(axis=0)
    centred = X - middle
    # What is left of a constant once its mean, itself rounded, is taken off.
    centred[:, np.abs(centred).max(axis=0) <= _NEGLIGIBLE * np.abs(middle)] = 0.0
    slopes = np.linalg.lstsq(centred, y - y.mean(), rcond=_NEGLIGIBLE)[0]
    return np.append(middle, y.mean()), slopes
