"""The report as a web page of one file, and as a fragment for notebooks."""

import base64
import hashlib
from collections.abc import Callable, Sequence
from functools import partial
from html import escape
from importlib.resources import files
from itertools import count
from typing import Any

from errbar import _check, plots
from errbar._version import __version__
from errbar.report import numbers
from errbar.report.cells import Cell, Style
from errbar.report.parts import Document, Figure, Perspective, Section

_STYLE = Style(words=escape, digits=numbers.typeset, minus=numbers.MINUS, space="\N{NO-BREAK SPACE}")

_fragments = count(1)


def page(
    documents: Sequence[Document],
    names: Sequence[str],
    views: Sequence[Sequence[Perspective]],
    agreement: Section | None = None,
) -> str:
    """Return a page that needs nothing else: style, figures and the script are inside.

    Parameters
    ----------
    documents : sequence of Document
        What to say, one part each.
    names : sequence of str
        What the parts are called.
    views : sequence of sequence of Perspective
        The differences of each part, seen from one learner after the other.
    agreement : Section, optional
        What stands above several parts.

    Returns
    -------
    str
        The page; its policy lets it load nothing, and run no script but its own.

    Raises
    ------
    MissingPackageError
        If jinja2 or matplotlib is not installed.
    """
    environment = _environment("errbar")
    script = _template("page.js")
    template = environment.get_template("page.html.jinja")
    shown = template.render(
        title=documents[0].title if len({document.title for document in documents}) == 1 else "Several comparisons",
        parts=list(zip(documents, names, views, strict=True)),
        agreement=agreement,
        style=_markup(_template("style.css")),
        page_style=_markup(_template("page.css")),
        script=_markup(script),
        digest=_digest(script),
        version=__version__,
    )
    return f"{shown}\n"


def fragment(documents: Sequence[Document], names: Sequence[str]) -> str:
    """Return the report as an element to be put into a page, such as a notebook.

    Parameters
    ----------
    documents : sequence of Document
        What to say, one part each.
    names : sequence of str
        What the parts are called.

    Returns
    -------
    str
        One ``style`` and one ``div`` element, without a script.

    Raises
    ------
    MissingPackageError
        If jinja2 or matplotlib is not installed.
    """
    # Several reports may stand in one notebook, and ids must not be used twice.
    prefix = f"errbar-{next(_fragments)}"
    template = _environment(prefix).get_template("fragment.html.jinja")
    body = template.render(parts=list(zip(documents, names, strict=True)), prefix=prefix)
    return f'<style>\n{_template("style.css")}</style>\n<div class="errbar">\n{body}\n</div>\n'


def _environment(prefix: str) -> Any:
    jinja2 = _check.package("jinja2", "app")
    environment = jinja2.Environment(loader=jinja2.FunctionLoader(_template), autoescape=True)
    filters: dict[str, Callable[..., Any]] = {"written": _written, "drawn": partial(_drawn, prefix)}
    environment.filters.update(filters)
    return environment


def _template(name: str) -> str:
    return files("errbar.report").joinpath("templates", name).read_text(encoding="utf-8")


def _markup(text: str) -> Any:
    """Mark text that has been made here, and is escaped already, as HTML."""
    return _check.package("markupsafe", "app").Markup(text)


def _digest(script: str) -> str:
    """Return what a policy knows a script by."""
    return f"sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}"


def _written(value: Cell | str) -> Any:
    """Return a typed value, or plain words, as HTML."""
    return _markup(_STYLE.words(value) if isinstance(value, str) else value.written(_STYLE))


def _drawn(prefix: str, figure: Figure, part: str) -> Any:
    name = f"{prefix}-{part}{figure.key}-figure"
    return _markup(plots.svg(figure.chart, name, figure.caption, figure.alt))
