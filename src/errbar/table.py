"""The one table: losses of learners by split and example, with what each split was."""

from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass, field, replace
from functools import cached_property, partial
from operator import add
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from errbar import _check, metrics
from errbar._check import Array, Facts, FloatArray, IntArray
from errbar.design import SplitColumns
from errbar.errors import Failure, InvalidInputError, PairingError, UndefinedMetricError
from errbar.losses import SIZES, Index, Losses, MetricValues
from errbar.metrics import CLASSIFICATION, LABEL, Loss, Predictions, Target
from errbar.plans import Draw
from errbar.plans._base import NO_LABEL, RUNS
from errbar.result import Note, distinct


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

    @property
    def weights(self) -> FloatArray | None:
        """How much each cell counts; None where all count the same."""
        known = self.splits.designs[0].weights
        if known is None:
            return None
        found = known[self.cells.example]
        empty = np.bincount(self.cells.split, found) == 0.0
        if empty.any():
            where = self.splits.describe(int(empty.argmax()))
            raise InvalidInputError(f"are all 0 in the test set of {where}", argument="weights")
        return found

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

    def training_truths(self, splits: IntArray, pool: str) -> list[tuple[Array, Any]]:
        """Return truth and weights of the training set of each split; its own truth takes the place of one that nobody knows."""
        weights, found = self.splits.designs[0].weights, []
        for split in splits:
            trained = self.trained_on(split, pool)
            known = trained if trained.size else self.cells.example[self.cells.split == split]
            found.append((self.target.values[known], None if weights is None else weights[known]))
        return found

    def lacks_training(self, pool: str) -> bool:
        """Return whether some split has a training set that nobody knows."""
        return not all(self.trained_on(j, pool).size for j in range(self.splits.plan.size))


def _parted(codes: IntArray) -> list[IntArray]:
    return np.split(np.argsort(codes, kind="stable"), np.cumsum(np.bincount(codes))[:-1])


def refuse_undefined(loss: Loss, tested: Tested) -> None:
    """Raise if the metric cannot be computed of what the splits test, whatever is predicted."""
    truth, weights = tested.truth, tested.weights
    for _, cells, words in tested.sets(loss.pool):
        own = None if weights is None else weights[cells]
        loss.dry_run(tested.target, truth[cells], words, own)


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
    repeat, weights = tested.together("folds"), tested.weights
    for chosen, cells, words in tested.sets(loss.pool):
        facts: Facts = {
            "split": np.searchsorted(chosen, split[cells]),
            "trained": partial(tested.training_truths, chosen, loss.pool),
            "weights": None if weights is None else weights[cells],
        }
        if loss.pool == "none" and tested.target.classes is not None:
            # A metric that is averaged over folds is about one population, and not about the classes that a fold happens to
            # have (LeDell, Petersen & van der Laan 2015): those in all folds of the repeat weigh influence values.
            beside = repeat[split] == repeat[chosen[0]]
            own = None if weights is None else weights[beside]
            counts = np.bincount(truth[beside], own, tested.target.n_classes)
            facts["shares"] = counts / counts.sum()
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


@dataclass(frozen=True)
class Counts:
    """What a run has cost.

    Attributes
    ----------
    fits, reused, failed : fits done now, taken from the store, and failed
    seconds : wall-clock seconds
    shared : learners whose fits were computed together, from what all splits have in common
    """

    fits: int = 0
    reused: int = 0
    failed: int = 0
    seconds: float = 0.0
    shared: tuple[str, ...] = ()

    def __add__(self, other: "Counts") -> "Counts":
        return Counts(*map(add, astuple(self), astuple(other)))


