"""From predictions to the numbers of a table: a loss for each example, or a metric plus its influence values.

Near the data a metric is its value plus the mean of influence values, one per example, so whatever
is right for the mean of losses is right for it.
"""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from errbar import _check
from errbar._check import Array, Facts, FloatArray, IntArray
from errbar.errors import UndefinedMetricError
from errbar.metrics import Loss, Predictions, Target
from errbar.plans._base import NO_LABEL
from errbar.split_columns import SplitColumns


class Numbers(NamedTuple):
    """Scores of learners on splits, and their numbers for each cell, where there are any; larger is worse."""

    scores: FloatArray
    points: FloatArray | None


class Cells(NamedTuple):
    """Which split and which example each loss belongs to; splits are contiguous and in order."""

    split: IntArray
    example: IntArray

    @classmethod
    def of(cls, tests: Sequence[IntArray]) -> "Cells":
        """Return the cells of splits that test these examples."""
        sizes = [test.size for test in tests]
        return cls(np.repeat(np.arange(len(tests)), sizes), np.concatenate(tests))


class Tested(NamedTuple):
    """Which examples each split has tested, and what they are."""

    target: Target
    splits: SplitColumns
    cells: Cells

    @property
    def truth(self) -> Array:
        """What was to be predicted in each cell."""
        return self.target.values[self.cells.example]

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

    def sets(self, pool: str) -> Iterator[tuple[IntArray, IntArray, str]]:
        """Yield the sets of splits that are put together, each with its cells and in words."""
        together = self.together(pool)
        pairs = zip(_parted(together), _parted(together[self.cells.split]), strict=True)
        for splits, cells in pairs:
            ends = [self.splits.describe(int(splits[place])) for place in (0, -1)]
            yield splits, cells, " to ".join(dict.fromkeys(ends))

    def trained_on(self, split: int, pool: str) -> IntArray:
        """Return the training examples of a split, of folds made elsewhere the other folds; none where unknown."""
        if self.splits.drawn is not None:
            return self.splits.drawn[split].train
        family = self.together("folds" if pool == "none" else pool)
        beside = self.cells.example[family[self.cells.split] == family[split]]
        return np.setdiff1d(beside, self.cells.example[self.cells.split == split])

    def training_truths(self, splits: IntArray, pool: str) -> list[Array]:
        """Return what was to be predicted in the training set of each split; its own truth takes the place of one that nobody knows."""
        found = []
        for split in splits:
            trained = self.trained_on(split, pool)
            known = trained if trained.size else self.cells.example[self.cells.split == split]
            found.append(self.target.values[known])
        return found

    def lacks_training(self, pool: str) -> bool:
        """Return whether some split has a training set that nobody knows."""
        return not all(self.trained_on(j, pool).size for j in range(self.splits.plan.size))


def _parted(codes: IntArray) -> list[IntArray]:
    """Return where each code stands."""
    return np.split(np.argsort(codes, kind="stable"), np.cumsum(np.bincount(codes))[:-1])


def refuse_undefined(loss: Loss, tested: Tested) -> None:
    """Raise if the metric cannot be computed of what the splits test, whatever is predicted."""
    truth = tested.truth
    for _, cells, words in tested.sets(loss.pool):
        loss.dry_run(tested.target, truth[cells], words)


def measure(
    loss: Loss,
    tested: Tested,
    predictions: Sequence[Predictions],
    learners: Sequence[str] = (),
    *,
    derive: bool = False,
) -> Numbers:
    """Return the numbers of learners."""
    split, truth = tested.cells.split, tested.truth
    if loss.pointwise:
        points = np.stack([loss.points(truth, own) for own in predictions])
        sums = np.add.reduceat(points, np.flatnonzero(np.diff(split, prepend=-1)), axis=1)
        return Numbers(sums / np.bincount(split), points)
    scores = np.empty((len(predictions), tested.splits.plan.size))
    points = np.empty((len(predictions), truth.size))
    repeat = tested.together("folds")
    for chosen, cells, words in tested.sets(loss.pool):
        facts: Facts = {
            "split": np.searchsorted(chosen, split[cells]),
            "trained": partial(tested.training_truths, chosen, loss.pool),
        }
        if loss.pool == "none" and tested.target.classes is not None:
            # A metric that is averaged over folds is about one population, and not about the classes that a fold happens to
            # have (LeDell, Petersen & van der Laan 2015): those in all folds of the repeat weigh influence values.
            beside = truth[repeat[split] == repeat[chosen[0]]]
            facts["shares"] = np.bincount(beside, minlength=tested.target.n_classes) / beside.size
        for row, own in enumerate(predictions):
            part = {kind: values[cells] for kind, values in own.items()}
            sample = loss.sample(tested.target, truth[cells], part, **facts)
            try:
                value, influence = loss.measured(sample, words, derive=derive)
            except UndefinedMetricError as error:
                if len(learners) < 2:
                    raise
                named = UndefinedMetricError(f"learner {learners[row]!r}: {error}")
                named.learner = learners[row]
                raise named from None
            scores[row, chosen] = value
            if influence is None:
                continue
            points[row, cells] = value + influence
            if chosen.size > 1:
                moved = np.bincount(facts["split"], influence, chosen.size)
                scores[row, chosen] += moved * chosen.size / cells.size
    return Numbers(scores, points if loss.influence or derive else None)
