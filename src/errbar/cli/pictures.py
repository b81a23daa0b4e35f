"""Pictures that commands write."""

import warnings
from pathlib import Path
from typing import Any

from errbar.cli import files
from errbar.cli.show import say
from errbar.errors import InvalidInputError

FORMATS = (".png", ".svg", ".pdf")


def check(path: Path | None) -> None:
    """Refuse a picture that could not be written, before anything is computed."""
    if path is None:
        return
    if path.suffix.lower() not in FORMATS:
        raise InvalidInputError(f"a plot ends in one of {', '.join(FORMATS)}, got '{path}'")
    files.check(path)


def write(axes: Any, path: Path, *, quiet: bool = False) -> None:
    """Write the figure of some axes."""
    with files.writing(path), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*missing from font.*")
        axes.figure.savefig(path, dpi=200)
    if not quiet:
        say(f"\nplot written to {path}")
