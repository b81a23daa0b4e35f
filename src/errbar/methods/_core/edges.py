"""Intervals near an edge of the range of a metric: on a scale that has no edges, carried back; and never beyond an edge."""

import math
from collections.abc import Callable
from typing import NamedTuple

from errbar.methods._core.pivot import ROUNDING, Pivot, tail_of
from errbar.result import Interval, Note

# Shares have standard errors of at most their distance from an edge.
_FAR = 2.0


class Bend(NamedTuple):
    """A scale without edges: the logit of a range with two, the logarithm of the distance from one.

    Attributes
    ----------
    to, back, slope : callable
        From the metric to the scale, back from it, and the derivative of the first.
    """

    to: Callable[[float], float]
    back: Callable[[float], float]
    slope: Callable[[float], float]


class Limits(NamedTuple):
    """Between which numbers an estimate and its interval lie.

    Attributes
    ----------
    low, high : float
        Least and largest number.
    near : float
        An estimate nearer to an edge than so many standard errors is referred to its law on a scale without edges. For means of
        losses and for differences it is 0: their intervals are cut at an edge, which leaves out nothing that can be true.
    trials : callable, optional
        Returns of how many examples (or clusters) an estimate at an edge is the share.
    """

    low: float = -math.inf
    high: float = math.inf
    near: float = 0.0
    trials: Callable[[], float] | None = None

    def at_edge(self, estimate: float, se: float) -> "AtEdge | None":
        """Return the law of an estimate that lies at an edge because all examples agree; None for any other."""
        if se > 0.0 or self.trials is None or math.isinf(self.high - self.low):
            return None
        # A mean of values that are all 1 may be less by rounding.
        edges = [
            edge
            for edge in (self.low, self.high)
            if abs(estimate - edge) <= ROUNDING * (self.high - self.low)
        ]
        if not edges:
            return None
        return AtEdge(edges[0], self.low + self.high - edges[0], self.trials())

    def bend(self, estimate: float, se: float, near: float) -> bool:
        """Return whether an estimate is referred to its law on the scale without edges; `near` may make that rarer.

        The scale is of no use where the standard error is larger than the distance to the edge by far: an interval would reach
        from edge to edge.
        """
        distance = min(estimate - self.low, self.high - estimate)
        return (
            distance > 0.0 and 0.0 < se < _FAR * distance and distance < min(near, self.near) * se
        )

    def cut(self, interval: Interval) -> Interval:
        """Return what of an interval lies within the range; ends that are infinite stay."""
        low, high = (
            min(max(end, self.low), self.high) if math.isfinite(end) else end for end in interval
        )
        return Interval(low, high)

    def scale(self) -> Bend:
        """Return the scale of a range with at least one finite end."""
        low, high = self.low, self.high
        if math.isinf(low):
            return Bend(
                lambda x: -math.log(high - x), lambda z: high - _exp(-z), lambda x: 1.0 / (high - x)
            )
        if math.isinf(high):
            return Bend(
                lambda x: math.log(x - low), lambda z: low + _exp(z), lambda x: 1.0 / (x - low)
            )
        width = high - low
        return Bend(
            lambda x: math.log((x - low) / (high - x)),
            lambda z: low + width / (1.0 + _exp(-z)),
            lambda x: width / ((x - low) * (high - x)),
        )


UNLIMITED = Limits()


class Curved(NamedTuple):
    r"""A pivot on the scale without edges, by the delta method.

    With the scale g, :math:`(g(\theta) - g(\theta_0)) / (g'(\theta)\, SE)` is referred to the law of the pivot.
    """

    pivot: Pivot
    limits: Limits

    def statistic(self, null: float) -> float:
        """Return the statistic; a null without a place on the scale is judged by the plain one."""
        estimate, plain = self.pivot.estimate, self.pivot.statistic(null)
        if null == estimate or not self.limits.low < null < self.limits.high:
            return plain
        scale = self.limits.scale()
        return (
            plain
            * (scale.to(estimate) - scale.to(null))
            / (scale.slope(estimate) * (estimate - null))
        )

    def pvalue(self, null: float, alternative: str) -> float:
        """Return the p-value of a null."""
        return tail_of(self.statistic(null), self.pivot.df, alternative)

    def interval(self, level: float, alternative: str) -> Interval:
        """Return the interval of all null values that are not rejected at 1 - `level`."""
        estimate, scale = self.pivot.estimate, self.limits.scale()
        place, slope = scale.to(estimate), scale.slope(estimate)
        plain = self.pivot.interval(level, alternative)
        ends = (
            scale.back(place + slope * (end - estimate)) if math.isfinite(end) else end
            for end in plain
        )
        return Interval(*ends)


class AtEdge(NamedTuple):
    r"""The law of a share of m trials that all agree, as those of Clopper & Pearson.

    With u the distance of the null from the edge, over the width of the range, all trials agree with probability
    :math:`(1 - u)^m`.
    """

    edge: float
    other: float
    trials: float

    @property
    def note(self) -> Note:
        """What is said with it."""
        return Note("at-an-edge", trials=self.trials)

    def pvalue(self, null: float, alternative: str) -> float:
        """Return the p-value of a null."""
        distance = min(1.0, abs(null - self.edge) / abs(self.other - self.edge))
        away = float((1.0 - distance) ** self.trials)
        toward = "greater" if self.edge > self.other else "less"
        return {"two-sided": min(1.0, 2.0 * away), toward: away}.get(alternative, 1.0)

    def interval(self, level: float, alternative: str) -> Interval:
        """Return the interval of all null values that are not rejected at 1 - `level`."""
        tail = (1.0 - level) / 2.0 if alternative == "two-sided" else 1.0 - level
        reach = 1.0 - tail ** (1.0 / max(self.trials, 1.0))
        end = self.edge + (self.other - self.edge) * reach
        low, high = sorted((self.edge, end))
        above = self.edge > self.other  # the estimate is the largest value
        if alternative == "less":
            return Interval(-math.inf, self.edge if above else end)
        if alternative == "greater":
            return Interval(end if above else self.edge, math.inf)
        return Interval(low, high)


def _exp(x: float) -> float:
    return math.exp(min(x, 700.0))
