"""What a plan is: something that yields labelled splits. Plans of plans stand here too."""

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from itertools import chain
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from errbar import _check, _rng
from errbar._check import IntArray
from errbar.errors import InvalidInputError
from errbar.plans._kinds import OTHER, Kind, kind_named

LABELS = ("halving", "half", "replaced", "repeat", "fold", "inner", "resubstitution", "seed", "judge")
NO_LABEL = -1
MOST_SPLITS, MOST_POSITIONS = 1_000_000, 1_000_000_000
"""What is kept of one plan at most: a million splits take a gigabyte, and a milliard of positions takes eight."""


@dataclass(frozen=True, eq=False)
class Split:
    """One training set and the examples it is tested on.

    Attributes
    ----------
    train, test : ndarray of int
        Positions of the examples, counted from 0.
    labels : mapping of str to int
        Where the split comes from, as far as that applies: ``repeat`` and ``fold``; ``inner``, the fold that an
        inner split of nested cross-validation tests on; ``halving`` and ``half`` for splits of half the data;
        ``replaced``, the example that was replaced; ``resubstitution`` for a test on the training set itself; ``seed``
        for one of several fits on one training set.
    """

    train: IntArray
    test: IntArray
    labels: Mapping[str, int] = field(default_factory=dict)

    @property
    def n_train(self) -> int:
        """Number of training examples, copies counted."""
        return int(self.train.size)

    @property
    def kept(self) -> int:
        """Number of positions that are kept in memory."""
        return self.train.size + self.test.size

    def describe(self) -> str:
        """Return the labels in words, such as ``"repeat 0, fold 3"``."""
        return ", ".join(f"{name} {value}" for name, value in self.labels.items()) or "the only split"


class LeftOut(Split):
    """A split that is trained on all examples that it is not tested on, and that are not set aside either.

    The training positions are worked out when they are asked for: those of many folds of many examples would take more
    room than the data.
    """

    n: int
    aside: Sequence[IntArray]

    def __init__(self, n: int, test: IntArray, labels: Mapping[str, int], *aside: IntArray) -> None:
        put = object.__setattr__
        put(self, "n", n)
        put(self, "test", test)
        put(self, "labels", labels)
        put(self, "aside", aside)

    @property
    def train(self) -> IntArray:
        """Positions that are left, in ascending order."""
        outside = np.ones(self.n, dtype=bool)
        for positions in (self.test, *self.aside):
            outside[positions] = False
        return np.flatnonzero(outside)

    @property
    def n_train(self) -> int:
        """Number of training examples."""
        return self.n - sum(positions.size for positions in (self.test, *self.aside))

    @property
    def kept(self) -> int:
        """Number of positions that are kept in memory."""
        return self.test.size


class Plan(ABC):
    """Base of all plans. Two plans added up are run as one, and share the training sets they have in common."""

    kind: ClassVar[Kind] = OTHER
    stratified: bool = False
    """Whether the splits keep the shares of the classes."""
    foreign: bool = False
    """Whether the splits were made elsewhere, so that what they are has to be read off them."""

    @abstractmethod
    def splits(self, n: int, rng: Any = None, y: Any = None, groups: Any = None) -> Iterator[Split]:
        """Yield the splits of `n` examples.

        Parameters
        ----------
        n : int
            Number of examples.
        rng : None, int or NumPy generator
            Root of the random streams. Each partition has a stream of its own, derived from what it is
            (for instance "the third partition into ten folds"), so plans drawn from one root share it.
        y : array-like, optional
            Targets, for plans that stratify.
        groups : array-like, optional
            Group of each example, for plans that keep groups together.
        """

    def parts(self) -> tuple["Plan", ...]:
        """Return the plans this one consists of."""
        return (self,)

    def kind_of(self, splits: Sequence[Split]) -> Kind:  # noqa: ARG002 - only plans made by others need to look
        """Return the kind of resampling the given splits of this plan amount to."""
        return self.kind

    def __add__(self, other: "Plan") -> "Union":
        """Return the union of both plans."""
        return Union(self.parts() + other.parts())


class RandomPlan(Plan):
    """Base of plans whose splits are drawn at random, from all examples alike."""

    least: ClassVar[Mapping[str, int]] = {}
    """The smallest value of each parameter that is a count; their product is the number of splits, or a part of it."""

    def __post_init__(self) -> None:
        """Check what can be checked before the data are known."""
        for name, least in self.least.items():
            _check.count(getattr(self, name), name, least)
        refuse_size(self.least_number(), 0, self)

    def least_number(self) -> int:
        """Return a number of splits that there are at least, as far as it can be told without the data."""
        return math.prod(getattr(self, name) for name in self.least)

    def splits(self, n: int, rng: Any = None, y: Any = None, groups: Any = None) -> Iterator[Split]:  # noqa: ARG002
        """Yield the splits of `n` examples; groups are refused, since they would not be kept together."""
        refuse_groups(self, groups)
        _check.count(n, "n", 2, MOST_POSITIONS)
        for place, split in enumerate(self.drawn(n, _rng.root(rng))):
            if place == 0:
                refuse_size(self.least_number(), split.kept, self)
            yield split

    @abstractmethod
    def drawn(self, n: int, base: int) -> Iterator[Split]:
        """Yield the splits of `n` examples, each from a stream that is derived from the root."""


