"""Work done by the workers of a Dask cluster, on this machine or on many."""

import math
import pickle
import re
import time
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import count
from typing import Any, NoReturn
from uuid import uuid4

import numpy as np

from errbar import _check
from errbar.engine.cluster_worker import Parcel, environment, perform_batch
from errbar.engine.tasks import Backlog, Emit, Wanted, Workload
from errbar.engine.travel import dumps, portable, understood
from errbar.errors import ErrbarError, InvalidInputError, one_line

CONNECT_SECONDS = 10.0
LOOK_SECONDS = 2.0
POLL_SECONDS = 0.005
IN_FLIGHT = 2
LARGEST_MESSAGE = 4_000_000
MOST_LOST = 1
MOST_LOST_APART = 5
MOST_KILLED = 2

_GO_ON = "what was finished is kept where a store was given, so the same call goes on from there"

_ADDRESS = re.compile(r"inproc://\S+|((tcp|tls|ucx|ws|wss)://)?[^\s/]+:\d+(/\S*)?")


class ClusterError(ErrbarError, ConnectionError):
    """A Dask cluster went away or cannot do the work; what was finished before has been handed over and is kept."""


class Dask:
    """Does tasks on the workers of a Dask cluster.

    What tasks share travels to the cluster once, and from worker to worker as they need it. Tasks follow in batches of about
    0.3 s, two per worker at a time, however many there are and while workers come and go. Outcomes come back as they
    are finished. The tasks of a worker that is lost are done again by another one; a batch whose workers keep dying
    is done in a child process of a worker, which tells the task that is to blame from the others. In every worker
    process one task is done at a time.

    Parameters
    ----------
    cluster : str, distributed.Client or a Dask cluster object
        Address of the scheduler, such as ``"tcp://10.0.0.7:8786"``, a client that is connected to it, or a cluster
        such as those of dask-jobqueue and dask-kubernetes.
    patience : float, default 600
        Seconds to wait while the cluster has no worker at all.

    Raises
    ------
    InvalidInputError
        If `patience` is negative.

    Examples
    --------
    >>> from errbar.engine.cluster import Dask
    >>> Dask("tcp://10.0.0.7:8786").patience
    600.0
    """

    def __init__(self, cluster: Any, *, patience: float = 600.0) -> None:
        self.cluster = cluster
        self.patience = _check.between(patience, 0.0, float("inf"), "patience")

    def run(
        self, workload: Workload, tasks: Sequence[Any], emit: Emit, wanted: Wanted = list
    ) -> None:
        """Do all tasks that are wanted.

        Raises
        ------
        InvalidInputError
            If the scheduler cannot be reached, or the workers have other versions of the packages that matter.
        ClusterError
            If the cluster goes away. What was finished has been emitted.
        """
        if tasks:
            with (
                connect(self.cluster) as client,
                closing(_Connection(client, workload, self.patience)) as connection,
            ):
                _Dispatcher(workload, tasks, emit, wanted).run(connection)


@contextmanager
def connect(cluster: Any) -> Iterator[Any]:
    """Give a client of a cluster, and close it afterwards unless it was handed in.

    Parameters
    ----------
    cluster : str, distributed.Client or a Dask cluster object
        See `Dask`.

    Yields
    ------
    distributed.Client
        A client that is connected.

    Raises
    ------
    InvalidInputError
        If no scheduler answers, or this is nothing that leads to one.

    Examples
    --------
    >>> from errbar.engine.cluster import connect
    >>> with connect("10.0.0.7"):
    ...     pass
    Traceback (most recent call last):
    errbar.errors.InvalidInputError: `cluster` must be an address such as 'tcp://10.0.0.7:8786', ... got '10.0.0.7'
    """
    where = cluster if isinstance(cluster, str) else getattr(cluster, "scheduler_address", None)
    handed_in = not isinstance(cluster, str) and hasattr(cluster, "scatter")
    # Dask's client does not survive an address that it cannot read, nor does the next one in the same process.
    if not handed_in and (not isinstance(where, str) or not _ADDRESS.fullmatch(where)):
        raise InvalidInputError(
            "must be an address such as 'tcp://10.0.0.7:8786', a distributed.Client or a Dask cluster, got "
            f"{cluster!r}",
            argument="cluster",
        )
    if handed_in:
        if cluster.asynchronous or cluster.status != "running":
            state = (
                "an asynchronous one" if cluster.asynchronous else f"one that is {cluster.status}"
            )
            raise InvalidInputError(
                f"must be a client that is connected and not asynchronous, got {state}",
                argument="cluster",
            )
        yield cluster
        return
    distributed = _check.package("distributed", "cluster")
    try:
        client = distributed.Client(
            cluster, timeout=CONNECT_SECONDS, set_as_default=False, name="errbar"
        )
    except (OSError, ValueError, ImportError) as error:
        raise InvalidInputError(
            f": no Dask scheduler answers at {where!r} ({one_line(error)}); check the address, and that the "
            "scheduler is up and can be reached from here",
            argument="cluster",
        ) from None
    try:
        yield client
    finally:
        with suppress(
            Exception
        ):  # whatever a lost connection does now, the reason for leaving is what matters
            client.close(timeout=CONNECT_SECONDS)


