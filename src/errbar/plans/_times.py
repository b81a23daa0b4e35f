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
    """Return dates such as 2026-01-31, in universal time; None if one is not."""
    try:
        dates = [datetime.fromisoformat(text) for text in texts]
    except ValueError:
        return None
    zones = {date.tzinfo is not None for date in dates}
    if len(zones) > 1:
        raise _check._fault(name, "must hold dates that all have a time zone, or none, got both")
    if zones == {True}:
        dates = [date.astimezone(UTC).replace(tzinfo=None) for date in dates]
    return np.array(dates, dtype="datetime64[us]")


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
