"""One fit: what it needs, what it gives, and how it is done."""

import time
import traceback
import warnings
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from errbar import _rng
from errbar.engine.data import Data, take
from errbar.engine.learners import Prototype
from errbar.engine.predictions import predicted
from errbar.engine.tasks import one_line
from errbar.losses import RESPONSES
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
        from errbar.engine.shared import Case, predict_all

        started = time.perf_counter()
        tasks, prototype = bundle.tasks, self.prototypes[bundle.queue]
        data, estimator = self.shared, prototype.fresh(self.base, tasks[0].training_set)
        rng = _rng.stream(self.base, "shared fits", prototype.name)
        # In workers X is mapped from a file, and sums over such an array may differ in the last bits.
        case = Case(estimator, np.asarray(data.X), data.target, prototype.kinds)
        found = predict_all(case, [task.train for task in tasks], [task.examples for task in tasks], rng)
        each = (time.perf_counter() - started) / len(tasks)
        blocks, begin = [], 0
        for j, task in enumerate(tasks):
            end = begin + task.examples.size
            if j in found.undone:
                blocks.append(self.fit(task))
            else:
                own = {kind: values[begin:end] for kind, values in found.values.items()}
                blocks.append(Block(task.key, task.learner, "", task.examples, own, each, data=task.data))
            begin = end
        shared = len(found.undone) < len(tasks)
        seconds = time.perf_counter() - started
        return BundleOutcome(bundle.queue, tuple(blocks), seconds, shared=shared, refused=found.refused)

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
    from errbar.engine.shared import Case, family_of

    return family_of(Case(prototype.estimator, data.X, data.target, prototype.kinds)) is not None


def _fit_and_predict(workload: FitWorkload, prototype: Prototype, task: FitTask) -> dict[str, NDArray[Any]]:
    data = workload.shared
    estimator = prototype.fresh(workload.base, task.training_set)
    train = task.train
    estimator.fit(take(data.X, train), data.y[train])
    examples = take(data.X, task.examples)
    # A search may lose an ability when it is fitted.
    kinds = tuple(k for k in prototype.kinds if k not in prototype.optional or hasattr(estimator, RESPONSES[k]))
    with _one_thread() if prototype.nested_jobs else nullcontext():
        return predicted(
            estimator,
            examples,
            data.target,
            kinds,
            task.examples.size,
            labels_from_probabilities=prototype.labels_from_probabilities,
        )


def _one_thread() -> AbstractContextManager[Any]:
    """Threads that add up votes in the order in which they finish would change the last bits."""
    from joblib import parallel_config

    context: AbstractContextManager[Any] = parallel_config(backend="sequential")
    return context
