"""A frame of which every column is known: it has a role, belongs to a learner, or is left aside."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errbar.errors import InvalidInputError
from errbar.index import SIZES
from errbar.plans._kinds import DATA_SETS
from errbar.read.frame import is_text
from errbar.read.roles import (
    NONE,
    PLACES,
    ROLES,
    UnsaidRoleError,
    answer,
    names,
    options_for,
    roles_of,
    with_spoken,
)
from errbar.result import Note

EXAMPLES = "examples"
"""Said of the rows in place of a kind of splits: each is a test example."""

PREDICTIONS, SCORES = "predictions", "scores"
_SPLITS = {"fold", "split", "repeat", "halving", "half", "seed"}
_VALUES = ("learner", "value", "prediction")


@dataclass(frozen=True)
class Sheet:
    """A frame, and what its columns are.

    Attributes
    ----------
    frame : the table
    roles : columns by role, without the learners' numbers
    learners : columns with numbers or predictions: one for each learner, or the one of a long table
    left : columns that are neither
    said, stated : mapping
        Columns by role that the user has named, and values by role that stand beside the frame:
        None says that there is nothing of the role.
    named : whether the user has named the learners
    metric : what the numbers are called
    kind : what the user says of the rows
    rows : what a row is: `EXAMPLES`, `PREDICTIONS`, `SCORES` or `DATA_SETS`
    """

    frame: Any
    roles: dict[str, str]
    learners: list[str]
    left: list[str] = field(default_factory=list)
    said: Mapping[str, str] = field(default_factory=dict)
    stated: Mapping[str, Any] = field(default_factory=dict)
    named: bool = False
    metric: str | None = None
    kind: str | None = None
    rows: str = SCORES

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

    def labels(self) -> dict[str, NDArray[Any]]:
        """Return the columns that have a role, as arrays."""
        return {role: np.asarray(self.frame[name]) for role, name in self.roles.items()}

    def notes(self) -> tuple[Note, ...]:
        """Say which roles were taken from names, and which columns were left aside."""
        taken = [f"{role}={name}" for role, name in self.roles.items() if role not in self.said]
        notes: tuple[Note, ...] = ()
        if taken:
            notes += (Note("read", roles=taken),)
        if self.left:
            notes += (Note("read", left_aside=self.left),)
        return notes


def sheet_of(
    frame: Any,
    said: Mapping[str, str],
    stated: Mapping[str, Any],
    chosen: Sequence[str],
    *,
    wanted: Collection[str] = ROLES,
    metric: str | None = None,
    kind: str | None = None,
    rows: str = SCORES,
) -> Sheet:
    """Give each column its role, or leave it to a learner."""
    unsaid = [role for role in wanted if role not in stated and not (chosen and role in _VALUES)]
    named = bool(chosen) or "learner" in said
    frame = frame.copy(deep=False)
    roles = with_spoken(frame, roles_of(frame, said, unsaid, chosen), {*said, *stated})
    if "metric" in roles:
        column = roles.pop("metric")
        measures = frame.pop(column).astype(str)
        if measures.nunique() > 1:
            if metric not in {*measures}:
                listed = [f"--metric {one}" for one in measures.unique()[:3]]
                raise UnsaidRoleError(f"column {column!r} names several measures", *listed)
            frame = frame[measures == metric].reset_index(drop=True)
        metric = metric or measures[0]
    if "learner" in roles:
        chosen = [_value_column(frame, roles, said)]
        metric = metric or chosen[0]
    elif "value" in said and not chosen:
        chosen = [roles["value"]]
    roles = {role: name for role, name in roles.items() if role not in ("value", "prediction")}
    free = [name for name in unsaid_columns(frame, roles, stated) if not names().is_aside(name)]
    learners = [name for name in frame.columns if name in chosen]
    if not chosen:
        learners = [
            name
            for name in free
            if (rows == PREDICTIONS or not is_text(frame[name]))
            # A label with one value tells no rows apart, and is no learner either.
            and (frame[name].nunique() > 1 or not (names().role(name) or names().asked(name)))
        ]
    left = [name for name in free if name not in learners]
    return Sheet(frame, roles, learners, left, said, stated, named, metric, kind, rows)


def unsaid_columns(columns: Any, roles: Mapping[str, str], stated: Mapping[str, Any]) -> list[str]:
    """Return the columns without a role, and without the name of a role that is stated beside them."""
    return [
        name for name in columns if name not in roles.values() and names().role(name) not in stated
    ]


def with_rows(sheet: Sheet) -> Sheet:
    """Say what a row is: predictions or the loss of an example, the score of a split, or that on a data set."""
    roles, said, kind = sheet.roles, sheet.said, sheet.kind
    if {"dataset", "example"} <= set(roles) and "dataset" not in said and kind is None:
        name = roles["dataset"]
        raise UnsaidRoleError(
            f"the mean over all examples, or of the means of {name!r}",
            answer("dataset", name),
            f"--dataset {NONE}",
        )
    if "groups" in roles and "example" not in roles and "groups" not in said:
        apart = [roles[role] for role in (*PLACES, "learner", "groups") if role in roles]
        if not sheet.frame.duplicated(apart).any():  # a group with one row is the example itself
            roles = roles | {"example": roles["groups"]}
            del roles["groups"]
    of_splits = _SPLITS & {*roles}
    sized = set(SIZES) & sheet.known
    of_one = {"example", "answer"} & {*roles}
    grouped = "groups" in roles and not (sheet.long and of_splits)
    if "truth" in roles:
        rows = PREDICTIONS
    elif "dataset" in roles and kind != EXAMPLES:
        rows = DATA_SETS
    elif kind == EXAMPLES or (kind != DATA_SETS and (of_one or grouped)):
        rows = EXAMPLES
    elif of_splits or kind or sized:
        rows = SCORES
    elif "time" in roles:
        rows = EXAMPLES
        roles = roles | {"example": roles["time"]}
    else:
        asked = [name for name in sheet.left if names().asked(name)]
        asked += [name for name in sheet.left if sheet.frame[name].is_unique]
        options = [one for name in asked[:1] for one in options_for(name, ("example",))]
        kinds = [f"--kind {kind}" for kind in (EXAMPLES, "kfold", "subsampling", DATA_SETS)]
        raise UnsaidRoleError("nothing says what a row is", *options, *kinds)
    return replace(sheet, roles=roles, rows=rows)


def _value_column(frame: Any, roles: Mapping[str, str], said: Mapping[str, str]) -> str:
    """Return the column with the number, or prediction, of the learner of a row."""
    if frame[roles["learner"]].is_unique and not set(PLACES) & set(roles):
        raise InvalidInputError(
            "has one row for each learner; give the rows behind it",
            argument="learner",
        )
    predicted = "truth" in roles and "value" not in said
    role = "prediction" if predicted and "prediction" in roles else "value"
    if role in roles:
        return roles[role]
    used = {name for role, name in roles.items() if role != "prediction"}
    free = [
        name
        for name in frame.columns
        if not (
            name in used or is_text(frame[name]) or names().is_aside(name) or names().asked(name)
        )
    ]
    if len(free) != 1 or predicted:
        listed = [answer("value", name) for name in free[:4]] or ["--value"]
        raise UnsaidRoleError(
            f"several columns may hold the values of {roles['learner']!r}", *listed
        )
    return str(free[0])
