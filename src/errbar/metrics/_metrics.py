"""Metrics with influence values: each is one entry. Keys are those of scikit-learn's scorers, where it has one."""

import math
import re
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from errbar.metrics import _undefined as lacking, chances, counts, numbers, ranks
from errbar.metrics._loss import Loss
from errbar.metrics._pointwise import absolute_error, brier, log_loss, squared_error
from errbar.metrics._sample import (
    CLASSIFICATION,
    DECISION,
    LABEL,
    PROBABILITY,
    REGRESSION,
    Array,
    Measured,
    Sample,
)

_UNIT, _SIGNED, _BELOW_ONE, _POSITIVE = (0.0, 1.0), (-1.0, 1.0), (-math.inf, 1.0), (0.0, math.inf)


def _of_counts(key: str, metric: counts.OfShares, words: str, **facts: Any) -> Loss:
    """Return a metric of the confusion matrix; of folds it is that of their matrices added up."""
    declared: dict[str, Any] = {"range": _UNIT, "pool": "folds", "lacks": lacking.every} | facts
    measured = counts.measured_within if declared.get("given_class") else counts.measured
    return _metric(key, partial(measured, metric), (LABEL,), CLASSIFICATION, words, **declared)


def _of_class(key: str, ratio: counts.Quotient, words: str, **facts: Any) -> list[Loss]:
    """Return a ratio for the positive class, and its averages over all classes."""
    averages = {"macro": counts.macro, "weighted": counts.weighted, "micro": counts.micro}
    return [
        _of_counts(
            key,
            partial(counts.of_positive, ratio),
            words,
            about="positive",
            **{"lacks": lacking.positives, "trials": partial(counts.trials, ratio)} | facts,
        ),
        *(
            _of_counts(
                f"{key}_{name}",
                partial(average, ratio),
                f"{words} ({name})",
                lacks=None if name == "micro" else lacking.every,
                given_class=facts.get("given_class", False) and name == "macro",
            )
            for name, average in averages.items()
        ),
    ]


def _of_ranks(key: str, function: Callable[[Sample], Measured], words: str, **facts: Any) -> Loss:
    """Return a metric of scores that rank; those of different fits are hardly comparable, so folds are averaged."""
    return _metric(
        key,
        function,
        facts.pop("needs", (DECISION, PROBABILITY)),
        CLASSIFICATION,
        words,
        range=_UNIT,
        **facts,
    )


def _of_numbers(key: str, function: Callable[[Sample], Measured], words: str, **facts: Any) -> Loss:
    """Return a metric of numbers that are predicted."""
    return _metric(key, function, (LABEL,), REGRESSION, words, pool="folds", **facts)


def _metric(
    key: str,
    function: Callable[[Sample], Measured],
    needs: tuple[str, ...],
    task: str,
    words: str,
    **facts: Any,
) -> Loss:
    declared: dict[str, Any] = {"higher_is_better": True} | facts
    return Loss(
        key, function, needs, task, pointwise=False, influence=True, words=words, **declared
    )


def _mean(key: str, function: Callable[[Array, Array], Array], words: str, **facts: Any) -> Loss:
    """Return a metric that is the mean of a loss per example."""
    declared: dict[str, Any] = {"needs": (LABEL,), "task": REGRESSION, "range": _POSITIVE} | facts
    return Loss(key, function, words=words, **declared)


def _hit(truth: Array, predicted: Array) -> Array:
    found: Array = truth == predicted
    return found


def _squared_log_error(truth: Array, predicted: Array) -> Array:
    found: Array = np.square(np.log1p(truth) - np.log1p(predicted))
    return found


def _percentage(truth: Array, predicted: Array) -> Array:
    found: Array = np.abs(truth - predicted) / np.maximum(np.abs(truth), np.finfo(np.float64).eps)
    return found


def f_score(beta: float) -> Loss:
    """Return the F score that weighs recall beta times as much as precision."""
    return _of_class(f"f{beta:g}", counts.f_score(beta), f"F{beta:g}")[0]


