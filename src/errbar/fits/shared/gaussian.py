"""Classifiers that describe each class by a normal distribution: discriminant analyses and Gaussian naive Bayes.

Counts, means and scatter of the classes in a training set are those of all examples, less the examples held out. A class
then scores the logarithm of its prior times its density. What scikit-learn computes from singular values is computed
from Cholesky factors here: both are exact, and where rounding could be seen in either, the split is refitted.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from functools import cache
from typing import ClassVar

import numpy as np

from errbar.fits.shared import _guards
from errbar.fits.shared._cholesky import LEAST_CONDITION, ROUNDING, Factor, factor
from errbar.fits.shared._family import (
    Array,
    LearnerFamily,
    LearningProblem,
    from_scores,
    rowwise,
    uncertain,
)
from errbar.fits.shared._guards import Rules
from errbar.fits.shared._scatter import GroupSums, Scatter, changes, memberships, pooled

_MOST_FEATURES = 512
_LEAST_VARIANCE = 1e-10

_DISCRIMINANT: Rules = {
    "priors": _guards.shares,
    "store_covariance": _guards.boolean,
    "tol": _guards.real(0.0),
}


class Gaussian(LearnerFamily, ABC):
    """Classifiers whose scores are logarithms of prior times density."""

    @classmethod
    def suits(cls, problem: LearningProblem) -> bool:
        """Tell whether there is a prior for each class, and differences of features keep their digits."""
        assert problem.target.classes is not None
        priors = problem.learner.priors
        return (
            priors is None or np.size(priors) == problem.target.classes.size
        ) and _guards.centred_enough(problem.X)

    @abstractmethod
    def scores(self, train: Array, test: Array) -> tuple[Array, Array] | None:
        """Return a score for each class and what rounding may do to it; None where that is not safe."""

    def answer(self, train: Array, test: Array) -> dict[str, Array] | None:
        """Return the predictions for one split."""
        found = self.scores(train, test)
        return (
            None
            if found is None or uncertain(*found)
            else from_scores(found[0], self.problem.kinds)
        )

    def priors(self, counts: Array) -> Array:
        """Return the priors that were given, or the shares of the classes in the training set."""
        given = self.learner.priors
        return counts / counts.sum() if given is None else np.asarray(given, dtype=np.float64)


class LinearDiscriminant(Gaussian):
    """`LinearDiscriminantAnalysis`: one scatter S within all classes.

    A class scores log prior + (x - m/2)' S^-1 m, with its mean m.
    """

    name = "linear-discriminant"
    learners: ClassVar[Mapping[str, Rules]] = {
        "LinearDiscriminantAnalysis": {
            **_DISCRIMINANT,
            "solver": _guards.one_of("svd", "lsqr", "eigen"),
            "shrinkage": _guards.optional(_guards.real(1e-6, 1.0)),
        }
    }

    def __init__(self, problem: LearningProblem) -> None:
        super().__init__(problem)
        features = problem.table
        if not self.learner.shrinkage:
            features = np.ascontiguousarray(features[:, ~_guards.constant(features)])
        self._features, self._constant = features, _guards.constant(features)
        self._sums = GroupSums(features, problem.target.values)

    @classmethod
    def suits(cls, problem: LearningProblem) -> bool:
        """Tell whether the solver can do with the parameters, and the scatter is small enough to be kept."""
        learner = problem.learner
        able = (
            learner.shrinkage is None and learner.tol <= 1e-2
            if learner.solver == "svd"
            else learner.priors is None
        )
        if not able or problem.X.shape[1] > _MOST_FEATURES or not super().suits(problem):
            return False
        # Means of constant features are a little off where these are not whole numbers, and that counts here.
        constants = problem.X[0, _guards.constant(problem.X)].astype(np.float64)
        whole = (constants == np.floor(constants)) & (
            np.abs(constants) * problem.X.shape[0] < 2.0**53
        )
        # Without scatter there are no eigenvectors.
        return bool(whole.all()) and not (
            constants.size and learner.solver == "eigen" and not learner.shrinkage
        )

    def scores(self, train: Array, test: Array) -> tuple[Array, Array] | None:
        """Return scores and their errors, or None if scikit-learn's would hang on rounding, or there is none."""
        found = self._sums.scatter(train)
        if found is None or train.size <= found.counts.size or not found.products.size:
            return None
        centre, scale = np.zeros(found.means.shape[1]), np.ones(found.means.shape[1])
        if self.problem.scaled:
            centre, variance = pooled(found.counts, found.means, found.squares / found.counts.sum())
            scale = np.sqrt(variance)
            scale[self._constant] = 1.0
        if self._hardly_varies(found, scale):
            return None
        solvable = self._factor(found.products / np.multiply.outer(scale * train.size, scale))
        if solvable is None:
            return None
        return self._scores(
            (self._features[test] - centre) / scale,
            (found.means - centre) / scale,
            found.counts,
            solvable,
        )

    def _hardly_varies(self, found: Scatter, scale: Array) -> bool:
        if not self.learner.shrinkage:
            return self._sums.hardly_varies(found)
        # Shrinking bears features that do not vary within classes, unless they are divided by a scale.
        return self.problem.scaled and bool(
            (scale**2 * found.counts.sum() <= _LEAST_VARIANCE * self._sums.squares).any()
        )

    def _factor(self, covariance: Array) -> Factor | None:
        if self.learner.shrinkage:
            share, size = float(self.learner.shrinkage), covariance.shape[0]
            covariance = (1 - share) * covariance + share * np.trace(covariance) / size * np.eye(
                size
            )
        solvable = factor(covariance)
        if solvable is None:
            return None
        if self.learner.solver == "svd":
            return solvable if solvable.smallest > (10 * self.learner.tol) ** 2 else None
        # Least squares by singular values, as scikit-learn does them, lose digits where the units are very unequal.
        return solvable if solvable.unscaled(covariance)[0] > LEAST_CONDITION else None

    def _scores(
        self, raw: Array, means: Array, counts: Array, solvable: Factor
    ) -> tuple[Array, Array] | None:
        priors = self.priors(counts)
        slopes, points, largest = solvable.solve(means.T), raw, np.abs(means).max(axis=0)
        if self.learner.solver == "svd":
            middle = priors @ means
            slopes -= (slopes @ priors)[:, None]
            means, points = means - middle, points - middle
            if not self._all_directions_count(means, slopes, priors):
                return None
        found = rowwise(points, slopes)
        found += np.log(priors) - 0.5 * np.einsum("kp,pk->k", means, slopes)
        # Means of classes are plain sums in scikit-learn, and lose a digit or two of what is far from zero.
        lost = ROUNDING * np.sqrt(counts.sum())
        return found, solvable.error(points, slopes, lost * largest) + lost * (
            np.abs(raw) @ np.abs(slopes)
        )

    def _all_directions_count(self, means: Array, slopes: Array, priors: Array) -> bool:
        """Tell whether the centres span so many directions, clearly, as there can be: scikit-learn drops the others."""
        directions = min(priors.size - 1, slopes.shape[0])
        if directions < 2:
            return True
        weights = np.sqrt(priors)
        found = np.linalg.eigvalsh((means @ slopes) * np.multiply.outer(weights, weights))[::-1]
        return bool(found[directions - 1] > max(10 * self.learner.tol, 1e-5) ** 2 * found[0])


