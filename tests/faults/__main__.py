"""Plant every fault of the catalogue and say which survive: ``python -m tests.faults`` from the repository root."""

import argparse
import re
import sys
import time

from tests.faults.catalogue import FAULTS
from tests.faults.runner import try_faults


def main() -> int:
    """Return 0 where every fault is caught."""
    parser = argparse.ArgumentParser(prog="python -m tests.faults", description=__doc__)
    parser.add_argument("--only", metavar="REGEX", default="", help="faults whose name matches")
    parser.add_argument("--list", action="store_true", help="name the faults and stop")
    asked = parser.parse_args()
    wanted = re.compile(asked.only)
    chosen = [fault for fault in FAULTS.values() if wanted.search(fault.name)]
    if not chosen:
        _say(f"no fault matches {asked.only!r}")
        return 1
    if asked.list:
        for fault in chosen:
            _say(fault.name)
        return 0
    return _tried(chosen)


def _tried(chosen: list) -> int:
    start = time.monotonic()
    counts = {"caught": 0, "SURVIVED": 0, "ERROR": 0}
    for verdict in try_faults(chosen):
        _say(str(verdict))
        counts[verdict.outcome] += 1
    tried = counts["caught"] + counts["SURVIVED"]
    _say(f"{counts['SURVIVED'] or 'none'} of {tried} survives, in {time.monotonic() - start:.0f} s")
    if tried < len(chosen):
        _say(f"{len(chosen) - tried} of {len(chosen)} could not be tried")
    return 0 if counts["caught"] == len(chosen) else 1


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
