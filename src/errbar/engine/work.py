"""One fit: what it needs, what it gives, and how it is done."""

import time
import traceback
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errbar import _rng
from errbar.engine.data import Data, take
from errbar.engine.learners import Prototype
from errbar.losses import DECISION, LABEL, PROBABILITY, RESPONSES, Target


@dataclass(frozen=True, eq=False)
class Task:
    """One learner on one training set.

    Attributes
    ----------
    key : str
        Digest of everything the outcome depends on.
    learner : str
        Name of the learner.
    training_set : str
        Digest of the training positions.
    train, examples : ndarray of int
        Training positions, and the positions to predict, ascending.
    split : str
        First split that needs it, in words.
    """

    key: str
    learner: str
    training_set: str
    train: NDArray[Any]
    examples: NDArray[Any]
    split: str


@dataclass(frozen=True, eq=False)
class Block:
    """What became of one task.

    Attributes
    ----------
    key, learner, split : str
        Of the task.
    examples : ndarray of int
        Positions predicted.
    predictions : dict of str to ndarray
        Predictions by kind; empty if the fit failed.
    seconds : float
        Time of fit and predictions.
    warnings : tuple of str
        Distinct warnings, one line each.
    error, traceback : str
        Type and text of the exception, if the fit failed.
    """

    key: str
    learner: str
    split: str
    examples: NDArray[Any]
    predictions: dict[str, NDArray[Any]] = field(default_factory=dict)
    seconds: float = 0.0
    warnings: tuple[str, ...] = ()
    error: str = ""
    traceback: str = ""


@dataclass(frozen=True, eq=False)
class Job:
    """What all tasks of a run share."""

    data: Data
    prototypes: Mapping[str, Prototype]
    base: int


def perform(job: Job, task: Task) -> Block:
    """Fit one learner on one training set and predict; a failure becomes part of the block."""
    prototype = job.prototypes[task.learner]
    started = time.perf_counter()
    predictions: dict[str, NDArray[Any]] = {}
    error = trace = ""
    # Some learners draw from NumPy's global generator, against good advice; the executor has lent it to the fits.
    np.random.seed(_rng.seed(job.base, task.learner, task.training_set, "legacy"))  # noqa: NPY002
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        try:
            predictions = _fit_and_predict(job, prototype, task)
        except (Exception, SystemExit) as raised:  # noqa: BLE001 - a learner may raise anything; it is recorded
            text = " ".join(str(raised).split())
            error, trace = f"{type(raised).__name__}: {text}", traceback.format_exc()
    seconds = time.perf_counter() - started
    texts = dict.fromkeys(f"{w.category.__name__}: {' '.join(str(w.message).split())}" for w in caught)
    return Block(task.key, task.learner, task.split, task.examples, predictions, seconds, tuple(texts), error, trace)


def _fit_and_predict(job: Job, prototype: Prototype, task: Task) -> dict[str, NDArray[Any]]:
    data = job.data
    estimator = prototype.fresh(job.base, task.training_set)
    estimator.fit(take(data.X, task.train), data.y[task.train])
    examples = take(data.X, task.examples)
    if not prototype.nested_jobs:
        return _predict(prototype, estimator, examples, data.target, task.examples.size)
    # Threads that add up votes in the order in which they finish would change the last bits.
    from joblib import parallel_config

    with parallel_config(backend="sequential"):
        return _predict(prototype, estimator, examples, data.target, task.examples.size)


def _predict(prototype: Prototype, estimator: Any, X: Any, target: Target, count: int) -> dict[str, NDArray[Any]]:
    found: dict[str, NDArray[Any]] = {}
    kinds = [k for k in prototype.kinds if k not in prototype.optional or hasattr(estimator, RESPONSES[k])]
    if PROBABILITY in kinds:
        found[PROBABILITY] = _by_class(estimator.predict_proba(X), estimator, target, count, "predict_proba", 0.0)
    if DECISION in kinds:
        lowest = float(np.finfo(np.float64).min)
        found[DECISION] = _by_class(
            estimator.decision_function(X), estimator, target, count, "decision_function", lowest
        )
    if LABEL in kinds:
        if PROBABILITY in found and prototype.labels_from_probabilities:
            found[LABEL] = np.argmax(found[PROBABILITY], axis=1).astype(_code_type(target))
        else:
            found[LABEL] = _labels(estimator.predict(X), target, count)
    return found


def _labels(predicted: Any, target: Target, count: int) -> NDArray[Any]:
    array = np.asarray(predicted)
    if array.shape == (count, 1):
        array = array.ravel()
    if array.shape != (count,):
        raise ValueError(f"predict returned shape {array.shape} for {count} examples")
    if target.classes is None:
        values = array.astype(np.float64)
        _refuse_not_finite(values, "predict")
        return values
    codes = np.minimum(np.searchsorted(target.classes, array), target.classes.size - 1)
    wrong = target.classes[codes] != array
    if wrong.any():
        raise ValueError(f"predict returned {array[wrong][0]!r}, which is not a class of the target")
    return codes.astype(_code_type(target))


def _by_class(values: Any, estimator: Any, target: Target, count: int, method: str, missing: float) -> NDArray[Any]:
    """Return one column per class of the whole target, also where the training set lacked a class."""
    array = np.asarray(values, dtype=np.float64)
    _refuse_not_finite(array, method)
    if target.classes is None or array.shape == (count,):
        return array
    known = np.asarray(estimator.classes_)
    if array.shape != (count, known.size):
        raise ValueError(f"{method} returned shape {array.shape} for {count} examples and {known.size} classes")
    if known.size == target.classes.size:
        return array
    full = np.full((count, target.classes.size), missing)
    full[:, np.searchsorted(target.classes, known)] = array
    return full


def _refuse_not_finite(array: NDArray[Any], method: str) -> None:
    if not np.isfinite(array).all():
        raise ValueError(f"{method} returned {array[~np.isfinite(array)][0]}")


def _code_type(target: Target) -> np.dtype[Any]:
    return np.min_scalar_type(0 if target.classes is None else target.classes.size)
