"""The fits behind the atlas: of each data set the predictions on all splits, and the risks of the models that it gave.

They are kept, so that a method that is added later is measured on them without fitting anything.
"""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from errbar import _rng, fits, metrics as losses_module
from errbar._check import FloatArray
from errbar.errors import UndefinedMetricError
from errbar.fits.data import prepare
from errbar.measuring import Cells
from errbar.metrics import CLASSIFICATION, DECISION, LABEL, PROBABILITY, Loss, Predictions, Target
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
    draw,
)
from errbar.split_columns import SplitColumns
from errbar.table import LossTable
from errbar_lab._atlas._learners import learners
from errbar_lab._atlas._problems import Problem
from errbar_lab._atlas._tables import RealTable
from errbar_lab._replicates import Arrays, Experiment
from errbar_lab._scenario import data_stream

LOSSES = {
    CLASSIFICATION: ("zero-one", "log-loss", "f1", "roc_auc"),
    "regression": ("squared-error", "absolute-error", "r2"),
}
"""The losses and metrics of each task."""

_OF_SEVERAL = {"f1": "f1_macro", "roc_auc": "roc_auc_ovr"}  # of more than two classes

_FORMAT = "2"
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


def plans_of(problem: Problem, n: int, *, costly: bool = False) -> dict[str, Plan]:
    """Return the plans of a problem for data sets of one size."""
    if costly:
        return dict(COSTLY)
    if problem.grouped:
        return {name: PLANS[name] for name in _GROUPED}
    stratify = problem.population.task == CLASSIFICATION and n <= _LARGE
    return {name: plan for name, plan in PLANS.items() if stratify or name != "stratified"}


def losses_of(population: Any, y: NDArray[Any]) -> tuple[str, ...]:
    """Return the losses of a population with these targets."""
    if population.task != CLASSIFICATION or np.unique(y).size == 2:
        return LOSSES[population.task]
    return tuple(_OF_SEVERAL.get(key, key) for key in LOSSES[CLASSIFICATION])


@dataclass(frozen=True)
class _Tested(Plan):
    """The splits of plans on the first `n` examples; then the models that are tested on all the others.

    These are the models of the first ten folds, of the single split, and of all `n` examples.
    """

    plans: tuple[Plan, ...]
    n: int
    y: NDArray[Any]
    groups: NDArray[Any] | None

    def splits(
        self,
        n: int,
        rng: Any = None,
        y: Any = None,
        groups: Any = None,
        time: Any = None,
    ) -> Iterator[Split]:
        """Yield the splits; the models that are tested on others are labelled ``judge`` 0."""
        others, models = np.arange(self.n, n), []
        for plan in self.plans:
            for split in plan.splits(self.n, rng, self.y, self.groups):
                yield Split(split.train, split.test, dict(split.labels))
                first = plan in (FOLDS, PLANS["one split"]) and split.labels.get("repeat", 0) == 0
                models += [split.train] if first else []
        for train in (*models, np.arange(self.n)):
            yield Split(train, others, {"judge": 0})


