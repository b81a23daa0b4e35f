"""The training and test sets of many splits, and the data they are taken from, as the kernels want them."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from errbar import _check
from errbar._check import FloatArray, IntArray
from errbar.errors import InvalidInputError

Positions = Sequence[NDArray[np.integer[Any]]]


class Splits(NamedTuple):
    """Positions of all splits, one split after another; those of split j stand up to ``ends[j]``."""

    train: IntArray
    ends: IntArray
    test: IntArray
    test_ends: IntArray

    @property
    def largest(self) -> int:
        """Size of the largest training set."""
        return int(np.diff(self.ends, prepend=0).max())

    def each(self) -> Iterator[tuple[IntArray, IntArray, slice]]:
        """Yield training and test positions of each split, and where those of its test examples stand."""
        begin = first = 0
        for end, last in zip(self.ends, self.test_ends, strict=True):
            yield self.train[begin:end], self.test[first:last], slice(first, last)
            begin, first = end, last


def splits(trains: Positions, tests: Positions, n: int) -> Splits:
    """Check the positions of all splits and put them one after another."""
    if len(trains) != len(tests) or not len(trains):
        raise InvalidInputError(
            f"`trains` and `tests` must hold one array per split each, got {len(trains)} and {len(tests)}"
        )
    train, ends = _joined(trains, "trains", n)
    test, test_ends = _joined(tests, "tests", n)
    if np.diff(ends, prepend=0).min() == 0:
        raise InvalidInputError("`trains` holds a training set without examples; each needs at least one")
    return Splits(train, ends, test, test_ends)


def _joined(sets: Positions, name: str, n: int) -> tuple[IntArray, IntArray]:
    arrays = [np.asarray(positions) for positions in sets]
    for array in arrays:
        if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
            raise InvalidInputError(f"`{name}` must hold one-dimensional arrays of positions, whole numbers")
    joined = np.concatenate(arrays).astype(np.int64)
    if joined.size and not (joined.min() >= 0 and joined.max() < n):
        raise InvalidInputError(f"`{name}` must hold positions from 0 to {n - 1}, got {joined.min()} to {joined.max()}")
    return joined, np.cumsum([array.size for array in arrays])


def features(X: Any, width: int | None = None) -> FloatArray:
    """Return features as the kernels take them: finite, row by row, and writable, for which they are compiled."""
    try:
        if np.iscomplexobj(X):
            raise TypeError
        array: FloatArray = np.require(X, np.float64, ["C", "W", "A", "E"])
    except (TypeError, ValueError):
        raise InvalidInputError("`X` must hold numbers only, one row per example") from None
    if array.ndim != 2 or 0 in array.shape:
        raise InvalidInputError(f"`X` must have rows and columns, at least one of each, got shape {array.shape}")
    if width is not None and array.shape[1] != width:
        raise InvalidInputError(f"`X` must have {width} features as in training, got {array.shape[1]}")
    if not np.isfinite(array).all():
        _check.numbers(array, "X", "row and column")
    return array


def codes(y: Any, n: int) -> IntArray:
    """Return class codes 0, 1, ... of n examples."""
    array = _check.labels(y, n, "y")
    if np.ndim(y) != 1 or array.min() < 0:
        raise InvalidInputError(f"`y` must hold one class code 0, 1, ... for each of the {n} examples")
    return array


def numbers(y: Any, n: int) -> FloatArray:
    """Return finite targets of n examples."""
    array = _check.vector(y, "y", "example").copy()
    if array.size != n:
        raise InvalidInputError(f"`y` must hold one number for each of the {n} rows of `X`, got {array.size}")
    return array
