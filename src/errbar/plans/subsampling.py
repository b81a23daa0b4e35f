"""Samples that are drawn one by one: bootstrap samples, and random splits."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.random import Generator

from errbar import _check, _rng
from errbar._check import IntArray
from errbar.errors import InvalidInputError
from errbar.plans._base import RandomPlan, Split, size
from errbar.plans._kinds import Kind, Testing, Training


@dataclass(frozen=True)
class Bootstrap(RandomPlan):
    """B bootstrap samples: n examples drawn with replacement to train on, tested on all that were not drawn.

    What is drawn is examples, and all copies of one are on the training side. A sample that leaves nobody out, which
    happens with a handful of examples only, is drawn again.

    Parameters
    ----------
    repeats : int, default 200
        Number of samples B.
    training_error : bool, default False
        Also fit on all examples and test on the same, as the .632 estimators need.

    Examples
    --------
    >>> from errbar.plans import Bootstrap
    >>> splits = list(Bootstrap(repeats=3, training_error=True).splits(100, 0))
    >>> len(splits), splits[0].train.size, bool(set(splits[0].train) & set(splits[0].test)), dict(splits[3].labels)
    (4, 100, False, {'resubstitution': 0})
    """

    repeats: int = 200
    training_error: bool = False
    kind: ClassVar[Kind] = Kind("bootstrap", "bootstrap samples", Training.RANDOM, Testing.OVERLAPPING, stated=True)
    least: ClassVar[Mapping[str, int]] = {"repeats": 2}

    def __post_init__(self) -> None:
        """Check what can be checked before the data are known."""
        super().__post_init__()
        _check.flag(self.training_error, "training_error")

    def drawn(self, n: int, base: int) -> Iterator[Split]:
        """Yield the samples, labelled ``repeat``, and the test on the training set, labelled ``resubstitution``."""
        for repeat in range(self.repeats):
            train, test = _sample(_rng.stream(base, "bootstrap", repeat), n)
            yield Split(train, test, {"repeat": repeat})
        if self.training_error:
            yield Split(np.arange(n), np.arange(n), {"resubstitution": 0})


@dataclass(frozen=True)
class Subsampling(RandomPlan):
    """J independent random splits into n1 training and n2 test examples (Nadeau & Bengio 2003, section 2).

    Parameters
    ----------
    n_train : int or float, optional
        Training examples n1, as a count or a fraction; by default all that are not tested on.
        n1 + n2 may be less than n.
    n_test : int or float, default 0.1
        Test examples n2, as a count or a fraction.
    repeats : int, default 15
        Number of splits J.

    Examples
    --------
    >>> from errbar.plans import Subsampling
    >>> splits = list(Subsampling(n_train=150, n_test=30, repeats=15).splits(300, 0))
    >>> len(splits), splits[0].train.size, splits[0].test.size, dict(splits[14].labels)
    (15, 150, 30, {'repeat': 14})
    """

    n_train: float | None = None
    n_test: float = 0.1
    repeats: int = 15
    kind: ClassVar[Kind] = Kind("subsampling", "random splits", Training.RANDOM, Testing.OVERLAPPING, stated=True)
    least: ClassVar[Mapping[str, int]] = {"repeats": 1}

    def drawn(self, n: int, base: int) -> Iterator[Split]:
        """Yield the splits of `n` examples, labelled ``repeat``."""
        n_train, n_test = sizes(self.n_train, self.n_test, n)
        for repeat in range(self.repeats):
            train, test = random_split(_rng.stream(base, "subsampling", repeat), n, n_train, n_test)
            yield Split(train, test, {"repeat": repeat})


def sizes(n_train: float | None, n_test: float, n: int) -> tuple[int, int]:
    """Return both sizes as counts that fit into `n` examples; without the first, all that are not tested on."""
    test = size(n_test, n, "n_test")
    train = n - test if n_train is None else size(n_train, n, "n_train")
    if train + test > n:
        raise InvalidInputError(f"`n_train` + `n_test` must be at most {n}, got {train} + {test}")
    return train, test


def random_split(rng: Generator, n: int, n_train: int, n_test: int) -> tuple[IntArray, IntArray]:
    """Draw disjoint training and test sets, each in ascending order."""
    order = rng.permutation(n)
    return np.sort(order[n_test : n_test + n_train]), np.sort(order[:n_test])


def _sample(rng: Generator, n: int) -> tuple[IntArray, IntArray]:
    while True:
        drawn = np.sort(rng.integers(n, size=n))
        left_out = np.ones(n, dtype=bool)
        left_out[drawn] = False
        if left_out.any():
            return drawn, np.flatnonzero(left_out)