@dataclass(frozen=True)
class Fits(Experiment):
    """Predictions on all splits of a data set, and the risks of its models."""

    plans: tuple[Plan, ...]
    losses: tuple[str, ...]

    @property
    def knows_models(self) -> bool:
        """Whether so many examples are tested that the risks of single models are known."""
        return self.test_examples > _UNTESTED

    def replicate(self, base: int, number: int) -> Arrays:
        """Return predictions by learner and kind, ``risks`` by loss, learner and model, and ``seconds`` of a fit by learner."""
        X, y, groups = self.data(base, number)
        others = _others(
            self.population,
            self.test_examples,
            _rng.stream(base, "others", self.population.digest, number),
        )
        plan = _Tested(self.plans, self.n, y, groups)
        seed = _rng.seed(base, "splits", self.n, number)
        table = _fitted(
            self.learners,
            np.concatenate([X, others.X]),
            np.concatenate([y, others.y]),
            plan,
            self.losses,
            seed,
        )
        models = table.splits.labels["judge"] == 0
        inside = ~models[_split_of_cells(table)]
        found = {
            "risks": _scores(table.select(models), self.losses),
            "seconds": np.array([_seconds(learner, X, y) for learner in self.learners.values()]),
        }
        for name, own in zip(table.learners, _predictions(table), strict=True):
            found |= {
                f"{name}|{kind}": _compact(kind, values[inside]) for kind, values in own.items()
            }
        return found

    def data(self, base: int, number: int) -> tuple[FloatArray, NDArray[Any], NDArray[Any] | None]:
        """Draw a data set: features, targets and groups."""
        rng = data_stream(base, self.population, self.n, number)
        return _drawn(self.population, self.n, rng)

    def table(self, base: int, number: int, found: Arrays) -> LossTable:
        """Return the table of a data set from its kept predictions, for the first loss."""
        X, y, groups = self.data(base, number)
        seed = _rng.seed(base, "splits", self.n, number)
        drawn = _draw_of(self.plans, self.n, seed, y, groups)
        target = prepare(X[:, :0], y, self.population.task).target
        splits = SplitColumns.of(drawn, target.codes)
        cells = Cells.of([split.test for split in drawn.splits])
        predictions = tuple(_of_learner(name, found, target) for name in self.learners)
        loss = losses_module.resolve(self.losses[0], self.population.task)
        zeros = np.zeros((len(self.learners), len(drawn.splits)))
        blank = LossTable(
            tuple(self.learners),
            loss,
            splits,
            zeros,
            cells=cells,
            predictions=predictions,
            target=target,
        )
        return blank.with_loss(loss)


@dataclass(frozen=True)
class Truths(Experiment):
    """Risks of models trained on data sets of several sizes, each a beginning of the same data set."""

    sizes: tuple[int, ...]
    losses: tuple[str, ...]

    def replicate(self, base: int, number: int) -> Arrays:
        """Return ``risks`` by loss, learner and size."""
        rng = _rng.stream(base, "truth", self.population.digest, self.n, number)
        X, y, _ = _drawn(self.population, self.n, rng)
        others = _others(self.population, _TRUTH_EXAMPLES, rng, fresh=True)
        plan = _Beginnings(self.sizes, self.n)
        seed = _rng.seed(base, "truth", self.n, number)
        table = _fitted(
            self.learners,
            np.concatenate([X, others.X]),
            np.concatenate([y, others.y]),
            plan,
            self.losses,
            seed,
        )
        return {"risks": _scores(table, self.losses)}


@dataclass(frozen=True)
class _Beginnings(Plan):
    sizes: tuple[int, ...]
    n: int

    def splits(
        self,
        n: int,
        rng: Any = None,
        y: Any = None,
        groups: Any = None,
        time: Any = None,
    ) -> Iterator[Split]:
        for place, size in enumerate(self.sizes):
            yield Split(np.arange(size), np.arange(self.n, n), {"repeat": place})


def fits_of(problem: Problem, n: int, *, cheap: bool = False, costly: bool = False) -> Fits:
    """Return the experiment of a problem and a size of data sets; of plans that are costly, with learners that are cheap."""
    population = problem.population
    plans, found = (
        plans_of(problem, n, costly=costly),
        learners(population.task, cheap=cheap or costly),
    )
    losses = losses_of(population, _some_targets(population))
    exact = isinstance(population, RealTable)
    tested = population.size if exact else _TESTS_PER_EXAMPLE * n if n <= _LARGE else _UNTESTED
    digest = _digest("fits", problem, n, plans.values(), found, losses, tested)
    return Fits(
        population,
        f"{problem.key}, n = {n}",
        digest,
        n,
        found,
        losses[0],
        tested,
        tuple(plans.values()),
        losses,
    )


def truths_of(problem: Problem, n: int, *, cheap: bool = False, costly: bool = False) -> Truths:
    """Return the experiment of the risks that the methods estimate."""
    population = problem.population
    found, losses = (
        learners(population.task, cheap=cheap or costly),
        losses_of(population, _some_targets(population)),
    )
    sizes = training_sizes(n, costly=costly)
    digest = _digest("truth", problem, n, sizes, found, losses)
    return Truths(
        population,
        f"risks of {problem.key}, n = {n}",
        digest,
        n,
        found,
        losses[0],
        _TRUTH_EXAMPLES,
        sizes,
        losses,
    )


