"""Degrees of freedom of an estimated variance, and what is done where few examples determine it."""

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from errbar._check import FloatArray
from errbar.losses import Losses, MetricValues
from errbar.methods._core.answer import Asked
from errbar.methods.distributions import ROUNDING, Pivot
from errbar.result import Interval, Note

# With fewer degrees of freedom few examples determine the variance of a metric.
_FEW = 15.0

# Cochran (1977), Sampling Techniques, section 2.15: a mean of more than 25 G^2 values with skewness G is nearly normal.
_FOR_SKEWNESS = 25.0
# The skewness of n normal values has a variance of about 6/n; so much is two of its standard errors, squared.
_BY_CHANCE = 24.0


class Known(NamedTuple):
    """Degrees of freedom of a variance, and the law and caveats that follow; no law where t has these degrees of freedom."""

    df: float
    law: Pivot | None = None
    notes: tuple[Note, ...] = ()

    @property
    def statistic(self) -> Callable[[float], float] | None:
        """The statistic of the law, where there is one."""
        return None if self.law is None else self.law.statistic


def known(losses: Losses, estimate: float, se: float, deviations: FloatArray) -> Known:
    r"""Return the degrees of freedom of the variance of a metric, or of a difference of two, and what follows.

    Parameters
    ----------
    losses : Losses
        Values of a metric.
    estimate, se : float
        Estimate and standard error.
    deviations : ndarray, shape (n,)
        Influence values, 0 on average.

    Returns
    -------
    Known
        The sample variance of n values with kurtosis :math:`\kappa` varies like a chi-square with
        :math:`2n/(\kappa - 1)` degrees of freedom over them, if these are fewer than n - 1. The variance of a share is a
        function of the share, which the scale of the interval takes care of. Where few labels carry the variance of a
        difference, or none does, the squared error gets the square of the largest influence value on either metric: what one
        more example could add, as in the interval of Agresti & Min (2005) for paired shares.
    """
    largest = 0.0
    if losses.pair is not None:
        largest = max(float(np.abs(one.value - one.value.mean()).max()) for one in losses.pair)
    n = deviations.size
    return steadied(
        losses.metric, estimate, se, deviations, n - 1, largest / n, pair=losses.pair is not None
    )


def steadied(
    metric: MetricValues | None,
    estimate: float,
    se: float,
    deviations: FloatArray,
    most: float,
    largest: float,
    *,
    pair: bool,
) -> Known:
    """Return the same for sums over examples or clusters: `most` degrees of freedom, and how far one of them moves either metric."""
    if metric is None or metric.share:
        return Known(most)
    df = min(most, freedom(deviations))
    if df >= _FEW and se > 0.0:
        return Known(df)
    note = Note(
        "few", count=df, what="degrees of freedom of the variance, which few examples carry"
    )
    if not pair or not metric.counts:
        return Known(df, None, (note,) if se > 0.0 else ())
    added = math.hypot(se, largest)
    if added == 0.0:
        return Known(most)
    return Known(most, Pivot(estimate, added, most), (note,))


def freedom(deviations: FloatArray) -> float:
    """Return the degrees of freedom of the variance of values that are 0 on average: at most n - 1."""
    squares = np.square(deviations)
    total = float(squares.sum())
    if total == 0.0:
        return deviations.size - 1.0
    kurtosis = deviations.size * float(squares @ squares) / total**2
    return min(deviations.size - 1.0, 2.0 * deviations.size / max(kurtosis - 1.0, 1.0))


def skewed(
    values: FloatArray, what: str, metric: MetricValues | None = None
) -> Callable[[Asked, Interval], tuple[Note, ...]]:
    """Return the remark on values that are too skewed for the t distribution of their mean.

    Parameters
    ----------
    values : ndarray, shape (n,)
        Losses of examples or times, or sums over clusters.
    what : str
        What there are n of.
    metric : MetricValues, optional
        Where the values belong to a metric, nothing is said: `steadied` looks at its influence values.

    Returns
    -------
    callable
        The remarks of an `Answer`. Losses with two known ends have nothing to say: their intervals take care of it.
    """

    def remarks(asked: Asked, _: Interval) -> tuple[Note, ...]:
        n, reach = values.size, float(np.ptp(values))
        two_ends = math.isfinite(asked.limits.high - asked.limits.low)
        if metric is not None or two_ends or reach <= ROUNDING * float(np.abs(values).max()):
            return ()
        deviations = (values - values.mean()) / reach
        squared_skewness = (
            float(np.power(deviations, 3).mean()) ** 2 / float(np.square(deviations).mean()) ** 3
        )
        needed = _FOR_SKEWNESS * squared_skewness
        if n >= needed or squared_skewness < _BY_CHANCE / n:
            return ()
        return (Note("skewed-losses", count=n, what=what, needed=round(needed)),)

    return remarks
