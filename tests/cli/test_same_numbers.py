"""The way of running changes no number: files of models run in every process that fits, and settings are the same there."""

import os
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from tests.cli.conftest import Outcome

N = 40

_SEES = """
import time
import numpy as np, sklearn
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.dummy import DummyClassifier

class Sees(ClassifierMixin, BaseEstimator):
    def fit(self, X, y):
        time.sleep({seconds})
        self.classes_ = np.unique(y)
        with np.errstate():
            self.seen_ = int(self.sees())
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[self.seen_])
"""

SETS = """
sklearn.set_config(assume_finite={on})

class Config(Sees):
    def sees(self):
        return sklearn.get_config()["assume_finite"]

model = Config()
"""

ERRORS = """
np.seterr(over="raise" if {on} else "ignore")

class Errors(Sees):
    def sees(self):
        return np.geterr()["over"] == "raise"

model = Errors()
"""

PATCHES = """
class Patched(Sees):
    def sees(self):
        return {on}

DummyClassifier.fit = Patched.fit
DummyClassifier.sees = Patched.sees
DummyClassifier.predict = Patched.predict
model = DummyClassifier()
"""

KINDS = {"set_config": SETS, "seterr": ERRORS, "patch": PATCHES}


@pytest.fixture
def run(tmp_path):
    """Return a function that evaluates the model of a file in a process of its own: the error, fits done and reused."""
    # A quarter is of class 1.
    data = pd.DataFrame({"x": np.linspace(0.0, 1.0, N), "y": np.tile([0, 0, 0, 1], N // 4)})
    data.to_csv(tmp_path / "data.csv", index=False)

    def ended(text, *more, on=True, seconds=0.0, models=("models.py:model",)):
        source = (_SEES + text).replace("{on}", repr(on)).replace("{seconds}", repr(seconds))
        (tmp_path / "models.py").write_text(source)
        named = [word for model in models for word in ("--model", model)]
        command = [
            sys.executable,
            "-m",
            "errbar.cli",
            "evaluate",
            "data.csv",
            "--target",
            "y",
            *named,
            "--plan",
            "4",
        ]
        done = subprocess.run(
            [*command, "--random-state", "0", "--json", *map(str, more)],
            cwd=tmp_path,
            env={**os.environ},
            capture_output=True,
            text=True,
            check=False,
        )
        found = Outcome(done.returncode, done.stdout, done.stderr)
        assert found.status == 0, found
        [learner], counts = found.data["learners"], found.data["counts"]
        return learner["estimate"], counts["fits"], counts["reused"]

    return ended


WAYS = {
    "here": (),
    "limits": ("--fit-timeout", "60"),
    "workers": ("--jobs", "2"),
    "limited workers": ("--jobs", "2", "--fit-timeout", "60"),
}


@pytest.mark.parametrize(
    "kind",
    [name if name == "patch" else pytest.param(name, marks=pytest.mark.thorough) for name in KINDS],
)
@pytest.mark.long
def test_an_edited_file_is_seen_with_a_store(run, kind):
    text, store = KINDS[kind], ("--store", "runs.db")
    # With what the file does class 1 is predicted, and three of four are of class 0.
    assert run(text, *store) == (0.75, 4, 0)
    assert run(text, *store, on=False) == (0.25, 4, 0)
    assert run(text, *store) == (0.75, 0, 4)


@pytest.mark.long
@pytest.mark.thorough
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", KINDS)
def test_the_way_of_running_changes_no_number(run, kind, way):
    # So long that workers are worth their start.
    seconds = 2.5 if way == "workers" else 0.0
    assert run(KINDS[kind], *WAYS[way], seconds=seconds) == (0.75, 4, 0)


@pytest.mark.long
def test_a_store_that_is_half_full(run):
    assert run(PATCHES, "--store", "runs.db")[1:] == (4, 0)
    # Fits of the same learner by its name, without the file that changes it, are others.
    alone = run(PATCHES, "--store", "runs.db", models=("sklearn.dummy.DummyClassifier()",))
    assert alone == (0.25, 4, 0)
    assert run(PATCHES, "--store", "runs.db", "--jobs", "2") == (0.75, 0, 4)


@pytest.mark.thorough
def test_modules_that_a_file_imports_are_part_of_it(run, tmp_path, monkeypatch):
    monkeypatch.setenv(
        "PYTHONPATH",
        os.pathsep.join([str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])]),
    )
    text = "import patches\nmodel = DummyClassifier()\n"
    for on, error in ((True, 0.75), (False, 0.25)):
        (tmp_path / "patches.py").write_text(
            (_SEES + PATCHES).replace("{on}", repr(on)).replace("{seconds}", "0")
        )
        assert run(text, "--store", "runs.db") == (error, 4, 0)
        assert run(text, "--fit-timeout", "60") == (error, 4, 0)


@pytest.mark.long
@pytest.mark.thorough
def test_a_cluster_that_has_done_others_before(run):
    import distributed

    how = {"n_workers": 1, "threads_per_worker": 1, "dashboard_address": None}
    with distributed.LocalCluster(**how) as cluster:
        address = ("--cluster", cluster.scheduler_address)
        assert run(PATCHES, *address) == (0.75, 4, 0)
        assert run(PATCHES, *address, models=("sklearn.dummy.DummyClassifier()",)) == (0.25, 4, 0)
