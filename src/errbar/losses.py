"""Losses in rows that index columns tell apart: what every method takes."""

import math
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from errbar import _check
from errbar._check import Facts, FloatArray, IntArray
from errbar.errors import InvalidInputError
from errbar.index import SIZES, Index
from errbar.plans._base import LABELS, NO_LABEL

if TYPE_CHECKING:
    from errbar.table import LossTable


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
        """Return the difference to the losses of another learner on the same rows, in any order."""
        if self.index is not other.index and "seed" not in self.index:
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
        found = Losses.made(self.value[chosen], index, kind=self.kind, metric=self.metric)
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
