"""Shared fits: predictions of one learner after many training sets, computed together to 1e-8 of those of single fits.

Each family yields what a learner's own ``fit_predict_many`` returns; None where rounding or a tie could decide.
"""

from functools import partial
from inspect import signature
from typing import Any

import numpy as np

from errbar.fits.shared import least_squares, neighbours
from errbar.metrics import Target

FAMILIES = (least_squares, neighbours)

LARGEST = 2**26
"""Bytes of features up to which fits are computed together; that takes several copies of the features."""


def exact(learner: Any, X: Any, target: Target) -> Any:
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
    kind = type(learner)
    for family in FAMILIES:
        if (
            kind.__module__.startswith("sklearn.")
            and kind.__name__ in family.FREE
            and kind.__name__.endswith("Classifier") == (target.classes is not None)
            and _changed(learner) <= family.FREE[kind.__name__]
            and _is_plain(X, target)
            and family.suits(learner, X)
        ):
            return partial(family.predictions, learner, X, target)
    return None


def _changed(learner: Any) -> set[str]:
    known = signature(type(learner)).parameters
    given = learner.get_params(deep=False)
    return {
        name
        for name, value in given.items()
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
