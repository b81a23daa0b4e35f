"""The data of a run: features of any kind, a checked target, and their digest."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errbar import _check
from errbar.errors import InvalidInputError
from errbar.fits.key import digest
from errbar.metrics import CLASSIFICATION, Target, target_of


@dataclass(frozen=True, eq=False)
class Data:
    """Features and target: `y` as the learners see it, `target` as losses see it, and a digest of both."""

    X: Any
    y: NDArray[Any]
    target: Target
    digest: str

    @property
    def n(self) -> int:
        """Number of examples."""
        return int(self.y.size)

    @property
    def features(self) -> int:
        """Number of features of an example; 0 where examples are not rows of numbers, such as texts."""
        return math.prod(int(length) for length in self.X.shape[1:]) if len(self.X.shape) > 1 else 0


def prepare(X: Any, y: Any, task: str, positive: Any = None) -> Data:
    """Check features and target, or say in one sentence what is wrong with them."""
    features = _features(X)
    values = _check.categories(y, "`y`")
    rows = int(features.shape[0])
    if rows != values.size:
        raise InvalidInputError(
            f"has {rows} rows and `y` has {values.size} values; they must agree", argument="X"
        )
    if rows < 2:
        raise InvalidInputError(f"at least 2 examples are needed to train and to test, got {rows}")
    _refuse_another_order(features, y)
    target = target_of(values, task).naming(positive)
    seen = values if task == CLASSIFICATION else target.values
    return Data(features, seen, target, digest(features, seen))


def _refuse_another_order(X: Any, y: Any) -> None:
    if not (hasattr(X, "iloc") and hasattr(y, "iloc")) or X.index.equals(y.index):
        return
    if (
        X.index.is_unique
        and y.index.is_unique
        and X.index.symmetric_difference(y.index, sort=False).empty
    ):
        raise InvalidInputError(
            "and `y` have the same labels of rows in another order, and learners go by position: give y.loc[X.index]",
            argument="X",
        )


def take(X: Any, rows: NDArray[Any]) -> Any:
    """Return some rows of an array, a sparse matrix or a data frame."""
    return X.iloc[rows] if hasattr(X, "iloc") else X[rows]


def _features(X: Any) -> Any:
    if (hasattr(X, "iloc") and X.ndim == 2) or type(X).__module__.startswith("polars"):
        return X
    if hasattr(X, "tocsr"):
        return X.tocsr()
    if np.ma.is_masked(X):
        raise InvalidInputError(
            "is masked, and learners would see what the mask hides; give X.filled(nan), say",
            argument="X",
        )
    try:
        array = np.asarray(X)
    except ValueError:
        array = np.asarray(0)
    if array.ndim == 0 or (array.ndim == 1 and array.dtype.kind in "biufc"):
        raise InvalidInputError(
            f"must be a table with one row per example, got {_check.brief(X)}; numpy.reshape(X, (-1, 1)) makes a "
            "column of one feature, errbar.read_examples reads a file",
            argument="X",
        )
    return X if hasattr(X, "iloc") else array
