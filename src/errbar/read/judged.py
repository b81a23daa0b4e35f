"""Tables from losses that people gave to some examples, and another judge to all."""

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from errbar import _check
from errbar._check import FloatArray
from errbar.design import Design
from errbar.errors import InvalidInputError, PairingError
from errbar.measuring import Cells
from errbar.plans._kinds import JUDGED
from errbar.read.direction import direction_notes, given_loss, is_higher_better
from errbar.split_columns import stated_columns
from errbar.table import LossTable


def from_judged(
    people: Mapping[str, Any],
    judge: Mapping[str, Any],
    *,
    higher_is_better: bool = False,
    n_train: float | None = None,
    metric: str | None = None,
) -> LossTable:
    """Make a table from people's losses on some examples, and those of another judge on all, for method ``"ppi"``.

    Parameters
    ----------
    people : mapping of str to array-like, shape (N,)
        Loss of each example by people; NaN (or None) where they have not judged it. The examples that they have judged are the same
        for all learners, and a random part of all.
    judge : mapping of str to array-like, shape (N,)
        Loss of each example by the other judge, such as a language model; none is missing.
    higher_is_better : bool, default False
        Whether the numbers are scores, where higher is better.
    n_train : float, optional
        Training size of the models.
    metric : str, optional
        Name of the number, for reports; by default ``"loss"``, or ``"score"`` where higher is better. One of ours, such as
        ``"zero-one"``, also tells the range of people's losses; see `from_losses`.

    Returns
    -------
    LossTable
        With two splits: what people have judged, and what the judge has.

    Raises
    ------
    PairingError
        If learners have different examples.
    InvalidInputError
        If a learner is missing in either, the judge lacks an example, or people have judged fewer than two, or all.

    See Also
    --------
    errbar.methods.ppi : The method.
    read_table : The same from a file.

    Examples
    --------
    >>> import errbar
    >>> nan = float("nan")
    >>> people = {"a": [1, 0, 1, 1, nan, nan, nan, nan], "b": [0, 0, 1, 0, nan, nan, nan, nan]}
    >>> judge = {"a": [1, 0, 1, 0, 1, 1, 0, 1], "b": [0, 1, 1, 0, 0, 1, 0, 0]}
    >>> table = errbar.from_judged(people, judge)
    >>> errbar.infer(table, "ppi", "a", "b").estimate
    0.625
    """
    learners = _check.names([str(name) for name in people], "learner")
    if set(learners) != {str(name) for name in judge}:
        raise InvalidInputError(
            f"must have the learners of `people`, {', '.join(map(repr, learners))}; it has {', '.join(map(repr, judge))}",
            argument="judge",
        )
    by_judge = [_check.vector(judge[name], f"judge[{name!r}]", "example") for name in people]
    by_people = [_with_gaps(people[name], name) for name in people]
    sizes = {column.size for column in (*by_judge, *by_people)}
    if len(sizes) > 1:
        raise PairingError(
            f"all columns of `people` and `judge` must be of the same examples; their lengths are {sorted(sizes)}"
        )
    known = ~np.isnan(by_people[0])
    if any((~np.isnan(column) != known).any() for column in by_people):
        raise PairingError("must have judged the same examples for all learners", argument="people")
    total, count = known.size, int(known.sum())
    if not 2 <= count <= total - 2:
        raise InvalidInputError(
            f"must have judged at least 2 examples and left at least 2 to the judge, got {count} of {total}; "
            "where they have judged all, give their losses to errbar.from_losses",
            argument="people",
        )
    sign = -1.0 if higher_is_better else 1.0
    points = sign * np.stack(
        [
            np.concatenate([mine[known], other])
            for mine, other in zip(by_people, by_judge, strict=True)
        ]
    )
    splits = stated_columns(
        Design.stated(JUDGED),
        2,
        n_train=None if n_train is None else _check.sizes(n_train, 2, "n_train"),
        n_test=np.array([count, total], dtype=np.float64),
        labels={"repeat": np.zeros(2, dtype=np.int64), "judge": np.arange(2)},
    )
    cells = Cells(
        np.repeat([0, 1], [count, total]), np.concatenate([np.flatnonzero(known), np.arange(total)])
    )
    scores = np.stack([points[:, :count].mean(axis=1), points[:, count:].mean(axis=1)], axis=1)
    metric = metric or ("score" if higher_is_better else "loss")
    loss = given_loss(
        metric, higher_is_better=higher_is_better, pointwise=True, points=points[:, :count]
    )
    return LossTable(learners, loss, splits, scores, points, cells)


def judged_table(
    frame: Any,
    roles: Mapping[str, str],
    *,
    metric: str | None = None,
    higher_is_better: bool | None = None,
    n_train: float | None = None,
) -> LossTable:
    """Return the table of a frame with a row for each example of each learner.

    Parameters
    ----------
    frame : DataFrame
        The rows.
    roles : mapping of str to str
        The columns of ``value`` (by people, empty where they have not judged) and ``judge``; of ``learner`` and ``example`` where
        there are any. Without ``example`` the rows of each learner are the same examples in the same order.
    metric, higher_is_better, n_train : optional
        As for `from_judged`.
    """
    people, judge, learner, example = (
        roles.get(role) for role in ("value", "judge", "learner", "example")
    )
    for name in (judge, learner, example):
        if name is not None and frame[name].isna().any():
            row = int(np.argmax(frame[name].isna())) + 1
            raise InvalidInputError(
                f"column {name!r} has no value in row {row}; only people may leave some out"
            )
    parts = (
        {"learner": frame} if learner is None else dict(iter(frame.groupby(learner, sort=False)))
    )
    if example is not None:
        parts = {name: part.set_index(example) for name, part in parts.items()}
        first = next(iter(parts.values())).index
        for name, part in parts.items():
            if part.index.has_duplicates:
                twice = part.index[part.index.duplicated()][0]
                raise InvalidInputError(
                    f"is {twice!r} more than once for {name!r}", argument="example"
                )
            if part.index.symmetric_difference(first).size:
                raise PairingError(
                    f"{name!r} has other examples than {next(iter(parts))!r}; give all learners the same"
                )
        parts = {name: part.loc[first] for name, part in parts.items()}
    called = metric or people
    table = from_judged(
        {str(name): part[people].to_numpy() for name, part in parts.items()},
        {str(name): part[judge].to_numpy() for name, part in parts.items()},
        higher_is_better=is_higher_better(called, said=higher_is_better),
        n_train=n_train,
        metric=metric,
    )
    return replace(table, notes=(*table.notes, *direction_notes(called, said=higher_is_better)))


def _with_gaps(value: Any, name: str) -> FloatArray:
    """Return numbers of which some may be missing."""
    array = np.array(
        [
            math.nan if one is None else one
            for one in np.asarray(value, dtype=object).ravel().tolist()
        ]
    )
    try:
        numbers = array.astype(np.float64)
    except (TypeError, ValueError):
        raise InvalidInputError(
            f"people[{name!r}] must hold numbers, or NaN where people have not judged"
        ) from None
    if np.isinf(numbers).any():
        raise InvalidInputError(
            f"people[{name!r}] holds an infinite number; every number must be finite, or NaN"
        )
    return numbers
