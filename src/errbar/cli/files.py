"""Files that commands write."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from errbar.errors import InvalidInputError


def check(path: Path) -> None:
    """Refuse a file that could not be written, before anything is computed."""
    if not path.parent.is_dir():
        raise InvalidInputError(f"there is no folder '{path.parent}' to write '{path.name}' to")
    if path.is_dir():
        raise InvalidInputError(f"'{path}' is a folder; a file is needed")


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Say in one line why the system refuses a file."""
    try:
        yield
    except OSError as error:
        raise InvalidInputError(f"'{path}' cannot be written: {error.strerror or error}") from None
