"""What is fitted: a learner on one training set and seed, or on all of a plan in one call, and what becomes of it."""

import random
import time
import traceback
from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, fields
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
from errbar.fits.predictions import form, predicted
from errbar.fits.process import Settings
from errbar.fits.store import Record
from errbar.metrics import LABEL, PROBABILITY
from errbar.plans import Draw, Split

Predictions = dict[str, NDArray[Any]]

CHECKED = 2
"""Training sets of a batch that are fitted alone too, to see that predictions are the same."""

FEWEST = 8
"""Training sets from which on errbar computes fits of scikit-learn's learners together."""


@dataclass(frozen=True, eq=False)
class TrainingSet:
    """A training set and a seed (or None): the first split that has them, all that do, and what these test."""

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


class Task(NamedTuple):
    """One fit of a learner, or a batch of fits in one call: one key, one record."""

    key: str
    learner: str
    sets: tuple[int, ...]

    @property
    def queue(self) -> str:
        """The learner: its fits take about as long as each other."""
        return self.learner


@dataclass(frozen=True, eq=False)
class Outcome:
    """What became of a task: predictions by kind, training set after training set; none if it failed."""

    task: Task
    predictions: Predictions = field(default_factory=dict)
    seconds: float = 0.0
    warnings: tuple[str, ...] = ()
    error: str = ""
    traceback: str = ""

    @classmethod
    def kept(cls, task: Task, record: Record) -> "Outcome":
        """Return what a store has of a task."""
        predictions = {
            name.removeprefix("p/"): values
            for name, values in record.arrays.items()
            if name.startswith("p/")
        }
        return cls(task, predictions, record.facts["seconds"], tuple(record.facts["warnings"]))


@dataclass(frozen=True, eq=False)
class FitJob:
    """What all fits of a run have in common."""

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

    def travels(self, task: Task) -> bool:
        """Tell whether a learner can be sent to another process."""
        return self._packed[task.learner] is not None

    def perform(self, task: Task) -> Outcome:
        """Fit a learner and predict; a failure becomes part of the outcome."""
        started = time.perf_counter()
        prototype = self.learners[task.learner]
        if isinstance(prototype, BaseException):
            return self.failed(task, f"it cannot be read by another process: {one_line(prototype)}")
        predictions: Predictions = {}
        error = trace = ""
        with self.settings.around_fit() as caught:
            try:
                sets = [self.sets[place] for place in task.sets]
                if len(sets) == 1:
                    predictions = self._alone(prototype, sets[0])
                else:
                    predictions = joined(self._together(prototype, sets))
            except (Exception, SystemExit) as raised:  # noqa: BLE001 - a learner may raise anything; it is recorded
                error, trace = one_line(raised), traceback.format_exc()
        texts = (f"{one.category.__name__}: {' '.join(str(one.message).split())}" for one in caught)
        seconds = time.perf_counter() - started
        return Outcome(task, predictions, seconds, tuple(dict.fromkeys(texts)), error, trace)

    def _alone(self, prototype: Prototype, chosen: TrainingSet) -> Predictions:
        from joblib import parallel_config

        # Some learners draw from the global generators, against good advice; the process is lent to the fits.
        seed = _rng.seed(self.base, prototype.name, *chosen.streams, "legacy")
        np.random.seed(seed)  # noqa: NPY002
        random.seed(seed)
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

    def _together(self, prototype: Prototype, sets: Sequence[TrainingSet]) -> list[Predictions]:
        """Return the predictions of all training sets in one call; two of them, drawn at random, are fitted alone too."""
        found = self._in_one_call(prototype, sets)
        done = [place for place, one in enumerate(found) if one is not None]
        rng = _rng.stream(self.base, "checked fits", prototype.name)
        wrong = total = 0
        for place in rng.permutation(done)[:CHECKED].tolist():
            differ = _differ(
                found[place], self._alone(prototype, sets[place]), batched=prototype.batched
            )
            wrong, total = wrong + differ.sum(), total + differ.size
        if prototype.batched and wrong > 1 + total // 20:
            raise ValueError(
                f"fit_predict_many and single fits differ in {wrong} of {total} predictions; share=False fits one by one"
            )
        if wrong and not prototype.batched:
            found = [None] * len(sets)
        return [
            self._alone(prototype, own) if one is None else one
            for one, own in zip(found, sets, strict=True)
        ]

    def _in_one_call(
        self, prototype: Prototype, sets: Sequence[TrainingSet]
    ) -> list[Predictions | None]:
        from errbar.fits import shared

        data = self.shared
        # In workers X is mapped from a file, and sums over such an array may differ in the last bits.
        X = np.asarray(data.X) if isinstance(data.X, np.ndarray) else data.X
        trains, tests = [one.first.train for one in sets], [one.examples for one in sets]
        if prototype.batched:
            models = [prototype.fresh(self.base, *one.streams) for one in sets]
            seeds = [getattr(model, "random_state", None) for model in models]
            answers = models[0].fit_predict_many(X, data.y, trains, tests, seeds)
            if len(answers) != len(sets):
                raise ValueError(
                    f"fit_predict_many returned {len(answers)} arrays for {len(sets)} training sets"
                )
            return [
                self._of_batch(prototype, answer, one)
                for answer, one in zip(answers, sets, strict=True)
            ]
        exact = shared.exact(prototype.estimator, X, data.target)
        assert exact is not None
        try:
            with np.errstate(all="ignore"):
                each = list(exact(trains, tests))
        except Exception:  # noqa: BLE001 - one by one the fits that cannot be done say so themselves
            return [None] * len(sets)
        return [
            one
            if one is None
            else {
                kind: one[kind].astype(form(kind, data.target, 0)[1], copy=False)
                for kind in prototype.kinds
            }
            for one in each
        ]

    def _of_batch(self, prototype: Prototype, answer: Any, own: TrainingSet) -> Predictions:
        target = self.shared.target
        known = None
        if target.classes is not None:
            inside = target.classes[np.unique(target.values[own.first.train])]
            every = np.ndim(answer) == 2 and np.shape(answer)[1] == target.n_classes
            known = target.classes if every else inside
        return predicted(
            _Answer(answer, known),
            own.examples,
            target,
            prototype.kinds,
            labels_from_probabilities=PROBABILITY in prototype.kinds,
        )

    def failed(self, task: Task, reason: str) -> Outcome:
        """Return the outcome of a task that was not brought to an end."""
        return Outcome(task, error=reason)

    def words(self, task: Task) -> list[str]:
        """Return where each fit belongs, such as ``repeat 3, fold 1``."""
        return [self.sets[place].first.describe() for place in task.sets]

    def record(self, outcome: Outcome) -> Record:
        """Return what a store keeps of an outcome."""
        task = outcome.task
        examples = [self.sets[place].examples for place in task.sets]
        facts: dict[str, Any] = {
            "learner": task.learner,
            "data": self.shared.digest,
            "splits": self.words(task),
            "sizes": [one.size for one in examples],
            "seconds": round(outcome.seconds, 6),
            "warnings": list(outcome.warnings),
            "versions": dict(self.learners[task.learner].identity.versions),
            "time": time.strftime("%Y-%m-%dT%H:%M:%S+00:00", time.gmtime()),
        }
        if outcome.error:
            return Record({}, facts | {"error": outcome.error, "traceback": outcome.traceback})
        arrays = {f"p/{kind}": values for kind, values in outcome.predictions.items()}
        return Record({"examples": np.concatenate(examples).astype(np.int64)} | arrays, facts)


