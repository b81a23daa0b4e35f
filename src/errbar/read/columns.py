"""Columns of learners, and the labels beside them, from arrays, mappings and frames."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from errbar import _check
from errbar.errors import InvalidInputError, PairingError
from errbar.read import checks
from errbar.read.frame import frame_of, is_text
from errbar.read.places import with_repeats
from errbar.read.roles import (
    INDEX,
    UnsaidRoleError,
    columns_named,
    may_be,
    names as known_names,
    plain,
    roles_of,
    with_spoken,
)
from errbar.result import Note


class Columns(NamedTuple):
    """Values of learners, and what stands beside them.

    Attributes
    ----------
    learners : dict of str to column
        Values by learner: numbers or predictions.
    labels : dict of str to ndarray
        What is known of the rows, by role.
    notes : tuple of Note
        Which roles were taken, and which columns were left aside.
    """

    learners: dict[str, Any]
    labels: dict[str, NDArray[Any]]
    notes: tuple[Note, ...] = ()


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
    PairingError
        If learners have different numbers of rows.
    InvalidInputError
        If a column may be a label, and nobody says it.
    """
    stated = {role: value for role, value in beside.items() if value is not None}
    if isinstance(given, Mapping):
        found = _of_mapping(given, names, stated)
    elif hasattr(given, "columns"):
        found = _of_frame(given, names, stated, predicted=predicted)
    else:
        found = Columns(_of_array(given, names, argument, predicted=predicted), {})
    _check.names(list(found.learners), "learner")
    return found._replace(labels=with_repeats({**found.labels, **stated}))


def numbers_of(found: Columns) -> NDArray[np.float64]:
    """Return the numbers of learners, a row each."""
    columns = [_check.vector(values, name, "row") for name, values in found.learners.items()]
    require_equal_lengths(
        {name: column.size for name, column in zip(found.learners, columns, strict=True)}
    )
    return np.stack(columns)


def require_equal_lengths(sizes: Mapping[str, int]) -> None:
    """Raise unless all learners have as many rows."""
    if len(set(sizes.values())) > 1:
        listed = ", ".join(f"{name}: {size}" for name, size in sizes.items())
        raise PairingError(
            f"learners have different numbers of rows ({listed}); each needs one on each split or example"
        )


def split_columns(
    frame: Any,
    roles: Mapping[str, str],
    chosen: Collection[str],
    declined: Collection[str] = (),
    *,
    text: bool = False,
) -> tuple[list[str], list[str]]:
    """Return the columns of learners, and those that are neither learners nor labels.

    Parameters
    ----------
    frame : DataFrame
        The table.
    roles : mapping of str to str
        Columns by role.
    chosen : collection of str
        Learners that the user names; without any, every column of numbers that has no role is one.
    declined : collection of str
        Roles that are said otherwise, or said to be of no column.
    text : bool, default False
        Whether columns of text may be learners too.
    """
    known = known_names()
    gone = {name for role in declined for name in known.take.get(role, ())} | set(known.aside)
    labels = {name for own in known.take.values() for name in own} | set(known.ask)
    free = [
        name for name in frame.columns if name not in roles.values() and plain(name) not in gone
    ]
    various = [name for name in free if plain(name) not in labels or frame[name].nunique() > 1]
    possible = chosen or [name for name in various if text or not is_text(frame[name])]
    learners = [name for name in frame.columns if name in possible]
    return learners, [name for name in free if name not in learners]


def taken_note(
    roles: Mapping[str, str], said: Collection[str], left: Sequence[str]
) -> tuple[Note, ...]:
    """Say which roles were taken from names, and which columns were left aside."""
    taken = [f"{role}={column}" for role, column in roles.items() if role not in said]
    notes: tuple[Note, ...] = ()
    if taken:
        notes += (Note("read", roles=taken),)
    if left:
        notes += (Note("read", left_aside=left),)
    return notes


def _of_mapping(
    given: Mapping[Any, Any], names: str | Sequence[str] | None, stated: Mapping[str, Any]
) -> Columns:
    columns = dict(
        zip(_check.names([str(key) for key in given], "learner"), given.values(), strict=True)
    )
    chosen = [] if names is None else columns_named(names, columns, "names")
    roles = roles_of(columns, {}, [role for role in INDEX if role not in stated], chosen)
    checks.refuse_unsaid_seed(roles, {*roles, *stated}, ())
    gone = {name for role in stated for name in known_names().take.get(role, ())}
    free = [name for name in columns if name not in roles.values() and plain(name) not in gone]
    learners = {name: column for name, column in columns.items() if name in (chosen or free)}
    for name in learners if not chosen else ():
        if plain(name) in known_names().ask and may_be(columns[name], "fold"):
            raise UnsaidRoleError(
                f"column {name!r} may be several things", *checks.options_for(name), "--names A,B"
            )
    labels = {role: np.asarray(columns[name]) for role, name in roles.items()}
    return Columns(learners, labels, taken_note(roles, (), ()))


def _of_frame(
    given: Any, names: str | Sequence[str] | None, stated: Mapping[str, Any], *, predicted: bool
) -> Columns:
    frame = frame_of(given)
    chosen = [] if names is None else columns_named(names, frame.columns, "names")
    beside = [np.asarray(value) for value in stated.values()]
    known = [
        name
        for name in frame.columns
        if any(np.array_equal(frame[name], value) for value in beside)
    ]
    frame = frame.drop(
        columns=[name for name in known if name not in chosen]
    )  # a column may be given beside its frame
    roles = roles_of(frame, {}, [role for role in INDEX if role not in stated], chosen)
    frame, roles, _ = with_spoken(frame, roles, dict.fromkeys(stated, ""))
    checks.refuse_unsaid_seed(roles, {*roles, *stated}, ())
    learners, left = split_columns(frame, roles, chosen, stated, text=predicted)
    if not learners:
        listed = ", ".join(map(repr, left)) or "none"
        raise InvalidInputError(
            f"holds a column of numbers for each learner, and there is none; without a role: {listed}",
            argument="names",
        )
    if not chosen and not predicted:
        checks.refuse_other_columns(frame, learners)
        checks.refuse_odd_cells(frame, left)
    checks.refuse_shared(frame, left, roles, learners)
    labels = {role: frame[name].to_numpy() for role, name in roles.items()}
    columns = {name: frame[name].to_numpy() for name in learners}
    return Columns(columns, labels, taken_note(roles, (), left))


def _of_array(
    given: Any, names: str | Sequence[str] | None, argument: str, *, predicted: bool
) -> dict[str, Any]:
    if predicted:
        array = np.asarray(given)
        array = _check.categories(given, f"`{argument}`") if array.ndim == 1 else array
    else:
        array = _check.numbers(given, argument, "split and learner")
    array = array[:, np.newaxis] if array.ndim == 1 else array
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
    return dict(zip(_check.names(known, "learner"), array.T, strict=True))
