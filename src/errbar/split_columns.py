"""What each split of a table was: its sizes, its labels, and the plan that it belongs to."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from errbar._check import FloatArray, IntArray
from errbar.design import Design, designs_of
from errbar.plans import Bootstrap, Draw, Kind, Split, Testing
from errbar.plans._base import LABELS, NO_LABEL

__all__ = ["Chosen", "SplitColumns", "span_of", "stated_columns"]

Chosen = slice | NDArray[np.bool_]
"""Which splits: a slice where they stand side by side, so that nothing is copied, or a mask."""


@dataclass(frozen=True, eq=False)
class SplitColumns:
    """What each split was: one entry per split in every column.

    Attributes
    ----------
    n_train, n_test : ndarray
        Sizes; NaN where unknown.
    labels : dict of str to ndarray of int
        Columns ``repeat``, ``fold`` and so on; -1 where a label does not apply.
    plan : ndarray of int
        Which plan the split belongs to.
    designs : tuple of Design
        How the numbers of each plan came about.
    descriptions : tuple of str
        Text of each plan.
    fingerprint : str or None
        Digest of all indices, or None where they are unknown.
    n : int or None
        Number of examples, where it is known.
    train : tuple of ndarray, or None
        Training positions of each split, kept where some plan draws with replacement.
    drawn : tuple of Split, or None
        The splits themselves; None where the numbers were made elsewhere.
    """

    n_train: FloatArray
    n_test: FloatArray
    labels: dict[str, IntArray]
    plan: IntArray
    designs: tuple[Design, ...]
    descriptions: tuple[str, ...]
    fingerprint: str | None = None
    n: int | None = None
    train: tuple[IntArray, ...] | None = None
    drawn: tuple[Split, ...] | None = None

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """Kind of each plan."""
        return tuple(design.kind for design in self.designs)

    @classmethod
    def of(cls, draw: Draw, classes: IntArray | None = None) -> "SplitColumns":
        """Describe drawn splits; `classes` holds the class of each example, for classification."""
        labels = {
            name: np.array(
                [split.labels.get(name, NO_LABEL) for split in draw.splits], dtype=np.int64
            )
            for name in LABELS
        }
        return cls(
            n_train=np.array([split.n_train for split in draw.splits], dtype=np.float64),
            n_test=np.array([split.test.size for split in draw.splits], dtype=np.float64),
            labels=labels,
            plan=draw.plan,
            designs=designs_of(draw, classes),
            descriptions=draw.descriptions,
            fingerprint=draw.fingerprint,
            n=draw.n,
            train=tuple(split.train for split in draw.splits)
            if Bootstrap.kind in draw.kinds
            else None,
            drawn=tuple(draw.splits),
        )

    def only(self, chosen: Chosen) -> "SplitColumns":
        """Return the columns of some of the splits; plans without any are left out."""
        plan = self.plan[chosen]
        kept, position = np.unique(plan, return_inverse=True)
        places = (
            range(self.plan.size)[chosen]
            if isinstance(chosen, slice)
            else np.flatnonzero(chosen).tolist()
        )
        return SplitColumns(
            n_train=self.n_train[chosen],
            n_test=self.n_test[chosen],
            labels={name: column[chosen] for name, column in self.labels.items()},
            plan=position.ravel(),
            designs=tuple(self._design(p, plan, self.labels["seed"][chosen]) for p in kept),
            descriptions=tuple(self.descriptions[p] for p in kept),
            fingerprint=self.fingerprint and f"{self.fingerprint}/{_digest(places)}",
            n=self.n,
            train=self.train and tuple(self.train[j] for j in places),
            drawn=self.drawn and tuple(self.drawn[j] for j in places),
        )

    def _design(self, number: int, plan: IntArray, seed: IntArray) -> Design:
        """Return the design of what is left of a plan: one seed of several is no longer one of several."""
        design = self.designs[number]
        alone = design.seeds > 1 and np.unique(seed[plan == number]).size == 1
        return replace(design, seeds=1) if alone else design

    def repeats(self, plan: int) -> int:
        """Return the number of partitions of one plan."""
        return int(np.unique(self.labels["repeat"][self.plan == plan]).size)

    def same_as(self, other: "SplitColumns") -> bool:
        """Return whether these are the same splits, as far as they are known, and came about in the same way."""
        sizes = ((self.n_train, other.n_train), (self.n_test, other.n_test))
        labels = [(column, other.labels[name]) for name, column in self.labels.items()]
        return (
            self.fingerprint == other.fingerprint
            and all(np.array_equal(a, b, equal_nan=True) for a, b in sizes)
            and all(np.array_equal(a, b) for a, b in [(self.plan, other.plan), *labels])
            and len(self.designs) == len(other.designs)
            and all(one.same_as(two) for one, two in zip(self.designs, other.designs, strict=True))
        )

    def describe(self, split: int) -> str:
        """Return the labels of one split in words."""
        parts = [
            f"{name} {column[split]}"
            for name, column in self.labels.items()
            if column[split] != NO_LABEL
        ]
        return ", ".join(parts) or f"split {split}"


def stated_columns(
    design: Design,
    count: int,
    *,
    n_train: FloatArray | None = None,
    n_test: FloatArray | None = None,
    labels: dict[str, IntArray] | None = None,
    fingerprint: str | None = None,
) -> SplitColumns:
    """Return split columns for numbers that were made elsewhere."""
    unknown = np.full(count, np.nan)
    columns = {name: np.full(count, NO_LABEL, dtype=np.int64) for name in LABELS} | (labels or {})
    if (columns["repeat"] == NO_LABEL).all():
        per = count if design.testing is Testing.FOLDS else 1
        columns["repeat"] = np.arange(count) // per
    return SplitColumns(
        n_train=unknown if n_train is None else n_train,
        n_test=unknown if n_test is None else n_test,
        labels=columns,
        plan=np.zeros(count, dtype=np.int64),
        designs=(design,),
        descriptions=(f"{count} split{'s' * (count != 1)} made elsewhere",),
        fingerprint=fingerprint,
    )


def span_of(mask: NDArray[np.bool_]) -> Chosen:
    """Return a mask as a slice where the splits stand side by side."""
    where = np.flatnonzero(mask)
    together = where.size > 0 and where[-1] - where[0] + 1 == where.size
    return slice(int(where[0]), int(where[-1]) + 1) if together else mask


def _digest(places: Iterable[int]) -> str:
    return blake2b(str(list(places)).encode(), digest_size=8).hexdigest()
