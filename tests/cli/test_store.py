"""errbar store, errbar export, and what --store does, on files that real runs have written."""

import json
import re
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from errbar.engine import SQLiteStore
from errbar.engine.work import Block
from tests.cli.conftest import NEIGHBOURS, TREE
from tests.cli.runs import Folder, counts, figures

LINEAR = "linear=sklearn.linear_model.LogisticRegression(max_iter=2000)"


@pytest.fixture
def compare(errbar, folder):
    """Compare models on the irises, with a store in the empty folder."""

    def call(*more, models=(TREE, NEIGHBOURS), store="runs.db"):
        named = [text for model in models for text in ("--model", model)]
        return errbar("compare", folder / "iris.csv", "--target", "species", *named, "--store", store, "--json", *more)

    return call


@pytest.fixture(scope="module")
def filled(folder, tmp_path_factory):
    """A store with thirty fits."""
    store = tmp_path_factory.mktemp("filled") / "runs.db"
    models = [text for model in (TREE, NEIGHBOURS) for text in ("--model", model)]
    command = ["compare", folder / "iris.csv", "--target", "species", *models, "--store", store, "--json"]
    run = subprocess.run([sys.executable, "-m", "errbar.cli", *map(str, command)], capture_output=True, check=True)
    assert json.loads(run.stdout)["counts"]["fits"] == 30
    return store


@pytest.fixture
def store(filled, tmp_path):
    """A copy of it in the empty folder."""
    return Path(shutil.copy(filled, tmp_path))


class TestOnlyWhatIsNewIsFitted:
    def test_again(self, compare, store):
        again = compare()
        assert counts(again) == (0, 30)
        assert figures(again) == figures(compare(store="other.db"))

    @pytest.mark.parametrize(
        ("more", "models", "fits"),
        [
            ((), (TREE, NEIGHBOURS, LINEAR), 15),
            (("--method", "resampled-t", "--plan", "Subsampling()"), (TREE, NEIGHBOURS), 0),
            (("--method", "corrected-t", "--method", "resampled-t", "--plan", "Subsampling()"), (TREE, NEIGHBOURS), 0),
            (("--loss", "accuracy"), (TREE, NEIGHBOURS), 0),
            (("--repeats", "20"), (TREE, NEIGHBOURS), 10),
            (("--level", "0.9", "--baseline", "tree"), (TREE, NEIGHBOURS), 0),
            (("--jobs", "2"), (TREE, NEIGHBOURS), 0),
            (("--random-state", "1"), (TREE, NEIGHBOURS), 30),
        ],
    )
    def test_something_more(self, compare, store, more, models, fits):
        found = compare(*more, models=models)
        assert found.status == 0, found.err
        total = sum(counts(found))
        assert counts(found) == (fits, total - fits)

    def test_the_report_says_what_was_taken_from_the_store(self, errbar, folder, store):
        arguments = ("--target", "species", "--model", TREE, "--store", store)
        assert "0 done" in errbar("evaluate", folder / "iris.csv", *arguments).out
        assert "15 taken from the store" in errbar("evaluate", folder / "iris.csv", *arguments).out


class TestModelsFromAFile:
    """What is in a file of the user's own cannot be told apart by content alone; the file itself is the version."""

    MODELS = """
import numpy as np
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

plain = KNeighborsClassifier(3)
power = make_pipeline(FunctionTransformer(lambda X: X ** {power}), KNeighborsClassifier(1))

class Own(KNeighborsClassifier):
    pass

own = Own
"""

    @pytest.fixture
    def models(self, tmp_path):
        def write(power, place=tmp_path):
            (place / "models.py").write_text(self.MODELS.replace("{power}", str(power)))
            return [f"{name}={place / 'models.py'}:{name}" for name in ("plain", "power", "own")]

        return write

    def test_they_are_found_again_until_the_file_changes(self, compare, models, tmp_path):
        assert counts(compare(models=models(1))) == (45, 0)
        # Another place of the same file, as on another machine.
        (tmp_path / "elsewhere").mkdir()
        assert counts(compare(models=models(1, tmp_path / "elsewhere"))) == (0, 45)
        # Those with code of their own may have changed; the plain one has not.
        assert counts(compare(models=models(2))) == (30, 15)

    def test_a_version_of_ones_own(self, compare, models):
        versions = ("--model-version", "power=1", "--model-version", "own=a")
        assert counts(compare(*versions, models=models(1))) == (45, 0)
        assert counts(compare(*versions, models=[*models(1)[:2], models(3)[2]])) == (0, 45)
        assert counts(compare("--model-version", "power=2", models=models(1))) == (30, 15)

    @pytest.mark.parametrize("text", ["power", "power=", "=1"])
    def test_versions_that_cannot_be_read(self, compare, models, text):
        refused = compare("--model-version", text, models=models(1))
        assert refused.status == 2
        assert refused.err == f"errbar: --model-version must be written like name=1, got '{text}'\n"

    def test_a_version_for_nobody(self, compare, models):
        refused = compare("--model-version", "pwer=1", models=models(1))
        assert refused.status == 2
        assert "pwer" in refused.err
        assert refused.err.count("\n") == 1


