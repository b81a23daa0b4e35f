"""How the numbers of a table came about: the facts on which it depends which methods may be applied to them.

A design is made once, and checked against the splits where there are any. It knows nothing of
methods: they state what they need of it (`Need`).
"""

import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special

from errbar import _check
from errbar._check import Array, FloatArray, IntArray, compact
from errbar.plans import Draw, KFold, Kind, NestedKFold, Split, Testing, Training
from errbar.plans._base import LABELS, NO_LABEL
from errbar.result import Note, Notes, distinct

__all__ = ["Design", "Fact", "Need", "Origin", "designs_of", "judge", "right_call"]

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
    weights : How much each example counts, 1 on average; None where all count the same.
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
    weights: FloatArray | None = None
    backwards: bool = False
    origin: Origin = Origin.RUN

    @property
    def n_clusters(self) -> int:
        """Number of clusters of examples, 0 where examples do not come in clusters."""
        return 0 if self.clusters is None else int(self.clusters.max()) + 1

    def only(self, rows: Any) -> "Design":
        """Return the design of some of the examples (or rows) of which clusters, strata and times are known."""
        known = {name: getattr(self, name) for name in ("clusters", "strata", "time")}
        kept = {name: one[rows] for name, one in known.items() if one is not None}
        if "clusters" in kept:
            kept["clusters"] = compact(kept["clusters"])
        return replace(self, **kept)

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


# What methods need of the design of their numbers, and how a design that lacks it is refused.

FEWEST_CLUSTERS = 5
"""With fewer clusters nothing can be said about other clusters."""
_FEW_GROUPS = 10
# 30 groups of 10, strong correlation within groups, three populations and three learners.
WHOLE_GROUPS = Note("whole-groups")
# 3-nearest neighbours, each on two features of its own; 100 examples.
SEVERAL_LEARNERS = Note("several-learners")
# benchmarks/many_learners.py measures the coverage of both.
WINNER = Note("optimistic", what="the learner with the best estimate", instead="`best.risk`")
SEEDS_OF_ONE_TRAINING_SET = Note("fixed", what="training sets")
# Least squares and ridge regression.
FOLD_MODELS = Note("fold-models")


class Fact(NamedTuple):
    """A fact of a design that forbids some methods.

    Attributes
    ----------
    holds : ``holds(design)`` returns whether it does
    reason : the fact; it follows "and here" in the message. ``{d}`` stands for the design.
    remedy : what is right; ``{call}`` stands for `right_call`
    """

    holds: Callable[[Design], bool]
    reason: str
    remedy: str = "{call}"


class Need(NamedTuple):
    """One thing that a method needs of a design.

    Attributes
    ----------
    words : what is needed; it follows "needs" in the message
    forbids : keys of `FACTS` that must not hold; the first that does is named
    notes : ``notes(design)`` yields the notes that go with an answer
    averages : whether the need is met after averaging over the seeds of each split
    """

    words: str
    forbids: tuple[str, ...]
    notes: Callable[[Design], Iterator[Note]] = lambda _: iter(())
    averages: bool = False


def judge(needs: Iterable[Need], design: Design) -> tuple[Notes, str | None]:
    """Return the notes of a design, and in words the first need that it does not meet, and what is right."""
    notes: list[Note] = []
    for need in needs:
        for fact in map(FACTS.__getitem__, ("copies", *need.forbids)):
            if fact.holds(design):
                words = f"{need.words}, and here {fact.reason}; {fact.remedy}"
                return (), words.format(d=design, call=right_call(design))
        notes += need.notes(design)
    return distinct(notes), None


def right_call(design: Design) -> str:
    """Return what takes losses of examples of a design."""
    grouped, several = design.clusters is not None, design.seeds > 1
    single = design.testing in (Testing.ONE_SET, Testing.SAME)
    few = 0 < design.n_clusters < FEWEST_CLUSTERS
    if design.time is not None or design.training is Training.ORDERED:
        crossed = grouped and not (few or design.clustered_scores or design.time is None)
        method = "'two-way-t'" if crossed else "'diebold-mariano'"
        ways = {
            ", without `groups`": grouped and not crossed,
            ", on means over the seeds": several,
            ", with test sets that do not overlap": design.testing is Testing.OVERLAPPING,
            ", with a single repeat": not single,
        }
        said = "".join(way for way in ways if ways[way])
        return f"try {method}{said}, or leave `time` out where it does not matter"
    if several:
        method = (
            "'crossed-t'" if single else "'crossed-t', with seeds of one split or cross-validation"
        )
    elif grouped and not few:
        method = "'cluster-t'" if single else "'cv-t', with folds of whole groups"
    else:
        method = "'holdout-t'" if single else "'cv-wald'"
    without = f" without `groups`: fewer than {FEWEST_CLUSTERS} tell nothing about others"
    return f"try {method}{without * few}"


