"""Which fits a run takes: one for each learner and training set, and those that are computed together."""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errbar.engine.data import Data
from errbar.engine.learners import Prototype
from errbar.engine.work import Bundle, FitTask, shares
from errbar.losses import Loss
from errbar.plans import Draw, Split

FEWEST = 8
"""Fits of one learner from which on it may pay to compute them together."""

LARGEST_SHARED = 2**26
"""Bytes of features up to which fits are computed together; that takes several copies of the features."""


@dataclass(frozen=True, eq=False)
class Setup:
    """A run that has been checked and not been started: nothing is fitted yet."""

    data: Data
    prototypes: tuple[Prototype, ...]
    loss: Loss
    draw: Draw
    base: int


@dataclass(frozen=True, eq=False)
class TrainingSet:
    """A training set: the first split that has it, the numbers of all that do, and the examples that they test.

    It is fitted once and predicts whatever any of its splits asks for; `examples` are ascending positions.
    """

    digest: str
    first: Split
    splits: list[int]
    examples: NDArray[Any]


def training_sets(drawn: Draw) -> list[TrainingSet]:
    """Group splits by training set."""
    members: dict[str, list[int]] = {}
    for j, digest in enumerate(drawn.training_sets):
        members.setdefault(digest, []).append(j)
    return [
        TrainingSet(digest, drawn.splits[found[0]], found, _ascending([drawn.splits[j].test for j in found]))
        for digest, found in members.items()
    ]


def _ascending(tests: Sequence[NDArray[Any]]) -> NDArray[Any]:
    if len(tests) > 1:
        return np.unique(np.concatenate(tests))
    test = tests[0]
    return test if (test[1:] > test[:-1]).all() else np.sort(test)


def tasks_of(setup: Setup, groups: Sequence[TrainingSet]) -> list[FitTask]:
    """Return a task for each learner and training set, learner by learner."""
    compact = np.int32 if setup.data.n < 2**31 else np.int64
    positions = [group.examples.astype(compact) for group in groups]
    base = str(setup.base)
    tasks = []
    for prototype in setup.prototypes:
        for group, examples in zip(groups, positions, strict=True):
            parts = (setup.data.digest, prototype.name, prototype.digest, group.digest, base)
            key = blake2b("|".join(parts).encode(), digest_size=16).hexdigest()
            tasks.append(FitTask(key, prototype.name, group.digest, examples, group.first))
    return tasks


def bundled(setup: Setup, tasks: Sequence[FitTask], training_sets: int, *, share: bool) -> list[Bundle]:
    """Return a bundle for each task, or with `share` one for all of a learner whose fits share most of their work.

    What counts is the number of training sets in the plan, not of those that are left: a run that goes on does as the
    whole run would have done, to the last bit.
    """
    single, together = [], []
    room = isinstance(setup.data.X, np.ndarray) and setup.data.X.nbytes <= LARGEST_SHARED
    for prototype in setup.prototypes:
        own = tuple(task for task in tasks if task.learner == prototype.name)
        if own and share and room and training_sets >= FEWEST and shares(prototype, setup.data):
            together.append(Bundle(own, together=True))
        else:
            single += [Bundle((task,)) for task in own]
    return single + together
