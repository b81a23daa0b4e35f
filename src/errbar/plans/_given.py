"""What people give as a plan: a plan, a number of folds, a splitter of scikit-learn, or index pairs."""

from dataclasses import fields, is_dataclass, replace
from numbers import Integral
from typing import Any

import numpy as np

from errbar import _check
from errbar.errors import InvalidInputError
from errbar.plans._base import Plan, Union
from errbar.plans.kfold import KFold
from errbar.plans.predefined import Predefined


def plan_of(value: Any, *, stratify: bool = False) -> Plan:
    """Return the plan that is meant.

    Parameters
    ----------
    value : Plan, int, splitter or iterable of (train, test)
        A number is one of folds.
    stratify : bool, default False
        Whether its splits are to keep the shares of the classes.

    Raises
    ------
    InvalidInputError
        If this is none, or has no stratified variant.
    """
    plan = value if isinstance(value, Plan) else _made_of(value)
    return _stratified(plan) if stratify else plan


def _made_of(value: Any) -> Plan:
    if isinstance(value, Integral) and not isinstance(value, bool):
        return KFold(folds=int(value))
    if isinstance(value, type):
        raise InvalidInputError(
            f"is the class {value.__name__}; make it a plan: {value.__name__}(...)", argument="plan"
        )
    if _is_pair(value):
        raise InvalidInputError(
            "is one pair of index arrays; put the pair into a list, plan=[(train, test)], for one split",
            argument="plan",
        )
    try:
        return Predefined(value)
    except InvalidInputError:
        raise InvalidInputError(
            "must be a plan such as errbar.plans.KFold(folds=10), a number of folds, a splitter of scikit-learn or "
            f"a list of (train, test) index pairs, got {_check.brief(value)}",
            argument="plan",
        ) from None


def _is_pair(value: Any) -> bool:
    """Return whether a value is one training set and one test set, outside of a list of such pairs."""
    if not isinstance(value, (list, tuple)) or len(value) != 2:
        return False
    return all(_is_flat(one) for one in value)


def _is_flat(value: Any) -> bool:
    """Return whether a value is a list or an array of whole numbers."""
    if isinstance(value, np.ndarray):
        return value.ndim == 1 and value.dtype.kind in "biu"
    return (
        isinstance(value, (list, tuple, range))
        and len(value) > 0
        and isinstance(value[0], Integral)
    )


def _stratified(plan: Plan) -> Plan:
    """Return the plan, and what it is made of, with the option set."""
    if isinstance(plan, Union):
        return Union(tuple(_stratified(part) for part in plan.plans))
    inner = getattr(plan, "plan", None)
    if isinstance(inner, Plan) and is_dataclass(plan):
        return replace(plan, plan=_stratified(inner))
    if not is_dataclass(plan) or "stratify" not in [one.name for one in fields(plan)]:
        raise InvalidInputError(
            f"was given, and {plan} has no stratified variant; use one that has, such as "
            "errbar.plans.KFold(folds=10, stratify=True)",
            argument="stratify",
        )
    return replace(plan, stratify=True)
