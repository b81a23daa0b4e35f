"""What people give as a plan: a plan, a number of folds, a splitter of scikit-learn, or index pairs."""

from dataclasses import fields, is_dataclass, replace
from numbers import Integral
from typing import Any

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
    try:
        return Predefined(value)
    except InvalidInputError:
        raise InvalidInputError(
            "`plan` must be a plan such as errbar.plans.KFold(folds=10), a number of folds, a splitter of scikit-learn or "
            f"a list of (train, test) index pairs, got {value!r}"
        ) from None


def _stratified(plan: Plan) -> Plan:
    """Return the plan, and what it is made of, with the option set."""
    if isinstance(plan, Union):
        return Union(tuple(_stratified(part) for part in plan.plans))
    inner = getattr(plan, "plan", None)
    if isinstance(inner, Plan) and is_dataclass(plan):
        return replace(plan, plan=_stratified(inner))
    if not is_dataclass(plan) or "stratify" not in [one.name for one in fields(plan)]:
        raise InvalidInputError(
            f"`stratify` was given, and {plan} has no stratified variant; use one that has, such as "
            "errbar.plans.KFold(folds=10, stratify=True)"
        )
    return replace(plan, stratify=True)
