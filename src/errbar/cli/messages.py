"""One line for an error; apart from the rest, so that a wrong option is answered at once."""

import sys

from errbar.errors import ErrbarError

LONGEST_WORD = 400


class StoppedError(ErrbarError):
    """The user stopped a run, and there is something to say about what is kept of it."""


def print_error(message: str) -> None:
    """Write one line to standard error: nothing in it can steer a terminal, and nothing given at length floods it."""
    words = [word if len(word) <= LONGEST_WORD else f"{word[:120]}...{word[-40:]}" for word in message.split()]
    shown = "".join(char if char.isprintable() else "?" for char in " ".join(words))
    print(f"errbar: {shown}", file=sys.stderr)  # noqa: T201 - this is the command line
