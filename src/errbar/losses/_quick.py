"""Common scores of scikit-learn in few operations: its own functions check their input for a millisecond per split."""

from collections.abc import Callable, Mapping
from typing import Any, TypeGuard

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Quick = Callable[[Array | None, Array, Mapping[str, Array]], float | None]
"""From the classes, the truth as positions in them and the predictions to the score; None where scikit-learn is asked."""

_NAMES = {"accuracy_score": "accuracy", "f1_score": "f1", "roc_auc_score": "roc_auc"}


def quick(scorer: Any) -> Quick | None:
    """Return a function that computes what a scorer of scikit-learn computes, where there is one.

    Parameters
    ----------
    scorer : scorer
        One that ``make_scorer`` makes.

    Returns
    -------
    callable or None
        None for scorers and options that are not among the common ones.
    """
    from sklearn.metrics import get_scorer

    name = _NAMES.get(getattr(scorer._score_func, "__name__", ""))
    if name is None:
        return None
    usual = get_scorer(name)
    parts = ("_score_func", "_sign", "_kwargs", "_response_method")
    same = type(scorer) is type(usual) and all(getattr(scorer, part) == getattr(usual, part) for part in parts)
    return _QUICK[name] if same else None


def _accuracy(classes: Array | None, truth: Array, predictions: Mapping[str, Array]) -> float | None:
    return None if not _labels(classes) else float(np.count_nonzero(truth == predictions["label"])) / truth.size


def _f1(classes: Array | None, truth: Array, predictions: Mapping[str, Array]) -> float | None:
    positive = _position_of_one(classes)
    if positive is None:
        return None
    actual, stated = truth == positive, predictions["label"] == positive
    total = int(np.count_nonzero(actual)) + int(np.count_nonzero(stated))
    return 2.0 * int(np.count_nonzero(actual & stated)) / total if total else None


def _roc_auc(classes: Array | None, truth: Array, predictions: Mapping[str, Array]) -> float | None:
    if not _labels(classes) or classes.size != 2:
        return None
    values = predictions["decision"] if "decision" in predictions else predictions["probability"][:, 1]
    positive = int(np.count_nonzero(truth))
    pairs = positive * (truth.size - positive)
    if not pairs:
        return None
    order = np.sort(values[truth == 0])
    above = values[truth == 1]
    won = order.searchsorted(above, "left").sum() + order.searchsorted(above, "right").sum()
    return float(won) / (2.0 * pairs)


def _labels(classes: Array | None) -> TypeGuard[Array]:
    """Tell whether these are labels; scikit-learn takes fractions for numbers to be predicted."""
    return classes is not None and not (classes.dtype.kind == "f" and bool((classes % 1 != 0).any()))


def _position_of_one(classes: Array | None) -> int | None:
    """Return where the label 1 stands among two numbers, of which it is the positive one; None where it does not."""
    if not _labels(classes) or classes.size != 2 or classes.dtype.kind not in "iuf" or 1 not in classes:
        return None
    return int(np.flatnonzero(classes == 1)[0])


_QUICK: dict[str, Quick] = {"accuracy": _accuracy, "f1": _f1, "roc_auc": _roc_auc}

__all__ = ["quick"]