class TestInfo:
    def test_words(self, errbar, store):
        said = errbar("store", "info", store)
        assert said.status == 0
        first, *rest = said.out.splitlines()
        assert re.fullmatch(rf"{re.escape(str(store))}: \d\.\d MB, 30 fits of 1 data set", first)
        assert rest[0].startswith("  nn: 15 fits, ")
        assert rest[1].startswith("  tree: 15 fits, ")
        assert any("scikit-learn" in line for line in rest)
        assert "failed" not in said.out

    def test_json(self, errbar, store):
        found = errbar("store", "info", store, "--json").data
        assert (found["fits"], found["failed"], found["replicates"], found["failures"]) == (30, 0, 0, [])
        assert [(one["name"], one["fits"]) for one in found["learners"]] == [("nn", 15), ("tree", 15)]
        assert all(one["seconds"] > 0.0 for one in found["learners"])
        assert len(found["data"]) == 1
        assert found["bytes"] == store.stat().st_size
        assert found["versions"][0].keys() == {"python", "errbar", "numpy", "scipy", "scikit-learn"}

    def test_failures_are_named(self, errbar, tmp_path, monkeypatch):
        folder = Folder(tmp_path / "runs")
        monkeypatch.chdir(folder.path)
        errbar(*folder.arguments(["good", "raises"], "--method", "cv-wald", "--folds", "5"))
        said = errbar("store", "info", "runs.db")
        assert re.search(r"^  failed: raises, repeat 0, fold \d: ValueError: no fit today$", said.out, re.MULTILINE)
        [failure] = errbar("store", "info", "runs.db", "--json").data["failures"]
        assert (failure["learner"], failure["message"]) == ("raises", "ValueError: no fit today")
        assert errbar("store", "prune", "runs.db", "--failed").out == "1 record removed\n"
        assert "failed" not in errbar("store", "info", "runs.db").out


class TestVerify:
    def test_sound(self, errbar, store):
        said = errbar("store", "verify", store)
        assert (said.status, said.out) == (0, f"{store}: 30 fits, all sound\n")


class TestPrune:
    def test_a_learner(self, errbar, compare, store):
        size = store.stat().st_size
        assert errbar("store", "prune", store, "--learner", "tree").out == "15 records removed\n"
        assert store.stat().st_size < size
        assert counts(compare()) == (15, 15)

    def test_a_data_set(self, errbar, folder, compare, store):
        other = ("evaluate", folder / "iris.csv", "--target", "species", "--drop", "pw", "--model", TREE)
        assert counts(errbar(*other, "--store", store, "--json")) == (15, 0)
        found = errbar("store", "info", store, "--json").data["data"]
        assert len(found) == 2
        with SQLiteStore(store) as kept:
            fewer = [block.data for block in kept.blocks()]
        rare = min(found, key=fewer.count)
        assert errbar("store", "prune", store, "--data", rare).out == "15 records removed\n"
        assert counts(compare()) == (0, 30)

    def test_nothing_of_that_name(self, errbar, compare, store):
        assert errbar("store", "prune", store, "--learner", "forest", "--failed").out == "0 records removed\n"
        assert counts(compare()) == (0, 30)

    def test_it_must_be_said_what(self, errbar, store):
        refused = errbar("store", "prune", store)
        assert refused.status == 2
        assert refused.err.startswith("errbar: say what to remove: ")


