"""The report for a terminal. It needs no package."""

import os
import shutil
import sys
import textwrap
import unicodedata
from collections.abc import Iterable, Sequence

from errbar.report.document import Document
from errbar.report.parts import Fact, ReportColumn, Table

_WIDEST_PROSE = 100
_WITHOUT_TERMINAL = 100
_GAP, _MARK_GAP = 2, 1
_NARROWEST, _WIDE_NAME = 10, 24
_BOLD, _DIM = "1", "2"


def render(document: Document, *, width: int | None = None, color: bool | None = None) -> str:
    """Return the report as text.

    Parameters
    ----------
    document : Document
        What to say.
    width : int, optional
        Characters per line; by default those of the terminal.
    color : bool, optional
        Whether to use bold and dim text; by default only on a terminal, and not where NO_COLOR is set.
    """
    sheet = _Sheet(width, color=color)
    sheet.write(document.title, _BOLD)
    sheet.write(document.subtitle, _DIM)
    for section in document.sections:
        for table in section.tables:
            sheet.write_table(table)
        for remark in section.remarks:
            sheet.write(str(remark), _DIM)
    notes = [(f"note {note.term}: ", note.text) for note in document.notes]
    if notes:
        sheet.write_items(notes)
    sheet.write_items((f"{fact.term}: ", fact.text) for fact in document.facts(briefly=True))
    # The answer is last, next to the prompt.
    sheet.lines.append("")
    sheet.write(str(document.headline), _BOLD)
    if document.details:
        sheet.write_items(("", str(sentence)) for sentence in document.details)
    return sheet.text()


def prose(words: str, *, width: int | None = None) -> str:
    """Return running text; `width` as for `render`."""
    return "\n".join(_wrapped(words, _Sheet(width, color=False).prose))


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
    sheet = _Sheet(width, color=color)
    sheet.write(title, _BOLD)
    for table in tables:
        sheet.write_table(table)
    sheet.write_items(("", sentence) for sentence in conclusion)
    sheet.write_items((f"{fact.term}: ", fact.text) for fact in facts)
    return sheet.text()


