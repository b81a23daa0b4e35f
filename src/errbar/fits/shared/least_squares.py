"""Linear and ridge regression and the ridge classifier: sums of squares and products, less the rows held out."""

from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from errbar.fits.shared import _guards
from errbar.fits.shared._cholesky import ROUNDING, Factor, factor
from errbar.fits.shared._family import (
    TOLERANCE,
    Array,
    LearnerFamily,
    LearningProblem,
    ahead,
    from_scores,
    rowwise,
)
from errbar.fits.shared._guards import Rules
from errbar.fits.shared._scatter import GroupSums, Scatter
from errbar.metrics import LABEL, Target

_MOST_FEATURES = 512
_LEAST_SHARE = 1e-6
_LEAST_CONDITION = 1e-6

_LINEAR: Rules = {
    "fit_intercept": _guards.boolean,
    "copy_X": _guards.boolean,
    "tol": _guards.real(0.0, 1e-2),
    "n_jobs": _guards.optional(_guards.integer(-(2**31))),
}
_RIDGE: Rules = {
    "alpha": _guards.real(1e-10, 1e100),
    "fit_intercept": _guards.boolean,
    "copy_X": _guards.boolean,
    "max_iter": _guards.optional(_guards.integer(1)),
    "tol": _guards.real(0.0),
    "solver": _guards.one_of("auto", "cholesky", "svd"),
    "random_state": _guards.seed,
}


class NormalEquations(LearnerFamily):
    """`LinearRegression`, `Ridge` and `RidgeClassifier`, also after `StandardScaler`."""

    name = "least-squares"
    learners: ClassVar[Mapping[str, Rules]] = {
        "LinearRegression": _LINEAR,
        "Ridge": _RIDGE,
        "RidgeClassifier": _RIDGE,
    }

    def __init__(self, problem: LearningProblem) -> None:
        super().__init__(problem)
        self._alpha = float(getattr(self.learner, "alpha", 0.0))
        features = problem.table
        if self.learner.fit_intercept:
            features = np.ascontiguousarray(features[:, ~_guards.constant(features)])
        self._features, self._sums = (
            features,
            GroupSums(np.column_stack([features, _outputs(problem.target)])),
        )

    @classmethod
    def suits(cls, problem: LearningProblem) -> bool:
        """Tell whether the equations are not too many, and sums of products keep their digits."""
        if problem.scaled and not problem.learner.fit_intercept:
            # Means of standardized features are rounding errors, and would count.
            return False
        return problem.X.shape[1] <= _MOST_FEATURES and _guards.centred_enough(problem.X)

    def answer(self, train: Array, test: Array) -> dict[str, Array] | None:
        """Return the predictions for one split."""
        found = self._solved(train, test)
        if found is None or self.target.classes is None:
            return None if found is None else {LABEL: found[:, 0]}
        # Of two classes there is one column, which tells how far it leans to the second.
        scores = found if found.shape[1] > 1 else np.hstack([np.zeros_like(found), found])
        errors = TOLERANCE * np.maximum(np.abs(scores).max(axis=1), 1.0)
        return (
            None if (ahead(scores) <= 2 * errors).any() else from_scores(scores, self.problem.kinds)
        )

    def _solved(self, train: Array, test: Array) -> Array | None:
        """Return the predictions, a column for each output, or None if rounding could be seen in them."""
        classes = self.target.classes
        if (
            classes is not None
            and not np.bincount(self.target.values[train], minlength=classes.size).all()
        ):
            return None
        scatter = self._sums.scatter(train)
        if scatter is None or (system := self._system(scatter)) is None:
            return None
        left, right, origin, scale, level = system
        raw = self._features[test]
        if not raw.size:
            return np.tile(level, (raw.shape[0], 1))
        solvable = factor(left)
        if solvable is None or not self._solvable_by_scikit_learn(solvable, left, train.size):
            return None
        slopes, points = solvable.solve(right), (raw - origin) / scale
        found = rowwise(points, slopes) + level
        # The root mean square of the outputs.
        outputs = slice(raw.shape[1], None)
        usual = np.sqrt(
            np.mean(scatter.squares[outputs] / scatter.counts[0] + scatter.means[0, outputs] ** 2)
        )
        entries = np.abs(points if self.problem.scaled else raw)
        # A bound for all points at once is cheap, and mostly enough.
        most = solvable.largest_error(points, slopes) + ROUNDING * entries.max() * np.abs(
            slopes
        ).sum(axis=0)
        if (most <= TOLERANCE * usual).all():
            return found
        error = solvable.error(points, slopes) + ROUNDING * (entries @ np.abs(slopes))
        return None if (error > TOLERANCE * np.maximum(np.abs(found), usual)).any() else found

    def _system(self, scatter: Scatter) -> tuple[Array, ...] | None:
        """Return both sides of the equations, origin and scale of the features, and the level that is predicted there."""
        p, products, n, means = (
            self._features.shape[1],
            scatter.products,
            scatter.counts[0],
            scatter.means[0],
        )
        scale, origin, level = np.ones(p), means[:p], means[p:]
        if not self.learner.fit_intercept:
            products = products + n * np.multiply.outer(means, means)
            origin, level = np.zeros(p), np.zeros_like(level)
        if self.problem.scaled:
            if self._sums.hardly_varies(scatter, p):
                return None
            scale = np.sqrt(products.diagonal()[:p] / n)
        left = products[:p, :p] / np.multiply.outer(scale, scale)
        left.flat[:: p + 1] += self._alpha
        return left, products[:p, p:] / scale[:, None], origin, scale, level

    def _solvable_by_scikit_learn(self, solvable: Factor, left: Array, n: int) -> bool:
        """Tell whether scikit-learn's own solution, which may depend on the units, has the digits too."""
        solver = getattr(self.learner, "solver", "")
        if solver == "svd":
            least = _LEAST_SHARE**2
        elif not solver:
            # In some versions singular values below such a share of the largest count as zero.
            least = max(10 * getattr(self.learner, "tol", 0.0), _LEAST_SHARE) ** 2
        else:
            # With more features than examples it solves equations for the examples.
            least = _LEAST_CONDITION if self._features.shape[1] > n else 0.0
        return not least or solvable.unscaled(left)[0] > least


def _outputs(target: Target) -> Array:
    """Return the target as columns: a class is 1 and all others -1; of two classes the second is enough."""
    if target.classes is None:
        column: Array = target.values[:, None]
        return column
    classes = np.arange(target.classes.size) if target.classes.size > 2 else np.array([1])
    return np.where(target.values[:, None] == classes, 1.0, -1.0)
