"""Ways of running tasks, which never change a number: in this process, in workers on this machine, by any executor."""

import math
import os
import signal
import sys
import tempfile
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from pickle import loads
from typing import Any, NamedTuple, Protocol

from errbar import _check
from errbar.errors import ErrbarError, InvalidInputError, one_line
from errbar.fits.process import fitting

BATCH_SECONDS = 0.1
"""Work that travels together: handing it over costs little, and so does doing it again."""

MOST = 32
"""Tasks of a batch at most: they are claimed together."""

STARTS = 3
"""Workers that may die in a row before they have read the job: somebody may kill one that starts."""

LOOK_SECONDS = 0.2
"""How often to look whether a task takes too long."""

_SAFE = {"PYTHONSAFEPATH": "1"}
"""In processes that start: a file ``random.py`` in the current folder is not the module. They take the parent's path afterwards."""

Wanted = Callable[[Sequence[Any]], list[Any]]


class Job(Protocol):
    """What all tasks have in common, apart from what it shares; tasks of one `queue` take about as long."""

    @property
    def shared(self) -> Any:
        """Large data, which workers map into their memory."""

    @property
    def code(self) -> str:
        """Digest of the user's code that tasks run: workers that were started before an edit are not used."""

    def travels(self, task: Any) -> bool:
        """Tell whether what a task needs can be sent to another process."""

    def perform(self, task: Any) -> Any:
        """Do one task and return its outcome; a failure is part of the outcome."""

    def failed(self, task: Any, reason: str) -> Any:
        """Return the outcome of a task that was not brought to an end."""


class WorkerError(ErrbarError, RuntimeError):
    """Workers cannot be started or reached; what was finished before is kept."""


class _Queues:
    def __init__(self, tasks: Iterable[Any], wanted: Wanted, workers: int) -> None:
        self.waiting: dict[str, deque[Any]] = {}
        for task in tasks:
            self.waiting.setdefault(task.queue, deque()).append(task)
        self.seconds: dict[str, float] = {}
        self.wanted, self.workers = wanted, workers

    def batch(self, most: int = MOST) -> list[Any]:
        """Return tasks that are still wanted, of the slowest queue; fewer towards the end, so that workers end together."""
        while self.waiting:
            name = max(self.waiting, key=lambda one: self.seconds.get(one, math.inf))
            queue = self.waiting[name]
            count = int(BATCH_SECONDS / max(self.seconds.get(name, math.inf), 1e-9))
            count = min(count, most, math.ceil(len(queue) / (2 * self.workers)))
            tasks = [queue.popleft() for _ in range(max(count, 1))]
            if not queue:
                del self.waiting[name]
            if found := self.wanted(tasks):
                return found
        return []

    def timed(self, task: Any, outcome: Any) -> None:
        """Learn how long a task takes; the first may have paid for imports."""
        before = self.seconds.get(task.queue, math.inf)
        now = outcome.seconds
        self.seconds[task.queue] = now if before > 4 * now else 0.7 * before + 0.3 * now


def run_here(job: Job, tasks: Sequence[Any], wanted: Wanted = list) -> Iterator[Any]:
    """Do tasks in this process, one after the other, and yield their outcomes."""
    queues = _Queues(tasks, wanted, 1)
    with fitting():
        while batch := queues.batch():
            for task in batch:
                outcome = job.perform(task)
                queues.timed(task, outcome)
                yield outcome


class Workers:
    """Processes on this machine, each an executor of its own: one that dies or hangs takes no other along.

    Parameters
    ----------
    n_jobs : int, optional
        Number of workers; None takes joblib's configuration (1 unless set), -1 all cores.
    fit_timeout : float, optional
        Seconds that a task may take.

    Examples
    --------
    >>> from errbar.fits import Workers
    >>> Workers(2, fit_timeout=60).count
    2
    """

    def __init__(self, n_jobs: int | None = None, *, fit_timeout: float | None = None) -> None:
        from joblib import effective_n_jobs

        if n_jobs is not None and (type(n_jobs) is not int or n_jobs == 0):
            raise InvalidInputError(
                f"must be a whole number other than 0, or None, got {n_jobs!r}", argument="n_jobs"
            )
        self.count = effective_n_jobs(n_jobs)
        if fit_timeout is not None and _check.finite(fit_timeout, "fit_timeout") <= 0.0:
            raise InvalidInputError(
                f"must be a positive number of seconds, got {fit_timeout!r}", argument="fit_timeout"
            )
        self.timeout = fit_timeout

    def run(self, job: Job, tasks: Sequence[Any], wanted: Wanted = list) -> Iterator[Any]:
        """Do all tasks that are wanted, and yield their outcomes in any order."""
        if self.count == 1 and self.timeout is None:
            yield from run_here(job, tasks, wanted)
            return
        with _handed_over(job) as place:
            places = [_Worker(job.code, place) for _ in range(self.count)]
            try:
                yield from _Run(job, tasks, wanted, places, self.timeout).outcomes()
            finally:
                for one in places:
                    one.end()


