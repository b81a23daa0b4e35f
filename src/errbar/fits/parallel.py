"""Ways of running tasks, which never change a number: in this process, in workers on this machine, by any executor.

A job has what all tasks share: `settings`, `code` (the digest of the user's code that it runs), large
data, `shared`, and `perform`, which does one task.
"""

import faulthandler
import math
import os
import random
import signal
import sys
import tempfile
import threading
import time
import traceback
import warnings
from collections import defaultdict, deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from pickle import loads
from types import ModuleType
from typing import Any, NamedTuple, Self

import numpy as np
from joblib import dump, effective_n_jobs, load
from joblib.externals.loky import ProcessPoolExecutor
from joblib.externals.loky.backend import reduction, resource_tracker

from errbar import _check
from errbar.errors import InvalidInputError, one_line
from errbar.fits.store import Record

BATCH_SECONDS = 0.1
"""Work that travels together: handing it over costs little, and so does doing it again."""

MOST = 32
"""Tasks of a batch at most: they are claimed together."""

# In processes that start, a file random.py in the current folder is not the module. They take the parent's path afterwards.
_SAFE = "PYTHONSAFEPATH"

Wanted = Callable[[Sequence[Any]], list[Any]]


loaded: dict[str, Any] = {}
"""Text and module of the user's files that this process has run, by path."""


def load_file(path: str | Path) -> ModuleType:
    """Run a file of the user's, here and in every process that does fits of learners from it."""
    return _module_of(str(Path(path).absolute()), Path(path).read_bytes())


def _module_of(path: str, source: bytes) -> ModuleType:
    """Return the module of a file, which is named after its text, and run once in each process."""
    name = f"errbar_models_{Path(path).stem}_{blake2b(source, digest_size=8).hexdigest()}"
    module = sys.modules.get(name)
    if module is None:
        module = sys.modules[name] = ModuleType(name)
        module.__file__ = path
        try:
            exec(compile(source, path, "exec"), vars(module))
        except BaseException:
            del sys.modules[name]
            raise
    loaded[path] = source, module
    return module


@dataclass(frozen=True)
class Settings:
    """What fits find in a process: files that define learners, and settings of scikit-learn and NumPy."""

    files: Any
    sklearn: Any
    numpy: Any

    @classmethod
    def here(cls) -> Self:
        """Return those of this process."""
        from sklearn import get_config

        files = tuple((path, source) for path, (source, _) in loaded.items())
        return cls(files, get_config(), dict(np.geterr()))

    def __setstate__(self, state: Any) -> None:
        vars(self).update(state)
        for file in self.files:
            _module_of(*file)

    @contextmanager
    def around_fit(self) -> Iterator[Any]:
        """Let one fit find them, whatever the fits before it did; give the warnings that it causes."""
        from sklearn import config_context

        with (
            config_context(**self.sklearn),
            np.errstate(**self.numpy),
            warnings.catch_warnings(record=True) as caught,
        ):
            warnings.simplefilter("default")
            yield caught


@contextmanager
def fitting() -> Iterator[None]:
    """Lend the process to fits, with one thread for linear algebra, so that sums come out the same."""
    before, python = np.random.get_state(), random.getstate()  # noqa: NPY002
    try:
        with _thread_pools(len(sys.modules)).limit(limits=1):
            yield
    finally:
        np.random.set_state(before)  # noqa: NPY002
        random.setstate(python)


@lru_cache(maxsize=1)
def _thread_pools(modules: int) -> Any:  # noqa: ARG001 - new modules may bring new pools
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


class Task(NamedTuple):
    """One fit of a learner, or a batch of fits in one call: one key, one record."""

    key: str
    learner: str
    sets: tuple[int, ...]


Tasks = list[Task]

Outcome = tuple[Task, Record]
"""What became of a task: arrays, or an error among the facts."""


