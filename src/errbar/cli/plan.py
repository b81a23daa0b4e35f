"""Plans and looks that are written as text; nothing in it is evaluated."""

import ast
from collections.abc import Sequence
from dataclasses import MISSING, fields, is_dataclass
from typing import Any

from errbar import plans
from errbar.cli.checks import NOT_LITERAL
from errbar.errors import ErrbarError, InvalidInputError, one_line
from errbar.plans import Plan, Union

_LIKE = "KFold(folds=10, repeats=2)"


def writable() -> dict[str, Any]:
    """Return the plans that can be written as text, by name: all but those that are made from other objects."""
    named = {name: getattr(plans, name) for name in plans.__all__}
    return {
        name: kind
        for name, kind in named.items()
        if is_dataclass(kind)
        and issubclass(kind, Plan)  # type: ignore[arg-type] # a dataclass of that module is a class
        and all(field.default is not MISSING for field in fields(kind))
    }


def plan_of(texts: Sequence[str]) -> Plan | None:
    """Return the plans that are written, as one; None where none is, since the method knows its own."""
    found = tuple(dict.fromkeys(map(parse_plan, texts)))
    if len(found) < 2:
        return found[0] if found else None
    return Union(found)


def parse_plan(text: str) -> Plan:
    """Return a plan from text such as ``KFold(folds=10, repeats=2)``, or from a number of folds.

    It is written as in Python, in small letters too: ``Seeds(5, plan=Holdout(n_test=0.2))``.
    """
    if text.strip().isdigit():
        return plans.KFold(int(text))
    try:
        return _called(ast.parse(text.strip(), mode="eval").body)
    except ErrbarError:
        raise
    except NOT_LITERAL as error:
        raise InvalidInputError(
            f"must be written like {_LIKE}, got {text!r}: {one_line(error)}", argument="plan"
        ) from None


def _called(node: ast.expr) -> Plan:
    call = node if isinstance(node, ast.Call) else ast.Call(node, [], [])
    known = {name.lower(): kind for name, kind in writable().items()}
    kind = known.get(ast.unparse(call.func).lower())
    if kind is None:
        raise InvalidInputError(
            f"must be one of {', '.join(writable())}, written like {_LIKE}", argument="plan"
        )
    arguments = {str(one.arg): _value(one.value) for one in call.keywords}
    plan: Plan = kind(*map(_value, call.args), **arguments)
    return plan


def _value(node: ast.expr) -> Any:
    return _called(node) if isinstance(node, ast.Call | ast.Name) else ast.literal_eval(node)


def looks_of(text: str) -> tuple[int, ...]:
    """Return numbers of splits such as ``15,30,60,100``."""
    try:
        return tuple(map(int, text.split(",")))
    except ValueError:
        raise InvalidInputError(
            f"must be numbers of splits such as 15,30,60,100, got {text!r}", argument="looks"
        ) from None


def size(text: str, option: str) -> float:
    """Return a count from ``30`` or a fraction from ``0.1``."""
    try:
        return int(text) if text.strip().isdigit() else float(text)
    except ValueError:
        raise InvalidInputError(
            f"{option} must be a count such as 30 or a fraction such as 0.1, got {text!r}"
        ) from None
