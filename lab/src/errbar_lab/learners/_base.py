"""What the learners of the laboratory have in common: many splits at once, and checked data as the kernels want them."""

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_array, check_X_y
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

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
        X, y = check_X_y(X, y, dtype=np.float64, order="C", estimator=self)
        self._check_parameters(X.shape[1])
        self._fit(_writable(X), self._taught(y))
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
        X = check_array(X, dtype=np.float64, order="C", estimator=self)
        if X.shape[1] != self.n_features_in_:
            raise InvalidInputError(
                f"must have {self.n_features_in_} features as in training, got {X.shape[1]}",
                argument="X",
            )
        return self._predict(_writable(X))

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
        X, y = check_X_y(X, y, dtype=np.float64, order="C", estimator=self)
        self._check_parameters(X.shape[1])
        train, ends = _joined(trains, len(y))
        splits = Splits(train, ends, *_joined(tests, len(y)))
        return self._predict_splits(_writable(X), self._coded(y), splits)

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
    def _taught(self, y: Any) -> Any:
        """Return targets, or codes of labels."""

    def _coded(self, y: Any) -> Any:
        """Return the same of what are targets or codes already."""
        return self._taught(y)

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

    def _taught(self, y: Any) -> IntArray:
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        return codes.astype(np.int64)

    def _coded(self, y: Any) -> IntArray:
        return np.asarray(y).astype(np.int64)


def _joined(sets: Positions, n: int) -> tuple[IntArray, IntArray]:
    """Return the positions of all splits one after another, and where each ends."""
    joined = np.concatenate(sets).astype(np.int64)
    # Compiled code would read beyond the examples.
    if joined.size and not (joined.min() >= 0 and joined.max() < n):
        raise InvalidInputError(
            f"must hold positions from 0 to {n - 1}, got {joined.min()} to {joined.max()}",
            argument="trains",
        )
    return joined, np.cumsum([len(each) for each in sets])


def _writable(X: Any) -> FloatArray:
    """Return features as the kernels are compiled for: row by row, and writable."""
    return np.require(X, np.float64, ["C", "W", "A", "E"])
