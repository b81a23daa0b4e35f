"""Ways of running: the same bits, whatever dies, hangs or cannot travel."""

import concurrent.futures
import os
import signal
import subprocess
import sys
import time

import joblib
import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import errbar
from errbar.fits import Workers
from errbar.fits.parallel import _idle, chosen
from errbar.plans import KFold, Subsampling
from tests.cli.runs import alive, eventually
from tests.fits.learners import Exits, GlobalNoise, Legacy, Majority, OnSome, OwnNoise
from tests.refusals import refused

X, Y = load_iris(return_X_y=True)
LEARNERS = {
    "tree": DecisionTreeClassifier(max_features=1),
    "linear": LogisticRegression(solver="saga", max_iter=15),
    "bayes": GaussianNB(),
}


def run(learners, plan=None, **how):
    return errbar.run(learners, X, Y, plan=plan or KFold(10), random_state=0, **how)


def failures(learners, **how):
    with pytest.raises(errbar.FitFailedError) as caught:
        run(learners, **how)
    return caught.value


def same(one, other):
    assert one.learners == other.learners
    np.testing.assert_array_equal(one.points, other.points)
    for mine, theirs in zip(one.predictions, other.predictions, strict=True):
        assert mine.keys() == theirs.keys()
        for kind, values in mine.items():
            np.testing.assert_array_equal(values, theirs[kind])


@pytest.fixture(scope="module")
def here():
    return run(LEARNERS)


class Unreadable(Majority):
    """Cannot be sent to another process."""

    def __init__(self, thing=None):
        self.thing = thing

    def __reduce__(self):
        raise TypeError("not this one")

    def __sklearn_clone__(self):
        return Unreadable(self.thing)


class TestTheSameBits:
    def test_in_workers(self):
        learners = LEARNERS | {"forest": RandomForestClassifier(4, n_jobs=2), "legacy": Legacy()}
        same(run(learners), run(learners, n_jobs=2))

    @pytest.mark.parametrize(
        "kind", [concurrent.futures.ProcessPoolExecutor, concurrent.futures.ThreadPoolExecutor]
    )
    def test_in_executors_of_others(self, here, kind):
        with kind(2) as executor:
            same(here, run(LEARNERS, executor=executor))

    @pytest.mark.long
    def test_on_a_cluster(self, here, tmp_path):
        import distributed

        with (
            distributed.LocalCluster(
                n_workers=2, threads_per_worker=2, dashboard_address=":0"
            ) as cluster,
            distributed.Client(cluster) as client,
        ):
            same(here, run(LEARNERS, executor=client))
            same(here, run(LEARNERS, executor=client.get_executor(), store=tmp_path / "runs.db"))

    @pytest.mark.long
    def test_of_careless_learners(self):
        y = X[:, 0] * 2
        learners = {"global": GlobalNoise(), "own": OwnNoise()}
        tables = [
            errbar.run(learners, X, y, plan=KFold(5), random_state=0, n_jobs=jobs)
            for jobs in (1, 2)
        ]
        np.testing.assert_array_equal(tables[0].points, tables[1].points)

    def test_a_learner_that_cannot_travel_is_refused(self):
        with pytest.raises(errbar.InvalidInputError):
            run({"bad": Unreadable(), **LEARNERS}, n_jobs=2)

    @pytest.mark.long
    def test_with_settings_and_a_learner_that_changes_them(self):
        import sklearn

        class Sets(Majority):
            def fit(self, X, y):
                sklearn.set_config(assume_finite=True)
                np.seterr(all="raise")
                return super().fit(X, y)

        learners = {"sets": Sets(), "tree": DecisionTreeClassifier(max_features=1)}
        before = sklearn.get_config(), np.geterr()
        same(run(learners), run(learners, n_jobs=2))
        assert (sklearn.get_config(), np.geterr()) == before

    def test_the_global_generators_are_given_back(self):
        np.random.seed(3)  # noqa: NPY002
        expected = np.random.standard_normal()  # noqa: NPY002
        np.random.seed(3)  # noqa: NPY002
        run({"a": Majority()})
        assert np.random.standard_normal() == expected  # noqa: NPY002


class TestDeaths:
    @pytest.mark.unix
    @pytest.mark.parametrize(
        "deed",
        [pytest.param(one, marks=pytest.mark.long) for one in ("exit", "kill", "fault", "stop")],
    )
    def test_the_one_to_blame_is_named_and_the_others_are_done(self, here, deed):
        executor = Workers(1, fit_timeout=60) if deed == "exit" else Workers(2)
        error = failures({"bad": OnSome(deed), **LEARNERS}, executor=executor)
        assert [one.learner for one in error.failures] == ["bad"]
        assert error.failures[0].split.startswith("repeat 0, fold")
        same(error.table, here)

    @pytest.mark.long
    def test_a_fit_that_hangs_is_named(self, here):
        began = time.monotonic()
        executor = Workers(2, fit_timeout=1.5)
        error = failures({"bad": OnSome("hang"), **LEARNERS}, executor=executor)
        assert [one.message.partition(":")[0] for one in error.failures] == ["Timeout"]
        same(error.table, here)
        assert time.monotonic() - began < 60

    @pytest.mark.long
    def test_sys_exit_is_a_failure_as_any_other(self, here):
        error = failures({"bad": Exits(), **LEARNERS}, n_jobs=2)
        assert {one.message.partition(":")[0] for one in error.failures} == {"SystemExit"}
        same(error.table, here)

    @pytest.mark.long
    @pytest.mark.unix
    def test_a_worker_that_was_killed_while_idle(self, here):
        run(LEARNERS, n_jobs=2)
        for _, executor in _idle:
            for process in executor._processes:
                os.kill(process, signal.SIGKILL)
        time.sleep(0.3)
        same(here, run(LEARNERS, n_jobs=2))

    @pytest.mark.long
    @pytest.mark.unix
    def test_a_fit_whose_worker_somebody_kills_once_is_done_again(self, here, tmp_path):
        learners = {"once": OnSome("once", str(tmp_path / "killed")), **LEARNERS}
        table = run(learners, n_jobs=2)
        assert table.learners == tuple(learners)
        assert table.counts.failed == 0
        assert (tmp_path / "killed").exists()

    @pytest.mark.long
    def test_an_error_in_between_ends_the_run(self):
        class StopError(Exception):
            pass

        def progress(state):
            if state.done == 3:
                raise StopError

        with pytest.raises(StopError):
            run({"a": Majority()}, KFold(20), n_jobs=2, progress=progress)


