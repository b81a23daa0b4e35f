"""Independent random splits."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.random import Generator

from errbar import _check, _rng
from errbar._check import IntArray
from errbar.errors import InvalidInputError
from errbar.plans._base import Plan, Split, refuse_groups, size
from errbar.plans._kinds import Kind, Testing, Training


@dataclass(frozen=True)
class Subsampling(Plan):
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

    def __post_init__(self) -> None:
        """Check what can be checked before the data are known."""
        _check.count(self.repeats, "repeats")

    def splits(self, n: int, rng: Any = None, y: Any = None, groups: Any = None) -> Iterator[Split]:  # noqa: ARG002
        """Yield the splits of `n` examples, labelled ``repeat``."""
        refuse_groups(self, groups)
        n_test = size(self.n_test, n, "n_test")
        n_train = n - n_test if self.n_train is None else size(self.n_train, n, "n_train")
        if n_train + n_test > n:
            raise InvalidInputError(f"`n_train` + `n_test` must be at most {n}, got {n_train} + {n_test}")
        base = _rng.root(rng)
        for repeat in range(self.repeats):
            train, test = random_split(_rng.stream(base, "subsampling", repeat), n, n_train, n_test)
            yield Split(train, test, {"repeat": repeat})


def random_split(rng: Generator, n: int, n_train: int, n_test: int) -> tuple[IntArray, IntArray]:
    """Draw disjoint training and test sets, each in ascending order."""
    order = rng.permutation(n)
    return np.sort(order[n_test : n_test + n_train]), np.sort(order[:n_test])
