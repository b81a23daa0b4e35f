"""Rows that are copies of others: random splits test on copies of what was trained."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from errbar.errors import InvalidInputError
from errbar.result import Note

FEW, MANY = 0.01, 0.25
"""Below the first share of rows copies hardly move an error; from the second on, they make most of it."""
MOST_EQUAL = 20
"""A row that stands there more often is one of its own, such as people who bought nothing."""
_ODD = np.uint64(0x9E3779B97F4A7C15)


def copies(X: Any, y: Any, groups: Any = None, *, refused: bool = True) -> Iterator[Note]:
    """Yield a note if a hundredth of the rows are copies; refuse a quarter, unless not `refused`.

    Copies within a group do not count, since they are never split up.
    """
    count, rows = copied_rows(X, y, groups), len(y)
    if refused and count >= MANY * rows:
        raise InvalidInputError(
            f"{count} of {rows} rows are copies; remove them, or give copies one of --groups (`groups`)"
        )
    if count >= FEW * rows and count > 0:
        yield Note("copies", copies=count, rows=rows)


def copied_rows(X: Any, y: Any, groups: Any = None) -> int:
    """Return how many rows agree with an earlier one in every feature and the target.

    Tables of few values have equal rows by nature. So a row counts only if some number is that of its
    copies alone, in a column in which most different rows have a number of their own.
    """
    rows, columns = _digests(X)
    if rows is None:
        return 0
    rows = _with_labels(rows, y)
    ordered = np.sort(rows)  # a sixtieth of the time of np.unique
    if (ordered[1:] != ordered[:-1]).all():
        return 0
    if groups is not None:
        kept = np.unique(_with_labels(rows, groups), return_index=True)[1]
    else:
        kept = np.arange(rows.size)
    _, first, times = np.unique(rows[kept], return_index=True, return_counts=True)
    alone = np.zeros(first.size, dtype=bool)
    for column in (*columns, *[y] * (y.dtype.kind in "iuf")):
        _, code, uses = np.unique(column[kept[first]], return_inverse=True, return_counts=True)
        own = uses[code] == 1
        if own.mean() > 0.5:
            alone |= own
    return int((times[alone & (times <= MOST_EQUAL)] - 1).sum())


def _digests(X: Any) -> tuple[Any, list[Any]]:
    """Return a number for each row, the same for equal rows, None where cells cannot be compared; and columns of numbers."""
    if hasattr(X, "select_dtypes"):
        from pandas.util import hash_pandas_object

        try:
            rows = np.asarray(hash_pandas_object(X, index=False))
        except TypeError:  # of lists, for instance
            return None, []
        return rows, list(X.select_dtypes("number").to_numpy(dtype=float, na_value=np.nan).T)
    if not isinstance(X, np.ndarray) or X.ndim != 2 or X.dtype.kind not in "biuf":
        return None, []
    rows = np.ascontiguousarray(X, dtype=float)
    digests = np.fromiter((hash(row.tobytes()) for row in rows), np.int64, len(rows))
    return digests.view(np.uint64), list(X.T)


def _with_labels(rows: Any, labels: Any) -> Any:
    codes = np.unique(labels, return_inverse=True)[1].astype(np.uint64)
    return rows * _ODD + codes
