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
from errbar.plans import Split


@dataclass(frozen=True, eq=False, slots=True)
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
    split : Split
        First split that needs it.
    """

    key: str
    learner: str
    training_set: str
    train: NDArray[Any]
    examples: NDArray[Any]
    split: Split

    @property
    def queue(self) -> str:
        """Fits of one learner take about as long as each other."""
        return self.learner


@dataclass(frozen=True, eq=False, slots=True)
class Block:
    """What became of one task.

    Attributes
    ----------
    key, learner, split : str
        Of the task; the split in words, where the fit was done by itself.
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

    @property
    def queue(self) -> str:
        """Queue of its task."""
        return self.learner


@dataclass(frozen=True, eq=False)
class Bundle:
    """Tasks of a learner that can do them all at once."""

    tasks: tuple[Task, ...]

    @property
    def queue(self) -> str:
        """The learner."""
        return self.tasks[0].learner


@dataclass(frozen=True, eq=False)
class Bundled:
    """What became of a bundle: a block per task, and the seconds for all."""

    queue: str
    blocks: tuple[Block, ...]
    seconds: float


@dataclass(frozen=True, eq=False)
class Job:
    """What all fits of a run have in common.

    Attributes
    ----------
    shared : Data
        Features and target.
    prototypes : mapping of str to Prototype
        Learners by name.
    base : int
        Root of the random streams.
    """

    shared: Data
    prototypes: Mapping[str, Prototype]
    base: int

    def perform(self, task: Task | Bundle) -> Block | Bundled:
        """Fit one learner on one training set, or on all of them at once, and predict."""
        return self.fit(task) if isinstance(task, Task) else self._fit_together(task)

    def _fit_together(self, bundle: Bundle) -> Bundled:
        started = time.perf_counter()
        estimator = self.prototypes[bundle.queue].estimator
        tasks, tests = bundle.tasks, [task.examples for task in bundle.tasks]
        X = np.ascontiguousarray(self.shared.X, dtype=np.float64)
        try:
            found = estimator.predict_splits(X, self.shared.target.values, [task.train for task in tasks], tests)
            found = np.asarray(found).astype(_code_type(self.shared.target), copy=False)
            if found.shape != (sum(test.size for test in tests),) or not np.isfinite(found).all():
                raise ValueError("predict_splits must return one finite number per example")
        except Exception:  # noqa: BLE001 - one by one the fits that cannot be done say so themselves
            blocks = tuple(self.fit(task) for task in tasks)
            return Bundled(bundle.queue, blocks, time.perf_counter() - started)
        seconds = time.perf_counter() - started
        ends = np.cumsum([test.size for test in tests]).tolist()
        each = seconds / len(tasks)
        blocks = tuple(
            Block(task.key, task.learner, "", test, {LABEL: found[end - test.size : end]}, each)
            for task, test, end in zip(tasks, tests, ends, strict=True)
        )
        return Bundled(bundle.queue, blocks, seconds)

    def fit(self, task: Task) -> Block:
        """Fit one learner on one training set and predict; a failure becomes part of the block."""
        prototype = self.prototypes[task.learner]
        started = time.perf_counter()
        predictions: dict[str, NDArray[Any]] = {}
        error = trace = ""
        # Some learners draw from NumPy's global generator, against good advice; the executor has lent it to the fits.
        np.random.seed(_rng.seed(self.base, task.learner, task.training_set, "legacy"))  # noqa: NPY002
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("default")
            try:
                predictions = _fit_and_predict(self, prototype, task)
            except (Exception, SystemExit) as raised:  # noqa: BLE001 - a learner may raise anything; it is recorded
                error, trace = one_line(raised), traceback.format_exc()
        seconds = time.perf_counter() - started
        texts = tuple(dict.fromkeys(f"{w.category.__name__}: {' '.join(str(w.message).split())}" for w in caught))
        words = task.split.describe()
        return Block(task.key, task.learner, words, task.examples, predictions, seconds, texts, error, trace)


def one_line(error: BaseException) -> str:
    """Return type and text of an exception on one line."""
    return f"{type(error).__name__}: {' '.join(str(error).split())}"


def _fit_and_predict(job: Job, prototype: Prototype, task: Task) -> dict[str, NDArray[Any]]:
    data = job.shared
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
    if target.classes is None:
        return np.dtype(np.float64)
    return np.min_scalar_type(target.classes.size)
