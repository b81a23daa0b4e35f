"""Bootstrap samples of the examples, each tested on the examples it lacks."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.random import Generator

from errbar import _check, _rng
from errbar._check import IntArray
from errbar.plans._base import RandomPlan, Split
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


def _sample(rng: Generator, n: int) -> tuple[IntArray, IntArray]:
    while True:
        drawn = np.sort(rng.integers(n, size=n))
        left_out = np.ones(n, dtype=bool)
        left_out[drawn] = False
        if left_out.any():
            return drawn, np.flatnonzero(left_out)
