"""What runs in the workers of a Dask cluster: a batch of tasks, with the workload that the worker keeps."""

import pickle
import platform
import threading
import weakref
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errbar.engine.identity import versions
from errbar.engine.isolation import Isolated
from errbar.engine.steady import steady_process
from errbar.engine.tasks import Workload
from errbar.engine.travel import Message
from errbar.errors import InvalidInputError, one_line

Parcel = list[NDArray[np.uint8]]
"""A pickled workload and its arrays, as plain bytes, which travel and wait in workers without being read or copied."""


@cache
def environment() -> str:
    """Return the versions that must be the same everywhere, so that numbers are."""
    return ", ".join(f"{name} {number}" for name, number in versions().items())


_one_at_a_time = threading.Lock()
"""Fits use the global generators of NumPy and Python and the thread pools of linear algebra, which threads of a worker share."""

_workloads: dict[int, Workload] = {}


def perform_batch(wanted: str, parcel: Parcel, message: bytes, *, apart: bool) -> list[Message]:
    """Do a batch of tasks and return the outcomes; those that go apart, none of which has parts, in a child process."""
    from joblib import parallel_config

    if environment() != wanted:
        raise InvalidInputError(
            f": the worker on {platform.node()} has {environment()}, and this process has {wanted}; they must agree",
            argument="cluster",
        )
    with _one_at_a_time:
        workload, tasks = _read(parcel, message)
        # Files of an earlier run may have changed anything here.
        if (apart or not workload.surroundings.is_alone) and Isolated.available():
            found: dict[int, Message] = {}
            Isolated(1).each(
                workload, tasks, lambda task, one: found.update({id(task): workload.packed(one)})
            )
            return [found[id(task)] for task in tasks]
        # Learners that ask for workers of their own do without: Dask's may not start any.
        with steady_process() as process, parallel_config(backend="sequential"):
            return [process.packed(workload, task)[0] for task in tasks]


def _read(parcel: Parcel, message: bytes) -> tuple[Workload, list[Any]]:
    try:
        return _workload(parcel), pickle.loads(message)
    except Exception as error:  # noqa: BLE001 - whatever unpickling may raise
        raise InvalidInputError(
            f": the worker on {platform.node()} cannot read the learners or the data ({one_line(error)}); the "
            "modules they come from must be installed there too",
            argument="cluster",
        ) from None


def _workload(parcel: Parcel) -> Workload:
    """Return the workload of a parcel, read once for as long as the worker keeps the parcel."""
    header, *buffers = parcel
    if id(header) not in _workloads:
        # An array is a buffer, which its type does not say.
        given: Any = [header, *map(_aligned, buffers)]
        _workloads[id(header)] = pickle.loads(given[0], buffers=given[1:])
        weakref.finalize(header, _workloads.pop, id(header), None)
    return _workloads[id(header)]


def _aligned(buffer: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return a buffer that starts where an array of its own would; one that came by wire may start anywhere."""
    kept = buffer if buffer.ctypes.data % 16 == 0 else buffer.copy()
    kept = kept.view()
    kept.flags.writeable = False
    return kept
