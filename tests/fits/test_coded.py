"""Learners that know classes as whole numbers from 0 only."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression

import errbar

pytestmark = pytest.mark.long

X, Y = load_iris(return_X_y=True)
NAMES = np.array(["setosa", "virginica", "versicolor"])[Y]


class Strict(ClassifierMixin, BaseEstimator):
    """As XGBoost does, refuse classes that are not 0, 1, ..."""

    tried = 0

    def __init__(self, error=ValueError):
        self.error = error

    def fit(self, X, y):
        Strict.tried += 1
        if y.dtype.kind not in "iu" or set(y) != set(range(len(set(y)))):
            raise self.error(
                f"Invalid classes inferred from unique values of `y`, got {np.unique(y)}"
            )
        self.inner_ = LogisticRegression(max_iter=1000).fit(X, y)
        return self

    def predict(self, X):
        return self.inner_.predict(X)

    def predict_proba(self, X):
        return self.inner_.predict_proba(X)


class Silent(Strict):
    """Has classes_ too."""

    @property
    def classes_(self):
        return self.inner_.classes_


@pytest.mark.parametrize("labels", [NAMES, Y + 1, np.array([10.0, 20.0, 30.0])[Y], Y == 1], ids=str)
@pytest.mark.parametrize("kind", [Strict, Silent])
@pytest.mark.parametrize("error", [ValueError, TypeError, RuntimeError])
def test_labels_are_coded_for_learners_that_need_it(labels, kind, error):
    learners = {"strict": kind(error), "plain": LogisticRegression(max_iter=1000)}
    table = errbar.run(learners, X, labels, plan=4, loss="log-loss", random_state=0)
    assert table.scores[0] == pytest.approx(table.scores[1])
    again = errbar.run(learners, X, labels, plan=4, random_state=0)
    assert (again.scores[0] == again.scores[1]).all()


def test_the_error_is_that_of_the_labels_themselves():
    with pytest.raises(errbar.FitFailedError):
        errbar.run({"a": Strict(KeyError)}, X, NAMES, plan=4, random_state=0)

    class Never(Strict):
        def fit(self, X, y):
            raise ValueError(f"no {y[0]}")

    with pytest.raises(errbar.FitFailedError):
        errbar.run({"a": Never()}, X, NAMES, plan=4, random_state=0)


def test_codes_that_are_such_already_are_not_tried_again():
    class Never(Strict):
        def fit(self, X, y):
            Strict.tried += 1
            raise ValueError("no")

    Strict.tried = 0
    with pytest.raises(errbar.FitFailedError):
        errbar.run({"a": Never()}, X, Y, plan=3, random_state=0)
    assert Strict.tried <= 4
