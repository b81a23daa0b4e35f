"""Nearest neighbours: distances and order once, then the first of them in each training set."""

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from errbar.fits.shared import _guards
from errbar.fits.shared._family import (
    TOLERANCE,
    Array,
    LearnerFamily,
    LearningProblem,
    Positions,
    SharedPredictions,
)
from errbar.fits.shared._guards import Rules
from errbar.fits.shared._nearest import Minkowski, Search
from errbar.metrics import LABEL, PROBABILITY

# All distances of so many examples fill 512 MB, if they were kept, and of more they take long.
_MOST_EXAMPLES = 8192
_MOST_PRODUCTS = 5e9
# Scaling differs from training set to training set, so distances are computed for each; that pays with few examples.
_MOST_EXAMPLES_SCALED = 1000
_MOST_FEATURES_OF_A_TREE = 15
# Of a squared distance that is so much smaller than the squares it is the difference of, ten digits are left; and of a
# distance between points that are rounded themselves.
_LEAST_SHARE = 1e-5
_LEAST_SHARE_SCALED = 1e-11
_MOST_OFFSET = 1e6
_MOST_POWER = 5.0

_RULES: Rules = {
    "n_neighbors": _guards.integer(1),
    "weights": _guards.one_of("uniform", "distance", None),
    "algorithm": _guards.one_of("auto", "ball_tree", "kd_tree", "brute"),
    "leaf_size": _guards.integer(1),
    "p": lambda value: _guards.real(1.0)(value) and (value <= _MOST_POWER or value == np.inf),
    "metric": _guards.one_of("minkowski", "euclidean", "manhattan", "chebyshev"),
    "n_jobs": _guards.optional(_guards.integer(-(2**31))),
}


