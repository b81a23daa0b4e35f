"""One fit: what it needs, what it gives, and how it is done."""

import random
import time
import traceback
import warnings
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from errbar import _rng
from errbar.engine import travel
from errbar.engine.coded import fitted
from errbar.engine.data import Data, take
from errbar.engine.learners import Prototype
from errbar.engine.predictions import form, predicted
from errbar.engine.surroundings import Surroundings
from errbar.errors import one_line
from errbar.metrics import RESPONSES
from errbar.plans import Split

if TYPE_CHECKING:
    from errbar.engine.shared import LearnerFamily


GIVEN_UP = " (given up: "
"""What stands in the message of a fit that was not tried, since others of its learner had failed."""


@dataclass(frozen=True, eq=False, slots=True)
class FitTask:
    """One learner on one training set, with one seed.

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
        First split that needs it, with the training positions, and the seed where there are several.
    """

    key: str
    learner: str
    training_set: str
    examples: NDArray[Any]
    split: Split

    @property
    def streams(self) -> tuple[str | int, ...]:
        """Names, beside that of the learner, of the random streams of the fit."""
        return (
            (self.training_set,)
            if self.split.seed is None
            else (self.training_set, "seed", self.split.seed)
        )


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
    versions : mapping of str to str
        Versions of what it was made with.
    time : str
        When it was kept.
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
    versions: Mapping[str, str] = field(default_factory=dict)
    time: str = ""


@dataclass(frozen=True, eq=False)
class Bundle:
    """Fits of one learner that are one task for executors: a single one, or all that are computed together.

    A trial is a fit on a handful of examples that nobody keeps.
    """

    tasks: tuple[FitTask, ...]
    together: bool = False
    trial: bool = False

    @property
    def learner(self) -> str:
        """The learner."""
        return self.tasks[0].learner

    @property
    def queue(self) -> str:
        """The learner: its fits take about as long as each other. Trials have a queue of their own."""
        return self.tasks[0].training_set if self.trial else self.learner


