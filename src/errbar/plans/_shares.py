"""What is dealt out at random: examples, or whole groups of them, with the shares of classes kept where that is asked."""

import heapq
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from errbar._check import FloatArray, IntArray
from errbar.errors import InvalidInputError


@dataclass(frozen=True, eq=False)
class DrawnUnits:
    """Examples that are drawn one by one, or groups that are drawn whole.

    Attributes
    ----------
    n : int
        Number of examples.
    groups : ndarray of int, shape (n,), or None
        Group of each example, counted from 0, where groups are drawn.
    classes : ndarray of int, shape (n,), or None
        Class of each example, counted from 0, where shares are kept.
    """

    n: int
    groups: IntArray | None = None
    classes: IntArray | None = None

    @classmethod
    def of(
        cls, n: int, groups: Any = None, y: Any = None, *, stratify: bool = False
    ) -> "DrawnUnits":
        """Return the units of `n` examples, or raise if groups or classes cannot be used."""
        found = None if groups is None else _codes(groups, n, "groups")
        if found is not None and not found.any():
            raise InvalidInputError(
                "must name at least two groups, to train on some and test on others",
                argument="groups",
            )
        return cls(n, found, _classes(y, n) if stratify else None)

    @property
    def count(self) -> int:
        """Number of units."""
        return self.n if self.groups is None else int(self.groups.max()) + 1

    @property
    def what(self) -> str:
        """What the units are."""
        return "examples" if self.groups is None else "groups"

    @property
    def names(self) -> tuple[str, ...]:
        """What tells random streams of these units from those of examples drawn alike."""
        told = {"grouped": self.groups, "stratified": self.classes}
        return tuple(name for name, codes in told.items() if codes is not None)

    def folds(self, rng: Generator, folds: int) -> list[IntArray]:
        """Cut the examples into folds, each in ascending order.

        Sizes differ by at most one, and with classes so do the counts of each class; of groups by at most the largest.
        """
        if self.groups is None and self.classes is None:
            return [np.sort(part) for part in np.array_split(rng.permutation(self.n), folds)]
        if self.groups is None:
            return dealt(self.by_class(rng), folds, rng)
        order = rng.permutation(self.count)
        if self.classes is None:
            fold = _to_the_smallest(np.bincount(self.groups), order, folds)
        else:
            fold = _to_the_neediest(
                self._counts(), order, np.full(folds, self.count), np.ones(folds)
            )
        return [np.flatnonzero(fold[self.groups] == own) for own in rng.permutation(folds)]

    def split(self, rng: Generator, n_train: int, n_test: int) -> tuple[IntArray, IntArray]:
        """Draw disjoint training and test sets of so many units each; both are examples in ascending order."""
        if self.groups is None:
            if self.classes is None:
                return random_split(rng, self.n, n_train, n_test)
            order = self.by_class(rng)
            tested = evenly(rng, self.n, n_test)
            left = np.delete(order, tested)
            train = left if n_train == left.size else left[evenly(rng, left.size, n_train)]
            return np.sort(train), np.sort(order[tested])
        if self.classes is None:
            train, test = random_split(rng, self.count, n_train, n_test)
            part = np.zeros(self.count, dtype=np.int64)
            part[train], part[test] = 1, 2
        else:
            sizes = np.array([self.count - n_train - n_test, n_train, n_test])
            part = _to_the_neediest(
                self._counts(), rng.permutation(self.count), sizes, np.maximum(sizes, 1e-9)
            )
        return np.flatnonzero(part[self.groups] == 1), np.flatnonzero(part[self.groups] == 2)

    def resampled(self, rng: Generator) -> IntArray:
        """Draw as many units as there are, with replacement; of classes as many of each as it has.

        A group counts for the class that most of its examples have.
        """
        if self.classes is None:
            drawn = rng.integers(self.count, size=self.count)
        else:
            own = self.classes if self.groups is None else self._counts().argmax(axis=1)
            order, sizes = np.argsort(own, kind="stable"), np.bincount(own)
            start = np.repeat(np.cumsum(sizes) - sizes, sizes)
            drawn = order[start + rng.integers(np.repeat(sizes, sizes))]
        times = np.bincount(drawn, minlength=self.count)
        return np.repeat(np.arange(self.n), times if self.groups is None else times[self.groups])

    def by_class(self, rng: Generator) -> IntArray:
        """Return the examples class after class, classes and examples of each in random order."""
        if self.classes is None:
            return rng.permutation(self.n)
        order, rank = rng.permutation(self.n), rng.permutation(int(self.classes.max()) + 1)
        return order[np.argsort(rank[self.classes[order]], kind="stable")]

    def _counts(self) -> IntArray:
        """Return how many examples of each class a group has, a row for each group."""
        if self.groups is None or self.classes is None:
            raise TypeError("there are no groups with classes")
        shape = (self.count, int(self.classes.max()) + 1)
        cells = np.ravel_multi_index((self.groups, self.classes), shape)
        return np.bincount(cells, minlength=shape[0] * shape[1]).reshape(shape)