def training_sizes(n: int, *, costly: bool = False) -> tuple[int, ...]:
    """Return the training sizes whose risks are known, as shares of the examples those that the plans have, and all."""
    # A bootstrap sample has 63 % of the examples.
    shares = (0.632, 4 / 5, 9 / 10, 1) if costly else (1 / 2, 3 / 4, 4 / 5, 9 / 10, 1)
    return tuple(round(n * share) for share in shares)


def _digest(*parts: Any) -> str:
    from hashlib import blake2b

    texts = [
        f"{part.key} {part.population.digest}" if isinstance(part, Problem) else repr(part)
        for part in parts
    ]
    return blake2b("|".join([_FORMAT, *texts]).encode(), digest_size=12).hexdigest()


def _some_targets(population: Any) -> NDArray[Any]:
    return (
        population.y
        if isinstance(population, RealTable)
        else population.sample(1000, _rng.stream(0, "targets")).y
    )


def _drawn(
    population: Any, n: int, rng: np.random.Generator
) -> tuple[FloatArray, NDArray[Any], NDArray[Any] | None]:
    if isinstance(population, RealTable):
        (X, y), groups = population.drawn(n, rng)
        return X, y, groups
    X, y = population.sample(n, rng)
    return X, y, None


def _others(population: Any, count: int, rng: np.random.Generator, *, fresh: bool = False) -> Any:
    """Return the examples that models are tested on: all rows of a table, unless fresh ones are asked for."""
    if isinstance(population, RealTable) and not fresh:
        return population
    if isinstance(population, RealTable):
        rows = rng.integers(population.size, size=count)
        return RealTable(population.name, population.X[rows], population.y[rows])
    return population.sample(count, rng)


def _fitted(found: Any, X: Any, y: Any, plan: Plan, keys: tuple[str, ...], seed: int) -> LossTable:
    setup = fits.prepare(found, X, y, plan=plan, loss=keys[0], random_state=seed)
    return fits.execute(setup, fits.RunOptions(n_jobs=1))


def _seconds(learner: Any, X: Any, y: Any) -> float:
    """Return how long a learner takes to learn from all examples but a tenth, and to predict those."""
    tested = max(1, len(y) // 10)
    started = time.perf_counter()
    clone(learner).fit(X[tested:], y[tested:]).predict(X[:tested])
    return time.perf_counter() - started


def _draw_of(plans: tuple[Plan, ...], n: int, seed: int, y: Any, groups: Any) -> Draw:
    whole = plans[0]
    for plan in plans[1:]:
        whole = whole + plan
    return draw(whole, n, seed, y, groups)


def _scores(table: LossTable, keys: tuple[str, ...]) -> FloatArray:
    """Return the number of each split, larger is worse, by loss, learner and split; NaN where it is not defined."""
    found = np.full((len(keys), *table.scores.shape), np.nan)
    for place, key in enumerate(keys):
        pool = (
            {}
            if losses_module.resolve(key, table.loss.task or CLASSIFICATION).pointwise
            else {"pool": "none"}
        )
        try:
            found[place] = table.with_loss(key, **pool).scores
        except UndefinedMetricError:
            continue
    return found


def _predictions(table: LossTable) -> tuple[Predictions, ...]:
    assert table.predictions is not None
    return table.predictions


def _split_of_cells(table: LossTable) -> NDArray[Any]:
    assert table.cells is not None
    return table.cells.split


def _compact(kind: str, values: NDArray[Any]) -> NDArray[Any]:
    """Return predictions in little room; of two probabilities, the second."""
    if kind == PROBABILITY and values.shape[1] == 2:
        values = values[:, 1]
    return values if kind == LABEL and values.dtype.kind != "f" else values.astype(np.float32)


def _of_learner(name: str, found: Arrays, target: Target) -> dict[str, NDArray[Any]]:
    """Return the predictions of a learner in the form that losses take."""
    own = {}
    for kind in (PROBABILITY, DECISION, LABEL):
        values = found.get(f"{name}|{kind}")
        if values is None:
            continue
        if kind == PROBABILITY and values.ndim == 1:
            values = np.stack([1.0 - values.astype(np.float64), values.astype(np.float64)], axis=1)
        own[kind] = (
            values if kind == LABEL and target.classes is not None else values.astype(np.float64)
        )
    return own


def loss_named(key: str, task: str) -> Loss:
    """Return a loss or metric of the atlas."""
    return losses_module.resolve(key, task)
