"""What would make numbers wrong in silence: rows that roles do not tell apart, copies, summaries, equal learners."""

import re
from collections.abc import Collection, Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from errbar import _check
from errbar._check import FloatArray
from errbar.errors import InvalidInputError
from errbar.read.frame import is_text, is_whole
from errbar.read.roles import UnsaidRoleError, names, plain

FEWEST = 20
"""So many values do not stand equally often in a column by chance."""

_MOST_ROWS = 200  # below more rows, hardly anybody writes their mean
_CHANCE = 1e-3
_COPIES = 0.2
_APART = 20.0  # shares and percents of one table lie by such a factor apart
_FRACTIONS = 0.8
_MANY = 1000  # so many cells tell what a column is
_NUMBERED = {
    "fold",
    "split",
    "repeat",
    "seed",
    "dataset",
}  # among these, a row called Total is a summary


def options_for(column: str, otherwise: Sequence[str] = ("groups",)) -> list[str]:
    """Return what may be said of a column, by its name."""
    shown = f"'{column}'" if " " in column else column
    return [f"--{role} {shown}" for role in names().ask.get(plain(column), otherwise)]


def refuse_repeats(frame: Any, key: Sequence[str], free: Sequence[str]) -> None:
    """Raise unless the columns of a key tell the rows apart; the column that does is named."""
    if key and not frame.duplicated(list(key)).any():
        return
    same = " and ".join(map(repr, key)) or "nothing"
    if key and frame.duplicated(list(key)).sum() == frame.duplicated().sum():
        row = int(np.argmax(frame.duplicated())) + 1
        raise UnsaidRoleError(
            f"row {row} and others are copies of rows above; remove them, or name what tells them apart",
            "--example",
        )
    for column in free:
        if frame[column].is_unique or (not is_text(frame[column]) and not is_whole(frame[column])):
            continue
        if not frame.duplicated([*key, column]).any():
            names_learners = ("learner",) * is_text(frame[column])
            options = options_for(column, (*names_learners, "repeat", "seed", "answer"))
            raise UnsaidRoleError(
                f"rows are alike in {same}, and {column!r} tells them apart", *options
            )
    raise UnsaidRoleError(
        f"rows are alike in {same}, and no column tells them apart",
        "--example",
        "--repeat",
        "--seed",
        "--answer",
    )


def refuse_shared(
    frame: Any, free: Sequence[str], roles: Mapping[str, str], learners: Sequence[str]
) -> None:
    """Raise if rows share the values of a column that has no role: it may be one.

    Facts of a learner or data set may stand in columns of their own, and so may other names of what has a role.
    """
    owners = [roles[role] for role in ("learner", "dataset") if role in roles]
    shared = []
    for column in free:
        values = frame[column].dropna()
        if not 1 < values.nunique() < len(values) or not (is_text(values) or is_whole(values)):
            continue
        if any(_settles(frame, owner, column) for owner in owners):
            continue
        if any(
            _settles(frame, name, column) and _settles(frame, column, name)
            for name in roles.values()
        ):
            continue
        if "learner" in roles and not frame.duplicated([roles["learner"], column]).any():
            continue  # each row of a learner has a value of its own
        if any(set(values) <= set(frame[name]) for name in learners):
            continue  # a learner that was not named
        shared.append(column)
    if shared:
        listed = ",".join(f"'{name}'" if " " in name else name for name in shared)
        raise UnsaidRoleError(
            f"rows share values of {', '.join(map(repr, shared[:4]))}, and it may matter",
            *options_for(shared[0]),
            f"--ignore {listed}",
        )


def _settles(frame: Any, owner: str, column: str) -> bool:
    """Tell whether all rows with one value of a column have one value of another."""
    return bool((frame.groupby(owner)[column].nunique() <= 1).all())


def refuse_unsaid_seed(
    roles: Mapping[str, str], known: Collection[str], said: Collection[str]
) -> None:
    """Raise if a column of seeds was taken by its name, and seeds may be of training or of splits drawn anew."""
    seed = roles.get("seed")
    if seed is None or "seed" in said:
        return
    if {"fold", "split", "repeat"} & set(known):
        raise UnsaidRoleError(
            f"seeds {seed!r} of refits, or of splits drawn anew",
            f"--repeat {seed}",
            f"--seed {seed}",
        )
    if "example" not in known:
        raise UnsaidRoleError(
            f"seeds {seed!r} of training, or of random splits", f"--seed {seed}", f"--split {seed}"
        )


