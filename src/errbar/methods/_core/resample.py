"""The bootstrap and the sign-flip test: resampled statistics, and intervals and p-values that agree with each other."""

import inspect
import math
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import SFC64, Generator
from numpy.typing import NDArray
from scipy import special

from errbar import _check
from errbar._check import FloatArray, IntArray
from errbar.errors import InvalidInputError
from errbar.methods._core import pivot
from errbar.result import Interval

Statistic = Callable[..., Any]

EXACT_FLIPS = 14
"""Up to so many values all changes of sign are gone through, and none is drawn."""

# Two random bytes pick two values of a chunk of so many.
_CHUNK = 256
# Resamples that are worked on at once, where each takes about a chunk's worth of draws.
_ROWS = 256
# Values of resamples that a statistic is given at once.
_BLOCK = 2**20
# Values whose third moment is less than this share of the absolute one are symmetric up to rounding.
_SYMMETRIC = 1e-9
# So many distinct values are counted rather than drawn one by one, where each occurs often.
_FEW = 64


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
        unit = _unit(self.distribution)
        return unit * math.sqrt(pivot.variance(self.distribution / unit))

    @property
    def bias(self) -> float:
        """Mean over resamples minus the estimate."""
        return _mean(self.distribution) - self.estimate

    @property
    def corrected(self) -> float:
        """Twice the estimate minus the mean over resamples."""
        return self.estimate - self.bias


@dataclass(frozen=True, eq=False)
class ConfidenceDistribution:
    r"""Values that a null is held against: the fewer lie beyond it, the more speaks against it.

    With m values :math:`\theta_{(1)} \le \dots \le \theta_{(m)}`, and a more that lie beyond every null,

    .. math:: p_{greater} = \frac{a + \#\{\theta \le \mu_0\}}{a + m}, \qquad
              p_{less} = \frac{a + \#\{\theta \ge \mu_0\}}{a + m},

    and min(1, 2 min(p_greater, p_less)) two-sided. The interval holds just the nulls that are not rejected. Its lower
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
        slack = pivot._ROUNDING * float(np.abs(self.ordered).max(initial=abs(null)))
        below = self.ordered.searchsorted(null + slack, side="right")
        above = self.ordered.size - self.ordered.searchsorted(null - slack, side="left")
        greater, less = float(self._tail(np.array(below), 1.0)), float(self._tail(np.array(above), -1.0))
        if alternative == "two-sided":
            return min(1.0, 2.0 * min(greater, less))
        return greater if alternative == "greater" else less

    def interval(self, level: float, alternative: str) -> Interval:
        """Return the interval of all null values that are not rejected at 1 - `level`."""
        alpha = (1.0 - level) / 2.0 if alternative == "two-sided" else 1.0 - level
        low = 0 if alternative == "less" else self._rejected(alpha, 1.0)
        high = 0 if alternative == "greater" else self._rejected(alpha, -1.0)
        return Interval(
            float(self.ordered[low - 1]) if low else -math.inf, float(self.ordered[-high]) if high else math.inf
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
        moved = np.where(stretch > 0.0, z / np.where(stretch > 0.0, stretch, 1.0), np.copysign(math.inf, z))
        tail = special.ndtr(moved - side * self.centre)
        return np.where(share < 1.0, np.maximum(tail, self.always / total), 1.0)


@dataclass(frozen=True)
class NormalDistribution:
    """The normal law around an estimate, with the interface of `ConfidenceDistribution`.

    Attributes
    ----------
    estimate, se : float
        Its mean and standard deviation.
    """

    estimate: float
    se: float

    def pvalue(self, null: float, alternative: str) -> float:
        """Return the p-value of a null."""
        return pivot.pvalue(pivot.standardised(self.estimate, self.se, null), None, alternative)

    def interval(self, level: float, alternative: str) -> Interval:
        """Return the interval of all null values that are not rejected at 1 - `level`."""
        return pivot.interval(self.estimate, self.se, None, level, alternative)


def percentile(sample: Bootstrapped) -> ConfidenceDistribution:
    """Hold the null against the bootstrap distribution itself (Efron & Tibshirani 1993, section 13.3)."""
    return ConfidenceDistribution(np.sort(sample.distribution))


def basic(sample: Bootstrapped) -> ConfidenceDistribution:
    """Hold the null against the bootstrap distribution reflected about the estimate (Davison & Hinkley 1997, eq. 5.6)."""
    return ConfidenceDistribution(np.sort(2.0 * sample.estimate - sample.distribution))


def normal(sample: Bootstrapped) -> NormalDistribution:
    """Hold the null against the normal law with the bootstrap's standard error (Efron & Tibshirani 1993, section 12.2)."""
    return NormalDistribution(sample.estimate, sample.se)


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
    slack = pivot._ROUNDING * max(abs(float(ordered[0])), abs(float(ordered[-1])))
    below = int(ordered.searchsorted(sample.estimate - slack, side="left"))
    upto = int(ordered.searchsorted(sample.estimate + slack, side="right"))
    least = 0.5 / ordered.size
    share = min(max((below + upto) / (2.0 * ordered.size), least), 1.0 - least)
    return ConfidenceDistribution(ordered, centre=float(special.ndtri(share)), acceleration=acceleration)


