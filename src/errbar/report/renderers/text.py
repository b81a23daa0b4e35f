"""The report for a terminal. It needs no package."""

import os
import shutil
import sys
import textwrap
import unicodedata
from collections.abc import Iterable, Sequence

from errbar.report.parts import Document, Fact, Table

_WIDEST_PROSE = 100
_WITHOUT_TERMINAL = 100
_GAP = 2
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
    for section in reversed(document.sections):  # the answer is last, next to the prompt
        for table in section.tables:
            sheet.skip()
            sheet.write_table(table)
    sheet.skip()
    sheet.write_items(("", str(sentence)) for sentence in document.conclusion)
    if document.notes:
        sheet.skip()
        sheet.write_items((f"note {note.code}: ", note.text) for note in document.notes)
    sheet.skip()
    sheet.write_items((f"{fact.term}: ", fact.text) for fact in document.computed if fact.brief)
    return sheet.text()


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
        sheet.skip()
        sheet.write_table(table)
    sheet.skip()
    sheet.write_items(("", sentence) for sentence in conclusion)
    sheet.skip()
    sheet.write_items((f"{fact.term}: ", fact.text) for fact in facts)
    return sheet.text()


class _Sheet:
    """Lines that fit a terminal, some of them bold or dim."""

    def __init__(self, width: int | None, *, color: bool | None) -> None:
        columns = shutil.get_terminal_size((_WITHOUT_TERMINAL, 24)).columns if width is None else width
        self.width = max(40, columns)
        self.prose = min(self.width, _WIDEST_PROSE)
        self.color = _wants_color() if color is None else color
        self.lines: list[str] = []

    def text(self) -> str:
        return "\n".join(line.rstrip() for line in self.lines)

    def skip(self) -> None:
        self.lines.append("")

    def write(self, text: str, style: str) -> None:
        self.lines += [self._styled(line, style) for line in _wrapped(text, self.prose)]

    def write_items(self, items: Iterable[tuple[str, str]]) -> None:
        """Write items, each a bold head and a text, their further lines indented."""
        for head, text in items:
            first, *others = _wrapped(head + text, self.prose - 2)
            self.lines.append(self._styled(first[: len(head)], _BOLD) + first[len(head) :])
            self.lines += [f"  {line}" for line in others]

    def write_table(self, table: Table) -> None:
        """Write a table; digits are never cut, so columns that may be left out go where there is no room."""
        self.write(table.caption, _BOLD)
        shown, left_out = _fitting(table, self.width)
        room = self.width - _needed(table, shown[1:])
        # The last resort of a very narrow terminal: cells break, but only where they have spaces.
        whole = room >= min(_NARROWEST, _longest(table, 0))
        others = [_width(table, position, whole=whole) for position in shown[1:]]
        widths = [min(max(_NARROWEST, room), _longest(table, 0)), *others]
        left = [table.columns[position].align == "left" for position in shown]
        heads = [
            textwrap.wrap(str(table.columns[place].header), wide) for place, wide in zip(shown, widths, strict=True)
        ]
        self._write_row(heads, widths, left, [True] * len(shown))
        self.lines.append(_rule() * (sum(widths) + _GAP * (len(widths) - 1)))
        for row in table.rows:
            cells = [row[position] for position in shown]
            texts = [_wrapped(str(cell), wide) for cell, wide in zip(cells, widths, strict=True)]
            self._write_row(texts, widths, left, [cell.strong for cell in cells])
        remark = table.remark
        if left_out:
            remark += f" Left out for want of room: {', '.join(left_out)}."
        if remark.strip():
            self.write(remark.strip(), _DIM)

    def _write_row(
        self, texts: Sequence[list[str]], widths: Sequence[int], left: Sequence[bool], strong: Sequence[bool]
    ) -> None:
        """Write one row, whose cells may have several lines and end on the same one."""
        height = max(map(len, texts))
        blocks = [[""] * (height - len(lines)) + lines for lines in texts]
        for line in zip(*blocks, strict=True):
            cells = []
            for text, width, to_left, bold in zip(line, widths, left, strong, strict=True):
                space = " " * (width - _columns(text))
                shown = self._styled(text, _BOLD) if bold else text
                cells.append(shown + space if to_left else space + shown)
            self.lines.append((" " * _GAP).join(cells))

    def _styled(self, text: str, style: str) -> str:
        return f"\x1b[{style}m{text}\x1b[0m" if self.color and text else text


def _wants_color() -> bool:
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return not plain and sys.stdout is not None and sys.stdout.isatty()


def _rule() -> str:
    unicode = (getattr(sys.stdout, "encoding", None) or "").lower().startswith("utf")
    return "─" if unicode else "-"


def _fitting(table: Table, width: int) -> tuple[list[int], list[str]]:
    """Choose the columns that fit: digits are never cut, so those go that can be spared."""
    shown = list(range(len(table.columns)))
    left_out: list[str] = []
    spared = [position for position in shown if table.columns[position].spare]
    for position in sorted(spared, key=lambda position: -table.columns[position].spare):
        if min(_WIDE_NAME, _longest(table, 0)) + _needed(table, shown[1:]) <= width:
            break
        shown.remove(position)
        left_out.append(str(table.columns[position].header).lower())
    return shown, left_out


def _needed(table: Table, positions: list[int]) -> int:
    """Return the width of columns of numbers with the gaps before them."""
    return sum(_GAP + _width(table, position) for position in positions)


def _width(table: Table, position: int, *, whole: bool = True) -> int:
    """Return the width of a column of numbers: its longest cell, or the longest word of its head and cells."""
    texts = [str(table.columns[position].header), *(str(row[position]) for row in table.rows)]
    widest = max(_columns(word) for text in texts for word in text.split())
    return max(widest, _longest(table, position)) if whole else widest


def _longest(table: Table, position: int) -> int:
    cells = [_columns(str(row[position])) for row in table.rows]
    return max([*cells, 0 if position else len(str(table.columns[0].header))], default=0)


def _columns(text: str) -> int:
    """Return how many columns of a terminal a text takes: wide characters two, combining ones none."""
    wide = sum(unicodedata.east_asian_width(character) in "WF" for character in text)
    return len(text) + wide - sum(unicodedata.combining(character) > 0 for character in text)


def _wrapped(text: str, width: int) -> list[str]:
    """Break a text between words, and a word only where it has more than a line."""
    lines = [""]
    for word in text.split():
        joined = f"{lines[-1]} {word}".lstrip()
        if _columns(joined) <= width:
            lines[-1] = joined
        else:
            lines += _folded(word, width)
    return lines[1:] if len(lines) > 1 and not lines[0] else lines


def _folded(word: str, width: int) -> list[str]:
    """Break a word into pieces of so many columns."""
    pieces = [""]
    for character in word:
        if _columns(pieces[-1] + character) > width:
            pieces.append("")
        pieces[-1] += character
    return pieces
