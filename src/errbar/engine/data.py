"""The data of a run: features of any kind, a checked target, and their digest."""

from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errbar.errors import InvalidInputError
from errbar.losses import CLASSIFICATION, Target


@dataclass(frozen=True, eq=False)
class Data:
    """Features and target.

    Attributes
    ----------
    X : array, sparse matrix or data frame
        Features, one row per example.
    y : ndarray
        Target as the learners see it.
    target : Target
        Target as losses see it.
    digest : str
        Digest of both.
    """

    X: Any
    y: NDArray[Any]
    target: Target
    digest: str

    @property
    def n(self) -> int:
        """Number of examples."""
        return int(self.y.size)


def prepare(X: Any, y: Any, task: str) -> Data:
    """Check features and target, or say in one sentence what is wrong with them."""
    features = _features(X)
    values = _target_values(y)
    rows = int(features.shape[0])
    if rows != values.size:
        raise InvalidInputError(f"`X` has {rows} rows and `y` has {values.size} values; they must agree")
    if rows < 2:
        raise InvalidInputError(f"at least 2 examples are needed to train and to test, got {rows}")
    target = _classification(values) if task == CLASSIFICATION else _regression(values)
    seen = values if task == CLASSIFICATION else target.values
    return Data(features, seen, target, digest(features, seen))


def take(X: Any, rows: NDArray[Any]) -> Any:
    """Return some rows of an array, a sparse matrix or a data frame."""
    return X.iloc[rows] if hasattr(X, "iloc") else X[rows]


def digest(*parts: Any) -> str:
    """Return a digest of the content of arrays, frames and other objects."""
    state = blake2b(digest_size=16)
    for part in parts:
        if isinstance(part, np.ndarray) and part.dtype != object:
            state.update(f"{part.dtype.str}{part.shape}".encode())
            state.update(np.ascontiguousarray(part).data)
        else:
            from joblib import hash as content_hash

            state.update(str(content_hash(part)).encode())
    return state.hexdigest()


def _features(X: Any) -> Any:
    if hasattr(X, "iloc") or type(X).__module__.startswith("polars"):
        return X
    if hasattr(X, "tocsr"):
        return X.tocsr()
    try:
        array = np.asarray(X)
    except ValueError:
        raise InvalidInputError("`X` must have one row per example, all of the same length") from None
    if array.ndim == 0:
        raise InvalidInputError(f"`X` must be a table with one row per example, got {X!r}")
    return array


def _target_values(y: Any) -> NDArray[Any]:
    # NumPy would turn a list of text and numbers into text without a word.
    array = np.asarray(y, dtype=object) if isinstance(y, (list, tuple)) else np.asarray(y)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array.ravel()
    if array.ndim != 1:
        raise InvalidInputError(f"`y` must be one-dimensional, one value per example, got shape {array.shape}")
    if array.dtype == object:
        array = _homogeneous(array)
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        first = int(np.flatnonzero(~np.isfinite(array))[0])
        raise InvalidInputError(f"`y` has no finite value for example {first} (counted from 0)")
    return array


def _homogeneous(array: NDArray[Any]) -> NDArray[Any]:
    for i, value in enumerate(array):
        if value is None or value != value or type(value).__name__ == "NAType":
            raise InvalidInputError(f"`y` has no value for example {i} (counted from 0)")
    kinds = {"text" if isinstance(value, str) else "number" for value in array}
    if len(kinds) > 1:
        raise InvalidInputError("`y` must hold either text or numbers, got both")
    return np.array(array.tolist())


def _classification(values: NDArray[Any]) -> Target:
    if values.dtype.kind == "f" and not (values == np.floor(values)).all():
        raise InvalidInputError("the learners are classifiers, but `y` holds fractional numbers; use regressors")
    classes, codes = np.unique(values, return_inverse=True)
    if classes.size < 2:
        raise InvalidInputError(f"`y` needs at least two classes, got only {classes[0]!r}")
    return Target(codes.astype(np.int64), classes)


def _regression(values: NDArray[Any]) -> Target:
    if values.dtype.kind not in "biuf":
        raise InvalidInputError(
            f"the learners are regressors, but `y` holds text such as {str(values[0])!r}; use classifiers"
        )
    return Target(values.astype(np.float64))
