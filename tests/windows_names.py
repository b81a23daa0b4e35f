"""This system without what Windows lacks: some modules, and some names.

`take_away` takes them from the process, and ``python -m tests.windows_names`` runs those tests that every system passes in such a
process. On Windows itself nothing is there to be taken away, and the same tests run.
"""

import importlib.abc
import multiprocessing.connection  # noqa: F401
import multiprocessing.popen_fork
import os
import select
import signal
import socket
import sqlite3  # noqa: F401
import subprocess
import sys
import tempfile  # noqa: F401

import pandas  # noqa: F401, ICN001
import typer  # noqa: F401

# The packages above are imported as this system has them: whoever looks names up from now on is errbar or a test.

MODULES = (
    "fcntl",
    "resource",
    "pwd",
    "grp",
    "termios",
    "tty",
    "pty",
    "curses",
    "readline",
    "syslog",
    "posix",
)
NAMES = {
    os: (
        "fork", "forkpty", "killpg", "getpgid", "setpgid", "setsid", "getuid", "geteuid", "getgid", "uname", "wait3",
        "wait4", "nice", "sysconf", "sched_getaffinity", "mkfifo", "chown", "openpty", "statvfs", "fchmod",
        "register_at_fork", "getloadavg", "set_blocking",
    ),
    signal: (
        "SIGKILL", "SIGHUP", "SIGPIPE", "SIGALRM", "SIGCHLD", "SIGUSR1", "SIGUSR2", "SIGQUIT", "SIGSTOP", "SIGCONT",
        "SIGWINCH", "alarm", "setitimer",
    ),
    select: ("poll", "epoll"),
    socket: ("AF_UNIX",),
}  # fmt: skip
"""What Windows lacks. Python's own library on this system needs a few others that are not there either, such as `os.WNOHANG`."""

PARTS = (
    "tests/test_other_systems.py",
    "tests/test_table.py",
    "tests/test_plans.py",
    "tests/test_sources.py",
    "tests/read/test_examples.py",
    "tests/test_sources_julearn.py",
    "tests/test_sources_logs.py",
    "tests/test_sources_long.py",
    "tests/test_sources_polars.py",
    "tests/test_sources_skore.py",
    "tests/test_sources_weka.py",
    "tests/test_from_predictions.py",
    "tests/test_gates.py",
    "tests/test_result.py",
    "tests/test_margins.py",
    "tests/test_times.py",
    "tests/test_looks.py",
    "tests/test_structure.py",
    "tests/methods/test_conformance.py",
    "tests/methods/test_reference.py",
    "tests/designs/test_commands.py",
    "tests/fits/test_run.py",
    "tests/fits/test_store.py",
    "tests/fits/test_key.py",
    "tests/fits/test_seeds.py",
    "tests/lab/test_experiment.py",
    "tests/report/test_save.py",
    "tests/report/test_forms.py",
    "tests/cli/test_commands.py",
    "tests/cli/test_compare.py",
    "tests/cli/test_gates.py",
    "tests/cli/test_losses.py",
    "tests/cli/test_predictions.py",
    "tests/cli/test_scores.py",
    "tests/cli/test_store.py",
)
"""The tests that every system passes, but for those with the mark `unix`."""


class Blocked(importlib.abc.MetaPathFinder):
    """Finds no module that Windows lacks."""

    def find_spec(self, name, path=None, target=None):
        if name in MODULES:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


def take_away():
    """Take from this process what Windows lacks."""
    for module, names in NAMES.items():
        for name in names:
            if hasattr(module, name):
                delattr(module, name)
    for name in MODULES:
        sys.modules.pop(name, None)
    sys.meta_path.insert(0, Blocked())
    os.environ.setdefault(
        "LOKY_MAX_CPU_COUNT", str(os.cpu_count())
    )  # joblib warns of a Linux that does not tell
    for process in (subprocess.Popen, multiprocessing.popen_fork.Popen):
        process.kill = process.terminate  # as it is there


def pytest_configure():
    """Begin once pytest, its plugins, and other packages that ask for the system by its name are imported."""
    import _pytest.tmpdir
    import polars  # noqa: F401, ICN001
    import skore  # noqa: F401
    import statsmodels.stats.api  # noqa: F401

    take_away()
    _pytest.tmpdir.get_user_id = lambda: (
        None
    )  # pytest asks for the system by its name, and then for its user


if __name__ == "__main__":
    import pytest

    sys.exit(
        pytest.main(
            ["-p", "tests.windows_names", "-m", "not slow and not unix", *PARTS, *sys.argv[1:]]
        )
    )
