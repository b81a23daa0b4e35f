"""The bootstrap: statistics of resamples, drawn faster than one by one, and the jackknife."""

import inspect
import math
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.random import SFC64, Generator
from numpy.typing import NDArray

from errbar import _check
from errbar._check import FloatArray, IntArray
from errbar.errors import InvalidInputError
from errbar.methods._core.confidence import Bootstrapped
from errbar.methods._core.pivot import mean, scaled_mean, unit_of, variance

Statistic = Callable[..., Any]

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


def bootstrap(
    values: FloatArray, resamples: int, rng: Generator, statistic: Statistic | None = None
) -> Bootstrapped:
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
        return Bootstrapped(scaled_mean(values), bootstrap_means(values, resamples, rng))
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
    arranged, unit = arranged_values(values), unit_of(values)
    arranged /= unit
    kinds = kinds_of(arranged, 128)
    if kinds is None:
        sums = _drawn_sums(arranged, count, rng)
    elif kinds[0].size == 1:
        return np.full(count, float(values[0]))
    else:
        sums = _counted_sums(*kinds, count, rng)
    return sums / values.size * unit


def bootstrap_statistic(
    values: FloatArray, statistic: Statistic, resamples: int, rng: Generator
) -> FloatArray:
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
    arranged = arranged_values(values)
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
        found[rows] = rowwise(
            statistic, values[others + (others >= left_out)], "the values without one"
        )
    return found


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
    unit = unit_of(jackknifed)
    scaled = jackknifed / unit
    if variance(scaled) == 0.0:
        return 0.0
    deviations = scaled - mean(scaled)
    deviations /= float(np.abs(deviations).max())
    squares = deviations * deviations
    return float(squares @ deviations) / (6.0 * math.pow(float(np.add.reduce(squares)), 1.5))


def arranged_values(values: FloatArray) -> FloatArray:
    """Return the values sorted towards the longer tail.

    So neither the order of the examples nor which learner is subtracted from which changes what is drawn.
    """
    arranged = np.sort(values)
    deviations = arranged / unit_of(values)
    deviations -= mean(deviations)
    third = float(np.einsum("i,i,i->", deviations, deviations, deviations))
    np.abs(deviations, out=deviations)
    skewed = third < -_SYMMETRIC * float(np.einsum("i,i,i->", deviations, deviations, deviations))
    return arranged[::-1] if skewed else arranged


def kinds_of(arranged: FloatArray, often: int) -> tuple[FloatArray, IntArray] | None:
    """Return the distinct values and how often each occurs; None where they are more than two, and not few."""
    starts = np.flatnonzero(arranged[1:] != arranged[:-1]) + 1
    distinct = starts.size + 1
    if distinct > 2 and (distinct > _FEW or distinct * often > arranged.size):
        return None
    edges = np.concatenate(([0], starts, [arranged.size]))
    return arranged[edges[:-1]], np.diff(edges)


def _counted_sums(
    distinct: FloatArray, counts: IntArray, resamples: int, rng: Generator
) -> FloatArray:
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
    bits = random_bits(rng)
    for start in range(0, arranged.size, _CHUNK):
        chunk = arranged[start : start + _CHUNK]
        drawn = rng.binomial(left, chunk.size / pool)
        sums += (
            _sums_of_pairs(chunk, drawn, bits, rng)
            if chunk.size == _CHUNK
            else _sums_of_draws(chunk, drawn, rng)
        )
        left -= drawn
        pool -= chunk.size
    return sums


def random_bits(rng: Generator) -> SFC64:
    """Return a source of bits that is faster than most, and gives 64 at a time."""
    return SFC64(rng.integers(0, 2**63, 4))


def _sums_of_pairs(chunk: FloatArray, drawn: IntArray, bits: SFC64, rng: Generator) -> FloatArray:
    """Return sums of so many draws from a full chunk, from a table of the sums of two."""
    table = np.add.outer(chunk, chunk).ravel()
    sums = _sums_of_picked(
        table, drawn // 2, lambda count: bits.random_raw(count // 4 + 1).view(np.uint16)[:count]
    )
    odd = np.flatnonzero(drawn % 2)
    sums[odd] += chunk[rng.integers(0, chunk.size, odd.size)]
    return sums


def _sums_of_draws(chunk: FloatArray, drawn: IntArray, rng: Generator) -> FloatArray:
    return _sums_of_picked(chunk, drawn, lambda count: rng.integers(0, chunk.size, count))


def _sums_of_picked(
    table: FloatArray, lengths: IntArray, pick: Callable[[int], NDArray[Any]]
) -> FloatArray:
    """Return sums of so many table entries each, at the places that are picked."""
    sums = np.empty(lengths.size)
    for first in range(0, lengths.size, _ROWS):
        some = lengths[first : first + _ROWS]
        picked = pick(int(some.sum()))
        found = np.empty(picked.size + 1)
        # A last segment may be empty, and must begin inside the array all the same.
        found[-1] = 0.0
        # All are inside the table; "clip" only spares a buffer.
        np.take(table, picked, out=found[:-1], mode="clip")
        segments = np.add.reduceat(found, np.cumsum(some) - some)
        segments[some == 0] = 0.0
        sums[first : first + _ROWS] = segments
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
            found = (
                statistic(samples, axis=-1)
                if _takes_axis(statistic)
                else [statistic(sample) for sample in samples]
            )
        if np.iscomplexobj(found):
            raise TypeError("complex numbers have no order")
        numbers = np.asarray(found, dtype=np.float64)
    except Exception as error:  # noqa: BLE001 - whatever it raises, the statistic is at fault
        raise InvalidInputError(
            f"fails on {what}: {type(error).__name__}: {error}", argument="statistic"
        ) from None
    if numbers.shape != (len(samples),):
        raise InvalidInputError(
            f"must give one number for {what}, got an array of shape {numbers.shape} for {len(samples)}",
            argument="statistic",
        )
    if not np.isfinite(numbers).all():
        odd = numbers[~np.isfinite(numbers)][0]
        raise InvalidInputError(f"must be finite, got {odd} for {what}", argument="statistic")
    return numbers


def _takes_axis(statistic: Statistic) -> bool:
    try:
        return "axis" in inspect.signature(statistic).parameters
    except (TypeError, ValueError):
        return False
