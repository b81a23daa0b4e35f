"""The way to worker processes and back: workloads go as pickles, since they come from here, outcomes come as plain bytes.

Workers on this machine come to a workload through a folder, from which its data are mapped into memory.
"""

import json
import math
import os
import pickle
import shutil
import stat
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import fields, replace
from functools import cache, lru_cache
from os import _exit  # itself, whatever a learner does to the name
from pathlib import Path
from typing import Any, NoReturn

from numpy.typing import NDArray

from errbar._packing import arrays_packed, arrays_unpacked
from errbar.engine.steady import steady_process
from errbar.engine.tasks import WorkerError, Workload
from errbar.errors import one_line

LOOK_SECONDS = 1.0
"""How often a worker of joblib looks whether the process that started it is still there."""

Message = bytes
"""An outcome on its way."""


def message(facts: Any, arrays: Mapping[str, NDArray[Any]]) -> Message:
    """Return facts that JSON can hold, and arrays of numbers, as plain bytes."""
    layout, body = arrays_packed(arrays)
    head = json.dumps([facts, layout]).encode()
    return len(head).to_bytes(8, "little") + head + body


def read(text: Message) -> tuple[Any, dict[str, NDArray[Any]]]:
    """Return the facts and arrays of a message; an exception if it is none."""
    end = 8 + int.from_bytes(text[:8], "little")
    facts, layout = json.loads(text[8:end], parse_constant=_refuse)
    return facts, arrays_unpacked(layout, text[end:])


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not a number")


def seconds(value: Any) -> float:
    """Return the time that a message tells."""
    if type(value) is not float or not (math.isfinite(value) and value >= 0.0):
        raise TypeError("no time")
    return value


def texts(*values: Any) -> tuple[str, ...]:
    """Return the texts that a message tells."""
    if not all(type(value) is str for value in values):
        raise TypeError("no text")
    return values


def understood(workload: Workload, tasks: Sequence[Any], messages: Any) -> list[Any] | None:
    """Return the outcomes of tasks that a worker has sent, or None where it is not in its right mind."""
    try:
        return [workload.unpacked(task, one) for task, one in zip(tasks, messages, strict=True)]
    except Exception:  # noqa: BLE001 - whatever there may be instead of a message
        return None


def dumps(value: Any) -> bytes:
    """Return the pickle of an object; classes from a notebook or a script, which workers cannot import, go by value."""
    from joblib.externals.loky.backend import reduction

    # Whoever uses cloudpickle may have told it of modules that are to go by value too.
    return bytes(sys.modules.get("cloudpickle", reduction).dumps(value))


class OneByOne(dict[Any, Any]):
    """A mapping that travels value by value: one that cannot travel keeps no other from it, and raises when looked up."""

    def __reduce__(self) -> Any:
        """Return the values as pickles, or as what keeps them from being one."""
        return _arrived, ({name: _pickled(value) for name, value in self.items()},)

    def __getitem__(self, name: Any) -> Any:
        """Return a value; an exception if it did not arrive."""
        value = super().__getitem__(name)
        if isinstance(value, _Stayed):
            raise pickle.PicklingError(value.reason)
        return value


class _Stayed:
    """What did not arrive, and why."""

    def __init__(self, reason: str) -> None:
        self.reason = reason


def _pickled(value: Any) -> bytes | str:
    try:
        return dumps(value)
    except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever an object says about being pickled
        return f"it cannot be sent to another process: {one_line(error)}"


def _arrived(values: Mapping[Any, bytes | str]) -> OneByOne:
    return OneByOne(
        {
            name: _Stayed(value) if isinstance(value, str) else _loaded(value)
            for name, value in values.items()
        }
    )


def _loaded(value: bytes) -> Any:
    try:
        return pickle.loads(value)
    except BaseException as error:  # noqa: BLE001 - whatever the modules do that are imported for it
        return _Stayed(f"it cannot be read by another process: {one_line(error)}")


