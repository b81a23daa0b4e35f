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
from errbar.plans._kinds import BOOTSTRAP, SUBSAMPLING, Kind
from errbar.plans._shares import DrawnUnits, random_split

__all__ = ["Bootstrap", "Subsampling", "random_split", "sizes"]

# Two examples are both drawn half of the time; so often in a row they never are.
_TRIES = 1000


@dataclass(frozen=True, repr=False)
class Bootstrap(RandomPlan):
    """B bootstrap samples: n examples drawn with replacement to train on, tested on all that were not drawn.

    What is drawn is examples, and all copies of one are on the training side. A sample that leaves nobody out, which
    happens with a handful of examples only, is drawn again. Where a run is given groups, as many whole groups as there are
    are drawn with replacement, and the groups that were not drawn are tested on.

    Parameters
    ----------
    repeats : int, default 200
        Number of samples B.
    training_error : bool, default False
        Also fit on all examples and test on the same, as the .632 estimators need.
    stratify : bool, default False
        Whether as many examples of each class are drawn as there are; of groups, those that count for the class of most of
        their examples.

    Examples
    --------
    >>> from errbar.plans import Bootstrap
    >>> splits = list(Bootstrap(repeats=3, training_error=True).splits(100, 0))
    >>> len(splits), splits[0].train.size, bool(set(splits[0].train) & set(splits[0].test)), dict(splits[3].labels)
    (4, 100, False, {'resubstitution': 0})
    """

    repeats: int = 200
    training_error: bool = False
    stratify: bool = False
    kind: ClassVar[Kind] = BOOTSTRAP
    least: ClassVar[Mapping[str, int]] = {"repeats": 2}
    whole_groups = True

    def __post_init__(self) -> None:
        """Check what can be checked before the data are known."""
        super().__post_init__()
        _check.flag(self.training_error, "training_error")

    def drawn(self, units: DrawnUnits, base: int) -> Iterator[Split]:
        """Yield the samples, labelled ``repeat``, and the test on the training set, labelled ``resubstitution``."""
        for repeat in range(self.repeats):
            train, test = _sample(_rng.stream(base, *units.names, "bootstrap", repeat), units)
            yield Split(train, test, {"repeat": repeat})
        if self.training_error:
            yield Split(np.arange(units.n), np.arange(units.n), {"resubstitution": 0})


@dataclass(frozen=True, repr=False)
class Subsampling(RandomPlan):
    """J independent random splits into n1 training and n2 test examples (Nadeau & Bengio 2003, section 2).

    Where a run is given groups, whole groups are drawn, and sizes are of groups: counts of them, or fractions of their
    number.

    Parameters
    ----------
    n_train : int or float, optional
        Training examples n1, as a count or a fraction; by default all that are not tested on.
        n1 + n2 may be less than n.
    n_test : int or float, default 0.1
        Test examples n2, as a count or a fraction.
    repeats : int, default 15
        Number of splits J.
    stratify : bool, default False
        Whether test sets keep the shares of the classes: counts are off by less than one. So are those of training sets,
        unless n1 + n2 is less than n. Whole groups keep the shares as well as dealing them out one by one does.

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
    stratify: bool = False
    kind: ClassVar[Kind] = SUBSAMPLING
    least: ClassVar[Mapping[str, int]] = {"repeats": 1}
    whole_groups = True

    def drawn(self, units: DrawnUnits, base: int) -> Iterator[Split]:
        """Yield the splits, labelled ``repeat``."""
        n_train, n_test = sizes(self.n_train, self.n_test, units.count, units.what)
        for repeat in range(self.repeats):
            train, test = units.split(
                _rng.stream(base, *units.names, "subsampling", repeat), n_train, n_test
            )
            yield Split(train, test, {"repeat": repeat})


def sizes(n_train: float | None, n_test: float, n: int, what: str = "examples") -> tuple[int, int]:
    """Return both sizes as counts that fit into `n` examples or groups; without the first, all that are not tested on."""
    test = size(n_test, n, "n_test", what)
    train = n - test if n_train is None else size(n_train, n, "n_train", what)
    if train + test > n:
        raise InvalidInputError(
            f"+ `n_test` must be at most {n}, got {train} + {test}", argument="n_train"
        )
    return train, test


def _sample(rng: Generator, units: DrawnUnits) -> tuple[IntArray, IntArray]:
    for _ in range(_TRIES):
        drawn = units.resampled(rng)
        left_out = np.ones(units.n, dtype=bool)
        left_out[drawn] = False
        if left_out.any():
            return drawn, np.flatnonzero(left_out)
    raise InvalidInputError(
        f"no class has several {units.what}, so samples that keep their shares leave none out"
    )