_HOLDS: dict[str, Callable[[Design], bool]] = {
    "copies": lambda d: d.copies > 1,
    "groups": lambda d: d.clusters is not None,
    "few groups": lambda d: 0 < d.n_clusters < FEWEST_CLUSTERS,
    "no groups": lambda d: d.clusters is None,
    "groups of scores": lambda d: d.clustered_scores,
    "order": lambda d: d.training is Training.ORDERED,
    "time": lambda d: d.time is not None,
    "no time": lambda d: d.time is None and d.training is not Training.ORDERED,
    "one training set": lambda d: d.testing is Testing.SAME or d.training is Training.ONE,
    "seeds": lambda d: d.seeds > 1,
    "no seeds": lambda d: d.seeds < 2,
    "seeds of scores": lambda d: d.seeds > 1,
    "no seeds of data sets": lambda d: d.seeds < 2,
    "rare classes": lambda d: d.rarest < 1.0,
    "overlap": lambda d: d.testing is Testing.OVERLAPPING,
    "strata": lambda d: d.stratified,
}
_WORDS = tomllib.loads(Path(__file__).with_name("facts.toml").read_text(encoding="utf-8"))
FACTS = {key: Fact(holds, **_WORDS[key]) for key, holds in _HOLDS.items()}
"""Facts by key."""


def _of_few_groups(design: Design) -> Iterator[Note]:
    if 0 < design.n_clusters < _FEW_GROUPS:
        yield Note("few", count=design.n_clusters, what="groups")


def _of_splits(design: Design) -> Iterator[Note]:
    if design.origin is Origin.ASSUMED:
        yield Note("assumed-random-splits")
    if design.clusters is not None:
        yield WHOLE_GROUPS
    yield from _of_few_groups(design)


def _of_corrections(design: Design) -> Iterator[Note]:
    if design.testing is Testing.FOLDS:
        yield Note("heuristic", splits="K-fold cross-validation")
    if design.training is Training.UNKNOWN:
        yield Note("heuristic", splits="these splits")
    yield from _of_splits(design)


def _of_series_by_time(design: Design) -> Iterator[Note]:
    yield from _of_few_groups(design)
    yield from _of_series(design)


def _of_series(design: Design) -> Iterator[Note]:
    if design.training is Training.RANDOM or design.backwards:
        yield Note("order-in-time")


_DRAWN = (
    "groups of scores",
    "order",
    "time",
    "one training set",
    "seeds of scores",
    "rare classes",
)
TRAINING_SETS = Need("several training sets drawn at random", _DRAWN, _of_splits)
RANDOM_SPLITS = Need(TRAINING_SETS.words, _DRAWN, _of_corrections, averages=True)
"""The same for a correction that is derived for independent random splits."""

EXAMPLES = Need("independent examples with one loss each", ("seeds", "time", "groups"))
FOLDS = Need(
    "independent examples, or whole groups of them, in folds",
    ("seeds", "time", "few groups"),
    _of_few_groups,
    averages=True,
)
CLUSTERS = Need(
    f"examples in at least {FEWEST_CLUSTERS} known groups, with one loss each",
    ("seeds", "no groups", "order", "time", "few groups"),
)
SEEDS = Need("several seeds, or answers, on the same examples", ("no seeds", "time", "few groups"))
SERIES = Need(
    "examples in the order of time, with one loss each",
    ("no time", "groups", "seeds", "overlap"),
    _of_series,
)
SERIES_BY_TIME = Need(
    f"examples in the order of time and in at least {FEWEST_CLUSTERS} known groups, with one loss each",
    ("no time", "no groups", "few groups", "seeds", "overlap"),
    _of_series_by_time,
)
_OF_DATA_SETS = ("groups of scores", "time", "strata")
DATA_SETS = Need(
    "independent data sets with one score each",
    ("seeds of scores", *_OF_DATA_SETS),
    averages=True,
)
SEEDS_OF_DATA_SETS = Need(
    "independent data sets with several seeds", ("no seeds of data sets", *_OF_DATA_SETS)
)
RUNS = Need("independent runs with one number each", ("groups of scores", "time", "strata"))
PLAIN = Need("splits that are not stratified", ("strata",))