class _Answer:
    def __init__(self, values: Any, classes: Any) -> None:
        self.values, self.classes_ = values, classes

    def predict(self, X: Any) -> Any:  # noqa: ARG002 - of these examples
        return self.values

    predict_proba = predict


def joined(each: Sequence[Predictions]) -> Predictions:
    """Return the predictions of several fits, one after another, of the kinds that all of them gave."""
    return {
        kind: np.concatenate([one[kind] for one in each])
        for kind in each[0]
        if all(kind in one for one in each)
    }


def _differ(found: Predictions | None, alone: Predictions, *, batched: bool) -> NDArray[np.bool_]:
    assert found is not None
    tolerance = 1e-2 if batched else 1e-8
    differ = []
    for kind in found.keys() & alone.keys():
        one, other = found[kind], alone[kind]
        if one.dtype.kind == "u":
            differ.append(one != other)
        else:
            usual = 1.0 if kind != LABEL else np.sqrt(np.mean(np.square(other)))
            far = np.abs(one - other) > tolerance * np.maximum(np.abs(other), usual)
            differ.append(far.reshape(len(far), -1).any(axis=1))
    differing: NDArray[np.bool_] = np.any(differ, axis=0)
    return differing


def _read(content: bytes | None) -> Any:
    try:
        return None if content is None else loads(content)
    except BaseException as error:  # noqa: BLE001 - whatever the modules do that are imported for it
        return error


def tasks_of(job: FitJob, *, share: bool, kept: bool) -> Iterator[Task]:
    """Yield the tasks of a run, learner after learner."""
    settings = repr([sorted(one.items()) for one in (job.settings.sklearn, job.settings.numpy)])
    for name, prototype in job.learners.items():
        identity = prototype.identity if kept else None
        own = (identity.digest if identity is not None else "") or prototype.token
        environment = "" if identity is None else identity.environment
        common = [job.shared.digest, name, own, str(job.base), settings, environment]
        common += prototype.kinds
        if share and _pays(job, prototype):
            batches: list[tuple[int, ...]] = [tuple(range(len(job.sets)))]
        else:
            batches = [(place,) for place in range(len(job.sets))]
        for places in batches:
            state = blake2b("|".join(common).encode(), digest_size=16)
            for one in (job.sets[place] for place in places):
                state.update(repr(one.streams).encode())
                state.update(one.examples.astype(np.int64).tobytes())
            yield Task(state.hexdigest(), name, places)


def _pays(job: FitJob, prototype: Prototype) -> bool:
    if prototype.batched:
        return len(job.sets) > CHECKED
    if len(job.sets) < FEWEST:
        return False
    from errbar.fits import shared

    return shared.exact(prototype.estimator, job.shared.X, job.shared.target) is not None