class Elsewhere:
    """Any executor of `concurrent.futures`, such as that of a Dask client."""

    def __init__(self, executor: Any) -> None:
        self.client = executor if hasattr(executor, "scatter") else None
        self.executor = executor if self.client is None else self.client.get_executor(pure=False)
        if not hasattr(self.executor, "submit"):
            raise InvalidInputError(
                f"must be an executor of concurrent.futures or a client of Dask, got {executor!r}",
                argument="executor",
            )

    def run(self, job: Job, tasks: Sequence[Any], wanted: Wanted = list) -> Iterator[Any]:
        """Do all tasks that are wanted, and yield their outcomes in any order."""
        content: Any = (dumps(replace(job, shared=None)), dumps(job.shared))  # type: ignore[type-var]
        if self.client is None:
            count = getattr(self.executor, "_max_workers", None) or os.cpu_count() or 1
        else:
            count = max(1, len(self.client.nthreads()))
            [content] = self.client.scatter([content], hash=False, broadcast=True)
        places = [_Place(self.executor, content) for _ in range(count)]
        yield from _Run(job, tasks, wanted, places, None).outcomes()


def chosen(n_jobs: int | None, executor: Any = None) -> Any:
    """Return what runs tasks: workers, a client of Dask that joblib is told to use, or an executor that is given."""
    from joblib.parallel import get_active_backend

    if executor is not None:
        return executor if isinstance(executor, Workers | Elsewhere) else Elsewhere(executor)
    backend, _ = get_active_backend()
    if n_jobs != 1 and type(backend).__name__ == "DaskDistributedBackend":
        return Elsewhere(backend.client)
    return Workers(n_jobs)


class _Place:
    own = False

    def __init__(self, executor: Any, content: Any) -> None:
        self.executor, self.content = executor, content
        self.running = 0

    def submit(self, tasks: list[Any]) -> Future[Any]:
        try:
            future: Future[Any] = self.executor.submit(_performed, self.content, tasks)
        except (RuntimeError, OSError) as error:
            raise WorkerError(f"the executor takes no more fits ({one_line(error)})") from error
        self.running += 1
        return future

    def renew(self) -> None:
        """Leave the executor to itself."""


class _Worker(_Place):
    """A process on this machine, which is kept for the next run that needs the same code and environment."""

    own = True
    idle: list[tuple[str, Any]] = []  # noqa: RUF012 - those of this process

    def __init__(self, code: str, content: Any) -> None:
        self.code = f"{code} {sorted(os.environ.items())}"
        for other, executor in self.idle:
            if other != self.code:
                executor.shutdown(wait=False, kill_workers=True)
        self.idle[:] = [pair for pair in self.idle if pair[0] == self.code]
        super().__init__(self.idle.pop()[1] if self.idle else _process(), content)
        self.cold = True

    def submit(self, tasks: list[Any]) -> Future[Any]:
        self.cold = False
        try:
            return super().submit(tasks)
        except WorkerError:  # somebody killed the process while it had nothing to do
            self.renew()
            return super().submit(tasks)

    def renew(self) -> None:
        self.executor.shutdown(wait=False, kill_workers=True)
        self.executor, self.running, self.cold = _process(), 0, True

    def end(self) -> None:
        if self.running:
            self.executor.shutdown(wait=False, kill_workers=True)
        else:
            self.idle.append((self.code, self.executor))


def _process() -> Any:
    from joblib.externals.loky import ProcessPoolExecutor

    return ProcessPoolExecutor(1, initializer=_begin, initargs=(os.getpid(),), env=_SAFE)


class _Sent(NamedTuple):
    place: Any
    executor: Any
    tasks: list[Any]
    since: float


