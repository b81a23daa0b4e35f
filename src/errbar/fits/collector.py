"""A run as it goes: what is kept is taken, the rest is done by one process each, and what fails is contained."""

import logging
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from errbar.fits.options import Progress
from errbar.fits.parallel import Outcome, Task
from errbar.fits.store import Store

_log = logging.getLogger("errbar")

HOPELESS = 2
"""So many failures and no success: the other fits of a learner are not worth their time."""

PAUSE = 0.2
"""Seconds between looks at what another process is doing."""


def opened(store: Any) -> AbstractContextManager[Store | None]:
    """Return a context with a store; one that is opened here is closed at the end."""
    return nullcontext(store) if store is None or isinstance(store, Store) else Store(store)


class Collector:
    """What a run has found so far: it says which tasks are wanted, takes outcomes, keeps them, and tells how far it is."""

    def __init__(
        self,
        job: Any,
        tasks: Sequence[Task],
        store: Store | None,
        progress: Callable[[Progress], None] | None = None,
        hopeless: int = HOPELESS,
    ) -> None:
        self.job, self.tasks, self.store = job, tasks, store
        self.progress, self.hopeless = progress, hopeless
        self.started = time.perf_counter()
        self.outcomes: dict[str, Outcome] = {}
        self.postponed: list[Task] = []
        self.total = self.done = self.failed = self.reused = 0
        self.good: set[str] = set()
        self.bad: dict[str, list[str]] = {task.learner: [] for task in tasks}

    def finish(self, way: Any) -> None:
        """Do what is left to do, in some way of running."""
        left = self._left(self.tasks)
        self.total = sum(len(task.sets) for task in left)
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

    def _left(self, tasks: Any) -> list[Task]:
        kept = {} if self.store is None or not tasks else self.store.find(one.key for one in tasks)
        left = []
        for task in tasks:
            outcome = self.job.kept(task, kept[task.key]) if task.key in kept else None
            if outcome is None:
                left.append(task)
            else:
                self.outcomes[task.key] = outcome
                self.good.add(task.learner)
                self.reused += len(task.sets)
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
                self._count(Outcome(task, error=told))
        if self.store is None or not hopeful:
            return hopeful
        mine = self.store.claim([task.key for task in hopeful])
        self.postponed += [task for task in hopeful if task.key not in mine]
        return self._left([task for task in hopeful if task.key in mine])

    def _take(self, outcome: Outcome) -> None:
        name = outcome.task.learner
        if self.store is not None:
            self.store.put(outcome.task.key, self.job.record(outcome))
        if not outcome.error:
            self.good.add(name)
        else:
            self.bad[name].append(outcome.error)
            if len(self.bad[name]) == self.hopeless and name not in self.good:
                _log.warning(
                    "learner %r is given up, since all of its first fits failed: %s",
                    name,
                    self.bad[name][0],
                )
        self._count(outcome)

    def _count(self, outcome: Outcome) -> None:
        size = len(outcome.task.sets)
        self.outcomes[outcome.task.key] = outcome
        self.done += size
        self.failed += size * bool(outcome.error)
        if self.progress is not None:
            seconds = time.perf_counter() - self.started
            left = seconds / self.done * (self.total - self.done)
            name = outcome.task.learner
            self.progress(Progress(self.done, self.total, self.failed, seconds, left, name))

    def by_learner(self) -> dict[str, list[Outcome]]:
        """Return the outcomes of each learner, in the order of its tasks."""
        found: dict[str, list[Outcome]] = {name: [] for name in self.bad}
        for task in self.tasks:
            found[task.learner].append(self.outcomes[task.key])
        return found
