"""Columns that look as if examples were not independent, which nobody has said."""

import re
from collections.abc import Iterator
from typing import Any

from errbar.result import Note

TIMES = {"date", "time", "datetime", "timestamp", "day", "week", "month", "year"}
GROUPS = {"patient", "subject", "customer", "user", "group", "site", "hospital", "passage", "store", "shop", "clinic"}
GROUPS |= {"person", "participant", "client", "household", "family", "school", "session", "document", "speaker", "id"}
GROUPS |= {"pat", "pid", "proband", "donor", "animal", "mouse", "student", "pupil", "centre", "center", "ward"}
GROUPS |= {"batch", "plate"}
MANY_CODES = 10
"""From so many different texts on, such as P-1000, that all hold a digit, a column is taken for the codes of groups."""
MOST = 1.5
"""Of fewer examples than this a value, on average, a column is no group but a name for each example."""

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_DAY = re.compile(r"\d{1,2}([./-])\d{1,2}\1\d{4}")
_YEAR_FIRST = re.compile(r"\d{4}-\d\d")
_CODE = re.compile(r".*\d")


def notes_of(features: Any, *, groups: str | None, time: str | None, timed: bool = True) -> Iterator[Note]:
    """Yield notes on features that look like a time or a group, where neither is named.

    Parameters
    ----------
    features : data frame
        All columns that learners are to see.
    groups, time : str or None
        Columns that are named already. No method takes both, so a time leaves no room for groups.
    timed : bool, default True
        Whether the command takes a time.
    """
    if groups is not None or time is not None:
        return
    for name in features.columns:
        column = features[name]
        if looks_like_time(column, name):
            remedy = f"name it with --time {name!r} to train on the past and test on the future, or " if timed else ""
            text = (
                f"column {name!r} looks like a time, and random splits test on examples older than some that were trained on; "
                f"{remedy}leave it out with --drop {name!r}"
            )
            yield Note("looks-like-time", text)
        elif looks_like_groups(column, name):
            text = (
                f"column {name!r} looks like a group, with {column.nunique()} values for {column.size} examples; if examples of "
                f"one value are alike, name it with --groups {name!r} to keep them together, or leave it out with --drop "
                f"{name!r}"
            )
            yield Note("looks-like-groups", text)


def looks_like_time(column: Any, name: str) -> bool:
    """Tell whether a column holds dates, also those that are no order as text, or numbers in order under the name of a time."""
    if column.dtype.kind in "mM":
        return True
    if column.dtype.kind in "iuf":
        ordered = column.is_monotonic_increasing or column.is_monotonic_decreasing
        return bool(ordered and column.nunique() > 1 and _words(name) & TIMES)
    return _all_match(column, _DAY) or (_all_match(column, _YEAR_FIRST) and _are_dates(column))


def looks_like_groups(column: Any, name: str) -> bool:
    """Tell whether a column of text or whole numbers has the name of a group, or many codes, and values that repeat."""
    # One empty cell makes floats of whole numbers.
    whole = column.dtype.kind not in "bfcmM" or (column.dtype.kind == "f" and bool((column.dropna() % 1 == 0).all()))
    fits = whole and (_words(name) & GROUPS or (column.nunique() >= MANY_CODES and _all_match(column, _CODE)))
    return bool(fits and 2 <= column.nunique() <= column.size / MOST)


def _are_dates(column: Any) -> bool:
    import pandas as pd

    try:
        pd.to_datetime(column, format="ISO8601")
    except (ValueError, TypeError):
        return False
    return True


def _all_match(column: Any, pattern: re.Pattern[str]) -> bool:
    """Tell whether a column holds text alone, all of which begins as the pattern says."""
    known = column.dropna().unique()
    return len(known) > 0 and all(isinstance(value, str) and pattern.match(value) for value in known)


def _words(name: str) -> set[str]:
    """Return the words of a name such as ``patient_id``, ``patientId`` or ``Patients``, in the singular."""
    words = {word.lower() for word in _WORD.findall(name)}
    words |= {word.removesuffix("id") for word in words}
    return {word.removesuffix("s") if word != "s" else word for word in words} | words
