"""Which loss a key stands for, a scorer of scikit-learn, a function of its own or of the user's; and when two are the same."""

import inspect
import sys
import warnings
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from errbar import _check
from errbar.errors import InvalidInputError, hint
from errbar.metrics._loss import POOLS, Loss
from errbar.metrics._metrics import METRICS, known, recognised
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
    Sample,
    Target,
)

# How functions of sklearn.metrics call predicted labels or numbers, and which way their names say is better.
_PREDICTED = ("y_pred", "labels_pred", "y2")
_HIGHER, _LOWER = "_score", ("_loss", "_error", "_deviance")
_PARTS_OF_SCORERS = ("_score_func", "_sign", "_kwargs", "_response_method")


def default(task: str) -> Loss:
    """Return the loss used when none is named: zero-one for classifiers, squared-error for regressors."""
    return LOSSES["zero-one" if task == CLASSIFICATION else "squared-error"]


def resolve(loss: Any, task: str, pool: str | None = None) -> Loss:
    """Return the loss that a key, a scikit-learn scorer or its name, or a callable stands for.

    Parameters
    ----------
    loss : None, str, Loss or callable
        Key of a loss or metric (``"zero-one"``, ``"log-loss"``, ``"f1"``, ``"r2"`` ..., see
        `LOSSES` and `METRICS`), a scikit-learn scorer or its name, a function of `sklearn.metrics`,
        which keeps its direction, any other ``f(truth, predicted)`` whose larger values are worse,
        or ``f(estimator, X, y)`` whose larger values are better. None takes the default.
    task : {"classification", "regression"}
        What the learners do.
    pool : {"none", "folds", "splits"}, optional
        What a metric is computed of: each split, the folds of a repeat together, or all splits of a
        plan together. By default metrics take the folds together, but areas under the ROC curve
        each fold, since scores of different fits are hardly comparable.

    Returns
    -------
    Loss

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
    if isinstance(loss, Loss):
        return loss
    if isinstance(loss, str):
        return known(loss) or _of_scorer(_scorer_named(loss), loss)
    if hasattr(loss, "_score_func"):
        return _of_scorer(loss, _name(loss._score_func))
    if callable(loss):
        return _of_scikit_learn(loss) or _of_callable(loss)
    raise _unknown(loss)


def _unknown(loss: Any, remedy: str = "") -> InvalidInputError:
    keys = ", ".join(map(repr, LOSSES))
    return InvalidInputError(
        f"must be one of {keys}, a metric such as 'f1' or 'r2', a scikit-learn scorer or its name, or a function, "
        f"got {loss!r}{remedy}",
        argument="loss",
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
        ``function(y_true, y_pred)`` with the labels as the user gave them; `y_pred` holds labels,
        or probabilities (one column per class), or decision values, as `needs` says.
    key : str, optional
        Name; by default the function's own.
    needs : {"label", "probability", "decision"}, default "label"
        Kind of prediction the function takes.
    higher_is_better : bool, default False
        Whether larger values are better.

    Returns
    -------
    Loss
        Influence values come by derivatives where the function has a parameter ``sample_weight``,
        and else by leaving out each example and by taking it twice.

    Examples
    --------
    >>> import numpy as np
    >>> from errbar.metrics import metric
    >>> worst = metric(lambda truth, predicted: np.abs(truth - predicted).max(), key="worst-error")
    >>> worst.direction
    'lower is better'
    """
    _check.choice(needs, (LABEL, PROBABILITY, DECISION), "needs")
    return Loss(
        str(key or _name(function)),
        partial(_apply_plain, function, needs),
        (needs,),
        pointwise=False,
        higher_is_better=higher_is_better,
        weighable=_takes_weights(function),
    )


def _name(function: Any) -> str:
    return getattr(function, "__name__", type(function).__name__)


def _parameters(function: Any) -> list[inspect.Parameter]:
    try:
        return list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return []


def _takes_weights(function: Any) -> bool:
    return any(one.name == "sample_weight" for one in _parameters(function))


def _of_callable(function: Callable[..., Any]) -> Loss:
    required = [
        one
        for one in _parameters(function)
        if one.default is one.empty and one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)
    ]
    if len(required) != 3:
        return metric(function)
    return Loss(
        _name(function),
        partial(_apply_scorer, function, 1),
        (LABEL, PROBABILITY, DECISION),
        pointwise=False,
        higher_is_better=True,
        every_kind=True,
    )


def _of_scorer(scorer: Any, name: str) -> Loss:
    higher = scorer._sign > 0
    options = dict(getattr(scorer, "_kwargs", {}))
    module = getattr(scorer._score_func, "__module__", "")
    methods = scorer._response_method
    methods = (methods,) if isinstance(methods, str) else methods
    kinds = {method: kind for kind, method in RESPONSES.items()}
    needs = tuple(kinds.get(method, LABEL) for method in methods)
    if module.startswith("sklearn.metrics"):
        found = recognised(_name(scorer._score_func), options)
        if found and found.higher_is_better == higher and set(found.needs) <= set(needs):
            return found
    task = ANY
    if module.endswith("_regression"):
        task = REGRESSION
    elif module.endswith(("_classification", "_ranking")):
        task = CLASSIFICATION
    return Loss(
        name if higher else name.removeprefix("neg_"),
        partial(_apply_scorer, scorer, scorer._sign),
        needs,
        task,
        pointwise=False,
        higher_is_better=higher,
        positive=options.get("pos_label"),
        weighable=_takes_weights(scorer._score_func),
    )