def least_resamples(level: float, alternative: str) -> int:
    """Return how many resamples a percentile or basic interval takes at least; with fewer an end is infinite."""
    alpha = (1.0 - level) / 2.0 if alternative == "two-sided" else 1.0 - level
    return math.floor(1.0 / alpha)


def bootstrap(values: FloatArray, resamples: int, rng: Generator, statistic: Statistic | None = None) -> Bootstrapped:
    """Return the mean of the values, or another statistic, with its bootstrap distribution.

    Parameters
    ----------
    values : ndarray, shape (n,)
        Finite values, of examples drawn independently.
    resamples : int
        Number B of resamples.
    rng : Generator
        Source of the draws.
    statistic : callable, optional
        As `bootstrap_statistic` takes it; by default the mean.
    """
    if statistic is None:
        return Bootstrapped(_mean(values), bootstrap_means(values, resamples, rng))
    estimate = float(rowwise(statistic, values[None, :].copy(), "the values")[0])
    return Bootstrapped(estimate, bootstrap_statistic(values, statistic, resamples, rng))


def bootstrap_means(values: FloatArray, resamples: int, rng: Generator) -> FloatArray:
    """Return means of resamples: of n values drawn from the n at hand, with replacement.

    The law is exactly that of the bootstrap, however the draws are made. Values of few kinds, such as 0-1 losses and
    their differences, are counted: how often a kind is drawn is binomial. Else the n draws are split over chunks of
    the values, by binomial draws too, and those of a chunk are drawn two at a time. That takes memory for two copies
    of the values, a few of the result, and a block of fixed size. The order of the values does not matter, and values
    of the other sign give means of the other sign, unless they are symmetric.

    Parameters
    ----------
    values : ndarray, shape (n,)
        Finite values.
    resamples : int
        Number of resamples.
    rng : Generator
        Source of the draws.

    Returns
    -------
    ndarray, shape (resamples,)
        Mean of each resample.
    """
    count = _check.count(resamples, "resamples", 2)
    arranged, unit = _arranged(values), _unit(values)
    arranged /= unit
    kinds = _kinds(arranged, 128)
    if kinds is None:
        sums = _drawn_sums(arranged, count, rng)
    elif kinds[0].size == 1:
        return np.full(count, float(values[0]))
    else:
        sums = _counted_sums(*kinds, count, rng)
    return sums / values.size * unit