@dataclass(frozen=True, eq=False)
class Outcome:
    """What became of a bundle.

    Attributes
    ----------
    queue : str
        That of the bundle.
    blocks : tuple of Block
        One per fit.
    shared : bool
        Whether any were computed together.
    refused : bool
        Whether refitting splits drawn at random gave other predictions: then none was done.
    """

    queue: str
    blocks: tuple[Block, ...] = ()
    shared: bool = False
    refused: bool = False

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
    surroundings : Surroundings
        What fits find in the process; it comes first, since learners need it where they arrive.
    shared : Data
        Features and target.
    prototypes : mapping of str to Prototype
        Learners by name.
    base : int
        Root of the random streams.
    """

    surroundings: Surroundings
    shared: Data
    prototypes: Mapping[str, Prototype]
    base: int

    def perform(self, bundle: Bundle) -> Outcome:
        """Fit one learner on each training set, one by one or on all of them at once, and predict."""
        with self.surroundings.around():
            if bundle.together:
                return self._fit_together(bundle)
            return Outcome(bundle.queue, tuple(self.fit(task) for task in bundle.tasks))

    def _fit_together(self, bundle: Bundle) -> Outcome:
        from errbar.engine.shared import LearningProblem, predict_all

        started = time.perf_counter()
        tasks, prototype = bundle.tasks, self.prototypes[bundle.learner]
        data, estimator = self.shared, prototype.fresh(self.base, *tasks[0].streams)
        rng = _rng.stream(self.base, "shared fits", prototype.name)
        # In workers X is mapped from a file, and sums over such an array may differ in the last bits.
        problem = LearningProblem(estimator, np.asarray(data.X), data.target, prototype.kinds)
        # Such learners draw nothing, so fits that differ in their seed are one.
        places: dict[tuple[str, bytes], int] = {}
        where = [
            places.setdefault((one.training_set, one.examples.tobytes()), len(places))
            for one in tasks
        ]
        different = [tasks[j] for j in np.unique(where, return_index=True)[1]]
        found = predict_all(
            problem,
            [task.split.train for task in different],
            [task.examples for task in different],
            rng,
        )
        if found.refused:
            return Outcome(bundle.queue, refused=True)
        each = (time.perf_counter() - started) / len(tasks)
        ends = np.cumsum([task.examples.size for task in different])
        blocks = []
        for task, place in zip(tasks, where, strict=True):
            if place in found.undone:
                blocks.append(self.fit(task))
            else:
                chosen = slice(ends[place] - task.examples.size, ends[place])
                own = {kind: values[chosen] for kind, values in found.values.items()}
                blocks.append(
                    Block(task.key, task.learner, "", task.examples, own, each, data=data.digest)
                )
        return Outcome(bundle.queue, tuple(blocks), shared=len(found.undone) < len(different))

    def fit(self, task: FitTask) -> Block:
        """Fit one learner on one training set and predict; a failure becomes part of the block."""
        started = time.perf_counter()
        predictions: dict[str, NDArray[Any]] = {}
        error = trace = ""
        # Some learners draw from the global generators, against good advice; the executor has lent them to the fits.
        seed = _rng.seed(self.base, task.learner, *task.streams, "legacy")
        np.random.seed(seed)  # noqa: NPY002
        random.seed(seed)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("default")
            try:
                predictions = self._fitted_predictions(task)
            except (Exception, SystemExit) as raised:  # noqa: BLE001 - a learner may raise anything; it is recorded
                error, trace = one_line(raised), traceback.format_exc()
        seconds = time.perf_counter() - started
        texts = tuple(
            dict.fromkeys(
                f"{w.category.__name__}: {' '.join(str(w.message).split())}" for w in caught
            )
        )
        words, data = task.split.describe(), self.shared.digest
        return Block(
            task.key,
            task.learner,
            words,
            task.examples,
            predictions,
            seconds,
            texts,
            error,
            trace,
            data,
        )

    def _fitted_predictions(self, task: FitTask) -> dict[str, NDArray[Any]]:
        from joblib import parallel_config

        data, prototype = self.shared, self.prototypes[task.learner]
        train = task.split.train
        make = partial(prototype.fresh, self.base, *task.streams)
        estimator = fitted(
            make, take(data.X, train), data.y[train], classes=data.target.classes is not None
        )
        examples = take(data.X, task.examples)
        # Threads that add up votes in the order in which they finish would change the last bits.
        with parallel_config(backend="sequential") if prototype.nested_jobs else nullcontext():
            return predicted(
                estimator,
                examples,
                data.target,
                prototype.kinds,
                needed=prototype.needed,
                labels_from_probabilities=prototype.labels_from_probabilities,
            )

    def failed(self, bundle: Bundle, reason: str) -> Outcome:
        """Return the outcome of a bundle whose worker was lost."""
        data = self.shared.digest
        blocks = (
            Block(t.key, t.learner, t.split.describe(), t.examples, error=reason, data=data)
            for t in bundle.tasks
        )
        return Outcome(bundle.queue, tuple(blocks))

    def packed(self, outcome: Outcome) -> bytes:
        """Return an outcome as plain bytes, but for what its task says."""
        blocks = outcome.blocks
        facts = [
            [bool(one.split), one.seconds, one.error, one.traceback, *one.warnings]
            for one in blocks
        ]
        arrays = {
            f"{j} {kind}": own
            for j, one in enumerate(blocks)
            for kind, own in one.predictions.items()
        }
        return travel.message([outcome.shared, outcome.refused, *facts], arrays)

    def unpacked(self, bundle: Bundle, message: bytes) -> Outcome:
        """Return the outcome of a bundle; an exception if this is not a message of one."""
        (shared, refused, *facts), arrays = travel.read(message)
        blocks = []
        for j, (task, (alone, took, *texts)) in enumerate(
            zip(bundle.tasks if facts else (), facts, strict=True)
        ):
            words, data = task.split.describe() if alone else "", self.shared.digest
            error, trace, *warned = travel.texts(*texts)
            found = {
                kind: arrays.pop(f"{j} {kind}") for kind in RESPONSES if f"{j} {kind}" in arrays
            }
            for kind, own in found.items():
                shape, dtype = form(kind, self.shared.target, task.examples.size)
                if own.dtype != dtype or own.shape not in (shape, shape[:1]):
                    raise TypeError("no predictions")
            known = (task.key, task.learner, words, task.examples)
            blocks.append(
                Block(*known, found, travel.seconds(took), tuple(warned), error, trace, data)
            )
        if arrays or not all(block.predictions or block.error for block in blocks):
            raise TypeError("predictions of something else")
        return Outcome(bundle.queue, tuple(blocks), shared is True, refused is True)

    def parts(self, bundle: Bundle) -> Sequence[Bundle]:
        """Return a bundle of one for each fit of a bundle, to find the one that kills workers.

        Fits by themselves might differ in the last bits from those of a run in which no worker was lost, so those that
        were to be computed together still are.
        """
        return tuple(replace(bundle, tasks=(task,)) for task in bundle.tasks)


def family(prototype: Prototype, data: Data) -> type["LearnerFamily"] | None:
    """Return the family that computes the fits of a learner on many training sets together, if there is one."""
    from errbar.engine.shared import LearningProblem, family_of

    return family_of(LearningProblem(prototype.estimator, data.X, data.target, prototype.kinds))
