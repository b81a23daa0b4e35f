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
from errbar.fits.parallel import Task
from errbar.fits.predictions import predicted
from errbar.fits.process import Settings
from errbar.fits.shared import exact
from errbar.fits.store import Record
from errbar.metrics import LABEL, PROBABILITY
from errbar.plans import Draw, Split

Predictions = dict[str, NDArray[Any]]

EXAMPLES = "examples"
"""Name of the array that tells, in a store, whose predictions stand beside it."""

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

    @property
    def mark(self) -> str:
        """Digest of all this."""
        rows = self.examples.astype(np.int64).tobytes()
        return blake2b(repr(self.streams).encode() + rows, digest_size=16).hexdigest()


def training_sets(drawn: Draw) -> tuple[TrainingSet, ...]:
    """Group splits by training set and seed."""
    members: dict[Any, list[int]] = {}
    for j, (digest, split) in enumerate(zip(drawn.training_sets, drawn.splits, strict=True)):
        members.setdefault((digest, split.seed), []).append(j)
    return tuple(
        TrainingSet(
            *own,
            drawn.splits[found[0]],
            found,
            np.unique(np.concatenate([drawn.splits[j].test for j in found])),
        )
        for own, found in members.items()
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
        sets = self._sets(task)
        if len(sets) == 1:
            return self._alone(prototype, sets[0])
        return joined(self._together(prototype, sets))

    def _sets(self, task: Task) -> list[TrainingSet]:
        return [self.sets[place] for place in task.sets]

    def _alone(self, prototype: Prototype, own: TrainingSet) -> Predictions:
        # Some learners draw from the global generators, against good advice; the process is lent to the fits.
        seed = _rng.seed(self.base, prototype.name, *own.streams, "legacy")
        np.random.seed(seed)  # noqa: NPY002
        random.seed(seed)
        data, train = self.shared, own.first.train
        make = partial(prototype.fresh, self.base, *own.streams)
        estimator, names = _fitted(make, take(data.X, train), data.y[train], data.target.classes)
        examples = take(data.X, own.examples)
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

    def _together(self, prototype: Prototype, sets: list[TrainingSet]) -> list[Predictions]:
        """Return the predictions of all training sets in one call; two of them, drawn at random, are fitted alone too."""
        data, own = self.shared, prototype.batched
        # In workers X is mapped from a file, and sums over such an array may differ in the last bits.
        X = np.asarray(data.X) if isinstance(data.X, np.ndarray) else data.X
        rows = [one.first.train for one in sets], [one.examples for one in sets]
        alone = partial(self._alone, prototype)
        if own:
            models = [prototype.fresh(self.base, *one.streams) for one in sets]
            seeds = [getattr(model, "random_state", None) for model in models]
            answers = models[0].fit_predict_many(X, data.y, *rows, seeds)
        else:
            together: Any = exact(prototype.estimator, X, data.target)
            with np.errstate(all="ignore"):
                answers = list(together(*rows))
        found = [
            alone(one) if answer is None else self._read(prototype, answer, one)
            for answer, one in zip(answers, sets, strict=True)
        ]
        done = [place for place, answer in enumerate(answers) if answer is not None]
        rng = _rng.stream(self.base, "checked fits", prototype.name)
        tolerance = 1e-2 if own else 1e-8
        wrong = np.concatenate(
            [
                _differ(found[place], alone(sets[place]), tolerance)
                for place in rng.permutation(done)[:CHECKED].astype(int)
            ]
            or [[]]
        )
        if own and wrong.sum() > 1 + wrong.size // 20:
            raise ValueError(
                f"fit_predict_many and single fits differ in {wrong.sum():g} of {wrong.size} predictions; "
                "share=False fits one by one"
            )
        return list(map(alone, sets)) if wrong.any() and not own else found

    def _read(self, prototype: Prototype, answer: Any, own: TrainingSet) -> Predictions:
        """Return the predictions of a training set from what `fit_predict_many` has of it."""
        target, kinds, known = self.shared.target, prototype.kinds, None
        wide = target.classes is not None and np.ndim(answer) == 2
        if target.classes is not None:
            every = wide and np.shape(answer)[1] == target.n_classes
            inside = np.unique(target.values[own.first.train])
            known = target.classes if every else target.classes[inside]
        fitted = SimpleNamespace(predict=lambda _: answer, classes_=known)
        if wide:
            fitted.predict_proba = fitted.predict
            kinds = (PROBABILITY, LABEL)
        found = predicted(fitted, own.examples, target, kinds, labels_from_probabilities=wide)
        return {kind: found[kind] for kind in prototype.kinds if kind in found}

    def words(self, task: Task) -> list[str]:
        """Return where each fit belongs, such as ``repeat 3, fold 1``."""
        return [one.first.describe() for one in self._sets(task)]

    def record(self, task: Task, found: Record) -> Record:
        """Return what a store keeps of a task."""
        sets = self._sets(task)
        facts = {
            "learner": task.learner,
            "data": self.shared.digest,
            "splits": self.words(task),
            "sizes": [one.examples.size for one in sets],
            "versions": self.learners[task.learner].identity.versions,
        }
        arrays = {EXAMPLES: np.concatenate([one.examples for one in sets]).astype(np.int64)}
        return Record(arrays | found.arrays, facts | found.facts)

    def serves(self, task: Task, kept: Record) -> bool:
        """Tell whether a store has what this run needs."""
        return kept.arrays.keys() >= set(self.learners[task.learner].needed)

    def tasks(self, *, share: bool, kept: bool) -> Iterator[Task]:
        """Yield the tasks of a run, learner after learner."""
        settings = [sorted(one.items()) for one in (self.settings.sklearn, self.settings.numpy)]
        marks = [one.mark for one in self.sets]
        places = range(len(self.sets))
        for name, prototype in self.learners.items():
            own = prototype.identity.digest if kept else ""
            common = [self.shared.digest, name, own, self.base, settings, prototype.kinds]
            together = share and self._pays(prototype)
            for sets in [tuple(places)] if together else ((place,) for place in places):
                text = repr([*common, *(marks[place] for place in sets)])
                yield Task(blake2b(text.encode(), digest_size=16).hexdigest(), name, sets)

    def _pays(self, prototype: Prototype) -> bool:
        if prototype.batched:
            return len(self.sets) > CHECKED
        data = self.shared
        return len(self.sets) >= FEWEST and bool(exact(prototype.estimator, data.X, data.target))


def _fitted(make: Callable[[], Any], X: Any, y: Any, classes: Any) -> tuple[Any, Any]:
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
    kinds = set(each[0]).intersection(*each) - {EXAMPLES}
    return {kind: np.concatenate([one[kind] for one in each]) for kind in each[0] if kind in kinds}


def _differ(found: Predictions, alone: Predictions, tolerance: float) -> Any:
    """Tell for which examples predictions are not the same."""
    differ = []
    for kind in found.keys() & alone.keys():
        one, other = found[kind], alone[kind]
        usual = 1.0 if kind != LABEL else np.sqrt(np.mean(np.square(other, dtype=float)))
        allowed = 0.0 if one.dtype.kind == "u" else tolerance * np.maximum(np.abs(other), usual)
        far = np.abs(one - other.astype(float)) > allowed
        differ.append(far.reshape(len(far), -1).any(axis=1))
    return np.any(differ, axis=0)