def bootstrap_statistic(values: FloatArray, statistic: Statistic, resamples: int, rng: Generator) -> FloatArray:
    """Return a statistic of resamples: of n values drawn from the n at hand, with replacement.

    Parameters
    ----------
    values : ndarray, shape (n,)
        Finite values; their order does not matter.
    statistic : callable
        Takes values and returns one finite number. One that takes `axis` is called with many resamples at once, as
        the rows of a matrix, and ``axis=-1``.
    resamples : int
        Number of resamples.
    rng : Generator
        Source of the draws.

    Returns
    -------
    ndarray, shape (resamples,)
        Statistic of each resample.

    Raises
    ------
    InvalidInputError
        If the statistic fails, or does not give one finite number for each resample.
    """
    arranged = _arranged(values)
    found = np.empty(_check.count(resamples, "resamples", 2))
    for rows in _blocks(found.size, arranged.size):
        drawn = arranged[rng.integers(0, arranged.size, (rows.stop - rows.start, arranged.size))]
        found[rows] = rowwise(statistic, drawn, "a resample")
    return found


def jackknife(values: FloatArray, statistic: Statistic) -> FloatArray:
    """Return a statistic of the values without each one in turn; takes time that grows with the square of n."""
    found = np.empty(values.size)
    others = np.arange(values.size - 1)
    for rows in _blocks(values.size, values.size):
        left_out = np.arange(rows.start, rows.stop)[:, None]
        found[rows] = rowwise(statistic, values[others + (others >= left_out)], "the values without one")
    return found


def jackknife_means(values: FloatArray) -> FloatArray:
    """Return the mean of the values without each one in turn."""
    centre = _mean(values)
    return centre - (values - centre) / (values.size - 1)


def acceleration(values: FloatArray, statistic: Statistic | None = None) -> float:
    r"""Return the constant a of BCa (Efron & Tibshirani 1993, eq. 14.15).

    Parameters
    ----------
    values : ndarray, shape (n,)
        Finite values; at least two.
    statistic : callable, optional
        By default the mean, whose constant takes no jackknife.

    Notes
    -----
    .. math:: a = \frac{\sum_i d_i^3}{6 \left(\sum_i d_i^2\right)^{3/2}}

    with d_i the mean of the jackknifed statistic minus the statistic without value i, which for the mean is in
    proportion to the value minus the mean. It is 0 where nothing varies.
    """
    jackknifed = values if statistic is None else -jackknife(values, statistic)
    unit = _unit(jackknifed)
    scaled = jackknifed / unit
    if pivot.variance(scaled) == 0.0:
        return 0.0
    deviations = scaled - pivot.mean(scaled)
    deviations /= float(np.abs(deviations).max())
    squares = deviations * deviations
    return float(squares @ deviations) / (6.0 * math.pow(float(np.add.reduce(squares)), 1.5))


def flip_means(values: FloatArray, flips: int, rng: Generator) -> ConfidenceDistribution:
    r"""Return the values' means that the sign-flip test holds a null against.

    Under the hypothesis that the values are symmetric about the null, each value minus the null has either sign with
    the same probability. Changing the signs of those in a set S takes twice their sum off the sum of all, so the sum
    is at least the observed one exactly if the mean over S is at most the null, or if S is empty. The test for all
    nulls at once therefore needs only means over random sets, each value being in with probability 1/2.

    Parameters
    ----------
    values : ndarray, shape (n,)
        Finite values, such as differences of losses.
    flips : int
        Number of random changes of signs. Up to 14 values all 2^n are gone through instead.
    rng : Generator
        Source of the draws.

    Returns
    -------
    ConfidenceDistribution
        Means over the sets that are not empty. The empty ones lie beyond every null; what was observed is one more of
        them, and is among the 2^n.
    """
    count = _check.count(flips, "flips")
    arranged, unit = _arranged(values), _unit(values)
    arranged /= unit
    exact = arranged.size <= EXACT_FLIPS
    sums, sizes = _all_subsets(arranged) if exact else _random_subsets(arranged, count, rng)
    filled = sizes > 0
    means = np.sort(sums[filled] / sizes[filled])
    return ConfidenceDistribution(means * unit, always=int(np.count_nonzero(~filled)) + (0 if exact else 1))


