"""Cross-validation of half the data with one example after another replaced by one of the other half."""

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
class ReplaceOne(Plan):
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

    def __post_init__(self) -> None:
        """Check what can be checked before the data are known."""
        _check.count(self.folds, "folds", 2)
        if self.replacements is not None:
            _check.count(self.replacements, "replacements", 2)

    def splits(self, n: int, rng: Any = None, y: Any = None, groups: Any = None) -> Iterator[Split]:  # noqa: ARG002
        """Yield folds of all data (``repeat``, ``fold``), of the half (``half``), and with one ``replaced``."""
        refuse_groups(self, groups)
        half = n // 2
        if self.folds > half:
            raise InvalidInputError(f"`folds` must be at most half the examples, {half} of {n}, got {self.folds}")
        base = _rng.root(rng)
        everything = np.arange(n)
        for fold, test in enumerate(partition(n, self.folds, base, 0)):
            yield Split(np.setdiff1d(everything, test), test, {"repeat": 0, "fold": fold})
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
    examples = first
    labels = {"half": 0}
    if replaced is not None:
        examples = first.copy()
        examples[replaced] = second[replaced]
        labels["replaced"] = replaced
    for fold, test in enumerate(np.array_split(examples, folds)):
        train = np.sort(np.setdiff1d(examples, test))
        yield Split(train, np.sort(test), labels | {"fold": fold})
