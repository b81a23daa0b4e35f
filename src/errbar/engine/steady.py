"""The process that fits need: sums come out the same everywhere, and no learner takes others in it along."""

import builtins
import os
import random
import re
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from types import FrameType, ModuleType
from typing import Any, NoReturn, Self

import numpy as np

from errbar._ways_out import no_way_out
from errbar.engine.tasks import Workload
from errbar.errors import one_line

# Whatever learners do to these names, it is the functions themselves that are called here.
_exit, _getpid, _callable, _type, _builtins = os._exit, os.getpid, callable, type, vars(builtins)
_signal, _getsignal = signal.signal, signal.getsignal
_getitimer: Any = getattr(signal, "getitimer", None)
_setitimer: Any = getattr(signal, "setitimer", None)

LOOK_SECONDS = 0.002
"""After so much work it costs nothing to see whether the names that everybody uses are what they were."""

_BASIC = (
    "numpy",
    "numpy.random",
    "os",
    "time",
    "json",
    "warnings",
    "traceback",
    "sklearn.base",
    "joblib",
)
_WATCHED = re.compile(
    r"(numpy|sklearn)(\.[a-z]\w*)?|scipy|pandas|sys|math|random|pickle|copy|itertools|"
    + "|".join(_BASIC)
)
"""Modules whose functions and classes are put back; all that there are would take as long as some fits."""


@contextmanager
def steady_process() -> Iterator["Steady"]:
    """Make fits independent of this process, and leave it as it was.

    Linear algebra has one thread: workers do not crowd each other, and sums come out the same everywhere. The
    global generators of NumPy and Python are lent to the fits, which seed them, and put back, as is all else that a
    learner should have left alone.
    """
    before, python = np.random.get_state(), random.getstate()  # noqa: NPY002
    try:
        with (
            thread_pools(len(sys.modules)).limit(limits=1),
            no_way_out(),
            Steady().watching() as steady,
        ):
            yield steady
    finally:
        np.random.set_state(before)  # noqa: NPY002
        random.setstate(python)


class Steady:
    """A process in which tasks are done one after the other: it is the same for each of them."""

    ends = False
    """Whether the process ends with the first task that fails."""

    def __init__(self) -> None:
        self._names = _namespaces(len(sys.modules))
        for both in self._names:
            if not _same(*both):
                both[1] = both[0].copy()
        self._basic = [vars(sys.modules[name]) for name in _BASIC if name in sys.modules]
        self._looked = time.monotonic()
        self._interrupted, self._new, self._changed = False, True, False

    def perform(self, workload: Workload, task: Any) -> Any:
        """Do a task; one that failed where names or settings are not what they were is done again with the old ones."""
        alone, self._new, self._changed = self._new and self.ends, False, False
        outcome = self._performed(workload, task)
        if self._looks_different():
            self.put_back()
        if outcome.error and not alone:
            self.put_back()
            if self._changed:
                outcome = self._performed(workload, task)
                self.put_back()
        return outcome

    def packed(self, workload: Workload, task: Any) -> tuple[bytes, bool]:
        """Do a task, and return the message of its outcome, and whether it failed."""
        outcome = self.perform(workload, task)
        try:
            return workload.packed(outcome), bool(outcome.error)
        except Exception as error:  # noqa: BLE001 - no memory, for instance
            return workload.packed(workload.failed(task, one_line(error))), True

    def _performed(self, workload: Workload, task: Any) -> Any:
        process = _getpid()
        try:
            with _alarms():
                outcome = workload.perform(task)
        except BaseException as raised:
            self._end_child(process)
            if self._interrupted:
                raise
            self.put_back()
            return workload.failed(task, one_line(raised))
        self._end_child(process)
        if self._interrupted:
            raise KeyboardInterrupt  # a learner has swallowed it
        return outcome

    @staticmethod
    def _end_child(parent: int) -> None:
        """End a process that the learner has forked and that has come back, as if it were the one that does the task."""
        if _getpid() != parent:
            _exit(1)

    @contextmanager
    def watching(self) -> Iterator[Self]:
        """Put back at the end what has changed; and know Ctrl-C from a learner that raises what Ctrl-C raises."""
        handler = signal.getsignal(signal.SIGINT)
        ours = callable(handler) and threading.current_thread() is threading.main_thread()

        def interrupt(number: int, frame: FrameType | None) -> None:
            self._interrupted = True
            handler(number, frame)  # type: ignore[operator, misc] # it is callable

        if ours:
            signal.signal(signal.SIGINT, interrupt)
        try:
            self._note()
            yield self
        finally:
            self.put_back()
            if ours:
                signal.signal(signal.SIGINT, handler)

    def _looks_different(self) -> bool:
        """Tell whether a name that everybody uses has changed; that is soon seen."""
        try:
            if [*_builtins.values()] != self._builtins:
                return True
            now = time.monotonic()
            if now - self._looked < LOOK_SECONDS:
                return False
            self._looked = now
            return [[*space.values()] for space in self._basic] != self._known
        except Exception:  # noqa: BLE001 - something has changed, and what it is now cannot be compared or called
            return True

    def put_back(self) -> None:
        """Put back the functions, classes, modules and settings that were replaced, and note whether there were any.

        Names that have been added stay: modules that are imported when they are first needed add some.
        """
        for space, saved in self._names:
            for name, value in () if _same(space, saved) else saved.items():
                if space.get(name, saved) is not value and (
                    _callable(value) or _type(value) is ModuleType
                ):
                    space[name] = value
                    self._changed = True
        now = _settings()
        for name, before in self._settings.items():
            if not before.items() <= now.get(name, {}).items():
                self._changed = True
                with suppress(Exception):
                    _PUT[name](before)
        self._note()

    def _note(self) -> None:
        """Take what there is now as what should be."""
        self._builtins = [*_builtins.values()]
        self._known = [[*space.values()] for space in self._basic]
        self._settings = _settings()