def _unit(values: FloatArray) -> float:
    """Return a power of two of the size of the largest value: over it, no square or sum runs out of range."""
    largest = max(abs(float(values.min())), abs(float(values.max())))
    return math.ldexp(1.0, math.frexp(largest)[1] - 1) if largest else 1.0


def _mean(values: FloatArray) -> float:
    unit = _unit(values)
    return unit * pivot.mean(values / unit)


def _arranged(values: FloatArray) -> FloatArray:
    """Return the values sorted towards the longer tail.

    So neither the order of the examples nor which learner is subtracted from which changes what is drawn.
    """
    arranged = np.sort(values)
    deviations = arranged / _unit(values)
    deviations -= pivot.mean(deviations)
    third = float(np.einsum("i,i,i->", deviations, deviations, deviations))
    np.abs(deviations, out=deviations)
    skewed = third < -_SYMMETRIC * float(np.einsum("i,i,i->", deviations, deviations, deviations))
    return arranged[::-1] if skewed else arranged


def _kinds(arranged: FloatArray, often: int) -> tuple[FloatArray, IntArray] | None:
    """Return the distinct values and how often each occurs; None where they are more than two, and not few."""
    starts = np.flatnonzero(arranged[1:] != arranged[:-1]) + 1
    distinct = starts.size + 1
    if distinct > 2 and (distinct > _FEW or distinct * often > arranged.size):
        return None
    edges = np.concatenate(([0], starts, [arranged.size]))
    return arranged[edges[:-1]], np.diff(edges)


def _counted_sums(distinct: FloatArray, counts: IntArray, resamples: int, rng: Generator) -> FloatArray:
    pool = int(counts.sum())
    sums, left = np.zeros(resamples), np.full(resamples, pool)
    for value, count in zip(distinct.tolist(), counts.tolist(), strict=True):
        drawn = rng.binomial(left, count / pool)
        sums += value * drawn
        left -= drawn
        pool -= count
    return sums


def _drawn_sums(arranged: FloatArray, resamples: int, rng: Generator) -> FloatArray:
    pool = arranged.size
    sums, left = np.zeros(resamples), np.full(resamples, pool)
    bits = _random_bits(rng)
    for start in range(0, arranged.size, _CHUNK):
        chunk = arranged[start : start + _CHUNK]
        drawn = rng.binomial(left, chunk.size / pool)
        sums += _sums_of_pairs(chunk, drawn, bits, rng) if chunk.size == _CHUNK else _sums_of_draws(chunk, drawn, rng)
        left -= drawn
        pool -= chunk.size
    return sums


def _random_bits(rng: Generator) -> SFC64:
    """Return a source of bits that is faster than most, and gives 64 at a time."""
    return SFC64(rng.integers(0, 2**63, 4))


