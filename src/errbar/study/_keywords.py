"""Keywords that no function knows: which one was meant."""

from collections.abc import Callable, Collection
from inspect import signature
from typing import Any

from errbar.errors import InvalidInputError, hint
from errbar.methods._core.registry import catalogue, refuse_foreign

_OF_TABLES = ("loss", "positive", "pool")
_OF_RUNS = ("plan", "groups", "time", "stratify", "looks", "n_jobs", "store", "random_state")


def refuse_unknown(function: Callable[..., Any], options: Collection[str]) -> None:
    """Raise if an option is none of any method, and is likely meant as another keyword of the function."""
    known = [
        name for name, one in signature(function).parameters.items() if one.kind is one.KEYWORD_ONLY
    ]
    for name in options:
        if name in known or any(name in spec.options for spec in catalogue().values()):
            continue
        refuse_foreign(name)
        near = hint(name, known)
        if near:
            raise InvalidInputError(
                f"is no argument of errbar.{function.__name__}{near}", argument=name
            )


def refuse_other_numbers(changes: Collection[str]) -> None:
    """Raise if a question about the same numbers is asked with what would change them."""
    for name in changes:
        if name in _OF_TABLES:
            raise InvalidInputError(
                "does not go with `again`, which asks the same numbers; for other numbers of the same predictions, give "
                "errbar.compare_table the table comparison.table.with_loss('f1'), say",
                argument=name,
            )
        if name in _OF_RUNS:
            raise InvalidInputError(
                "does not go with `again`, which asks the same numbers; run errbar.compare for others",
                argument=name,
            )
