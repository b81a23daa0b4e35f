"""What a message proposes that a column holds: a role, with the others that it needs."""

from collections.abc import Collection, Mapping
from typing import Any

from errbar.sources._suspects import looks_like_time


def proposed(name: str, columns: Mapping[str, Any], taken: Collection[str] = ()) -> str:
    """Return the options that say what a column holds.

    Where its values cross those of another column, rows of one value are not just alike: runs, raters or answers have all examples.

    Parameters
    ----------
    name : str
        The column.
    columns : mapping of str to Series
        All columns of the table.
    taken : collection of str
        Columns whose role is known.
    """
    column = columns[name]
    if looks_like_time(column, name):
        return f"--time {name} (`time`)"
    for other, values in columns.items():
        if other == name or other in taken or not _crossed(column, values):
            continue
        if looks_like_time(values, other):
            return f"--time {other} (`time`)"
        few, many = sorted((name, other), key=lambda one: columns[one].nunique())
        return (
            f"--example {many} with --seed {few} where each {few} has all examples (for raters with --method crossed-or), or with --answer {few} "
            "where answers are drawn anew for each example"
        )
    if column.is_unique:
        return f"--example {name} (`example`)"
    return f"--groups {name} (`groups`) where rows of one value are alike"


def _crossed(one: Any, other: Any) -> bool:
    """Tell whether pairs of values of two columns have one row each, and half of all pairs or more have one."""
    if other.dtype.kind == "f" and bool((other % 1 != 0).any()):
        return False
    counts = one.nunique(), other.nunique()
    if min(counts) < 2 or max(counts) == len(one) or 2 * len(one) < counts[0] * counts[1]:
        return False
    codes = one.astype(str) + "\0" + other.astype(str)
    return bool(codes.is_unique)
