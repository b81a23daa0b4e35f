"""Learners for tests of faults; a copy of this file lies in the folder where the command line runs.

The first column of the data is the number of the example. Each learner writes a line into ``fits.log`` when a fit
begins and when it has ended: the process, its own name, the examples that the training set lacks, and the time. Each
misbehaves where example 0 is lacking, until there is a file ``mended``. With a file ``hold``, which holds a number, fits that
begin when so many have ended wait until it is gone.
"""

import ctypes
import os
import signal
import sys
import time
from pathlib import Path

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin


def _raises():
    raise ValueError("no fit today")


def _interrupts():
    raise KeyboardInterrupt


FAULTS = {
    "raises": _raises,
    "exits": lambda: sys.exit(7),
    "quits": lambda: os._exit(0),
    "interrupts": _interrupts,
    "segfaults": lambda: ctypes.string_at(0),
    "aborts": lambda: os.kill(os.getpid(), signal.SIGABRT),
    "killed": lambda: os.kill(os.getpid(), signal.SIGKILL),
    "sleeps": lambda: time.sleep(600),
    "computes": lambda: 7**10**8,
}


class Learner(ClassifierMixin, BaseEstimator):
    """One nearest neighbour, with a fault."""

    def __init__(self, name="good", seconds=0.0, examples=60):
        self.name = name
        self.seconds = seconds
        self.examples = examples

    def fit(self, X, y):
        self.lacks_ = sorted(set(range(self.examples)) - set(X[:, 0].astype(int).tolist()))
        self._log("begins")
        self.ill_ = 0 in self.lacks_ and not Path("mended").exists()
        if self.ill_ and self.name in FAULTS:
            FAULTS[self.name]()
        if self.name == "talks":
            print("this is no JSON")  # noqa: T201
            os.write(1, b"neither is this\n")
        while self._held():
            time.sleep(0.01)
        time.sleep(self.seconds)
        self.classes_, self.X_, self.y_ = np.unique(y), X[:, 1:], y
        self._log("ends")
        return self

    def predict(self, X):
        distances = ((X[:, None, 1:] - self.X_) ** 2).sum(axis=2)
        found = self.y_[distances.argmin(axis=1)]
        if self.ill_ and self.name == "short":
            return found[:-1]
        if self.ill_ and self.name == "nan":
            return np.full(found.size, np.nan)
        return found

    def _held(self):
        if not (hold := Path("hold")).exists():
            return False
        ended = Path("fits.log").read_text(encoding="utf-8").count(" ends ")
        return ended >= int(hold.read_text(encoding="utf-8"))

    def _log(self, what):
        lacks = ",".join(map(str, self.lacks_))
        line = f"{os.getpid()} {what} {self.name} {lacks} {time.time()}\n"
        log = os.open("fits.log", os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        os.write(log, line.encode())
        os.close(log)


class Random(Learner):
    """The same on half of its training examples, drawn at random."""

    def __init__(self, name="random", seconds=0.04, examples=60, random_state=None):
        super().__init__(name, seconds, examples)
        self.random_state = random_state

    def fit(self, X, y):
        super().fit(X, y)
        half = np.random.RandomState(self.random_state).permutation(len(y))[::2]
        self.X_, self.y_ = self.X_[half], self.y_[half]
        return self


good = Learner()
random, chance = Random(), Random("chance")
slow = Learner("slow", seconds=0.04)
other = Learner("other", seconds=0.04)
heavy = Learner("heavy", seconds=0.03, examples=1500)
patient = Learner("patient", seconds=0.2)
globals().update({name: Learner(name) for name in [*FAULTS, "short", "nan", "talks"]})
