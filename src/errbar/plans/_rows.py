"""What is split: examples, or whole groups of them, with the shares of classes kept where asked."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.random import Generator

from errbar import _check, _rng
from errbar._check import FloatArray, IntArray
from errbar.errors import InvalidInputError
from errbar.plans._times import times_of

MOST_EXAMPLES = 1_000_000_000


@dataclass(frozen=True, eq=False)
class Rows:
    """The examples that a plan splits, and what is known of them.

    Attributes
    ----------
    n : Number of examples.
    root : Root of all random streams, or what it is made of.
    y, groups, time : Target, group and time of each example, as far as they are known.
    stratify : Whether classes keep their shares.
    """

    n: int
    root: Any
    y: Any = None
    groups: Any = None
    time: Any = None
    stratify: bool = False

    def __post_init__(self) -> None:
        n = _check.count(self.n, "n", 2, MOST_EXAMPLES)
        time = None if self.time is None else times_of(self.time, n)
        groups = None
        if self.groups is not None:
            groups = _check.categories(self.groups, "`groups`", n)
        vars(self).update(n=n, root=_rng.root(self.root), groups=groups, time=time)

    @cached_property
    def group(self) -> Any:
        """Group of each example, counted from 0; None where examples are drawn one by one."""
        if self.groups is None:
            return None
        codes = self._codes(self.groups, "groups")
        if not codes.any():
            raise InvalidInputError(
                "must name at least two groups, to train on some and test on others",
                argument="groups",
            )
        return codes

    @cached_property
    def classes(self) -> Any:
        """Class of each example, counted from 0; None where shares are not kept."""
        if not self.stratify:
            return None
        y = np.asarray(self.y)
        if self.y is None or (y.dtype.kind == "f" and (y != np.floor(y)).any()):
            raise InvalidInputError(
                f"needs the class of each example as `y`, got {_check.brief(self.y)}",
                argument="stratify",
            )
        return self._codes(y, "y")

    def _codes(self, values: Any, name: str) -> IntArray:
        labels = np.asarray(values)
        must = f"must hold one value per example, {self.n} in all"
        _check.require(labels.shape == (self.n,), must, labels, name)
        return _check.compact(labels)

    @cached_property
    def counts(self) -> IntArray:
        """Number of examples of each group and class, shape (groups, classes)."""
        classes = np.zeros(self.n, dtype=np.int64) if self.classes is None else self.classes
        counts = np.zeros((self.count, classes.max() + 1), dtype=np.int64)
        np.add.at(counts, (self.group, classes), 1)
        return counts

    @property
    def count(self) -> int:
        """Number of what is drawn, examples or groups."""
        return self.n if self.group is None else int(self.group.max()) + 1

    def stream(self, *names: str | int) -> Generator:
        told = {"grouped": self.group, "stratified": self.classes}
        own = [name for name, codes in told.items() if codes is not None]
        return _rng.stream(self.root, *own, *names)

    def examples(self, drawn: IntArray) -> IntArray:
        """Return what was drawn as examples in ascending order."""
        return np.sort(drawn) if self.group is None else np.flatnonzero(np.isin(self.group, drawn))

    def partition(self, folds: int, repeat: int) -> list[IntArray]:
        """Cut at random into folds; the stream depends on the number of folds and the repeat alone."""
        _check.count(folds, "folds", most=self.count)
        return self.folds(self.stream("folds", folds, repeat), folds)

    def folds(self, rng: Generator, folds: int) -> list[IntArray]:
        """Cut the examples into folds of about equal size and shares of classes."""
        if self.group is not None:
            room = np.full(folds, self.count)
            fold = self._to_the_neediest(rng.permutation(self.count), room, np.ones(folds))
            return [np.flatnonzero(fold[self.group] == own) for own in rng.permutation(folds)]
        if self.classes is not None:
            return dealt(self.by_class(rng), folds, rng)
        return [np.sort(part) for part in np.array_split(rng.permutation(self.n), folds)]

    def sizes(self, n_train: float | None, n_test: float) -> tuple[int, int]:
        test = size(n_test, self.count, "n_test")
        train = self.count - test if n_train is None else size(n_train, self.count, "n_train")
        if train + test > self.count:
            raise InvalidInputError(
                f"+ `n_test` must be at most {self.count}, got {train} + {test}", argument="n_train"
            )
        return train, test

    def split(self, rng: Generator, n_train: int, n_test: int) -> tuple[IntArray, IntArray]:
        """Draw a training and a test set."""
        if self.classes is None:
            order = rng.permutation(self.count)
            train, test = order[n_test : n_test + n_train], order[:n_test]
        elif self.group is None:
            order = self.by_class(rng)
            tested = evenly(rng, self.n, n_test)
            train, test = np.delete(order, tested), order[tested]
            if n_train < train.size:
                train = train[evenly(rng, train.size, n_train)]
        else:
            room = np.array([self.count - n_train - n_test, n_train, n_test])
            order = rng.permutation(self.count)
            part = self._to_the_neediest(order, room, np.maximum(room, 1e-9))
            train, test = np.flatnonzero(part == 1), np.flatnonzero(part == 2)
        return self.examples(train), self.examples(test)

    def resampled(self, rng: Generator) -> IntArray:
        """Draw as many as there are with replacement; each class keeps its number."""
        if self.classes is None:
            drawn = rng.integers(self.count, size=self.count)
        else:
            own = self.classes if self.group is None else self.counts.argmax(axis=1)
            sizes = np.bincount(own)
            start = np.repeat(np.cumsum(sizes) - sizes, sizes)
            place = start + rng.integers(np.repeat(sizes, sizes))
            drawn = np.argsort(own, kind="stable")[place]
        times = np.bincount(drawn, minlength=self.count)
        return np.repeat(np.arange(self.n), times if self.group is None else times[self.group])

    def by_class(self, rng: Generator) -> IntArray:
        """Return the examples class after class, classes and examples of each in random order."""
        order = rng.permutation(self.n)
        if self.classes is None:
            return order
        rank = rng.permutation(int(self.classes.max()) + 1)
        return order[np.argsort(rank[self.classes[order]], kind="stable")]

    def _to_the_neediest(self, order: IntArray, room: IntArray, weights: FloatArray) -> IntArray:
        """Give each group in turn to the part, with room left, for the least sum of (count - share)^2 / share."""
        total = 1 if self.classes is None else self.counts.sum(axis=0)
        relative = self.counts / total
        shares = weights / weights.sum()
        held, sizes = np.zeros((room.size, relative.shape[1])), np.zeros(room.size)
        left, found = room.copy(), np.empty(order.size, dtype=np.int64)
        for group in order.tolist():
            growth = (2.0 * held + relative[group]) @ relative[group] / shares
            growth[left == 0] = np.inf
            # Of equals the smaller one, so that none stays empty.
            part = np.lexsort((sizes / shares, growth))[0]
            found[group] = part
            held[part] += relative[group]
            sizes[part] += self.counts[group].sum()
            left[part] -= 1
        return found


def size(value: float, n: int, name: str) -> int:
    """Return a number of examples from a count or a fraction of all."""
    if isinstance(value, (float, np.floating)) and 0.0 < value < 1.0:
        # 0.29 * 100 is 28.999...: the small term keeps exact fractions exact.
        return max(1, int(value * n + 1e-9))
    whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    must = f"must be a whole number from 1 to {n - 1} or a fraction between 0 and 1 of {n}"
    _check.require(whole and 1 <= value < n, must, value, name)
    return int(value)


def dealt(order: IntArray, folds: int, rng: Generator) -> list[IntArray]:
    """Deal examples out in turn, like cards, to folds in random order: neighbours are spread evenly."""
    return [np.sort(order[fold::folds]) for fold in rng.permutation(folds)]


def evenly(rng: Generator, n: int, count: int) -> IntArray:
    """Draw places at equal distances from a random start: of k places k count/n, less than one off."""
    return np.minimum(((np.arange(count) + rng.random()) * n / count).astype(np.int64), n - 1)