class _Queue:
    """Tasks that wait, and how long tasks of each learner take."""

    def __init__(self, tasks: Any, wanted: Wanted, workers: int) -> None:
        self.waiting, self.wanted, self.workers = deque(tasks), wanted, workers
        self.seconds: dict[str, float] = defaultdict(lambda: math.inf)

    def batch(self, most: int = MOST) -> Tasks:
        """Return tasks that are still wanted; fewer towards the end, so that workers end together."""
        while self.waiting:
            share = math.ceil(len(self.waiting) / (2 * self.workers))
            seconds = self.seconds[self.waiting[0].learner]
            count = max(1, min(int(BATCH_SECONDS / seconds), most, share))
            if found := self.wanted([self.waiting.popleft() for _ in range(count)]):
                return found
        return []

    def timed(self, outcome: Outcome) -> Outcome:
        """Learn how long a task of a learner takes."""
        task, record = outcome
        self.seconds[task.learner] = max(record.facts["seconds"], 1e-9)
        return outcome


def perform(job: Any, task: Task) -> Outcome:
    """Do a task; a failure becomes part of the outcome."""
    started = time.perf_counter()
    arrays: dict[str, Any] = {}
    failed = {}
    with job.settings.around_fit() as caught:
        try:
            arrays = job.perform(task)
        except (Exception, SystemExit) as raised:  # noqa: BLE001 - a learner may raise anything; it is recorded
            failed = {"error": one_line(raised), "traceback": traceback.format_exc()}
    texts = [f"{one.category.__name__}: {' '.join(str(one.message).split())}" for one in caught]
    seconds = round(time.perf_counter() - started, 6)
    return task, Record(arrays, {"seconds": seconds, "warnings": texts[:1], **failed})


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

    def run(self, job: Any, tasks: Any, wanted: Wanted = list) -> Iterator[Outcome]:
        """Do all tasks that are wanted, and yield their outcomes in any order."""
        if self.count > 1 or self.timeout:
            self.code = f"{job.code} {sorted(os.environ.items())}"
            with _handed_over(job) as folder:
                yield from _spread(self, folder, tasks, wanted)
            return
        queue = _Queue(tasks, wanted, 1)
        with fitting():
            while batch := queue.batch():
                for task in batch:
                    yield queue.timed(perform(job, task))

    def start(self) -> Any:
        """Return a process that has the code and the environment of a run, or none yet."""
        while _idle:
            code, executor = _idle.pop()
            if code == self.code:
                return executor
            self.end(executor, lost=True)
        return ProcessPoolExecutor(1, initializer=_begin, initargs=(os.getpid(),), env={_SAFE: "1"})

    def end(self, executor: Any, *, lost: bool) -> None:
        """Kill a process that may be at work, and keep another for the next run."""
        if lost:
            executor.shutdown(wait=False, kill_workers=True)
        else:
            _idle.append((self.code, executor))


_idle: Any = []


class _Elsewhere:
    """Any executor of `concurrent.futures`, such as that of a Dask client."""

    timeout = None

    def __init__(self, executor: Any) -> None:
        self.client = executor if hasattr(executor, "scatter") else None
        self.executor = executor if self.client is None else executor.get_executor(pure=False)
        known = hasattr(self.executor, "submit")
        must = "must be an executor of concurrent.futures or a client of Dask"
        _check.require(known, must, executor, "executor")

    def run(self, job: Any, tasks: Any, wanted: Wanted = list) -> Iterator[Outcome]:
        """Do all tasks that are wanted, and yield their outcomes in any order."""
        content: Any = _pickled(job)
        self.count = getattr(self.executor, "_max_workers", None) or os.cpu_count() or 1
        if self.client is not None:
            self.count = max(1, len(self.client.nthreads()))
            [content] = self.client.scatter([content], hash=False, broadcast=True)
        yield from _spread(self, content, tasks, wanted)

    def start(self) -> Any:
        """Return the executor, which all places share."""
        return self.executor

    def end(self, executor: Any, *, lost: bool) -> None:
        """Leave the executor to itself."""


def chosen(n_jobs: int | None, executor: Any = None) -> Any:
    """Return what runs tasks."""
    if executor is None:
        return Workers(n_jobs)
    return executor if isinstance(executor, Workers) else _Elsewhere(executor)


