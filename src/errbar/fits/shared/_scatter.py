"""Means of groups and the scatter within them, over many training sets of one data set."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

# What a difference of sums may lose of them; the sixteen digits of a number leave ten or more.
LEAST_LEFT = 1e-4
# A feature of which so little scatter is left in a training set nearly is constant there.
_LEAST_SCATTER = 1e-10


def changes(train: Array, n: int) -> tuple[Array, Array, bool]:
    """Return rows and weights that make up a training set, and whether they are to be added to the sum of all rows.

    Rows that are held out are subtracted and repeated ones added, unless there are more of them than others.
    """
    counts = np.bincount(train, minlength=n)
    changed = np.flatnonzero(counts != 1)
    if changed.size < np.count_nonzero(counts):
        return changed, counts[changed] - 1, True
    held = np.flatnonzero(counts)
    return held, counts[held], False


def memberships(groups: Array) -> Array:
    """Return a column for each group that is one for its rows and zero for others."""
    members: Array = (groups[:, None] == np.arange(groups.max() + 1)).astype(np.float64)
    return members


class Scatter(NamedTuple):
    """Sizes of the groups in a training set, their means, and sums of squares and products about these."""

    counts: Array
    means: Array
    products: Array

    @property
    def squares(self) -> Array:
        """Sums of squares of each column."""
        return self.products.diagonal()


def pooled(counts: Array, means: Array, within: Array) -> tuple[Array, Array]:
    """Return mean and variance of all rows, as `StandardScaler` finds them, from those of groups.

    The variance is that within groups, which is averaged, and that between their means.
    """
    share = counts / counts.sum()
    centre = share @ means
    variance: Array = within + share @ (means - centre) ** 2
    return centre, variance


class GroupSums:
    """Sums of products of columns over any training set, from those over all rows.

    Columns are taken about the means of their groups in all rows, so that differences of sums lose few digits. Where
    little is left, the sums are made anew.

    Parameters
    ----------
    columns : ndarray, shape (n, q)
        Columns.
    groups : ndarray of int, shape (n,), optional
        Group of each row; all are in one group by default.
    """

    def __init__(self, columns: Array, groups: Array | None = None) -> None:
        self._groups = np.zeros(columns.shape[0], dtype=np.int64) if groups is None else groups
        members = memberships(self._groups)
        self._k = members.shape[1]
        self._centres = (members.T @ columns) / members.sum(axis=0)[:, None]
        self._columns = columns
        self._rows = np.column_stack([members, columns - self._centres[self._groups]])
        self._total = self._rows.T @ self._rows
        self.squares = self._total.diagonal()[self._k :].copy()

    def scatter(self, train: Array) -> Scatter | None:
        """Return sizes, means and scatter of the groups in a training set, or None if it lacks a group."""
        rows, weights, to_total = changes(train, self._groups.size)
        gram = _weighted(self._rows[rows], weights)
        if to_total:
            gram += self._total
        k = self._k
        counts, sums = gram.diagonal()[:k], gram[:k, k:]
        if counts.min() < 0.5:
            return None
        shifts = sums / counts[:, None]
        products = gram[k:, k:] - shifts.T @ sums
        if (products.diagonal() < LEAST_LEFT * self.squares).any():
            # Offsets from a centre that lies far off have lost digits.
            held = self._columns[train]
            means = (self._rows[train, :k].T @ held) / counts[:, None]
            held -= means[self._groups[train]]
            return Scatter(counts, means, held.T @ held)
        return Scatter(counts, self._centres + shifts, products)

    def hardly_varies(self, scatter: Scatter, first: int | None = None) -> bool:
        """Tell whether one of the columns, or of the first of them, is nearly constant in a training set."""
        return bool((scatter.squares[:first] <= _LEAST_SCATTER * self.squares[:first]).any())


def _weighted(rows: Array, weights: Array) -> Array:
    first = weights[0] if weights.size else 0
    if (weights == first).all():
        plain: Array = rows.T @ rows
        return plain * float(first)
    products: Array = (rows * weights[:, None]).T @ rows
    return products
