"""One line for an error; apart from the rest, so that a wrong option is answered at once."""

import os
import sys
from contextlib import suppress

from errbar.errors import ErrbarError

LONGEST_WORD = 400


class StoppedError(ErrbarError):
    """The user stopped a run, and there is something to say about what is kept of it."""


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
    reason = getattr(error, "strerror", None) or "it is closed"
    return (
        None
        if isinstance(error, BrokenPipeError)
        else f"standard output cannot be written: {reason}"
    )
