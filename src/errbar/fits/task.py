"""What is fitted: a learner on one training set and seed, or on all of a plan in one call."""

import random
import warnings
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np
from joblib import parallel_config

from errbar import _check, _rng, metrics
from errbar._check import Array, FloatArray
from errbar._plain import record
from errbar.errors import InvalidInputError, one_line
from errbar.fits.learners import Prototype, digest, hashed, weight_parameter
from errbar.fits.parallel import Settings, Task
from errbar.fits.shared import exact
from errbar.fits.store import Record
from errbar.metrics import (
    CLASSIFICATION,
    DECISION,
    LABEL,
    PROBABILITY,
    RESPONSES,
    Target,
    target_of,
)
from errbar.plans import Draw, Split

Predictions = dict[str, Array]

EXAMPLES = "examples"
"""Name of the array that tells, in a store, whose predictions stand beside it."""

CHECKED = 2
"""Training sets of a batch that are fitted alone too, to see that predictions are the same."""

FEWEST = 8
"""Training sets from which on errbar computes fits of scikit-learn's learners together."""

_REFUSALS = (ValueError, TypeError, RuntimeError)
"""What learners raise of labels that they cannot take."""


@record
class Data:
    """Features and target: `y` as the learners see it, `target` as losses see it, weights for fits, and a digest of all."""

    X: Any
    y: Array
    target: Target
    digest: str
    weights: FloatArray | None = None


def data_of(X: Any, y: Any, task: str, positive: Any = None) -> Data:
    """Check features and target, or say in one sentence what is wrong with them."""
    features = _features(X)
    values = _check.categories(y, "`y`")
    rows = int(features.shape[0])
    if rows != values.size:
        raise InvalidInputError(
            f"has {rows} rows and `y` has {values.size} values; they must agree", argument="X"
        )
    if rows < 2:
        raise InvalidInputError(f"at least 2 examples are needed to train and to test, got {rows}")
    _refuse_another_order(features, y)
    target = target_of(values, task).naming(positive)
    seen = values if task == CLASSIFICATION else target.values
    return Data(features, seen, target, digest(features, seen))


def _refuse_another_order(X: Any, y: Any) -> None:
    if not (hasattr(X, "iloc") and hasattr(y, "iloc")) or X.index.equals(y.index):
        return
    if y.index.is_unique and X.index.is_unique and y.index.isin(X.index).all():
        raise InvalidInputError(
            "and `y` have the same labels of rows in another order, and learners go by position: give y.loc[X.index]",
            argument="X",
        )


def take(X: Any, rows: Array) -> Any:
    """Return some rows of an array, a sparse matrix or a data frame."""
    return X.iloc[rows] if hasattr(X, "iloc") else X[rows]


def _features(X: Any) -> Any:
    if (hasattr(X, "iloc") and X.ndim == 2) or type(X).__module__.startswith("polars"):
        return X
    if hasattr(X, "tocsr"):
        return X.tocsr()
    if np.ma.is_masked(X):
        raise InvalidInputError(
            "is masked, and learners would see what the mask hides; give X.filled(nan), say",
            argument="X",
        )
    try:
        array = np.asarray(X)
    except ValueError:
        array = np.asarray(0)
    if array.ndim == 0 or (array.ndim == 1 and array.dtype.kind in "biufc"):
        raise InvalidInputError(
            f"must be a table with one row per example, got {_check.brief(X)}; numpy.reshape(X, (-1, 1)) makes a "
            "column of one feature, errbar.read_examples reads a file",
            argument="X",
        )
    return X if hasattr(X, "iloc") else array


@record
class TrainingSet:
    """A training set and a seed (or None): the first split that has them, all that do, and what these test."""

    digest: str
    seed: int | None
    first: Split
    splits: list[int]
    examples: Array

    @property
    def streams(self) -> tuple[str | int, ...]:
        """Names, beside that of the learner, of the random streams of the fit."""
        return (self.digest,) if self.seed is None else (self.digest, "seed", self.seed)

    @property
    def mark(self) -> str:
        """Digest of all this."""
        return hashed(self.streams, self.examples.tobytes())