@dataclass(frozen=True, eq=False)
class LossTable:
    """Losses of every learner on the same splits.

    A difference of two learners is just another row, so a comparison is the same computation as an estimate.
    Larger is worse throughout; `loss` says how users know the number.

    Attributes
    ----------
    learners : names
    loss : what was computed
    splits : what each split was
    scores : mean loss (or per-split number) of each split, shape (learners, splits); NaN where a
        learner has none
    points : loss of each example in each split, shape (learners, cells), with NaN likewise
    cells : split and example of each column of `points`
    predictions : tuple of dict, or None
        Stored predictions of each learner by kind, one per cell, so that other losses cost no
        fit.
    target : what was to be predicted
    counts : what the run has cost
    notes, failures : tuple of Note, tuple of Failure
        Caveats on how the numbers came about, and failed fits of learners that are left out.
    provenance : what is needed to reproduce the numbers: seed, digest of the data, versions
    blank : whether the numbers are zeros that only stand for numbers to come
    name : what a report calls the data
    """

    learners: tuple[str, ...]
    loss: Loss
    splits: SplitColumns
    scores: FloatArray
    points: FloatArray | None = None
    cells: Cells | None = None
    predictions: tuple[Predictions, ...] | None = None
    target: Target | None = None
    counts: Counts = field(default_factory=Counts)
    notes: tuple[Note, ...] = ()
    failures: tuple[Failure, ...] = ()
    provenance: dict[str, str] = field(default_factory=dict)
    blank: bool = False
    name: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "notes", distinct(self.notes))
        for array in (self.scores, self.points):
            if array is not None:
                array.setflags(write=False)

    def __repr__(self) -> str:
        shape = f"{len(self.learners)} learners, {self.scores.shape[1]} splits"
        return f"LossTable({shape}, loss {self.loss.key!r}, plans {list(self.splits.kinds)})"

    def position(self, learner: str) -> int:
        """Return the row of a learner."""
        return self.learners.index(_check.choice(learner, self.learners, "learner"))

    @cached_property
    def gaps(self) -> NDArray[np.bool_]:
        """Where a learner has no number, in the shape of `points`, or else of `scores`."""
        return np.isnan(self.scores if self.points is None else self.points)

    @cached_property
    def matched(self) -> bool:
        """Whether a row is the same for all learners, and none lacks its number; runs are of one learner each."""
        return self.splits.kinds[0] != RUNS and not self.gaps.any()

    def require_matched(self, what: str) -> None:
        """Raise unless every learner has a number in every row."""
        if not self.matched:
            raise InvalidInputError(
                f"must be 'examples' (--missing examples) for {what}, which needs a number of every learner in every row",
                argument="missing",
            )

    def common(self, *learners: str) -> "LossTable":
        """Return the table of some learners, with the examples (or splits) of which all of them have every number.

        Parameters
        ----------
        *learners : str
            Names.

        Returns
        -------
        LossTable
            Where no number is missing, and of independent runs, the table itself.

        Raises
        ------
        PairingError
            If they have fewer than two in common.
        """
        if self.matched or self.splits.kinds[0] == RUNS:
            return self
        own = self.subset(learners)
        lacks = own.gaps.any(axis=0)
        rows = np.arange(lacks.size) if own.cells is None else own.cells.example
        kept = ~np.isin(rows, rows[lacks])
        count = np.unique(rows[kept]).size
        if count < 2:
            names = " and ".join(map(repr, learners))
            raise PairingError(f"{names} have {count} numbers in common, and need 2 at least")
        return own.select(kept) if own.cells is None else own._of_cells(kept)

    def _of_cells(self, kept: NDArray[np.bool_]) -> "LossTable":
        """Return the table of some cells, without splits that have none of them; examples are numbered anew."""
        assert self.cells is not None and self.points is not None
        split, points = self.cells.split[kept], self.points[:, kept]
        there, example = np.unique(self.cells.example[kept], return_inverse=True)
        n_test = np.bincount(split, minlength=self.splits.n_test.size)
        sums = np.stack([np.bincount(split, own, n_test.size) for own in points])
        found = replace(
            self,
            splits=replace(
                self.splits,
                n_test=n_test.astype(np.float64),
                designs=tuple(design.only(there) for design in self.splits.designs),
            ),
            scores=sums / np.maximum(n_test, 1),
            points=points,
            cells=Cells(split, example),
        )
        return found.select(n_test > 0)

    def losses(self, learner: str, minus: str | None = None, plan: int = 0) -> Losses:
        """Return the losses of one learner, or their difference to those of another, under one plan.

        Where numbers are missing, they are those of the rows that both have (`common`).

        Parameters
        ----------
        learner, minus : str
            Names; the losses of `minus` are subtracted.
        plan : int, default 0
            Which of the table's plans.

        Returns
        -------
        Losses
            A row for each test example of each split, where there are losses of examples, else per split.

        Raises
        ------
        InvalidInputError
            If a learner is unknown, or both are the same.
        """
        if minus == learner:
            raise InvalidInputError(f"a learner cannot be compared with itself: {learner!r}")
        names = [learner] if minus is None else [learner, minus]
        own = self.of_plan(plan).common(*names)
        found, *other = [own._losses(name) for name in names]
        return found.minus(*other) if other else found

    def _losses(self, learner: str) -> Losses:
        if self.points is None:
            return self.losses_of_splits(learner)
        # Numbers that stand side by side: every difference to another learner is several times as fast.
        points = np.ascontiguousarray(self.points[self.position(learner)])
        known = {"kind": self.splits.kinds[0], "metric": self._metric}
        return Losses.made(points, self._index, **known, table=self, learners=(learner,))

    def losses_of_splits(self, learner: str) -> Losses:
        """Return the losses of one learner by split; tests on the training set itself are left out."""
        chosen, index = self._split_index
        scores = self.scores[self.position(learner)][chosen]
        if self.splits.kinds[0] == RUNS:  # each learner has its own
            made = ~np.isnan(scores)
            scores, index = scores[made], index.only(made)
        known = {"kind": self.splits.kinds[0], "table": self, "learners": (learner,)}
        found = Losses.made(scores, index, **known)
        found.__dict__["splits"] = found
        return found

    @cached_property
    def _metric(self) -> MetricValues | None:
        """What the losses of examples are that are a metric plus influence values."""
        loss = self.loss
        if loss.pointwise or self.blank:
            return None
        counts = LABEL in loss.needs and loss.task == CLASSIFICATION
        return MetricValues(loss.pool == "none", counts, loss.trials is not None)

    @cached_property
    def _index(self) -> Index:
        """The columns of losses of examples."""
        assert self.cells is not None
        split, example = self.cells.split, self.cells.example
        design, target = self.splits.designs[0], self.target
        columns = {role: column[split] for role, column in self._columns_of_splits.items()}
        of_examples = {"group": design.clusters, "time": design.time, "stratum": design.strata}
        if self._metric is not None and self.loss.given_class and target is not None:
            of_examples["classes"] = target.codes
        for role, known in of_examples.items():
            if known is not None and len(known) > example.max():
                columns[role] = known[example]
        return Index(split.size, columns | {"example": example})

    @cached_property
    def _split_index(self) -> tuple[Any, Index]:
        """Which splits are tests on other examples than the training set, and their columns."""
        chosen = self.splits.labels["resubstitution"] == NO_LABEL
        columns, time = self._columns_of_splits, self.splits.designs[0].time
        if self.points is None and time is not None:
            columns = columns | {"time": time}
        known = {role: column[chosen] for role, column in columns.items()}
        return chosen, Index(int(chosen.sum()), known)

    @cached_property
    def _columns_of_splits(self) -> dict[str, Any]:
        labels, sizes = self.splits.labels, {role: getattr(self.splits, role) for role in SIZES}
        known = {role: column for role, column in labels.items() if (column != NO_LABEL).any()}
        return known | {role: size for role, size in sizes.items() if not np.isnan(size).any()}

    def with_loss(self, loss: Any, *, positive: Any = None, pool: str | None = None) -> "LossTable":
        """Return the table of another loss from the stored predictions; nothing is fitted.

        Parameters
        ----------
        loss, positive, pool : optional
            As for `errbar.run`; the positive class is by default that of the table. Weights stay.

        Returns
        -------
        LossTable

        Raises
        ------
        InvalidInputError
            If no predictions are stored, or not of a kind that the loss needs.
        """
        if self.predictions is None or self.target is None:
            raise InvalidInputError(
                "this table was made from numbers, not from a run, so another loss cannot be computed"
            )
        target = self.target if positive is None else self.target.naming(positive)
        weighted = self.splits.designs[0].weights is not None
        found = metrics.resolve(loss, target.task, pool, weighted=weighted)
        found.refuse_contradiction(target, positive)
        return replace(self, target=target)._measured(found, derive=False)

    def with_influence(self) -> "LossTable":
        """Return the table, with the metric plus an influence value for each example if it has none.

        Returns
        -------
        LossTable

        Raises
        ------
        InvalidInputError
            If no predictions are stored, the metric is not smooth in its examples, or there are too many.
        """
        if self.points is not None or self.loss.per_example:
            return self
        if self.predictions is None:
            raise InvalidInputError(
                f"{self.loss.key!r} was given as one number per split, and not by example"
            )
        return self._measured(self.loss, derive=True)

    def _measured(self, loss: Loss, *, derive: bool) -> "LossTable":
        assert self.predictions and self.target and self.cells
        tested = Tested(self.target, self.splits, self.cells)
        scores, points = measure(loss, tested, self.predictions, self.learners, derive=derive)
        return replace(self, loss=loss, scores=scores, points=points)

    def subset(self, learners: Sequence[str]) -> "LossTable":
        """Return the table of some of the learners."""
        names = _check.names(learners, "learner")
        rows = [self.position(name) for name in names]
        points, predictions = self.points, self.predictions
        return replace(
            self,
            learners=names,
            scores=self.scores[rows],
            points=None if points is None else points[rows],
            predictions=predictions and tuple(predictions[i] for i in rows),
        )

    def of_plan(self, plan: int) -> "LossTable":
        """Return the table of one of its plans, given by position."""
        return self if len(self.splits.designs) == 1 else self.select(self.splits.plan == plan)

    def select(self, mask: NDArray[np.bool_]) -> "LossTable":
        """Return the table of the splits that a `mask` of True and False keeps."""
        points, cells, predictions = self.points, self.cells, self.predictions
        splits = self.splits.only(mask)
        if cells is None:
            splits = replace(splits, designs=tuple(one.only(mask) for one in splits.designs))
        else:
            inside = mask[cells.split]
            cells = Cells((np.cumsum(mask) - 1)[cells.split[inside]], cells.example[inside])
            points = None if points is None else points[:, inside]
            predictions = predictions and tuple(
                {kind: v[inside] for kind, v in own.items()} for own in predictions
            )
        return replace(
            self,
            splits=splits,
            scores=self.scores[:, mask],
            points=points,
            cells=cells,
            predictions=predictions,
        )


def blank_table(draw: Draw, splits: SplitColumns, loss: Loss, learners: Sequence[str]) -> LossTable:
    """Return a table of zeros for drawn splits, so that what a method refuses is refused before any fit."""
    cells = Cells.of([split.test for split in draw.splits])
    names = tuple(learners)
    zeros = np.zeros((len(names), len(draw.splits)))
    return LossTable(
        names, loss, splits, zeros, np.zeros((len(names), cells.split.size)), cells, blank=True
    )
