"""New models that answered a part of a board, beside known models that answered all of it."""

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from errbar import _check
from errbar._check import FloatArray
from errbar.errors import PairingError
from errbar.plans._base import KNOWN
from errbar.reading.items import answers_of
from errbar.reading.scores import direction_of, loss_of, predicted_table
from errbar.reading.sheet import Labels, Notes, Sheet, UnsaidRoleError, option
from errbar.result import Note, distinct
from errbar.table import LossTable

ROLES = ("learner", "value", "example", "answer")
"""What the columns of a board, and of answers to a part of it, may be."""

FEWEST = 3
"""Two answers leave one question to predict the other."""

# Penalties of the ridge, in sums of squares of a known model's answers. Choosing among smaller ones
# costs coverage where few questions are asked, and the largest leaves the board out.
_PENALTIES = 10.0 ** np.arange(0.5, 3.5, 0.5)


def from_known(
    new: Any,
    known: Any,
    *,
    baseline: str | None = None,
    ignore: Any = None,
    metric: str | None = None,
    higher_is_better: bool | None = None,
    **roles: str | None,
) -> LossTable:
    r"""Make a table of new models that answered a part of a board, for method ``"known"``.

    Known models have answered all N questions of the board, the new ones m of them. What the known
    ones answered predicts the rest. Which questions were asked must be left to chance: drawn from
    the whole board, all with the same probability. Then it does not matter that questions of a task
    are alike. The mean is over questions; for a mean of tasks, or questions drawn within tasks,
    make a table for each task.

    Parameters
    ----------
    new : str, Path, data frame or mapping
        Answers of one or several new models to the same m questions: a table as for `read_table`,
        long or wide. In a wide one, rows may be empty that were not asked.
    known : str, Path, data frame or mapping
        Answers of known models to the N questions. Models that lack an answer are left out, with a
        note. Of two mappings without an `example`, the rows are the same questions.
    baseline : str, optional
        A known model that stands in the table, too, for differences to it; its mean is exact.
    ignore : str or sequence of str, optional
        Columns that are no models.
    metric, higher_is_better : str, bool, optional
        As for `read_table`.
    **roles : str, optional
        Columns of both tables by role: ``learner`` and ``value`` of long ones, ``example`` (the
        question), and ``answer``, where a question is answered several times.

    Returns
    -------
    LossTable
        With two splits: the questions asked, and what is predicted for all.

    Raises
    ------
    UnsaidRoleError, InvalidInputError, PairingError
        If no column tells the questions; if a question is not on the board, a model is new and
        known, or no known model has answered all; if new models answered different questions, or
        fewer than three.

    Notes
    -----
    With the answers :math:`x_q` of the K known models to question q, the prediction is a ridge
    regression :math:`f(q) = \bar Y + (x_q - \bar x_A)^T w` on the m questions asked (A). The
    penalty is one of six from 3.2 to 1000 times the sum of squares of a known model's answers: the one with the
    smallest squared errors, each question left out in turn. With :math:`h_i` the leverage of
    question i and :math:`e_i` its residual, that error is :math:`e_i/(1 - h_i - 1/m)`, and here it
    is multiplied by :math:`1 - 1/m`, so that known models that are useless leave the variance of
    the answers alone. The prediction of a question that was asked is Y less that error.

    Examples
    --------
    >>> import errbar
    >>> nan = float("nan")
    >>> known = {"a": [1, 0, 1, 1, 0, 1, 0, 0], "b": [1, 0, 1, 0, 0, 1, 0, 1]}
    >>> table = errbar.from_known({"new": [1, 0, nan, 1, nan, 1, nan, 0]}, known)
    >>> round(errbar.infer(table, "known").estimate, 3)
    0.568
    """
    board, sheet, read = questions_of(known, roles, ignore, "known")
    answers, own, own_read = questions_of(new, roles, ignore, "new", sheet)
    answers, rows = answers.dropna(how="all"), len(answers)
    both = sorted({*answers} & {*board})
    _check.require(not both, "must hold other models than `known`", both[:3], "new")
    if "example" not in own.roles and rows != len(board):
        raise UnsaidRoleError("nothing says which question a row is", option("example"))
    beyond = answers.index.difference(board.index)
    must = f"must hold questions of the board alone; {len(beyond)} are not on it"
    _check.require(not len(beyond), must, list(beyond[:3]), "new")
    if answers.isna().any(axis=None):
        raise PairingError("must hold answers of all models to the same questions", argument="new")
    must = f"must hold answers to at least {FEWEST} questions"
    _check.require(len(answers) >= FEWEST, must, len(answers), "new")
    whole, notes = complete(board)
    asked = board.index.isin(answers.index)
    given = answers.loc[board.index[asked]].to_numpy(float).T  # (new, m)
    _check.numbers(given, "new", "model and question")
    everything = whole.to_numpy(float)  # (N, K)
    predicted = [predictions(everything, asked, one) for one in given]
    learners = [*answers]
    if baseline is not None and baseline not in learners:
        _check.choice(baseline, [*learners, *whole], "baseline")
        learners.append(baseline)
        predicted.append(everything[:, whole.columns.get_loc(baseline)])
        given = np.vstack([given, predicted[-1][asked]])
    called = metric or (own.learners[0] if own.long else None)
    higher, directed = direction_of(called, higher_is_better, everything)
    loss, _ = loss_of(metric, higher, given, pointwise=True)
    table = predicted_table(KNOWN, learners, loss, asked, (given, np.array(predicted)))
    return replace(table, notes=distinct((*own_read, *read, *notes, *directed)))


