"""One fit: what it needs, what it gives, and how it is done."""

import time
import traceback
import warnings
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from typing import Any

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
    """

    key: str
    learner: str
    training_set: str
    examples: NDArray[Any]
    split: Split


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


@dataclass(frozen=True, eq=False)
class Bundle:
    """Fits of one learner that are one task for executors: a single one, or all that are computed together."""

    tasks: tuple[FitTask, ...]
    together: bool = False

    @property
    def queue(self) -> str:
        """The learner: its fits take about as long as each other."""
        return self.tasks[0].learner


@dataclass(frozen=True, eq=False)
class Outcome:
    """What became of a bundle.

    Attributes
    ----------
    blocks : tuple of Block
        One per fit.
    shared : bool
        Whether any were computed together.
    refused : bool
        Whether they were, and refitting some of them gave other predictions, so that all were refitted.
    """

    blocks: tuple[Block, ...]
    shared: bool = False
    refused: bool = False

    @property
    def queue(self) -> str:
        """The learner."""
        return self.blocks[0].learner

    @property
    def seconds(self) -> float:
        """Time for all."""
        return sum(block.seconds for block in self.blocks)

    @property
    def error(self) -> str:
        """What the first fit that failed said."""
        return next((block.error for block in self.blocks if block.error), "")


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

    def perform(self, bundle: Bundle) -> Outcome:
        """Fit one learner on each training set, one by one or on all of them at once, and predict."""
        if bundle.together:
            return self._fit_together(bundle)
        return Outcome(tuple(self.fit(task) for task in bundle.tasks))

    def _fit_together(self, bundle: Bundle) -> Outcome:
        from errbar.engine.shared import LearningProblem, predict_all

        started = time.perf_counter()
        tasks, prototype = bundle.tasks, self.prototypes[bundle.queue]
        data, estimator = self.shared, prototype.fresh(self.base, tasks[0].training_set)
        rng = _rng.stream(self.base, "shared fits", prototype.name)
        # In workers X is mapped from a file, and sums over such an array may differ in the last bits.
        problem = LearningProblem(estimator, np.asarray(data.X), data.target, prototype.kinds)
        found = predict_all(problem, [task.split.train for task in tasks], [task.examples for task in tasks], rng)
        each = (time.perf_counter() - started) / len(tasks)
        blocks, begin = [], 0
        for j, task in enumerate(tasks):
            end = begin + task.examples.size
            if j in found.undone:
                blocks.append(self.fit(task))
            else:
                own = {kind: values[begin:end] for kind, values in found.values.items()}
                blocks.append(Block(task.key, task.learner, "", task.examples, own, each, data=data.digest))
            begin = end
        return Outcome(tuple(blocks), shared=len(found.undone) < len(tasks), refused=found.refused)

    def fit(self, task: FitTask) -> Block:
        """Fit one learner on one training set and predict; a failure becomes part of the block."""
        started = time.perf_counter()
        predictions: dict[str, NDArray[Any]] = {}
        error = trace = ""
        # Some learners draw from NumPy's global generator, against good advice; the executor has lent it to the fits.
        np.random.seed(_rng.seed(self.base, task.learner, task.training_set, "legacy"))  # noqa: NPY002
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("default")
            try:
                predictions = self._fitted_predictions(task)
            except (Exception, SystemExit) as raised:  # noqa: BLE001 - a learner may raise anything; it is recorded
                error, trace = one_line(raised), traceback.format_exc()
        seconds = time.perf_counter() - started
        texts = tuple(dict.fromkeys(f"{w.category.__name__}: {' '.join(str(w.message).split())}" for w in caught))
        words, data = task.split.describe(), self.shared.digest
        return Block(task.key, task.learner, words, task.examples, predictions, seconds, texts, error, trace, data)

    def _fitted_predictions(self, task: FitTask) -> dict[str, NDArray[Any]]:
        from joblib import parallel_config

        data, prototype = self.shared, self.prototypes[task.learner]
        estimator = prototype.fresh(self.base, task.training_set)
        train = task.split.train
        estimator.fit(take(data.X, train), data.y[train])
        examples = take(data.X, task.examples)
        # A search may lose an ability when it is fitted.
        kinds = tuple(k for k in prototype.kinds if k not in prototype.optional or hasattr(estimator, RESPONSES[k]))
        # Threads that add up votes in the order in which they finish would change the last bits.
        with parallel_config(backend="sequential") if prototype.nested_jobs else nullcontext():
            one_for_both = prototype.labels_from_probabilities
            return predicted(estimator, examples, data.target, kinds, labels_from_probabilities=one_for_both)

    def failed(self, bundle: Bundle, reason: str) -> Outcome:
        """Return the outcome of a bundle whose worker was lost."""
        data = self.shared.digest
        return Outcome(
            tuple(
                Block(one.key, one.learner, one.split.describe(), one.examples, error=reason, data=data)
                for one in bundle.tasks
            )
        )

    def parts(self, bundle: Bundle) -> Sequence[Bundle]:
        """Return a bundle of one for each fit of a bundle, to find the one that kills workers.

        Fits by themselves might differ in the last bits from those of a run in which no worker was lost, so those that
        were to be computed together still are.
        """
        return tuple(replace(bundle, tasks=(task,)) for task in bundle.tasks)


def shares(prototype: Prototype, data: Data) -> bool:
    """Tell whether the fits of a learner on many training sets can be computed together."""
    from errbar.engine.shared import LearningProblem, family_of

    return family_of(LearningProblem(prototype.estimator, data.X, data.target, prototype.kinds)) is not None
