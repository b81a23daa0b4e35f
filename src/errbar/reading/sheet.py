"""A frame of which every column is known: it has a role, belongs to a learner, or is left aside."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from errbar import _check
from errbar._check import FloatArray
from errbar.errors import InvalidInputError, PairingError
from errbar.index import SIZES
from errbar.plans._kinds import DATA_SETS
from errbar.reading.frame import is_text
from errbar.reading.roles import (
    INDEX,
    NONE,
    NUMBERS,
    OF_LONG,
    PLACES,
    Labels,
    UnsaidRoleError,
    asked,
    option,
    options_for,
    role_of,
    roles_of,
)
from errbar.result import Note

Notes = tuple[Note, ...]
EXAMPLES = "examples"
"""Said of the rows in place of a kind of splits: each is a test example."""

PREDICTIONS, SCORES = "predictions", "scores"
_SPLITS = {"fold", "split", "repeat", "halving", "half", "seed"}


class Columns(NamedTuple):
    """Values of learners, and what stands beside them.

    Attributes
    ----------
    learners : values by learner: numbers or predictions
    labels : what is known of the rows, by role
    notes : which roles were taken, and what was left out
    """

    learners: Labels
    labels: Labels
    notes: Notes = ()

    def numbers(self) -> FloatArray:
        """Return the numbers of learners, a row each."""
        columns = {
            name: _check.vector(values, name, "row") for name, values in self.learners.items()
        }
        require_equal_lengths(columns)
        return np.stack([*columns.values()])


def require_equal_lengths(columns: Labels) -> None:
    """Raise unless all learners have as many rows."""
    if len({len(column) for column in columns.values()}) > 1:
        listed = ", ".join(f"{name}: {len(column)}" for name, column in columns.items())
        raise PairingError(f"learners have different numbers of rows ({listed})")


@dataclass(frozen=True)
class Sheet:
    """A frame, and what its columns are.

    Attributes
    ----------
    frame : the table, or a mapping of columns
    roles : columns by role, without the learners' numbers
    learners : columns with numbers or predictions: one for each learner, or the one of a long table
    left : columns that are neither
    said, stated : mapping
        Columns by role that the user has named, and values by role that stand beside the frame:
        None says that there is nothing of the role.
    named : whether the user has named the learners
    rows : what a row is: `EXAMPLES`, `PREDICTIONS`, `SCORES` or `DATA_SETS`
    kind : what the user says of the rows
    """

    frame: Any
    roles: dict[str, str]
    learners: list[str]
    left: list[str]
    said: Labels
    stated: Labels
    named: bool
    rows: str
    kind: str | None = None

    @property
    def long(self) -> bool:
        """Whether a row is of one learner."""
        return "learner" in self.roles

    @property
    def known(self) -> set[str]:
        """Roles of which something is known."""
        return {*self.roles, *(role for role, value in self.stated.items() if value is not None)}

    @property
    def of_tests(self) -> bool:
        """Whether a row is of one test example."""
        return self.rows in (EXAMPLES, PREDICTIONS)

    def labels(self) -> Labels:
        """Return the columns that have a role, as arrays."""
        return {role: np.asarray(self.frame[name]) for role, name in self.roles.items()}

    def notes(self) -> Notes:
        """Say which roles were taken from names, and which columns were left aside."""
        taken = [f"{role}={name}" for role, name in self.roles.items() if role not in self.said]
        notes = (Note("read", roles=taken),) if taken else ()
        return (*notes, Note("read", left_aside=self.left)) if self.left else notes


def sheet_of(
    frame: Any,
    said: Labels,
    stated: Labels,
    chosen: Sequence[str],
    *,
    rows: str,
    wanted: Sequence[str] = INDEX,
    kind: str | None = None,
) -> Sheet:
    """Give each column its role, or leave it to a learner.

    `said` and `stated` are columns and values by role, `chosen` the learners' columns that the user
    names, `wanted` the roles that a column's name may give. Where no learner is chosen, each column
    without a role is one, unless it holds text or is a label with one value.
    """
    unsaid = [role for role in wanted if role not in stated and not (chosen and role in OF_LONG)]
    roles = roles_of(frame, said, unsaid, chosen)
    named = bool(chosen) or "learner" in said
    if "learner" in roles:
        chosen = [_value_column(frame, roles, said)]
    elif "value" in said and not chosen:
        chosen = [roles["value"]]
    roles = {role: name for role, name in roles.items() if role not in NUMBERS}
    free = [
        name
        for name in frame
        if name not in roles.values() and role_of(name) not in ("aside", *stated)
    ]
    if chosen:
        learners = [name for name in frame if name in chosen]
    elif rows == PREDICTIONS or not hasattr(frame, "columns"):
        learners = free  # a mapping holds learners only
    else:
        # A label with one value tells no rows apart, and is no learner either.
        labels = [name for name in free if role_of(name) in INDEX or asked(name)]
        one = [name for name in labels if frame[name].nunique() < 2]
        learners = [name for name in free if not (is_text(frame[name]) or name in one)]
    left = [name for name in free if name not in learners]
    return Sheet(frame, roles, learners, left, said, stated, named, rows, kind)


def with_rows(sheet: Sheet) -> Sheet:
    """Say what a row is: predictions or the loss of an example, the score of a split, or that on a data set."""
    roles, said, kind = sheet.roles, sheet.said, sheet.kind
    if {"dataset", "example"} <= {*roles} and "dataset" not in said and kind is None:
        why = f"the mean over all examples, or of the means of {roles['dataset']!r}"
        raise UnsaidRoleError(why, option("dataset", roles["dataset"]), option("dataset", NONE))
    if "groups" in roles and "example" not in roles and "groups" not in said:
        apart = [roles[role] for role in (*PLACES, "learner", "groups") if role in roles]
        if not sheet.frame.duplicated(apart).any():  # a group with one row is the example itself
            roles = {"example" if role == "groups" else role: roles[role] for role in roles}
    of_splits = _SPLITS & {*roles}
    grouped = "groups" in roles and not (sheet.long and of_splits)
    if "truth" in roles:
        rows = PREDICTIONS
    elif "dataset" in roles and kind != EXAMPLES:
        rows = DATA_SETS
    elif kind == EXAMPLES or (kind != DATA_SETS and (grouped or {"example", "answer"} & {*roles})):
        rows = EXAMPLES
    elif of_splits or kind or {*SIZES} & sheet.known:
        rows = SCORES
    elif "time" in roles:
        rows = EXAMPLES
        roles = roles | {"example": roles["time"]}
    else:
        names = [name for name in sheet.left if asked(name)]
        names += [name for name in sheet.left if sheet.frame[name].is_unique]
        options = [one for name in names[:1] for one in options_for(name, ("example",))]
        kinds = [option("kind", kind) for kind in (EXAMPLES, "kfold", "subsampling", DATA_SETS)]
        raise UnsaidRoleError("nothing says what a row is", *options, *kinds)
    return replace(sheet, roles=roles, rows=rows)


def _value_column(frame: Any, roles: Labels, said: Labels) -> str:
    """Return the column with the number, or prediction, of the learner of a row."""
    if frame[roles["learner"]].is_unique and not {*PLACES} & {*roles}:
        raise InvalidInputError("has one row each; give the rows behind it", argument="learner")
    predicted = "truth" in roles and "value" not in said
    role = "prediction" if predicted and "prediction" in roles else "value"
    if role in roles:
        return str(roles[role])
    used = {name for role, name in roles.items() if role != "prediction"}
    free = [
        name
        for name in frame
        if not (name in used or is_text(frame[name]) or asked(name) or role_of(name) == "aside")
    ]
    if len(free) != 1 or predicted:
        listed = [option("value", name) for name in free[:4]] or ["--value"]
        why = f"several columns may hold the values of {roles['learner']!r}"
        raise UnsaidRoleError(why, *listed)
    return str(free[0])
