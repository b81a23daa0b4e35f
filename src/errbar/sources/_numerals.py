"""Numbers as people write them in cells: thousands marks, decimal commas, currencies, units, and marks that stand for no value."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from errbar._check import FloatArray, IntArray, listed

POINT, COMMA = ".", ","
"""Styles of numbers, by the mark before their decimals."""

GAPS = frozenset(
    ("", "-", "--", "—", "–", "?", ".", "n/a", "n.a.", "na", "nan", "k.a.", "none", "null", "not available")
) | {"missing", "unknown", "keine angabe", "nicht verfügbar", "unbekannt"}
"""Cells that stand for no value where all others of their column are numbers, in small letters."""

_ERROR = re.compile(r"#(n/a|nv|div/0|name|null|num|ref|value|wert|bezug|zahl)[!?]?")
"""What spreadsheets write into a cell that they cannot compute."""
_NAME = re.compile(r"\d{16}|0\d+$")
"""So many digits, or zeros in front, are a name: a number of floating point would confuse some, or lose the zeros."""
_SURE = 66
"""Of so many decimals of three digits whose last zeros are cut, one ends in a zero but once in a thousand tables."""

_SIGN, _SPACES = "[-+\u2212]", "\u00a0\u202f "
_MONEY = r"(?:[A-Z]{1,3})?[$€£¥₹]|EUR|USD|GBP|CHF|JPY|CAD|AUD|CNY|INR|SEK|NOK|DKK|PLN"
_CELL = re.compile(
    rf"(?P<sign>{_SIGN}?)\s*(?P<before>(?:{_MONEY})?)\s*(?P<second>{_SIGN}?)"
    rf"(?P<body>[.,]?\d(?:[\d.,'’{_SPACES}]*\d)?[.,]?(?:[eE][-+]?\d+)?)(?P<last>-?)\s*"
    rf"(?P<after>(?:(?:[^\W\d]|[%‰°€$£¥₹])\D{{0,11}}[23]?)?)"
)
_BRACKETS = re.compile(rf"((?:{_MONEY})?\s*)\(\s*([^-+\u2212()]+)\)(\s*(?:{_MONEY})?)")
"""How accounts write negative amounts."""
_SCALES = {"": 1.0, "k": 1e3, "K": 1e3, "M": 1e6, "B": 1e9, "bn": 1e9}
"""What stands behind numbers in thousands, millions and thousand millions, where a column has several of these."""
_PLURAL = re.compile(r"(?<=\w\w)(e?s|en?)$")
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


class NumberTexts(NamedTuple):
    """A column of texts that are numbers of one unit, before it is clear which of their marks are decimal.

    Attributes
    ----------
    codes : ndarray of int
        Place of each cell in `texts`, -1 where there is none.
    texts : list of str
        Every text once.
    cells : list of re.Match or None
        The parts of each text, None where it stands for no value.
    unit : str
        Currency, percent sign or unit; empty for bare numbers.
    styles : frozenset of str
        The marks that may be those before decimals.
    scaled : bool
        Whether numbers are in thousands, millions and so on, as each says.
    """

    codes: IntArray
    texts: list[str]
    cells: list[re.Match[str] | None]
    unit: str
    styles: frozenset[str]
    scaled: bool = False

    def read(self, of_file: str | None = None, custom: str = POINT, *, between_commas: bool = False) -> Numerals | None:
        """Return the numbers, or None where they are written in several styles.

        Parameters
        ----------
        of_file : str, optional
            How other columns of the file write numbers, which decides where this one can be read in both ways.
        custom : str
            How numbers are written in such files, where nothing else decides.
        between_commas : bool, default False
            Whether commas separate the cells of the file: then ``1,2`` is a list, ``10.0.0.1`` an address, and ``$2.093`` the price of a litre.
        """
        of_file = None if of_file == COMMA and between_commas else of_file
        money = bool(re.fullmatch(_MONEY, self.unit)) and not between_commas
        style = self._style(of_file, custom, money=money)
        if style is None or (style == COMMA and between_commas and not self.unit):
            return None
        scales = _SCALES if self.scaled else {}
        values = np.array([np.nan if cell is None else _value(cell, style, scales) for cell in self.cells] + [np.nan])
        pairs = zip(self.texts, values.tolist(), strict=False)
        marked = next((f"{value:.15g} of {text!r}" for text, value in pairs if _differs(text, value)), "")
        gaps = tuple(text for text, cell in zip(self.texts, self.cells, strict=True) if cell is None)
        return Numerals(values[self.codes], marked, gaps, self.unit)

    def _style(self, of_file: str | None, custom: str, *, money: bool) -> str | None:
        """Return how numbers are written: by their marks, else as in the rest of the file, else by how many digits follow the marks."""
        if len(self.styles) < 2:
            return next(iter(self.styles), None)
        bodies = [cell["body"] for cell in self.cells if cell is not None]
        if not any(POINT in body for body in bodies):
            return of_file or (POINT if _in_thousands(bodies, COMMA) else custom)
        # Hardly any price has three decimals.
        dots_are_thousands = of_file == COMMA or (of_file is None and (money or _in_thousands(bodies, POINT)))
        return COMMA if dots_are_thousands and _all_three(bodies, POINT) else POINT


def number_texts(column: Any) -> NumberTexts | None:
    """Return the numbers that the texts of a column are, or None where one is none, or their units differ."""
    codes, values = column.factorize()
    texts, cells = list(map(str, values)), []
    styles, units = frozenset((POINT, COMMA)), set[tuple[str, str]]()
    for text in texts:
        cell = cell_of(text)
        cells.append(cell)
        if cell is not None:
            styles &= styles_of(cell)
            units |= set() if _is_zero(cell) and not (cell["before"] or cell["after"]) else {_unit(cell)}
        if not styles or (cell is None and not is_gap(text)):
            return None
    units = units or ({("", "")} if any(cells) else set())
    scaled = len(units) > 1 and all(behind in _SCALES for _, behind in units)
    units = {(before, "") for before, _ in units} if scaled else units
    return NumberTexts(codes, texts, cells, "".join(*units), styles, scaled) if len(units) == 1 else None


def cell_of(text: str) -> re.Match[str] | None:
    """Return the parts of a text that is a number, None where it is none."""
    bare = text.strip()
    negative = _BRACKETS.fullmatch(bare) if "(" in bare else None
    return _CELL.fullmatch(bare if negative is None else "-" + "".join(negative.groups()))


def _is_zero(cell: re.Match[str]) -> bool:
    """Tell whether a number is zero, which needs no unit."""
    return not cell["body"].strip("0.,")


def _unit(cell: re.Match[str]) -> tuple[str, str]:
    """Return what stands before and behind a number, in the singular."""
    return cell["before"], _PLURAL.sub("", cell["after"])


def styles_of(cell: re.Match[str] | None) -> frozenset[str]:
    """Return the styles in which a text is a number: both, where it has no mark that tells."""
    if cell is None or _NAME.match(cell["body"]):
        return frozenset()
    body = cell["body"]
    return frozenset(mark for mark in ".," if _DECIMALS[mark].fullmatch(body) or _THOUSANDS[mark].fullmatch(body))


def _all_three(bodies: Iterable[str], mark: str) -> bool:
    return all(_THREE[mark].fullmatch(body) for body in bodies)


def _in_thousands(bodies: Sequence[str], mark: str) -> bool:
    """Tell whether a mark is surely before thousands: three digits follow it always, and whole numbers are below a thousand."""
    marked = sum(mark in body for body in bodies)
    return _SURE <= marked < len(bodies) and _all_three(bodies, mark)


def _value(cell: re.Match[str], style: str, scales: Mapping[str, float]) -> float:
    bare = float(_MARKS.sub(lambda mark: POINT if mark[0] == style else "", cell["body"])) * scales.get(
        cell["after"], 1.0
    )
    # "12.-" is a price without cents.
    last = cell["last"] if cell["body"][-1].isdigit() else ""
    negative = (cell["sign"] or cell["second"] or last) in ("-", "\u2212")
    return -bare if negative else bare


def _differs(text: str, value: float) -> bool:
    return value == value and text.strip() != f"{value:.15g}"


def style_of(columns: Iterable[NumberTexts]) -> str | None:
    """Return the style that columns of numbers as text have in common, or None where none tells or they differ."""
    sure = {style for column in columns if len(column.styles) == 1 for style in column.styles}
    return sure.pop() if len(sure) == 1 else None


def as_whole(numbers: FloatArray) -> Any:
    """Return numbers as integers where all are whole."""
    whole = bool(np.isfinite(numbers).all() and (np.abs(numbers) < 2.0**53).all() and (numbers % 1 == 0).all())
    return numbers.astype(np.int64) if whole else numbers


def is_text(column: Any) -> bool:
    """Tell whether a column holds text, or what is neither numbers nor dates."""
    return column.dtype.kind not in "biufcmM"


def said(found: Mapping[str, Numerals]) -> list[str]:
    """Say how columns were read as numbers."""
    parts = []
    for name, read in found.items():
        gaps = f"gaps: {listed(list(map(repr, read.gaps)), 4)}"
        how = ", ".join(filter(None, (read.example, gaps if read.gaps else "")))
        parts.append(f"{name} ({how})" if how else name)
    return parts
