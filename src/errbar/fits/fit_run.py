"""One run as it goes: what is kept is taken, the rest is fitted by one process each, and what fails is contained."""

import logging
import time
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass

from errbar.errors import Failure, StoreError
from errbar.fits.data import Data
from errbar.fits.learners import Prototype
from errbar.fits.parallel import chosen
from errbar.fits.process import Settings, loaded
from errbar.fits.run_options import Progress, RunOptions
from errbar.fits.store import Record, Store
from errbar.fits.task import FitJob, Outcome, Task, tasks_of, training_sets
from errbar.metrics import Loss
from errbar.plans import Draw
from errbar.result import Note
from errbar.split_columns import SplitColumns
from errbar.table import Counts

_log = logging.getLogger("errbar")

HOPELESS = 2
"""So many failures and no success: the other fits of a learner are not worth their time."""

PAUSE = 0.2
"""Seconds between looks at what another process is doing."""


@dataclass(frozen=True, eq=False)
class Setup:
    """A run that has been checked and not been started; a `part` is the beginning of a longer run."""

    data: Data
    prototypes: tuple[Prototype, ...]
    losses: tuple[Loss, ...]
    draw: Draw
    splits: SplitColumns
    base: int
    failures: tuple[Failure, ...] = ()
    part: bool = False
    notes: tuple[Note, ...] = ()

    @property
    def loss(self) -> Loss:
        """The loss of the table; the others are computed from its predictions."""
        return self.losses[0]


def opened(store: object) -> AbstractContextManager[Store | None]:
    """Return a context with a store; one that is opened here is closed at the end."""
    if store is None or isinstance(store, Store):
        return nullcontext(store)
    return Store(store)  # type: ignore[arg-type] # options have been checked


class FitRun:
    """What a run has found so far: it says which fits are wanted, takes outcomes, keeps them, and tells how far it is."""

    def __init__(self, setup: Setup, options: RunOptions, store: Store | None) -> None:
        self.options, self.store = options, store
        self.started = time.perf_counter()
        learners = {prototype.name: prototype for prototype in setup.prototypes}
        settings = Settings.here(tuple(loaded.values()))
        self.job = FitJob(settings, setup.data, learners, training_sets(setup.draw), setup.base)
        share = options.share and not setup.part
        self.tasks = list(tasks_of(self.job, share=share, kept=store is not None))
        self.outcomes: dict[str, Outcome] = {}
        self.postponed: list[Task] = []
        self.total = self.done = self.fitted = self.failed = self.reused = 0
        self.good: set[str] = set()
        self.bad: dict[str, list[str]] = {name: [] for name in learners}

    def finish(self) -> None:
        """Do what is left to do."""
        left = self._left(self.tasks)
        self.total = sum(len(task.sets) for task in left)
        if left and self.store is not None and not self.store.writable:
            raise StoreError(
                f"the store '{self.store.path}' cannot be written, and {self.total} fits are not in it; copy "
                "it to where files can be made, and give the copy"
            )
        way = chosen(self.options.n_jobs, self.options.executor)
        try:
            while left:
                before = len(self.outcomes)
                for outcome in way.run(self.job, left, self.wanted):
                    self._take(outcome)
                if self.store is not None:
                    self.store.save()
                left, self.postponed = self._left(self.postponed), []
                if left and len(self.outcomes) == before:
                    time.sleep(PAUSE)  # others are at the rest
        finally:
            if self.store is not None:
                self.store.release()

    def _left(self, tasks: Sequence[Task]) -> list[Task]:
        if self.store is None or not tasks:
            return list(tasks)
        kept = self.store.find([task.key for task in tasks])
        left = []
        for task in tasks:
            record = kept.get(task.key)
            if record is None or not self._serves(task, record):
                left.append(task)
            else:
                self.outcomes[task.key] = Outcome.kept(task, record)
                self.good.add(task.learner)
                self.reused += len(task.sets)
        return left

    def _serves(self, task: Task, record: Record) -> bool:
        needed = self.job.learners[task.learner].needed
        return all(f"p/{kind}" in record.arrays for kind in needed)

    def wanted(self, tasks: Sequence[Task]) -> list[Task]:
        """Return the tasks that are to be done now, by this process; those that another process does are postponed."""
        hopeful = [task for task in tasks if not self._is_hopeless(task.learner)]
        for task in tasks:
            if task not in hopeful:
                failures = self.bad[task.learner]
                reason = (
                    f"{failures[0]} (given up: {len(failures)} fits failed, and none succeeded)"
                )
                self._count(self.job.failed(task, reason))
        if self.store is None or not hopeful:
            return hopeful
        mine = self.store.claim([task.key for task in hopeful])
        self.postponed += [task for task in hopeful if task.key not in mine]
        return self._left([task for task in hopeful if task.key in mine])

    def _is_hopeless(self, learner: str) -> bool:
        return learner not in self.good and len(self.bad[learner]) >= HOPELESS

    def _take(self, outcome: Outcome) -> None:
        task = outcome.task
        if self.store is not None:
            self.store.put(task.key, self.job.record(outcome))
        if outcome.error:
            self.bad[task.learner].append(outcome.error)
            if len(self.bad[task.learner]) == HOPELESS and self._is_hopeless(task.learner):
                _log.warning(
                    "learner %r is given up, since all of its first fits failed: %s",
                    task.learner,
                    self.bad[task.learner][0],
                )
        else:
            self.good.add(task.learner)
            self.fitted += len(task.sets)
        self._count(outcome)

    def _count(self, outcome: Outcome) -> None:
        task = outcome.task
        self.outcomes[task.key] = outcome
        self.done += len(task.sets)
        self.failed += len(task.sets) * bool(outcome.error)
        if self.options.progress is not None:
            seconds = time.perf_counter() - self.started
            remaining = seconds / self.done * (self.total - self.done)
            self.options.progress(
                Progress(self.done, self.total, self.failed, seconds, remaining, task.learner)
            )

    def by_learner(self) -> dict[str, list[Outcome]]:
        """Return the outcomes of each learner, training set after training set."""
        found: dict[str, list[Outcome]] = {name: [] for name in self.job.learners}
        for task in self.tasks:
            found[task.learner].append(self.outcomes[task.key])
        return found

    def counts(self) -> Counts:
        """Return how many fits were done, found and lost, and which learners were computed together."""
        together = dict.fromkeys(task.learner for task in self.tasks if len(task.sets) > 1)
        seconds = time.perf_counter() - self.started
        return Counts(self.fitted, self.reused, self.failed, seconds, tuple(together))

    def notes(self) -> tuple[Note, ...]:
        """Return what has to be said about fits that were not kept, or damaged."""
        notes = []
        if self.store is not None and self.store.problem is not None:
            lost = f"{self.store.unsaved} ({self.store.problem})"
            notes.append(Note("fits", not_kept=[lost]))
        if self.store is not None and self.store.damaged:
            notes.append(Note("fits", damaged=[len(self.store.damaged)]))
        return tuple(notes)
