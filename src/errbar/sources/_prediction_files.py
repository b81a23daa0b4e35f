"""Tables from files of predictions."""

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from errbar import _check
from errbar._check import FloatArray
from errbar.errors import InvalidInputError
from errbar.sources._beside import of_learners, without_row_names
from errbar.sources._columns import annotated, names_in, separated
from errbar.sources._dependence import refuse_dependent
from errbar.sources._files import (
    OF_EXAMPLES,
    by_column,
    require_filled,
    require_learners,
)
from errbar.sources._frames import read_frame
from errbar.sources._predictions import from_predictions
from errbar.sources._roles_named import proposed
from errbar.table import LossTable

_BETWEEN = ":"
"""Stands between a learner and a class in the name of a column of probabilities."""


def read_predictions(
    path: str | Path,
    truth: str,
    *,
    loss: Any = None,
    positive: Any = None,
    pool: str | None = None,
    n_train: float | None = None,
    roles: Mapping[str, str] | None = None,
    names: Sequence[str] | None = None,
) -> LossTable:
    """Read what learners predicted from a CSV (also .gz, .xz) or Parquet file; needs pandas.

    A row is one test example. One column holds the truth; each other one holds what a learner predicted: labels, or numbers.
    Probabilities of each class are in columns called like the learner and the class, ``forest:yes`` and ``forest:no``. Columns
    that describe the rows are found as by `read_scores`.

    Parameters
    ----------
    path : str or Path
        File to read.
    truth : str
        Column that holds the truth.
    loss, positive, pool : optional
        As for `from_predictions`.
    n_train : float, optional
        Training size of the splits, where the file has no column for it.
    roles : mapping of str to str, optional
        Which column holds what, by what it is: ``fold``, ``repeat``, ``example``, ``seed``, ``answer``, ``groups`` or
        ``time``.
    names : sequence of str, optional
        The columns of predictions, where the file has others that are no labels.

    Returns
    -------
    LossTable
        One learner per column, or per matrix of probabilities; see `from_predictions`.

    Raises
    ------
    InvalidInputError
        If the file cannot be read, there is no such column, or a prediction is missing or of a kind that the loss cannot use.
    """
    frame, told = read_frame(path)
    stated = by_column({"truth": truth, **(roles or {})}, frame, path)
    frame, aside = of_learners(frame, str(path), stated, names)
    for name in frame.columns:
        require_filled(frame[name], str(name), path)
    y = frame[truth]
    own = {column: role for column, role in stated.items() if role != "truth"}
    frame = frame.drop(columns=truth)
    inside, named = without_row_names(frame, own, spare=y)
    columns = {name: inside[name] for name in inside.columns}
    chosen = () if names is None else names_in(names, columns)
    learners, labels, notes = separated(columns, own, counting=names is None, chosen=chosen)
    notes = (*aside, *named, *notes)
    require_learners(learners, path, "predictions")
    _refuse_other_words(learners, y, path, frame, (*own, *own.values()))
    if "n_train" in labels:
        n_train = float(_check.vector(labels["n_train"], "n_train", "row").mean())
    known: dict[str, Any] = {name: labels[name] for name in OF_EXAMPLES if name in labels}
    table = from_predictions(
        _with_matrices(learners, y), y.to_numpy(), loss=loss, positive=positive, pool=pool, n_train=n_train, **known
    )
    refuse_dependent(_in_order(table, labels), frame, (*own.values(), *own, *learners), names)
    return annotated(table, (*told, *notes))


def _in_order(table: LossTable, labels: Mapping[str, Any]) -> FloatArray:
    """Return the losses in the order of the rows of the file; those of splits where that is not known."""
    if table.points is None or table.cells is None or ("example" in labels and table.splits.n_test.size > 1):
        return table.scores
    return table.points if "example" in labels else table.points[:, np.argsort(table.cells.example)]


def _refuse_other_words(
    columns: Mapping[str, Any], y: Any, path: str | Path, frame: Any, taken: Collection[str]
) -> None:
    """Raise if a column of words has none of the classes: it holds no predictions."""
    classes = set(map(str, y.unique().tolist()))
    for name, column in columns.items():
        words = column.unique().tolist()
        if all(isinstance(word, str) for word in words) and not classes & set(words):
            alike = "iuf" if y.dtype.kind in "iuf" else "OU"
            numbers = [
                one
                for one in columns
                if frame[one].dtype.kind in alike and (alike == "iuf" or classes & set(frame[one]))
            ]
            told = [] if "time" in taken else [f"say {proposed(name, {str(one): frame[one] for one in frame}, taken)}"]
            told += [f"name the predictions with --columns {','.join(numbers)} (`names`)"] * bool(numbers or not told)
            raise InvalidInputError(
                f"{path}: column {name!r} holds words such as {words[0]!r} and no class of {y.name!r}, so it is no prediction; "
                f"{', and '.join(told)}"
            )


def _with_matrices(columns: Mapping[str, Any], y: Any) -> dict[str, Any]:
    """Return the columns, those that are called like a learner and a class put together by learner."""
    classes = set(map(str, y.unique().tolist()))
    heads = {name: name.rpartition(_BETWEEN)[::2] for name in columns}
    found: dict[str, Any] = {}
    for name, column in columns.items():
        head, tail = heads[name]
        own = [other for other, (start, _) in heads.items() if head and start == head]
        if len(own) > 1 and any(heads[other][1] in classes for other in own):
            if head in columns:
                raise InvalidInputError(
                    f"{head!r} has a column of its own and columns for classes, such as {name!r}; give one of the two"
                )
            found.setdefault(head, {})[tail] = column.to_numpy()
        else:
            found[name] = column.to_numpy()
    return found
