"""An alarm that a learner sets ends its own fit at most: it is named, and the fits of others are kept."""

import signal
import time

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.tree import DecisionTreeClassifier

import errbar
from errbar.engine import Isolated, Joblib, MemoryStore, Serial, executors

pytestmark = pytest.mark.unix


class Alarm(ClassifierMixin, BaseEstimator):
    """Sets a timer, and waits for it, or leaves it to others."""

    def __init__(self, timer="ITIMER_REAL", waits=True):
        self.timer = timer
        self.waits = waits

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        signal.setitimer(getattr(signal, self.timer), 0.02 if self.waits else 0.8)
        until = time.monotonic() + 20.0 * self.waits
        while time.monotonic() < until:
            pass
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[0])


class Slow(DecisionTreeClassifier):
    def fit(self, X, y):
        time.sleep(0.3)
        return super().fit(X, y)


def run(learner, executor):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2))
    y = (X[:, 0] > 0).astype(int)
    how = {
        "plan": errbar.plans.KFold(4),
        "random_state": 0,
        "on_error": "keep",
        "store": MemoryStore(),
    }
    return errbar.run({"bad": learner, "tree": Slow()}, X, y, executor=executor, **how)


WAYS = [
    Serial,
    pytest.param(lambda: Isolated(2), marks=pytest.mark.long),
    pytest.param(lambda: Joblib(2), marks=pytest.mark.long),
]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("timer", ["ITIMER_REAL", "ITIMER_PROF"])
def test_an_alarm_is_a_failure_of_its_fit(way, timer, monkeypatch):
    monkeypatch.setattr(executors, "START_SECONDS", 0.0)
    table = run(Alarm(timer), way())
    assert table.learners == ("tree",)
    assert {failure.learner for failure in table.failures} == {"bad"}
    assert "TimeoutError" in table.failures[0].message
    assert signal.getsignal(signal.SIGALRM) == signal.SIG_DFL


@pytest.mark.parametrize("way", WAYS)
def test_an_alarm_that_comes_later_harms_nobody(way, monkeypatch):
    monkeypatch.setattr(executors, "START_SECONDS", 0.0)
    table = run(Alarm(waits=False), way())
    assert table.learners == ("bad", "tree")
    assert table.counts.failed == 0
