"""What methods need of the design of their numbers, and how a design that lacks it is refused.

A need names the facts that forbid a method. A fact says when it holds, how it is said, and what is right then; which
method a design calls for is said by one function, `right_call`.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from errbar.design import Design, Origin
from errbar.plans import Testing, Training
from errbar.result import Note, Notes, distinct

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
    if design.time is not None:
        ways = {
            ", without `groups`": grouped,
            ", on means over the seeds": several,
            ", with test sets that do not overlap": design.testing is Testing.OVERLAPPING,
            ", with a single repeat": not single,
        }
        said = "".join(way for way in ways if ways[way])
        return f"try 'diebold-mariano'{said}, or leave `time` out where it does not matter"
    few = 0 < design.n_clusters < FEWEST_CLUSTERS
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


_OF_SEEDS = (
    "try 'crossed-t', which needs a loss for each `seed` and `example`, or 'holdout-t' on the mean of"
    " each example over the seeds; where every seed drew a split of its own, its column is `repeat`"
)

FACTS = {
    "copies": Fact(
        lambda d: d.copies > 1,
        "every split is given {d.copies} times or more",
        "give each split once",
    ),
    "groups": Fact(
        lambda d: d.clusters is not None,
        "the examples come in groups ({d.n_clusters}), and those of a group are alike",
    ),
    "few groups": Fact(
        lambda d: 0 < d.n_clusters < FEWEST_CLUSTERS,
        "the examples come in so few groups ({d.n_clusters}) that nothing is known of others",
    ),
    "no groups": Fact(
        lambda d: d.clusters is None, "no groups are known", "give `groups`, or {call}"
    ),
    "groups of scores": Fact(
        lambda d: d.clustered_scores,
        "the scores come in groups ({d.n_clusters}), and those of a group are alike",
        "average the scores within each group",
    ),
    "order": Fact(
        lambda d: d.training is Training.ORDERED,
        "every training set precedes its test set",
        "try 'diebold-mariano', without `groups`",
    ),
    "time": Fact(
        lambda d: d.time is not None,
        "the examples follow each other in time, and neighbours are alike",
    ),
    "no time": Fact(
        lambda d: d.time is None and d.training is not Training.ORDERED,
        "no time is known",
        "give `time`; if the examples have no order in time, {call}",
    ),
    "one training set": Fact(
        lambda d: d.testing is Testing.SAME or d.training is Training.ONE,
        "all numbers are of one training set, or of the same test examples",
        _OF_SEEDS,
    ),
    "seeds": Fact(
        lambda d: d.seeds > 1, "every example has {d.seeds} losses, one per seed or answer"
    ),
    "no seeds": Fact(
        lambda d: d.seeds < 2,
        "every example has one loss",
        "give `seed` and `example` where it has several; else {call}",
    ),
    "seeds of scores": Fact(
        lambda d: d.seeds > 1,
        "every training set, or data set, has {d.seeds} scores",
        "average its scores",
    ),
    "rare classes": Fact(
        lambda d: d.rarest < 1.0,
        "the splits are stratified and a test set holds {d.rarest:.2g} examples of the rarest class",
        "use fewer folds or larger test sets, so that each holds at least one",
    ),
    "overlap": Fact(
        lambda d: d.testing is Testing.OVERLAPPING,
        "test sets overlap, so an example has several losses",
        "use test sets that do not overlap",
    ),
    "strata": Fact(
        lambda d: d.stratified,
        "they are stratified, which takes the variation of the class shares out of the scores",
        "try 'corrected-t' on stratified random splits or folds, which adds it back",
    ),
}
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
DATA_SETS = Need(
    "independent data sets with one score each",
    ("groups of scores", "seeds of scores", "time", "strata"),
)
PLAIN = Need("splits that are not stratified", ("strata",))
