"""Views of losses whose examples come in clusters."""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from errbar import _check
from errbar._check import FloatArray, IntArray
from errbar.errors import InvalidInputError
from errbar.rows import Rows, difference
from errbar.views._points import MetricValues, cluster_codes, metric_of


@dataclass(frozen=True, eq=False)
class Units:
    r"""What is drawn at random: clusters of examples, or examples that are clusters of their own.

    The mean of values is over all examples, or over blocks (folds) of the mean of each block. Then a cluster lies within a block,
    and values are compared with the mean of their block.

    Attributes
    ----------
    code : ndarray of int, shape (n,)
        Cluster of each example, counted from 0.
    block : ndarray of int, shape (n,), or None
        Block of each example, counted from 0.
    """

    code: IntArray
    block: IntArray | None = None

    @classmethod
    def of(cls, cluster: IntArray, block: IntArray | None = None) -> Self:
        """Describe clusters by any labels; those of different blocks are different clusters."""
        if block is None:
            return cls(_compact(cluster))
        blocks = _compact(block)
        return cls(_compact(_compact(cluster) * (int(blocks.max()) + 1) + blocks), blocks)

    @cached_property
    def count(self) -> int:
        """Number of clusters."""
        return int(self.code.max()) + 1

    @cached_property
    def _of_block(self) -> tuple[IntArray, IntArray]:
        """Block of each cluster, and number of examples of each block."""
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

        :math:`(\sum \lambda)^2 / \sum \lambda^2`, with the eigenvalues of :math:`D^{-1/2} (\mathrm{diag}\,h - h h') D^{-1/2}`,
        :math:`D = \mathrm{diag}(1 - h)`, of each block. The sums are traces, so no eigenvalue is computed.
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
        """Return the weighted sum over each cluster of what is left of values without the mean of their block.

        Values that are equal up to rounding leave nothing, exactly.
        """
        low, high = float(values.min()), float(values.max())
        if high - low <= 1e-12 * max(abs(low), abs(high)):
            return np.zeros(self.count)
        if self.block is None:
            centre = float(np.add.reduce(values)) / values.size
            return np.asarray((np.bincount(self.code, values) - np.bincount(self.code) * centre) / values.size)
        means = np.bincount(self.block, values) / self._of_block[1]
        weighted = self.weight * (values - means[self.block])
        return np.asarray(np.bincount(self.code, weighted), dtype=np.float64)

    def squared_error(self, values: FloatArray) -> float:
        r"""Return the squared standard error of the mean: :math:`\sum_g r_g^2/(1 - h_g)` with the `sums` r.

        For examples that are clusters of their own it is the usual :math:`s^2/n`.
        """
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


def _compact(labels: IntArray) -> IntArray:
    """Return labels as numbers from 0 on, in their order; without sorting where they are small numbers."""
    if labels.size and int(labels.min()) >= 0 and int(labels.max()) < 4 * labels.size:
        present = np.bincount(labels) > 0
        return labels if present.all() else (np.cumsum(present) - 1)[labels]
    codes: IntArray = np.unique(labels, return_inverse=True)[1].ravel()
    return codes


@dataclass(frozen=True, eq=False)
class ClusterLosses:
    """One loss per test example, of a learner or of the difference of two, with the cluster of each example.

    Parameters
    ----------
    value : array-like, shape (n,)
        Losses.
    cluster : array-like, shape (n,)
        Cluster of each example, such as its patient or passage; labels of any type.
    fold : array-like of int, shape (n,), optional
        For a metric that is averaged over folds: the fold in which the example was tested.
    n_train : float, optional
        Mean training size, for the statement of what is estimated.
    minus : array-like, shape (n,), optional
        For a difference: the losses of the learner that was subtracted.
    metric : MetricValues, optional
        Where the values are not losses but a metric plus influence values, what metric that is.
    n_splits : int, default 1
        Number of splits that the losses come from.

    Attributes
    ----------
    units : Units
        The clusters.

    Examples
    --------
    >>> import errbar
    >>> errbar.ClusterLosses([0, 1, 1, 0, 1], ["a", "a", "b", "c", "c"]).units.count
    3
    """

    value: FloatArray
    cluster: IntArray
    fold: IntArray | None
    n_train: float
    minus: FloatArray | None
    metric: MetricValues | None
    n_splits: int
    units: Units

    def __init__(
        self,
        value: ArrayLike,
        cluster: ArrayLike,
        fold: ArrayLike | None = None,
        *,
        n_train: float = math.nan,
        minus: ArrayLike | None = None,
        metric: MetricValues | None = None,
        n_splits: int = 1,
    ) -> None:
        cleaned = _check.vector(value, "value", "example", 2)
        other = None if minus is None else _check.vector(minus, "minus", "example", 2)
        codes = cluster_codes(cluster, cleaned.size)
        if other is not None and other.size != cleaned.size:
            raise InvalidInputError(
                f"must hold one loss per example, {cleaned.size}, got {other.size}", argument="minus"
            )
        folds = None if fold is None else _check.labels(fold, cleaned.size, "fold")
        vars(self).update(
            value=cleaned,
            cluster=codes,
            fold=folds,
            n_train=float(n_train),
            minus=other,
            metric=metric,
            n_splits=_check.count(n_splits, "n_splits"),
            units=Units.of(codes, folds),
        )

    @classmethod
    def of(cls, rows: Rows) -> Self:
        """Make the view from rows of a table: the losses of an example that was tested in several repeats are averaged."""
        point, at, example = rows.points
        clusters = rows.design.clusters
        if clusters is None:
            raise InvalidInputError("this method needs the cluster of each example; give it as `groups`")
        metric, _ = metric_of(rows)
        folds = rows.fold[at] if metric is not None and metric.by_fold and (rows.fold >= 0).all() else None
        if folds is not None and np.unique(rows.repeat).size > 1:
            raise InvalidInputError(
                "a metric that is averaged over folds needs a single repeat; give pool='folds', or one repeat"
            )
        minus = rows.each[1].point if len(rows.each) == 2 else None
        columns = [point] if minus is None else [point, minus]
        if np.unique(rows.repeat).size > 1:
            example, columns = _averaged(example, columns)
        return cls(
            columns[0],
            clusters[example],
            folds,
            n_train=float(rows.n_train.mean()),
            minus=None if minus is None else columns[1],
            metric=metric,
            n_splits=rows.score.size,
        )

    def less(self, other: Self) -> Self:
        """Return the difference to the losses of another learner on the same examples."""
        made = object.__new__(type(self))
        own = {"value": difference(self.value, other.value), "minus": other.value}
        metric = self.metric and self.metric._replace(share=False)
        vars(made).update(vars(self) | own | {"metric": metric})
        return made


def _averaged(example: IntArray, columns: list[FloatArray]) -> tuple[IntArray, list[FloatArray]]:
    """Return each example once, with the mean of each column."""
    tested, at, times = np.unique(example, return_inverse=True, return_counts=True)
    return tested, [np.bincount(at, column) / times for column in columns]
