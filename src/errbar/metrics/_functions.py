"""Functions of sklearn.metrics, as people hand them over: which way each is better is known, or can be read off its name."""

import inspect
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from errbar.errors import InvalidInputError
from errbar.metrics._loss import Loss
from errbar.metrics._metrics import recognised
from errbar.metrics._pointwise import LOSSES
from errbar.metrics._scorers import from_scorer

_TRUTH, _PREDICTED = ("y_true", "labels_true", "y1"), ("y_pred", "labels_pred", "y2")
_LOWER = ("_loss", "_error", "_deviance")


def of_sklearn(function: Callable[..., Any]) -> Loss | None:
    """Return the loss that a public function of sklearn.metrics stands for, or a `functools.partial` of one.

    None for any other function.

    Raises
    ------
    InvalidInputError
        If it is not a metric of a truth and predictions, or needs an argument, or it is not known what predictions it takes.
    """
    bare, options = function, {}
    if isinstance(function, partial) and not function.args:
        bare, options = function.func, dict(function.keywords)
    name = getattr(bare, "__name__", "")
    if not _is_public(bare, name):
        return None
    parameters = list(inspect.signature(bare).parameters.values())
    higher, known = name.endswith("_score"), recognised(name, options)
    takes_truth = len(parameters) > 1 and parameters[0].name in _TRUTH
    if not takes_truth or not (known or higher or name.endswith(_LOWER)):
        raise InvalidInputError(
            f"must compute one number from the truth and the predictions, and {name} of sklearn.metrics does not; "
            "try a metric such as 'f1' or 'r2'",
            argument="loss",
        )
    lacking = [p.name for p in parameters[2:] if p.default is p.empty and p.name not in options]
    if lacking:
        raise InvalidInputError(
            f"{name} needs {lacking[0]}, which is not given; try sklearn.metrics.make_scorer({name}, {lacking[0]}=...)",
            argument="loss",
        )
    if name == "zero_one_loss" and not options:
        return LOSSES["zero-one"]
    if known is not None:
        metric, positive = known
        return (
            metric
            if metric.about == "all" or positive is None
            else replace(metric, positive=positive)
        )
    return from_scorer(_scorer_of(bare, name, parameters[1].name, options, higher=higher), name)


def _is_public(function: Any, name: str) -> bool:
    if not str(getattr(function, "__module__", "")).startswith("sklearn.metrics"):
        return False
    from sklearn import metrics

    return getattr(metrics, name, None) is function


def _scorer_of(
    function: Any, name: str, second: str, options: dict[str, Any], *, higher: bool
) -> Any:
    """Return the scorer of a metric: with the predictions of scikit-learn's own scorer, where there is one."""
    from sklearn.metrics import get_scorer, get_scorer_names, make_scorer

    own = [one for one in map(get_scorer, get_scorer_names()) if one._score_func is function]
    if not own and second not in _PREDICTED:
        better = "" if higher else "greater_is_better=False, "
        raise InvalidInputError(
            f"{name} takes {second}, and not what is predicted; say which predictions these are, such as "
            f"sklearn.metrics.make_scorer({name}, {better}response_method='decision_function')",
            argument="loss",
        )
    response = own[0]._response_method if own else "predict"
    return make_scorer(function, response_method=response, greater_is_better=higher, **options)
