"""Pictures that commands write."""

import warnings
from pathlib import Path
from typing import Any

from errbar.cli.show import say
from errbar.errors import InvalidInputError

FORMATS = (".png", ".svg", ".pdf")


def check(path: Path | None) -> None:
    """Refuse a picture that could not be written, before anything is computed."""
    if path is None:
        return
    if path.suffix.lower() not in FORMATS:
        raise InvalidInputError(f"a plot ends in one of {', '.join(FORMATS)}, got '{path}'")
    if not path.parent.is_dir():
        raise InvalidInputError(f"there is no folder '{path.parent}' to write '{path.name}' to")
    if path.is_dir():
        raise InvalidInputError(f"'{path}' is a folder; a file is needed")


def write(axes: Any, path: Path, *, quiet: bool = False) -> None:
    """Write the figure of some axes."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*missing from font.*")
        try:
            axes.figure.savefig(path, dpi=200)
        except OSError as error:
            raise InvalidInputError(f"the plot cannot be written to '{path}': {error.strerror or error}") from None
    if not quiet:
        say(f"\nplot written to {path}")
