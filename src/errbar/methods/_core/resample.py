"""Bootstrap means and sign flips, drawn faster than one by one, and from a bootstrap distribution to an answer."""

import math
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numpy.random import SFC64, Generator

from errbar._check import Array, FloatArray, IntArray
from errbar.methods.distributions import (
    ROUNDING,
    Answer,
    Bootstrapped,
    ConfidenceDistribution,
    Law,
    Pivot,
    basic,
    bca,
    least_resamples,
    mean,
    percentile,
    unit_of,
)
from errbar.methods.variance import ONE_TRAINING_SET
from errbar.result import Note

# Two random bytes pick two values of a chunk of so many.
_CHUNK = 256
# Resamples that are worked on at once, where each takes about a chunk's worth of draws.
_ROWS = 256
# Values whose third moment is less than this share of the absolute one are symmetric up to rounding.
_SYMMETRIC = 1e-9
# A bias of less than this share of the standard error moves the coverage of an interval by little.
_NOTABLE_BIAS = 0.25
# So many distinct values are counted rather than drawn one by one, where each occurs often.
_FEW = 64


def bootstrap_means(values: FloatArray, resamples: int, rng: Generator) -> FloatArray:
    """Return means of resamples: of n values drawn from the n at hand, with replacement.

    Exact: how many of the draws that are left are of a part, a value of a few kinds or a chunk of
    the others, is binomial. The order of the values does not matter.
    """
    arranged = arranged_values(values)
    kinds = kinds_of(arranged, 128)
    bits: Any = None
    if kinds is None:
        bits = random_bits(rng)
        chunks = [arranged[start : start + _CHUNK] for start in range(0, values.size, _CHUNK)]
        parts: Any = [(chunk, chunk.size) for chunk in chunks]
    elif kinds[0].size == 1:
        return np.full(resamples, float(values[0]))
    else:
        parts = zip(*kinds, strict=True)
    pool = values.size
    sums, left = np.zeros(resamples), np.full(resamples, pool)
    for part, count in parts:
        drawn = rng.binomial(left, count / pool)
        sums += part * drawn if bits is None else _sums_of_draws(part, drawn, bits, rng)
        left -= drawn
        pool -= count
    return sums / values.size


def acceleration(influence: FloatArray) -> float:
    r"""Return the constant a of BCa, sum d^3 / (6 (sum d^2)^(3/2)) (Efron & Tibshirani 1993, eq. 14.15)."""
    d = influence - mean(influence)
    largest = np.abs(d).max()
    if largest <= ROUNDING * np.abs(influence).max():
        return 0.0
    d /= largest
    squares = d * d
    return float(squares @ d) / (6.0 * math.pow(np.add.reduce(squares), 1.5))


def arranged_values(values: FloatArray) -> FloatArray:
    """Return the values sorted towards the longer tail: their order, and their sign, change no draw."""
    arranged = np.sort(values)
    deviations = arranged / unit_of(values)
    deviations -= mean(deviations)
    third, absolute = (np.einsum("i,i,i->", d, d, d) for d in (deviations, np.abs(deviations)))
    return arranged[::-1] if third < -_SYMMETRIC * absolute else arranged


def kinds_of(arranged: FloatArray, often: int) -> tuple[FloatArray, IntArray] | None:
    """Return the distinct values and how often each occurs; None where they are more than two, and not few."""
    starts = np.flatnonzero(arranged[1:] != arranged[:-1]) + 1
    distinct = starts.size + 1
    if distinct > 2 and (distinct > _FEW or distinct * often > arranged.size):
        return None
    edges = np.concatenate(([0], starts, [arranged.size]))
    return arranged[edges[:-1]], np.diff(edges)


def random_bits(rng: Generator) -> SFC64:
    """Return a source of bits that is faster than most, and gives 64 at a time."""
    return SFC64(rng.integers(0, 2**63, 4))