def questions_of(
    source: Any, roles: Labels, ignore: Any, argument: str, like: Sheet | None = None
) -> tuple[Any, Sheet, Notes]:
    """Return a frame of answers, a row for each question and a column for each model, its sheet, and how it was read."""
    values, sheet, notes = answers_of(source, roles, ROLES, ignore=ignore, like=like)
    values = values.droplevel("dataset")
    if "example" in sheet.roles:
        # Ids that one file quotes, and the other does not, are the same.
        values = values.set_axis(values.index.astype(str))
    elif not isinstance(source, Mapping):
        why = f"nothing says which question a row of `{argument}` is"
        raise UnsaidRoleError(why, option("example"))
    return values, sheet, notes


def complete(board: Any) -> tuple[Any, Notes]:
    """Return the models that answered all questions, and a note on the others."""
    lacking = board.isna().sum()
    left = [f"{name} ({count})" for name, count in lacking.items() if count]
    if len(left) == len(lacking):
        raise PairingError("must hold a model that answered all questions", argument="known")
    notes = (Note("left-out", what=left, why="missing answers"),) if left else ()
    whole = board.loc[:, lacking == 0]
    _check.numbers(whole.to_numpy(float), "known", "question and model")
    return whole, notes


def predictions(known: FloatArray, asked: Any, answers: FloatArray) -> FloatArray:
    """Return what known models' answers (N, K) predict of a new one's to all N questions, from those to the m asked.

    A question that was asked is predicted by a fit without it.
    """
    inside, centre = known[asked], known[asked].mean(axis=0)
    m, level = answers.size, answers.mean()
    left, sizes, right = np.linalg.svd(inside - centre, full_matrices=False)  # (m, r), (r,), (r, K)
    squares, turned_answers = sizes**2, left.T @ (answers - level)
    least, found = math.inf, np.full(len(known), level)
    for penalty in _PENALTIES * max(squares.sum() / known.shape[1], np.finfo(float).tiny):
        shrunk = squares / (squares + penalty)
        leverage = left**2 @ shrunk
        residuals = answers - level - left @ (shrunk * turned_answers)
        errors = residuals / (1.0 - leverage * m / (m - 1.0))
        if errors @ errors < least:
            least = errors @ errors
            weights = right.T @ (sizes / (squares + penalty) * turned_answers)  # (K,)
            found = level + (known - centre) @ weights
            found[asked] = answers - errors
    return found