def random_split(rng: Generator, n: int, n_train: int, n_test: int) -> tuple[IntArray, IntArray]:
    """Draw disjoint training and test sets, each in ascending order."""
    order = rng.permutation(n)
    return np.sort(order[n_test : n_test + n_train]), np.sort(order[:n_test])


def dealt(order: IntArray, folds: int, rng: Generator) -> list[IntArray]:
    """Deal examples out in turn, like cards, to folds in random order: whatever stands together is spread evenly."""
    return [np.sort(order[fold::folds]) for fold in rng.permutation(folds)]


def evenly(rng: Generator, n: int, count: int) -> IntArray:
    """Draw places at equal distances from a random start: any stretch of k places has k count/n of them, less than one off."""
    return np.minimum(((np.arange(count) + rng.random()) * n / count).astype(np.int64), n - 1)


def _to_the_smallest(sizes: IntArray, order: IntArray, folds: int) -> IntArray:
    """Give each group in turn to the fold that is smallest by then."""
    heap = [(0, fold) for fold in range(folds)]
    found = np.empty(order.size, dtype=np.int64)
    for group in order.tolist():
        size, fold = heap[0]
        found[group] = fold
        heapq.heapreplace(heap, (size + int(sizes[group]), fold))
    return found


def _to_the_neediest(
    counts: IntArray, order: IntArray, room: IntArray, weights: FloatArray | IntArray
) -> IntArray:
    """Give each group in turn to the part, with room left, whose counts of its classes are furthest behind their share.

    What grows least is the sum over parts and classes of (count - share)^2 / share, counts relative to their class.
    """
    relative = counts / counts.sum(axis=0)
    held, left, shares = (
        np.zeros((room.size, counts.shape[1])),
        room.copy(),
        weights / weights.sum(),
    )
    sizes = np.zeros(room.size)
    found = np.empty(order.size, dtype=np.int64)
    for group in order.tolist():
        growth = (2.0 * held + relative[group]) @ relative[group] / shares
        growth[left == 0] = np.inf
        part = np.lexsort((sizes / shares, growth))[
            0
        ]  # of equals the smaller, so that none stays empty
        found[group] = part
        held[part] += relative[group]
        sizes[part] += counts[group].sum()
        left[part] -= 1
    return found


def _codes(values: Any, n: int, name: str) -> IntArray:
    array: NDArray[Any] = np.asarray(values)
    if array.shape != (n,):
        raise InvalidInputError(
            f"must hold one value per example, {n} in all, got {array.size}", argument=name
        )
    codes: IntArray = np.unique(array, return_inverse=True)[1].ravel()
    return codes


def _classes(y: Any, n: int) -> IntArray:
    if y is None:
        raise InvalidInputError(
            "keeps the shares of classes, and needs the class of each example as `y`",
            argument="stratify",
        )
    array = np.asarray(y)
    odd = array[array != np.floor(array)] if array.dtype.kind == "f" else array[:0]
    if odd.size:
        raise InvalidInputError(
            f"keeps the shares of classes, and `y` holds numbers such as {odd[0]:g}",
            argument="stratify",
        )
    return _codes(array, n, "y")
