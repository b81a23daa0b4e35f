"""Gaussian naive Bayes: sums and sums of squares of each class, less the examples held out."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from errbar.engine.shared import _guards
from errbar.engine.shared._family import (
    Array,
    Outcome,
    Positions,
    from_scores,
    split_by_split,
    uncertain,
)
from errbar.engine.shared._guards import Rules
from errbar.losses import LABEL, PROBABILITY, Target

_RULES: Rules = {"priors": _guards.shares, "var_smoothing": _guards.real(0.0, 1e100)}
_NAME = "GaussianNB"
_LEAST_LEFT = 1e-3
_ROUNDING = 1e-13
_LEAST_VARIANCE = 1e-10
_LEAST_SMOOTHING = 1e-12
_LEAST_SHARE = 1e-18


class NaiveBayes:
    """`GaussianNB`, also after `StandardScaler`."""

    name = "naive-bayes"

    def supports(self, estimator: Any, X: Array, target: Target, kinds: tuple[str, ...]) -> bool:
        """Tell whether the predictions would be those of refitting."""
        if not _guards.allowed(estimator, {_NAME: _RULES}) or not _guards.numeric(X, target):
            return False
        if target.classes is None or not {LABEL, PROBABILITY}.issuperset(kinds):
            return False
        priors = _guards.learner(estimator)[0].priors
        if priors is not None and np.size(priors) != target.classes.size:
            return False
        return _guards.centred_enough(X)

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
            if scores is None or uncertain(scores, _ROUNDING * np.abs(scores)):
                return None
            return from_scores(scores, kinds)

        return split_by_split(answer, target, trains, tests, kinds)

    def clear(self, fitted: Any, examples: Array) -> NDArray[np.bool_]:
        """Tell for which examples the label does not hang on rounding."""
        logarithms = np.maximum(fitted.predict_log_proba(examples), -1e6)
        best = np.partition(logarithms, -2, axis=1)[:, -2:] if logarithms.shape[1] > 1 else None
        if best is None:
            return np.ones(len(examples), dtype=bool)
        ahead: NDArray[np.bool_] = best[:, 1] - best[:, 0] > 1e-7
        return ahead


class _Sums(NamedTuple):
    """Count, means and variances of each class in a training set."""

    counts: Array
    means: Array
    variances: Array


class _Densities:
    """The densities of all classes in all training sets."""

    def __init__(self, estimator: Any, X: Array, target: Target) -> None:
        learner, self._scaled = _guards.learner(estimator)
        self._priors, self._smoothing = learner.priors, float(learner.var_smoothing)
        self._features, self._codes = X.astype(np.float64), target.values
        if self._smoothing >= _LEAST_SMOOTHING:
            # What is constant is as likely in all classes.
            self._features = self._features[:, ~_guards.constant(self._features)]
        self._members = (self._codes[:, None] == np.arange(self._codes.max() + 1)).astype(np.float64)
        self._centres = (self._members.T @ self._features) / self._members.sum(axis=0)[:, None]
        self._offsets = self._features - self._centres[self._codes]
        self._rows = np.column_stack([np.ones(self._codes.size), self._offsets, self._offsets**2])
        self._total = self._members.T @ self._rows

    def scores(self, train: Array, test: Array) -> Array | None:
        """Return the logarithms of prior times density."""
        found = self._sums(train)
        present = found.counts > 0
        if self._priors is not None and not present.all():
            return None
        counts, means, variances = (part[present] for part in found)
        middle = counts @ means / counts.sum()
        overall = counts @ (variances + (means - middle) ** 2) / counts.sum()
        points = self._features[test]
        if not overall.size or (self._scaled and self._nearly_constant(overall)):
            return None
        if self._scaled:
            scale = np.sqrt(overall)
            means, points = (means - middle) / scale, (points - middle) / scale
            variances, overall = variances / overall, np.ones_like(overall)
        variances = variances + self._smoothing * overall.max()
        if not (variances > _LEAST_SHARE * overall.max()).all():
            return None
        priors = counts / counts.sum() if self._priors is None else np.asarray(self._priors, dtype=np.float64)
        heights = np.log(priors) - 0.5 * np.log(2 * np.pi * variances).sum(axis=1)
        scores = np.full((points.shape[0], present.size), -np.inf)
        scores[:, present] = heights - _distances(points, means, variances)
        return scores

    def _nearly_constant(self, overall: Array) -> bool:
        return bool((overall <= _LEAST_VARIANCE * self._features.var(axis=0)).any())

    def _sums(self, train: Array) -> _Sums:
        sums = self._gathered(train)
        counts = np.rint(sums[:, 0])
        divisor = np.maximum(counts, 1.0)[:, None]
        shifts, squares = np.split(sums[:, 1:] / divisor, 2, axis=1)
        variances = squares - shifts**2
        smallest = variances + self._smoothing * variances.max()
        total = self._total[:, 1 + shifts.shape[1] :] / divisor
        if (smallest < _LEAST_LEFT * total)[counts > 0].any():
            members, rows, codes = self._members[train], self._features[train], self._codes[train]
            means = (members.T @ rows) / divisor
            return _Sums(counts, means, (members.T @ (rows - means[codes]) ** 2) / divisor)
        return _Sums(counts, self._centres + shifts, variances)

    def _gathered(self, train: Array) -> Array:
        counts = np.bincount(train, minlength=self._codes.size)
        change = counts - 1
        changed = np.flatnonzero(change)
        if 2 * changed.size > counts.size:
            changed, change = np.flatnonzero(counts), counts
            total = np.zeros_like(self._total)
        else:
            total = self._total
        gathered: Array = total + (self._members[changed] * change[changed, None]).T @ self._rows[changed]
        return gathered


def _distances(points: Array, means: Array, variances: Array) -> Array:
    """Return half the squared distances from each class, a column each, in units of its standard deviations."""
    found = np.empty((points.shape[0], means.shape[0]))
    for code, (mean, variance) in enumerate(zip(means, variances, strict=True)):
        found[:, code] = 0.5 * ((points - mean) ** 2 / variance).sum(axis=1)
    return found
