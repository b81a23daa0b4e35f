"""What a plan is: something that yields labelled splits."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, ClassVar, dataclass_transform

import numpy as np

from errbar import _check
from errbar._check import IntArray
from errbar.errors import InvalidInputError
from errbar.plans._kinds import KINDS, OTHER, Kind
from errbar.plans._rows import Rows

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
MOST_SPLITS = 1_000_000  # they take a gigabyte
# Least values of fields, whose product is the number of splits.
_FEWEST = {"folds": 2, "repeats": 1, "seeds": 2, "halvings": 1, "replacements": 2, "n_parts": 3}


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
