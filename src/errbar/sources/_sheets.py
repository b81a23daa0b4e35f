"""Sheets of scores as people keep them: summaries, marks in cells, learners in rows, and columns that are no learners."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from errbar import _check
from errbar.errors import InvalidInputError
from errbar.plans._kinds import DATA_SETS
from errbar.result import Note
from errbar.sources._beside import (
    DATA_SET_NAMES,
    learners_of,
    measured,
    numbering,
    of_learners,
    of_percents,
    refuse_doubtful_folds,
    refuse_other_numbers,
    refuse_winners,
    without_row_names,
)
from errbar.sources._columns import STRUCTURE, is_label, is_measure, is_place, names_in, separated, the_columns
from errbar.sources._long_hint import LEARNERS, refuse_long
from errbar.sources._marks import refuse_texts, with_numbers
from errbar.sources._numerals import is_text
from errbar.sources._summaries import STRONG, refuse_mean_row, without_summaries

QUANTITIES = ("metric", "metric_name", "measure", "score_name", "quantity")
"""Columns that say what the number of a row is."""

_NUMBERED = re.compile(
    r"(fold|split|run|rep|repeat|seed|cv|trial|iter|iteration|test|score|data ?set)?[ _.-]*\d+(_test_score)?"
)
_FOLD_NAME = re.compile(r"fold[ _.-]*\d+", re.IGNORECASE)
_FOLD = re.compile(r"(fold|split|cv)[ _.-]*\d+(_test_score)?")
_SETTINGS = (
    "",
    "unnamed: 0",
    "params",
    "config",
    "configuration",
    "setting",
    "settings",
    "variant",
    "pipeline",
    "system",
    "name",
)
"""Names of a first column of words that may be those of learners."""
_OF_SEARCH = re.compile(r"(split\d+_test)_(.+)")
"""Scores in what scikit-learn's searches write down."""
OF_SPLITS = ("repeat", "fold", "inner", "halving", "half")
"""What the user may say of a column whose words name summaries: examples, groups and the like may be called anything."""


class Sheet(NamedTuple):
    """What a sheet of scores holds: its rows are splits, examples or data sets.

    Attributes
    ----------
    learners, labels : dict
        Columns of learners by name; labels by role.
    whole : DataFrame
        The rows with all columns.
    kept : ndarray of bool
        Which rows were left.
    kind : str or None
        Kind of splits, where a column says that rows are data sets.
    metric : str or None
        Name of the numbers, where a column says it.
    notes : tuple of Note
        What was left out, turned, or read in a certain way.
    """

    learners: dict[str, Any]
    labels: dict[str, NDArray[Any]]
    whole: Any
    kept: NDArray[np.bool_]
    kind: str | None
    metric: str | None
    notes: tuple[Note, ...]


def tidied(
    frame: Any,
    where: str,
    stated: Mapping[str, str],
    names: Sequence[str] | None = None,
    kind: str | None = None,
    *,
    examples: bool = False,
    settled: bool = False,
) -> Sheet:
    """Return what a frame holds of learners and labels, without what is neither.

    Parameters
    ----------
    frame : DataFrame
        As it was read.
    where : str
        How messages call it.
    stated : mapping of str to str
        What the user says of columns, by their names.
    names : sequence of str, optional
        The columns of learners, where the user says which they are: all others but labels are left out.
    kind : str, optional
        Kind of splits, where the user says it.
    examples : bool, default False
        Whether the user says that rows are test examples.
    settled : bool, default False
        Whether labels beside the frame say what a row is.

    Raises
    ------
    InvalidInputError
        If the columns are measures of a learner, or one holds other numbers than scores; if the last row is the mean of the others.
    """
    whole = frame.set_axis([str(name) for name in frame.columns], axis="columns")
    whole, notes = _upright(_with_folds(whole, stated), where, stated, kind, names)
    if notes and names is None:  # each row was a learner, whatever its name
        names = [name for name in whole.columns if name != "fold"]
    chosen = () if names is None else names_in(names, whole.columns)
    _refuse_pooled(whole, {*stated, *chosen}, chosen, where, kind)
    whole, kept, rows = without_summaries(whole, where, _row_names(whole, stated, chosen))
    data, metric = _of_one_metric(whole, {*stated, *chosen})
    free = (name for name in data.columns if name.lower() in DATA_SET_NAMES and name not in (*stated, *chosen))
    sets = next((name for name in free if data[name].dtype.kind != "f"), None)
    data, percents, marked = with_numbers(data)
    data, left_out = of_learners(data, where, stated, names)
    data, named = of_percents(data, percents, learners_of(data, stated), where)
    notes = (*notes, *rows, *left_out, *marked, *named)
    if sets is not None:
        examples = examples or "example" in map(str.lower, data.columns)
        data, own = _of_data_sets(data, whole[sets], where, kind, examples=examples)
        notes, kind = (*notes, *own), kind or (DATA_SETS if whole[sets].is_unique and not examples else None)
    refuse_winners(data, stated, where)
    data, named = without_row_names(data, stated)
    settled = settled or kind is not None
    counting = () if chosen else _counting(data, learners_of(data, stated), where)
    columns = {name: data[name] for name in data.columns}
    learners, labels, own = separated(
        columns, stated, counting=not chosen, numbering=counting, chosen=chosen, settled=settled
    )
    refuse_texts(learners, where)
    return Sheet(learners, labels, whole, kept, kind, metric, (*notes, *named, *own))