Sets = Sequence[TrainingSet]


def training_sets(drawn: Draw) -> Sets:
    """Group splits by training set and seed."""
    members: Any = defaultdict(list)
    for j, (name, split) in enumerate(zip(drawn.training_sets, drawn.splits, strict=True)):
        members[name, split.seed].append(j)
    found = []
    for (name, seed), own in members.items():
        tested = np.unique(np.concatenate([drawn.splits[j].test for j in own]))
        found.append(TrainingSet(name, seed, drawn.splits[own[0]], own, tested))
    return found


@record
class FitJob:
    """What all fits of a run have in common."""

    settings: Settings
    shared: Data
    learners: Mapping[str, Prototype]
    sets: Sets
    base: int

    @property
    def code(self) -> str:
        """Digest of the user's code that fits run."""
        return repr(sorted({one.identity.code for one in self.learners.values()}))

    def perform(self, task: Task) -> Predictions:
        """Fit a learner and predict, training set after training set."""
        prototype = self.learners[task.learner]
        sets = self._sets(task)
        if len(sets) == 1:
            return self._alone(prototype, sets[0])
        return joined(self._together(prototype, sets))

    def _sets(self, task: Task) -> Sets:
        return [self.sets[place] for place in task.sets]

    def _alone(self, prototype: Prototype, own: TrainingSet) -> Predictions:
        # Some learners draw from the global generators, against good advice; the process is lent to the fits.
        seed = _rng.seed(self.base, prototype.name, *own.streams, "legacy")
        np.random.seed(seed)  # noqa: NPY002
        random.seed(seed)
        data, train = self.shared, own.first.train
        make = partial(prototype.fresh, self.base, *own.streams)
        weights = None if data.weights is None else data.weights[train]
        features = take(data.X, train)
        estimator, names = _fitted(make, features, data.y[train], data.target.classes, weights)
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

    def _together(self, prototype: Prototype, sets: Sets) -> list[Predictions]:
        """Return the predictions of all training sets in one call; two of them, drawn at random, are fitted alone too."""
        data = self.shared
        # In workers X is mapped from a file, and sums over such an array may differ in the last bits.
        X = np.asarray(data.X) if isinstance(data.X, np.ndarray) else data.X
        rows = [one.first.train for one in sets], [one.examples for one in sets]
        alone = partial(self._alone, prototype)
        tolerance, most = 1e-8, 0.0
        if prototype.batched:
            tolerance, most = 1e-2, 0.05
            models = [prototype.fresh(self.base, *one.streams) for one in sets]
            seeds = [getattr(model, "random_state", None) for model in models]
            answers = models[0].fit_predict_many(X, data.y, *rows, seeds)
        else:
            together = exact(prototype.estimator, X, data.target)
            with np.errstate(all="ignore"):
                answers = list(together(*rows))
        found = [
            alone(one) if answer is None else self._read(prototype, answer, one)
            for answer, one in zip(answers, sets, strict=True)
        ]
        done = [place for place, answer in enumerate(answers) if answer is not None]
        rng = _rng.stream(self.base, "checked fits", prototype.name)
        wrong = [
            differs
            for place in rng.permutation(done)[:CHECKED].astype(int)
            for differs in _differ(found[place], alone(sets[place]), tolerance)
        ]
        if sum(wrong) <= most * len(wrong):
            return found
        if not prototype.batched:
            return list(map(alone, sets))
        raise ValueError(
            f"fit_predict_many and single fits differ in {sum(wrong)} of {len(wrong)} predictions; "
            "share=False fits one by one"
        )

    def _read(self, prototype: Prototype, answer: Any, own: TrainingSet) -> Predictions:
        """Return the predictions of a training set from what `fit_predict_many` has of it."""
        target, kinds = self.shared.target, prototype.kinds
        fitted = SimpleNamespace(predict=lambda _: answer)
        known = target.classes
        wide = known is not None and np.ndim(answer) == 2
        if known is not None and wide:
            if np.shape(answer)[1] < known.size:
                known = known[np.unique(target.values[own.first.train])]
            fitted = SimpleNamespace(predict_proba=fitted.predict, classes_=known)
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
        settings = self.settings.sklearn, self.settings.numpy
        marks = [one.mark for one in self.sets]
        places = range(len(self.sets))
        for name, prototype in self.learners.items():
            own = prototype.identity.digest if kept else ""
            common = [self.shared.digest, name, own, self.base, settings, prototype.kinds]
            together = share and self.shared.weights is None and self._pays(prototype)
            for sets in [tuple(places)] if together else ((place,) for place in places):
                yield Task(hashed(*common, *(marks[place] for place in sets)), name, sets)

    def _pays(self, prototype: Prototype) -> bool:
        if prototype.batched:
            return len(self.sets) > CHECKED
        data = self.shared
        return len(self.sets) >= FEWEST and bool(exact(prototype.estimator, data.X, data.target))


