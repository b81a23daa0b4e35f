"""Workers that are watched: what kills them, and what they leave behind."""

import os
import resource
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

import errbar
from errbar.engine import Isolated, WorkerError
from errbar.engine.isolation import size_in_bytes
from errbar.engine.work import GIVEN_UP
from errbar.plans import KFold
from tests.cli.runs import alive, children, eventually, left_behind
from tests.engine.learners import GlobalNoise, Majority, OwnNoise, Raises
from tests.refusals import refused

pytestmark = pytest.mark.long

X, Y = load_iris(return_X_y=True)


def run(learners, executor, X=X, y=Y, plan=None, **more):
    return errbar.run(
        learners,
        X,
        y,
        plan=plan or KFold(5),
        random_state=0,
        executor=executor,
        share=False,
        **more,
    )


def failures(*arguments, **more):
    with pytest.raises(errbar.FitFailedError) as caught:
        run(*arguments, **more)
    return caught.value


class Greedy(Majority):
    """Takes so much memory in every fit, and gives it back."""

    def __init__(self, megabytes=0):
        self.megabytes = megabytes

    def fit(self, X, y):
        self.sum_ = np.ones(self.megabytes * 125_000).sum()
        return super().fit(X, y)


class Large(ClassifierMixin, BaseEstimator):
    """Predicts more than a channel holds."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, X):
        return np.full((X.shape[0], self.classes_.size), 1.0 / self.classes_.size)

    def predict(self, X):
        return np.full(X.shape[0], self.classes_[0])


class Asks(Majority):
    """Says which files its process has open, and whether it leads a group of processes."""

    def fit(self, X, y):
        places = [Path("/proc/self/fd") / str(number) for number in range(3, 64)]
        found = [str(place.readlink()) for place in places if place.is_symlink()]
        raise ValueError(f"{os.getpgid(0) == os.getpid()} {' '.join(found)}")


class Starts(Majority):
    """Starts a process of its own, and then does not end."""

    def fit(self, X, y):
        subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
        time.sleep(600)


class TestNumbers:
    def test_are_those_of_one_process(self):
        learners = {
            "tree": DecisionTreeClassifier(max_features=1),
            "logistic": LogisticRegression(max_iter=1000),
        }
        here = run(learners, None)
        for jobs in (1, 2):
            np.testing.assert_array_equal(run(learners, Isolated(jobs)).points, here.points)

    def test_are_those_of_one_process_for_careless_learners(self):
        y = X[:, 0] * 2
        learners = {"global": GlobalNoise(), "own": OwnNoise()}
        np.testing.assert_array_equal(
            run(learners, Isolated(), y=y).points, run(learners, None, y=y).points
        )

    def test_progress_counts_every_fit(self):
        seen = []
        run({"a": Majority(), "b": Majority()}, Isolated(), progress=seen.append)
        assert [one.done for one in seen] == list(range(1, 11))

    def test_tasks_and_outcomes_larger_than_a_channel(self):
        """Neither side may wait for the other to read what it writes."""
        n = 150_000
        y = np.arange(n) % 4
        table = run(
            {"large": Large()}, Isolated(), X=np.arange(2.0 * n).reshape(n, 2), y=y, plan=KFold(4)
        )
        assert table.counts.fits == 4


class TestLimits:
    @pytest.mark.thorough
    def test_memory_holds_for_every_fit_and_not_for_all_together(self):
        run({"greedy": Greedy(60)}, Isolated(memory_limit="100MB"), plan=KFold(10))
        error = failures(
            {"greedy": Greedy(200), "good": Majority()},
            Isolated(memory_limit="100MB"),
            plan=KFold(10),
        )
        assert len(error.failures) == 10
        assert all(failure.message.startswith("MemoryError") for failure in error.failures)
        assert error.table.learners == ("good",)

    def test_memory_of_this_process_stays_as_it_was(self):
        before = resource.getrlimit(resource.RLIMIT_DATA)
        run({"good": Majority()}, Isolated(memory_limit="1GB"))
        assert resource.getrlimit(resource.RLIMIT_DATA) == before

    @pytest.mark.thorough
    def test_time_ends_what_a_fit_has_started_too(self):
        others = set(children(os.getpid()))
        error = failures({"starts": Starts()}, Isolated(fit_timeout=1.0), plan=KFold(2))
        assert [one.message.partition(":")[0] for one in error.failures] == ["TimeoutError"] * 2
        assert eventually(lambda: left_behind(others) == [])
        assert not [place for place in _sleepers() if alive(place)]

    @pytest.mark.parametrize(
        ("limits", "argument"),
        [
            ({"fit_timeout": 0}, "fit_timeout"),
            ({"fit_timeout": -1.0}, "fit_timeout"),
            ({"fit_timeout": float("nan")}, "fit_timeout"),
            ({"fit_timeout": "1"}, "fit_timeout"),
            ({"memory_limit": "much"}, "memory_limit"),
            ({"memory_limit": 0}, "memory_limit"),
            ({"memory_limit": True}, "memory_limit"),
            ({"memory_limit": "2 parsecs"}, "memory_limit"),
            ({"memory_limit": "-1GB"}, "memory_limit"),
            ({"n_jobs": 0}, "n_jobs"),
            ({"n_jobs": 1.5}, "n_jobs"),
        ],
    )
    def test_that_cannot_be_used(self, limits, argument):
        with refused(argument):
            Isolated(**limits)

    @pytest.mark.parametrize(
        ("text", "size"),
        [
            ("2GB", 2 * 10**9),
            ("500 MB", 5 * 10**8),
            ("1GiB", 2**30),
            ("1.5kb", 1500),
            (4096, 4096),
            ("4096", 4096),
            ("2G", 2 * 10**9),
            ("3M", 3 * 10**6),
            ("1e3 KB", 10**6),
        ],
    )
    def test_sizes(self, text, size):
        assert size_in_bytes(text) == size


def _sleepers():
    """Return the processes that run what `Starts` starts."""
    found = []
    for entry in os.listdir("/proc"):  # noqa: PTH208
        try:
            with open(f"/proc/{entry}/cmdline", "rb") as file:  # noqa: PTH123
                if b"import time; time.sleep(600)" in file.read():
                    found.append(int(entry))
        except (OSError, ValueError):
            continue
    return found


class TestProcesses:
    @pytest.mark.thorough
    def test_nothing_is_left(self, tmp_path, monkeypatch):
        monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
        before, others = _open_files(), set(children(os.getpid()))
        run({"good": Majority()}, Isolated(2))
        failures({"bad": Raises()}, Isolated(2))
        assert left_behind(others) == []
        assert _open_files() == before
        assert list(tmp_path.iterdir()) == []

    @pytest.mark.thorough
    def test_a_fit_finds_a_clean_process(self):
        """A group of its own; open are one channel and the data, nothing of this process or of the other worker."""
        with open(os.devnull, encoding="utf-8") as extra:  # noqa: PTH123
            os.set_inheritable(extra.fileno(), True)
            error = failures({"asks": Asks()}, Isolated(2), plan=KFold(6))
        for failure in error.failures:
            said = failure.message.removeprefix("ValueError: ").partition(GIVEN_UP)[0]
            leads, *files = said.split()
            assert leads == "True"
            [channel] = [name for name in files if not name.endswith("/data")]
            assert channel.startswith("socket:")

    def test_workers_that_cannot_start_are_not_blamed_on_fits(self, tmp_path, monkeypatch, capfd):
        others = set(children(os.getpid()))
        broken = tmp_path / "joblib"
        broken.mkdir()
        (broken / "__init__.py").write_text("raise ImportError('a broken installation')\n")
        monkeypatch.syspath_prepend(str(tmp_path))
        with pytest.raises(WorkerError):
            run({"good": Majority()}, Isolated())
        assert "a broken installation" in capfd.readouterr().err
        assert left_behind(others) == []

    def test_an_error_in_between_ends_the_workers(self):
        class StopError(Exception):
            pass

        def progress(state):
            if state.done == 3:
                raise StopError

        others = set(children(os.getpid()))
        with pytest.raises(StopError):
            run({"good": Majority()}, Isolated(2), plan=KFold(20), progress=progress)
        assert left_behind(others) == []

    def test_the_environment_of_learners_is_the_users(self, monkeypatch):
        monkeypatch.delenv("PYTHONPATH", raising=False)

        class Reads(Majority):
            def fit(self, X, y):
                if "PYTHONPATH" in os.environ:
                    raise ValueError("another Python would look in the wrong places")
                return super().fit(X, y)

        assert run({"reads": Reads()}, Isolated()).counts.failed == 0


def _open_files():
    return sorted(os.listdir("/proc/self/fd"))  # noqa: PTH208
