"""Fits in processes of their own, which may die, take too long or too much memory without harm to anything else."""

import math
import os
import re
import time
from collections import Counter, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from selectors import EVENT_READ, EVENT_WRITE, DefaultSelector
from typing import Any

from errbar import _check
from errbar.engine.isolated_process import CHANNEL_BROKEN, BrokenError, Worker, words
from errbar.engine.isolated_worker import AGAIN, DIED, UP
from errbar.engine.tasks import Emit, Wanted, WorkerError, Workload
from errbar.engine.travel import handed_over, understood
from errbar.errors import InvalidInputError

AHEAD = 2
"""Tasks that a worker holds at a time: one in work, and one so that it need not wait."""

LOOK_SECONDS = 1.0
"""How often to look whether workers are alive, although none of them says anything."""

_FALSE_STARTS = 3


class Isolated:
    """Does tasks in worker processes that it watches.

    A worker that dies, of a segmentation fault for instance, is replaced, and its task tried once more in another, or
    twice where somebody has killed the worker; if that dies too, the task has failed and is named. So is one that takes
    longer than `fit_timeout`. A worker that wants more memory than `memory_limit` gets a ``MemoryError`` in the fit.
    A worker whose fit has failed is replaced as well: the learner may have left anything behind. Workers answer with
    plain bytes, and one whose answer is none has died. All this contains accidents, not attackers.
    Windows does not have the groups of processes that this takes.

    Parameters
    ----------
    n_jobs : int, default 1
        Number of workers.
    fit_timeout : float, optional
        Seconds that a fit with its predictions may take.
    memory_limit : int or str, optional
        Bytes of memory that a worker may use for data beyond what it has when it starts, such as ``"2GB"``.
    fresh : bool, default False
        Whether every fit gets a worker of its own, for learners that leave something behind although they do not fail.
        That takes some hundredths of a second per fit.

    Raises
    ------
    InvalidInputError
        If a limit is not positive, or the system lacks what it takes.

    Examples
    --------
    >>> from errbar.engine import Isolated
    >>> Isolated(2, fit_timeout=60, memory_limit="2GB").memory_limit
    2000000000
    """

    def __init__(
        self,
        n_jobs: int = 1,
        *,
        fit_timeout: float | None = None,
        memory_limit: int | str | None = None,
        fresh: bool = False,
    ) -> None:
        from joblib import effective_n_jobs

        if not self.available():
            raise InvalidInputError(
                "(--fit-timeout, --memory-limit) needs groups of processes, which this system does not have; "
                "leave the limits out, and n_jobs=2 (--jobs 2) still does the fits in other processes",
                argument="Isolated",
            )
        if isinstance(n_jobs, bool) or not isinstance(n_jobs, int) or n_jobs == 0:
            raise InvalidInputError(
                f"must be a whole number other than 0, got {n_jobs!r}", argument="n_jobs"
            )
        self.n_jobs = effective_n_jobs(n_jobs)
        if fit_timeout is not None and _check.finite(fit_timeout, "fit_timeout") <= 0.0:
            raise InvalidInputError(
                f"must be a positive number of seconds, got {fit_timeout!r}", argument="fit_timeout"
            )
        self.fit_timeout = fit_timeout
        self.fresh = _check.flag(fresh, "fresh")
        self.memory_limit = None if memory_limit is None else size_in_bytes(memory_limit)
        if memory_limit is not None:
            _require_limits_of_memory()

    @staticmethod
    def available() -> bool:
        """Tell whether this system can end a process together with all that it has started."""
        return hasattr(os, "killpg")

    def run(
        self, workload: Workload, tasks: Sequence[Any], emit: Emit, wanted: Wanted = list
    ) -> None:
        """Do all tasks that are wanted."""
        self.each(workload, tasks, lambda _, outcome: emit(outcome), wanted)

    def each(
        self, workload: Workload, tasks: Sequence[Any], tell: "_Tell", wanted: Wanted = list
    ) -> None:
        """Do all tasks that are wanted, and tell of each outcome whose it is: that of a task, or of a part of one."""
        if tasks:
            with handed_over(workload) as folder:
                _Supervisor(self, workload, folder, deque(tasks), tell, wanted).run()


def _require_limits_of_memory() -> None:
    try:
        import resource  # noqa: F401
    except ImportError:
        raise InvalidInputError(
            "(--memory-limit) needs limits of memory for a process, which this system does not have; "
            "leave it out, and use fewer workers at a time where memory is short",
            argument="memory_limit",
        ) from None


_Tell = Callable[[Any, Any], None]


