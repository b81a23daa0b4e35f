"""The noncentral t distribution, in [0, 1] and increasing in the noncentrality, however large that is."""

import functools
import math

import numpy as np
from scipy import special

from errbar._check import FloatArray

# SciPy's own `nctdtr` (1.17) is NaN for some noncentralities beyond 37, where power is close to 1.

# Beyond so many standard deviations the normal and the chi distribution have no mass that a double could show.
_REACH = 10.0
_NODES = 160
# More than any S, and small enough to be squared.
_LARGE = 1e100

_legendre = functools.cache(np.polynomial.legendre.leggauss)


def upper_tail(threshold: float, df: float, shift: float) -> float:
    """Return P(Z + shift > threshold * S) for a standard normal Z and an independent S with df S^2 chi-square.

    One of the two is integrated numerically and the other exactly: the one is chosen on whose scale the other's law
    is smooth.
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
    """Return nodes and weights of Gauss and Legendre's rule on an interval."""
    nodes, weights = _legendre(_NODES)
    half = 0.5 * (high - low)
    return low + half * (nodes + 1.0), half * weights
