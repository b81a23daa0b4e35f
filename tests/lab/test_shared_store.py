"""Several processes with one store: each replicate is run by one of them, and damaged ones are run again."""

import os
import sqlite3
import subprocess
import sys
import time
from collections import Counter

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

import errbar_lab as lab
from errbar.fits import Store

pytestmark = pytest.mark.long

REPLICATES = 40

_LEARNER = """
import os, sys
from sklearn.naive_bayes import GaussianNB

class Logged(GaussianNB):
    def fit(self, X, y):
        with open(os.environ["LOG"], "a") as log:
            log.write(f"{X[0, 0]!r}\\n")
        if os.environ.get("HELD"):
            print("begun", flush=True)
            sys.stdin.readline()
        return super().fit(X, y)
"""

_RUN = """
import sys
from errbar import plans
import errbar_lab as lab
from learner import Logged
problem = lab.Problem(lab.GaussianClassification(), {"bayes": Logged()})
experiment = lab.Experiment([problem], [60], [lab.Analysis("holdout-t", plans.Holdout(n_test=0.5))], about=[])
found = experiment.run(int(sys.argv[2]), store=sys.argv[1], n_jobs=1)
print(found[["estimate", "low", "high"]].to_numpy().tobytes().hex())
"""


@pytest.fixture
def start(tmp_path):
    """Start a process that runs the same replicates with a store."""
    (tmp_path / "learner.py").write_text(_LEARNER)
    (tmp_path / "run.py").write_text(_RUN)
    running = []

    def call(store, **more):
        surroundings = os.environ | {"LOG": str(tmp_path / f"{store}.log")} | more
        command = [sys.executable, "run.py", f"{store}.db", str(REPLICATES)]
        pipe = subprocess.PIPE
        running.append(
            subprocess.Popen(
                command, cwd=tmp_path, env=surroundings, stdin=pipe, stdout=pipe, text=True
            )
        )
        return running[-1]

    yield call
    for process in running:
        process.kill()
        process.communicate()


def kept(path):
    if not path.is_file():
        return 0
    with Store(path) as file:
        return len(list(file.each()))


def fits(path):
    return Counter(path.read_text().split())


@pytest.mark.parametrize("count", [2, pytest.param(4, marks=pytest.mark.slow)])
def test_processes_share_the_replicates_and_run_none_twice(start, tmp_path, count):
    alone = start("alone").communicate()[0]
    processes = [start("shared") for _ in range(count)]
    assert [process.communicate()[0] for process in processes] == [alone] * count
    assert fits(tmp_path / "shared.log") == fits(tmp_path / "alone.log")
    assert set(fits(tmp_path / "alone.log").values()) == {1}
    assert kept(tmp_path / "shared.db") == REPLICATES
    assert [place.name for place in tmp_path.glob("shared.db*")] == ["shared.db"]


@pytest.mark.thorough
def test_what_a_killed_process_had_begun_is_taken_over(start, tmp_path):
    """The other one waits for it as long as it lives."""
    alone = start("alone").communicate()[0]
    held = start("shared", HELD="1")
    assert held.stdout.readline() == "begun\n"
    other = start("shared")
    while kept(tmp_path / "shared.db") < REPLICATES - 1:
        assert other.poll() is None
        time.sleep(0.02)
    assert other.poll() is None
    held.kill()
    assert other.communicate()[0] == alone
    assert sum(fits(tmp_path / "shared.log").values()) == REPLICATES + 1
    assert kept(tmp_path / "shared.db") == REPLICATES


@pytest.mark.thorough
def test_what_another_process_ends_is_waited_for(start, tmp_path):
    held = start("shared", HELD="1")
    assert held.stdout.readline() == "begun\n"
    other = start("shared")
    while kept(tmp_path / "shared.db") < REPLICATES - 1:
        assert other.poll() is None
        time.sleep(0.02)
    assert held.communicate("go\n" * REPLICATES)[0].split()[-1] == other.communicate()[0].strip()
    assert set(fits(tmp_path / "shared.log").values()) == {1}


@pytest.mark.thorough
@pytest.mark.parametrize("count", [2, pytest.param(4, marks=pytest.mark.slow)])
def test_the_command_line_shares_too(tmp_path, count):
    """A trigger in the store counts what is put."""
    store = tmp_path / "lab.db"
    Store(store).close()
    with sqlite3.connect(store) as database:
        database.execute("CREATE TABLE log (name)")
        database.execute(
            "CREATE TRIGGER put AFTER INSERT ON record BEGIN INSERT INTO log VALUES (new.key); END"
        )
    words = [
        "lab",
        "coverage",
        "--problem",
        "gaussian-regression-20",
        "--method",
        "corrected-t",
        "--n",
        "60",
    ]
    command = [
        sys.executable,
        "-m",
        "errbar.cli",
        *words,
        "--replicates",
        "30",
        "--json",
        "--quiet",
        "--store",
        store,
    ]
    processes = [
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for _ in range(count)
    ]
    ended = [process.communicate() for process in processes]
    assert [process.returncode for process in processes] == [0] * count, ended
    with sqlite3.connect(store) as database:
        put = Counter(name for (name,) in database.execute("SELECT name FROM log"))
    assert set(put.values()) == {1}
    assert len(put) == kept(store) >= 30


def test_damaged_records_are_run_again(tmp_path):
    problem = lab.Problem(lab.GaussianClassification(), {"bayes": GaussianNB()})
    experiment = lab.Experiment([problem], [40], ["corrected-t"], about=[])
    store = tmp_path / "lab.db"

    def results():
        return experiment.run(5, store=store, n_jobs=1)["estimate"]

    first = results()
    with sqlite3.connect(store) as database:
        database.execute("UPDATE record SET content = (SELECT content FROM record LIMIT 1)")
    with Store(store) as file:
        assert len(dict(file.each())) == 1
        assert len(file.damaged) == 4
    with pytest.warns(UserWarning) as told:
        again = results()
    assert len(told) == 1
    np.testing.assert_array_equal(again, first)
    np.testing.assert_array_equal(results(), first)
    with Store(store) as file:
        assert len(dict(file.each())) == 5
        assert not file.damaged
