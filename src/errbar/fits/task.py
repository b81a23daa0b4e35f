"""What is fitted: each learner once on each training set and seed, and what becomes of it."""

import random
import time
import traceback
from collections.abc import Container, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, fields, replace
from functools import cached_property, partial
from hashlib import blake2b
from pickle import loads
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from errbar import _rng
from errbar.errors import one_line
from errbar.fits.coded import fitted
from errbar.fits.data import Data, take
from errbar.fits.learners import Prototype
from errbar.fits.parallel import packed
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


class Fit(NamedTuple):
    """One learner on one training set.

    Attributes
    ----------
    key : str
        Digest of everything that the outcome depends on; after the point, of the versions of what is installed.
    learner : str
        Name of the learner.
    place : int
        Position of the training set.
    """

    key: str
    learner: str
    place: int


@dataclass(frozen=True)
class FitTask:
    """Fits of one learner that are done at once, from what all splits have in common, or one fit alone."""

    fits: tuple[Fit, ...]
    together: bool = False

    @property
    def queue(self) -> str:
        """The learner: its fits take about as long as each other."""
        return self.fits[0].learner

    def without(self, keys: Container[str]) -> list["FitTask"]:
        """Return the task of the fits that do not have these keys; none where all have."""
        left = tuple(fit for fit in self.fits if fit.key not in keys)
        return [replace(self, fits=left)] if left else []


@dataclass(frozen=True, eq=False)
class Outcome:
    """What became of a fit.

    Attributes
    ----------
    fit : Fit
        The fit.
    predictions : dict of str to ndarray
        Predictions by kind; empty if the fit failed.
    seconds : float
        Time of fit and predictions.
    warnings : tuple of str
        Distinct warnings, one line each.
    error, traceback : str
        Type and text of the exception, and where it was raised, if the fit failed.
    shared : int
        1 where it was computed from what all splits have in common, -1 where refits showed that none could be.
    versions : mapping of str to str
        Versions of what it was made with.
    """

    fit: Fit
    predictions: dict[str, NDArray[Any]] = field(default_factory=dict)
    seconds: float = 0.0
    warnings: tuple[str, ...] = ()
    error: str = ""
    traceback: str = ""
    shared: int = 0
    versions: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def kept(cls, fit: Fit, record: Record) -> "Outcome":
        """Return what a store has of a fit."""
        predictions = {
            name.removeprefix("p/"): values
            for name, values in record.arrays.items()
            if name.startswith("p/")
        }
        facts = record.facts
        return cls(
            fit,
            predictions,
            facts["seconds"],
            tuple(facts["warnings"]),
            versions=facts["versions"],
        )


