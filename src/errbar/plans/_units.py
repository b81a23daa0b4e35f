"""What is dealt out at random: examples, or whole groups of them, with the shares of classes kept where asked."""

import heapq
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator

from errbar import _check, _rng
from errbar._check import FloatArray, IntArray
from errbar.errors import InvalidInputError


@dataclass(frozen=True, eq=False)
class DrawnUnits:
    """Examples that are drawn one by one, or groups that are drawn whole; codes count from 0."""

    n: int
    groups: IntArray | None = None
    classes: IntArray | None = None

    @classmethod
    def of(
        cls, n: int, groups: Any = None, y: Any = None, *, stratify: bool = False
    ) -> "DrawnUnits":
        found = None if groups is None else _codes(groups, n, "groups")
        if found is not None and not found.any():
            raise InvalidInputError(
                "must name at least two groups, to train on some and test on others",
                argument="groups",
            )
        return cls(n, found, _classes(y, n) if stratify else None)

    @property
    def count(self) -> int:
        return self.n if self.groups is None else int(self.groups.max()) + 1

    def stream(self, base: int, *names: str | int) -> Generator:
        told = {"grouped": self.groups, "stratified": self.classes}
        own = [name for name, codes in told.items() if codes is not None]
        return _rng.stream(base, *own, *names)

    def partition(self, folds: int, base: int, repeat: int) -> list[IntArray]:
        """Cut the units at random into folds; the stream depends on the number of folds and the repeat alone."""
        _check.count(folds, "folds", most=self.count)
        return self.folds(self.stream(base, "folds", folds, repeat), folds)

    def sizes(self, n_train: float | None, n_test: float) -> tuple[int, int]:
        test = size(n_test, self.count, "n_test")
        train = self.count - test
        if n_train is not None:
            train = size(n_train, self.count, "n_train")
        if train + test > self.count:
            raise InvalidInputError(
                f"+ `n_test` must be at most {self.count}, got {train} + {test}", argument="n_train"
            )
        return train, test

    def folds(self, rng: Generator, folds: int) -> list[IntArray]:
        """Cut the examples into folds, each in ascending order, of about equal size and shares of classes."""
        if self.groups is None and self.classes is None:
            return [np.sort(part) for part in np.array_split(rng.permutation(self.n), folds)]
        if self.groups is None:
            return dealt(self.by_class(rng), folds, rng)
        order = rng.permutation(self.count)
        if self.classes is None:
            fold = _to_the_smallest(np.bincount(self.groups), order, folds)
        else:
            counts = _counts(self.groups, self.classes)
            fold = _to_the_neediest(counts, order, np.full(folds, self.count), np.ones(folds))
        return [np.flatnonzero(fold[self.groups] == own) for own in rng.permutation(folds)]

    def split(self, rng: Generator, n_train: int, n_test: int) -> tuple[IntArray, IntArray]:
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
            counts, order = _counts(self.groups, self.classes), rng.permutation(self.count)
            room = np.array([self.count - n_train - n_test, n_train, n_test])
            part = _to_the_neediest(counts, order, room, np.maximum(room, 1e-9))
        return np.flatnonzero(part[self.groups] == 1), np.flatnonzero(part[self.groups] == 2)

    def resampled(self, rng: Generator) -> IntArray:
        if self.classes is None:
            drawn = rng.integers(self.count, size=self.count)
        else:
            own = self.classes
            if self.groups is not None:
                own = _counts(self.groups, self.classes).argmax(axis=1)
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


def size(value: float, n: int, name: str) -> int:
    if isinstance(value, (float, np.floating)) and 0.0 < value < 1.0:
        # 0.29 * 100 is 28.999...: the small term keeps exact fractions exact.
        return max(1, int(value * n + 1e-9))
    whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    if not whole or not 1 <= value < n:
        raise InvalidInputError(
            f"must be a whole number from 1 to {n - 1} or a fraction between 0 and 1 of {n}, got {value!r}",
            argument=name,
        )
    return int(value)


def random_split(rng: Generator, n: int, n_train: int, n_test: int) -> tuple[IntArray, IntArray]:
    order = rng.permutation(n)
    return np.sort(order[n_test : n_test + n_train]), np.sort(order[:n_test])


def dealt(order: IntArray, folds: int, rng: Generator) -> list[IntArray]:
    """Deal examples out in turn, like cards, to folds in random order: neighbours are spread evenly."""
    return [np.sort(order[fold::folds]) for fold in rng.permutation(folds)]


def evenly(rng: Generator, n: int, count: int) -> IntArray:
    """Draw places at equal distances from a random start: of k places k count/n, less than one off."""
    return np.minimum(((np.arange(count) + rng.random()) * n / count).astype(np.int64), n - 1)


def _counts(groups: IntArray, classes: IntArray) -> IntArray:
    counts = np.zeros((groups.max() + 1, classes.max() + 1), dtype=np.int64)
    np.add.at(counts, (groups, classes), 1)
    return counts  # (groups, classes)


def _to_the_smallest(sizes: IntArray, order: IntArray, folds: int) -> IntArray:
    heap = [(0, fold) for fold in range(folds)]
    found = np.empty(order.size, dtype=np.int64)
    for group in order.tolist():
        held, fold = heap[0]
        found[group] = fold
        heapq.heapreplace(heap, (held + int(sizes[group]), fold))
    return found


def _to_the_neediest(
    counts: IntArray, order: IntArray, room: IntArray, weights: FloatArray
) -> IntArray:
    """Give each group in turn to the part, with room left, for the least sum of (count - share)^2 / share."""
    relative = counts / counts.sum(axis=0)
    shares = weights / weights.sum()
    held, sizes = np.zeros((room.size, counts.shape[1])), np.zeros(room.size)
    left, found = room.copy(), np.empty(order.size, dtype=np.int64)
    for group in order.tolist():
        growth = (2.0 * held + relative[group]) @ relative[group] / shares
        growth[left == 0] = np.inf
        # Of equals the smaller one, so that none stays empty.
        part = np.lexsort((sizes / shares, growth))[0]
        found[group] = part
        held[part] += relative[group]
        sizes[part] += counts[group].sum()
        left[part] -= 1
    return found


def _codes(values: Any, n: int, name: str) -> IntArray:
    array = np.asarray(values)
    if array.shape != (n,):
        raise InvalidInputError(
            f"must hold one value per example, {n} in all, got {array.size}", argument=name
        )
    return np.unique(array, return_inverse=True)[1].ravel()


def _classes(y: Any, n: int) -> IntArray:
    array = np.asarray(y)
    if y is None or (array.dtype.kind == "f" and (array != np.floor(array)).any()):
        raise InvalidInputError(
            f"keeps the shares of classes, and needs the class of each example as `y`, got {_check.brief(y)}",
            argument="stratify",
        )
    return _codes(array, n, "y")
