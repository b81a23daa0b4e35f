"""From predictions to the numbers of a table: a loss for each example, or a metric plus its influence values.

Near the data a metric is its value plus the mean of influence values, one per example, so whatever
is right for the mean of losses is right for it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from errbar import _check
from errbar._check import FloatArray, IntArray
from errbar.errors import UndefinedMetricError
from errbar.metrics import Loss, Predictions, Target
from errbar.plans._base import NO_LABEL
from errbar.split_columns import SplitColumns


class Numbers(NamedTuple):
    """Scores of learners on splits, and their numbers for each cell, where there are any; larger is worse."""

    scores: FloatArray
    points: FloatArray | None


@dataclass(frozen=True, eq=False)
class Cells:
    """Which split and which example each loss belongs to; splits are contiguous and in order."""

    split: IntArray
    example: IntArray

    @classmethod
    def of(cls, tests: Sequence[IntArray]) -> "Cells":
        """Return the cells of splits that test these examples."""
        sizes = [test.size for test in tests]
        return cls(np.repeat(np.arange(len(tests)), sizes), np.concatenate(tests))


@dataclass(frozen=True, eq=False)
class Tested:
    """Which examples each split has tested, and what they are."""

    target: Target
    splits: SplitColumns
    cells: Cells

    @cached_property
    def truth(self) -> NDArray[Any]:
        """What was to be predicted in each cell."""
        found: NDArray[Any] = self.target.values[self.cells.example]
        return found

    @cached_property
    def starts(self) -> IntArray:
        """Where the cells of each split start; at last, where the last ends."""
        return np.searchsorted(self.cells.split, np.arange(self.splits.plan.size + 1))

    def together(self, pool: str) -> IntArray:
        """Return for each split the number of the set of splits that it is put together with."""
        alone, labels = np.arange(self.splits.plan.size), self.splits.labels
        if pool == "none":
            return alone
        fold, inner = labels["fold"], labels["inner"]
        columns = [self.splits.plan, labels["resubstitution"], labels["seed"]]
        if pool == "folds":
            # The folds of a repeat differ in their fold, or in their inner fold; other splits stand alone.
            columns += [column for name, column in labels.items() if name not in ("fold", "inner")]
            is_fold = (fold != NO_LABEL) | (inner != NO_LABEL)
            columns.append(np.where(is_fold, NO_LABEL, alone))
        columns.append(np.where(inner == NO_LABEL, NO_LABEL, fold))
        return _check.numbered(*columns)

    def sets(self, pool: str) -> list[IntArray]:
        """Return the sets of splits that are put together."""
        together = self.together(pool)
        order = np.argsort(together, kind="stable")
        return np.split(order, np.cumsum(np.bincount(together))[:-1])

    def cells_of(self, chosen: IntArray) -> IntArray:
        """Return the cells of some splits."""
        return np.concatenate([np.arange(self.starts[j], self.starts[j + 1]) for j in chosen])

    def trained_on(self, split: int, pool: str) -> IntArray:
        """Return the training examples of a split, of folds made elsewhere the other folds; none where unknown."""
        if self.splits.drawn is not None:
            return self.splits.drawn[split].train
        family = self.together("folds" if pool == "none" else pool)
        beside = self.cells.example[family[self.cells.split] == family[split]]
        return np.setdiff1d(beside, self.cells.example[self.cells.split == split])

    def training_truths(self, splits: IntArray, pool: str) -> list[NDArray[Any]]:
        """Return what was to be predicted in the training set of each split; its own truth takes the place of one that nobody knows."""
        trained = [self.target.values[self.trained_on(j, pool)] for j in splits]
        return [
            own if own.size else self.truth[self.cells.split == j]
            for own, j in zip(trained, splits, strict=True)
        ]

    def lacks_training(self, pool: str) -> bool:
        """Return whether some split has a training set that nobody knows."""
        return not all(self.trained_on(j, pool).size for j in range(self.splits.plan.size))

    def describe(self, chosen: IntArray) -> str:
        """Return one split, or several together, in words."""
        ends = [self.splits.describe(int(chosen[place])) for place in (0, -1)]
        return " to ".join(dict.fromkeys(ends))


def refuse_undefined(loss: Loss, tested: Tested) -> None:
    """Raise if the metric cannot be computed of what the splits test, whatever is predicted."""
    if loss.pointwise:
        return
    for chosen in tested.sets(loss.pool):
        truth = tested.truth[tested.cells_of(chosen)]
        loss.dry_run(tested.target, truth, tested.describe(chosen))


def measure(
    loss: Loss,
    tested: Tested,
    predictions: Sequence[Predictions],
    learners: Sequence[str] = (),
    *,
    derive: bool = False,
) -> Numbers:
    """Return the numbers of learners."""
    if loss.pointwise:
        points = np.stack([loss.points(tested.truth, own) for own in predictions])
        sums = np.add.reduceat(points, tested.starts[:-1], axis=1)
        return Numbers(sums / np.diff(tested.starts), points)
    scores = np.empty((len(predictions), tested.splits.plan.size))
    points = np.empty((len(predictions), tested.truth.size))
    repeat = tested.together("folds")
    for chosen in tested.sets(loss.pool):
        cells = tested.cells_of(chosen)
        facts: dict[str, Any] = {
            "split": np.searchsorted(chosen, tested.cells.split[cells]),
            "trained": partial(tested.training_truths, chosen, loss.pool),
        }
        if loss.pool == "none" and tested.target.classes is not None:
            # A metric that is averaged over folds is about one population, and not about the classes that a fold happens to
            # have (LeDell, Petersen & van der Laan 2015): those in all folds of the repeat weigh influence values.
            beside = tested.truth[repeat[tested.cells.split] == repeat[chosen[0]]]
            facts["shares"] = np.bincount(beside, minlength=tested.target.n_classes) / beside.size
        for row, own in enumerate(predictions):
            kind = loss.kind(own)
            part = {kind: own[kind][cells]}
            sample = loss.sample(tested.target, tested.truth[cells], part, **facts)
            learner = learners[row] if len(learners) > 1 else None
            try:
                value, influence = loss.measured(sample, tested.describe(chosen), derive=derive)
            except UndefinedMetricError as error:
                if learner is None:
                    raise
                named = UndefinedMetricError(f"learner {learner!r}: {error}")
                named.learner = learner
                raise named from None
            scores[row, chosen] = value
            if influence is not None:
                points[row, cells] = value + influence
            if influence is not None and chosen.size > 1:
                sums = np.bincount(facts["split"], weights=influence, minlength=chosen.size)
                scores[row, chosen] += sums * chosen.size / cells.size
    return Numbers(scores, points if loss.influence or derive else None)
