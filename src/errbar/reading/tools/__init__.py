"""What other tools write: logs and objects, each read by what it holds."""

from pathlib import Path

_HEAD = 2**16


def head(place: Path) -> bytes:
    """Return the first bytes of a text."""
    with place.open("rb") as log:
        return log.read(_HEAD).removeprefix(b"\xef\xbb\xbf").lstrip()
