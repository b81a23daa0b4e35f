"""What learners answer, in the form in which predictions are kept: codes of classes, and a column per class.

What cannot be an answer is refused here, wherever predictions come in.
"""

from typing import Any

import numpy as np

from errbar import _check
from errbar._check import Array, FloatArray
from errbar.metrics._sample import DECISION, PROBABILITY, RESPONSES, Target

# A class that the training set lacked is never chosen: of a decision value, nothing is smaller.
_MISSING = {PROBABILITY: 0.0, DECISION: float(np.finfo(np.float64).min)}

# Beyond 0 and 1, what rounding makes; of the sum, what single precision and a softmax of many classes make.
_ROUNDING, _ROUNDING_OF_SUM = 1e-6, 1e-3


def labels(answer: Any, target: Target, count: int, said: str = "predict") -> Array:
    if target.classes is not None:
        return _positions(_check.categories(answer, f"`{said}`", count), target.classes, said)
    array = _check.numbers(answer, said, "example")
    _check.require(
        array.shape in ((count,), (count, 1)), f"must have shape {(count,)}", array.shape, said
    )
    return array.ravel()


def by_class(
    answer: Any, known: Any, target: Target, count: int, kind: str, said: str | None = None
) -> FloatArray:
    """Return probabilities or decision values with one column per class of the target; of two classes one."""
    said, classes = said or RESPONSES[kind], target.classes
    assert classes is not None
    array, known = _check.numbers(answer, said, "example"), _check.categories(known, "`classes_`")
    named = list(getattr(answer, "columns", ()))
    if set(named) == set(known.tolist()):
        known = _check.categories(named, "`columns`")
    places = _positions(known, classes, "classes_")
    once = _check.distinct(places) == places.size
    _check.require(once, "must name each class once", known.tolist(), "classes_")
    one = kind == DECISION and classes.size == 2
    leaning = kind == DECISION and places.size == 2 and array.size == count
    if leaning:
        array = np.column_stack([-array.ravel(), array.ravel()])
    shape = (count,) if one and not leaning else (count, places.size)
    _check.require(array.shape == shape, f"must have shape {shape}", array.shape, said)
    if kind == PROBABILITY:
        inside = ((array >= -_ROUNDING) & (array <= 1.0 + _ROUNDING)).all(axis=1)
        chances = inside & (np.abs(array.sum(axis=1) - 1.0) <= _ROUNDING_OF_SUM)
        must = "must lie between 0 and 1, and those of all classes add up to 1"
        _check.require(chances.all(), must, array[~chances][:1].tolist(), said)
        array = array.clip(0.0, 1.0)
    found = np.full((count, classes.size), _MISSING[kind])
    found[:, places] = array
    return found[:, 1] if one else found


def _positions(array: Array, classes: Array, said: str) -> Array:
    numbers = all(one.dtype.kind in "biuf" for one in (array, classes))
    like = numbers or array.dtype.kind == classes.dtype.kind
    # A truth value is 0 or 1, and nothing else that happens to equal it.
    like &= array.dtype.kind != "b" or set(classes.tolist()) <= {0, 1}
    codes = np.searchsorted(classes, array) if like else np.zeros(array.size, dtype=np.int64)
    codes = np.minimum(codes, classes.size - 1)
    known = like & (classes[codes] == array)
    must = f"must hold classes of the target, such as {classes.tolist()[0]!r}"
    _check.require(known.all(), must, array[~known][:1].tolist(), said)
    return codes
