"""Resampling on all data and, to see how much its mean varies, on random halves of the data."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from errbar import _rng
from errbar._check import IntArray
from errbar.errors import InvalidInputError
from errbar.plans._base import LeftOut, RandomPlan, Split, half_of, partition, size
from errbar.plans._kinds import HALVED_KFOLD, HALVES, Kind
from errbar.plans._shares import DrawnUnits, random_split
from errbar.plans.subsampling import Subsampling


@dataclass(frozen=True, repr=False)
class PairedHalves(RandomPlan):
    """Random splits of all data, and of both halves of M random halvings (Nadeau & Bengio 2003, section 4.2).

    The halves have floor(n/2) examples each; with an odd number one example, drawn at random, is left out of a
    halving. Splits of a half have n1' = floor(n/2) - n2 training examples and as many test examples n2 as the splits
    of all data, which are those of ``Subsampling``. J + 2 M J fits.

    Parameters
    ----------
    n_train : int or float, optional
        Training examples n1 of the splits of all data, as a count or a fraction; by default all that are not tested on.
    n_test : int or float, default 0.1
        Test examples n2, as a count or a fraction of all data; fewer than floor(n/2).
    repeats : int, default 15
        Number of splits J, of all data and of each half.
    halvings : int, default 10
        Number of halvings M.

    Examples
    --------
    >>> from errbar.plans import PairedHalves
    >>> splits = list(PairedHalves(halvings=2, repeats=3).splits(101, 0))
    >>> len(splits), splits[-1].train.size, splits[-1].test.size, dict(splits[-1].labels)
    (15, 40, 10, {'halving': 1, 'half': 1, 'repeat': 2})
    """

    n_train: float | None = None
    n_test: float = 0.1
    repeats: int = 15
    halvings: int = 10
    kind: ClassVar[Kind] = HALVES
    least: ClassVar[Mapping[str, int]] = {"repeats": 1, "halvings": 1}

    def drawn(self, units: DrawnUnits, base: int) -> Iterator[Split]:
        """Yield the splits of all data, labelled ``repeat``, then those of the halves."""
        n = units.n
        n_test, half = size(self.n_test, n, "n_test"), n // 2
        if n_test >= half:
            raise InvalidInputError(
                f"must be less than half the examples, which is {half} of {n}, got {n_test}: "
                "a half must hold both training and test examples",
                argument="n_test",
            )
        yield from Subsampling(self.n_train, n_test, self.repeats).drawn(units, base)
        for halving in range(self.halvings):
            for number, examples in enumerate(_halve(n, base, halving)):
                # One stream for all splits of a half, so that more splits begin with the same ones.
                stream = _rng.stream(base, "halves", halving, number)
                for repeat in range(self.repeats):
                    train, test = random_split(stream, half, half - n_test, n_test)
                    labels = {"halving": halving, "half": number, "repeat": repeat}
                    yield Split(examples[train], examples[test], labels)


@dataclass(frozen=True, repr=False)
class HalvedKFold(RandomPlan):
    """K-fold cross-validation of all data, and of both halves of M random halvings. K + 2 M K fits.

    Parameters
    ----------
    folds : int, default 10
        Number of folds K.
    halvings : int, default 10
        Number of halvings M.

    Examples
    --------
    >>> from errbar.plans import HalvedKFold
    >>> splits = list(HalvedKFold(folds=5, halvings=2).splits(100, 0))
    >>> len(splits), splits[-1].train.size, splits[-1].test.size, dict(splits[-1].labels)
    (25, 40, 10, {'halving': 1, 'half': 1, 'fold': 4})
    """

    folds: int = 10
    halvings: int = 10
    kind: ClassVar[Kind] = HALVED_KFOLD
    least: ClassVar[Mapping[str, int]] = {"folds": 2, "halvings": 1}

    def drawn(self, units: DrawnUnits, base: int) -> Iterator[Split]:
        """Yield the folds of all data, labelled ``repeat`` and ``fold``, then those of the halves."""
        n = units.n
        half = half_of(n, self.folds)
        for fold, test in enumerate(partition(units, self.folds, base, 0)):
            yield LeftOut(n, test, {"repeat": 0, "fold": fold})
        for halving in range(self.halvings):
            for number, examples in enumerate(_halve(n, base, halving)):
                order = _rng.stream(base, "halved folds", self.folds, halving, number).permutation(
                    half
                )
                for fold, inside in enumerate(np.array_split(order, self.folds)):
                    test = np.sort(examples[inside])
                    labels = {"halving": halving, "half": number, "fold": fold}
                    yield Split(np.setdiff1d(examples, test), test, labels)


def _halve(n: int, base: int, halving: int) -> tuple[IntArray, IntArray]:
    """Return both halves, each in ascending order; they do not depend on how they are split further."""
    order = _rng.stream(base, "halving", halving).permutation(n)
    half = n // 2
    return np.sort(order[:half]), np.sort(order[half : 2 * half])
