"""K-fold cross-validation: once, repeated, five times two-fold, nested, and with replaced examples."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from errbar import _check, _rng
from errbar._check import IntArray
from errbar.plans._base import LeftOut, RandomPlan, Split, half_of, partition
from errbar.plans._kinds import FIVE_BY_TWO, KFOLD, NESTED_KFOLD, REPLACE_ONE, Kind
from errbar.plans._shares import DrawnUnits, dealt, evenly


@dataclass(frozen=True, repr=False)
class KFold(RandomPlan):
    """K-fold cross-validation on random folds, repeated r times with new folds.

    Where a run is given groups, each group is whole in one fold. Groups go in random order to the fold that is smallest by
    then, so sizes differ by at most the largest group.

    Parameters
    ----------
    folds : int, default 10
        Number of folds K; K = n is leave-one-out. Fold sizes differ by at most one.
    repeats : int, default 1
        Number of partitions r.
    stratify : bool, default False
        Whether folds keep the shares of the classes: counts of a class differ by at most one. Whole groups go to the fold
        that lacks their classes most.

    Examples
    --------
    >>> from errbar.plans import KFold
    >>> splits = list(KFold(folds=5, repeats=2).splits(100, 0))
    >>> len(splits), splits[0].test.size, dict(splits[7].labels)
    (10, 20, {'repeat': 1, 'fold': 2})
    """

    folds: int = 10
    repeats: int = 1
    stratify: bool = False
    kind: ClassVar[Kind] = KFOLD
    least: ClassVar[Mapping[str, int]] = {"folds": 2, "repeats": 1}
    whole_groups: ClassVar[bool] = True

    def drawn(self, units: DrawnUnits, base: int) -> Iterator[Split]:
        """Yield the splits, labelled ``repeat`` and ``fold``."""
        for repeat in range(self.repeats):
            parts, aside = self._parts(units, base, repeat)
            for fold, test in enumerate(parts):
                yield LeftOut(units.n, test, {"repeat": repeat, "fold": fold}, aside)

    def _parts(self, units: DrawnUnits, base: int, repeat: int) -> tuple[list[IntArray], IntArray]:
        """Return the folds of one repeat, and the examples that are in none of them."""
        return partition(units, self.folds, base, repeat), np.empty(0, dtype=np.int64)


@dataclass(frozen=True, repr=False)
class EqualKFold(KFold):
    """K-fold cross-validation with folds of exactly equal size, as estimators of its variance need.

    The n mod K examples that remain are left out at random, anew in every repeat, of training and test sets alike.

    Parameters
    ----------
    folds : int, default 10
        Number of folds K.
    repeats : int, default 1
        Number of partitions r.
    stratify : bool, default False
        Whether folds, and what is left out, keep the shares of the classes.

    Examples
    --------
    >>> from errbar.plans import EqualKFold
    >>> splits = list(EqualKFold(folds=10).splits(442, 0))
    >>> {(split.train.size, split.test.size) for split in splits}
    {(396, 44)}
    """

    whole_groups: ClassVar[bool] = False

    def _parts(self, units: DrawnUnits, base: int, repeat: int) -> tuple[list[IntArray], IntArray]:
        rest = units.n % self.folds
        if rest == 0 or self.folds > units.n:
            return super()._parts(units, base, repeat)
        rng = _rng.stream(base, *units.names, "equal folds", self.folds, repeat)
        order = units.by_class(rng)
        if units.classes is None:
            return [np.sort(part) for part in np.split(order[: units.n - rest], self.folds)], order[
                units.n - rest :
            ]
        aside = evenly(rng, units.n, rest)
        return dealt(np.delete(order, aside), self.folds, rng), order[aside]


@dataclass(frozen=True, repr=False)
class FiveByTwo(RandomPlan):
    """Five repeats of two-fold cross-validation (Dietterich 1998).

    Examples
    --------
    >>> from errbar.plans import FiveByTwo
    >>> splits = list(FiveByTwo().splits(100, 0))
    >>> len(splits), splits[0].train.size, dict(splits[9].labels)
    (10, 50, {'repeat': 4, 'fold': 1})
    """

    kind: ClassVar[Kind] = FIVE_BY_TWO

    def drawn(self, units: DrawnUnits, base: int) -> Iterator[Split]:
        """Yield the ten splits, labelled ``repeat`` and ``fold``."""
        yield from KFold(folds=2, repeats=5).drawn(units, base)


@dataclass(frozen=True, repr=False)
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
    stratify : bool, default False
        Whether folds keep the shares of the classes; groups are kept whole as by `KFold`.

    Examples
    --------
    >>> from errbar.plans import NestedKFold, draw
    >>> drawn = draw(NestedKFold(folds=10, repeats=1), 100, 0)
    >>> len(drawn.splits), len(set(drawn.training_sets))
    (100, 55)
    """

    folds: int = 10
    repeats: int = 10
    stratify: bool = False
    kind: ClassVar[Kind] = NESTED_KFOLD
    least: ClassVar[Mapping[str, int]] = {"folds": 3, "repeats": 1}
    whole_groups = True

    def least_number(self) -> int:
        """Return the number of splits."""
        return self.repeats * self.folds**2

    def drawn(self, units: DrawnUnits, base: int) -> Iterator[Split]:
        """Yield outer splits, labelled ``repeat`` and ``fold``, and inner ones, which also have ``inner``."""
        n = units.n
        for repeat in range(self.repeats):
            parts = partition(units, self.folds, base, repeat)
            for fold, test in enumerate(parts):
                yield LeftOut(n, test, {"repeat": repeat, "fold": fold})
            for fold, left_out in enumerate(parts):
                for inner, test in enumerate(parts):
                    if inner != fold:
                        yield LeftOut(
                            n, test, {"repeat": repeat, "fold": fold, "inner": inner}, left_out
                        )


