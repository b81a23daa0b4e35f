"""Which loss a key, a scorer or a function stands for."""

from typing import Any

from errbar.errors import InvalidInputError
from errbar.losses._loss import ANY, CLASSIFICATION, Loss
from errbar.losses._pointwise import LOSSES
from errbar.losses._scorers import from_callable, from_scorer, scorer_named


def default(task: str) -> Loss:
    """Return the loss used when none is named: zero-one for classifiers, squared-error for regressors."""
    return LOSSES["zero-one" if task == CLASSIFICATION else "squared-error"]


def resolve(loss: Any, task: str) -> Loss:
    """Return the loss that a key, a scikit-learn scorer or its name, or a callable stands for.

    Parameters
    ----------
    loss : None, str, Loss or callable
        A loss key (``"zero-one"``, ``"log-loss"``, ``"brier"``, ``"squared-error"``, ``"absolute-error"``), the
        name of a scikit-learn scorer, a scorer, a function ``f(truth, predicted)`` whose larger values are worse,
        or a scorer-like function ``f(estimator, X, y)`` whose larger values are better. None takes the default.
    task : {"classification", "regression"}
        What the learners do.

    Returns
    -------
    Loss
        What computes the numbers.

    Raises
    ------
    InvalidInputError
        If there is no such loss, or it does not fit the task.
    """
    found = default(task) if loss is None else _lookup(loss)
    if found.task not in (ANY, task):
        fitting = ", ".join(repr(key) for key, known in LOSSES.items() if known.task == task)
        raise InvalidInputError(
            f"`loss` {found.key!r} is made for {found.task}, but this is {task}; try one of {fitting}"
        )
    return found


def _lookup(loss: Any) -> Loss:
    if isinstance(loss, Loss):
        return loss
    if isinstance(loss, str):
        return LOSSES[loss] if loss in LOSSES else from_scorer(scorer_named(loss), loss)
    if hasattr(loss, "_score_func"):
        return from_scorer(loss, getattr(loss._score_func, "__name__", "scorer"))
    if callable(loss):
        return from_callable(loss)
    raise InvalidInputError(f"`loss` must be a loss key, a scikit-learn scorer name or a callable, got {loss!r}")
