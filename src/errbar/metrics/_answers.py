"""What learners answer, in the form in which predictions are kept: codes of classes, and a column per class.

What cannot be an answer is refused here, wherever predictions come in.
"""

from numbers import Real
from typing import Any

import numpy as np

from errbar import _check
from errbar._check import FloatArray
from errbar.metrics._sample import DECISION, PROBABILITY, RESPONSES, Array, Target

# A class that the training set lacked is never chosen: of a decision value, nothing is smaller.
_MISSING = {PROBABILITY: 0.0, DECISION: float(np.finfo(np.float64).min)}

# Beyond 0 and 1, what rounding makes; of the sum, what single precision and a softmax of many classes make.
_ROUNDING, _ROUNDING_OF_SUM = 1e-6, 1e-3


def _require(holds: Any, must: str, values: Array, said: str) -> None:
    """Raise unless all rows of what a learner says hold, with the first that does not."""
    wrong = np.flatnonzero(~np.asarray(holds))
    if wrong.size:
        raise ValueError(
            f"{said} {values[wrong[0]].tolist()!r} for example {wrong[0]} of {len(values)} (counted from 0); {must}"
        )


def _require_shape(array: Array, shape: tuple[int, ...], said: str) -> None:
    if array.shape != shape:
        raise ValueError(f"{said} shape {array.shape}, and {shape} is needed: examples, classes")


def labels(answer: Any, target: Target, count: int, said: str = "predict returned") -> Array:
    if target.classes is None:
        array = _numbers(answer, said)
    else:
        array = _check.categories(answer, f"what {said}")
    if array.shape == (count, 1):
        array = array.ravel()
    _require_shape(array, (count,), said)
    return array if target.classes is None else _positions(array, target.classes, said)


def by_class(
    answer: Any, known: Any, target: Target, count: int, kind: str, said: str | None = None
) -> FloatArray:
    """Return probabilities or decision values with one column per class of the target; of two classes one."""
    said, classes = said or f"{RESPONSES[kind]} returned", target.classes
    assert classes is not None
    array, known = _numbers(answer, said), _check.categories(known, "classes_")
    named = list(getattr(answer, "columns", ()))
    if set(named) == set(known.tolist()):
        known = _check.categories(named, "the columns")
    places = _positions(known, classes, "classes_ holds")
    once = np.bincount(places)[places] == 1
    _require(once, "each class once is needed", known, "classes_ holds")
    one = kind == DECISION and classes.size == 2
    leaning = kind == DECISION and places.size == 2 and array.size == count
    if leaning:
        array = np.column_stack([-array.ravel(), array.ravel()])
    _require_shape(array, (count,) if one and not leaning else (count, places.size), said)
    if kind == PROBABILITY:
        inside = ((array >= -_ROUNDING) & (array <= 1.0 + _ROUNDING)).all(axis=1)
        sums = np.abs(array.sum(axis=1) - 1.0) <= _ROUNDING_OF_SUM
        must = "probabilities lie between 0 and 1, and those of all classes add up to 1"
        _require(inside & sums, must, array, said)
        array = array.clip(0.0, 1.0)
    found = np.full((count, classes.size), _MISSING[kind])
    found[:, places] = array
    return found[:, 1] if one else found


def _positions(array: Array, classes: Array, said: str) -> Array:
    # A truth value is 0 or 1, and nothing else that happens to equal it.
    numbers = all(one.dtype.kind in "biuf" for one in (array, classes))
    like = numbers or array.dtype.kind == classes.dtype.kind
    like &= array.dtype.kind != "b" or set(classes.tolist()) <= {0, 1}
    codes = np.searchsorted(classes, array) if like else np.zeros(array.size, dtype=np.int64)
    codes = np.minimum(codes, classes.size - 1)
    known = like & (classes[codes] == array)
    _require(known, f"classes such as {classes.tolist()[0]!r} are needed", array, said)
    return codes


def _numbers(answer: Any, said: str) -> FloatArray:
    if np.ma.isMaskedArray(answer):
        answer = np.ma.filled(answer.astype(np.float64), np.nan)
    array = np.asarray(answer)
    if array.dtype.kind not in "biuf":
        numbers = [isinstance(one, Real) for one in array.ravel().tolist()]
        _require(numbers, "numbers are needed", array.ravel(), said)
    array = array.astype(np.float64, copy=False)
    finite = np.isfinite(array).reshape(len(array), -1).all(axis=1)
    _require(finite, "finite numbers are needed", array, said)
    return array
