"""What the learners of the laboratory have in common: many splits at once, and checked data as the kernels want them."""

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

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


class SplitLearner(BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """A learner that can also do all splits of a data set at once."""

    def fit(self, X: Any, y: Any) -> Self:
        """Train on examples.

        Parameters
        ----------
        X : array-like, shape (n, features)
            Features.
        y : array-like, shape (n,)
            Targets of a regressor, or labels of any kind: numbers or text.

        Returns
        -------
        object
            The learner itself.
        """
        X = _features(X)
        self._check_parameters(X.shape[1])
        self._fit(X, self._taught(y, X.shape[0]))
        self.n_features_in_ = X.shape[1]
        return self

    def predict(self, X: Any) -> Any:
        """Return predictions.

        Parameters
        ----------
        X : array-like, shape (n, features)
            Features of new examples.

        Returns
        -------
        ndarray, shape (n,)
            Predicted targets, or labels.
        """
        check_is_fitted(self)
        return self._predict(_features(X, self.n_features_in_))

    def predict_splits(self, X: Any, y: Any, trains: Positions, tests: Positions) -> Any:
        """Return the predictions of all splits of a data set.

        They are those of `fit` on the training examples and `predict` on the test examples, split by split.

        Parameters
        ----------
        X : ndarray, shape (n, features)
            Features.
        y : ndarray, shape (n,)
            Targets of a regressor, or class codes 0, 1, ...
        trains, tests : sequence of ndarray of int
            Positions of the training and of the test examples, an array of each per split. A training set may hold a
            position several times, as a bootstrap sample does.

        Returns
        -------
        ndarray
            Predicted targets, or codes, of all splits one after another, in the order of `tests`.
        """
        X = _features(X)
        self._check_parameters(X.shape[1])
        y = self._coded(y, X.shape[0])
        return self._predict_splits(X, y, _joint(trains, tests, X.shape[0]))

    def fit_predict_many(
        self, X: Any, y: Any, train_rows: Positions, test_rows: Positions, seeds: Sequence[Any]
    ) -> list[Any]:
        """Return the predictions of all splits, an array of each: what `errbar.run` calls."""
        classes, codes = np.unique(y, return_inverse=True)
        labelled = isinstance(self, ClassifierMixin)
        found = self.predict_splits(X, codes if labelled else y, train_rows, test_rows)
        ends = np.cumsum([len(rows) for rows in test_rows])[:-1]
        return np.split(classes[found] if labelled else found, ends)

    def _check_parameters(self, features: int) -> None:
        """Raise if a parameter cannot be used with so many features."""

    @abstractmethod
    def _taught(self, y: Any, n: int) -> Any:
        """Return the targets of n examples, or codes of their labels."""

    def _coded(self, y: Any, n: int) -> Any:
        """Return the same of what are targets or codes already."""
        return self._taught(y, n)

    @abstractmethod
    def _fit(self, X: FloatArray, y: Any) -> None: ...

    @abstractmethod
    def _predict(self, X: FloatArray) -> Any: ...

    @abstractmethod
    def _predict_splits(self, X: FloatArray, y: Any, splits: Splits) -> Any: ...


class SplitClassifier(ClassifierMixin, SplitLearner):  # type: ignore[misc]
    """A classifier of that kind; its own methods see codes and return codes."""

    def predict(self, X: Any) -> Any:
        return self.classes_[super().predict(X)]

    def _taught(self, y: Any, n: int) -> IntArray:
        labels = np.asarray(y)
        if labels.shape != (n,):
            raise InvalidInputError(
                f"must hold one label for each of the {n} rows of `X`, got shape {labels.shape}",
                argument="y",
            )
        try:
            check_classification_targets(labels)
            self.classes_, codes = np.unique(labels, return_inverse=True)
        except (TypeError, ValueError) as error:
            raise InvalidInputError(f"must hold labels of classes: {error}", argument="y") from None
        return codes.astype(np.int64)

    def _coded(self, y: Any, n: int) -> IntArray:
        codes = _check.labels(y, n, "y")
        if np.ndim(y) != 1 or codes.min() < 0:
            raise InvalidInputError(
                f"must hold one class code 0, 1, ... for each of the {n} examples", argument="y"
            )
        return codes


def _joint(trains: Positions, tests: Positions, n: int) -> Splits:
    """Check the positions of all splits and put them one after another."""
    if len(trains) != len(tests) or not len(trains):
        raise InvalidInputError(
            f"and `tests` must hold one array per split each, got {len(trains)} and {len(tests)}",
            argument="trains",
        )
    train, ends = _joined(trains, "trains", n)
    test, test_ends = _joined(tests, "tests", n)
    if np.diff(ends, prepend=0).min() == 0:
        raise InvalidInputError(
            "holds a training set without examples; each needs at least one", argument="trains"
        )
    return Splits(train, ends, test, test_ends)


def _joined(sets: Positions, name: str, n: int) -> tuple[IntArray, IntArray]:
    arrays = [np.asarray(positions) for positions in sets]
    for array in arrays:
        if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
            raise InvalidInputError(
                "must hold one-dimensional arrays of positions, whole numbers", argument=name
            )
    joined = np.concatenate(arrays).astype(np.int64)
    if joined.size and not (joined.min() >= 0 and joined.max() < n):
        raise InvalidInputError(
            f"must hold positions from 0 to {n - 1}, got {joined.min()} to {joined.max()}",
            argument=name,
        )
    return joined, np.cumsum([array.size for array in arrays])


def _features(X: Any, width: int | None = None) -> FloatArray:
    """Return features as the kernels take them: finite, row by row, and writable, for which they are compiled."""
    try:
        if np.iscomplexobj(X):
            raise TypeError
        array: FloatArray = np.require(X, np.float64, ["C", "W", "A", "E"])
    except (TypeError, ValueError):
        raise InvalidInputError(
            "must hold numbers only, one row per example", argument="X"
        ) from None
    if array.ndim != 2 or 0 in array.shape:
        raise InvalidInputError(
            f"must have rows and columns, at least one of each, got shape {array.shape}",
            argument="X",
        )
    if width is not None and array.shape[1] != width:
        raise InvalidInputError(
            f"must have {width} features as in training, got {array.shape[1]}", argument="X"
        )
    if not np.isfinite(array).all():
        _check.numbers(array, "X", "row and column")
    return array
