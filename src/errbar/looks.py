"""The looks of a comparison that stops when it is decided: what was planned, what was made, and the numbers behind each."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from errbar.methods._core.looks import Boundary
from errbar.table import LossTable


@dataclass(frozen=True, eq=False)
class Looks:
    """What was looked at, and when; `errbar.compare` makes it where looks are planned.

    Attributes
    ----------
    planned : numbers of splits at which was to be looked
    made : those of them at which was looked
    tables : for each look made, the learners that were in the race then, on all splits up to it
    last : number of splits behind each pair: those of the look that decided it, or of the last
    ratio : float
        Odds r/(1 - r) of the correlation of two split scores, n2/n1 unless another correlation
        was given.
    level : confidence level of all looks together
    alternative : alternative hypothesis
    """

    planned: tuple[int, ...]
    made: tuple[int, ...]
    tables: tuple[LossTable, ...]
    last: Mapping[frozenset[str], int]
    ratio: float
    level: float
    alternative: str

    @property
    def splits(self) -> dict[str, int]:
        """Number of splits on which each learner was fitted."""
        return {
            name: count
            for count, table in zip(self.made, self.tables, strict=True)
            for name in table.learners
        }

    @property
    def each(self) -> float:
        """Level of the tests at each look, with which all looks together are at 1 - level."""
        return Boundary(self.planned, self.ratio).each(1.0 - self.level, self.alternative)

    @property
    def spent(self) -> tuple[float, ...]:
        """Error spent with each look made: the probability that a true null is rejected at this look or before."""
        boundary, alpha = Boundary(self.planned, self.ratio), 1.0 - self.level
        return tuple(
            boundary.spent(alpha, place + 1, self.alternative) for place in range(len(self.made))
        )

    def table_of(self, *names: str) -> LossTable:
        """Return the numbers behind one learner, or two: of the last look at which all were in the race."""
        count = self.last.get(frozenset(names), min(self.splits[name] for name in names))
        return self.tables[self.made.index(count)]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {
            "planned": list(self.planned),
            "made": list(self.made),
            "level_at_each": self.each,
            "spent": list(self.spent),
            "splits": self.splits,
        }