def refuse_other_columns(frame: Any, learners: Sequence[str]) -> None:
    """Raise if columns that nobody has named cannot all be learners: ids, measures, or one thing twice."""
    for column in learners:
        if plain(column) in names().ask:
            raise UnsaidRoleError(
                f"column {column!r} may be several things", *options_for(column), "--columns A,B"
            )
    measures = [name for name in learners if plain(name) in names().measures]
    if measures and len(learners) > 1:
        raise UnsaidRoleError(
            f"column {measures[0]!r} has the name of a measure, and a column for each learner is needed",
            "--columns A,B",
            f"--value {measures[0]}",
        )
    twice = _families(learners)
    if twice:
        raise UnsaidRoleError(
            f"columns {twice[0]!r} and {twice[1]!r} look like numbers of several kinds", "--columns"
        )
    for column in learners:
        # An id, a count or a rank among scores; ratings and marks of 0 and 1 share their values.
        others = [name for name in learners if name != column]
        if not is_whole(frame[column]):
            continue
        values = set(frame[column].dropna())
        shared = values & set().union(*(set(frame[name].dropna()) for name in others))
        odd = (
            2 * len(shared) < len(values) if others else frame[column].is_unique and len(frame) > 2
        )
        if odd:
            raise UnsaidRoleError(
                f"column {column!r} holds whole numbers that no other learner has",
                "--columns A,B",
                f"--example {column}",
                f"--groups {column}",
            )


_LIKE_A_NUMBER = re.compile(r"[-+]?\d*[.,]?\d[\d.,_]*(e[-+]?\d+)?(\s*(%|±.*|\(.*))?", re.IGNORECASE)


def refuse_odd_cells(frame: Any, free: Sequence[str]) -> None:
    """Raise if a column that is no learner for its text is like a number in half of its cells or more."""
    for column in free:
        cells = (
            frame[column].dropna().astype(str).head(_MANY).tolist()
            if is_text(frame[column])
            else []
        )
        number = [_LIKE_A_NUMBER.fullmatch(cell.strip()) is not None for cell in cells]
        if cells and 2 * sum(number) >= len(number):
            odd = next(
                (cell for cell in cells if not _check.is_number(cell) or "_" in cell), cells[0]
            )
            raise UnsaidRoleError(
                f"column {column!r} holds {odd!r}, which is no number; mend its cells if it is a learner",
                f"--ignore {column}",
            )


def _families(columns: Sequence[str]) -> list[str]:
    """Return two columns of one thing, such as ``rf`` and ``rf_std``, or of a grid, such as ``rf~Accuracy``, ``gbm~Kappa``."""
    for one, other in combinations(columns, 2):
        short, long = sorted((one, other), key=len)
        if re.match(re.escape(short) + r"[^A-Za-z0-9]", long):
            return [short, long]
    parts = [re.split(r"[^A-Za-z0-9]+", column, maxsplit=1) for column in columns]
    cells = {tuple(part) for part in parts if len(part) == 2}
    heads, tails = {head for head, _ in cells}, {tail for _, tail in cells}
    if len(heads) > 1 and len(tails) > 1 and len(heads) * len(tails) < 2 * len(cells):
        return [column for column, part in zip(columns, parts, strict=True) if len(part) == 2][:2]
    return []


