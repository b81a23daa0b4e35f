"""What simultaneous statements about several differences need: each learner's numbers, by split or example."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from errbar._check import FloatArray
from errbar._simultaneous import Joint
from errbar.study._question import joins
from errbar.table import LossTable

if TYPE_CHECKING:
    from errbar.study._answers import _Answers

_APART = ("resubstitution", "halving", "half", "replaced", "inner", "judge")
"""Labels of splits that are not those of the estimate itself."""


def joint_of(answers: "_Answers", couples: Sequence[tuple[str, str]]) -> Joint | None:
    """Return what the differences do together; None where there are not several, or the method gives them no intervals."""
    method, learners = answers.pairwise.method, answers.table.learners
    if len(learners) < 3 or len(couples) < 2 or not joins(method) or answers.table.blank:
        return None
    of, values = _numbers(answers.pairwise.table, pointwise=method.pointwise)
    if values.shape[1] < 2:
        return None
    table = answers.single.table
    own = (
        table.loss.pointwise
        and table.splits.designs[0].clusters is None
        and table.splits.designs[0].time is None
    )
    losses = _numbers(table, pointwise=True) if own and table.points is not None else None
    return Joint(
        learners=learners,
        couples=couples,
        values=values,
        of=of,
        level=answers.question.level,
        alternative=answers.question.alternative,
        allowance=method.allowance,
        ask=answers.ask,
        losses=losses[1] if losses is not None and losses[0] == "examples" else None,
    )


def _numbers(table: LossTable, *, pointwise: bool) -> tuple[str, FloatArray]:
    """Return a row per learner: scores of splits, or means of the losses (or influence values) of each example or group."""
    apart = np.any(
        [table.splits.labels[name] >= 0 for name in _APART if name in table.splits.labels], axis=0
    )
    own = table if apart.all() else table.select(~apart)
    # One test set has examples only.
    if own.points is None or own.cells is None or not (pointwise or own.scores.shape[1] < 2):
        return "splits", own.scores
    example = np.unique(own.cells.example, return_inverse=True)
    means = _averaged(own.points, example[1])
    clusters = own.splits.designs[0].clusters
    if clusters is None:
        return "examples", means
    group = np.unique(clusters[example[0]], return_inverse=True)[1]
    left = means - means.mean(axis=1, keepdims=True)
    return "groups", _averaged(left, group) * np.bincount(group)


def _averaged(values: FloatArray, place: np.ndarray) -> FloatArray:
    """Return the mean of each row over the columns of one place."""
    times = np.bincount(place)
    return np.array([np.bincount(place, row) / times for row in values])
