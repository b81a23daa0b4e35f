"""Run the attacks of the page "We tried to break it", and write their figures to docs/studies/numbers/attacks.csv.

    python tools/attacks.py                    all of them: some hours
    python tools/attacks.py --short            all of them, as make test-long and make test-thorough do them: minutes
    python tools/attacks.py damage edits       some; the figures of the others stay
    python tools/attacks.py faults --sample 40   so many of the planted faults, drawn at random

An attack is a set of tests. What they record (``tell`` of tests/conftest.py) is summed, and the tests that passed are counted.
An attack with a failing test gives no figures: it is a finding, to be mended first. The planted faults have a runner of their
own, and only their outcomes are counted.
"""

import argparse
import csv
import random
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parents[1]
FIGURES = ROOT / "docs" / "studies" / "numbers" / "attacks.csv"

ATTACKS = {
    "kills": (
        "tests/cli/test_kill_campaigns.py::TestCompare::test_twenty_kills",
        "tests/cli/test_kill_campaigns.py::TestDask::test_twenty_kills",
        "tests/cli/test_kill_campaigns.py::TestCoverage::test_twenty_kills",
        "tests/cli/test_faults.py::TestKilledRun::test_at_fifty_random_moments",
        "tests/cli/test_faults.py::TestKilledWorker::test_at_fifty_random_moments",
    ),
    "damage": ("tests/fits/test_store.py::test_one_bit", "-k", "not 20"),
    "writes": ("tests/fits/test_store.py::TestWhatCannotBeWritten::test_each_write_may_fail_once",),
    "edits": (
        "tests/fits/test_key.py::test_an_edit_is_seen",
        "tests/fits/test_key.py::test_code_that_is_found_by_name_is_seen",
    ),
    "parameters": ("tests/fits/test_key.py::test_parameters_that_differ_at_all_count",),
    "processes": (
        "tests/fits/test_store.py::test_several_processes_on_one_store_do_the_fits_of_one",
    ),
    "shared": ("tests/fits/test_shared_attack.py::test_every_learner_on_all_data",),
    "learners": (
        "tests/fits/test_workers.py::TestDeaths",
        "tests/fits/test_workers.py::TestTheSameBits",
    ),
    "predictions": ("tests/fits/test_predictions.py", "-k", "that_are_none or impossible"),
    "commands": ("tests/cli/test_hostile.py::test_a_hundred_hostile_lines",),
    "gates": ("tests/cli/test_hostile.py::test_code_of_learners_never_ends_the_command",),
    "absurd": (
        "tests/cli/test_hostile.py::test_absurd_sizes_are_refused_at_once",
        "tests/cli/test_hostile.py::test_absurd_counts",
    ),
    "names": ("tests/browser/test_hostile_names.py::test_names_are_text_whatever_they_hold",),
}
"""The tests of each attack, as pytest is told them; slow ones are run as well."""

SHORT = {
    "kills": (
        "tests/cli/test_kill_campaigns.py::TestCompare::test_four_kills",
        "tests/cli/test_kill_campaigns.py::TestDask::test_two_kills",
        "tests/cli/test_kill_campaigns.py::TestCoverage::test_two_kills",
        "tests/cli/test_faults.py::TestKilledRun::test_again_and_again",
        "tests/cli/test_faults.py::TestKilledWorker::test_again_and_again",
    ),
    "damage": ("tests/fits/test_store.py::test_one_bit", "-k", "20"),
    "shared": ("tests/fits/test_shared_attack.py::test_a_sample",),
    "commands": (
        "tests/cli/test_hostile.py::test_a_hundred_hostile_lines",
        "-k",
        "lines and 0 and not 00",
    ),
}
"""What make test-long and make test-thorough do of the long attacks."""

FAULTS = "faults"


def figures_of(tests: tuple[str, ...]) -> Counter[str]:
    """Run tests and return what they recorded, summed, and how many passed."""
    with TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            f"--junitxml={report}",
            "-o",
            "junit_family=xunit1",
            *tests,
        ]
        subprocess.run(command, cwd=ROOT, check=True, stdout=sys.stderr)
        found: Counter[str] = Counter()
        for case in ET.parse(report).iter("testcase"):
            found["tests"] += case.find("skipped") is None
            for one in case.iter("property"):
                found[one.attrib["name"]] += int(one.attrib["value"])
    return found


def outcomes_of_faults(sample: int | None) -> Counter[str]:
    """Plant every fault, or some drawn at random, and count how many the tests catch."""
    sys.path.insert(0, str(ROOT))
    from tests.faults.catalogue import FAULTS as EVERY
    from tests.faults.runner import try_faults

    chosen = sorted(EVERY) if sample is None else random.Random(0).sample(sorted(EVERY), sample)
    found = Counter(tried=len(chosen), caught=0, survived=0)
    for verdict in try_faults(EVERY[name] for name in chosen):
        sys.stderr.write(f"{verdict}\n")
        if verdict.outcome == "ERROR":
            raise SystemExit("a fault could not be tried")
        found[verdict.outcome.lower()] += 1
    return found


def read() -> dict[str, dict[str, int]]:
    """Return the figures that are in the file, by attack."""
    found: dict[str, dict[str, int]] = {}
    if FIGURES.is_file():
        with FIGURES.open(encoding="utf-8") as file:
            for row in csv.DictReader(line for line in file if not line.startswith("#")):
                found.setdefault(row["attack"], {})[row["figure"]] = int(row["number"])
    return found


def write(attack: str, figures: Counter[str]) -> None:
    """Put the figures of an attack in the place of its old ones."""
    known = read() | {attack: dict(sorted(figures.items()))}
    with FIGURES.open("w", encoding="utf-8", newline="") as file:
        file.write("# python tools/attacks.py\n")
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("attack", "figure", "number"))
        for name in (*ATTACKS, FAULTS):
            writer.writerows((name, *one) for one in known.get(name, {}).items())


def main() -> None:
    """Run what was asked for, and write each attack when it is through."""
    every = [*ATTACKS, FAULTS]
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("attacks", nargs="*", metavar="ATTACK", help=f"some of: {', '.join(every)}")
    parser.add_argument("--short", action="store_true", help="what the usual tests do")
    parser.add_argument("--sample", type=int, metavar="N", help="try only N planted faults")
    asked = parser.parse_args()
    tests = ATTACKS | SHORT if asked.short else ATTACKS
    for name in asked.attacks or every:
        if name not in every:
            parser.error(f"no attack is called {name!r}; there are: {', '.join(every)}")
        found = outcomes_of_faults(asked.sample) if name == FAULTS else figures_of(tests[name])
        if asked.short and name in SHORT:
            found["short"] = 1
        write(name, found)


if __name__ == "__main__":
    main()
