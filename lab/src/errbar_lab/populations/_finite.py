"""A data set as the population: examples are drawn from it, so the truth can be computed from all the others."""

import copy
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike, NDArray

from errbar import _check
from errbar._check import IntArray
from errbar.errors import InvalidInputError
from errbar.fits.task import data_of
from errbar.metrics import CLASSIFICATION, REGRESSION
from errbar_lab.populations._base import Population, Sample

_BLOCK = 100_000


@dataclass(frozen=True, init=False, eq=False, repr=False)
class FinitePopulation(Population):
    """The examples of a data set, each as likely to be drawn as any other.

    Parameters
    ----------
    X : array-like, shape (size, features)
        Finite numbers, kept in their own type.
    y : array-like, shape (size,)
        Classes (text, whole numbers or truth values), or for regression floating point numbers.
    name : str, default "data"
        What the population is called in tables.
    replacement : bool, default False
        Whether the examples of a data set are drawn with replacement.

    Attributes
    ----------
    X : ndarray
        Features, read only.
    y : ndarray
        Positions in `classes` in a small type, or numbers as float64; read only.
    classes : ndarray or None
        The distinct labels in sorted order; None for regression.
    task : str
        Either ``"classification"`` or ``"regression"``.

    Raises
    ------
    InvalidInputError
        If features or targets are missing, not finite or of the wrong shape, or there is only one class.

    See Also
    --------
    errbar_lab.load_letter : Letter Recognition.
    errbar_lab.load_covertype : Forest CoverType.

    Notes
    -----
    Without replacement, the examples of a data set are all different and test examples are none of them. With
    replacement all are drawn independently, so a test example may well be one of the data set; its loss counts, as
    the population is what the examples are drawn from and not what is left of it.

    Examples
    --------
    >>> import numpy as np
    >>> from errbar_lab.populations import FinitePopulation
    >>> population = FinitePopulation([[1, 2], [3, 4], [5, 6], [7, 300]], ["a", "b", "b", "c"], name="tiny")
    >>> population.classes.tolist()
    ['a', 'b', 'c']
    >>> data, test = population.sample_with_test(3, 1, np.random.default_rng(0))
    >>> sorted(data.X[:, 0].tolist() + test.X[:, 0].tolist())
    [1.0, 3.0, 5.0, 7.0]
    """

    X: NDArray[Any]
    y: NDArray[Any]
    name: str
    replacement: bool
    classes: NDArray[Any] | None

    def __init__(
        self, X: ArrayLike, y: ArrayLike, *, name: str = "data", replacement: bool = False
    ) -> None:
        [name] = _check.names([name], "population")
        features = _numbers(X)
        # Only the number of rows is looked at: the features are checked above.
        target = data_of(features[:, :0], y, _task(y)).target
        codes = target.values
        if target.classes is not None:
            codes = codes.astype(np.min_scalar_type(target.classes.size - 1))
        self._set(X=_read_only(features), y=_read_only(codes), classes=target.classes, name=name)
        self._set(replacement=_check.flag(replacement, "replacement"))

    @property
    def size(self) -> int:
        """Number of examples."""
        return int(self.y.size)

    @property
    def task(self) -> str:
        """Either ``"classification"`` or ``"regression"``."""
        return REGRESSION if self.classes is None else CLASSIFICATION

    @cached_property
    def digest(self) -> str:
        """Digest of the examples in their order and of the way they are drawn; name and types of storage are not in it."""
        labels = (
            None if self.classes is None else [_plain(label) for label in self.classes.tolist()]
        )
        state = blake2b(repr((self.X.shape, labels, self.replacement)).encode(), digest_size=16)
        for array in (self.X, self.y.reshape(-1, 1)):
            for start in range(0, len(array), _BLOCK):
                # Adding zero makes 0.0 of -0.0, which is the same number.
                block = array[start : start + _BLOCK].astype("<f8", order="C") + 0.0
                state.update(block.data)
        return state.hexdigest()

    def sample(self, n: int, rng: Generator) -> Sample:
        """Draw a data set.

        Parameters
        ----------
        n : int
            Number of examples; without replacement at most `size`.
        rng : numpy.random.Generator
            Source of randomness.

        Returns
        -------
        Sample
            Examples in random order.

        Raises
        ------
        InvalidInputError
            If there are not that many examples to draw without replacement.
        """
        return self._take(self._draw(_check.count(n, "n"), 0, rng))

    def sample_with_test(self, n: int, n_test: int, rng: Generator) -> tuple[Sample, Sample]:
        """Draw a data set, the one that `sample` would draw, and examples to test on.

        Parameters
        ----------
        n, n_test : int
            Number of examples of each; without replacement together at most `size`.
        rng : numpy.random.Generator
            Source of randomness.

        Returns
        -------
        data, test : Sample
            Without replacement no example is in both; with replacement all examples are independent.

        Raises
        ------
        InvalidInputError
            If there are not that many examples to draw without replacement.
        """
        n, n_test = _check.count(n, "n"), _check.count(n_test, "n_test")
        rows = self._draw(n, n_test, rng)
        if self.replacement:
            return self._take(rows), self._take(self._draw(n_test, 0, rng))
        rest = rng.choice(self.size - n, n_test, replace=False)
        return self._take(rows), self._take(_outside(np.sort(rows), rest))

    def with_replacement(self) -> "FinitePopulation":
        """Return the same population, to be drawn from with replacement.

        Returns
        -------
        FinitePopulation
            It shares the examples with this one.
        """
        return self._changed(replacement=True)

    def recoded(self, group: Callable[[Any], Any], *, name: str) -> "FinitePopulation":
        """Return the same examples with other classes.

        Parameters
        ----------
        group : callable
            Gives the new label of each class.
        name : str
            Name of the new population.

        Returns
        -------
        FinitePopulation
            It shares the features with this one.

        Raises
        ------
        InvalidInputError
            If all classes become one, or the population is for regression.

        Examples
        --------
        >>> from errbar_lab.populations import FinitePopulation
        >>> population = FinitePopulation([[1], [2], [3]], ["a", "b", "c"])
        >>> population.recoded(lambda label: label == "a", name="a or not").classes.tolist()
        [False, True]
        """
        labels = [] if self.classes is None else [group(label) for label in self.classes.tolist()]
        if len(set(labels)) < 2:
            raise InvalidInputError("must leave at least two classes", argument="group")
        classes, codes = np.unique(np.array(labels), return_inverse=True)
        table = codes.astype(np.min_scalar_type(classes.size - 1))
        return self._changed(y=_read_only(table[self.y]), classes=classes, name=name)

    def _draw(self, n: int, n_test: int, rng: Generator) -> IntArray:
        if self.replacement:
            return rng.integers(0, self.size, n)
        if n + n_test > self.size:
            raise InvalidInputError(
                f"is {n} with {n_test} to test on, and {self.name!r} has {self.size} examples to "
                "draw without replacement",
                argument="n",
            )
        return rng.choice(self.size, n, replace=False)

    def _take(self, rows: IntArray) -> Sample:
        kind = np.int64 if self.classes is not None else np.float64
        return Sample(self.X[rows].astype(np.float64, order="C"), self.y[rows].astype(kind))

    def _changed(self, **fields: Any) -> "FinitePopulation":
        # Not dataclasses.replace: it would check and encode all examples anew.
        other = copy.copy(self)
        other.__dict__.pop("digest", None)
        other._set(**fields)
        return other

    def _set(self, **fields: Any) -> None:
        for name, value in fields.items():
            object.__setattr__(self, name, value)


