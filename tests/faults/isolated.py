"""Run tests with a fault planted, each time in a process of its own."""

import multiprocessing
import os
import shlex
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LONGEST = 900
"""Seconds after which a run of tests is given up."""

# Imported once, in the process that all others are forked from, since that takes longer than most tests.
_IMPORTED = (
    *(
        "pytest",
        "hypothesis.strategies",
        "numpy",
        "scipy.stats",
        "scipy.optimize",
        "pandas",
        "sklearn",
        "statsmodels",
    ),
    "tests.faults.catalogue",
)
_OPTIONS = (
    *(
        "-x",
        "-q",
        "-rf",
        "--no-header",
        "--tb=no",
        "-m",
        "not slow",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:xdist",
    ),
    *("-W", "ignore:Module already imported:pytest.PytestAssertRewriteWarning"),
)
# Options and seeds of whoever starts this would change which tests are run.
_NOT_PASSED_ON = ("PYTEST_ADDOPTS", "PYTEST_PLUGINS", "ERRBAR_TEST_SEEDS")


def tested(fault: str | None, arguments: str, said: Path) -> int:
    """Run pytest with the fault of a name, or none, write what it says to a file, and return its exit status."""
    methods = multiprocessing.get_all_start_methods()
    context = multiprocessing.get_context("forkserver" if "forkserver" in methods else "spawn")
    if "forkserver" in methods:
        context.set_forkserver_preload(list(_IMPORTED))
    process = context.Process(target=_pytest, args=(fault, arguments, said))
    process.start()
    process.join(LONGEST)
    if process.is_alive():
        process.kill()
        process.join()
    return process.exitcode


def _pytest(fault: str | None, arguments: str, said: Path) -> None:
    with said.open("w", encoding="utf-8") as file:
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
    os.chdir(ROOT)
    for name in _NOT_PASSED_ON:
        os.environ.pop(name, None)
    # So that what went wrong is not cut off behind a long name.
    os.environ["COLUMNS"] = "1000"

    import pytest

    from tests.faults.catalogue import FAULTS

    if fault is not None:
        FAULTS[fault].plant()
    status = pytest.main([*_OPTIONS, *shlex.split(arguments)])
    sys.stdout.flush()
    sys.exit(int(status))
