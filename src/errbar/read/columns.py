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
from errbar.read.roles import (
    INDEX,
    NONE,
    UnsaidRoleError,
    columns_named,
    may_be,
    names as known_names,
    options_for,
    plain,
    roles_of,
)
from errbar.read.sheet import PREDICTIONS, Sheet, sheet_of
from errbar.result import Note


class Columns(NamedTuple):
    """Values of learners, and what stands beside them.

    Attributes
    ----------
    learners : dict of str to column
        Values by learner: numbers or predictions.
    labels : dict of str to column
        What is known of the rows, by role.
    notes : tuple of Note
        Which roles were taken, and what was left out.
    """

    learners: dict[str, Any]
    labels: dict[str, Any]
    notes: tuple[Note, ...] = ()

    def numbers(self) -> NDArray[np.float64]:
        """Return the numbers of learners, a row each."""
        columns = {
            name: _check.vector(values, name, "row") for name, values in self.learners.items()
        }
        require_equal_lengths({name: column.size for name, column in columns.items()})
        return np.stack([*columns.values()])


def require_equal_lengths(sizes: Mapping[str, int]) -> None:
    """Raise unless all learners have as many rows."""
    if len(set(sizes.values())) > 1:
        listed = ", ".join(f"{name}: {size}" for name, size in sizes.items())
        raise PairingError(
            f"learners have different numbers of rows ({listed}); each needs one on each split or example"
        )


def columns_of(
    given: Any,
    names: str | Sequence[str] | None,
    beside: Mapping[str, Any],
    argument: str,
    rows: str,
) -> Columns:
    """Return the columns of learners from an array, a mapping or a frame, with all labels that are known.

    Parameters
    ----------
    given : array-like, mapping or data frame
        One column per learner.
    names : str, sequence of str or None
        Names of the columns of an array; those of a mapping or frame that are learners.
    beside : mapping of str to column or None
        Labels by role that were given beside it.
    argument : str
        What the caller calls `given`.
    rows : str
        What a row is; learners of predictions may have text, or several columns.

    Raises
    ------
    InvalidInputError
        If a column may be a label, and nobody says it.
    """
    stated = {}
    for role, value in beside.items():
        _check.choice(role, INDEX, "role")
        if value is not None:
            stated[role] = None if isinstance(value, str) and value == NONE else value
    if isinstance(given, Mapping):
        sheet = _of_mapping(given, names, stated, rows)
    elif hasattr(given, "columns"):
        sheet = _of_frame(given, names, stated, rows)
    else:
        sheet = _of_array(given, names, stated, argument, rows)
    checks.refuse_unused(sheet)
    checks.refuse_unsaid_seed(sheet)
    labels = {role: np.asarray(sheet.frame[name]) for role, name in sheet.roles.items()}
    learners = {name: sheet.frame[name] for name in _check.names(sheet.learners, "learner")}
    return Columns(learners, with_repeats(labels | stated), sheet.notes())


def _of_mapping(
    given: Mapping[Any, Any],
    names: str | Sequence[str] | None,
    stated: Mapping[str, Any],
    rows: str,
) -> Sheet:
    columns = {str(name): column for name, column in given.items()}
    chosen = [] if names is None else columns_named(names, columns, "names")
    roles = roles_of(columns, {}, [role for role in INDEX if role not in stated], chosen)
    take, ask = known_names().take, known_names().ask
    free = [
        name
        for name in columns
        if name not in roles.values() and take.get(plain(name)) not in stated
    ]
    for name in free if not chosen else ():
        if plain(name) in ask and may_be(columns[name], "fold"):
            raise UnsaidRoleError(
                f"column {name!r} may be several things", *options_for(name), "--names A,B"
            )
    learners = [name for name in columns if name in (chosen or free)]
    return Sheet(columns, roles, learners, stated=stated, rows=rows)


def _of_frame(
    given: Any, names: str | Sequence[str] | None, stated: Mapping[str, Any], rows: str
) -> Sheet:
    frame = frame_of(given)
    chosen = [] if names is None else columns_named(names, frame.columns, "names")
    # A column may be given beside its frame.
    beside = [np.asarray(value) for value in stated.values()]
    twice = [
        name
        for name in frame.columns
        if name not in chosen and any(np.array_equal(frame[name], value) for value in beside)
    ]
    sheet = sheet_of(frame.drop(columns=twice), {}, stated, chosen, wanted=INDEX, rows=rows)
    if rows != PREDICTIONS or not sheet.learners:
        checks.refuse_columns(sheet)
    checks.refuse_shared(sheet)
    return sheet


def _of_array(
    given: Any,
    names: str | Sequence[str] | None,
    stated: Mapping[str, Any],
    argument: str,
    rows: str,
) -> Sheet:
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
            "is an array, whose columns may be learners or classes; give `names`, or a matrix of probabilities by the name of its learner",
            argument=argument,
        )
    known = [f"learner {i + 1}" for i in range(count)] if names is None else [*map(str, names)]
    if len(known) != count:
        raise InvalidInputError(
            f"must hold {count} names, one per column, got {len(known)}", argument="names"
        )
    return Sheet(dict(zip(known, array.T, strict=True)), {}, known, stated=stated, rows=rows)
