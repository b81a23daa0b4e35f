"""Files that commands write."""

import re
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from errbar import _check
from errbar.cli.messages import print_error
from errbar.cli.show import say
from errbar.errors import InvalidInputError

PLOTS = (".png", ".svg", ".pdf")


def refuse_read(out: Path, asked: Any) -> None:
    """Refuse to write over a file that the same command reads."""
    for name in ("data", "scores", "store"):
        given = getattr(asked, name, None)
        places = given if isinstance(given, list) else [given]
        if any(place is not None and Path(place).resolve() == out.resolve() for place in places):
            raise InvalidInputError(f"'{out}' is read by this command; name another")


def check(path: Path | None, endings: Sequence[str] = ("",)) -> None:
    """Refuse a file that could not be written, before anything is computed."""
    if path is None:
        return
    if not path.name.lower().endswith(tuple(endings)):
        raise InvalidInputError(f"'{path}' must end in one of {', '.join(endings)}")
    if path.is_dir() or not path.parent.is_dir():
        raise InvalidInputError(f"'{path}' cannot be written: no such folder")


def check_plot(path: Path | None) -> None:
    """Refuse a picture that could not be written."""
    check(path, PLOTS)


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Say in one line why the system refuses a file."""
    try:
        yield
    except OSError as error:
        raise InvalidInputError(f"'{path}' cannot be written: {error.strerror or error}") from None


def write_plot(draw: Callable[[Any], Any], found: Any, path: Path, *, quiet: bool = False) -> None:
    """Draw what was found, and write the figure."""
    _check.package("matplotlib", "app")
    from matplotlib import style

    from errbar.plots import STYLE

    with (
        writing(path),
        style.context(STYLE),
        warnings.catch_warnings(record=True) as caught,
    ):
        warnings.simplefilter("always")
        draw(found).figure.savefig(path)
    codes = dict.fromkeys(re.findall(r"Glyph (\d+)", " ".join(str(one.message) for one in caught)))
    if codes:
        print_error(
            f"no font here has {''.join(chr(int(code)) for code in codes)}; see {path.name}"
        )
    if not quiet:
        say(f"\nplot written to {path}")
