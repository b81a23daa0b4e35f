"""What a plan is: something that yields labelled splits of rows; kinds of splits, and the times of rows."""

import re
import tomllib
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import UTC, datetime
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, dataclass_transform

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from errbar import _check, _rng
from errbar._check import FloatArray, IntArray
from errbar._plain import record
from errbar.errors import InvalidInputError


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
OTHER, DATA_SETS, RUNS = (KINDS[key] for key in ("other", "data-sets", "runs"))
JUDGED, KNOWN = KINDS["judged"], KINDS["known"]


# Times that can be put in order, of whatever type they are given.

# Shapes of text, with 0 for every digit, that sorts in the order of time where all texts have the same shape: one number, the year
# first, or a time of day.
_SORTED = re.compile(r"[^0]*0+[^0]*|0000[-/. ]?[QWMT]?[-/.: T0]*Z?|00:00(:00(\.0+)?)?")

# The ISO form, and dates with the year last. What may be read in two ways is not read.
_FORMS = "", "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%m-%d-%Y"


def times_of(value: Any, n: int, what: str = "example", name: str = "`time`") -> NDArray[Any]:
    """Return n times whose order is that of time: numbers, dates, or text that sorts as they do, such as "2026Q1"."""
    array = _check.categories(value, name)
    if array.size != n:
        raise _check._fault(name, f"must hold one value per {what}, {n} in all, got {array.size}")
    if array.dtype.kind in "biufmM":
        return array
    try:
        return array.astype(np.float64)
    except (ValueError, TypeError):
        pass
    texts, place = np.unique(array.astype(str), return_inverse=True)
    times = dates_of(texts.tolist(), name)
    if times is None:
        shapes = {re.sub(r"\d", "0", text) for text in texts.tolist()}
        if len(shapes) > 1 or not _SORTED.fullmatch(shapes.pop()):
            must = "must hold numbers or dates such as 2026-01-31, all written alike, to be put in order"
            raise _check._fault(name, f"{must}, got {str(array[0])!r}")
        times = texts
    return times[place.ravel()]


def dates_of(texts: Sequence[str], name: str = "`time`") -> NDArray[Any] | None:
    """Return dates such as 2026-01-31, 31.1.2026 or 1/31/2026, in universal time; None if one is not, or is ambiguous."""
    read = [dates for form in _FORMS if (dates := _dates(texts, form))]
    if len(read) != 1:
        return None
    [dates] = read
    zoned = [date.tzinfo is not None for date in dates]
    if any(zoned) != all(zoned):
        raise _check._fault(name, "must hold dates that all have a time zone, or none, got both")
    if all(zoned):
        dates = [date.astimezone(UTC).replace(tzinfo=None) for date in dates]
    return np.array(dates, dtype="datetime64[us]")


def _dates(texts: Sequence[str], form: str) -> list[Any]:
    """Return the dates of all texts, or none where one is not written in this form."""
    try:
        if not form:
            return [datetime.fromisoformat(text) for text in texts]
        return [datetime.strptime(text, form) for text in texts]  # noqa: DTZ007 - they have no zone
    except ValueError:
        return []


# What is split: examples, or whole groups of them, with the shares of classes kept where asked.

MOST_EXAMPLES = 1_000_000_000


