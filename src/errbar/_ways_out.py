"""The functions that end a process without a word raise instead, while code of others runs: it may end nothing but itself."""

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from os import getpid  # itself, whatever a learner does to the name
from typing import Any

_real = {
    name: getattr(os, name) for name in ("_exit", "abort", "execv", "execve") if hasattr(os, name)
}
"""The others of their kind call one of these."""

_busy: list[tuple[int, int | None]] = []
"""Processes, and threads of them, that may not end: a child that is forked may, and so may other threads."""

_over: set[int] = set()
"""Processes whose status nothing may change any more, not even what was registered to be called at exit."""

_turn = threading.Lock()


def _closed(name: str) -> Callable[..., Any]:
    @wraps(_real[name])
    def way_out(*arguments: Any, **named: Any) -> Any:
        process = getpid()
        if (process, None) in _busy or (process, threading.get_ident()) in _busy:
            raise SystemExit(f"os.{name}({', '.join(map(repr, arguments))})")
        return None if process in _over else _real[name](*arguments, **named)

    return way_out


_guards = {name: _closed(name) for name in _real}


@contextmanager
def no_way_out(*, of_process: bool = False) -> Iterator[None]:
    """Let these functions raise where this thread calls them; with `of_process` where any thread does, also at exit."""
    own = (getpid(), None if of_process else threading.get_ident())
    with _turn:
        _busy.append(own)
        vars(os).update(_guards)
    try:
        yield
    finally:
        with _turn:
            _busy.remove(own)
            if of_process:
                _over.add(own[0])
            if not _busy:
                vars(os).update(_real)