def _numbers(X: ArrayLike) -> NDArray[Any]:
    array = np.asarray(X)
    if array.dtype == object:
        array = array.astype(np.float64)
    if array.ndim != 2 or 0 in array.shape or array.dtype.kind not in "biuf":
        raise InvalidInputError(
            f"must be a table of numbers with one row per example, got {_check.brief(X)}",
            argument="X",
        )
    if not np.isfinite(array).all():
        raise InvalidInputError("must hold finite numbers only", argument="X")
    return array


def _read_only(array: Any) -> Any:
    view = array.view()
    view.setflags(write=False)
    return view


def _task(y: ArrayLike) -> str:
    array = np.asarray(y, dtype=object) if isinstance(y, (list, tuple)) else np.asarray(y)
    fractional = array.dtype.kind == "f" or (
        array.dtype == object and any(isinstance(value, float) for value in array.flat)
    )
    return REGRESSION if fractional else CLASSIFICATION


def _plain(label: Any) -> str:
    if isinstance(label, str):
        return repr(label)
    return repr(int(label)) if float(label).is_integer() else repr(float(label))


def _outside(rows: IntArray, ranks: IntArray) -> IntArray:
    """Return the positions that have the given ranks among those not in `rows`, which is in ascending order."""
    positions: IntArray = ranks + np.searchsorted(rows - np.arange(rows.size), ranks, side="right")
    return positions
