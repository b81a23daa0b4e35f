"""Rows that hold the same examples again, as those of repeated cross-validation do, where nobody says so."""

from collections import Counter
from collections.abc import Collection, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errbar._check import IntArray, distinct
from errbar.errors import InvalidInputError
from errbar.sources._numerals import is_text
from errbar.sources._repeats import FOLDS, crossed, labelled_folds, normal

FEWEST = 20
"""So many values do not stand equally often in a column by chance, and so many rows not twice in an order of their own."""

_TOLD = {"example", "repeat", "seed", "groups", "time"}
"""Roles of which one says that rows are of the same examples, or not independent."""


def refuse_ids(learners: Collection[str], columns: Mapping[str, Any]) -> None:
    """Raise if a column of a learner holds whole numbers that repeat as the numbers of examples do."""
    for name in learners:
        try:
            column = np.asarray(columns[name])
        except ValueError:  # rows of different lengths, which are refused elsewhere
            continue
        codes = _codes_of_ids(column) if column.dtype.kind in "iuf" else None
        if codes is not None:
            raise InvalidInputError(_said(name, codes, columns))


def refuse_repeated_rows(columns: Any, roles: Collection[str], taken: Collection[str], truth: Any = None) -> None:
    """Raise if a column numbers or names the same examples again and again, and no role tells what the repeats are.

    Parameters
    ----------
    columns : DataFrame, or mapping of str to column
        All columns of a table whose rows are examples.
    roles : collection of str
        What is known of the rows, such as ``"fold"``.
    taken : collection of str
        Columns that are not looked at: those of roles and named learners.
    truth : column, optional
        The truth of each row: that of an example is the same in all its rows.

    Notes
    -----
    Classes of equal sizes repeat as well. Examples stand in blocks, each of them once in a block, or another column tells the repeat.
    """
    if _TOLD & set(roles):
        return
    for name in (one for one in columns if one not in taken):
        codes = _codes_of_ids(np.asarray(columns[name]))
        if codes is None:
            continue
        count = int(codes.max()) + 1
        if (
            truth is not None
            and distinct(codes, np.unique(np.asarray(truth).astype(str), return_inverse=True)[1]) > count
        ):
            continue
        in_blocks = (np.sort(codes.reshape(-1, count), axis=1) == np.arange(count)).all()
        if in_blocks or _repeat_of(name, codes, columns) is not None:
            raise InvalidInputError(_said(name, codes, columns))


def refuse_repeated_truth(truth: NDArray[Any], roles: Collection[str]) -> None:
    """Raise if the truth repeats itself, as it does where the same examples were predicted several times."""
    if _TOLD & set(roles):
        return
    for count in range(truth.size // FEWEST, 1, -1):
        parts = truth.reshape(count, -1) if truth.size % count == 0 else None
        same = parts is not None and (parts[1] == parts[0]).all() and (parts == parts[0]).all()
        if parts is not None and same and _is_irregular(parts[0]):
            raise InvalidInputError(
                f"repeats itself every {parts.shape[1]} rows, so these are the same examples; give `example`, and `repeat` or `seed` "
                "(--example, --repeat, --seed)",
                argument="y",
            )


def _codes_of_ids(column: NDArray[Any]) -> IntArray | None:
    """Return the number of each value of a column in which many values stand equally often, and more than once; None of others."""
    if column.ndim != 1 or not (column.dtype.kind in "iu" or is_text(column) or _is_whole(column)):
        return None
    sizes = Counter(column.tolist()) if is_text(column) else Counter(column.astype(np.int64).tolist())
    if len(sizes) < FEWEST or len(set(sizes.values())) > 1 or len(sizes) == column.size:
        return None
    return np.unique(column.astype(str), return_inverse=True)[1].ravel()


def _is_whole(column: NDArray[Any]) -> bool:
    return column.dtype.kind == "f" and bool(np.isfinite(column).all() and (column % 1 == 0).all())


def _repeat_of(name: str, codes: IntArray, columns: Any) -> str | None:
    """Return a column of which each value stands once with each example."""
    labels = (other for other in columns if other != name and np.asarray(columns[other]).dtype.kind in "iuOUT")
    return next((other for other in labels if crossed(codes, columns[other])), None)


def _said(name: str, codes: IntArray, columns: Any) -> str:
    """Name the call that says what repeats."""
    count = int(codes.max()) + 1
    spoken = labelled_folds(columns).get("fold")
    repeat = None if spoken else _repeat_of(name, codes, columns)
    fold = spoken or next((other for other in columns if other != repeat and normal(other) in FOLDS), None)
    parts = [f"--repeat {repeat}"] if repeat is not None else []
    parts += [f"--fold {fold}"] if fold is not None else []
    text = (
        f"column {name!r} holds each of {count} values {codes.size // count} times, as examples do that are tested again; say so, as in "
        f"{' '.join([*parts, f'--example {name}'])}"
    )
    return text if repeat or spoken else f"{text}, with the column of the `repeat` or `seed`"


def _is_irregular(part: NDArray[Any]) -> bool:
    """Tell whether an order is neither sorted nor alternating: hardly any other examples have the same."""
    changes = int((part[1:] != part[:-1]).sum())
    return changes >= FEWEST // 2 and not any((part[k:] == part[:-k]).all() for k in range(1, FEWEST // 2))
