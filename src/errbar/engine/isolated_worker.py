"""A worker of `errbar.engine.Isolated`: a keeper, and the process that does the tasks, which it replaces when it ends.

The keeper has imported what fits need, and forks: another process costs milliseconds. It never runs a learner.
"""

import os
import pickle
import re
import select
import shutil
import signal
import socket
import struct
import sys
import threading
import time
import traceback
import warnings
from collections.abc import Callable
from contextlib import suppress
from hashlib import blake2b
from importlib import import_module
from os import _exit, getpid, getppid  # themselves, whatever a learner does to the names
from pathlib import Path

from errbar._ways_out import no_way_out
from errbar.engine.steady import Steady, steady_process, thread_pools
from errbar.engine.tasks import Workload
from errbar.engine.travel import received

UP, ANSWER, DIED = b"u", b"a", b"d"
"""What a worker says: that a process is up, with its number; an outcome, counted from 0; with what status it has ended."""

HEADER = struct.Struct("<16scqQ16s")
"""Of what a worker says: the token of the worker, what it is, a number, the length of the rest, and a digest."""

TASK = struct.Struct("<16sqQ")
"""Before a task: the token, the process it is meant for, and its length; no length tells it to leave."""

_end_group: Callable[[int, int], None] = getattr(os, "killpg", os.kill)
"""`os.killpg` itself, whatever a learner does to the name; a system without it has no such workers."""

ORPHAN_SECONDS = 5.0
"""How long a keeper whose channel is closed waits for its parent to be gone."""

_DONE, BROKEN, AGAIN, _LOST = 0, 74, 75, 76
"""How the process that does tasks ends: there are no more; the channel is closed; another is to go on; none can."""


def signed(token: bytes, kind: bytes, number: int, body: bytes) -> bytes:
    """Return the header of a message."""
    state = blake2b(kind + number.to_bytes(8, "little", signed=True), digest_size=16, key=token)
    state.update(body)
    return HEADER.pack(token, kind, number, len(body), state.digest())


def keep(
    parent: int, descriptor: int, token: bytes, folder: str, memory_limit: int, *, fresh: bool
) -> None:
    """Have a process that does tasks for its parent, and another one after it, until there are no more."""
    os.set_inheritable(descriptor, False)  # noqa: FBT003 - it takes no names
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the one who gave the tasks decides
    channel = socket.socket(fileno=descriptor)
    try:
        threads, workload = _get_ready(folder), received(folder)
    except FileNotFoundError:
        if getppid() != parent:  # it was killed, and another worker has removed the folder
            _exit(_LOST)
        raise
    with steady_process() as process:
        process.ends = True
        server = _Server(parent, channel, token, folder, workload, process, fresh=fresh)
        if threads and threads == _threads():
            _replace_again_and_again(server, memory_limit)
        server.serve(memory_limit)  # what starts threads when it is imported may not bear a fork


def _replace_again_and_again(server: "_Server", memory_limit: int) -> None:
    status = AGAIN
    while status not in (_DONE, _LOST):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the threads that there are expect it
            child = os.fork()
        if not child:
            os.setpgid(0, 0)
            server.serve(memory_limit)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        with suppress(OSError):
            os.killpg(child, signal.SIGKILL)  # what it has started, and left behind
        if server.is_alone():
            server.leave()
        if status not in (_DONE, AGAIN):
            with suppress(OSError):
                server.say(DIED, status, b"")
    _exit(_DONE)


def _get_ready(folder: str) -> int:
    """Import what is needed of packages whose threads bear a fork, and return how many there are; 0 if unknown."""
    with (Path(folder) / "data").open("rb") as data:
        seen = (Path(folder) / "workload").read_bytes() + data.read(4096)
    for name in {
        *re.findall(rb"(?:errbar|sklearn|scipy|numpy|pandas)(?:\.\w+)+", seen),
        b"joblib",
        b"sklearn.base",
    }:
        with suppress(Exception):  # it will be said by whoever needs it
            import_module(name.decode())
    thread_pools(len(sys.modules))
    return _threads()