@dataclass(frozen=True, eq=False)
class _Batch:
    """Tasks that travel together; those that go apart are done in a child process of the worker."""

    tasks: list[Any]
    apart: bool = False
    lost: int = 0

    @cached_property
    def message(self) -> bytes:
        """The tasks as they travel."""
        return dumps(self.tasks)


class _Dispatcher:
    """One run: what waits, and what has been seen to kill workers."""

    def __init__(
        self, workload: Workload, tasks: Sequence[Any], emit: Emit, wanted: Wanted
    ) -> None:
        self.workload, self.backlog = workload, Backlog(tasks, emit)
        self.emit, self.wanted = emit, wanted
        self.again: deque[_Batch] = deque()
        self.kills: Counter[str] = Counter()

    def run(self, connection: "_Connection") -> None:
        """Keep the workers busy until every task has its outcome."""
        while connection.flights or self.again or self.backlog:
            workers = connection.workers()
            while len(connection.flights) < IN_FLIGHT * workers and (batch := self._next(workers)):
                if not connection.send(batch):
                    self.again.appendleft(batch)
                    break
            for batch, result in connection.arrived():
                self._take(batch, result)

    def _next(self, workers: int) -> _Batch | None:
        """Return the next batch, no larger than a message should be; None if there is none."""
        batch = self.again.popleft() if self.again else self._fresh(workers)
        while batch and len(batch.message) > LARGEST_MESSAGE and len(batch.tasks) > 1:
            half = len(batch.tasks) // 2
            self.again.appendleft(replace(batch, tasks=batch.tasks[half:]))
            batch = replace(batch, tasks=batch.tasks[:half])
        return batch

    def _fresh(self, workers: int) -> _Batch | None:
        while tasks := next(self.backlog.batches(workers), None):
            if wanted := self.wanted(tasks):
                return (
                    self._apart(wanted)
                    if self.kills[tasks[0].queue] > MOST_KILLED
                    else _Batch(wanted)
                )
        return None

    def _apart(self, tasks: Sequence[Any]) -> _Batch:
        return _Batch([part for task in tasks for part in self.workload.parts(task)], apart=True)

    def _take(self, batch: _Batch, result: Any) -> None:
        if not isinstance(result, BaseException):
            outcomes = understood(self.workload, batch.tasks, result)
            if outcomes is None:
                self._again(batch, MOST_LOST)
            else:
                self._emit(batch, outcomes)
        elif isinstance(result, CancelledError):
            # The last worker that had the workload is gone, perhaps because of this batch: Dask does not count these deaths.
            self._again(batch, MOST_LOST)
        elif isinstance(result, _check.package("distributed", "cluster").KilledWorker):
            self._again(batch, 0)
        else:
            _complain(result)

    def _again(self, batch: _Batch, most: int) -> None:
        """Do a batch again; one that was lost too often where that shows the task to blame: in a child, then in parts.

        Others that were at work in the same workers may be to blame, so whatever is done apart has many more tries.
        """
        batch = replace(batch, lost=batch.lost + 1)
        if batch.lost <= (MOST_LOST_APART if batch.apart else most):
            self.again.append(batch)
        elif not batch.apart:
            self.again.append(self._apart(batch.tasks))
        elif len(batch.tasks) > 1:
            self.again.extend(_Batch([task], apart=True) for task in batch.tasks)
        else:
            outcome = self.workload.failed(
                batch.tasks[0], "WorkerDied: every worker that began it was lost"
            )
            self._emit(batch, [outcome])

    def _emit(self, batch: _Batch, outcomes: Sequence[Any]) -> None:
        killed = sum("WorkerDied" in outcome.error for outcome in outcomes)
        self.kills[batch.tasks[0].queue] += killed
        # How fast a process dies says nothing about how long the other tasks take.
        emit = self.emit if killed else self.backlog.emit
        for outcome in outcomes:
            emit(outcome)


