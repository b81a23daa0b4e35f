"""Independent replicates of an experiment: each run once, by any number of workers, and kept in a store if one is named."""

import time
import traceback
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, TypedDict, Unpack

import numpy as np
from numpy.typing import NDArray

from errbar import _rng
from errbar.errors import Failure, FitFailedError, one_line
from errbar.fits import Progress, Record, Store
from errbar.fits.parallel import chosen, packed
from errbar.fits.process import Settings, loaded
from errbar_lab.populations import Population

_PAUSE = 0.2

_HOPELESS = 20
"""So many replicates that all fail, and no success, end an experiment."""

Arrays = dict[str, NDArray[Any]]
Watch = Callable[[Progress], None]


@dataclass(frozen=True)
class Repeated(ABC):
    """What is repeated on independent data sets; `digest` is of everything that its numbers depend on besides the root."""

    population: Population
    name: str
    digest: str
    n: int
    learners: Mapping[str, Any]
    loss: Any
    test_examples: int

    @abstractmethod
    def replicate(self, base: int, number: int) -> Arrays:
        """Run one replicate; the arrays of all replicates have the same shapes."""


class SimulationOptions(TypedDict, total=False):
    """How replicates are run; none of it changes a number but the root of the random streams.

    Every study takes these as keywords.

    Attributes
    ----------
    random_state : None, int or NumPy generator, default 0
        Root of every random stream. Equal roots give equal numbers, for any number of workers and after any resume.
    n_jobs : int, optional
        Workers; None takes joblib's configuration, -1 all cores.
    store : str or Path, optional
        File that keeps finished replicates; those in it are not run again.
    executor : concurrent.futures.Executor or distributed.Client, optional
        Runs the replicates instead of workers on this machine.
    progress : callable, optional
        Called with an `errbar.Progress` after every replicate.
    """

    random_state: Any
    n_jobs: int | None
    store: str | Path | None
    executor: Any
    progress: Watch | None


def with_root(how: SimulationOptions) -> SimulationOptions:
    """Return the same options with a number as root, so that several runs can share it.

    Raises
    ------
    TypeError
        If there is an option of another name, as for a keyword that a function does not have.
    """
    unknown = [name for name in how if name not in SimulationOptions.__annotations__]
    if unknown:
        raise TypeError(
            f"unexpected keyword argument {unknown[0]!r}; runs take {', '.join(SimulationOptions.__annotations__)}"
        )
    return {**how, "random_state": _rng.root(how.get("random_state", 0))}


@dataclass(frozen=True)
class _Replicate:
    """One replicate of the experiment at a position, and the name of its record."""

    queue: str
    position: int
    number: int
    record: str


@dataclass(frozen=True, eq=False)
class _Finished:
    """Arrays of one replicate, or the reason why it has none."""

    task: _Replicate
    seconds: float
    arrays: Arrays = field(default_factory=dict)
    error: str = ""
    traceback: str = ""


@dataclass(frozen=True, eq=False)
class _ReplicateJob:
    """The part common to all replicates; workers read the populations once."""

    settings: Settings
    shared: Mapping[str, Population] | None
    experiments: Mapping[int, Any]
    """With the digests of their populations in place of these."""
    base: int

    @property
    def code(self) -> str:
        """Digest of what the replicates run."""
        return " ".join(one.digest for one in self.experiments.values())

    def travels(self, task: _Replicate) -> bool:
        """Tell whether an experiment can be sent to another process."""
        return self._packed[task.position]

    @cached_property
    def _packed(self) -> dict[int, bool]:
        return {place: packed(one) is not None for place, one in self.experiments.items()}

    def perform(self, task: _Replicate) -> _Finished:
        """Run one replicate; a failure is part of the outcome."""
        assert self.shared is not None
        started = time.perf_counter()
        arrays: Arrays = {}
        error = trace = ""
        try:
            light = self.experiments[task.position]
            with self.settings.around_fit():
                arrays = replace(light, population=self.shared[light.population]).replicate(
                    self.base, task.number
                )
        except (Exception, SystemExit) as raised:  # noqa: BLE001 - a learner may raise anything; it is recorded
            error, trace = one_line(raised), traceback.format_exc()
        return _Finished(task, time.perf_counter() - started, arrays, error, trace)

    def failed(self, task: _Replicate, reason: str) -> _Finished:
        """Return the outcome of a replicate whose worker was lost."""
        return _Finished(task, 0.0, error=reason)


