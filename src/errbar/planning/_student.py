"""Power of a t-test whose estimate has a known variance and degrees of freedom."""

from collections.abc import Callable
from dataclasses import dataclass

from scipy import special

from errbar.planning._noncentral import upper_tail

# A power closer to 1 than the integral is exact to.
_CERTAIN = 1.0 - 1e-12
_FAR = 1e300
# So many degrees of freedom are as good as a known variance.
KNOWN = 1e9


@dataclass(frozen=True, slots=True)
class StudentTest:
    """Level and side of a test; a shift is the true difference in standard errors, towards the alternative.

    Attributes
    ----------
    level, alternative : float, str
        Confidence level, the test being at 1 - level, and alternative hypothesis.
    """

    level: float
    alternative: str

    def critical(self, df: float) -> float:
        """Return what the statistic must exceed, which is also the half-width of the interval in standard errors."""
        tail = 1.0 - self.level
        return -float(special.stdtrit(df, tail / 2.0 if self.alternative == "two-sided" else tail))

    def rejects(self, shift: float, df: float, bound: float | None = None) -> float:
        """Return the probability of rejection; `bound` takes the place of the critical value."""
        limit, towards = self.critical(df) if bound is None else bound, max(-_FAR, min(shift, _FAR))
        power = upper_tail(limit, df, towards)
        if self.alternative == "two-sided":
            power += upper_tail(limit, df, -towards)
        return min(1.0, power)

    def towards(self, difference: float) -> float:
        """Return the difference with the sign that speaks for the alternative."""
        if self.alternative == "two-sided":
            return abs(difference)
        return difference if self.alternative == "greater" else -difference


def smallest_shift(rejects: Callable[[float], float], wanted: float) -> float:
    """Return the smallest shift that is found with the wanted power, or 0 where that of a true null hypothesis is."""
    wanted = min(wanted, _CERTAIN)
    low, high = 0.0, 1.0
    if rejects(low) >= wanted:
        return 0.0
    while rejects(high) < wanted:
        low, high = high, 2.0 * high
    while low < (middle := 0.5 * (low + high)) < high:
        low, high = (low, middle) if rejects(middle) >= wanted else (middle, high)
    return high
