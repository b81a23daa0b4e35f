"""Sheets of scores as people keep them: summaries, marks in cells, learners in rows, and columns that are no learners."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from errbar import _check
from errbar._check import FloatArray
from errbar.errors import InvalidInputError, hint
from errbar.plans._kinds import DATA_SETS
from errbar.result import Note
from errbar.sources._columns import STRUCTURE, is_label, is_measure, is_place, names_in, the_columns
from errbar.sources._long_hint import LEARNERS
from errbar.sources._numerals import is_text

DATA_SET_NAMES = ("dataset", "data_set", "data set", "benchmark")

_STRONG = re.compile(
    r"((overall|grand|weighted|macro) )?(mean|avg\.?|average|median|std\.?|sd|s\.d\.|stdev|st\.? ?dev\.?|std\.? ?dev(iation)?\.?|"
    r"standard deviation|sem|s\.e\.m\.|std\.? ?err(or)?\.?|standard error)( ?(rank|score|acc|accuracy|error|loss))?|"
    r"(mean|avg\.?|average) ?(±|\+/?-) ?(std|sd)\.?"
)
_WEAK = re.compile(r"min(imum)?|max(imum)?|count|sum|total|(mean )?rank|best|worst|\d\d?%")
"""Rows that are called so are summaries where another one surely is."""
_STATISTIC = re.compile(
    r"(.* - )?.*__(MIN|MAX)|(std|sd|stdev|sem)([ _]?dev)?|(fit|score|train(ing)?|test|run|wall)_?time(_s|_sec)?|runtime|time_s|seconds|duration"
)
"""Names of columns beside those of learners: limits that Weights & Biases writes, spreads and seconds."""
_SIZE = re.compile(r"n_(samples|features|rows|classes)|n")
"""Names of columns of sizes, if they hold whole numbers."""
_NUMBERED = re.compile(
    r"(fold|split|run|rep|repeat|seed|cv|trial|iter|iteration|test|score|data ?set)?[ _.-]*\d+(_test_score)?"
)
_FOLD = re.compile(r"(fold|split|cv)[ _.-]*\d+(_test_score)?")

_PLAIN = r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?|[-+]?\d+,(?:\d{1,2}|\d{4,})"
_MARKED = re.compile(
    rf"(?:\$|\\textbf{{|\\underline{{|\\mathbf{{|\*|_|\s)*(?P<number>{_PLAIN})\s*(?P<percent>\\?%)?\s*"
    rf"(?:(?:±|\+/?-|\\pm|\\,\\pm)\s*(?:{_PLAIN})\s*(?:\\?%)?|\(\s*±?\s*(?:{_PLAIN})\s*(?:\\?%)?\s*\))?(?:}}|\$|\*|_|†|‡|\s)*"
)
_GAPS = {"", "-", "--", "—", "–", "n/a", "na", "nan", "none", "?"}

_FEW_ROWS = 3
_CHANCE = 1e-3
"""A last row that is by chance the mean of all others to the last digit is less likely than this, or it is not refused."""
_FAR = 3.0
"""Whole numbers further away from the fractions of all others than so many times the range of these are no scores."""


class Sheet(NamedTuple):
    """A frame whose rows are splits or examples, and whose columns are learners and labels.

    Attributes
    ----------
    frame : DataFrame
        The cells.
    numbering : tuple of str
        Columns that number the rows, as their values show.
    notes : tuple of Note
        What was left out, turned, or read in a certain way.
    """

    frame: Any
    numbering: tuple[str, ...]
    notes: tuple[Note, ...]


def tidied(
    frame: Any, where: str, stated: Mapping[str, str], names: Sequence[str] | None = None, kind: str | None = None
) -> Sheet:
    """Return a sheet of scores without what is neither a learner's number nor a label.

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

    Raises
    ------
    InvalidInputError
        If the columns are measures of a learner, or one holds other numbers than scores; if the last row is the mean of the others.
    """
    data = frame.set_axis([str(name) for name in frame.columns], axis="columns")
    data, notes = _upright(data, where, stated, kind)
    data, left_out = of_learners(data, where, stated, names)
    data, marked = _with_numbers(data)
    names_rows = [data.columns[0]] if data.iloc[:, 0].is_unique else []
    labels = dict.fromkeys([*names_rows, *(name for name in data.columns if is_place(name) or name in stated)])
    data, rows = without_summaries(data, where, labels)
    notes = (*notes, *left_out, *marked, *rows)
    others = _learners_of(data, stated)
    if names is not None:
        return Sheet(data, (), notes)
    _refuse_mean_row(data, others, where)
    numbering = _numbering(data, others)
    learners = [name for name in others if name not in numbering]
    _refuse_measures(learners, where)
    _refuse_other_numbers(data, learners, where)
    return Sheet(data, numbering, notes)


def without_summaries(data: Any, where: str, labels: Iterable[str]) -> tuple[Any, tuple[Note, ...]]:
    """Return a frame without the rows that a label, or the index, calls a mean, a standard deviation or the like."""
    pandas = _check.package("pandas", "app")
    texts = [data[name] for name in labels if is_text(data[name])]
    index = [data.index.get_level_values(level) for level in range(data.index.nlevels)]
    texts += [column for column in index if is_text(column)]
    coded = [pandas.factorize(pandas.Series(column)) for column in texts]
    cells = [[_bare(value) for value in values] for _, values in coded]
    if not any(_STRONG.fullmatch(cell) for column in cells for cell in column):
        return data, ()
    called = dict.fromkeys(cell for column in cells for cell in column if _is_summary(cell))
    out = np.zeros(len(data), dtype=bool)
    for (code, _), column in zip(coded, cells, strict=True):
        out |= np.array([*map(_is_summary, column), False])[code]  # a gap has the code -1
    if out.all():
        raise InvalidInputError(f"{where} holds summaries only, and tests need the number of each split or example")
    several = int(out.sum()) > 1
    text = (
        f"the row{'s' * several} called {_check.listed(list(map(repr, called)), 4)} {'are summaries' if several else 'is a summary'} of others and "
        "left out"
    )
    kept = data[~out].infer_objects()
    for name in kept.columns[[is_text(kept[name]) for name in kept.columns]]:
        numbers = pandas.to_numeric(kept[name], errors="coerce")
        kept[name] = numbers if numbers.notna().all() else kept[name]
    return kept, (Note("summaries", text),)


def _bare(value: Any) -> str:
    return value.strip(" :*()").lower() if isinstance(value, str) else ""


def _is_summary(cell: str) -> bool:
    return bool(_STRONG.fullmatch(cell) or _WEAK.fullmatch(cell))


def _upright(data: Any, where: str, stated: Mapping[str, str], kind: str | None) -> tuple[Any, tuple[Note, ...]]:
    """Return a frame with a column for each learner, where the rows are learners."""
    named = data.index.name is not None and str(data.index.name).lower() in LEARNERS
    learner = str(data.index.name) if named else str(data.columns[0])
    names, rest = (data.index, data) if named else (data[learner], data.drop(columns=learner))
    texts = all(isinstance(name, str) for name in names)
    if learner.lower() not in LEARNERS or learner in stated or not (texts and names.is_unique) or rest.shape[1] < 2:
        return data, ()
    inside = [name for name in rest if not _STRONG.fullmatch(name.lower())]
    numbered = all(_NUMBERED.fullmatch(name.lower()) for name in inside)
    if any(is_text(rest[name]) for name in rest) or not (numbered or kind == DATA_SETS):
        if any(is_text(rest[name]) or name in stated or name.lower() in STRUCTURE or is_label(name) for name in rest):
            return data, ()
        raise InvalidInputError(
            f"{where} has a row for each {learner!r}, and a column for each learner is needed, with a row for each split, example or "
            "data set: turn the table on its side"
        )
    turned = rest.T.set_axis(list(names), axis="columns")
    if all(_FOLD.fullmatch(name.lower()) for name in inside):
        turned["fold"] = turned.index
    note = Note(
        "turned", f"the rows of {learner!r} are learners, so the table is read on its side, a row for each column"
    )
    return turned, (note,)


def of_learners(
    data: Any, where: str, stated: Mapping[str, str], names: Sequence[str] | None
) -> tuple[Any, tuple[Note, ...]]:
    """Return a frame without columns that are no learners by what the user says, or by their names."""
    if names is None:
        free = [name for name in data.columns if name not in stated]
        gone = [
            name for name in free if _STATISTIC.fullmatch(name) or (_SIZE.fullmatch(name) and _is_whole(data[name]))
        ]
        gone += [name for name in free if _is_mean(data.drop(columns=gone), name)]
        gone = [] if len(gone) == data.shape[1] else gone
    else:
        chosen = names_in(names, data.columns)
        for name in chosen:
            if name not in data.columns:
                raise InvalidInputError(f"{where} has no column {name!r} of a learner{hint(name, list(data.columns))}")
        kept = {*chosen, *stated, *(name for name in data.columns if name.lower() in STRUCTURE)}
        gone = [name for name in data.columns if name not in kept]
    if not gone:
        return data, ()
    plural = len(gone) > 1
    text = f"{the_columns(gone, 8)} left aside"
    text += "" if names is not None else f", as {'they are' if plural else 'it is'} no learner{'s' * plural} by name"
    return data.drop(columns=gone), (Note("columns-aside", text),)


def _is_mean(data: Any, name: str) -> bool:
    """Tell whether a column is called a mean, and is that of the others: a learner may be called so too."""
    if name not in data.columns or name.lower() not in ("mean", "avg", "average", "median") or is_text(data[name]):
        return False
    others = [one for one in data.columns if one != name and data[one].dtype.kind == "f"]
    if len(others) < 2:
        return False
    found = data[others].median(axis=1) if name.lower() == "median" else data[others].mean(axis=1)
    return bool((np.abs(found - data[name]) <= _digit(data[name])).all())


def _digit(column: Any) -> float:
    """Return half a unit of the last digit that a column of numbers is written with."""
    places = max(len(text.partition(".")[2]) for text in (f"{value:.12f}".rstrip("0") for value in column))
    return float(0.5000001 * 10.0**-places)


def _with_numbers(data: Any) -> tuple[Any, tuple[Note, ...]]:
    """Return a frame whose cells such as ``0.91 ± 0.02`` are numbers."""
    found, shown = {}, []
    for name in data.columns:
        if is_text(data[name]) and name.lower() not in STRUCTURE and not is_label(name):
            numbers, example = marked_numbers(data[name])
            if numbers is not None:
                found[name] = numbers
                shown += [example] if example else []
    if not found:
        return data, ()
    notes = () if not shown else (Note("marks", f"of cells with marks the first number is read, such as {shown[0]}"),)
    return data.assign(**found), notes


def marked_numbers(column: Any) -> tuple[FloatArray | None, str]:
    """Return the numbers of a column of texts with marks, and one of them; None where a cell is something else.

    Marks are a percent sign, what follows ``±`` or stands in brackets, and what LaTeX or Markdown print in bold. Cells with a dash are gaps.
    """
    cells = [
        "" if value is None or value != value or str(value).strip().lower() in _GAPS else str(value) for value in column
    ]
    matches = [_MARKED.fullmatch(cell) for cell in cells if cell]
    found = [match for match in matches if match]
    percent = [match["percent"] is not None for match in found]
    if not found or len(found) < len(matches) or (any(percent) and not all(percent)):
        return None, ""
    numbers = iter(float(match["number"].replace(",", ".")) for match in found)
    marked = next((match for match in found if match[0].strip() != match["number"]), None)
    example = "" if marked is None else f"{marked['number'].replace(',', '.')} of {marked[0]!r}"
    return np.array([next(numbers) if cell else np.nan for cell in cells]), example


def _learners_of(data: Any, stated: Mapping[str, str]) -> list[str]:
    """Return the columns of numbers that are no labels by their names."""
    return [
        name
        for name in data.columns
        if name not in stated
        and name.lower() not in STRUCTURE
        and not is_label(name)
        and data[name].dtype.kind in "iuf"
    ]


def _refuse_mean_row(data: Any, names: Sequence[str], where: str) -> None:
    """Raise if the last row holds the means of all others, and that is no chance."""
    if len(data) <= _FEW_ROWS or not names:
        return
    numbers = data[list(names)].to_numpy(dtype=float)
    above, last = numbers[:-1], numbers[-1]
    digits = np.array([_digit(data[name].iloc[-1:]) for name in names])
    with np.errstate(invalid="ignore"):
        spread = above.std(axis=0)
        same = (np.abs(above.mean(axis=0) - last) <= digits) & (spread > 0.0)
        chance = float(np.prod(np.minimum(1.0, digits / np.where(spread > 0.0, spread, 1.0))))
    if same.all() and chance < _CHANCE:
        raise InvalidInputError(
            f"the last row of {where} holds the means of the rows above it; take it out, as tests need the number of each split alone, or "
            f"name the learners if it is one of these, as in --columns {','.join(names)} (`names`)"
        )


def _numbering(data: Any, names: Sequence[str]) -> tuple[str, ...]:
    """Return the columns of whole numbers, one after the other and each as often, where the others have fractions."""
    whole = [name for name in names if _is_whole(data[name])]
    if len(whole) == len(names):
        return ()
    return tuple(name for name in whole if _is_regular(data[name]))


def _is_whole(column: Any) -> bool:
    return not is_text(column) and bool(np.isfinite(column).all() and (np.floor(column) == column).all())


def _is_regular(column: Any) -> bool:
    values, counts = np.unique(column, return_counts=True)
    regular = values.size >= 2 and column.size > _FEW_ROWS and np.ptp(counts) == 0 and (np.diff(values) == 1.0).all()
    return bool(regular and not (values.size == 2 and values[0] == 0.0))


def _refuse_measures(names: Sequence[str], where: str) -> None:
    """Raise if all columns are called like measures: they are several numbers of one learner."""
    if len(names) < 2 or not all(map(is_measure, names)):
        return
    raise InvalidInputError(
        f"the columns {_check.listed(list(map(repr, names)), 4)} of {where} are called like measures of one learner, and a column for each "
        f"learner is needed; keep one of them, as in --columns {names[0]} (`names`), or name the columns after learners"
    )


def _refuse_other_numbers(data: Any, names: Sequence[str], where: str) -> None:
    """Raise if a column holds whole numbers, some far away from the fractions of all others: sizes, or numbers of something."""
    odd = [name for name in names if _is_whole(data[name])]
    rest = [name for name in names if name not in odd]
    if not odd or not rest:
        return
    low, high = float(data[rest].min(axis=None)), float(data[rest].max(axis=None))
    reach = _FAR * max(high - low, abs(high), abs(low))
    far = [name for name in odd if data[name].max() > high + reach or data[name].min() < low - reach]
    if far:
        name = far[0]
        raise InvalidInputError(
            f"column {name!r} of {where} holds whole numbers such as {data[name].iloc[0]:g}, and those of the others lie between {low:.4g} and "
            f"{high:.4g}; say which columns are learners, as in --columns {','.join(rest)} (`names`), or what it holds, such as --groups"
        )
