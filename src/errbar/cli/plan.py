"""From options on the command line to a plan."""

import ast
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

from errbar.cli.models import NOT_LITERAL
from errbar.cli.options import DEFAULT_METHOD, SplitOptions
from errbar.cli.plan_text import parse_plan
from errbar.errors import InvalidInputError
from errbar.methods import lookup
from errbar.plans import KFold, Plan, Predefined, Subsampling, Union


def plan_of(methods: Sequence[str | None], splitting: SplitOptions, *, grouped: bool = False) -> Plan:
    """Return the plans given as text, or else the default plans of the methods changed as asked for, as one plan."""
    wanted = {name: getattr(splitting, name) for name in ("folds", "repeats", "halvings", "n_train", "n_test")}
    given = {name: value for name, value in wanted.items() if value is not None}
    kept = {"stratify": splitting.stratify, "groups": grouped}
    if splitting.plan:
        for name in [*given, *(name for name, asked in kept.items() if asked)]:
            raise InvalidInputError(f"{_option(name)} does not go with --plan; write it into the plan")
        plans = [parse_plan(text) for text in splitting.plan]
    else:
        plans = [
            _default_plan(key or DEFAULT_METHOD, given, stratify=splitting.stratify, grouped=grouped) for key in methods
        ]
    unique = [plan for i, plan in enumerate(plans) if plan not in plans[:i]]
    return unique[0] if len(unique) == 1 else Union(tuple(unique))


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _default_plan(method: str, given: Mapping[str, Any], *, stratify: bool, grouped: bool) -> Plan:
    spec = lookup(method)
    plan: Any = spec.default_plan
    if plan is None:
        raise InvalidInputError(
            f"method {method!r} is about several data sets and fits nothing; give a file with a row per data set to errbar ranks"
        )
    if "folds" in given and "folds" not in _fields(plan) and KFold.kind in spec.plans:
        plan = KFold(given["folds"])
    for name in given:
        if name not in _fields(plan):
            raise InvalidInputError(f"{_option(name)} does not apply to {plan}, the plan of method {method!r}")
    sizes = {name: size(value, _option(name)) for name, value in given.items() if isinstance(value, str)}
    plan = replace(plan, **(dict(given) | sizes))
    return _with_splitter(plan, stratify=stratify, grouped=grouped) if stratify or grouped else plan


def _fields(plan: Plan) -> set[str]:
    return {field.name for field in fields(plan)}  # type: ignore[arg-type] # every plan is a dataclass


def size(text: str, option: str) -> float:
    """Return a count from ``30`` or a fraction from ``0.1``."""
    try:
        return int(text) if text.strip().lstrip("+-").isdigit() else float(text)
    except ValueError:
        raise InvalidInputError(
            f"{option} must be a count such as 30 or a fraction such as 0.1, got {text!r}"
        ) from None


def options_of(texts: Sequence[str]) -> dict[str, Any]:
    """Return method options from strings such as ``rho=0.7``."""
    options = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name.strip():
            raise InvalidInputError(f"--option must look like rho=0.7, got {text!r}")
        try:
            options[name.strip()] = ast.literal_eval(value.strip())
        except NOT_LITERAL:
            options[name.strip()] = value.strip()
    return options


def _with_splitter(plan: Plan, *, stratify: bool, grouped: bool) -> Plan:
    from sklearn import model_selection as splitters

    if isinstance(plan, KFold) and grouped:
        if plan.repeats > 1:
            raise InvalidInputError("--repeats does not go with --groups and --folds; use --groups without --folds")
        kind = splitters.StratifiedGroupKFold if stratify else splitters.GroupKFold
        return Predefined(kind(n_splits=plan.folds, shuffle=True))
    if isinstance(plan, KFold):
        return Predefined(splitters.RepeatedStratifiedKFold(n_splits=plan.folds, n_repeats=plan.repeats))
    if isinstance(plan, Subsampling) and not (stratify and grouped):
        shuffle = splitters.GroupShuffleSplit if grouped else splitters.StratifiedShuffleSplit
        return Predefined(shuffle(n_splits=plan.repeats, test_size=plan.n_test, train_size=plan.n_train))
    rather = (
        "add --folds to use folds"
        if isinstance(plan, Subsampling)
        else "leave out --method and --plan to use random splits"
    )
    raise InvalidInputError(f"--stratify and --groups do not apply to {plan}; {rather}")
