"""Cells with marks beside a number: percent signs, spreads, intervals, arrows, and what LaTeX or Markdown print in bold."""

import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from errbar import _check
from errbar._check import FloatArray
from errbar.errors import InvalidInputError
from errbar.result import Note
from errbar.sources._columns import describes_rows
from errbar.sources._numerals import is_text
from errbar.sources._suspects import looks_like_days

_PLAIN = "[-+\u2212]?(?:\\d+(?:\\.\\d*)?|\\.\\d+)(?:[eE][-+]?\\d+)?|[-+\u2212]?\\d+,(?:\\d{1,2}|\\d{4,})"
_RANGE = rf"(?:{_PLAIN})\s*(?:\\?%)?\s*(?:;|,\s|–|-|to|\.\.)\s*(?:{_PLAIN})\s*(?:\\?%)?"
_MARKED = re.compile(
    rf"(?:\$|\\textbf{{|\\underline{{|\\mathbf{{|\*|_|&|\s)*(?P<number>{_PLAIN})\s*(?P<percent>\\?%)?[}}$*\s]*"
    rf"(?:(?:±|\+/?-|\\pm|\\,\\pm)[$\s]*(?:{_PLAIN})\s*(?:\\?%)?|\(\s*±?\s*(?:{_PLAIN})\s*(?:\\?%)?\s*\)|[\[(]\s*{_RANGE}\s*[\])])?"
    r"(?:}|\$|\*|_|†|‡|[↑↓▲▼]|\\\\|&|\s)*"
)
BEGINS = re.compile(r"\s*[-+\u2212]?(\d*[.,]\d|\d+(?![\w-]))")
"""The beginning of a cell that holds a number, unlike ``3-NN`` or ``1st``."""
_ANSWER = re.compile(r"(?i)\s*(yes|no|y|n|true|false|right|wrong|(in)?correct|pass(ed)?|fail(ed)?)\s*")
_GAPS = {"", "-", "--", "—", "–", "n/a", "na", "nan", "none", "?"}


def marked_numbers(column: Any) -> tuple[FloatArray, str, bool] | None:
    """Return the numbers of a column of texts with marks, one that has any, and whether they are percents.

    None where a cell is something else, or some have percent signs and others none. Cells with a dash are gaps.
    """
    cells = [
        "" if value is None or value != value or str(value).strip().lower() in _GAPS else str(value) for value in column
    ]
    matches = [_MARKED.fullmatch(cell) for cell in cells if cell]
    found = [match for match in matches if match]
    percent = [match["percent"] is not None for match in found]
    if not found or len(found) < len(matches) or (any(percent) and not all(percent)):
        return None
    numbers = iter(_value(match) for match in found)
    marked = next((match for match in found if match[0].strip() != match["number"]), None)
    example = "" if marked is None else f"{_value(marked):.15g} of {marked[0]!r}"
    return np.array([next(numbers) if cell else np.nan for cell in cells]), example, all(percent)


def _value(match: re.Match[str]) -> float:
    return float(match["number"].replace(",", ".").replace("\u2212", "-"))


def with_numbers(data: Any) -> tuple[Any, tuple[str, ...], tuple[Note, ...]]:
    """Return a frame whose cells such as ``0.91 ± 0.02`` are numbers, and the columns that have percent signs."""
    texts = [name for name in data.columns if is_text(data[name]) and not describes_rows(name, data[name])]
    read = {name: marked_numbers(data[name]) for name in texts}
    found = {name: one for name, one in read.items() if one is not None}
    shown = [example for _, example, _ in found.values() if example]
    notes = () if not shown else (Note("read", marks=shown[:1]),)
    percents = tuple(name for name, (_, _, percent) in found.items() if percent)
    return data.assign(**{name: numbers for name, (numbers, _, _) in found.items()}), percents, notes


def refuse_texts(columns: Mapping[str, Any], where: str) -> None:
    """Raise if a column of a learner holds answers in words, or numbers that are written in a way that nobody knows."""
    for name, column in columns.items():
        cells = list(column.dropna()) if is_text(column) else []
        answers = all(_ANSWER.fullmatch(str(cell)) for cell in cells)
        # Python reads 81_000 as 81000, and a sheet may mean 81.
        underlined = any("_" in str(cell) and _check.is_number(str(cell)) for cell in cells)
        shown = next((cell for cell in cells if "_" in str(cell)), None) if underlined else next(iter(cells), None)
        if cells and (
            answers or underlined or (all(BEGINS.match(str(cell)) for cell in cells) and not looks_like_days(column))
        ):
            raise InvalidInputError(
                f"column {name!r} of {where} holds {shown!r}, and that of a learner holds numbers; write 1 for right answers and 0 for "
                "wrong ones, numbers with a point before decimals and no mark between thousands, or say with --columns (`names`) which "
                "columns are learners"
            )
