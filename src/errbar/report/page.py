"""The web page, with every place on an axis in percent of its width, and the text on a screen."""

import json
import math
import os
import shutil
import sys
import textwrap
import unicodedata
from collections.abc import Iterable
from typing import Any

import numpy as np

from errbar._plain import Data
from errbar.reading.sheet import MIXED
from errbar.report.story import Row, Table
from errbar.report.words import Fold, clean, counted, minus, prose

_AIR = 2.0
"""Percent of the width that stay free at each end of an axis."""

_TICKS = 5
_CROWD = 31
"""So many learners have neither a triangle of p-values nor all rows at once."""

_FIRST = 20
"""So many rows are shown at first, and so many learners can be chosen as the one that others are shown against."""


def view_of(story: Any, place: int, *, scripted: bool) -> Data:
    """Return what the template of a page needs; without a script nothing is sorted, filtered or chosen."""
    tables = [story.ranking, *filter(None, [story.differences])]
    crowd = len(story.names) >= _CROWD
    facts = None
    if scripted and story.many and story.turns:
        turned = {clean(name): drawn(story.against(name)) for name in story.names[:_FIRST]}
        facts = _embedded(turned)
    names = [name for one in tables for name in (one.heads[0], *(row.name for row in one.rows))]
    return {
        "key": place if scripted else f"n{id(story)}",
        "story": story,
        "size": "crowd" if crowd else "many" * story.many,
        "many": scripted and story.many,
        "first": _FIRST * crowd,
        "chars": max(map(len, names)),
        "drawn": list(map(drawn, tables)),
        "curves": list(map(drawn, story.curves)),
        "triangle": story.triangle if story.many and not crowd else [],
        "facts": facts,
        "board": _embedded(story.board_facts) if scripted and story.board_facts else None,
    }


def _embedded(data: Data) -> str:
    """Return data as a page may hold it."""
    return json.dumps(data, separators=(",", ":")).replace("<", "\\u003c")


def drawn(table: Table) -> Data:
    """Return the rows of a table with the places of their intervals, and ticks."""
    low, high = table.limits
    scale = (100.0 - 2.0 * _AIR) / (high - low)

    def at(*values: float) -> list[float]:
        inside = np.clip(values, low, high) - low
        return [round(place, 2) for place in (_AIR + scale * inside).tolist()]

    step, decimals = _step(high - low)
    ticks = [
        {"x": at(step * k)[0], "text": minus(f"{step * k:.{decimals}f}") if k else "0"}
        for k in range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1)
    ]
    slack = 1e-9 * (high - low)
    # The last column that is shown beside a picture: p, where there is one.
    shown = 0, 1, 3 if len(table.heads) > 4 else 2
    rows = []
    for row in table.rows:
        named = zip(("", *table.heads[2:]), row.cells, strict=True)
        told = [f"{head} {cell}" for head, cell in named if cell]
        told += [table.above] * bool(row.wide)
        cells = [row.cells[place] for place in shown]
        ends = (row.low, row.estimate, row.high) if row.drawn else [row.estimate] * 3
        rows.append(
            {
                "name": row.name,
                "estimate": row.estimate,
                "p": cells[2],
                "cells": list(map(minus, cells)),
                "strong": row.strong,
                "wide": at(*row.wide) if row.wide and row.drawn else None,
                "x": at(*ends),
                "dot": low - slack <= row.estimate <= high + slack,
                "left": row.drawn and row.low < low - slack,
                "right": row.drawn and row.high > high + slack,
                "aloud": prose(minus(f"{row.name}:" + "\n".join(told))),
            }
        )
    heads = [table.heads[0], *(table.heads[place + 1] for place in shown)]
    if table.sides:
        heads[1] = "difference"
    return {
        "heads": heads,
        "ticks": ticks,
        "rows": rows,
        "tested": table.tested,
        "sides": table.sides,
    }


def _step(width: float) -> Any:
    """Return a round distance of ticks, and the decimals that it needs."""
    raw = width / _TICKS
    unit = 10.0 ** math.floor(math.log10(raw))
    factor = min((1.0, 2.0, 2.5, 5.0, 10.0), key=lambda one: abs(math.log(one * unit / raw)))
    decimals = -math.floor(math.log10(factor * unit) + 1e-9) + (factor == 2.5)
    return factor * unit, max(0, decimals)


# The first screen: the verdict, then a line for each learner and each difference, with its interval drawn.

_WIDEST, _PROSE = 100, 80
_NARROWEST_PICTURE, _WIDEST_PICTURE = 12, 40
_MOST_ROWS = 30
_NOT_SHOWN = ("standard error", "ruled out, p", f"mean {MIXED}")

_ASCII: Data = dict(zip("─╶╴●○┄‹›│┼·…", "---*o.<>|+-.", strict=True))
_ASCII |= {"←": "<-", "→": "->", "±": "+/-"}


def render(story: Any, more: str, *, width: int | None = None, color: bool | None = None) -> str:
    """Return the first screen of a comparison."""
    columns = columns_of(width)
    head = wrapped(story.verdict, columns)
    if _colored() if color is None else color:
        head = [f"\x1b[1m{line}\x1b[0m" for line in head]
    for remark in story.remarks:
        head += wrapped(remark if "(" in remark else f"({remark})", columns)
    if not story.tables:
        head.append(f"{story.about[:1].upper()}{story.about[1:]}.")
    blocks = [[" · ".join(story.subject)], head]
    blocks += [_grid(table, columns) for table in story.tables]
    end = [story.power, *(f"Note: {text}" for text in story.warnings)]
    lines = [line for text in end for line in wrapped(text, columns)]
    how = ""
    if story.records:
        how = f"{counted(story.records, 'note')} on how it was read and fitted, "
    return joined([*blocks, [*lines, f"More: {how}{more}" if more else ""]])


