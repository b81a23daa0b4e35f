"""Times that can be put in order, of whatever type they are given."""

import re
from datetime import UTC, datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errbar import _check
from errbar.errors import InvalidInputError

# Shapes of text, with 0 for every digit, that sorts in the order of time where all texts have the same shape: one number, the year
# first, or a time of day.
_SORTED = re.compile(r"[^0]*0+[^0]*|0000[-/. ]?[QWMT]?[-/.: T0]*Z?|00:00(:00(\.0+)?)?")


def times_of(value: Any, n: int, what: str = "example", name: str = "`time`") -> NDArray[Any]:
    """Return n times whose order is that of time: numbers, dates, or text that sorts as they do, such as "2026Q1".

    Raises
    ------
    InvalidInputError
        If there are not n of them, or some are missing or not to be put in order, as text like "31.1.2026" is not.
    """
    array = _check.categories(value, name)
    if array.size != n:
        raise InvalidInputError(f"{name} must hold one value per {what}, {n} in all, got {array.size}")
    if array.dtype.kind in "biufmM":
        return array
    try:
        return array.astype(np.float64)
    except (ValueError, TypeError):
        pass
    texts, place = np.unique(array.astype(str), return_inverse=True)
    return _read(texts.tolist(), str(array[0]), name)[place.ravel()]


def _read(texts: list[str], first: str, name: str) -> NDArray[Any]:
    """Read dates from text; those with a time zone become universal time."""
    dates = [date for date in map(_date, texts) if date is not None]
    if len(dates) < len(texts):
        shapes = {re.sub(r"\d", "0", text) for text in texts}
        if len(shapes) == 1 and _SORTED.fullmatch(shapes.pop()):
            return np.array(texts)
        raise InvalidInputError(
            f"{name} must hold numbers or dates such as 2026-01-31, all written alike, to be put in order, got {first!r}"
        )
    zones = {date.tzinfo is not None for date in dates}
    if len(zones) > 1:
        raise InvalidInputError(f"{name} must hold dates that all have a time zone, or none, got both")
    if zones == {True}:
        dates = [date.astimezone(UTC).replace(tzinfo=None) for date in dates]
    return np.array(dates, dtype="datetime64[us]")


def _date(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None
