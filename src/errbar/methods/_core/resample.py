"""Bootstrap means, drawn faster than one by one, and the acceleration of BCa."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.random import SFC64, Generator
from numpy.typing import NDArray

from errbar._check import FloatArray, IntArray
from errbar.methods.distributions import ROUNDING, mean, unit_of

# Two random bytes pick two values of a chunk of so many.
_CHUNK = 256
# Resamples that are worked on at once, where each takes about a chunk's worth of draws.
_ROWS = 256
# Values whose third moment is less than this share of the absolute one are symmetric up to rounding.
_SYMMETRIC = 1e-9
# So many distinct values are counted rather than drawn one by one, where each occurs often.
_FEW = 64


def bootstrap_means(values: FloatArray, resamples: int, rng: Generator) -> FloatArray:
    """Return means of resamples: of n values drawn from the n at hand, with replacement.

    Exact: how often a value of a few kinds, or a chunk of the others, is drawn is binomial. The
    order of the values does not matter.
    """
    arranged = arranged_values(values)
    kinds = kinds_of(arranged, 128)
    if kinds is None:
        return _drawn_sums(arranged, resamples, rng) / values.size
    if kinds[0].size == 1:
        return np.full(resamples, float(values[0]))
    return _counted_sums(*kinds, resamples, rng) / values.size


def acceleration(influence: FloatArray) -> float:
    r"""Return the constant a of BCa, sum d^3 / (6 (sum d^2)^(3/2)) (Efron & Tibshirani 1993, eq. 14.15)."""
    d = influence - mean(influence)
    largest = float(np.abs(d).max())
    if largest <= ROUNDING * float(np.abs(influence).max()):
        return 0.0
    d /= largest
    squares = d * d
    return float(squares @ d) / (6.0 * math.pow(float(np.add.reduce(squares)), 1.5))


def arranged_values(values: FloatArray) -> FloatArray:
    """Return the values sorted towards the longer tail: their order, and their sign, change no draw."""
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
    """Return sums of resamples: how many of the draws that are left are of a kind is binomial."""
    pool = int(counts.sum())
    sums, left = np.zeros(resamples), np.full(resamples, pool)
    for value, count in zip(distinct.tolist(), counts.tolist(), strict=True):
        drawn = rng.binomial(left, count / pool)
        sums += value * drawn
        left -= drawn
        pool -= count
    return sums


def _drawn_sums(arranged: FloatArray, resamples: int, rng: Generator) -> FloatArray:
    """Return sums of resamples: how many of the draws that are left are of a chunk is binomial."""
    pool = arranged.size
    sums, left = np.zeros(resamples), np.full(resamples, pool)
    bits = random_bits(rng)
    for start in range(0, arranged.size, _CHUNK):
        chunk = arranged[start : start + _CHUNK]
        drawn = rng.binomial(left, chunk.size / pool)
        sums += _sums_of_draws(chunk, drawn, bits, rng)
        left -= drawn
        pool -= chunk.size
    return sums


def random_bits(rng: Generator) -> SFC64:
    """Return a source of bits that is faster than most, and gives 64 at a time."""
    return SFC64(rng.integers(0, 2**63, 4))


def _sums_of_draws(chunk: FloatArray, drawn: IntArray, bits: SFC64, rng: Generator) -> FloatArray:
    """Return sums of so many draws from a chunk; of a full one, from a table of the sums of two."""
    if chunk.size < _CHUNK:
        return _sums_of_picked(chunk, drawn, lambda count: rng.integers(0, chunk.size, count))
    sums_of_two = np.add.outer(chunk, chunk).ravel()
    sums = _sums_of_picked(
        sums_of_two,
        drawn // 2,
        lambda count: bits.random_raw(count // 4 + 1).view(np.uint16)[:count],
    )
    odd = np.flatnonzero(drawn % 2)
    sums[odd] += chunk[rng.integers(0, chunk.size, odd.size)]
    return sums


def _sums_of_picked(
    table: FloatArray, lengths: IntArray, pick: Callable[[int], NDArray[Any]]
) -> FloatArray:
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
