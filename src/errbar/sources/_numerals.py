"""Numbers as people write them in cells: thousands marks, decimal commas, currencies, units, and marks that stand for no value."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from errbar._check import FloatArray, listed

POINT, COMMA = ".", ","
"""Styles of numbers, by the mark before their decimals."""

GAPS = frozenset(
    ("", "-", "--", "—", "–", "?", ".", "n/a", "n.a.", "na", "nan", "k.a.", "none", "null", "not available")
) | {"missing", "unknown", "keine angabe", "nicht verfügbar", "unbekannt"}
"""Cells that stand for no value where all others of their column are numbers, in small letters."""

_ERROR = re.compile(r"#(n/a|nv|div/0|name|null|num|ref|value|wert|bezug|zahl)[!?]?")
"""What spreadsheets write into a cell that they cannot compute."""
_TOO_LONG = re.compile(r"\d{16}")
"""So many digits are a name, and a number of floating point would confuse some."""
_SURE = 66
"""Of so many decimals of three digits whose last zeros are cut, one ends in a zero but once in a thousand tables."""

_SIGN, _SPACES = "[-+\u2212]", "\u00a0\u202f "
_MONEY = r"(?:[A-Z]{1,3})?[$€£¥₹]|EUR|USD|GBP|CHF|JPY|CAD|AUD|CNY|INR|SEK|NOK|DKK|PLN"
_CELL = re.compile(
    rf"(?P<sign>{_SIGN}?)\s*(?P<before>(?:{_MONEY})?)\s*(?P<second>{_SIGN}?)"
    rf"(?P<body>[.,]?\d(?:[\d.,'’{_SPACES}]*\d)?[.,]?(?:[eE][-+]?\d+)?)\s*(?P<after>(?:(?:[^\W\d]|[%‰°€$£¥₹])\D{{0,11}}[23]?)?)"
)
_DECIMALS = {mark: re.compile(rf"(\d+({re.escape(mark)}\d*)?|{re.escape(mark)}\d+)([eE][-+]?\d+)?") for mark in ".,"}
_THOUSANDS = {
    mark: re.compile(rf"[1-9]\d{{0,2}}(?:[{other}'’{_SPACES}]\d{{3}})+({re.escape(mark)}\d*)?")
    for mark, other in ((POINT, ","), (COMMA, "."))
}
_MARKS = re.compile(rf"[.,'’{_SPACES}]")
_THREE = {mark: re.compile(rf"(0|[1-9]\d{{0,2}}({re.escape(mark)}\d{{3}})?)") for mark in ".,"}


class Numerals(NamedTuple):
    """A column of texts as numbers.

    Attributes
    ----------
    numbers : ndarray
        The numbers, NaN where a cell stands for no value.
    example : str
        A cell that shows how they were read, as text.
    gaps : tuple of str
        What stands for no value.
    unit : str
        Currency, percent sign or unit; empty for bare numbers.
    """

    numbers: FloatArray
    example: str
    gaps: tuple[str, ...] = ()
    unit: str = ""


def is_gap(text: str) -> bool:
    """Tell whether a cell stands for no value, in a column of numbers."""
    bare = text.strip().lower()
    return bare in GAPS or bool(_ERROR.fullmatch(bare))


def styles_of(texts: Iterable[str]) -> set[str]:
    """Return the styles in which every one of these texts is a number: both, where none has a mark that tells."""
    found = {POINT, COMMA}
    for text in texts:
        match = _CELL.fullmatch(text.strip())
        if match is None:
            return set()
        found = {style for style in found if _fits(match["body"], style)}
    return found


def _fits(body: str, style: str) -> bool:
    long = _TOO_LONG.match(body) is not None
    return not long and bool(_DECIMALS[style].fullmatch(body) or _THOUSANDS[style].fullmatch(body))


def numerals(
    column: Any, of_file: str | None = None, custom: str = POINT, *, between_commas: bool = False
) -> Numerals | None:
    """Return a column of texts as numbers, or None where a cell is none, or units or styles differ.

    Parameters
    ----------
    column : Series
        The cells.
    of_file : str, optional
        How other columns of the file write numbers, which decides where this one can be read in both ways.
    custom : str
        How numbers are written in such files, where nothing else decides.
    between_commas : bool, default False
        Whether commas separate the cells of the file: then ``1,2`` is a list, ``10.0.0.1`` an address, and ``$2.093`` the price of a litre.
    """
    known = column.dropna()
    texts = list(dict.fromkeys(known.astype(str)))
    gaps = [text for text in texts if is_gap(text)]
    cells = {text: _CELL.fullmatch(text.strip()) for text in texts if not is_gap(text)}
    matches = [match for match in cells.values() if match is not None]
    units = {(match["before"], match["after"]) for match in matches}
    if len(matches) < len(cells) or len(units) != 1:
        return None
    unit = "".join(units.pop())
    of_file = None if of_file == COMMA and between_commas else of_file
    money = bool(re.fullmatch(_MONEY, unit)) and not between_commas
    style = _style([match["body"] for match in matches], of_file, custom, money=money)
    if style is None or (style == COMMA and between_commas and not unit):
        return None
    values = {text: _value(match, style) for text, match in cells.items() if match is not None}
    marked = next((text for text in values if text.strip() != f"{values[text]:.15g}"), None)
    example = "" if marked is None else f"{values[marked]:.15g} of {marked!r}"
    numbers = column.map(lambda cell: values.get(str(cell), np.nan)).to_numpy(dtype=float)
    return Numerals(numbers, example, tuple(gaps), unit)


def _style(bodies: Sequence[str], of_file: str | None, custom: str, *, money: bool) -> str | None:
    """Return how numbers are written: by their marks, else as in the rest of the file, else by how many digits follow the marks."""
    fitting = styles_of(bodies)
    if len(fitting) < 2:
        return next(iter(fitting), None)
    if not any(POINT in body for body in bodies):
        return of_file or (POINT if _in_thousands(bodies, COMMA) else custom)
    # Hardly any price has three decimals.
    dots_are_thousands = of_file == COMMA or (of_file is None and (money or _in_thousands(bodies, POINT)))
    return COMMA if dots_are_thousands and _all_three(bodies, POINT) else POINT


def _all_three(bodies: Iterable[str], mark: str) -> bool:
    return all(_THREE[mark].fullmatch(body) for body in bodies)


def _in_thousands(bodies: Sequence[str], mark: str) -> bool:
    """Tell whether a mark is surely before thousands: three digits follow it always, and whole numbers are below a thousand."""
    marked = sum(mark in body for body in bodies)
    return _SURE <= marked < len(bodies) and _all_three(bodies, mark)


def _value(match: re.Match[str], style: str) -> float:
    bare = _MARKS.sub(lambda mark: POINT if mark[0] == style else "", match["body"])
    negative = (match["sign"] or match["second"]) in ("-", "\u2212")
    return -float(bare) if negative else float(bare)


def style_of(columns: Iterable[Iterable[str]]) -> str | None:
    """Return the style that columns of numbers as text have in common, or None where none tells or they differ."""
    fitting = (styles_of(text for text in texts if not is_gap(text)) for texts in columns)
    sure = {style for found in fitting if len(found) == 1 for style in found}
    return sure.pop() if len(sure) == 1 else None


def as_whole(numbers: FloatArray) -> Any:
    """Return numbers as integers where all are whole."""
    whole = bool(np.isfinite(numbers).all() and (np.abs(numbers) < 2.0**53).all() and (numbers % 1 == 0).all())
    return numbers.astype(np.int64) if whole else numbers


def is_text(column: Any) -> bool:
    """Tell whether a column holds text, or what is neither numbers nor dates."""
    return column.dtype.kind not in "biufcmM"


def said(found: Mapping[str, Numerals]) -> str:
    """Say how columns were read as numbers."""
    parts = []
    for name, read in found.items():
        gaps = f"{listed(list(map(repr, read.gaps)), 4)} {'are gaps' if len(read.gaps) > 1 else 'is a gap'}"
        how = "; ".join(filter(None, (read.example, gaps if read.gaps else "")))
        parts.append(f"{name!r} ({how})" if how else repr(name))
    return listed(parts, 8)
