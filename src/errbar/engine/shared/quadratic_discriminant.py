"""Quadratic discriminant analysis: means and scatter of each class, less the examples held out."""

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errbar.engine.shared import _guards
from errbar.engine.shared._cholesky import ROUNDING, factor
from errbar.engine.shared._family import (
    Array,
    Outcome,
    Positions,
    clear_scores,
    from_scores,
    split_by_split,
    uncertain,
)
from errbar.engine.shared._guards import Rules
from errbar.engine.shared._moments import Moments, Scatter
from errbar.losses import Target

_MOST_FEATURES = 512
_LEAST_VARIANCE = 1e-10
_LEAST_CONDITION = 1e-12

_RULES: Rules = {
    "solver": _guards.one_of("svd"),
    "shrinkage": _guards.none,
    "priors": _guards.shares,
    "reg_param": _guards.real(0.0, 1.0),
    "store_covariance": _guards.boolean,
    "tol": _guards.real(0.0),
    "covariance_estimator": _guards.none,
}
_NAME = "QuadraticDiscriminantAnalysis"


class QuadraticDiscriminant:
    """`QuadraticDiscriminantAnalysis`, also after `StandardScaler`."""

    name = "quadratic-discriminant"

    def supports(self, estimator: Any, X: Array, target: Target, kinds: tuple[str, ...]) -> bool:  # noqa: ARG002 - as every family
        """Tell whether the predictions would be those of refitting."""
        if not _guards.allowed(estimator, {_NAME: _RULES}) or not _guards.numeric(X, target):
            return False
        if target.classes is None or X.shape[1] > _MOST_FEATURES or np.bincount(target.values).min() < 2:
            return False
        priors = _guards.learner(estimator)[0].priors
        if priors is not None and np.size(priors) != target.classes.size:
            return False
        return not _guards.constant(X).any() and _guards.centred_enough(X)

    def predict(
        self,
        estimator: Any,
        X: Array,
        target: Target,
        trains: Positions,
        tests: Positions,
        kinds: tuple[str, ...],
    ) -> Outcome:
        """Return the predictions of all splits."""
        work = _Densities(estimator, X, target)

        def answer(train: Array, test: Array) -> dict[str, Array] | None:
            scores = work.scores(train, test)
            return None if scores is None else from_scores(scores, kinds)

        return split_by_split(answer, target, trains, tests, kinds)

    def clear(self, fitted: Any, examples: Array) -> NDArray[np.bool_]:
        """Tell for which examples the label does not hang on rounding."""
        return clear_scores(fitted, examples)


class _Densities:
    """The densities of all classes in all training sets."""

    def __init__(self, estimator: Any, X: Array, target: Target) -> None:
        self._learner, self._scaled = _guards.learner(estimator)
        self._codes, self._features = target.values, X.astype(np.float64)
        members = [np.flatnonzero(self._codes == code) for code in range(self._codes.max() + 1)]
        self._places = np.empty(self._codes.size, dtype=np.int64)
        for rows in members:
            self._places[rows] = np.arange(rows.size)
        self._centres = [self._features[rows].mean(axis=0) for rows in members]
        self._moments = [
            Moments(self._features[rows] - centre) for rows, centre in zip(members, self._centres, strict=True)
        ]

    def scores(self, train: Array, test: Array) -> Array | None:
        """Return the logarithms of prior times density, or None if a covariance matrix is not safely definite."""
        codes = self._codes[train]
        classes = range(len(self._moments))
        own = [train[codes == code] for code in classes]
        if min(rows.size for rows in own) <= self._features.shape[1]:
            return None
        scatters = [self._moments[code].scatter(self._places[own[code]]) for code in classes]
        means = np.array([self._centres[code] + scatters[code].mean for code in classes])
        scale = self._scale(scatters, means)
        counts = np.array([scatter.n for scatter in scatters])
        priors = counts / train.size if self._learner.priors is None else np.asarray(self._learner.priors, float)
        points = self._features[test]
        found, error = np.empty((test.size, counts.size)), np.empty((test.size, counts.size))
        for code in classes:
            heights = self._heights((points - means[code]) / scale, scatters[code], code, scale)
            if heights is None:
                return None
            found[:, code], error[:, code] = np.log(priors[code]) + heights[0], heights[1]
        return None if uncertain(found, error) else found

    def _heights(self, offsets: Array, scatter: Scatter, code: int, scale: Array) -> tuple[Array, Array] | None:
        if (np.diag(scatter.products) <= _LEAST_VARIANCE * self._moments[code].spread).any():
            return None
        share = float(self._learner.reg_param)
        covariance = scatter.products / np.multiply.outer(scale * (scatter.n - _lost()), scale)
        covariance = (1 - share) * covariance + share * np.eye(scale.size)
        solvable = factor(covariance)
        if solvable is None:
            return None
        condition, smallest = solvable.unscaled(covariance)
        if condition < _LEAST_CONDITION or smallest <= 10 * self._learner.tol:
            return None
        white = solvable.whiten(offsets)
        distances = np.einsum("ij,ij->i", white, white)
        return -0.5 * (distances + solvable.log_determinant), ROUNDING / solvable.smallest * (distances + scale.size)

    def _scale(self, scatters: list[Scatter], means: Array) -> Array:
        if not self._scaled:
            return np.ones(means.shape[1])
        counts = np.array([scatter.n for scatter in scatters])
        between = counts @ (means - counts @ means / counts.sum()) ** 2
        inside = np.sum([np.diag(scatter.products) for scatter in scatters], axis=0)
        scale: Array = np.sqrt((inside + between) / counts.sum())
        return scale


@cache
def _lost() -> int:
    """Return what the installed scikit-learn subtracts from the number of examples; versions differ."""
    from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis

    fitted = QuadraticDiscriminantAnalysis().fit([[0.0], [2.0], [10.0], [12.0]], [0, 0, 1, 1])
    return 0 if np.isclose(fitted.scalings_[0][0], 1.0) else 1
