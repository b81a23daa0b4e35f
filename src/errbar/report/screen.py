"""The first screen: the verdict, then a line for each learner and each difference, with its interval drawn."""

import os
import shutil
import sys
import textwrap
import unicodedata
from collections.abc import Iterable, Sequence

from errbar.report.story import FEW, Fold, Row, Story, Table

_WIDEST, _PROSE = 100, 80
_NARROWEST_PICTURE, _WIDEST_PICTURE = 12, 40
_MOST_ROWS = 30
_HEAD = 14

_ASCII = {
    "─": "-",
    "╶": "-",
    "╴": "-",
    "●": "*",
    "○": "o",
    "┄": ".",
    "‹": "<",
    "›": ">",
    "│": "|",
    "┼": "+",
    "←": "<-",
    "→": "->",
    "·": "-",
    "±": "+/-",
    "…": ".",
}


def render(story: Story, more: str, *, width: int | None = None, color: bool | None = None) -> str:
    """Return the first screen of a comparison."""
    columns = columns_of(width)
    bold = _colored() if color is None else color
    blocks = [[" · ".join(story.subject)], _verdict(story, columns, bold=bold)]
    if story.alone:
        blocks[1] += [] if _many(story) else [_size(story)] if _size(story) else []
        blocks += [_grid(story.ranking, columns)] if _many(story) else []
    elif len(story.ranking.rows) > FEW:
        blocks.append(_merged(story, columns))
    else:
        blocks.append(_grid(story.ranking, columns, selected=True))
        assert story.differences is not None
        blocks.append([*_grid(story.differences, columns), *_foot(story, columns)])
    end = wrapped(story.power, columns) if story.power else []
    for text in story.warnings:
        end += wrapped(f"Note: {text}", columns)
    records = sum(note.severity != "reading" for note in story.comparison.notes)
    how = (
        f"{records} {'note' if records == 1 else 'notes'} on how it was read and fitted, "
        if records
        else ""
    )
    end.append(f"More: {how}{more}")
    blocks.append(end)
    return joined(blocks)


def details(folds: Sequence[Fold], *, width: int | None = None) -> str:
    """Return what is folded away, as text."""
    columns = columns_of(width)
    blocks = []
    for fold in folds:
        lines = [fold.title]
        for label, text in fold.facts:
            lines += textwrap.wrap(
                f"{label}: {text}", columns, initial_indent="  ", subsequent_indent="    "
            )
        blocks.append(lines)
    return joined(blocks)


def columns_of(width: int | None) -> int:
    """Return the characters of a line: those asked for, or of the terminal, and at most 100."""
    return min(width or shutil.get_terminal_size((_PROSE, 24)).columns, _WIDEST)


def joined(blocks: Iterable[Sequence[str]]) -> str:
    """Return blocks of lines with an empty line between them, in characters that the output takes."""
    text = "\n\n".join("\n".join(line.rstrip() for line in block) for block in blocks if block)
    return text if _can_write() else "".join(_ASCII.get(one, one) for one in text)


def _many(story: Story) -> bool:
    return len(story.ranking.rows) > 1


def _size(story: Story) -> str:
    return f"{story.about[:1].upper()}{story.about[1:]}."


def _verdict(story: Story, width: int, *, bold: bool) -> list[str]:
    lines = wrapped(story.verdict, width)
    lines = [f"\x1b[1m{line}\x1b[0m" if bold else line for line in lines]
    for remark in story.remarks:
        lines += wrapped(f"({remark})" if "(" not in remark else remark, width)
    return lines


def _foot(story: Story, width: int) -> list[str]:
    table = story.differences
    assert table is not None
    hollow = f"○ not {story.significant}." if any(not row.strong for row in table.rows) else ""
    return wrapped(" ".join(part for part in (story.adjustment, hollow) if part), width)


def _grid(table: Table, width: int, *, selected: bool = False) -> list[str]:
    """Return a line for each row: name, estimate, interval, further columns, picture."""
    _, head, interval, _, *extra = table.heads
    # The subject names the measure in full; a column has its last word.
    head = head.split()[-1] if head.endswith((" error", " loss")) else head
    extra = extra if table.sides else []
    names = [row.name for row in table.rows]
    shown = table.rows
    columns = [
        ["" if not table.sides else table.heads[1], *names],
        [head if not table.sides else "", *(table.digits.number(row.estimate) for row in shown)],
        [interval, *(_span(table, row) for row in shown)],
        *([title, *(row.cells[1 + i] for row in shown)] for i, title in enumerate(extra)),
    ]
    lines = aligned(columns)
    if not any(row.drawn for row in shown):
        return lines
    wide = next((row.wide for row in shown if row.wide), None)
    above = f"┄┄ as selected best {table.digits.span(*wide)}" if selected and wide else ""
    return with_pictures(lines, table, shown, width, above)


