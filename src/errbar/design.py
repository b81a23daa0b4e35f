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
from numpy.typing import NDArray
from scipy import special

from errbar._check import FloatArray, IntArray
from errbar.plans import Draw, Kind, Split, Testing, Training

__all__ = ["Design", "Origin", "designs_of"]

# Class counts of test sets vary as little as this by chance in one case of a hundred. Stratified splits taken for plain ones
# have a coverage of 66 to 78 % instead of 95 %, plain ones taken for stratified 98 %.
_BALANCED_BY_CHANCE = 1e-2
# Random test sets that lie within few examples by chance are rarer than this.
_BY_CHANCE = 1e-6


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
    clusters, cluster_names, n_clusters : Cluster of each example, their names, and how many.
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
    cluster_names: NDArray[Any] | None = None
    clustered_scores: bool = False
    time: NDArray[Any] | None = None
    backwards: bool = False
    origin: Origin = Origin.RUN

    @property
    def n_clusters(self) -> int:
        """Number of clusters of examples, 0 where examples do not come in clusters."""
        return 0 if self.clusters is None else int(self.clusters.max()) + 1

    @classmethod
    def stated(cls, kind: Kind, *, origin: Origin = Origin.STATED, **facts: Any) -> "Design":
        """Return the design of numbers that were made elsewhere: what their kind implies, unless `facts` say otherwise."""
        return cls(
            **(
                {"kind": kind, "training": kind.training, "testing": kind.testing, "origin": origin}
                | facts
            )
        )


def designs_of(drawn: Draw, classes: IntArray | None = None) -> tuple[Design, ...]:
    """Return the design of each plan of drawn splits; strata of foreign ones are recognised by even shares of classes."""
    return tuple(_design_of(drawn, number, classes) for number in range(len(drawn.kinds)))


def _design_of(drawn: Draw, number: int, classes: IntArray | None) -> Design:
    kind, own = drawn.kinds[number], np.flatnonzero(drawn.plan == number)
    every = [drawn.splits[j] for j in own]
    # The splits of one seed are those of all.
    splits, seeds = (
        [split for split in every if split.seed == every[0].seed],
        len({split.seed for split in every}),
    )
    training, testing, stratified, copies = (
        kind.training,
        kind.testing,
        drawn.parts[number].stratified,
        1,
    )
    if seeds > 1 and len(splits) == 1:
        training, testing = Training.ONE, Testing.SAME
    elif testing is Testing.DISJOINT:
        testing = _of_disjoint(splits, drawn.n)
    # Where nobody says when examples are from, a plan that goes forward in time takes the order of the rows.
    known = (
        np.arange(drawn.n)
        if drawn.time is None and kind.training is Training.ORDERED
        else drawn.time
    )
    time = None if known is None else _codes(known)
    names, groups = np.zeros(0), None
    if drawn.groups is not None:
        names, groups = np.unique(drawn.groups, return_inverse=True)
    if drawn.parts[number].foreign:
        # Few splits of few examples may be equal by chance, so only those made elsewhere are looked at.
        trained, tested = (
            [_content(split.train) for split in splits],
            [_content(split.test) for split in splits],
        )
        times = min(Counter(zip(trained, tested, strict=True)).values())
        if len(set(trained)) == 1:
            training = Training.ONE
        if len(splits) > 1 and (
            len(set(tested)) == 1 or (times == 1 and _from_few(splits, groups, drawn.n))
        ):
            testing = Testing.SAME
        else:
            copies, time = times, np.arange(drawn.n) if time is None else time
        stratified = stratified or (classes is not None and _balanced(splits, classes, kind))
    forward = time is not None and all(_forward(split, time) for split in splits)
    if forward and training is not Training.ONE and len(splits) > 1:
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
        rarest=np.inf
        if strata is None
        else rarest_tested(strata, float(np.mean([s.test.size for s in splits]))),
        **({} if groups is None else clusters_of(groups, names)),
        time=known,
        backwards=known is not None and not forward,
    )


def _of_disjoint(splits: Sequence[Split], n: int) -> Testing:
    if len(splits) == 1:
        return Testing.ONE_SET
    times = np.bincount(np.concatenate([split.test for split in splits]), minlength=n)
    return Testing.OVERLAPPING if times.max() > 1 else Testing.DISJOINT


def clusters_of(codes: IntArray, names: NDArray[Any]) -> dict[str, Any]:
    """Return the facts of clusters: the code of each example and what the codes are called; none where each example is one."""
    return {} if names.size == codes.size else {"clusters": codes, "cluster_names": names}


def _content(positions: IntArray) -> int:
    return hash(np.bincount(positions).tobytes())


def _from_few(splits: Sequence[Split], groups: IntArray | None, n: int) -> bool:
    units = np.arange(n) if groups is None else groups
    tested, used, sizes = np.zeros(n, dtype=bool), np.zeros(n, dtype=bool), []
    for split in splits:
        tested[units[split.test]] = used[units[split.train]] = True
        sizes.append(split.test.size if groups is None else np.unique(groups[split.test]).size)
    return same_few(int(tested.sum()), np.array(sizes), int((tested | used).sum()))


def same_few(tested: int, sizes: NDArray[Any], n: float) -> bool:
    """Tell whether test sets are from so few of n examples that they are not random ones, by Boole's inequality."""
    if not 2.0 * tested < n * (1.0 - np.prod(1.0 - sizes / n)):
        return False
    within = np.sum(_log_choose(tested, sizes) - _log_choose(n, sizes))
    return bool(_log_choose(n, np.array(tested)) + within < np.log(_BY_CHANCE))


def _log_choose(n: float, k: NDArray[Any]) -> FloatArray:
    found: FloatArray = (
        special.gammaln(n + 1.0) - special.gammaln(k + 1.0) - special.gammaln(n - k + 1.0)
    )
    return found


def _forward(split: Split, time: IntArray) -> bool:
    return bool(time[split.train].max() <= time[split.test].min())


def rarest_tested(strata: IntArray, n_test: float) -> float:
    """Return how many examples of the rarest stratum a test set of `n_test` holds on average."""
    counts = np.bincount(strata)
    return float(counts[counts > 0].min()) * n_test / strata.size


def _codes(labels: NDArray[Any]) -> IntArray:
    found: IntArray = np.unique(labels, return_inverse=True)[1].ravel()
    return found


def _balanced(splits: Sequence[Split], classes: IntArray, kind: Kind) -> bool:
    shares = np.bincount(classes) / classes.size
    present = shares[shares > 0]
    if len(splits) < 2 or present.size < 2 or present.size > classes.size / 2:
        return False
    counts = np.stack([np.bincount(classes[split.test], minlength=shares.size) for split in splits])
    sizes = counts.sum(axis=1)
    expected = np.outer(sizes, shares)[:, shares > 0]
    gaps = counts[:, shares > 0] - expected
    if float(np.abs(gaps).max()) > 1.0:
        return False
    left = 1.0 - sizes / classes.size
    if (left <= 0.0).any():
        return False
    total = float((np.square(gaps) / expected).sum(axis=1) @ (1.0 / left))
    # In K-fold cross-validation the last fold follows from the others.
    free = len(splits) * (1.0 - float(1.0 - left.mean()) * (kind.testing is Testing.FOLDS))
    return bool(
        special.gammainc(free * (present.size - 1) / 2.0, total / 2.0) < _BALANCED_BY_CHANCE
    )
