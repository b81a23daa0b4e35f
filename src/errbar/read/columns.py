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
    UnsaidRoleError,
    columns_named,
    may_be,
    names as known_names,
    options_for,
    plain,
    roles_of,
)
from errbar.read.sheet import Sheet, sheet_of
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
    *,
    predicted: bool = False,
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
    predicted : bool, default False
        Whether learners may have text, or several columns.

    Raises
    ------
    InvalidInputError
        If a column may be a label, and nobody says it.
    """
    stated = {role: value for role, value in beside.items() if value is not None}
    if isinstance(given, Mapping):
        found = _of_mapping(given, names, stated)
    elif hasattr(given, "columns"):
        found = _of_frame(given, names, stated, predicted=predicted)
    else:
        found = _of_array(given, names, argument, predicted=predicted)
    _check.names([*found.learners], "learner")
    return found._replace(labels=with_repeats(found.labels | stated))


def _of_mapping(
    given: Mapping[Any, Any], names: str | Sequence[str] | None, stated: Mapping[str, Any]
) -> Columns:
    columns = {str(name): column for name, column in given.items()}
    chosen = [] if names is None else columns_named(names, columns, "names")
    roles = roles_of(columns, {}, [role for role in INDEX if role not in stated], chosen)
    gone = {name for role in stated for name in known_names().take.get(role, ())}
    learners = chosen or [
        name for name in columns if name not in roles.values() and plain(name) not in gone
    ]
    sheet = Sheet(columns, roles, learners, [], stated=stated)
    checks.refuse_unsaid_seed(sheet)
    for name in learners if not chosen else ():
        if plain(name) in known_names().ask and may_be(columns[name], "fold"):
            raise UnsaidRoleError(
                f"column {name!r} may be several things", *options_for(name), "--names A,B"
            )
    return Columns(
        {name: columns[name] for name in columns if name in learners},
        {role: np.asarray(columns[name]) for role, name in roles.items()},
        sheet.notes(),
    )


def _of_frame(
    given: Any, names: str | Sequence[str] | None, stated: Mapping[str, Any], *, predicted: bool
) -> Columns:
    frame = frame_of(given)
    chosen = [] if names is None else columns_named(names, frame.columns, "names")
    # A column may be given beside its frame.
    beside = [np.asarray(value) for value in stated.values()]
    known = [
        name
        for name in frame.columns
        if name not in chosen and any(np.array_equal(frame[name], value) for value in beside)
    ]
    sheet = sheet_of(frame.drop(columns=known), {}, stated, chosen, wanted=INDEX, text=predicted)
    checks.refuse_unsaid_seed(sheet)
    if not (predicted and sheet.learners):
        checks.refuse_columns(sheet)
    checks.refuse_shared(sheet)
    return Columns(
        {name: sheet.frame[name].to_numpy() for name in sheet.learners},
        {role: sheet.frame[name].to_numpy() for role, name in sheet.roles.items()},
        sheet.notes(),
    )


def _of_array(
    given: Any, names: str | Sequence[str] | None, argument: str, *, predicted: bool
) -> Columns:
    if not predicted:
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
    if names is None and predicted and count > 1:
        raise InvalidInputError(
            "is an array, whose columns may be learners or classes; give `names`, or a matrix of probabilities by the name of its learner",
            argument=argument,
        )
    known = [f"learner {i + 1}" for i in range(count)] if names is None else list(names)
    if len(known) != count:
        raise InvalidInputError(
            f"must hold {count} names, one per column, got {len(known)}", argument="names"
        )
    return Columns(dict(zip(_check.names(known, "learner"), array.T, strict=True)), {})
