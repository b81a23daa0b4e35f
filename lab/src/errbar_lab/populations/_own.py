"""A user's own data as the population: examples, or whole groups of them, are drawn from it."""

from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.random import Generator

from errbar import _check
from errbar._check import IntArray
from errbar.errors import InvalidInputError
from errbar.fits.learners import digest
from errbar.fits.task import Data, data_of, take
from errbar.metrics import CLASSIFICATION
from errbar_lab.populations._base import PATIENCE, Drawn, Population, members_of, one_class

# A data set has a tenth of the examples, but not fewer or more than these, and at least so many groups.
_SHARE, _LEAST, _MOST, _LEAST_GROUPS = 10, 50, 300, 20


@dataclass(frozen=True, eq=False)
class OwnData(Population):
    """Data as learners get them, and the way in which data sets are drawn from them.

    Attributes
    ----------
    data : Data
        Features and targets, checked.
    groups : ndarray of int or None
        Group of each example, counted from 0.
    replacement : bool
        Whether examples, or groups, are drawn with replacement.
    positive : object
        The class that metrics such as F1 are about.
    """

    data: Data
    groups: IntArray | None
    replacement: bool
    positive: Any = None
    name: str = "the data"

    @classmethod
    def of(
        cls,
        X: Any,
        y: Any,
        task: str,
        groups: Any = None,
        *,
        positive: Any = None,
        replacement: bool = False,
    ) -> "OwnData":
        """Check the data and the groups."""
        data = data_of(X, y, task, positive)
        _check.flag(replacement, "replacement")
        if groups is not None:
            values = _check.categories(groups, "`groups`")
            if values.size != data.y.size:
                raise InvalidInputError(
                    f"must hold one value per example, {data.y.size} in all, got {values.size}",
                    argument="groups",
                )
            groups = np.unique(values, return_inverse=True)[1]
        return cls(data, groups, replacement, positive)

    @property
    def task(self) -> str:
        """Either ``"classification"`` or ``"regression"``."""
        return self.data.target.task

    @property
    def size(self) -> int:
        """Number of examples."""
        return self.data.y.size

    @cached_property
    def digest(self) -> str:
        """Digest of the data and of the way they are drawn; types of numbers are not in it."""
        X = self.data.X
        kinds = [getattr(kind, "kind", "") for kind in getattr(X, "dtypes", ())]
        if all(kind in list("biuf") for kind in kinds):
            X = X if hasattr(X, "tocsr") else np.asarray(X)
            X = X.astype(np.float64) if X.dtype.kind in "biuf" else X
        y = self.data.target.values.astype(np.float64)
        state = blake2b(digest_size=16)
        for part in (X, y, np.array([self.replacement]), self.groups):
            if isinstance(part, np.ndarray) and part.dtype != object:
                state.update(f"{part.dtype!r}{part.shape}".encode())
                state.update(np.ascontiguousarray(part).data)
            elif part is not None:
                state.update(digest(part).encode())
        return state.hexdigest()

    @property
    def units(self) -> int:
        """Number of what is drawn: groups if there are any, otherwise examples."""
        return self.size if self.groups is None else len(self._members)

    def units_of(self, n: int) -> int:
        """Return how many of them make a data set of about n examples."""
        return n if self.groups is None else max(2, round(n * self.units / self.size))

    def rounded(self, n: float) -> int:
        """Return how many examples they have on average."""
        if self.groups is None:
            return round(n)
        return round(self.units_of(round(n)) * self.size / self.units)

    def chosen_size(self, n: int | None) -> int:
        """Return the size of data sets that is asked for, or one that suits the data."""
        largest = self.size if self.replacement else self.size // 2
        if n is None:
            least = _LEAST
            if self.groups is not None:
                least = max(least, round(_LEAST_GROUPS * self.size / self.units))
            wanted = min(max(self.size // _SHARE, least), max(least, _MOST), largest)
            return self.rounded(max(2, wanted))
        if _check.count(n, "n", 2) > largest:
            raise InvalidInputError(
                f"must be at most {largest} of {self.size} examples, half of them without "
                f"replacement, got {n}",
                argument="n",
            )
        return self.rounded(n)

    def drawn(self, n: int, n_test: int, rng: Generator) -> Drawn:
        """Draw a data set of about n examples, and others to test on, as many as there are at most."""
        for _ in range(PATIENCE):
            rows, groups, rest = self._rows(self.units_of(n), rng)
            codes = self.data.target.values[rows]
            if self.task != CLASSIFICATION or codes.min() != codes.max():
                break
        else:
            raise one_class(self, n)
        count = n_test if self.replacement else min(n_test, rest.size)
        tests = rng.choice(rest, count, replace=self.replacement)
        every = np.concatenate([rows, tests])
        return Drawn(take(self.data.X, every), self.data.y[every], rows.size, groups)

    def _rows(self, count: int, rng: Generator) -> tuple[IntArray, IntArray | None, IntArray]:
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
    def _members(self) -> Any:
        return members_of(self.groups)
