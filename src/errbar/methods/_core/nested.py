"""The losses of nested cross-validation by repeat, outer fold and inner fold."""

import math
from dataclasses import dataclass
from typing import Self

import numpy as np

from errbar._check import FloatArray, IntArray
from errbar.errors import InvalidInputError
from errbar.losses import Losses

OUTER = -1
"""The inner fold of an outer loss."""


@dataclass(frozen=True, eq=False)
class NestedFolds:
    """Where the losses of nested cross-validation belong.

    Attributes
    ----------
    group : ndarray of int, shape (N,)
        Group of each loss: one for every repeat, fold, and outer loss or inner fold.
    counts : ndarray of int, shape (repeats, folds, folds + 1)
        Size of each group: the outer losses of a fold first, then those of each inner fold.
    """

    group: IntArray
    counts: IntArray

    @property
    def repeats(self) -> int:
        """Number of repeats."""
        return int(self.counts.shape[0])

    @property
    def folds(self) -> int:
        """Number of folds K."""
        return int(self.counts.shape[1])

    def sums(self, value: FloatArray) -> FloatArray:
        """Return the sum of the losses of each group."""
        found = np.bincount(self.group, value, self.counts.size).astype(np.float64, copy=False)
        return found.reshape(self.counts.shape)

    def inner_means(self, value: FloatArray) -> FloatArray:
        """Return, by repeat, tested fold k and fold g left out beside it, the mean loss; the diagonal is 0."""
        inner = self.counts[:, :, 1:]
        means: FloatArray = self.sums(value)[:, :, 1:] / np.maximum(inner, 1)
        return means.transpose(0, 2, 1)

    @classmethod
    def of(cls, losses: Losses) -> Self:
        """Group losses, or say what is missing."""
        losses.require_once()
        repeats, repeat = _numbered(losses.repeat)
        folds, fold = _numbered(losses.fold)
        inners, inner = _numbered(losses.inner)
        if (inners == OUTER).all():
            raise InvalidInputError(
                "must name inner folds: nested cross-validation is needed, as plan NestedKFold() makes it",
                argument="inner",
            )
        if folds.size < 3:
            raise InvalidInputError(
                f"must name at least three folds, got {folds.size}", argument="fold"
            )
        strange = inners[(inners != OUTER) & ~np.isin(inners, folds)]
        if strange.size:
            raise InvalidInputError(
                f"must be -1 or one of the folds, got {strange[0]}", argument="inner"
            )
        place = np.where(inners == OUTER, 0, 1 + np.searchsorted(folds, inners))
        group = (repeat * folds.size + fold) * (folds.size + 1) + place[inner]
        shape = (repeats.size, folds.size, folds.size + 1)
        counts = np.bincount(group, minlength=math.prod(shape)).reshape(shape)
        _require_nested(counts, repeats, folds)
        return cls(group, counts)


def _numbered(labels: IntArray) -> tuple[IntArray, IntArray]:
    """Return the different labels, ascending, and which of them each one is; labels close together need no sorting."""
    low, high = int(labels.min()), int(labels.max())
    if high - low > labels.size:
        return np.unique(labels, return_inverse=True)
    present = np.bincount(labels - low) > 0
    return low + np.flatnonzero(present), (np.cumsum(present) - 1)[labels - low]


def _require_nested(counts: IntArray, repeats: IntArray, folds: IntArray) -> None:
    """Raise unless every fold but its own was tested, in full, inside the training set of every outer fold."""
    sizes = counts[:, :, 0]
    if sizes.min() < 2:
        r, k = np.argwhere(sizes < 2)[0]
        raise InvalidInputError(
            f"must name folds of at least two outer losses, got {sizes[r, k]} in fold {folds[k]} of repeat {repeats[r]}",
            argument="fold",
        )
    expected = np.where(np.eye(folds.size, dtype=bool), 0, sizes[:, None, :])
    wrong = np.argwhere(counts[:, :, 1:] != expected)
    if wrong.size:
        r, k, j = wrong[0]
        raise InvalidInputError(
            f"must have every other fold in full inside each fold: repeat {repeats[r]}, fold {folds[k]} needs "
            f"{expected[r, k, j]} losses with inner fold {folds[j]}, got {counts[r, k, 1 + j]}",
            argument="inner",
        )
    totals = sizes.sum(axis=1)
    if totals.min() != totals.max():
        raise InvalidInputError(
            f"must name repeats of the same examples, got {totals.min()} to {totals.max()} outer losses in one",
            argument="repeat",
        )