def refuse_repeated_truth(truth: Any, argument: str = "example") -> None:
    """Raise if the truth repeats itself, as it does where the same examples were predicted several times."""
    values = np.asarray(truth)
    codes, counts = np.unique(values.astype(str), return_inverse=True, return_counts=True)[1:]
    for period in range(FEWEST, values.size // 2 + 1):
        if values.size % period or codes[period] != codes[0]:
            continue
        blocks = codes.reshape(-1, period)
        if (blocks == blocks[0]).all() and _is_irregular(blocks[0]):
            raise UnsaidRoleError(
                f"the truth starts anew every {period} rows", f"--{argument}", "--repeat"
            )
    times = int(np.gcd.reduce(counts))
    fractions = values.dtype.kind == "f" and bool((values % 1 != 0).any())
    if fractions and counts.size > FEWEST and times > 1:
        raise UnsaidRoleError(
            f"each value of the truth stands there {times} times or more",
            f"--{argument}",
            "--repeat",
        )


def _is_irregular(part: Any) -> bool:
    """Tell whether an order is neither sorted nor alternating: hardly any other examples have the same."""
    changes = int((part[1:] != part[:-1]).sum())
    return changes >= FEWEST // 2 and not any(
        (part[k:] == part[:-k]).all() for k in range(1, FEWEST // 2)
    )


def refuse_odd_rows(
    values: Mapping[str, Any],
    labels: Mapping[str, Any],
    *,
    of_splits: bool = False,
    named: bool = False,
) -> None:
    """Raise if a row is a summary of others, many rows are copies, or two learners are equal.

    Parameters
    ----------
    values, labels : mapping of str to column
        Numbers or predictions by learner, and labels by role.
    of_splits : bool, default False
        Whether numbers are scores of splits of one data set, which are of one size.
    named : bool, default False
        Whether the user has named the learners, and so says that they are different ones, of one unit.
    """
    columns = {name: np.asarray(column) for name, column in values.items()}
    for one, other in () if named else combinations(columns, 2):
        # That learners agree on all of a few questions is no wonder.
        several = np.unique(columns[one]).size > 4 or columns[one].size > FEWEST
        if several and np.array_equal(columns[one], columns[other]):
            raise UnsaidRoleError(
                f"learners {one!r} and {other!r} have equal values; name one of them",
                "--columns A,B",
            )
    for role in _NUMBERED & set(labels):
        texts = np.asarray(labels[role])
        number = np.array([bool(re.fullmatch(r"\D*\d+(\.0)?", str(text))) for text in texts])
        if texts.dtype.kind in "OUT" and 0 < (~number).sum() <= 3 < number.sum():
            odd = texts[int(np.argmin(number))]
            raise InvalidInputError(
                f"is {odd!r} in a row, and numbered in others; remove a summary", argument=role
            )
    if all(column.dtype.kind in "iuf" for column in columns.values()):
        numbers = np.stack([*columns.values()]).astype(np.float64)
        _refuse_summary(numbers)
        _refuse_copies(columns, labels)
        if of_splits:
            _refuse_other_units(numbers, named=named)


def _refuse_summary(numbers: FloatArray) -> None:
    """Raise if the last row holds the means or sums of all others as they are written, and that is no chance."""
    above, last = numbers[:, :-1], numbers[:, -1]
    if not 3 < numbers.shape[1] <= _MOST_ROWS or not np.isfinite(numbers).all():
        return
    places = [len(f"{value:.12f}".rstrip("0").partition(".")[2]) for value in last]
    digit = 0.5000001 * 10.0 ** -np.array(places)
    spread = np.maximum(above.std(axis=1), 1e-300)
    chance = float(np.prod(np.minimum(1.0, digit / spread)))
    for summary in (above.mean(axis=1), above.sum(axis=1)):
        if (np.abs(summary - last) <= digit).all() and chance < _CHANCE:
            raise InvalidInputError(
                "the last row holds the means or sums of the other rows; remove it"
            )


def _refuse_other_units(numbers: FloatArray, *, named: bool) -> None:
    """Raise if a few scores of splits are codes of missing ones, or of another unit than all others."""
    negative, low, high = (
        numbers[numbers < 0.0],
        numbers[(numbers > 0.0) & (numbers <= 1.0)],
        numbers[numbers > 1.0],
    )
    if low.size == 0 or (low % 1 != 0.0).mean() < _FRACTIONS:
        return
    if (
        0 < negative.size < low.size
        and np.unique(negative).size == 1
        and (negative % 1 == 0.0).all()
    ):
        raise InvalidInputError(
            f"{negative[0]:g} stands among shares; leave the cell empty where there is no number"
        )
    if high.size and high.min() > _APART * low.max() and not named:
        raise UnsaidRoleError(
            f"{low[0]:g} and {high[0]:g} are numbers of two units", "--columns A,B"
        )


def _refuse_copies(columns: Mapping[str, Any], labels: Mapping[str, Any]) -> None:
    """Raise if many rows are those of others, though most numbers of several learners stand there once."""
    various = [column for column in columns.values() if 2 * np.unique(column).size > column.size]
    if len(various) < 2 or "example" in labels:
        return
    codes = [
        np.unique(np.asarray(column).astype(str), return_inverse=True)[1]
        for column in labels.values()
    ]
    rows = np.stack([*columns.values(), *codes])
    copies = 1.0 - np.unique(rows, axis=1).shape[1] / rows.shape[1]
    if copies > _COPIES:
        raise UnsaidRoleError(
            f"{copies:.0%} of the rows are copies of others; remove them", "--example", "--repeat"
        )
