"""Linear and ridge regression and the ridge classifier: sums of squares and products, less the rows held out."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from errbar.engine.shared import _guards
from errbar.engine.shared._cholesky import ROUNDING, Factor, factor
from errbar.engine.shared._family import (
    TOLERANCE,
    Array,
    Outcome,
    Positions,
    always_clear,
    clear_scores,
    split_by_split,
)
from errbar.engine.shared._guards import Rules
from errbar.engine.shared._moments import Moments, Scatter
from errbar.losses import DECISION, LABEL, Target

_MOST_FEATURES = 512
_LEAST_VARIANCE = 1e-10
_LEAST_SHARE = 1e-6
_LEAST_CONDITION = 1e-6

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
        learner, scaled = _guards.learner(estimator)
        classifier = _guards.kind_of(learner) == "RidgeClassifier"
        able = {LABEL, DECISION} if classifier else {LABEL}
        if classifier != (target.classes is not None) or not able.issuperset(kinds):
            return False
        if scaled and not learner.fit_intercept:
            # Means of standardized features are rounding errors, and would count.
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

        def answer(train: Array, test: Array) -> dict[str, Array] | None:
            found = work.predict(train, test)
            return None if found is None else _responses(found, target)

        return split_by_split(answer, target, trains, tests, kinds)

    def clear(self, fitted: Any, examples: Array) -> NDArray[np.bool_]:
        """Tell for which examples the label does not hang on rounding."""
        return clear_scores(fitted, examples) if hasattr(fitted, "decision_function") else always_clear(examples)


class _System(NamedTuple):
    """Equations of one training set, how features enter them, and what is added to what they predict."""

    left: Array
    right: Array
    origin: Array
    scale: Array
    level: Array


class _Equations:
    """The normal equations of all training sets."""

    def __init__(self, estimator: Any, X: Array, target: Target) -> None:
        self._learner, self._scaled = _guards.learner(estimator)
        self._alpha = float(getattr(self._learner, "alpha", 0.0))
        features = X.astype(np.float64)
        if self._learner.fit_intercept:
            features = features[:, ~_guards.constant(features)]
        outputs = _outputs(target)
        self._classes = target.classes is not None
        self._usual = float(np.sqrt(np.mean(outputs**2)))
        columns = np.column_stack([features, outputs])
        self._features, self._centre = features, columns.mean(axis=0)
        self._moments = Moments(columns - self._centre)

    def predict(self, train: Array, test: Array) -> Array | None:
        """Return the predictions, a column for each output, or None if rounding could be seen in them."""
        scatter = self._moments.scatter(train)
        system = None if self._classes and self._lacks_class(scatter) else self._system(scatter)
        if system is None:
            return None
        raw = self._features[test]
        if not raw.size:
            return np.tile(system.level, (raw.shape[0], 1))
        solvable = factor(system.left)
        if solvable is None or not self._solvable_by_scikit_learn(solvable, system, train.size):
            return None
        slopes, points = solvable.solve(system.right), (raw - system.origin) / system.scale
        found: Array = points @ slopes + system.level
        entries = np.abs(points if self._scaled else raw)
        most = solvable.largest_error(points, slopes) + ROUNDING * entries.max() * np.abs(slopes).sum(axis=0)
        if (most <= TOLERANCE * self._usual).all():
            return found
        error = solvable.error(points, slopes) + ROUNDING * (entries @ np.abs(slopes))
        return None if (error > TOLERANCE * np.maximum(np.abs(found), self._usual)).any() else found

    def _system(self, scatter: Scatter) -> _System | None:
        p, means, products = self._features.shape[1], self._centre + scatter.mean, scatter.products
        scale, origin, level = np.ones(p), means[:p], means[p:]
        if not self._learner.fit_intercept:
            products = products + scatter.n * np.multiply.outer(means, means)
            origin, level = np.zeros(p), np.zeros_like(level)
        if self._scaled:
            squares = np.diag(products)[:p]
            if (squares <= _LEAST_VARIANCE * self._moments.spread[:p]).any():
                return None
            scale = np.sqrt(squares / scatter.n)
        left = products[:p, :p] / np.multiply.outer(scale, scale)
        left.flat[:: p + 1] += self._alpha
        return _System(left, products[:p, p:] / scale[:, None], origin, scale, level)

    def _solvable_by_scikit_learn(self, solvable: Factor, system: _System, n: int) -> bool:
        """Tell whether scikit-learn's own solution, which may depend on the units, has the digits too."""
        solver = getattr(self._learner, "solver", "")
        if solver == "svd":
            least = _LEAST_SHARE**2
        elif not solver:
            # In some versions singular values below such a share of the largest count as zero.
            least = max(10 * getattr(self._learner, "tol", 0.0), _LEAST_SHARE) ** 2
        else:
            # With more features than examples it solves equations for the examples.
            least = _LEAST_CONDITION if self._features.shape[1] > n else 0.0
        return not least or solvable.unscaled(system.left)[0] > least

    def _lacks_class(self, scatter: Scatter) -> bool:
        share = ((self._centre + scatter.mean)[self._features.shape[1] :] + 1) / 2
        least = 0.5 / scatter.n
        return bool((share < least).any() or (share > 1 - least).any())


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
