"""Plant faults in copies of the package, one at a time, and see which tests notice."""

import compileall
import re
import shutil
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from py_compile import PycInvalidationMode
from tempfile import TemporaryDirectory

from tests.faults.fault import Fault
from tests.faults.isolated import ROOT, tested

WORKERS = 2
_LOST = 255
_FAILED = re.compile(r"^FAILED (?P<test>.+?)(?: - (?P<reason>.*))?$", re.MULTILINE)
# Code that does not run is noticed by any test, and says nothing about them.
_DOES_NOT_RUN = ("NameError", "UnboundLocalError", "SyntaxError", "TypeError", "AttributeError")


class MisplacedError(Exception):
    """The text that a fault replaces does not occur exactly once."""


@dataclass(frozen=True)
class Verdict:
    """What became of a fault: "caught" by a test, "SURVIVED" all of them, or "ERROR" where nothing can be said."""

    name: str
    outcome: str
    detail: str
    seconds: float = 0.0

    def __str__(self) -> str:
        return f"{self.outcome:8} {self.seconds:5.1f} s  {self.name}" + (f"  [{self.detail}]" if self.detail else "")


def misplaced(fault: Fault) -> str:
    """Return what is wrong with the place of a fault, or nothing."""
    path = ROOT / "src" / "errbar" / fault.file
    if not path.is_file():
        return f"there is no src/errbar/{fault.file}"
    times = path.read_text(encoding="utf-8").count(fault.old)
    return "" if times == 1 else f"{fault.old!r} occurs {times} times in src/errbar/{fault.file}, and not once"


def try_faults(faults: Iterable[Fault]) -> Iterator[Verdict]:
    """Yield first what goes wrong without any fault, and if nothing does, a verdict on every fault."""
    chosen = tuple(faults)
    wrong = [Verdict(fault.name, "ERROR", reason) for fault in chosen if (reason := misplaced(fault))]
    if wrong:
        yield from wrong
        return
    with TemporaryDirectory(prefix="errbar-faults-") as folder, ThreadPoolExecutor(WORKERS) as pool:
        pristine = _copied(Path(folder) / "src")
        suites = dict.fromkeys(arguments for fault in chosen for arguments in fault.tests)
        before = [verdict for verdict in pool.map(lambda suite: _without_fault(pristine, suite), suites) if verdict]
        if before:
            yield from before
            return
        yield from pool.map(lambda fault: _with_fault(pristine, fault), chosen)


def _copied(source: Path) -> Path:
    shutil.copytree(ROOT / "src", source, ignore=shutil.ignore_patterns("__pycache__"))
    # Compiled once, and by content: a changed file is compiled again whatever its size and time.
    compileall.compile_dir(source, quiet=2, invalidation_mode=PycInvalidationMode.CHECKED_HASH)
    return source


def _without_fault(source: Path, suite: str) -> Verdict | None:
    start = time.monotonic()
    status, output = _run(source, suite)
    if status == 0:
        return None
    return Verdict(suite, "ERROR", f"without any fault: {_reason(status, output)}", time.monotonic() - start)


def _with_fault(pristine: Path, fault: Fault) -> Verdict:
    start = time.monotonic()
    with TemporaryDirectory(prefix="errbar-fault-") as folder:
        source = Path(folder) / "src"
        shutil.copytree(pristine, source)
        _plant(source / "errbar" / fault.file, fault)
        outcome, detail = _judged(source, fault.tests)
    return Verdict(fault.name, outcome, detail, time.monotonic() - start)


def _plant(path: Path, fault: Fault) -> None:
    text = path.read_text(encoding="utf-8")
    if text.count(fault.old) != 1:
        raise MisplacedError(f"{fault.name}: {fault.old!r} must occur exactly once in {fault.file}")
    path.write_text(text.replace(fault.old, fault.new), encoding="utf-8")


def _judged(source: Path, tests: tuple[str, ...]) -> tuple[str, str]:
    for suite in tests:
        status, output = _run(source, suite)
        failed = _FAILED.search(output)
        if status == 1 and failed and not (failed["reason"] or "").startswith(_DOES_NOT_RUN):
            return "caught", failed["test"]
        if status != 0:
            return "ERROR", f"{suite}: {_reason(status, output)}"
    return "SURVIVED", ""


def _run(source: Path, suite: str) -> tuple[int, str]:
    status, output = _run_once(source, suite)
    # Under load the server that forks processes sometimes loses the exit status of one, and says 255 instead.
    return _run_once(source, suite) if status == _LOST else (status, output)


def _run_once(source: Path, suite: str) -> tuple[int, str]:
    with TemporaryDirectory(prefix="errbar-said-") as folder:
        said = Path(folder) / "said.txt"
        status = tested(source, suite, said)
        return status, said.read_text(encoding="utf-8") if said.is_file() else ""


def _reason(status: int, output: str) -> str:
    failed = _FAILED.search(output)
    lines = output.strip().splitlines()
    return f"exit status {status}, {failed[0] if failed else lines[-1] if lines else 'nothing was said'}"