def _sums_of_pairs(chunk: FloatArray, drawn: IntArray, bits: SFC64, rng: Generator) -> FloatArray:
    """Return sums of so many draws from a full chunk, from a table of the sums of two."""
    table = np.add.outer(chunk, chunk).ravel()
    pairs = drawn // 2
    sums = np.empty(drawn.size)
    for first in range(0, drawn.size, _ROWS):
        lengths = pairs[first : first + _ROWS]
        needed = int(lengths.sum())
        codes = bits.random_raw(needed // 4 + 1).view(np.uint16)[:needed]
        sums[first : first + _ROWS] = _segment_sums(table, codes, lengths)
    odd = np.flatnonzero(drawn % 2)
    sums[odd] += chunk[rng.integers(0, chunk.size, odd.size)]
    return sums


def _sums_of_draws(chunk: FloatArray, drawn: IntArray, rng: Generator) -> FloatArray:
    sums = np.empty(drawn.size)
    for first in range(0, drawn.size, _ROWS):
        lengths = drawn[first : first + _ROWS]
        picked = rng.integers(0, chunk.size, int(lengths.sum()))
        sums[first : first + _ROWS] = _segment_sums(chunk, picked, lengths)
    return sums


def _segment_sums(table: FloatArray, picked: NDArray[np.integer[Any]], lengths: IntArray) -> FloatArray:
    """Return sums of table entries, of so many each."""
    found = np.empty(picked.size + 1)
    # A last segment may be empty, and must begin inside the array all the same.
    found[-1] = 0.0
    # All are inside the table; "clip" only spares a buffer.
    np.take(table, picked, out=found[:-1], mode="clip")
    sums = np.add.reduceat(found, np.cumsum(lengths) - lengths)
    sums[lengths == 0] = 0.0
    return sums


def _blocks(count: int, size: int) -> Iterator[slice]:
    """Yield slices of `count` rows such that each holds a bounded number of values."""
    rows = max(1, _BLOCK // size)
    for first in range(0, count, rows):
        yield slice(first, min(count, first + rows))


def rowwise(statistic: Statistic, samples: FloatArray, what: str) -> FloatArray:
    """Return the statistic of each row."""
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)
            found = statistic(samples, axis=-1) if _takes_axis(statistic) else [statistic(sample) for sample in samples]
        if np.iscomplexobj(found):
            raise TypeError("complex numbers have no order")
        numbers = np.asarray(found, dtype=np.float64)
    except Exception as error:  # noqa: BLE001 - whatever it raises, the statistic is at fault
        raise InvalidInputError(f"`statistic` fails on {what}: {type(error).__name__}: {error}") from None
    if numbers.shape != (len(samples),):
        raise InvalidInputError(
            f"`statistic` must give one number for {what}, got an array of shape {numbers.shape} for {len(samples)}"
        )
    if not np.isfinite(numbers).all():
        odd = numbers[~np.isfinite(numbers)][0]
        raise InvalidInputError(f"`statistic` must be finite, got {odd} for {what}")
    return numbers


def _takes_axis(statistic: Statistic) -> bool:
    try:
        return "axis" in inspect.signature(statistic).parameters
    except (TypeError, ValueError):
        return False


def _subsets(count: int) -> FloatArray:
    """Return all subsets of so many values, as rows of zeros and ones."""
    return (np.arange(2**count)[:, None] >> np.arange(count) & 1).astype(np.float64)


def _all_subsets(arranged: FloatArray) -> tuple[FloatArray, FloatArray]:
    inside = _subsets(arranged.size)
    return np.einsum("ij,j->i", inside, arranged), np.add.reduce(inside, axis=1)


def _random_subsets(arranged: FloatArray, flips: int, rng: Generator) -> tuple[FloatArray, FloatArray]:
    kinds = _kinds(arranged, 256)
    return _drawn_subsets(arranged, flips, rng) if kinds is None else _counted_subsets(*kinds, flips, rng)


def _counted_subsets(
    distinct: FloatArray, counts: IntArray, flips: int, rng: Generator
) -> tuple[FloatArray, FloatArray]:
    sums, sizes = np.zeros(flips), np.zeros(flips)
    for value, count in zip(distinct.tolist(), counts.tolist(), strict=True):
        drawn = rng.binomial(count, 0.5, flips)
        sums += value * drawn
        sizes += drawn
    return sums, sizes


def _drawn_subsets(arranged: FloatArray, flips: int, rng: Generator) -> tuple[FloatArray, FloatArray]:
    """Return sums and sizes of random subsets, eight values at a time from a table of the sums of their subsets."""
    sums, sizes = np.zeros(flips), np.zeros(flips)
    inside, bits = _subsets(8), _random_bits(rng)
    sizes_of = np.add.reduce(inside, axis=1)
    for start in range(0, arranged.size, 8):
        group = arranged[start : start + 8]
        codes = bits.random_raw(flips // 8 + 1).view(np.uint8)[:flips] & np.uint8(2**group.size - 1)
        sums += np.take(np.einsum("ij,j->i", inside[: 2**group.size, : group.size], group), codes, mode="clip")
        sizes += np.take(sizes_of, codes, mode="clip")
    return sums, sizes
