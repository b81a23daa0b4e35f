"""A check of shared fits against real ones, on a few splits drawn at random."""

import warnings
from collections.abc import Container, Mapping
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from errbar.engine.shared._family import TOLERANCE, Array, Family, Positions
from errbar.losses import DECISION, LABEL, PROBABILITY, RESPONSES, Target


def agrees(
    family: Family,
    estimator: Any,
    X: Array,
    target: Target,
    trains: Positions,
    tests: Positions,
    values: Mapping[str, Array],
    *,
    rng: Generator,
    splits: int,
    undone: Container[int],
) -> bool:
    """Refit on some splits that were done, and tell whether all of their predictions agree."""
    done = [j for j in range(len(tests)) if j not in undone and len(tests[j])]
    ends = np.cumsum([len(test) for test in tests])
    for j in rng.permutation(len(done))[:splits].tolist():
        split = done[j]
        begin, end = ends[split] - len(tests[split]), ends[split]
        own = {kind: array[begin:end] for kind, array in values.items()}
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                if not _split_agrees(family, estimator, X, target, trains[split], tests[split], own):
                    return False
        except Exception:  # noqa: BLE001 - a learner that refuses what was shared does not agree
            return False
    return True


def _split_agrees(
    family: Family, estimator: Any, X: Array, target: Target, train: Array, test: Array, own: Mapping[str, Array]
) -> bool:
    from sklearn.base import clone

    fitted = clone(estimator).fit(X[train], target.original(target.values[train]))
    examples = X[test]
    # Probabilities, and the scores of a classifier, are of order one.
    usual = float(np.sqrt(np.mean(target.values[train] ** 2))) if target.classes is None else 1.0
    for kind, found in own.items():
        answer = _response(fitted, examples, target, kind)
        if answer.shape != found.shape:
            return False
        labels = kind == LABEL and target.classes is not None
        same = answer == found if labels else close(found, answer, usual)
        if not same.all() and not (same | ~family.clear(fitted, examples)).all():
            return False
    return True


def close(found: Array, answer: Array, usual: float) -> NDArray[np.bool_]:
    """Tell which rows agree to `TOLERANCE`, relative to their own size or to the usual size of an answer."""
    apart = np.abs(found - answer) > TOLERANCE * np.maximum(np.abs(answer), usual)
    same: NDArray[np.bool_] = ~apart.reshape(len(apart), -1).any(axis=1)
    return same


def _response(fitted: Any, examples: Array, target: Target, kind: str) -> Array:
    array = np.asarray(getattr(fitted, RESPONSES[kind])(examples))
    if target.classes is None:
        return array.astype(np.float64)
    if kind == LABEL:
        return np.searchsorted(target.classes, array)
    known = np.asarray(fitted.classes_)
    if array.ndim == 1 or known.size == target.classes.size:
        return array
    missing = {PROBABILITY: 0.0, DECISION: float(np.finfo(np.float64).min)}[kind]
    full = np.full((array.shape[0], target.classes.size), missing)
    full[:, np.searchsorted(target.classes, known)] = array
    return full
