"""What an adapter makes of the log or object of a tool: one long frame, and what its columns are."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from errbar import _check
from errbar.design import Design
from errbar.errors import InvalidInputError, PairingError
from errbar.read.scores import from_scores
from errbar.read.table import from_long
from errbar.result import Note
from errbar.table import LossTable


@dataclass(frozen=True, eq=False)
class Said:
    """One long frame, and what is known of its columns and numbers.

    Attributes
    ----------
    frame : data frame or mapping of str to array
        A row for each learner and split, or for each learner and answer to a question.
    roles : mapping of str to str
        Column by role: ``learner`` and ``value``; of answers ``example`` and, where they apply, ``seed``, ``answer`` and ``groups``;
        of splits ``repeat`` and ``fold``, or ``split`` for a number that only matches the learners, and ``n_train`` and ``n_test``.
    options : mapping
        ``metric``, ``higher_is_better``, ``kind``, ``missing`` and the like, as `errbar.from_long` and `errbar.from_scores` take them.
    notes : tuple of Note
        What readers of the result have to know.
    design : Design, optional
        How the splits were drawn, where the tool has kept their indices.
    """

    frame: Any
    roles: Mapping[str, Any]
    options: Mapping[str, Any]
    notes: tuple[Note, ...] = ()
    design: Design | None = None


def table_of(said: Said) -> LossTable:
    """Return the table of what an adapter says: the only place where adapters meet the readers of numbers."""
    if "example" in said.roles:
        table = from_long(said.frame[[*said.roles.values()]], **said.roles, **said.options)
    else:
        table = _of_splits(said)
    if said.design is not None:
        design = replace(said.design, stratified=table.splits.designs[0].stratified)
        table = replace(table, splits=replace(table.splits, designs=(design,)))
    return replace(table, notes=table.notes + said.notes)


def _of_splits(said: Said) -> LossTable:
    """Put learners side by side by the labels of their splits, which must be those of all."""
    labels: dict[str, Any] = {
        role: np.asarray(said.frame[name]) for role, name in said.roles.items()
    }
    learner, value = labels.pop("learner"), labels.pop("value")
    # The last key counts first.
    keys = [
        _check.labels(labels[role], learner.size, role)
        for role in ("fold", "repeat", "split")
        if role in labels
    ]
    order = np.lexsort(keys)
    rows_of = {name: order[learner[order] == name] for name in dict.fromkeys(learner.tolist())}
    first = next(iter(rows_of.values()))
    for name, rows in rows_of.items():
        if _check.distinct(*(key[rows] for key in keys)) < rows.size:
            raise InvalidInputError(f"{name!r} has two scores of one split; give each split once")
        for role, column in labels.items():
            if not np.array_equal(column[rows], column[first]):
                raise PairingError(
                    f"{name!r} was scored on other splits than the first learner: their {role} differ; "
                    "use the same splits for all"
                )
    scores = [_check.vector(value[rows], name, "split") for name, rows in rows_of.items()]
    labels = {role: column[first] for role, column in labels.items() if role != "split"}
    return from_scores(np.stack(scores, axis=1), names=list(rows_of), **labels, **said.options)


def side_by_side(scores: Mapping[Any, Any], **labels: Any) -> dict[str, Any]:
    """Return the long frame of scores by learner, all on the same splits in the same order, and labels of these."""
    count = len(next(iter(scores.values())))
    frame = {name: np.tile(column, len(scores)) for name, column in labels.items()}
    frame["split"] = np.tile(np.arange(count), len(scores))
    frame["learner"] = np.repeat([str(name) for name in scores], count)
    frame["value"] = np.concatenate([*scores.values()])
    return frame
