"""Times that can be put in order, of whatever type they are given."""

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errbar import _check

# Shapes of text, with 0 for every digit, that sorts in the order of time where all texts have the same shape: one number, the year
# first, or a time of day.
_SORTED = re.compile(r"[^0]*0+[^0]*|0000[-/. ]?[QWMT]?[-/.: T0]*Z?|00:00(:00(\.0+)?)?")

_YEAR_LAST = re.compile(r"(\d{1,2})([./-])(\d{1,2})\2(\d{4})((?:[ T]\d.*)?)")


def times_of(value: Any, n: int, what: str = "example", name: str = "`time`") -> NDArray[Any]:
    """Return n times whose order is that of time: numbers, dates, or text that sorts as they do, such as "2026Q1"."""
    array = _check.categories(value, name)
    if array.size != n:
        raise _check._fault(name, f"must hold one value per {what}, {n} in all, got {array.size}")
    if array.dtype.kind in "biufmM":
        return array
    try:
        return array.astype(np.float64)
    except (ValueError, TypeError):
        pass
    texts, place = np.unique(array.astype(str), return_inverse=True)
    return _read(texts.tolist(), str(array[0]), name)[place.ravel()]


def dates_of(texts: Sequence[str], name: str = "`time`") -> NDArray[Any] | None:
    """Return dates such as 2026-01-31, 31.1.2026 or 1/31/2026, in universal time; None if one is not, or is ambiguous."""
    dates: list[Any] = [_date(text) for text in texts]
    if None in dates:
        dates = _with_day_and_month(texts)
    if None in dates:
        return None
    zones = {date.tzinfo is not None for date in dates}
    if len(zones) > 1:
        raise _check._fault(name, "must hold dates that all have a time zone, or none, got both")
    if zones == {True}:
        dates = [date.astimezone(UTC).replace(tzinfo=None) for date in dates]
    return np.array(dates, dtype="datetime64[us]")


def _with_day_and_month(texts: Sequence[str]) -> list[Any]:
    """Return dates written with the year last, such as 31.1.2026; None among them where they may be read in two ways."""
    found: list[Any] = [_YEAR_LAST.fullmatch(text) for text in texts]
    if None in found or len({match[2] for match in found}) > 1:
        return [None]
    day_first, month_first = (
        [_date(f"{match[4]}-{match[month]:0>2}-{match[day]:0>2}{match[5]}") for match in found]
        for day, month in ((1, 3), (3, 1))
    )
    if None in month_first or found[0][2] == ".":
        return month_first if None in day_first else day_first
    return month_first if None in day_first else [None]


def _read(texts: list[str], first: str, name: str) -> NDArray[Any]:
    dates = dates_of(texts, name)
    if dates is None:
        shapes = {re.sub(r"\d", "0", text) for text in texts}
        if len(shapes) == 1 and _SORTED.fullmatch(shapes.pop()):
            return np.array(texts)
        raise _check._fault(
            name,
            f"must hold numbers or dates such as 2026-01-31, all written alike, to be put in order, got {first!r}",
        )
    return dates


def _date(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None
