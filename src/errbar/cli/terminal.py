"""What the terminal at hand can show."""

import os
import shutil
import sys
from typing import Any

NARROWEST = 40


def has_colour() -> bool:
    """Return whether standard output is a terminal that wants colour."""
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return not plain and sys.stdout is not None and sys.stdout.isatty()


def width_of(*, fallback: int) -> int:
    """Return the characters of a line; `fallback` is taken where there is no terminal."""
    return max(NARROWEST, shutil.get_terminal_size((fallback, 24)).columns)


def is_dumb(stream: Any) -> bool:
    """Return whether a stream is no terminal, or one that cannot write over what it has shown."""
    return stream is None or not stream.isatty() or os.environ.get("TERM") == "dumb"


def forgive() -> None:
    """Let standard output show what its encoding lacks by an escape, instead of failing in the middle of a table."""
    stream: Any = sys.stdout
    if hasattr(stream, "reconfigure"):
        stream.reconfigure(errors="backslashreplace")


def styled(text: str, **style: Any) -> str:
    """Return text in a colour or weight, as ``typer.style`` knows them, where the terminal wants that."""
    if not has_colour():
        return text
    import typer

    return typer.style(text, **{name: value for name, value in style.items() if value})