def _merged(story: Story, width: int) -> list[str]:
    """Return a line for each of many learners: its estimate, and its difference from the reference."""
    table, ranking = story.differences, story.ranking
    assert table is not None
    of = {row.name: row for row in table.rows}
    rows = ranking.rows[:_MOST_ROWS]
    head = ranking.heads[1].split()[-1]
    cells = [[of[row.name].cells[1] if row.name in of else "" for row in rows]]
    gaps = [table.digits.number(of[row.name].estimate) if row.name in of else "" for row in rows]
    columns = [
        ["", *(row.name for row in rows)],
        [head, *(ranking.digits.number(row.estimate) for row in rows)],
        [ranking.heads[2], *(_span(ranking, row) for row in rows)],
        [textwrap.shorten(table.heads[1], _HEAD, placeholder="…"), *gaps],
        [table.heads[4], *cells[0]],
    ]
    drawn = [of.get(row.name) for row in rows]
    lines = with_pictures(aligned(columns), table, drawn, width)
    out = next((place for place, row in enumerate(rows, 1) if not row.strong), None)
    if out is not None and all(not row.strong for row in rows[out - 1 :]):
        lines.insert(out, "ruled out as best:")
    left = len(ranking.rows) - len(rows)
    lines += [f"and {left} others"] if left else []
    lines += _foot(story, width)
    best = story.comparison.best
    lines += wrapped(ranking.key[0], width) if best is not None and ranking.key else []
    return lines


def _span(table: Table, row: Row) -> str:
    return table.digits.span(row.low, row.high) if row.drawn else "none"


def aligned(columns: Sequence[Sequence[str]]) -> list[str]:
    """Return lines of columns: the first to the left, numbers to the right."""
    widths = [max(map(display_width, column)) for column in columns]
    lines = []
    for cells in zip(*columns, strict=True):
        first = _padded(cells[0], widths[0])
        rest = (
            " " * (size - display_width(cell)) + cell
            for cell, size in zip(cells[1:], widths[1:], strict=True)
        )
        lines.append("  ".join([first, *rest]))
    return lines


def with_pictures(
    lines: Sequence[str],
    table: Table,
    rows: Sequence[Row | None],
    width: int,
    above: str = "",
) -> list[str]:
    """Return lines, of which the first is the head, with the pictures of rows where there is room."""
    widest = max(map(display_width, lines))
    room = min(_WIDEST_PICTURE, width - widest - 2)
    if room < _NARROWEST_PICTURE:
        return list(lines)
    pictures = [_axis(table, room) or above]
    pictures += ["" if row is None else _picture(table, row, room) for row in rows]
    return [
        f"{_padded(line, widest)}  {drawn}" for line, drawn in zip(lines, pictures, strict=True)
    ]


def _place(table: Table, value: float, cells: int) -> int:
    """Return the half cell in which a value lies."""
    low, high = table.limits
    return round((value - low) / (high - low) * (2 * cells - 1))


def _picture(table: Table, row: Row, cells: int) -> str:
    """Return an interval as characters."""
    low, high = table.limits
    line = [" "] * cells
    zero = _place(table, 0.0, cells) // 2 if table.sides else None
    if zero is not None:
        line[zero] = "│"
    if not row.drawn:
        return "".join(line)
    for ends, thin in ((row.wide, True), ((row.low, row.high), False)):
        if ends is None or ends[1] < low or ends[0] > high:
            continue
        first = _place(table, max(ends[0], low), cells)
        last = _place(table, min(ends[1], high), cells)
        for cell in range(first // 2, last // 2 + 1):
            sign = "┄" if thin else "─"
            if not thin and cell == first // 2 and first % 2 and line[cell] != "┄":
                sign = "╶"
            if not thin and cell == last // 2 and not last % 2 and line[cell] != "┄":
                sign = "╴"
            line[cell] = "┼" if cell == zero and not thin else sign
    slack = 0.5 * (high - low) / (2 * cells)
    if row.low < low - slack:
        line[0] = "‹"
    if row.high > high + slack:
        line[-1] = "›"
    if low <= row.estimate <= high:
        line[_place(table, row.estimate, cells) // 2] = (
            "●" if row.strong or not table.sides else "○"
        )
    return "".join(line)


def _axis(table: Table, cells: int) -> str:
    """Return where 0 is, and what lies beside it."""
    if not table.sides:
        return ""
    zero = _place(table, 0.0, cells) // 2
    left, right = f"← {table.sides[0]}", f"{table.sides[1]} →"
    if zero + 4 + len(right) <= cells:
        return f"{' ' * zero}0  {right}"
    if len(left) + 2 <= zero:
        return f"{left}{' ' * (zero - len(left))}0"
    return f"{' ' * zero}0"


def wrapped(text: str, width: int) -> list[str]:
    """Return the lines of a sentence."""
    return textwrap.wrap(text, min(width, _WIDEST), break_long_words=False, break_on_hyphens=False)


def display_width(text: str) -> int:
    """Return the columns that a text takes on a terminal."""
    return sum(
        0 if unicodedata.combining(one) else 2 if unicodedata.east_asian_width(one) in "WF" else 1
        for one in text
    )


def _padded(text: str, width: int) -> str:
    """Return text as wide as a column."""
    return text + " " * (width - display_width(text))


def _colored() -> bool:
    terminal = sys.stdout is not None and sys.stdout.isatty()
    return terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def _can_write() -> bool:
    """Tell whether standard output takes the characters of pictures."""
    try:
        "".join(_ASCII).encode(getattr(sys.stdout, "encoding", None) or "utf-8")
    except (UnicodeEncodeError, LookupError):
        return False
    return True
