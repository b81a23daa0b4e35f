"""What a fitted learner answers, in the form in which predictions are kept: codes of classes, and a column per class."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from errbar.losses import DECISION, LABEL, PROBABILITY, RESPONSES, Target

# A class that the training set lacked is never chosen: of a decision value, nothing is smaller.
_MISSING = {PROBABILITY: 0.0, DECISION: float(np.finfo(np.float64).min)}


def predicted(
    fitted: Any, X: Any, target: Target, kinds: tuple[str, ...], *, labels_from_probabilities: bool = False
) -> dict[str, NDArray[Any]]:
    """Return predictions by kind for all examples; with `labels_from_probabilities` the label is the most probable.

    Raises
    ------
    ValueError
        If an answer has another shape than it should, is not finite, or is no class of the target.
    """
    count = X.shape[0]
    found = {
        kind: _by_class(getattr(fitted, RESPONSES[kind])(X), fitted, target, count, kind)
        for kind in (PROBABILITY, DECISION)
        if kind in kinds
    }
    if LABEL in kinds:
        if PROBABILITY in found and labels_from_probabilities:
            found[LABEL] = np.argmax(found[PROBABILITY], axis=1).astype(form(LABEL, target, count)[1])
        else:
            found[LABEL] = _labels(fitted.predict(X), target, count)
    return found


def form(kind: str, target: Target, count: int) -> tuple[tuple[int, ...], np.dtype[Any]]:
    """Return shape and type of the predictions of one kind for so many examples."""
    number = np.dtype(np.float64)
    if target.classes is None:
        return (count,), number
    classes = target.classes.size
    if kind == LABEL:
        return (count,), np.min_scalar_type(classes)
    return ((count,) if kind == DECISION and classes == 2 else (count, classes)), number


def _labels(answer: Any, target: Target, count: int) -> NDArray[Any]:
    array = np.asarray(answer)
    if array.shape == (count, 1):
        array = array.ravel()
    if array.shape != (count,):
        raise ValueError(f"predict returned shape {array.shape} for {count} examples")
    if target.classes is None:
        values = array.astype(np.float64)
        _refuse_not_finite(values, "predict")
        return values
    codes = np.minimum(np.searchsorted(target.classes, array), target.classes.size - 1)
    wrong = target.classes[codes] != array
    if wrong.any():
        raise ValueError(f"predict returned {array[wrong][0]!r}, which is not a class of the target")
    return codes.astype(form(LABEL, target, count)[1])


def _by_class(answer: Any, fitted: Any, target: Target, count: int, kind: str) -> NDArray[Any]:
    """Return one column per class of the whole target, also where the training set lacked a class."""
    array, method = np.asarray(answer, dtype=np.float64), RESPONSES[kind]
    _refuse_not_finite(array, method)
    if target.classes is None or (array.shape == (count,) and target.classes.size == 2):
        return array
    known = np.asarray(fitted.classes_)
    if array.shape == (count,) and known.size == 2:
        # Of two classes scikit-learn tells how far it leans to the second.
        array = np.column_stack([-array, array])
    if array.shape != (count, known.size):
        raise ValueError(f"{method} returned shape {array.shape} for {count} examples and {known.size} classes")
    if known.size == target.classes.size:
        return array
    full = np.full((count, target.classes.size), _MISSING[kind])
    full[:, np.searchsorted(target.classes, known)] = array
    return full


def _refuse_not_finite(array: NDArray[Any], method: str) -> None:
    if not np.isfinite(array).all():
        raise ValueError(f"{method} returned {array[~np.isfinite(array)][0]}")
