"""The splits that a plan gives for one data set, drawn once and for all."""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errbar import _check, _rng
from errbar._check import IntArray
from errbar.errors import InvalidInputError
from errbar.plans._base import MOST_POSITIONS, Split, splits_of
from errbar.plans._given import plan_of
from errbar.plans._kinds import Kind, Training, kind_named
from errbar.plans._times import times_of


@dataclass(frozen=True, eq=False)
class Draw:
    """The splits that a plan gave for one data set.

    Attributes
    ----------
    n : int
        Number of examples.
    splits : tuple of Split
        All splits, plan after plan.
    plan : ndarray of int
        Which of the plans each split belongs to.
    kinds : tuple of Kind
        Kind of each plan.
    descriptions : tuple of str
        Text of each plan.
    training_sets : tuple of str
        Digest of the training positions of each split.
    fingerprint : str
        Digest of every index of every split: equal exactly when the splits are.
    stratified, foreign : tuple of bool
        Whether each plan says that its splits keep the shares of the classes, and whether they were made elsewhere.
    groups, time : ndarray, shape (n,), or None
        Group and time of each example, where they are known.
    """

    n: int
    splits: tuple[Split, ...]
    plan: IntArray
    kinds: tuple[Kind, ...]
    descriptions: tuple[str, ...]
    training_sets: tuple[str, ...]
    fingerprint: str
    stratified: tuple[bool, ...]
    foreign: tuple[bool, ...]
    groups: NDArray[Any] | None = None
    time: NDArray[Any] | None = None

    @property
    def fits(self) -> tuple[str, ...]:
        """What is fitted for each split: its training set, with the seed where there are several fits on it."""
        seeds = [split.seed for split in self.splits]
        return tuple(
            digest if seed is None else f"{digest} seed {seed}"
            for digest, seed in zip(self.training_sets, seeds, strict=True)
        )

    def describe(self, position: int) -> str:
        """Return one split in words."""
        return self.splits[position].describe()


def draw(
    plan: Any, n: int, rng: Any = None, y: Any = None, groups: Any = None, time: Any = None
) -> Draw:
    """Draw every split of `plan` for `n` examples.

    Parameters
    ----------
    plan : Plan, int, splitter or iterable of (train, test)
        One plan or a union of plans, a number of folds, a splitter of scikit-learn, or index pairs.
    n : int
        Number of examples.
    rng : None, int or NumPy generator
        Root of the random streams.
    y, groups, time : array-like, optional
        Target, group and time of each example, for plans that use them.

    Returns
    -------
    Draw
        All splits.

    Raises
    ------
    InvalidInputError
        If the plan does not fit the number of examples, or tears groups apart.

    Examples
    --------
    >>> from errbar.plans import KFold, draw
    >>> draw(KFold(5) + KFold(10), 100, 0).kinds
    ('kfold', 'kfold')
    """
    plan = plan_of(plan)
    n = _check.count(n, "n", 2, MOST_POSITIONS)
    base, parts, time = _rng.root(rng), plan.parts(), None if time is None else times_of(time, n)
    drawn = [tuple(splits_of(part, n, base, y, groups, time)) for part in parts]
    splits = tuple(chain.from_iterable(drawn))
    kinds = tuple(kind_named(part.kind_of(own)) for part, own in zip(parts, drawn, strict=True))
    if groups is not None:
        for kind, own in zip(kinds, drawn, strict=True):
            # What is known of old groups is known, where the future is predicted.
            if kind.training is not Training.ORDERED:
                _refuse_torn_groups(own, np.asarray(groups))
    training_sets = tuple(_digest(split.train) for split in splits)
    test_sets = [_digest(split.test) for split in splits]
    return Draw(
        n,
        splits,
        plan=np.repeat(np.arange(len(parts)), [len(own) for own in drawn]),
        kinds=kinds,
        descriptions=tuple(str(part) for part in parts),
        training_sets=training_sets,
        fingerprint=blake2b(
            "".join([*training_sets, *test_sets]).encode(), digest_size=16
        ).hexdigest(),
        stratified=tuple(part.stratified for part in parts),
        foreign=tuple(part.foreign for part in parts),
        groups=None if groups is None else np.asarray(groups),
        time=time,
    )


def _digest(positions: IntArray) -> str:
    return blake2b(np.ascontiguousarray(positions, dtype="<i8").data, digest_size=16).hexdigest()


def _refuse_torn_groups(splits: Sequence[Split], groups: NDArray[Any]) -> None:
    """Raise if examples of one group are trained on and tested: the test would not be about new groups."""
    codes = np.unique(groups, return_inverse=True)[1]
    for split in splits:
        if "resubstitution" in split.labels:  # which is meant to test on what was trained on
            continue
        trained = np.zeros(codes.max() + 1, dtype=bool)
        trained[codes[split.train]] = True
        torn = np.flatnonzero(trained[codes[split.test]])
        if torn.size:
            raise InvalidInputError(
                f": group {groups[split.test[torn[0]]]!s} is both trained on and tested in {split.describe()}; "
                "use splits that keep groups together, such as errbar.plans.KFold(folds=10)",
                argument="groups",
            )
