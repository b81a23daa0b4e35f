"""What the classifiers of the laboratory have in common."""

from abc import abstractmethod
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from errbar._check import FloatArray, IntArray
from errbar.errors import InvalidInputError
from errbar.lab.learners import _splits
from errbar.lab.learners._splits import Positions, Splits


class SplitClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """A classifier that can also do all splits of a data set at once."""

    def fit(self, X: Any, y: Any) -> Self:
        """Train on examples with labels of any kind.

        Parameters
        ----------
        X : array-like, shape (n, features)
            Features.
        y : array-like, shape (n,)
            Labels: numbers or text.

        Returns
        -------
        object
            The classifier itself.
        """
        X = _splits.features(X)
        self._check_parameters(X.shape[1])
        self.classes_, labels = _coded(y, X.shape[0])
        self.n_features_in_ = X.shape[1]
        self._fit(X, labels)
        return self

    def predict(self, X: Any) -> Any:
        """Return the predicted labels.

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
        return self.classes_[self._predict(_splits.features(X, self.n_features_in_))]

    def predict_splits(self, X: Any, y: Any, trains: Positions, tests: Positions) -> IntArray:
        """Return the predictions of all splits of a data set.

        They are those of `fit` on the training examples and `predict` on the test examples, split by split.

        Parameters
        ----------
        X : ndarray, shape (n, features)
            Features.
        y : ndarray of int, shape (n,)
            Class codes 0, 1, ...
        trains, tests : sequence of ndarray of int
            Positions of the training and of the test examples, an array of each per split. A training set may hold a
            position several times, as a bootstrap sample does.

        Returns
        -------
        ndarray of int
            Predicted codes of all splits one after another, in the order of `tests`.
        """
        X = _splits.features(X)
        self._check_parameters(X.shape[1])
        labels = _splits.codes(y, X.shape[0])
        return self._predict_splits(X, labels, _splits.splits(trains, tests, X.shape[0]))

    @abstractmethod
    def _check_parameters(self, features: int) -> None:
        """Raise if a parameter cannot be used with so many features."""

    @abstractmethod
    def _fit(self, X: FloatArray, codes: IntArray) -> None: ...

    @abstractmethod
    def _predict(self, X: FloatArray) -> IntArray: ...

    @abstractmethod
    def _predict_splits(self, X: FloatArray, codes: IntArray, splits: Splits) -> IntArray: ...


def _coded(y: Any, n: int) -> tuple[Any, IntArray]:
    labels = np.asarray(y)
    if labels.shape != (n,):
        raise InvalidInputError(f"`y` must hold one label for each of the {n} rows of `X`, got shape {labels.shape}")
    try:
        check_classification_targets(labels)
        classes, codes = np.unique(labels, return_inverse=True)
    except (TypeError, ValueError) as error:
        raise InvalidInputError(f"`y` must hold labels of classes: {error}") from None
    return classes, codes.astype(np.int64)