def portable(workload: Workload, **changes: Any) -> Workload:
    """Return a workload whose mappings travel value by value, but for those that change."""
    names = [one.name for one in fields(workload)]  # type: ignore[arg-type]  # a dataclass
    own = {name: getattr(workload, name) for name in names if name != "shared"}
    parts = {name: OneByOne(value) for name, value in own.items() if isinstance(value, Mapping)}
    changed: Workload = replace(workload, **parts, **changes)  # type: ignore[type-var]
    return changed


@contextmanager
def handed_over(workload: Workload) -> Iterator[str]:
    """Write a workload into a folder that lasts as long as the context.

    Raises
    ------
    WorkerError
        If there is no room for it.
    """
    from joblib import dump

    with tempfile.TemporaryDirectory(prefix="errbar-", ignore_cleanup_errors=True) as folder:
        try:
            dump(workload.shared, str(Path(folder) / "data"))
            (Path(folder) / "workload").write_bytes(dumps(portable(workload, shared=None)))
        except OSError as error:
            raise WorkerError(
                f"the data cannot be written to '{folder}', where workers would read them: {error.strerror or error}; "
                "the environment variable TMPDIR names another place"
            ) from None
        yield folder


@lru_cache(maxsize=1)
def received(folder: str) -> Workload:
    """Return the workload that was written into a folder, its data mapped into memory; read once, for many batches."""
    from joblib import load

    light = pickle.loads((Path(folder) / "workload").read_bytes())
    workload: Workload = replace(light, shared=load(str(Path(folder) / "data"), mmap_mode="r"))
    return workload


def performed(folder: str, tasks: list[Any]) -> list[Message]:
    """Do a batch of tasks for the workload in a folder, in a worker of joblib; return the outcomes."""
    _leave_with_parent(os.getpid())
    _folders.add(folder)
    with _pipes_apart():
        workload = received(folder)
        with steady_process() as process:
            return [process.packed(workload, task)[0] for task in tasks]


_folders: set[str] = set()
"""From where this process has read data; the one that wrote them removes them, if it lives."""


@cache
def _leave_with_parent(process: int) -> None:  # noqa: ARG001 - once in each process
    """End this process when the one that started it is gone: joblib's workers would wait for minutes, and hold its files."""
    parent = os.getppid()

    def leave() -> None:
        while os.getppid() == parent:
            time.sleep(LOOK_SECONDS)
        for folder in tuple(_folders):
            shutil.rmtree(folder, ignore_errors=True)
        _exit(1)

    threading.Thread(target=leave, daemon=True).start()


@contextmanager
def _pipes_apart() -> Iterator[None]:
    """Keep the pipes by which this process is told what to do out of the way of learners that close or write to all."""
    _aside.update({number: _put_aside(number) for number in _pipes()})
    try:
        yield
    finally:
        for number, kept in _aside.items():
            os.dup2(kept, number, inheritable=False)
        _close_aside()


_aside: dict[int, int] = {}


def _close_aside() -> None:
    for kept in _aside.values():
        with suppress(OSError):
            os.close(kept)
    _aside.clear()


if hasattr(os, "register_at_fork"):
    # One end of a pipe tells that a worker is alive, and a child of it that outlives it must not.
    os.register_at_fork(after_in_child=_close_aside)


def _put_aside(number: int) -> int:
    """Put nothing in place of a descriptor, and return where the file is meanwhile."""
    import fcntl

    kept: int = fcntl.fcntl(number, fcntl.F_DUPFD_CLOEXEC, _HIGH)
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, number, inheritable=False)
    os.close(nothing)
    return kept


_HIGH = 768
"""Where no careless loop over descriptors comes to, which mostly ends at 256."""


@cache
def _pipes() -> tuple[int, ...]:
    """Return the pipes that there were before the first learner came."""
    found = []
    with suppress(OSError):
        for entry in os.listdir("/proc/self/fd"):  # noqa: PTH208
            with suppress(OSError):
                if int(entry) > 2 and stat.S_ISFIFO(os.fstat(int(entry)).st_mode):
                    found.append(int(entry))
    return tuple(found)
