"""What a name, a scorer of scikit-learn or a function stands for: the losses and metrics of `metrics.toml`, or one of its own."""

import inspect
import pickle
import re
import sys
import tomllib
import warnings
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from importlib import resources
from typing import Any

import numpy as np

from errbar import _check
from errbar.errors import InvalidInputError, hint
from errbar.metrics import counts, numbers, ranks
from errbar.metrics._loss import POOLS, Loss
from errbar.metrics._sample import (
    ANY,
    CLASSIFICATION,
    LABEL,
    REGRESSION,
    RESPONSES,
    Array,
    Sample,
    Target,
)

_TABLE = tomllib.loads(
    resources.files("errbar.metrics").joinpath("metrics.toml").read_text(encoding="utf-8")
)
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
    return None if _THERE[what](sample) else _TABLE["lacks"][what]


_FUNCTIONS: dict[str, Any] = {"lacking": lacking, "mean": np.mean, "median": np.median}
for _module in (counts, numbers, ranks):
    _FUNCTIONS |= vars(_module)


def _function(form: Any) -> Any:
    """Return the function of a name, or of a list of one and of what it takes first; other things are themselves."""
    if isinstance(form, list):
        function, *first = map(_function, form)
        return partial(function, *first)
    return _FUNCTIONS.get(form, form) if isinstance(form, str) else form


def _loss(key: str, facts: dict[str, Any]) -> Loss:
    told = {}
    for name, fact in facts.items():
        if name in ("function", "lacks", "trials"):
            told[name] = _function(fact)
        elif name != "also":
            told[name] = tuple(fact) if isinstance(fact, list) else fact
    return Loss(key, **told)


LOSSES: dict[str, Loss] = {}
METRICS: dict[str, Loss] = {}
_KNOWN: dict[str, Loss] = {}
for _kind, _losses in (("losses", LOSSES), ("metrics", METRICS)):
    for _key, _facts in _TABLE[_kind].items():
        _losses[_key] = _loss(_key, _facts)
        _KNOWN |= dict.fromkeys((_key, *_facts.get("also", ())), _losses[_key])


def known(key: str) -> Loss | None:
    """Return the loss of a key, of scikit-learn's name for it, of an abbreviation, or of an F score such as f2; None for any other."""
    plain = key.removeprefix("neg_")
    found = _KNOWN.get(plain)
    beta = re.fullmatch(r"f(\d+(?:\.\d+)?)", plain)
    if found or beta is None or float(beta[1]) == 0.0:
        return found
    weight = float(beta[1])
    ratio = ["f_score", weight]
    facts = {
        "words": f"F{weight:g}",
        "function": ["of_positive", ratio],
        "trials": ["trials", ratio],
    }
    return _loss(f"f{weight:g}", _TABLE["metrics"]["f1"] | facts)


def same(wanted: str, key: str) -> bool:
    found = known(wanted)
    return key in (wanted, None if found is None else found.key)


def in_words(key: str) -> str:
    found = known(key)
    return key if found is None else found.words


def recognised(function: str, options: dict[str, Any]) -> Loss | None:
    """Return the metric that a function of scikit-learn computes with these options; None if it is unknown."""
    left = dict(options)
    average, positive = left.pop("average", None), left.pop("pos_label", None)
    base = function
    if function == "fbeta_score":
        base = f"f{left.pop('beta', 0):g}"
    metric = known(base) or known(re.sub("_(score|loss)$", "", base))
    if metric is None:
        return None
    options_in_keys = {"roc_auc": "multi_class", "kappa": "weights"}
    kind = left.pop(options_in_keys.get(metric.key, ""), None)
    if average == "binary" or (kind and average == "macro"):
        average = None
    found = known("_".join(filter(None, (metric.key, kind, average))))
    if left or found is None:
        return None
    return found if positive is None or found.about == "all" else replace(found, positive=positive)


def default(task: str) -> Loss:
    """Return the loss used when none is named: zero-one for classifiers, squared-error for regressors."""
    return LOSSES["zero-one" if task == CLASSIFICATION else "squared-error"]


def resolve(loss: Any, task: str, pool: str | None = None) -> Loss:
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

    Returns
    -------
    Loss

    Raises
    ------
    InvalidInputError
        If there is no such loss, or it does not fit the task.
    """
    found = default(task) if loss is None else lookup(loss)
    fitting = ", ".join(repr(key) for key, known in LOSSES.items() if known.task == task)
    must = f"must be made for {task}, such as {fitting}, and this is for {found.task}"
    _check.require(found.task in (ANY, task), must, found.key, "loss")
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
        partial(_apply_plain, function),
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
    tasks = {"regression": REGRESSION, "classification": CLASSIFICATION, "ranking": CLASSIFICATION}
    return Loss(
        name if higher else name.removeprefix("neg_"),
        partial(_apply_scorer, scorer, scorer._sign),
        needs,
        tasks.get(module.rpartition("_")[2], ANY),
        pointwise=False,
        higher_is_better=higher,
        positive=options.get("pos_label"),
        weighable=_takes_weights(scorer._score_func),
    )


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


def _apply_plain(function: Callable[..., float], sample: Sample, **weights: Any) -> float:
    [(kind, predicted)] = sample.predictions.items()
    if kind == LABEL:
        predicted = sample.target.original(predicted)
    return function(sample.target.original(sample.truth), predicted, **weights)


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
    [(kind, values)] = sample.predictions.items()
    shown = target.original(values) if kind == LABEL else values

    def answer(self: Any, X: Any) -> Array:  # noqa: ARG001 - the signature of an estimator's method
        return shown

    answer.__name__ = RESPONSES[kind]
    methods: dict[str, Any] = {answer.__name__: answer, "__sklearn_is_fitted__": lambda _: True}
    if target.classes is None:
        return type("StoredPredictions", (RegressorMixin, BaseEstimator), methods)()
    methods["classes_"] = target.classes
    return type("StoredPredictions", (ClassifierMixin, BaseEstimator), methods)()


def same_measure(one: Loss, other: Loss, target: Target | None = None) -> bool:
    facts = []
    for loss in (one, other):
        positive = loss.positive
        if loss.about != "all" and target is not None and target.classes is not None:
            positive = target.positive if positive is None else target.position(positive)
        facts.append((loss.key, loss.sign, loss.needs, loss.pool, positive))
    return facts[0] == facts[1] and _content(one.function) == _content(other.function)


def _content(function: Any) -> Any:
    try:
        return pickle.dumps(function)
    except Exception:  # noqa: BLE001 - what cannot be sent away is like itself alone
        return getattr(function, "args", function)
