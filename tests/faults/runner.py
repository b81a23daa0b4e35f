"""Plant faults one at a time, and see which tests notice."""

import re
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.faults.fault import Fault
from tests.faults.isolated import tested

WORKERS = 2
_LOST = 255
_FAILED = re.compile(r"^FAILED (?P<test>.+?)(?: - (?P<reason>.*))?$", re.MULTILINE)
# Code that does not run is noticed by any test, and says nothing about them.
_DOES_NOT_RUN = ("NameError", "UnboundLocalError", "TypeError", "AttributeError")


@dataclass(frozen=True)
class Verdict:
    """What became of a fault: "caught" by a test, "SURVIVED" all of them, or "ERROR" where nothing can be said."""

    name: str
    outcome: str
    detail: str
    seconds: float

    def __str__(self) -> str:
        return f"{self.outcome:8} {self.seconds:5.1f} s  {self.name}" + (
            f"  [{self.detail}]" if self.detail else ""
        )


def try_faults(faults: Iterable[Fault]) -> Iterator[Verdict]:
    """Yield first what goes wrong without any fault, and if nothing does, a verdict on every fault."""
    chosen = tuple(faults)
    suites = dict.fromkeys(arguments for fault in chosen for arguments in fault.tests)
    with ThreadPoolExecutor(WORKERS) as pool:
        before = [verdict for verdict in pool.map(_without_fault, suites) if verdict]
        yield from before or pool.map(_with_fault, chosen)


def _without_fault(suite: str) -> Verdict | None:
    start = time.monotonic()
    status, output = _run(None, suite)
    if status == 0:
        return None
    return Verdict(
        suite, "ERROR", f"without any fault: {_reason(status, output)}", time.monotonic() - start
    )


def _with_fault(fault: Fault) -> Verdict:
    start = time.monotonic()
    outcome, detail = _judged(fault)
    return Verdict(fault.name, outcome, detail, time.monotonic() - start)


def _judged(fault: Fault) -> tuple[str, str]:
    for suite in fault.tests:
        status, output = _run(fault.name, suite)
        failed = _FAILED.search(output)
        if status == 1 and failed and not (failed["reason"] or "").startswith(_DOES_NOT_RUN):
            return "caught", failed["test"]
        if status != 0:
            return "ERROR", f"{suite}: {_reason(status, output)}"
    return "SURVIVED", ""


def _run(fault: str | None, suite: str) -> tuple[int, str]:
    with TemporaryDirectory(prefix="errbar-said-") as folder:
        said = Path(folder) / "said.txt"
        status = tested(fault, suite, said)
        # Under load the server that forks processes sometimes loses the exit status of one, and says 255 instead.
        if status == _LOST:
            status = tested(fault, suite, said)
        return status, said.read_text(encoding="utf-8") if said.is_file() else ""


def _reason(status: int, output: str) -> str:
    failed = _FAILED.search(output)
    lines = output.strip().splitlines()
    return f"exit status {status}, {failed[0] if failed else lines[-1] if lines else 'nothing was said'}"
