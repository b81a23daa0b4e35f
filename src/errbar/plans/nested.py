"""Nested K-fold cross-validation."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar

from errbar.plans._base import LeftOut, RandomPlan, Split, partition
from errbar.plans._kinds import Kind, Testing, Training


@dataclass(frozen=True)
class NestedKFold(RandomPlan):
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
    least: ClassVar[Mapping[str, int]] = {"folds": 3, "repeats": 1}

    def drawn(self, n: int, base: int) -> Iterator[Split]:
        """Yield outer splits, labelled ``repeat`` and ``fold``, and inner ones, which also have ``inner``."""
        for repeat in range(self.repeats):
            parts = partition(n, self.folds, base, repeat)
            for fold, test in enumerate(parts):
                yield LeftOut(n, test, {"repeat": repeat, "fold": fold})
            for fold, left_out in enumerate(parts):
                for inner, test in enumerate(parts):
                    if inner != fold:
                        yield LeftOut(n, test, {"repeat": repeat, "fold": fold, "inner": inner}, left_out)
