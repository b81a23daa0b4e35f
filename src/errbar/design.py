"""How the numbers of a table came about: the facts on which it depends which methods may be applied to them.

A design is made once, and checked against the splits where there are any. It knows nothing of
methods: they state what they need of it (`errbar.needs`).
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np
from scipy import special

from errbar._check import Array, IntArray, compact
from errbar.plans import Draw, Kind, Split, Testing, Training

__all__ = ["Design", "Origin", "designs_of"]

# Class counts of test sets vary as little as this by chance in one case of a hundred. Stratified splits taken for plain ones
# have a coverage of 66 to 78 % instead of 95 %, plain ones taken for stratified 98 %.
_BALANCED_BY_CHANCE = 1e-2


class Origin(StrEnum):
    """Where the facts about a design come from."""

    RUN = "the splits were drawn here, or their indices are known"
    STATED = "it was stated with the numbers"
    ASSUMED = "nobody said so: it is assumed"


@dataclass(frozen=True, eq=False)
class Design:
    """How the numbers of one plan came about.

    Attributes
    ----------
    kind : Kind of resampling.
    training, testing : What the splits were trained on, and which examples they test.
    seeds : Number of fits on each training set, or of answers to each question.
    copies : How often each split stands there without being of another seed.
    strata : Stratum of each example, where the splits keep their shares and the labels are known.
    stratified : Whether the splits keep the shares of strata.
    rarest : Mean number of examples of the rarest stratum in a test set; infinite where unknown.
    clusters, n_clusters : Cluster of each example, and how many there are.
    clustered_scores : Whether the clusters are of scores and not of examples.
    time : Time of each example (or row), where it is known.
    backwards : Whether some training example is known to be younger than a test example.
    origin : Who says so.

    Examples
    --------
    >>> import errbar
    >>> table = errbar.from_losses({"a": [0, 1, 0, 0]}, fold=[0, 0, 1, 1])
    >>> table.splits.designs[0].testing.value
    'disjoint test sets that together are all examples'
    """

    kind: Kind
    training: Training
    testing: Testing
    seeds: int = 1
    copies: int = 1
    strata: IntArray | None = None
    stratified: bool = False
    rarest: float = np.inf
    clusters: IntArray | None = None
    clustered_scores: bool = False
    time: Array | None = None
    backwards: bool = False
    origin: Origin = Origin.RUN

    @property
    def n_clusters(self) -> int:
        """Number of clusters of examples, 0 where examples do not come in clusters."""
        return 0 if self.clusters is None else int(self.clusters.max()) + 1

    @classmethod
    def stated(cls, kind: Kind, *, origin: Origin = Origin.STATED, **facts: Any) -> "Design":
        """Return the design of numbers that were made elsewhere: what their kind implies, unless `facts` say otherwise."""
        implied = {"training": kind.training, "testing": kind.testing, "origin": origin}
        return cls(kind=kind, **(implied | facts))


def designs_of(drawn: Draw, classes: IntArray | None = None) -> tuple[Design, ...]:
    """Return the design of each plan of drawn splits; strata of foreign ones are recognised by even shares of classes."""
    return tuple(_design_of(drawn, number, classes) for number in range(len(drawn.kinds)))


def _design_of(drawn: Draw, number: int, classes: IntArray | None) -> Design:
    kind, part, n = drawn.kinds[number], drawn.parts[number], drawn.n
    every = [drawn.splits[j] for j in np.flatnonzero(drawn.plan == number)]
    # The splits of one seed are those of all.
    splits = [split for split in every if split.seed == every[0].seed]
    tests = [split.test for split in splits]
    seeds, several = len({split.seed for split in every}), len(splits) > 1
    training, testing, copies, stratified = kind.training, kind.testing, 1, part.stratify
    if seeds > 1 and not several:
        training, testing = Training.ONE, Testing.SAME
    elif testing is Testing.DISJOINT and not several:
        testing = Testing.ONE_SET
    elif testing is Testing.DISJOINT and np.bincount(np.concatenate(tests)).max() > 1:
        testing = Testing.OVERLAPPING
    # Where nobody says when examples are from, a plan that goes forward in time takes the order of the rows.
    time = drawn.time
    if time is None and training is Training.ORDERED:
        time = np.arange(n)
    groups = None if drawn.groups is None else compact(drawn.groups)
    order = time
    if part.foreign:
        # Few splits of few examples may be equal by chance, so only those made elsewhere are looked at.
        pairs = Counter((np.sort(s.train).tobytes(), np.sort(s.test).tobytes()) for s in splits)
        trained, tested = map(set, zip(*pairs, strict=True))
        copies = min(pairs.values())
        if len(trained) == 1:
            training = Training.ONE
        same = len(tested) == 1 or (copies == 1 and _from_few(splits, groups, n))
        if same and several:
            testing, copies = Testing.SAME, 1
        elif order is None:
            order = np.arange(n)
        stratified = stratified or (classes is not None and _balanced(tests, classes, kind))
    forward = order is not None and _forward(splits, compact(order))
    if forward and training is not Training.ONE and several:
        training = Training.ORDERED
    strata = classes if stratified else None
    return Design(
        kind=kind,
        training=training,
        testing=testing,
        seeds=seeds,
        copies=copies,
        strata=strata,
        stratified=stratified,
        rarest=rarest_tested(strata, float(np.mean([test.size for test in tests]))),
        clusters=clusters_of(groups),
        time=time,
        backwards=time is not None and not forward,
    )


def clusters_of(codes: IntArray | None) -> IntArray | None:
    """Return the cluster of each example; None where each example is one."""
    return None if codes is None or codes.max() + 1 == codes.size else codes


def _from_few(splits: Sequence[Split], groups: IntArray | None, n: int) -> bool:
    units = np.arange(n) if groups is None else groups
    tested = [np.unique(units[split.test]) for split in splits]
    trained = [units[split.train] for split in splits]
    sizes = np.array([own.size for own in tested])
    used = np.unique(np.concatenate(tested + trained)).size
    return same_few(np.unique(np.concatenate(tested)).size, sizes, used)


def same_few(tested: int, sizes: Array, n: float) -> bool:
    """Tell whether test sets are from so few of n examples that they are not random ones, which test twice as many."""
    return bool(2.0 * tested < n * (1.0 - np.prod(1.0 - sizes / n)))


def _forward(splits: Sequence[Split], time: IntArray) -> bool:
    return all(time[split.train].max() <= time[split.test].min() for split in splits)


def rarest_tested(strata: IntArray | None, n_test: float) -> float:
    """Return how many examples of the rarest stratum a test set of `n_test` holds on average; infinite where unknown."""
    if strata is None:
        return np.inf
    counts = np.bincount(strata)
    return float(counts[counts > 0].min()) * n_test / strata.size


def _balanced(tests: Sequence[IntArray], classes: IntArray, kind: Kind) -> bool:
    """Return whether test sets keep the shares of the classes closer than chance does."""
    classes = compact(classes)
    shares = np.bincount(classes) / classes.size
    counts = np.stack([np.bincount(classes[test], minlength=shares.size) for test in tests])
    sizes = counts.sum(axis=1)
    expected = np.outer(sizes, shares)  # (splits, classes)
    left = 1.0 - sizes / classes.size
    few = len(tests) < 2 or not 2 <= shares.size <= classes.size / 2
    if few or np.abs(counts - expected).max() > 1.0 or left.min() <= 0.0:
        return False
    total = (np.square(counts - expected) / expected).sum(axis=1) @ (1.0 / left)
    # In K-fold cross-validation the last fold follows from the others.
    free = len(tests) * (1.0 - np.mean(1.0 - left) * (kind.testing is Testing.FOLDS))
    chance = special.gammainc(free * (shares.size - 1) / 2.0, total / 2.0)
    return bool(chance < _BALANCED_BY_CHANCE)