@record
class Rows:
    """The examples that a plan splits, and what is known of them.

    Attributes
    ----------
    n : Number of examples.
    root : Root of all random streams, or what it is made of.
    y, groups, time : Target, group and time of each example, as far as they are known.
    stratify : Whether classes keep their shares.
    """

    n: int
    root: Any
    y: Any = None
    groups: Any = None
    time: Any = None
    stratify: bool = False

    def __post_init__(self) -> None:
        n = _check.count(self.n, "n", 2, MOST_EXAMPLES)
        time = None if self.time is None else times_of(self.time, n)
        groups = None
        if self.groups is not None:
            groups = _check.categories(self.groups, "`groups`", n)
        vars(self).update(n=n, root=_rng.root(self.root), groups=groups, time=time)

    @cached_property
    def group(self) -> Any:
        """Group of each example, counted from 0; None where examples are drawn one by one."""
        if self.groups is None:
            return None
        codes = self._codes(self.groups, "groups")
        if not codes.any():
            raise InvalidInputError(
                "must name at least two groups, to train on some and test on others",
                argument="groups",
            )
        return codes

    @cached_property
    def classes(self) -> Any:
        """Class of each example, counted from 0; None where shares are not kept."""
        if not self.stratify:
            return None
        y = np.asarray(self.y)
        if self.y is None or (y.dtype.kind == "f" and (y != np.floor(y)).any()):
            raise InvalidInputError(
                f"needs the class of each example as `y`, got {_check.brief(self.y)}",
                argument="stratify",
            )
        return self._codes(y, "y")

    def _codes(self, values: Any, name: str) -> IntArray:
        labels = np.asarray(values)
        must = f"must hold one value per example, {self.n} in all"
        _check.require(labels.shape == (self.n,), must, labels, name)
        return _check.compact(labels)

    @cached_property
    def counts(self) -> IntArray:
        """Number of examples of each group and class, shape (groups, classes)."""
        classes = np.zeros(self.n, dtype=np.int64) if self.classes is None else self.classes
        counts = np.zeros((self.count, classes.max() + 1), dtype=np.int64)
        np.add.at(counts, (self.group, classes), 1)
        return counts

    @property
    def count(self) -> int:
        """Number of what is drawn, examples or groups."""
        return self.n if self.group is None else int(self.group.max()) + 1

    def stream(self, *names: str | int) -> Generator:
        grouped = ["grouped"] * (self.group is not None)
        stratified = ["stratified"] * (self.classes is not None)
        return _rng.stream(self.root, *grouped, *stratified, *names)

    def examples(self, drawn: IntArray) -> IntArray:
        """Return what was drawn as examples in ascending order."""
        return np.sort(drawn) if self.group is None else np.flatnonzero(np.isin(self.group, drawn))

    def partition(self, folds: int, repeat: int) -> list[IntArray]:
        """Cut at random into folds; the stream depends on the number of folds and the repeat alone."""
        _check.count(folds, "folds", most=self.count)
        return self.folds(self.stream("folds", folds, repeat), folds)

    def folds(self, rng: Generator, folds: int) -> list[IntArray]:
        """Cut the examples into folds of about equal size and shares of classes."""
        if self.group is not None:
            room = np.full(folds, self.count)
            fold = self._to_the_neediest(rng.permutation(self.count), room, np.ones(folds))
            return [np.flatnonzero(fold[self.group] == own) for own in rng.permutation(folds)]
        if self.classes is not None:
            return dealt(self.by_class(rng), folds, rng)
        return [np.sort(part) for part in np.array_split(rng.permutation(self.n), folds)]

    def sizes(self, n_train: float | None, n_test: float) -> tuple[int, int]:
        test = size(n_test, self.count, "n_test")
        train = self.count - test if n_train is None else size(n_train, self.count, "n_train")
        if train + test > self.count:
            raise InvalidInputError(
                f"+ `n_test` must be at most {self.count}, got {train} + {test}", argument="n_train"
            )
        return train, test

    def split(self, rng: Generator, n_train: int, n_test: int) -> tuple[IntArray, IntArray]:
        """Draw a training and a test set of so many examples, or groups; return their examples."""
        if self.classes is None:
            order = rng.permutation(self.count)
            train, test = order[n_test : n_test + n_train], order[:n_test]
        elif self.group is None:
            order = self.by_class(rng)
            tested = evenly(rng, self.n, n_test)
            train, test = np.delete(order, tested), order[tested]
            if n_train < train.size:
                train = train[evenly(rng, train.size, n_train)]
        else:
            # Of neither, training and test set; of an empty one the share must still be above 0.
            room = np.array([self.count - n_train - n_test, n_train, n_test])
            order = rng.permutation(self.count)
            part = self._to_the_neediest(order, room, np.maximum(room, 1e-9))
            train, test = np.flatnonzero(part == 1), np.flatnonzero(part == 2)
        return self.examples(train), self.examples(test)

    def resampled(self, rng: Generator) -> IntArray:
        """Draw as many as there are with replacement; each class keeps its number."""
        if self.classes is None:
            drawn = rng.integers(self.count, size=self.count)
        else:
            own = self.classes if self.group is None else self.counts.argmax(axis=1)
            sizes = np.bincount(own)
            start = np.repeat(np.cumsum(sizes) - sizes, sizes)
            place = start + rng.integers(np.repeat(sizes, sizes))
            drawn = np.argsort(own, kind="stable")[place]
        times = np.bincount(drawn, minlength=self.count)
        return np.repeat(np.arange(self.n), times if self.group is None else times[self.group])

    def by_class(self, rng: Generator) -> IntArray:
        """Return the examples class after class, classes and examples of each in random order."""
        order = rng.permutation(self.n)
        if self.classes is None:
            return order
        rank = rng.permutation(int(self.classes.max()) + 1)
        return order[np.argsort(rank[self.classes[order]], kind="stable")]

    def _to_the_neediest(self, order: IntArray, room: IntArray, weights: FloatArray) -> IntArray:
        """Give each group in turn to the part, with room left, for the least sum of (count - share)^2 / share."""
        total = 1 if self.classes is None else self.counts.sum(axis=0)
        relative = self.counts / total
        shares = weights / weights.sum()
        held, sizes = np.zeros((room.size, relative.shape[1])), np.zeros(room.size)
        left, found = room.copy(), np.empty(order.size, dtype=np.int64)
        for group in order.tolist():
            growth = (2.0 * held + relative[group]) @ relative[group] / shares
            growth[left == 0] = np.inf
            # Of equals the smaller one, so that none stays empty.
            part = np.lexsort((sizes / shares, growth))[0]
            found[group] = part
            held[part] += relative[group]
            sizes[part] += self.counts[group].sum()
            left[part] -= 1
        return found


