"""The sign-flip test: means over sets of values, for all nulls at once."""

import numpy as np
from numpy.random import Generator

from errbar import _check
from errbar._check import FloatArray, IntArray
from errbar.methods._core.resample import arranged_values, kinds_of, random_bits
from errbar.methods.distributions import ConfidenceDistribution, unit_of

EXACT_FLIPS = 14
"""Up to so many values all changes of sign are gone through, and none is drawn."""


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
    arranged, unit = arranged_values(values), unit_of(values)
    arranged /= unit
    exact = arranged.size <= EXACT_FLIPS
    sums, sizes = _all_subsets(arranged) if exact else _random_subsets(arranged, count, rng)
    filled = sizes > 0
    means = np.sort(sums[filled] / sizes[filled])
    return ConfidenceDistribution(
        means * unit, always=int(np.count_nonzero(~filled)) + (0 if exact else 1)
    )


def _subsets(count: int) -> FloatArray:
    """Return all subsets of so many values, as rows of zeros and ones."""
    return (np.arange(2**count)[:, None] >> np.arange(count) & 1).astype(np.float64)


def _all_subsets(arranged: FloatArray) -> tuple[FloatArray, FloatArray]:
    inside = _subsets(arranged.size)
    return np.einsum("ij,j->i", inside, arranged), np.add.reduce(inside, axis=1)


def _random_subsets(
    arranged: FloatArray, flips: int, rng: Generator
) -> tuple[FloatArray, FloatArray]:
    kinds = kinds_of(arranged, 256)
    return (
        _drawn_subsets(arranged, flips, rng)
        if kinds is None
        else _counted_subsets(*kinds, flips, rng)
    )


def _counted_subsets(
    distinct: FloatArray, counts: IntArray, flips: int, rng: Generator
) -> tuple[FloatArray, FloatArray]:
    sums, sizes = np.zeros(flips), np.zeros(flips)
    for value, count in zip(distinct.tolist(), counts.tolist(), strict=True):
        drawn = rng.binomial(count, 0.5, flips)
        sums += value * drawn
        sizes += drawn
    return sums, sizes


def _drawn_subsets(
    arranged: FloatArray, flips: int, rng: Generator
) -> tuple[FloatArray, FloatArray]:
    """Return sums and sizes of random subsets, eight values at a time from a table of the sums of their subsets."""
    sums, sizes = np.zeros(flips), np.zeros(flips)
    inside, bits = _subsets(8), random_bits(rng)
    sizes_of = np.add.reduce(inside, axis=1)
    for start in range(0, arranged.size, 8):
        group = arranged[start : start + 8]
        codes = bits.random_raw(flips // 8 + 1).view(np.uint8)[:flips] & np.uint8(2**group.size - 1)
        sums += np.take(
            np.einsum("ij,j->i", inside[: 2**group.size, : group.size], group), codes, mode="clip"
        )
        sizes += np.take(sizes_of, codes, mode="clip")
    return sums, sizes
