"""Repeated K-fold cross-validation, of all data and without one part, or two, of it after another."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from errbar import _rng
from errbar._check import IntArray
from errbar.errors import InvalidInputError
from errbar.plans._base import LeftOut, RandomPlan, Split, partition
from errbar.plans._kinds import PART_JACKKNIFE, Kind
from errbar.plans._shares import DrawnUnits


@dataclass(frozen=True, repr=False)
class PartJackknife(RandomPlan):
    """Repeated K-fold cross-validation of all data, without each of G parts of the data, and without each part and the next.

    The partitions into folds are the same with and without a part: what is left of a fold when the part is taken out is a fold of
    the rest. So the cross-validations differ by the parts alone, and not by another partition. The part after the last one is the
    first. (2 G + 1) K r fits.

    Parameters
    ----------
    n_parts : int, default 20
        Number of parts G, at least three; their sizes differ by at most one, and groups are kept whole.
    folds : int, default 10
        Number of folds K.
    repeats : int, default 10
        Number of partitions r; the first ones are those of ``KFold(folds)``.
    stratify : bool, default False
        Whether folds and parts keep the shares of the classes.

    Examples
    --------
    >>> from errbar.plans import PartJackknife
    >>> splits = list(PartJackknife(n_parts=4, folds=5, repeats=2).splits(100, 0))
    >>> len(splits), splits[-1].train.size, splits[-1].test.size, dict(splits[-1].labels)
    (90, 41, 9, {'repeat': 1, 'pair': 3, 'fold': 4})
    """

    n_parts: int = 20
    folds: int = 10
    repeats: int = 10
    stratify: bool = False
    kind: ClassVar[Kind] = PART_JACKKNIFE
    least: ClassVar[Mapping[str, int]] = {"n_parts": 3, "folds": 2, "repeats": 2}
    whole_groups: ClassVar[bool] = True

    def least_number(self) -> int:
        """Return the number of splits."""
        return (2 * self.n_parts + 1) * self.folds * self.repeats

    def drawn(self, units: DrawnUnits, base: int) -> Iterator[Split]:
        """Yield the splits of all data, labelled ``repeat`` and ``fold``, those without each ``part``, and without each ``pair``."""
        of_part = self._parts(units, base)
        drawn = [partition(units, self.folds, base, repeat) for repeat in range(self.repeats)]
        places = [
            (repeat, fold, test)
            for repeat, folds in enumerate(drawn)
            for fold, test in enumerate(folds)
        ]
        for repeat, fold, test in places:
            yield LeftOut(units.n, test, {"repeat": repeat, "fold": fold})
        for label, number in (("part", 1), ("pair", 2)):
            for first in range(self.n_parts):
                out = (of_part - first) % self.n_parts < number
                aside = np.flatnonzero(out)
                for repeat, fold, test in places:
                    left = test[~out[test]]
                    if left.size == 0:
                        raise InvalidInputError(
                            f": without {label} {first} nothing is left of fold {fold}; use more parts, or fewer folds",
                            argument="n_parts",
                        )
                    yield LeftOut(
                        units.n, left, {"repeat": repeat, label: first, "fold": fold}, aside
                    )

    def _parts(self, units: DrawnUnits, base: int) -> IntArray:
        """Return the part of each example."""
        if self.n_parts > units.count:
            raise InvalidInputError(
                f"must be at most the number of {units.what}, {units.count}, got {self.n_parts}",
                argument="n_parts",
            )
        found = np.empty(units.n, dtype=np.int64)
        for part, members in enumerate(
            units.folds(_rng.stream(base, *units.names, "parts", self.n_parts), self.n_parts)
        ):
            found[members] = part
        return found
