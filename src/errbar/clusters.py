"""What is drawn at random: clusters of examples, or examples; and the squared error of their mean."""

import math
from dataclasses import dataclass
from typing import Self

import numpy as np

from errbar._check import FloatArray, IntArray, compact, numbered
from errbar.errors import InvalidInputError


@dataclass(frozen=True, eq=False)
class Units:
    r"""What is drawn at random: clusters of examples, or examples that are clusters of their own.

    The mean of values is over all examples, or over blocks (folds) of the mean of each block. Then
    a cluster lies within a block, and values are compared with the mean of their block.

    Attributes
    ----------
    code, block : Cluster and block of each example, counted from 0.
    sizes : Number of examples of each block.
    at : Block of each cluster.
    share : Share h of each cluster among the examples of its block.
    """

    code: IntArray
    block: IntArray
    sizes: IntArray
    at: IntArray
    share: FloatArray

    @classmethod
    def of(cls, cluster: IntArray, block: IntArray | None = None) -> Self:
        """Describe clusters by any labels; those of different blocks are different clusters."""
        blocks = np.zeros(cluster.size, dtype=np.int64) if block is None else compact(block)
        code, sizes = numbered(cluster, blocks), np.bincount(blocks)
        counts = np.bincount(code)
        at = np.empty_like(counts)
        at[code] = blocks
        return cls(code, blocks, sizes, at, counts / sizes[at])

    @property
    def count(self) -> int:
        """Number of clusters."""
        return self.at.size

    @property
    def others(self) -> FloatArray:
        """Share 1 - h of all other clusters in the block of each; there must be some."""
        if self.share.max() >= 1.0:
            what = "the table" if self.sizes.size == 1 else "a fold"
            raise InvalidInputError(
                f"all examples of {what} are of one cluster, which says nothing about others; use fewer folds, or more clusters"
            )
        return 1.0 - self.share

    @property
    def weight(self) -> FloatArray:
        """Weight of each example in the mean."""
        return 1.0 / (self.sizes.size * self.sizes[self.block])

    @property
    def df(self) -> float:
        r"""Satterthwaite's degrees of freedom of `squared_error` for independent examples of equal variance.

        :math:`(\sum \lambda)^2 / \sum \lambda^2`, with the eigenvalues of :math:`D^{-1/2}
        (\mathrm{diag}\,h - h h') D^{-1/2}`, :math:`D = \mathrm{diag}(1 - h)`, of each block, whose
        sums are traces.
        """
        at, sizes = self.at, self.sizes
        square, ratio = np.square(self.share), np.square(self.share) / self.others
        of_squares = np.bincount(at, square - np.square(ratio)) + np.square(np.bincount(at, ratio))
        unit = 1.0 / sizes  # variance of the mean of a block
        return whole(float(unit.sum() ** 2 / (np.square(unit) @ of_squares)))

    def mean(self, values: FloatArray) -> float:
        """Return the mean of values, one per example."""
        return float(np.add.reduce(self.weight * values))

    def sums(self, values: FloatArray) -> FloatArray:
        """Return the sum over each cluster of values less the mean of their block, exactly 0 where all are equal."""
        if np.ptp(values) <= 1e-12 * np.abs(values).max():
            return np.zeros(self.count)
        means = np.bincount(self.block, values) / self.sizes
        weighted = self.weight * (values - means[self.block])
        return np.asarray(np.bincount(self.code, weighted))

    def squared_error(self, values: FloatArray) -> float:
        r"""Return the squared standard error of the mean, :math:`\sum_g r_g^2/(1 - h_g)` with the `sums` r."""
        return self.of_sums(self.sums(values))

    def of_sums(self, sums: FloatArray) -> float:
        """Return the squared standard error of the mean of values with these `sums`."""
        return float((np.square(sums) / self.others).sum())

    def squared_error_alone(self, values: FloatArray) -> float:
        """Return what the squared standard error would be if all examples were independent."""
        return Units.of(np.arange(values.size), self.block).squared_error(values)


def whole(df: float) -> float:
    """Return degrees of freedom without the rounding error of those that are a whole number."""
    return round(df) if math.isfinite(df) and abs(df - round(df)) < 1e-9 * df else df
