"""Tables from any statistic of rows: a value and influence values for each learner."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from errbar import _check
from errbar._check import Array, FloatArray, IntArray
from errbar._rng import stream
from errbar.errors import InvalidInputError, PairingError, UndefinedMetricError
from errbar.losses import Index
from errbar.metrics import LABEL, POOLS, Loss, Sample, Target
from errbar.metrics._functions import Measured
from errbar.metrics._loss import WHOLE, by_blocks, by_moving
from errbar.reading import checks
from errbar.reading.scores import direction_of, placed, unavailable, with_repeats
from errbar.reading.sheet import (
    EXAMPLES,
    INDEX,
    Labels,
    Notes,
    frame_of,
    require_column,
    require_equal_lengths,
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
    """Return a statistic and influence values from leaving out rows, or blocks of them."""
    rows = np.arange(len(frame))

    def weighted(weights: FloatArray) -> float:
        value = float(function(frame.iloc[np.repeat(rows, weights.astype(np.int64))]))
        if not np.isfinite(value):
            raise UndefinedMetricError(f"{key!r} is {value} of these rows, or of all but a few")
        return value

    if block is None:
        return by_moving(key, weighted, [rows], WHOLE)
    return by_blocks(key, weighted, _check.compact(block[frame.index]))
