"""The splits of a run where none are asked for."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from errbar import _check
from errbar.errors import InvalidInputError
from errbar.methods import lookup
from errbar.methods._core.default import FIRST
from errbar.plans import KFold, Plan, RollingOrigin, Union


def default_plan(
    methods: Sequence[str | None], *, n: int | None = None, groups: Any = None, time: Any = None
) -> Plan:
    """Return the plans of all methods, added up.

    Parameters
    ----------
    methods : sequence of str or None
        Keys of methods; None leaves the method to the design, and the plan to what the data are: origins in time, folds of
        whole groups, or folds of examples.
    n : int, optional
        Number of examples; there are no more folds than that.
    groups, time : array-like, optional
        Group and time of each example.
    """
    found: list[Plan] = []
    for key in methods:
        plan = _for_data(n, groups, time) if key is None else _for_method(key, n, groups)
        if plan not in found:
            found.append(plan)
    return found[0] if len(found) == 1 else Union(tuple(found))


def _for_data(n: int | None, groups: Any, time: Any) -> Plan:
    return RollingOrigin() if time is not None else _for_method(FIRST, n, groups)


def _no_more_folds(plan: KFold, n: int | None, groups: Any) -> Plan:
    """Return the plan with no more folds than there are groups, or examples; of these there is one partition, so one repeat."""
    count = n if groups is None else np.unique(_check.categories(groups, "`groups`")).size
    if count is None or count > plan.folds:
        return plan
    return replace(plan, folds=max(2, count), repeats=1)


def _for_method(key: str, n: int | None, groups: Any) -> Plan:
    spec = lookup(key)
    if spec.default_plan is None:
        raise InvalidInputError(
            f"method {spec.key!r} is about several data sets, and this is one; try 'corrected-t', or "
            "errbar.compare_table with one row per data set"
        )
    plan = spec.default_plan
    return _no_more_folds(plan, n, groups) if isinstance(plan, KFold) else plan