def _refuse_pooled(data: Any, taken: set[str], chosen: Sequence[str], where: str, kind: str | None) -> None:
    """Raise if a column names the learner of each row, several times each: the rows of all of them would be those of one."""
    for name in data.columns:
        if name.lower() not in LEARNERS or name in taken or not is_text(data[name]):
            continue
        if 2 <= data[name].nunique() <= len(data) / 2:
            refuse_long({one: data[one] for one in (name, *(chosen or data.columns))}, where, kind)


def _counting(data: Any, names: Sequence[str], where: str) -> tuple[str, ...]:
    """Return the columns of numbers that number the rows, or raise if others are no scores."""
    refuse_mean_row(data, names, where)
    refuse_doubtful_folds(data, names, where)
    found = numbering(data, names)
    learners = [name for name in names if name not in found]
    _refuse_measures(learners, where)
    if len(learners) > 1 and all(map(_is_fold, learners)):
        _refuse_splits(learners, where)
    refuse_other_numbers(data, learners, where)
    return found


def _row_names(data: Any, stated: Mapping[str, str], chosen: Sequence[str]) -> list[str]:
    """Return the columns whose words may say that a row is a summary: no learner, and none that the user says holds examples or groups."""
    free = [name for name in data.columns if stated.get(name, "fold") in OF_SPLITS and name not in chosen]
    first = [name for name in free[:1] if name == data.columns[0] and data[name].is_unique]
    return [name for name in free if name in stated or is_place(name) or name in first]


def _of_one_metric(data: Any, taken: set[str]) -> tuple[Any, str | None]:
    """Return a frame without a column of text that names the one metric of all rows, and its name."""
    for name in data.columns:
        if name.lower() in QUANTITIES and name not in taken and is_text(data[name]) and data[name].nunique() == 1:
            return data.drop(columns=name), str(data[name].iloc[0])
    return data, None


def _of_data_sets(
    data: Any, sets: Any, where: str, kind: str | None, *, examples: bool
) -> tuple[Any, tuple[Note, ...]]:
    """Return a frame with a row for each data set, unless a row is a test example, and no column of their names."""
    data = data.drop(columns=sets.name, errors="ignore")
    if sets.is_unique or sets.nunique() == 1:
        return data, ()
    if examples or kind not in (None, DATA_SETS):
        text = f"the column {sets.name!r} is left aside; where rows of one value are alike, give it as `groups`"
        return data, (Note("columns-aside", text),)
    if kind is None:
        raise InvalidInputError(
            f"{where} has several rows for each data set of column {sets.name!r}; to compare learners over data sets, take the mean of "
            "each with `errbar ranks FILE`, or --kind data-sets (`kind`); to compare them on one data set, keep its rows alone; if rows "
            f"are test examples, give it as --groups {sets.name!r} (`groups`)"
        )
    means = data[learners_of(data, {})].groupby(sets.to_numpy(), sort=False).mean()
    text = f"the rows of each of the {len(means)} data sets of column {sets.name!r} are averaged"
    return means.reset_index(drop=True), (Note("averaged", text),)


def _with_folds(data: Any, stated: Mapping[str, str]) -> Any:
    """Return a frame whose first column is called ``fold``, where it names them: fold 1, fold 2 ..."""
    first = data.columns[0]
    free = first not in stated and "fold" not in (*stated.values(), *map(str.lower, data.columns))
    named = free and is_text(data[first]) and all(map(_FOLD_NAME.fullmatch, map(str, data[first])))
    return data.rename(columns={first: "fold"}) if named and data[first].is_unique else data


