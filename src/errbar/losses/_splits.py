"""The number of one split, and what is refused because a split does not have one."""

from collections.abc import Callable, Sequence

import numpy as np

from errbar.errors import InvalidInputError, UndefinedMetricError
from errbar.losses._loss import DECISION, LABEL, PROBABILITY, Array, Loss, Predictions, Target


def dry_run(loss: Loss, target: Target, tests: Sequence[Array], describe: Callable[[int], str]) -> None:
    """Compute a per-split number for flawless predictions, so that a hopeless one is refused before any fit.

    Raises
    ------
    InvalidInputError
        If it cannot be computed on some test set, such as an AUC where only one class occurs.
    """
    if loss.pointwise:
        return
    _refuse_undefined(loss, target, tests, describe)
    for position, test in enumerate(tests):
        truth = target.values[test]
        flawless: dict[str, Array] = {LABEL: truth}
        if target.classes is not None:
            flawless[PROBABILITY] = np.eye(target.classes.size)[truth]
            binary = target.classes.size == 2
            flawless[DECISION] = truth.astype(float) if binary else flawless[PROBABILITY]
        split_score(loss, target, truth, {kind: flawless[kind] for kind in loss.kinds(flawless)}, describe(position))


_REMEDY = "use stratified splits, fewer folds or larger test sets"


def _refuse_undefined(loss: Loss, target: Target, tests: Sequence[Array], describe: Callable[[int], str]) -> None:
    """Raise if test sets lack what the metric needs, and name them."""
    if loss.lacks is None:
        return
    found = [(j, lack) for j, test in enumerate(tests) if (lack := loss.lacks(target.classes, target.values[test]))]
    if found:
        named = "; ".join(describe(j) for j, _ in found[:3]) + ("; ..." if len(found) > 3 else "")
        raise UndefinedMetricError(
            f"{loss.key!r} is undefined on {len(found)} of {len(tests)} splits ({named}): {found[0][1]}; {_REMEDY}"
        )


def split_score(loss: Loss, target: Target, truth: Array, predictions: Predictions, name: str) -> float:
    """Return the number of one split, or say on which split and why it cannot be computed."""
    lack = None if loss.lacks is None else loss.lacks(target.classes, truth)
    if lack is not None:
        raise UndefinedMetricError(f"{loss.key!r} is undefined on split {name!r}: {lack}; {_REMEDY}")
    try:
        value = loss.score(target, truth, predictions)
    except UserWarning as error:  # scikit-learn's own word for it, such as a precision without predicted positives
        reason = " ".join(str(error).split()).partition(" Use `zero_division`")[0]
        raise UndefinedMetricError(f"{loss.key!r} is undefined on split {name!r}: {reason}") from None
    except (ValueError, TypeError, AttributeError, IndexError, KeyError, ZeroDivisionError) as error:
        reason = " ".join(str(error).split())
        if "multi_class must be in" in reason:
            reason = "it is about two classes, and there are more; use 'roc_auc_ovr' or 'roc_auc_ovo' as a loss instead"
        raise InvalidInputError(f"{loss.key!r} cannot be computed on split {name!r}: {reason}") from None
    if not np.isfinite(value):
        raise UndefinedMetricError(
            f"{loss.key!r} is undefined on split {name!r} (it gives {value}); use larger test sets or stratify"
        )
    return value
