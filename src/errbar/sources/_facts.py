"""What labels of rows say about a design: seeds, groups and times, of scores as well as of examples."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from errbar import _check
from errbar._check import IntArray
from errbar.errors import InvalidInputError


def codes_of(value: Any, name: str) -> Any:
    """Return whole numbers as they are, and codes of labels of any other type."""
    array = np.asarray(value)
    return labels_of(value, array.size, name) if array.dtype.kind in "OUSM" and array.ndim == 1 else value


def labels_of(value: ArrayLike, count: int, name: str) -> IntArray:
    """Return one code per row for labels of any type."""
    return coded(value, count, name)[0]


def coded(value: ArrayLike, count: int, name: str) -> tuple[IntArray, NDArray[Any]]:
    """Return one code per row for labels of any type, and the label of each code."""
    array = _check.categories(value, f"`{name}`")
    if array.size != count:
        raise InvalidInputError(f"must hold one value per row, {count} in all, got {array.size}", argument=name)
    labels, codes = np.unique(array.astype(str) if array.dtype == object else array, return_inverse=True)
    return codes.ravel(), labels


def seeds_per_split(splits: NDArray[Any], seed: IntArray) -> dict[str, int]:
    """Return the number of seeds per split; `splits` has a row per label."""
    fits = np.unique(np.vstack([splits, seed]), axis=1)
    return {"seeds": int(np.unique(fits[:-1], axis=1, return_counts=True)[1].max())}
