"""Which loss a key, a scorer or a function stands for."""

from dataclasses import replace
from typing import Any

from errbar import _check
from errbar.errors import InvalidInputError
from errbar.metrics._functions import of_sklearn
from errbar.metrics._loss import POOLS, Loss
from errbar.metrics._pointwise import LOSSES
from errbar.metrics._sample import ANY, CLASSIFICATION
from errbar.metrics._scorers import from_callable, from_scorer, scorer_named
from errbar.metrics._words import known


def default(task: str) -> Loss:
    """Return the loss used when none is named: zero-one for classifiers, squared-error for regressors."""
    return LOSSES["zero-one" if task == CLASSIFICATION else "squared-error"]


def resolve(loss: Any, task: str, pool: str | None = None) -> Loss:
    """Return the loss that a key, a scikit-learn scorer or its name, or a callable stands for.

    Parameters
    ----------
    loss : None, str, Loss or callable
        A loss key (``"zero-one"``, ``"log-loss"``, ``"brier"``, ``"squared-error"``, ``"absolute-error"``), the key of
        a metric (``"f1"``, ``"roc_auc"``, ``"r2"`` ..., see `METRICS`), the name of a scikit-learn scorer, a scorer, a function of
        `sklearn.metrics`, which keeps its direction, any other function ``f(truth, predicted)`` whose larger values are worse, or a scorer-like function ``f(estimator, X, y)`` whose larger values are
        better. None takes the default.
    task : {"classification", "regression"}
        What the learners do.
    pool : {"none", "folds", "splits"}, optional
        What a metric is computed of: the predictions of each split, of the folds of a repeat together, or of all splits of a
        plan together. By default metrics take the folds together, but areas under the ROC curve each fold, since scores of
        different fits are hardly comparable. A mean of losses is the same in any case.

    Returns
    -------
    Loss
        What computes the numbers.

    Raises
    ------
    InvalidInputError
        If there is no such loss, or it does not fit the task.
    """
    found = default(task) if loss is None else lookup(loss)
    if found.task not in (ANY, task):
        fitting = ", ".join(repr(key) for key, known in LOSSES.items() if known.task == task)
        raise InvalidInputError(
            f"{found.key!r} is made for {found.task}, but this is {task}; try one of {fitting}",
            argument="loss",
        )
    return found if pool is None else replace(found, pool=_check.choice(pool, POOLS, "pool"))


def lookup(loss: Any) -> Loss:
    """Return what `resolve` does for a loss that is named, whatever the task."""
    if isinstance(loss, Loss):
        return loss
    if isinstance(loss, str):
        return known(loss) or from_scorer(scorer_named(loss), loss)
    if hasattr(loss, "_score_func"):
        return from_scorer(loss, getattr(loss._score_func, "__name__", "scorer"))
    if callable(loss):
        return of_sklearn(loss) or from_callable(loss)
    raise InvalidInputError(
        f"must be a loss key, a scikit-learn scorer name or a callable, got {loss!r}",
        argument="loss",
    )
