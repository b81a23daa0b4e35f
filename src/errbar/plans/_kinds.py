"""Kinds of resampling: each is declared once, with its plan, and says what follows for the numbers."""

from enum import StrEnum


class Training(StrEnum):
    """What the splits were trained on."""

    ONE = "one training set"
    RANDOM = "several training sets, drawn at random"
    ORDERED = "training sets that precede their test sets"
    DATA_SETS = "a data set of its own for every number"
    UNKNOWN = "training sets that were not drawn at random, or of which nothing is known"


class Testing(StrEnum):
    """Which examples the splits test."""

    ONE_SET = "one test set"
    SAME = "the same test set in every split"
    FOLDS = "disjoint test sets that together are all examples"
    DISJOINT = "disjoint test sets"
    OVERLAPPING = "test sets drawn one by one"
    UNKNOWN = "test sets of which nothing is known"


class Kind(str):
    """A kind of resampling: its key, and what is true of all numbers that come about in this way.

    A kind is its key, so ``plan.kind == "kfold"`` holds and JSON shows the word.

    Parameters
    ----------
    key, words : str
        Such as ``"kfold"``, and what people call it, such as ``"K-fold cross-validation"``.
    training, testing : Training, Testing
        What the splits are trained and tested on.
    stated : bool, default False
        Whether people may say that numbers of their own came about in this way.

    Examples
    --------
    >>> from errbar.plans import KINDS
    >>> KINDS["kfold"].words
    'K-fold cross-validation'
    """

    words: str
    training: Training
    testing: Testing
    stated: bool

    def __new__(  # noqa: PYI034 - of one key there is one kind
        cls,
        key: str,
        words: str = "",
        training: Training = Training.UNKNOWN,
        testing: Testing = Testing.UNKNOWN,
        *,
        stated: bool = False,
    ) -> "Kind":
        """Return the kind of a key; one that nobody has declared is a kind of which nothing is known."""
        if key not in KINDS:
            kind = KINDS[key] = super().__new__(cls, key)
            kind.words, kind.training, kind.testing, kind.stated = words, training, testing, stated
        return KINDS[key]


KINDS: dict[str, Kind] = {}
"""All kinds by key, in the order in which their plans declare them."""

OTHER = Kind("other", "other splits", stated=True)
DATA_SETS = Kind("data-sets", "several data sets", Training.DATA_SETS, stated=True)
JUDGED = Kind("judged", "losses by people and by a judge", Training.ONE)
HALVES = Kind(
    "halves", "random splits, also of halves", Training.RANDOM, Testing.OVERLAPPING, stated=True
)
HALVED_KFOLD = Kind(
    "halved-kfold", "K-fold, also of halves", Training.RANDOM, Testing.FOLDS, stated=True
)
HOLDOUT = Kind("holdout", "one split", Training.ONE, Testing.ONE_SET, stated=True)
PART_JACKKNIFE = Kind(
    "part-jackknife",
    "K-fold cross-validation without parts of the data",
    Training.RANDOM,
    Testing.FOLDS,
)
KFOLD = Kind("kfold", "K-fold cross-validation", Training.RANDOM, Testing.FOLDS, stated=True)
FIVE_BY_TWO = Kind(
    "5x2", "five repeats of two-fold cross-validation", Training.RANDOM, Testing.FOLDS, stated=True
)
NESTED_KFOLD = Kind(
    "nested-kfold", "nested K-fold cross-validation", Training.RANDOM, Testing.FOLDS
)
REPLACE_ONE = Kind(
    "replace-one", "K-fold cross-validation with replaced examples", Training.RANDOM, Testing.FOLDS
)
ROLLING_ORIGIN = Kind(
    "rolling-origin", "rolling origin", Training.ORDERED, Testing.DISJOINT, stated=True
)
BOOTSTRAP = Kind(
    "bootstrap", "bootstrap samples", Training.RANDOM, Testing.OVERLAPPING, stated=True
)
SUBSAMPLING = Kind(
    "subsampling", "random splits", Training.RANDOM, Testing.OVERLAPPING, stated=True
)