def _sums_of_draws(chunk: FloatArray, drawn: IntArray, bits: SFC64, rng: Generator) -> FloatArray:
    """Return sums of so many draws from a chunk; of a full one, from a table of the sums of two."""
    if chunk.size < _CHUNK:
        return _sums_of_picked(chunk, drawn, lambda count: rng.integers(0, chunk.size, count))

    def pick(count: int) -> Array:
        return bits.random_raw(count // 4 + 1).view(np.uint16)[:count]

    sums = _sums_of_picked(np.add.outer(chunk, chunk).ravel(), drawn // 2, pick)
    odd = np.flatnonzero(drawn % 2)
    sums[odd] += chunk[rng.integers(0, chunk.size, odd.size)]
    return sums


def _sums_of_picked(
    table: FloatArray, lengths: IntArray, pick: Callable[[int], Array]
) -> FloatArray:
    sums = np.empty(lengths.size)
    for first in range(0, lengths.size, _ROWS):
        some = lengths[first : first + _ROWS]
        picked = pick(int(some.sum()))
        # A last segment may be empty, and must begin inside the array all the same.
        found = np.zeros(picked.size + 1)
        # All are inside the table; "clip" only spares a buffer.
        np.take(table, picked, out=found[:-1], mode="clip")
        segments = np.add.reduceat(found, np.cumsum(some) - some)
        sums[first : first + _ROWS] = np.where(some, segments, 0.0)
    return sums


EXACT_FLIPS = 14
"""Up to so many values all changes of sign are gone through, and none is drawn."""


def flip_means(values: FloatArray, flips: int, rng: Generator) -> ConfidenceDistribution:
    r"""Return the means over random sets that the sign-flip test of all nulls at once compares them with."""
    unit = unit_of(values)
    arranged = arranged_values(values) / unit
    exact = arranged.size <= EXACT_FLIPS
    sums, sizes = _all_subsets(arranged) if exact else _random_subsets(arranged, flips, rng)
    filled = sizes > 0
    means = np.sort(sums[filled] / sizes[filled])
    # The empty set is never less extreme, and neither is what was observed where flips are drawn.
    always = int(np.count_nonzero(~filled)) + (0 if exact else 1)
    return ConfidenceDistribution(means * unit, always=always)


@cache
def _insides(count: int) -> FloatArray:
    return (np.arange(2**count)[:, None] >> np.arange(count) & 1).astype(np.float64)


def _all_subsets(values: FloatArray) -> tuple[FloatArray, FloatArray]:
    inside = _insides(values.size)
    return np.einsum("ij,j->i", inside, values), inside.sum(axis=1)


def _random_subsets(
    arranged: FloatArray, flips: int, rng: Generator
) -> tuple[FloatArray, FloatArray]:
    sums, sizes = np.zeros(flips), np.zeros(flips)
    kinds = kinds_of(arranged, 256)
    if kinds is not None:
        for value, count in zip(*kinds, strict=True):
            drawn = rng.binomial(count, 0.5, flips)
            sums += value * drawn
            sizes += drawn
        return sums, sizes
    # Eight values at a time, for which a random byte says which of them are in.
    bits = random_bits(rng)
    for start in range(0, arranged.size, 8):
        sums_of, sizes_of = _all_subsets(arranged[start : start + 8])
        byte = bits.random_raw(flips // 8 + 1).view(np.uint8)[:flips] & np.uint8(sums_of.size - 1)
        sums += sums_of[byte]
        sizes += sizes_of[byte]
    return sums, sizes


def resampled(
    draw: Callable[[int], Bootstrapped],
    acceleration: Callable[[], float],
    *,
    kind: str,
    resamples: int,
    bias_corrected: bool,
) -> Answer:
    laws: dict[str, Callable[[Bootstrapped], Law]] = {
        "percentile": percentile,
        "basic": basic,
        "bca": lambda sample: bca(sample, acceleration()),
        "normal": lambda sample: Pivot(answer.estimate, sample.se, None),
    }
    sample = draw(resamples)
    answer = Answer(sample.estimate, sample.se, notes=(ONE_TRAINING_SET,))
    if bias_corrected:
        answer.estimate -= sample.bias
    if sample.se == 0.0:
        return answer
    answer.law = laws[kind](sample)
    errors = abs(sample.bias) / sample.se
    if errors > _NOTABLE_BIAS:
        answer.notes += (Note("bias", bias=sample.bias, errors=errors),)
    answer.remarks = lambda asked, interval: asked.if_unbounded(
        interval, resamples, "resamples", least_resamples(asked.level, asked.alternative)
    )
    return answer
