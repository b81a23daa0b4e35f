"""What views are made from: the columns of one learner, or of a difference, under one plan."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from errbar._check import FloatArray, IntArray
from errbar.design import Design
from errbar.errors import InvalidInputError
from errbar.losses import Loss, Predictions, Target


@dataclass(frozen=True, eq=False)
class Rows:
    """The columns of one learner, or of a difference, under one plan: what views are made from.

    Attributes
    ----------
    design : Design
        How the numbers came about.
    score : ndarray, shape (S,)
        Mean loss of each split.
    n_train, n_test : ndarray, shape (S,)
        Sizes of each split; NaN where unknown.
    labels : mapping of str to ndarray of int, shape (S,)
        Labels of each split; -1 where a label does not apply.
    point : ndarray, shape (C,), or None
        Loss of each example, where there is one.
    split, example : ndarray of int, shape (C,), or None
        Split (position in the arrays above) and example that each loss belongs to.
    each : tuple of Column
        The learner, or the two that were subtracted, each by itself.
    n : int or None
        Number of examples, where it is known.
    train : tuple of ndarray, or None
        Training positions of each split, with copies, for plans that draw with replacement.
    loss : Loss or None
        What was computed.
    target : Target or None
        What was to be predicted.
    blank : bool
        Whether the numbers are zeros that only stand for numbers to come.
    """

    design: Design
    score: FloatArray
    n_train: FloatArray
    n_test: FloatArray
    labels: Mapping[str, IntArray]
    point: FloatArray | None = None
    split: IntArray | None = None
    example: IntArray | None = None
    each: tuple["Column", ...] = ()
    n: int | None = None
    train: tuple[IntArray, ...] | None = None
    loss: Loss | None = None
    target: Target | None = None
    blank: bool = False

    @property
    def kind(self) -> str:
        """Kind of the plan."""
        return self.design.kind

    def label(self, name: str) -> IntArray:
        """Return one label of each split, -1 where it does not apply."""
        found = self.labels.get(name)
        return np.full(self.score.size, -1) if found is None else found

    @property
    def repeat(self) -> IntArray:
        """The label ``repeat``."""
        return self.label("repeat")

    @property
    def fold(self) -> IntArray:
        """The label ``fold``."""
        return self.label("fold")

    @property
    def points(self) -> tuple[FloatArray, IntArray, IntArray]:
        """Loss, split and example of each cell; an error where there is one number per split only."""
        if self.point is None or self.split is None or self.example is None:
            raise InvalidInputError(
                "this method needs one loss per example, and the table has one score per split only"
            )
        return self.point, self.split, self.example

    def only(self, chosen: NDArray[np.bool_]) -> "Rows":
        """Return the rows of some of the splits."""
        if chosen.all():
            return self
        inside = None if self.split is None else chosen[self.split]
        return replace(
            self,
            score=self.score[chosen],
            n_train=self.n_train[chosen],
            n_test=self.n_test[chosen],
            labels={name: column[chosen] for name, column in self.labels.items()},
            point=None if self.point is None else self.point[inside],
            split=None if self.split is None else (np.cumsum(chosen) - 1)[self.split[inside]],
            example=None if self.example is None else self.example[inside],
            each=tuple(column.only(chosen, inside) for column in self.each),
            train=None if self.train is None else tuple(t for t, keep in zip(self.train, chosen, strict=True) if keep),
        )


@dataclass(frozen=True, eq=False)
class Column:
    """What is known of one learner.

    Attributes
    ----------
    score : ndarray, shape (S,)
        Mean loss of each split.
    point : ndarray, shape (C,), or None
        Loss of each example.
    predictions : mapping of str to ndarray, or None
        Stored predictions by kind, one per cell.
    """

    score: FloatArray
    point: FloatArray | None = None
    predictions: Predictions | None = None

    def only(self, chosen: Any, inside: Any) -> "Column":
        """Return the column of some of the splits."""
        kept = None if self.predictions is None else {kind: p[inside] for kind, p in self.predictions.items()}
        return Column(self.score[chosen], None if self.point is None else self.point[inside], kept)


class View(Protocol):
    """Something that can be made from rows of a table."""

    @classmethod
    def of(cls, rows: Rows) -> Self:
        """Make the view."""


def difference(one: FloatArray, other: FloatArray) -> FloatArray:
    """Return one minus other; numbers that differ by rounding alone are equal."""
    gap = one - other
    rounding = 1e-12 * np.maximum(np.abs(one), np.abs(other))
    return np.where(np.abs(gap) <= rounding, 0.0, gap)
