"""Kinds of resampling: each is declared once, with its plan, and says what follows for the numbers."""

from enum import StrEnum
from typing import Any, Self


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
    key : str
        Such as ``"kfold"``.
    words : str
        What people call it, such as ``"K-fold cross-validation"``.
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

    def __new__(
        cls, key: str, words: str, training: Training, testing: Testing, *, stated: bool = False
    ) -> Self:
        """Declare a kind; its key must be new."""
        kind = super().__new__(cls, key)
        kind.words, kind.training, kind.testing, kind.stated = words, training, testing, stated
        KINDS[key] = kind
        return kind

    def __reduce__(self) -> tuple[Any, ...]:
        """Unpickle to the one declared kind of this key."""
        return kind_named, (str(self),)


KINDS: dict[str, Kind] = {}
"""All kinds by key, in the order in which their plans declare them."""


def kind_named(key: str) -> Kind:
    """Return the kind of a key; one that nobody has declared is a kind of which nothing is known."""
    if isinstance(key, Kind):
        return key
    return KINDS.get(key) or Kind(key, key, Training.UNKNOWN, Testing.UNKNOWN)


OTHER = Kind("other", "other splits", Training.UNKNOWN, Testing.UNKNOWN, stated=True)
DATA_SETS = Kind("data-sets", "several data sets", Training.DATA_SETS, Testing.UNKNOWN, stated=True)
JUDGED = Kind("judged", "losses by people and by a judge", Training.ONE, Testing.UNKNOWN)
