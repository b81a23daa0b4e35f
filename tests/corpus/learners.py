"""Learners that are cheap, and the same with every version of everything: sums and comparisons in NumPy only."""

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin


class Mean(RegressorMixin, BaseEstimator):
    """The mean, drawn towards 0 by so many zeros."""

    def __init__(self, zeros=0):
        self.zeros = zeros

    def fit(self, X, y):
        self.n_features_in_ = np.shape(X)[1]
        self.mean_ = float(np.sum(y)) / (len(y) + self.zeros)
        return self

    def predict(self, X):
        return np.full(len(X), self.mean_)


class Line(RegressorMixin, BaseEstimator):
    """A straight line in one feature."""

    def __init__(self, feature=0):
        self.feature = feature

    def fit(self, X, y):
        self.n_features_in_ = np.shape(X)[1]
        x, y = np.asarray(X, dtype=float)[:, self.feature], np.asarray(y, dtype=float)
        spread = x - x.mean()
        square = float((spread**2).sum())
        self.slope_ = float((spread * y).sum()) / square if square else 0.0
        self.start_ = float(y.mean() - self.slope_ * x.mean())
        return self

    def predict(self, X):
        return self.start_ + self.slope_ * np.asarray(X, dtype=float)[:, self.feature]


class Wobble(Line):
    """A line with a random shift, as a learner with a seed has."""

    def __init__(self, feature=0, size=0.3, random_state=None):
        super().__init__(feature)
        self.size = size
        self.random_state = random_state

    def fit(self, X, y):
        super().fit(X, y)
        rng = np.random.RandomState(self.random_state)
        self.start_ += self.size * (2.0 * rng.random_sample() - 1.0)
        return self


class Commonest(ClassifierMixin, BaseEstimator):
    """Shares of the classes, whatever the features."""

    def fit(self, X, y):
        self.n_features_in_ = np.shape(X)[1]
        self.classes_, counts = np.unique(y, return_counts=True)
        self.shares_ = counts / counts.sum()
        return self

    def predict(self, X):
        return np.repeat(self.classes_[self.shares_.argmax()], len(X))

    def predict_proba(self, X):
        return np.tile(self.shares_, (len(X), 1))


class Stump(Commonest):
    """Shares of the classes on either side of the mean of one feature, each class counted once more."""

    def __init__(self, feature=0):
        self.feature = feature

    def fit(self, X, y):
        super().fit(X, y)
        x = np.asarray(X, dtype=float)[:, self.feature]
        self.cut_ = float(x.mean())
        sides = [np.asarray(y)[x <= self.cut_], np.asarray(y)[x > self.cut_]]
        counts = np.array(
            [[1 + (side == one).sum() for one in self.classes_] for side in sides], dtype=float
        )
        self.sides_ = counts / counts.sum(axis=1, keepdims=True)
        return self

    def predict(self, X):
        return self.classes_[self.predict_proba(X).argmax(axis=1)]

    def predict_proba(self, X):
        return self.sides_[(np.asarray(X, dtype=float)[:, self.feature] > self.cut_).astype(int)]


class Broken(RegressorMixin, BaseEstimator):
    """A learner that cannot be fitted."""

    def fit(self, X, y):
        raise RuntimeError("no")

    def predict(self, X):
        raise RuntimeError("no")


mean, line, second, wobble = Mean(), Line(), Line(1), Wobble()
commonest, stump, other_stump, broken = Commonest(), Stump(), Stump(1), Broken()
