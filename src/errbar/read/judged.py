"""Tables from losses that people gave to some examples, and another judge to all."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from errbar import _check
from errbar.design import Design
from errbar.errors import InvalidInputError, PairingError
from errbar.measuring import Cells
from errbar.plans._kinds import JUDGED
from errbar.read.direction import given_loss
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
    by_judge = _check.numbers([judge[name] for name in people], "judge", "learner and example")
    try:
        by_people = np.array([people[name] for name in people], dtype=np.float64)  # (K, N)
    except (TypeError, ValueError):
        raise InvalidInputError(
            "must hold a number for each example of each learner, or NaN where people have not judged",
            argument="people",
        ) from None
    known = ~np.isnan(by_people[0])
    if by_people.shape != by_judge.shape or (np.isnan(by_people) == known).any():
        raise PairingError(
            "and the judge must have the same examples of all learners, judged by people or not",
            argument="people",
        )
    total, count = known.size, int(known.sum())
    if not 2 <= count <= total - 2:
        raise InvalidInputError(
            f"must have judged at least 2 examples and left at least 2 to the judge, got {count} of {total}; "
            "where they have judged all, give their losses to errbar.from_losses",
            argument="people",
        )
    judged = _check.numbers(by_people[:, known], "people", "learner and loss")
    numbers = np.concatenate([judged, by_judge], axis=1)
    points = -numbers if higher_is_better else numbers
    splits = stated_columns(
        Design.stated(JUDGED),
        2,
        n_train=None if n_train is None else _check.sizes(n_train, 2, "n_train"),
        n_test=np.array([count, total], dtype=np.float64),
        labels={"repeat": np.zeros(2, dtype=np.int64), "judge": np.arange(2)},
    )
    examples = np.concatenate([np.flatnonzero(known), np.arange(total)])
    cells = Cells(np.repeat([0, 1], [count, total]), examples)
    scores = np.stack([points[:, :count].mean(axis=1), points[:, count:].mean(axis=1)], axis=1)
    loss = given_loss(metric, higher_is_better=higher_is_better, pointwise=True, numbers=judged)
    return LossTable(learners, loss, splits, scores, points, cells)
