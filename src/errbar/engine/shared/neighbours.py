"""Nearest neighbours: distances and order once, then the first of them in each training set."""

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from errbar.engine.shared import _guards
from errbar.engine.shared._family import Array, Family, LearningProblem, Positions, SharedPredictions
from errbar.engine.shared._guards import Rules
from errbar.engine.shared._nearest import Search, nearest_by
from errbar.losses import LABEL, PROBABILITY

# All distances of so many examples fill 512 MB, if they were kept, and of more they take long.
_MOST_EXAMPLES = 8192
_MOST_PRODUCTS = 5e9
# Scaling differs from training set to training set, so distances are computed for each; that pays with few examples.
_MOST_EXAMPLES_SCALED = 1000
_MOST_FEATURES_OF_A_TREE = 15
# Of a squared distance that is so much smaller than the squares it is the difference of, ten digits are left.
_LEAST_SHARE = 1e-5
_MOST_OFFSET = 1e6

_RULES: Rules = {
    "n_neighbors": _guards.integer(1),
    "weights": _guards.one_of("uniform", "distance", None),
    "algorithm": _guards.one_of("auto", "ball_tree", "kd_tree", "brute"),
    "leaf_size": _guards.integer(1),
    "p": _guards.real(1.0),
    "metric": _guards.one_of("minkowski", "euclidean", "manhattan", "chebyshev"),
    "n_jobs": _guards.optional(_guards.integer(-(2**31))),
}


class NearestNeighbours(Family):
    """`KNeighborsClassifier` and `KNeighborsRegressor`, also after `StandardScaler`."""

    name = "nearest-neighbours"
    learners: ClassVar[Mapping[str, Rules]] = {"KNeighborsClassifier": _RULES, "KNeighborsRegressor": _RULES}

    def __init__(self, problem: LearningProblem) -> None:
        super().__init__(problem)
        last, X = self.learner, np.ascontiguousarray(problem.X, dtype=np.float64)
        wide = X.shape[1] > _MOST_FEATURES_OF_A_TREE
        self._search = Search(
            X, nearest_by(_power(last), by_products=wide), int(last.n_neighbors), scaled=problem.scaled
        )
        self._exact = last.weights != "distance" or _power(last) != 2.0 or last.algorithm.endswith("tree")
        self._always = last.algorithm == "brute" or wide
        if problem.scaled:
            # Each training set has its own mean and scale, not far from these.
            spread = X.std(axis=0)
            X = 2 * (X - X.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
        self._squares = np.einsum("ij,ij->i", X, X)

    @classmethod
    def suits(cls, problem: LearningProblem) -> bool:
        """Tell whether it pays, and squares of distances keep their digits."""
        n, p = problem.X.shape
        if n > (_MOST_EXAMPLES_SCALED if problem.scaled else _MOST_EXAMPLES) or float(n) ** 2 * p > _MOST_PRODUCTS:
            return False
        if problem.scaled:
            return _guards.centred_enough(problem.X)
        return _power(problem.learner) != 2.0 or _near_the_origin(problem.X)

    def predict(self, trains: Positions, tests: Positions) -> SharedPredictions:
        """Return the predictions of all splits, block after block of splits."""
        values, undone = self.empty(tests), []
        cells, split = np.concatenate(tests), np.repeat(np.arange(len(tests)), [len(test) for test in tests])
        sizes = np.array([len(train) for train in trains])
        for part, positions, distances in self._search.run(trains, tests):
            bad = self._doubtful(positions, distances, cells[part], sizes[split[part]])
            undone += np.unique(split[part][bad]).tolist()
            for kind, found in self._responses(positions, distances).items():
                if kind in self.problem.kinds:
                    values[kind][part] = found
        return SharedPredictions(values, undone)

    def _doubtful(self, positions: Array, distances: Array, cells: Array, sizes: Array) -> NDArray[np.bool_]:
        """Tell of which cells the distances cannot be told, or not be told exactly.

        Scikit-learn's own have too few digits for weights where they are short and computed as differences.
        """
        wrong = np.asarray(np.isnan(distances).any(axis=1))
        if self._exact:
            return wrong
        squares = self._squares[cells][:, None] + self._squares[positions]
        few = self._always | (int(self.learner.n_neighbors) >= sizes // 2)
        wrong |= (distances**2 < _LEAST_SHARE * squares).any(axis=1) & few
        return wrong

    def _responses(self, positions: Array, distances: Array) -> dict[str, Array]:
        values, classes = self.target.values[positions], self.target.classes
        shares = _weights(distances) if self.learner.weights == "distance" else None
        if classes is None:
            if shares is None:
                return {LABEL: values.mean(axis=1)}
            return {LABEL: (values * shares).sum(axis=1) / shares.sum(axis=1)}
        rows = np.arange(values.shape[0])[:, None]
        flat = None if shares is None else shares.ravel()
        votes = np.bincount((values + rows * classes.size).ravel(), flat, minlength=rows.size * classes.size)
        votes = votes.reshape(rows.size, classes.size)
        return {LABEL: votes.argmax(axis=1), PROBABILITY: votes / votes.sum(axis=1, keepdims=True)}

    def clear(self, fitted: Any, examples: Array) -> NDArray[np.bool_]:
        """Tell for which examples the nearest are clearly nearer than the next one, and the vote is no draw."""
        last = fitted.steps[-1][1] if hasattr(fitted, "steps") else fitted
        points = fitted[:-1].transform(examples) if hasattr(fitted, "steps") else np.asarray(examples, dtype=np.float64)
        k = int(last.n_neighbors)
        distances, _ = last.kneighbors(points, n_neighbors=min(k + 1, last.n_samples_fit_))
        clear = np.ones(len(points), dtype=bool)
        if distances.shape[1] > k:
            norms = np.linalg.norm(points, axis=1)
            clear = distances[:, k] - distances[:, k - 1] > 1e-8 * distances[:, k]
            clear &= distances[:, k] ** 2 - distances[:, k - 1] ** 2 > 1e-12 * norms**2
        if last.weights == "distance" and hasattr(fitted, "predict_proba"):
            shares = np.sort(fitted.predict_proba(examples), axis=1)
            if shares.shape[1] > 1:
                clear &= shares[:, -1] - shares[:, -2] > 1e-8
        return clear


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
    return {"euclidean": 2.0, "manhattan": 1.0, "chebyshev": np.inf}.get(learner.metric, float(learner.p))


def _near_the_origin(X: Array) -> bool:
    """Tell whether squares are not so much larger than squared distances that these have few digits left."""
    table = np.asarray(X, dtype=np.float64)
    return bool((table**2).sum(axis=1).max() <= _MOST_OFFSET * max(table.var(axis=0).sum(), np.finfo(np.float64).tiny))