class Outcomes(NamedTuple):
    """What became of a task: the outcome of each fit, and the time for all."""

    seconds: float
    each: tuple[Outcome, ...]


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
        return {name: packed(one) for name, one in self.learners.items()}

    def travels(self, task: FitTask) -> bool:
        """Tell whether a learner can be sent to another process."""
        return self._packed[task.queue] is not None

    def perform(self, task: FitTask) -> Outcomes:
        """Fit one learner and predict; a failure becomes part of the outcome."""
        started = time.perf_counter()
        prototype = self.learners[task.queue]
        if isinstance(prototype, BaseException):
            words = one_line(prototype)
            return self.failed(task, f"it cannot be read by another process: {words}")
        if task.together:
            each = self._fitted_together(task.fits, prototype)
        else:
            each = tuple(self._fitted(fit, prototype) for fit in task.fits)
        return Outcomes(time.perf_counter() - started, each)

    def _fitted(self, fit: Fit, prototype: Prototype) -> Outcome:
        started = time.perf_counter()
        chosen = self.sets[fit.place]
        predictions: dict[str, NDArray[Any]] = {}
        error = trace = ""
        # Some learners draw from the global generators, against good advice; the process is lent to the fits.
        seed = _rng.seed(self.base, fit.learner, *chosen.streams, "legacy")
        np.random.seed(seed)  # noqa: NPY002
        random.seed(seed)
        with self.settings.around_fit() as caught:
            try:
                predictions = self._predictions(prototype, chosen)
            except (Exception, SystemExit) as raised:  # noqa: BLE001 - a learner may raise anything; it is recorded
                error, trace = one_line(raised), traceback.format_exc()
        texts = (f"{one.category.__name__}: {' '.join(str(one.message).split())}" for one in caught)
        seconds = time.perf_counter() - started
        return Outcome(fit, predictions, seconds, tuple(dict.fromkeys(texts)), error, trace)

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

    def _fitted_together(self, fits: Sequence[Fit], prototype: Prototype) -> tuple[Outcome, ...]:
        from errbar.fits.shared import LearningProblem, predict_all

        started = time.perf_counter()
        data, sets = self.shared, [self.sets[fit.place] for fit in fits]
        # Such learners draw nothing, so fits that differ in their seed are one.
        known: dict[tuple[str, bytes], int] = {}
        where = [known.setdefault((one.digest, one.examples.tobytes()), len(known)) for one in sets]
        different = [sets[place] for place in np.unique(where, return_index=True)[1]]
        estimator = prototype.fresh(self.base, *sets[0].streams)
        rng = _rng.stream(self.base, "shared fits", prototype.name)
        # In workers X is mapped from a file, and sums over such an array may differ in the last bits.
        problem = LearningProblem(estimator, np.asarray(data.X), data.target, prototype.kinds)
        with self.settings.around_fit():
            found = predict_all(
                problem,
                [one.first.train for one in different],
                [one.examples for one in different],
                rng,
            )
        seconds = (time.perf_counter() - started) / len(fits)
        ends = np.cumsum([one.examples.size for one in different])
        outcomes = []
        for fit, place in zip(fits, where, strict=True):
            if place in found.undone:
                alone = self._fitted(fit, prototype)
                outcomes.append(replace(alone, shared=-1 if found.refused else 0))
            else:
                own = slice(ends[place] - different[place].examples.size, ends[place])
                values = {kind: every[own] for kind, every in found.values.items()}
                outcomes.append(Outcome(fit, values, seconds, shared=1))
        return tuple(outcomes)

    def failed(self, task: FitTask, reason: str) -> Outcomes:
        """Return the outcomes of a task that was not brought to an end."""
        return Outcomes(0.0, tuple(Outcome(fit, error=reason) for fit in task.fits))

    def words(self, fit: Fit) -> str:
        """Return where a fit belongs, such as ``repeat 3, fold 1``."""
        return self.sets[fit.place].first.describe()

    def record(self, outcome: Outcome) -> Record:
        """Return what a store keeps of an outcome."""
        fit = outcome.fit
        facts: dict[str, Any] = {
            "learner": fit.learner,
            "data": self.shared.digest,
            "split": self.words(fit),
            "seconds": round(outcome.seconds, 6),
            "warnings": list(outcome.warnings),
            "versions": dict(outcome.versions),
            "time": time.strftime("%Y-%m-%dT%H:%M:%S+00:00", time.gmtime()),
        }
        if outcome.error:
            return Record({}, facts | {"error": outcome.error, "traceback": outcome.traceback})
        arrays = {f"p/{kind}": values for kind, values in outcome.predictions.items()}
        return Record({"examples": self.sets[fit.place].examples.astype(np.int64)} | arrays, facts)


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
        environment = "" if identity is None else f".{identity.environment}"
        fits = []
        for place, one in enumerate(job.sets):
            state = blake2b("|".join([*common, repr(one.streams)]).encode(), digest_size=16)
            state.update(one.examples.astype(np.int64).tobytes())
            fits.append(Fit(state.hexdigest() + environment, name, place))
        if family is None:
            yield from (FitTask((fit,)) for fit in fits)
        else:
            yield FitTask(tuple(fits), together=True)


def _family(prototype: Prototype, data: Data) -> Any:
    from errbar.fits.shared import LearningProblem, family_of

    return family_of(LearningProblem(prototype.estimator, data.X, data.target, prototype.kinds))
