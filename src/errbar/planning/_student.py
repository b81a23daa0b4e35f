"""Power of a t-test whose estimate has a known variance and degrees of freedom."""

import math
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import special

from errbar._check import FloatArray

# A power closer to 1 than the integral is exact to.
_CERTAIN = 1.0 - 1e-12
_FAR = 1e300
# So many degrees of freedom are as good as a known variance.
KNOWN = 1e9
# Beyond so many standard deviations the normal and the chi distribution have no mass that a double could show.
_REACH = 10.0
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(160)
# More than any S, and small enough to be squared.
_LARGE = 1e100


@dataclass(frozen=True, slots=True)
class StudentTest:
    """Level and side of a test; a shift is the true difference in standard errors, towards the alternative."""

    level: float
    alternative: str

    def critical(self, df: float) -> float:
        """Return what the statistic must exceed, which is also the half-width of the interval in standard errors."""
        tail = 1.0 - self.level
        return -float(special.stdtrit(df, tail / 2.0 if self.alternative == "two-sided" else tail))

    def rejects(self, shift: float, df: float) -> float:
        limit, towards = self.critical(df), max(-_FAR, min(shift, _FAR))
        power = upper_tail(limit, df, towards)
        if self.alternative == "two-sided":
            power += upper_tail(limit, df, -towards)
        return min(1.0, power)

    def towards(self, difference: float) -> float:
        if self.alternative == "two-sided":
            return abs(difference)
        return difference if self.alternative == "greater" else -difference

    def shift(self, df: float, wanted: float) -> float:
        """Return the smallest shift that is found with the wanted power, or 0 where that of a true null hypothesis is."""
        from scipy import optimize  # slow to import

        wanted, high = min(wanted, _CERTAIN), 1.0
        if self.rejects(0.0, df) >= wanted:
            return 0.0
        while self.rejects(high, df) < wanted:
            high = 2.0 * high
        return float(
            optimize.brentq(
                lambda shift: self.rejects(shift, df) - wanted, 0.0, high, xtol=1e-14, rtol=1e-14
            )
        )


def upper_tail(threshold: float, df: float, shift: float) -> float:
    """Return P(Z + shift > threshold * S) for a standard normal Z and an independent S with df S^2 chi-square.

    Integrated over the one on whose scale the other's law is smooth. SciPy's `nctdtr` (1.17) is NaN
    for some shifts beyond 37.
    """
    if threshold < 0.0:
        return 1.0 - upper_tail(-threshold, df, -shift)
    over = _over_normal if threshold * threshold > 2.0 * df else _over_chi
    return min(1.0, over(threshold, df, shift))


def _over_chi(threshold: float, df: float, shift: float) -> float:
    """Integrate P(Z > threshold S - shift) over the law of S, whose standard deviation is close to 1/sqrt(2 df)."""
    width = _REACH / math.sqrt(2.0 * df)
    s, weights = _rule(max(0.0, 1.0 - width), 1.0 + width)
    mass = weights * np.exp((df - 1.0) * np.log(s) - 0.5 * df * (s - 1.0) * (s + 1.0))
    return float(mass @ special.ndtr(shift - threshold * s)) / float(np.add.reduce(mass))


def _over_normal(threshold: float, df: float, shift: float) -> float:
    """Integrate P(S < (Z + shift) / threshold) over the law of Z."""
    low = max(-_REACH, -shift)
    if low >= _REACH:
        return 0.0
    z, weights = _rule(low, _REACH)
    mass = weights * np.exp(-0.5 * z * z) / math.sqrt(2.0 * math.pi)
    bound = np.minimum((z + shift) / threshold, _LARGE)
    return float(mass @ special.chdtr(df, df * bound * bound))


def _rule(low: float, high: float) -> tuple[FloatArray, FloatArray]:
    half = 0.5 * (high - low)
    return low + half * (_NODES + 1.0), half * _WEIGHTS


def smallest(holds: Callable[[int], bool], start: int, most: int) -> int | None:
    """Return the smallest number for which something holds: tried one by one up to 10, then in steps of a tenth."""
    low, high = start - 1, start
    while not holds(high):
        if high >= most:
            return None
        low, high = high, min(most, high + max(1, high // 10))
    return low + 1 + bisect_left(range(low + 1, high), True, key=holds)  # noqa: FBT003