class _Run:
    """One run of tasks in several places; what was lost with a worker is done once more, task by task."""

    def __init__(
        self,
        job: Job,
        tasks: Sequence[Any],
        wanted: Wanted,
        places: Sequence[Any],
        timeout: float | None,
    ) -> None:
        self.job, self.wanted, self.places, self.timeout = job, wanted, places, timeout
        self.stay = [task for task in tasks if not job.travels(task)]
        self.queues = _Queues(filter(job.travels, tasks), wanted, len(places))
        self.suspects: deque[Any] = deque()
        self.retried: set[Any] = set()
        self.sent: dict[Future[Any], _Sent] = {}
        self.stillborn = 0

    def outcomes(self) -> Iterator[Any]:
        try:
            while self._send():
                done, _ = wait(self.sent, LOOK_SECONDS, FIRST_COMPLETED)
                for future in done:
                    yield from self._arrived(future, self.sent.pop(future))
                yield from self._late()
        finally:
            for future in self.sent:
                future.cancel()
        yield from run_here(self.job, self.stay, self.wanted)

    def _send(self) -> bool:
        """Give every place something to do, and a batch that waits behind it; tell whether there is anything to wait for."""
        for waiting in range(2):
            for place in self.places:
                # Alone with its time, or with a suspicion, a batch has nobody behind it.
                alone = self.timeout is not None or self.suspects or self.retried
                if place.running != waiting or (waiting and place.own and alone):
                    continue
                # A worker that starts reads the job before its time begins to count.
                batch = [] if place.own and place.cold else self._next(place)
                if batch or (place.own and place.cold):
                    future = place.submit(batch)
                    self.sent[future] = _Sent(place, place.executor, batch, time.monotonic())
        return bool(self.sent)

    def _next(self, place: Any) -> list[Any]:
        most = 1 if self.timeout is not None else MOST
        # In an executor of others one at a time: who else was there when it died is not to blame.
        batch = [] if place.own else self.queues.batch(most)
        while not batch and self.suspects and (place.own or not self.sent):
            batch = self.wanted([self.suspects.popleft()])
        return batch or self.queues.batch(most)

    def _arrived(self, future: Future[Any], sent: _Sent) -> Iterator[Any]:
        error = future.exception()
        current = sent.executor is sent.place.executor
        sent.place.running -= current
        if error is None:
            self.stillborn = 0
            for task, outcome in zip(sent.tasks, future.result(), strict=True):
                self.queues.timed(task, outcome)
                yield outcome
        elif isinstance(error, ImportError) and not sent.place.own:
            raise WorkerError(f"workers lack a package of this process: {one_line(error)}")
        elif not sent.tasks and self.stillborn == STARTS:
            raise WorkerError(f"a worker cannot be started: {_words(error)}")
        else:
            self.stillborn += not sent.tasks
            if current:
                sent.place.renew()
            yield from self._lost(sent.tasks, _words(error))

    def _late(self) -> Iterator[Any]:
        now = time.monotonic()
        for future, sent in list(self.sent.items()):
            seconds = math.inf if self.timeout is None else self.timeout
            # A batch of fits in one call may take as long as they would alone.
            seconds *= sum(len(getattr(task, "sets", (0,))) for task in sent.tasks)
            if sent.tasks and now - sent.since > seconds:
                del self.sent[future]
                sent.place.renew()
                reason = f"Timeout: it took longer than {seconds:g} s"
                yield self.job.failed(sent.tasks[0], reason)

    def _lost(self, tasks: list[Any], reason: str) -> Iterator[Any]:
        again = [task for task in tasks if task not in self.retried]
        self.suspects.extend(again)
        self.retried.update(again)
        for task in self.retried.intersection(tasks).difference(again):
            yield self.job.failed(task, reason)


def _words(error: BaseException) -> str:
    if isinstance(error, BrokenProcessPool) or type(error).__name__ == "KilledWorker":
        return "WorkerDied: the process that fitted it ended"
    return one_line(error)


@contextmanager
def _handed_over(job: Job) -> Iterator[str]:
    from joblib import dump
    from joblib.externals.loky.backend import resource_tracker

    with ExitStack() as stack:
        folder = stack.enter_context(
            tempfile.TemporaryDirectory(prefix="errbar-", ignore_cleanup_errors=True)
        )
        # Its process removes the folder when this one is killed.
        before = dict(os.environ)
        os.environ.update(_SAFE)
        try:
            resource_tracker.register(folder, "folder")
        finally:
            os.environ.clear()
            os.environ.update(before)
        stack.callback(resource_tracker.unregister, folder, "folder")
        try:
            dump(job.shared, str(Path(folder) / "shared"))
            (Path(folder) / "job").write_bytes(dumps(replace(job, shared=None)))  # type: ignore[type-var]
        except OSError as error:
            raise WorkerError(
                f"the data cannot be written to '{folder}', where workers would read them: "
                f"{error.strerror or error}; the environment variable TMPDIR names another place"
            ) from None
        yield folder


def dumps(value: Any) -> bytes:
    """Return the pickle of an object; classes of a notebook or a script, which workers cannot import, go by value."""
    from joblib.externals.loky.backend import reduction

    # Whoever uses cloudpickle may have told it of modules that are to go by value too.
    return bytes(sys.modules.get("cloudpickle", reduction).dumps(value))


def packed(value: Any) -> bytes | None:
    """Return the pickle of an object; None where it cannot be sent to another process."""
    try:
        return dumps(value)
    except (Exception, SystemExit):  # noqa: BLE001 - whatever an object says about being pickled
        return None


# What follows is done in a worker.

_turn = threading.Lock()


def _performed(content: Any, tasks: list[Any]) -> list[Any]:
    with _turn, fitting():
        job = _received(content)
        return [job.perform(task) for task in tasks]


@lru_cache(maxsize=1)
def _received(content: Any) -> Any:
    """Return a job from the folder or the bytes in which it travelled; read once, for many batches."""
    from joblib import load

    if isinstance(content, str):
        job = loads((Path(content) / "job").read_bytes())
        return replace(job, shared=load(str(Path(content) / "shared"), mmap_mode="r"))
    job, shared = map(loads, content)
    return replace(job, shared=shared)


def _begin(parent: int) -> None:
    """Let a worker end with the process that started it: it would wait for minutes, and hold its files."""
    # Ctrl-C reaches all processes of a terminal, and the parent decides what becomes of its workers.
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def leave() -> None:
        while os.getppid() == parent:
            time.sleep(1.0)
        os._exit(1)

    threading.Thread(target=leave, daemon=True).start()
