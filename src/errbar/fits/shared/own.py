"""Learners that do all their splits at once themselves."""

import numpy as np

from errbar import metrics
from errbar.fits.shared._family import (
    LearnerFamily,
    LearningProblem,
    Positions,
    SharedPredictions,
)
from errbar.metrics import LABEL, Target


class Own(LearnerFamily):
    """Learners with a method ``predict_splits(X, y, trains, tests)`` for labels or numbers."""

    name = "own"
    checked = False
    random = True

    @classmethod
    def supports(cls, problem: LearningProblem) -> bool:
        """Tell whether the learner has the method, and the features are a table of numbers."""
        table = (
            isinstance(problem.X, np.ndarray)
            and problem.X.ndim == 2
            and problem.X.dtype.kind in "biuf"
        )
        return table and problem.kinds == (LABEL,) and hasattr(problem.estimator, "predict_splits")

    def predict(self, trains: Positions, tests: Positions) -> SharedPredictions:
        """Return the predictions of all splits, or none if the learner cannot do them together."""
        wanted = self.empty(tests)[LABEL]
        table = np.ascontiguousarray(self.problem.X, dtype=np.float64)
        answer = self.problem.estimator.predict_splits(table, self.target.values, trains, tests)
        classes = self.target.classes
        # Classes are handed over as codes, and come back as such.
        codes = Target(self.target.values, None if classes is None else np.arange(classes.size))
        found = metrics.labels(answer, codes, wanted.size, "predict_splits returned")
        return SharedPredictions({LABEL: found.astype(wanted.dtype, copy=False)}, [])