class QuadraticDiscriminant(Gaussian):
    """`QuadraticDiscriminantAnalysis`: a scatter S for each class.

    A class scores log prior - (d + log det S)/2, with the distance d = (x - m)' S^-1 (x - m).
    """

    name = "quadratic-discriminant"
    learners: ClassVar[Mapping[str, Rules]] = {
        "QuadraticDiscriminantAnalysis": {**_DISCRIMINANT, "reg_param": _guards.real(0.0, 1.0)}
    }
    _LEAST_CONDITION = 1e-12

    def __init__(self, problem: LearningProblem) -> None:
        super().__init__(problem)
        self._codes, self._features = problem.target.values, problem.table
        members = [np.flatnonzero(self._codes == code) for code in range(self._codes.max() + 1)]
        self._places = np.empty(self._codes.size, dtype=np.int64)
        for rows in members:
            self._places[rows] = np.arange(rows.size)
        self._sums = [GroupSums(self._features[rows]) for rows in members]

    @classmethod
    def suits(cls, problem: LearningProblem) -> bool:
        """Tell whether each class has a scatter, in which every feature varies."""
        small = (
            problem.X.shape[1] <= _MOST_FEATURES and np.bincount(problem.target.values).min() >= 2
        )
        return small and super().suits(problem) and not _guards.constant(problem.X).any()

    def scores(self, train: Array, test: Array) -> tuple[Array, Array] | None:
        """Return scores and their errors, or None if a covariance matrix is not safely definite."""
        codes, p = self._codes[train], self._features.shape[1]
        own = [self._places[train[codes == code]] for code in range(len(self._sums))]
        if min(rows.size for rows in own) <= p:
            return None
        scatters = [
            scatter
            for sums, rows in zip(self._sums, own, strict=True)
            if (scatter := sums.scatter(rows))
        ]
        counts = np.concatenate([scatter.counts for scatter in scatters])
        scale = np.ones(p)
        if self.problem.scaled:
            means = np.concatenate([scatter.means for scatter in scatters])
            squares = np.sum([scatter.squares for scatter in scatters], axis=0)
            scale = np.sqrt(pooled(counts, means, squares / counts.sum())[1])
        points, priors = self._features[test], self.priors(counts)
        found, error = np.empty((test.size, counts.size)), np.empty((test.size, counts.size))
        for code, (sums, scatter) in enumerate(zip(self._sums, scatters, strict=True)):
            solvable = None if sums.hardly_varies(scatter) else self._factor(scatter, scale)
            if solvable is None:
                return None
            white = rowwise(points - scatter.means, solvable.whitening() / scale[:, None])
            distances = np.einsum("ij,ij->i", white, white)
            found[:, code] = np.log(priors[code]) - 0.5 * (distances + solvable.log_determinant)
            error[:, code] = ROUNDING / solvable.smallest * (distances + p)
        return found, error

    def _factor(self, scatter: Scatter, scale: Array) -> Factor | None:
        share = float(self.learner.reg_param)
        covariance = scatter.products / np.multiply.outer(
            scale * (scatter.counts[0] - _lost()), scale
        )
        covariance = (1 - share) * covariance + share * np.eye(scale.size)
        solvable = factor(covariance)
        if solvable is None:
            return None
        condition, smallest = solvable.unscaled(covariance)
        return (
            solvable
            if condition >= self._LEAST_CONDITION and smallest > 10 * self.learner.tol
            else None
        )