def _scorer_named(name: str) -> Any:
    from sklearn.metrics import get_scorer, get_scorer_names

    if name in get_scorer_names():
        return get_scorer(name)
    meant = known(name.lower()) or recognised(name, {})
    if meant is not None:
        raise _unknown(name, f"; did you mean {meant.key!r}?")
    raise _unknown(name, hint(name, [*LOSSES, *METRICS, *get_scorer_names()]))


def _of_scikit_learn(function: Callable[..., Any]) -> Loss | None:
    """Return the loss of a function of sklearn.metrics, or of a partial of one; None for any other."""
    bare, options = function, {}
    if isinstance(function, partial) and not function.args:
        bare, options = function.func, dict(function.keywords)
    name = _name(bare)
    metrics = sys.modules.get("sklearn.metrics")
    if metrics is None or getattr(metrics, name, None) is not bare:
        return None
    parameters = _parameters(bare)
    second = parameters[1].name if len(parameters) > 1 else ""
    lacking = [p.name for p in parameters[2:] if p.default is p.empty and p.name not in options]
    scorers = map(metrics.get_scorer, metrics.get_scorer_names())
    own = [scorer for scorer in scorers if scorer._score_func is bare]
    if own:
        response, higher = own[0]._response_method, own[0]._sign > 0
    elif second in _PREDICTED and not lacking and name.endswith((_HIGHER, *_LOWER)):
        response, higher = "predict", name.endswith(_HIGHER)
    else:
        raise InvalidInputError(
            f"must tell one number from truth and predictions, and {name} alone does not; give a scorer, such as "
            f"sklearn.metrics.make_scorer({name}, ...), with all arguments and `response_method`",
            argument="loss",
        )
    scorer = metrics.make_scorer(
        bare, response_method=response, greater_is_better=higher, **options
    )
    return _of_scorer(scorer, name)


def _apply_plain(
    function: Callable[..., float], kind: str, sample: Sample, **weights: Any
) -> float:
    target, predicted = sample.target, sample.predicted
    if kind == LABEL:
        predicted = target.original(predicted)
    return function(target.original(sample.truth), predicted, **weights)


def _apply_scorer(scorer: Any, sign: int, sample: Sample, **weights: Any) -> float:
    from sklearn.exceptions import UndefinedMetricWarning

    truth = sample.target.original(sample.truth)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("error", UndefinedMetricWarning)
        return sign * float(scorer(_replay(sample), np.empty((truth.size, 0)), truth, **weights))


def _replay(sample: Sample) -> Any:
    """Return an object that looks like a fitted scikit-learn estimator and answers with stored predictions."""
    from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin

    target = sample.target
    methods: dict[str, Any] = {"__sklearn_is_fitted__": lambda _: True}
    for kind, values in sample.predictions.items():
        name = RESPONSES[kind]
        methods[name] = _answering(name, target.original(values) if kind == LABEL else values)
    mixin = RegressorMixin if target.classes is None else ClassifierMixin
    replay = type("StoredPredictions", (mixin, BaseEstimator), methods)()
    if target.classes is not None:
        replay.classes_ = target.classes
    return replay


def _answering(name: str, values: Array) -> Callable[[Any, Any], Array]:
    def answer(self: Any, X: Any) -> Array:  # noqa: ARG001 - the signature of an estimator's method
        return values

    answer.__name__ = name
    return answer


def same_measure(one: Loss, other: Loss, target: Target | None = None) -> bool:
    facts = [
        (loss.key, loss.sign, loss.needs, loss.pool, _positive(loss, target))
        for loss in (one, other)
    ]
    try:
        return facts[0] == facts[1] and bool(_content(one.function) == _content(other.function))
    except ValueError:  # arrays of their own, or cells that are still empty
        return False


def _positive(loss: Loss, target: Target | None) -> Any:
    if loss.about == "all" or target is None or target.classes is None:
        return loss.positive
    return target.positive if loss.positive is None else target.position(loss.positive)


def _content(part: Any, around: tuple[int, ...] = ()) -> Any:
    if id(part) in around:  # it refers to itself
        return around.index(id(part))
    if isinstance(part, partial):
        parts: Any = [part.func, part.args, part.keywords]
    elif all(hasattr(part, name) for name in _PARTS_OF_SCORERS):
        parts = [getattr(part, name) for name in _PARTS_OF_SCORERS]
    elif hasattr(part, "__code__"):
        cells = [cell.cell_contents for cell in part.__closure__ or ()]
        parts = [part.__code__, part.__defaults__, part.__kwdefaults__, cells]
    elif isinstance(part, dict):
        parts = list(part.items())
    elif isinstance(part, (list, tuple)):
        parts = part
    else:
        return part
    return [_content(one, (*around, id(part))) for one in parts]
