"""Learners of the tests of searches."""

import os
import tempfile
from pathlib import Path

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.tree import DecisionTreeClassifier


class Counted(DecisionTreeClassifier):
    """A tree that writes down each of its fits."""

    def __init__(self, *, max_depth=None, folder=""):
        super().__init__(max_depth=max_depth, random_state=0)
        self.folder = folder

    def fit(self, X, y, **how):
        handle, _ = tempfile.mkstemp(dir=self.folder)
        os.close(handle)
        return super().fit(X, y, **how)


def fits_in(folder):
    return len(list(Path(folder).iterdir()))


class FirstFeature(ClassifierMixin, BaseEstimator):
    """Predicts class 1 where one feature is above 0; learns nothing."""

    def __init__(self, feature=0):
        self.feature = feature

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return self.classes_[(X[:, self.feature] > 0.0).astype(int)]


def two_classes(n=120, features=5, seed=1):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, features))
    return X, (X[:, 0] + rng.standard_normal(n) > 0.0).astype(int)
