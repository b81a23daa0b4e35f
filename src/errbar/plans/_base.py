"""What a plan is: something that yields labelled splits."""

import copy
import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from inspect import signature
from typing import Any, ClassVar

import numpy as np

from errbar import _check, _rng
from errbar._check import IntArray
from errbar.errors import InvalidInputError
from errbar.plans._kinds import OTHER, Kind
from errbar.plans._shares import DrawnUnits

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
)
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
        ``replaced``, the example that was replaced; ``part``, the part of the data that was left out; ``resubstitution`` for a test on the training set itself; ``seed``
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

    @property
    def seed(self) -> int | None:
        """Which of several fits on its training set the split takes; None where there is one fit."""
        return self.labels.get("seed")

    def describe(self) -> str:
        """Return the labels in words, such as ``"repeat 0, fold 3"``."""
        return (
            ", ".join(f"{name} {value}" for name, value in self.labels.items()) or "the only split"
        )

    def labelled(self, **labels: int) -> "Split":
        """Return the same split with more labels; positions are not copied."""
        other = copy.copy(self)
        object.__setattr__(other, "labels", {**self.labels, **labels})
        return other


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
    def splits(
        self, n: int, rng: Any = None, y: Any = None, groups: Any = None, time: Any = None
    ) -> Iterator[Split]:
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
        time : array-like, optional
            Time of each example, for plans that go forward in time.
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
    """Base of plans whose splits are drawn at random, from all examples or whole groups alike."""

    least: ClassVar[Mapping[str, int]] = {}
    """The smallest value of each parameter that is a count; their product is the number of splits, or a part of it."""
    whole_groups: ClassVar[bool] = False
    """Whether groups, where there are any, are drawn in place of examples."""

    def __post_init__(self) -> None:
        """Check what can be checked before the data are known."""
        for name, least in self.least.items():
            _check.count(getattr(self, name), name, least)
        refuse_size(self.least_number(), 0, self)
        object.__setattr__(
            self, "stratified", _check.flag(getattr(self, "stratify", False), "stratify")
        )

    def __repr__(self) -> str:
        """Return the call that makes the plan; of `stratify` only where it is set."""
        own = {one.name: getattr(self, one.name) for one in fields(self)}  # type: ignore[arg-type] # all are dataclasses
        shown = [f"{name}={value!r}" for name, value in own.items() if name != "stratify" or value]
        return f"{type(self).__name__}({', '.join(shown)})"

    def least_number(self) -> int:
        """Return a number of splits that there are at least, as far as it can be told without the data."""
        return math.prod(getattr(self, name) for name in self.least)

    def splits(
        self,
        n: int,
        rng: Any = None,
        y: Any = None,
        groups: Any = None,
        time: Any = None,  # noqa: ARG002 - random splits do not go by time
    ) -> Iterator[Split]:
        """Yield the splits of `n` examples; groups are refused by plans that would not keep them together."""
        if not self.whole_groups:
            refuse_groups(self, groups)
        n = _check.count(n, "n", 2, MOST_POSITIONS)
        units = DrawnUnits.of(n, groups, y, stratify=self.stratified)
        for place, split in enumerate(self.drawn(units, _rng.root(rng))):
            if place == 0:
                refuse_size(self.least_number(), split.kept, self)
            yield split

    @abstractmethod
    def drawn(self, units: DrawnUnits, base: int) -> Iterator[Split]:
        """Yield the splits of examples, or of groups of them, each from a stream that is derived from the root."""


@dataclass(frozen=True)
class Union(Plan):
    """Several plans run as one; what they have in common is fitted once."""

    plans: tuple[Plan, ...]

    def parts(self) -> tuple[Plan, ...]:
        """Return the plans in the order in which they were added."""
        return self.plans

    def splits(
        self, n: int, rng: Any = None, y: Any = None, groups: Any = None, time: Any = None
    ) -> Iterator[Split]:
        """Yield the splits of every plan in turn, all drawn from one root."""
        base = _rng.root(rng)
        for plan in self.plans:
            yield from splits_of(plan, n, base, y, groups, time)


def splits_of(plan: Plan, n: int, rng: Any, y: Any, groups: Any, time: Any) -> Iterator[Split]:
    """Yield the splits of a plan; those of people's own need not take the time."""
    more = {} if time is None or "time" not in signature(plan.splits).parameters else {"time": time}
    return plan.splits(n, rng, y, groups, **more)


def take_after(plan: Plan, other: Plan) -> None:
    """Let a plan that is made of another be of its kind."""
    for name in ("kind", "stratified", "foreign"):
        object.__setattr__(plan, name, getattr(other, name))


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
            f"was given, but {plan} does not keep groups together; "
            "use a plan that does, such as errbar.plans.KFold(folds=10)",
            argument="groups",
        )


def size(value: float, n: int, name: str, what: str = "examples") -> int:
    """Turn a count, or a fraction of `n` (rounded down, at least 1), into a count."""
    whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    if not whole and isinstance(value, (float, np.floating)) and 0.0 < value < 1.0:
        # 0.29 * 100 is 28.999...: the small term keeps exact fractions exact.
        return max(1, int(value * n + 1e-9))
    if not whole or not 1 <= value < n:
        raise InvalidInputError(
            f"must be a whole number from 1 to {n - 1} or a fraction between 0 and 1 for {n} {what}, got {value!r}",
            argument=name,
        )
    return int(value)


def partition(units: DrawnUnits, folds: int, base: int, repeat: int) -> list[IntArray]:
    """Cut examples, or groups, at random into folds of about equal size, each in ascending order.

    The stream depends on the number of folds and the repeat alone, so every plan that needs "partition 3
    into ten folds" under one root gets the same one, and its training sets are fitted once.
    """
    if folds > units.count:
        raise InvalidInputError(
            f"must be at most the number of {units.what}, {units.count}, got {folds}",
            argument="folds",
        )
    return units.folds(_rng.stream(base, *units.names, "folds", folds, repeat), folds)


def half_of(n: int, folds: int) -> int:
    """Return the size of half the data, of which there must be enough for so many folds."""
    half = n // 2
    if folds > half:
        raise InvalidInputError(
            f"must be at most half the examples, {half} of {n}, got {folds}", argument="folds"
        )
    return half
