"""Nested K-fold cross-validation."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from errbar import _check, _rng
from errbar._check import IntArray
from errbar.errors import InvalidInputError
from errbar.plans._base import Plan, Split, partition, refuse_groups
from errbar.plans._kinds import Kind, Testing, Training


@dataclass(frozen=True)
class NestedKFold(Plan):
    """K-fold cross-validation, with a (K-1)-fold cross-validation inside each training set on the other folds.

    The training set that leaves out folds k and j serves the inner split (k, j) and (j, k), so a repeat costs
    K(K + 1)/2 fits and not K^2 (Bates, Hastie & Tibshirani 2024).

    Parameters
    ----------
    folds : int, default 10
        Number of folds K, at least 3.
    repeats : int, default 10
        Number of partitions; the first ones are those of ``KFold(folds)``, so both plans share their fits.

    Examples
    --------
    >>> from errbar.plans import NestedKFold, draw
    >>> drawn = draw(NestedKFold(folds=10, repeats=1), 100, 0)
    >>> len(drawn.splits), len(set(drawn.training_sets))
    (100, 55)
    """

    folds: int = 10
    repeats: int = 10
    kind: ClassVar[Kind] = Kind("nested-kfold", "nested K-fold cross-validation", Training.RANDOM, Testing.FOLDS)

    def __post_init__(self) -> None:
        """Check what can be checked before the data are known."""
        _check.count(self.folds, "folds", 3)
        _check.count(self.repeats, "repeats")

    def splits(self, n: int, rng: Any = None, y: Any = None, groups: Any = None) -> Iterator[Split]:  # noqa: ARG002
        """Yield outer splits, labelled ``repeat`` and ``fold``, and inner ones, which also have ``inner``."""
        refuse_groups(self, groups)
        if self.folds > n:
            raise InvalidInputError(f"`folds` must be at most the number of examples, {n}, got {self.folds}")
        base = _rng.root(rng)
        for repeat in range(self.repeats):
            parts = partition(n, self.folds, base, repeat)
            for fold, test in enumerate(parts):
                yield Split(_without(n, test), test, {"repeat": repeat, "fold": fold})
            for fold, left_out in enumerate(parts):
                for inner, test in enumerate(parts):
                    if inner != fold:
                        labels = {"repeat": repeat, "fold": fold, "inner": inner}
                        yield Split(_without(n, left_out, test), test, labels)


def _without(n: int, *parts: IntArray) -> IntArray:
    kept = np.ones(n, dtype=bool)
    for part in parts:
        kept[part] = False
    return np.flatnonzero(kept)