def _spread(way: Any, content: Any, tasks: Any, wanted: Wanted) -> Iterator[Outcome]:
    """Do tasks in several places; what was lost with a worker is done once more, task by task."""
    queue = _Queue(tasks, wanted, way.count)
    free = [way.start() for _ in range(way.count)]
    # Where places share an executor, who else was there when it died is not to blame.
    apart = len(set(free)) == way.count
    suspects = deque[Task]()
    tried = set[Task]()
    sent: Any = {}

    def batch() -> Tasks:
        while suspects and (apart or not sent):
            if alone := wanted([suspects.popleft()]):
                return alone
        return queue.batch(1 if way.timeout else MOST) if apart or not suspects else []

    try:
        while True:
            while free and (some := batch()):
                executor = free.pop()
                # Fits in one call may take as long as they would alone.
                limit = way.timeout and way.timeout * len(some[0].sets)
                future = _submitted(executor, content, some, limit)
                sent[future] = executor, some, limit, time.monotonic()
            if not sent:
                return
            for future in wait(sent, return_when=FIRST_COMPLETED).done:
                executor, some, limit, since = sent.pop(future)
                error = future.exception()
                if error is None:
                    free.append(executor)
                    yield from map(queue.timed, future.result())
                    continue
                way.end(executor, lost=True)
                free.append(way.start())
                reason = one_line(error)
                if isinstance(error, BrokenProcessPool) or type(error).__name__ == "KilledWorker":
                    reason = "WorkerDied: the process that fitted it ended"
                late = limit and time.monotonic() - since > limit
                if late:
                    reason = f"Timeout: it took longer than {limit:g} s"
                for task in some:
                    if late or task in tried:
                        yield task, Record(facts={"error": reason})
                    else:
                        tried.add(task)
                        suspects.append(task)
    finally:
        for executor in free:
            way.end(executor, lost=False)
        for future, (executor, *_) in sent.items():
            future.cancel()
            way.end(executor, lost=True)


def _submitted(executor: Any, *arguments: Any) -> Future[Any]:
    try:
        found: Future[Any] = executor.submit(_performed, *arguments)
    except (RuntimeError, OSError) as error:  # it was killed or closed while it had nothing to do
        found = Future()
        found.set_exception(error)
    return found


@contextmanager
def _handed_over(job: Any) -> Iterator[str]:
    """Write a job into a folder, which its own process removes when this one is killed."""
    with tempfile.TemporaryDirectory(prefix="errbar-", ignore_cleanup_errors=True) as folder:
        given = _SAFE in os.environ
        os.environ.setdefault(_SAFE, "1")
        resource_tracker.register(folder, "folder")
        if not given:
            del os.environ[_SAFE]
        try:
            dump(job.shared, f"{folder}/shared")
            Path(folder, "job").write_bytes(_pickled(replace(job, shared=None)))
            yield folder
        finally:
            resource_tracker.unregister(folder, "folder")


def _pickled(value: Any) -> bytes:
    """Return the pickle of an object; classes of a notebook or a script, which workers cannot import, go by value."""
    try:
        return bytes(reduction.dumps(value))
    except Exception as error:
        raise InvalidInputError(
            f"learners cannot be sent to another process ({one_line(error)}); n_jobs=1 fits them in this one"
        ) from error


# What follows is done in a worker.

_turn = threading.Lock()


def _performed(content: Any, tasks: Tasks, limit: float | None) -> list[Outcome]:
    with _turn, fitting(), Path(os.devnull).open("wb") as nowhere:
        job = _received(content)
        if limit is not None:  # the process ends itself, also where a fit never gives Python a turn
            faulthandler.dump_traceback_later(limit, exit=True, file=nowhere)
        outcomes = [perform(job, task) for task in tasks]
        if limit is not None:
            faulthandler.cancel_dump_traceback_later()
        return outcomes


@lru_cache(maxsize=1)
def _received(content: Any) -> Any:
    """Return a job from the folder or the bytes in which it travelled; read once, for many batches."""
    if isinstance(content, bytes):
        return loads(content)
    job = loads(Path(content, "job").read_bytes())
    return replace(job, shared=load(f"{content}/shared", mmap_mode="r"))


def _begin(parent: int) -> None:
    """Let a worker end with the process that started it: it would wait for minutes, and hold its files."""
    # Ctrl-C reaches all processes of a terminal, and the parent decides what becomes of its workers.
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def leave() -> None:
        while os.getppid() == parent:
            time.sleep(1.0)
        os._exit(1)

    threading.Thread(target=leave, daemon=True).start()
