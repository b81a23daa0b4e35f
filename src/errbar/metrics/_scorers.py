"""Losses with one number per split, from scorers of scikit-learn and from functions of the user's own."""

import inspect
import warnings
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from errbar import _check
from errbar.errors import InvalidInputError, hint
from errbar.metrics._loss import Loss
from errbar.metrics._metrics import BY_SCORE, METRICS, named, recognised
from errbar.metrics._numerical import takes_weights
from errbar.metrics._pointwise import LOSSES
from errbar.metrics._sample import (
    ANY,
    CLASSIFICATION,
    DECISION,
    LABEL,
    PROBABILITY,
    REGRESSION,
    RESPONSES,
    Array,
    Predictions,
    Target,
)


def metric(
    function: Callable[..., float],
    *,
    key: str | None = None,
    needs: str = LABEL,
    higher_is_better: bool = False,
) -> Loss:
    """Return a loss with one number per split, computed by `function`.

    Parameters
    ----------
    function : callable
        ``function(y_true, y_pred)`` with the labels as the user gave them; `y_pred` holds labels, or
        probabilities (one column per class), or decision values, as `needs` says.
    key : str, optional
        Name; by default the function's own.
    needs : {"label", "probability", "decision"}, default "label"
        Kind of prediction the function takes.
    higher_is_better : bool, default False
        Whether larger values are better.

    Returns
    -------
    Loss
        To be passed as ``loss=``. Methods that need a number per example get influence values: by derivatives where the
        function has a parameter ``sample_weight``, and else by leaving out each example and by taking it twice.

    Examples
    --------
    >>> import numpy as np
    >>> from errbar.metrics import metric
    >>> worst = metric(lambda truth, predicted: np.abs(truth - predicted).max(), key="worst-error")
    >>> worst.direction
    'lower is better'
    """
    _check.choice(needs, (LABEL, PROBABILITY, DECISION), "needs")
    name = str(key or getattr(function, "__name__", type(function).__name__))
    return Loss(
        name,
        partial(_apply_plain, function, needs),
        (needs,),
        pointwise=False,
        higher_is_better=higher_is_better,
        weighable=takes_weights(function),
    )


def from_scorer(scorer: Any, name: str) -> Loss:
    """Wrap a scikit-learn scorer; it is replayed on stored predictions, so it costs no fit.

    One that computes a metric with influence values becomes this metric.
    """
    higher = scorer._sign > 0
    options = dict(getattr(scorer, "_kwargs", {}))
    module = getattr(scorer._score_func, "__module__", "")
    methods = scorer._response_method
    methods = (methods,) if isinstance(methods, str) else tuple(methods)
    kinds = {method: kind for kind, method in RESPONSES.items()}
    needs = tuple(kinds.get(method, LABEL) for method in methods)
    found = (
        recognised(scorer._score_func.__name__, options)
        if module.startswith("sklearn.metrics")
        else None
    )
    if (
        found is not None
        and found[0].higher_is_better == higher
        and set(found[0].needs) == set(needs)
    ):
        metric, positive = found
        return (
            metric
            if metric.about == "all" or positive is None
            else replace(metric, positive=positive)
        )
    task = REGRESSION if module.endswith("_regression") else ANY
    task = CLASSIFICATION if module.endswith(("_classification", "_ranking")) else task
    key = name if higher else name.removeprefix("neg_")
    return Loss(
        key,
        partial(_apply_scorer, scorer, 1 if higher else -1),
        needs,
        task,
        pointwise=False,
        higher_is_better=higher,
        positive=options.get("pos_label"),
        weighable=takes_weights(scorer._score_func),
    )


def from_callable(function: Callable[..., Any]) -> Loss:
    name = getattr(function, "__name__", type(function).__name__)
    try:
        parameters = [
            p for p in inspect.signature(function).parameters.values() if p.default is p.empty
        ]
    except ValueError:
        parameters = []
    required = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    if len(required) == 3:
        return Loss(
            name,
            partial(_apply_scorer, function, 1),
            (LABEL, PROBABILITY, DECISION),
            pointwise=False,
            higher_is_better=True,
            every_kind=True,
        )
    return metric(function)


def _apply_plain(
    function: Callable[..., float],
    kind: str,
    target: Target,
    truth: Array,
    predictions: Predictions,
    **weights: Any,
) -> float:
    predicted = predictions[kind]
    return function(
        target.original(truth),
        target.original(predicted) if kind == LABEL else predicted,
        **weights,
    )


def _apply_scorer(
    scorer: Any,
    sign: int,
    target: Target,
    truth: Array,
    predictions: Predictions,
    **weights: Any,
) -> float:
    from sklearn.exceptions import UndefinedMetricWarning

    replay = _replay(target, predictions)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("error", UndefinedMetricWarning)
        return sign * float(
            scorer(replay, np.empty((truth.size, 0)), target.original(truth), **weights)
        )


def _replay(target: Target, predictions: Predictions) -> Any:
    """Return an object that looks like a fitted scikit-learn estimator and answers with stored predictions."""
    from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin

    methods: dict[str, Any] = {}
    for kind, values in predictions.items():
        name = RESPONSES[kind]
        methods[name] = _answering(name, target.original(values) if kind == LABEL else values)
    mixin = RegressorMixin if target.classes is None else ClassifierMixin
    stored: type[Any] = type(
        "StoredPredictions",
        (mixin, BaseEstimator),
        {**methods, "__sklearn_is_fitted__": lambda _: True},
    )
    replay = stored()
    if target.classes is not None:
        replay.classes_ = target.classes
    return replay


def _answering(name: str, values: Array) -> Callable[[Any, Any], Array]:
    def answer(self: Any, X: Any) -> Array:  # noqa: ARG001 - the signature of an estimator's method
        return values

    answer.__name__ = name
    return answer


def scorer_named(name: str) -> Any:
    from sklearn import metrics

    known = metrics.get_scorer_names()
    if name not in known:
        if name in BY_SCORE or not (
            hasattr(metrics, name) and name.endswith(("_score", "_loss", "_deviance"))
        ):
            meant = named(name.lower()) or METRICS.get(BY_SCORE.get(name, ""))
            remedy = (
                hint(name, [*LOSSES, *METRICS, *known])
                if meant is None
                else f"; did you mean {meant.key!r}?"
            )
        else:
            remedy = f"; give the function itself, sklearn.metrics.{name}"
        keys = ", ".join(map(repr, LOSSES))
        raise InvalidInputError(
            f"must be one of {keys}, a metric such as 'f1', 'roc_auc' or 'r2', or the name of a scikit-learn scorer, got {name!r}"
            + remedy,
            argument="loss",
        )
    return metrics.get_scorer(name)
