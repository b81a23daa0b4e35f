"""Hostile command lines: a status of 0 to 3 and one line, never a traceback, and 0 only where the question was answered."""

import json
import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from errbar import plans
from errbar._plain import defused
from tests.cli import hostile
from tests.cli.conftest import NEIGHBOURS, TREE
from tests.cli.test_errors import refused as refused_line
from tests.refusals import refused

pytestmark = pytest.mark.long

RUNNER = Path(hostile.__file__).with_name("hostile_runner.py")
COMPARED = (
    "--target",
    "y",
    "--model",
    hostile.A,
    "--model",
    hostile.B,
    "--plan",
    "Subsampling(repeats=3)",
)
GREEN = ("--fail-if", "a worse-than b by 1000")


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hostile")
    hostile.write(folder)
    return folder


@pytest.fixture(scope="module")
def ended(place):
    """Run a command line in a process of its own and return what became of it."""
    if not hasattr(os, "fork"):
        pytest.skip("every line is run in a fork")
    runner = subprocess.Popen(
        [sys.executable, RUNNER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )

    def call(*words, **environment):
        asked = {"arguments": words, "environment": environment, "folder": str(place)}
        runner.stdin.write(json.dumps(asked) + "\n")
        runner.stdin.flush()
        return json.loads(runner.stdout.readline())

    yield call
    runner.communicate(timeout=60)


def wrong(words, found):
    """Return what is wrong with the end of a command; nothing if all is as it must be."""
    status, complaints = found["status"], found["err"].splitlines()
    out = re.sub(r"\x1b\[[0-9;]*m", "", found["out"])
    said = [line for line in complaints if line.startswith("errbar: ")]  # learners print too
    usage = words in (["store"], ["lab"])  # without a command they show their help
    gates = "gate passed" in out or '"passed": true' in out
    return [
        text
        for text, holds in {
            "it had to be killed": found["killed"],
            "status": status not in (0, 1, 2, 3),
            "a traceback": "Traceback" in found["err"] or "internal error" in found["err"],
            "not one line": status == 2 and not usage and len(said) != 1,
            "not one line per failure": status in (1, 3) and not said,
            "0 without an answer": status == 0 and not out.strip(),
            "0 with a gate that was not passed": status == 0 and "--fail-if" in words and not gates,
        }.items()
        if holds
    ]


@pytest.mark.parametrize(
    "seed", [0, *(pytest.param(100 * i, marks=pytest.mark.slow) for i in range(1, 6))]
)
def test_a_hundred_hostile_lines(ended, seed, tell):
    statuses, findings = Counter(), []
    for words, environment in hostile.lines(seed, 100):
        found = ended(*words, **environment)
        statuses[found["status"]] += 1
        findings += [(reason, words, found) for reason in wrong(words, found)]
    assert findings == []
    assert statuses.keys() >= {0, 2, 3}  # some get far
    tell(lines=statuses.total(), **{f"status_{status}": statuses[status] for status in range(4)})


def run(place, *words, shell="{}", **options):
    """Run a command line in a process of its own; the shell may close or redirect its streams."""
    line = shell.format('"$0" -m errbar.cli "$@"')
    return subprocess.run(
        ["bash", "-c", line, sys.executable, *words],
        cwd=place, capture_output=True, text=True, check=False, timeout=120, **options,
    )  # fmt: skip


def learner(name):
    return ("--model", f"c={name}")


GREEN_WITHOUT_RUNNING = (
    "exit0.py:x", "exitnone.py:x", "bad.py:exits", "bad.py:generator", "bad.py:base", "bad.py:silent", "bad.py:Constructor", "bad.py:property_",
    "bad.py:liar", "bad.py:talks", "bad.py:reads", "recursion.py:x", "design.py:x",
)  # fmt: skip


@pytest.mark.parametrize("name", GREEN_WITHOUT_RUNNING)
def test_code_of_learners_never_ends_the_command(ended, name):
    found = ended("compare", "good.csv", *COMPARED, *learner(name), *GREEN)
    assert found["status"] == 3, found
    # What it prints comes first.
    assert found["err"].splitlines()[-1].startswith("errbar: "), found
    assert found["err"].count("errbar: ") == 1, found
    assert "a worse-than b by 1000" in found["out"], found  # the others were compared


def test_with_one_learner_left_it_is_shown_and_no_gate_is_passed(ended):
    alone = ("compare", "good.csv", "--target", "y", "--model", hostile.A, *learner("exit0.py:x"))
    gate = ("--fail-if", "a worse-than c by 1000")
    plain, data = ended(*alone, *gate), ended(*alone, *gate, "--json")
    assert plain["status"] == 3
    answer = json.loads(data["out"])
    assert (data["status"], [one["name"] for one in answer["learners"]]) == (3, ["a"])
    assert answer["gates"][0]["passed"] is False
    [failure] = answer["failures"]
    assert (failure["learner"], failure["split"]) == ("c", "")


def test_a_learner_that_could_not_be_made_is_no_baseline_and_passes_no_gate(ended):
    gate = ("--baseline", "c", "--fail-if", "c worse-than a by 9", "--json")
    found = ended("compare", "good.csv", *COMPARED, *learner("exit0.py:x"), *gate)
    answer = json.loads(found["out"])
    assert (found["status"], [one["name"] for one in answer["learners"]]) == (3, ["a", "b"])
    assert answer["gates"][0]["passed"] is False


def test_functions_that_end_a_process_are_as_before(errbar):
    before = os._exit, os.abort, os.execv, os.execve
    errbar("methods")
    assert (os._exit, os.abort, os.execv, os.execve) == before


@pytest.mark.parametrize("name", ["cut.csv.gz", "cut.csv.xz", "cut.csv.zip", "cut.parquet", "flipped.csv.gz", "noise.csv.bz2", "noise.csv.zst",
    "commas.csv", "bomb.csv.gz", "twice.parquet", "columnless.parquet", "ragged.csv", "fifo", "/dev/zero", "two.zip"])  # fmt: skip
def test_files_that_cannot_be_read(errbar, place, name):
    refused_line(errbar("evaluate", place / name, "--target", "y", "--model", TREE))


ABSURD = [
    "KFold(folds=1000000000)",
    "Subsampling(repeats=100000000000)",
    "KFold(folds=5, repeats=0x" + "f" * 5000 + ")",
    "NestedKFold(folds=20000, repeats=1)",
    "Bootstrap(repeats=9000000)",
    "PairedHalves(halvings=100000, repeats=100000)",
    "HalvedKFold(halvings=1000000000)",
    "ReplaceOne(replacements=1000000000000)",
]


@pytest.mark.parametrize("plan", ABSURD)
def test_absurd_sizes_are_refused_at_once(errbar, folder, plan):
    models = ("--model", TREE, "--model", NEIGHBOURS)
    refused_line(
        errbar("compare", folder / "iris.csv", "--target", "species", *models, "--plan", plan)
    )


def test_a_plan_of_too_many_examples():
    with refused("n"):
        plans.draw(plans.KFold(3), 10**12)


@pytest.mark.parametrize("words", [
    ("test", "losses.csv", "--method", "bootstrap", "--option", "resamples=1000000000000"),
    ("test", "scores.csv", "--n-train", "270", "--n-test", "30", "--method", "bayes-correlated-t", "--option", "samples=1000000000000"),
    ("lab", "coverage", "--replicates", "1000000000000"),
    ("lab", "coverage", "--n", "1000000000"),
    ("power", "--deviation", "1", "--n-train", "9", "--n-test", "1", "--repeats", "1000000000000"),
    ("compare", "good.csv", *COMPARED, "--jobs", "1000000000"),
    ("compare", "good.csv", *COMPARED[:-2], "--plan", "Subsampling(n_train=1000000000000)"),
])  # fmt: skip
def test_absurd_counts(ended, words):
    found = ended(*words)
    assert (found["status"], found["err"].count("\n"), wrong(words, found)) == (2, 1, [])


STREAMS = {
    "standard output is closed": ("{} >&-", 2),
    "standard output is full": ("{} > /dev/full", 2),
    "standard error is closed": ("{} 2>&-", 0),
    "standard input is closed": ("{} <&-", 0),
    "all are closed": ("{} <&- >&- 2>&-", 2),
}


@pytest.mark.parametrize(
    "words", [("methods", "--json"), ("methods", "--help"), ("--version",), ("test", "losses.csv")]
)
@pytest.mark.parametrize("case", STREAMS)
def test_streams_that_cannot_be_used(place, case, words):
    shell, status = STREAMS[case]
    done = run(place, *words, shell=shell)
    assert done.returncode == status, done
    assert done.stderr.count("\n") == (status == 2 and "2>" not in shell)
    assert bool(done.stdout) == (status == 0)


@pytest.mark.parametrize(
    "gate",
    [
        pytest.param("a worse-than b by 1000", marks=pytest.mark.thorough),
        "a not-better-than b by 1000",
    ],
)
def test_a_reader_that_leaves_does_not_change_the_status_of_a_gate(place, gate):
    words = ("test", "scores.csv", "--n-train", "270", "--n-test", "30", "--fail-if", gate)
    done = run(place, *words, shell="{{ {} ; echo $? >&2; }} | true")
    assert done.stderr.splitlines()[-1] == ("0" if "worse" in gate else "1")


@pytest.mark.thorough
def test_what_a_failing_learner_prints_is_no_answer(place):
    done = run(place, "compare", "good.csv", *COMPARED, *learner("bad.py:talks"))
    assert (done.returncode, done.stderr.count("errbar: ")) == (3, 1)
    assert "noise" not in done.stdout


def test_a_file_that_is_read_is_not_written_over(ended, place):
    before = (place / "good.txt").read_bytes()
    for words in (
        ("compare", "good.txt", *COMPARED, "--out", "good.txt"),
        ("test", "good.txt", "--out", "./good.txt"),
    ):
        assert ended(*words)["status"] == 2
    assert (place / "good.txt").read_bytes() == before


def test_an_interrupt_of_the_user_is_one_also_while_a_learner_is_imported(place):
    (place / "long.py").write_text("import os, signal\nos.kill(os.getpid(), signal.SIGINT)\n")
    done = run(place, "compare", "good.csv", *COMPARED, *learner("long.py:x"))
    assert (done.returncode, done.stderr.count("\n")) == (130, 1)


@pytest.mark.parametrize(
    "environment",
    [{"COLUMNS": "0"}, {"LC_ALL": "C", "PYTHONUTF8": "0"}, {"HOME": ""}, {"TERM": ""}],
)
def test_odd_environments(place, environment):
    done = run(place, "test", "losses.csv", env=os.environ | environment)
    assert (done.returncode, done.stderr) == (0, "")


def test_cells_of_csv_files_are_no_formulas():
    harmless = ["tree", "a=b", "-1", "+1.5", "-1e-3", "", -1.0, 3, None]
    assert [defused(cell) for cell in harmless] == harmless
    for cell in ("=1+1", "+cmd", "-2+3", "@SUM(A1)", "\t=1", "\r=1"):
        assert defused(cell) == f"'{cell}"


def test_names_in_a_raw_file_are_no_formulas(ended, place):
    data = ("good.csv", "--target", "y", "--model", "@a=sklearn.dummy.DummyClassifier", "--n", "10")
    found = ended(
        "lab", "calibrate", *data, "--replicates", "3", "--truth-draws", "20", "--csv", "raw.csv"
    )
    assert found["status"] == 0, found
    cells = [
        cell
        for line in (place / "raw.csv").read_text().splitlines()[2:]
        for cell in line.split(",")
    ]
    assert "'@a" in cells
    assert "@a" not in cells
