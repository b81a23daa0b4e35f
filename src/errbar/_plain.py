"""Answers as plain data, which JSON can hold."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from enum import Enum
from pathlib import Path
from typing import Any, TypeVar, dataclass_transform

import errbar

Data = dict[str, Any]
Names = Sequence[str]


Record = TypeVar("Record")


@dataclass_transform(frozen_default=True, eq_default=False, field_specifiers=(field,))
def record(kind: type[Record]) -> type[Record]:
    """Make a class a frozen dataclass whose objects hold arrays, and so are equal to themselves alone."""
    return dataclass(frozen=True, eq=False)(kind)


class Shown:
    """An answer that shows itself, as `errbar.report` tells it."""

    def __str__(self: Any) -> str:
        """Return the first screen of the report as text, without colour since it may go anywhere."""
        return errbar.report.text(self, color=False)

    __repr__ = __str__

    def _repr_html_(self: Any) -> str:
        """Return the report for notebooks."""
        return errbar.report.fragment(self)

    def details(self: Any) -> str:
        """Return what the first screen leaves out: what is estimated, method, splits, notes, and how to do it again."""
        return errbar.report.details(self)

    def save(self: Any, path: str | Path) -> Path:
        """Write the report or all numbers, as `errbar.report.save` does, and return the path."""
        return errbar.report.save(self, path)


def plain(record: Any, *, infinite: Names = ()) -> dict[str, Any]:
    """Return the fields of a record as plain data: arrays and tuples as lists, None for what is not finite.

    Parameters
    ----------
    record : dataclass, named tuple or mapping
        What is described, with records in it if need be.
    infinite : tuple of str
        Fields that may be infinite and keep their sign, as ``"inf"`` or ``"-inf"``.
    """
    given = record._asdict() if hasattr(record, "_asdict") else record
    if is_dataclass(given):
        given = {one.name: getattr(given, one.name) for one in fields(given)}
    signed = {name: str(given[name]) for name in infinite if not math.isfinite(given[name])}
    return {name: _plain(value) for name, value in given.items()} | signed


def _plain(value: Any) -> Any:
    if hasattr(value, "to_dict"):
        return value.to_dict()
    if is_dataclass(value) or hasattr(value, "_asdict") or isinstance(value, Mapping):
        return plain(value)
    if hasattr(value, "tolist"):  # of NumPy
        return _plain(value.tolist())
    if isinstance(value, (list, tuple)):
        return list(map(_plain, value))
    if isinstance(value, Enum):
        return value.value
    return None if isinstance(value, float) and not math.isfinite(value) else value


def defused(cell: Any) -> Any:
    """Return a cell of a CSV file, with an apostrophe in front where a spreadsheet would run its text as a formula.

    Numbers, also those that are written as text, stay as they are.

    Examples
    --------
    >>> from errbar._plain import defused
    >>> [defused(cell) for cell in ("=1+1", "@tree", "-2.5", -2.5, "tree")]
    ["'=1+1", "'@tree", '-2.5', -2.5, 'tree']
    """
    if not isinstance(cell, str) or not cell.startswith(tuple("=+-@\t\r\n")):
        return cell
    try:
        float(cell)
    except ValueError:
        return f"'{cell}"
    return cell


# Text as Markdown and LaTeX show it: as it stands.

MINUS, INFINITY = "\N{MINUS SIGN}", "\N{INFINITY}"

_ENTITY = re.compile(r"&(?=#?\w+;)")
_SPECIAL = re.compile(r"([\\`*_#|~$^\[])")

_LATEX = str.maketrans(
    {character: f"\\{character}" for character in "&%$#_{}"}
    # After the end of a row brackets and stars would be read as its arguments.
    | {character: f"{{{character}}}" for character in "[]*`'"}
    | {
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "\\": r"\textbackslash{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
        '"': "''",
        MINUS: "$-$",
        INFINITY: r"$\infty$",
        "±": r"$\pm$",
        "…": r"\ldots{}",
    }
)


def markdown(text: str) -> str:
    """Return text that Markdown shows as it stands."""
    shown = _ENTITY.sub("&amp;", text).replace("<", "&lt;").replace(">", "&gt;")
    return _SPECIAL.sub(r"\\\1", shown)


def latex(text: str) -> str:
    """Return text that LaTeX sets as it stands."""
    # Without a group between them, two hyphens would become a dash.
    return re.sub(r"-(?=-)", "-{}", text.translate(_LATEX))
