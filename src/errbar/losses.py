"""Losses in rows that index columns tell apart, which every method takes, and the units that are drawn at random."""

import math
from collections import UserDict
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from errbar import _check
from errbar._check import Array, Facts, FloatArray, IntArray
from errbar.errors import InvalidInputError
from errbar.plans._base import LABELS, NO_LABEL, RUNS

if TYPE_CHECKING:
    from errbar.table import LossTable
from dataclasses import dataclass
from typing import Self

from errbar._check import compact, numbered

SIZES = ("n_train", "n_test")
_OF_EXAMPLES = ("group", "time", "stratum")
ROLES = (*LABELS, "example", "classes", *_OF_EXAMPLES, *SIZES)
"""What a column can say of a row: the labels of its split, its example and what is known of that, and sizes of the split."""


class Index(UserDict[str, Array]):
    """Columns by role, one entry a row, -1 where a label does not apply; what is computed of them is kept.

    Learners that were tested on the same rows share one index.
    """

    def __init__(self, rows: int, columns: Mapping[str, Any]):
        super().__init__(columns)
        self.rows = rows
        self._kept: dict[Any, Any] = {}

    @classmethod
    def stated(cls, rows: int, given: Mapping[str, ArrayLike | None]) -> "Index":
        """Check columns that people give: one number for all rows, or one entry for each."""
        columns: Facts = {}
        for role, value in given.items():
            _check.choice(role, ROLES, role)
            if value is not None and role in _OF_EXAMPLES:
                columns[role] = _check.categories(value, f"`{role}`", rows)
            elif value is not None:
                check = _check.sizes if role in SIZES else _check.labels
                columns[role] = check(value, rows, role)
        return cls(rows, columns)

    def only(self, rows: Array, roles: Iterable[str] | None = None) -> "Index":
        """Return some rows, or all in another order, with all columns or those of some roles."""
        columns = {role: self[role][rows] for role in roles or self if role in self}
        return Index(np.arange(self.rows)[rows].size, columns)

    def order_of(self, other: "Index") -> Any:
        """Return where the rows of this index stand in another one, by the columns of both; None where they do not."""
        if self.rows != other.rows:
            return None
        order = np.arange(self.rows)
        both = [role for role in self if role in other and role not in SIZES]
        if both:
            mine, theirs = (np.lexsort([one[role] for role in both]) for one in (self, other))
            order[mine] = theirs
        found = all(np.array_equal(self[role], other[role][order]) for role in both)
        return order if found else None

    def label(self, role: str, default: int = NO_LABEL) -> IntArray:
        """Return a column of whole numbers, or the default in all rows where there is none."""
        return self[role] if role in self else np.full(self.rows, default)

    @cached_property
    def fold(self) -> IntArray:
        """Fold of each row; 0 where some are of none."""
        found = self.label("fold", 0)
        return np.zeros_like(found) if (found == NO_LABEL).any() else found

    @cached_property
    def repeat(self) -> IntArray:
        """Repeat of each row; 0 where rows are of none."""
        return np.maximum(self.label("repeat", 0), 0)

    @cached_property
    def tests_once(self) -> bool:
        """Whether an example has one outer loss in a repeat, and one inner loss in a fold."""
        inner = self.label("inner")
        fold = np.where(inner < 0, -1, self.fold)
        return _check.distinct(self.repeat, fold, inner, self["example"]) == self.rows

    @cached_property
    def of_examples(self) -> bool:
        """Whether each row can be a test example: it is named, or the test sizes are the numbers of rows."""
        if "example" in self or "n_test" not in self:
            return True
        codes = self.codes(*LABELS)
        return bool((np.bincount(codes)[codes] == self["n_test"]).all())

    def count(self, role: str) -> int:
        """Return the number of different labels of a role; 1 where there is no such column."""
        return int(self.codes(role).max()) + 1 if role in self else 1

    def codes(self, *roles: str) -> IntArray:
        """Number the combinations of some columns from 0, in their order; without any of them, rows number themselves."""
        columns = tuple(role for role in roles if role in self)
        if not columns:
            return np.arange(self.rows)
        return self.kept(columns, lambda: _check.numbered(*(self[role] for role in columns)))

    def first(self, *roles: str) -> IntArray:
        """Return the first row of each combination of some columns, in their order."""
        return self.kept(
            ("first", roles), lambda: np.unique(self.codes(*roles), return_index=True)[1]
        )

    def kept(self, key: Any, make: Callable[[], Any]) -> Any:
        """Return what was made under a key, and make it where that was not yet."""
        if key not in self._kept:
            self._kept[key] = make()
        return self._kept[key]