@dataclass(frozen=True)
class Union(Plan):
    """Several plans run as one; what they have in common is fitted once."""

    plans: tuple[Plan, ...]

    def parts(self) -> tuple[Plan, ...]:
        """Return the plans in the order in which they were added."""
        return self.plans

    def splits(self, n: int, rng: Any = None, y: Any = None, groups: Any = None) -> Iterator[Split]:
        """Yield the splits of every plan in turn, all drawn from one root."""
        base = _rng.root(rng)
        for plan in self.plans:
            yield from plan.splits(n, base, y, groups)


@dataclass(frozen=True)
class Within(Plan):
    """Another plan, applied to some of the examples, which are drawn at random once.

    Nadeau & Bengio (2003, section 5) use it to study a ratio of training to test size that the data would not give: of
    300 examples they keep 180, and split those again and again into 150 and 30.

    Parameters
    ----------
    plan : Plan
        The plan for the examples that are kept; a single one.
    examples : int or float
        How many are kept, as a count or a fraction of all.

    Examples
    --------
    >>> from errbar.plans import Subsampling, Within
    >>> plan = Within(Subsampling(n_train=150, n_test=30, repeats=15), examples=180)
    >>> splits = list(plan.splits(300, 0))
    >>> len(splits), len({int(i) for split in splits for i in (*split.train, *split.test)})
    (15, 180)
    """

    plan: Plan
    examples: float

    def __post_init__(self) -> None:
        """Check what can be checked before the data are known."""
        if not isinstance(self.plan, Plan) or len(self.plan.parts()) != 1:
            raise InvalidInputError(
                f"`plan` must be a single plan such as errbar.plans.Subsampling(), got {self.plan!r}"
            )
        object.__setattr__(self, "stratified", self.plan.stratified)
        object.__setattr__(self, "foreign", self.plan.foreign)

    def kind_of(self, splits: Sequence[Split]) -> Kind:
        """Return the kind of the plan for the examples that are kept."""
        return self.plan.kind_of(splits)

    def splits(self, n: int, rng: Any = None, y: Any = None, groups: Any = None) -> Iterator[Split]:
        """Yield the splits of the examples that are kept, with the labels of their plan."""
        count = size(self.examples, n, "examples")
        base = _rng.root(rng)
        kept = np.sort(_rng.stream(base, "within", count).choice(n, count, replace=False))
        own = None if y is None else np.asarray(y)[kept]
        grouped = None if groups is None else np.asarray(groups)[kept]
        for split in self.plan.splits(count, _rng.seed(base, "within", count), own, grouped):
            yield Split(kept[split.train], kept[split.test], split.labels)


@dataclass(frozen=True, eq=False)
class Draw:
    """The splits that a plan gave for one data set.

    Attributes
    ----------
    n : int
        Number of examples.
    splits : tuple of Split
        All splits, plan after plan.
    plan : ndarray of int
        Which of the plans each split belongs to.
    kinds : tuple of Kind
        Kind of each plan.
    descriptions : tuple of str
        Text of each plan.
    training_sets : tuple of str
        Digest of the training positions of each split.
    fingerprint : str
        Digest of every index of every split: equal exactly when the splits are.
    stratified, foreign : tuple of bool
        Whether each plan says that its splits keep the shares of the classes, and whether they were made elsewhere.
    groups, time : ndarray, shape (n,), or None
        Group and time of each example, where they are known.
    """

    n: int
    splits: tuple[Split, ...]
    plan: IntArray
    kinds: tuple[Kind, ...]
    descriptions: tuple[str, ...]
    training_sets: tuple[str, ...]
    fingerprint: str
    stratified: tuple[bool, ...]
    foreign: tuple[bool, ...]
    groups: NDArray[Any] | None = None
    time: NDArray[Any] | None = None

    def describe(self, position: int) -> str:
        """Return one split in words."""
        return self.splits[position].describe()


