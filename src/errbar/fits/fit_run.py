"""One run as it goes: what is kept is taken, the rest is fitted by one process each, and what fails is contained."""

import logging
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace

from errbar.errors import Failure, StoreError
from errbar.fits.data import Data
from errbar.fits.learners import Prototype
from errbar.fits.parallel import chosen
from errbar.fits.process import Settings, loaded
from errbar.fits.run_options import ANY, Progress, RunOptions
from errbar.fits.store import Record, Store
from errbar.fits.task import Fit, FitJob, FitTask, Outcome, tasks_of, training_sets
from errbar.metrics import Loss
from errbar.plans import Draw
from errbar.result import Note
from errbar.split_columns import SplitColumns
from errbar.table import Counts

_log = logging.getLogger("errbar")

HOPELESS = 2
"""So many failures and no success: the other fits of a learner are not worth their time."""

GIVEN_UP = " (given up: "
"""What stands in the message of a fit that was not tried, since others of its learner had failed."""

PAUSE = 0.2
"""Seconds between looks at what another process is doing."""


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
        sets = training_sets(setup.draw)
        self.job = FitJob(settings, setup.data, learners, sets, setup.base)
        whole = setup.whole or len(sets)
        self.tasks = list(tasks_of(self.job, whole, share=options.share, kept=store is not None))
        self.outcomes: dict[str, Outcome] = {}
        self.others: list[Outcome] = []
        self.postponed: list[FitTask] = []
        self.total = self.done = self.fitted = self.failed = self.reused = 0
        self.good: set[str] = set()
        self.bad: Counter[str] = Counter()
        self.reasons: dict[str, str] = {}

    def finish(self) -> None:
        """Do what is left to do."""
        left = self._left(self.tasks)
        if self.options.reuse == ANY:
            left = self._of_other_versions(left)
        self.total = sum(len(task.fits) for task in left)
        if left and self.store is not None and not self.store.writable:
            raise StoreError(
                f"the store '{self.store.path}' cannot be written, and {self.total} fits are not in it; copy "
                "it to where files can be made, and give the copy"
            )
        way = chosen(self.options.n_jobs, self.options.executor)
        try:
            while left:
                before = len(self.outcomes)
                for outcomes in way.run(self.job, left, self.wanted):
                    for outcome in outcomes.each:
                        self._take(outcome)
                if self.store is not None:
                    self.store.save()
                left, self.postponed = self._left(self.postponed), []
                if left and len(self.outcomes) == before:
                    time.sleep(PAUSE)  # others are at the rest
        finally:
            if self.store is not None:
                self.store.release()

    def _left(self, tasks: Sequence[FitTask]) -> list[FitTask]:
        """Take what the store has, and return the tasks that it has not."""
        if self.store is None or not tasks:
            return list(tasks)
        fits = {fit.key: fit for task in tasks for fit in task.fits}
        for key, record in self.store.find(fits).items():
            if self._serves(fits[key], record):
                self._reuse(Outcome.kept(fits[key], record))
        return [left for task in tasks for left in task.without(self.outcomes)]

    def _serves(self, fit: Fit, record: Record) -> bool:
        needed = self.job.learners[fit.learner].needed
        return all(f"p/{kind}" in record.arrays for kind in needed)

    def _of_other_versions(self, tasks: Sequence[FitTask]) -> list[FitTask]:
        """Take fits that differ in the versions of what is installed alone, the last one of each."""
        if self.store is None:
            return list(tasks)
        fits = {fit.key.partition(".")[0]: fit for task in tasks for fit in task.fits}
        alike = [key for key in self.store if key.partition(".")[0] in fits]
        found = {}
        kept = self.store.find(alike).items()
        for key, record in sorted(kept, key=lambda pair: pair[1].facts["time"]):
            fit = fits[key.partition(".")[0]]
            if self._serves(fit, record):
                found[fit.key] = Outcome.kept(fit, record)
        for outcome in found.values():
            self._reuse(outcome)
        self.others += found.values()
        return [left for task in tasks for left in task.without(found)]

    def _reuse(self, outcome: Outcome) -> None:
        self.outcomes[outcome.fit.key] = outcome
        self.good.add(outcome.fit.learner)
        self.reused += 1

    def wanted(self, tasks: Sequence[FitTask]) -> list[FitTask]:
        """Return the tasks that are to be done now, by this process; those that another process does are postponed."""
        hopeful = []
        for task in tasks:
            if task.queue not in self.good and self.bad[task.queue] >= HOPELESS:
                self._give_up(task)
            else:
                hopeful.append(task)
        if self.store is None or not hopeful:
            return hopeful
        asked = {fit.key for task in hopeful for fit in task.fits}
        mine = self.store.claim(asked)
        self.postponed += [left for task in hopeful for left in task.without(mine)]
        return self._left([own for task in hopeful for own in task.without(asked - mine)])

    def _take(self, outcome: Outcome) -> None:
        """Take what became of a fit, and keep it."""
        name = outcome.fit.learner
        own = replace(outcome, versions=self._versions(name))
        if self.store is not None:
            self.store.put(own.fit.key, self.job.record(own))
        if not outcome.error:
            self.good.add(name)
            self.fitted += 1
        else:
            self.bad[name] += 1
            self.reasons.setdefault(name, outcome.error)
            if self.bad[name] == HOPELESS and name not in self.good:
                _log.warning(
                    "learner %r is given up, since all of its first fits failed: %s",
                    name,
                    self.reasons[name],
                )
        self._count(own)

    def _versions(self, learner: str) -> dict[str, str]:
        return {} if self.store is None else dict(self.job.learners[learner].identity.versions)

    def _give_up(self, task: FitTask) -> None:
        """Let the other fits of a hopeless learner be failures too, and say so at once."""
        tried = f"{self.bad[task.queue]} fits failed before this one, and none succeeded"
        text = f"{self.reasons[task.queue]}{GIVEN_UP}{tried})"
        for outcome in self.job.failed(task, text).each:
            self._count(outcome)

    def _count(self, outcome: Outcome) -> None:
        self.outcomes[outcome.fit.key] = outcome
        self.done += 1
        self.failed += bool(outcome.error)
        if self.options.progress is not None:
            seconds = time.perf_counter() - self.started
            remaining = seconds / self.done * (self.total - self.done)
            learner = outcome.fit.learner
            self.options.progress(
                Progress(self.done, self.total, self.failed, seconds, remaining, learner)
            )

    def by_learner(self) -> dict[str, list[Outcome]]:
        """Return the outcomes of each learner, training set after training set."""
        found: dict[str, list[Outcome]] = {name: [] for name in self.job.learners}
        for task in self.tasks:
            found[task.queue] += [self.outcomes[fit.key] for fit in task.fits]
        return found

    def counts(self) -> Counts:
        """Return how many fits were done, found and lost, and which learners were computed together."""
        shared = {one.fit.learner for one in self.outcomes.values() if one.shared > 0}
        names = tuple(name for name in self.job.learners if name in shared)
        seconds = time.perf_counter() - self.started
        return Counts(self.fitted, self.reused, self.failed, seconds, names)

    def notes(self) -> tuple[Note, ...]:
        """Return what has to be said about fits that were not kept, or damaged, or not computed together."""
        notes = []
        if self.store is not None and self.store.problem is not None:
            lost = f"{self.store.unsaved} ({self.store.problem})"
            notes.append(Note("fits", not_kept=[lost]))
        if self.store is not None and self.store.damaged:
            notes.append(Note("fits", damaged=[len(self.store.damaged)]))
        if self.others:
            notes.append(Note("fits", other_versions=self._other_versions()))
        refitted = {one.fit.learner for one in self.outcomes.values() if one.shared < 0}
        if refitted:
            notes.append(Note("fits", refitted=sorted(refitted)))
        return tuple(notes)

    def _other_versions(self) -> list[str]:
        """Return how many fits were made with other versions, and with which."""
        now = {
            key: value for name in self.job.learners for key, value in self._versions(name).items()
        }
        then = sorted({pair for one in self.others for pair in one.versions.items()})
        changed = [
            f"{name} {number} (now {now[name]})"
            for name, number in then
            if now.get(name, number) != number
        ]
        return [f"{len(self.others)} fits", *changed]
