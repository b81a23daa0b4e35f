"""What each split of a table was: its sizes, its labels, and the plan that it belongs to."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from errbar._check import FloatArray, IntArray
from errbar.design import Design, designs_of
from errbar.plans import Draw, Kind, Split, Testing
from errbar.plans._base import LABELS, NO_LABEL


@dataclass(frozen=True, eq=False)
class SplitColumns:
    """What each split was: one entry per split in every column.

    Sizes are NaN and labels -1 where unknown. `fingerprint`, a digest of all indices, `n` and
    `drawn` are None where the numbers were made elsewhere.
    """

    n_train: FloatArray
    n_test: FloatArray
    labels: dict[str, IntArray]
    plan: IntArray
    designs: tuple[Design, ...]
    descriptions: tuple[str, ...]
    fingerprint: str | None = None
    n: int | None = None
    drawn: tuple[Split, ...] | None = None

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """Kind of each plan."""
        return tuple(design.kind for design in self.designs)

    @classmethod
    def of(cls, draw: Draw, classes: IntArray | None = None) -> "SplitColumns":
        """Describe drawn splits; `classes` holds the class of each example, for classification."""
        splits = draw.splits
        labels = {
            name: np.array([split.labels.get(name, NO_LABEL) for split in splits], dtype=np.int64)
            for name in LABELS
        }
        return cls(
            n_train=np.array([split.n_train for split in splits], dtype=np.float64),
            n_test=np.array([split.test.size for split in splits], dtype=np.float64),
            labels=labels,
            plan=draw.plan,
            designs=designs_of(draw, classes),
            descriptions=tuple(map(str, draw.parts)),
            fingerprint=draw.fingerprint,
            n=draw.n,
            drawn=tuple(splits),
        )

    def only(self, chosen: NDArray[np.bool_]) -> "SplitColumns":
        """Return the columns of some of the splits; plans without any are left out."""
        kept, plan = np.unique(self.plan[chosen], return_inverse=True)
        labels = {name: column[chosen] for name, column in self.labels.items()}
        # One seed of several is no longer one of several.
        designs = [
            replace(self.designs[number], seeds=1)
            if np.unique(labels["seed"][plan == place]).size == 1
            else self.designs[number]
            for place, number in enumerate(kept)
        ]
        return replace(
            self,
            n_train=self.n_train[chosen],
            n_test=self.n_test[chosen],
            labels=labels,
            plan=plan,
            designs=tuple(designs),
            descriptions=tuple(self.descriptions[number] for number in kept),
            drawn=self.drawn and tuple(self.drawn[j] for j in np.flatnonzero(chosen)),
        )

    def repeats(self, plan: int) -> int:
        """Return the number of partitions of one plan."""
        return int(np.unique(self.labels["repeat"][self.plan == plan]).size)

    def describe(self, split: int) -> str:
        """Return the labels of one split in words."""
        known = {name: column[split] for name, column in self.labels.items()}
        parts = [f"{name} {label}" for name, label in known.items() if label != NO_LABEL]
        return ", ".join(parts) or f"split {split}"


def stated_columns(
    design: Design,
    count: int,
    *,
    n_train: FloatArray | None = None,
    n_test: FloatArray | None = None,
    labels: dict[str, IntArray] | None = None,
) -> SplitColumns:
    """Return split columns for numbers that were made elsewhere."""
    unknown = np.full(count, np.nan)
    columns = {name: np.full(count, NO_LABEL, dtype=np.int64) for name in LABELS} | (labels or {})
    if (columns["repeat"] == NO_LABEL).all():
        folds = design.testing is Testing.FOLDS
        columns["repeat"] = np.zeros(count, dtype=np.int64) if folds else np.arange(count)
    return SplitColumns(
        n_train=unknown if n_train is None else n_train,
        n_test=unknown if n_test is None else n_test,
        labels=columns,
        plan=np.zeros(count, dtype=np.int64),
        designs=(design,),
        descriptions=(f"{count} split{'s' * (count != 1)} made elsewhere",),
    )
