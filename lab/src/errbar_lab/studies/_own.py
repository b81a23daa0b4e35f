"""The experiments behind a calibration: data sets of the user's own examples, and the risks of the models that they give."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errbar import _rng, fits, metrics
from errbar._check import FloatArray
from errbar.fits.data import digest
from errbar.measuring import Cells
from errbar.metrics import Loss
from errbar.plans import Draw, Plan, Split, draw
from errbar.split_columns import SplitColumns
from errbar.table import LossTable
from errbar_lab._replicates import Arrays, Experiment
from errbar_lab._scenario import Scenario, Simulated, data_stream, joined
from errbar_lab.studies._population import Drawn, OwnData

TESTS_PER_EXAMPLE = 20
"""On so many other examples for each of a data set its models are tested, where there are so many."""


@dataclass(frozen=True, eq=False, repr=False)
class _KnownSplits(Plan):
    """Splits that were drawn before, and models that are tested on all the other examples."""

    inside: tuple[Split, ...]
    models: tuple[Split, ...]

    def splits(
        self,
        n: int,
        rng: Any = None,
        y: Any = None,
        groups: Any = None,
        time: Any = None,
    ) -> Iterator[Split]:
        """Yield them."""
        yield from (*self.inside, *self.models)


@dataclass(frozen=True)
class OwnResults(Simulated):
    """What every method says of a data set, and the risks of the models that it was computed from."""

    positive: Any

    def replicate(self, base: int, number: int) -> Arrays:
        """Return ``results``; where there are test examples ``risks`` of the models of all examples, and ``proxies`` of the splits'.

        The risks are by learner, the proxies, means over the models of a method's splits, by method and learner.
        """
        drawn = _population(self).drawn(
            self.n, self.test_examples, data_stream(base, self.population, self.n, number)
        )
        plan, positions = joined(self.procedures)
        seed = _rng.seed(base, "splits", self.n, number)
        own = draw(plan, drawn.n, seed, drawn.y[: drawn.n], drawn.groups)
        fitted = list(dict.fromkeys(own.fits))
        table = _Fitted(self, drawn, own, fitted, seed)
        found = {"results": self._results(table.inside, positions)}
        if self.test_examples:
            *of_splits, whole = table.risks.T
            place = np.array([fitted.index(fit) for fit in own.fits])
            models = np.array(of_splits)[place]
            found["risks"] = whole
            found["proxies"] = np.array(
                [models[np.isin(own.plan, places)].mean(axis=0) for places in positions]
            )
        return found


@dataclass(frozen=True, eq=False)
class _Fitted:
    """The fits of a data set: of each training set one, which predicts what its splits test, and all other examples."""

    asked: OwnResults
    drawn: Drawn
    draw: Draw
    fits: list[str]
    seed: int

    @cached_property
    def loss(self) -> Loss:
        """The loss."""
        return metrics.resolve(self.asked.loss, self.asked.population.task)

    @cached_property
    def table(self) -> LossTable:
        """Of all splits; for another loss where that is not a mean, since only its predictions are used."""
        n, total = self.drawn.n, self.drawn.y.size
        models: list[Split] = []
        if total > n:
            others = np.arange(n, total)
            splits = dict(zip(self.draw.fits, self.draw.splits, strict=True))
            models = [_tested(splits[fit], others) for fit in self.fits]
            models.append(Split(np.arange(n), others, {"judge": 0}))
        plan = _KnownSplits(self.draw.splits, tuple(models))
        loss = self.loss if self.loss.pointwise else metrics.default(self.asked.population.task)
        data = (self.drawn.X, self.drawn.y)
        setup = fits.prepare(
            self.asked.learners,
            *data,
            plan=plan,
            loss=loss,
            positive=self.asked.positive,
            random_state=self.seed,
            only_loss=self.loss.pointwise,
        )
        return fits.execute(setup, fits.RunOptions(n_jobs=1))

    @cached_property
    def inside(self) -> LossTable:
        """The table of the data set alone, with the design of its splits."""
        table, target = self.table, self.table.target
        assert table.predictions is not None
        assert target is not None
        cells = Cells.of([split.test for split in self.draw.splits])
        target = replace(target, values=target.values[: self.drawn.n])
        return LossTable(
            table.learners,
            table.loss,
            SplitColumns.of(self.draw, target.codes),
            np.zeros((len(table.learners), len(self.draw.splits))),
            cells=cells,
            predictions=tuple(
                {kind: values[: cells.split.size] for kind, values in own.items()}
                for own in table.predictions
            ),
            target=target,
        ).with_loss(self.loss)

    @property
    def risks(self) -> FloatArray:
        """Risks of the models, one per fit and at last that of all examples, by learner; as shown."""
        models = self.table.select(self.table.splits.labels["judge"] == 0)
        return risks_of(models, self.loss)


def risks_of(table: LossTable, loss: Loss) -> FloatArray:
    """Return the risk of every model of a table on what its split tests, in the direction that is shown."""
    own = table if loss.pointwise else table.with_loss(replace(loss, pool="none"))
    return np.asarray(loss.sign * own.scores)


def _tested(split: Split, others: NDArray[Any]) -> Split:
    seed = {} if split.seed is None else {"seed": split.seed}
    return Split(split.train, others, {"judge": 0, **seed})


@dataclass(frozen=True)
class OwnTruths(Experiment):
    """Train on one data set, test on other examples."""

    positive: Any

    def replicate(self, base: int, number: int) -> Arrays:
        """Return the risk of every learner."""
        rng = data_stream(_rng.seed(base, "truth"), self.population, self.n, number)
        drawn = _population(self).drawn(self.n, self.test_examples, rng)
        loss = metrics.resolve(self.loss, self.population.task)
        table = fits.execute(
            fits.prepare(
                self.learners,
                drawn.X,
                drawn.y,
                plan=_KnownSplits(
                    (), (Split(np.arange(drawn.n), np.arange(drawn.n, drawn.y.size), {"judge": 0}),)
                ),
                loss=loss if loss.pointwise else metrics.default(self.population.task),
                positive=self.positive,
                random_state=_rng.seed(base, "truth", self.n, number),
                only_loss=loss.pointwise,
            ),
            fits.RunOptions(n_jobs=1),
        )
        return {"risks": risks_of(table, loss)[:, 0]}


def digest_of(scenario: Scenario, positive: Any, *more: object) -> str:
    """Return a digest of what the numbers depend on; labels of classes too, which learners and losses see."""
    labels = _population(scenario).data.target.classes
    return scenario.digest(*more, positive, None if labels is None else digest(labels))


def _population(owner: Any) -> OwnData:
    population: OwnData = owner.population
    return population