class MetricValues(NamedTuple):
    """What values are that are not losses, but a metric plus influence values.

    Attributes
    ----------
    by_fold : Whether the estimate is the mean of a metric of each fold, or one of all examples.
    counts : Whether it depends on how often labels are right, and not on scores or numbers.
    share : Whether the estimate is the share of right ones among some of the examples.
    """

    by_fold: bool = False
    counts: bool = False
    share: bool = False


class Losses:
    """Losses of a learner, or differences of two, in rows that index columns tell apart; larger is worse.

    A row is a test example where the columns say so, and else a whole split.

    Parameters
    ----------
    value : array-like, shape (rows,)
        Losses; at least two.
    kind : str, optional
        Kind of plan that they come from, such as ``"kfold"``, where it is known.
    metric : MetricValues, optional
        What metric the values are, plus influence values, if not losses.
    between : float, optional
        For scores of stratified splits: the variance B between strata
        (`errbar.methods.between_strata`); NaN where it is not known. Of losses of examples,
        ``stratum`` tells it.
    **index : array-like
        Columns by role, one number for all rows or one for each: ``repeat``, ``fold``, ``inner``,
        ``seed``, ``example``, ``group``, ``time``, ``stratum``, ``halving``, ``half``, ``part``,
        ``judge``, and the sizes of the splits, ``n_train`` and ``n_test``.

    Raises
    ------
    InvalidInputError
        If a value is not finite, a column has no role, or its length is another.

    Examples
    --------
    >>> import errbar
    >>> losses = errbar.Losses([0, 1, 0, 0], fold=[0, 0, 1, 1], n_train=2)
    >>> losses.means("fold").tolist()
    [0.5, 0.0]
    """

    index: Index
    kind: str | None = None
    metric: MetricValues | None = None
    between: float | None = None
    # The two of which the second is subtracted, where the losses are a difference.
    pair: "tuple[Losses, Losses] | None" = None
    # Where losses come from, for what rows do not tell, such as predictions.
    table: "LossTable | None" = None
    learners: tuple[str, ...] = ()

    def __init__(
        self,
        value: ArrayLike,
        *,
        kind: str | None = None,
        metric: MetricValues | None = None,
        between: float | None = None,
        **index: Any,
    ):
        self.value = _check.vector(value, "value", "row", 2)
        positive = between is None or not between < 0.0
        _check.require(positive, "must be a variance, at least 0", between, "between")
        self.index = Index.stated(self.value.size, index)
        self.kind, self.metric, self.between = kind, metric, between

    @classmethod
    def of_grid(cls, value: ArrayLike, row: str, column: str, **more: Any) -> "Losses":
        """Return the losses of a matrix, whose rows are of one role, such as ``"seed"``, and its columns of another.

        Parameters
        ----------
        value : array-like, shape (rows, columns)
        row, column : str
            What the rows and the columns are.
        **more : object
            As for `Losses`, row by row of the matrix.
        """
        matrix = _check.numbers(value, "value", f"{row} and {column}")
        _check.require(matrix.ndim == 2, f"must have a row for each {row}", value, "value")
        rows, columns = np.indices(matrix.shape)
        return cls(matrix.ravel(), **(more | {row: rows.ravel(), column: columns.ravel()}))

    @classmethod
    def made(cls, value: FloatArray | None, index: Index, **facts: Any) -> "Losses":
        """Return losses of checked columns; without a value they are the difference of the fact `pair`, worked out when asked for."""
        found = cls.__new__(cls)
        vars(found).update(facts, index=index)
        if value is not None:
            found.value = value
        return found

    def minus(self, other: "Losses") -> "Losses":
        """Return the difference to the losses of another learner on the same rows, in any order; runs are of one learner each."""
        unpaired = self.kind == RUNS or "seed" in self.index
        if self.index is not other.index and not unpaired:
            order = self.index.order_of(other.index)
            must = "must have the same rows as the losses that it is subtracted from"
            _check.require(order is not None, must, other.value, "other")
            if (np.diff(order) < 0).any():
                other = other.only(order)
        facts: Facts = {"metric": self.metric and self.metric._replace(share=False)}
        if self.table is other.table:
            facts |= {"table": self.table, "learners": self.learners + other.learners}
        return Losses.made(None, self.index, kind=self.kind, pair=(self, other), **facts)

    @cached_property
    def value(self) -> FloatArray:
        """Losses, or differences of losses."""
        return difference(*(one.value for one in self.each))

    @property
    def each(self) -> tuple["Losses", ...]:
        """The learner, or the two of which the second is subtracted."""
        return self.pair or (self,)

    @cached_property
    def splits(self) -> "Losses":
        """The same losses with a row for each split: its mean loss, or its metric."""
        if self.pair is not None:
            one, other = self.pair
            return one.splits.minus(other.splits)
        if self.table is not None:
            return self.table.losses_of_splits(*self.learners)
        roles = [role for role in LABELS if role in self.index]
        first = self.index.first(*roles)
        if first.size == self.index.rows:
            return self
        index = self.index.only(first, (*roles, *SIZES))
        return Losses.made(self.means(*roles), index, kind=self.kind, between=self.between)

    def only(self, chosen: Any) -> "Losses":
        """Return some of the rows, or all in another order."""
        index = self.index.only(chosen)
        facts = {name: getattr(self, name) for name in ("kind", "metric", "between")}
        found = Losses.made(self.value[chosen], index, **facts)
        if self.splits is self:
            found.splits = found
        return found

    @property
    def fold(self) -> IntArray:
        """Fold of each row; 0 where rows are of no fold."""
        return self.index.fold

    @property
    def repeat(self) -> IntArray:
        """Repeat of each row; 0 where rows are of none."""
        return self.index.repeat

    @property
    def inner(self) -> IntArray:
        """Inner fold of each row of nested cross-validation; -1 marks outer losses."""
        return self.index.label("inner")

    @property
    def outer(self) -> "Losses":
        """The same losses without those of inner folds."""
        is_outer = self.inner == NO_LABEL
        return self if is_outer.all() else self.only(is_outer)

    @property
    def example(self) -> IntArray:
        """Example of each row; without the column, each row is one of its own."""
        return self.index.get("example", np.arange(self.index.rows))

    @property
    def classes(self) -> IntArray | None:
        """Class of each row, where the losses belong to a metric that is taken given the class."""
        return self.index.get("classes")

    @property
    def folds(self) -> int:
        """Number of different folds."""
        return self.index.kept("folds", lambda: _check.distinct(self.fold))

    @property
    def repeats(self) -> int:
        """Number of different repeats."""
        return self.index.count("repeat")

    @property
    def n_splits(self) -> int:
        """Number of splits that the losses come from."""
        labelled = self.table is not None or not self.index.keys().isdisjoint(LABELS)
        return self.splits.index.rows if labelled else 1

    @property
    def by_fold(self) -> bool:
        """Whether the losses are a metric that each fold has of its own."""
        return self.metric is not None and self.metric.by_fold

    @cached_property
    def by_example(self) -> "Losses":
        """The same losses with a row for each example: the mean over the repeats that have tested it."""
        if self.repeats == 1:
            return self
        if self.pair is not None:
            one, other = self.pair
            return one.by_example.minus(other.by_example)
        roles = "example", "group", "time", "classes"
        index = self.index.kept(
            "by example", lambda: self.index.only(self.index.first("example"), roles)
        )
        facts = {name: getattr(self, name) for name in ("kind", "metric", "table", "learners")}
        return Losses.made(self.means("example"), index, **facts)

    def require_once(self) -> None:
        """Raise if an example has several outer losses in a repeat, or several inner ones in a fold."""
        if "example" in self.index and not self.index.tests_once:
            raise InvalidInputError(
                ": an example is tested more than once in a repeat; give the mean of its losses, or number the repeats",
                argument="example",
            )

    @property
    def examples(self) -> int | None:
        """Number of examples of the data, where it is known."""
        if self.table is not None:
            return self.table.splits.n
        return self.count("example") if "example" in self.index else None

    @property
    def is_blank(self) -> bool:
        """Whether the numbers are zeros that only stand for numbers to come."""
        return self.table is not None and self.table.blank

    @property
    def is_mean(self) -> bool:
        """Whether the score of a split is the mean of its losses, and no metric of another kind."""
        return self.table is None or self.table.loss.pointwise

    def means(self, *roles: str) -> FloatArray:
        """Return the mean loss of each combination of some index columns: of each fold, example, seed."""
        codes = self.index.codes(*roles)
        return np.bincount(codes, self.value) / np.bincount(codes)

    def count(self, role: str) -> int:
        """Return the number of different labels of a role; 1 where there is no such column."""
        return self.index.count(role)

    def size(self, role: str) -> float:
        """Return the mean over splits of ``n_train`` or ``n_test``; NaN where it is not known."""
        sizes = self.splits.index.get(role)
        return math.nan if sizes is None else float(sizes.mean())

    @property
    def n_train(self) -> float:
        """Mean training size, NaN where it is not known."""
        return self.size("n_train")


def difference(one: FloatArray, other: FloatArray) -> FloatArray:
    """Return one minus other; numbers that differ by rounding alone are equal."""
    gap = one - other
    rounding = 1e-12 * np.maximum(np.abs(one), np.abs(other))
    return np.where(np.abs(gap) <= rounding, 0.0, gap)


# What is drawn at random: clusters of examples, or examples; and the squared error of their mean.


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
