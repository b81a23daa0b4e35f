"""What would make numbers wrong in silence: rows that roles do not tell apart, copies, summaries, equal learners."""

import re
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from errbar import _check
from errbar._check import FloatArray
from errbar.errors import InvalidInputError
from errbar.index import SIZES
from errbar.plans._kinds import DATA_SETS
from errbar.read.frame import is_text, is_whole
from errbar.read.roles import (
    NONE,
    PLACES,
    UnsaidRoleError,
    answer,
    names,
    option,
    options_for,
    plain,
    spoken,
)
from errbar.read.sheet import EXAMPLES, PREDICTIONS, SCORES, Sheet

FEWEST = 20
"""So many values do not stand equally often in a column by chance."""

_MOST_ROWS = 200  # below more rows, hardly anybody writes their mean
_CHANCE = 1e-3
_COPIES = 0.2
_APART = 20.0  # shares and percents of one table lie by such a factor apart, and scores and other numbers
_NUMBERED = {"fold", "split", "repeat", "seed", "dataset"}
"""Among the labels of these, a row called Total is a summary."""

_NUMBERING = ("fold", "split", "repeat", "seed", "time", "example")
"""What whole numbers may be where the name of their column says nothing; those that rows share may also tell groups."""

_LIKE_A_NUMBER = r"[-+]?\d*[.,]?\d[\d.,_]*([eE][-+]?\d+)?(\s*(%|±.*|\(.*))?"
_OF_PREDICTIONS = ("loss", "positive", "pool")
_UNUSED = {
    EXAMPLES: ("dataset", "halving", "half", "kind", "n_test", *_OF_PREDICTIONS),
    PREDICTIONS: ("dataset", "halving", "half", "kind", "n_test", "metric", "higher_is_better"),
    SCORES: ("example", "answer", "inner", "strata", *_OF_PREDICTIONS),
    DATA_SETS: ("inner", "strata", "halving", "half", "groups", "time", "kind", *_OF_PREDICTIONS),
}
"""Roles and options that rows of a kind do not use."""


def refuse_columns(sheet: Sheet) -> None:
    """Raise if columns cannot all be learners: ids, measures, one thing twice, or words that are like numbers."""
    frame, learners = sheet.frame, sheet.learners
    if sheet.long or sheet.named or "value" in sheet.said:
        return
    if "truth" in sheet.roles:
        raise UnsaidRoleError(
            f"beside the truth {sheet.roles['truth']!r}, predictions are named",
            f"--columns {','.join([*learners, *sheet.left][:4]) or 'A,B'}",
        )
    if not learners:
        listed = ", ".join(map(repr, sheet.left[:6])) or "none"
        raise UnsaidRoleError(
            f"no column of numbers is left for a learner; without a role: {listed}",
            "--learner",
            "--columns A,B",
        )
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
            answer("value", measures[0]),
        )
    twice = _families(learners)
    if twice:
        raise UnsaidRoleError(
            f"columns {twice[0]!r} and {twice[1]!r} look like numbers of several kinds", "--columns"
        )
    # Labels, ids and counts are whole numbers, and scores of a sheet are of one kind: whole, 1 and 0, or fractions.
    whole = [
        name for name in learners if is_whole(frame[name]) and not frame[name].isin([0, 1]).all()
    ]
    for column in whole:
        others = [name for name in learners if name != column]
        shared = frame[column].isin(frame[others].to_numpy().ravel())
        alone = not others and frame[column].is_unique and len(frame) > 2
        unlike = 2 * frame[column][shared].nunique() < frame[column].nunique()
        if alone or (others and (unlike or len(whole) < len(learners))):
            raise UnsaidRoleError(
                f"column {column!r} holds whole numbers, unlike other learners",
                "--columns A,B",
                *_of_column(frame, column),
            )
    sizes = frame[learners].abs().max()
    if sizes.max() > max(1.0, _APART * sizes.min()):
        raise UnsaidRoleError(
            f"numbers of {sizes.idxmax()!r} are many times as large as those of {sizes.idxmin()!r}",
            "--columns A,B",
            answer("ignore", sizes.idxmax()),
        )
    for column in sheet.left:
        if not is_text(frame[column]):
            continue
        cells = frame[column].dropna().astype(str).str.strip()
        if 2 * cells.str.fullmatch(_LIKE_A_NUMBER).sum() >= max(1, cells.size):
            raise UnsaidRoleError(
                f"column {column!r} holds text that is like numbers; mend its cells if it is a learner",
                answer("ignore", column),
            )


def _of_column(frame: Any, column: str) -> list[str]:
    """Return what a column may be: by its name, or else groups in words and any number in numbers."""
    groups = () if frame[column].is_unique else ("groups",)
    numbers = () if is_text(frame[column]) else _NUMBERING
    return options_for(column, (*groups, *numbers))


