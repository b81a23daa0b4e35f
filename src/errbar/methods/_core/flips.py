"""The sign-flip test: means over sets of values, for all nulls at once."""

from functools import cache

import numpy as np
from numpy.random import Generator

from errbar._check import FloatArray
from errbar.methods._core.resample import arranged_values, kinds_of, random_bits
from errbar.methods.distributions import ConfidenceDistribution, unit_of

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
        for value, count in zip(*(column.tolist() for column in kinds), strict=True):
            drawn = rng.binomial(count, 0.5, flips)
            sums += value * drawn
            sizes += drawn
        return sums, sizes
    # Eight values at a time, for which a random byte says which of them are in.
    bits = random_bits(rng)
    for start in range(0, arranged.size, 8):
        sums_of, sizes_of = _all_subsets(arranged[start : start + 8])
        byte = bits.random_raw(flips // 8 + 1).view(np.uint8)[:flips] & np.uint8(sums_of.size - 1)
        sums += np.take(sums_of, byte, mode="clip")
        sizes += np.take(sizes_of, byte, mode="clip")
    return sums, sizes