class _Connection:
    """The way to the workers: batches go out, results come back."""

    def __init__(self, client: Any, workload: Workload, patience: float) -> None:
        self.client, self.patience = client, patience
        self.address = client.scheduler.address
        self.name = f"errbar-{uuid4().hex}"
        self.numbers = count()
        self.parcel = _parcel(workload)
        self.sent: Any = None
        self.flights: dict[Any, tuple[_Batch, Any, Any]] = {}
        as_completed = _check.package("distributed", "cluster").as_completed
        self.completed = as_completed(loop=client.loop, with_results=True, raise_errors=False)
        self.known, self.look_at, self.seen = 0, 0.0, time.monotonic()
        self.fails_since = math.inf

    def workers(self) -> int:
        """Return how many workers there are, as of the last two seconds."""
        if self.client.status != "running":
            raise ClusterError(f"{self._lost()}; {_GO_ON}")
        now = time.monotonic()
        if now >= self.look_at:
            with self._reached():
                self.known = len(self.client.nthreads())
            self.look_at = now + (LOOK_SECONDS if self.known else LOOK_SECONDS / 10)
        if self.known:
            self.seen = now
        elif now - self.seen > self.patience:
            raise ClusterError(
                f"the Dask cluster at {self.address} has no worker, for {self.patience:g} s; {_GO_ON}"
            )
        return self.known

    def send(self, batch: _Batch) -> bool:
        """Send a batch, and before the first one what all of them need; tell whether the cluster took it."""
        key = (self.name, next(self.numbers))
        try:
            with self._reached():
                if self.sent is None:
                    name = f"{self.name}-workload-{key[1]}"
                    # A worker that was killed is started anew in its own time, and until then there may be none.
                    self.sent = self.client.scatter(
                        {name: self.parcel}, hash=False, timeout=self.patience
                    )[name]
                future = self.client.submit(
                    perform_batch,
                    environment(),
                    self.sent,
                    batch.message,
                    apart=batch.apart,
                    key=key,
                    pure=False,
                )
        except ClusterError:
            # The worker that was to have it may just have gone, while the scheduler is there.
            self.fails_since, self.look_at = min(self.fails_since, time.monotonic()), 0.0
            if (
                self.client.status != "running"
                or time.monotonic() - self.fails_since > self.patience
            ):
                raise
            time.sleep(POLL_SECONDS)
            return False
        self.fails_since = math.inf
        self.flights[key] = (batch, future, self.sent)
        self.completed.add(future)
        return True

    def arrived(self) -> Iterator[tuple[_Batch, Any]]:
        """Yield what has come back, after a moment's wait if that is nothing."""
        if not self.completed.has_ready():
            time.sleep(POLL_SECONDS)
        for future, result in self.completed.next_batch(block=False):
            batch, _, sent = self.flights.pop(future.key)
            if isinstance(result, CancelledError) and sent is self.sent:
                self.sent = None
            yield (
                batch,
                result[1] if isinstance(result, tuple) else result,
            )  # a tuple: type, error, traceback

    def close(self) -> None:
        """Call back what is out."""
        with suppress(Exception):  # a scheduler that has gone needs no telling
            if self.flights and self.client.status == "running":
                self.client.cancel([future for _, future, _ in self.flights.values()])
        self.completed.clear()
        self.flights.clear()
        self.sent = None

    @contextmanager
    def _reached(self) -> Iterator[None]:
        try:
            yield
        except (OSError, RuntimeError, CancelledError) as error:
            raise ClusterError(f"{self._lost()} ({one_line(error)}); {_GO_ON}") from error

    def _lost(self) -> str:
        return f"the connection to the Dask scheduler at {self.address} was lost"


def _complain(error: BaseException) -> NoReturn:
    """Raise an error that did not come from a fit, in words that help where it comes from a cluster without errbar."""
    without_errbar = isinstance(error, (ImportError, AttributeError)) and "errbar" in str(error)
    if without_errbar or "deserialization of the task graph" in str(error):
        raise InvalidInputError(
            f": its scheduler and workers must have the packages of this process ({environment()}): {one_line(error)}",
            argument="cluster",
        ) from error
    raise error


def _parcel(workload: Workload) -> Parcel:
    """Return a workload as plain arrays of bytes, which travel and wait in workers without being read or copied."""
    buffers: list[pickle.PickleBuffer] = []
    try:
        header = _check.package("cloudpickle", "cluster").dumps(
            portable(workload), protocol=5, buffer_callback=buffers.append
        )
    except (TypeError, AttributeError, pickle.PicklingError) as error:
        raise InvalidInputError(
            f": learners or data cannot be sent to workers ({one_line(error)})", argument="cluster"
        ) from None
    return [np.frombuffer(header, np.uint8), *(np.asarray(buffer.raw()) for buffer in buffers)]
