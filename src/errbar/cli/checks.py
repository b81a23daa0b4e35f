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


def pair(text: str, learners: tuple[str, ...]) -> tuple[str, str]:
    """Split ``a,b`` at a comma that leaves the names of two learners, or at the first; a name may hold commas."""
    parts = text.split(",")
    cuts = [
        (",".join(parts[:i]).strip(), ",".join(parts[i:]).strip()) for i in range(1, len(parts))
    ]
    if not cuts:
        raise InvalidInputError(
            f"--pair must be two names with a comma between them, such as tree,forest, got {text!r}"
        )
    return next((names for names in cuts if set(names) <= set(learners)), cuts[0])
