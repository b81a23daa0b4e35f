"""Losses: from predictions to numbers, one per example or one per split. Larger is worse throughout."""

import inspect
import warnings
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errbar import _check, _scores, _undefined
from errbar._check import FloatArray
from errbar.errors import InvalidInputError, UndefinedMetricError

__all__ = ["LOSSES", "Loss", "Target", "default", "metric", "resolve"]

Array = NDArray[Any]
Predictions = Mapping[str, Array]

LABEL, PROBABILITY, DECISION = "label", "probability", "decision"
RESPONSES = {LABEL: "predict", PROBABILITY: "predict_proba", DECISION: "decision_function"}
CLASSIFICATION, REGRESSION, ANY = "classification", "regression", "any"


@dataclass(frozen=True, eq=False)
class Target:
    """What is to be predicted.

    Attributes
    ----------
    values : ndarray, shape (n,)
        Positions in `classes` for classification, numbers for regression.
    classes : ndarray or None
        The distinct labels in sorted order; None for regression.
    """

    values: Array
    classes: Array | None = None

    @property
    def task(self) -> str:
        """Either ``"classification"`` or ``"regression"``."""
        return REGRESSION if self.classes is None else CLASSIFICATION

    @property
    def codes(self) -> Array | None:
        """Class of each example as a position in `classes`; None for regression."""
        return None if self.classes is None else self.values

    def original(self, codes: Array) -> Array:
        """Return labels as the user gave them."""
        return codes if self.classes is None else self.classes[codes]


@dataclass(frozen=True)
class Loss:
    """One loss per example, or one number per split.

    Parameters
    ----------
    key : str
        Name, as ``loss=`` takes it and as reports show it.
    function : callable
        For a loss per example ``function(truth, predicted)`` returns one number per example; labels come as
        positions in the sorted classes. For a number per split ``function(target, truth, predictions)`` returns it.
    needs : tuple of str
        Kinds of prediction it can use, best first: ``"label"`` (also a regression's number), ``"probability"``
        (one column per class), ``"decision"``.
    task : {"classification", "regression", "any"}
        What it is made for.
    pointwise : bool
        Whether it gives one number per example.
    higher_is_better : bool
        Whether users know it as a score. It is then negated inside and shown in its own direction.
    every_kind : bool
        Whether it is handed all kinds of prediction it can use, and not just the best.
    given_class : bool
        Whether it is taken given the class, as a recall or an AUC, so that it does not depend on the shares of the classes.
    lacks : callable, optional
        ``lacks(classes, truth)`` says in words what the truth of a test set lacks for the number to be defined, or None.
    over_pairs : callable, optional
        ``over_pairs(truth, predicted)`` returns the mean loss over all pairs of a truth with a prediction, for the
        .632+ estimator. Losses for classification do without: theirs follows from the frequencies of the classes.
    """

    key: str
    function: Callable[..., Any] = field(repr=False)
    needs: tuple[str, ...] = (LABEL,)
    task: str = ANY
    pointwise: bool = True
    higher_is_better: bool = False
    every_kind: bool = False
    given_class: bool = False
    lacks: _undefined.Rule | None = field(default=None, repr=False)
    over_pairs: Callable[[Any, Any], float] | None = field(default=None, repr=False)

    @property
    def sign(self) -> int:
        """Factor from the inside (larger is worse) to the direction shown: -1 for scores, 1 for losses."""
        return -1 if self.higher_is_better else 1

    @property
    def direction(self) -> str:
        """The direction in words."""
        return "higher is better" if self.higher_is_better else "lower is better"

    def kinds(self, available: Container[str]) -> tuple[str, ...]:
        """Return the kinds of prediction to use among those available: the best one, or all."""
        found = tuple(kind for kind in self.needs if kind in available)
        if not found:
            raise InvalidInputError(
                f"the loss {self.key!r} needs predictions of kind {' or '.join(self.needs)}, and there are none; "
                f"run again with loss={self.key!r}"
            )
        return found if self.every_kind else found[:1]

    def points(self, truth: Array, predictions: Predictions) -> FloatArray:
        """Return the loss of each example."""
        return np.asarray(self.function(truth, predictions[self.kinds(predictions)[0]]), dtype=np.float64)

    def no_information(self, truth: Array, predictions: Predictions) -> float | None:
        """Return the mean loss over all pairs of a truth with a prediction, or None where nobody knows how."""
        kind = self.kinds(predictions)[0]
        if self.over_pairs is not None:
            return float(self.over_pairs(truth, predictions[kind]))
        if not self.pointwise or self.task != CLASSIFICATION:
            return None
        labels, counts = np.unique(truth, return_counts=True)
        means = [float(self.points(np.full(truth.size, label), predictions).mean()) for label in labels]
        return float(np.dot(counts, means)) / truth.size

    def score(self, target: Target, truth: Array, predictions: Predictions) -> float:
        """Return the number of one split, larger is worse."""
        if self.pointwise:
            return float(self.points(truth, predictions).mean())
        return self.sign * float(self.function(target, truth, predictions))


