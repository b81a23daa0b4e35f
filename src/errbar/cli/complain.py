"""One line for an error; apart from the rest, so that a wrong option is answered at once."""

import sys


def complain(message: str) -> None:
    """Write one line to standard error."""
    print(f"errbar: {' '.join(message.split())}", file=sys.stderr)  # noqa: T201 - this is the command line
