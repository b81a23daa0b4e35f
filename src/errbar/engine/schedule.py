"""Which fits a run takes: one for each learner and training set, in which way, and a trial of each learner before."""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errbar.engine.coded import HANDFUL, handful
from errbar.engine.data import Data
from errbar.engine.identity import Identity
from errbar.engine.learners import Prototype
from errbar.engine.work import Bundle, FitTask, family
from errbar.errors import Failure
from errbar.metrics import Loss
from errbar.plans import Draw, Split
from errbar.result import Note
from errbar.split_columns import SplitColumns

TRIAL = "trial "
MANY = 20
"""A handful of examples is tried where a training set is so many times as large."""

FEWEST = 8
"""Fits of one learner from which on it may pay to compute them together."""

LARGEST_SHARED = 2**26
"""Bytes of features up to which fits are computed together; that takes several copies of the features."""


@dataclass(frozen=True, eq=False)
class Setup:
    """A run that has been checked and not been started: nothing is fitted yet.

    `whole` is the number of splits of a longer run that this one begins, where it does; `notes` say what nobody asked for.
    """

    data: Data
    prototypes: tuple[Prototype, ...]
    losses: tuple[Loss, ...]
    draw: Draw
    splits: SplitColumns
    base: int
    failures: tuple[Failure, ...] = ()
    whole: int | None = None
    notes: tuple[Note, ...] = ()

    @property
    def loss(self) -> Loss:
        """The loss of the table; the others are computed from its predictions."""
        return self.losses[0]


@dataclass(frozen=True, eq=False)
class TrainingSet:
    """A training set and a seed: the first split that has them, the numbers of all that do, and the examples that they test.

    It is fitted once and predicts whatever any of its splits asks for; `examples` are ascending positions. The seed is None
    where there is one fit on each training set.
    """

    digest: str
    seed: int | None
    first: Split
    splits: list[int]
    examples: NDArray[Any]


def training_sets(drawn: Draw) -> list[TrainingSet]:
    """Group splits by training set and seed."""
    members: dict[tuple[str, int | None], list[int]] = {}
    for j, (digest, split) in enumerate(zip(drawn.training_sets, drawn.splits, strict=True)):
        members.setdefault((digest, split.seed), []).append(j)
    return [
        TrainingSet(
            digest,
            seed,
            drawn.splits[found[0]],
            found,
            _ascending([drawn.splits[j].test for j in found]),
        )
        for (digest, seed), found in members.items()
    ]


def _ascending(tests: Sequence[NDArray[Any]]) -> NDArray[Any]:
    if len(tests) > 1:
        return np.unique(np.concatenate(tests))
    test = tests[0]
    return test if (test[1:] > test[:-1]).all() else np.sort(test)


ALONE = "alone"
"""The way of fitting one training set after the other."""


def way_of(prototype: Prototype, setup: Setup, training_sets: int) -> str:
    """Return how the fits of a learner are done: alone, or together by a family of shared fits in its version.

    What counts is the number of training sets in the plan, not of those that are left: a run that goes on does as the
    whole run would have done. What may draw random numbers is fitted alone where seeds are to tell fits apart.
    """
    room = isinstance(setup.data.X, np.ndarray) and setup.data.X.nbytes <= LARGEST_SHARED
    found = family(prototype, setup.data) if room and training_sets >= FEWEST else None
    if (
        found is not None
        and found.random
        and any(split.seed is not None for split in setup.draw.splits)
    ):
        return ALONE
    return ALONE if found is None else f"{found.name} {found.version}"


def tasks_of(
    setup: Setup, prototype: Prototype, groups: Sequence[TrainingSet], way: str, *, kept: bool
) -> list[FitTask]:
    """Return a task for each training set of a learner.

    The key says all that a fit depends on: before the point the data, the learner with its code, the training set, with
    its seed if it is fitted several times, the root of the random streams and the way of fitting; after it the versions of what is installed. Where nothing is
    kept, nobody needs to know that.
    """
    compact = np.int32 if setup.data.n < 2**31 else np.int64
    own = prototype.identity if kept else Identity("", {})
    content = own.digest or prototype.token
    environment = own.environment
    tasks = []
    for group in groups:
        parts = [setup.data.digest, prototype.name, content, group.digest, str(setup.base), way]
        parts += [] if group.seed is None else [f"seed {group.seed}"]
        key = f"{blake2b('|'.join(parts).encode(), digest_size=16).hexdigest()}.{environment}"
        tasks.append(
            FitTask(key, prototype.name, group.digest, group.examples.astype(compact), group.first)
        )
    return tasks


def bundled(tasks: Sequence[FitTask], way: str) -> list[Bundle]:
    """Return a bundle for each task of a learner, or one for all where they are done together."""
    if way == ALONE or not tasks:
        return [Bundle((task,)) for task in tasks]
    return [Bundle(tuple(tasks), together=True)]


def trial(setup: Setup, prototype: Prototype, groups: Sequence[TrainingSet]) -> Bundle | None:
    """Return a fit on a handful of examples, which soon shows whether a learner can take such labels and columns.

    None where the first fit itself is as quick. A handful may be too few for a learner, so this alone decides nothing.
    """
    train = np.unique(groups[0].first.train)
    if train.size < MANY * HANDFUL:
        return None
    codes = (
        np.zeros(train.size, dtype=int)
        if setup.data.target.codes is None
        else setup.data.target.codes[train]
    )
    few = train[handful(codes)]
    split = Split(few, few, groups[0].first.labels)
    return Bundle((FitTask(TRIAL + prototype.name, prototype.name, TRIAL, few, split),), trial=True)
