"""Features of a table as people have it: what their cells mean, and how each column is read."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from errbar._check import listed
from errbar.errors import InvalidInputError
from errbar.result import Note
from errbar.sources._column_kinds import (
    DATE,
    MOST_CATEGORIES,
    NAME,
    NUMBER,
    PROSE,
    READ_AS,
    TEXT,
    WORDY,
    of_kind,
)
from errbar.sources._columns import counts_rows
from errbar.sources._frames import FileTable
from errbar.sources._numerals import as_whole, is_text, number_texts, odd_cell, said, style_of
from errbar.sources._suspects import MANY_CODES, TIMES, days_of, looks_like_days, words_of
from errbar.sources._targets import stripped

_STAND_IN = re.compile(r"-?(9{2,}|8{2,}|7{2,})")
_LONG = 3
"""Text of more words than this, on average, is prose."""


def without_lists(frame: Any, drop: Sequence[str]) -> Any:
    """Return a table without columns that are left out anyway and hold lists or the like.

    Raises
    ------
    InvalidInputError
        If another column holds such.
    """
    nested = [name for name in frame if frame[name].dtype == object and _holds_lists(frame[name])]
    wanted = [name for name in nested if name not in drop]
    if wanted:
        they = "them" if len(wanted) > 1 else "it"
        raise InvalidInputError(
            f"column {listed(list(map(repr, wanted)), 4)} holds lists or the like in its cells, where a number, a text or a date is needed; leave "
            f"{they} out with --drop {','.join(wanted)!r} (`drop`), or give each number a column of its own"
        )
    return frame.drop(columns=nested)


def _holds_lists(column: Any) -> bool:
    return any(isinstance(cell, (list, tuple, dict, set, np.ndarray)) for cell in column)


def as_features(
    whole: Any, names: Sequence[str], drop: Sequence[str], table: FileTable
) -> tuple[Any, tuple[Note, ...]]:
    """Return the table with texts that are numbers or dates read as such, and durations as days, and what is to be said of it."""
    whole = whole.assign(**{name: stripped(whole[name]) for name in names if is_text(whole[name])})
    whole = _with_dates(whole, names, drop)
    texts = {name: whole[name] for name in names if is_text(whole[name]) and name not in drop}
    cells = {name: read for name, column in texts.items() if (read := number_texts(column)) is not None}
    style = table.style or style_of(cells.values())
    numbers = {name: table.numerals(texts, style) for name, texts in cells.items()}
    found = {name: read for name, read in numbers.items() if read is not None}
    notes = [Note("read", numbers=said(found))] if found else []
    mixed = {name: odd_cell(table.frame[name]) for name in texts if name not in found}
    if odd := [f"{name}: {cell}" for name, cell in mixed.items() if cell is not None]:
        notes.append(Note("read", odd_cells=odd))
    lasting = [name for name in names if whole[name].dtype.kind == "m" and name not in drop]
    if lasting:
        notes.append(Note("read", days=lasting))
    days = {name: whole[name].dt.total_seconds() / 86400.0 for name in lasting}
    return whole.assign(**{name: as_whole(read.numbers) for name, read in found.items()}, **days), tuple(notes)


def _with_dates(whole: Any, names: Sequence[str], drop: Sequence[str]) -> Any:
    """Return the table with texts that are dates read as such, unless nobody can tell which and they are left out anyway."""
    found = {}
    for name in names:
        if whole[name].dtype.kind not in "biufmM" and looks_like_days(whole[name]):
            dates = days_of(whole[name], name, required=name not in drop)
            if dates is not None:
                found[name] = dates
    return whole.assign(**found)


def kind_of(column: Any, name: str, *, wanted: bool) -> str:
    """Return how a feature is read; none that is `wanted` is left out."""
    distinct, filled = int(column.nunique()), int(column.notna().sum())
    unique = distinct == filled == column.size > 1
    if column.dtype.kind in "biuf":
        named = unique and column.dtype.kind in "iu" and ("id" in words_of(name) or name.startswith("Unnamed: "))
        counted = column.size > MANY_CODES and counts_rows(column) and not words_of(name) & TIMES
        return NAME if (named or counted) and not wanted else NUMBER
    if column.dtype.kind in "mM":
        return DATE
    if unique and column.size > MANY_CODES and not wanted:
        return PROSE if _is_prose(column) else NAME
    if distinct <= MOST_CATEGORIES:
        return TEXT
    return PROSE if not wanted and (_is_prose(column) or distinct > filled / 2) else WORDY


def _is_prose(column: Any) -> bool:
    return float(column.dropna().astype(str).str.split().str.len().mean()) > _LONG


def refuse_infinite(X: Any, columns: Mapping[str, str]) -> None:
    """Raise if a number is infinite."""
    for name in of_kind(columns, NUMBER):
        endless = np.isinf(X[name].to_numpy(dtype="float64", na_value=float("nan")))
        if endless.any():
            raise InvalidInputError(
                f"column {name!r} holds an infinite number in {int(endless.sum())} of {len(X)} rows; leave these cells empty where no "
                f"value is known, or the column out with --drop {name!r} (`drop`)"
            )


def plain(X: Any, columns: Mapping[str, str]) -> Any:
    """Return features as an array where all are numbers without gaps, and as a frame of numbers, text and dates if not."""
    if all(columns[name] == NUMBER for name in X) and not gaps(X):
        return X.to_numpy(dtype="float64")
    made = X.copy()
    for name in X:
        if columns[name] in (TEXT, WORDY, PROSE):
            made[name] = X[name].astype(object).map(str, na_action="ignore")
        elif columns[name] == NUMBER:
            made[name] = X[name].to_numpy(dtype="float64", na_value=float("nan"))
    return made


def gaps(X: Any) -> list[str]:
    """Return the columns with gaps."""
    return [name for name in X if X[name].isna().any()]


def reading(X: Any, columns: Mapping[str, str]) -> Iterator[Note]:
    """Say how columns were read, where there is more than numbers without gaps, and which are of no use."""
    holed = [name for name in gaps(X) if X[name].notna().any()]
    if set(columns.values()) != {NUMBER} or holed:
        told = {name: of_kind(columns, kind) for kind, name in READ_AS.items()}
        told["gaps_filled"] = [name for name in holed if columns[name] in (NUMBER, DATE)]
        told["gaps_as_text"] = [name for name in holed if columns[name] in (TEXT, WORDY)]
        yield Note("read", **{name: names for name, names in told.items() if names})
    yield from _useless(X)
    yield from _capitals(X, columns)
    for name in of_kind(columns, NUMBER):
        yield from _stand_ins(X[name], name)


def _capitals(X: Any, columns: Mapping[str, str]) -> Iterator[Note]:
    """Say that two texts of a column differ in capital letters only."""
    for name in of_kind(columns, TEXT):
        texts = [str(text) for text in X[name].dropna().unique()]
        alike = [text for text in texts if any(text != one and text.casefold() == one.casefold() for one in texts)]
        if alike:
            named = listed(sorted(alike, key=str.casefold), 4)
            yield Note("read", alike_but_capitals=[f"{name}: {named}"])


def _stand_ins(column: Any, name: str) -> Iterator[Note]:
    """Say that a number such as -999 stands for no value, where it is further from all others than these are from each other."""
    values, counts = np.unique(column.dropna().to_numpy(dtype="float64"), return_counts=True)
    for end, rest in ((0, values[1:]), (-1, values[:-1])):
        if rest.size < 2 or counts[end] < 2 or not _STAND_IN.fullmatch(f"{values[end]:.15g}"):
            continue
        if np.abs(rest - values[end]).min() > np.ptp(rest):
            yield Note("read", stand_ins=[f"{values[end]:g} in {counts[end]} rows of {name}"])


def _useless(X: Any) -> Iterator[Note]:
    """Say which columns are empty, or the same in every row."""
    empty = [name for name in X if not X[name].notna().any()]
    constant = [name for name in X if name not in empty and len(X) > 1 and X[name].nunique(dropna=False) == 1]
    if empty:
        yield Note("read", empty=empty)
    if constant:
        yield Note("read", constant=constant)
