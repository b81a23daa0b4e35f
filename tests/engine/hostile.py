"""Learners that harm the process they are in, each in its own way, and go on as if nothing had been."""

import builtins
import os
import signal
import socket
import struct
import subprocess
import sys
import time
from contextlib import suppress

import numpy as np
import sklearn.base

from tests.engine.learners import Majority


def _writes(what):
    for number in range(3, 256):
        try:
            os.write(number, what)
        except OSError:
            continue


def _shuts():
    """End what comes and goes through sockets, without closing one."""
    for descriptor in range(3, 256):
        with suppress(OSError), socket.socket(fileno=os.dup(descriptor)) as channel:
            channel.shutdown(socket.SHUT_RDWR)


def _forks():
    child = os.fork()
    if child:
        os.waitpid(child, 0)


def _aborts():
    os.kill(os.getpid(), signal.SIGABRT)


def _leaves_a_child():
    """A child that holds all descriptors open, and a process that dies."""
    if os.fork() == 0:
        time.sleep(300)
        os._exit(0)
    _aborts()


def _raises(error):
    raise error


def _breaks(owner, name):
    setattr(owner, name, None)
    raise ValueError(f"{name} is gone")


def _clears(what):
    what.clear()
    raise ValueError("all is gone")


def _moves():
    os.chdir("/")
    np.seterr(all="raise")
    raise ValueError("elsewhere")


BYTES = {
    "closes": lambda: os.closerange(3, 256),
    "shuts": _shuts,
    "writes": lambda: _writes(b"garbage" * 100),
    "announces": lambda: _writes(struct.pack("<qQ", 2**30, 2**30) * 4),
}
DEADLY = {"leaves a child": _leaves_a_child, "aborts": _aborts}
FAILING = {
    "exits": (lambda: sys.exit(0), "SystemExit: 0"),
    "interrupts": (
        lambda: _raises(KeyboardInterrupt("not by hand")),
        "KeyboardInterrupt: not by hand",
    ),
    "leaves": (lambda: os._exit(0), "SystemExit: os._exit(0)"),
    "gives up": (lambda: os.abort(), "SystemExit: os.abort()"),  # noqa: PLW0108 - it is looked up when it is called
    "becomes another": (
        lambda: os.execv(sys.executable, [sys.executable, "-c", ""]),
        "SystemExit: os.execv(",
    ),
    "unique": (lambda: _breaks(np, "unique"), "ValueError: unique is gone"),
    "sum": (lambda: _breaks(builtins, "sum"), "ValueError: sum is gone"),
    "clone": (lambda: _breaks(sklearn.base, "clone"), "ValueError: clone is gone"),
    "environ": (lambda: _clears(os.environ), "ValueError: all is gone"),
    "path": (lambda: _clears(sys.path), "ValueError: all is gone"),
    "moves": (_moves, "ValueError: elsewhere"),
}
HARMLESS = {
    "forks": _forks,
    "child exits": lambda: subprocess.run(
        [sys.executable, "-c", "import os; os._exit(3)"], check=False
    ),
}
ATTACKS = {**BYTES, **DEADLY, **HARMLESS, **{name: attack for name, (attack, _) in FAILING.items()}}


class Hostile(Majority):
    def __init__(self, how=""):
        self.how = how

    def fit(self, X, y):
        super().fit(X, y)
        ATTACKS[self.how]()
        return self


class SilentlyBreaks(Majority):
    """Takes a name away that everybody uses, and does not fail itself."""

    def predict(self, X):
        found = super().predict(X)
        np.unique = np.argmax = None
        builtins.sum = None
        return found


class Stays:
    """A parameter that cannot be pickled."""

    def __deepcopy__(self, memo):
        return self

    def __reduce__(self):
        raise TypeError("this one stays")


class Elsewhere:
    """A parameter that can be read by the process that made it alone."""

    def __init__(self, home=None):
        self.home = home or os.getpid()
        if self.home != os.getpid():
            raise SystemExit("far from home")

    def __deepcopy__(self, memo):
        return self

    def __reduce__(self):
        return type(self), (self.home,)


class Holds(Majority):
    def __init__(self, what=None):
        self.what = what
