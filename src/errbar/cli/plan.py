"""From options on the command line to a plan."""

import ast
from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Any

from errbar.errors import InvalidInputError
from errbar.methods import lookup
from errbar.plans import KFold, Plan, Predefined, Subsampling


def plan_of(
    method: str,
    *,
    folds: int | None = None,
    repeats: int | None = None,
    n_train: str | None = None,
    n_test: str | None = None,
    stratify: bool = False,
    grouped: bool = False,
) -> Plan:
    """Return the method's default plan, changed as asked for."""
    plan: Any = lookup(method).default_plan
    if folds is not None and not isinstance(plan, KFold):
        plan = KFold(folds)
    wanted = {
        "folds": folds,
        "repeats": repeats,
        "n_train": None if n_train is None else size(n_train, "--n-train"),
        "n_test": None if n_test is None else size(n_test, "--n-test"),
    }
    given = {name: value for name, value in wanted.items() if value is not None}
    known = {field.name for field in fields(plan)}
    for name in given:
        if name not in known:
            raise InvalidInputError(
                f"--{name.replace('_', '-')} does not apply to {plan}, the plan of method {method!r}"
            )
    plan = replace(plan, **given)
    return _with_splitter(plan, stratify=stratify, grouped=grouped) if stratify or grouped else plan


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
