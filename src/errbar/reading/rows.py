"""Tables from any statistic of rows: a value and influence values for each learner."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from errbar import _check, statistics
from errbar._check import Array, FloatArray, IntArray
from errbar._rng import stream
from errbar.errors import InvalidInputError, PairingError, UndefinedMetricError
from errbar.losses import Index
from errbar.metrics import LABEL, POOLS, Loss, Sample, Target
from errbar.metrics._functions import Measured
from errbar.metrics._loss import WHOLE, by_blocks, by_moving
from errbar.metrics._names import FORMS
from errbar.reading import checks
from errbar.reading.scores import (
    direction_of,
    ends_in_common,
    placed,
    training_size,
    unavailable,
    with_repeats,
)
from errbar.reading.sheet import (
    EXAMPLES,
    INDEX,
    PLACES,
    PREDICTIONS,
    Labels,
    Names,
    Notes,
    UnsaidRoleError,
    columns_named,
    frame_of,
    option,
    require_column,
    require_equal_lengths,
    roles_of,
    sheet_of,
    told,
)
from errbar.result import Note
from errbar.statistics import Statistic
from errbar.table import Cells, LossTable, Tested, measure

ONE_BY_ONE = 2000
"""So many rows are left out one by one; of more, blocks are."""

BLOCKS = 1000


def from_rows(
    frames: Any,
    statistic: Callable[[Any], float],
    *,
    higher_is_better: bool | None = None,
    name: str | None = None,
    pool: str | None = None,
    **labels: ArrayLike | None,
) -> LossTable:
    r"""Make a table from any statistic of rows, such as a word error rate; needs pandas.

    A table holds the statistic :math:`\theta` plus an influence value for each row,
    :math:`\theta + I_i`, so that every method for examples takes it. Those of ``errbar.statistics`` have
    influence values in closed form. For another function each row is left out and taken twice:
    :math:`I_i = n (\theta_{+i} - \theta_{-i}) / 2`. Of more than 2000 rows that are separate examples
    without time and strata, up to 1000 random blocks are left out instead, within folds and of whole
    groups. The blocks are the
    groups of the table then, which is said in a note: :math:`I_i = (n/b - 1) (\theta - \theta_{-B})`
    for the b rows of block B (the grouped jackknife).

    Parameters
    ----------
    frames : mapping of str to frame, or frame
        Rows of each learner: a frame of pandas, polars or Arrow, or a mapping of columns. All have the
        same examples in the same order. One long frame needs ``learner=``, the name of a column.
    statistic : Statistic or callable
        One of ``errbar.statistics``, or any function of a pandas frame that returns a number.
    higher_is_better : bool, optional
        By default as the statistic says, else as its name does, such as ``"accuracy"``, and else not.
    name : str, optional
        Name of the statistic in reports; by default its own.
    pool : {"none", "folds", "splits"}, optional
        Of what it is computed: each split, the folds of a repeat together, or all splits together. By
        default as the statistic says, and else the folds together, since the mean over small folds of
        what is no mean is biased.
    **labels : array-like, optional
        What is known of the rows, by role, as for `from_losses`: values, or the name of a column of the
        frames; ``"none"`` says that no column has the role.

    Returns
    -------
    LossTable
        It keeps no rows, so that another statistic needs another call.

    Raises
    ------
    PairingError
        If learners have different numbers of rows, or other labels.
    UndefinedMetricError
        If the statistic is not finite, or jumps when a row is left out, as the largest value does.
    InvalidInputError
        If a column is not there or cannot be used, or the statistic cannot be computed.

    Examples
    --------
    >>> import errbar
    >>> words = [7, 25, 22, 4, 9, 13, 8, 31, 12, 6, 18, 10]
    >>> frames = {
    ...     "base": {"errors": [1, 3, 2, 1, 1, 2, 0, 4, 1, 0, 2, 1], "words": words},
    ...     "new": {"errors": [2, 1, 1, 0, 1, 1, 0, 2, 1, 0, 1, 0], "words": words},
    ... }
    >>> table = errbar.from_rows(frames, errbar.statistics.ratio("errors", "words"))
    >>> result = errbar.infer(table, "holdout-t", "base", minus="new")
    >>> round(result.estimate, 4), round(result.se, 4)
    (0.0485, 0.0134)
    >>> def errors_a_row(frame):
    ...     return frame["errors"].sum() / len(frame)
    >>> table = errbar.from_rows(frames, errors_a_row)
    >>> round(errbar.infer(table, "holdout-t", "new").estimate, 4)
    0.8333
    """
    _check.require(callable(statistic), "must be a function of a frame", statistic, "statistic")
    frames = _frames_of(frames, labels)
    known, notes = _labels_of(frames, statistic, labels)
    rows = len(next(iter(frames.values())))
    order, splits, cells = placed(rows, known)
    if not isinstance(statistic, Statistic):
        key = name or _name_of(statistic)
        block = None
        if rows > ONE_BY_ONE and not {"time", "strata"} & {*known}:
            block = _blocks(order, cells, splits.designs[0].clusters)
        if block is not None:
            order, splits, cells = placed(rows, known | {"groups": block})
            size = round(rows / _check.distinct(block))
            notes += (Note("means", unit="row", count=size, of="rows that are left out together"),)
        statistic = Statistic(key, (), partial(_by_leaving_out, key, statistic, block))
    if higher_is_better is None:
        higher_is_better = statistic.higher_is_better
    loss = Loss(
        name or statistic.key,
        partial(_of_sample, statistic, [*frames.values()]),
        (LABEL,),
        pointwise=statistic.mean,
        influence=not statistic.mean,
        range=statistic.range,
        pool=_check.choice(pool or statistic.pool, POOLS, "pool"),
    )
    tested = Tested(Target(np.zeros(int(cells.example.max()) + 1)), splits, cells)
    numbered = tuple({LABEL: place * rows + order} for place in range(len(frames)))
    scores, points = measure(loss, tested, numbered, [*frames])
    higher, direction = direction_of(loss.key, higher_is_better, scores)
    assert points is not None
    if higher:
        scores, points = 0.0 - scores, 0.0 - points
    return LossTable(
        (*frames,),
        replace(loss, function=partial(unavailable, loss.key), needs=(), higher_is_better=higher),
        splits,
        scores,
        points,
        cells,
        target=None if loss.pointwise else tested.target,
        notes=(*notes, *statistic.notes, *direction),
    )


def _name_of(statistic: Any) -> str:
    found = getattr(statistic, "__name__", "statistic")
    return found if found.isidentifier() else "statistic"


def _frames_of(frames: Any, labels: Labels) -> dict[str, Any]:
    """Return a frame of each learner; `learner` is taken out of the labels."""
    column = labels.pop("learner", None)
    if column is not None:
        frames = parts_of(frame_of(frames), column)
    elif hasattr(frames, "columns") or not isinstance(frames, Mapping):
        raise InvalidInputError(
            "must map learners to frames; one frame of all of them needs `learner`, the name of a column",
            argument="frames",
        )
    names = _check.names([*map(str, frames)], "learner")
    tables = {name: frame_of(own) for name, own in zip(names, frames.values(), strict=True)}
    require_equal_lengths(tables)
    return tables


def parts_of(frame: Any, learner: str) -> dict[str, Any]:
    """Return the rows of each learner, without the column of learners."""
    require_column(learner, frame, "learner")
    parts = frame.groupby(frame[learner].astype(str), sort=False)
    return {str(name): part.drop(columns=learner) for name, part in parts}


def _labels_of(frames: dict[str, Any], statistic: Any, given: Labels) -> tuple[Labels, Notes]:
    """Return what is known of the rows, by role, and which roles were taken from names of columns."""
    must = "does not go with a statistic of rows; let the statistic use the weights"
    _check.require(given.get("weight") is None, must, "weight", "weight")
    needed: tuple[str, ...] = getattr(statistic, "columns", ())
    for frame in frames.values():
        for column in needed:
            require_column(column, frame, "statistic")
    units = getattr(statistic, "units", None)
    if units is not None:
        groups = given.get("groups")
        must = f"must be {units!r}, which the statistic takes for what is drawn"
        told_so = groups is None or (isinstance(groups, str) and groups == units)
        _check.require(told_so, must, groups, "groups")
        given = given | {"groups": units}
    said, stated = told(given, INDEX)
    first = next(iter(frames.values()))
    used = [column for column in needed if column not in said.values()]
    sheet = replace(sheet_of(first, said, stated, used, rows=EXAMPLES), left=[])
    if "answer" in sheet.known:
        why = "is for losses, whose mean is taken; of rows give one for each question"
        raise InvalidInputError(why, argument="answer")
    checks.ask(sheet, checks.gaps, checks.unsaid_seed)
    checks.refuse_unused(sheet)
    for column in sheet.roles.values():
        for name, frame in frames.items():
            if column not in frame or not first[column].equals(frame[column]):
                raise PairingError(
                    f"{name!r} has other values of {column!r} than the first learner; give the same rows in the same order"
                )
    return with_repeats(sheet.labels() | stated), sheet.notes()


def _blocks(order: IntArray, cells: Cells, clusters: IntArray | None) -> IntArray | None:
    """Return the block of each row: random parts of folds, of whole groups; None where rows are no separate examples."""
    total = order.size
    if _check.distinct(cells.example) < total:
        return None
    unit = cells.example if clusters is None else clusters[cells.example]
    units = Index(total, {"fold": cells.split, "unit": unit})
    code, first = units.codes("fold", "unit"), units.first("fold", "unit")
    # In their own order neighbours would be alike; every so many would be too unlike.
    rank = stream(0, "blocks of rows").permutation(first.size)
    fold = cells.split[first]
    block = np.empty(first.size, dtype=np.int64)
    start = 0
    for place, size in enumerate(np.bincount(cells.split)):
        inside = np.flatnonzero(fold == place)
        count = min(inside.size, max(2, BLOCKS * size // total))
        block[inside[np.argsort(rank[inside])]] = start + np.arange(inside.size) % count
        start += count
    of_rows = np.empty(total, dtype=np.int64)
    of_rows[order] = block[code]
    return of_rows


def _of_sample(
    statistic: Statistic, frames: list[Any], sample: Any, numbers: Array | None = None
) -> Any:
    """Return a statistic of rows whose numbers, those of one learner after another, stand in the place of predictions."""
    if numbers is not None:
        sample = Sample(sample, numbers, Target(sample))
    which, rows = divmod(sample.predicted, len(frames[0]))
    value, influence = statistic.function(frames[which[0]].iloc[rows])
    return value + influence if statistic.mean else (value, influence)


def _by_leaving_out(
    key: str, function: Callable[[Any], float], block: IntArray | None, frame: Any
) -> Measured:
    rows = np.arange(len(frame))

    def weighted(weights: FloatArray) -> float:
        value = float(function(frame.iloc[np.repeat(rows, weights.astype(np.int64))]))
        if not np.isfinite(value):
            raise UndefinedMetricError(f"{key!r} is {value} of these rows, or of all but a few")
        return value

    if block is None:
        return by_moving(key, weighted, [rows], WHOLE)
    return by_blocks(key, weighted, _check.compact(block[frame.index]))


# Statistics that need several columns of a learner: sums of a ratio, times with events, or several labels.

SCORE = "score"
"""What a concordance calls the numbers of a learner."""

_BETWEEN = " _.:~/-"
_CENSORED: dict[str, Labels] = {
    "c-index": {},
    "c-index-of-times": {"risk": False},
    "c-index-uno": {"kind": "uno"},
    "c-index-uno-of-times": {"kind": "uno", "risk": False},
}
_OF_LABELS = {f"{kind}_{how}": (kind, how) for kind in FORMS for how in statistics.AVERAGES}
_OF_LABELS |= {kind: (kind, "macro") for kind in statistics.OF_SCORES}


class Asked(NamedTuple):
    """A statistic of several columns.

    Attributes
    ----------
    statistic : what is computed of the rows of a learner
    shared : columns that all learners have in common, by what the statistic calls them
    own : what each learner has in columns of its own
    rows : what a row is: `PREDICTIONS` beside truths, else `EXAMPLES`
    argument : what has asked for it
    """

    statistic: Statistic
    shared: dict[str, str]
    own: list[str]
    rows: str = PREDICTIONS
    argument: str = "truth"


def asked_of(columns: Names, roles: Labels, *, ratio: Any, loss: Any) -> Asked | None:
    """Return the statistic that is asked for, and take its roles out; None where numbers have one column each."""
    truth, event = roles.get("truth"), roles.get("event")
    if ratio is not None:
        must = "goes without `truth` and `event`"
        _check.require(truth is None and event is None, must, ratio, "ratio")
        return _of_ratio(ratio, columns)
    if event is not None:
        return _of_times(roles.pop("truth", None), roles.pop("event"), columns, loss)
    if isinstance(truth, str) and truth not in columns and "," in truth:
        return _of_labels(columns_named(roles.pop("truth"), columns, "truth"), loss)
    return None


def _of_times(truth: Any, event: Any, columns: Names, loss: Any) -> Asked:
    names = {"time": columns_named(truth, columns, "truth")}
    names["event"] = columns_named(event, columns, "event")
    for argument, own in zip(("truth", "event"), names.values(), strict=True):
        _check.require(len(own) == 1, "must be one column, of times or events", own, argument)
    how = _CENSORED[_check.choice(loss or "c-index", _CENSORED, "loss")]
    found = statistics.concordance("time", "event", SCORE, **how)
    return Asked(found, {name: own for name, [own] in names.items()}, [SCORE])


def _of_ratio(text: str, columns: Names) -> Asked:
    names = [name.strip() for name in text.split("/")]
    must = "must name two columns, as in errors/words"
    _check.require(len(names) == 2 and all(names), must, text, "ratio")
    shared = {name: name for name in names if name in columns}
    own = [name for name in names if name not in columns]
    return Asked(statistics.ratio(*names), shared, own, EXAMPLES, "ratio")


def _of_labels(truths: Sequence[str], loss: Any) -> Asked:
    """Return a metric of labels, which are what names of their truths don't have in common."""
    kind, how = _OF_LABELS[_check.choice(loss or "f1_macro", _OF_LABELS, "loss")]
    start, end = ends_in_common(truths)
    start, end = _whole_words(start), _whole_words(end[::-1])[::-1]
    labels = [name.removeprefix(start).removesuffix(end) for name in truths]
    shared = {f"true {label}": truth for label, truth in zip(labels, truths, strict=True)}
    found = statistics.multilabel([*shared], labels, kind=kind, average=how)
    return Asked(found, shared, labels)


