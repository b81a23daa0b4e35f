"""Learners that do all their splits at once themselves."""

import numpy as np

from errbar.engine.shared._family import Case, Family, Positions, SharedPredictions, empty
from errbar.losses import LABEL


class Own(Family):
    """Learners with a method ``predict_splits(X, y, trains, tests)`` for labels or numbers."""

    name = "own"
    checked = False

    def supports(self, case: Case) -> bool:
        """Tell whether the learner has the method, and the features are a table of numbers."""
        table = isinstance(case.X, np.ndarray) and case.X.ndim == 2 and case.X.dtype.kind in "biuf"
        return table and case.kinds == (LABEL,) and hasattr(case.estimator, "predict_splits")

    def predict(self, case: Case, trains: Positions, tests: Positions) -> SharedPredictions:
        """Return the predictions of all splits, or none if the learner cannot do them together."""
        wanted = empty(case, tests)[LABEL]
        table = np.ascontiguousarray(case.X, dtype=np.float64)
        try:
            answer = case.estimator.predict_splits(table, case.target.values, trains, tests)
            found = np.asarray(answer).astype(wanted.dtype, copy=False)
            if found.shape != wanted.shape or not np.isfinite(found).all():
                raise ValueError("predict_splits must return one finite number per example")
        except Exception:  # noqa: BLE001 - one by one the fits that cannot be done say so themselves
            return SharedPredictions({LABEL: wanted}, list(range(len(tests))))
        return SharedPredictions({LABEL: found}, [])