def weights_of(given: Any, count: int) -> FloatArray | None:
    """Return weights that are 1 on average; None where all are equal, since only their ratios matter."""
    weights = _check.vector(given, "weights", "example")
    must = f"must hold a weight for each of {count} examples"
    _check.require(weights.size == count, must, weights.size, "weights")
    _check.require(weights.min() >= 0.0, "must be 0 or larger", float(weights.min()), "weights")
    _check.require(weights.max() > 0.0, "must not all be 0", weights, "weights")
    if weights.min() == weights.max():
        return None
    scaled: FloatArray = weights / weights.max()
    return scaled / scaled.mean()


# What each split of a table was: its sizes, its labels, and the plan that it belongs to.


@dataclass(frozen=True, eq=False)
class SplitColumns:
    """What each split was: one entry per split in every column.

    Sizes are NaN and labels -1 where unknown. `fingerprint`, a digest of all indices, `n` and
    `drawn` are None where the numbers were made elsewhere.
    """

    n_train: FloatArray
    n_test: FloatArray
    labels: dict[str, IntArray]
    plan: IntArray
    designs: tuple[Design, ...]
    descriptions: tuple[str, ...]
    fingerprint: str | None = None
    n: int | None = None
    drawn: tuple[Split, ...] | None = None

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """Kind of each plan."""
        return tuple(design.kind for design in self.designs)

    @classmethod
    def of(cls, draw: Draw, classes: IntArray | None = None) -> "SplitColumns":
        """Describe drawn splits; `classes` holds the class of each example, for classification."""
        splits = draw.splits
        labels = {
            name: np.array([split.labels.get(name, NO_LABEL) for split in splits], dtype=np.int64)
            for name in LABELS
        }
        return cls(
            n_train=np.array([split.n_train for split in splits], dtype=np.float64),
            n_test=np.array([split.test.size for split in splits], dtype=np.float64),
            labels=labels,
            plan=draw.plan,
            designs=designs_of(draw, classes),
            descriptions=tuple(map(str, draw.parts)),
            fingerprint=draw.fingerprint,
            n=draw.n,
            drawn=tuple(splits),
        )

    def only(self, chosen: NDArray[np.bool_]) -> "SplitColumns":
        """Return the columns of some of the splits; plans without any are left out."""
        kept, plan = np.unique(self.plan[chosen], return_inverse=True)
        labels = {name: column[chosen] for name, column in self.labels.items()}
        designs = []
        for place, number in enumerate(kept):
            design, own = self.designs[number], plan == place
            # One seed of several is no longer one of several, and nested folds without inner ones are folds.
            once = np.unique(labels["seed"][own]).size == 1
            outer = design.kind == NestedKFold.kind and (labels["inner"][own] == NO_LABEL).all()
            designs.append(
                replace(
                    design,
                    seeds=1 if once else design.seeds,
                    kind=KFold.kind if outer else design.kind,
                )
            )
        return replace(
            self,
            n_train=self.n_train[chosen],
            n_test=self.n_test[chosen],
            labels=labels,
            plan=plan,
            designs=tuple(designs),
            descriptions=tuple(self.descriptions[number] for number in kept),
            drawn=self.drawn and tuple(self.drawn[j] for j in np.flatnonzero(chosen)),
        )

    def weighted(self, weights: FloatArray | None) -> "SplitColumns":
        """Return the same splits of examples with weights."""
        designs = tuple(replace(design, weights=weights) for design in self.designs)
        return replace(self, designs=designs)

    def repeats(self, plan: int) -> int:
        """Return the number of partitions of one plan."""
        return int(np.unique(self.labels["repeat"][self.plan == plan]).size)

    def describe(self, split: int) -> str:
        """Return the labels of one split in words."""
        known = {name: column[split] for name, column in self.labels.items()}
        parts = [f"{name} {label}" for name, label in known.items() if label != NO_LABEL]
        return ", ".join(parts) or f"split {split}"


def stated_columns(
    design: Design,
    count: int,
    *,
    n_train: FloatArray | None = None,
    n_test: FloatArray | None = None,
    labels: dict[str, IntArray] | None = None,
) -> SplitColumns:
    """Return split columns for numbers that were made elsewhere."""
    unknown = np.full(count, np.nan)
    columns = {name: np.full(count, NO_LABEL, dtype=np.int64) for name in LABELS} | (labels or {})
    if (columns["repeat"] == NO_LABEL).all():
        # Rows of a partition, or of a data set, are told apart by other labels.
        apart = design.testing is Testing.FOLDS or columns["dataset"].max() != NO_LABEL
        columns["repeat"] = np.zeros(count, dtype=np.int64) if apart else np.arange(count)
    return SplitColumns(
        n_train=unknown if n_train is None else n_train,
        n_test=unknown if n_test is None else n_test,
        labels=columns,
        plan=np.zeros(count, dtype=np.int64),
        designs=(design,),
        descriptions=("made elsewhere",),
    )