@dataclass
class _Supervisor:
    """One run: workers, what each of them holds, and what is left.

    Of tasks that wait nobody has asked whether they are wanted, of those that are ready somebody has; one that has
    killed a worker is for an idle one, since its time starts when it gets it.
    """

    limits: Isolated
    workload: Workload
    folder: str
    queue: deque[Any]
    tell: _Tell
    wanted: Wanted
    ready: deque[Any] = field(default_factory=deque)
    again: deque[Any] = field(default_factory=deque)
    deaths: Counter[Any] = field(default_factory=Counter)
    false_starts: int = 0
    workers: list[Worker] = field(default_factory=list)

    def run(self) -> None:
        try:
            while self._hand_out():
                self._listen()
        finally:
            for worker in self.workers:
                worker.dismiss()
            for worker in self.workers:
                worker.close()

    def _hand_out(self) -> bool:
        """Give every worker enough to do; tell whether there is anything left to wait for."""
        waiting = len(self.queue) + len(self.ready) + len(self.again)
        needed = min(
            self.limits.n_jobs, waiting + sum(bool(worker.held) for worker in self.workers)
        )
        while len(self.workers) < needed:
            self.workers.append(
                Worker(self.folder, self.limits.memory_limit, fresh=self.limits.fresh)
            )
        for worker in self.workers:
            while worker.process_up and len(worker.held) < (1 if self.limits.fresh else AHEAD):
                task = self._next(idle=not worker.held)
                if task is None:
                    break
                worker.give(task)
        return bool(
            self.queue or self.ready or self.again or any(worker.held for worker in self.workers)
        )

    def _next(self, *, idle: bool) -> Any:
        if self.again and idle:
            return self.again.popleft()
        if self.ready:
            return self.ready.popleft()
        while self.queue:
            task = self.queue.popleft()
            if self.wanted([task]):
                return task
        return None

    def _listen(self) -> None:
        limit, now = self.limits.fit_timeout or math.inf, time.monotonic()
        first = min((worker.since for worker in self.workers if worker.held), default=now)
        with DefaultSelector() as selector:
            for worker in self.workers:
                selector.register(
                    worker.channel, EVENT_READ | (EVENT_WRITE if worker.unsent else 0), worker
                )
            ready = {
                id(key.data)
                for key, _ in selector.select(min(LOOK_SECONDS, max(0.0, first + limit - now)))
            }
        for worker in tuple(self.workers):
            if id(worker) in ready:
                self._attend(worker)
            elif worker.process.poll() is not None:
                self._replace(worker)
            elif worker.held and time.monotonic() > worker.since + limit:
                self._replace(worker, f"TimeoutError: it took longer than {limit:g} s")

    def _attend(self, worker: Worker) -> None:
        try:
            worker.send()
            for kind, number, body in worker.messages():
                self._take(worker, kind, number, body)
        except EOFError:
            self._replace(worker, "" if worker.ends() else CHANNEL_BROKEN)
        except BrokenError:
            self._replace(worker, CHANNEL_BROKEN)

    def _take(self, worker: Worker, kind: bytes, number: int, body: bytes) -> None:
        worker.since = time.monotonic()
        if kind == UP:
            worker.process_up, worker.answers = number, 0
            self.false_starts = 0
        elif kind == DIED:
            self._give_up(worker, *words(number))
        else:
            self._answer(worker, number, body)

    def _answer(self, worker: Worker, number: int, body: bytes) -> None:
        outcomes = understood(self.workload, worker.held[:1], [body])
        if not (worker.process_up and worker.held and outcomes and number == worker.answers):
            raise BrokenError
        task = worker.held.pop(0)
        worker.answers += 1
        if outcomes[0].error or self.limits.fresh:
            # The process ends, and leaves what it has not begun.
            self.ready.extendleft(reversed(worker.let_go()))
        self.tell(task, outcomes[0])

    def _replace(self, worker: Worker, why: str = "") -> None:
        """Do without a worker; the first task it held is the one it died of, was too slow with, or broke the channel in."""
        reason, tries = worker.end()
        worker.close()
        self.workers.remove(worker)
        self._give_up(worker, why or reason, 0 if why.startswith("TimeoutError") else tries)

    def _give_up(self, worker: Worker, reason: str, tries: int) -> None:
        """Take back what a process held that has ended."""
        if not worker.process_up:
            self.false_starts += worker.process.poll() != AGAIN
            if self.false_starts >= _FALSE_STARTS:
                raise WorkerError(
                    f"workers cannot be started; the last: {reason}, and standard error may hold the cause"
                )
        held = worker.let_go()
        self.ready.extendleft(reversed(held[1:]))
        for suspect in held[:1]:
            self.deaths[suspect] += 1
            parts = self.workload.parts(suspect)
            if len(parts) > 1:
                self.again.extend(parts)
            elif self.deaths[suspect] < tries:
                self.again.append(suspect)
            else:
                self.tell(suspect, self.workload.failed(suspect, reason))


def size_in_bytes(value: int | str) -> int:
    """Return a number of bytes from ``2000000000``, ``"2GB"``, ``"500 MB"`` or ``"1GiB"``."""
    found = re.fullmatch(r"(?s)(.*?)\s*([KMG]I?)?B?", str(value).strip().upper())
    number, unit = found.groups("") if found else ("", "")
    try:
        size = float(number) * (1024 if unit.endswith("I") else 1000) ** " KMG".index(
            unit[:1] or " "
        )
    except ValueError:
        size = -1.0
    if isinstance(value, bool) or not 0.0 < size < 2.0**60:
        raise InvalidInputError(
            f"must be a number of bytes, or a text such as '2GB', got {value!r}",
            argument="memory_limit",
        )
    return int(size)
