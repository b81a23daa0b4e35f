"""Columns of learners, from a mapping, a frame or an array of numbers."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from errbar import _check
from errbar._check import FloatArray
from errbar.errors import InvalidInputError, PairingError
from errbar.result import Note
from errbar.sources._columns import named_columns, separated
from errbar.sources._sheets import tidied


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
    """

    learners: tuple[str, ...]
    columns: list[FloatArray]
    labels: dict[str, NDArray[Any]]
    notes: tuple[Note, ...]


def columns_of(scores: Any, names: Sequence[str] | None) -> Columns:
    """Return the columns of learners, from a mapping, a frame or an array; `names` are those of an array, or chosen of a frame."""
    labels: dict[str, NDArray[Any]] = {}
    notes: tuple[Note, ...] = ()
    numbering: tuple[str, ...] = ()
    if isinstance(scores, Mapping) or hasattr(scores, "columns"):
        framed = not isinstance(scores, Mapping)
        cells = named_columns(scores)
        if hasattr(scores, "iloc"):
            sheet, numbering, notes = tidied(scores, "the frame", {}, names)
            cells = {str(name): sheet[name] for name in sheet.columns}
        kept, labels, own = separated(cells, counting=framed and names is None, numbering=numbering)
        notes = (*notes, *own)
        pairs = list(kept.items())
    else:
        array = _check.numbers(scores, "scores", "split and learner")
        array = array[:, np.newaxis] if array.ndim == 1 else array
        if array.ndim != 2:
            raise InvalidInputError(
                f"`scores` must have one row per split and one column per learner, got shape {array.shape}"
            )
        given = [f"learner {i + 1}" for i in range(array.shape[1])] if names is None else list(names)
        if len(given) != array.shape[1]:
            raise InvalidInputError(f"`names` must hold {array.shape[1]} names, one per column, got {len(given)}")
        pairs = [(title, array[:, i]) for i, title in enumerate(given)]
    learners = _check.names([name for name, _ in pairs], "learner")
    columns = [_check.vector(values, name, "row") for name, values in pairs]
    lengths = {name: column.size for name, column in zip(learners, columns, strict=True)}
    if len(set(lengths.values())) > 1:
        listed = ", ".join(f"{name}: {size}" for name, size in lengths.items())
        raise PairingError(
            f"the learners have different numbers of rows ({listed}); every learner needs one on each split"
        )
    return Columns(learners, columns, labels, notes)
