"""What methods need of the design of their numbers, and how a design that lacks it is refused."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from errbar.design import Design, Origin
from errbar.plans import Testing, Training
from errbar.result import Note

__all__ = [
    "CLUSTERS",
    "DATA_SETS",
    "EXAMPLES",
    "FEWEST_CLUSTERS",
    "FOLDS",
    "PLAIN",
    "RANDOM_SPLITS",
    "SEEDS",
    "SEEDS_OF_ONE_TRAINING_SET",
    "SERIES",
    "TRAINING_SETS",
    "Need",
    "Refusal",
    "judge",
]

FEWEST_CLUSTERS = 5
"""With fewer clusters nothing can be said about other clusters."""


@dataclass(frozen=True)
class Refusal:
    """Why a design forbids a method, and what to do instead.

    Attributes
    ----------
    reason : str
        The fact that forbids it; it follows "and here" in the message.
    remedy : str
        The call that is right.
    """

    reason: str
    remedy: str


@dataclass(frozen=True)
class Need:
    """One thing that a method needs of a design.

    Attributes
    ----------
    words : str
        What is needed; it follows "needs" in the message.
    refusal : callable
        ``refusal(design)`` returns why the design forbids the method, or None where it does not.
    caveats : callable
        ``caveats(design)`` yields the notes that go with an answer.
    averages : bool
        Whether the need is met after averaging over the seeds of each split.
    """

    words: str
    refusal: Callable[[Design], Refusal | None]
    caveats: Callable[[Design], Iterator[Note]] = lambda _: iter(())
    averages: bool = False


def judge(
    needs: Iterable[Need], design: Design
) -> tuple[tuple[Note, ...], tuple[str, Refusal] | None]:
    """Return the caveats of a design, and the first need that it does not meet, in words, with the refusal."""
    notes: list[Note] = []
    needs = tuple(needs)
    if needs and design.copies > 1:
        return (), (
            needs[0].words,
            Refusal(f"every split is given {design.copies} times or more", "give each split once"),
        )
    for need in needs:
        refusal = need.refusal(design)
        if refusal is not None:
            return (), (need.words, refusal)
        notes += need.caveats(design)
    return tuple(dict.fromkeys(notes)), None


HEURISTIC_FOR_FOLDS = Note("heuristic", splits="K-fold cross-validation")
HEURISTIC_FOR_SPLITS = Note("heuristic", splits="these splits")
ASSUMED_SPLITS = Note("assumed-random-splits")
# 30 groups of 10, strong correlation within groups, three populations and three learners.
WHOLE_GROUPS = Note("whole-groups")
_FEW_GROUPS = 10
ORDER_IN_TIME = Note("order-in-time")
# 3-nearest neighbours, each on two features of its own; 100 examples.
SEVERAL_LEARNERS = Note("several-learners")
# benchmarks/many_learners.py measures the coverage of both.
WINNER = Note("optimistic", what="the learner with the best estimate", instead="`best.risk`")
SEEDS_OF_ONE_TRAINING_SET = Note("fixed", what="training sets")
# Least squares and ridge regression.
FOLD_MODELS = Note("fold-models")
SERIES_METHOD = "try 'diebold-mariano'"


def _training_sets(design: Design) -> Refusal | None:
    if design.clustered_scores:
        return Refusal(_clusters(design, "scores"), "average the scores within each group")
    if design.training is Training.ORDERED:
        order = "in the order of the rows" if design.time is None else "in time"
        return Refusal(f"every training set precedes its test set {order}", SERIES_METHOD)
    if design.time is not None:
        return _in_time(design)
    if design.testing is Testing.SAME or design.training is Training.ONE:
        return Refusal(_one_training_set(design), _for_seeds(design))
    if design.seeds > 1:
        return Refusal(
            f"every training set was fitted with {design.seeds} seeds",
            "average the scores of each split over its seeds",
        )
    if design.rarest < 1.0:
        return Refusal(
            f"the splits are stratified and a test set holds {design.rarest:.2g} examples of the rarest class on average",
            "use fewer folds or larger test sets, so that each holds at least one",
        )
    return None


def _for_seeds(design: Design) -> str:
    """Return the call for fits or answers that are judged on the same examples."""
    how = "" if design.seeds > 1 else "; say which rows are of one `seed`"
    return (
        f"try 'crossed-t', which needs a loss for each seed and example{how} (there is no method yet for one score a seed), or give one loss per "
        "example, averaged over the seeds, to 'holdout-t', whose answer is then about these fits only; where every seed has drawn a split "
        "of its own, its column is `repeat`"
    )


def _one_training_set(design: Design) -> str:
    if design.seeds > 1:
        return f"{design.seeds} seeds are fits on one training set, judged on one test set"
    if design.testing is Testing.SAME:
        return "all splits test the same examples, or some of the same few, so they must be seeds or repeated answers"
    return "there is one training set"


def _clusters(design: Design, what: str) -> str:
    if design.n_clusters == 1:
        return f"the {what} are all of one group, which tells nothing about other groups"
    return f"the {what} come in {design.n_clusters} groups, and those of a group are alike"


def _of_corrections(design: Design) -> Iterator[Note]:
    if design.testing is Testing.FOLDS:
        yield HEURISTIC_FOR_FOLDS
    if design.training is Training.UNKNOWN:
        yield HEURISTIC_FOR_SPLITS
    yield from _of_splits(design)


def _of_splits(design: Design) -> Iterator[Note]:
    if design.origin is Origin.ASSUMED:
        yield ASSUMED_SPLITS
    if design.clusters is not None:
        yield WHOLE_GROUPS
        yield from _of_few_groups(design)


def _of_few_groups(design: Design) -> Iterator[Note]:
    if design.clusters is not None and design.n_clusters < _FEW_GROUPS:
        yield Note("few", count=design.n_clusters, what="groups")


def _examples(design: Design) -> Refusal | None:
    if design.seeds > 1:
        return _several_losses(design)
    if design.time is not None:
        return _in_time(design)
    if design.clusters is not None:
        return Refusal(_clusters(design, "examples"), _for_clusters(design))
    return None


def _folds(design: Design) -> Refusal | None:
    if design.seeds > 1:
        return _several_losses(design)
    if design.time is not None:
        return _in_time(design)
    if design.clusters is not None and design.n_clusters < FEWEST_CLUSTERS:
        return Refusal(_clusters(design, "examples"), _for_clusters(design))
    return None


def _in_time(design: Design) -> Refusal:
    """Say that the examples have an order in time, and what takes it; a method takes groups or times, not both."""
    if design.clusters is not None:
        return Refusal(
            f"both {design.n_clusters} groups and times are given",
            "leave `groups` out, and 'diebold-mariano' takes the mean of each time; or leave `time` out, if nothing at one time is "
            "alike for several groups",
        )
    if design.testing is Testing.OVERLAPPING:
        told = "use test sets that do not overlap, such as errbar.plans.RollingOrigin, or leave `time` out if the examples are independent"
        return Refusal("the examples follow each other in time, and test sets overlap", told)
    single = "" if design.testing in (Testing.ONE_SET, Testing.SAME) else ", with a single repeat"
    return Refusal(
        "the examples follow each other in time, and neighbours are alike", SERIES_METHOD + single
    )


def _several_losses(design: Design) -> Refusal:
    """Say that an example has several losses, and what takes them."""
    single = design.testing in (Testing.ONE_SET, Testing.SAME)
    how = "" if single else ", with seeds of one split or of a single K-fold cross-validation"
    told = f"try 'crossed-t'{how}{_without_few_groups(design)}"
    if design.time is not None:
        told = (
            "take one seed, or average the losses over the seeds and give them to 'diebold-mariano'"
            + " without `groups`" * (design.clusters is not None)
            + "; the answer is then about these fits only"
        )
    return Refusal(f"every example has {design.seeds} losses, one per seed or answer", told)


def _one_loss_each(design: Design) -> str:
    """Return the call for examples with one loss each."""
    few = _without_few_groups(design)
    if design.time is not None:
        return _in_time(design).remedy
    if design.clusters is not None and not few:
        return _for_clusters(design)
    return (
        "try 'holdout-t'" if design.testing in (Testing.ONE_SET, Testing.SAME) else "try 'cv-wald'"
    ) + few


def _without_few_groups(design: Design) -> str:
    """Return the end of a call that leaves groups out, where they are too few for a statement about others."""
    if design.clusters is None or design.n_clusters >= FEWEST_CLUSTERS:
        return ""
    return f" without `groups`: {design.n_clusters} tell nothing about other groups, for which at least {FEWEST_CLUSTERS} are needed"


def _for_clusters(design: Design) -> str:
    """Return the call for examples that come in clusters."""
    if design.n_clusters >= FEWEST_CLUSTERS:
        single = design.testing in (Testing.ONE_SET, Testing.SAME)
        return (
            "try 'cluster-t'"
            if single
            else "try 'cv-t', with a K-fold cross-validation of whole groups"
        )
    return (
        f"at least {FEWEST_CLUSTERS} groups are needed to tell about others; leave `groups` out if the question is about new examples of these "
        "very groups"
    )


def _known_clusters(design: Design) -> Refusal | None:
    if design.seeds > 1:
        return _several_losses(design)
    if design.clusters is None:
        return Refusal("no groups are known", f"give `groups`, or {_one_loss_each(design)}")
    if design.training is Training.ORDERED:
        return Refusal(
            "every training set precedes its test set in time", f"{SERIES_METHOD}, without `groups`"
        )
    if design.time is not None:
        return _in_time(design)
    return (
        None
        if design.n_clusters >= FEWEST_CLUSTERS
        else Refusal(_clusters(design, "examples"), _for_clusters(design))
    )


def _crossed(design: Design) -> Refusal | None:
    if design.seeds < 2:
        several = "give `seed` and `example` where it has several"
        return Refusal("every example has one loss", f"{several}; else {_one_loss_each(design)}")
    if design.time is not None:
        return Refusal("the examples follow each other in time", _several_losses(design).remedy)
    if design.clusters is not None and design.n_clusters < FEWEST_CLUSTERS:
        return Refusal(_clusters(design, "examples"), _for_clusters(design))
    return None


def _series(design: Design) -> Refusal | None:
    if design.time is None and design.training is not Training.ORDERED:
        told = _several_losses(design).remedy if design.seeds > 1 else _one_loss_each(design)
        return Refusal(
            "no time is known", f"give `time`; if the examples have no order in time, {told}"
        )
    if design.clusters is not None:
        return _in_time(design)
    if design.seeds > 1:
        return _several_losses(design)
    if design.testing is Testing.OVERLAPPING:
        return Refusal(
            "test sets overlap, so an example has several losses",
            "use test sets that do not overlap",
        )
    return None


def _of_series(design: Design) -> Iterator[Note]:
    if design.training is Training.RANDOM or design.backwards:
        yield ORDER_IN_TIME


def _data_sets(design: Design) -> Refusal | None:
    if design.clusters is not None:
        return Refusal(
            _clusters(design, "data sets"),
            "average the scores within each group, and give one row per group",
        )
    if design.seeds > 1:
        return Refusal(
            f"every data set has {design.seeds} scores", "average the scores of each data set"
        )
    if design.time is not None:
        return Refusal(
            "the data sets follow each other in time", "leave `time` out if they are independent"
        )
    if design.stratified:
        return Refusal(
            "`stratified` is given", "leave it out: it is said of splits of one data set"
        )
    return None


def _plain(design: Design) -> Refusal | None:
    if not design.stratified:
        return None
    return Refusal(
        "they are stratified, which takes the variation of the class shares out of the scores",
        "try 'corrected-t' on stratified random splits or folds, which adds it back",
    )


TRAINING_SETS = Need("several training sets drawn at random", _training_sets, _of_splits)
RANDOM_SPLITS = Need(TRAINING_SETS.words, _training_sets, _of_corrections, averages=True)
"""The same for a correction that is derived for independent random splits."""

EXAMPLES = Need("independent examples with one loss each", _examples)
FOLDS = Need(
    "independent examples, or whole groups of them, in folds", _folds, _of_few_groups, averages=True
)
CLUSTERS = Need(
    f"examples in at least {FEWEST_CLUSTERS} known groups, with one loss each", _known_clusters
)
SEEDS = Need("several seeds, or answers, on the same examples", _crossed)
SERIES = Need("examples in the order of time, with one loss each", _series, _of_series)
DATA_SETS = Need("independent data sets with one score each", _data_sets)
PLAIN = Need("splits that are not stratified", _plain)
