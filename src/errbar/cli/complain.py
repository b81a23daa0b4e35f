"""One line for an error; apart from the rest, so that a wrong option is answered at once."""

import sys

from errbar.errors import ErrbarError


class StoppedError(ErrbarError):
    """The user stopped a run, and there is something to say about what is kept of it."""


def complain(message: str) -> None:
    """Write one line to standard error."""
    print(f"errbar: {' '.join(message.split())}", file=sys.stderr)  # noqa: T201 - this is the command line
