"""What is drawn at random: clusters of examples, or examples; and the squared error of their mean."""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np

from errbar._check import FloatArray, IntArray, compact
from errbar.errors import InvalidInputError


@dataclass(frozen=True, eq=False)
class Units:
    r"""What is drawn at random: clusters of examples, or examples that are clusters of their own.

    The mean of values is over all examples, or over blocks (folds) of the mean of each block. Then
    a cluster lies within a block, and values are compared with the mean of their block.

    Attributes
    ----------
    code, block : Cluster and block of each example, counted from 0.
    """

    code: IntArray
    block: IntArray | None = None

    @classmethod
    def of(cls, cluster: IntArray, block: IntArray | None = None) -> Self:
        """Describe clusters by any labels; those of different blocks are different clusters."""
        if block is None:
            return cls(compact(cluster))
        blocks = compact(block)
        return cls(compact(compact(cluster) * (int(blocks.max()) + 1) + blocks), blocks)

    @cached_property
    def count(self) -> int:
        """Number of clusters."""
        return int(self.code.max()) + 1

    @cached_property
    def _of_block(self) -> tuple[IntArray, IntArray]:
        if self.block is None:
            return np.zeros(self.count, dtype=np.int64), np.array([self.code.size])
        at = np.empty(self.count, dtype=np.int64)
        at[self.code] = self.block
        return at, np.bincount(self.block)

    @cached_property
    def share(self) -> FloatArray:
        """Share h of each cluster among the examples of its block."""
        at, sizes = self._of_block
        shares: FloatArray = np.bincount(self.code) / sizes[at]
        return shares

    @cached_property
    def others(self) -> FloatArray:
        """Share 1 - h of all other clusters in the block of each; there must be some."""
        if self.share.max() >= 1.0:
            what = ("the table", "") if self.block is None else ("a fold", "; use fewer folds")
            raise InvalidInputError(
                f"all examples of {what[0]} are of one cluster, which says nothing about others{what[1]}"
            )
        return np.asarray(1.0 - self.share)

    @cached_property
    def weight(self) -> FloatArray | float:
        """Weight of each example in the mean."""
        if self.block is None:
            return 1.0 / self.code.size
        sizes = self._of_block[1]
        weights: FloatArray = 1.0 / (sizes.size * sizes[self.block])
        return weights

    @cached_property
    def df(self) -> float:
        r"""Satterthwaite's degrees of freedom of `squared_error` for independent examples of equal variance.

        :math:`(\sum \lambda)^2 / \sum \lambda^2`, with the eigenvalues of :math:`D^{-1/2}
        (\mathrm{diag}\,h - h h') D^{-1/2}`, :math:`D = \mathrm{diag}(1 - h)`, of each block, whose
        sums are traces.
        """
        at, sizes = self._of_block
        square, ratio = np.square(self.share), np.square(self.share) / self.others
        of_squares = np.bincount(at, square - np.square(ratio)) + np.square(np.bincount(at, ratio))
        unit = 1.0 / sizes  # variance of the mean of a block
        return whole(float(unit.sum() ** 2 / (np.square(unit) @ of_squares)))

    def mean(self, values: FloatArray) -> float:
        """Return the mean of values, one per example."""
        if self.block is None:
            return float(np.add.reduce(values)) / values.size
        return float(np.add.reduce(self.weight * values))

    def sums(self, values: FloatArray) -> FloatArray:
        """Return the sum over each cluster of values less the mean of their block, exactly 0 where all are equal."""
        low, high = float(values.min()), float(values.max())
        if high - low <= 1e-12 * max(abs(low), abs(high)):
            return np.zeros(self.count)
        if self.block is None:
            centre = float(np.add.reduce(values)) / values.size
            return np.asarray(
                (np.bincount(self.code, values) - np.bincount(self.code) * centre) / values.size
            )
        means = np.bincount(self.block, values) / self._of_block[1]
        weighted = self.weight * (values - means[self.block])
        return np.asarray(np.bincount(self.code, weighted), dtype=np.float64)

    def squared_error(self, values: FloatArray) -> float:
        r"""Return the squared standard error of the mean, :math:`\sum_g r_g^2/(1 - h_g)` with the `sums` r."""
        return self.of_sums(self.sums(values))

    def of_sums(self, sums: FloatArray) -> float:
        """Return the squared standard error of the mean of values with these `sums`."""
        return float((np.square(sums) / self.others).sum())

    def squared_error_alone(self, values: FloatArray) -> float:
        """Return what the squared standard error would be if all examples were independent."""
        if self.block is None:
            # Not by a product of vectors: for so short ones the threads of BLAS take longer to begin than to end.
            squares = np.square(values - self.mean(values))
            return float(np.add.reduce(squares)) / (values.size * (values.size - 1.0))
        return Units.of(np.arange(values.size), self.block).squared_error(values)


def whole(df: float) -> float:
    """Return degrees of freedom without the rounding error of those that are a whole number."""
    return round(df) if math.isfinite(df) and abs(df - round(df)) < 1e-9 * df else df
