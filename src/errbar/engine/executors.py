"""Who does the work, fits or whole replicates of a simulation: this process, or workers on this machine."""

import math
import sys
import tempfile
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol

import numpy as np


class Task(Protocol):
    """A piece of work; those of one queue take about as long as each other."""

    @property
    def queue(self) -> str:
        """Name of the queue."""


class Outcome(Protocol):
    """What became of a task."""

    @property
    def queue(self) -> str:
        """Queue of the task."""

    @property
    def seconds(self) -> float:
        """Time it took."""


class Job(Protocol):
    """What all tasks have in common: a frozen dataclass that travels with every batch, without what it shares."""

    @property
    def shared(self) -> Any:
        """Large data, which workers map into their memory once."""

    def perform(self, task: Any) -> Any:
        """Do one task and return its outcome; a failure is part of the outcome."""

    def failed(self, task: Any, reason: str) -> Any:
        """Return the outcome of a task whose worker was lost."""

    def parts(self, task: Any) -> Sequence[Any]:
        """Return the smaller tasks that a task consists of; itself where it cannot be divided."""


Emit = Callable[[Any], None]
Wanted = Callable[[Sequence[Any]], list[Any]]

BATCH_SECONDS = 0.3
PROBE_SECONDS = 0.5
START_SECONDS = 2.0

_loaded: dict[str, Any] = {}


def every(tasks: Sequence[Any]) -> list[Any]:
    """Return all tasks: nobody else does any of them."""
    return list(tasks)


class Executor(Protocol):
    """Does tasks and hands over each outcome as it is finished, in any order.

    `wanted` tells which of some tasks are still to be done; it is asked just before they are begun.
    """

    def run(self, job: Job, tasks: Sequence[Any], emit: Emit, wanted: Wanted = every) -> None:
        """Do all tasks that are wanted."""


class Serial:
    """Does all tasks in this process, one after the other."""

    def run(self, job: Job, tasks: Sequence[Any], emit: Emit, wanted: Wanted = every) -> None:
        """Do all tasks that are wanted."""
        pace = Pace(emit)
        queue = deque(tasks)
        with steady_process():
            while queue:
                for task in wanted(_some(queue, pace)):
                    pace(job.perform(task))


class Joblib:
    """Does tasks in worker processes on this machine, unless that would take longer.

    Where no workers are up yet, the first tasks of each queue are timed in this process. If what remains is less
    work than starting workers costs, it stays here. Otherwise workers get batches of about 0.3 s; they read the data
    from a memory map.

    Parameters
    ----------
    n_jobs : int
        Number of workers.
    """

    def __init__(self, n_jobs: int) -> None:
        self.n_jobs = n_jobs

    def run(self, job: Job, tasks: Sequence[Any], emit: Emit, wanted: Wanted = every) -> None:
        """Do all tasks that are wanted."""
        queues, pace = in_queues(tasks), Pace(emit)
        if _workers_up() < self.n_jobs:
            with steady_process():
                _probe(job, queues, pace)
            if self._stay(queues, pace):
                Serial().run(job, [task for queue in queues.values() for task in queue], emit, wanted)
                return
        self._share_out(job, queues, pace, wanted)

    def _stay(self, queues: dict[str, deque[Task]], pace: "Pace") -> bool:
        remaining = sum(pace.seconds.get(name, math.inf) * len(queue) for name, queue in queues.items() if queue)
        return remaining * (1.0 - 1.0 / self.n_jobs) < START_SECONDS

    def _share_out(self, job: Job, queues: dict[str, deque[Task]], pace: "Pace", wanted: Wanted) -> None:
        from joblib import Parallel, delayed, dump
        from joblib.externals.loky.process_executor import TerminatedWorkerError

        from errbar.engine.isolation import Isolated

        with tempfile.TemporaryDirectory(prefix="errbar-") as folder:
            place = str(Path(folder) / "data.joblib")
            dump(job.shared, place)
            # Learners travel with every batch, by value where need be: their classes may live in a notebook.
            light = replace(job, shared=None)  # type: ignore[type-var]  # every job is a dataclass
            call = delayed(_perform_batch)
            begun: dict[int, list[Task]] = {}

            def batches() -> Iterator[Any]:
                for number, batch in enumerate(batches_of(queues, pace, self.n_jobs)):
                    left = wanted(batch)
                    if left:
                        begun[number] = left
                        yield call(place, light, number, left)

            try:
                with Parallel(
                    n_jobs=self.n_jobs, backend="loky", batch_size=1, return_as="generator_unordered"
                ) as parallel:
                    for number, outcomes in parallel(batches()):
                        del begun[number]
                        for outcome in outcomes:
                            pace(outcome)
            except TerminatedWorkerError:
                # A fit, or somebody, has killed a worker. Those who watch theirs find out which it was.
                left = [task for batch in begun.values() for task in batch]
                left += [task for queue in queues.values() for task in queue]
                Isolated(self.n_jobs).run(job, left, pace, wanted)


