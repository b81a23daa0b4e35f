"""Ways of running tasks, which never change a number: in this process, in workers on this machine, by any executor.

A job has what all tasks share: `settings`, `code` (the digest of the user's code that it runs), large
data, `shared`, and `perform`, which does one task.
"""

import faulthandler
import math
import os
import signal
import tempfile
import threading
import time
import traceback
from collections import defaultdict, deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from pathlib import Path
from pickle import loads
from typing import Any, NamedTuple

from joblib import dump, effective_n_jobs, load
from joblib.externals.loky import ProcessPoolExecutor
from joblib.externals.loky.backend import reduction, resource_tracker

from errbar import _check
from errbar.errors import one_line
from errbar.fits.process import fitting

BATCH_SECONDS = 0.1
"""Work that travels together: handing it over costs little, and so does doing it again."""

MOST = 32
"""Tasks of a batch at most: they are claimed together."""

# In processes that start, a file random.py in the current folder is not the module. They take the parent's path afterwards.
_SAFE = "PYTHONSAFEPATH"

Wanted = Callable[[Sequence[Any]], list[Any]]


class Task(NamedTuple):
    """One fit of a learner, or a batch of fits in one call: one key, one record."""

    key: str
    learner: str
    sets: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Outcome:
    """What became of a task: arrays, or an error."""

    task: Task
    arrays: dict[str, Any] = field(default_factory=dict)
    seconds: float = 0.0
    warnings: tuple[str, ...] = ()
    error: str = ""
    traceback: str = ""


class _Queues:
    def __init__(self, tasks: Sequence[Task], wanted: Wanted, workers: int) -> None:
        self.wanted, self.workers = wanted, workers
        self.waiting: dict[str, deque[Task]] = defaultdict(deque)
        for task in tasks:
            self.waiting[task.learner].append(task)
        self.seconds: dict[str, float] = defaultdict(lambda: math.inf)

    def batch(self, most: int = MOST) -> list[Task]:
        """Return tasks that are still wanted, of the slowest learner; fewer towards the end, so that workers end together."""
        while self.waiting:
            name = max(self.waiting, key=self.seconds.__getitem__)
            queue = self.waiting[name]
            share = math.ceil(len(queue) / (2 * self.workers))
            count = min(int(BATCH_SECONDS / self.seconds[name]), most, share)
            tasks = [queue.popleft() for _ in range(max(count, 1))]
            if not queue:
                del self.waiting[name]
            if found := self.wanted(tasks):
                return found
        return []

    def timed(self, outcome: Outcome) -> Outcome:
        """Learn how long tasks of a learner take; the first may have paid for imports."""
        name, now = outcome.task.learner, max(outcome.seconds, 1e-9)
        self.seconds[name] = (min(self.seconds[name], 4.0 * now) + now) / 2.0
        return outcome


def perform(job: Any, task: Task) -> Outcome:
    """Do a task; a failure becomes part of the outcome."""
    started = time.perf_counter()
    arrays: dict[str, Any] = {}
    error = trace = ""
    with job.settings.around_fit() as caught:
        try:
            arrays = job.perform(task)
        except (Exception, SystemExit) as raised:  # noqa: BLE001 - a learner may raise anything; it is recorded
            error, trace = one_line(raised), traceback.format_exc()
    texts = (f"{one.category.__name__}: {' '.join(str(one.message).split())}" for one in caught)
    seconds = time.perf_counter() - started
    return Outcome(task, arrays, seconds, tuple(dict.fromkeys(texts)), error, trace)


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
        whole = n_jobs is None or (type(n_jobs) is int and n_jobs != 0)
        _check.require(whole, "must be a whole number other than 0, or None", n_jobs, "n_jobs")
        self.count = effective_n_jobs(n_jobs)
        self.timeout = None if fit_timeout is None else _check.positive(fit_timeout, "fit_timeout")

    def run(self, job: Any, tasks: Sequence[Task], wanted: Wanted = list) -> Iterator[Outcome]:
        """Do all tasks that are wanted, and yield their outcomes in any order."""
        if self.count == 1 and self.timeout is None:
            queues = _Queues(tasks, wanted, 1)
            with fitting():
                while batch := queues.batch():
                    for task in batch:
                        yield queues.timed(perform(job, task))
            return
        code = f"{job.code} {sorted(os.environ.items())}"

        def end(executor: Any, *, lost: bool) -> None:
            if lost:
                executor.shutdown(wait=False, kill_workers=True)
            else:
                _idle.append((code, executor))

        with _handed_over(job) as folder:
            start = partial(_process, code)
            yield from _spread(tasks, wanted, self.count, start, end, folder, self.timeout)


class _Elsewhere:
    """Any executor of `concurrent.futures`, such as that of a Dask client."""

    def __init__(self, executor: Any) -> None:
        self.client = executor if hasattr(executor, "scatter") else None
        self.executor = executor if self.client is None else executor.get_executor(pure=False)
        known = hasattr(self.executor, "submit")
        must = "must be an executor of concurrent.futures or a client of Dask"
        _check.require(known, must, executor, "executor")

    def run(self, job: Any, tasks: Sequence[Task], wanted: Wanted = list) -> Iterator[Outcome]:
        """Do all tasks that are wanted, and yield their outcomes in any order."""
        content: Any = dumps(replace(job, shared=None)), dumps(job.shared)
        count = getattr(self.executor, "_max_workers", None) or os.cpu_count() or 1
        if self.client is not None:
            count = max(1, len(self.client.nthreads()))
            [content] = self.client.scatter([content], hash=False, broadcast=True)
        yield from _spread(
            tasks, wanted, count, lambda: self.executor, lambda *_, **__: None, content
        )


