"""Metrics with influence values: each is one entry. Keys are those of scikit-learn's scorers, where it has one."""

import math
import re
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from errbar.metrics import counts, numbers, ranks
from errbar.metrics._loss import Lacks, Loss
from errbar.metrics._pointwise import (
    LOSSES,
    absolute_error,
    brier,
    hit,
    log_loss,
    percentage_error,
    squared_error,
    squared_log_error,
)
from errbar.metrics._sample import (
    CLASSIFICATION,
    DECISION,
    LABEL,
    PROBABILITY,
    REGRESSION,
    Array,
    Sample,
)

_UNIT, _SIGNED, _BELOW_ONE, _POSITIVE = (0.0, 1.0), (-1.0, 1.0), (-math.inf, 1.0), (0.0, math.inf)

# What a test set lacks for a metric to be defined, or not to be decided by the class share alone. scikit-learn gives 0 there, or
# leaves a class out. A mean over splits of such numbers is biased, and its interval too short: with 5 % positives and test sets
# of 20, the coverage of 95 % intervals of F1 was 53 to 71 %.


_THERE: dict[str, Callable[[Sample], Any]] = {
    "no example of the positive class is tested": lambda sample: sample.is_positive.any(),
    "all test examples are of the positive class": lambda sample: not sample.is_positive.all(),
    "all test examples are on one side": lambda sample: np.ptp(sample.is_positive * 1) > 0,
    "some class is not tested": lambda sample: sample.own_shares.all(),
    "all test examples have the same target": lambda sample: np.ptp(sample.truth) > 0,
    "the target of all test examples is 0": lambda sample: sample.truth.any(),
}
"""What must be there, by what is said where it is not."""


def _lacking(words: str, sample: Sample) -> str | None:
    return None if _THERE[words](sample) else words


_POSITIVES, _NEGATIVES, _BOTH, _EVERY_CLASS, _VARIETY, _SIZE = (
    partial(_lacking, words) for words in _THERE
)

_Facts = dict[str, Any]
_LABELS: _Facts = {"needs": (LABEL,), "pool": "folds", "range": _UNIT, "lacks": _EVERY_CLASS}
# Scores of different fits are hardly comparable, so areas are averaged over folds.
_RANKS: _Facts = {"needs": (DECISION, PROBABILITY), "range": _UNIT, "lacks": _BOTH}
_RANKS_OF_ALL: _Facts = {"needs": (PROBABILITY,), "range": _UNIT, "lacks": _EVERY_CLASS}
_AGREEMENT: _Facts = {"range": _SIGNED, "lacks": _VARIETY}
_CHANCES: _Facts = {"needs": (PROBABILITY,), "pool": "folds"}
_MEAN_OF_CHANCES: _Facts = {"task": CLASSIFICATION, "needs": (PROBABILITY,)}
_NUMBERS: _Facts = {"needs": (LABEL,), "pool": "folds", "task": REGRESSION}
_SKILL: _Facts = {"range": _BELOW_ONE, "lacks": _VARIETY, "skill": True}
_ERROR: _Facts = {"range": _POSITIVE, "higher_is_better": False}


def _metric(key: str, words: str, function: Any, *families: _Facts, **facts: Any) -> Loss:
    declared: _Facts = {"task": CLASSIFICATION, "higher_is_better": True}
    for family in (*families, facts):
        declared |= family
    if declared.get("given_class") and declared["needs"] == (LABEL,):
        function = partial(counts.within, function)
    return Loss(key, function, words=words, pointwise=False, influence=True, **declared)


def _of_class(key: str, words: str, ratio: counts.Ratio, lacks: Lacks, **facts: Any) -> Loss:
    facts |= {"about": "positive", "lacks": lacks, "trials": partial(counts.trials, ratio)}
    return _metric(key, words, partial(counts.of_positive, ratio), _LABELS, **facts)


def _with_averages(key: str, words: str, ratio: counts.Ratio, **facts: Any) -> list[Loss]:
    macro, weighted, micro = (
        partial(average, ratio) for average in (counts.macro, counts.weighted, counts.micro)
    )
    return [
        _of_class(key, words, ratio, _POSITIVES, **facts),
        _metric(f"{key}_macro", f"{words} (macro)", macro, _LABELS, **facts),
        _metric(f"{key}_weighted", f"{words} (weighted)", weighted, _LABELS),
        _metric(f"{key}_micro", f"{words} (micro)", micro, _LABELS, lacks=None),
    ]


def _mean(key: str, words: str, function: Callable[[Array, Array], Any], **facts: Any) -> Loss:
    return Loss(key, function, words=words, **({"task": REGRESSION, "range": _POSITIVE} | facts))


