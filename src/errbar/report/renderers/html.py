"""The report as a web page of one file, and as a fragment for notebooks."""

import base64
import hashlib
from collections.abc import Sequence
from html import escape
from importlib.resources import files
from itertools import count
from typing import Any, NamedTuple

from errbar import _check
from errbar._markup import MINUS
from errbar._version import __version__
from errbar.report import numbers
from errbar.report.cells import Cell, Style
from errbar.report.document import Document
from errbar.report.parts import Section

_STYLE = Style(words=escape, digits=numbers.typeset, minus=MINUS, space="\N{NO-BREAK SPACE}")

_fragments = count(1)


class Above(NamedTuple):
    """What stands above several parts: what their names are, remarks on all, and where methods agree."""

    names: str = "Methods"
    remarks: Sequence[str] = ()
    agreements: Sequence[Section] = ()


def page(
    parts: Sequence[tuple[Document, str]], views: Sequence[Sequence[Section]], above: Above
) -> str:
    """Return a page that needs nothing else: style and the script are inside.

    Parameters
    ----------
    parts : sequence of tuples (Document, str)
        What to say, and what each part is called.
    views : sequence of sequence of Section
        The differences of each part, seen from one learner after the other.
    above : Above
        What stands above several parts.

    Returns
    -------
    str
        The page; its policy lets it load nothing, and run no script but its own.

    Raises
    ------
    MissingPackageError
        If jinja2 is not installed.
    """
    title, script = parts[0][0].title, _template("page.js")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    environment = _environment()
    shown = environment.get_template("page.html.jinja").render(
        title=title
        if all(document.title == title for document, _ in parts)
        else "Several comparisons",
        parts=[(*part, own) for part, own in zip(parts, views, strict=True)],
        above=above,
        style=_markup(_style(environment, ".errbar")),
        page_style=_markup(_template("page.css")),
        script=_markup(script),
        digest=f"sha256-{digest}",
        version=__version__,
    )
    return f"{shown}\n"


def fragment(parts: Sequence[tuple[Document, str]], remarks: Sequence[str] = ()) -> str:
    """Return the report as an element to be put into a page, such as a notebook.

    Parameters
    ----------
    parts : sequence of tuples (Document, str)
        What to say, and what each part is called.
    remarks : sequence of str
        On all parts.

    Returns
    -------
    str
        One ``style`` and one ``div`` element, without a script.

    Raises
    ------
    MissingPackageError
        If jinja2 is not installed.
    """
    # Several reports may stand in one notebook, and ids must not be used twice.
    prefix = f"errbar-{next(_fragments)}"
    environment = _environment()
    body = environment.get_template("fragment.html.jinja").render(
        parts=parts, prefix=prefix, remarks=remarks
    )
    # Named twice, the class outweighs the styles that notebooks have for lists and tables.
    return f'<style>\n{_style(environment, ".errbar.errbar")}</style>\n<div class="errbar">\n{body}\n</div>\n'


def _style(environment: Any, root: str) -> str:
    """Return the style of everything inside the element that a selector names."""
    return str(environment.get_template("style.css").render(root=root))


def _environment() -> Any:
    jinja2 = _check.package("jinja2", "app")
    environment = jinja2.Environment(loader=jinja2.FunctionLoader(_template), autoescape=True)
    environment.filters.update(written=_written)
    return environment


def _template(name: str) -> str:
    return files("errbar.report").joinpath("templates", name).read_text(encoding="utf-8")


def _markup(text: str) -> Any:
    """Mark text that has been made here, and is escaped already, as HTML."""
    return _check.package("markupsafe", "app").Markup(text)


def _written(value: Cell) -> Any:
    """Return a typed value as HTML."""
    return _markup(value.written(_STYLE))