def _zero_one(truth: Array, predicted: Array) -> Array:
    different: Array = truth != predicted
    return different


def _log_loss(truth: Array, probability: Array) -> Array:
    smallest = np.finfo(np.float64).eps
    chosen = probability[np.arange(truth.size), truth]
    result: Array = -np.log(np.clip(chosen, smallest, 1.0))
    return result


def _brier(truth: Array, probability: Array) -> Array:
    distance = probability.astype(np.float64, copy=True)
    distance[np.arange(truth.size), truth] -= 1.0
    total: Array = np.square(distance).sum(axis=1)
    return total / 2 if probability.shape[1] == 2 else total


def _squared_error(truth: Array, predicted: Array) -> Array:
    squared: Array = np.square(truth - predicted)
    return squared


def _absolute_error(truth: Array, predicted: Array) -> Array:
    absolute: Array = np.abs(truth - predicted)
    return absolute


def _squared_over_pairs(truth: Array, predicted: Array) -> float:
    return float(truth.var() + predicted.var() + (truth.mean() - predicted.mean()) ** 2)


def _absolute_over_pairs(truth: Array, predicted: Array) -> float:
    """Sum |y - p| over all pairs by sorting: each prediction has so many truths below it, and the rest above."""
    ascending = np.sort(truth.astype(np.float64))
    sums = np.concatenate([[0.0], np.cumsum(ascending)])
    below = np.searchsorted(ascending, predicted)
    pairs = predicted * (2 * below - truth.size) + sums[-1] - 2 * sums[below]
    return float(pairs.mean()) / truth.size


LOSSES: dict[str, Loss] = {
    loss.key: loss
    for loss in (
        Loss("zero-one", _zero_one, (LABEL,), CLASSIFICATION),
        Loss("log-loss", _log_loss, (PROBABILITY,), CLASSIFICATION),
        Loss("brier", _brier, (PROBABILITY,), CLASSIFICATION),
        Loss("squared-error", _squared_error, (LABEL,), REGRESSION, over_pairs=_squared_over_pairs),
        Loss("absolute-error", _absolute_error, (LABEL,), REGRESSION, over_pairs=_absolute_over_pairs),
    )
}


_WORDS = {
    "zero-one": "zero-one loss",
    "log-loss": "log loss",
    "brier": "Brier score",
    "squared-error": "squared error",
    "absolute-error": "absolute error",
    "roc_auc": "ROC AUC",
    "r2": "R2",
    "f1": "F1",
}


def in_words(key: str) -> str:
    """Return the name of a loss as people write it; one that is not known stays as it is."""
    return _WORDS.get(key, key)


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


def metric(
    function: Callable[..., float], *, key: str | None = None, needs: str = LABEL, higher_is_better: bool = False
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
        To be passed as ``loss=``.

    Examples
    --------
    >>> import numpy as np
    >>> from errbar.losses import metric
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
    )


def _lookup(loss: Any) -> Loss:
    if isinstance(loss, Loss):
        return loss
    if isinstance(loss, str):
        return LOSSES[loss] if loss in LOSSES else _from_scorer(_scorer_named(loss), loss)
    if hasattr(loss, "_score_func"):
        return _from_scorer(loss, getattr(loss._score_func, "__name__", "scorer"))
    if callable(loss):
        return _from_callable(loss)
    raise InvalidInputError(f"`loss` must be a loss key, a scikit-learn scorer name or a callable, got {loss!r}")


def _scorer_named(name: str) -> Any:
    from sklearn.metrics import get_scorer, get_scorer_names

    known = get_scorer_names()
    if name not in known:
        near = get_close_matches(name, [*LOSSES, *known], n=1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        keys = ", ".join(map(repr, LOSSES))
        raise InvalidInputError(
            f"`loss` must be one of {keys} or the name of a scikit-learn scorer such as 'roc_auc' or 'r2', got {name!r}{hint}"
        )
    return get_scorer(name)


def _from_scorer(scorer: Any, name: str) -> Loss:
    """Wrap a scikit-learn scorer; it is replayed on stored predictions, so it costs no fit."""
    higher = scorer._sign > 0
    methods = scorer._response_method
    methods = (methods,) if isinstance(methods, str) else tuple(methods)
    kinds = {method: kind for kind, method in RESPONSES.items()}
    needs = tuple(kinds.get(method, LABEL) for method in methods)
    module = getattr(scorer._score_func, "__module__", "")
    task = REGRESSION if module.endswith("_regression") else ANY
    task = CLASSIFICATION if module.endswith(("_classification", "_ranking")) else task
    key = name if higher else name.removeprefix("neg_")
    return Loss(
        key,
        partial(_apply_scorer, scorer, 1 if higher else -1, quick=_scores.quick(scorer)),
        needs,
        task,
        pointwise=False,
        higher_is_better=higher,
        given_class=_undefined.is_given_class(scorer),
        lacks=_undefined.rule_of(scorer),
    )


def _from_callable(function: Callable[..., Any]) -> Loss:
    name = getattr(function, "__name__", type(function).__name__)
    try:
        parameters = [p for p in inspect.signature(function).parameters.values() if p.default is p.empty]
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
    function: Callable[..., float], kind: str, target: Target, truth: Array, predictions: Predictions
) -> float:
    predicted = predictions[kind]
    return function(target.original(truth), target.original(predicted) if kind == LABEL else predicted)