def chosen(n_jobs: int | None, executor: Any = None) -> Any:
    """Return what runs tasks."""
    if executor is None:
        return Workers(n_jobs)
    return executor if isinstance(executor, Workers) else _Elsewhere(executor)


_idle: list[tuple[str, Any]] = []
"""Processes of earlier runs, with the code and the environment that they have."""


def _process(code: str) -> Any:
    """Return a process that has this code and environment, or none yet."""
    for other, executor in _idle:
        if other != code:
            executor.shutdown(wait=False, kill_workers=True)
    _idle[:] = [pair for pair in _idle if pair[0] == code]
    if _idle:
        return _idle.pop()[1]
    return ProcessPoolExecutor(1, initializer=_begin, initargs=(os.getpid(),), env={_SAFE: "1"})


def _spread(
    tasks: Sequence[Task],
    wanted: Wanted,
    count: int,
    start: Callable[[], Any],
    end: Callable[..., None],
    content: Any,
    timeout: float | None = None,
) -> Iterator[Outcome]:
    """Do tasks in several places; what was lost with a worker is done once more, task by task."""
    queues = _Queues(tasks, wanted, count)
    places = [start() for _ in range(count)]
    # Where places share an executor, who else was there when it died is not to blame.
    apart = len(set(places)) == count
    suspects: deque[Task] = deque()
    tried: set[Task] = set()
    sent: dict[Future[Any], tuple[int, list[Task], float]] = {}
    try:
        while True:
            for place in {*range(count)}.difference(one for one, _, _ in sent.values()):
                batch: list[Task] = []
                while suspects and not batch and (apart or not sent):
                    batch = wanted([suspects.popleft()])
                if not batch and (apart or not suspects):
                    batch = queues.batch(MOST if timeout is None else 1)
                if batch:
                    future = _submitted(places[place], content, batch, timeout)
                    sent[future] = place, batch, time.monotonic()
            if not sent:
                return
            for future in wait(sent, return_when=FIRST_COMPLETED).done:
                place, batch, since = sent.pop(future)
                error = future.exception()
                if error is None:
                    yield from map(queues.timed, future.result())
                    continue
                end(places[place], lost=True)
                places[place] = start()
                limit = _limit(batch, timeout)
                late = time.monotonic() - since > limit
                reason = f"Timeout: it took longer than {limit:g} s" if late else _words(error)
                for task in batch:
                    if late or task in tried:
                        yield Outcome(task, error=reason)
                    else:
                        tried.add(task)
                        suspects.append(task)
    finally:
        busy = [place for place, _, _ in sent.values()]
        for future in sent:
            future.cancel()
        for place, executor in enumerate(places):
            end(executor, lost=place in busy)


def _submitted(executor: Any, *arguments: Any) -> Future[Any]:
    try:
        found: Future[Any] = executor.submit(_performed, *arguments)
    except (
        RuntimeError,
        OSError,
    ) as error:  # somebody killed or closed it while it had nothing to do
        found = Future()
        found.set_exception(error)
    return found


def _limit(tasks: Sequence[Task], timeout: float | None) -> float:
    """Return the seconds that tasks may take; fits in one call may take as long as they would alone."""
    return math.inf if timeout is None else timeout * sum(len(task.sets) for task in tasks)


def _words(error: BaseException) -> str:
    if isinstance(error, BrokenProcessPool) or type(error).__name__ == "KilledWorker":
        return "WorkerDied: the process that fitted it ended"
    return one_line(error)


@contextmanager
def _handed_over(job: Any) -> Iterator[str]:
    """Write a job into a folder, which its own process removes when this one is killed."""
    with tempfile.TemporaryDirectory(prefix="errbar-", ignore_cleanup_errors=True) as folder:
        before = os.environ.get(_SAFE)
        os.environ[_SAFE] = "1"
        try:
            resource_tracker.register(folder, "folder")
        finally:
            del os.environ[_SAFE]
            os.environ.update({} if before is None else {_SAFE: before})
        try:
            dump(job.shared, f"{folder}/shared")
            Path(folder, "job").write_bytes(dumps(replace(job, shared=None)))
            yield folder
        finally:
            resource_tracker.unregister(folder, "folder")


def dumps(value: Any) -> bytes:
    """Return the pickle of an object; classes of a notebook or a script, which workers cannot import, go by value."""
    return bytes(reduction.dumps(value))


# What follows is done in a worker.

_turn = threading.Lock()


def _performed(content: Any, tasks: list[Task], timeout: float | None) -> list[Outcome]:
    with _turn, fitting():
        job = _received(content)
        if timeout is None:
            return [perform(job, task) for task in tasks]
        # The process ends itself, also where a fit never gives Python a turn.
        with open(os.devnull, "wb") as nowhere:  # noqa: PTH123
            faulthandler.dump_traceback_later(_limit(tasks, timeout), exit=True, file=nowhere)
            try:
                return [perform(job, task) for task in tasks]
            finally:
                faulthandler.cancel_dump_traceback_later()


@lru_cache(maxsize=1)
def _received(content: Any) -> Any:
    """Return a job from the folder or the bytes in which it travelled; read once, for many batches."""
    if isinstance(content, str):
        job = loads(Path(content, "job").read_bytes())
        return replace(job, shared=load(f"{content}/shared", mmap_mode="r"))
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
