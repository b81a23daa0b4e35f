"""Learners that look at the targets only."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from errbar.engine.shared import _guards
from errbar.engine.shared._family import Array, Outcome, Positions, always_clear, split_by_split
from errbar.engine.shared._guards import Rules
from errbar.losses import LABEL, PROBABILITY, Target

_SCALAR = (bool, int, float, str, np.generic)
_CLASSIFIER, _REGRESSOR = "DummyClassifier", "DummyRegressor"
_TABLE: dict[str, Rules] = {
    _CLASSIFIER: {
        "strategy": _guards.one_of("most_frequent", "prior", "constant"),
        "random_state": _guards.seed,
        "constant": lambda value: value is None or isinstance(value, (int, str, np.integer)),
    },
    _REGRESSOR: {
        "strategy": _guards.one_of("mean", "median", "quantile", "constant"),
        "constant": _guards.optional(_guards.real(-np.inf)),
        "quantile": _guards.optional(_guards.real(0.0, 1.0)),
    },
}


class Dummy:
    """`DummyClassifier`, where it draws nothing, and `DummyRegressor`, also after `StandardScaler`."""

    name = "dummy"

    def supports(self, estimator: Any, X: Array, target: Target, kinds: tuple[str, ...]) -> bool:
        """Tell whether the predictions would be those of refitting."""
        if not _guards.allowed(estimator, _TABLE) or not _guards.numeric(X, target):
            return False
        last, _ = _guards.learner(estimator)
        classifier = _guards.kind_of(last) == _CLASSIFIER
        if classifier != (target.classes is not None) or not {LABEL, PROBABILITY}.issuperset(kinds):
            return False
        if last.strategy == "constant" and (last.constant is None or not np.isfinite(_number(last.constant))):
            return False
        return classifier or last.strategy != "quantile" or last.quantile is not None

    def predict(
        self,
        estimator: Any,
        X: Array,  # noqa: ARG002 - features do not matter
        target: Target,
        trains: Positions,
        tests: Positions,
        kinds: tuple[str, ...],
    ) -> Outcome:
        """Return the predictions of all splits."""
        last, _ = _guards.learner(estimator)

        def answer(train: Array, test: Array) -> dict[str, Array] | None:
            values = target.values[train]
            if target.classes is None:
                return {LABEL: np.full(len(test), _level(last, values))}
            return _classes(last, np.bincount(values, minlength=target.classes.size), target.classes, len(test))

        return split_by_split(answer, target, trains, tests, kinds)

    def clear(self, fitted: Any, examples: Array) -> NDArray[np.bool_]:  # noqa: ARG002 - as every family
        """Tell for which examples the answer does not hang on rounding: all of them."""
        return always_clear(examples)


def _number(value: Any) -> float:
    return 0.0 if isinstance(value, str) else float(value)


def _level(learner: Any, values: Array) -> float:
    if learner.strategy == "constant":
        return float(learner.constant)
    if learner.strategy == "quantile":
        return float(np.percentile(values, learner.quantile * 100.0))
    return float(np.median(values) if learner.strategy == "median" else np.average(values))


def _classes(learner: Any, counts: Array, classes: Array, size: int) -> dict[str, Array] | None:
    if learner.strategy == "constant":
        found = np.flatnonzero(classes == learner.constant)
        if found.size != 1 or not counts[found[0]]:
            return None
        label = int(found[0])
    else:
        label = int(counts.argmax())
    shares = counts / counts.sum() if learner.strategy == "prior" else np.eye(classes.size)[label]
    return {LABEL: np.full(size, label), PROBABILITY: np.tile(shares, (size, 1))}
