"""What the learners of the laboratory have in common."""

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
        X = _splits.features(X)
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
        return self._predict(_splits.features(X, self.n_features_in_))

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
        X = _splits.features(X)
        self._check_parameters(X.shape[1])
        y = self._coded(y, X.shape[0])
        return self._predict_splits(X, y, _splits.splits(trains, tests, X.shape[0]))

    def _check_parameters(self, features: int) -> None:
        """Raise if a parameter cannot be used with so many features."""

    @abstractmethod
    def _taught(self, y: Any, n: int) -> Any:
        """Return the targets of n examples, or codes of their labels."""

    @abstractmethod
    def _coded(self, y: Any, n: int) -> Any:
        """Return the same of what are targets or codes already."""

    @abstractmethod
    def _fit(self, X: FloatArray, y: Any) -> None: ...

    @abstractmethod
    def _predict(self, X: FloatArray) -> Any: ...

    @abstractmethod
    def _predict_splits(self, X: FloatArray, y: Any, splits: Splits) -> Any: ...


class SplitClassifier(ClassifierMixin, SplitLearner):  # type: ignore[misc]
    """A classifier of that kind; its own methods see codes and return codes."""

    _coded = staticmethod(_splits.codes)

    def predict(self, X: Any) -> Any:
        return self.classes_[super().predict(X)]

    def _taught(self, y: Any, n: int) -> IntArray:
        labels = np.asarray(y)
        if labels.shape != (n,):
            raise InvalidInputError(
                f"`y` must hold one label for each of the {n} rows of `X`, got shape {labels.shape}"
            )
        try:
            check_classification_targets(labels)
            self.classes_, codes = np.unique(labels, return_inverse=True)
        except (TypeError, ValueError) as error:
            raise InvalidInputError(f"`y` must hold labels of classes: {error}") from None
        return codes.astype(np.int64)
