"""Sums of squares and products over many training sets of one data set."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

# What a difference of sums may lose of them; the sixteen digits of a number leave ten or more.
LEAST_LEFT = 1e-4


class Scatter(NamedTuple):
    """Size of a training set, means of its columns, and sums of squares and products about these."""

    n: int
    mean: Array
    products: Array


class Moments:
    """Sums of products of columns over any training set, from those over all rows.

    Rows that are held out are subtracted and repeated ones added, unless there are more of them than others. Where
    little is left, the sums are made anew.

    Parameters
    ----------
    columns : ndarray, shape (n, q)
        Columns, best centred already.
    """

    def __init__(self, columns: Array) -> None:
        self.columns = columns
        self._rows = np.column_stack([np.ones(columns.shape[0]), columns])
        self._total = self._rows.T @ self._rows
        self.spread = np.diag(self._total)[1:].copy()
        self._least = LEAST_LEFT * self.spread

    def gram(self, train: Array) -> Array:
        """Return the sums of products of all pairs of columns; the first row and column are the plain sums."""
        counts = np.bincount(train, minlength=self._rows.shape[0])
        changed = np.flatnonzero(counts != 1)
        if changed.size < np.count_nonzero(counts):
            gram: Array = self._total + _weighted(self._rows[changed], counts[changed] - 1)
            if (gram.diagonal()[1:] >= self._least).all():
                return gram
        kept = np.flatnonzero(counts)
        return _weighted(self._rows[kept], counts[kept])

    def scatter(self, train: Array) -> Scatter:
        """Return size, means and scatter of a training set."""
        gram = self.gram(train)
        n, mean = int(gram[0, 0]), gram[0, 1:] / gram[0, 0]
        products = gram[1:, 1:] - np.multiply.outer(mean, gram[0, 1:])
        if (products.diagonal() < self._least).any():
            rows = self.columns[train]
            mean = rows.mean(axis=0)
            rows -= mean
            products = rows.T @ rows
        return Scatter(n, mean, products)


def _weighted(rows: Array, weights: Array) -> Array:
    first = weights[0] if weights.size else 0
    if (weights == first).all():
        plain: Array = rows.T @ rows
        return plain * float(first)
    products: Array = (rows * weights[:, None]).T @ rows
    return products
