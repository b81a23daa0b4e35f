"""One bad learner is named, and all others come to the numbers that they come to alone, whoever does the fits."""

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.tree import DecisionTreeClassifier

import errbar
from errbar.engine import Isolated, Joblib, Serial, executors
from errbar.plans import KFold
from tests.engine.hostile import (
    BYTES,
    DEADLY,
    FAILING,
    HARMLESS,
    Elsewhere,
    Holds,
    Hostile,
    SilentlyBreaks,
    Stays,
)
from tests.engine.learners import Majority

pytestmark = pytest.mark.long

X, Y = load_iris(return_X_y=True)
PLAN = KFold(2)
GOOD = {"tree": DecisionTreeClassifier(max_features=1), "other": Majority()}


@pytest.fixture(scope="module")
def alone():
    return errbar.run(GOOD, X, Y, plan=PLAN, random_state=0)


@pytest.fixture(params=[pytest.param("no store", marks=pytest.mark.thorough), "store"])
def store(request, tmp_path):
    return tmp_path / "runs.db" if request.param == "store" else None


@pytest.fixture(
    params=["serial", "joblib", "isolated", pytest.param("fresh", marks=pytest.mark.thorough)]
)
def executor(request, monkeypatch):
    monkeypatch.setattr(executors, "PROBE_SECONDS", 0.0)
    monkeypatch.setattr(executors, "START_SECONDS", -1.0)
    made = {"serial": Serial, "joblib": lambda: Joblib(2), "isolated": lambda: Isolated(2)}
    return made.get(request.param, lambda: Isolated(2, fresh=True))()


def run(learners, executor, store=None):
    """Return the failures of a run by learner, and the table of the others."""
    versions = {name: "1" for name in ("stays", "elsewhere") if name in learners}
    try:
        table = errbar.run(
            learners,
            X,
            Y,
            plan=PLAN,
            random_state=0,
            executor=executor,
            store=store,
            version=versions,
            share=False,
        )
    except errbar.FitFailedError as error:
        failures = {}
        for one in error.failures:
            failures.setdefault(one.learner, []).append(one.message)
        return failures, error.table
    return {}, table


def check_good(table, alone, *, more=()):
    assert set(table.learners) == {*GOOD, *more}
    for name in GOOD:
        np.testing.assert_array_equal(
            table.scores[table.learners.index(name)], alone.scores[alone.learners.index(name)]
        )


def surroundings():
    return (
        np.unique,
        sum,
        dict(os.environ),
        list(sys.path),
        Path.cwd(),
        np.geterr(),
        os._exit,
        os.execv,
    )


def test_learners_that_fail_and_leave_something_behind(executor, store, alone):
    before = surroundings()
    bad = {name: Hostile(name) for name in FAILING}
    failures, table = run({**bad, **GOOD}, executor, store)
    check_good(table, alone)
    assert failures.keys() == bad.keys()
    for name, messages in failures.items():
        assert len(messages) == 2
        for message in messages:
            assert message.startswith(FAILING[name][1])
    assert before == surroundings()
    if store is not None:
        again, kept = run(GOOD, Serial(), store)
        assert (again, kept.counts.fits, kept.counts.reused) == ({}, 0, 4)


def test_learners_that_do_not_fail_and_break_others(executor, store, alone):
    failures, table = run({"breaks": SilentlyBreaks(), **GOOD}, executor, store)
    assert failures == {}
    check_good(table, alone, more=["breaks"])
    assert np.unique is not None
    assert sum([1]) == 1


def test_children_that_come_back_are_ended(executor, store, alone):
    bad = {name: Hostile(name) for name in HARMLESS}
    failures, table = run({**bad, **GOOD}, executor, store)
    assert failures == {}
    check_good(table, alone, more=bad)


def test_learners_that_cannot_travel(executor, store, alone):
    bad = {"stays": Holds(Stays()), "elsewhere": Holds(Elsewhere())}
    if store is not None:
        with pytest.raises(errbar.InvalidInputError):
            run({**bad, **GOOD}, executor, store)
        how = {
            "plan": PLAN,
            "random_state": 0,
            "executor": executor,
            "store": store,
            "on_error": "keep",
            "share": False,
        }
        table = errbar.run({**bad, **GOOD}, X, Y, **how)
        left = ["elsewhere"] if isinstance(executor, Serial) else []
        check_good(table, alone, more=left)
        assert {one.learner for one in table.failures} == bad.keys() - left
        return
    failures, table = run({**bad, **GOOD}, executor, store)
    if isinstance(executor, Serial):
        assert failures == {}
        check_good(table, alone, more=bad)
    else:
        check_good(table, alone)
        kinds = {
            name: {one.partition(":")[0] for one in messages} for name, messages in failures.items()
        }
        assert kinds == {name: {"PicklingError"} for name in bad}


@pytest.mark.thorough
@pytest.mark.parametrize(("fresh", "kept"), [(False, True), (True, False)])
def test_learners_that_attack_the_channel_of_an_isolated_worker(fresh, kept, tmp_path, alone):
    store = tmp_path / "runs.db" if kept else None
    bad = {name: Hostile(name) for name in (*BYTES, *DEADLY)}
    failures, table = run({**bad, **GOOD}, Isolated(2, fresh=fresh), store)
    check_good(table, alone)
    assert failures.keys() == bad.keys()
    for messages in failures.values():
        assert [one.partition(":")[0] for one in messages] == ["WorkerDied"] * 2


@pytest.mark.thorough
def test_learners_that_attack_the_pipes_of_a_joblib_worker(store, alone, monkeypatch):
    monkeypatch.setattr(executors, "PROBE_SECONDS", 0.0)
    monkeypatch.setattr(executors, "START_SECONDS", -1.0)
    bad = {name: Hostile(name) for name in (*BYTES, *DEADLY)}
    failures, table = run({**bad, **GOOD}, Joblib(2), store)
    assert failures.keys() >= DEADLY.keys()
    check_good(table, alone, more=bad.keys() - failures.keys())


def test_ctrl_c_stops_the_run_although_a_learner_swallows_it():
    class Swallows(Majority):
        def fit(self, X, y):
            try:
                os.kill(os.getpid(), signal.SIGINT)
                threading.Event().wait(60)
            except KeyboardInterrupt:
                pass
            return super().fit(X, y)

    # What a shell starts in the background ignores this signal.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            run({"swallows": Swallows()}, Serial())
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, before)


def test_a_learner_that_ends_the_process_does_not_end_the_command(tmp_path):
    """Descriptors are closed too, which must not be done to the process of the tests."""
    script = (
        "import sys; from tests.engine.test_hostile import run, GOOD, Hostile, Serial\n"
        "bad = {name: Hostile(name) for name in ('leaves', 'becomes another', 'closes', 'announces')}\n"
        "failures, table = run({**bad, **GOOD}, Serial())\n"
        "print(sorted(failures), sorted(table.learners)); sys.exit(5)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    assert done.returncode == 5, done.stderr
    assert (
        done.stdout.strip()
        == "['becomes another', 'leaves'] ['announces', 'closes', 'other', 'tree']"
    )
