"""Tasks and those who do them: the contracts, and the queues that executors serve.

Nothing here knows what a task is: fits and replicates of a simulation are done by the same executors.
"""

import math
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol

from errbar.engine.surroundings import Surroundings
from errbar.errors import ErrbarError


class Workload(Protocol):
    """What all tasks have in common: a frozen dataclass that travels to workers, apart from what it shares.

    Its mappings travel value by value: one that cannot be sent or read raises when it is looked up, and no other does.
    Of a task the name of its `queue` is known: those of one queue take about as long as each other. An outcome tells
    the `queue` of its task, the `seconds` it took, and the `error` if it failed.
    """

    @property
    def surroundings(self) -> Surroundings:
        """What tasks find in the process, which comes before anything that needs it."""

    @property
    def shared(self) -> Any:
        """Large data, which workers map into their memory once."""

    def perform(self, task: Any) -> Any:
        """Do one task and return its outcome; a failure is part of the outcome."""

    def packed(self, outcome: Any) -> bytes:
        """Return an outcome as the plain bytes in which it comes back from a worker."""

    def unpacked(self, task: Any, message: bytes) -> Any:
        """Return the outcome of a task; an exception if this is not a message of one."""

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

    def run(
        self, workload: Workload, tasks: Sequence[Any], emit: Emit, wanted: Wanted = list
    ) -> None:
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
        return sum(
            self.seconds.get(name, math.inf) * len(queue)
            for name, queue in self.queues.items()
            if queue
        )

    def rest(self) -> list[Any]:
        """Return all tasks that wait."""
        return [task for queue in self.queues.values() for task in queue]

    def __bool__(self) -> bool:
        """Tell whether any task waits."""
        return any(self.queues.values())


class WorkerError(ErrbarError, RuntimeError):
    """Worker processes cannot be started; fits that were finished before are kept."""
