"""Plans written as text."""

from dataclasses import MISSING, fields, is_dataclass
from typing import Any

from errbar import plans
from errbar.cli.models import parse_call
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
    """Return a plan from text such as ``KFold(folds=10, repeats=10)``; nothing is evaluated.

    Parameters
    ----------
    text : str
        Name of a plan of `errbar.plans`, with keyword arguments that are numbers, True, False or None.
    """
    known = writable()
    try:
        name, arguments = parse_call(text.strip())
    except InvalidInputError:
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
