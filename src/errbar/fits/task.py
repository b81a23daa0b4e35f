"""What is fitted: a learner on one training set and seed, or on all of a plan in one call."""

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from hashlib import blake2b
from types import SimpleNamespace
from typing import Any

import numpy as np
from joblib import parallel_config
from numpy.typing import NDArray

from errbar import _rng
from errbar.fits.data import Data, take
from errbar.fits.learners import Prototype
from errbar.fits.parallel import Outcome, Task
from errbar.fits.predictions import predicted
from errbar.fits.process import Settings
from errbar.fits.shared import exact
from errbar.fits.store import Record
from errbar.metrics import LABEL, PROBABILITY
from errbar.plans import Draw, Split

Predictions = dict[str, NDArray[Any]]

CHECKED = 2
"""Training sets of a batch that are fitted alone too, to see that predictions are the same."""

FEWEST = 8
"""Training sets from which on errbar computes fits of scikit-learn's learners together."""

_REFUSALS = (ValueError, TypeError, RuntimeError)
"""What learners raise of labels that they cannot take."""


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
            np.unique(np.concatenate([drawn.splits[j].test for j in found])),
        )
        for (digest, seed), found in members.items()
    )


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
        return repr(sorted(one.identity.code for one in self.learners.values()))

    def perform(self, task: Task) -> Predictions:
        """Fit a learner and predict, training set after training set."""
        prototype = self.learners[task.learner]
        sets = [self.sets[place] for place in task.sets]
        if len(sets) == 1:
            return self._alone(prototype, sets[0])
        return joined(self._together(prototype, sets))

    def _alone(self, prototype: Prototype, chosen: TrainingSet) -> Predictions:
        # Some learners draw from the global generators, against good advice; the process is lent to the fits.
        seed = _rng.seed(self.base, prototype.name, *chosen.streams, "legacy")
        np.random.seed(seed)  # noqa: NPY002
        random.seed(seed)
        data, train = self.shared, chosen.first.train
        make = partial(prototype.fresh, self.base, *chosen.streams)
        estimator, names = _fitted(make, take(data.X, train), data.y[train], data.target.classes)
        examples = take(data.X, chosen.examples)
        # Threads that add up votes in the order in which they finish would change the last bits.
        with parallel_config(backend="sequential"):
            return predicted(
                estimator,
                examples,
                data.target,
                prototype.kinds,
                needed=prototype.needed,
                labels_from_probabilities=prototype.labels_from_probabilities,
                names=names,
            )

    def _together(self, prototype: Prototype, sets: Any) -> list[Predictions]:
        """Return the predictions of all training sets in one call; two of them, drawn at random, are fitted alone too."""
        data, own = self.shared, prototype.batched
        # In workers X is mapped from a file, and sums over such an array may differ in the last bits.
        X = np.asarray(data.X) if isinstance(data.X, np.ndarray) else data.X
        rows = [one.first.train for one in sets], [one.examples for one in sets]
        if own:
            models = [prototype.fresh(self.base, *one.streams) for one in sets]
            seeds = [getattr(model, "random_state", None) for model in models]
            answers = models[0].fit_predict_many(X, data.y, *rows, seeds)
        else:
            together: Any = exact(prototype.estimator, X, data.target)
            with np.errstate(all="ignore"):
                answers = list(together(*rows))
        found = [
            self._alone(prototype, one) if answer is None else self._read(prototype, answer, one)
            for answer, one in zip(answers, sets, strict=True)
        ]
        done = np.array([place for place, answer in enumerate(answers) if answer is not None])
        rng = _rng.stream(self.base, "checked fits", prototype.name)
        checked = {
            place: self._alone(prototype, sets[place])
            for place in rng.permutation(done)[:CHECKED].tolist()
        }
        tolerance = 1e-2 if own else 1e-8
        differ = [_differ(found[j], one, tolerance) for j, one in checked.items()]
        wrong = np.concatenate([[], *differ])
        if own and wrong.sum() > 1 + wrong.size // 20:
            raise ValueError(
                f"fit_predict_many and single fits differ in {wrong.sum():g} of {wrong.size} predictions; "
                "share=False fits one by one"
            )
        if wrong.any() and not own:
            return [self._alone(prototype, one) for one in sets]
        return found

    def _read(self, prototype: Prototype, answer: Any, own: TrainingSet) -> Predictions:
        """Return the predictions of a training set from what `fit_predict_many` has of it."""
        target, kinds, known = self.shared.target, prototype.kinds, None
        wide = target.classes is not None and np.ndim(answer) == 2
        if target.classes is not None:
            inside = target.classes[np.unique(target.values[own.first.train])]
            every = wide and np.shape(answer)[1] == target.n_classes
            known = target.classes if every else inside
        fitted = SimpleNamespace(predict=lambda _: answer, classes_=known)
        if wide:
            fitted.predict_proba = fitted.predict
            kinds = (PROBABILITY, LABEL)
        found = predicted(fitted, own.examples, target, kinds, labels_from_probabilities=wide)
        return {kind: found[kind] for kind in prototype.kinds if kind in found}

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
        }
        if outcome.error:
            return Record({}, facts | {"error": outcome.error, "traceback": outcome.traceback})
        arrays = {f"p/{kind}": values for kind, values in outcome.arrays.items()}
        return Record({"examples": np.concatenate(examples).astype(np.int64)} | arrays, facts)

    def kept(self, task: Task, record: Record) -> Outcome | None:
        """Return what a store has of a task, if that serves this run."""
        arrays = {name.removeprefix("p/"): values for name, values in record.arrays.items()}
        if not arrays.keys() >= set(self.learners[task.learner].needed):
            return None
        del arrays["examples"]
        return Outcome(task, arrays, record.facts["seconds"], tuple(record.facts["warnings"]))

    def tasks(self, *, share: bool, kept: bool) -> Iterator[Task]:
        """Yield the tasks of a run, learner after learner."""
        settings = [sorted(one.items()) for one in (self.settings.sklearn, self.settings.numpy)]
        places = range(len(self.sets))
        for name, prototype in self.learners.items():
            own = prototype.identity.digest if kept else ""
            common = [self.shared.digest, name, own, self.base, settings, prototype.kinds]
            together = share and self._pays(prototype)
            for sets in [tuple(places)] if together else ((place,) for place in places):
                chosen = [self.sets[place] for place in sets]
                text = repr([*common, *(one.streams for one in chosen)])
                rows = [one.examples.astype(np.int64).tobytes() for one in chosen]
                key = blake2b(b"|".join([text.encode(), *rows]), digest_size=16)
                yield Task(key.hexdigest(), name, sets)

    def _pays(self, prototype: Prototype) -> bool:
        if prototype.batched:
            return len(self.sets) > CHECKED
        enough = len(self.sets) >= FEWEST
        data = self.shared
        return enough and exact(prototype.estimator, data.X, data.target) is not None


