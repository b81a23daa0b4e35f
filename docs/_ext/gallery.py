"""The pictures of the gallery, drawn at every build by the code that stands above them on the page.

A block of code that is followed by a picture leaves the axes of that picture in ``ax``; other blocks prepare what those below use.
"""

import io
import re
import textwrap
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from catalogue import write
from sphinx.application import Sphinx

_BLOCK = re.compile(
    r"^\.\. code-block:: python\n\n(?P<code>(?:   .*\n|\n)+)"
    r"(?:\.\. image:: /generated/gallery/(?P<name>[\w-]+)\.svg\n   :alt: \S)?",
    re.MULTILINE,
)


class Block(NamedTuple):
    """A block of code of the page, and the picture below it, if there is one."""

    code: str
    name: str | None


def generate(app: Sphinx) -> None:
    """Draw all pictures."""
    folder = Path(app.srcdir)
    for name, picture in pictures((folder / "gallery.rst").read_text(encoding="utf-8")):
        write(folder / "generated" / "gallery" / f"{name}.svg", picture)


def blocks(page: str) -> list[Block]:
    """Return the blocks of code of a page, in order."""
    return [
        Block(textwrap.dedent(found["code"]).strip() + "\n", found["name"])
        for found in _BLOCK.finditer(page)
    ]


def pictures(page: str) -> Iterator[tuple[str, str]]:
    """Run the code of a page from top to bottom, and yield the name and drawing of each picture."""
    space: dict[str, Any] = {}
    for block in blocks(page):
        exec(compile(block.code, f"gallery.rst ({block.name or 'preparation'})", "exec"), space)
        if block.name:
            yield block.name, drawing(space.pop("ax").figure)


def drawing(figure: Any) -> str:
    """Return a figure as SVG, the same bytes for the same figure."""
    import matplotlib as mpl
    import matplotlib.pyplot as plt

    buffer = io.StringIO()
    with (
        mpl.rc_context({"svg.hashsalt": "errbar", "svg.fonttype": "path"}),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("error")
        figure.savefig(buffer, format="svg", metadata={"Date": None})
    plt.close(figure)
    return buffer.getvalue()


def setup(app: Sphinx) -> dict[str, bool]:
    """Draw the pictures before anything is read."""
    app.connect("builder-inited", generate)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
