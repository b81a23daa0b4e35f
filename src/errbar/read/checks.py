"""What would make numbers wrong in silence: rows that roles do not tell apart, copies, summaries, equal learners.

A rule yields what it finds in a sheet, and the options that settle it; `ask` raises what a rule finds first.
"""

import re
from collections.abc import Callable, Iterator
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
    may_be,
    names,
    option,
    options_for,
    plain,
    spoken,
)
from errbar.read.sheet import EXAMPLES, PREDICTIONS, SCORES, Sheet

Found = Iterator[tuple[str, ...]]
Rule = Callable[[Sheet], Found]

FEWEST = 20
"""So many values do not stand equally often in a column by chance."""

_MOST_ROWS = 200  # below more rows, hardly anybody writes their mean
_CHANCE = 1e-3
_COPIES = 0.2
_APART = 20.0  # shares and percents of one table lie by such a factor apart, and scores and other numbers
_NUMBERED = ("fold", "split", "repeat", "seed", "dataset")
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


def ask(sheet: Sheet, *rules: Rule) -> None:
    """Raise what a rule finds, with the options that settle it."""
    for rule in rules:
        for why, *options in rule(sheet):
            raise UnsaidRoleError(why, *options)


def refuse_columns(sheet: Sheet) -> None:
    """Raise if columns cannot all be learners, and nobody has named these."""
    if not (sheet.long or sheet.named or "value" in sheet.said):
        ask(sheet, _no_learners, several_things, _several_numbers, _other_numbers)


def refuse_gaps(sheet: Sheet) -> None:
    """Raise if a row lacks a label."""
    for role, name in sheet.roles.items():
        gaps = sheet.frame[name].isna()
        if gaps.any():
            raise InvalidInputError(
                f"has no value in row {gaps.argmax() + 1} of column {name!r}",
                argument=role,
            )


def refuse_rows(sheet: Sheet) -> None:
    """Raise if rows cannot be told apart, share what may matter, or hold words for numbers."""
    ask(sheet, unsaid_seed, _unsaid_fold, rows_alike, shared_values)
    for name in sheet.learners if sheet.rows != PREDICTIONS else ():
        cells = sheet.frame[name].dropna()
        if is_text(cells):
            words = [cell for cell in cells if not _check.is_number(str(cell))]
            raise InvalidInputError(
                f"holds {words[:1]} in {name!r}; write 1 and 0 for right and wrong",
                argument="value" if sheet.long else "columns",
            )


def refuse_unused(sheet: Sheet, **options: Any) -> None:
    """Raise if something is stated that rows of their kind do not use."""
    stated = {**sheet.stated, **options}
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


def _no_learners(sheet: Sheet) -> Found:
    """Find that nothing says which columns are learners."""
    if "truth" in sheet.roles:
        why = f"beside the truth {sheet.roles['truth']!r}, predictions are named"
        yield why, "--columns A,B"
    if not sheet.learners:
        listed = ", ".join(map(repr, sheet.left[:6])) or "none"
        why = f"no column of numbers is left for a learner; without a role: {listed}"
        yield why, "--learner", "--columns A,B"


def several_things(sheet: Sheet) -> Found:
    """Find learners whose names may be those of roles."""
    for column in () if sheet.named else sheet.learners:
        # In a mapping from learners to columns, fractions are of a learner.
        of_a_table = hasattr(sheet.frame, "columns")
        if names().asked(column) and (of_a_table or may_be(sheet.frame[column], "fold")):
            why = f"column {column!r} may be several things"
            yield why, *options_for(column), "--columns A,B"


def _several_numbers(sheet: Sheet) -> Found:
    """Find several numbers of a learner: measures, ``rf`` and ``rf_std``, or a grid such as ``rf~Accuracy``, ``gbm~Kappa``."""
    columns = sheet.learners
    for column in columns if len(columns) > 1 else ():
        if plain(column) in names().measures:
            why = f"column {column!r} has the name of a measure, and a column for each learner is needed"
            yield why, "--columns A,B", answer("value", column)
    twice = [
        (short, long)
        for short, long in combinations(sorted(columns, key=len), 2)
        if re.match(re.escape(short) + r"[^A-Za-z0-9]", long)
    ]
    parts = [re.split(r"[^A-Za-z0-9]+", column, maxsplit=1) for column in columns]
    cells = [part for part in parts if len(part) == 2]
    heads, tails = (len({cell[side] for cell in cells}) for side in (0, 1))
    if min(heads, tails) > 1 and heads * tails < 2 * len(cells):
        twice.append((columns[0], columns[1]))
    for one, other in twice:
        yield f"columns {one!r} and {other!r} look like numbers of several kinds", "--columns"


