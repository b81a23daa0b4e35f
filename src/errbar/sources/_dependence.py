"""Numbers of splits or examples that are correlated, beside a column of times or groups that nobody has said a word of."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from errbar._check import FloatArray
from errbar.errors import InvalidInputError
from errbar.sources._columns import is_group
from errbar.sources._roles_named import proposed
from errbar.sources._suspects import (
    CERTAIN,
    correlation_in_order,
    correlation_within,
    looks_like_groups,
    looks_like_time,
)


def refuse_dependent(numbers: FloatArray, frame: Any, taken: Collection[str], names: Sequence[str] | None) -> None:
    """Raise if numbers are correlated from one time to the next, or within groups, and the column that says so was not read.

    Parameters
    ----------
    numbers : ndarray, shape (learners, rows)
        Of several learners the differences to the first are looked at. The chance of a false alarm is that of all together.
    frame : DataFrame
        The rows with all columns, in the order of `numbers`.
    taken : collection of str
        Columns that were read, and what they were read as.
    names : sequence of str or None
        Columns of learners that the user named: then nothing is refused.
    """
    if names is not None or numbers.shape[1] != len(frame):
        return
    rows = numbers if len(numbers) == 1 else numbers[1:] - numbers[0]
    what = "numbers" if len(numbers) == 1 else "differences"
    free = {str(name): frame[name] for name in frame.columns if str(name) not in taken}
    for name, column in free.items():
        if "time" not in taken and looks_like_time(column, name):
            _refuse_series(rows, column, name, what)
        elif "groups" not in taken and (is_group(name) or looks_like_groups(column, name)):
            _refuse_groups(rows, column, name, what, {str(one): frame[one] for one in frame.columns}, taken)


def _refuse_series(rows: FloatArray, column: Any, name: str, what: str) -> None:
    found = [one for row in rows if (one := correlation_in_order(row, column)) is not None]
    if found and max(found) >= _least(len(rows), column.nunique()):
        raise InvalidInputError(
            f"column {name!r} is a time, and {what} are correlated from one of its values to the next ({max(found):.2g}), so they are not "
            f"independent; give it as `time` (--time {name!r}), {_ALL_THE_SAME}"
        )


def _refuse_groups(
    rows: FloatArray, column: Any, name: str, what: str, columns: Mapping[str, Any], taken: Collection[str]
) -> None:
    codes = column.astype(str)
    found = [one for row in rows if (one := correlation_within(row, codes, CERTAIN / len(rows))) is not None]
    if found:
        raise InvalidInputError(
            f"column {name!r} looks like a group, and {what} are alike within its values (correlation {max(found):.2g}), so they are not "
            f"independent; say {proposed(name, columns, taken)}, {_ALL_THE_SAME}"
        )


_ALL_THE_SAME = "or name the columns of learners (`names`, --columns) to take them as independent all the same"


def _least(learners: int, times: int) -> float:
    """Return the correlation that independent numbers of any of several learners hardly ever have."""
    from scipy.stats import norm

    return float(norm.isf(CERTAIN / learners) / times**0.5)
