"""A run as it goes: what is kept is taken, the rest is done by one process each, and what fails is contained."""

import logging
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any

from errbar.fits.parallel import Task
from errbar.fits.store import Record, Store

_log = logging.getLogger("errbar")

PAUSE = 0.2
"""Seconds between looks at what another process is doing."""


@dataclass(frozen=True)
class Progress:
    """How far a run is.

    Attributes
    ----------
    done, total, failed : Numbers of fits.
    seconds, remaining : Time so far, and an estimate of the time left.
    learner : Learner of the fit that has just been finished.
    """

    done: int
    total: int
    failed: int
    seconds: float
    remaining: float
    learner: str


def opened(store: Any) -> AbstractContextManager[Store | None]:
    """Return a context with a store; one that is opened here is closed at the end."""
    return nullcontext(store) if store is None or isinstance(store, Store) else Store(store)


class Collector:
    """What a run has found so far: it says which tasks are wanted, takes outcomes, keeps them, and tells how far it is.

    After so many failures as `hopeless` and no success, the other fits of a learner are not worth their time.
    """

    def __init__(
        self,
        job: Any,
        tasks: Sequence[Task],
        store: Store | None,
        progress: Callable[[Progress], None] | None = None,
        hopeless: int = 2,
    ) -> None:
        self.job, self.tasks, self.store = job, tasks, store
        self.progress, self.hopeless = progress, hopeless
        self.started = time.perf_counter()
        self.found: dict[str, Record] = {}
        self.postponed: list[Task] = []
        self.total = self.done = self.failed = self.reused = 0
        self.good: set[str] = set()
        self.bad: dict[str, list[str]] = defaultdict(list)

    def finish(self, way: Any) -> None:
        """Do what is left to do, in some way of running."""
        left = self._left(self.tasks)
        self.total = sum(len(task.sets) for task in left)
        try:
            while left:
                before = len(self.found)
                for task, record in way.run(self.job, left, self.wanted):
                    self._take(task, record)
                if self.store is not None:
                    self.store.save()
                left, self.postponed = self._left(self.postponed), []
                if left and len(self.found) == before:
                    time.sleep(PAUSE)  # others are at the rest
        finally:
            if self.store is not None:
                self.store.release()

    def _left(self, tasks: Sequence[Task]) -> list[Task]:
        """Take what the store has of some tasks, and return the others."""
        kept = {} if self.store is None or not tasks else self.store.find(one.key for one in tasks)
        left = []
        for task in tasks:
            if task.key in kept and self.job.serves(task, kept[task.key]):
                self.found[task.key] = kept[task.key]
                self.good.add(task.learner)
                self.reused += len(task.sets)
            else:
                left.append(task)
        return left

    def wanted(self, tasks: Sequence[Task]) -> list[Task]:
        """Return the tasks that are to be done now, by this process; those that another process does are postponed."""
        hopeful = []
        for task in tasks:
            failures = self.bad[task.learner]
            if task.learner in self.good or len(failures) < self.hopeless:
                hopeful.append(task)
            else:
                told = f"{failures[0]} (given up: {len(failures)} fits failed, and none succeeded)"
                self._count(task, Record(facts={"error": told}))
        if self.store is None or not hopeful:
            return hopeful
        mine = self.store.claim([task.key for task in hopeful])
        self.postponed += [task for task in hopeful if task.key not in mine]
        return self._left([task for task in hopeful if task.key in mine])

    def _take(self, task: Task, record: Record) -> None:
        if self.store is not None:
            self.store.put(task.key, self.job.record(task, record))
        if "error" in record.facts:
            failures = self.bad[task.learner]
            failures.append(record.facts["error"])
            if len(failures) == self.hopeless and task.learner not in self.good:
                told = "learner %r is given up, since all of its first fits failed: %s"
                _log.warning(told, task.learner, failures[0])
        else:
            self.good.add(task.learner)
        self._count(task, record)

    def _count(self, task: Task, record: Record) -> None:
        self.found[task.key] = record
        self.done += len(task.sets)
        self.failed += len(task.sets) * ("error" in record.facts)
        if self.progress is not None:
            seconds = time.perf_counter() - self.started
            left = seconds / self.done * (self.total - self.done)
            state = Progress(self.done, self.total, self.failed, seconds, left, task.learner)
            self.progress(state)
