"""What the learners of the laboratory have in common: many splits at once, and checked data as the kernels want them."""

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_array, check_X_y
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from errbar._check import FloatArray, IntArray
from errbar.errors import InvalidInputError


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


class SplitClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """A classifier that can also do all splits of a data set at once; its own methods see codes and return codes."""

    def fit(self, X: Any, y: Any) -> Self:
        """Train on examples.

        Parameters
        ----------
        X : array-like, shape (n, features)
            Features.
        y : array-like, shape (n,)
            Labels of any kind: numbers or text.

        Returns
        -------
        object
            The learner itself.
        """
        X, codes = self._checked(X, y)
        self._fit(X, codes)
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
            Predicted labels.
        """
        check_is_fitted(self)
        X = check_array(X, dtype=np.float64, order="C", estimator=self)
        if X.shape[1] != self.n_features_in_:
            raise InvalidInputError(
                f"must have {self.n_features_in_} features as in training, got {X.shape[1]}",
                argument="X",
            )
        return self.classes_[self._predict(_writable(X))]

    def fit_predict_many(
        self, X: Any, y: Any, train_rows: Any, test_rows: Any, seeds: Sequence[Any] = ()
    ) -> list[Any]:
        """Return the predictions of all splits of a data set, an array of each: what `errbar.run` calls.

        They are those of `fit` on the training examples and `predict` on the test examples, split by split.

        Parameters
        ----------
        X, y : array-like
            Features and labels.
        train_rows, test_rows : sequence of ndarray of int
            Positions of the training and of the test examples, an array of each per split. A training set may hold a
            position several times, as a bootstrap sample does.
        seeds : sequence, optional
            Not needed: nothing is drawn at random.

        Returns
        -------
        list of ndarray
            Predicted labels.
        """
        X, codes = self._checked(X, y)
        train, ends = _joined(train_rows, len(codes))
        test, test_ends = _joined(test_rows, len(codes))
        found = self._predict_splits(X, codes, Splits(train, ends, test, test_ends))
        return np.split(self.classes_[found], test_ends[:-1])

    def _checked(self, X: Any, y: Any) -> tuple[FloatArray, IntArray]:
        X, y = check_X_y(X, y, dtype=np.float64, order="C", estimator=self)
        self._check_parameters(X.shape[1])
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        return _writable(X), codes.astype(np.int64)

    @abstractmethod
    def _check_parameters(self, features: int) -> None:
        """Raise if a parameter cannot be used with so many features."""

    @abstractmethod
    def _fit(self, X: FloatArray, codes: IntArray) -> None: ...

    @abstractmethod
    def _predict(self, X: FloatArray) -> IntArray: ...

    @abstractmethod
    def _predict_splits(self, X: FloatArray, codes: IntArray, splits: Splits) -> IntArray: ...


def _joined(sets: Any, n: int) -> tuple[IntArray, IntArray]:
    """Return the positions of all splits one after another, and where each ends."""
    joined = np.concatenate(sets).astype(np.int64)
    # Compiled code would read beyond the examples.
    if joined.size and not (joined.min() >= 0 and joined.max() < n):
        raise InvalidInputError(
            f"must hold positions from 0 to {n - 1}, got {joined.min()} to {joined.max()}",
            argument="train_rows",
        )
    return joined, np.cumsum([len(each) for each in sets])


def _writable(X: Any) -> FloatArray:
    """Return features as the kernels are compiled for: row by row, and writable."""
    return np.require(X, np.float64, ["C", "W", "A", "E"])
