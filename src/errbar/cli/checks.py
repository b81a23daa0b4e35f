"""Words on the command line that can be judged by themselves."""

from collections.abc import Iterable
from typing import Any

from errbar.errors import InvalidInputError

NOT_LITERAL = (ValueError, SyntaxError, TypeError, MemoryError, RecursionError)
"""What Python raises of a text that is no plain value, or too deep to be read."""


def written(name: str) -> str:
    """Return an option as it is written on the command line."""
    return f"--{name.replace('_', '-')}"


def refuse(asked: Any, names: Iterable[str], why: str) -> None:
    """Refuse the first of some options that is given."""
    for name in names:
        if getattr(asked, name) not in (None, False):
            raise InvalidInputError(f"{written(name)} {why}")


def name(text: str, option: str) -> str:
    """Return a name, if it can be shown on a line."""
    if not text.strip() or not text.isprintable():
        raise InvalidInputError(f"{option} must be a name on one line, got {text!r}")
    return text
