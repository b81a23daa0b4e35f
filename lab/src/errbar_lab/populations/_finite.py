"""A data set as the population: examples are drawn from it, so the truth can be computed from all the others."""

import copy
from collections.abc import Callable, Iterator, Mapping
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
from errbar.fits.data import prepare
from errbar.metrics import CLASSIFICATION, REGRESSION
from errbar_lab.populations._base import Sample

Label = str | int | float | bool
Groups = Mapping[Any, Label] | Callable[[Any], Label]

_BLOCK = 1 << 22
_NARROW = tuple(np.dtype(name) for name in ("u1", "i1", "u2", "i2", "u4", "i4", "f4"))


@dataclass(frozen=True, init=False, eq=False, repr=False)
class FinitePopulation:
    """The examples of a data set, each as likely to be drawn as any other.

    Parameters
    ----------
    X : array-like, shape (size, features)
        Finite numbers. They are kept in the smallest type that holds them all exactly, and not copied where they
        already have it; a memory-mapped array stays where it is.
    y : array-like, shape (size,)
        Classes (text, whole numbers or truth values), or for regression floating point numbers.
    name : str, default "data"
        What the population is called in tables.
    replacement : bool, default False
        Whether the examples of a data set are drawn with replacement.

    Attributes
    ----------
    X : ndarray
        Features in their small type, read only.
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
    >>> population
    <FinitePopulation 'tiny': 4 examples, 2 features, 3 classes, drawn without replacement>
    >>> population.X.dtype.name, population.classes.tolist()
    ('uint16', ['a', 'b', 'c'])
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
        features = _compact(_matrix(X))
        # Only the number of rows is looked at: the features are checked above.
        target = prepare(features[:, :0], y, _task(y)).target
        codes = target.values
        if target.classes is not None:
            codes = codes.astype(np.min_scalar_type(target.classes.size - 1))
        self._set(X=_read_only(features), y=_read_only(codes), classes=target.classes, name=name)
        self._set(replacement=_check.flag(replacement, "replacement"))

    def __repr__(self) -> str:
        kind = "regression" if self.classes is None else f"{self.classes.size} classes"
        drawn = "with" if self.replacement else "without"
        return (
            f"<FinitePopulation {self.name!r}: {self.size} examples, {self.X.shape[1]} features, {kind}, "
            f"drawn {drawn} replacement>"
        )

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
            for block in _blocks(array):
                # Adding zero makes 0.0 of -0.0, which is the same number.
                state.update((block.astype("<f8", order="C") + 0.0).data)
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

    def recoded(self, groups: Groups, *, name: str | None = None) -> "FinitePopulation":
        """Return the same examples with other classes.

        Parameters
        ----------
        groups : mapping or callable
            New label of each class: ``groups[label]`` or ``groups(label)``.
        name : str, optional
            Name of the new population; by default the old one with "(recoded)".

        Returns
        -------
        FinitePopulation
            It shares the features with this one.

        Raises
        ------
        InvalidInputError
            If a class has no group, or all have the same.

        Examples
        --------
        >>> from errbar_lab.populations import FinitePopulation
        >>> population = FinitePopulation([[1], [2], [3]], ["a", "b", "c"])
        >>> vowels = population.recoded(lambda letter: "vowel" if letter in "aeiou" else "consonant", name="vowels")
        >>> vowels.classes.tolist(), vowels.y.tolist()
        (['consonant', 'vowel'], [1, 0, 0])
        """
        if self.classes is None:
            raise InvalidInputError(
                "is for classes, but the target of this population is a number", argument="groups"
            )
        labels = [_group(groups, label) for label in self.classes.tolist()]
        if len({isinstance(label, str) for label in labels}) > 1:
            raise InvalidInputError("must give either text or numbers, got both", argument="groups")
        classes, codes = np.unique(np.array(labels), return_inverse=True)
        if classes.size < 2:
            raise InvalidInputError(
                f"must leave at least two classes, got only {classes.tolist()[0]!r}",
                argument="groups",
            )
        table = codes.astype(np.min_scalar_type(classes.size - 1))
        [name] = _check.names([f"{self.name} (recoded)" if name is None else name], "population")
        return self._changed(y=_read_only(table[self.y]), classes=classes, name=name)

    def _draw(self, n: int, n_test: int, rng: Generator) -> IntArray:
        """Return the rows of a data set, if `n_test` further examples can be drawn too."""
        if self.replacement:
            return rng.integers(0, self.size, n)
        if n + n_test > self.size:
            asked = f"+ `n_test` is {n} + {n_test}" if n_test else f"is {n}"
            raise InvalidInputError(
                f"{asked}, but {self.name!r} has only {self.size} examples to draw without replacement",
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


def _matrix(X: ArrayLike) -> NDArray[Any]:
    if hasattr(X, "tocsr"):
        raise InvalidInputError(
            "must be a dense array, got a sparse matrix; X.toarray() makes one of it", argument="X"
        )
    try:
        array = np.asanyarray(X)
        array = array.astype(np.float64) if array.dtype == object else array
    except (TypeError, ValueError):
        raise InvalidInputError(
            "must be a table of numbers with one row per example", argument="X"
        ) from None
    if array.ndim != 2 or 0 in array.shape:
        raise InvalidInputError(
            f"must have one row per example and one column per feature, got shape {array.shape}",
            argument="X",
        )
    if array.dtype.kind not in "biuf":
        raise InvalidInputError(f"must hold numbers only, got {array[0, 0].item()!r}", argument="X")
    start = 0
    for block in _blocks(array):
        if not np.isfinite(block).all():
            row, column = (int(place) for place in np.argwhere(~np.isfinite(block))[0])
            raise InvalidInputError(
                f"holds {block[row, column]} for example {start + row}, feature {column} (counted from 0); "
                "every value must be finite",
                argument="X",
            )
        start += len(block)
    return array


def _compact(X: NDArray[Any]) -> NDArray[Any]:
    """Return the numbers in the smallest type that holds them exactly, copied only where that changes anything."""
    if isinstance(X, np.memmap):
        return np.asarray(X)
    low, high = float(X.min()), float(X.max())
    for dtype in _NARROW:
        limits: Any = np.finfo(dtype) if dtype.kind == "f" else np.iinfo(dtype)
        inside = float(limits.min) <= low and high <= float(limits.max)
        if inside and all(np.array_equal(block.astype(dtype), block) for block in _blocks(X)):
            return np.asarray(X, dtype, order="C")
    return np.asarray(X, np.float64, order="C")


def _blocks(array: NDArray[Any]) -> Iterator[NDArray[Any]]:
    """Yield some rows at a time, so that temporary copies stay small."""
    rows = max(1, _BLOCK // array.shape[1])
    return (array[start : start + rows] for start in range(0, len(array), rows))


def _read_only(array: NDArray[Any]) -> NDArray[Any]:
    view = array.view()
    view.setflags(write=False)
    return view


def _task(y: ArrayLike) -> str:
    array = np.asarray(y, dtype=object) if isinstance(y, (list, tuple)) else np.asarray(y)
    if array.dtype.kind not in "biufUO":
        raise InvalidInputError(
            f"must hold text or numbers, got values of type {array.dtype}", argument="y"
        )
    if array.dtype == object:
        fractional = any(isinstance(value, (float, np.floating)) for value in array.flat)
    else:
        fractional = array.dtype.kind == "f"
    return REGRESSION if fractional else CLASSIFICATION


def _plain(label: Label) -> str:
    """Return the label in words that do not depend on its type: 1, 1.0 and True are the same class, "1" is not."""
    if isinstance(label, str):
        return repr(label)
    return repr(int(label)) if float(label).is_integer() else repr(float(label))


def _group(groups: Groups, label: Any) -> Label:
    if not isinstance(groups, Mapping):
        return groups(label)
    if label not in groups:
        raise InvalidInputError(
            f"must name a group for every class of the population, got none for {label!r}",
            argument="groups",
        )
    return groups[label]


def _outside(rows: IntArray, ranks: IntArray) -> IntArray:
    """Return the positions that have the given ranks among those not in `rows`, which is in ascending order."""
    positions: IntArray = ranks + np.searchsorted(rows - np.arange(rows.size), ranks, side="right")
    return positions
