"""Metrics with influence values: each is one entry. Keys are those of scikit-learn's scorers, where it has one."""

import math
import re
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from errbar.metrics import counts, numbers, ranks
from errbar.metrics._loss import Loss
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
    Measured,
    Sample,
)

_UNIT, _SIGNED, _BELOW_ONE, _POSITIVE = (0.0, 1.0), (-1.0, 1.0), (-math.inf, 1.0), (0.0, math.inf)

# What a test set lacks for a metric to be defined, or not to be decided by the class share alone. scikit-learn gives 0 there, or
# leaves a class out. A mean over splits of such numbers is biased, and its interval too short: with 5 % positives and test sets
# of 20, the coverage of 95 % intervals of F1 was 53 to 71 %.


def _positives(sample: Sample) -> str | None:
    return None if sample.is_positive.any() else "no example of the positive class is tested"


def _negatives(sample: Sample) -> str | None:
    return "all test examples are of the positive class" if sample.is_positive.all() else None


def _both_sides(sample: Sample) -> str | None:
    return _positives(sample) or _negatives(sample)


def _every_class(sample: Sample) -> str | None:
    missing = np.flatnonzero(sample.own_shares == 0.0)
    if not missing.size:
        return None
    return f"no example of class {sample.target.original(missing).tolist()[0]!r} is tested"


def _variety(sample: Sample) -> str | None:
    return None if np.ptp(sample.truth) else "all test examples have the same target"


def _size(sample: Sample) -> str | None:
    return None if np.any(sample.truth) else "the target of all test examples is 0"


def _metric(key: str, words: str, function: Callable[[Sample], Measured], **facts: Any) -> Loss:
    declared: dict[str, Any] = {"task": CLASSIFICATION, "higher_is_better": True} | facts
    return Loss(key, function, words=words, pointwise=False, influence=True, **declared)


def _of_labels(key: str, words: str, function: Callable[[Sample], Measured], **facts: Any) -> Loss:
    """Return a metric of predicted classes; of folds it is that of their counts added up."""
    declared: dict[str, Any] = {"range": _UNIT, "pool": "folds", "lacks": _every_class} | facts
    if declared.get("given_class"):
        function = partial(counts.within, function)
    return _metric(key, words, function, needs=(LABEL,), **declared)


def _of_class(key: str, words: str, ratio: counts.Ratio, **facts: Any) -> Loss:
    """Return a ratio for the positive class."""
    declared: dict[str, Any] = {
        "lacks": _positives,
        "trials": partial(counts.trials, ratio),
    } | facts
    return _of_labels(key, words, partial(counts.of_positive, ratio), about="positive", **declared)


def _with_averages(key: str, words: str, ratio: counts.Ratio, **facts: Any) -> list[Loss]:
    """Return a ratio for the positive class, and its averages over all classes."""
    macro, weighted, micro = (
        partial(average, ratio) for average in (counts.macro, counts.weighted, counts.micro)
    )
    return [
        _of_class(key, words, ratio, **facts),
        _of_labels(f"{key}_macro", f"{words} (macro)", macro, **facts),
        _of_labels(f"{key}_weighted", f"{words} (weighted)", weighted),
        _of_labels(f"{key}_micro", f"{words} (micro)", micro, lacks=None),
    ]


def _of_ranks(key: str, words: str, function: Callable[..., Measured], **facts: Any) -> Loss:
    """Return a metric of scores that rank; those of different fits are hardly comparable, so folds are averaged."""
    declared: dict[str, Any] = {"needs": (DECISION, PROBABILITY), "range": _UNIT} | facts
    return _metric(key, words, function, **declared)


def _of_several_ranks(
    key: str, words: str, function: Callable[..., Measured], **facts: Any
) -> list[Loss]:
    """Return a mean over classes or pairs of classes, weighted equally or by their shares."""
    declared: dict[str, Any] = {"needs": (PROBABILITY,), "lacks": _every_class}
    by_share = partial(function, by_share=True)
    return [
        _of_ranks(
            key, f"ROC AUC ({words})", partial(function, by_share=False), **declared, **facts
        ),
        _of_ranks(f"{key}_weighted", f"ROC AUC ({words}, weighted)", by_share, **declared),
    ]


def _of_chances(key: str, words: str, function: Callable[[Sample], Measured], **facts: Any) -> Loss:
    """Return a metric of probabilities."""
    return _metric(key, words, function, needs=(PROBABILITY,), pool="folds", **facts)


def _of_numbers(key: str, words: str, function: Callable[[Sample], Measured], **facts: Any) -> Loss:
    """Return a metric of numbers that are predicted."""
    declared: dict[str, Any] = {"range": _BELOW_ONE, "lacks": _variety} | facts
    return _metric(key, words, function, needs=(LABEL,), task=REGRESSION, pool="folds", **declared)


def _error(key: str, words: str, function: Callable[[Sample], Measured], **facts: Any) -> Loss:
    """Return an error of numbers that are predicted, in their unit or as a share of them."""
    declared: dict[str, Any] = {
        "range": _POSITIVE,
        "higher_is_better": False,
        "lacks": None,
    } | facts
    return _of_numbers(key, words, function, **declared)


