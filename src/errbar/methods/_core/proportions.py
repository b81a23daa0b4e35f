"""What methods for shares of examples have in common: exact tails, and intervals that end where a z does."""

import math
from collections.abc import Callable

import numpy as np
from scipy import special

from errbar._check import FloatArray
from errbar.errors import InvalidInputError
from errbar.methods._core.answer import Tails
from errbar.methods._core.one_split import ONE_TEST_SET

TWO_ERROR_RATES = {**ONE_TEST_SET, "subject": "pair", "partner": "binomial", "loss": "zero-one"}
"""What methods that compare two error rates declare alike."""

# Counts up to this one are exact as floats.
LARGEST = 2**53

# The normal distribution has no probability, as a float, beyond this many standard deviations.
_FARTHEST = 40.0


def require_zero_one(value: FloatArray, *axes: str) -> None:
    """Raise unless all losses are 0 or 1; `axes` say what their places count."""
    odd = np.argwhere((value != 0.0) & (value != 1.0))
    if odd.size:
        place = tuple(odd[0].tolist())
        where = ", ".join(f"{axis} {at}" for axis, at in zip(axes, place, strict=True))
        raise InvalidInputError(
            f"must hold losses that are 0 or 1, got {value[place]:g} at {where} (counted from 0)",
            argument="value",
        )


def at_most(x: int, n: int, share: float) -> float:
    """Return the probability of at most x of n, from the beta law, which loses no digits in the tails."""
    return float(special.betaincc(x + 1, n - x, share)) if 0 <= x < n else float(x >= n)


def at_least(x: int, n: int, share: float) -> float:
    """Return the probability of at least x of n."""
    return float(special.betainc(x, n - x + 1, share)) if 0 < x <= n else float(x <= 0)


def exact(x: int, n: int) -> Tails:
    """Return the binomial distribution of x of n, with the interval of Clopper & Pearson (1934)."""

    def ends(tail: float) -> tuple[float, float]:
        low = float(special.betaincinv(x, n - x + 1, tail)) if x > 0 else 0.0
        high = float(special.betainccinv(x + 1, n - x, tail)) if x < n else 1.0
        return low, high

    return Tails(lambda share: (at_most(x, n, share), at_least(x, n, share)), ends)


def wilson_end(x: float, n: int, z: float) -> float:
    """Return the end of Wilson's interval (1927) at a normal quantile, which is negative for the lower end."""
    end = (x + z * z / 2.0 + z * math.sqrt(x * (n - x) / n + z * z / 4.0)) / (n + z * z)
    return min(1.0, max(0.0, end))


def z_that_ends_at(null: float, estimate: float, end: Callable[[float], float]) -> float:
    """Return minus the z for which an interval around the estimate ends at the null; ends move outwards as z grows."""
    from scipy.optimize import brentq

    side = math.copysign(1.0, null - estimate)
    if null == estimate:
        return 0.0
    if side * (end(side * _FARTHEST) - null) <= 0.0:
        return -side * math.inf
    return -side * float(brentq(lambda z: end(side * z) - null, 0.0, _FARTHEST, xtol=1e-14))