class Pace:
    """Passes outcomes on, and remembers how long a task of each queue takes."""

    def __init__(self, emit: Emit) -> None:
        self.emit = emit
        self.seconds: dict[str, float] = {}

    def __call__(self, outcome: Outcome) -> None:
        """Pass an outcome on."""
        now = outcome.seconds
        before = self.seconds.get(outcome.queue, now)
        self.seconds[outcome.queue] = min(before, now) if before > 4 * now else 0.7 * before + 0.3 * now
        self.emit(outcome)


def choose(n_jobs: int | None) -> Executor:
    """Return the executor for a number of workers; None asks joblib's configuration, -1 takes all cores.

    Where ``joblib.parallel_config("dask")`` is in force, the cluster does the tasks. Threads are never used: fits would
    share NumPy's global generator and the thread pools of linear algebra.
    """
    from joblib import effective_n_jobs
    from joblib.parallel import get_active_backend

    from errbar.errors import InvalidInputError

    if n_jobs is not None and (isinstance(n_jobs, bool) or not isinstance(n_jobs, int) or n_jobs == 0):
        raise InvalidInputError(f"`n_jobs` must be a whole number other than 0, or None, got {n_jobs!r}")
    backend, _ = get_active_backend()
    if n_jobs != 1 and type(backend).__name__ == "DaskDistributedBackend":
        from errbar.engine.cluster import Dask

        return Dask(backend.client)
    count = effective_n_jobs(n_jobs)
    return Serial() if count == 1 else Joblib(count)


def in_queues(tasks: Sequence[Any]) -> dict[str, deque[Any]]:
    """Return tasks by the name of their queue, in order."""
    queues: dict[str, deque[Any]] = {}
    for task in tasks:
        queues.setdefault(task.queue, deque()).append(task)
    return queues


@contextmanager
def steady_process() -> Iterator[None]:
    """Make fits independent of this process, and leave it as it was.

    Linear algebra has one thread: workers do not crowd each other, and sums come out the same everywhere. NumPy's
    global generator is lent to the fits, which seed it, and put back.
    """
    before = np.random.get_state()  # noqa: NPY002
    try:
        with _thread_pools(len(sys.modules)).limit(limits=1):
            yield
    finally:
        np.random.set_state(before)  # noqa: NPY002


@lru_cache(maxsize=1)
def _thread_pools(loaded: int) -> Any:  # noqa: ARG001 - libraries come with modules: new modules, another look
    """Return a handle on the thread pools of the linear algebra libraries; finding them takes milliseconds."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


def _workers_up() -> int:
    """Return how many of joblib's workers are up from earlier calls, by errbar or anyone else; 0 where unknown."""
    for name in ("joblib.externals.loky.reusable_executor", "loky.reusable_executor"):
        pool = getattr(sys.modules.get(name), "_executor", None)
        flags = getattr(pool, "_flags", None)
        if pool is not None and flags is not None and not flags.shutdown and flags.broken is None:
            return int(getattr(pool, "_max_workers", 0))
    return 0


def _some(queue: deque[Any], pace: Pace) -> list[Any]:
    """Take tasks for about 0.3 s from the front of a queue."""
    seconds = pace_of(pace, queue)
    size = max(1, min(len(queue), int(BATCH_SECONDS / max(seconds, 1e-3)))) if seconds else 1
    return [queue.popleft() for _ in range(size)]


def _probe(job: Job, queues: dict[str, deque[Task]], pace: Pace) -> None:
    """Time the first tasks of each queue here; a short first one is repeated, since it pays for imports."""
    started = time.perf_counter()
    for queue in queues.values():
        for limit in (PROBE_SECONDS, 0.05):
            if not queue or time.perf_counter() - started > PROBE_SECONDS or pace_of(pace, queue) > limit:
                break
            pace(job.perform(queue.popleft()))


def pace_of(pace: Pace, queue: deque[Task]) -> float:
    """Return the seconds a task of this queue takes; 0 if none was timed yet."""
    return pace.seconds.get(queue[0].queue, 0.0)


def batches_of(queues: dict[str, deque[Task]], pace: Pace, n_jobs: int) -> Iterator[list[Task]]:
    """Yield batches of about 0.3 s, the slowest queue first; the last ones are smaller, so that workers end together."""
    order = sorted(queues, key=lambda name: -pace.seconds.get(name, math.inf))
    for name in order:
        queue = queues[name]
        while queue:
            seconds = pace.seconds.get(name)
            size = 1 if seconds is None else max(1, int(BATCH_SECONDS / max(seconds, 1e-6)))
            size = min(size, math.ceil(len(queue) / (2 * n_jobs)))
            yield [queue.popleft() for _ in range(size)]


def _load(place: str) -> Any:
    """Return the shared data of a job, mapped into memory once per worker."""
    if place not in _loaded:
        from joblib import load

        _loaded.clear()
        _loaded[place] = load(place, mmap_mode="r")
    return _loaded[place]


def _perform_batch(place: str, light: Any, number: int, tasks: list[Task]) -> tuple[int, list[Outcome]]:
    job: Job = replace(light, shared=_load(place))
    with steady_process():
        return number, [job.perform(task) for task in tasks]
