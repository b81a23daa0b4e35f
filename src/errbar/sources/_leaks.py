"""Columns that tell the target of every row, and rows that are copies of others."""

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import numpy as np
from scipy.special import gammaln

from errbar._check import FloatArray, listed
from errbar.errors import InvalidInputError
from errbar.result import Note

FEW_VALUES = 100
"""A column with more values than this, or less than four rows for each, tells the rows, not the target."""
_MOST_CLASSES = 20
_CHANCE = 1e-9
"""A column that has nothing to do with the target tells all of it less often than this, or it is not pointed out."""
_NEARLY_ONE = 0.9999
_LEAST = 10
_TIMES, _ALIKE = 10.0, 0.9
"""Copies are pointed out where there are so many times as many as chance would give, reckoned from columns less correlated than this."""
_MOST_COPIES = 20
"""A row that stands there more often is one of its own, such as people who bought nothing."""
MANY_COPIES = 0.25
"""From this share of copies on, errors of random splits are mostly those of a table that was learnt by heart."""
_ODD = np.uint64(0x9E3779B97F4A7C15)


def leaks(X: Any, y: Any, target: str) -> Iterator[Note]:
    """Say which columns, each by itself, tell the target of every row.

    Parameters
    ----------
    X : DataFrame
        Features.
    y : Series
        Target, without gaps.
    target : str
        Its name.
    """
    classes = np.unique(
        np.asarray(y).astype(str) if y.dtype.kind not in "iufb" else np.asarray(y), return_inverse=True
    )[1]
    numbers = np.asarray(y, dtype=float) if y.dtype.kind in "iufb" else None
    found = [name for name in X if _tells(X[name], classes, numbers)]
    if found:
        named = listed([repr(name) for name in found], 8)
        many = len(found) > 1
        each = ", each," if many else ""
        they, drop = ("they are", ",".join(found[:8])) if many else ("it is", found[0])
        yield Note(
            "leak",
            f"the column{'s' * many} {named}{each} alone tell{'s' * (not many)} {target!r} of every row; leave {'them' if many else 'it'} out "
            f"with --drop {drop!r} (`drop`) if {they} not known beforehand",
        )


def _tells(column: Any, classes: Any, numbers: FloatArray | None) -> bool:
    """Tell whether a column determines the target: each of its values has one class, or it has the order of the target."""
    filled = column.notna().to_numpy()
    if classes.max() < _MOST_CLASSES and 0 < filled.sum() < column.size and _is_pure(column.notna(), classes):
        return True
    if filled.sum() < max(_LEAST, column.size / 2):
        return False
    values, own = column[filled], classes[filled]
    few_classes = own.max() < _MOST_CLASSES
    if few_classes and filled.all() and column.nunique() <= min(FEW_VALUES, column.size / 4) and _is_pure(values, own):
        return True
    if column.dtype.kind not in "iufmM":
        return False
    ordered = values.astype("int64" if column.dtype.kind in "mM" else "float64").to_numpy(dtype=float)
    if not np.isfinite(ordered).all():
        return False
    if np.unique(classes).size == 2:
        return _separates(ordered, own)
    return numbers is not None and _is_the_same(ordered, numbers[filled])


def _is_pure(values: Any, classes: Any) -> bool:
    """Tell whether each value has one class, and that is no chance."""
    codes = np.unique(values.astype(str).to_numpy(dtype=str), return_inverse=True)[1]
    table = np.zeros((codes.max() + 1, classes.max() + 1))
    np.add.at(table, (codes, classes), 1.0)
    sizes = table.sum(axis=1)
    if ((table > 0).sum(axis=1) > 1).any() or (sizes > 1).sum() < 2:
        return False
    shares = table.sum(axis=0) / table.sum()
    chance = np.log((shares[np.newaxis] ** sizes[:, np.newaxis]).sum(axis=1).clip(min=1e-300)).sum()
    return bool(chance < np.log(_CHANCE))


def _separates(values: FloatArray, classes: Any) -> bool:
    """Tell whether all values of one class lie above those of the other, and that is no chance."""
    one, other = values[classes == classes.min()], values[classes == classes.max()]
    if min(one.size, other.size) == 0 or classes.min() == classes.max():
        return False
    chance = np.log(2.0) + gammaln(one.size + 1) + gammaln(other.size + 1) - gammaln(values.size + 1)
    return bool(chance < np.log(_CHANCE) and (one.max() < other.min() or other.max() < one.min()))


def _is_the_same(values: FloatArray, target: FloatArray) -> bool:
    """Tell whether a number is the target but for its scale, or has its order."""
    from scipy.stats import rankdata

    for pair in ((values, target), (rankdata(values), rankdata(target))):
        centred = [one - one.mean() for one in pair]
        size = float(np.sqrt((centred[0] ** 2).sum() * (centred[1] ** 2).sum()))
        if size > 0.0 and abs(float((centred[0] * centred[1]).sum())) > _NEARLY_ONE * size:
            return True
    return False


def copies_in(X: Any, y: Any, groups: Any = None, *, refused: bool = True) -> Iterator[Note]:
    """Say the same of a frame or an array of numbers; where no two rows have the same digest, at the cost of that."""
    if not _repeats(X, y):
        return
    with suppress(ImportError):
        import pandas as pd

        table = pd.DataFrame(X).set_axis([*map(str, range(X.shape[1]))], axis="columns")
        yield from copies(table, pd.Series(y), groups, refused=refused)


