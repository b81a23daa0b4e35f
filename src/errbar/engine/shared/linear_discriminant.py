"""Linear discriminant analysis: means and scatter within classes, less the examples held out."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from errbar.engine.shared import _guards
from errbar.engine.shared._cholesky import LEAST_CONDITION, ROUNDING, Factor, factor
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
from errbar.engine.shared._moments import LEAST_LEFT, Moments
from errbar.losses import Target

_MOST_FEATURES = 512
_LEAST_VARIANCE = 1e-10

_COMMON: Rules = {
    "n_components": _guards.none,
    "store_covariance": _guards.boolean,
    "covariance_estimator": _guards.none,
}
_SVD: Rules = {
    **_COMMON,
    "solver": _guards.one_of("svd"),
    "shrinkage": _guards.none,
    "priors": _guards.shares,
    "tol": _guards.real(0.0, 1e-2),
}
_OTHERS: Rules = {
    **_COMMON,
    "solver": _guards.one_of("lsqr", "eigen"),
    "shrinkage": lambda value: value is None or _guards.real(1e-6, 1.0)(value),
    "priors": _guards.none,
    "tol": _guards.real(0.0),
}
_NAME = "LinearDiscriminantAnalysis"


class LinearDiscriminant:
    """`LinearDiscriminantAnalysis`, also after `StandardScaler`."""

    name = "linear-discriminant"

    def supports(self, estimator: Any, X: Array, target: Target, kinds: tuple[str, ...]) -> bool:  # noqa: ARG002 - as every family
        """Tell whether the predictions would be those of refitting."""
        if not any(_guards.allowed(estimator, {_NAME: rules}) for rules in (_SVD, _OTHERS)):
            return False
        if not _guards.numeric(X, target) or target.classes is None or X.shape[1] > _MOST_FEATURES:
            return False
        priors = _guards.learner(estimator)[0].priors
        if priors is not None and np.size(priors) != target.classes.size:
            return False
        return _guards.centred_enough(X) and _constants_are_whole(X)

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
        work = _Discriminants(estimator, X, target)

        def answer(train: Array, test: Array) -> dict[str, Array] | None:
            scores = work.scores(train, test)
            return None if scores is None else from_scores(scores, kinds)

        return split_by_split(answer, target, trains, tests, kinds)

    def clear(self, fitted: Any, examples: Array) -> NDArray[np.bool_]:
        """Tell for which examples the label does not hang on rounding."""
        return clear_scores(fitted, examples)


class _Within(NamedTuple):
    """What a training set knows: counts and means of its classes, and scatter within them."""

    counts: Array
    means: Array
    products: Array


class _Discriminants:
    """The discriminants of all training sets."""

    def __init__(self, estimator: Any, X: Array, target: Target) -> None:
        self._learner, self._scaled = _guards.learner(estimator)
        features = X.astype(np.float64)
        if not self._learner.shrinkage:
            features = features[:, ~_guards.constant(features)]
        self._constant = _guards.constant(features)
        self._codes = target.values
        members = (self._codes[:, None] == np.arange(target.values.max() + 1)).astype(np.float64)
        self._members = members
        self._centres = (members.T @ features) / members.sum(axis=0)[:, None]
        self._features = features
        self._offsets = features - self._centres[self._codes]
        self._moments = Moments(np.column_stack([self._offsets, members]))

    def scores(self, train: Array, test: Array) -> Array | None:
        """Return a score for each class, or None if scikit-learn's would hang on rounding, or there is none."""
        found = self._within(train)
        if found is None or train.size <= found.counts.size or not found.products.size:
            return None
        scale, centre = self._frame(found)
        if self._some_hardly_vary(found, scale):
            return None
        means = (found.means - centre) / scale
        covariance = found.products / np.multiply.outer(scale * train.size, scale)
        solvable = self._factor(covariance)
        if solvable is None:
            return None
        return self._scores((self._features[test] - centre) / scale, means, found.counts, solvable)

    def _scores(self, raw: Array, means: Array, counts: Array, solvable: Factor) -> Array | None:
        priors = counts / counts.sum() if self._learner.priors is None else np.asarray(self._learner.priors, float)
        slopes, points, largest = solvable.solve(means.T), raw, np.abs(means).max(axis=0)
        if self._learner.solver == "svd":
            middle = priors @ means
            slopes -= (slopes @ priors)[:, None]
            means = means - middle
            points = points - middle
            if not self._all_directions_count(means, slopes, priors):
                return None
        found: Array = points @ slopes
        found += np.log(priors) - 0.5 * np.einsum("kp,pk->k", means, slopes)
        # Means of classes are plain sums in scikit-learn, and lose a digit or two of what is far from zero.
        lost = ROUNDING * np.sqrt(counts.sum())
        error = solvable.error(points, slopes, lost * largest) + lost * (np.abs(raw) @ np.abs(slopes))
        return None if uncertain(found, error) else found

    def _factor(self, covariance: Array) -> Factor | None:
        if self._learner.shrinkage:
            share = float(self._learner.shrinkage)
            size = covariance.shape[0]
            covariance = (1 - share) * covariance + share * np.trace(covariance) / size * np.eye(size)
        solvable = factor(covariance)
        if solvable is None:
            return None
        if self._learner.solver == "svd":
            return solvable if solvable.smallest > (10 * self._learner.tol) ** 2 else None
        # Least squares by singular values, as scikit-learn does them, lose digits where the units are very unequal.
        return solvable if solvable.unscaled(covariance)[0] > LEAST_CONDITION else None

    def _all_directions_count(self, means: Array, slopes: Array, priors: Array) -> bool:
        """Tell whether the centres span so many directions, clearly, as there can be."""
        directions = min(priors.size - 1, slopes.shape[0])
        if directions < 2:
            return True
        weights = np.sqrt(priors)
        found = np.linalg.eigvalsh((means @ slopes) * np.multiply.outer(weights, weights))[::-1]
        return bool(found[directions - 1] > max(10 * self._learner.tol, 1e-5) ** 2 * found[0])

    def _within(self, train: Array) -> _Within | None:
        p = self._features.shape[1]
        gram = self._moments.gram(train)
        counts = gram[0, p + 1 :]
        if (counts < 0.5).any():
            return None
        sums = gram[p + 1 :, 1 : p + 1]
        shifts = sums / counts[:, None]
        products = gram[1 : p + 1, 1 : p + 1] - shifts.T @ sums
        if (np.diag(products) < LEAST_LEFT * self._moments.spread[:p]).any():
            rows, codes = self._offsets[train], self._codes[train]
            shifts = (self._members[train].T @ rows) / counts[:, None]
            rows = rows - shifts[codes]
            products = rows.T @ rows
        return _Within(counts, self._centres + shifts, products)

    def _some_hardly_vary(self, found: _Within, scale: Array) -> bool:
        spread = self._moments.spread[: scale.size]
        if self._learner.shrinkage:
            return self._scaled and bool((scale**2 * found.counts.sum() <= _LEAST_VARIANCE * spread).any())
        return bool((np.diag(found.products) <= _LEAST_VARIANCE * spread).any())

    def _frame(self, found: _Within) -> tuple[Array, Array]:
        """Return by what features are divided, and what is subtracted from them, before the analysis."""
        if not self._scaled:
            return np.ones(found.means.shape[1]), np.zeros(found.means.shape[1])
        n = found.counts.sum()
        centre = found.counts @ found.means / n
        between = found.counts @ (found.means - centre) ** 2
        scale = np.sqrt((np.diag(found.products) + between) / n)
        scale[self._constant] = 1.0
        return scale, centre


def _constants_are_whole(X: Array) -> bool:
    """Tell whether constant features are whole numbers: means of others are a little off, and that counts here."""
    constants = X[0, _guards.constant(X)].astype(np.float64)
    return bool(((constants == np.floor(constants)) & (np.abs(constants) * X.shape[0] < 2.0**53)).all())
