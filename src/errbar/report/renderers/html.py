"""The report as a web page of one file, and as a fragment for notebooks."""

import re
from collections.abc import Callable
from functools import partial
from importlib.resources import files
from itertools import count
from typing import Any

from errbar import _check, plots
from errbar.report import numbers
from errbar.report.document import Cell, Document, Figure

_TOGETHER = re.compile(r"(?<=\d) (?=%)|(?<=\bp) (?=[=<])|(?<=[=<]) (?=\d)")

_fragments = count(1)


def page(document: Document) -> str:
    """Return a page that needs nothing else: style and figures are inside.

    Parameters
    ----------
    document : Document
        What to say.

    Raises
    ------
    MissingPackageError
        If jinja2 or matplotlib is not installed.
    """
    environment = _environment("errbar")
    body = _markup(_body(environment, document, "errbar", level=1))
    template = environment.get_template("page.html.jinja")
    return f"{template.render(document=document, body=body, style=_markup(_style()))}\n"


def fragment(document: Document) -> str:
    """Return the report as an element to be put into a page, such as a notebook.

    Parameters
    ----------
    document : Document
        What to say.

    Raises
    ------
    MissingPackageError
        If jinja2 or matplotlib is not installed.
    """
    # Several reports may stand in one notebook, and ids must not be used twice.
    prefix = f"errbar-{next(_fragments)}"
    body = _body(_environment(prefix), document, prefix, level=3)
    return f'<style>\n{_style()}</style>\n<div class="errbar">\n{body}\n</div>\n'


def _body(environment: Any, document: Document, prefix: str, *, level: int) -> str:
    template = environment.get_template("fragment.html.jinja")
    return str(template.render(document=document, prefix=prefix, level=level))


def _environment(prefix: str) -> Any:
    jinja2 = _check.package("jinja2", "app")
    environment = jinja2.Environment(loader=jinja2.FunctionLoader(_template), autoescape=True)
    filters: dict[str, Callable[..., Any]] = {"shown": _shown, "typeset": _typeset, "drawn": partial(_drawn, prefix)}
    environment.filters.update(filters)
    return environment


def _template(name: str) -> str:
    return files("errbar.report").joinpath("templates", name).read_text(encoding="utf-8")


def _style() -> str:
    return _template("style.css")


def _markup(text: str) -> Any:
    """Mark text that has been made here, and is escaped already, as HTML."""
    return _check.package("markupsafe", "app").Markup(text)


def _shown(cell: Cell) -> str:
    """Return the text of a cell, digits with proper signs."""
    return (
        cell.text.replace("inf", numbers.INFINITY).replace("-", numbers.MINUS) if cell.kind == "number" else cell.text
    )


def _typeset(sentence: str) -> str:
    """Return a sentence with proper minus signs, and with spaces where no line may break."""
    return _TOGETHER.sub("\N{NO-BREAK SPACE}", numbers.signed(sentence))


def _drawn(prefix: str, figure: Figure) -> Any:
    drawing = plots.svg(figure.chart, f"{prefix}-{figure.key}-figure", figure.caption, figure.alt)
    return _markup(drawing)
