"""Independent replicates of an experiment: each run once, by any number of workers, and kept in a store if one is named."""

import time
import traceback
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Self, TypedDict, Unpack

import numpy as np
from numpy.typing import NDArray

from errbar import _rng
from errbar._records import Batch, Record, RecordFile
from errbar.engine import Executor, Progress, travel
from errbar.engine.executors import choose
from errbar.engine.surroundings import Surroundings
from errbar.errors import Failure, FitFailedError, one_line
from errbar.lab.populations import Population

_SHORTEST_PAUSE, _LONGEST_PAUSE = 0.02, 0.5

_HOPELESS = 20
"""So many replicates that all fail, and no success, end an experiment."""

Arrays = dict[str, NDArray[Any]]
Watch = Callable[[Progress], None]


@dataclass(frozen=True)
class Experiment(ABC):
    """What is repeated on independent data sets.

    Attributes
    ----------
    population : Population
        Where data sets come from.
    name : str
        Name, for people.
    digest : str
        Digest of everything the numbers depend on, besides the root of the streams and the number of the replicate.
    n, test_examples : int
        Examples in a data set, and test examples drawn with it.
    learners, loss
        Those of the scenario.
    """

    population: Population
    name: str
    digest: str
    n: int
    learners: Mapping[str, Any]
    loss: Any
    test_examples: int

    @classmethod
    def of(cls, scenario: Any, digest: str, **own: Any) -> Self:
        """Return the experiment on the data sets and learners of a scenario, but for what is given."""
        names = ("population", "name", "n", "learners", "loss")
        return cls(**{name: getattr(scenario, name) for name in names} | own, digest=digest)

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
    executor : Executor, optional
        Runs the replicates instead of workers on this machine, such as a Dask cluster.
    progress : callable, optional
        Called with an `errbar.Progress` after every replicate.
    """

    random_state: Any
    n_jobs: int | None
    store: str | Path | None
    executor: Executor | None
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

    @property
    def queue(self) -> str:
        """Queue of the task, by which executors estimate times."""
        return self.task.queue


@dataclass(frozen=True, eq=False)
class _ReplicateJob:
    """The part common to all replicates; workers read the populations once."""

    surroundings: Surroundings
    shared: Mapping[str, Population] | None
    experiments: Mapping[int, Any]
    """With the digests of their populations in place of these."""
    base: int

    def perform(self, task: _Replicate) -> _Finished:
        """Run one replicate; a failure is part of the outcome."""
        assert self.shared is not None
        started = time.perf_counter()
        arrays: Arrays = {}
        error = trace = ""
        try:
            light = self.experiments[task.position]
            with self.surroundings.around():
                arrays = replace(light, population=self.shared[light.population]).replicate(
                    self.base, task.number
                )
        except (Exception, SystemExit) as raised:  # noqa: BLE001 - a learner may raise anything; it is recorded
            error, trace = one_line(raised), traceback.format_exc()
        return _Finished(task, time.perf_counter() - started, arrays, error, trace)

    def packed(self, one: _Finished) -> bytes:
        """Return an outcome as plain bytes."""
        return travel.message([one.seconds, one.error, one.traceback], one.arrays)

    def unpacked(self, task: _Replicate, message: bytes) -> _Finished:
        """Return the outcome of a replicate; an exception if this is not a message of one."""
        (seconds, *texts), arrays = travel.read(message)
        error, trace = travel.texts(*texts)
        if not (arrays or error):
            raise TypeError("no arrays")
        return _Finished(task, travel.seconds(seconds), arrays, error, trace)

    def failed(self, task: _Replicate, reason: str) -> _Finished:
        """Return the outcome of a replicate whose worker was lost."""
        return _Finished(task, 0.0, error=reason)

    def parts(self, task: _Replicate) -> tuple[_Replicate, ...]:
        """A replicate cannot be divided."""
        return (task,)


class _Collector:
    """Takes replicates as they come, from workers or from a file that other processes fill as well; reports progress."""

    def __init__(
        self, tasks: Sequence[_Replicate], file: RecordFile | None, progress: Watch | None
    ) -> None:
        self.found: dict[str, _Finished] = {}
        self.failed: list[_Finished] = []
        self.damaged: set[str] = set()
        self._file, self._batch = file, None if file is None else Batch(file)
        self._progress: Watch | None = None
        self._elsewhere: list[_Replicate] = []
        self.waiting = self._missing(tasks)
        self._before, self._progress = len(self.found), progress
        self._started = time.perf_counter()

    def __call__(self, one: _Finished) -> None:
        if one.error:
            self.failed.append(one)
            if self._file is not None:
                self._file.release([one.task.record])
        elif self._batch is not None:
            self._batch.put((one.task.record, Record(one.arrays)))
        self._take(one)
        if one.error:
            self._give_up_if_hopeless(one.task.position)

    def run(self, executor: Executor, job: _ReplicateJob) -> None:
        """Have every replicate run, here or by another process."""
        left = self.waiting
        with self._batch or nullcontext():
            while left:
                executor.run(job, left, self, self.wanted)
                left = self._left()

    def _take(self, one: _Finished) -> None:
        self.found[one.task.record] = one
        if self._progress is not None:
            done, seconds = len(self.found) - self._before, time.perf_counter() - self._started
            left = seconds / done * (len(self.waiting) - done)
            self._progress(
                Progress(done, len(self.waiting), len(self.failed), seconds, left, one.queue)
            )

    def _give_up_if_hopeless(self, position: int) -> None:
        """Stop where the first replicates of an experiment all failed: the others are not worth their time."""
        own = [one for one in self.found.values() if one.task.position == position]
        if len(own) == _HOPELESS and all(one.error for one in own):
            raise _failure(own, len(own))

    def _missing(self, tasks: Sequence[_Replicate]) -> list[_Replicate]:
        """Return the replicates that the file does not have by now; take the others."""
        if self._file is None:
            return list(tasks)
        kept, damaged = self._file.found(task.record for task in tasks)
        self.damaged.update(damaged)
        for task in tasks:
            if task.record in kept:
                self._take(_Finished(task, 0.0, dict(kept[task.record].arrays)))
        return [task for task in tasks if task.record not in kept]

    def wanted(self, tasks: Sequence[_Replicate]) -> list[_Replicate]:
        """Return the replicates that no other process has done or is at work on; remember the latter."""
        if self._file is None:
            return list(tasks)
        free = self._file.claim([[task.record] for task in tasks])
        self._elsewhere += [task for task, mine in zip(tasks, free, strict=True) if not mine]
        return self._missing([task for task, mine in zip(tasks, free, strict=True) if mine])

    def _left(self) -> list[_Replicate]:
        """Wait for what other processes are at work on; return what is left over where one of them dies, or fails."""
        pause = _SHORTEST_PAUSE
        while self._elsewhere and self._batch is not None:
            self._batch.flush()  # others may wait for what is in it
            waiting, self._elsewhere = self._elsewhere, []
            if mine := self.wanted(waiting):
                return mine
            self._elsewhere = self._missing(self._elsewhere)
            time.sleep(pause)
            pause = min(1.5 * pause, _LONGEST_PAUSE)
        return []


def replicates(
    experiments: Sequence[Experiment],
    count: int,
    **how: Unpack[SimulationOptions],
) -> list[Arrays]:
    """Run so many replicates of each experiment, and return the arrays of each, replicates first.

    Raises
    ------
    FitFailedError
        If replicates failed; all others were finished, and stored, first.
    """
    return [
        {key: np.stack([row[key] for row in rows]) for key in rows[0]}
        for rows in each_replicate(experiments, range(count), **how)
    ]


def each_replicate(
    experiments: Sequence[Experiment],
    numbers: range,
    **how: Unpack[SimulationOptions],
) -> list[list[Arrays]]:
    """Run the replicates of these numbers of each experiment, and return the arrays of each, which may differ in shape.

    Raises
    ------
    FitFailedError
        If replicates failed; all others were finished, and stored, first.
    """
    how = with_root(how)
    base, store = how["random_state"], how.get("store")
    populations = {one.population.digest: one.population for one in experiments}
    light = tuple(replace(one, population=one.population.digest) for one in experiments)  # type: ignore[arg-type] # travels without its data
    tasks = [
        [
            _Replicate(one.name, position, number, f"{one.digest}/{base}/{number}")
            for number in numbers
        ]
        for position, one in enumerate(experiments)
    ]
    with nullcontext() if store is None else RecordFile(store) as file:
        collector = _Collector([task for own in tasks for task in own], file, how.get("progress"))
        collector.run(
            how.get("executor") or choose(how.get("n_jobs")),
            _ReplicateJob(Surroundings.here(), populations, dict(enumerate(light)), base),
        )
    if collector.damaged:
        text = f"{len(collector.damaged)} damaged records of the store '{store}' were not used; these replicates were run again"
        warnings.warn(text, stacklevel=2)
    if collector.failed:
        raise _failure(collector.failed, len(collector.waiting))
    return [[collector.found[task.record].arrays for task in own] for own in tasks]


def _failure(failed: Sequence[_Finished], total: int) -> FitFailedError:
    failures = [
        Failure(one.queue, f"replicate {one.task.number}", one.error, one.traceback)
        for one in sorted(failed, key=lambda one: (one.task.position, one.task.number))
    ]
    first = failures[0]
    return FitFailedError(
        f"{len(failures)} of {total} replicates failed; first: {first.learner}, {first.split}: {first.message}",
        failures,
    )
