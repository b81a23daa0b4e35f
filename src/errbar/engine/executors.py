"""Who does the work, fits or whole replicates of a simulation: this process, workers on this machine, or a cluster."""

import sys
import time
from collections.abc import Iterator, Sequence
from typing import Any

from errbar.engine.cluster import Dask
from errbar.engine.isolation import Isolated
from errbar.engine.tasks import Backlog, Emit, Wanted, WorkerError, Workload, handed_over, performed, steady_process
from errbar.errors import InvalidInputError

PROBE_SECONDS = 0.5
"""Time to find out in this process how long tasks take, before workers are started."""

START_SECONDS = 2.0
"""What it takes to start workers and to let them import what they need."""


class Serial:
    """Does all tasks in this process, one after the other."""

    def run(self, workload: Workload, tasks: Sequence[Any], emit: Emit, wanted: Wanted = list) -> None:
        """Do all tasks that are wanted."""
        backlog = Backlog(tasks, emit)
        with steady_process():
            for batch in backlog.batches(1):
                for task in wanted(batch):
                    backlog.emit(workload.perform(task))


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

    def run(self, workload: Workload, tasks: Sequence[Any], emit: Emit, wanted: Wanted = list) -> None:
        """Do all tasks that are wanted."""
        backlog = Backlog(tasks, emit)
        if _workers_up() < self.n_jobs:
            with steady_process():
                _probe(workload, backlog, wanted)
            if backlog.seconds_left() * (1.0 - 1.0 / self.n_jobs) < START_SECONDS:
                Serial().run(workload, backlog.rest(), emit, wanted)
                return
        self._share_out(workload, backlog, wanted)

    def _share_out(self, workload: Workload, backlog: Backlog, wanted: Wanted) -> None:
        from joblib import Parallel, delayed
        from joblib.externals.loky.process_executor import TerminatedWorkerError

        begun: dict[int, list[Any]] = {}

        def batches(folder: str) -> Iterator[Any]:
            for number, batch in enumerate(backlog.batches(self.n_jobs)):
                left = wanted(batch)
                if left:
                    begun[number] = left
                    yield delayed(performed)(folder, number, left)

        with handed_over(workload) as folder:
            pool = Parallel(n_jobs=self.n_jobs, backend="loky", batch_size=1, return_as="generator_unordered")
            try:
                with pool as parallel:
                    for number, outcomes in parallel(batches(folder)):
                        del begun[number]
                        for outcome in outcomes:
                            backlog.emit(outcome)
            except TerminatedWorkerError as error:
                if not Isolated.available():
                    raise WorkerError(
                        "a worker process died, and this system cannot tell of which fit; what was finished is kept where "
                        "a store was given, and n_jobs=1 does the fits in this process"
                    ) from error
                # A fit, or somebody, has killed a worker. Those who watch theirs find out which it was.
                left = [task for batch in begun.values() for task in batch]
                Isolated(self.n_jobs).run(workload, left + backlog.rest(), backlog.emit, wanted)


def choose(n_jobs: int | None) -> Dask | Joblib | Serial:
    """Return the executor for a number of workers; None asks joblib's configuration, -1 takes all cores.

    Where ``joblib.parallel_config("dask")`` is in force, the cluster does the tasks. Threads are never used: fits would
    share NumPy's global generator and the thread pools of linear algebra.
    """
    from joblib import effective_n_jobs
    from joblib.parallel import get_active_backend

    if n_jobs is not None and (isinstance(n_jobs, bool) or not isinstance(n_jobs, int) or n_jobs == 0):
        raise InvalidInputError(f"`n_jobs` must be a whole number other than 0, or None, got {n_jobs!r}")
    backend, _ = get_active_backend()
    if n_jobs != 1 and type(backend).__name__ == "DaskDistributedBackend":
        return Dask(backend.client)
    count = effective_n_jobs(n_jobs)
    return Serial() if count == 1 else Joblib(count)


def _workers_up() -> int:
    """Return how many of joblib's workers are up from earlier calls, by errbar or anyone else; 0 where unknown."""
    for name in ("joblib.externals.loky.reusable_executor", "loky.reusable_executor"):
        pool = getattr(sys.modules.get(name), "_executor", None)
        flags = getattr(pool, "_flags", None)
        if pool is not None and flags is not None and not flags.shutdown and flags.broken is None:
            return int(getattr(pool, "_max_workers", 0))
    return 0


def _probe(workload: Workload, backlog: Backlog, wanted: Wanted) -> None:
    """Time the first tasks of each queue here; a short first one is repeated, since it pays for imports."""
    started = time.perf_counter()
    for name, queue in backlog.queues.items():
        for limit in (PROBE_SECONDS, 0.05):
            spent = time.perf_counter() - started
            if not queue or spent > PROBE_SECONDS or backlog.seconds.get(name, 0.0) > limit:
                break
            for task in wanted([queue.popleft()]):
                backlog.emit(workload.perform(task))
