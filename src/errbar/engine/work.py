"""One fit: what it needs, what it gives, and how it is done."""

import time
import traceback
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from errbar import _rng
from errbar.engine.data import Data, take
from errbar.engine.learners import Prototype
from errbar.engine.tasks import one_line
from errbar.losses import DECISION, LABEL, PROBABILITY, RESPONSES, Target
from errbar.plans import Split


@dataclass(frozen=True, eq=False, slots=True)
class FitTask:
    """One learner on one training set.

    Attributes
    ----------
    key : str
        Digest of everything the outcome depends on.
    learner : str
        Name of the learner.
    training_set : str
        Digest of the training positions.
    examples : ndarray of int
        Positions to predict, ascending.
    split : Split
        First split that needs it, with the training positions.
    data : str
        Digest of the data.
    """

    key: str
    learner: str
    training_set: str
    examples: NDArray[Any]
    split: Split
    data: str = ""

    @property
    def train(self) -> NDArray[Any]:
        """Training positions."""
        return self.split.train

    @property
    def queue(self) -> str:
        """Fits of one learner take about as long as each other."""
        return self.learner

    @property
    def tasks(self) -> tuple["FitTask", ...]:
        """The task itself, as a bundle has several."""
        return (self,)


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
    data : str
        Digest of the data.
    """

    shared: ClassVar[bool] = False
    refused: ClassVar[bool] = False

    key: str
    learner: str
    split: str
    examples: NDArray[Any]
    predictions: dict[str, NDArray[Any]] = field(default_factory=dict)
    seconds: float = 0.0
    warnings: tuple[str, ...] = ()
    error: str = ""
    traceback: str = ""
    data: str = ""

    @property
    def queue(self) -> str:
        """Queue of its task."""
        return self.learner

    @property
    def blocks(self) -> tuple["Block", ...]:
        """The block itself, as the outcome of a bundle has several."""
        return (self,)


@dataclass(frozen=True, eq=False)
class Bundle:
    """Tasks of a learner that can do them all at once."""

    tasks: tuple[FitTask, ...]

    @property
    def queue(self) -> str:
        """The learner."""
        return self.tasks[0].learner


@dataclass(frozen=True, eq=False)
class BundleOutcome:
    """What became of a bundle.

    Attributes
    ----------
    queue : str
        The learner.
    blocks : tuple of Block
        One per task.
    seconds : float
        Time for all.
    shared : bool
        Whether any were computed together.
    refused : bool
        Whether they were, and refitting some of them gave other predictions, so that all were refitted.
    """

    queue: str
    blocks: tuple[Block, ...]
    seconds: float
    shared: bool = False
    refused: bool = False


class _Together(NamedTuple):
    """Predictions of all tasks of a bundle, which tasks are to be fitted one by one, and whether a check failed."""

    values: dict[str, NDArray[Any]]
    undone: set[int]
    refused: bool = False


@dataclass(frozen=True, eq=False)
class FitWorkload:
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

    def perform(self, task: FitTask | Bundle) -> Block | BundleOutcome:
        """Fit one learner on one training set, or on all of them at once, and predict."""
        return self.fit(task) if isinstance(task, FitTask) else self._fit_together(task)

    def _fit_together(self, bundle: Bundle) -> BundleOutcome:
        started = time.perf_counter()
        tasks = bundle.tasks
        values, undone, refused = self._shared(self.prototypes[bundle.queue], tasks)
        each = (time.perf_counter() - started) / len(tasks)
        ends = np.cumsum([task.examples.size for task in tasks]).tolist()
        blocks = []
        for j, (task, end) in enumerate(zip(tasks, ends, strict=True)):
            if j in undone:
                blocks.append(self.fit(task))
                continue
            own = {kind: found[end - task.examples.size : end] for kind, found in values.items()}
            blocks.append(Block(task.key, task.learner, "", task.examples, own, each, data=task.data))
        shared = len(undone) < len(tasks)
        return BundleOutcome(bundle.queue, tuple(blocks), time.perf_counter() - started, shared=shared, refused=refused)

    def _shared(self, prototype: Prototype, tasks: Sequence[FitTask]) -> _Together:
        """Compute all tasks together, and check some of them."""
        from errbar.engine.shared import family_of, verify

        target, kinds = self.shared.target, prototype.kinds
        # In workers X is mapped from a file, and sums over such an array may differ in the last bits.
        X = np.asarray(self.shared.X)
        estimator = prototype.fresh(self.base, tasks[0].training_set)
        trains, tests = [task.train for task in tasks], [task.examples for task in tasks]
        family = family_of(estimator, X, target, kinds)
        everything = set(range(len(tasks)))
        if family is None:
            return _Together({}, everything)
        rng = _rng.stream(self.base, "shared fits", prototype.name)
        try:
            values, undone = family.predict(estimator, X, target, trains, tests, kinds)
            # Learners that bring their own way of doing all splits are taken at their word.
            sound = family.name == "own" or verify(
                estimator, X, target, trains, tests, kinds, values, rng, undone=set(undone), family=family
            )
        except Exception:  # noqa: BLE001 - one by one the fits that cannot be done say so themselves
            return _Together({}, everything)
        return _Together(values, set(undone)) if sound else _Together({}, everything, refused=True)

    def fit(self, task: FitTask) -> Block:
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
        return Block(task.key, task.learner, words, task.examples, predictions, seconds, texts, error, trace, task.data)

    def failed(self, task: FitTask | Bundle, reason: str) -> Block | BundleOutcome:
        """Return the outcome of a task whose worker was lost."""
        if isinstance(task, Bundle):
            return BundleOutcome(task.queue, tuple(self._lost(one, reason) for one in task.tasks), 0.0)
        return self._lost(task, reason)

    def parts(self, task: FitTask | Bundle) -> Sequence[FitTask | Bundle]:
        """Return a bundle of one for each task of a bundle, to find the one that kills workers.

        Fits by themselves might differ in the last bits from those of a run in which no worker was lost.
        """
        return tuple(Bundle((one,)) for one in task.tasks) if isinstance(task, Bundle) else (task,)

    @staticmethod
    def _lost(task: FitTask, reason: str) -> Block:
        words = task.split.describe()
        return Block(task.key, task.learner, words, task.examples, error=reason, data=task.data)


def shares(prototype: Prototype, data: Data) -> bool:
    """Tell whether the fits of a learner on many training sets can be computed together."""
    if not isinstance(data.X, np.ndarray):
        return False
    from errbar.engine.shared import family_of

    return family_of(prototype.estimator, data.X, data.target, prototype.kinds) is not None


def _fit_and_predict(workload: FitWorkload, prototype: Prototype, task: FitTask) -> dict[str, NDArray[Any]]:
    data = workload.shared
    estimator = prototype.fresh(workload.base, task.training_set)
    train = task.train
    estimator.fit(take(data.X, train), data.y[train])
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
    if target.classes is None or (array.shape == (count,) and target.classes.size == 2):
        return array
    known = np.asarray(estimator.classes_)
    if array.shape == (count,) and known.size == 2:
        # Of two classes scikit-learn tells how far it leans to the second.
        array = np.column_stack([-array, array])
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
