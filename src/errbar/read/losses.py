"""Tables from numbers: one per test example and learner."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from errbar.read.columns import Columns, columns_of
from errbar.read.direction import direction_of, given_loss, is_score
from errbar.read.places import mean_of_answers, placed
from errbar.read.sheet import EXAMPLES
from errbar.result import Note
from errbar.table import LossTable

_SIGNED = 0.1
"""Losses of which a smaller share is negative, or positive, may have one sign by their nature."""


def from_losses(
    losses: Any,
    *,
    names: Sequence[str] | None = None,
    metric: str | None = None,
    higher_is_better: bool | None = None,
    **labels: ArrayLike | None,
) -> LossTable:
    """Make a table from one loss, or score, per test example and learner.

    Parameters
    ----------
    losses : mapping, data frame or array-like of shape (N, learners)
        Column or key per learner, N losses each, all of the same examples in the same splits. Labels by
        their name (``fold``, ``example`` ...), or in a frame by their values (0, 1, 2 ...), are not learners; a note
        names them.
    fold, repeat : int or array-like of int, shape (N,), optional
        Fold and repeat in which each example was tested. A single fold is a holdout, and one fold in each of several
        repeats is subsampling. Folds that test an example twice in a repeat are of kind ``"other"``.
    inner : array-like of int, shape (N,), optional
        For nested cross-validation: the inner fold in which the example was tested, by a model that was trained
        without `fold` and `inner`; -1 for outer losses.
    example : array-like, shape (N,), optional
        Which example each loss belongs to; by default every row is a separate example.
    seed : array-like, shape (N,), optional
        Seed of the fit, where a training set was fitted more than once: a run that has tested all examples of its split.
    answer : array-like, shape (N,), optional
        Number of the answer, where answers are drawn anew for each question: the mean of the answers to a question (`example`) is
        its loss.
    groups : array-like, shape (N,), optional
        Group (cluster) of each example, such as the patient or the passage, where examples of a group are alike.
    time : array-like, shape (N,), optional
        Time of each example, where examples follow each other in time: numbers, or dates, also as text such as ``"2026-01-31"``.
    strata : array-like, shape (N,), optional
        Class of each example, where the splits keep the shares of these classes.
    n_train : float, optional
        Training size of the splits.
    names : sequence of str, optional
        Names of the learners, where `losses` is an array, or the columns of a frame that are learners.
    metric : str, optional
        Name of the numbers, for reports; by default ``"loss"``, or ``"score"`` where higher is better. One of ours, such as ``"zero-one"``, ``"squared-error"`` or ``"accuracy"``, also tells its
        range: intervals then end there, and that of a learner with clusters or seeds comes from the logit or log scale.
    higher_is_better : bool, optional
        Whether larger numbers are better, such as 1 for each right answer. By default as the name `metric` says, such as
        ``"accuracy"``, and else not.

    Returns
    -------
    LossTable
        With points and the mean of each split.

    Raises
    ------
    InvalidInputError
        If a loss is missing or not finite, an example is tested twice in a split, or a group is torn apart by folds.

    Examples
    --------
    >>> import errbar
    >>> table = errbar.from_losses({"tree": [0, 1, 0, 0], "1-NN": [0, 1, 1, 0]}, fold=[0, 0, 1, 1])
    >>> errbar.infer(table, "cv-wald", "tree", minus="1-NN").estimate
    -0.25
    """
    found = columns_of(losses, names, labels, "losses", EXAMPLES)
    if metric is None and higher_is_better is None:
        # Whoever calls numbers losses means it, but marks of right and wrong are often scores.
        marks = np.isin(found.numbers(), (0.0, 1.0)).all()
        higher_is_better = None if marks else False
    return losses_table(found, metric=metric, higher_is_better=higher_is_better)


def losses_table(
    found: Columns, *, metric: str | None = None, higher_is_better: bool | None = None
) -> LossTable:
    """Return the table of columns of losses of examples, with the facts that their labels tell."""
    losses, labels = found.numbers(), found.labels
    if "answer" in labels:
        losses, labels = mean_of_answers(losses, labels)
    rows = placed(losses.shape[1], labels)
    losses, n_test = losses[:, rows.order], rows.splits.n_test
    higher, notes = direction_of(metric, higher_is_better, losses)
    loss = given_loss(metric, higher_is_better=higher, pointwise=True, numbers=losses)
    signed = len(losses) > 1 and _SIGNED < (losses < 0.0).mean() < 1.0 - _SIGNED
    if signed and not higher and (metric is None or is_score(metric) is None):
        # As errors of predictions have, and differences in a single column should.
        notes += (Note("read", both_signs=["losses" if metric is None else metric]),)
    points = 0.0 - losses if higher else losses
    starts = np.searchsorted(rows.cells.split, np.arange(n_test.size))
    return LossTable(
        tuple(found.learners),
        loss,
        rows.splits,
        np.add.reduceat(points, starts, axis=1) / n_test,
        points,
        rows.cells,
        notes=found.notes + notes,
    )