def draw(plan: Plan, n: int, rng: Any = None, y: Any = None, groups: Any = None, time: Any = None) -> Draw:
    """Draw every split of `plan` for `n` examples.

    Parameters
    ----------
    plan : Plan
        One plan or a union of plans.
    n : int
        Number of examples.
    rng : None, int or NumPy generator
        Root of the random streams.
    y, groups : array-like, optional
        Targets and groups, for plans that use them.
    time : array-like, optional
        Time of each example. Plans do not use it; it is kept as a fact about the data.

    Raises
    ------
    InvalidInputError
        If the plan does not fit the number of examples, or tears groups apart.
    """
    if not isinstance(plan, Plan):
        raise InvalidInputError(
            "`plan` must be a plan such as errbar.plans.KFold(folds=10), or a scikit-learn splitter wrapped as "
            f"errbar.plans.Predefined(splitter), got {plan!r}"
        )
    n = _check.count(n, "n", 2, MOST_POSITIONS)
    base, parts = _rng.root(rng), plan.parts()
    drawn = [tuple(part.splits(n, base, y, groups)) for part in parts]
    splits = tuple(chain.from_iterable(drawn))
    if groups is not None:
        _refuse_torn_groups(splits, np.asarray(groups))
    training_sets = tuple(_digest(split.train) for split in splits)
    test_sets = [_digest(split.test) for split in splits]
    return Draw(
        n,
        splits,
        plan=np.repeat(np.arange(len(parts)), [len(own) for own in drawn]),
        kinds=tuple(kind_named(part.kind_of(own)) for part, own in zip(parts, drawn, strict=True)),
        descriptions=tuple(str(part) for part in parts),
        training_sets=training_sets,
        fingerprint=blake2b("".join([*training_sets, *test_sets]).encode(), digest_size=16).hexdigest(),
        stratified=tuple(part.stratified for part in parts),
        foreign=tuple(part.foreign for part in parts),
        groups=None if groups is None else np.asarray(groups),
        time=None if time is None else np.asarray(time),
    )


def _digest(positions: IntArray) -> str:
    return blake2b(np.ascontiguousarray(positions, dtype="<i8").data, digest_size=16).hexdigest()


def _refuse_torn_groups(splits: Sequence[Split], groups: NDArray[Any]) -> None:
    """Raise if examples of one group are trained on and tested: the test would not be about new groups."""
    codes = np.unique(groups, return_inverse=True)[1]
    for split in splits:
        trained = np.zeros(codes.max() + 1, dtype=bool)
        trained[codes[split.train]] = True
        torn = np.flatnonzero(trained[codes[split.test]])
        if torn.size:
            raise InvalidInputError(
                f"`groups`: group {groups[split.test[torn[0]]]!s} is both trained on and tested in {split.describe()}; "
                "use splits that keep groups together, such as errbar.plans.Predefined(GroupKFold(10))"
            )


def refuse_size(number: int, positions: int, plan: Any) -> None:
    """Raise if a plan makes more splits, with so many positions of examples each, than can be kept in memory."""
    if number > MOST_SPLITS or number * positions > MOST_POSITIONS:
        each = f", with {positions:,} positions of examples each" if positions else ""
        raise InvalidInputError(
            f"{plan} makes {number:,} splits{each}; at most {MOST_SPLITS:,} splits and {MOST_POSITIONS:,} positions "
            "can be kept"
        )


def refuse_groups(plan: Plan, groups: Any) -> None:
    """Raise if groups were given to a plan that would not keep them together."""
    if groups is not None:
        raise InvalidInputError(
            f"`groups` was given, but {plan} does not keep groups together; "
            "wrap a grouped splitter instead, such as errbar.plans.Predefined(GroupKFold(10))"
        )


def size(value: float, n: int, name: str) -> int:
    """Turn a count, or a fraction of `n` (rounded down, at least 1), into a count."""
    whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    if not whole and isinstance(value, (float, np.floating)) and 0.0 < value < 1.0:
        # 0.29 * 100 is 28.999...: the small term keeps exact fractions exact.
        return max(1, int(value * n + 1e-9))
    if not whole or not 1 <= value < n:
        raise InvalidInputError(
            f"`{name}` must be a whole number from 1 to {n - 1} or a fraction between 0 and 1 "
            f"for {n} examples, got {value!r}"
        )
    return int(value)


def partition(n: int, folds: int, base: int, repeat: int) -> list[IntArray]:
    """Cut n examples at random into folds whose sizes differ by at most one, each in ascending order.

    The stream depends on the number of folds and the repeat alone, so every plan that needs "partition 3
    into ten folds" under one root gets the same one, and its training sets are fitted once.
    """
    if folds > n:
        raise InvalidInputError(f"`folds` must be at most the number of examples, {n}, got {folds}")
    order = _rng.stream(base, "folds", folds, repeat).permutation(n)
    return [np.sort(part) for part in np.array_split(order, folds)]


def half_of(n: int, folds: int) -> int:
    """Return the size of half the data, of which there must be enough for so many folds."""
    half = n // 2
    if folds > half:
        raise InvalidInputError(f"`folds` must be at most half the examples, {half} of {n}, got {folds}")
    return half