METRICS: dict[str, Loss] = {
    loss.key: loss
    for loss in (
        _mean("accuracy", "accuracy", hit, task=CLASSIFICATION, range=_UNIT, higher_is_better=True),
        *_with_averages("f1", "F1", partial(counts.f_score, 1.0)),
        *_with_averages("precision", "precision", counts.precision),
        *_with_averages("recall", "recall", counts.recall, given_class=True),
        *_with_averages("jaccard", "Jaccard index", counts.jaccard),
        _of_class("specificity", "specificity", counts.specificity, _NEGATIVES, given_class=True),
        _of_class("npv", "negative predictive value", counts.negative_predictive_value, _NEGATIVES),
        _metric(
            "balanced_accuracy",
            "balanced accuracy",
            partial(counts.macro, counts.recall),
            _LABELS,
            given_class=True,
        ),
        _metric("matthews_corrcoef", "MCC", counts.matthews, _LABELS, _AGREEMENT),
        _metric("kappa", "kappa", partial(counts.kappa, 0), _LABELS, _AGREEMENT),
        _metric("kappa_linear", "linear kappa", partial(counts.kappa, 1), _LABELS, _AGREEMENT),
        _metric(
            "kappa_quadratic", "quadratic kappa", partial(counts.kappa, 2), _LABELS, _AGREEMENT
        ),
        _metric("roc_auc", "ROC AUC", ranks.roc_auc, _RANKS, about="two", given_class=True),
        _metric(
            "roc_auc_ovr",
            "ROC AUC (ovr)",
            partial(ranks.one_against_rest, by_share=False),
            _RANKS_OF_ALL,
        ),
        _metric(
            "roc_auc_ovr_weighted",
            "ROC AUC (ovr, weighted)",
            partial(ranks.one_against_rest, by_share=True),
            _RANKS_OF_ALL,
        ),
        _metric(
            "roc_auc_ovo",
            "ROC AUC (ovo)",
            partial(ranks.one_against_one, by_share=False),
            _RANKS_OF_ALL,
            given_class=True,
        ),
        _metric(
            "roc_auc_ovo_weighted",
            "ROC AUC (ovo, weighted)",
            partial(ranks.one_against_one, by_share=True),
            _RANKS_OF_ALL,
        ),
        _metric(
            "average_precision",
            "average precision",
            ranks.average_precision,
            _RANKS,
            about="positive",
            pool="folds",
            lacks=_POSITIVES,
        ),
        _mean("log_loss", "log loss", log_loss, **_MEAN_OF_CHANCES),
        _mean("brier_score", "Brier score", brier, **_MEAN_OF_CHANCES),
        _metric(
            "d2_log_loss_score",
            "log loss skill",
            partial(numbers.skill_of_chances, log_loss),
            _CHANCES,
            _SKILL,
        ),
        _metric(
            "d2_brier_score",
            "Brier skill",
            partial(numbers.skill_of_chances, brier),
            _CHANCES,
            _SKILL,
        ),
        _metric(
            "calibration_error",
            "calibration error",
            numbers.calibration_error,
            _CHANCES,
            range=_UNIT,
            higher_is_better=False,
        ),
        _mean("mean_squared_error", "mean squared error", squared_error),
        _mean("mean_absolute_error", "mean absolute error", absolute_error),
        _mean("mean_squared_log_error", "mean squared log error", squared_log_error),
        _mean("mean_absolute_percentage_error", "mean absolute percentage error", percentage_error),
        _metric("r2", "R2", partial(numbers.skill, squared_error, np.mean), _NUMBERS, _SKILL),
        _metric(
            "explained_variance",
            "explained variance",
            numbers.explained_variance,
            _NUMBERS,
            range=_BELOW_ONE,
            lacks=_VARIETY,
        ),
        _metric(
            "d2_absolute_error_score",
            "D2",
            partial(numbers.skill, absolute_error, np.median),
            _NUMBERS,
            _SKILL,
        ),
        _metric(
            "root_mean_squared_error",
            "RMSE",
            partial(numbers.root, squared_error),
            _NUMBERS,
            _ERROR,
        ),
        _metric(
            "root_mean_squared_log_error",
            "RMSLE",
            partial(numbers.root, squared_log_error),
            _NUMBERS,
            _ERROR,
        ),
        _metric("wape", "WAPE", numbers.wape, _NUMBERS, _ERROR, lacks=_SIZE),
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
    "zero_one_loss": "zero-one",
}


def known(key: str) -> Loss | None:
    """Return the loss of a key, of scikit-learn's name for it, of an abbreviation, or of an F score such as f2; None for any other."""
    plain = key.removeprefix("neg_")
    plain = _ALIASES.get(plain, plain)
    found = LOSSES.get(plain) or METRICS.get(plain)
    beta = re.fullmatch(r"f(\d+(?:\.\d+)?)", plain)
    if found or beta is None or float(beta[1]) == 0.0:
        return found
    weight = float(beta[1])
    ratio = partial(counts.f_score, weight)
    return _of_class(f"f{weight:g}", f"F{weight:g}", ratio, _POSITIVES)


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
        base = f"f{left.pop('beta', 1.0):g}"
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
    if positive is None or found.about == "all":
        return found
    return replace(found, positive=positive)
