"""Columns that look as if examples were not independent, and whether the target agrees."""

import re
from typing import Any

import numpy as np

from errbar._check import FloatArray
from errbar.plans._times import dates_of

TIMES = {"date", "time", "datetime", "timestamp", "day", "week", "month", "year"}
GROUPS = {"patient", "subject", "customer", "user", "group", "site", "hospital", "passage", "store", "shop", "clinic"}
GROUPS |= {"person", "participant", "client", "household", "family", "school", "session", "document", "speaker", "id"}
GROUPS |= {"pat", "pid", "proband", "donor", "animal", "mouse", "student", "pupil", "centre", "center", "ward"}
GROUPS |= {"batch", "plate"}
MANY_CODES = 10
"""From so many different texts on, such as P-1000, that all hold a digit, a column is taken for the codes of groups."""
MOST = 1.5
"""Of fewer examples than this a value, on average, a column is not a group but a name for each example."""
PLAIN = 0.1
"""Correlations below this shift intervals little, however certain they are."""
CERTAIN = 0.001
"""Chance of taking independent examples for dependent ones."""

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_DAY = re.compile(r"\d{1,2}([./-])\d{1,2}\1\d{4}")
_YEAR_FIRST = re.compile(r"\d{4}-\d\d")
_MONTH = re.compile(r"\d{4}-(0[1-9]|1[0-2])$")
_BIN = r"\W*\d[\d.,k]*\s*(?:(?:-|–|to|bis|and|,)\s*\W*\d[\d.,k]*|\+)\W*[a-z]{0,9}\W*|[<>≤≥].*|\d{1,2}:\d\d.*"
"""Ages 18-24 years, <5 km, and clock times."""
_CODE = re.compile(rf"(?=.*[^\W\d])(?=.*\d)(?!(?:{_BIN})$)")
_GRADE = re.compile(r"[^\W\d]\d$")
_LABELS = {"code", "no", "nr", "num", "number", "key", "name", "index", "idx", "label", "ref"}
"""Last words of names that say which: the group of ``patient_code`` is the patient, but ``patient_age`` is none."""
_BORN = {"birth", "born", "dob", "birthday", "birthdate", "geburt", "geburtsdatum", "geburtsjahr", "naissance", "built"}
"""Words in the names of times at which an example began, which is not when it was observed."""
_LASTING = {"follow", "followup", "survival", "reaction", "response", "travel", "delivery", "waiting", "lead", "to"}
"""Words in the names of numbers that say how long something took."""


def looks_like_time(column: Any, name: str) -> bool:
    """Tell whether a column holds dates, also those that are no order as text, or numbers in order under the name of a time."""
    words = words_of(name)
    if words & _BORN:
        return False
    if column.dtype.kind in "iuf":
        ordered = column.is_monotonic_increasing or column.is_monotonic_decreasing
        return bool(ordered and column.nunique() > 1 and words & TIMES and not words & _LASTING)
    return column.dtype.kind in "mM" or looks_like_days(column)


def looks_like_days(column: Any) -> bool:
    """Tell whether a column of text holds days or months."""
    if _all_match(column, _DAY) or _all_match(column, _MONTH):
        return True
    return _all_match(column, _YEAR_FIRST) and dates_of([str(text) for text in column.dropna().unique()]) is not None


def looks_like_groups(column: Any, name: str) -> bool:
    """Tell whether a column of text or whole numbers has the name of a group, or many codes, and values that repeat."""
    # One empty cell makes floats of whole numbers.
    whole = column.dtype.kind not in "bfcmM" or (column.dtype.kind == "f" and bool((column.dropna() % 1 == 0).all()))
    fits = whole and (_names_groups(name) or (column.nunique() >= MANY_CODES and _are_codes(column)))
    return bool(fits and 2 <= column.nunique() <= column.size / MOST)


