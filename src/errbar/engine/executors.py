"""Executors run fits, or whole replicates of a simulation, in this process, in workers on this machine, or on a cluster."""

import atexit
import sys
import threading
import time
from collections.abc import Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from functools import cache
from typing import Any

from errbar.engine.cluster import Dask
from errbar.engine.isolation import Isolated
from errbar.engine.steady import Steady, steady_process
from errbar.engine.tasks import Backlog, Emit, Wanted, WorkerError, Workload
from errbar.engine.travel import handed_over, performed, understood
from errbar.errors import InvalidInputError

AHEAD = 2
"""Batches per worker that are handed over: one in work, and one so that it need not wait."""

PROBE_SECONDS = 0.5
"""Time to find out in this process how long tasks take, before workers are started."""

START_SECONDS = 2.0
"""What it takes to start workers and to let them import what they need."""


class Serial:
    """Does all tasks in this process, one after the other."""

    def run(
        self, workload: Workload, tasks: Sequence[Any], emit: Emit, wanted: Wanted = list
    ) -> None:
        """Do all tasks that are wanted."""
        backlog = Backlog(tasks, emit)
        with steady_process() as process:
            for batch in backlog.batches(1):
                for task in wanted(batch):
                    backlog.emit(process.perform(workload, task))


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

    def run(
        self, workload: Workload, tasks: Sequence[Any], emit: Emit, wanted: Wanted = list
    ) -> None:
        """Do all tasks that are wanted."""
        backlog = Backlog(tasks, emit)
        if _workers_up() < self.n_jobs:
            with steady_process() as process:
                _probe(process, workload, backlog, wanted)
            if backlog.seconds_left() * (1.0 - 1.0 / self.n_jobs) < START_SECONDS:
                Serial().run(workload, backlog.rest(), emit, wanted)
                return
        self._share_out(workload, backlog, wanted)

    def _share_out(self, workload: Workload, backlog: Backlog, wanted: Wanted) -> None:
        from joblib import Parallel

        with (
            handed_over(workload) as folder,
            Parallel(n_jobs=self.n_jobs, backend="loky") as parallel,
        ):
            # The pool that joblib keeps; None where it would do everything in this process, as in a daemon.
            pool = getattr(parallel._backend, "_workers", None)
            lost = (
                backlog.rest()
                if pool is None
                else self._with(pool, folder, workload, backlog, wanted)
            )
        if pool is None:
            Serial().run(workload, lost, backlog.emit, wanted)
        elif lost and not Isolated.available():
            raise WorkerError(
                "a worker process died, and this system cannot tell of which fit; what was finished is kept where "
                "a store was given, and n_jobs=1 does the fits in this process"
            )
        elif lost:
            # A fit, or somebody, has harmed a worker. Those who watch theirs find out which it was.
            Isolated(self.n_jobs).run(
                workload, lost + backlog.rest(), backlog.emit, _asked_before(lost, wanted)
            )

    def _with(
        self, pool: Any, folder: str, workload: Workload, backlog: Backlog, wanted: Wanted
    ) -> list[Any]:
        """Let workers do what waits; as soon as one fails to answer, nothing more. Return what was begun and not done."""
        batches = backlog.batches(self.n_jobs)
        out: dict[Future[Any], list[Any]] = {}
        lost: list[Any] = []

        def send() -> bool:
            while not lost and len(out) < AHEAD * self.n_jobs and (batch := next(batches, None)):
                left = wanted(batch)
                try:
                    out.update({pool.submit(performed, folder, left): left} if left else {})
                except Exception:  # noqa: BLE001 - the pool says in many ways that it is broken
                    lost.extend(left)
            return bool(out)

        try:
            while send():
                _end_idle_workers_at_exit()
                for future in wait(out, return_when=FIRST_COMPLETED).done:
                    begun = out.pop(future)
                    outcomes = _result(future, workload, begun)
                    lost += begun if outcomes is None else []
                    for outcome in outcomes or ():
                        backlog.emit(outcome)
        finally:
            if out:
                pool.shutdown(kill_workers=True)
        return lost


def _result(future: Future[Any], workload: Workload, tasks: Sequence[Any]) -> list[Any] | None:
    try:
        return understood(workload, tasks, future.result())
    except Exception:  # noqa: BLE001 - a worker died, or what it sent cannot be read
        return None


def _asked_before(tasks: Sequence[Any], wanted: Wanted) -> Wanted:
    """Ask about all tasks but those that were wanted already."""
    known = {id(task) for task in tasks}

    def still_wanted(some: Sequence[Any]) -> list[Any]:
        return [task for task in some if id(task) in known or wanted([task])]

    return still_wanted


def choose(n_jobs: int | None) -> Dask | Joblib | Serial:
    """Return the executor for a number of workers; None asks joblib's configuration, -1 takes all cores.

    Where ``joblib.parallel_config("dask")`` is in force, the cluster does the tasks. Threads are never used: fits would
    share the global generators of NumPy and Python and the thread pools of linear algebra.
    """
    from joblib import effective_n_jobs
    from joblib.parallel import get_active_backend

    if n_jobs is not None and (
        isinstance(n_jobs, bool) or not isinstance(n_jobs, int) or n_jobs == 0
    ):
        raise InvalidInputError(
            f"must be a whole number other than 0, or None, got {n_jobs!r}", argument="n_jobs"
        )
    backend, _ = get_active_backend()
    if n_jobs != 1 and type(backend).__name__ == "DaskDistributedBackend":
        return Dask(backend.client)
    count = effective_n_jobs(n_jobs)
    return Serial() if count == 1 else Joblib(count)


def _pool() -> Any:
    """Return the workers that joblib keeps from earlier calls, by errbar or anyone else; None where there are none."""
    for name in ("joblib.externals.loky.reusable_executor", "loky.reusable_executor"):
        pool = getattr(sys.modules.get(name), "_executor", None)
        flags = getattr(pool, "_flags", None)
        if pool is not None and flags is not None and not flags.shutdown and flags.broken is None:
            return pool
    return None


def _workers_up() -> int:
    return int(getattr(_pool(), "_max_workers", 0))


@cache
def _end_idle_workers_at_exit() -> None:
    """See that this process, at its end, does not wait for workers: joblib would ask each to leave, and wait till it has.

    One of them may wait for a lock that another one holds, and that one may have been killed.
    """
    # What is registered last is called first: joblib registers its own with the first task.
    getattr(threading, "_register_atexit", atexit.register)(_end_idle_workers)


def _end_idle_workers() -> None:
    pool = _pool()
    if pool is not None and not getattr(pool, "_pending_work_items", None):
        pool.shutdown(kill_workers=True)


def _probe(process: Steady, workload: Workload, backlog: Backlog, wanted: Wanted) -> None:
    """Time the first tasks of each queue here; a short first one is repeated, since it pays for imports."""
    started = time.perf_counter()
    for name, queue in backlog.queues.items():
        for limit in (PROBE_SECONDS, 0.05):
            spent = time.perf_counter() - started
            if not queue or spent > PROBE_SECONDS or backlog.seconds.get(name, 0.0) > limit:
                break
            for task in wanted([queue.popleft()]):
                backlog.emit(process.perform(workload, task))
