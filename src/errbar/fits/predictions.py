"""What a fitted learner answers, in the form in which predictions are kept: codes of classes, and a column per class."""

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errbar import metrics
from errbar.errors import InvalidInputError, one_line
from errbar.metrics import DECISION, LABEL, PROBABILITY, RESPONSES, Target


def predicted(
    fitted: Any,
    X: Any,
    target: Target,
    kinds: tuple[str, ...],
    *,
    needed: tuple[str, ...] | None = None,
    labels_from_probabilities: bool = False,
    names: NDArray[Any] | None = None,
) -> dict[str, NDArray[Any]]:
    """Return predictions by kind for all examples; `names` are the classes of a learner that was trained on their numbers."""
    found: dict[str, NDArray[Any]] = {}
    for kind in (PROBABILITY, DECISION, LABEL):
        must = needed is None or kind in needed
        if kind not in kinds or not (must or hasattr(fitted, RESPONSES[kind])):
            continue
        try:
            if kind == LABEL and labels_from_probabilities and PROBABILITY in found:
                codes = np.argmax(found[PROBABILITY], axis=1)
            else:
                codes = _answer(fitted, X, target, kind, names)
            coded = kind == LABEL and target.classes is not None
            dtype = np.min_scalar_type(target.n_classes) if coded else np.float64
            found[kind] = codes.astype(dtype, copy=False)
        except (Exception, SystemExit) as error:
            if must:
                raise
            words = f"{RESPONSES[kind]} is left out, so losses that need it are not to be had later: {one_line(error)}"
            warnings.warn(words, stacklevel=2)
    return found


def _answer(fitted: Any, X: Any, target: Target, kind: str, names: Any) -> NDArray[Any]:
    answer, count = getattr(fitted, RESPONSES[kind])(X), X.shape[0]
    known = getattr(fitted, "classes_", None)
    if names is not None:
        known = names if known is None else names[np.asarray(known).astype(np.intp)]
        answer = names[np.ravel(answer).astype(np.intp)] if kind == LABEL else answer
    if kind != LABEL and known is None:
        raise ValueError(
            f"without classes_ nobody knows which class a column of {RESPONSES[kind]} belongs to"
        )
    try:
        if kind == LABEL:
            return metrics.labels(answer, target, count)
        return metrics.by_class(answer, known, target, count, kind)
    except InvalidInputError as error:  # it is not the input of the run that cannot be used
        raise ValueError(str(error)) from None
