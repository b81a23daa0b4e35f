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

# The ISO form, and dates with the year last. What may be read in two ways is not read.
_FORMS = "", "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%m-%d-%Y"


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
    times = dates_of(texts.tolist(), name)
    if times is None:
        shapes = {re.sub(r"\d", "0", text) for text in texts.tolist()}
        if len(shapes) > 1 or not _SORTED.fullmatch(shapes.pop()):
            must = "must hold numbers or dates such as 2026-01-31, all written alike, to be put in order"
            raise _check._fault(name, f"{must}, got {str(array[0])!r}")
        times = texts
    return times[place.ravel()]


def dates_of(texts: Sequence[str], name: str = "`time`") -> NDArray[Any] | None:
    """Return dates such as 2026-01-31, 31.1.2026 or 1/31/2026, in universal time; None if one is not, or is ambiguous."""
    read = [dates for form in _FORMS if (dates := _dates(texts, form))]
    if len(read) != 1:
        return None
    [dates] = read
    zones = {date.tzinfo is not None for date in dates}
    if len(zones) > 1:
        raise _check._fault(name, "must hold dates that all have a time zone, or none, got both")
    if zones == {True}:
        dates = [date.astimezone(UTC).replace(tzinfo=None) for date in dates]
    return np.array(dates, dtype="datetime64[us]")


def _dates(texts: Sequence[str], form: str) -> list[Any]:
    """Return the dates of all texts, or none where one is not written in this form."""
    try:
        if not form:
            return [datetime.fromisoformat(text) for text in texts]
        return [datetime.strptime(text, form) for text in texts]  # noqa: DTZ007 - they have no zone
    except ValueError:
        return []
