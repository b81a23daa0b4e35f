"""Learners that do all their splits at once themselves."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from errbar.engine.shared._family import Array, Outcome, Positions, always_clear, empty
from errbar.losses import LABEL, Target


class Own:
    """Learners with a method ``predict_splits(X, y, trains, tests)`` for labels or numbers."""

    name = "own"

    def supports(self, estimator: Any, X: Array, target: Target, kinds: tuple[str, ...]) -> bool:  # noqa: ARG002 - as every family
        """Tell whether the learner has the method, and the features are a table of numbers."""
        table = isinstance(X, np.ndarray) and X.ndim == 2 and X.dtype.kind in "biuf"
        return table and kinds == (LABEL,) and hasattr(estimator, "predict_splits")

    def predict(
        self,
        estimator: Any,
        X: Array,
        target: Target,
        trains: Positions,
        tests: Positions,
        kinds: tuple[str, ...],
    ) -> Outcome:
        """Return the predictions of all splits, or none if the learner cannot do them together."""
        values = empty(target, tests, kinds)
        table = np.ascontiguousarray(X, dtype=np.float64)
        try:
            found = np.asarray(estimator.predict_splits(table, target.values, trains, tests))
            found = found.astype(values[LABEL].dtype, copy=False)
            if found.shape != values[LABEL].shape or not np.isfinite(found).all():
                raise ValueError("predict_splits must return one finite number per example")
        except Exception:  # noqa: BLE001 - one by one the fits that cannot be done say so themselves
            return Outcome(values, list(range(len(tests))))
        return Outcome({LABEL: found}, [])

    def clear(self, fitted: Any, examples: Array) -> NDArray[np.bool_]:  # noqa: ARG002 - as every family
        """Tell for which examples the answer does not hang on rounding: the learner says all of them."""
        return always_clear(examples)
