"""K-fold cross-validation, once or repeated, and five times two-fold."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from errbar import _check, _rng
from errbar.errors import InvalidInputError
from errbar.plans._base import LeftOut, Plan, Split, partition, refuse_groups
from errbar.plans._kinds import Kind, Testing, Training


@dataclass(frozen=True)
class KFold(Plan):
    """K-fold cross-validation on random folds, repeated r times with new folds.

    Parameters
    ----------
    folds : int, default 10
        Number of folds K; K = n is leave-one-out. Fold sizes differ by at most one.
    repeats : int, default 1
        Number of partitions r.

    Examples
    --------
    >>> from errbar.plans import KFold
    >>> splits = list(KFold(folds=5, repeats=2).splits(100, 0))
    >>> len(splits), splits[0].test.size, dict(splits[7].labels)
    (10, 20, {'repeat': 1, 'fold': 2})
    """

    folds: int = 10
    repeats: int = 1
    kind: ClassVar[Kind] = Kind("kfold", "K-fold cross-validation", Training.RANDOM, Testing.FOLDS, stated=True)

    def __post_init__(self) -> None:
        """Check what can be checked before the data are known."""
        _check.count(self.folds, "folds", 2)
        _check.count(self.repeats, "repeats")

    def splits(self, n: int, rng: Any = None, y: Any = None, groups: Any = None) -> Iterator[Split]:  # noqa: ARG002
        """Yield the splits of `n` examples, labelled ``repeat`` and ``fold``."""
        refuse_groups(self, groups)
        if self.folds > n:
            raise InvalidInputError(f"`folds` must be at most the number of examples, {n}, got {self.folds}")
        base = _rng.root(rng)
        for repeat in range(self.repeats):
            for fold, test in enumerate(partition(n, self.folds, base, repeat)):
                yield LeftOut(n, test, {"repeat": repeat, "fold": fold})


@dataclass(frozen=True)
class EqualKFold(KFold):
    """K-fold cross-validation with folds of exactly equal size, as estimators of its variance need.

    The n mod K examples that remain are left out at random, anew in every repeat, of training and test sets alike.

    Parameters
    ----------
    folds : int, default 10
        Number of folds K.
    repeats : int, default 1
        Number of partitions r.

    Examples
    --------
    >>> from errbar.plans import EqualKFold
    >>> splits = list(EqualKFold(folds=10).splits(442, 0))
    >>> {(split.train.size, split.test.size) for split in splits}
    {(396, 44)}
    """

    def splits(self, n: int, rng: Any = None, y: Any = None, groups: Any = None) -> Iterator[Split]:
        """Yield the splits of `n` examples, labelled ``repeat`` and ``fold``."""
        if n % self.folds == 0:
            yield from super().splits(n, rng, y, groups)
            return
        refuse_groups(self, groups)
        if self.folds > n:
            raise InvalidInputError(f"`folds` must be at most the number of examples, {n}, got {self.folds}")
        base = _rng.root(rng)
        for repeat in range(self.repeats):
            order = _rng.stream(base, "equal folds", self.folds, repeat).permutation(n)
            parts = [np.sort(part) for part in np.split(order[: n - n % self.folds], self.folds)]
            for fold, test in enumerate(parts):
                others = [part for other, part in enumerate(parts) if other != fold]
                yield Split(np.sort(np.concatenate(others)), test, {"repeat": repeat, "fold": fold})


@dataclass(frozen=True)
class FiveByTwo(Plan):
    """Five repeats of two-fold cross-validation (Dietterich 1998).

    Examples
    --------
    >>> from errbar.plans import FiveByTwo
    >>> splits = list(FiveByTwo().splits(100, 0))
    >>> len(splits), splits[0].train.size, dict(splits[9].labels)
    (10, 50, {'repeat': 4, 'fold': 1})
    """

    kind: ClassVar[Kind] = Kind(
        "5x2", "five repeats of two-fold cross-validation", Training.RANDOM, Testing.FOLDS, stated=True
    )

    def splits(self, n: int, rng: Any = None, y: Any = None, groups: Any = None) -> Iterator[Split]:
        """Yield the ten splits of `n` examples, labelled ``repeat`` and ``fold``."""
        refuse_groups(self, groups)
        yield from KFold(folds=2, repeats=5).splits(n, rng, y, groups)
