"""A worker of `errbar.engine.Isolated` as the process sees it that watches it."""

import os
import secrets
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from errbar.engine.isolated_worker import ANSWER, BROKEN, DIED, HEADER, TASK, UP, signed
from errbar.engine.travel import dumps

CHANNEL_BROKEN = "WorkerDied: it broke the channel to this process"

LARGEST_ANSWER = 2**34
"""Bytes of predictions beyond which a worker is not in its right mind."""

LEAVE_SECONDS = 2.0
_TRIES = 2
_TRIES_IF_KILLED = 3


class BrokenError(Exception):
    """A worker says what none would say."""


def words(status: int) -> tuple[str, int]:
    """Return in words what a process died of, and how often a task may do that."""
    if status == BROKEN:
        return CHANNEL_BROKEN, _TRIES
    if status >= 0:
        return f"WorkerDied: its process ended by itself with status {status}", _TRIES
    tries = _TRIES_IF_KILLED if -status in (signal.SIGKILL, signal.SIGTERM) else _TRIES
    known = {number.value: number.name for number in signal.Signals}
    return f"WorkerDied: its process was ended by {known.get(-status, f'signal {-status}')}", tries


# Modules are looked for where this process finds them, and not in the current folder first.
_PROGRAM = (
    "import sys; told = sys.argv[1:7]; sys.path[:] = sys.argv[7:]; del sys.argv[1:]; "
    "from errbar.engine.isolated_worker import keep; "
    "keep(int(told[0]), int(told[1]), bytes.fromhex(told[2]), told[3], int(told[4]), fresh=told[5] == 'True')"
)


class Worker:
    """A process that does the tasks it is given, one after the other, and its keeper."""

    def __init__(self, folder: str, memory_limit: int | None, *, fresh: bool) -> None:
        self.channel, theirs = socket.socketpair()
        self.channel.setblocking(False)  # noqa: FBT003 - it takes no names
        self.token = secrets.token_bytes(16)
        told = [
            str(os.getpid()),
            str(theirs.fileno()),
            self.token.hex(),
            folder,
            str(memory_limit or 0),
            str(fresh),
        ]
        # Output of learners goes where errors go: standard output belongs to the answer. A group of its own, so that
        # Ctrl-C is for this process alone.
        self.process = subprocess.Popen(
            [
                sys.executable,
                "-u",
                "-c",
                _PROGRAM,
                *told,
                *(entry or str(Path.cwd()) for entry in sys.path),
            ],
            stdin=subprocess.DEVNULL,
            stdout=sys.__stderr__ or subprocess.DEVNULL,
            pass_fds=[theirs.fileno()],
            process_group=0,
        )
        theirs.close()
        self.held: list[Any] = []
        self.process_up = 0
        """Number of the process that does the tasks; 0 while there is none."""
        self.answers = 0
        self.since = time.monotonic()
        self.unsent = bytearray()
        self._come = bytearray()

    def give(self, task: Any) -> None:
        """Hand a task over."""
        message = dumps(task)
        self.unsent += TASK.pack(self.token, self.process_up, len(message)) + message
        self.send()
        if not self.held:
            self.since = time.monotonic()
        self.held.append(task)

    def send(self) -> None:
        """Send as much as the worker takes: one that does not read must not keep this process waiting."""
        # A worker that has just died is noticed when its answer is awaited.
        with suppress(BlockingIOError, BrokenPipeError, ConnectionResetError):
            while self.unsent:
                del self.unsent[: self.channel.send(self.unsent[: 2**20])]

    def messages(self) -> Iterator[tuple[bytes, int, bytes]]:
        """Yield kind, number and body of the messages that have come.

        Raises
        ------
        EOFError
            If none will come any more.
        BrokenError
            If something else has come.
        """
        with suppress(BlockingIOError):
            while True:
                try:
                    part = self.channel.recv(2**20)
                except ConnectionResetError:
                    part = b""
                if not part:
                    raise EOFError
                self._come += part
                while (message := self._message()) is not None:
                    yield message

    def _message(self) -> tuple[bytes, int, bytes] | None:
        """Return the first message, once all of it has come."""
        if not self.token.startswith(bytes(self._come[:16])):
            raise BrokenError
        if len(self._come) < HEADER.size:
            return None
        header = bytes(self._come[: HEADER.size])
        _, kind, number, length, _ = HEADER.unpack(header)
        end = HEADER.size + length
        if kind not in (UP, ANSWER, DIED) or length > LARGEST_ANSWER:
            raise BrokenError
        if len(self._come) < end:
            return None
        body = bytes(memoryview(self._come)[HEADER.size : end])
        if header != signed(self.token, kind, number, body):
            raise BrokenError
        del self._come[:end]
        return kind, number, body

    def let_go(self) -> list[Any]:
        """Return what was held; the process that held it does no more."""
        held, self.held, self.process_up = self.held, [], 0
        return held

    def end(self) -> tuple[str, int]:
        """End the process and what it has started; return in words what it died of, and how often a task may do that."""
        self._kill()
        return words(self.process.wait())

    def dismiss(self) -> None:
        """Let the process leave by itself if it has nothing to do; end it otherwise."""
        if self.held or not self.process_up:
            self._kill()
        else:
            self.unsent += TASK.pack(self.token, self.process_up, 0)
            self.send()

    def close(self) -> None:
        """Wait until the process is gone, and end it if that takes too long."""
        if not self.ends():
            self.end()
        self.channel.close()

    def ends(self) -> bool:
        """Tell whether the process ends by itself before long."""
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(LEAVE_SECONDS)
        return self.process.poll() is not None

    def _kill(self) -> None:
        for process in (self.process.pid, self.process_up):
            with suppress(ProcessLookupError, PermissionError):
                if process:
                    os.killpg(process, signal.SIGKILL)