def details(folds: Iterable[Fold], *, width: int | None = None) -> str:
    """Return what is folded away, as text."""
    fill = textwrap.TextWrapper(columns_of(width), "  ", "    ")
    return joined(
        [fold.title, *(line for fact in fold.facts for line in fill.wrap(": ".join(fact)))]
        for fold in folds
    )


def columns_of(width: int | None) -> int:
    """Return the characters of a line: those asked for, or of the terminal, and at most 100."""
    return min(width or shutil.get_terminal_size((_PROSE, 24)).columns, _WIDEST)


def joined(blocks: Any) -> str:
    """Return blocks of lines with an empty line between them, in characters that the output takes."""
    text = "\n\n".join("\n".join(line.rstrip() for line in block) for block in blocks if block)
    try:
        text.encode(getattr(sys.stdout, "encoding", None) or "utf-8")
    except (UnicodeEncodeError, LookupError):
        return text.translate(str.maketrans(_ASCII))
    return text


def _grid(table: Table, width: int) -> list[str]:
    """Return a line for each row: name, cells, picture; and what is to be known of them."""
    rows = table.rows[:_MOST_ROWS]
    first, head, *others = table.heads
    # The subject names the measure in full; a column has its last word.
    heads = ["", head.split()[-1] if head.endswith((" error", " loss")) else head, *others]
    if table.tested and first:
        heads[:2] = [head, ""]
    cells = zip(*((row.name, *row.cells) for row in rows), strict=True)
    columns = [
        [shown, *column]
        for name, shown, column in zip(table.heads, heads, cells, strict=True)
        if name not in _NOT_SHOWN
    ]
    lines = aligned(columns)
    room = min(_WIDEST_PICTURE, width - display_width(lines[0]) - 2)
    if room >= _NARROWEST_PICTURE and any(row.drawn for row in rows):
        pictures = [_axis(table, room), *(_picture(table, row, room) for row in rows)]
        lines = [f"{line}  {drawn}" for line, drawn in zip(lines, pictures, strict=True)]
    if table.cut is not None and table.cut < len(rows):
        lines.insert(table.cut + 1, "ruled out as best:")
    left = len(table.rows) - len(rows)
    lines += [f"and {left} others"] if left else []
    return lines + [line for text in table.foot.split("\n") for line in wrapped(text, width)]


def aligned(columns: Any) -> list[str]:
    """Return lines of columns: the first to the left, numbers to the right."""
    widths = [max(map(display_width, column)) for column in columns]
    lines = []
    for name, *cells in zip(*columns, strict=True):
        rest = (
            _padded(cell, size, left=False) for cell, size in zip(cells, widths[1:], strict=True)
        )
        lines.append("  ".join([_padded(name, widths[0]), *rest]))
    return lines


def _picture(table: Table, row: Row, cells: int) -> str:
    """Return an interval as characters; an end may lie in the middle of a cell."""
    low, high = table.limits
    scale = (2 * cells - 1) / (high - low)

    def half(value: float) -> int:
        return round((min(max(value, low), high) - low) * scale)

    line = [" "] * cells
    if table.sides:
        line[half(0.0) // 2] = "│"
    if not row.drawn:
        return "".join(line)
    for ends, sign in ((row.wide, "┄"), ((row.low, row.high), "─")):
        if ends is None or ends[1] < low or ends[0] > high:
            continue
        first, last = map(half, ends)
        halves = {first // 2: "╶"} if first % 2 else {}
        halves |= {} if last % 2 else {last // 2: "╴"}
        for place in range(first // 2, last // 2 + 1):
            over = halves.get(place, sign) if sign == "─" else sign
            line[place] = {" ": over, "│": "┼"}.get(line[place], sign)
    slack = 0.5 / scale
    if row.low < low - slack:
        line[0] = "‹"
    if row.high > high + slack:
        line[-1] = "›"
    if low <= row.estimate <= high:
        line[half(row.estimate) // 2] = "○" if table.tested and not row.strong else "●"
    return "".join(line)


def _axis(table: Table, cells: int) -> str:
    """Return where 0 is, and what lies beside it."""
    if not table.sides:
        return f"┄┄ {table.above}" if any(row.wide for row in table.rows) else table.above
    low, high = table.limits
    zero = round(-low / (high - low) * (2 * cells - 1)) // 2
    left, right = f"← {table.sides[0]}", f"{table.sides[1]} →"
    if zero + 4 + len(right) <= cells:
        return f"{' ' * zero}0  {right}"
    if len(left) + 2 <= zero:
        return f"{left}{' ' * (zero - len(left))}0"
    return f"{' ' * zero}0"


def wrapped(text: str, width: int) -> list[str]:
    """Return the lines of a sentence."""
    return textwrap.wrap(text, width, break_long_words=False, break_on_hyphens=False)


def display_width(text: str) -> int:
    """Return the columns that a text takes on a terminal."""
    return sum(
        0 if unicodedata.combining(one) else 2 if unicodedata.east_asian_width(one) in "WF" else 1
        for one in text
    )


def _padded(text: str, width: int, *, left: bool = True) -> str:
    """Return text as wide as a column."""
    space = " " * (width - display_width(text))
    return text + space if left else space + text


def _colored() -> bool:
    terminal = sys.stdout is not None and sys.stdout.isatty()
    return terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
