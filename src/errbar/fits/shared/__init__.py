"""Shared fits: predictions of one learner after many training sets, computed together to 1e-8 of those of single fits.

Each family yields predictions by kind; None where rounding or a tie could decide.
"""

from collections.abc import Callable, Iterator
from functools import partial
from inspect import signature
from typing import Any

import numpy as np

from errbar.fits.shared import least_squares, neighbours
from errbar.metrics import Target

FAMILIES = (least_squares, neighbours)
TOLERANCE = 1e-8

LARGEST = 2**26
"""Bytes of features up to which fits are computed together; that takes several copies of the features."""


def exact(estimator: Any, X: Any, target: Target) -> Callable[..., Iterator[Any]] | None:
    """Return what computes the predictions of a learner after many training sets, if it is known to be exact.

    Examples
    --------
    >>> import numpy as np
    >>> from errbar.fits.shared import exact
    >>> from errbar.metrics import Target
    >>> from sklearn.linear_model import Ridge
    >>> X, target = np.array([[0.0], [1.0], [2.0], [4.0]]), Target(np.array([1.0, 3.0, 4.0, 9.0]))
    >>> exact(Ridge(), X, target) is None, exact(Ridge(positive=True), X, target) is None
    (False, True)
    """
    learner, scaled = _unscaled(estimator)
    kind = _class_in_sklearn(learner)
    for family in FAMILIES:
        if (
            kind in family.FREE
            and kind.endswith("Classifier") == (target.classes is not None)
            and _changed(learner) <= family.FREE[kind]
            and _is_plain(X, target)
            and family.suits(learner, X, scaled=scaled)
        ):
            return partial(family.predictions, learner, X, target, scaled=scaled)
    return None


def _unscaled(estimator: Any) -> tuple[Any, bool]:
    if _class_in_sklearn(estimator) == "Pipeline" and _changed(estimator) == {"steps"}:
        steps = [step for _, step in estimator.steps]
        scaler = _class_in_sklearn(steps[0]) == "StandardScaler" and not _changed(steps[0])
        if scaler and len(steps) == 2:
            return steps[1], True
    return estimator, False


def _class_in_sklearn(estimator: Any) -> str:
    kind = type(estimator)
    return kind.__name__ if kind.__module__.partition(".")[0] == "sklearn" else ""


def _changed(estimator: Any) -> set[str]:
    known = signature(type(estimator)).parameters
    return {
        name
        for name, value in estimator.get_params(deep=False).items()
        if type(value) is not type(known[name].default) or value != known[name].default
    }


def _is_plain(X: Any, target: Target) -> bool:
    if type(X) is not np.ndarray or X.ndim != 2 or 0 in X.shape or X.nbytes > LARGEST:
        return False
    if X.dtype.kind not in "biu" and X.dtype != np.float64:
        return False
    # Squares are to be numbers, and not zero. A comparison with what is not a number is false.
    largest = float(np.abs(X).max())
    return 1e-50 < largest < 1e50 and bool(np.isfinite(target.values).all())
