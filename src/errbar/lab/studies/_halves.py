"""The conservative Z with the variance of half samples for an estimate from other splits."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from errbar.lab._scenario import Target
from errbar.methods import conservative_z
from errbar.plans import Kind, PairedHalves as PairedHalvesPlan, Plan, Split
from errbar.result import Result
from errbar.table import LossTable
from errbar.views import HalvesScores


@dataclass(frozen=True)
class OnlyHalves(Plan):
    """The splits of random halves of the data, as `errbar.plans.PairedHalves` makes them, without those of all data."""

    n_test: float = 0.1
    repeats: int = 15
    halvings: int = 10
    kind: ClassVar[Kind] = PairedHalvesPlan.kind

    def splits(self, n: int, rng: Any = None, y: Any = None, groups: Any = None) -> Iterator[Split]:
        """Yield the splits of the halves."""
        plan = PairedHalvesPlan(None, self.n_test, self.repeats, self.halvings)
        return (split for split in plan.splits(n, rng, y, groups) if "halving" in split.labels)


@dataclass(frozen=True)
class BorrowedZ:
    """The conservative Z of an estimate from any plan, with the variance of half samples.

    That is right as long as the variance of the halves is no smaller than that of the estimate (Nadeau & Bengio 2003,
    section 5).
    """

    name: str
    plan: Plan
    halves: OnlyHalves

    @property
    def plans(self) -> tuple[Plan, ...]:
        """The plan of the estimate, and that of the variance."""
        return (self.plan, self.halves)

    def applies_to(self, target: Target) -> bool:  # noqa: ARG002 - the variance of halves serves every target
        """It applies to learners and to differences."""
        return True

    def infer(self, table: LossTable, positions: Sequence[int], target: Target, level: float) -> Result:
        """Return its result on one target."""
        whole, part = (table.rows(*target, plan) for plan in positions)
        halves = part.score.reshape(self.halves.halvings, 2, self.halves.repeats)
        train = float(part.n_train.mean())
        view = HalvesScores(whole.score, halves, whole.n_train, whole.n_test, half_train=train)
        return conservative_z(view, level=level, reference="normal")