class NearestNeighbours(LearnerFamily):
    """`KNeighborsClassifier` and `KNeighborsRegressor`, also after `StandardScaler`."""

    name = "nearest-neighbours"
    learners: ClassVar[Mapping[str, Rules]] = {
        "KNeighborsClassifier": _RULES,
        "KNeighborsRegressor": _RULES,
    }

    def __init__(self, problem: LearningProblem) -> None:
        super().__init__(problem)
        learner, X = self.learner, problem.table
        metric = Minkowski(
            _power(learner), X.shape[1] > _MOST_FEATURES_OF_A_TREE, learner.algorithm == "ball_tree"
        )
        self.labels_from_probabilities = learner.weights == "uniform"
        self._weighted, self._metric, self._k = (
            learner.weights == "distance",
            metric,
            int(learner.n_neighbors),
        )
        self._search = Search(X, self.target.values, metric, self._k, scaled=problem.scaled)
        if problem.scaled:
            # Each training set has its own mean and scale, not far from these.
            spread = X.std(axis=0)
            X = 2 * (X - X.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
        self._squares = np.einsum("ij,ij->i", X, X)

    @classmethod
    def suits(cls, problem: LearningProblem) -> bool:
        """Tell whether it pays, and squares of distances keep their digits."""
        n, p = problem.X.shape
        if (
            n > (_MOST_EXAMPLES_SCALED if problem.scaled else _MOST_EXAMPLES)
            or float(n) ** 2 * p > _MOST_PRODUCTS
        ):
            return False
        return _guards.centred_enough(problem.X) if problem.scaled else _near_the_origin(problem.X)

    def predict(self, trains: Positions, tests: Positions) -> SharedPredictions:
        """Return the predictions of all splits; a test example that is open is asked of scikit-learn itself.

        In a tree it answers for each example by itself; else the whole split is to be refitted.
        """
        values, undone = self.empty(tests), []
        cells, split = (
            np.concatenate(tests),
            np.repeat(np.arange(len(tests)), [len(test) for test in tests]),
        )
        by_tree = np.array([self._by_tree(len(train)) for train in trains])
        left = np.ones(cells.size, dtype=bool)
        for part, positions, distances in self._search.run(trains, tests):
            found, clear = self._responses(positions, distances)
            if self._weighted:
                clear &= self._known(positions, distances, cells[part], by_tree[split[part]])
            for kind, array in values.items():
                array[part] = found[kind]
            left[part] = ~clear
        rest = np.flatnonzero(left)
        for j in np.unique(split[rest]).tolist():
            own = rest[split[rest] == j]
            answer = self.refitted(trains[j], cells[own]) if by_tree[j] else None
            if answer is None:
                undone.append(j)
            else:
                for kind, array in values.items():
                    array[own] = answer[kind]
        return SharedPredictions(values, undone)

    def _by_tree(self, size: int) -> bool:
        """Tell whether scikit-learn takes a tree for a training set of such a size."""
        if self.learner.algorithm == "auto":
            return self._k < size // 2 and self.problem.X.shape[1] <= _MOST_FEATURES_OF_A_TREE
        return bool(self.learner.algorithm != "brute")

    def _known(
        self, positions: Array, distances: Array, cells: Array, by_tree: Array
    ) -> NDArray[np.bool_]:
        """Tell where distances have the digits that weights take, in scikit-learn too."""
        squares = self._squares[cells][:, None] + self._squares[positions]
        least = np.zeros(cells.size)
        if self.problem.scaled:
            least[:] = _LEAST_SHARE_SCALED
        if self._metric.power == 2.0:
            # It computes distances as differences of squares.
            least[~by_tree] = _LEAST_SHARE
        short = (distances**2 < least[:, None] * squares) | (distances < self._metric.shortest)
        rows, columns = np.nonzero(short & (distances == 0) & by_tree[:, None])
        same = self.problem.table[cells[rows]] == self.problem.table[positions[rows, columns]]
        short[rows, columns] = ~same.all(axis=1)
        known: NDArray[np.bool_] = ~short.any(axis=1)
        return known

    def _responses(
        self, positions: Array, distances: Array
    ) -> tuple[dict[str, Array], NDArray[np.bool_]]:
        """Return answers, and which of them are clear: not where weights add up to a draw, or to no number."""
        values, classes = self.target.values[positions], self.target.classes
        shares = _weights(distances) if self._weighted else None
        if classes is None:
            found = (
                values.mean(axis=1)
                if shares is None
                else (values * shares).sum(axis=1) / shares.sum(axis=1)
            )
            return {LABEL: found}, np.isfinite(found)
        rows = np.arange(values.shape[0])[:, None]
        flat = None if shares is None else shares.ravel()
        votes = np.bincount(
            (values + rows * classes.size).ravel(), flat, minlength=rows.size * classes.size
        )
        votes = votes.reshape(rows.size, classes.size)
        parts = votes / votes.sum(axis=1, keepdims=True)
        clear = np.isfinite(parts).all(axis=1)
        if self._weighted and classes.size > 1:
            best = np.partition(parts, -2, axis=1)
            clear &= best[:, -1] - best[:, -2] > TOLERANCE
        return {LABEL: votes.argmax(axis=1), PROBABILITY: parts}, clear


def _weights(distances: Array) -> Array:
    """Return one over the distances; where some are zero, they alone count."""
    with np.errstate(divide="ignore"):
        weights: Array = 1 / distances
    endless = np.isinf(weights)
    some = endless.any(axis=1)
    weights[some] = endless[some]
    return weights


def _power(learner: Any) -> float:
    """Return the power of Minkowski's distance that a metric is."""
    return {"euclidean": 2.0, "manhattan": 1.0, "chebyshev": np.inf}.get(
        learner.metric, float(learner.p)
    )


def _near_the_origin(X: Array) -> bool:
    """Tell whether squares are not so much larger than squared distances that these have few digits left."""
    table = np.asarray(X, dtype=np.float64)
    return bool(
        (table**2).sum(axis=1).max()
        <= _MOST_OFFSET * max(table.var(axis=0).sum(), np.finfo(np.float64).tiny)
    )
