"""What is split: examples, or whole groups of them, with the shares of classes kept where asked."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.random import Generator

from errbar import _check, _rng
from errbar._check import IntArray
from errbar.errors import InvalidInputError


@dataclass(frozen=True, eq=False)
class Rows:
    """The examples that a plan splits, and what is known of them.

    Attributes
    ----------
    n : Number of examples.
    root : Root of all random streams.
    y, groups, time : Target, group and time of each example, as far as they are known.
    stratify : Whether classes keep their shares.
    """

    n: int
    root: int
    y: Any = None
    groups: Any = None
    time: Any = None
    stratify: bool = False

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
        if self.groups is not None:
            raise InvalidInputError(
                "does not go with `groups`; give a splitter, such as sklearn's StratifiedGroupKFold",
                argument="stratify",
            )
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
            fold = self._smallest_first(rng.permutation(self.count), folds)
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
        else:
            order = self.by_class(rng)
            tested = evenly(rng, self.n, n_test)
            train, test = np.delete(order, tested), order[tested]
            if n_train < train.size:
                train = train[evenly(rng, train.size, n_train)]
        return self.examples(train), self.examples(test)

    def resampled(self, rng: Generator) -> IntArray:
        """Draw as many as there are with replacement."""
        drawn = rng.integers(self.count, size=self.count)
        times = np.bincount(drawn, minlength=self.count)
        return np.repeat(np.arange(self.n), times if self.group is None else times[self.group])

    def by_class(self, rng: Generator) -> IntArray:
        """Return the examples class after class, classes and examples of each in random order."""
        order = rng.permutation(self.n)
        rank = rng.permutation(int(self.classes.max()) + 1)
        return order[np.argsort(rank[self.classes[order]], kind="stable")]

    def _smallest_first(self, order: IntArray, folds: int) -> IntArray:
        """Give each group in turn to the fold that is smallest by then."""
        sizes, held = np.bincount(self.group), np.zeros(folds)
        fold = np.empty(self.count, dtype=np.int64)
        for group in order.tolist():
            fold[group] = held.argmin()
            held[fold[group]] += sizes[group]
        return fold


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