class TestExport:
    def test_every_prediction_is_there(self, errbar, store, folder):
        assert errbar("export", store, "fits.csv").out == "450 rows of 30 fits written to fits.csv\n"
        table = pd.read_csv("fits.csv")
        assert set(table["learner"]) == {"tree", "nn"}
        assert table.groupby("fit").size().eq(15).all()
        # Wrong labels per learner are the estimates of the run.
        species = pd.read_csv(folder / "iris.csv")["species"]
        codes = species.astype("category").cat.codes.to_numpy()
        wrong = (table["label"] != codes[table["example"]]).groupby(table["learner"]).mean()
        arguments = ("--target", "species", "--model", TREE, "--model", NEIGHBOURS, "--store", store, "--json")
        found = errbar("compare", folder / "iris.csv", *arguments).data["learners"]
        assert wrong.to_dict() == pytest.approx({one["name"]: one["estimate"] for one in found})

    def test_probabilities_have_a_column_per_class(self, errbar, compare):
        compare("--loss", "log-loss", models=(TREE, LINEAR))
        errbar("export", "runs.db", "fits.csv")
        table = pd.read_csv("fits.csv")
        shares = table[[name for name in table if name.startswith("probability_")]]
        assert shares.shape == (450, 3)
        np.testing.assert_allclose(shares.sum(axis=1), 1.0)

    @pytest.mark.parametrize("name", ["fits.csv.gz", "fits.csv.xz", "fits.parquet"])
    def test_other_forms(self, errbar, store, name):
        errbar("export", store, "fits.csv")
        assert errbar("export", store, name).status == 0
        plain = pd.read_csv("fits.csv", keep_default_na=False)
        found = pd.read_parquet(name) if name.endswith(".parquet") else pd.read_csv(name, keep_default_na=False)
        pd.testing.assert_frame_equal(found, plain, check_dtype=False)

    def test_what_cannot_be_written(self, errbar, store, tmp_path):
        with SQLiteStore(tmp_path / "empty.db"):
            pass
        for arguments, message in [
            ((store, "fits.xlsx"), "a table ends in .csv, .csv.gz, .csv.xz or .parquet, got 'fits.xlsx'"),
            ((store, "no/fits.csv"), "there is no folder 'no' to write 'fits.csv' to"),
            ((store, "/proc/fits.csv"), "'/proc/fits.csv' cannot be written"),
            ((tmp_path / "empty.db", "fits.csv"), "holds no fits"),
        ]:
            refused = errbar("export", *arguments)
            assert refused.status == 2
            assert message in refused.err
            assert refused.err.count("\n") == 1


@pytest.mark.parametrize("command", [("store", "info"), ("store", "verify"), ("store", "prune"), ("store", "rescue")])
class TestWrongFiles:
    def call(self, errbar, command, path):
        return errbar(*command, path, *{"prune": ["--failed"], "rescue": ["new.db"]}.get(command[1], []))

    def test_that_are_not_there(self, errbar, command, tmp_path):
        refused = self.call(errbar, command, "no.db")
        assert (refused.status, refused.err) == (2, "errbar: there is no store 'no.db'\n")
        assert list(tmp_path.iterdir()) == []

    def test_of_something_else(self, errbar, command, tmp_path, folder):
        content = (folder / "iris.csv").read_bytes()
        (tmp_path / "iris.db").write_bytes(content)
        refused = self.call(errbar, command, "iris.db")
        assert refused.status == 2
        assert "'iris.db'" in refused.err
        assert refused.err.count("\n") == 1
        assert (tmp_path / "iris.db").read_bytes() == content


@pytest.mark.parametrize(("version", "age"), [(1, "an older"), (3, "a newer")])
def test_a_store_of_another_version(errbar, compare, store, version, age):
    database = sqlite3.connect(store)
    database.execute(f"PRAGMA user_version = {version}")
    database.commit()
    database.close()
    for refused in (compare(), errbar("store", "info", store), errbar("export", store, "fits.csv")):
        assert refused.status == 2
        assert f"was written by {age} errbar (version {version} of the file" in refused.err
        assert "give another file" in refused.err
        assert refused.err.count("\n") == 1


def test_names_with_anything_in_them(errbar, tmp_path):
    """A name is data: quotes and line ends in it change nothing."""
    odd = "a'; DROP TABLE record; --\n%"
    with SQLiteStore(tmp_path / "odd.db") as store:
        store.put([Block("k", odd, "s", np.arange(3), {"label": np.arange(3)}, data="d")])
    assert errbar("store", "info", "odd.db", "--json").data["learners"][0]["name"] == odd
    assert errbar("store", "prune", "odd.db", "--learner", odd).out == "1 record removed\n"
    assert json.loads(errbar("store", "info", "odd.db", "--json").out)["fits"] == 0
