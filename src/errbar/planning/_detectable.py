"""What a study that has been done could have found."""

import math
from collections.abc import Sequence

import numpy as np
from scipy.special import ndtr

from errbar._check import FloatArray
from errbar.planning._student import KNOWN, StudentTest
from errbar.result import Result

# With more different degrees of freedom, shifts are interpolated in 1/df: their relative error is below 1e-6.
_MOST_SHIFTS = 24


def detectable(results: Sequence[Result], power: float) -> FloatArray | None:
    """Return the smallest difference found with some power by each result; None where a law is neither t nor normal."""
    units = [_unit(one) for one in results]
    if None in units:
        return None
    test = StudentTest(results[0].level, results[0].alternative)
    df = np.array([KNOWN if one.df is None else one.df for one in results], dtype=np.float64)
    different, place = np.unique(np.minimum(df, KNOWN), return_inverse=True)
    shifts: FloatArray = _shifts(test, different, power)[place] * np.array(units, dtype=np.float64)
    return shifts


def _unit(result: Result) -> float | None:
    """Return by what (estimate - null) is divided for a statistic with the t or the normal distribution: the standard error, or that under the null."""
    gap = result.estimate - result.null
    if isinstance(result.df, tuple):
        return None
    if math.isclose(result.statistic, gap / result.se, abs_tol=1e-9):
        return result.se
    normal = result.df is None and math.isclose(
        result.pvalue, _normal_p(result), rel_tol=1e-6, abs_tol=1e-12
    )
    return gap / result.statistic if normal and gap * result.statistic > 0.0 else None


def _normal_p(result: Result) -> float:
    tails = {"less": ndtr(result.statistic), "greater": ndtr(-result.statistic)}
    return float(tails.get(result.alternative, 2.0 * ndtr(-abs(result.statistic))))


def _shifts(test: StudentTest, df: FloatArray, power: float) -> FloatArray:
    if df.size <= _MOST_SHIFTS:
        return np.array([test.shift(own, power) for own in df.tolist()])
    from scipy.interpolate import CubicSpline  # slow to import, and seldom needed

    ends = np.cos(np.linspace(0.0, np.pi, _MOST_SHIFTS))  # dense at both ends
    low, high = 1.0 / df[-1], 1.0 / df[0]
    nodes = low + 0.5 * (high - low) * (1.0 - ends)
    return np.asarray(CubicSpline(nodes, _shifts(test, 1.0 / nodes, power))(1.0 / df))
