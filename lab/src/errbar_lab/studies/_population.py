"""A user's own data as the population: columns of any kind, and whole groups where examples belong together."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from errbar import _check
from errbar._check import IntArray
from errbar.errors import InvalidInputError
from errbar.fits.data import Data, digest, prepare, take
from errbar.metrics import CLASSIFICATION

_SHARE, _LEAST, _MOST = 10, 50, 300
_LEAST_GROUPS = 20
_PATIENCE = 1000


@dataclass(frozen=True, eq=False)
class Drawn:
    """A data set, and other examples to test its models on.

    Attributes
    ----------
    X : array or data frame
        Features: the examples of the data set first, the others after them.
    y : ndarray
        Targets as learners see them, in the same order.
    codes : ndarray
        Targets as losses see them, in the same order.
    n : int
        Examples in the data set.
    groups : ndarray of int, shape (n,), or None
        Group of each example of the data set.
    """

    X: Any
    y: NDArray[Any]
    codes: NDArray[Any]
    n: int
    groups: IntArray | None


@dataclass(frozen=True, eq=False)
class OwnData:
    """The user's examples, of which each, or each group of them, is as likely to be drawn as any other.

    Attributes
    ----------
    data : Data
        Features of any kind, and the target.
    groups : ndarray of int, shape (size,), or None
        Number of the group of each example, where whole groups are drawn.
    replacement : bool
        Whether examples, or groups, are drawn with replacement.
    """

    data: Data
    groups: IntArray | None
    replacement: bool
    name: str = "the data"

    @classmethod
    def of(
        cls, X: Any, y: Any, task: str, *, groups: Any, positive: Any, replacement: bool
    ) -> "OwnData":
        """Check data as `errbar.run` does."""
        data = prepare(X, y, task, positive)
        _check.flag(replacement, "replacement")
        if groups is None:
            return cls(data, None, replacement)
        values = _check.categories(groups, "`groups`")
        if values.size != data.n:
            raise InvalidInputError(
                f"must hold one value per example, {data.n} in all, got {values.size}",
                argument="groups",
            )
        return cls(data, np.unique(values, return_inverse=True)[1], replacement)

    @property
    def task(self) -> str:
        """Either ``"classification"`` or ``"regression"``."""
        return self.data.target.task

    @property
    def size(self) -> int:
        """Number of examples."""
        return self.data.n

    @cached_property
    def digest(self) -> str:
        """Digest of the numbers, by which data sets are drawn: neither types nor names of classes are in it."""
        X = self.data.X
        if not hasattr(X, "dtypes") or all(
            getattr(kind, "kind", "") in "biuf" for kind in X.dtypes
        ):
            X = np.asarray(X) if not hasattr(X, "tocsr") else X
            X = X.astype(np.float64) if X.dtype.kind in "biuf" else X
        parts = (X, self.data.target.values.astype(np.float64))
        return digest(
            *parts, np.array([self.replacement]), *(() if self.groups is None else (self.groups,))
        )

    @property
    def units(self) -> int:
        """Number of what is drawn: groups, or examples."""
        return self.size if self.groups is None else len(self._members)

    def units_of(self, n: int) -> int:
        """Return how many groups, or examples, a data set of about n examples has."""
        return n if self.groups is None else max(2, round(n * self.units / self.size))

    def rounded(self, n: float) -> int:
        """Return the size of a data set of whole groups that is nearest to n."""
        return (
            round(n)
            if self.groups is None
            else round(self.units_of(round(n)) * self.size / self.units)
        )

    def chosen_size(self, n: int | None) -> int:
        """Return the size of the data sets: by default a tenth of the data, where that is neither too small nor costly.

        Raises
        ------
        InvalidInputError
            If too few examples would be left to compute the truth from.
        """
        largest = self.size if self.replacement else self.size // 2
        if n is None:
            least = (
                _LEAST
                if self.groups is None
                else max(_LEAST, round(_LEAST_GROUPS * self.size / self.units))
            )
            return self.rounded(
                max(2, min(max(self.size // _SHARE, least), max(least, _MOST), largest))
            )
        if _check.count(n, "n", 2) > largest:
            way = (
                "with replacement"
                if self.replacement
                else "without replacement, which is half of them"
            )
            raise InvalidInputError(
                f"must be at most {largest} of {self.size} examples {way}, got {n}", argument="n"
            )
        return self.rounded(n)

    def drawn(self, n: int, n_test: int, rng: Generator) -> Drawn:
        """Draw a data set of about n examples, and at most `n_test` others; a data set of one class is drawn again.

        Without replacement the others are in none of its groups. With replacement they are drawn from all, as the data set
        is.
        """
        for _ in range(_PATIENCE):
            rows, groups, rest = self._rows(self.units_of(n), rng)
            codes = self.data.target.values[rows]
            if self.task != CLASSIFICATION or codes.min() != codes.max():
                break
        else:
            raise InvalidInputError(
                f"of {_PATIENCE} data sets of {n} examples from {self.name} none had two classes; take larger data sets"
            )
        tests = rng.choice(
            rest, n_test if self.replacement else min(n_test, rest.size), replace=self.replacement
        )
        every = np.concatenate([rows, tests])
        data = self.data
        return Drawn(
            take(data.X, every), data.y[every], data.target.values[every], rows.size, groups
        )

    def _rows(self, count: int, rng: Generator) -> tuple[IntArray, IntArray | None, IntArray]:
        """Return the rows of a data set, their groups, and the rows from which others are drawn."""
        drawn = rng.choice(self.units, count, replace=self.replacement)
        left = np.ones(self.units, dtype=bool)
        left[drawn] = self.replacement
        if self.groups is None:
            return drawn, None, np.flatnonzero(left)
        found = [self._members[unit] for unit in drawn]
        # A group that is drawn twice is two groups.
        own = np.repeat(np.arange(count), [rows.size for rows in found])
        return np.concatenate(found), own, np.flatnonzero(left[self.groups])

    @cached_property
    def _members(self) -> list[IntArray]:
        """The rows of each group."""
        assert self.groups is not None
        order = np.argsort(self.groups, kind="stable")
        return np.split(order, np.flatnonzero(np.diff(self.groups[order])) + 1)
