"""Columns of learners, from a mapping, a frame or an array of numbers."""

from collections.abc import Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from errbar import _check
from errbar._check import FloatArray
from errbar.errors import InvalidInputError, PairingError
from errbar.result import Note
from errbar.sources._columns import chosen_of, named_columns, separated
from errbar.sources._dependence import refuse_dependent
from errbar.sources._long_hint import FRAME
from errbar.sources._repeated_rows import refuse_repeated_rows
from errbar.sources._repeats import with_repeats
from errbar.sources._sheets import Sheet, tidied


class Columns(NamedTuple):
    """Numbers of learners, and what stands beside them.

    Attributes
    ----------
    learners : tuple of str
        Names.
    columns : list of ndarray
        Numbers of each learner.
    labels : dict of str to ndarray
        Columns of `STRUCTURE` that were there.
    notes : tuple of Note
        What was read as a label.
    kept : ndarray of bool, optional
        Which rows were kept, if some were summaries of others.
    kind : str, optional
        Kind of splits, where a column says that rows are data sets.
    metric : str, optional
        Name of the numbers, where a column says it.
    """

    learners: tuple[str, ...]
    columns: list[FloatArray]
    labels: dict[str, NDArray[Any]]
    notes: tuple[Note, ...]
    kept: NDArray[np.bool_] | None = None
    kind: str | None = None
    metric: str | None = None

    def beside(self, values: Any) -> Any:
        """Return the rows that were kept of what was given beside the frame, if it has as many rows as this."""
        if self.kept is None or self.kept.all() or np.shape(values) != self.kept.shape:
            return values
        return np.asarray(values)[self.kept]


def columns_of(
    scores: Any,
    names: Sequence[str] | None,
    kind: str | None = None,
    *,
    known: Mapping[str, Any],
    examples: bool = False,
) -> Columns:
    """Return the columns of learners, from a mapping, a frame or an array; `names` are those of an array, or chosen of a frame.

    `kind` of splits and `examples` are what is known of the rows, and `known` is what stands beside them, by role.
    """
    labels: dict[str, NDArray[Any]] = {}
    notes: tuple[Note, ...] = ()
    stated = {role for role, value in with_repeats(known).items() if value is not None}
    settled = bool(stated & {"repeat", "fold", "halving", "seed", "example", "answer"})
    sheet = _sheet(scores, names, kind, examples=examples, timed="time" in stated, settled=settled)
    if sheet is not None:
        pairs, labels, notes = list(sheet.learners.items()), sheet.labels, sheet.notes
    elif isinstance(scores, Mapping) or hasattr(scores, "columns"):
        inside = named_columns(scores)
        chosen = chosen_of(names, inside)
        counting = not isinstance(scores, Mapping) and not chosen
        kept, labels, notes = separated(inside, counting=counting, chosen=chosen, settled=settled or kind is not None)
        pairs = list(kept.items())
    else:
        pairs = _of_array(scores, names)
    learners = _check.names([name for name, _ in pairs], "learner")
    columns = [_check.vector(values, name, "row") for name, values in pairs]
    lengths = {name: column.size for name, column in zip(learners, columns, strict=True)}
    if len(set(lengths.values())) > 1:
        listed = ", ".join(f"{name}: {size}" for name, size in lengths.items())
        raise PairingError(
            f"the learners have different numbers of rows ({listed}); every learner needs one on each split"
        )
    found = Columns(learners, columns, labels, notes)
    if sheet is not None and examples:
        refuse_repeated_rows(sheet.whole, {*stated, *labels}, learners)
    if sheet is not None:
        refuse_dependent(np.stack(columns), sheet.whole, {*stated, *learners}, names)
    return found if sheet is None else found._replace(kept=sheet.kept, kind=sheet.kind, metric=sheet.metric)


def _sheet(
    scores: Any, names: Sequence[str] | None, kind: str | None, *, examples: bool, timed: bool, settled: bool
) -> Sheet | None:
    """Return a frame of pandas or polars as a sheet; None for what is no frame, and for other frames without pandas."""
    if isinstance(scores, Mapping) or not hasattr(scores, "columns"):
        return None
    columns = named_columns(scores)
    if not hasattr(scores, "iloc"):
        if find_spec("pandas") is None:
            return None
        scores = import_module("pandas").DataFrame({name: np.asarray(column) for name, column in columns.items()})
    if scores.index.dtype.kind == "M" and not timed and "date" not in columns:
        scores = scores.rename_axis("date").reset_index()
    return tidied(scores, FRAME, {}, names, kind, examples=examples, settled=settled)


def _of_array(scores: Any, names: Sequence[str] | None) -> list[tuple[str, Any]]:
    array = _check.numbers(scores, "scores", "split and learner")
    array = array[:, np.newaxis] if array.ndim == 1 else array
    if array.ndim != 2:
        raise InvalidInputError(
            f"must have one row per split and one column per learner, got shape {array.shape}", argument="scores"
        )
    given = [f"learner {i + 1}" for i in range(array.shape[1])] if names is None else list(names)
    if len(given) != array.shape[1]:
        raise InvalidInputError(f"must hold {array.shape[1]} names, one per column, got {len(given)}", argument="names")
    return [(title, array[:, i]) for i, title in enumerate(given)]
