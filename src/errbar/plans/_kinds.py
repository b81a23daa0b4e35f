"""Kinds of resampling: each is declared once, in `kinds.toml`, and says what follows for the numbers."""

import tomllib
from enum import StrEnum
from pathlib import Path


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

    A kind is its key, so ``plan.kind == "kfold"`` holds and JSON shows the word. Nothing is known of
    one that `kinds.toml` does not hold.

    Attributes
    ----------
    words : What people call it, such as ``"K-fold cross-validation"``.
    training, testing : What the splits are trained and tested on.
    stated : Whether people may say that numbers of their own came about in this way.

    Examples
    --------
    >>> from errbar.plans import KINDS
    >>> KINDS["kfold"].words
    'K-fold cross-validation'
    """

    words = ""
    training = Training.UNKNOWN
    testing = Testing.UNKNOWN
    stated = False


KINDS: dict[str, Kind] = {}
"""All kinds by key."""
_TABLE = tomllib.loads(Path(__file__).with_name("kinds.toml").read_text(encoding="utf-8"))
for _key, _facts in _TABLE.items():
    KINDS[_key] = Kind(_key)
    vars(KINDS[_key]).update(
        _facts,
        training=Training[_facts.get("training", "UNKNOWN")],
        testing=Testing[_facts.get("testing", "UNKNOWN")],
    )
OTHER, DATA_SETS, JUDGED = KINDS["other"], KINDS["data-sets"], KINDS["judged"]
