"""What tutorials print and draw, made at every build by running them as the tests do.

A block of code with a ``:name:`` leaves what it prints in ``generated/tutorials/<name>.txt``. Every file that a page saves
as a picture or a table lands beside it. So a page shows what the commands say today, and no output is pasted by hand.
"""

import os
import tempfile
from contextlib import chdir
from importlib.util import find_spec
from pathlib import Path
from unittest.mock import patch

import matplotlib as mpl
from catalogue import write
from sphinx.application import Sphinx
from tests.docs.pages import RUN, Session, blocks_of, ordered

WIDTH = 88  # characters that fit beside the table of contents
SAVED = ("*.svg", "*.tex")


def generate(app: Sphinx) -> None:
    """Run the start page, all tutorials, and the guide to planning."""
    folder = Path(app.srcdir)
    shown = [folder / "index.rst", folder / "guide" / "planning.rst"]
    for page in [*shown, *sorted((folder / "tutorials").glob("*.rst"))]:
        for name, text in outputs(page).items():
            write(folder / "generated" / "tutorials" / name, text)


def outputs(page: Path) -> dict[str, str]:
    """Run a page from top to bottom in an empty folder, and return what it leaves, by file name."""
    session, found = Session(page.name), {}
    with (
        tempfile.TemporaryDirectory() as folder,
        chdir(folder),
        patch.dict(os.environ, COLUMNS=str(WIDTH)),
        mpl.rc_context({"svg.hashsalt": "errbar"}),
    ):
        for block in ordered(blocks_of(page)):
            there = not block.needs or find_spec(block.needs)
            if block.language in RUN and there:
                printed = session.run(block)
                if block.name:
                    found[f"{block.name}.txt"] = printed
        for pattern in SAVED:
            found |= {path.name: path.read_text(encoding="utf-8") for path in Path().glob(pattern)}
    return found


def setup(app: Sphinx) -> dict[str, bool]:
    """Run the pages before anything is read."""
    app.connect("builder-inited", generate)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
