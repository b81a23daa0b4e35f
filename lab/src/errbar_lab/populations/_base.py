"""What a population is: something that data sets can be drawn from."""

from abc import ABC, abstractmethod
from hashlib import blake2b
from typing import Any, ClassVar, NamedTuple, Protocol

from numpy.random import Generator
from numpy.typing import NDArray

from errbar import _check
from errbar._check import FloatArray


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


class Population(Protocol):
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

    @property
    def name(self) -> str:
        """What the population is called in tables."""

    @property
    def digest(self) -> str:
        """Digest of content and parameters."""

    @property
    def task(self) -> str:
        """Either ``"classification"`` or ``"regression"``."""

    def sample(self, n: int, rng: Generator) -> Sample:
        """Draw a data set of `n` examples."""

    def sample_with_test(self, n: int, n_test: int, rng: Generator) -> tuple[Sample, Sample]:
        """Draw a data set of `n` examples, the one `sample` would draw, and `n_test` examples to test on."""


class Law(ABC):
    """Base of the populations that are given by a law, not by a list of examples.

    A subclass is a frozen dataclass whose fields are its parameters and nothing else; they make the digest.
    """

    task: ClassVar[str]

    @property
    @abstractmethod
    def name(self) -> str:
        """What the population is called in tables."""

    @property
    def digest(self) -> str:
        """Digest of the kind of population and its parameters."""
        return blake2b(repr(self).encode(), digest_size=16).hexdigest()

    def sample(self, n: int, rng: Generator) -> Sample:
        """Draw a data set.

        Parameters
        ----------
        n : int
            Number of examples.
        rng : numpy.random.Generator
            Source of randomness.

        Returns
        -------
        Sample
            Independent examples.
        """
        return self._draw(_check.count(n, "n"), rng)

    def sample_with_test(self, n: int, n_test: int, rng: Generator) -> tuple[Sample, Sample]:
        """Draw a data set, the one that `sample` would draw, and examples to test on.

        Parameters
        ----------
        n, n_test : int
            Number of examples of each.
        rng : numpy.random.Generator
            Source of randomness.

        Returns
        -------
        data, test : Sample
            All examples are independent of each other.
        """
        n_test = _check.count(n_test, "n_test")
        return self.sample(n, rng), self._draw(n_test, rng)

    @abstractmethod
    def _draw(self, n: int, rng: Generator) -> Sample:
        """Draw `n` independent examples."""