def size(value: float, n: int, name: str) -> int:
    """Return a number of examples from a count or a fraction of all."""
    if isinstance(value, (float, np.floating)) and 0.0 < value < 1.0:
        # 0.29 * 100 is 28.999...: the small term keeps exact fractions exact.
        return max(1, int(value * n + 1e-9))
    whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    must = f"must be a whole number from 1 to {n - 1} or a fraction between 0 and 1 of {n}"
    _check.require(whole and 1 <= value < n, must, value, name)
    return int(value)


def dealt(order: IntArray, folds: int, rng: Generator) -> list[IntArray]:
    """Deal examples out in turn, like cards, to folds in random order: neighbours are spread evenly."""
    return [np.sort(order[fold::folds]) for fold in rng.permutation(folds)]


def evenly(rng: Generator, n: int, count: int) -> IntArray:
    """Draw places at equal distances from a random start: of k places k count/n, less than one off."""
    return np.minimum(((np.arange(count) + rng.random()) * n / count).astype(np.int64), n - 1)


LABELS = (
    "halving",
    "half",
    "replaced",
    "repeat",
    "fold",
    "inner",
    "resubstitution",
    "seed",
    "judge",
    "part",
    "pair",
    "dataset",
)
NO_LABEL = -1
MOST_SPLITS = 1_000_000  # they take a gigabyte
# Least values of fields, whose product is the number of splits.
_FEWEST = {"folds": 2, "repeats": 1, "seeds": 2, "halvings": 1, "replacements": 2, "n_parts": 3}


@record
class Split:
    """One training set and the examples it is tested on.

    Attributes
    ----------
    train, test : Positions of the examples, counted from 0.
    labels : Where the split comes from: ``repeat``, ``fold``, ``inner``, ``part`` ... as far as they apply.
    """

    train: IntArray
    test: IntArray
    labels: Mapping[str, int] = field(default_factory=dict)

    @property
    def n_train(self) -> int:
        """Number of training examples, copies counted."""
        return int(self.train.size)

    @property
    def seed(self) -> int | None:
        """Which of several fits on its training set the split takes; None where there is one fit."""
        return self.labels.get("seed")

    def describe(self) -> str:
        """Return the labels in words, such as ``"repeat 0, fold 3"``."""
        words = [f"{name} {value}" for name, value in self.labels.items()]
        return ", ".join(words) or "the only split"


