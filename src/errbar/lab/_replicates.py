"""Independent replicates of an experiment: each run once, by any number of workers, and kept in a store if one is named."""

import time
import traceback
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypedDict, Unpack

import numpy as np
from numpy.typing import NDArray

from errbar import _rng
from errbar._records import Batch, Record, RecordFile
from errbar.engine import Executor, Progress
from errbar.engine.executors import choose
from errbar.engine.tasks import one_line
from errbar.errors import Failure, FitFailedError
from errbar.lab.populations import Population

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

    shared: Mapping[str, Population] | None
    experiments: tuple[Any, ...]
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
            arrays = replace(light, population=self.shared[light.population]).replicate(self.base, task.number)
        except (Exception, SystemExit) as raised:  # noqa: BLE001 - a learner may raise anything; it is recorded
            error, trace = one_line(raised), traceback.format_exc()
        return _Finished(task, time.perf_counter() - started, arrays, error, trace)

    def failed(self, task: _Replicate, reason: str) -> _Finished:
        """Return the outcome of a replicate whose worker was lost."""
        return _Finished(task, 0.0, error=reason)

    def parts(self, task: _Replicate) -> tuple[_Replicate, ...]:
        """A replicate cannot be divided."""
        return (task,)


class _Collector:
    """Takes finished replicates as they come: keeps them, stores them in batches and reports progress."""

    def __init__(self, total: int, batch: Batch | None, progress: Watch | None) -> None:
        self.found: dict[str, _Finished] = {}
        self.failed: list[_Finished] = []
        self._total, self._batch, self._progress = total, batch, progress
        self._started = time.perf_counter()

    def __call__(self, one: _Finished) -> None:
        self.found[one.task.record] = one
        if one.error:
            self.failed.append(one)
        elif self._batch is not None:
            self._batch.put((one.task.record, Record(one.arrays)))
        if self._progress is not None:
            done, seconds = len(self.found), time.perf_counter() - self._started
            left = seconds / done * (self._total - done)
            self._progress(Progress(done, self._total, len(self.failed), seconds, left, one.queue))
        if one.error:
            self._give_up_if_hopeless(one.task.position)

    def _give_up_if_hopeless(self, position: int) -> None:
        """Stop where the first replicates of an experiment all failed: the others are not worth their time."""
        own = [one for one in self.found.values() if one.task.position == position]
        if len(own) == _HOPELESS and all(one.error for one in own):
            raise _failure(own, len(own))


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
    how = with_root(how)
    base, store = how["random_state"], how.get("store")
    populations = {one.population.digest: one.population for one in experiments}
    light = tuple(replace(one, population=one.population.digest) for one in experiments)  # type: ignore[arg-type] # travels without its data
    tasks = [
        [_Replicate(one.name, position, number, f"{one.digest}/{base}/{number}") for number in range(count)]
        for position, one in enumerate(experiments)
    ]
    with nullcontext() if store is None else RecordFile(store) as file:
        known = set() if file is None else file.done(task.record for own in tasks for task in own)
        waiting = [task for own in tasks for task in own if task.record not in known]
        with nullcontext() if file is None else Batch(file) as batch:
            collector = _Collector(len(waiting), batch, how.get("progress"))
            executor = how.get("executor") or choose(how.get("n_jobs"))
            executor.run(_ReplicateJob(populations, light, base), waiting, collector)
        if collector.failed:
            raise _failure(collector.failed, len(waiting))
        return [_stacked(own, collector.found, file) for own in tasks]


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


def _stacked(tasks: Sequence[_Replicate], fresh: Mapping[str, _Finished], file: RecordFile | None) -> Arrays:
    rows: list[Mapping[str, NDArray[Any]]] = []
    for task in tasks:
        if task.record in fresh:
            rows.append(fresh[task.record].arrays)
        else:
            assert file is not None
            rows.append(file.get(task.record).arrays)
    return {key: np.stack([row[key] for row in rows]) for key in rows[0]}