def correlation_within(target: Any, groups: Any, certain: float = CERTAIN) -> float | None:
    """Return the intraclass correlation of a target, or None unless it is certain and at least `PLAIN`.

    The analysis of variance is that of the ranks of numbers, and of indicators of classes, whose sums of squares are added; its
    F test is approximate. The estimate is that of unequal groups (Donner 1986).
    """
    from scipy.stats import f

    values = _numbers(target)
    codes, sizes = np.unique(np.asarray(groups), return_inverse=True, return_counts=True)[1:]
    n, k = values.shape[0], sizes.size
    if k < 2 or n - k < 2:
        return None
    means = np.stack([np.bincount(codes, column) for column in values.T], axis=1) / sizes[:, np.newaxis]
    among = float((sizes[:, np.newaxis] * (means - values.mean(axis=0)) ** 2).sum()) / (k - 1)
    within = float(((values - means[codes]) ** 2).sum()) / (n - k)
    columns = max(1, values.shape[1] - 1)
    if not among > 0.0 or (within > 0.0 and f.sf(among / within, columns * (k - 1), columns * (n - k)) > certain):
        return None
    usual = (n - float((sizes**2).sum()) / n) / (k - 1)
    found = (among - within) / (among + (usual - 1.0) * within)
    return found if found >= PLAIN else None


def correlation_in_order(target: Any, time: Any) -> float | None:
    """Return the correlation of a target with itself one time later, or None unless it is certain and at least `PLAIN`.

    Examples of one time are averaged first. Of independent examples it is normal with variance 1/T, of T times.
    """
    from scipy.stats import norm

    values = _numbers(target)
    codes, sizes = np.unique(np.asarray(time), return_inverse=True, return_counts=True)[1:]
    if sizes.size < MANY_CODES:
        return None
    means = np.stack([np.bincount(codes, column) for column in values.T], axis=1) / sizes[:, np.newaxis]
    centred = means - means.mean(axis=0)
    square = float((centred**2).sum())
    if not square > 0.0:
        return None
    found = float((centred[1:] * centred[:-1]).sum()) / square
    return found if found >= max(PLAIN, norm.isf(CERTAIN) / sizes.size**0.5) else None


def _are_codes(column: Any) -> bool:
    """Tell whether all texts of a column hold a letter and a digit, but are no bins, and no grades such as A1, A2, B1."""
    grades = _all_match(column, _GRADE) and len({text[0] for text in column.dropna().unique()}) > 1
    return _all_match(column, _CODE) and not grades


def _names_groups(name: str) -> bool:
    """Tell whether a name is that of groups, such as ``patientId`` or ``store_nr``."""
    words = _WORD.findall(name)
    while len(words) > 1 and words[-1].lower() in _LABELS:
        words.pop()
    return "id" in words_of(name) or bool(words and words_of(words[-1]) & GROUPS)


def words_of(name: str) -> set[str]:
    """Return the words of a name such as ``patient_id``, ``patientId`` or ``Patients``, in the singular."""
    words = {word.lower() for word in _WORD.findall(name)}
    words |= {word.removesuffix("id") for word in words}
    return {word.removesuffix("s") if word != "s" else word for word in words} | words


def _numbers(target: Any) -> FloatArray:
    """Return a target as ranks, or as indicators of its classes: a row per example."""
    from scipy.stats import rankdata

    values = np.asarray(target)
    if values.dtype.kind in "iuf" and np.unique(values).size > 2:
        ranks: FloatArray = rankdata(values)[:, np.newaxis]
        return ranks
    classes, codes = np.unique(values.astype(str), return_inverse=True)
    return np.asarray(codes[:, np.newaxis] == np.arange(classes.size), dtype=float)


def _all_match(column: Any, pattern: re.Pattern[str]) -> bool:
    """Tell whether a column holds text alone, all of which begins as the pattern says."""
    known = column.dropna().unique()
    return len(known) > 0 and all(isinstance(value, str) and pattern.match(value) for value in known)