def _other_numbers(sheet: Sheet) -> Found:
    """Find labels, ids and counts: scores of a sheet are of one kind and size, whole, 1 and 0, or fractions."""
    frame = sheet.frame[sheet.learners]
    whole = [name for name in frame if is_whole(frame[name]) and not frame[name].isin([0, 1]).all()]
    for column in whole:
        others = frame.drop(columns=column)
        shared = frame[column][frame[column].isin(others.to_numpy().ravel())]
        odd = len(whole) < frame.shape[1] or 2 * shared.nunique() < frame[column].nunique()
        if frame.shape[1] == 1:
            odd = frame[column].is_unique and len(frame) > 2
        if odd:
            why = f"column {column!r} holds whole numbers, unlike other learners"
            yield why, "--columns A,B", *_of_column(sheet.frame, column)
    sizes = frame.abs().max()
    large, small = sizes.idxmax(), sizes.idxmin()
    if sizes[large] > max(1.0, _APART * sizes[small]):
        why = f"numbers of {large!r} are many times as large as those of {small!r}"
        yield why, "--columns A,B", answer("ignore", large)
    for column in sheet.left:
        cells = sheet.frame[column].dropna()
        if not is_text(cells):
            continue
        like = cells.astype(str).str.strip().str.fullmatch(_LIKE_A_NUMBER)
        if 2 * like.sum() >= max(1, cells.size):
            why = f"column {column!r} holds text that is like numbers; mend its cells if it is a learner"
            yield why, answer("ignore", column)


def _of_column(frame: Any, column: str) -> list[str]:
    """Return what a column may be: by its name, or else groups in words and any number in numbers."""
    groups = () if frame[column].is_unique else ("groups",)
    numbers = () if is_text(frame[column]) else _NUMBERING
    return options_for(column, (*groups, *numbers))


def unsaid_seed(sheet: Sheet) -> Found:
    """Find seeds that were taken by their name, and may be of training or of splits drawn anew."""
    seed = sheet.roles.get("seed")
    drawn = "repeat" if {"fold", "split", "repeat"} & sheet.known else "split"
    settled = "seed" in sheet.said or (drawn == "split" and "example" in sheet.known)
    if seed is not None and not settled and sheet.rows != DATA_SETS:
        why = f"seeds {seed!r} of training, or of splits drawn anew"
        yield why, answer("seed", seed), answer(drawn, seed)


def _unsaid_fold(sheet: Sheet) -> Found:
    """Find folds that were taken by their name, and may number random splits."""
    fold = sheet.roles.get("fold")
    settled = sheet.kind or "fold" in sheet.said or {"repeat", *SIZES} & sheet.known
    if fold and sheet.rows == SCORES and not settled and not spoken(sheet.frame[fold]):
        why = f"column {fold!r} numbers folds, or random splits"
        yield why, answer("fold", fold), answer("split", fold)


def rows_alike(sheet: Sheet) -> Found:
    """Find rows of a learner that roles do not tell apart, and the column that does."""
    frame, roles = sheet.frame, sheet.roles
    apart = PLACES if sheet.of_tests else (*PLACES, "time")
    key = [roles[role] for role in apart if role in roles]
    in_order = sheet.of_tests and "example" not in roles
    if sheet.long and (in_order or not key):
        options = [one for name in sheet.left for one in options_for(name, ())][:3]
        yield "no column tells the rows of a learner apart", *(options or ["--example"])
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
            why = f"rows are alike in {same}, and {column!r} tells them apart"
            yield why, *options_for(column, possible)
    why = f"rows are alike in {same}, and no column tells them apart, or they are copies"
    yield why, "--example", "--repeat", "--seed", "--answer"


def shared_values(sheet: Sheet) -> Found:
    """Find columns without a role whose values rows share: they may have one.

    Facts of a learner or data set may stand in columns of their own, and so may other names of what has a role.
    """
    frame, roles = sheet.frame, sheet.roles

    def settles(owner: str, column: str) -> bool:
        return bool((frame.groupby(owner)[column].nunique() <= 1).all())

    shared = []
    for column in sheet.left:
        values = frame[column].dropna()
        if not 1 < values.nunique() < len(values) or not (is_text(values) or is_whole(values)):
            continue
        settled = any(
            settles(name, column) and (role in ("learner", "dataset") or settles(column, name))
            for role, name in roles.items()
        )
        # Each row of a learner has a value of its own, or it is a learner that was not named.
        apart = sheet.long and not frame.duplicated([roles["learner"], column]).any()
        learner = any(set(values) <= set(frame[name]) for name in sheet.learners)
        if not (settled or apart or learner):
            shared.append(column)
    if shared:
        why = f"rows share values of {', '.join(map(repr, shared[:4]))}, and it may matter"
        yield why, *_of_column(frame, shared[0]), answer("ignore", *shared)