def _whole_words(start: str) -> str:
    """Return the whole words of what names have in common: of is_red and is_rosy ``is_``, not ``is_r``."""
    return start[: 1 + max(start.rfind(mark) for mark in _BETWEEN)]


def quantities_table(
    frame: Any,
    asked: Asked,
    said: Labels,
    stated: Labels,
    chosen: list[str],
    *,
    missing: str | None = None,
    **options: Any,
) -> LossTable:
    """Return the table of a statistic that needs several columns of each learner."""
    parts, whose = _parts(frame, asked, said, chosen)
    shared = asked.shared.values()
    used = dict.fromkeys([*shared, *(name for own in whose.values() for name in own.values())])
    roles = {role: name for role, name in said.items() if role != "learner"}
    first, *others = parts.values()
    sheet = sheet_of(first, roles, stated, [*used], rows=asked.rows, wanted=INDEX, kind=EXAMPLES)
    checks.ask(sheet, checks.gaps, *checks.OF_ROWS)
    if any(part is not first for part in others):  # each learner has rows of its own
        places = [sheet.roles[role] for role in PLACES if role in sheet.roles]
        must = "must name the column by which rows of learners belong together"
        _check.require(len(places) > 0, must, None, "example")
        parts = {
            name: part.sort_values(places, kind="stable", ignore_index=True)
            for name, part in parts.items()
        }
        require_equal_lengths(parts)
    keys = [*sheet.roles.values()]
    frames = {
        name: part[[*shared, *own.values(), *keys]].set_axis([*asked.shared, *own, *keys], axis=1)
        for (name, part), own in zip(parts.items(), whose.values(), strict=True)
    }
    gaps = np.any([own.isna().any(axis=1) for own in frames.values()], axis=0)
    if gaps.any() and missing != "examples":
        why = f"a number is missing in {gaps.sum()} of {gaps.size} rows, first {gaps.argmax() + 1}"
        raise UnsaidRoleError(why, option("missing", "examples"))
    sizes = training_size(sheet.labels(), gaps.size) if gaps.any() else {}
    frames = {name: own[~gaps] for name, own in frames.items()}
    stated = sizes | sheet.stated
    table = from_rows(frames, asked.statistic, **sheet.roles, **stated, **options)
    left = [f"{gaps.sum()} of {gaps.size} rows"] if gaps.any() else []
    notes = tuple(Note("left-out", what=left, why="missing numbers") for _ in left)
    return replace(table, notes=(*sheet.notes(), *notes, *table.notes))


