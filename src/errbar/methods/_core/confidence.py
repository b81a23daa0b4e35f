"""Intervals and p-values from resampling that agree with each other."""

import math
from dataclasses import dataclass

import numpy as np
from scipy import special

from errbar._check import FloatArray, IntArray
from errbar.methods._core.pivot import ROUNDING, scaled_mean, unit_of, variance
from errbar.result import Interval


@dataclass(frozen=True, eq=False)
class Bootstrapped:
    """A statistic and its values on resamples.

    Attributes
    ----------
    estimate : float
        The statistic of the values at hand.
    distribution : ndarray, shape (B,)
        The statistic of each resample.
    """

    estimate: float
    distribution: FloatArray

    @property
    def se(self) -> float:
        """Standard error: the standard deviation over resamples, with divisor B - 1."""
        unit = unit_of(self.distribution)
        return unit * math.sqrt(variance(self.distribution / unit))

    @property
    def bias(self) -> float:
        """Mean over resamples minus the estimate."""
        return scaled_mean(self.distribution) - self.estimate

    @property
    def corrected(self) -> float:
        """Twice the estimate minus the mean over resamples."""
        return self.estimate - self.bias


@dataclass(frozen=True, eq=False)
class ConfidenceDistribution:
    r"""Values with which a null is compared: the fewer lie beyond it, the stronger is the evidence against it.

    With m values :math:`\theta_{(1)} \le \dots \le \theta_{(m)}`, and a more that lie beyond every null,

    .. math:: p_{greater} = \frac{a + \#\{\theta \le \mu_0\}}{a + m}, \qquad
              p_{less} = \frac{a + \#\{\theta \ge \mu_0\}}{a + m},

    and min(1, 2 min(p_greater, p_less)) two-sided. The interval consists of the nulls that are not rejected. Its lower
    end is the k-th smallest value and its upper end the k-th largest, where k is how many of the counts 0, 1, ... are
    rejected, (a + count)/(a + m) < alpha, with alpha = (1 - level)/2, or 1 - level where the alternative is one-sided.
    So 1000 resamples and 5 % on each side give the sorted values 50 and 951, the 50th from either end. Where k is 0,
    no null is rejected and the end is infinite.

    Attributes
    ----------
    ordered : ndarray, shape (m,)
        Values in ascending order.
    always : int
        How many more lie beyond every null; 1 for what was observed itself.
    centre, acceleration : float
        Constants z0 and a of BCa, which moves the p-values; 0 leaves them as they are.
    """

    ordered: FloatArray
    always: int = 1
    centre: float = 0.0
    acceleration: float = 0.0

    def pvalue(self, null: float, alternative: str) -> float:
        """Return the p-value of a null; values equal to it up to rounding lie beyond it on either side."""
        slack = ROUNDING * float(np.abs(self.ordered).max(initial=abs(null)))
        below = self.ordered.searchsorted(null + slack, side="right")
        above = self.ordered.size - self.ordered.searchsorted(null - slack, side="left")
        greater, less = (
            float(self._tail(np.array(below), 1.0)),
            float(self._tail(np.array(above), -1.0)),
        )
        if alternative == "two-sided":
            return min(1.0, 2.0 * min(greater, less))
        return greater if alternative == "greater" else less

    def interval(self, level: float, alternative: str) -> Interval:
        """Return the interval of all null values that are not rejected at 1 - `level`."""
        alpha = (1.0 - level) / 2.0 if alternative == "two-sided" else 1.0 - level
        low = 0 if alternative == "less" else self._rejected(alpha, 1.0)
        high = 0 if alternative == "greater" else self._rejected(alpha, -1.0)
        return Interval(
            float(self.ordered[low - 1]) if low else -math.inf,
            float(self.ordered[-high]) if high else math.inf,
        )

    def _rejected(self, alpha: float, side: float) -> int:
        return int(np.count_nonzero(self._tail(np.arange(self.ordered.size), side) < alpha))

    def _tail(self, count: IntArray, side: float) -> FloatArray:
        """Return the one-sided p-values where so many values lie below the null (side 1) or above it (side -1)."""
        total = self.always + self.ordered.size
        share = (self.always + count) / total
        if self.centre == self.acceleration == 0.0:
            return share
        open_share = np.minimum(share, 1.0 - 2.0**-53)
        z = special.ndtri(open_share) - side * self.centre
        stretch = 1.0 + side * self.acceleration * z
        # Beyond the pole of BCa's map of levels lies level 0 or 1.
        moved = np.where(
            stretch > 0.0, z / np.where(stretch > 0.0, stretch, 1.0), np.copysign(math.inf, z)
        )
        tail = special.ndtr(moved - side * self.centre)
        return np.where(share < 1.0, np.maximum(tail, self.always / total), 1.0)


def percentile(sample: Bootstrapped) -> ConfidenceDistribution:
    """Hold the null against the bootstrap distribution itself (Efron & Tibshirani 1993, section 13.3)."""
    return ConfidenceDistribution(np.sort(sample.distribution))


def basic(sample: Bootstrapped) -> ConfidenceDistribution:
    """Hold the null against the bootstrap distribution reflected about the estimate (Davison & Hinkley 1997, eq. 5.6)."""
    return ConfidenceDistribution(np.sort(2.0 * sample.estimate - sample.distribution))


def bca(sample: Bootstrapped, acceleration: float) -> ConfidenceDistribution:
    r"""Hold the null against the distribution after BCa's map of levels (Efron & Tibshirani 1993, section 14.3).

    Parameters
    ----------
    sample : Bootstrapped
        Estimate and bootstrap distribution.
    acceleration : float
        The constant a, see `acceleration`.

    Notes
    -----
    The interval's lower end at level alpha is the quantile of the distribution at

    .. math:: \Phi\left(z_0 + \frac{z_0 + z_\alpha}{1 - a (z_0 + z_\alpha)}\right), \qquad
              z_0 = \Phi^{-1}\left(\frac{\#\{\theta^* < \hat\theta\} + \#\{\theta^* \le \hat\theta\}}{2 B}\right).

    A p-value goes the other way: with u the share of values beyond the null and w = z_u - z0 it is
    :math:`\Phi(w/(1 + a w) - z_0)`. Where the estimate is beyond all resamples, half a resample is taken to lie
    beyond it.
    """
    ordered = np.sort(sample.distribution)
    slack = ROUNDING * max(abs(float(ordered[0])), abs(float(ordered[-1])))
    below = int(ordered.searchsorted(sample.estimate - slack, side="left"))
    upto = int(ordered.searchsorted(sample.estimate + slack, side="right"))
    least = 0.5 / ordered.size
    share = min(max((below + upto) / (2.0 * ordered.size), least), 1.0 - least)
    return ConfidenceDistribution(
        ordered, centre=float(special.ndtri(share)), acceleration=acceleration
    )


def least_resamples(level: float, alternative: str) -> int:
    """Return how many resamples a percentile or basic interval takes at least; with fewer an end is infinite."""
    alpha = (1.0 - level) / 2.0 if alternative == "two-sided" else 1.0 - level
    return math.floor(1.0 / alpha)
