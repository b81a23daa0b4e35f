"""What a plan is: something that yields labelled splits."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np

from errbar import _check, _rng
from errbar._check import IntArray
from errbar.errors import InvalidInputError
from errbar.plans._kinds import OTHER, Kind
from errbar.plans._units import DrawnUnits

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
# What is kept of one plan at most: a million splits take a gigabyte, a milliard of positions eight.
MOST_SPLITS, MOST_POSITIONS = 1_000_000, 1_000_000_000


@dataclass(frozen=True, eq=False)
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
    def kept(self) -> int:
        """Number of positions that are kept in memory."""
        return self.train.size + self.test.size

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

    @property
    def n_train(self) -> int:
        return self.n - sum(positions.size for positions in self.out)

    @property
    def kept(self) -> int:
        return self.test.size


class Plan(ABC):
    """Base of all plans. Two plans added up are run as one, and share the training sets they have in common."""

    kind: Kind = OTHER
    stratified: bool = False
    """Whether the splits keep the shares of the classes."""
    number: int = 1
    """How many splits there are at least."""
    foreign: bool = False
    """Whether the splits were made elsewhere, so that what they are has to be read off them."""

    def __post_init__(self) -> None:
        number = 1
        for one in fields(self):  # type: ignore[arg-type] # a plan that comes here is a dataclass
            value, least = getattr(self, one.name), one.metadata.get("least")
            if one.type is bool:
                _check.flag(value, one.name)
            elif least is not None and (value is not None or one.type is int):
                number *= _check.count(value, one.name, least)
        refuse_many(number, self)
        object.__setattr__(self, "number", number)
        object.__setattr__(self, "stratified", getattr(self, "stratify", False))

    @abstractmethod
    def splits(
        self, n: int, rng: Any = None, y: Any = None, groups: Any = None, time: Any = None
    ) -> Iterator[Split]:
        """Yield the splits of `n` examples, drawn from a root; plans drawn from one root share equal partitions."""

    def parts(self) -> tuple["Plan", ...]:
        """Return the plans this one consists of."""
        return (self,)

    def kind_of(self, splits: Sequence[Split]) -> Kind:  # noqa: ARG002 - only plans made by others need to look
        """Return the kind of resampling the given splits of this plan amount to."""
        return self.kind

    def __add__(self, other: "Plan") -> "Union":
        return Union(self.parts() + other.parts())


class RandomPlan(Plan):
    whole_groups: bool = False
    """Whether groups, where there are any, are drawn in place of examples."""

    def __repr__(self) -> str:
        own = {one.name: getattr(self, one.name) for one in fields(self)}  # type: ignore[arg-type] # all are dataclasses
        shown = [f"{name}={value!r}" for name, value in own.items() if name != "stratify" or value]
        return f"{type(self).__name__}({', '.join(shown)})"

    def splits(
        self,
        n: int,
        rng: Any = None,
        y: Any = None,
        groups: Any = None,
        time: Any = None,  # noqa: ARG002 - random splits do not go by time
    ) -> Iterator[Split]:
        if groups is not None and not self.whole_groups:
            raise InvalidInputError(
                f"was given, but {self} does not keep groups together; "
                "use a plan that does, such as errbar.plans.KFold(folds=10)",
                argument="groups",
            )
        n = _check.count(n, "n", 2, MOST_POSITIONS)
        units = DrawnUnits.of(n, groups, y, stratify=self.stratified)
        for place, split in enumerate(self.drawn(units, _rng.root(rng))):
            if place == 0:
                refuse_many(self.number, self, split.kept)
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

    def splits(self, n: int, rng: Any = None, *args: Any, **data: Any) -> Iterator[Split]:
        """Yield the splits of every plan in turn, all drawn from one root."""
        base = _rng.root(rng)
        for plan in self.plans:
            yield from plan.splits(n, base, *args, **data)


def counted(default: int | None, least: int) -> Any:
    return field(default=default, metadata={"least": least})


def refuse_many(number: int, plan: Plan, positions: int = 1) -> None:
    """Raise if a plan makes more splits, with so many positions of examples each, than can be kept in memory."""
    if number > MOST_SPLITS or number * positions > MOST_POSITIONS:
        raise InvalidInputError(
            f"{plan} makes {number:,} splits of {positions:,} positions; at most {MOST_SPLITS:,} splits "
            f"and {MOST_POSITIONS:,} positions can be kept"
        )
