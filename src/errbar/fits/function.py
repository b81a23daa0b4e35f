"""A training function as a learner: what trains and predicts in one call need not be a class."""

from collections.abc import Callable
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin

from errbar import _check


def function(
    fit_predict: Callable[..., Any],
    *,
    predicts: str = "labels",
    fit_predict_many: Callable[..., Any] | None = None,
) -> Any:
    """Make a learner of a function that trains and predicts.

    Parameters
    ----------
    fit_predict : callable
        Takes ``(X_train, y_train, X_test, seed)`` and returns predictions for the rows of
        ``X_test``; equal seeds, whole numbers, should give equal predictions.
    predicts : {"labels", "probabilities", "numbers"}, default "labels"
        What is returned: labels of classes, shape (m,); probabilities, shape (m, classes), with a
        column for each sorted class of the training set; or numbers of a regression, shape (m,).
    fit_predict_many : callable, optional
        Does all training sets of a plan in one call: takes ``(X, y, train_rows, test_rows,
        seeds)``, the last three lists with an entry for each, and returns a list of predictions.
        Probabilities may have a column for each class of `y`. Two training sets, drawn at random,
        are also given to `fit_predict`, and the run fails where the predictions differ.

    Returns
    -------
    estimator
        It can be cloned, and be the last step of a pipeline.

    Examples
    --------
    >>> import errbar
    >>> import numpy as np
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> def mean(X_train, y_train, X_test, seed):
    ...     return np.full(len(X_test), y_train.mean())
    >>> result = errbar.evaluate(errbar.function(mean, predicts="numbers"), X, y, random_state=0)
    >>> result.learner
    'mean'
    """
    kinds = {"labels": _Labels, "probabilities": _Probabilities, "numbers": _Numbers}
    kind = kinds[_check.choice(predicts, kinds, "predicts")]
    many = fit_predict_many is None or callable(fit_predict_many)
    _check.require(callable(fit_predict), "must be a function", fit_predict, "fit_predict")
    _check.require(many, "must be a function", fit_predict_many, "fit_predict_many")
    return kind(fit_predict, fit_predict_many)


class _Function(BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    def __init__(
        self,
        fit_predict: Any,
        fit_predict_many: Any = None,
        random_state: Any = None,
    ) -> None:
        self.fit_predict = fit_predict
        self.fit_predict_many = fit_predict_many
        self.random_state = random_state

    @property
    def __name__(self) -> str:
        return str(getattr(self.fit_predict, "__name__", type(self).__name__))

    def fit(self, X: Any, y: Any) -> Self:
        self.X_, self.y_ = X, y
        return self

    def predict(self, X: Any) -> Any:
        return self.fit_predict(self.X_, self.y_, X, self.random_state)


class _Labels(ClassifierMixin, _Function):  # type: ignore[misc]
    @property
    def classes_(self) -> NDArray[Any]:
        return np.unique(self.y_)


class _Probabilities(_Labels):
    def predict_proba(self, X: Any) -> Any:
        return super().predict(X)

    def predict(self, X: Any) -> Any:
        return self.classes_[np.argmax(self.predict_proba(X), axis=1)]


class _Numbers(RegressorMixin, _Function):  # type: ignore[misc]
    pass
