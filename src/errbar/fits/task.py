"""What is fitted: each learner once on each training set and seed, and what becomes of it."""

import random
import time
import traceback
from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, fields
from functools import cached_property, partial
from hashlib import blake2b
from pickle import loads
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errbar import _rng
from errbar.errors import one_line
from errbar.fits.coded import fitted
from errbar.fits.data import Data, take
from errbar.fits.learners import Prototype
from errbar.fits.parallel import dumps
from errbar.fits.predictions import predicted
from errbar.fits.process import Settings
from errbar.fits.store import Record
from errbar.plans import Draw, Split


@dataclass(frozen=True, eq=False)
class TrainingSet:
    """A training set and a seed: the first split that has them, all that do, and the examples that these test.

    It is fitted once and predicts whatever any of its splits asks for; `examples` are ascending positions. The seed is None
    where there is one fit on each training set.
    """

    digest: str
    seed: int | None
    first: Split
    splits: list[int]
    examples: NDArray[Any]

    @property
    def streams(self) -> tuple[str | int, ...]:
        """Names, beside that of the learner, of the random streams of the fit."""
        return (self.digest,) if self.seed is None else (self.digest, "seed", self.seed)


def training_sets(drawn: Draw) -> tuple[TrainingSet, ...]:
    """Group splits by training set and seed."""
    members: dict[tuple[str, int | None], list[int]] = {}
    for j, (digest, split) in enumerate(zip(drawn.training_sets, drawn.splits, strict=True)):
        members.setdefault((digest, split.seed), []).append(j)
    return tuple(
        TrainingSet(
            digest,
            seed,
            drawn.splits[found[0]],
            found,
            _ascending([drawn.splits[j].test for j in found]),
        )
        for (digest, seed), found in members.items()
    )


def _ascending(tests: Sequence[NDArray[Any]]) -> NDArray[Any]:
    if len(tests) > 1:
        return np.unique(np.concatenate(tests))
    test = tests[0]
    return test if (test[1:] > test[:-1]).all() else np.sort(test)


@dataclass(frozen=True)
class FitTask:
    """One learner on one training set, or on all of them at once where it can do that.

    Attributes
    ----------
    key : str
        Digest of everything that the outcome depends on; after the point, of the versions of what is installed.
    queue : str
        Name of the learner.
    sets : tuple of int
        Positions of the training sets.
    together : bool
        Whether they are done at once.
    """

    key: str
    queue: str
    sets: tuple[int, ...]
    together: bool = False


@dataclass(frozen=True, eq=False)
class Outcome:
    """What became of a task.

    Attributes
    ----------
    key, queue : str
        Of the task.
    predictions : dict of str to ndarray
        Predictions by kind, training set after training set; empty if a fit failed.
    seconds : float
        Time of fits and predictions.
    warnings : tuple of str
        Distinct warnings, one line each.
    split, error, traceback : str
        Where a fit failed, type and text of the exception, and where it was raised.
    shared : int
        How many fits were computed from what all splits have in common; -1 where refits showed that none could be.
    versions : mapping of str to str
        Versions of what it was made with.
    """

    key: str
    queue: str
    predictions: dict[str, NDArray[Any]] = field(default_factory=dict)
    seconds: float = 0.0
    warnings: tuple[str, ...] = ()
    split: str = ""
    error: str = ""
    traceback: str = ""
    shared: int = 0
    versions: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def kept(cls, task: FitTask, record: Record) -> "Outcome":
        """Return what a store has of a task."""
        predictions = {
            name.removeprefix("p/"): values
            for name, values in record.arrays.items()
            if name.startswith("p/")
        }
        facts = record.facts
        warned, shared = tuple(facts["warnings"]), facts["shared"]
        return cls(
            task.key,
            task.queue,
            predictions,
            facts["seconds"],
            warned,
            shared=shared,
            versions=facts["versions"],
        )