@cache
def _lost() -> int:
    """Return what the installed scikit-learn subtracts from the number of examples; versions differ."""
    from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis

    fitted = QuadraticDiscriminantAnalysis().fit([[0.0], [2.0], [10.0], [12.0]], [0, 0, 1, 1])
    return 0 if np.isclose(fitted.scalings_[0][0], 1.0) else 1


class NaiveBayes(Gaussian):
    """`GaussianNB`: a variance v for each class and feature.

    A class scores log prior - sum over features of ((x - m)^2 / v + log(2 pi v))/2.
    """

    name = "naive-bayes"
    learners: ClassVar[Mapping[str, Rules]] = {
        "GaussianNB": {"priors": _guards.shares, "var_smoothing": _guards.real(0.0, 1e100)}
    }
    _LEAST_LEFT = 1e-3
    _ROUNDING = 1e-13
    _LEAST_SMOOTHING = 1e-12
    _LEAST_SHARE = 1e-18

    def __init__(self, problem: LearningProblem) -> None:
        super().__init__(problem)
        self._smoothing = float(problem.learner.var_smoothing)
        features, self._codes = problem.table, problem.target.values
        if self._smoothing >= self._LEAST_SMOOTHING:
            # What is constant is as likely in all classes.
            features = np.ascontiguousarray(features[:, ~_guards.constant(features)])
        self._features, self._members = features, memberships(self._codes)
        self._centres = (self._members.T @ features) / self._members.sum(axis=0)[:, None]
        offsets = features - self._centres[self._codes]
        self._rows = np.column_stack([np.ones(self._codes.size), offsets, offsets**2])
        self._total = self._members.T @ self._rows

    def scores(self, train: Array, test: Array) -> tuple[Array, Array] | None:
        """Return scores and their errors, or None if a variance depends on rounding."""
        counts, means, variances = self._moments(train)
        present = counts > 0
        if self.learner.priors is not None and not present.all():
            return None
        counts, means, variances = counts[present], means[present], variances[present]
        centre, overall = pooled(counts, means, counts @ variances / counts.sum())
        points = self._features[test]
        if not overall.size:
            return None
        if self.problem.scaled:
            if (overall <= _LEAST_VARIANCE * self._features.var(axis=0)).any():
                return None
            scale = np.sqrt(overall)
            means, points = (means - centre) / scale, (points - centre) / scale
            variances, overall = variances / overall, np.ones_like(overall)
        variances = variances + self._smoothing * overall.max()
        if not (variances > self._LEAST_SHARE * overall.max()).all():
            return None
        heights = np.log(self.priors(counts)) - 0.5 * np.log(2 * np.pi * variances).sum(axis=1)
        scores = np.full((points.shape[0], present.size), -np.inf)
        for code, height, mean, variance in zip(
            np.flatnonzero(present), heights, means, variances, strict=True
        ):
            scores[:, code] = height - 0.5 * ((points - mean) ** 2 / variance).sum(axis=1)
        return scores, self._ROUNDING * np.abs(scores)

    def _moments(self, train: Array) -> tuple[Array, Array, Array]:
        """Return counts, means and variances of the classes in a training set."""
        rows, weights, to_total = changes(train, self._codes.size)
        sums = (self._members[rows] * weights[:, None]).T @ self._rows[rows]
        if to_total:
            sums += self._total
        counts = np.rint(sums[:, 0])
        divisor = np.maximum(counts, 1.0)[:, None]
        shifts, squares = np.split(sums[:, 1:] / divisor, 2, axis=1)
        variances = squares - shifts**2
        smallest = variances + self._smoothing * variances.max()
        total = self._total[:, 1 + shifts.shape[1] :] / divisor
        if (smallest < self._LEAST_LEFT * total)[counts > 0].any():
            members, held = self._members[train], self._features[train]
            means = (members.T @ held) / divisor
            return counts, means, (members.T @ (held - means[self._codes[train]]) ** 2) / divisor
        return counts, self._centres + shifts, variances
