"""The columns of one learner, or of a difference, under one plan: what views are made from."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errbar._check import FloatArray, IntArray
from errbar.design import Design
from errbar.errors import InvalidInputError
from errbar.loss_rows import difference
from errbar.losses import Loss, Predictions, Target
from errbar.split_columns import SplitColumns

__all__ = ["Column", "Rows", "difference"]


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


@dataclass(frozen=True, eq=False)
class Rows:
    """The columns of one learner, or of a difference, under one plan.

    Attributes
    ----------
    splits : SplitColumns
        What each split was.
    each : tuple of Column
        The learner, or the two of which the second is subtracted.
    split, example : ndarray of int, shape (C,), or None
        Split and example that each loss belongs to.
    loss : Loss or None
        What was computed.
    target : Target or None
        What was to be predicted.
    blank : bool
        Whether the numbers are zeros that only stand for numbers to come.
    """

    splits: SplitColumns
    each: tuple[Column, ...]
    split: IntArray | None = None
    example: IntArray | None = None
    loss: Loss | None = None
    target: Target | None = None
    blank: bool = False

    @property
    def design(self) -> Design:
        """How the numbers came about."""
        return self.splits.designs[0]

    @property
    def n_train(self) -> FloatArray:
        """Training size of each split; NaN where unknown."""
        return self.splits.n_train

    @property
    def n_test(self) -> FloatArray:
        """Test size of each split; NaN where unknown."""
        return self.splits.n_test

    @cached_property
    def score(self) -> FloatArray:
        """Mean loss, or difference of mean losses, of each split."""
        return _subtracted([column.score for column in self.each])

    @cached_property
    def point(self) -> FloatArray | None:
        """Loss, or difference of losses, of each cell, where there is one."""
        points = [column.point for column in self.each if column.point is not None]
        return _subtracted(points) if points else None

    def label(self, name: str) -> IntArray:
        """Return one label of each split, -1 where it does not apply."""
        found = self.splits.labels.get(name)
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
            splits=self.splits.only(chosen),
            split=None if self.split is None else (np.cumsum(chosen) - 1)[self.split[inside]],
            example=None if self.example is None else self.example[inside],
            each=tuple(column.only(chosen, inside) for column in self.each),
        )


def _subtracted(columns: list[FloatArray]) -> FloatArray:
    return columns[0] if len(columns) == 1 else difference(columns[0], columns[1])
