"""The data of a run: features of any kind, a checked target, and their digest."""

from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errbar import _check
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
    if np.ma.is_masked(X):
        raise InvalidInputError("`X` is masked, and learners would see what the mask hides; give X.filled(nan), say")
    try:
        array = np.asarray(X)
    except ValueError:
        raise InvalidInputError("`X` must have one row per example, all of the same length") from None
    if array.ndim == 0:
        raise InvalidInputError(f"`X` must be a table with one row per example, got {X!r}")
    return array


def _target_values(y: Any) -> NDArray[Any]:
    array = _check.categories(y, "`y`")
    if array.dtype.kind not in "biufUS":
        raise InvalidInputError(f"`y` must hold text or numbers, got {array[:1].tolist()}")
    return array


def _classification(values: NDArray[Any]) -> Target:
    if values.dtype.kind == "f" and not (values == np.floor(values)).all():
        raise InvalidInputError("the learners are classifiers, but `y` holds fractional numbers; use regressors")
    classes, codes = np.unique(values, return_inverse=True)
    if classes.size < 2:
        raise InvalidInputError(f"`y` needs at least two classes, got only {classes[0]!r}")
    if classes.dtype.kind in "iuf" and np.unique(classes.astype(np.float64)).size < classes.size:
        raise InvalidInputError(
            f"`y` has classes as large as {classes.max()}, of which several are one number for learners that compute in "
            "floating point; give them as text"
        )
    return Target(codes.astype(np.int64), classes)


def _regression(values: NDArray[Any]) -> Target:
    if values.dtype.kind not in "biuf":
        raise InvalidInputError(
            f"the learners are regressors, but `y` holds text such as {str(values[0])!r}; use classifiers"
        )
    return Target(values.astype(np.float64))
