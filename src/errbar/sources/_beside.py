"""Columns that stand beside those of learners: names of rows, spreads, sizes, seconds, and what was computed of learners."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from errbar.errors import InvalidInputError, hint
from errbar.result import Note
from errbar.sources._columns import (
    STRUCTURE,
    describes_rows,
    is_label,
    is_measure,
    names_in,
    numbers_rows,
)
from errbar.sources._marks import BEGINS
from errbar.sources._numerals import is_text
from errbar.sources._repeats import folds_and_repeats, labelled_folds, numbers_folds
from errbar.sources._roles_named import proposed
from errbar.sources._summaries import digit
from errbar.sources._suspects import looks_like_days

DATA_SET_NAMES = ("dataset", "data_set", "data set", "benchmark")

_STATISTIC = re.compile(
    r"(.* - )?.*__(MIN|MAX)|(std|sd|stdev|sem)([ _]?dev)?|(fit|score|train(ing)?|test|run|wall)_?time(_s|_sec)?|runtime|time_s|seconds|duration"
)
"""Names of columns beside those of learners: limits that Weights & Biases writes, spreads and seconds."""
_SPREAD = re.compile(
    r"(?i)(.+?)([ _.-]+\(?(std|sd|sem|se|stderr|stdev|std_err|std_dev|(fit_|train_)?time(_s)?|seconds|rank)\)?| ?\(?(±|\+/?-)\)?)"
)
"""Names of the spread of a learner, of its seconds and its ranks."""
_NO_SCORE = re.compile(
    r"(?i)p|p[ _-]?(vals?|values?)|ratio|imbalance([ _]ratio)?|(gain|improvement|lift)[ _](over|vs\.?|to)[ _].+"
)
"""Names of numbers that are seldom scores."""
_SIZE = re.compile(r"n_(samples|features|rows|classes)|n")
"""Names of columns of sizes, if they hold whole numbers and others do not."""
_DIFFERENCE = re.compile(r"(.*[ _-])?(diff|difference|delta|Δ|gain|improvement)([ _-].*)?", re.IGNORECASE)
_MADE: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("mean", "avg", "average"), ("mean",)),
    "median": ("median",),
    **dict.fromkeys(("best", "max", "min", "worst"), ("max", "min")),
}
"""What columns of such a name may be of all learners."""
_WINNERS = {"winner", "preference", "preferred", "verdict"}
_TIES = {"tie", "tied", "draw", "equal", "tie (bothbad)", "both_bad", "both bad"}
"""Words in columns that name the winner of a row."""

_FAR = 3.0
"""Whole numbers further away from the fractions of all others than so many times the range of these are no scores."""
_ROWS, _FRACTIONS = 5, 0.8
"""So many rows, and such a share of fractions in all others, make a column of whole numbers doubtful."""
_APART = 20.0
"""Shares and percents of one table lie by such a factor apart."""
_CHANCE = 1e-3
"""A column that is by chance the difference of two others to the last digit is less likely than this, or it is a learner."""
_MOST, _HEAD = 30, 100
"""Of more learners nobody writes down a difference; so many rows are looked at first."""


def learners_of(data: Any, stated: Mapping[str, str]) -> list[str]:
    """Return the columns of numbers that are no labels by their names."""
    return [
        name
        for name in data.columns
        if name not in stated and not describes_rows(name, data[name]) and data[name].dtype.kind in "iuf"
    ]


def of_learners(
    data: Any, where: str, stated: Mapping[str, str], names: Sequence[str] | None
) -> tuple[Any, tuple[Note, ...]]:
    """Return a frame without columns that are no learners by what the user says, or by their names and values."""
    if names is None:
        gone = _no_learners(data, where, stated)
    else:
        chosen = names_in(names, data.columns)
        for name in chosen:
            if name not in data.columns:
                raise InvalidInputError(f"{where} has no column {name!r} of a learner{hint(name, list(data.columns))}")
        # Roles are looked for later, among all columns that have the name of one.
        roles = (name for name in data.columns if name.lower() in STRUCTURE or numbers_folds(name))
        kept = {*chosen, *stated, *roles, *labelled_folds(data, chosen).values()}
        gone = [name for name in data.columns if name not in kept]
    if not gone:
        return data, ()
    return data.drop(columns=gone), (Note("read", left_aside=gone),)


def _no_learners(data: Any, where: str, stated: Mapping[str, str]) -> list[str]:
    """Return the columns that are spreads, seconds, sizes, or computed of others."""
    free = [name for name in data.columns if name not in stated]
    numbers = learners_of(data, stated)
    beside = [name for name in free if _STATISTIC.fullmatch(name) or _is_size(data, name, numbers)]
    beside += [name for name in free if is_text(data[name]) and data[name].isin(numbers).all()]  # the best of each row
    spreads = {name: of for name in numbers if name not in beside and (of := _spread_of(name, numbers)) is not None}
    weak = [name for name in numbers if _NO_SCORE.fullmatch(name)]
    gone = [*beside, *spreads, *weak]
    rest = [name for name in free if name not in gone and not describes_rows(name, data[name])]
    if not rest:
        return []
    learners = [name for name in rest if name in numbers]
    doubtful = dict.fromkeys(weak, learners) | {name: [of] for name, of in spreads.items()}
    doubtful |= {name: learners for name in beside if len(rest) == 1 and name in numbers}
    for name, others in doubtful.items():
        other = next((one for one in others if _overlap(data[name], data[one])), None)
        if other is not None:
            raise InvalidInputError(
                f"column {name!r} of {where} has the name of a spread, size, time or the like, and numbers such as those of {other!r}; say "
                f"whether it is a learner, as in --columns {other},{name} (`names`), or not, as in --columns {','.join(learners)}"
            )
    numbers = [name for name in numbers if name not in gone]
    return gone + [name for name in numbers if _is_computed(data, name, numbers)]


def _spread_of(name: str, numbers: Sequence[str]) -> str | None:
    """Return the column of which another one is called the spread, such as that of ``C4.5`` or ``C4.5_mean``."""
    match = _SPREAD.fullmatch(_flat(name))
    if match is None:
        return None
    parts = {one: measured(one) for one in numbers if one != name}
    return next((one for one, part in parts.items() if match[1] in (_flat(one), part and part[0])), None)


def _flat(name: str) -> str:
    """Return the name of a column; one of two levels has both as they are, with a blank between."""
    return re.sub(r"^\('|'\)$", "", name).replace("', '", " ")


def measured(name: str) -> tuple[str, str] | None:
    """Return the learner and the measure of a name that has both, such as ``svm_f1``, ``svm_mean`` or ``accuracy svm``."""
    parts = re.split(r"([ _/:-]+)", _flat(name))
    for i in range(1, len(parts), 2):
        start, end = "".join(parts[:i]), "".join(parts[i + 1 :])
        for one, other in ((start, end), (end, start)):
            if is_measure(other) or other.lower() in ("mean", "avg", "average"):
                return one, other
    return None


def _is_size(data: Any, name: str, numbers: Sequence[str]) -> bool:
    """Tell whether a column is called a size, and holds whole numbers that are none of learners."""
    others = [one for one in numbers if one != name]
    if not _SIZE.fullmatch(name) or not is_whole(data[name]) or not others:
        return False
    fractions = not all(is_whole(data[one]) for one in others)
    return fractions or data[name].nunique() == 1 or is_far(data[name], data[others])


def is_whole(column: Any) -> bool:
    """Tell whether a column holds whole numbers alone."""
    return not is_text(column) and bool(np.isfinite(column).all() and (np.floor(column) == column).all())


def is_far(column: Any, others: Any) -> bool:
    """Tell whether a column has numbers far away from those of others."""
    low, high = float(others.min(axis=None)), float(others.max(axis=None))
    reach = _FAR * max(high - low, abs(high), abs(low))
    return bool(column.max() > high + reach or column.min() < low - reach)


def _overlap(one: Any, other: Any) -> bool:
    return bool(one.min() <= other.max() and other.min() <= one.max())


def _is_computed(data: Any, name: str, numbers: Sequence[str]) -> bool:
    """Tell whether a column is the mean, or the best, of all others by name and values, or the difference of two."""
    made, called = _MADE.get(name.lower(), ()), _DIFFERENCE.fullmatch(name) is not None
    differs = len(numbers) <= _MOST and (called or name == numbers[-1])
    if len(numbers) < 3 or not (made or differs):
        return False
    others, own = data[[one for one in numbers if one != name]].to_numpy(dtype=float), data[name].to_numpy(dtype=float)
    if is_whole(data[name]) or not np.isfinite(own).all():
        return False
    near = digit(data[name].iloc[:_HEAD])
    if any((np.abs(getattr(np, how)(others, axis=1) - own) <= near).all() for how in made):
        return True
    few = others[:_HEAD]
    apart = np.abs(few[:, :, np.newaxis] - few[:, np.newaxis, :] - own[:_HEAD, np.newaxis, np.newaxis])
    chance = len(numbers) ** 2 * min(1.0, near / max(float(own.std()), near)) ** len(few)
    if not differs or (chance >= _CHANCE and not called):
        return False
    pairs = np.argwhere((apart <= near).all(axis=0))
    return any((np.abs(others[:, i] - others[:, j] - own) <= near).all() for i, j in pairs)


def refuse_winners(data: Any, stated: Mapping[str, str], where: str) -> None:
    """Raise if a column names the winner of each row."""
    for name in data.columns:
        if name in stated or data[name].is_unique:
            continue
        words = (
            {str(word).strip().lower() for word in data[name].dropna().unique()[:9]} if is_text(data[name]) else set()
        )
        if len(words) < 9 and (words & _TIES or (words and name.lower() in _WINNERS)):
            raise InvalidInputError(
                f"column {name!r} of {where} names winners, such as {data[name].iloc[0]!r}, and numbers are needed; write 1 where the first wins, 0 "
                "where the other does and 0.5 for ties, and test whether the mean of that column is a half, as in errbar test FILE --columns "
                f"{name} --null 0.5 --higher-is-better, with --example where a row is one example"
            )


def numbering(data: Any, names: Sequence[str]) -> tuple[str, ...]:
    """Return the columns that number the rows in their order where others have fractions, folds by name, and the index of a written frame."""
    whole = [name for name in names if is_whole(data[name])]
    index = [name for name in whole if numbers_folds(name) or (name.startswith("Unnamed: ") and data[name].is_unique)]
    if len(whole) == len(names):
        return tuple(index)
    return tuple(name for name in whole if name in index or numbers_rows(data[name], blocks=True))


def refuse_doubtful_folds(data: Any, names: Sequence[str], where: str) -> None:
    """Raise if a column called like a fold holds whole numbers such as those of all learners."""
    odd = [name for name in names if numbers_folds(name)]
    rest = [name for name in names if name not in odd]
    if not odd or not rest or not all(is_whole(data[name]) and _overlap(data[name], data[odd[0]]) for name in names):
        return
    raise InvalidInputError(
        f"column {odd[0]!r} of {where} holds whole numbers as the others do, and may number folds or be a learner; say which, as in "
        f"--fold {odd[0]} (`fold`) or --columns {','.join((*rest, odd[0]))} (`names`)"
    )


def refuse_other_numbers(data: Any, names: Sequence[str], where: str) -> None:
    """Raise if a column holds whole numbers, and those of all others are fractions or far away: sizes, or numbers of something."""
    rest = [name for name in names if not is_whole(data[name])]
    odd = [name for name in names if rest and name not in rest and not data[name].isin([0, 1]).all()]
    fractions = len(data) >= _ROWS and bool(rest) and (data[rest] % 1 != 0).to_numpy().mean() >= _FRACTIONS
    for name in (one for one in odd if is_far(data[one], data[rest]) or (fractions and data[one].nunique() > 1)):
        low, high = float(data[rest].min(axis=None)), float(data[rest].max(axis=None))
        raise InvalidInputError(
            f"column {name!r} of {where} holds whole numbers such as {data[name].iloc[0]:g}, and those of the others are fractions between "
            f"{low:.4g} and {high:.4g}; say which columns are learners, as in --columns {','.join(rest)} (`names`), or what it holds: "
            f"{proposed(name, {one: data[one] for one in data})}"
        )


def refuse_codes_of_gaps(learners: Mapping[str, Any], where: str) -> None:
    """Raise if the only numbers below 0 are one whole number, further below the fractions of all others than these reach."""
    columns = {name: np.asarray(column, dtype=float) for name, column in learners.items() if not is_text(column)}
    numbers = np.concatenate(list(columns.values())) if columns else np.zeros(0)
    rest = numbers[numbers >= 0.0]
    codes = np.unique(numbers[numbers < 0.0])
    if codes.size != 1 or codes[0] % 1 != 0.0 or rest.size < numbers.size / 2 or (rest % 1 != 0.0).mean() < _FRACTIONS:
        return
    if codes[0] < rest.min() - np.ptp(rest):
        name = next(one for one in columns if (columns[one] == codes[0]).any())
        raise InvalidInputError(
            f"column {name!r} of {where} holds {codes[0]:g}, and all others lie between {rest.min():.4g} and {rest.max():.4g}; leave the cell "
            "empty where there is no number"
        )


def refuse_two_units(data: Any, names: Sequence[str], where: str) -> None:
    """Raise if some numbers are shares and all others percents, far above these, or the last row holds whole numbers far from fractions."""
    numbers = data[list(names)].to_numpy(dtype=float)
    if not names or not np.isfinite(numbers).all():
        return
    above, last = data[list(names)].iloc[:-1], data[list(names)].iloc[-1]
    fractions = len(above) > 2 and (above % 1 != 0.0).to_numpy().mean() >= _FRACTIONS
    if fractions and is_whole(last) and is_far(last, above):
        raise InvalidInputError(
            f"the last row of {where} holds whole numbers such as {last.iloc[0]:g}, and all others hold fractions up to {above.max(axis=None):.4g}; "
            "take it out if it is no split or example"
        )
    low, high = numbers[numbers <= 1.0], numbers[numbers > 1.0]
    apart = low.size and high.size and low.min() > 0.0 and high.max() <= 100.0 and high.min() > _APART * low.max()
    if apart and (low % 1 != 0.0).mean() >= _FRACTIONS:
        raise InvalidInputError(
            f"{where} holds numbers such as {low[0]:g} and others such as {high[0]:g}; write all in one unit, or say that they are, as in "
            f"--columns {','.join(names)} (`names`)"
        )


def of_percents(data: Any, percents: Sequence[str], names: Sequence[str], where: str) -> tuple[Any, tuple[Note, ...]]:
    """Return a frame without a first column of percents in increasing order, if no other column has percent signs: it names the rows."""
    percents = [name for name in percents if name in data.columns]
    counting = numbering(data, names)
    rest = [name for name in names if name not in (*percents, *counting) and not numbers_rows(data[name])]
    if not percents or not rest:
        return data, ()
    first = data.columns[0]
    if percents == [first] and len(data) > 2 and data[first].is_monotonic_increasing and data[first].is_unique:
        return data.drop(columns=first), (Note("read", naming_rows=[first]),)
    raise InvalidInputError(
        f"column {percents[0]!r} of {where} has percent signs and {rest[0]!r} has none; write both in one unit, or say which columns are "
        f"learners, as in --columns {rest[0]} (`names`)"
    )


def without_row_names(frame: Any, roles: Mapping[str, str], *, spare: Any = ()) -> tuple[Any, tuple[Note, ...]]:
    """Return a frame without a first column of words, each another one and none to `spare`, which names the rows.

    Most do not begin with a number. Where its words are days, a note says how to state times.
    """
    rest = [name for name in frame.columns if name.lower() not in STRUCTURE and name not in roles]
    first = frame[rest[0]] if len(rest) > 1 else None
    if first is None or first.isna().any() or not first.is_unique or first.isin(spare).any():
        return frame, ()
    if not all(isinstance(value, str) for value in first) or is_label(rest[0]) or folds_and_repeats(first) is not None:
        return frame, ()
    days = looks_like_days(first)
    if not days and 2 * sum(map(bool, map(BEGINS.match, first))) > len(first):
        return frame, ()  # numbers, written in a way that nobody knows
    note = Note("read", naming_rows=[rest[0]], perhaps=[f"time={rest[0]}"])
    return frame.drop(columns=rest[0]), (note,) if days else ()
