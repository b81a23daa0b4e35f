"""The command as it was given, and one line for an error; apart from the rest, so that a wrong option is answered at once."""

import os
import shlex
import sys
from contextlib import suppress

from errbar.errors import ErrbarError

LONGEST_WORD = 400

given: list[str] = []
"""The words of the command that runs."""

# What changes from machine to machine and does not change the numbers.
_ASIDE = ("--data", "--store", "--out", "--csv", "--jobs", "--cluster")
_ASIDE_FLAGS = ("--json", "--quiet")


NOT_LITERAL = (ValueError, SyntaxError, TypeError, MemoryError, RecursionError)
"""What Python raises of a text that is no plain value, or too deep to be read."""


class StoppedError(ErrbarError):
    """The user stopped a run, and there is something to say about what is kept of it."""


def command() -> str:
    """Return the command without what does not change the numbers: places of files, workers, forms of output."""
    kept, skip = ["errbar"], False
    for word in given:
        name, equals, _ = word.partition("=")
        aside = name in _ASIDE
        if not skip and not aside and word not in _ASIDE_FLAGS:
            kept.append(word)
        skip = aside and not equals
    return shlex.join(kept)


def printable(text: str) -> str:
    """Return text on one line, without what could steer a terminal."""
    return "".join(char if char.isprintable() else "?" for char in text)


def print_error(message: str) -> None:
    """Write one line to standard error: nothing in it can steer a terminal, and nothing given at length floods it."""
    words = [
        word if len(word) <= LONGEST_WORD else f"{word[:120]}...{word[-40:]}"
        for word in message.split()
    ]
    with suppress(OSError, ValueError):  # nobody reads it; the status still tells
        print(f"errbar: {printable(' '.join(words))}", file=sys.stderr)  # noqa: T201 - this is the command line


def unwritable(error: Exception) -> str | None:
    """Return why standard output takes no more, and write nothing to it from now on; None if its reader has gone."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    if isinstance(error, BrokenPipeError):
        return None
    reason = getattr(error, "strerror", None) or "it is closed"
    return f"standard output cannot be written: {reason}"