@dataclass(frozen=True, eq=False)
class FitJob:
    """What all fits of a run have in common.

    Attributes
    ----------
    settings : Settings
        What fits find in the process.
    shared : Data
        Features and target.
    learners : mapping of str to Prototype
        By name.
    sets : tuple of TrainingSet
        Where they are fitted.
    base : int
        Root of the random streams.
    """

    settings: Settings
    shared: Data
    learners: Mapping[str, Prototype]
    sets: tuple[TrainingSet, ...]
    base: int

    @property
    def code(self) -> str:
        """Digest of the user's code that fits run."""
        texts = sorted(one.identity.code for one in self.learners.values())
        return blake2b(repr(texts).encode(), digest_size=8).hexdigest()

    def __getstate__(self) -> dict[str, Any]:
        """Let learners travel one by one: one that cannot keeps no other from it."""
        own = {one.name: getattr(self, one.name) for one in fields(self)}
        return own | {"learners": self._packed}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take what arrives; a learner that cannot be read is an error that its fits tell."""
        found = {name: _read(content) for name, content in state["learners"].items()}
        vars(self).update({**state, "learners": found})

    @cached_property
    def _packed(self) -> dict[str, bytes | None]:
        return {name: _written(one) for name, one in self.learners.items()}

    def travels(self, task: FitTask) -> bool:
        """Tell whether a learner can be sent to another process."""
        return self._packed[task.queue] is not None

    def perform(self, task: FitTask) -> Outcome:
        """Fit one learner and predict; a failure becomes part of the outcome."""
        prototype = self.learners[task.queue]
        if isinstance(prototype, BaseException):
            words = one_line(prototype)
            return self.failed(task, f"it cannot be read by another process: {words}")
        if task.together:
            return self._performed_together(task, prototype)
        return self._performed(task, prototype, task.sets[0])

    def _performed(self, task: FitTask, prototype: Prototype, place: int) -> Outcome:
        started = time.perf_counter()
        chosen = self.sets[place]
        predictions: dict[str, NDArray[Any]] = {}
        error = trace = ""
        # Some learners draw from the global generators, against good advice; the process is lent to the fits.
        seed = _rng.seed(self.base, task.queue, *chosen.streams, "legacy")
        np.random.seed(seed)  # noqa: NPY002
        random.seed(seed)
        with self.settings.around_fit() as caught:
            try:
                predictions = self._predictions(prototype, chosen)
            except (Exception, SystemExit) as raised:  # noqa: BLE001 - a learner may raise anything; it is recorded
                error, trace = one_line(raised), traceback.format_exc()
        texts = (f"{one.category.__name__}: {' '.join(str(one.message).split())}" for one in caught)
        return Outcome(
            task.key,
            task.queue,
            predictions,
            time.perf_counter() - started,
            tuple(dict.fromkeys(texts)),
            chosen.first.describe(),
            error,
            trace,
        )

    def _predictions(self, prototype: Prototype, chosen: TrainingSet) -> dict[str, NDArray[Any]]:
        from joblib import parallel_config

        data, train = self.shared, chosen.first.train
        make = partial(prototype.fresh, self.base, *chosen.streams)
        classes = data.target.classes is not None
        estimator = fitted(make, take(data.X, train), data.y[train], classes=classes)
        examples = take(data.X, chosen.examples)
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

    def _performed_together(self, task: FitTask, prototype: Prototype) -> Outcome:
        from errbar.fits.shared import LearningProblem, predict_all

        started = time.perf_counter()
        data, sets = self.shared, [self.sets[place] for place in task.sets]
        estimator = prototype.fresh(self.base, *sets[0].streams)
        rng = _rng.stream(self.base, "shared fits", prototype.name)
        # In workers X is mapped from a file, and sums over such an array may differ in the last bits.
        problem = LearningProblem(estimator, np.asarray(data.X), data.target, prototype.kinds)
        with self.settings.around_fit():
            found = predict_all(
                problem, [one.first.train for one in sets], [one.examples for one in sets], rng
            )
        ends = np.cumsum([one.examples.size for one in sets])
        alone = sorted(found.undone)
        parts = [
            {} if place in found.undone else _part(found.values, ends, place)
            for place in range(len(sets))
        ]
        warned: dict[str, None] = {}
        for place in alone:
            outcome = self._performed(task, prototype, task.sets[place])
            if outcome.error:
                return outcome
            parts[place] = outcome.predictions
            warned |= dict.fromkeys(outcome.warnings)
        kinds = [kind for kind in parts[0] if all(kind in part for part in parts)]
        joined = {kind: np.concatenate([part[kind] for part in parts]) for kind in kinds}
        shared = -1 if found.refused else len(sets) - len(alone)
        seconds = time.perf_counter() - started
        return Outcome(task.key, task.queue, joined, seconds, tuple(warned), shared=shared)

    def failed(self, task: FitTask, reason: str) -> Outcome:
        """Return the outcome of a task that was not brought to an end."""
        words = self.sets[task.sets[0]].first.describe()
        return Outcome(task.key, task.queue, split=words, error=reason)

    def record(self, task: FitTask, outcome: Outcome) -> Record:
        """Return what a store keeps of an outcome."""
        sets = [self.sets[place] for place in task.sets]
        facts: dict[str, Any] = {
            "learner": task.queue,
            "data": self.shared.digest,
            "splits": [one.first.describe() for one in sets],
            "sizes": [one.examples.size for one in sets],
            "seconds": round(outcome.seconds, 6),
            "warnings": list(outcome.warnings),
            "shared": outcome.shared,
            "versions": dict(self.learners[task.queue].identity.versions),
            "time": time.strftime("%Y-%m-%dT%H:%M:%S+00:00", time.gmtime()),
        }
        if outcome.error:
            failed = {"splits": [outcome.split], "error": outcome.error}
            return Record({}, facts | failed | {"traceback": outcome.traceback})
        arrays = {f"p/{kind}": values for kind, values in outcome.predictions.items()}
        examples = np.concatenate([one.examples for one in sets])
        return Record({"examples": examples.astype(np.int64)} | arrays, facts)


def _part(
    values: Mapping[str, NDArray[Any]], ends: NDArray[Any], place: int
) -> dict[str, NDArray[Any]]:
    begin = ends[place - 1] if place else 0
    return {kind: own[begin : ends[place]] for kind, own in values.items()}


def _written(prototype: Prototype) -> bytes | None:
    try:
        return dumps(prototype)
    except (Exception, SystemExit):  # noqa: BLE001 - whatever an object says about being pickled
        return None


def _read(content: bytes | None) -> Any:
    try:
        return None if content is None else loads(content)
    except BaseException as error:  # noqa: BLE001 - whatever the modules do that are imported for it
        return error


FEWEST = 8
"""Fits of one learner from which on it may pay to compute them together."""

LARGEST_SHARED = 2**26
"""Bytes of features up to which fits are computed together; that takes several copies of the features."""


def tasks_of(job: FitJob, whole: int, *, share: bool, kept: bool) -> Iterator[FitTask]:
    """Yield the tasks of a run, learner after learner.

    Whether fits are computed together hangs on the number of training sets in the whole plan: a run that is a part of a longer one
    does as that would have done.
    """
    room = isinstance(job.shared.X, np.ndarray) and job.shared.X.nbytes <= LARGEST_SHARED
    several_seeds = any(one.seed is not None for one in job.sets)
    settings = repr([sorted(one.items()) for one in (job.settings.sklearn, job.settings.numpy)])
    for name, prototype in job.learners.items():
        family = _family(prototype, job.shared) if share and room and whole >= FEWEST else None
        if family is not None and family.random and several_seeds:
            family = None
        way = "alone" if family is None else f"{family.name} {family.version}"
        identity = prototype.identity if kept else None
        own = (identity.digest if identity is not None else "") or prototype.token
        common = [job.shared.digest, name, own, str(job.base), way, settings, *prototype.kinds]
        places = range(len(job.sets))
        groups = [(place,) for place in places] if family is None else [tuple(places)]
        for group in groups:
            state = blake2b("|".join(common).encode(), digest_size=16)
            for one in (job.sets[place] for place in group):
                state.update(repr(one.streams).encode())
                state.update(one.examples.astype(np.int64).tobytes())
            key = state.hexdigest() + ("" if identity is None else f".{identity.environment}")
            yield FitTask(key, name, group, together=family is not None)


def _family(prototype: Prototype, data: Data) -> Any:
    from errbar.fits.shared import LearningProblem, family_of

    return family_of(LearningProblem(prototype.estimator, data.X, data.target, prototype.kinds))