def _families(columns: Sequence[str]) -> Sequence[str]:
    """Return two columns of one thing, such as ``rf`` and ``rf_std``, or of a grid, such as ``rf~Accuracy``, ``gbm~Kappa``."""
    for one, other in combinations(columns, 2):
        short, long = sorted((one, other), key=len)
        if re.match(re.escape(short) + r"[^A-Za-z0-9]", long):
            return short, long
    parts = {column: re.split(r"[^A-Za-z0-9]+", column, maxsplit=1) for column in columns}
    paired = [column for column, part in parts.items() if len(part) == 2]
    heads, tails = ({parts[column][at] for column in paired} for at in (0, 1))
    of_a_grid = min(len(heads), len(tails)) > 1 and len(heads) * len(tails) < 2 * len(paired)
    return paired[:2] if of_a_grid else ()


def refuse_gaps(sheet: Sheet) -> None:
    """Raise if a row lacks a label."""
    for role, name in sheet.roles.items():
        gaps = sheet.frame[name].isna()
        if gaps.any():
            row = int(np.argmax(gaps)) + 1
            raise InvalidInputError(
                f"has no value in row {row} of column {name!r}; every row needs one", argument=role
            )


def refuse_words(sheet: Sheet) -> None:
    """Raise if the column of a learner holds words, and no predictions."""
    for name in sheet.learners if sheet.rows != PREDICTIONS else ():
        column = sheet.frame[name]
        if is_text(column):
            words = [cell for cell in column.dropna() if not _check.is_number(str(cell))]
            raise InvalidInputError(
                f"holds {[*words, *column][0]!r} in {name!r}, and scores are numbers; write 1 and 0 for right and wrong",
                argument="value" if sheet.long else "columns",
            )


def refuse_unused(sheet: Sheet, **options: Any) -> None:
    """Raise if something is stated that rows of their kind do not use."""
    stated = {role: value for role, value in sheet.stated.items() if value is not None} | options
    for name in _UNUSED[sheet.rows]:
        if name in sheet.roles:
            raise UnsaidRoleError(
                f"{sheet.roles[name]!r} is not used where rows are {sheet.rows}",
                f"{option(name)} {NONE}",
            )
        value = stated.get(name)
        if value is not None and not (name == "kind" and value == sheet.rows):
            remedy = "name the `truth`" if name in _OF_PREDICTIONS else "leave it out"
            raise InvalidInputError(
                f"is not used where rows are {sheet.rows}; {remedy}", argument=name
            )


def refuse_unsaid_fold(sheet: Sheet) -> None:
    """Raise if a column of folds was taken by its name, and may number random splits."""
    fold = sheet.roles.get("fold")
    settled = sheet.kind or "fold" in sheet.said or {"repeat", *SIZES} & sheet.known
    if fold is None or sheet.rows != SCORES or settled or spoken(sheet.frame[fold]):
        return
    raise UnsaidRoleError(
        f"column {fold!r} numbers folds, or random splits",
        answer("fold", fold),
        answer("split", fold),
    )


def refuse_unsaid_seed(sheet: Sheet) -> None:
    """Raise if a column of seeds was taken by its name, and seeds may be of training or of splits drawn anew."""
    seed = sheet.roles.get("seed")
    drawn = "repeat" if {"fold", "split", "repeat"} & sheet.known else "split"
    settled = "seed" in sheet.said or (drawn == "split" and "example" in sheet.known)
    if seed is not None and not settled and sheet.rows != DATA_SETS:
        raise UnsaidRoleError(
            f"seeds {seed!r} of training, or of splits drawn anew",
            answer("seed", seed),
            answer(drawn, seed),
        )


def refuse_repeats(sheet: Sheet) -> None:
    """Raise unless roles tell the rows of a learner apart; the column that does is named."""
    frame, roles = sheet.frame, sheet.roles
    apart = PLACES if sheet.of_tests else (*PLACES, "time")
    key = [roles[role] for role in apart if role in roles]
    in_order = sheet.of_tests and "example" not in roles
    if sheet.long and (in_order or not key):
        options = [one for name in sheet.left for one in options_for(name, ())][:3]
        raise UnsaidRoleError(
            "no column tells the rows of a learner apart", *(options or ["--example"])
        )
    if sheet.long:
        key.append(roles["learner"])
    if not key or in_order or not frame.duplicated(key).any():
        return
    same = " and ".join(map(repr, key))
    for column in sheet.left:
        text = is_text(frame[column])
        if frame[column].is_unique or not (text or is_whole(frame[column])):
            continue
        if not frame.duplicated([*key, column]).any():
            possible = ("learner",) * text + ("repeat", "seed", "answer")
            raise UnsaidRoleError(
                f"rows are alike in {same}, and {column!r} tells them apart",
                *options_for(column, possible),
            )
    raise UnsaidRoleError(
        f"rows are alike in {same}, and no column tells them apart, or they are copies",
        "--example",
        "--repeat",
        "--seed",
        "--answer",
    )


