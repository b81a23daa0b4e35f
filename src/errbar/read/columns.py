"""Columns of learners, and the labels beside them, from arrays, mappings and frames."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from errbar import _check
from errbar.errors import InvalidInputError, PairingError
from errbar.read import checks
from errbar.read.frame import frame_of
from errbar.read.places import with_repeats
from errbar.read.roles import INDEX, columns_named, roles_of, told
from errbar.read.sheet import PREDICTIONS, Sheet, sheet_of, unsaid_columns
from errbar.result import Note


class Columns(NamedTuple):
    """Values of learners, and what stands beside them.

    Attributes
    ----------
    learners : values by learner: numbers or predictions
    labels : what is known of the rows, by role
    notes : which roles were taken, and what was left out
    """

    learners: dict[str, Any]
    labels: dict[str, Any]
    notes: tuple[Note, ...] = ()

    def numbers(self) -> NDArray[np.float64]:
        """Return the numbers of learners, a row each."""
        columns = {
            name: _check.vector(values, name, "row") for name, values in self.learners.items()
        }
        require_equal_lengths(columns)
        return np.stack([*columns.values()])


def require_equal_lengths(columns: Mapping[str, Any]) -> None:
    """Raise unless all learners have as many rows."""
    sizes = {name: len(column) for name, column in columns.items()}
    if len(set(sizes.values())) > 1:
        listed = ", ".join(f"{name}: {size}" for name, size in sizes.items())
        raise PairingError(f"learners have different numbers of rows ({listed})")


def columns_of(
    given: Any,
    names: str | Sequence[str] | None,
    beside: Mapping[str, Any],
    argument: str,
    rows: str,
) -> Columns:
    """Return the columns of learners from an array, a mapping or a frame, with all labels known.

    `beside` holds labels by role that were given beside it, and `argument` is what the caller calls
    `given`. A column that may be a label, and nobody says it, is refused.
    """
    said, stated = told(beside, INDEX)
    if hasattr(given, "columns"):
        frame = frame_of(given)
        chosen = columns_named(names, frame.columns, "names")
        for name in frame.columns.difference(chosen):
            # A column may be given beside its frame.
            if any(np.array_equal(frame[name], value) for value in stated.values()):
                frame = frame.drop(columns=name)
        sheet = sheet_of(frame, said, stated, chosen, wanted=INDEX, rows=rows)
        if rows != PREDICTIONS or not sheet.learners:
            checks.refuse_columns(sheet)
        checks.ask(sheet, checks.shared_values)
    else:
        if isinstance(given, Mapping):
            columns = {str(name): column for name, column in given.items()}
            chosen = columns_named(names, columns, "names")
        else:
            columns = _of_array(given, names, argument, rows)
            chosen = [*columns]
        wanted = [role for role in INDEX if role not in stated]
        roles = roles_of(columns, said, wanted, chosen)
        learners = [name for name in columns if name in chosen]
        if not chosen:
            learners = unsaid_columns(columns, roles, stated)
        sheet = Sheet(columns, roles, learners, [], said, stated, bool(chosen), rows=rows)
        checks.ask(sheet, checks.several_things)
    checks.refuse_unused(sheet)
    checks.ask(sheet, checks.unsaid_seed)
    learned = {name: sheet.frame[name] for name in _check.names(sheet.learners, "learner")}
    return Columns(learned, with_repeats(sheet.labels() | stated), sheet.notes())


def _of_array(
    given: Any, names: str | Sequence[str] | None, argument: str, rows: str
) -> dict[str, Any]:
    """Return the columns of an array by name."""
    if rows != PREDICTIONS:
        array = _check.numbers(given, argument, "split and learner")
    elif np.ndim(given) == 1:
        array = _check.categories(given, f"`{argument}`")
    else:
        array = np.asarray(given)
    if array.ndim == 1:
        array = array[:, np.newaxis]
    if array.ndim != 2:
        raise InvalidInputError(
            f"must have one row per split or example and one column per learner, got shape {array.shape}",
            argument=argument,
        )
    count = array.shape[1]
    if names is None and rows == PREDICTIONS and count > 1:
        raise InvalidInputError(
            "may hold learners or classes; give `names`, or {'learner': matrix}",
            argument=argument,
        )
    known = [f"learner {i + 1}" for i in range(count)] if names is None else [*map(str, names)]
    _check.require(len(known) == count, f"must hold {count} names, one per column", known, "names")
    return dict(zip(_check.names(known, "learner"), array.T, strict=True))
