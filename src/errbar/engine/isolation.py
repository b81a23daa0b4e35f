"""Fits in processes of their own, which may die, take too long or too much memory without harm to anything else."""

import math
import os
import pickle
import re
import signal
import subprocess
import sys
import time
from collections import Counter, deque
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Pipe, wait
from pathlib import Path
from typing import Any

from errbar import _check
from errbar.engine.tasks import Emit, Wanted, WorkerError, Workload, dumps, handed_over
from errbar.errors import InvalidInputError

AHEAD = 2
"""Tasks that a worker holds at a time: one in work, and one so that it need not wait."""

AHEAD_BYTES = 2**15
"""Size up to which a task surely fits into the channel of a worker that is busy and does not read."""

LOOK_SECONDS = 1.0
"""How often to look whether workers are alive, although none of them says anything."""

LEAVE_SECONDS = 2.0
_TRIES = 2
_TRIES_IF_KILLED = 3
_FALSE_STARTS = 3


class Isolated:
    """Does tasks in worker processes that it watches.

    A worker that dies, of a segmentation fault for instance, is replaced, and its task tried once more in another, or
    twice where somebody has killed the worker; if that dies too, the task has failed and is named. So is one that takes
    longer than `fit_timeout`. A worker that wants more memory than `memory_limit` gets a ``MemoryError`` in the fit.
    Windows does not have the groups of processes that this takes.

    Parameters
    ----------
    n_jobs : int, default 1
        Number of workers.
    fit_timeout : float, optional
        Seconds that a fit with its predictions may take.
    memory_limit : int or str, optional
        Bytes of memory that a worker may use for data beyond what it has when it starts, such as ``"2GB"``.

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
        self, n_jobs: int = 1, *, fit_timeout: float | None = None, memory_limit: int | str | None = None
    ) -> None:
        from joblib import effective_n_jobs

        if not self.available():
            raise InvalidInputError(
                "`Isolated` (--fit-timeout, --memory-limit) needs groups of processes, which this system does not have; "
                "leave the limits out, and n_jobs=2 (--jobs 2) still does the fits in other processes"
            )
        if isinstance(n_jobs, bool) or not isinstance(n_jobs, int) or n_jobs == 0:
            raise InvalidInputError(f"`n_jobs` must be a whole number other than 0, got {n_jobs!r}")
        self.n_jobs = effective_n_jobs(n_jobs)
        if fit_timeout is not None and _check.finite(fit_timeout, "fit_timeout") <= 0.0:
            raise InvalidInputError(f"`fit_timeout` must be a positive number of seconds, got {fit_timeout!r}")
        self.fit_timeout = fit_timeout
        self.memory_limit = None if memory_limit is None else size_in_bytes(memory_limit)
        if memory_limit is not None:
            _require_limits_of_memory()

    @staticmethod
    def available() -> bool:
        """Tell whether this system can end a process together with all that it has started."""
        return hasattr(os, "killpg")

    def run(self, workload: Workload, tasks: Sequence[Any], emit: Emit, wanted: Wanted = list) -> None:
        """Do all tasks that are wanted."""
        if tasks:
            with handed_over(workload) as folder:
                _Supervisor(self, workload, folder, deque(tasks), emit, wanted).run()


def _require_limits_of_memory() -> None:
    try:
        import resource  # noqa: F401
    except ImportError:
        raise InvalidInputError(
            "`memory_limit` (--memory-limit) needs limits of memory for a process, which this system does not have; "
            "leave it out, and use fewer workers at a time where memory is short"
        ) from None


@dataclass
class _Supervisor:
    """One run: workers, what each of them holds, and what is left."""

    limits: Isolated
    workload: Workload
    folder: str
    queue: deque[Any]
    emit: Emit
    wanted: Wanted
    again: deque[Any] = field(default_factory=deque)
    deaths: Counter[Any] = field(default_factory=Counter)
    false_starts: int = 0
    workers: list["_Worker"] = field(default_factory=list)

    def run(self) -> None:
        try:
            while self.queue or self.again or any(worker.held for worker in self.workers):
                self._hand_out()
                if any(worker.held or not worker.up for worker in self.workers):
                    self._listen()
        finally:
            for worker in self.workers:
                worker.dismiss()
            for worker in self.workers:
                worker.close()

    def _hand_out(self) -> None:
        needed = min(self.limits.n_jobs, len(self.queue) + len(self.again) + sum(bool(w.held) for w in self.workers))
        while len(self.workers) < needed:
            self.workers.append(_Worker(self.folder, self.limits.memory_limit))
        for worker in self.workers:
            while worker.up and len(worker.held) < AHEAD:
                task = self._next(idle=not worker.held)
                if task is None:
                    break
                worker.give(task)

    def _next(self, *, idle: bool) -> Any:
        """Return the next task. One that has killed a worker waits for an idle one: its time starts when it does."""
        if self.again and idle:
            return self.again.popleft()
        while self.queue:
            task = self.queue.popleft()
            if self.wanted([task]):
                return task
        return None

    def _listen(self) -> None:
        limit, now = self.limits.fit_timeout or math.inf, time.monotonic()
        first = min((worker.since for worker in self.workers if worker.held), default=now)
        patience = min(LOOK_SECONDS, max(0.0, first + limit - now))
        ready = set(wait([worker.channel for worker in self.workers], patience))
        for worker in tuple(self.workers):
            if worker.channel in ready:
                self._receive(worker)
            elif worker.has_ended():
                self._replace(worker)
            elif worker.held and time.monotonic() > worker.since + limit:
                self._replace(worker, f"TimeoutError: it took longer than {limit:g} s")

    def _receive(self, worker: "_Worker") -> None:
        try:
            outcome = worker.take()
        except (EOFError, OSError):
            self._replace(worker)
            return
        if outcome is None:
            self.false_starts = 0
        else:
            self.emit(outcome)

    def _replace(self, worker: "_Worker", overdue: str = "") -> None:
        """Give up a worker and give back what it held; the first task is the one it died of, or was too slow with."""
        reason, tries = worker.end()
        worker.close()
        self.workers.remove(worker)
        if not worker.held:
            self.false_starts += not worker.up
            if self.false_starts >= _FALSE_STARTS:
                raise WorkerError(
                    f"workers cannot be started; the last: {reason}, and standard error may hold the cause"
                )
            return
        suspect, *others = worker.held
        self.queue.extendleft(reversed(others))
        self.deaths[suspect] += 1
        parts = self.workload.parts(suspect)
        if len(parts) > 1:
            self.again.extend(parts)
        elif self.deaths[suspect] < tries and not overdue:
            self.again.append(suspect)
        else:
            self.emit(self.workload.failed(suspect, overdue or reason))


# Modules are looked for where this process finds them, and not in the current folder first.
_PROGRAM = (
    "import sys; told = sys.argv[1:4]; sys.path[:] = sys.argv[4:]; del sys.argv[1:]; "
    "from errbar.engine.isolated_worker import serve; serve(int(told[0]), told[1], int(told[2]))"
)


class _Worker:
    """A process that does the tasks it is given, one after the other."""

    def __init__(self, folder: str, memory_limit: int | None) -> None:
        self.channel, theirs = Pipe()
        told = [str(theirs.fileno()), folder, str(memory_limit or 0)]
        # Output of learners goes where errors go: standard output belongs to the answer. A group of its own, so that
        # processes which learners start can be ended with it, and so that Ctrl-C is for this process alone.
        self.process = subprocess.Popen(
            [sys.executable, "-u", "-c", _PROGRAM, *told, *(entry or str(Path.cwd()) for entry in sys.path)],
            stdin=subprocess.DEVNULL,
            stdout=sys.__stderr__ or subprocess.DEVNULL,
            pass_fds=[theirs.fileno()],
            process_group=0,
        )
        theirs.close()
        self.held: list[Any] = []
        self.up = False
        self.since = time.monotonic()
        self._unsent: bytes | None = None

    def give(self, task: Any) -> None:
        """Hand a task over."""
        message = dumps(task)
        if self.held and len(message) > AHEAD_BYTES:
            # A worker that is busy does not read: both would wait until the other has taken what it writes.
            self._unsent = message
        else:
            self._send(message)
        if not self.held:
            self.since = time.monotonic()
        self.held.append(task)

    def take(self) -> Any:
        """Return the outcome of the first task, or None if the worker only says that it is up."""
        message = pickle.loads(self.channel.recv_bytes())
        self.since = time.monotonic()
        if not self.up:
            self.up = True
            return None
        del self.held[0]
        if self._unsent is not None:
            self._send(self._unsent)
            self._unsent = None
        return message

    def has_ended(self) -> bool:
        """Tell whether the process has ended without a word; processes that it has started may keep its channel open."""
        return self.process.poll() is not None and not self.channel.poll()

    def end(self) -> tuple[str, int]:
        """End the process and what it has started; return in words what it died of, and how often a task may do that."""
        self._kill()
        code = self.process.wait()
        if code >= 0:
            return f"WorkerDied: its process ended by itself with status {code}", _TRIES
        tries = _TRIES_IF_KILLED if -code in (signal.SIGKILL, signal.SIGTERM) else _TRIES
        known = {number.value: number.name for number in signal.Signals}
        return f"WorkerDied: its process was ended by {known.get(-code, f'signal {-code}')}", tries

    def dismiss(self) -> None:
        """Let the process leave by itself if it has nothing to do; end it otherwise."""
        if self.held or not self.up:
            self._kill()
        else:
            self._send(dumps(None))

    def close(self) -> None:
        """Wait until the process is gone, and end it if that takes too long."""
        try:
            self.process.wait(LEAVE_SECONDS)
        except subprocess.TimeoutExpired:
            self._kill()
            self.process.wait()
        self.channel.close()

    def _kill(self) -> None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, signal.SIGKILL)

    def _send(self, message: bytes) -> None:
        # A worker that has just died is noticed when its answer is awaited.
        with suppress(BrokenPipeError, ConnectionResetError):
            self.channel.send_bytes(message)


def size_in_bytes(value: int | str) -> int:
    """Return a number of bytes from ``2000000000``, ``"2GB"``, ``"500 MB"`` or ``"1GiB"``."""
    found = re.fullmatch(r"(?s)(.*?)\s*([KMG]I?)?B?", str(value).strip().upper())
    number, unit = found.groups("") if found else ("", "")
    try:
        size = float(number) * (1024 if unit.endswith("I") else 1000) ** " KMG".index(unit[:1] or " ")
    except ValueError:
        size = -1.0
    if isinstance(value, bool) or not 0.0 < size < 2.0**60:
        raise InvalidInputError(f"`memory_limit` must be a number of bytes, or a text such as '2GB', got {value!r}")
    return int(size)
