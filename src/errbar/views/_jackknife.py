"""View of cross-validations of all data, without one part of it after another, and without two."""

import math
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from errbar import _check
from errbar._check import FloatArray, IntArray
from errbar.errors import InvalidInputError
from errbar.rows import Rows


@dataclass(frozen=True, eq=False)
class JackknifeMeans:
    """Results of repeated cross-validation: of all data, without each of some parts, and without each part and the next.

    Parameters
    ----------
    whole : array-like, shape (R,)
        Result of all data by repeat; at least two.
    value : array-like, shape (G, R)
        Result without each part (row), on what is left of the same folds, by repeat; at least three parts.
    pair : array-like, shape (G, R)
        Result without each part and the one after it; the first comes after the last.
    n_train : float, optional
        Training size of the cross-validation of all data.
    n_splits : int, default 1
        Number of splits behind all results.

    Examples
    --------
    >>> import errbar
    >>> value = [[0.21, 0.23], [0.19, 0.2], [0.2, 0.22]]
    >>> pair = [[0.2, 0.21], [0.19, 0.2], [0.21, 0.23]]
    >>> errbar.JackknifeMeans([0.2, 0.22], value, pair).value.shape
    (3, 2)
    """

    whole: FloatArray
    value: FloatArray
    pair: FloatArray
    n_train: float
    n_splits: int

    def __init__(
        self,
        whole: ArrayLike,
        value: ArrayLike,
        pair: ArrayLike,
        *,
        n_train: float = math.nan,
        n_splits: int = 1,
    ) -> None:
        cleaned = _check.vector(whole, "whole", "repeat", 2)
        table = _check.numbers(value, "value", "part and repeat")
        if table.ndim != 2 or table.shape[0] < 3 or table.shape[1] != cleaned.size:
            raise InvalidInputError(
                f"must have a row for each of at least three parts and a column for each of {cleaned.size} repeats, got "
                f"shape {table.shape}",
                argument="value",
            )
        pairs = _check.numbers(pair, "pair", "part and repeat")
        if pairs.shape != table.shape:
            raise InvalidInputError(
                f"must have the shape of `value`, {table.shape}, got {pairs.shape}", argument="pair"
            )
        splits = _check.count(n_splits, "n_splits")
        vars(self).update(whole=cleaned, value=table, pair=pairs, n_train=float(n_train), n_splits=splits)

    @classmethod
    def of(cls, rows: Rows) -> Self:
        """Make the view from rows of a table."""
        part, pair, repeat = rows.label("part"), rows.label("pair"), np.unique(rows.repeat, return_inverse=True)[1]
        repeats, parts = int(repeat.max()) + 1, int(part.max()) + 1
        out = np.where(pair < 0, part + 1, parts + 1 + pair)
        place = out * repeats + repeat
        counts = np.bincount(place, minlength=(2 * parts + 1) * repeats)
        if parts < 3 or counts.min() == 0 or counts.size > (2 * parts + 1) * repeats:
            raise InvalidInputError(
                "cross-validations without parts of the data are needed, as plan PartJackknife() makes them"
            )
        weight = rows.n_test if rows.loss is None or rows.loss.pointwise else np.ones(place.size)
        found = _means(place, rows.score, weight).reshape(2 * parts + 1, repeats)
        n_train = float(rows.n_train[out == 0].mean())
        return cls(found[0], found[1 : parts + 1], found[parts + 1 :], n_train=n_train, n_splits=rows.score.size)


def _means(place: IntArray, score: FloatArray, weight: FloatArray) -> FloatArray:
    found: FloatArray = np.bincount(place, score * weight) / np.bincount(place, weight)
    return found
