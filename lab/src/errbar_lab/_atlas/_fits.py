"""What is repeated for the atlas: a data set with all fits and the answers of all methods, and the risks of learners."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from hashlib import blake2b
from typing import Any

import numpy as np

from errbar import _rng, fits, metrics
from errbar._check import FloatArray
from errbar.errors import InvalidInputError, UndefinedMetricError
from errbar.methods._core.infer import settle
from errbar.methods._core.registry import lookup
from errbar.metrics import CLASSIFICATION
from errbar.plans import (
    Bootstrap,
    Draw,
    FiveByTwo,
    HalvedKFold,
    Holdout,
    KFold,
    NestedKFold,
    PairedHalves,
    Plan,
    ReplaceOne,
    Split,
    Subsampling,
    Union,
    draw,
)
from errbar.table import LossTable
from errbar_lab._atlas._learners import learners, pairs
from errbar_lab._atlas._problems import Problem
from errbar_lab._atlas._tables import RealTable
from errbar_lab._experiment import data_stream
from errbar_lab._fitting import Known, inside
from errbar_lab._replicates import Arrays, Repeated
from errbar_lab.populations import Drawn

LEVEL = 0.95
LEVELS = (LEVEL, 0.8, 0.9, 0.99)
"""Levels of intervals; most methods are measured at the first alone."""

LOSSES: dict[str, tuple[str, ...]] = {
    CLASSIFICATION: ("zero-one", "log-loss", "f1", "roc_auc"),
    "regression": ("squared-error", "absolute-error", "r2", "pinball .9"),
}
"""The losses and metrics of each task."""


def _pinball(truth: FloatArray, predicted: FloatArray) -> FloatArray:
    return np.maximum(0.9 * (truth - predicted), 0.1 * (predicted - truth))


_OWN = {
    "pinball .9": replace(
        metrics.LOSSES["absolute-error"], key="pinball .9", words="pinball loss", function=_pinball
    )
}

_OF_SEVERAL = {"f1": "f1_macro", "roc_auc": "roc_auc_ovr"}  # of more than two classes

_FORMAT = "5"
_TESTS_PER_EXAMPLE = 20  # of a law; a table is tested on whole
_UNTESTED = 2  # test examples of models whose risks are left out
_TRUTH_EXAMPLES = 2_000
_LARGE = 1000  # from here on, stratified splits are left out, and the risks of single models where they are not exact

FOLDS = KFold(10, repeats=3)
PLANS: dict[str, Plan] = {
    "random splits": Subsampling(),
    "folds": FOLDS,
    "5 folds": KFold(5),
    "one split": Holdout(),
    "5x2": FiveByTwo(),
    "stratified": KFold(10, repeats=2, stratify=True),
}
"""The plans by name; those with fewer repeats are parts of them."""

_GROUPED = ("folds", "5 folds", "one split")

COSTLY: dict[str, Plan] = {
    "nested": NestedKFold(10, repeats=2),
    "halves": PairedHalves(),
    "halved folds": HalvedKFold(),
    "replaced": ReplaceOne(),
    "samples": Bootstrap(100, training_error=True),
}
"""Plans of methods that take hundreds of fits."""

COSTLY_SIZES = (60, 120, 300)
"""Sizes of data sets that are small enough for them."""

NESTED = "7 folds"
DEFAULTS: dict[str, Plan] = {"folds": KFold(10, repeats=2), NESTED: NestedKFold(7, repeats=1)}
"""Plans of the methods that may be the default, with at most 36 fits."""

MANY, COSTLY_PART, DEFAULT_PART = PARTS = ("many", "costly", "default")
"""Which methods are measured: the many of up to 30 fits, those of hundreds, or those that may be the default."""

_FOLDS_OF_A_REPEAT = 10

OF_ALL_LEVELS = 4
"""Numbers of an answer that no level changes; two ends for each level follow them."""

Target = tuple[str, str, str]
"""A learner, the one that is subtracted from it or an empty text, and what kind of pair they are."""


@dataclass(frozen=True)
class Measured:
    """A method on one of the plans, or on its first repeats."""

    method: str
    plan: str
    repeats: int | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    levels: tuple[float, ...] = (LEVEL,)

    @property
    def name(self) -> str:
        """Name in the atlas."""
        own = "".join(f" {key}={value}" for key, value in self.options.items())
        times = "" if self.repeats is None else f" x{self.repeats}"
        return f"{self.method}{own}, {self.plan}{times}"


MEASURED = (
    Measured("corrected-t", "random splits"),
    *(Measured("corrected-t", "folds", repeats) for repeats in (1, 2, 3)),
    Measured("corrected-t", "5 folds"),
    Measured("corrected-t", "stratified", 2),
    *(Measured("cv-t", "folds", repeats) for repeats in (1, 3)),
    Measured("cv-t", "folds", 2, levels=LEVELS),
    Measured("cv-t", "5 folds"),
    Measured("cv-t", "stratified", 2),
    Measured("cv-t", "folds", 2, {"variance": "examples"}),
    Measured("cv-wald", "folds", 1),
    Measured("kfold-t", "folds", 1),
    Measured("kfold-t", "folds", 1, {"rho": 0.7}),
    Measured("kfold-theta", "folds", 1),
    Measured("cluster-t", "folds", 1),
    Measured("cluster-t", "one split"),
    Measured("resampled-t", "random splits"),
    Measured("5x2cv-t", "5x2"),
    Measured("5x2cv-f", "5x2"),
    *(
        Measured(key, "one split")
        for key in ("holdout-t", "binomial", "paired-proportions", "delong")
    ),
    Measured("nested-cv", "nested"),
    Measured("cv-jackknife", "nested"),
    Measured("cv-jackknife", NESTED, levels=LEVELS),
    Measured("cv-jackknife", NESTED, options={"variance": "upper"}, levels=LEVELS),
    *(Measured("cv-jackknife", NESTED, options={"variance": form}) for form in ("middle", "lower")),
    Measured("conservative-z", "halves"),
    Measured("halved-kfold-t", "halved folds"),
    Measured("replace-one", "replaced"),
    *(Measured(key, "samples") for key in ("oob-bootstrap", "632", "632-plus")),
)


def plans_of(problem: Problem, n: int, part: str) -> dict[str, Plan]:
    """Return the plans of a problem for data sets of one size."""
    if part != MANY:
        return COSTLY if part == COSTLY_PART else DEFAULTS
    if problem.grouped:
        return {name: PLANS[name] for name in _GROUPED}
    stratify = problem.population.task == CLASSIFICATION and n <= _LARGE
    return {name: plan for name, plan in PLANS.items() if stratify or name != "stratified"}


@dataclass(frozen=True)
class Answers(Repeated):
    """Draw a data set, fit on all splits, apply all methods for all losses, and find the risks of some models."""

    plans: Mapping[str, Plan]
    losses: tuple[str, ...]
    targets: tuple[Target, ...]

    @property
    def knows_models(self) -> bool:
        """Whether so many examples are tested that the risks of single models are known."""
        return self.test_examples > _UNTESTED

    def replicate(self, base: int, number: int) -> Arrays:
        """Return ``results`` by loss, method and target, and ``risks`` by loss, target and model."""
        rng = data_stream(base, self.population, self.n, number)
        data = self.population.drawn(self.n, self.test_examples, rng)
        y = data.y[: self.n]
        seed = _rng.seed(base, "splits", self.n, number)
        drawn = draw(Union(tuple(self.plans.values())), self.n, seed, y, data.groups)
        tested = np.arange(self.n, data.y.size)
        models = [split.train for split in self._judged(drawn)]
        judged = [Split(train, tested, {"judge": 0}) for train in (*models, np.arange(self.n))]
        splits = (*drawn.splits, *judged)
        table = _fitted(self, data, splits, seed)
        loss = metrics.resolve(self.losses[0], self.population.task)
        own = inside(table, drawn, self.n, loss)
        risks = _scores(table.select(table.splits.labels["judge"] == 0), self.losses)
        return {
            "results": self._results(own),
            "risks": _by_target(risks, table.learners, self.targets),
        }

    def _judged(self, drawn: Draw) -> Iterator[Split]:
        """Yield the splits whose models are tested on others, if any: those of the first ten folds, and of the single split."""
        names = list(self.plans)
        for split, plan in zip(drawn.splits, drawn.plan, strict=True):
            once = split.labels.get("repeat", 0) == 0
            if self.knows_models and names[plan] in ("folds", "one split") and once:
                yield split

    def _results(self, table: LossTable) -> FloatArray:
        """Return estimate, standard error, training size and fits of each method, and its ends at each of the levels."""
        columns = OF_ALL_LEVELS + 2 * len(LEVELS)
        values = np.full((len(self.losses), len(MEASURED), len(self.targets), columns), np.nan)
        for i, key in enumerate(self.losses):
            try:
                own = table.with_loss(_OWN.get(key, key))
            except InvalidInputError:
                continue
            for j, measured in enumerate(MEASURED):
                plan = self.plans.get(measured.plan)
                if plan is not None and (measured.repeats or 1) <= getattr(plan, "repeats", 1):
                    for k, row in self._answers(measured, own):
                        values[i, j, k] = row
        return values

    def _answers(self, measured: Measured, table: LossTable) -> Iterator[tuple[int, list[float]]]:
        own = table.of_plan(list(self.plans).index(measured.plan))
        if measured.repeats is not None:
            own = own.select(own.splits.labels["repeat"] < measured.repeats)
        spec, sign = lookup(measured.method), table.loss.sign
        try:
            settled = settle(spec, own)
        except InvalidInputError:
            return
        count = settled.table.scores.shape[1] * _fits_of_a_split(measured.plan, self.n)
        for k, (learner, minus, _) in enumerate(self.targets):
            if spec.subject not in ("either", "pair" if minus else "learner"):
                continue
            ends = [np.nan] * (2 * len(LEVELS))
            try:
                for level in measured.levels:
                    found = settled.result(learner, minus or None, level=level, **measured.options)
                    place = 2 * LEVELS.index(level)
                    ends[place : place + 2] = sorted((sign * found.low, sign * found.high))
            except InvalidInputError:
                continue
            yield k, [sign * found.estimate, found.se, found.n_train, count, *ends]


@cache
def _fits_of_a_split(plan: str, n: int) -> float:
    """Return how many fits a split takes: less than one where splits share them."""
    shared = COSTLY | DEFAULTS
    if plan not in shared:
        return 1.0
    drawn = draw(shared[plan], n, 0)
    return len(set(drawn.fits)) / len(drawn.splits)


@dataclass(frozen=True)
class Truths(Repeated):
    """Draw a data set, and find the risks of models trained on its beginnings."""

    sizes: tuple[int, ...]
    losses: tuple[str, ...]
    targets: tuple[Target, ...]

    def replicate(self, base: int, number: int) -> Arrays:
        """Return ``risks`` by loss, target and size."""
        rng = _rng.stream(base, "truth", self.population.digest, self.n, number)
        data = self.population.drawn(self.n, self.test_examples, rng)
        tested = np.arange(self.n, data.y.size)
        splits = [
            Split(np.arange(size), tested, {"repeat": place})
            for place, size in enumerate(self.sizes)
        ]
        seed = _rng.seed(base, "truth", self.n, number)
        table = _fitted(self, data, splits, seed)
        return {"risks": _by_target(_scores(table, self.losses), table.learners, self.targets)}


def experiments_of(problem: Problem, n: int, *, cheap: bool, part: str) -> tuple[Answers, Truths]:
    """Return what is repeated for a problem and a size of data sets; costly plans are for cheap learners only."""
    population, plans = problem.population, plans_of(problem, n, part)
    some = population
    if not isinstance(population, RealTable):
        some = population.sample(1000, _rng.stream(0, "targets"))
    losses, task = LOSSES[population.task], population.task
    classes = np.unique(some.y).size if task == CLASSIFICATION else 2
    found = learners(task, classes=classes, cheap=cheap or part == COSTLY_PART)
    if classes > 2:
        losses = tuple(_OF_SEVERAL.get(key, key) for key in losses)
    targets = (*((name, "", "") for name in found), *pairs(task, tuple(found)))
    tested = _TESTS_PER_EXAMPLE * n if n <= _LARGE else _UNTESTED
    if isinstance(population, RealTable):
        tested = population.size - n
    if part == DEFAULT_PART:  # of which none is about the risks of single models
        tested = _UNTESTED
    # A bootstrap sample has 63 % of the examples.
    shares = {
        MANY: (1 / 2, 3 / 4, 4 / 5, 9 / 10, 1),
        COSTLY_PART: (0.632, 4 / 5, 9 / 10, 1),
        DEFAULT_PART: (6 / 7, 9 / 10),
    }[part]
    sizes = tuple(round(n * share) for share in shares)

    def common(kind: str, tests: int, *own: Any) -> tuple[Any, ...]:
        texts = map(repr, (_FORMAT, kind, problem.key, population.digest, n, found, tests, *own))
        digest = blake2b("|".join(texts).encode(), digest_size=12).hexdigest()
        return population, f"{kind} of {problem.key}, n = {n}", digest, n, found, losses[0], tests

    own = (losses, targets)
    return (
        Answers(*common("answers", tested, plans, MEASURED, *own), plans, *own),  # type: ignore[call-arg] # not counted: a tuple
        Truths(*common("risks", _TRUTH_EXAMPLES, sizes, *own), sizes, *own),  # type: ignore[call-arg] # not counted: a tuple
    )


def _fitted(one: Answers | Truths, data: Drawn, splits: Any, seed: int) -> LossTable:
    known: Any = {"plan": Known(tuple(splits)), "loss": one.losses[0]}
    setup = fits.prepare(one.learners, data.X, data.y, **known, random_state=seed, n_jobs=1)
    [table] = fits.execute(setup)
    return table


def _scores(table: LossTable, keys: tuple[str, ...]) -> FloatArray:
    """Return the number of each split, larger is worse, by loss, learner and split; NaN where it is not defined."""
    found = np.full((len(keys), *table.scores.shape), np.nan)
    for place, key in enumerate(keys):
        loss = metrics.resolve(_OWN.get(key, key), table.loss.task or CLASSIFICATION)
        try:
            found[place] = table.with_loss(
                loss if loss.pointwise else replace(loss, pool="none")
            ).scores
        except UndefinedMetricError:
            continue
    return found


def _by_target(values: Any, names: Any, targets: Any) -> Any:
    """Return risks by loss, target and model from those by loss, learner and model."""
    columns = []
    for learner, minus, _ in targets:
        own = values[:, names.index(learner)]
        columns.append(own - values[:, names.index(minus)] if minus else own)
    return np.stack(columns, axis=1)


def truths_of(
    measured: Measured, n_train: float, sizes: Any, risks: FloatArray, models: FloatArray
) -> Any:
    """Return value and standard error of each truth; `risks` by draw and size, `models` by data set and model."""
    count = np.isfinite(risks).sum(axis=0)
    with np.errstate(all="ignore"):
        means = np.nansum(risks, axis=0) / np.where(count > 0, count, np.nan)
        errors = np.nanstd(risks, axis=0, ddof=1) / np.sqrt(np.maximum(count, 1))
    place = int(np.argmin(np.abs(np.array(sizes) - n_train)))
    proxy = np.full(len(models), np.nan)
    if measured.plan == "folds" and measured.repeats == 1:
        proxy = models[:, :_FOLDS_OF_A_REPEAT].mean(axis=1)
    elif measured.plan == "one split":
        proxy = models[:, _FOLDS_OF_A_REPEAT]
    return {
        "ER(n1)": (means[place], errors[place]),
        "ER(n)": (means[-1], errors[-1]),
        "PQ": (proxy, 0.0),
        "R": (models[:, -1], 0.0),
    }
