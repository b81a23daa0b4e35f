"""Linear and ridge regression and the ridge classifier: sums of squares and products, less the rows held out."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errbar.engine.shared import _guards
from errbar.engine.shared._cholesky import factor
from errbar.engine.shared._family import TOLERANCE, Array, OneByOne, Outcome, Positions, always_clear, clear_scores
from errbar.engine.shared._guards import Rules
from errbar.engine.shared._moments import Moments, Scatter
from errbar.losses import DECISION, LABEL, Target

_MOST_FEATURES = 512
_LEAST_VARIANCE = 1e-10
_LEAST_CUT = 1e-7

_RIDGE: Rules = {
    "alpha": _guards.real(1e-10, 1e100),
    "fit_intercept": _guards.boolean,
    "copy_X": _guards.boolean,
    "max_iter": _guards.optional(_guards.integer(1)),
    "tol": _guards.real(0.0),
    "solver": _guards.one_of("auto", "cholesky", "svd"),
    "positive": lambda value: value is False,
    "random_state": _guards.seed,
}
_TABLE: dict[str, Rules] = {
    "LinearRegression": {
        "fit_intercept": _guards.boolean,
        "copy_X": _guards.boolean,
        "tol": _guards.real(0.0, 1e-2),
        "n_jobs": _guards.optional(_guards.integer(-(2**31))),
        "positive": lambda value: value is False,
    },
    "Ridge": _RIDGE,
    "RidgeClassifier": {**_RIDGE, "class_weight": _guards.none},
}


class LeastSquares:
    """`LinearRegression`, `Ridge` and `RidgeClassifier`, also after `StandardScaler`."""

    name = "least-squares"

    def supports(self, estimator: Any, X: Array, target: Target, kinds: tuple[str, ...]) -> bool:
        """Tell whether the predictions would be those of refitting."""
        if not _guards.allowed(estimator, _TABLE) or not _guards.numeric(X, target):
            return False
        classifier = _guards.kind_of(_guards.learner(estimator)[0]) == "RidgeClassifier"
        able = {LABEL, DECISION} if classifier else {LABEL}
        if classifier != (target.classes is not None) or not able.issuperset(kinds):
            return False
        return X.shape[1] <= _MOST_FEATURES and _guards.centred_enough(X)

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
        work = _Equations(estimator, X, target)

        def answers() -> Iterator[dict[str, Array] | None]:
            for train, test in zip(trains, tests, strict=True):
                found = work.predict(train, test)
                yield None if found is None else _responses(found, target)

        return OneByOne(target, tests, kinds).fill(answers())

    def clear(self, fitted: Any, examples: Array) -> NDArray[np.bool_]:
        """Tell for which examples the label does not hang on rounding."""
        return clear_scores(fitted, examples) if hasattr(fitted, "decision_function") else always_clear(examples)


class _Equations:
    """The normal equations of all training sets."""

    def __init__(self, estimator: Any, X: Array, target: Target) -> None:
        learner, self._scaled = _guards.learner(estimator)
        self._intercept = bool(learner.fit_intercept)
        self._alpha = float(getattr(learner, "alpha", 0.0))
        self._cut = _cut(learner)
        features = X.astype(np.float64)
        if self._intercept or self._scaled:
            features = features[:, ~_guards.constant(features)]
        outputs = _outputs(target)
        columns = np.column_stack([features, outputs])
        self._classes = target.classes is not None
        self._usual = float(np.sqrt(np.mean(outputs**2)))
        self._inputs, self._centre = features.shape[1], columns.mean(axis=0)
        self._moments = Moments(columns - self._centre)

    def predict(self, train: Array, test: Array) -> Array | None:
        """Return the predictions, a column for each output, or None if the equations are ill conditioned."""
        scatter = self._moments.scatter(train)
        p, mean = self._inputs, scatter.mean
        if self._classes and self._lacks_class(scatter):
            return None
        scale = self._scale(scatter)
        if scale is None:
            return None
        left, right = scatter.products[:p, :p] / np.multiply.outer(scale, scale), scatter.products[:p, p:]
        right = right / scale[:, None]
        origin = mean[:p]
        if not self._intercept and not self._scaled:
            means = self._centre + mean
            left = left + scatter.n * np.multiply.outer(means[:p], means[:p])
            right = right + scatter.n * np.multiply.outer(means[:p], means[p:])
            origin = -self._centre[:p]
        solved = self._solve(left, right)
        if solved is None:
            return None
        slopes, error = solved
        points = (self._moments.columns[test, :p] - origin) / scale
        found: Array = points @ slopes
        if self._intercept:
            found += self._centre[p:] + mean[p:]
        lost = error * (np.abs(points) @ np.abs(slopes)) > TOLERANCE * np.maximum(np.abs(found), self._usual)
        return None if lost.any() else found

    def _solve(self, left: Array, right: Array) -> tuple[Array, float] | None:
        if not left.size:
            return right, 0.0
        left = left.copy()
        left.flat[:: left.shape[0] + 1] += self._alpha
        solvable = factor(left)
        if solvable is None or (self._cut and solvable.unscaled(left)[0] <= 100 * self._cut**2):
            return None
        return solvable.solve(right), solvable.error

    def _scale(self, scatter: Scatter) -> Array | None:
        p = self._inputs
        if not self._scaled:
            return np.ones(p)
        squares = np.diag(scatter.products)[:p]
        if (squares <= _LEAST_VARIANCE * self._moments.spread[:p]).any():
            return None
        scale: Array = np.sqrt(squares / scatter.n)
        return scale

    def _lacks_class(self, scatter: Scatter) -> bool:
        share = ((self._centre + scatter.mean)[self._inputs :] + 1) / 2
        least = 0.5 / scatter.n
        return bool((share < least).any() or (share > 1 - least).any())


def _cut(learner: Any) -> float:
    """Return the share of the largest singular value below which one counts as zero, or is inexact."""
    if hasattr(learner, "alpha"):
        return _LEAST_CUT if learner.solver == "svd" else 0.0
    return max(float(getattr(learner, "tol", 0.0)), _LEAST_CUT)


def _outputs(target: Target) -> Array:
    """Return the target as columns: a class is 1 and all others -1; of two classes the second is enough."""
    if target.classes is None:
        column: Array = target.values[:, None]
        return column
    classes = np.arange(target.classes.size) if target.classes.size > 2 else np.array([1])
    return np.where(target.values[:, None] == classes, 1.0, -1.0)


def _responses(found: Array, target: Target) -> dict[str, Array]:
    if target.classes is None:
        return {LABEL: found[:, 0]}
    if target.classes.size == 2:
        return {LABEL: found[:, 0] > 0, DECISION: found[:, 0]}
    return {LABEL: found.argmax(axis=1), DECISION: found}