_KILLED = """
import os, signal
import errbar
from sklearn.datasets import load_iris
from sklearn.tree import DecisionTreeClassifier

X, y = load_iris(return_X_y=True)
kill = lambda _: os.kill(os.getpid(), signal.SIGKILL)
how = dict(plan=errbar.plans.KFold(10), random_state=0, progress=kill, n_jobs=2)
errbar.run({"tree": DecisionTreeClassifier()}, X, y, **how)
"""


@pytest.mark.long
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="processes cannot be killed here")
def test_workers_end_with_the_process_that_started_them():
    before = _python_processes()
    command = [sys.executable, "-c", _KILLED]
    done = subprocess.run(command, check=False, capture_output=True, timeout=120)
    assert done.returncode == -signal.SIGKILL
    new = _python_processes() - before
    assert eventually(lambda: not any(map(alive, new)))


def _python_processes():
    found = set()
    for entry in os.listdir("/proc") if os.path.isdir("/proc") else ():  # noqa: PTH112, PTH208
        if entry.isdigit():
            try:
                with open(f"/proc/{entry}/cmdline", "rb") as file:  # noqa: PTH123
                    if b"loky" in file.read():
                        found.add(int(entry))
            except OSError:
                continue
    return found


class TestNumberOfWorkers:
    def test_joblib_says_it_unless_it_is_given(self):
        assert chosen(None).count == 1
        with joblib.parallel_config(n_jobs=2):
            assert chosen(None).count == 2
            assert chosen(1).count == 1
        with joblib.parallel_config(backend="sequential"):
            assert chosen(4).count == 1

    @pytest.mark.long
    def test_the_configuration_changes_no_bit(self, here):
        with joblib.parallel_config(backend="threading", n_jobs=2):
            same(here, run(LEARNERS))
            assert joblib.effective_n_jobs(None) == 2

    @pytest.mark.parametrize(
        ("given", "argument"),
        [
            ({"n_jobs": 0}, "n_jobs"),
            ({"n_jobs": 1.5}, "n_jobs"),
            ({"fit_timeout": 0}, "fit_timeout"),
            ({"fit_timeout": float("nan")}, "fit_timeout"),
            ({"fit_timeout": "1"}, "fit_timeout"),
        ],
    )
    def test_what_cannot_be_used(self, given, argument):
        with refused(argument):
            Workers(**given)

    def test_what_is_no_executor(self):
        with refused("executor"):
            run({"a": Majority()}, executor=3)

    @pytest.mark.long
    def test_progress_counts_every_fit(self):
        seen = []
        run({"a": Majority(), "b": Majority()}, n_jobs=2, progress=seen.append)
        assert [one.done for one in seen] == list(range(1, 21))


@pytest.mark.long
def test_a_learner_edited_between_runs_is_the_new_one(tmp_path, monkeypatch):
    """Workers stay for the next run, and do not see an edit."""
    import importlib

    text = (
        "import numpy as np\nfrom sklearn.base import BaseEstimator, ClassifierMixin\n"
        "class C(ClassifierMixin, BaseEstimator):\n"
        "    def fit(self, X, y):\n        self.classes_ = np.unique(y)\n        return self\n"
        "    def predict(self, X):\n        return np.full(len(X), self.classes_[{}])\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    found = []
    for index in (0, 1):
        (tmp_path / "errbar_edited.py").write_text(text.format(index))
        monkeypatch.delitem(sys.modules, "errbar_edited", raising=False)
        importlib.invalidate_caches()
        module = importlib.import_module("errbar_edited")
        plan = Subsampling(repeats=2)
        table = run({"c": module.C()}, plan, n_jobs=2, store=tmp_path / "runs.db")
        assert table.counts.fits == 2
        found.append(set(table.predictions[0]["label"].tolist()))
    assert found == [{0}, {1}]


_BESIDE = """
import sys
sys.path.remove("")  # as the command does, whose first place is its own folder
import errbar
from sklearn.datasets import load_iris
from sklearn.tree import DecisionTreeClassifier

X, y = load_iris(return_X_y=True)
how = dict(plan=errbar.plans.KFold(10), random_state=0, n_jobs=2)
print(errbar.run({"tree": DecisionTreeClassifier()}, X, y, **how).counts.fits)
"""


@pytest.mark.long
def test_files_called_like_modules_do_not_break_workers(tmp_path):
    for name in ("random", "joblib", "signal"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('not this one')\n")
    done = subprocess.run(
        [sys.executable, "-c", _BESIDE],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.stdout.strip() == "10", done.stderr


@pytest.mark.long
def test_an_environment_variable_reaches_the_workers(monkeypatch):
    class Reads(Majority):
        def predict(self, X):
            return np.full(len(X), int(os.environ.get("ERRBAR_TEST", "0")))

    for value in ("1", "2"):
        monkeypatch.setenv("ERRBAR_TEST", value)
        same(run({"reads": Reads()}), run({"reads": Reads()}, n_jobs=2))
