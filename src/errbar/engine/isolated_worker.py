"""A worker process of `errbar.engine.Isolated`: it does the tasks that come over a channel, until there are no more."""

import os
import pickle
import select
import shutil
import signal
import threading
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path

from errbar.engine.tasks import received, steady_process


def serve(descriptor: int, folder: str, memory_limit: int) -> None:
    """Do the tasks; what is read and written are pickles of them and of their outcomes."""
    os.set_inheritable(descriptor, False)  # noqa: FBT003 - it takes no names
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the one who gave the tasks decides
    threading.Thread(target=_leave_with_parent, args=(descriptor, folder), daemon=True).start()
    channel = Connection(descriptor)
    workload = received(folder)
    try:
        with steady_process():
            channel.send_bytes(pickle.dumps("up"))
            if memory_limit:
                _limit_memory(memory_limit)
            while (task := pickle.loads(channel.recv_bytes())) is not None:
                channel.send_bytes(pickle.dumps(workload.perform(task)))
    except (EOFError, BrokenPipeError, ConnectionResetError):
        _leave(folder)


def _leave_with_parent(descriptor: int, folder: str) -> None:
    """Wait until the other end of the channel is closed."""
    hang_up = select.poll()
    hang_up.register(descriptor, 0)
    hang_up.poll()
    _leave(folder)


def _leave(folder: str) -> None:
    """Leave nothing behind: the one who gave the tasks was killed."""
    shutil.rmtree(folder, ignore_errors=True)
    os.killpg(0, signal.SIGKILL)


def _limit_memory(limit: int) -> None:
    """Let this process take so much memory for data beyond what it has already."""
    import resource

    used = 0
    with suppress(OSError):
        pages = Path("/proc/self/statm").read_text().split()[5]
        used = int(pages) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_DATA, (used + limit, resource.getrlimit(resource.RLIMIT_DATA)[1]))