def refuse_repeated_truth(truth: Any) -> None:
    """Raise if the truth repeats itself, as it does where the same examples were predicted several times."""
    values = np.asarray(truth)
    codes, counts = np.unique(values.astype(str), return_inverse=True, return_counts=True)[1:]

    def recurs(part: Any, period: int) -> bool:
        return bool((part[period:] == part[:-period]).all())

    for period in range(FEWEST, values.size // 2 + 1):
        if values.size % period or not recurs(codes, period):
            continue
        first = codes[:period]
        # Hardly any other examples have the same order, unless it is sorted or alternating.
        changes = (first[1:] != first[:-1]).sum()
        if changes >= FEWEST // 2 and not any(recurs(first, k) for k in range(1, FEWEST // 2)):
            why = f"the truth starts anew every {period} rows"
            raise UnsaidRoleError(why, "--example", "--repeat")
    times = np.gcd.reduce(counts)
    fractions = values.dtype.kind == "f" and (values % 1 != 0).any()
    if fractions and counts.size > FEWEST and times > 1:
        why = f"each value of the truth stands there {times} times or more"
        raise UnsaidRoleError(why, "--example", "--repeat")


def refuse_odd_values(
    columns: dict[str, Any], labels: dict[str, Any], *, of_splits: bool, named: bool
) -> None:
    """Raise if a row is a summary of others, many rows are copies, or learners that nobody named equal."""
    for one, other in () if named else combinations(columns, 2):
        # That learners agree on all of a few questions is no wonder.
        several = np.unique(columns[one]).size > 4 or columns[one].size > FEWEST
        if several and np.array_equal(columns[one], columns[other]):
            why = f"learners {one!r} and {other!r} have equal values; name one of them"
            raise UnsaidRoleError(why, "--columns A,B")
    places = {role: np.asarray(labels[role]) for role in PLACES if role in labels}
    for role, texts in places.items():
        number = np.array([bool(re.fullmatch(r"\D*\d+(\.0)?", str(text))) for text in texts])
        few = texts.dtype.kind in "OUT" and 0 < (~number).sum() <= 3 < number.sum()
        if role in _NUMBERED and few:
            raise InvalidInputError(
                f"is {texts[~number][0]!r} in a row, and numbered in others; remove a summary",
                argument=role,
            )
    if any(column.dtype.kind not in "iuf" for column in columns.values()):
        return
    numbers = np.stack([*columns.values()]).astype(np.float64)  # (K, rows)
    _refuse_summary(numbers)
    frame = _check.package("pandas", "app").DataFrame(columns)
    various = (2 * frame.nunique() > len(frame)).sum()
    copies = frame.assign(**places).duplicated().mean()
    if "example" not in labels and various > 1 and copies > _COPIES:
        # Most numbers of several learners stand there once, and yet rows are alike.
        why = f"{copies:.0%} of the rows are copies of others; remove them"
        raise UnsaidRoleError(why, "--example", "--repeat")
    for own in numbers if of_splits else ():
        shares = own[(own > 0.0) & (own < 1.0)]
        missing = (own < 0.0) & (own % 1 == 0.0)
        percents = own > _APART * shares.max(initial=0.0)
        odd = own[missing | percents]
        if odd.size and 2 * shares.size >= own.size:
            raise InvalidInputError(
                f"{odd[0]:g} stands among shares; write one unit, and leave gaps empty"
            )


def _refuse_summary(numbers: FloatArray) -> None:
    """Raise if the last row holds the means or sums of all others as they are written, and that is no chance."""
    above, last = numbers[:, :-1], numbers[:, -1]
    if not 3 < numbers.shape[1] <= _MOST_ROWS or not np.isfinite(numbers).all():
        return
    places = [len(f"{value:.12f}".rstrip("0").partition(".")[2]) for value in last]
    digit = 0.5000001 * 10.0 ** -np.array(places)
    spread = np.maximum(above.std(axis=1), 1e-300)
    chance = np.prod(np.minimum(1.0, digit / spread))
    for summary in (above.mean(axis=1), above.sum(axis=1)):
        if (np.abs(summary - last) <= digit).all() and chance < _CHANCE:
            raise InvalidInputError("the last row sums up the others; remove it")
