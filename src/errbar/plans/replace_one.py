"""Cross-validation of half the data with one example after another replaced by one of the other half."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from errbar import _check, _rng
from errbar._check import IntArray
from errbar.plans._base import RandomPlan, Split, half_of
from errbar.plans._kinds import Kind, Testing, Training
from errbar.plans.kfold import KFold


@dataclass(frozen=True)
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
    kind: ClassVar[Kind] = Kind(
        "replace-one", "K-fold cross-validation with replaced examples", Training.RANDOM, Testing.FOLDS
    )
    least: ClassVar[Mapping[str, int]] = {"folds": 2}

    def __post_init__(self) -> None:
        """Check what can be checked before the data are known."""
        super().__post_init__()
        if self.replacements is not None:
            _check.count(self.replacements, "replacements", 2)

    def drawn(self, n: int, base: int) -> Iterator[Split]:
        """Yield folds of all data (``repeat``, ``fold``), of the half (``half``), and with one ``replaced``."""
        half = half_of(n, self.folds)
        yield from KFold(self.folds).drawn(n, base)
        order = _rng.stream(base, "replace one").permutation(n)
        first, second = order[:half], order[half : 2 * half]
        for replaced in [None, *self._chosen(half, base)]:
            yield from _folds(first, second, self.folds, replaced)

    def _chosen(self, half: int, base: int) -> list[int]:
        if self.replacements is None or self.replacements >= half:
            return list(range(half))
        drawn = _rng.stream(base, "replaced").choice(half, self.replacements, replace=False)
        return sorted(int(i) for i in drawn)


def _folds(first: IntArray, second: IntArray, folds: int, replaced: int | None) -> Iterator[Split]:
    examples, labels = first.copy(), {"half": 0}
    if replaced is not None:
        examples[replaced] = second[replaced]
        labels["replaced"] = replaced
    for fold, test in enumerate(np.array_split(examples, folds)):
        yield Split(np.setdiff1d(examples, test), np.sort(test), labels | {"fold": fold})
