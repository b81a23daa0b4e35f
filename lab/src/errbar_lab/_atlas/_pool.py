"""Rows of the same cells from several runs, put together as if one run had made them."""

from typing import Any

import numpy as np

CELL = ["problem", "n", "loss", "method", "learner", "minus"]
"""What names a row."""

_NAMES = [*CELL, "pair"]
_BY_ANSWERS = ("estimate", "width", " value")  # means over the intervals that there are
_BY_DATA_SETS = ("n_train", "fits", "seconds", " error")
_COUNTS = ("data_sets", "answers", "rejects", " below", " above")


def pooled(frame: Any) -> Any:
    """Return one row for each cell, of all data sets whose numbers follow one another without gap or overlap.

    Cells may have different numbers of data sets: those of learners whose fits are cheap have more. Of runs that begin with the
    same data set the longest counts. Counts are added; means are weighted by the number of answers; the standard deviation of all
    estimates follows from those of the runs and from their means.
    """
    frame = frame.reset_index(drop=True)
    kept = frame[_following(frame)].drop_duplicates([*CELL, "first"])
    if not kept.duplicated(CELL).any():
        return kept
    first = kept.groupby(_NAMES, observed=True, sort=False)["first"].min()
    sums = _sums(kept).groupby(_NAMES, observed=True, sort=False).sum(min_count=1)
    return _means(sums).assign(first=first).reset_index()[list(kept.columns)]


def _sums(rows: Any) -> Any:
    """Return numbers that can be added over runs; counts of what is not known are not numbers."""
    found = rows.copy()
    answers = rows["answers"].astype(np.float64)
    for name in rows:
        if name.endswith(_BY_ANSWERS):
            found[name] = rows[name] * answers
        elif name.endswith(_BY_DATA_SETS):
            found[name] = rows[name] * rows["data_sets"]
        elif name.endswith((" below", " above")):
            found[name] = rows[name].where(rows[name] >= 0)
    found["sd"] = (answers - 1.0).clip(lower=0.0) * rows["sd"].fillna(0.0) ** 2 + answers * rows[
        "estimate"
    ] ** 2
    found["se"] = rows["se"] ** 2 * answers
    return found.drop(columns="first")


def _means(sums: Any) -> Any:
    """Turn sums over runs into what one run of all data sets would have given."""
    found = sums.copy()
    answers = sums["answers"].astype(np.float64)
    with np.errstate(all="ignore"):
        for name in sums:
            if name.endswith(_BY_ANSWERS):
                found[name] = sums[name] / answers
            elif name.endswith(_BY_DATA_SETS):
                found[name] = sums[name] / sums["data_sets"]
            elif name.endswith(_COUNTS):
                found[name] = sums[name].fillna(-1).astype(np.int64)
        within = sums["sd"] - sums["estimate"] ** 2 / answers
        found["sd"] = np.sqrt(within.clip(lower=0.0) / (answers - 1.0))
        found["se"] = np.sqrt(sums["se"] / answers)
    return found


def _following(frame: Any) -> Any:
    """Tell for each row, numbered from 0, whether its data sets follow those of the rows of its cell that count before it."""
    order = ["first", "data_sets"]
    end: dict[Any, int] = {}
    counts = np.zeros(len(frame), dtype=bool)
    for place, *cell, first, size in (
        frame[[*CELL, *order]].sort_values(order, ascending=[True, False]).itertuples()
    ):
        name = tuple(cell)
        if end.get(name, first) == first:
            counts[place] = True
            end[name] = first + size
    return counts
