"""What a name, a scorer of scikit-learn or a function stands for: the losses and metrics of `metrics.toml`, or one of its own."""

import inspect
import re
import sys
import tomllib
import warnings
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import errbar
from errbar import _check
from errbar._check import Facts
from errbar.errors import InvalidInputError, hint
from errbar.metrics import _functions
from errbar.metrics._functions import ANY, CLASSIFICATION, LABEL, REGRESSION, RESPONSES, Sample
from errbar.metrics._loss import POOLS, Loss

with Path(__file__).with_name("metrics.toml").open("rb") as _file:
    _TABLE = tomllib.load(_file)

_THERE: dict[str, Callable[[Sample], Any]] = {
    "positives": lambda sample: sample.is_positive.any(),
    "negatives": lambda sample: not sample.is_positive.all(),
    "both sides": lambda sample: np.ptp(sample.is_positive * 1) > 0,
    "every class": lambda sample: sample.own_shares.all(),
    "variety": lambda sample: np.ptp(sample.truth) > 0,
    "size": lambda sample: sample.truth.any(),
}
"""What must be there; where it is not, the table says what is lacking."""


def lacking(what: str, sample: Sample) -> str | None:
    if sample.weights is not None:
        sample = sample.only(np.flatnonzero(sample.weights))
    return None if _THERE[what](sample) else _TABLE["lacks"][what]


_FUNCTIONS: Facts = {"lacking": lacking, "mean": np.average}
FORMS = {name: np.array(form, dtype=float) for name, form in _TABLE["forms"].items()}
_FUNCTIONS |= vars(_functions) | {"median": _functions.weighted_median} | FORMS


def _function(form: Any) -> Any:
    """Return the function of a name, or of a list of one and of what it takes first; other things are themselves."""
    if isinstance(form, list):
        function, *first = map(_function, form)
        return partial(function, *first)
    return _FUNCTIONS.get(form, form) if isinstance(form, str) else form


def _loss(key: str, facts: Facts) -> Loss:
    told: Facts = {
        name: tuple(fact) if isinstance(fact, list) else fact for name, fact in facts.items()
    }
    told |= {name: _function(facts.get(name)) for name in ("function", "lacks", "trials")}
    told.pop("also", None)
    return Loss(key, **told, weighable=True)


LOSSES = {key: _loss(key, facts) for key, facts in _TABLE["losses"].items()}
METRICS = {key: _loss(key, facts) for key, facts in _TABLE["metrics"].items()}
_KNOWN = METRICS | LOSSES
for _key, _facts in (_TABLE["losses"] | _TABLE["metrics"]).items():
    _KNOWN |= dict.fromkeys(_facts.get("also", ()), _KNOWN[_key])


def known(key: str) -> Loss | None:
    """Return the loss of a key, of scikit-learn's name for it, of an abbreviation, or of an F score such as f2; None for any other."""
    plain = key.removeprefix("neg_")
    beta = re.fullmatch(r"f(\d+(?:\.\d+)?)", plain)
    if plain in _KNOWN or beta is None or float(beta[1]) == 0.0:
        return _KNOWN.get(plain)
    name, form = f"F{float(beta[1]):g}", _functions.f_score(float(beta[1]))
    facts = {"words": name, "function": ["of_positive", form], "trials": ["trials", form]}
    return _loss(name.lower(), _TABLE["metrics"]["f1"] | facts)


def key_of(name: str) -> str:
    """Return the key of a loss by any of its names; other names are their own."""
    found = known(name)
    return name if found is None else found.key


def in_words(key: str) -> str:
    found = known(key)
    return key if found is None else found.words


def recognised(function: str, options: Facts) -> Loss | None:
    """Return the metric that a function of scikit-learn computes with these options; None if it is unknown."""
    left: Facts = {"beta": 0, "average": None, "pos_label": None} | options
    beta, average, positive = left.pop("beta"), left.pop("average"), left.pop("pos_label")
    base = f"f{beta:g}" if function == "fbeta_score" else function
    metric = known(base) or known(re.sub("_(score|loss)$", "", base))
    if metric is None:
        return None
    kind = left.pop({"roc_auc": "multi_class", "kappa": "weights"}.get(metric.key, ""), None)
    if average == "binary" or (kind and average == "macro"):
        average = None
    found = known("_".join(filter(None, (metric.key, kind, average))))
    if left or found is None:
        return None
    return found if positive is None or found.about == "all" else replace(found, positive=positive)


def default(task: str) -> Loss:
    """Return the loss used when none is named: zero-one for classifiers, squared-error for regressors."""
    return LOSSES["zero-one" if task == CLASSIFICATION else "squared-error"]


