"""From options on the command line to a plan."""

import ast
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

from errbar import plans as plans_module
from errbar.cli.words import PLANS
from errbar.errors import InvalidInputError
from errbar.methods import lookup
from errbar.plans import KFold, Plan, Predefined, Subsampling, Union


def plan_of(
    methods: Sequence[str],
    texts: Sequence[str] = (),
    *,
    stratify: bool = False,
    grouped: bool = False,
    **wanted: Any,
) -> Plan:
    """Return the plans given as text, or else the default plans of the methods changed as asked for, as one plan."""
    given = {name: value for name, value in wanted.items() if value is not None}
    if texts:
        if given or stratify or grouped:
            option = next(iter(given), "stratify" if stratify else "groups").replace("_", "-")
            raise InvalidInputError(f"--{option} does not go with --plan; write it into the plan")
        plans = [parse_plan(text) for text in texts]
    else:
        plans = [_default_plan(key, given, stratify=stratify, grouped=grouped) for key in methods]
    unique = [plan for i, plan in enumerate(plans) if plan not in plans[:i]]
    return unique[0] if len(unique) == 1 else Union(tuple(unique))


def _default_plan(method: str, given: Mapping[str, Any], *, stratify: bool, grouped: bool) -> Plan:
    spec = lookup(method)
    plan: Any = spec.default_plan
    if plan is None:
        raise InvalidInputError(
            f"method {method!r} is about several data sets and fits nothing; give a file with a row per data set to errbar ranks"
        )
    if "folds" in given and "folds" not in _fields(plan) and "kfold" in spec.plans:
        plan = KFold(given["folds"])
    for name in given:
        if name not in _fields(plan):
            raise InvalidInputError(
                f"--{name.replace('_', '-')} does not apply to {plan}, the plan of method {method!r}"
            )
    sizes = {
        name: size(value, f"--{name.replace('_', '-')}") for name, value in given.items() if isinstance(value, str)
    }
    plan = replace(plan, **(dict(given) | sizes))
    return _with_splitter(plan, stratify=stratify, grouped=grouped) if stratify or grouped else plan


def _fields(plan: Plan) -> set[str]:
    return {field.name for field in fields(plan)}  # type: ignore[arg-type] # every plan is a dataclass


def parse_plan(text: str) -> Plan:
    """Return a plan from text such as ``KFold(folds=10, repeats=10)``; nothing is evaluated.

    Parameters
    ----------
    text : str
        Name of a plan of `errbar.plans`, with keyword arguments that are numbers, True, False or None.
    """
    known = {name: getattr(plans_module, name) for name in plans_module.__all__ if name in PLANS}
    try:
        [expression] = ast.parse(text.strip(), mode="exec").body
        call: Any = expression.value  # type: ignore[attr-defined] # what has no value is refused below
        function: Any = call.func if isinstance(call, ast.Call) else call
        name = function.id
        arguments = {word.arg: ast.literal_eval(word.value) for word in getattr(call, "keywords", ())}
        if getattr(call, "args", ()) or None in arguments:
            raise ValueError
    except (ValueError, SyntaxError, AttributeError, TypeError, RecursionError, MemoryError):
        raise InvalidInputError(f"--plan must look like KFold(folds=10, repeats=10), got {text!r}") from None
    if name not in known:
        raise InvalidInputError(f"--plan must be one of {', '.join(known)}, got {text!r}")
    allowed = [field.name for field in fields(known[name])]
    for argument in arguments:
        if argument not in allowed:
            raise InvalidInputError(
                f"--plan {name} has no parameter {argument!r}; it has: {', '.join(allowed) or 'none'}"
            )
    plan: Plan = known[name](**arguments)
    return plan


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
        except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
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
    raise InvalidInputError(
        f"--stratify and --groups do not apply to {plan}; add --folds to use K-fold cross-validation"
    )