class LeftOut(Split):
    """A split trained on all that is neither tested nor set aside; its training positions are worked out when asked for."""

    n: int
    out: tuple[IntArray, ...]

    def __init__(self, n: int, test: IntArray, labels: Mapping[str, int], *aside: IntArray) -> None:
        vars(self).update(n=n, test=test, labels=labels, out=(test, *aside))

    @property
    def train(self) -> IntArray:
        left = np.ones(self.n, dtype=bool)
        for positions in self.out:
            left[positions] = False
        return np.flatnonzero(left)


@dataclass_transform(frozen_default=True)
@dataclass(frozen=True, repr=False)
class Plan(ABC):
    """Base of all plans, which are frozen dataclasses. Plans added up are run as one, and share training sets.

    Attributes
    ----------
    kind : Kind of resampling that the splits are.
    stratify : Whether splits keep the shares of the classes.
    keeps_groups : Whether groups are drawn in place of examples, or may be torn.
    foreign : Whether the splits were made elsewhere, so that what they are has to be read off them.
    fewest : Least values of fields that need more than others of their name.
    """

    kind = OTHER
    stratify = False
    keeps_groups = True
    foreign = False
    fewest: ClassVar[dict[str, int]] = {}

    def __init_subclass__(cls, *, eq: bool = True) -> None:
        dataclass(frozen=True, repr=False, eq=eq)(cls)

    def __post_init__(self) -> None:
        number, fewest = 1, _FEWEST | self.fewest
        for one in fields(self):
            value = getattr(self, one.name)
            if one.type is bool:
                _check.flag(value, one.name)
            elif one.name in fewest:
                number *= _check.count(value, one.name, fewest[one.name])
        if number > MOST_SPLITS:
            raise InvalidInputError(f"{self} makes {number:,} splits; the most is {MOST_SPLITS:,}")

    def __repr__(self) -> str:
        own = {one.name: getattr(self, one.name) for one in fields(self)}
        shown = [f"{name}={value!r}" for name, value in own.items() if name != "stratify" or value]
        return f"{type(self).__name__}({', '.join(shown)})"

    @abstractmethod
    def drawn(self, rows: Rows) -> Iterator[Split]:
        """Yield the splits of rows: of examples, or of groups of them, each from a stream derived from the root."""

    def splits(
        self, n: int, rng: Any = None, y: Any = None, groups: Any = None, time: Any = None
    ) -> Iterator[Split]:
        """Yield the splits of `n` examples, drawn from a root; plans drawn from one root share equal partitions."""
        return self.of(Rows(n, rng, y, groups, time))

    def of(self, rows: Rows) -> Iterator[Split]:
        """Yield the splits of rows, if the plan suits them."""
        if rows.groups is not None and not self.keeps_groups:
            raise InvalidInputError(
                f"was given, but {self} does not keep groups together; "
                "use a plan that does, such as errbar.plans.KFold(folds=10)",
                argument="groups",
            )
        return self.drawn(replace(rows, stratify=self.stratify))

    def kind_of(self, splits: Sequence[Split]) -> Kind:  # noqa: ARG002 - some plans look at them
        """Return the kind of resampling that the splits amount to."""
        return KINDS.get(self.kind, Kind(self.kind))

    def parts(self) -> tuple["Plan", ...]:
        """Return the plans this one consists of."""
        return (self,)

    def __add__(self, other: "Plan") -> "Union":
        return Union(self.parts() + other.parts())


class Union(Plan):
    """Several plans run as one; what they have in common is fitted once."""

    plans: tuple[Plan, ...]

    def parts(self) -> tuple[Plan, ...]:
        """Return the plans in the order in which they were added."""
        return self.plans

    def drawn(self, rows: Rows) -> Iterator[Split]:
        """Yield the splits of every plan in turn, all drawn from one root."""
        for plan in self.plans:
            yield from plan.of(rows)
