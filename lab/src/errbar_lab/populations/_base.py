"""What a population is: something that data sets can be drawn from."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from errbar import _check
from errbar._check import FloatArray, IntArray
from errbar.errors import InvalidInputError
from errbar.metrics import CLASSIFICATION

PATIENCE = 1000


class Sample(NamedTuple):
    """Examples drawn from a population.

    Attributes
    ----------
    X : ndarray of float64, shape (n, features)
        Features, row after row in memory.
    y : ndarray, shape (n,)
        Codes of the classes from 0 upwards as int64, or numbers as float64.
    """

    X: FloatArray
    y: NDArray[Any]


@dataclass(frozen=True, eq=False)
class Drawn:
    """A data set of n examples with the groups of these, if any; test examples follow them."""

    X: Any
    y: NDArray[Any]
    n: int
    groups: IntArray | None = None


class Population(ABC):
    """A distribution P of examples (x, y). Populations are plain values: they hold no random state.

    Attributes
    ----------
    name : str
        What it is called in tables.
    digest : str
        Digest of content and parameters: equal exactly for equal populations, on any machine.
    task : {"classification", "regression"}
        Whether y is a class or a number.
    """

    name: Any
    digest: Any
    task: Any

    def sample(self, n: int, rng: Generator) -> Sample:
        """Draw a data set of `n` examples."""
        found = self.drawn(n, 0, rng)
        return Sample(found.X, found.y)

    def sample_with_test(self, n: int, n_test: int, rng: Generator) -> tuple[Sample, Sample]:
        """Draw a data set of `n` examples, the one `sample` would draw, and `n_test` examples to test on."""
        return self.sample(n, rng), self.sample(n_test, rng)

    def drawn(self, n: int, n_test: int, rng: Generator) -> Drawn:
        """Draw a data set, again while all its examples are of one class, and test examples."""
        for _ in range(PATIENCE):
            if not n_test:
                data = self.sample(n, rng)
                found = Drawn(*data, n)
            else:
                data, test = self.sample_with_test(n, n_test, rng)
                X, y = (np.concatenate(both) for both in zip(data, test, strict=True))
                found = Drawn(X, y, n)
            if self.task != CLASSIFICATION or data.y.min() != data.y.max():
                return found
        raise one_class(self, n)


def members_of(groups: Any) -> list[IntArray]:
    """Return the examples of each group; groups are numbers from 0."""
    order = np.argsort(groups, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(groups[order])) + 1)


def one_class(population: Any, n: int) -> InvalidInputError:
    """Return the refusal of data sets that no classifier could be trained on."""
    return InvalidInputError(
        f"of {PATIENCE} data sets of {n} examples from {population.name!r} none had two classes; "
        "take larger data sets"
    )


class Law(Population):
    """A population that is given by a law: a frozen dataclass whose fields are its parameters and make the digest."""

    @property
    def digest(self) -> str:
        """Digest of the kind of population and its parameters."""
        return blake2b(repr(self).encode(), digest_size=16).hexdigest()

    def sample(self, n: int, rng: Generator) -> Sample:
        """Draw independent examples.

        Parameters
        ----------
        n : int
            Number of examples.
        rng : numpy.random.Generator
            Source of randomness.

        Returns
        -------
        Sample
            Features and targets.
        """
        return self._draw(_check.count(n, "n"), rng)

    @abstractmethod
    def _draw(self, n: int, rng: Generator) -> Sample:
        pass
