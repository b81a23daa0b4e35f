"""Learners that misbehave, each in its own way."""

import os
import random
import signal
import sys
import time
import warnings
from pathlib import Path

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.datasets import load_iris

STRING = np.dtypes.StringDType() if hasattr(np.dtypes, "StringDType") else object
"""Text of any length, in the way of this NumPy."""


class Majority(ClassifierMixin, BaseEstimator):
    """Predicts the most frequent class."""

    def fit(self, X, y):
        self.classes_, counts = np.unique(y, return_counts=True)
        self.most_ = self.classes_[counts.argmax()]
        return self

    def predict(self, X):
        return np.full(X.shape[0], self.most_)


class Counting(Majority):
    """Counts its fits in a list that all copies share."""

    fits: list[int] = []  # noqa: RUF012 - shared on purpose

    def fit(self, X, y):
        type(self).fits.append(X.shape[0])
        return super().fit(X, y)


class Raises(Majority):
    def fit(self, X, y):
        raise ValueError("no fit today\nand none tomorrow")


class RaisesSometimes(Majority):
    def fit(self, X, y):
        if 0 in np.asarray(X)[:, 0]:
            raise ValueError("the first example is in the training set")
        return super().fit(X, y)


class Exits(Majority):
    def fit(self, X, y):
        sys.exit(7)


class WrongShape(Majority):
    def predict(self, X):
        return super().predict(X)[:-1]


class UnknownLabel(Majority):
    def predict(self, X):
        return np.full(X.shape[0], 99)


class NotANumber(RegressorMixin, BaseEstimator):
    def fit(self, X, y):
        self.fitted_ = True
        return self

    def predict(self, X):
        return np.full(X.shape[0], np.nan)


class Warns(Majority):
    def fit(self, X, y):
        warnings.warn("this was close", UserWarning, stacklevel=2)
        return super().fit(X, y)


class GlobalNoise(RegressorMixin, BaseEstimator):
    """Draws from NumPy's global generator, as some learners do against good advice."""

    def fit(self, X, y):
        self.shift_ = np.random.normal()  # noqa: NPY002
        return self

    def predict(self, X):
        return np.full(X.shape[0], self.shift_)


class PythonNoise(GlobalNoise):
    """Draws from Python's own global generator."""

    def fit(self, X, y):
        self.shift_ = random.gauss(0.0, 1.0)
        return self


class OwnNoise(RegressorMixin, BaseEstimator):
    def __init__(self, random_state=None):
        self.random_state = random_state

    def fit(self, X, y):
        self.shift_ = np.random.default_rng(self.random_state).normal()
        return self

    def predict(self, X):
        return np.full(X.shape[0], self.shift_)


class Legacy(Majority):
    """Draws from NumPy's global generator, against good advice."""

    def fit(self, X, y):
        super().fit(X, y)
        self.weights_ = np.random.standard_normal(X.shape[1])  # noqa: NPY002
        return self

    def predict(self, X):
        return self.classes_[(np.asarray(X) @ self.weights_ > 0).astype(int) % self.classes_.size]


class OnSome(Majority):
    """Does something on the training sets that lack the first example, which is one in ten."""

    def __init__(self, deed="", where=""):
        self.deed = deed
        self.where = where

    def fit(self, X, y):
        if not (np.asarray(X) == load_iris().data[1]).all(axis=1).any():
            self.act()
        return super().fit(X, y)

    def act(self):
        match self.deed:
            case "exit":
                os._exit(3)
            case "once":
                if not Path(self.where).exists():
                    Path(self.where).touch()
                    os.kill(os.getpid(), signal.SIGKILL)
            case "kill":
                os.kill(os.getpid(), signal.SIGKILL)
            case "fault":
                import ctypes

                ctypes.string_at(0)
            case "hang":
                time.sleep(600)
            case "stop":
                raise KeyboardInterrupt
            case _:
                raise AssertionError(self.deed)
