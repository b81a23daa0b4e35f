"""The answer about a study of seeds and examples, or of clusters."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from errbar._check import FloatArray
from errbar._plain import plain
from errbar.planning._components import Components
from errbar.planning._curve import TOP, PowerCurve, differences_to
from errbar.planning._sentences import lines_of, sizes_in_words
from errbar.planning._student import StudentTest, smallest_shift
from errbar.result import Note


@dataclass(frozen=True)
class DesignProspect:
    """What a study of one size promises.

    Attributes
    ----------
    sizes : tuple of int
        Numbers of seeds and of examples, or of clusters and of examples per cluster.
    se, df : float
        Standard error that is to be expected, and its degrees of freedom.
    half_width : float
        Half the width of the interval, or for a one-sided one the distance of its end.
    detectable : float
        Size of the smallest difference with the wanted power.
    power : float or None
        Power at the difference of the study, where it has one.
    cost : float or None
        What it costs, where costs are known.
    """

    sizes: tuple[int, int]
    se: float
    df: float
    half_width: float
    detectable: float
    power: float | None = None
    cost: float | None = None


@dataclass(frozen=True)
class Purchase:
    """What one more seed (or cluster) buys, and one more example.

    Attributes
    ----------
    outer, inner : float
        By how much one more seed or cluster, and one more example (in every cluster), makes the half-width smaller.
    worth : int or None
        How many more examples (in every cluster) do as much as one more seed or cluster; None where no number does.
    costs : tuple of float or None
        What each of the two costs.
    """

    outer: float
    inner: float
    worth: int | None
    costs: tuple[float, float] | None = None

    @property
    def prefers_outer(self) -> bool | None:
        """Whether a seed or cluster buys more per cost than an example; None without costs, unless nothing else helps."""
        if self.worth is None or self.inner <= 0.0:
            return True
        return (
            None if self.costs is None else self.outer / self.costs[0] > self.inner / self.costs[1]
        )


@dataclass(frozen=True)
class DesignStudy:
    """What a study of seeds and examples, or of clusters, can find, and what it would need.

    Attributes
    ----------
    method : str
        Method that it is planned for.
    components : CrossedComponents or ClusterComponents
        What the variance is made of.
    difference : float or None
        True difference that the study should find.
    wanted : float
        Wanted power.
    level, alternative : float, str
        Of the test.
    costs : tuple of float or None
        Cost of a seed (or cluster) and of an example.
    prospects : tuple of DesignProspect
        For these sizes, with twice as many seeds or clusters, with twice as many examples, and with both.
    purchase : Purchase
        What to buy next.
    smallest_outer, smallest_inner : int or None
        Smallest number of seeds (or clusters), and of examples, with the wanted power at the difference, where the other number
        stays; None where there is none, or no difference.
    cheapest : DesignProspect or None
        The cheapest study with the wanted power at the difference, where costs are known.
    detectable_interval : tuple of float or None
        Smallest detectable difference if the variance between seeds, or clusters, is at the ends of its interval from the pilot.
    preference_interval : tuple of bool or None
        What to buy at these ends.
    notes : tuple of Note
        Caveats that belong to the numbers.
    """

    method: str
    components: Components
    difference: float | None
    wanted: float
    level: float
    alternative: str
    costs: tuple[float, float] | None
    prospects: tuple[DesignProspect, ...]
    purchase: Purchase
    smallest_outer: int | None = None
    smallest_inner: int | None = None
    cheapest: DesignProspect | None = None
    detectable_interval: tuple[float, float] | None = None
    preference_interval: tuple[bool | None, bool | None] | None = None
    notes: tuple[Note, ...] = ()

    @property
    def sizes(self) -> tuple[int, int]:
        """Numbers of seeds and of examples, or of clusters and of examples per cluster."""
        return self.prospects[0].sizes

    @property
    def power(self) -> float | None:
        """Power at the difference."""
        return self.prospects[0].power

    @property
    def detectable(self) -> float:
        """Size of the smallest difference with the wanted power."""
        return self.prospects[0].detectable

    def curves(self) -> tuple[PowerCurve, ...]:
        """Return power over a common range of differences, for every size in `prospects`."""
        test, row = StudentTest(self.level, self.alternative), self.prospects[0]
        most = (
            smallest_shift(lambda shift: test.rejects(shift, row.df), max(TOP, self.wanted))
            * row.se
        )
        differences = differences_to(most, self.difference or 0.0, self.alternative)
        return tuple(self._curve(test, row, differences) for row in self.prospects)

    def _curve(self, test: StudentTest, row: DesignProspect, differences: FloatArray) -> PowerCurve:
        values = np.array(
            [test.rejects(test.towards(float(one)) / row.se, row.df) for one in differences]
        )
        return PowerCurve(
            differences,
            values,
            None,
            self.level,
            self.alternative,
            self.wanted,
            -row.detectable if self.alternative == "less" else row.detectable,
            self.components.metric,
            sizes_in_words(self.components, row.sizes),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        sources = self.components.sources(*self.sizes)
        own = {
            "sizes": self.sizes,
            "power": self.power,
            "detectable": self.detectable,
            "sources": sources,
        }
        return plain(self) | plain(own)

    def __str__(self) -> str:
        """Return the answer on some lines."""
        return "\n".join(lines_of(self))