def _parts(
    frame: Any, asked: Asked, said: Labels, chosen: list[str]
) -> tuple[Labels, dict[str, Labels]]:
    """Return the rows of each learner, and its columns by what the statistic calls them."""
    learner = said.get("learner") or roles_of(frame, {}, ("learner",), chosen).get("learner")
    if learner is not None:
        alike = {name: name for name in asked.own}
        if asked.own == [SCORE]:
            [alike[SCORE]] = columns_named(said.pop("value", SCORE), frame, "value")
        else:
            columns_named(asked.own, frame, asked.argument)
        parts = parts_of(frame, learner)
        return parts, dict.fromkeys(parts, alike)
    free = chosen or [
        name for name in frame if name not in {*said.values(), *asked.shared.values()}
    ]
    if asked.own == [SCORE]:
        if not chosen:
            raise UnsaidRoleError("beside times and events, scores are named", "--columns A,B")
        whose = {name: {SCORE: name} for name in chosen}
    elif asked.own:
        whose = _named_alike(asked, free)
    else:
        whose = {asked.statistic.key: {}}
    return dict.fromkeys(whose, frame), whose


def _named_alike(asked: Asked, columns: Sequence[str]) -> dict[str, Labels]:
    """Return columns by learner and by which of the wanted they hold, as ``errors_base`` holds errors of base."""
    found: dict[str, Labels] = {}
    for name in asked.own:
        word = re.escape(name)
        for column in columns:
            one = re.fullmatch(rf"{word}[{_BETWEEN}]+(.+)|(.+?)[{_BETWEEN}]+{word}", column)
            if one:
                found.setdefault(one[1] or one[2], {})[name] = column
    for learner, own in found.items():
        for name in asked.own:
            if name not in own:
                raise InvalidInputError(
                    f"has no column of {name!r} for {learner!r}, whose are {[*own.values()]}",
                    argument=asked.argument,
                )
    if not found:
        name = asked.own[0]
        raise InvalidInputError(
            f"needs {name!r}: a column of this name, or one of each learner, as {name}_a and {name}_b",
            argument=asked.argument,
        )
    return found
