"""Independent replicates of an experiment: done once each, by any number of workers, and kept where a store is named."""

import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol

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
"""An experiment whose first replicates all fail is not worth the others."""

Arrays = dict[str, NDArray[Any]]
Watch = Callable[[Progress], None]


class Experiment(Protocol):
    """What is done with one data set after another: a frozen dataclass with these fields among others."""

    @property
    def name(self) -> str:
        """Name, for people."""

    @property
    def population(self) -> Population:
        """Where data sets come from."""

    @property
    def digest(self) -> str:
        """Digest of everything the numbers depend on, besides the root of the streams and the number of the replicate."""

    def replicate(self, base: int, number: int) -> Arrays:
        """Do one replicate; its arrays have the same shapes every time."""


@dataclass(frozen=True)
class Means:
    """How replicates are done.

    Parameters
    ----------
    random_state : None, int or NumPy generator, default 0
        Root of every random choice. Equal roots give equal numbers, for any number of workers and after any resume.
    n_jobs : int, optional
        Workers; None takes joblib's configuration, -1 all cores.
    store : str or Path, optional
        File that keeps finished replicates; those in it are not done again.
    executor : Executor, optional
        Who does the replicates, instead of workers on this machine, such as a Dask cluster.
    progress : callable, optional
        Called with an `errbar.Progress` after every replicate.
    """

    random_state: Any = 0
    n_jobs: int | None = None
    store: str | Path | None = None
    executor: Executor | None = None
    progress: Watch | None = None

    def fixed(self) -> "Means":
        """Return the same with a root that is a number, so that it can be used several times."""
        return replace(self, random_state=_rng.root(self.random_state))


@dataclass(frozen=True)
class Request:
    """So many replicates of an experiment."""

    experiment: Experiment
    count: int


@dataclass(frozen=True)
class _Task:
    """One replicate of the experiment at a position."""

    queue: str
    position: int
    number: int


@dataclass(frozen=True, eq=False)
class _Outcome:
    """What became of it."""

    queue: str
    position: int
    number: int
    seconds: float
    arrays: Arrays = field(default_factory=dict)
    error: str = ""
    traceback: str = ""


@dataclass(frozen=True, eq=False)
class _Job:
    """What all replicates have in common; the populations are read by workers once."""

    shared: Mapping[str, Population] | None
    experiments: tuple[Any, ...]
    homes: tuple[str, ...]
    base: int

    def perform(self, task: _Task) -> _Outcome:
        """Do one replicate; a failure is part of the outcome."""
        assert self.shared is not None
        started = time.perf_counter()
        arrays: Arrays = {}
        error = trace = ""
        try:
            experiment = self.experiments[task.position]
            whole = replace(experiment, population=self.shared[self.homes[task.position]])
            arrays = whole.replicate(self.base, task.number)
        except (Exception, SystemExit) as raised:  # noqa: BLE001 - a learner may raise anything; it is recorded
            error, trace = one_line(raised), traceback.format_exc()
        seconds = time.perf_counter() - started
        return _Outcome(task.queue, task.position, task.number, seconds, arrays, error, trace)

    def failed(self, task: _Task, reason: str) -> _Outcome:
        """Return the outcome of a replicate whose worker was lost."""
        return _Outcome(task.queue, task.position, task.number, 0.0, error=reason)

    def parts(self, task: _Task) -> tuple[_Task, ...]:
        """A replicate cannot be divided."""
        return (task,)


def replicates(requests: Sequence[Request], means: Means) -> list[Arrays]:
    """Do the replicates of several experiments, and return the arrays of each, replicates first.

    Raises
    ------
    FitFailedError
        If replicates failed; all others were finished, and kept, first.
    """
    base = _rng.root(means.random_state)
    names = [_names(request, base) for request in requests]
    with nullcontext() if means.store is None else RecordFile(means.store) as file:
        known = set() if file is None else file.done(name for own in names for name in own)
        waiting = [
            _Task(request.experiment.name, position, number)
            for position, request in enumerate(requests)
            for number in range(request.count)
            if names[position][number] not in known
        ]
        fresh = _done(requests, waiting, names, base, means, file)
        failed = [outcome for outcome in fresh.values() if outcome.error]
        if failed:
            raise _failure(failed, len(waiting))
        return [_stacked(own, fresh, file) for own in names]


def _names(request: Request, base: int) -> list[str]:
    return [f"{request.experiment.digest}/{base}/{number}" for number in range(request.count)]


def _done(
    requests: Sequence[Request],
    waiting: Sequence[_Task],
    names: Sequence[Sequence[str]],
    base: int,
    means: Means,
    file: RecordFile | None,
) -> dict[str, _Outcome]:
    """Do what is waiting; what is finished goes to the file in batches, whatever happens to the rest."""
    found: dict[str, _Outcome] = {}
    done = [0] * len(requests)
    report = _reporter(len(waiting), means.progress)
    with nullcontext() if file is None else Batch(file) as batch:

        def emit(outcome: _Outcome) -> None:
            name = names[outcome.position][outcome.number]
            found[name] = outcome
            done[outcome.position] += not outcome.error
            if batch is not None and not outcome.error:
                batch.put(name, Record(outcome.arrays))
            report(outcome)
            own = [one for one in found.values() if one.position == outcome.position] if outcome.error else []
            if len(own) == _HOPELESS and not done[outcome.position]:
                raise _failure(own, len(own))

        (means.executor or choose(means.n_jobs)).run(_job(requests, base), waiting, emit)
    return found


def _job(requests: Sequence[Request], base: int) -> _Job:
    populations = [request.experiment.population for request in requests]
    light = tuple(replace(request.experiment, population=None) for request in requests)  # type: ignore[type-var]
    return _Job({one.digest: one for one in populations}, light, tuple(one.digest for one in populations), base)


def _reporter(total: int, watch: Watch | None) -> Callable[[_Outcome], None]:
    started, counts = time.perf_counter(), {"done": 0, "failed": 0}

    def report(outcome: _Outcome) -> None:
        counts["done"] += 1
        counts["failed"] += bool(outcome.error)
        if watch is not None:
            seconds = time.perf_counter() - started
            left = seconds / counts["done"] * (total - counts["done"])
            watch(Progress(counts["done"], total, counts["failed"], seconds, left, outcome.queue))

    return report


def _failure(failed: Sequence[_Outcome], total: int) -> FitFailedError:
    failures = [
        Failure(outcome.queue, f"replicate {outcome.number}", outcome.error, outcome.traceback)
        for outcome in sorted(failed, key=lambda one: (one.position, one.number))
    ]
    first = failures[0]
    return FitFailedError(
        f"{len(failures)} of {total} replicates failed; first: {first.learner}, {first.split}: {first.message}",
        failures,
    )


def _stacked(names: Sequence[str], fresh: Mapping[str, _Outcome], file: RecordFile | None) -> Arrays:
    rows = [_arrays(name, fresh, file) for name in names]
    return {key: np.stack([row[key] for row in rows]) for key in rows[0]}


def _arrays(name: str, fresh: Mapping[str, _Outcome], file: RecordFile | None) -> Mapping[str, NDArray[Any]]:
    if name in fresh:
        return fresh[name].arrays
    assert file is not None
    return file.get(name).arrays
