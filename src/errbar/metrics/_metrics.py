"""The losses and metrics of `metrics.toml`, and the names by which people call them."""

import re
import tomllib
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from importlib import resources
from typing import Any

import numpy as np

from errbar.metrics import _pointwise, counts, numbers, ranks
from errbar.metrics._loss import Loss
from errbar.metrics._sample import Sample

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
for _module in (_pointwise, counts, numbers, ranks):
    _FUNCTIONS |= vars(_module)


def _function(form: Any) -> Any:
    """Return the function of a name, or of a list of one and of what it takes first; other things are themselves."""
    if isinstance(form, list):
        return partial(*map(_function, form))
    return _FUNCTIONS.get(form, form) if isinstance(form, str) else form


_MADE: dict[str, Callable[[Any], Any]] = {
    "function": _function,
    "lacks": _function,
    "trials": _function,
    "needs": tuple,
    "range": tuple,
}


def _loss(key: str, facts: dict[str, Any]) -> Loss:
    told = {name: fact for name, fact in facts.items() if name != "also"}
    for name, made in _MADE.items():
        if name in told:
            told[name] = made(told[name])
    return Loss(key, **told)


LOSSES, METRICS = (
    {key: _loss(key, facts) for key, facts in _TABLE[kind].items()}
    for kind in ("losses", "metrics")
)
_CALLED = {
    name: key
    for kind in ("losses", "metrics")
    for key, facts in _TABLE[kind].items()
    for name in facts.get("also", ())
}


def known(key: str) -> Loss | None:
    """Return the loss of a key, of scikit-learn's name for it, of an abbreviation, or of an F score such as f2; None for any other."""
    plain = key.removeprefix("neg_")
    plain = _CALLED.get(plain, plain)
    found = LOSSES.get(plain) or METRICS.get(plain)
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