def _repeats(X: Any, y: Any) -> bool:
    """Tell whether rows of features and target may be the same as others."""
    framed = hasattr(X, "iloc") and hasattr(X, "columns")
    kinds = (
        [getattr(kind, "kind", "O") for kind in X.dtypes] if framed else [getattr(X, "dtype", np.dtype(object)).kind]
    )
    if np.ndim(X) == 2 and set(kinds) <= set("biuf"):
        numbers = np.ascontiguousarray(X, dtype=float).view(np.uint64)
        weights = 2 * np.random.default_rng(0).integers(2**63, size=X.shape[1], dtype=np.uint64) + 1
        parts = np.array_split(numbers, 1 + numbers.size // 2**18)  # each stays near the processor
        rows = np.concatenate([(part ^ (part >> np.uint64(32))) @ weights for part in parts])
    elif framed:
        from pandas.util import hash_pandas_object

        try:
            rows = hash_pandas_object(X, index=False).to_numpy()
        except TypeError:  # of lists, for instance
            return False
    else:
        return False
    rows = np.sort(rows + np.unique(y, return_inverse=True)[1].astype(np.uint64) * _ODD)
    return bool((rows[1:] == rows[:-1]).any())


def copies(X: Any, y: Any, groups: Any = None, *, refused: bool = True) -> Iterator[Note]:
    """Say how many rows are copies of others, where that is no chance.

    A copy agrees in every feature and the target. Copies are counted where a number, of which most different rows have a value of
    their own, is that of these copies alone: tables of few categories have copies by nature.

    Parameters
    ----------
    X : DataFrame
        Features.
    y : Series
        Target.
    groups : array or Series, optional
        Copies of one group do not straddle folds.
    refused : bool, default True
        Whether many copies are an error.

    Raises
    ------
    InvalidInputError
        If that many rows are copies that random splits test on what was trained.
    """
    table = type(X)({**dict(X.items()), _free_name(X): y.to_numpy()})
    repeated = table.duplicated(keep="first").to_numpy()
    if not repeated.any():
        return
    kind = table.groupby(list(table), dropna=False, sort=False).ngroup().to_numpy()
    often = np.bincount(kind)[kind] > _MOST_COPIES
    found, by_chance = _beyond_chance(table, repeated)
    count = int((repeated & ~often & found & (True if groups is None else _straddling(table, groups))).sum())
    if count < max(2.0, _TIMES * by_chance):
        return
    what = f"{count} of {len(X)} rows are copies of others, in every feature and the target"
    so = "random splits test on copies of what was trained, and their errors"
    remedy = (
        "take the copies out, or give all copies of a row one value of a column and name it with --groups (`groups`)"
    )
    if count > MANY_COPIES * len(X) and refused:
        raise InvalidInputError(f"{what}: {so} would be far too small; {remedy}")
    yield Note("copies", f"{what}: {so} are too small; {remedy}")


def _free_name(X: Any) -> str:
    """Return the name of no column."""
    return "".join(map(str, X.columns)) + "y"


def _straddling(table: Any, groups: Any) -> Any:
    """Return which rows have copies in another group."""
    several = table.duplicated(keep=False).to_numpy()
    repeated = table[several]
    kinds = repeated.groupby(list(repeated), dropna=False, sort=False).ngroup()
    counts = type(kinds)(np.asarray(groups)[several], index=kinds.index).groupby(kinds).transform("nunique")
    found = np.zeros(len(table), dtype=bool)
    found[several] = counts > 1
    return found


def _beyond_chance(table: Any, repeated: Any) -> tuple[Any, float]:
    """Return which rows have a number that no row but its copies has, and how many copies so many independent rows would have.

    Of a number with so many values, two rows have the same with the chance of the smallest step between values over the distance of
    the quartiles. Columns that are correlated count once.
    """
    from scipy.stats import rankdata

    found, chance = np.zeros(len(table), dtype=bool), 1.0
    taken: list[FloatArray] = []
    for name in table:
        if table[name].dtype.kind not in "iuf":
            continue
        counts = table.loc[~repeated, name].value_counts()
        own = counts.index[counts == 1]
        if 2 * len(own) <= int((~repeated).sum()) or len(own) < 2:
            continue
        found |= table[name].isin(own).to_numpy()
        values = table.loc[~repeated, name].to_numpy(dtype=float, na_value=np.nan)
        values = np.where(np.isfinite(values), values, 0.0)
        ranks = rankdata(values)
        if all(abs(np.corrcoef(ranks, other)[0, 1]) < _ALIKE for other in taken):
            taken.append(ranks)
            chance *= _same_by_chance(values)
    return found, chance * len(table) * (len(table) - 1) / 2.0


def _same_by_chance(values: FloatArray) -> float:
    """Return about how likely two values are the same, of numbers in steps."""
    known = np.unique(values)
    low, high = np.quantile(values, (0.25, 0.75))
    return float(min(1.0, np.diff(known).min() / (high - low))) if known.size > 1 and high > low else 1.0