@dataclass(frozen=True, repr=False)
class ReplaceOne(RandomPlan):
    """K-fold cross-validation of all data, of half the data, and of that half with one example replaced (Austern & Zhou 2020).

    Replacing an example leaves the training set of its own fold as it was, so m replacements cost
    K + K + m (K - 1) fits.

    Parameters
    ----------
    folds : int, default 5
        Number of folds K.
    replacements : int or None, default 100
        Number m of examples that are replaced, drawn at random where there are more than that in half the data; None
        replaces every one of the floor(n/2), as the original does.

    Examples
    --------
    >>> from errbar.plans import ReplaceOne, draw
    >>> drawn = draw(ReplaceOne(folds=5, replacements=None), 100, 0)
    >>> len(drawn.splits), len(set(drawn.training_sets))
    (260, 210)
    """

    folds: int = 5
    replacements: int | None = 100
    kind: ClassVar[Kind] = REPLACE_ONE
    least: ClassVar[Mapping[str, int]] = {"folds": 2}

    def __post_init__(self) -> None:
        """Check what can be checked before the data are known."""
        super().__post_init__()
        if self.replacements is not None:
            _check.count(self.replacements, "replacements", 2)

    def drawn(self, units: DrawnUnits, base: int) -> Iterator[Split]:
        """Yield folds of all data (``repeat``, ``fold``), of the half (``half``), and with one ``replaced``."""
        n = units.n
        half = half_of(n, self.folds)
        yield from KFold(self.folds).drawn(units, base)
        order = _rng.stream(base, "replace one").permutation(n)
        first, second = order[:half], order[half : 2 * half]
        for replaced in [None, *self._chosen(half, base)]:
            yield from _folds_of_half(first, second, self.folds, replaced)

    def _chosen(self, half: int, base: int) -> list[int]:
        if self.replacements is None or self.replacements >= half:
            return list(range(half))
        drawn = _rng.stream(base, "replaced").choice(half, self.replacements, replace=False)
        return sorted(int(i) for i in drawn)


def _folds_of_half(
    first: IntArray, second: IntArray, folds: int, replaced: int | None
) -> Iterator[Split]:
    examples, labels = first.copy(), {"half": 0}
    if replaced is not None:
        examples[replaced] = second[replaced]
        labels["replaced"] = replaced
    for fold, test in enumerate(np.array_split(examples, folds)):
        yield Split(np.setdiff1d(examples, test), np.sort(test), labels | {"fold": fold})