@lru_cache(maxsize=1)
def _namespaces(loaded: int) -> list[list[dict[str, Any]]]:  # noqa: ARG001 - new modules, another look
    """Return what is watched, each with a copy; built-in names come first, since whatever is done here needs them."""
    found = [*sys.modules.items()]
    spaces = [
        vars(module)
        for name, module in found
        if type(module) is ModuleType and _WATCHED.fullmatch(name)
    ]
    return [[space, space.copy()] for space in (_builtins, sys.modules, *spaces)]


def _same(space: dict[str, Any], saved: dict[str, Any]) -> bool:
    try:
        return [*space.values()] == [*saved.values()]
    except Exception:  # noqa: BLE001 - they cannot be compared
        return False


@contextmanager
def _alarms() -> Iterator[None]:
    """Let an alarm that a learner sets end its own fit, and neither this process nor a later fit."""
    ours = threading.current_thread() is threading.main_thread()
    own = [
        (number, timer)
        for number, timer in _TIMERS
        if ours and _getsignal(number) == signal.SIG_DFL
    ]
    own = [
        (number, timer) for number, timer in own if _getitimer(timer)[0] == 0.0
    ]  # not one that ends the program
    for number, _ in own:
        _signal(number, _rung)
    try:
        yield
    finally:
        for number, timer in own:
            _setitimer(timer, 0.0)
            _signal(number, signal.SIG_DFL)


def _rung(number: int, _: FrameType | None) -> NoReturn:
    raise TimeoutError(f"{signal.Signals(number).name} came in the fit")


def _settings() -> dict[str, dict[Any, Any]]:
    """Return what learners may have set, as far as it can be read."""
    found = {}
    for name, get in _GET.items():
        with suppress(Exception):
            found[name] = get()
    return found


def _put_handlers(before: dict[Any, Any]) -> None:
    for number, handler in before.items():
        if signal.getsignal(number) is not handler:
            signal.signal(number, handler)


def _put_path(before: dict[Any, Any]) -> None:
    sys.path[:] = [*before["path"], *(one for one in sys.path if one not in before["path"])]


_GET: dict[str, Callable[[], dict[Any, Any]]] = {
    "errors": lambda: {**np.geterr()},
    "limit": lambda: {"limit": sys.getrecursionlimit()},
    "folder": lambda: {"folder": os.getcwd()},  # noqa: PTH109
    "environment": lambda: {**os.environ},
    "path": lambda: {"path": [*sys.path]},
    "handlers": lambda: {number: signal.getsignal(number) for number in _SIGNALS},
    "scikit-learn": lambda: {**sys.modules["sklearn"].get_config()},
}
_PUT: dict[str, Callable[[dict[Any, Any]], Any]] = {
    "errors": lambda before: np.seterr(**before),
    "limit": lambda before: sys.setrecursionlimit(before["limit"]),
    "folder": lambda before: os.chdir(before["folder"]),
    "environment": os.environ.update,
    "path": _put_path,
    "handlers": _put_handlers,
    "scikit-learn": lambda before: sys.modules["sklearn"].set_config(**before),
}

_TIMERS: list[tuple[int, int]] = [
    (getattr(signal, f"SIG{name}"), getattr(signal, f"ITIMER_{timer}"))
    for name, timer in (("ALRM", "REAL"), ("VTALRM", "VIRTUAL"), ("PROF", "PROF"))
    if hasattr(signal, "setitimer")
]

_SIGNALS: list[int] = [
    getattr(signal, f"SIG{name}", signal.SIGINT)
    for name in ("INT", "TERM", "ALRM", "CHLD", "HUP", "PIPE")
]


@lru_cache(maxsize=1)
def thread_pools(loaded: int) -> Any:  # noqa: ARG001 - libraries come with modules: new modules, another look
    """Return a handle on the thread pools of the linear algebra libraries; finding them takes milliseconds."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