def resolve(loss: Any, task: str, pool: str | None = None, *, weighted: bool = False) -> Loss:
    """Return the loss that a key, a scikit-learn scorer or its name, or a callable stands for.

    Parameters
    ----------
    loss : None, str, Loss or callable
        Key of a loss or metric (``"zero-one"``, ``"log-loss"``, ``"f1"``, ``"r2"`` ..., see
        `LOSSES` and `METRICS`), a scikit-learn scorer or its name, a function of `sklearn.metrics`
        for one of these metrics, or any other ``f(truth, predicted)`` whose larger values are
        worse. None takes the default.
    task : {"classification", "regression"}
        What the learners do.
    pool : {"none", "folds", "splits"}, optional
        What a metric is computed of: each split, the folds of a repeat together, or all splits of a
        plan together. By default metrics take the folds together, but areas under the ROC curve
        each fold, since scores of different fits are hardly comparable.
    weighted : bool, default False
        Whether examples have weights: of losses that gives their weighted mean, a metric.

    Returns
    -------
    Loss

    Raises
    ------
    InvalidInputError
        If there is no such loss, or it does not fit the task, or takes no weights.
    """
    found = default(task) if loss is None else lookup(loss)
    fitting = ", ".join(repr(key) for key, known in LOSSES.items() if known.task == task)
    must = f"must be made for {task}, such as {fitting}, and this is for {found.task}"
    _check.require(found.task in (ANY, task), must, found.key, "loss")
    found = found.weighted() if weighted else found
    return found if pool is None else replace(found, pool=_check.choice(pool, POOLS, "pool"))


def lookup(loss: Any) -> Loss:
    remedy = ""
    if isinstance(loss, Loss):
        return loss
    if isinstance(loss, str):
        ours = known(loss)
        if ours is not None:
            return ours
        from sklearn.metrics import get_scorer, get_scorer_names

        theirs = get_scorer_names()
        if loss in theirs:
            return _of_scorer(get_scorer(loss), loss)
        meant = recognised(loss.lower(), {})
        remedy = hint(meant.key if meant else loss, [*_KNOWN, *theirs])
        if loss in errbar.statistics.__all__:
            remedy = f"; `errbar.from_rows` takes errbar.statistics.{loss}"
    elif hasattr(loss, "_score_func"):
        return _of_scorer(loss, _name(loss._score_func))
    elif callable(loss):
        return _of_scikit_learn(loss) or metric(loss)
    raise InvalidInputError(
        f"must be one of {', '.join(map(repr, LOSSES))}, a metric such as 'f1' or 'r2', a scikit-learn scorer or its name, "
        f"or a function, got {loss!r}{remedy}",
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
    _check.choice(needs, RESPONSES, "needs")
    return Loss(
        str(key or _name(function)),
        partial(_as_given, function),
        (needs,),
        pointwise=False,
        higher_is_better=higher_is_better,
        weighable=_takes_weights(function),
    )


def _name(function: Any) -> str:
    return getattr(function, "__name__", type(function).__name__)


def _takes_weights(function: Any) -> bool:
    try:
        return "sample_weight" in inspect.signature(function).parameters
    except (TypeError, ValueError):  # a built-in function
        return False


def _of_scorer(scorer: Any, name: str) -> Loss:
    higher, function, options = scorer._sign > 0, scorer._score_func, scorer._kwargs
    module = getattr(function, "__module__", "")
    asked = np.atleast_1d(scorer._response_method).tolist()
    needs = tuple(kind for method in asked for kind in RESPONSES if RESPONSES[kind] == method)
    if module.startswith("sklearn.metrics"):
        found = recognised(_name(function), options)
        if found and found.higher_is_better == higher and set(found.needs) <= set(needs):
            return found
    return Loss(
        name if higher else name.removeprefix("neg_"),
        partial(_scored, scorer),
        needs,
        _TASKS.get(module.rpartition("_")[2], ANY),
        pointwise=False,
        higher_is_better=higher,
        positive=options.get("pos_label"),
        weighable=_takes_weights(function),
    )


_TASKS = {"regression": REGRESSION, "classification": CLASSIFICATION, "ranking": CLASSIFICATION}
"""What the modules of `sklearn.metrics` are for, by the end of their names."""


def _of_scikit_learn(function: Callable[..., Any]) -> Loss | None:
    """Return the metric of a function of sklearn.metrics, or of a partial of one; None for any other."""
    bare, options = function, {}
    if isinstance(function, partial) and not function.args:
        bare, options = function.func, function.keywords
    name = _name(bare)
    if getattr(sys.modules.get("sklearn.metrics"), name, None) is not bare:
        return None
    judges = name.endswith(("_score", "_loss", "_error", "_corrcoef"))
    found = judges and recognised(name, options)
    must = "must be made a scorer, which tells better from worse, by sklearn.metrics.make_scorer"
    _check.require(found, must, name, "loss")
    return found or None


def _as_given(function: Callable[..., float], sample: Sample, **options: Any) -> float:
    """Return ``function(truth, predicted)`` of labels as the user gave them."""
    original, predicted = sample.target.original, sample.predicted
    if sample.kind == LABEL:
        predicted = original(predicted)
    return function(original(sample.truth), predicted, **options)


def _scored(scorer: Any, sample: Sample, **weights: Any) -> float:
    """Return what a scorer gives; of two classes it takes the column of its positive one, by default the second."""
    from sklearn.exceptions import UndefinedMetricWarning

    if sample.classes == 2 and sample.kind != LABEL:
        label = scorer._get_pos_label()
        positive = 1 if label is None else sample.target.position(label)
        sample = replace(sample, predicted=replace(sample, positive=positive).score)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("error", UndefinedMetricWarning)
        return float(_as_given(scorer._score_func, sample, **scorer._kwargs, **weights))