def _apply_scorer(
    scorer: Any,
    sign: int,
    target: Target,
    truth: Array,
    predictions: Predictions,
    *,
    quick: _scores.Quick | None = None,
) -> float:
    found = None if quick is None else quick(target.classes, truth, predictions)
    if found is not None:
        return found
    from sklearn.exceptions import UndefinedMetricWarning

    replay = _replay(target, predictions)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("error", UndefinedMetricWarning)
        return sign * float(scorer(replay, np.empty((truth.size, 0)), target.original(truth)))


def _replay(target: Target, predictions: Predictions) -> Any:
    """Return an object that looks like a fitted scikit-learn estimator and answers with stored predictions."""
    from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin

    methods: dict[str, Any] = {}
    for kind, values in predictions.items():
        name = RESPONSES[kind]
        methods[name] = _answering(name, target.original(values) if kind == LABEL else values)
    mixin = RegressorMixin if target.classes is None else ClassifierMixin
    stored: type[Any] = type(
        "StoredPredictions", (mixin, BaseEstimator), {**methods, "__sklearn_is_fitted__": lambda _: True}
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


def dry_run(loss: Loss, target: Target, tests: Sequence[Array], describe: Callable[[int], str]) -> None:
    """Compute a per-split number for flawless predictions, so that a hopeless one is refused before any fit.

    Raises
    ------
    InvalidInputError
        If it cannot be computed on some test set, such as an AUC where only one class occurs.
    """
    if loss.pointwise:
        return
    _refuse_undefined(loss, target, tests, describe)
    for position, test in enumerate(tests):
        truth = target.values[test]
        flawless: dict[str, Array] = {LABEL: truth}
        if target.classes is not None:
            flawless[PROBABILITY] = np.eye(target.classes.size)[truth]
            binary = target.classes.size == 2
            flawless[DECISION] = truth.astype(float) if binary else flawless[PROBABILITY]
        split_score(loss, target, truth, {kind: flawless[kind] for kind in loss.kinds(flawless)}, describe(position))


_REMEDY = "use stratified splits, fewer folds or larger test sets"


def _refuse_undefined(loss: Loss, target: Target, tests: Sequence[Array], describe: Callable[[int], str]) -> None:
    """Raise if test sets lack what the metric needs, and name them."""
    if loss.lacks is None:
        return
    found = [(j, lack) for j, test in enumerate(tests) if (lack := loss.lacks(target.classes, target.values[test]))]
    if found:
        named = "; ".join(describe(j) for j, _ in found[:3]) + ("; ..." if len(found) > 3 else "")
        raise UndefinedMetricError(
            f"{loss.key!r} is undefined on {len(found)} of {len(tests)} splits ({named}): {found[0][1]}; {_REMEDY}"
        )


def split_score(loss: Loss, target: Target, truth: Array, predictions: Predictions, name: str) -> float:
    """Return the number of one split, or say on which split and why it cannot be computed."""
    lack = None if loss.lacks is None else loss.lacks(target.classes, truth)
    if lack is not None:
        raise UndefinedMetricError(f"{loss.key!r} is undefined on split {name!r}: {lack}; {_REMEDY}")
    try:
        value = loss.score(target, truth, predictions)
    except UserWarning as error:  # scikit-learn's own word for it, such as a precision without predicted positives
        reason = " ".join(str(error).split()).partition(" Use `zero_division`")[0]
        raise UndefinedMetricError(f"{loss.key!r} is undefined on split {name!r}: {reason}") from None
    except (ValueError, TypeError, AttributeError, IndexError, KeyError, ZeroDivisionError) as error:
        reason = " ".join(str(error).split())
        if "multi_class must be in" in reason:
            reason = "it is about two classes, and there are more; use 'roc_auc_ovr' or 'roc_auc_ovo' as a loss instead"
        raise InvalidInputError(f"{loss.key!r} cannot be computed on split {name!r}: {reason}") from None
    if not np.isfinite(value):
        raise UndefinedMetricError(
            f"{loss.key!r} is undefined on split {name!r} (it gives {value}); use larger test sets or stratify"
        )
    return value
