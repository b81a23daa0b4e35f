"""Learners that look at the targets only."""

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from errbar.fits.shared import _guards
from errbar.fits.shared._family import Array, LearnerFamily, LearningProblem
from errbar.fits.shared._guards import Rules
from errbar.metrics import LABEL, PROBABILITY


class Dummy(LearnerFamily):
    """`DummyClassifier`, where it draws nothing, and `DummyRegressor`."""

    name = "dummy"
    learners: ClassVar[Mapping[str, Rules]] = {
        "DummyClassifier": {
            "strategy": _guards.one_of("most_frequent", "prior", "constant"),
            "random_state": _guards.seed,
            "constant": lambda value: value is None or isinstance(value, (int, str, np.integer)),
        },
        "DummyRegressor": {
            "strategy": _guards.one_of("mean", "median", "quantile", "constant"),
            "constant": _guards.optional(_guards.real(-1e300, 1e300)),
            "quantile": _guards.optional(_guards.real(0.0, 1.0)),
        },
    }

    @classmethod
    def suits(cls, problem: LearningProblem) -> bool:
        """Tell whether what the strategy asks for is given."""
        learner = problem.learner
        asked_for = {"constant": learner.constant, "quantile": getattr(learner, "quantile", None)}
        return learner.strategy not in asked_for or asked_for[learner.strategy] is not None

    def answer(self, train: Array, test: Array) -> dict[str, Array] | None:
        """Return what is predicted for one split: the same for all examples."""
        learner, values, classes = self.learner, self.target.values[train], self.target.classes
        if classes is None:
            return {LABEL: np.full(len(test), _level(learner, values))}
        counts = np.bincount(values, minlength=classes.size)
        label = int(counts.argmax())
        if learner.strategy == "constant":
            found = np.flatnonzero(classes == learner.constant)
            if found.size != 1 or not counts[found[0]]:
                return None
            label = int(found[0])
        shares = (
            counts / counts.sum() if learner.strategy == "prior" else np.eye(classes.size)[label]
        )
        return {LABEL: np.full(len(test), label), PROBABILITY: np.tile(shares, (len(test), 1))}


def _level(learner: Any, values: Array) -> float:
    if learner.strategy == "constant":
        return float(learner.constant)
    if learner.strategy == "quantile":
        return float(np.percentile(values, learner.quantile * 100.0))
    return float(np.median(values) if learner.strategy == "median" else np.average(values))
