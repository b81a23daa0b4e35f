"""One run as it goes: what is kept is taken, the rest is fitted by one process each, and what fails is contained."""

import logging
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from inspect import signature

import numpy as np
from numpy.typing import NDArray

from errbar.engine.run_options import ANY, Progress, RunOptions
from errbar.engine.schedule import (
    ALONE,
    TRIAL,
    Setup,
    bundled,
    tasks_of,
    training_sets,
    trial,
    way_of,
)
from errbar.engine.stores import Store, Writer, found, is_lasting
from errbar.engine.surroundings import Surroundings
from errbar.engine.tasks import Executor
from errbar.engine.work import GIVEN_UP, Block, Bundle, FitTask, FitWorkload, Outcome
from errbar.errors import StoreError
from errbar.result import Note
from errbar.table import Counts

_log = logging.getLogger("errbar")

HOPELESS = 2
"""So many failures and no success: the other fits of a learner are not worth their time."""

_WITHOUT_WANTED = 3  # arguments of an executor that does all it is given

LONGEST_PAUSE = 0.5
"""Seconds between looks at what another process is doing."""


class FitRun:
    """What a run has found so far: it says which fits are wanted, takes outcomes, keeps them, and tells how far it is."""

    def __init__(self, setup: Setup, options: RunOptions, store: Store) -> None:
        self.setup, self.options, self.store = setup, options, store
        self.started = time.perf_counter()
        self.groups = training_sets(setup.draw)
        self.prototypes = {prototype.name: prototype for prototype in setup.prototypes}
        self.workload = FitWorkload(Surroundings.here(), setup.data, self.prototypes, setup.base)
        self.kept = options.store is not None
        self.tasks: dict[str, list[FitTask]] = {}
        self.blocks: dict[str, Block] = {}
        self.writer = Writer(store)
        self.total = self.done = self.fitted = self.failed = 0
        self.good: set[str] = set()
        self.bad: Counter[str] = Counter()
        self.reasons: dict[str, str] = {}
        self.shared: set[str] = set()
        self.refused: dict[str, bool] = {}
        self.damaged: set[str] = set()
        self.others: list[Block] = []
        self.postponed: list[Bundle] = []

    def finish(self, executor: Executor) -> None:
        """Do what is left to do."""
        waiting: list[Bundle] = []
        for name, prototype in self.prototypes.items():
            way = (
                way_of(prototype, self.setup, self.setup.whole or len(self.groups))
                if self.options.share
                else ALONE
            )
            waiting += self._planned(name, way)
        self.total = sum(len(bundle.tasks) for bundle in waiting)
        if waiting and not getattr(self.store, "writable", True):
            raise StoreError(
                f"the store '{getattr(self.store, 'path', '')}' cannot be written, and {self.total} fits are not in it; copy "
                "it to where files can be made, and give the copy"
            )
        asks = len(signature(executor.run).parameters) > _WITHOUT_WANTED
        waiting = [*(self._trials(waiting) if asks else []), *waiting]
        with self.writer:
            try:
                while waiting:
                    if asks:
                        executor.run(self.workload, waiting, self.take, self.wanted)
                    else:
                        executor.run(self.workload, self.wanted(waiting), self.take)
                    waiting = self._left()
            finally:
                if hasattr(self.store, "release"):
                    self.writer.flush()
                    with suppress(
                        StoreError
                    ):  # of a full disk, for instance; claims end with the process
                        self.store.release()

    def _planned(self, name: str, way: str) -> list[Bundle]:
        """Return what is to be done of a learner in some way, and take what is kept."""
        tasks = tasks_of(self.setup, self.prototypes[name], self.groups, way, kept=self.kept)
        self.tasks[name] = tasks
        kept = self._look(tasks, other_versions=self.options.reuse == ANY)
        self.blocks |= kept
        if kept:
            self.good.add(name)
        return bundled([task for task in tasks if task.key not in kept], way)

    def _trials(self, waiting: Sequence[Bundle]) -> list[Bundle]:
        """Return a trial of each learner that has many fits before it and none behind it."""
        several = Counter(bundle.learner for bundle in waiting if not bundle.together)
        names = [
            name for name, count in several.items() if count > HOPELESS and name not in self.good
        ]
        trials = [trial(self.setup, self.prototypes[name], self.groups) for name in names]
        return [one for one in trials if one is not None]

    def wanted(self, bundles: Sequence[Bundle]) -> list[Bundle]:
        """Return the bundles that are to be done now, by this process.

        Those that another process does are postponed, and what it has done is taken. To claim before looking leaves no
        moment in which a fit is neither claimed nor kept.
        """
        hopeful = []
        for bundle in bundles:
            if bundle.learner not in self.good and self.bad[bundle.learner] >= HOPELESS:
                self._give_up(bundle)
            else:
                hopeful.append(bundle)
        if not is_lasting(self.store):
            return hopeful
        trials = [bundle for bundle in hopeful if bundle.trial]
        fits = [bundle for bundle in hopeful if not bundle.trial]
        try:
            return trials + self._mine(fits)
        except StoreError:  # the writer says so when it is its turn
            return hopeful

    def _mine(self, bundles: Sequence[Bundle]) -> list[Bundle]:
        """Claim bundles; postpone those that others have claimed, and take what they have done."""
        claims = self._claimed(bundles)
        kept = self._look([task for bundle in bundles for task in bundle.tasks])
        mine: list[Bundle] = []
        for bundle, granted in zip(bundles, claims, strict=True):
            for key in [task.key for task in bundle.tasks if task.key in kept]:
                self._count(kept[key])
            if rest := tuple(task for task in bundle.tasks if task.key not in kept):
                (mine if granted else self.postponed).append(replace(bundle, tasks=rest))
        return mine

    def _claimed(self, bundles: Sequence[Bundle]) -> list[bool]:
        claim = getattr(self.store, "claim", None)
        if claim is None:
            return [True] * len(bundles)
        granted: list[bool] = claim([[task.key for task in bundle.tasks] for bundle in bundles])
        return granted

    def _left(self) -> list[Bundle]:
        """Return what remains once the executor has stopped; wait for other processes where they do all of it."""
        for name in [name for name, begun in self.refused.items() if not begun]:
            self.refused[name] = True
            self.postponed += self._planned(name, ALONE)
            if not is_lasting(self.store):
                break
        waiting, self.postponed = self.postponed, []
        if not is_lasting(self.store):
            return waiting
        self.writer.flush()  # others may be waiting for it
        pause = 0.01
        while waiting:
            mine = self.wanted(waiting)
            waiting, self.postponed = self.postponed, []
            if mine:
                return mine + waiting
            time.sleep(pause)
            pause = min(2 * pause, LONGEST_PAUSE)
        return []

    def take(self, outcome: Outcome) -> None:
        """Take what became of a bundle."""
        if outcome.refused:
            self.refused.setdefault(outcome.queue, False)
        if outcome.shared:
            self.shared.add(outcome.queue)
        for block in outcome.blocks:
            self._judge(block)
            if not block.key.startswith(TRIAL):
                self._keep(block)

    def _judge(self, block: Block) -> None:
        """Remember whether a learner can do its work, and say at once that it cannot: a run may take all night."""
        name = block.learner
        if not block.error:
            self.good.add(name)
            return
        self.bad[name] += 1
        self.reasons.setdefault(name, block.error)
        if self.bad[name] == HOPELESS and name not in self.good:
            _log.warning(
                "learner %r is given up, since all of its first fits failed: %s",
                name,
                self.reasons[name],
            )

    def _keep(self, block: Block) -> None:
        self.fitted += not block.error
        versions = self.prototypes[block.learner].identity.versions if self.kept else {}
        known = replace(block, versions=versions)
        self.writer.put(known)
        self._count(known)

    def _give_up(self, bundle: Bundle) -> None:
        """Let the other fits of a hopeless learner be failures too, and say so at once."""
        if bundle.trial:
            return
        first = self.reasons[bundle.learner]
        text = f"{first}{GIVEN_UP}{self.bad[bundle.learner]} fits failed before this one, and none succeeded)"
        for block in self.workload.failed(bundle, text).blocks:
            self._count(block)

    def _count(self, block: Block) -> None:
        self.blocks[block.key] = block
        self.done += 1
        self.failed += bool(block.error)
        if self.options.progress is not None:
            seconds = time.perf_counter() - self.started
            remaining = seconds / self.done * (self.total - self.done)
            self.options.progress(
                Progress(self.done, self.total, self.failed, seconds, remaining, block.learner)
            )

    def _look(self, tasks: Sequence[FitTask], *, other_versions: bool = False) -> dict[str, Block]:
        """Return the blocks that the store has, with every example that is asked for and all that the loss takes."""
        kept, damaged = found(self.store, [task.key for task in tasks])
        self.damaged |= set(damaged)
        usable = {
            task.key: cut for task in tasks if (cut := self._usable(task, kept.get(task.key)))
        }
        if other_versions and hasattr(self.store, "alike"):
            missing = {task.key: task for task in tasks if task.key not in usable}
            alike = self.store.alike(missing)
            kept, _ = found(self.store, alike.values())
            for key, other in alike.items():
                if (cut := self._usable(missing[key], kept.get(other))) is not None:
                    usable[key] = replace(cut, key=key)
                    self.others.append(cut)
        return usable

    def _usable(self, task: FitTask, block: Block | None) -> Block | None:
        needed = set(self.prototypes[task.learner].needed)
        return (
            _cut(block, task.examples)
            if block is not None and needed <= set(block.predictions)
            else None
        )

    def in_order(self) -> list[Block]:
        """Return the blocks of all training sets, learner after learner."""
        return [self.blocks[task.key] for tasks in self.tasks.values() for task in tasks]

    def counts(self) -> Counts:
        """Return how many fits were done, found and lost, and which learners were computed together."""
        reused = len(self.in_order()) - self.fitted - self.failed
        names = tuple(name for name in self.prototypes if name in self.shared)
        return Counts(self.fitted, reused, self.failed, time.perf_counter() - self.started, names)

    def notes(self) -> tuple[Note, ...]:
        """Return what has to be said about fits that were not kept, or damaged, or not computed together."""
        notes = []
        if self.writer.problem is not None:
            notes.append(Note("fits", not_kept=[f"{self.writer.lost} ({self.writer.problem})"]))
        if self.damaged:
            notes.append(Note("fits", damaged=[len(self.damaged)]))
        if self.others:
            notes.append(Note("fits", other_versions=self._other_versions()))
        if self.refused:
            notes.append(Note("fits", refitted=sorted(self.refused)))
        return tuple(notes)

    def _other_versions(self) -> list[str]:
        """Return how many fits were made with other versions, and with which."""
        now = {
            name: number
            for own in self.prototypes.values()
            for name, number in own.identity.versions.items()
        }
        then = sorted(
            {(name, number) for block in self.others for name, number in block.versions.items()}
        )
        changed = [
            f"{name} {number} (now {now[name]})"
            for name, number in then
            if now.get(name, number) != number
        ]
        return [f"{len(self.others)} fits", *changed]


def _cut(block: Block, examples: NDArray[np.intp]) -> Block | None:
    """Return a block with the examples that are asked for alone, or None if it lacks one; both are ascending."""
    if np.array_equal(block.examples, examples):
        return block
    if not np.isin(examples, block.examples).all():
        return None
    rows = np.searchsorted(block.examples, examples)
    return replace(
        block,
        examples=examples,
        predictions={kind: own[rows] for kind, own in block.predictions.items()},
    )
