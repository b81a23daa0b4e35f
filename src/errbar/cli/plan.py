"""From options on the command line to a plan."""

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

from errbar import plans
from errbar.cli import checks
from errbar.cli.fit_options import SplitOptions
from errbar.cli.learners_app import Compare
from errbar.cli.options import DEFAULT_METHOD
from errbar.cli.plan_text import parse_plan
from errbar.errors import InvalidInputError
from errbar.methods import lookup
from errbar.plans import Holdout, KFold, Plan, Seeds, Subsampling, Union
from errbar.study import default_plan

_WRITTEN = {
    "seeds": "Seeds(seeds=3, plan=Holdout(n_test=0.2))",
    "stratify": "KFold(folds=5, stratify=True)",
    "repeats": "KFold(folds=5, repeats=10)",
    "n_train": "Subsampling(n_train=90, n_test=10)",
    "n_test": "Subsampling(n_test=0.1)",
    "halvings": "PairedHalves(halvings=10)",
}
"""How an option of splits is written in a plan."""


def written_plans(splitting: SplitOptions) -> list[Plan]:
    """Return the plans given as text, with which no other option on splits goes."""
    if not splitting.plan:
        return []
    others = {"stratify": splitting.stratify, "seeds": splitting.seeds is not None}
    for name in [*_given(splitting), *(name for name, asked in others.items() if asked)]:
        raise InvalidInputError(
            f"{checks.written(name)} does not go with --plan; write it into the plan, such as {_WRITTEN.get(name, f'KFold({name}=5)')!r}"
        )
    return [parse_plan(text) for text in splitting.plan]


def plan_of(
    methods: Sequence[str | None],
    splitting: SplitOptions,
    written: Sequence[Plan] = (),
    *,
    n: int | None = None,
    groups: Any = None,
    time: Any = None,
) -> Plan | None:
    """Return the plans given as text, or else those of the methods and the data changed as asked for, as one plan.

    None where nothing is said of splits: a run has its own then.
    """
    given = _given(splitting)
    for key in methods:
        if not written and key is not None and lookup(key).default_plan is None:
            raise InvalidInputError(
                f"method {key!r} is about several data sets and fits nothing; give a file with a row per data set to errbar "
                "ranks"
            )
    seeds = splitting.seeds
    if not (written or given or seeds is not None or splitting.stratify):
        return None
    alone = (
        seeds is not None
        and groups is None
        and time is None
        and not (set(given) - {"n_train", "n_test"})
    )
    found = list(written)
    for key in () if written else methods:
        plain = default_plan([key], n=n, groups=groups, time=time)
        if key is None and alone:
            plain = Holdout(n_test=0.2)
        elif (
            key is None and groups is None and time is None and given.keys() & {"n_train", "n_test"}
        ):
            plain = Subsampling()
        elif key is None and isinstance(plain, KFold) and (seeds is not None or "folds" in given):
            plain = replace(
                plain, repeats=1
            )  # seeds are repeats, and five folds are meant once, as by plan=5
        inner = plain.plan if seeds is not None and isinstance(plain, Seeds) else plain
        plan = _changed(key, inner, given)
        found.append(plan if seeds is None else Seeds(seeds, plan=plan))
    unique = [plan for i, plan in enumerate(found) if plan not in found[:i]]
    return plans.plan_of(
        unique[0] if len(unique) == 1 else Union(tuple(unique)),
        stratify=splitting.stratify,
    )


def looks_of(asked: Compare) -> tuple[int, ...] | None:
    """Return the numbers of splits of ``--looks 15,30,60,100``; they leave no room for another number of splits."""
    if asked.looks is None:
        return None
    if asked.repeats is not None:
        raise InvalidInputError(
            "--repeats does not go with --looks: the last look says how many splits there are at most"
        )
    try:
        return tuple(int(text) for text in asked.looks.split(","))
    except ValueError:
        raise InvalidInputError(
            f"--looks must be numbers of splits such as 15,30,60,100, got {asked.looks!r}"
        ) from None


def _given(splitting: SplitOptions) -> dict[str, Any]:
    wanted = {
        name: getattr(splitting, name)
        for name in ("folds", "repeats", "halvings", "n_train", "n_test")
    }
    return {name: value for name, value in wanted.items() if value is not None}


def _changed(method: str | None, plan: Any, given: Mapping[str, Any]) -> Plan:
    """Return the plan of a method, or of the data where none is named, with what is given on the command line."""
    spec = lookup(method or DEFAULT_METHOD)
    if "folds" in given and "folds" not in _fields(plan) and KFold.kind in spec.plans:
        plan = KFold(given["folds"])
    whose = f"method {spec.key!r}" if method or plan == spec.default_plan else "such data"
    for name in given:
        if name not in _fields(plan):
            raise InvalidInputError(
                f"{checks.written(name)} does not apply to {plan}, the plan of {whose}"
            )
    sizes = {
        name: size(value, checks.written(name))
        for name, value in given.items()
        if isinstance(value, str)
    }
    changed: Plan = replace(plan, **(dict(given) | sizes))
    return changed


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