def _fitted(
    make: Callable[[], Any], X: Any, y: Any, classes: Any
) -> tuple[Any, NDArray[Any] | None]:
    """Fit a learner; one that refuses labels, and not their numbers, gets these, and its classes are returned too."""
    learner = make()
    try:
        learner.fit(X, y)
    except _REFUSALS:
        names, codes = np.unique(y, return_inverse=True)
        numbers = np.arange(names.size).astype(str)
        if classes is None or np.array_equal(names.astype(str), numbers):
            raise
        with suppress(Exception):  # the error of the labels themselves is told
            learner = make()
            learner.fit(X, codes)
            return learner, names
        raise
    return learner, None


def joined(each: Sequence[Predictions]) -> Predictions:
    """Return the predictions of several fits, one after another, of the kinds that all of them gave."""
    return {
        kind: np.concatenate([one[kind] for one in each])
        for kind in each[0]
        if all(kind in one for one in each)
    }


def _differ(found: Predictions, alone: Predictions, tolerance: float) -> NDArray[np.bool_]:
    differ = []
    for kind in found.keys() & alone.keys():
        one, other = found[kind], alone[kind]
        usual = 1.0 if kind != LABEL else np.sqrt(np.mean(np.square(other, dtype=float)))
        allowed = 0.0 if one.dtype.kind == "u" else tolerance * np.maximum(np.abs(other), usual)
        far = np.abs(one - other.astype(float)) > allowed
        differ.append(far.reshape(len(far), -1).any(axis=1))
    differing: NDArray[np.bool_] = np.any(differ, axis=0)
    return differing