def _threads() -> int:
    try:
        return len(os.listdir("/proc/self/task"))  # noqa: PTH208
    except OSError:
        return 0


class _Server:
    """The process that does tasks."""

    def __init__(
        self,
        parent: int,
        channel: socket.socket,
        token: bytes,
        folder: str,
        workload: Workload,
        process: Steady,
        *,
        fresh: bool,
    ) -> None:
        self.parent, self.keeper, self.channel, self.token, self.folder = (
            parent,
            getpid(),
            channel,
            token,
            folder,
        )
        self.workload, self.process, self.fresh = workload, process, fresh

    def serve(self, memory_limit: int) -> None:
        """Do tasks, and end: a learner that failed may have left anything behind."""
        try:
            threading.Thread(target=self._leave_with_parent, daemon=True).start()
            self._serve(memory_limit)
        except EOFError:
            self.leave()
        except OSError:
            _exit(BROKEN)
        except BaseException:  # noqa: BLE001 - it is said where errors are said, and the number tells
            traceback.print_exc()
        finally:
            _exit(1)

    def _serve(self, memory_limit: int) -> None:
        with no_way_out():
            self.say(UP, os.getpid(), b"")
            if memory_limit:
                _limit_memory(memory_limit)
            number, failed = 0, False
            while not (failed or (self.fresh and number)):
                task = self._next()
                if task is None:
                    _exit(_DONE)
                message, failed = self.process.packed(self.workload, pickle.loads(task))
                self.say(ANSWER, number, message)
                number += 1
        _exit(AGAIN)

    def say(self, kind: bytes, number: int, body: bytes) -> None:
        self.channel.sendall(signed(self.token, kind, number, body))
        self.channel.sendall(body)

    def _next(self) -> bytes | None:
        """Return the next task for this process, not for one before it; None if there will be none."""
        while True:
            token, process, length = TASK.unpack(self._read(TASK.size))
            if token != self.token:
                _exit(_LOST)  # one that was killed has read a part of what was for it
            if not length:
                return None
            task = self._read(length)
            if process == os.getpid():
                return task

    def _read(self, length: int) -> bytes:
        found = bytearray()
        while len(found) < length:
            part = self.channel.recv(min(length - len(found), 2**20))
            if not part:
                raise EOFError
            found += part
        return bytes(found)

    def is_alone(self, wait: int | None = 0) -> bool:
        """Tell whether the other end of the channel is closed; wait for it so many milliseconds, or without end."""
        hang_up = select.poll()
        hang_up.register(self.channel.fileno(), 0)
        return bool(hang_up.poll(wait))

    def _leave_with_parent(self) -> None:
        self.is_alone(None)
        self.leave()

    def leave(self) -> None:
        """Leave, and leave nothing behind if the one who gave the tasks was killed.

        A learner may have closed the channel as well, while others still need the folder. So it is the keeper who looks.
        """
        if getpid() == self.keeper and self._is_orphan():
            shutil.rmtree(self.folder, ignore_errors=True)
        _end_group(0, signal.SIGKILL)

    def _is_orphan(self) -> bool:
        """Tell whether the parent is gone; its files are closed a moment before its children are told."""
        until = time.monotonic() + ORPHAN_SECONDS
        while getppid() == self.parent:
            if time.monotonic() > until:
                return False
            time.sleep(0.01)
        return True


def _limit_memory(limit: int) -> None:
    """Let this process take so much memory for data beyond what it has already."""
    import resource

    used = 0
    with suppress(OSError):
        pages = Path("/proc/self/statm").read_text(encoding="utf-8").split()[5]
        used = int(pages) * resource.getpagesize()
    resource.setrlimit(
        resource.RLIMIT_DATA, (used + limit, resource.getrlimit(resource.RLIMIT_DATA)[1])
    )
