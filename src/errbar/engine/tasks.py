"""Tasks and those who do them: the contracts, the queues that executors serve, and the process that fits need.

Worker processes on this machine come to a workload through a folder, from which its data are mapped into memory.

Nothing here knows what a task is: fits and replicates of a simulation are done by the same executors.
"""

import math
import pickle
import sys
import tempfile
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from errbar.errors import ErrbarError


class Workload(Protocol):
    """What all tasks have in common: a frozen dataclass that travels with every batch, without what it shares.

    Of a task the name of its `queue` is known: those of one queue take about as long as each other. An outcome tells
    the `queue` of its task, the `seconds` it took, and the `error` if it failed.
    """

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


class Executor(Protocol):
    """Does tasks and hands over each outcome as it is finished, in any order.

    `wanted` tells which of some tasks are still to be done, and is asked just before they are begun; by default all are,
    since nobody else does any of them.
    """

    def run(self, workload: Workload, tasks: Sequence[Any], emit: Emit, wanted: Wanted = list) -> None:
        """Do all tasks that are wanted."""


BATCH_SECONDS = 0.3
"""Work that travels together: long enough that handing it over costs little, short enough that stopping loses little."""


class Backlog:
    """Tasks that wait, queue by queue, and how long a task of each queue has taken of late."""

    def __init__(self, tasks: Sequence[Any], emit: Emit) -> None:
        self.queues: dict[str, deque[Any]] = {}
        for task in tasks:
            self.queues.setdefault(task.queue, deque()).append(task)
        self.seconds: dict[str, float] = {}
        self._emit = emit

    def emit(self, outcome: Any) -> None:
        """Pass an outcome on, and learn from it how long a task of its queue takes."""
        now = outcome.seconds
        before = self.seconds.get(outcome.queue, now)
        # The first task may pay for imports: one far shorter replaces what was thought, others move it a little.
        self.seconds[outcome.queue] = now if before > 4 * now else 0.7 * before + 0.3 * now
        self._emit(outcome)

    def batches(self, workers: int) -> Iterator[list[Any]]:
        """Yield batches of about 0.3 s, the slowest queue first; the last ones are smaller, so that workers end together."""
        for name in sorted(self.queues, key=lambda name: -self.seconds.get(name, math.inf)):
            queue = self.queues[name]
            while queue:
                seconds = self.seconds.get(name)
                size = 1 if seconds is None else max(1, int(BATCH_SECONDS / max(seconds, 1e-6)))
                size = min(size, math.ceil(len(queue) / (2 * workers)))
                yield [queue.popleft() for _ in range(size)]

    def seconds_left(self) -> float:
        """Return the work that waits; endless where a queue has not been timed."""
        return sum(self.seconds.get(name, math.inf) * len(queue) for name, queue in self.queues.items() if queue)

    def rest(self) -> list[Any]:
        """Return all tasks that wait."""
        return [task for queue in self.queues.values() for task in queue]

    def __bool__(self) -> bool:
        """Tell whether any task waits."""
        return any(self.queues.values())


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


def one_line(error: BaseException) -> str:
    """Return type and text of an exception on one line."""
    return f"{type(error).__name__}: {' '.join(str(error).split())}"


class WorkerError(ErrbarError, RuntimeError):
    """Worker processes cannot be started; fits that were finished before are kept."""


def dumps(value: Any) -> bytes:
    """Return the pickle of an object; classes from a notebook or a script, which workers cannot import, go by value."""
    from joblib.externals.loky.backend.reduction import dumps as by_value

    return bytes(by_value(value))


@contextmanager
def handed_over(workload: Workload) -> Iterator[str]:
    """Write a workload into a folder that lasts as long as the context.

    Raises
    ------
    WorkerError
        If there is no room for it.
    """
    from joblib import dump

    with tempfile.TemporaryDirectory(prefix="errbar-", ignore_cleanup_errors=True) as folder:
        try:
            dump(workload.shared, str(Path(folder) / "data"))
            (Path(folder) / "workload").write_bytes(dumps(replace(workload, shared=None)))  # type: ignore[type-var]  # a dataclass
        except OSError as error:
            raise WorkerError(
                f"the data cannot be written to '{folder}', where workers would read them: {error.strerror or error}; "
                "the environment variable TMPDIR names another place"
            ) from None
        yield folder


@lru_cache(maxsize=1)
def received(folder: str) -> Workload:
    """Return the workload that was written into a folder, its data mapped into memory; read once, for many batches."""
    from joblib import load

    light = pickle.loads((Path(folder) / "workload").read_bytes())
    workload: Workload = replace(light, shared=load(str(Path(folder) / "data"), mmap_mode="r"))
    return workload


def performed(folder: str, number: int, tasks: list[Any]) -> tuple[int, list[Any]]:
    """Do a batch of tasks for the workload in a folder; return the number of the batch and the outcomes."""
    workload = received(folder)
    with steady_process():
        return number, [workload.perform(task) for task in tasks]
