"""Whether two losses compute the same: a name may stand for several."""

from functools import partial
from typing import Any

from errbar.metrics._loss import Loss
from errbar.metrics._sample import Target

_OF_SCORERS = ("_score_func", "_sign", "_kwargs", "_response_method")


def same_measure(one: Loss, other: Loss, target: Target | None = None) -> bool:
    """Return whether two losses give the same numbers of the same predictions, as far as their functions can be compared.

    Parameters
    ----------
    one, other : Loss
        To be compared.
    target : Target, optional
        What they are of; it says which class is positive where a loss does not.
    """
    facts = [
        (loss.key, loss.sign, loss.needs, loss.pool, _positive(loss, target))
        for loss in (one, other)
    ]
    try:
        return facts[0] == facts[1] and _same(one.function, other.function)
    except (
        RecursionError,
        ValueError,
    ):  # functions that refer to themselves, or to what is not there yet
        return False


def _positive(loss: Loss, target: Target | None) -> Any:
    if loss.positive is None:
        return None if loss.about == "all" or target is None else target.positive
    return (
        loss.positive
        if target is None or target.classes is None
        else target.position(loss.positive)
    )


def _same(one: Any, other: Any) -> bool:
    """Return whether two functions are one, or made alike from the same code and the same values."""
    if one is other:
        return True
    if type(one) is not type(other):
        return False
    parts = _parts(one)
    return (
        all(_same(*pair) for pair in zip(parts, _parts(other), strict=True))
        if parts
        else _equal(one, other)
    )


def _parts(function: Any) -> list[Any]:
    """Return what makes a function what it is."""
    if isinstance(function, partial):
        return [function.func, list(function.args), function.keywords]
    if all(hasattr(function, name) for name in _OF_SCORERS):
        return [getattr(function, name) for name in _OF_SCORERS]
    if hasattr(function, "__code__"):
        cells = [cell.cell_contents for cell in function.__closure__ or ()]
        return [function.__code__, function.__defaults__, function.__kwdefaults__, cells]
    return []


def _equal(one: Any, other: Any) -> bool:
    if isinstance(one, (list, tuple)):
        return len(one) == len(other) and all(map(_same, one, other))
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(
            _same(value, other[key]) for key, value in one.items()
        )
    try:
        return bool(one == other)
    except Exception:  # noqa: BLE001 - whatever cannot be compared may differ
        return False