class _Collector:
    """Takes replicates as they come, from workers or from a file that other processes fill as well; reports progress."""

    def __init__(self, tasks: Sequence[_Replicate], store: Store | None, progress: Watch | None):
        self.found: dict[str, _Finished] = {}
        self.failed: list[_Finished] = []
        self._store, self._progress = store, progress
        self._postponed: list[_Replicate] = []
        self.waiting = self._missing(tasks)
        self._before, self._started = len(self.found), time.perf_counter()

    def run(self, way: Any, job: _ReplicateJob) -> None:
        """Have every replicate run, here or by another process."""
        left = self.waiting
        try:
            while left:
                before = len(self.found)
                for one in way.run(job, left, self._wanted):
                    self._take(one)
                if self._store is not None:
                    self._store.save()
                left, self._postponed = self._missing(self._postponed), []
                if left and len(self.found) == before:
                    time.sleep(_PAUSE)
        finally:
            if self._store is not None:
                self._store.release()

    def _take(self, one: _Finished) -> None:
        self.found[one.task.record] = one
        if one.error:
            self.failed.append(one)
        elif self._store is not None:
            self._store.put(one.task.record, Record(one.arrays))
        if self._progress is not None:
            done, seconds = len(self.found) - self._before, time.perf_counter() - self._started
            left = seconds / done * (len(self.waiting) - done)
            self._progress(
                Progress(done, len(self.waiting), len(self.failed), seconds, left, one.task.queue)
            )
        if one.error:
            self._give_up_if_hopeless(one.task.position)

    def _give_up_if_hopeless(self, position: int) -> None:
        """Stop where the first replicates of an experiment all failed: the others are not worth their time."""
        own = [one for one in self.found.values() if one.task.position == position]
        if len(own) == _HOPELESS and all(one.error for one in own):
            raise _failure(own, len(own))

    def _missing(self, tasks: Sequence[_Replicate]) -> list[_Replicate]:
        """Return the replicates that the file does not have by now; take the others."""
        if self._store is None or not tasks:
            return list(tasks)
        kept = self._store.find(task.record for task in tasks)
        for task in tasks:
            if task.record in kept:
                self.found[task.record] = _Finished(task, 0.0, dict(kept[task.record].arrays))
        return [task for task in tasks if task.record not in kept]

    def _wanted(self, tasks: Sequence[_Replicate]) -> list[_Replicate]:
        """Return the replicates that no other process has done or is at work on; remember the others."""
        if self._store is None:
            return list(tasks)
        mine = self._store.claim([task.record for task in tasks])
        self._postponed += [task for task in tasks if task.record not in mine]
        return self._missing([task for task in tasks if task.record in mine])


def replicates(
    experiments: Sequence[Repeated],
    count: int,
    **how: Unpack[SimulationOptions],
) -> list[Arrays]:
    """Run so many replicates of each experiment, and return the arrays of each, replicates first.

    Raises
    ------
    FitFailedError
        If replicates failed; all others were finished, and stored, first.
    """
    how = with_root(how)
    base, store = how["random_state"], how.get("store")
    populations = {one.population.digest: one.population for one in experiments}
    light = tuple(replace(one, population=one.population.digest) for one in experiments)
    tasks = [
        [
            _Replicate(one.name, position, number, f"{one.digest}/{base}/{number}")
            for number in range(count)
        ]
        for position, one in enumerate(experiments)
    ]
    with nullcontext() if store is None else Store(store) as file:
        collector = _Collector([task for own in tasks for task in own], file, how.get("progress"))
        job = _ReplicateJob(
            Settings.here(tuple(loaded.values())), populations, dict(enumerate(light)), base
        )
        collector.run(chosen(how.get("n_jobs"), how.get("executor")), job)
    if file is not None and file.damaged:
        text = f"{len(file.damaged)} damaged records of the store '{store}' were not used; these replicates were run again"
        warnings.warn(text, stacklevel=2)
    if file is not None and file.problem is not None:
        warnings.warn(f"{file.unsaved} replicates are not kept: {file.problem}", stacklevel=2)
    if collector.failed:
        raise _failure(collector.failed, len(collector.waiting))
    found = [[collector.found[task.record].arrays for task in own] for own in tasks]
    return [{key: np.stack([one[key] for one in own]) for key in own[0]} for own in found]


def _failure(failed: Sequence[_Finished], total: int) -> FitFailedError:
    failures = [
        Failure(one.task.queue, f"replicate {one.task.number}", one.error, one.traceback)
        for one in sorted(failed, key=lambda one: (one.task.position, one.task.number))
    ]
    first = failures[0]
    return FitFailedError(
        f"{len(failures)} of {total} replicates failed; first: {first.learner}, {first.split}: {first.message}",
        failures,
    )
