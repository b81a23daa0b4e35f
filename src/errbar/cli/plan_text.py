"""Plans written as text."""

import ast
from dataclasses import MISSING, fields, is_dataclass
from typing import Any

from errbar import plans
from errbar.cli.checks import NOT_LITERAL
from errbar.errors import InvalidInputError
from errbar.plans import Plan


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


def parse_plan(text: str) -> Plan:
    """Return a plan from text such as ``KFold(folds=10, repeats=10)``, or from a number of folds; nothing is evaluated.

    Parameters
    ----------
    text : str
        Name of a plan of `errbar.plans`, with keyword arguments that are numbers, True, False or None. Of a plan that is made
        of another, this is written in the same way, and the first argument may go without its name: ``Seeds(5,
        plan=Holdout(n_test=0.2))``.
    """
    if text.strip().isdigit():
        return plans.KFold(int(text))
    try:
        return _plan(ast.parse(text.strip(), mode="eval").body, text)
    except NOT_LITERAL as error:
        if isinstance(error, InvalidInputError):
            raise
        raise _unlike(text) from None


def _unlike(text: str) -> InvalidInputError:
    return InvalidInputError(
        f"--plan must look like KFold(folds=10, repeats=10), with the name of each argument, got {text!r}"
    )


def _plan(node: ast.expr, text: str) -> Plan:
    known = writable()
    call = node if isinstance(node, ast.Call) else ast.Call(node, [], [])
    name = ast.unparse(call.func)
    if any(keyword.arg is None for keyword in call.keywords) or not all(
        part.isidentifier() for part in name.split(".")
    ):
        raise _unlike(text)
    name = next((one for one in known if one.lower() == name.lower()), name)
    if name not in known:
        remedy = "; --stratify with --folds keeps the shares of classes" * (
            "stratified" in name.lower()
        )
        remedy += "; --groups keeps groups whole" * ("group" in name.lower())
        raise InvalidInputError(f"--plan must be one of {', '.join(known)}, got {text!r}{remedy}")
    allowed = [field.name for field in fields(known[name])]
    given = [ast.literal_eval(value) for value in call.args]
    # Of a size nobody could tell whether it is that of the training or of the test set.
    if len(given) > ("plan" in allowed):
        raise _unlike(text)
    arguments: dict[str, Any] = dict(zip(allowed, given, strict=False))
    for keyword in call.keywords:
        if keyword.arg not in allowed:
            raise InvalidInputError(
                f"--plan {name} has no parameter {keyword.arg!r}; it has: {', '.join(allowed) or 'none'}"
            )
        if keyword.arg in arguments:
            raise _unlike(text)
        nested = keyword.arg == "plan"
        arguments[keyword.arg] = (
            _plan(keyword.value, text) if nested else ast.literal_eval(keyword.value)
        )
    plan: Plan = known[name](**arguments)
    return plan
