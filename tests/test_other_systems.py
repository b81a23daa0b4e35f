"""The package where the system lacks what Windows lacks: it imports, computes, and says in one line what is missing."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import errbar

pytestmark = pytest.mark.long

ROOT = Path(__file__).parents[1]
PATH = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]

MISSING = "import os, sys\nfrom tests.windows_names import take_away\ntake_away()\n"

EVERYTHING = "import distributed, jinja2, matplotlib.pyplot, numba, rich.console, scipy.stats, sklearn.ensemble\n"

IMPORTS = """
import importlib, pkgutil, errbar, errbar_lab

found = []
for module in pkgutil.walk_packages(errbar.__path__, "errbar."):
    if not module.name.endswith("__main__"):
        importlib.import_module(module.name)
        found.append(module.name)
print(len(found))
"""

COMPARES = """
import errbar
from sklearn.datasets import load_iris
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

X, y = load_iris(return_X_y=True)
learners = {"bayes": GaussianNB(), "tree": DecisionTreeClassifier()}
workers = errbar.fits.Workers(2, fit_timeout=60)
for options in ({}, {"executor": workers}, {"store": "runs.db"}, {"store": "runs.db"}):
    found = errbar.compare(learners, X, y, plan=errbar.plans.KFold(10), random_state=0, **options)
    print(found.table.counts.fits, found.table.counts.reused)
"""


def python(program, folder, *arguments, first=""):
    """Run a program where everything that Windows lacks is missing; `first` is run before it goes."""
    done = subprocess.run(
        [sys.executable, "-c", first + MISSING + program, *arguments],
        check=False,
        cwd=folder,
        env=os.environ | {"MPLBACKEND": "Agg", "PYTHONPATH": os.pathsep.join(PATH)},
        capture_output=True,
        text=True,
        timeout=300,
    )
    return done.returncode, done.stdout, done.stderr


def test_every_module_can_be_imported(tmp_path):
    status, out, err = python(IMPORTS, tmp_path, first=EVERYTHING)
    assert (status, err) == (0, "")
    source = Path(errbar.__file__).parent
    files = [
        path
        for path in source.rglob("*.py")
        if path.stem != "__main__" and path != source / "__init__.py"
    ]
    assert int(out) == len(files)


def test_learners_are_compared_and_fits_are_kept(tmp_path):
    status, out, err = python(COMPARES, tmp_path)
    assert (status, err) == (0, "")
    assert out == "20 0\n20 0\n20 0\n0 20\n"


COMMAND_LINE = """
from errbar.cli import main

sys.argv[0] = "errbar"
sys.exit(main())
"""


class TestCommandLine:
    @pytest.fixture
    def compare(self, tmp_path):
        rows = ["a,b,label", *(f"{i % 7},{i % 5},{'yes' if i % 3 else 'no'}" for i in range(60))]
        (tmp_path / "data.csv").write_text("\n".join(rows) + "\n")
        models = (
            "--model",
            "sklearn.tree.DecisionTreeClassifier",
            "--model",
            "sklearn.dummy.DummyClassifier",
        )

        def run(*more):
            return python(
                COMMAND_LINE, tmp_path, "compare", "data.csv", "--target", "label", *models, *more
            )

        return run

    def test_methods(self, tmp_path):
        status, out, err = python(COMMAND_LINE, tmp_path, "methods")
        assert (status, err) == (0, "")
        assert "corrected-t" in out

    def test_fits_are_kept(self, compare):
        status, out, err = compare("--store", "runs.db", "--json")
        assert (status, err) == (0, "")
        first = json.loads(out)["counts"]
        status, out, err = compare("--store", "runs.db", "--json")
        assert (status, err) == (0, "")
        assert json.loads(out)["counts"]["reused"] == first["fits"] > 0
