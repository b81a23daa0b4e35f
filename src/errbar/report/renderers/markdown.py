"""The report in Markdown, as GitHub, notebooks and pandoc read it."""

import re
from collections.abc import Iterable

from errbar import _markup
from errbar._markup import markdown as escape
from errbar.report.cells import Cell, Style
from errbar.report.document import Document
from errbar.report.parts import Fact, Section, Table


def render(document: Document) -> str:
    """Return the report in Markdown.

    Parameters
    ----------
    document : Document
        What to say.
    """
    return "\n\n".join(_blocks(document)) + "\n"


STYLE = Style(words=escape, digits=lambda digits: digits.replace("inf", _markup.INFINITY))


def _blocks(document: Document) -> Iterable[str]:
    yield f"# {escape(document.title)}"
    yield escape(document.subtitle)
    yield f"**{document.headline.written(STYLE)}**"
    yield from (sentence.written(STYLE) for sentence in document.details)
    for section in document.sections:
        yield f"## {escape(section.title)}"
        yield from _content(section)
    yield from _certainty(document)
    notes = tuple(document.notes)
    if notes:
        yield "### Notes"
        yield _facts(notes)
    yield "## How it was computed"
    yield _facts(document.computed)
    yield "### References"
    yield "\n".join(f"- {escape(reference)}" for reference in document.references)
    yield "### How to reproduce these numbers"
    yield _literal(document.call)
    yield _facts(document.reproduction)


def _certainty(document: Document) -> Iterable[str]:
    yield "## How sure, and why"
    yield f"What is estimated: {escape(document.estimated)}"
    if document.assumptions:
        yield "What is assumed:"
        yield "\n".join(f"- {escape(assumption)}" for assumption in document.assumptions)
    if document.certainty is not None:
        yield from _content(document.certainty)


def _content(section: Section) -> Iterable[str]:
    yield from (remark.written(STYLE) for remark in section.remarks)
    for table in section.tables:
        yield escape(table.caption)
        yield _table(table)
        yield from [escape(table.remark)] if table.remark else []


def _literal(text: str) -> str:
    """Return text as code; the fence is longer than any in the text."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}\n{text}\n{fence}"


def _facts(facts: Iterable[Fact]) -> str:
    return "\n".join(f"- **{escape(fact.term)}**: {escape(fact.text)}" for fact in facts)


def _table(table: Table) -> str:
    grid = [[column.header.written(STYLE) for column in table.columns]]
    grid += [[_cell(cell) for cell in row] for row in table.rows]
    widths = [max(map(len, cells)) for cells in zip(*grid, strict=True)]
    left = [column.align == "left" for column in table.columns]
    grid.insert(
        1,
        [
            "-" * width if own else "-" * (width - 1) + ":"
            for own, width in zip(left, widths, strict=True)
        ],
    )
    lines = (
        [
            cell.ljust(width) if own else cell.rjust(width)
            for cell, own, width in zip(row, left, widths, strict=True)
        ]
        for row in grid
    )
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _cell(cell: Cell) -> str:
    text = cell.written(STYLE)
    return f"**{text}**" if cell.strong else text
