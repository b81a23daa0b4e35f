"""Learners that take classes as whole numbers from 0 only."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from errbar.fits.data import take

HANDFUL = 24
"""So many examples show whether a learner can take such labels."""

REFUSALS = (ValueError, TypeError, RuntimeError)
"""What learners raise of labels that they cannot take."""


class Coded:
    """A fitted learner that was trained on class numbers, and answers with class names."""

    def __init__(self, learner: Any, classes: NDArray[Any]) -> None:
        self._learner, self._classes = learner, classes

    @property
    def classes_(self) -> NDArray[Any]:
        """Classes in the order of the columns."""
        codes = np.asarray(getattr(self._learner, "classes_", np.arange(self._classes.size)))
        return self._classes[codes.astype(np.intp)]

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict classes."""
        codes = np.asarray(self._learner.predict(X))
        return self._classes[codes.ravel().astype(np.intp)]

    def __getattr__(self, name: str) -> Any:
        if name not in ("predict_proba", "decision_function"):
            raise AttributeError(name)
        return getattr(self._learner, name)


def fitted(make: Any, X: Any, y: NDArray[Any], *, classes: bool) -> Any:
    """Fit a learner; if it refuses the labels, and not their numbers, fit another copy to these."""
    learner = make()
    try:
        learner.fit(X, y)
    except REFUSALS:
        numbered = _numbered(make, X, y) if classes else None
        if numbered is None:
            raise
        known, codes = numbered
        learner = make()
        learner.fit(X, codes)
        return Coded(learner, known)
    return learner


def handful(codes: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return the positions of a few examples, two or more of each class that has them."""
    each = max(2, HANDFUL // int(codes.max() + 1))
    order = np.argsort(codes, kind="stable")
    first = np.searchsorted(codes[order], codes[order])
    return np.sort(order[np.arange(codes.size) - first < each])


def _numbered(make: Any, X: Any, y: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.intp]] | None:
    """Return classes and their numbers, if a learner can be fitted to a handful with these, and not with the classes themselves."""
    try:
        known, codes = np.unique(y, return_inverse=True)
        if np.array_equal(known.astype(str), np.arange(known.size).astype(str)):
            return None
        few = handful(codes)
        some = take(X, few)
        make().fit(some, np.unique(codes[few], return_inverse=True)[1])
    except Exception:  # noqa: BLE001 - a learner may have broken what this stands on, and its own error is told
        return None
    try:
        make().fit(some, y[few])
    except REFUSALS:
        return known, codes
    return None
