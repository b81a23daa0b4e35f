"""The report for a terminal."""

import io
import os
import shutil
import sys
import textwrap
from collections.abc import Sequence
from typing import Any

from errbar import _check
from errbar.report.parts import Document, Fact, Table

_WIDEST_PROSE = 100
_WITHOUT_TERMINAL = 100
_GAP = 2
_NARROWEST, _WIDE_NAME = 10, 24


def render(document: Document, *, width: int | None = None, color: bool | None = None) -> str:
    """Return the report as text.

    Parameters
    ----------
    document : Document
        What to say.
    width : int, optional
        Characters per line; by default those of the terminal.
    color : bool, optional
        Whether to use bold and colour; by default only on a terminal, and not where NO_COLOR is set.

    Raises
    ------
    MissingPackageError
        If rich is not installed.
    """
    console = _console(width=width, color=color)
    _write(console, document)
    return _output(console)


def render_study(
    title: str,
    tables: Sequence[Table],
    conclusion: Sequence[str],
    facts: Sequence[Fact],
    *,
    width: int | None = None,
    color: bool | None = None,
) -> str:
    """Return tables, conclusion and facts under a title; `width` and `color` as for `render`."""
    from rich.text import Text

    console = _console(width=width, color=color)
    prose = min(console.width, _WIDEST_PROSE)
    console.print(Text(title, style="bold"), width=prose)
    for table in tables:
        console.print()
        _write_table(console, table)
    console.print()
    for sentence in conclusion:
        _write_hanging(console, Text(sentence), prose)
    console.print()
    _write_items(console, list(facts), prose)
    return _output(console)


def _console(*, width: int | None, color: bool | None) -> Any:
    _check.package("rich", "app")
    from rich.console import Console

    styled = _wants_color() if color is None else color
    columns = shutil.get_terminal_size((_WITHOUT_TERMINAL, 24)).columns if width is None else width
    return Console(
        file=io.StringIO(),
        width=max(40, columns),
        force_terminal=styled,
        color_system="standard" if styled else None,
        no_color=not styled,
        markup=False,
        emoji=False,
        highlight=False,
        legacy_windows=False,
        force_jupyter=False,
    )


def _output(console: Any) -> str:
    output = console.file
    assert isinstance(output, io.StringIO)
    return "\n".join(line.rstrip() for line in output.getvalue().strip("\n").splitlines())


def _wants_color() -> bool:
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return not plain and sys.stdout is not None and sys.stdout.isatty()


def _write(console: Any, document: Document) -> None:
    from rich.text import Text

    prose = min(console.width, _WIDEST_PROSE)
    console.print(Text(document.title, style="bold"), width=prose)
    console.print(Text(document.subtitle, style="dim"), width=prose)
    for section in reversed(document.sections):  # the answer is last, next to the prompt
        for table in section.tables:
            console.print()
            _write_table(console, table)
    console.print()
    for sentence in document.conclusion:
        _write_hanging(console, Text(sentence), prose)
    if document.notes:
        console.print()
        _write_items(console, [Fact(f"note {note.code}", note.text) for note in document.notes], prose)
    console.print()
    _write_items(console, [fact for fact in document.computed if fact.term in _KEPT], prose)


# A terminal is for the answer; the files have the rest.
_KEPT = (
    "Method",
    "Method of differences",
    "Method of pairs",
    "Method of learners",
    "Method of all learners",
    "Estimated",
    "Splits",
    "Fits",
)


def _write_items(console: Any, facts: list[Fact], width: int) -> None:
    from rich.text import Text

    for fact in facts:
        _write_hanging(console, Text.assemble((f"{fact.term}: ", "bold"), fact.text), width)


def _write_hanging(console: Any, line: Any, width: int) -> None:
    """Write one item, its further lines indented."""
    from rich.text import Text

    for number, part in enumerate(line.wrap(console, width - 2)):
        console.print(Text("  " if number else "") + part, no_wrap=True, overflow="ignore")


def _write_table(console: Any, table: Table) -> None:
    from rich.text import Text

    prose = min(console.width, _WIDEST_PROSE)
    console.print(Text(table.caption, style="bold"), width=prose)
    shown, left_out = _fitting(table, console.width)
    console.print(_grid(table, shown, console.width), crop=False)
    remark = table.remark
    if left_out:
        remark += f" Left out for want of room: {', '.join(left_out)}."
    if remark.strip():
        console.print(Text(remark.strip(), style="dim"), width=prose)


def _grid(table: Table, shown: list[int], width: int) -> Any:
    from rich import box
    from rich.table import Table as Grid
    from rich.text import Text

    unicode = (getattr(sys.stdout, "encoding", None) or "").lower().startswith("utf")
    grid = Grid(box=box.SIMPLE_HEAD if unicode else _plain_box(), pad_edge=False, show_edge=False, padding=(0, 1, 0, 0))
    room = max(_NARROWEST, width - _needed(table, shown[1:]))
    widths = [min(room, _longest(table, 0)), *(_width(table, position) for position in shown[1:])]
    for position, wide in zip(shown, widths, strict=True):
        column = table.columns[position]
        head = Text("\n".join(textwrap.wrap(column.header, wide)))
        grid.add_column(head, justify=column.align, vertical="bottom", overflow="fold", width=wide, header_style="bold")
    for row in table.rows:
        grid.add_row(*(Text(row[position].text, style="bold" if row[position].strong else "") for position in shown))
    return grid


def _plain_box() -> Any:
    from rich.box import Box

    return Box("    \n    \n -- \n    \n    \n -- \n    \n    \n", ascii=True)


def _fitting(table: Table, width: int) -> tuple[list[int], list[str]]:
    """Choose the columns that fit; digits are never cut, so optional columns go first, the last ones first."""
    shown = list(range(len(table.columns)))
    left_out: list[str] = []
    for position in sorted((i for i in shown if table.columns[i].optional), key=_order(table)):
        if min(_WIDE_NAME, _longest(table, 0)) + _needed(table, shown[1:]) <= width:
            break
        shown.remove(position)
        left_out.append(table.columns[position].header.lower())
    return shown, left_out


def _order(table: Table) -> Any:
    naive = [column.header.startswith("Naive") for column in table.columns]
    return lambda position: (not naive[position], position)


def _needed(table: Table, positions: list[int]) -> int:
    """Return the width of columns of numbers with the gaps before them."""
    return sum(_GAP + _width(table, position) for position in positions)


def _width(table: Table, position: int) -> int:
    """Return the width of a column of numbers: its longest cell, or the longest word of its head."""
    return max(_longest(table, position), *(len(word) for word in table.columns[position].header.split()))


def _longest(table: Table, position: int) -> int:
    from rich.cells import cell_len

    cells = [cell_len(row[position].text) for row in table.rows]
    return max([*cells, 0 if position else len(table.columns[0].header)], default=0)