def _mean(key: str, words: str, function: Callable[[Array, Array], Array], **facts: Any) -> Loss:
    """Return a metric that is the mean of a loss per example."""
    declared: dict[str, Any] = {"needs": (LABEL,), "task": REGRESSION, "range": _POSITIVE} | facts
    return Loss(key, function, words=words, **declared)


_SKILL: dict[str, Any] = {"range": _BELOW_ONE, "lacks": _variety, "skill": True}

METRICS: dict[str, Loss] = {
    loss.key: loss
    for loss in (
        _mean("accuracy", "accuracy", hit, task=CLASSIFICATION, range=_UNIT, higher_is_better=True),
        *_with_averages("f1", "F1", counts.f_score(1.0)),
        *_with_averages("precision", "precision", counts.precision),
        *_with_averages("recall", "recall", counts.recall, given_class=True),
        *_with_averages("jaccard", "Jaccard index", counts.jaccard),
        _of_class(
            "specificity", "specificity", counts.specificity, lacks=_negatives, given_class=True
        ),
        _of_class(
            "npv", "negative predictive value", counts.negative_predictive_value, lacks=_negatives
        ),
        _of_labels(
            "balanced_accuracy",
            "balanced accuracy",
            partial(counts.macro, counts.recall),
            given_class=True,
        ),
        _of_labels("matthews_corrcoef", "MCC", counts.matthews, range=_SIGNED, lacks=_variety),
        _of_labels("kappa", "kappa", partial(counts.kappa, 0), range=_SIGNED, lacks=_variety),
        _of_labels(
            "kappa_linear", "linear kappa", partial(counts.kappa, 1), range=_SIGNED, lacks=_variety
        ),
        _of_labels(
            "kappa_quadratic",
            "quadratic kappa",
            partial(counts.kappa, 2),
            range=_SIGNED,
            lacks=_variety,
        ),
        _of_ranks(
            "roc_auc", "ROC AUC", ranks.roc_auc, about="two", lacks=_both_sides, given_class=True
        ),
        *_of_several_ranks("roc_auc_ovr", "ovr", ranks.one_against_rest),
        *_of_several_ranks("roc_auc_ovo", "ovo", ranks.one_against_one, given_class=True),
        _of_ranks(
            "average_precision",
            "average precision",
            ranks.average_precision,
            about="positive",
            pool="folds",
            lacks=_positives,
        ),
        _mean("log_loss", "log loss", log_loss, needs=(PROBABILITY,), task=CLASSIFICATION),
        _mean("brier_score", "Brier score", brier, needs=(PROBABILITY,), task=CLASSIFICATION),
        _of_chances(
            "d2_log_loss_score",
            "log loss skill",
            partial(numbers.skill_of_chances, log_loss),
            **_SKILL,
        ),
        _of_chances(
            "d2_brier_score", "Brier skill", partial(numbers.skill_of_chances, brier), **_SKILL
        ),
        _of_chances(
            "calibration_error",
            "calibration error",
            numbers.calibration_error,
            range=_UNIT,
            higher_is_better=False,
        ),
        _mean("mean_squared_error", "mean squared error", squared_error),
        _mean("mean_absolute_error", "mean absolute error", absolute_error),
        _mean("mean_squared_log_error", "mean squared log error", squared_log_error),
        _mean("mean_absolute_percentage_error", "mean absolute percentage error", percentage_error),
        _of_numbers("r2", "R2", partial(numbers.skill, squared_error, np.mean), skill=True),
        _of_numbers("explained_variance", "explained variance", numbers.explained_variance),
        _of_numbers(
            "d2_absolute_error_score",
            "D2",
            partial(numbers.skill, absolute_error, np.median),
            skill=True,
        ),
        _error("root_mean_squared_error", "RMSE", partial(numbers.root, squared_error)),
        _error("root_mean_squared_log_error", "RMSLE", partial(numbers.root, squared_log_error)),
        _error("wape", "WAPE", numbers.wape, lacks=_size),
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
    return _of_class(f"f{weight:g}", f"F{weight:g}", counts.f_score(weight))


def same(wanted: str, key: str) -> bool:
    """Return whether a text means the loss of a key: it is the key, or another name of the same metric."""
    found = known(wanted)
    return key in (wanted, None if found is None else found.key)


def in_words(key: str) -> str:
    """Return the name of a loss as people write it; one that is not known stays as it is."""
    found = known(key)
    return key if found is None else found.words


def recognised(function: str, options: dict[str, Any]) -> Loss | None:
    """Return the metric that a function of scikit-learn computes with these options.

    None where the metric is not among these, or the options are unusual.
    """
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
    parts = [metric.key, kind, average]
    if average == "binary" or (kind and average == "macro"):
        parts = parts[:2]
    found = known("_".join(filter(None, parts)))
    if left or found is None:
        return None
    if positive is None or found.about == "all":
        return found
    return replace(found, positive=positive)