def _upright(
    data: Any, where: str, stated: Mapping[str, str], kind: str | None, names: Sequence[str] | None = None
) -> tuple[Any, tuple[Note, ...]]:
    """Return a frame with a column for each learner, where the rows are learners, and no column is chosen by `names`."""
    chosen = () if names is None else names_in(names, data.columns)
    if set(chosen) & set(data.columns):
        return data, ()
    data, left = _of_search(data, where, stated)
    index = str(data.index.name or "")
    named = index.lower() in LEARNERS or (not index and is_text(data.index) and not is_text(data.iloc[:, 0]))
    learner = index if named else str(data.columns[0])
    titles, rest = (data.index, data) if named else (data[learner], data.drop(columns=learner))
    texts = all(isinstance(title, str) and not _is_fold(title) for title in titles)
    if learner in stated or not (texts and titles.is_unique) or rest.shape[1] < 2:
        return data, ()
    inside = [name for name in rest if not STRONG.fullmatch(name.lower())]
    if learner.lower() not in LEARNERS and not _are_splits(inside, learner, where, kind):
        return data, ()
    rest, _, marked = with_numbers(rest)
    numbered = all(_NUMBERED.fullmatch(name.lower()) for name in inside)
    words = [name for name in rest if is_text(rest[name])]
    if words and numbered and inside:
        raise InvalidInputError(
            f"column {words[0]!r} of {where} holds words; every learner needs a number on each split"
        )
    if words or not (numbered or kind == DATA_SETS):
        if any(name in (*words, *stated) or name.lower() in STRUCTURE or is_label(name) for name in rest):
            return data, ()
        raise InvalidInputError(
            f"{where} has a row for each {learner!r}, and a column for each learner is needed, with a row for each split, example or "
            "data set: turn the table on its side"
        )
    turned = rest.T.set_axis(list(titles), axis="columns")
    if all(map(_is_fold, inside)):
        turned["fold"] = turned.index
    note = Note(
        "turned", f"the rows of {learner!r} are learners, so the table is read on its side, a row for each column"
    )
    return turned, (*left, *marked, note)


def _are_splits(columns: Sequence[str], first: str, where: str, kind: str | None) -> bool:
    """Tell whether all columns are called like splits beside a first one of words, or raise if they may be learners as well."""
    taken = is_label(first) or is_place(first) or first.lower() in (*STRUCTURE, *DATA_SET_NAMES)
    if taken or not columns or not all(_NUMBERED.fullmatch(name.lower()) for name in columns):
        return False
    if not all(map(_is_fold, columns)) and (
        first.lower() not in _SETTINGS or kind == DATA_SETS or any(map(str.isdigit, columns))
    ):
        _refuse_splits(columns, where)
    return True


def _is_fold(name: str) -> bool:
    return _FOLD.fullmatch(name.lower()) is not None


def _refuse_splits(names: Sequence[str], where: str) -> None:
    raise InvalidInputError(
        f"the columns {_check.listed(list(map(repr, names)), 4)} of {where} are called like splits; where its rows are learners, name them in "
        f"a first column called model; where the columns are, say so, as in --columns {','.join(names)} (`names`)"
    )


def _of_search(data: Any, where: str, stated: Mapping[str, str]) -> tuple[Any, tuple[Note, ...]]:
    """Return the names of candidates and their scores on each split alone, where a frame holds the results of a search."""
    found = {name: match for name in data.columns if (match := _OF_SEARCH.fullmatch(name)) and name not in stated}
    if not found:
        return data, ()
    named = [name for name in data.columns if name not in stated and is_text(data[name])]
    if "params" in named and any(isinstance(one, Mapping) for one in data["params"]):
        raise InvalidInputError(f"{where} holds the results of a search, which errbar.from_cv_results reads")
    measures = list(dict.fromkeys(match[2] for match in found.values()))
    if len(measures) > 1 or not named:
        raise InvalidInputError(
            f"{where} holds the results of a search; keep one column that names candidates, such as params, and the scores of one measure, "
            f"such as split0_test_{measures[0]}"
        )
    kept = ["params" if "params" in named else named[0], *stated, *found]
    gone = [name for name in data.columns if name not in kept]
    note = Note("columns-aside", f"{the_columns(gone, 8)} left aside beside the scores of each split")
    data = data[kept].rename(columns={name: f"{match[1]}_score" for name, match in found.items()})
    return data, (note,) * bool(gone)


def _refuse_measures(names: Sequence[str], where: str) -> None:
    """Raise if all columns are called like measures: they are several numbers of one learner, or of each."""
    if len(names) < 2:
        return
    shown = _check.listed(list(map(repr, names)), 4)
    if all(map(is_measure, names)):
        raise InvalidInputError(
            f"the columns {shown} of {where} are called like measures of one learner, and a column for each learner is needed; keep one of "
            f"them, as in --columns {names[0]} (`names`), or name the columns after learners"
        )
    parts = {name: part for name in names if (part := measured(name)) is not None}
    learners, measures = (list(dict.fromkeys(part[i].lower() for part in parts.values())) for i in (0, 1))
    if len(parts) < len(names) or len(measures) < 2 or len(learners) * len(measures) != len(names):
        return
    same = [name for name, part in parts.items() if part[1].lower() == measures[0]]
    raise InvalidInputError(
        f"the columns {shown} of {where} hold several measures of each learner ({', '.join(measures)}), and learners are compared by one; say "
        f"which, as in --columns {','.join(same)} (`names`)"
    )
