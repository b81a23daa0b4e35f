"""Fits in processes of their own, which may die, take too long or too much memory without harm to anything else."""

import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from multiprocessing.connection import Connection, Pipe, wait
from pathlib import Path
from typing import Any

from errbar import _check
from errbar.engine.executors import Emit, Job, Wanted, every
from errbar.errors import ErrbarError, InvalidInputError

AHEAD = 2
"""Tasks that a worker holds at a time: one in work, and one so that it need not wait."""

AHEAD_BYTES = 2**15
"""Size up to which a task surely fits into the channel of a worker that is busy and does not read."""

LOOK_SECONDS = 1.0
"""How often to look whether workers are alive, although none of them says anything."""

LEAVE_SECONDS = 2.0
_TRIES = 2
_TRIES_IF_KILLED = 3
_FROM_OUTSIDE = (signal.SIGKILL, signal.SIGTERM)
_FALSE_STARTS = 3


class WorkerError(ErrbarError, RuntimeError):
    """Worker processes cannot be started; fits that were finished before are kept."""


class Isolated:
    """Does tasks in worker processes that it watches.

    A worker that dies, of a segmentation fault for instance, is replaced, and its task tried once more in another, or
    twice where somebody has killed the worker; if that dies too, the task has failed and is named. So is one that takes
    longer than `fit_timeout`. A worker that wants more memory than `memory_limit` gets a ``MemoryError`` in the fit.

    Parameters
    ----------
    n_jobs : int, default 1
        Number of workers.
    fit_timeout : float, optional
        Seconds that a fit with its predictions may take.
    memory_limit : int or str, optional
        Bytes of memory that a worker may use for data beyond what it has when it starts, such as ``"2GB"``. Not on
        Windows.

    Raises
    ------
    InvalidInputError
        If a limit is not positive.

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

        if isinstance(n_jobs, bool) or not isinstance(n_jobs, int) or n_jobs == 0:
            raise InvalidInputError(f"`n_jobs` must be a whole number other than 0, got {n_jobs!r}")
        self.n_jobs = effective_n_jobs(n_jobs)
        if fit_timeout is not None and _check.finite(fit_timeout, "fit_timeout") <= 0.0:
            raise InvalidInputError(f"`fit_timeout` must be a positive number of seconds, got {fit_timeout!r}")
        self.fit_timeout = fit_timeout
        self.memory_limit = None if memory_limit is None else size_in_bytes(memory_limit)

    def run(self, job: Job, tasks: Sequence[Any], emit: Emit, wanted: Wanted = every) -> None:
        """Do all tasks that are wanted."""
        if tasks:
            with _handed_over(job) as place:
                _Watch(self, job, place, deque(tasks), emit, wanted).run()


@contextmanager
def _handed_over(job: Job) -> Iterator[str]:
    """Write a job into a folder from which workers read it; the data are mapped into their memory."""
    from joblib import dump
    from joblib.externals.loky.backend.reduction import dumps

    with tempfile.TemporaryDirectory(prefix="errbar-", ignore_cleanup_errors=True) as folder:
        try:
            dump(job.shared, str(Path(folder) / "data"))
            # Learners travel by value where need be: their classes may live in a notebook.
            (Path(folder) / "job").write_bytes(dumps(replace(job, shared=None)))  # type: ignore[type-var]  # every job is a dataclass
        except OSError as error:
            raise WorkerError(
                f"the data cannot be written to '{folder}', where workers would read them: {error.strerror or error}; "
                "the environment variable TMPDIR names another place"
            ) from None
        yield folder


class _Watch:
    """One run: workers, what each of them holds, and what is left."""

    def __init__(self, limits: Isolated, job: Job, place: str, queue: deque[Any], emit: Emit, wanted: Wanted) -> None:
        self.limits, self.job, self.place = limits, job, place
        self.queue, self.emit, self.wanted = queue, emit, wanted
        self.again: deque[Any] = deque()
        self.deaths: Counter[Any] = Counter()
        self.false_starts = 0
        self.workers: list[_Worker] = []

    def run(self) -> None:
        try:
            while self.queue or self.again or any(worker.held for worker in self.workers):
                self._hand_out()
                self._listen()
        finally:
            for worker in self.workers:
                worker.dismiss()
            for worker in self.workers:
                worker.end()

    def _hand_out(self) -> None:
        needed = min(self.limits.n_jobs, len(self.queue) + len(self.again) + sum(bool(w.held) for w in self.workers))
        while len(self.workers) < needed:
            self.workers.append(_Worker(self.place, self.limits.memory_limit))
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
        if not any(worker.held or not worker.up for worker in self.workers):
            return
        ready = set(wait([worker.channel for worker in self.workers], self._patience()))
        for worker in tuple(self.workers):
            if worker.channel in ready:
                self._receive(worker)
            elif worker.gone():
                self._lost(worker, *worker.obituary())
            elif self._overdue(worker):
                worker.obituary()
                self._lost(worker, f"TimeoutError: it took longer than {self.limits.fit_timeout:g} s", 1)

    def _patience(self) -> float:
        limit = self.limits.fit_timeout
        if limit is None:
            return LOOK_SECONDS
        due = min((worker.since + limit for worker in self.workers if worker.held), default=time.monotonic() + limit)
        return min(LOOK_SECONDS, max(0.0, due - time.monotonic()))

    def _overdue(self, worker: "_Worker") -> bool:
        limit = self.limits.fit_timeout
        return limit is not None and bool(worker.held) and time.monotonic() > worker.since + limit

    def _receive(self, worker: "_Worker") -> None:
        try:
            outcome = worker.take()
        except (EOFError, OSError):
            self._lost(worker, *worker.obituary())
            return
        if outcome is None:
            self.false_starts = 0
        else:
            self.emit(outcome)

    def _lost(self, worker: "_Worker", reason: str, tries: int) -> None:
        """Give back what a dead worker held; the first task is the one it died of."""
        self.workers.remove(worker)
        worker.end()
        if not worker.held:
            self._not_started(worker, reason)
            return
        guilty, *others = worker.held
        self.queue.extendleft(reversed(others))
        self.deaths[guilty] += 1
        parts = self.job.parts(guilty)
        if len(parts) > 1:
            self.again.extend(parts)
        elif self.deaths[guilty] < tries:
            self.again.append(guilty)
        else:
            self.emit(self.job.failed(guilty, reason))

    def _not_started(self, worker: "_Worker", reason: str) -> None:
        """Count workers that died before they were up, and give up after a few in a row."""
        self.false_starts += not worker.up
        if self.false_starts >= _FALSE_STARTS:
            raise WorkerError(f"workers cannot be started; the last: {reason}, and standard error may hold the cause")


class _Worker:
    """A process that does the tasks it is given, one after the other."""

    def __init__(self, place: str, memory_limit: int | None) -> None:
        from joblib.externals.loky.backend.reduction import dumps

        self.channel, theirs = Pipe()
        told = [str(theirs.fileno()), place, str(memory_limit or 0)]
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
        self._dumps = dumps
        self._unsent: bytes | None = None

    def give(self, task: Any) -> None:
        """Hand a task over."""
        message = self._dumps(task)
        if not self.held:
            self.since = time.monotonic()
            self._send(message)
        elif len(message) <= AHEAD_BYTES:
            self._send(message)
        else:
            # A worker that is busy does not read: both would wait until the other has taken what it writes.
            self._unsent = message
        self.held.append(task)

    def take(self) -> Any:
        """Return the outcome of the first task, or None if the worker only says that it is up."""
        import pickle

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

    def gone(self) -> bool:
        """Tell whether the process has ended without a word; processes that it has started may keep its channel open."""
        return self.process.poll() is not None and not self.channel.poll()

    def obituary(self) -> tuple[str, int]:
        """End the process and what it has started; return in words what it died of, and how often a task may do that."""
        self._kill()
        code = self.process.wait()
        tries = _TRIES_IF_KILLED if -code in _FROM_OUTSIDE else _TRIES
        if code < 0:
            with suppress(ValueError):
                return f"WorkerDied: its process was ended by {signal.Signals(-code).name}", tries
        return f"WorkerDied: its process ended by itself with status {code}", tries

    def dismiss(self) -> None:
        """Let the process leave by itself if it has nothing to do; end it otherwise."""
        if self.held or not self.up:
            self._kill()
        else:
            self._send(self._dumps(None))

    def end(self) -> None:
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


# Modules are looked for where this process finds them, and not in the current folder first.
_PROGRAM = (
    "import sys; told = sys.argv[1:4]; sys.path[:] = sys.argv[4:]; del sys.argv[1:]; "
    "from errbar.engine.isolation import serve; serve(int(told[0]), told[1], int(told[2]))"
)


def serve(descriptor: int, place: str, memory_limit: int) -> None:
    """Do tasks that come over a channel until there are no more; this is what a worker process runs."""
    import pickle

    from joblib import load

    from errbar.engine.executors import steady_process

    os.set_inheritable(descriptor, False)  # noqa: FBT003 - it takes no names
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the one who gave the tasks decides
    threading.Thread(target=_leave_with_parent, args=(descriptor, place), daemon=True).start()
    channel = Connection(descriptor)
    light = pickle.loads((Path(place) / "job").read_bytes())
    job = replace(light, shared=load(str(Path(place) / "data"), mmap_mode="r"))
    try:
        with steady_process():
            channel.send_bytes(pickle.dumps("up"))
            if memory_limit:
                _limit_memory(memory_limit)
            while (task := pickle.loads(channel.recv_bytes())) is not None:
                channel.send_bytes(pickle.dumps(job.perform(task)))
    except (EOFError, BrokenPipeError, ConnectionResetError):
        _leave(place)


def _leave_with_parent(descriptor: int, place: str) -> None:
    """Wait until the other end of the channel is closed."""
    hang_up = select.poll()
    hang_up.register(descriptor, 0)
    hang_up.poll()
    _leave(place)


def _leave(place: str) -> None:
    """Leave nothing behind: the one who gave the tasks was killed."""
    shutil.rmtree(place, ignore_errors=True)
    os.killpg(0, signal.SIGKILL)


def size_in_bytes(value: int | str) -> int:
    """Return a number of bytes from ``2000000000``, ``"2GB"``, ``"500 MB"`` or ``"1GiB"``."""
    units = {"": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "KIB": 2**10, "MIB": 2**20, "GIB": 2**30}
    text = str(value).strip()
    digits = text.rstrip("kKmMgGiIbB ")
    unit = text[len(digits) :].strip().upper()
    unit = unit if unit in units else unit + "B"
    try:
        found = float(digits) * units[unit]
    except (ValueError, KeyError):
        found = -1.0
    if isinstance(value, bool) or not 0.0 < found < 2.0**60:
        raise InvalidInputError(f"`memory_limit` must be a number of bytes, or a text such as '2GB', got {value!r}")
    return int(found)


def _limit_memory(limit: int) -> None:
    """Let this process take so much memory for data beyond what it has already."""
    import resource

    used = 0
    with suppress(OSError):
        pages = Path("/proc/self/statm").read_text().split()[5]
        used = int(pages) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_DATA, (used + limit, resource.getrlimit(resource.RLIMIT_DATA)[1]))