def _fitted(make: Any, X: Any, y: Any, classes: Any, weights: Any = None) -> tuple[Any, Any]:
    """Fit a learner; one that refuses labels, and not their numbers, gets these, and its classes are returned too."""
    learner = make()
    told = {} if weights is None else {str(weight_parameter(learner)): weights}
    try:
        learner.fit(X, y, **told)
    except _REFUSALS:
        names, codes = np.unique(y, return_inverse=True)
        numbers = np.arange(names.size).astype(str)
        if classes is None or np.array_equal(names.astype(str), numbers):
            raise
        with suppress(Exception):  # the error of the labels themselves is told
            learner = make()
            learner.fit(X, codes, **told)
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
        if one.dtype.kind == "u":
            far = one != other
        else:
            usual = np.sqrt(np.mean(np.square(other))) if kind == LABEL else 1.0
            far = np.abs(one - other) > tolerance * usual
        differ.append(far.reshape(len(far), -1).any(axis=1))
    return np.any(differ, axis=0)


def predicted(
    fitted: Any,
    X: Any,
    target: Target,
    kinds: Sequence[str],
    *,
    needed: Sequence[str] = (),
    labels_from_probabilities: bool = False,
    names: Array | None = None,
) -> Predictions:
    """Return predictions by kind for all examples; `names` are the classes of a learner that was trained on their numbers."""
    found: Predictions = {}
    for kind in (PROBABILITY, DECISION, LABEL):
        must = kind in (needed or kinds)
        if kind not in kinds or not (must or hasattr(fitted, RESPONSES[kind])):
            continue
        try:
            if kind == LABEL and labels_from_probabilities and PROBABILITY in found:
                codes = np.argmax(found[PROBABILITY], axis=1)
            else:
                codes = _answer(fitted, X, target, kind, names)
            coded = kind == LABEL and target.classes is not None
            dtype = np.min_scalar_type(target.n_classes) if coded else np.float64
            found[kind] = codes.astype(dtype, copy=False)
        except (Exception, SystemExit) as error:
            if must:
                raise
            words = f"{RESPONSES[kind]} is left out, so losses that need it are not to be had later: {one_line(error)}"
            warnings.warn(words, stacklevel=2)
    return found


def _answer(fitted: Any, X: Any, target: Target, kind: str, names: Any) -> Array:
    answer, count = getattr(fitted, RESPONSES[kind])(X), X.shape[0]
    known = getattr(fitted, "classes_", None)
    if names is not None:
        known = names if known is None else names[np.asarray(known).astype(np.intp)]
        answer = names[np.ravel(answer).astype(np.intp)] if kind == LABEL else answer
    if kind != LABEL and known is None:
        raise ValueError(
            f"without classes_ nobody knows which class a column of {RESPONSES[kind]} belongs to"
        )
    try:
        if kind == LABEL:
            return metrics.labels(answer, target, count)
        return metrics.by_class(answer, known, target, count, kind)
    except InvalidInputError as error:  # it is not the input of the run that cannot be used
        raise ValueError(str(error)) from None
