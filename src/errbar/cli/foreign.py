"""Code of others, while it is imported or called: what it raises is named, what it writes is not the answer."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout, suppress
from pathlib import Path

from errbar.errors import ErrbarError, one_line


class ForeignError(ErrbarError):
    """Code of a learner failed before any fit."""


@contextmanager
def running(failed: str) -> Iterator[None]:
    """Turn whatever code of others raises into one line that begins with `failed`."""
    with stdout_for_answers():
        try:
            yield
        except (ErrbarError, KeyboardInterrupt):
            raise
        except BaseException as error:  # noqa: BLE001 - code of others raises anything
            raise ForeignError(f"{failed} {one_line(error)}") from None


@contextmanager
def stdout_for_answers() -> Iterator[None]:
    """Let what others print go to standard error, from workers and compiled code too; they read nothing."""
    sys.stdout.flush()
    kept: dict[int, int] = {}
    with Path(os.devnull).open(encoding="utf-8") as nothing, redirect_stdout(sys.stderr):
        for stream, target in ((0, nothing.fileno()), (1, 2)):
            with suppress(OSError):  # a stream that is closed stays closed
                kept[stream] = os.dup(stream)
                os.dup2(target, stream)
        try:
            yield
        finally:
            for stream, copy in kept.items():
                os.dup2(copy, stream)
                os.close(copy)
