"""Code of others, while it is imported or called: what it raises is named, and what it writes does not get into the answer."""

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, redirect_stdout, suppress
from tempfile import TemporaryFile
from typing import Any, NoReturn

from errbar.errors import ErrbarError, one_line


class ForeignError(ErrbarError):
    """Code of a learner failed before any fit."""


@contextmanager
def running(failed: str) -> Iterator[None]:
    """Turn whatever code of others raises into one line that begins with `failed`.

    What it writes goes to standard error, and nowhere if it fails: then that line says it all.
    """
    with ExitStack() as stack:
        pressed = stack.enter_context(_keyboard())
        stack.enter_context(_held_back())
        try:
            yield
        except ErrbarError:
            raise
        except BaseException as error:
            if pressed:  # the user, not the code
                raise
            raise ForeignError(f"{failed} {one_line(error)}") from None


@contextmanager
def _keyboard() -> Iterator[list[int]]:
    """Note whether the user interrupts: code of others may raise the same."""
    pressed: list[int] = []

    def press(number: int, _: Any) -> NoReturn:
        pressed.append(number)
        raise KeyboardInterrupt

    kept = signal.getsignal(signal.SIGINT)
    if (
        threading.current_thread() is not threading.main_thread()
        or kept is not signal.default_int_handler
    ):
        yield pressed
        return
    signal.signal(signal.SIGINT, press)
    try:
        yield pressed
    finally:
        signal.signal(signal.SIGINT, kept)


@contextmanager
def _held_back() -> Iterator[None]:
    """Hold back what is written until the end, also by compiled code and children; there is nothing to read meanwhile."""
    shown = sys.stderr
    with TemporaryFile() as held, open(os.devnull, encoding="utf-8") as nothing:  # noqa: PTH123 - of all systems
        with (
            pointing({0: nothing.fileno(), 1: held.fileno(), 2: held.fileno()}),
            redirect_stdout(shown),
        ):
            yield
        held.seek(0)
        with suppress(OSError):
            os.write(2, held.read())


@contextmanager
def pointing(targets: dict[int, int]) -> Iterator[None]:
    """Let standard streams of the process point elsewhere; one that is closed stays closed."""
    kept: dict[int, int] = {}
    outputs = sys.stdout, sys.stderr
    _flush(*outputs)
    for stream, target in targets.items():
        with suppress(OSError):
            kept[stream] = os.dup(stream)
            os.dup2(target, stream)
    try:
        yield
    finally:
        sys.stdout, sys.stderr = outputs
        _flush(*outputs)
        for stream, copy in kept.items():
            with suppress(OSError):
                os.dup2(copy, stream)
                os.close(copy)


def _flush(*outputs: Any) -> None:
    for output in outputs:
        with suppress(AttributeError, OSError, ValueError):
            output.flush()
