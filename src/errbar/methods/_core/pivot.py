"""The one pivot: (estimate - null) / se against a t or the normal distribution."""

import math
from typing import NamedTuple

import numpy as np
from scipy import special

from errbar._check import FloatArray
from errbar.errors import InvalidInputError
from errbar.result import Interval, Note

DEGENERATE = Note("no-variation")

# Scores that differ by less than this share of their size differ by rounding alone.
ROUNDING = 1e-12
_SMALLEST = 1e-150


def mean(values: FloatArray) -> float:
    """Return the mean."""
    return float(np.add.reduce(values)) / values.size


def variance(values: FloatArray, divisor: int | None = None) -> float:
    """Return the sum of squared deviations over `divisor` (by default one less than the number of values).

    Values that are equal up to rounding have variance 0, exactly.
    """
    low, high = float(values.min()), float(values.max())
    if high - low <= ROUNDING * max(abs(low), abs(high)):
        return 0.0
    if high - low < _SMALLEST:
        raise InvalidInputError(
            f"the numbers differ by {high - low:g} only, and squares of numbers below {_SMALLEST:g} vanish; scale them up"
        )
    deviations = values - mean(values)
    return float(deviations @ deviations) / (values.size - 1 if divisor is None else divisor)


def unit_of(values: FloatArray) -> float:
    """Return a power of two of the size of the largest value: over it, no square or sum runs out of range."""
    largest = max(abs(float(values.min())), abs(float(values.max())))
    return math.ldexp(1.0, math.frexp(largest)[1] - 1) if largest else 1.0


def scaled_mean(values: FloatArray) -> float:
    unit = unit_of(values)
    return unit * mean(values / unit)


def quantile(probability: float, df: float | None) -> float:
    """Return a quantile of the t distribution with `df` degrees of freedom, or of the normal distribution for None."""
    return float(special.ndtri(probability) if df is None else special.stdtrit(df, probability))


def lower_tail(statistic: float, df: float | None) -> float:
    """Return the probability of a value below `statistic`."""
    return float(special.ndtr(statistic) if df is None else special.stdtr(df, statistic))


def tail_of(statistic: float, df: float | None, alternative: str) -> float:
    """Return the p-value of a statistic under the t distribution, or the normal distribution for None."""
    if alternative == "less":
        return lower_tail(statistic, df)
    if alternative == "greater":
        return lower_tail(-statistic, df)
    return min(1.0, 2.0 * lower_tail(-abs(statistic), df))


def standardised(estimate: float, se: float, null: float) -> float:
    """Return (estimate - null) / se; with se = 0 it is 0, or infinite with the sign of the difference."""
    difference = estimate - null
    if se > 0.0:
        return difference / se
    negligible = abs(difference) <= ROUNDING * max(abs(estimate), abs(null))
    return 0.0 if negligible else math.copysign(math.inf, difference)


class Pivot(NamedTuple):
    """(estimate - null)/se against t with `df` degrees of freedom, or against the normal distribution for None."""

    estimate: float
    se: float
    df: float | None

    def statistic(self, null: float) -> float:
        """Return (estimate - null)/se."""
        return standardised(self.estimate, self.se, null)

    def pvalue(self, null: float, alternative: str) -> float:
        """Return the p-value of a null."""
        return tail_of(self.statistic(null), self.df, alternative)

    def interval(self, level: float, alternative: str) -> Interval:
        """Return the interval of all null values that are not rejected at 1 - `level`."""
        probability = 0.5 + level / 2 if alternative == "two-sided" else level
        reach = self.se * quantile(probability, self.df) if self.se > 0.0 else 0.0
        low = -math.inf if alternative == "less" else self.estimate - reach
        high = math.inf if alternative == "greater" else self.estimate + reach
        return Interval(low, high)