def refuse_shared(sheet: Sheet) -> None:
    """Raise if rows share the values of a column that has no role: it may be one.

    Facts of a learner or data set may stand in columns of their own, and so may other names of what has a role.
    """
    frame, roles = sheet.frame, sheet.roles
    shared = []
    for column in sheet.left:
        values = frame[column].dropna()
        if not 1 < values.nunique() < len(values) or not (is_text(values) or is_whole(values)):
            continue
        settled = any(
            _settles(frame, name, column)
            and (role in ("learner", "dataset") or _settles(frame, column, name))
            for role, name in roles.items()
        )
        # Each row of a learner has a value of its own, or it is a learner that was not named.
        apart = sheet.long and not frame.duplicated([roles["learner"], column]).any()
        learner = any(set(values) <= set(frame[name]) for name in sheet.learners)
        if not (settled or apart or learner):
            shared.append(column)
    if shared:
        raise UnsaidRoleError(
            f"rows share values of {', '.join(map(repr, shared[:4]))}, and it may matter",
            *_of_column(frame, shared[0]),
            answer("ignore", *shared),
        )


def _settles(frame: Any, owner: str, column: str) -> bool:
    """Tell whether all rows with one value of a column have one value of another."""
    return bool((frame.groupby(owner)[column].nunique() <= 1).all())


def refuse_repeated_truth(truth: Any) -> None:
    """Raise if the truth repeats itself, as it does where the same examples were predicted several times."""
    values = np.asarray(truth)
    codes, counts = np.unique(values.astype(str), return_inverse=True, return_counts=True)[1:]
    for period in range(FEWEST, values.size // 2 + 1):
        if (
            values.size % period == 0
            and (codes[period:] == codes[:-period]).all()
            and _is_irregular(codes[:period])
        ):
            raise UnsaidRoleError(
                f"the truth starts anew every {period} rows", "--example", "--repeat"
            )
    times = int(np.gcd.reduce(counts))
    fractions = values.dtype.kind == "f" and bool((values % 1 != 0).any())
    if fractions and counts.size > FEWEST and times > 1:
        raise UnsaidRoleError(
            f"each value of the truth stands there {times} times or more", "--example", "--repeat"
        )


def _is_irregular(part: Any) -> bool:
    """Tell whether an order is neither sorted nor alternating: hardly any other examples have the same."""
    changes = int((part[1:] != part[:-1]).sum())
    return changes >= FEWEST // 2 and not any(
        (part[k:] == part[:-k]).all() for k in range(1, FEWEST // 2)
    )


def refuse_odd_values(
    values: Mapping[str, Any], labels: Mapping[str, Any], *, of_splits: bool, named: bool
) -> None:
    """Raise if a row is a summary of others, many rows are copies, or two learners are equal.

    Parameters
    ----------
    values, labels : mapping of str to column
        Numbers or predictions by learner, and labels by role.
    of_splits : bool
        Whether numbers are scores of splits of one data set, which are of one size.
    named : bool
        Whether the user has named the learners, and so says that they are different ones.
    """
    columns = {name: np.asarray(column) for name, column in values.items()}
    labels = {role: np.asarray(labels[role]) for role in PLACES if role in labels}
    for one, other in () if named else combinations(columns, 2):
        # That learners agree on all of a few questions is no wonder.
        several = np.unique(columns[one]).size > 4 or columns[one].size > FEWEST
        if several and np.array_equal(columns[one], columns[other]):
            raise UnsaidRoleError(
                f"learners {one!r} and {other!r} have equal values; name one of them",
                "--columns A,B",
            )
    for role in _NUMBERED & set(labels):
        texts = labels[role]
        number = np.array([bool(re.fullmatch(r"\D*\d+(\.0)?", str(text))) for text in texts])
        if texts.dtype.kind in "OUT" and 0 < (~number).sum() <= 3 < number.sum():
            odd = texts[int(np.argmin(number))]
            raise InvalidInputError(
                f"is {odd!r} in a row, and numbered in others; remove a summary", argument=role
            )
    if all(column.dtype.kind in "iuf" for column in columns.values()):
        numbers = np.stack([*columns.values()]).astype(np.float64)
        _refuse_summary(numbers)
        frame = _check.package("pandas", "app").DataFrame(columns)
        various = (2 * frame.nunique() > len(frame)).sum()
        copies = frame.assign(**labels).duplicated().mean()
        if "example" not in labels and various > 1 and copies > _COPIES:
            # Most numbers of several learners stand there once, and yet rows are alike.
            raise UnsaidRoleError(
                f"{copies:.0%} of the rows are copies of others; remove them",
                "--example",
                "--repeat",
            )
        for own in numbers if of_splits else ():
            _refuse_other_units(own)


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


def _refuse_other_units(scores: FloatArray) -> None:
    """Raise if a few scores of splits among shares are codes of missing ones, or percents."""
    shares = scores[(scores > 0.0) & (scores < 1.0)]
    if 2 * shares.size < scores.size:
        return
    odd = ((scores < 0.0) & (scores % 1 == 0.0)) | (scores > _APART * shares.max(initial=0.0))
    if odd.any():
        raise InvalidInputError(
            f"{scores[odd][0]:g} stands among shares; write all in one unit, and leave the cell empty where there is no number"
        )


OF_ROWS = (refuse_unsaid_seed, refuse_unsaid_fold, refuse_repeats, refuse_shared, refuse_words)
"""What is asked of a sheet, in this order, once it is known what its rows are."""