class _Sheet:
    """Lines that fit a terminal, some of them bold or dim."""

    def __init__(self, width: int | None, *, color: bool | None) -> None:
        columns = (
            shutil.get_terminal_size((_WITHOUT_TERMINAL, 24)).columns if width is None else width
        )
        self.width = max(40, columns)
        self.prose = min(self.width, _WIDEST_PROSE)
        if color is None:
            plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
            color = not plain and sys.stdout is not None and sys.stdout.isatty()
        self.color = color
        unicode = (getattr(sys.stdout, "encoding", None) or "").lower().startswith("utf")
        self.rule = "─" if unicode else "-"
        self.lines: list[str] = []

    def text(self) -> str:
        return "\n".join(line.rstrip() for line in self.lines)

    def write(self, text: str, style: str) -> None:
        self.lines += [self._styled(line, style) for line in _wrapped(text, self.prose)]

    def write_items(self, items: Iterable[tuple[str, str]]) -> None:
        """Write items below an empty line, each a bold head and a text, their further lines indented."""
        self.lines.append("")
        for head, text in items:
            first, *others = _wrapped(head + text, self.prose - 2)
            self.lines.append(self._styled(first[: len(head)], _BOLD) + first[len(head) :])
            self.lines += [f"  {line}" for line in others]

    def write_table(self, table: Table) -> None:
        """Write a table below an empty line; digits are never cut, so columns that can be spared go where room is short."""
        self.lines.append("")
        self.write(table.caption, _BOLD)
        widths = _widths(table)
        shown, left_out = _fitting(table, widths, self.width)
        rows, remark = table.rows, table.remark
        room = self.width - min(_WIDE_NAME, widths[0]) - _needed(table, widths, shown)
        if table.marks and room < 0:
            # A matrix keeps as many of its first rows and columns as there is room for.
            kept = max(0, table.marks + room // (1 + _MARK_GAP))
            shown, rows = shown[: len(shown) - table.marks + kept], rows[:kept]
            remark += f" For want of room only {kept} of {table.marks} rows and columns; a page (.html) has them all."
        room = self.width - _needed(table, widths, shown)
        if room < min(_NARROWEST, widths[0]):
            # The last resort of a very narrow terminal: cells break, but only where they have spaces.
            widths[1:] = _widths(table, whole=False)[1:]
        widths[0] = min(max(_NARROWEST, room), widths[0])
        columns = [(table.columns[place], widths[place]) for place in shown]
        self._write_row(
            columns, [(textwrap.wrap(str(column.header), width), True) for column, width in columns]
        )
        self.lines.append(self.rule * (widths[0] + _needed(table, widths, shown)))
        for row in rows:
            self._write_row(
                columns,
                [(_wrapped(str(row[place]), widths[place]), row[place].strong) for place in shown],
            )
        if left_out:
            remark += f" Left out for want of room: {', '.join(left_out)}."
        if remark.strip():
            self.write(remark.strip(), _DIM)

    def _write_row(
        self, columns: Sequence[tuple[ReportColumn, int]], cells: Sequence[tuple[list[str], bool]]
    ) -> None:
        """Write one row, whose cells may have several lines and end on the same one; some are bold."""
        height = max(len(lines) for lines, _ in cells)
        blocks: list[list[str]] = []
        for (column, width), (lines, bold) in zip(columns, cells, strict=True):
            gap = " " * (_gap(column) if blocks else 0)
            spaces = [" " * (width - display_width(line)) for line in lines]
            styled = [self._styled(line, _BOLD) if bold else line for line in lines]
            parts = (styled, spaces) if column.align == "left" else (spaces, styled)
            written = [" " * width] * (height - len(lines)) + list(
                map("".join, zip(*parts, strict=True))
            )
            blocks.append([gap + line for line in written])
        self.lines += map("".join, zip(*blocks, strict=True))

    def _styled(self, text: str, style: str) -> str:
        return f"\x1b[{style}m{text}\x1b[0m" if self.color and text else text


def _widths(table: Table, *, whole: bool = True) -> list[int]:
    """Return the widths of columns, which hold words of heads and cells; the first holds its head, whole ones cells."""
    widths = []
    for place, column in enumerate(table.columns):
        cells, header = list(map(str, column.cells)), str(column.header)
        texts = cells if whole else " ".join(cells).split()
        texts += header.split() if place else [header]
        # The number above a column of marks stands upright.
        widths.append(1 if column.kind == "mark" else max(map(display_width, texts)))
    return widths


def _fitting(table: Table, widths: Sequence[int], width: int) -> tuple[list[int], list[str]]:
    """Choose the columns that fit, and name the others: those go first that can best be spared."""
    shown = list(range(len(table.columns)))
    left_out: list[str] = []
    spared = [position for position in shown if table.columns[position].spare]
    for position in sorted(spared, key=lambda position: -table.columns[position].spare):
        if min(_WIDE_NAME, widths[0]) + _needed(table, widths, shown) <= width:
            break
        shown.remove(position)
        left_out.append(str(table.columns[position].header).lower())
    return shown, left_out


def _needed(table: Table, widths: Sequence[int], shown: Sequence[int]) -> int:
    """Return the width of the shown columns but the first, with the gaps before them."""
    return sum(_gap(table.columns[position]) + widths[position] for position in shown[1:])


def _gap(column: ReportColumn) -> int:
    return _MARK_GAP if column.kind == "mark" else _GAP


def display_width(text: str) -> int:
    """Return how many columns of a terminal a text takes: wide characters two, combining ones none."""
    wide = sum(unicodedata.east_asian_width(character) in "WF" for character in text)
    return len(text) + wide - sum(unicodedata.combining(character) > 0 for character in text)


def _wrapped(text: str, width: int) -> list[str]:
    """Break a text between words, and a word only where it has more than a line."""
    lines = [""]
    for word in text.split():
        joined = f"{lines[-1]} {word}".lstrip()
        if display_width(joined) <= width:
            lines[-1] = joined
        else:
            lines += [word] if display_width(word) <= width else _folded(word, width)
    return lines[1:] if len(lines) > 1 and not lines[0] else lines


def _folded(word: str, width: int) -> list[str]:
    """Break a word into pieces of so many columns."""
    pieces = [""]
    for character in word:
        if display_width(pieces[-1] + character) > width:
            pieces.append("")
        pieces[-1] += character
    return pieces
