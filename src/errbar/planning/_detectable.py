"""What a study that has been done could have found."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.special import ndtr

from errbar._check import FloatArray
from errbar.planning._student import KNOWN, StudentTest
from errbar.result import Result


def detectable(results: Sequence[Result], power: float) -> FloatArray | None:
    """Return the smallest difference found with some power by each result; None where a law is neither t nor normal."""
    units = [_unit(one) for one in results]
    if None in units:
        return None
    kinds: list[Any] = [
        (one.level, one.alternative, KNOWN if one.df is None else min(one.df, KNOWN))
        for one in results
    ]
    shifts = {kind: StudentTest(*kind[:2]).shift(kind[2], power) for kind in set(kinds)}
    return np.array([shifts[kind] * unit for kind, unit in zip(kinds, units, strict=True)])


def _unit(result: Result) -> Any:
    """Return by what (estimate - null) is divided for a statistic with the t or the normal distribution: the standard error, or that under the null."""
    gap, z = result.estimate - result.null, result.statistic
    if isinstance(result.df, tuple):
        return None
    if math.isclose(z, gap / result.se, abs_tol=1e-9):
        return result.se
    tails = {"less": ndtr(z), "greater": ndtr(-z), "two-sided": 2.0 * ndtr(-abs(z))}
    close = math.isclose(result.pvalue, tails[result.alternative], rel_tol=1e-6, abs_tol=1e-12)
    return gap / z if result.df is None and close and gap * z > 0.0 else None