METRICS: dict[str, Loss] = {
    loss.key: loss
    for loss in (
        _mean(
            "accuracy", _hit, "accuracy", task=CLASSIFICATION, range=_UNIT, higher_is_better=True
        ),
        *_of_class("f1", counts.f_score(1.0), "F1"),
        *_of_class("precision", counts.PRECISION, "precision"),
        *_of_class("recall", counts.RECALL, "recall", given_class=True),
        *_of_class("jaccard", counts.JACCARD, "Jaccard index"),
        _of_class(
            "specificity",
            counts.SPECIFICITY,
            "specificity",
            given_class=True,
            lacks=lacking.negatives,
        )[0],
        _of_class(
            "npv",
            counts.NEGATIVE_PREDICTIVE_VALUE,
            "negative predictive value",
            lacks=lacking.negatives,
        )[0],
        _of_counts(
            "balanced_accuracy", counts.balanced_accuracy, "balanced accuracy", given_class=True
        ),
        _of_counts("matthews_corrcoef", counts.matthews, "MCC", range=_SIGNED, lacks=lacking.two),
        _of_counts("kappa", counts.kappa, "kappa", range=_SIGNED, lacks=lacking.two),
        *(
            _metric(
                f"kappa_{name}",
                partial(counts.weighted_kappa, power),
                (LABEL,),
                CLASSIFICATION,
                f"{name} kappa",
                range=_SIGNED,
                pool="folds",
                lacks=lacking.two,
            )
            for name, power in (("linear", 1), ("quadratic", 2))
        ),
        _of_ranks(
            "roc_auc",
            ranks.roc_auc,
            "ROC AUC",
            about="two",
            given_class=True,
            lacks=lacking.two_sides,
        ),
        *(
            _of_ranks(
                f"roc_auc_{name}{ending}",
                partial(function, by_share=bool(ending)),
                f"ROC AUC ({name}{ending.replace('_', ', ')})",
                needs=(PROBABILITY,),
                given_class=name == "ovo" and not ending,
                lacks=lacking.every,
            )
            for name, function in (("ovr", ranks.one_against_rest), ("ovo", ranks.one_against_one))
            for ending in ("", "_weighted")
        ),
        _of_ranks(
            "average_precision",
            ranks.average_precision,
            "average precision",
            about="positive",
            pool="folds",
            lacks=lacking.positives,
        ),
        _mean("log_loss", log_loss, "log loss", needs=(PROBABILITY,), task=CLASSIFICATION),
        _mean("brier_score", brier, "Brier score", needs=(PROBABILITY,), task=CLASSIFICATION),
        *(
            _metric(
                key,
                function,
                (PROBABILITY,),
                CLASSIFICATION,
                words,
                pool="folds",
                range=_BELOW_ONE,
                lacks=lacking.two,
                skill=True,
            )
            for key, function, words in (
                ("d2_log_loss_score", chances.log_loss_skill, "log loss skill"),
                ("d2_brier_score", chances.brier_skill, "Brier skill"),
            )
        ),
        _metric(
            "calibration_error",
            chances.calibration_error,
            (PROBABILITY,),
            CLASSIFICATION,
            "calibration error",
            pool="folds",
            range=_UNIT,
            higher_is_better=False,
        ),
        _mean("mean_squared_error", squared_error, "mean squared error"),
        _mean("mean_absolute_error", absolute_error, "mean absolute error"),
        _mean("mean_squared_log_error", _squared_log_error, "mean squared log error"),
        _mean("mean_absolute_percentage_error", _percentage, "mean absolute percentage error"),
        _of_numbers("r2", numbers.r2, "R2", range=_BELOW_ONE, lacks=lacking.varying, skill=True),
        _of_numbers(
            "explained_variance",
            numbers.explained_variance,
            "explained variance",
            range=_BELOW_ONE,
            lacks=lacking.varying,
        ),
        _of_numbers(
            "d2_absolute_error_score",
            numbers.d2_absolute,
            "D2",
            range=_BELOW_ONE,
            lacks=lacking.varying,
            skill=True,
        ),
        _of_numbers(
            "root_mean_squared_error", numbers.rmse, "RMSE", range=_POSITIVE, higher_is_better=False
        ),
        _of_numbers(
            "root_mean_squared_log_error",
            numbers.rmsle,
            "RMSLE",
            range=_POSITIVE,
            higher_is_better=False,
        ),
        _of_numbers(
            "wape",
            numbers.wape,
            "WAPE",
            range=_POSITIVE,
            higher_is_better=False,
            lacks=lacking.nonzero,
        ),
    )
}

_ALIASES = {
    "mcc": "matthews_corrcoef",
    "acc": "accuracy",
    "auc": "roc_auc",
    "auroc": "roc_auc",
    "cohen_kappa": "kappa",
    "rmse": "root_mean_squared_error",
    "rmsle": "root_mean_squared_log_error",
    "mse": "mean_squared_error",
    "mae": "mean_absolute_error",
    "mape": "mean_absolute_percentage_error",
    "ece": "calibration_error",
    "tpr": "recall",
    "sensitivity": "recall",
    "tnr": "specificity",
    "ppv": "precision",
    "log-loss-skill": "d2_log_loss_score",
    "brier-skill": "d2_brier_score",
}


def named(key: str) -> Loss | None:
    """Return the metric of a key, of scikit-learn's name for it, of an abbreviation, or of an F score such as f2."""
    plain = key.removeprefix("neg_")
    plain = _ALIASES.get(plain, plain)
    if plain in METRICS:
        return METRICS[plain]
    beta = re.fullmatch(r"f(\d+(?:\.\d+)?)", plain)
    return f_score(float(beta[1])) if beta and float(beta[1]) > 0.0 else None


BY_SCORE = {
    "accuracy_score": "accuracy",
    "average_precision_score": "average_precision",
    "balanced_accuracy_score": "balanced_accuracy",
    "brier_score_loss": "brier_score",
    "cohen_kappa_score": "kappa",
    "explained_variance_score": "explained_variance",
    "f1_score": "f1",
    "fbeta_score": "f",
    "jaccard_score": "jaccard",
    "precision_score": "precision",
    "r2_score": "r2",
    "recall_score": "recall",
    "roc_auc_score": "roc_auc",
}


def recognised(function: str, options: dict[str, Any]) -> tuple[Loss, Any] | None:
    """Return the metric that a function of scikit-learn computes with these options, and the label it takes for positive.

    None where the metric is not among these, or the options are unusual.
    """
    key, left = BY_SCORE.get(function, function), dict(options)
    average, positive = left.pop("average", None), left.pop("pos_label", None)
    if key == "f":
        key = f"f{left.pop('beta', 1.0):g}"
    kind = (
        left.pop("multi_class", None)
        if key == "roc_auc"
        else left.pop("weights", None)
        if key == "kappa"
        else None
    )
    parts = [
        key,
        kind,
        None if average in ("binary", None) or (kind and average == "macro") else average,
    ]
    found = named("_".join(filter(None, parts)))
    return None if left or found is None else (found, positive)
