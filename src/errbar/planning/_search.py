"""The smallest and the cheapest study that finds a difference."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from errbar.planning._components import Components
from errbar.planning._setting import first
from errbar.planning._student import KNOWN, StudentTest, smallest_shift

MOST_OUTER, MOST_INNER = 100_000, 10**9
# Numbers are tried in steps of a tenth; between two of them power is taken to rise.
_STEP = 10
_SLACK = 1e-6
_LOOKED_UP = 3


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
        return (
            variance == 0.0
            or self.test.rejects(self.shift / math.sqrt(variance), df) >= self.wanted
        )

    @cached_property
    def _bound(self) -> float:
        """The largest variance with which a test that knew it would have the wanted power; a t-test needs a smaller one."""
        needed = smallest_shift(lambda shift: self.test.rejects(shift, KNOWN), self.wanted)
        return math.inf if needed == 0.0 else (1.0 + _SLACK) * (self.shift / needed) ** 2

    def smallest_inner(self, outer: int, most: float = MOST_INNER) -> int | None:
        """Return the smallest number of examples that is enough for so many seeds or clusters."""
        fixed, falling = self.components.parts(outer)
        return self._smallest(
            self.components.least[1],
            float(fixed),
            float(falling),
            most,
            lambda n: self.is_enough(outer, n),
        )

    def smallest_outer(self, inner: int) -> int | None:
        """Return the smallest number of seeds or clusters that is enough for so many examples."""
        one, two = (self.components.variance(outer, inner) for outer in (1, 2))
        falling = 2.0 * (one - two)
        return self._smallest(
            self.components.least[0],
            one - falling,
            falling,
            MOST_OUTER,
            lambda outer: self.is_enough(outer, inner),
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
            need = np.where(
                fixed < bound,
                np.maximum(components.least[1], np.ceil(falling / (bound - fixed))),
                np.inf,
            )
        lower = np.where(need > MOST_INNER, np.inf, components.cost(outer, need, costs))
        best: tuple[int, int] | None = None
        least = (math.inf, math.inf)
        for at in np.argsort(lower, kind="stable").tolist():
            if math.isinf(lower[at]) or lower[at] > least[0]:
                break
            number = int(outer[at])
            found = self._inner_below(number, int(need[at]), costs, least[0])
            if found is None:
                continue
            rank = float(components.cost(number, found, costs)), components.variance(number, found)
            if rank < least:
                best, least = (number, found), rank
        return best

    def _inner_below(
        self, outer: int, need: int, costs: tuple[float, float], most: float
    ) -> int | None:
        """Return the smallest number of examples that is enough, if it costs no more than `most` with so many seeds or clusters."""
        for inner in range(need, need + _LOOKED_UP if costs[1] > costs[0] else need):
            if self.components.cost(outer, inner, costs) > most:
                return None
            # Where examples are dear, many numbers of seeds go with one of examples: the smallest of them is looked up.
            enough = self._fewest_outer(inner)
            if enough is not None and outer >= enough and self.is_enough(outer, inner):
                return inner
        return self.smallest_inner(outer, most=_affordable(self.components, outer, costs, most))

    def _fewest_outer(self, inner: int) -> int | None:
        if inner not in self._known:
            self._known[inner] = self.smallest_outer(inner)
        return self._known[inner]

    @cached_property
    def _known(self) -> dict[int, int | None]:
        return {}

    def _smallest(
        self, least: int, fixed: float, falling: float, most: float, holds: Callable[[int], bool]
    ) -> int | None:
        """Return the smallest number from `least` on that is enough, where the variance is fixed + falling/number."""
        room = self._bound - fixed
        if room <= 0.0:
            return None
        start = max(least, math.ceil(min(falling / room, 2.0 * MOST_INNER)))
        previous, number, last = start - 1, start, math.floor(most)
        while previous < last:
            number = min(number, last)
            if holds(number):
                return first(previous, number, holds)
            previous, number = number, number + max(1, number // _STEP)
        return None


def _affordable(
    components: Components, outer: int, costs: tuple[float, float], most: float
) -> float:
    """Return how many examples can be had for a cost."""
    base, step = (
        float(components.cost(outer, 0, costs)),
        components.step_costs((outer, 0), costs)[1],
    )
    return min(float(MOST_INNER), (1.0 + 1e-12) * (most - base) / step)
