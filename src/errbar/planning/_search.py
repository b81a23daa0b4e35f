"""The smallest and the cheapest study that finds a difference."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from errbar.planning._components import Components
from errbar.planning._setting import first
from errbar.planning._student import KNOWN, StudentTest, smallest_shift

MOST_OUTER, MOST_INNER = 100_000, 10**9
# Numbers are tried in steps of a tenth; between two of them power is taken to rise.
_STEP = 10
_SLACK = 1e-6


@dataclass(frozen=True)
class StudySearch:
    """Looks for numbers of seeds (or clusters) and examples with which a test has a wanted power at a difference.

    Attributes
    ----------
    components : CrossedComponents or ClusterComponents
        What the variance is made of.
    test : StudentTest
        The test.
    shift, wanted : float
        The difference towards the alternative, positive, and the wanted power.
    """

    components: Components
    test: StudentTest
    shift: float
    wanted: float

    def is_enough(self, outer: int, inner: int) -> bool:
        """Tell whether a study of this size has the wanted power."""
        variance, df = self.components.variance(outer, inner), self.components.df(outer, inner)
        return variance == 0.0 or self.test.rejects(self.shift / math.sqrt(variance), df) >= self.wanted

    @property
    def _bound(self) -> float:
        """The largest variance with which a test that knew it would have the wanted power; a t-test needs a smaller one."""
        needed = smallest_shift(lambda shift: self.test.rejects(shift, KNOWN), self.wanted)
        return math.inf if needed == 0.0 else (1.0 + _SLACK) * (self.shift / needed) ** 2

    def smallest_inner(self, outer: int, most: float = MOST_INNER) -> int | None:
        """Return the smallest number of examples that is enough for so many seeds or clusters."""
        fixed, falling = self.components.parts(outer)
        return self._smallest(
            self.components.least[1], float(fixed), float(falling), most, lambda n: self.is_enough(outer, n)
        )

    def smallest_outer(self, inner: int) -> int | None:
        """Return the smallest number of seeds or clusters that is enough for so many examples."""
        one, two = (self.components.variance(outer, inner) for outer in (1, 2))
        falling = 2.0 * (one - two)
        return self._smallest(
            self.components.least[0], one - falling, falling, MOST_OUTER, lambda outer: self.is_enough(outer, inner)
        )

    def cheapest(self, costs: tuple[float, float]) -> tuple[int, int] | None:
        """Return the cheapest numbers; of those that cost the same, the ones with the smallest variance.

        For every number of seeds or clusters the examples that a known variance would need bound the cost from below. The numbers
        are tried in the order of these bounds, until none is left that could be cheaper.
        """
        components, bound = self.components, self._bound
        outer = np.arange(components.least[0], MOST_OUTER + 1, dtype=np.float64)
        fixed, falling = components.parts(outer)
        with np.errstate(divide="ignore", invalid="ignore"):
            need = np.where(fixed < bound, np.maximum(components.least[1], np.ceil(falling / (bound - fixed))), np.inf)
        lower = components.cost(outer, need, costs)
        best, least = None, math.inf
        for at in np.argsort(lower, kind="stable").tolist():
            if not lower[at] <= least or need[at] > MOST_INNER:
                break
            number = int(outer[at])
            found = self.smallest_inner(number, most=_affordable(components, number, costs, least))
            if found is None:
                continue
            cost = float(components.cost(number, found, costs))
            if best is None or cost < least or components.variance(number, found) < components.variance(*best):
                best, least = (number, found), cost
        return best

    def _smallest(
        self, least: int, fixed: float, falling: float, most: float, holds: Callable[[int], bool]
    ) -> int | None:
        """Return the smallest number from `least` on that is enough, where the variance is fixed + falling/number."""
        room = self._bound - fixed
        if room <= 0.0:
            return None
        start = max(least, math.ceil(min(falling / room, 2.0 * MOST_INNER)))
        previous, number = start - 1, start
        while number <= most:
            if holds(number):
                return first(previous, number, holds)
            previous, number = number, number + max(1, number // _STEP)
        return None


def _affordable(components: Components, outer: int, costs: tuple[float, float], most: float) -> float:
    """Return how many examples can be had for a cost."""
    base, one = (float(components.cost(outer, inner, costs)) for inner in (0, 1))
    return min(float(MOST_INNER), (1.0 + 1e-12) * (most - base) / (one - base))
