"""errbar store, errbar export, and what --store does, on files that real runs have written."""

import csv
import json
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from errbar._plain import defused
from errbar.fits import Record, Store
from errbar.fits.task import data_of
from tests.cli.conftest import NEIGHBOURS, TREE
from tests.cli.runs import Folder, counts, figures
from tests.cli.test_errors import refused

pytestmark = pytest.mark.long

ASKED = ("--target", "species", "--plan", "Subsampling(n_test=0.1)")  # 15 random splits
LINEAR = "linear=sklearn.linear_model.LogisticRegression(max_iter=2000)"


@pytest.fixture
def compare(errbar, folder):
    """Compare models on the irises, with a store in the empty folder."""

    def call(*more, models=(TREE, NEIGHBOURS), store="runs.db"):
        named = [text for model in models for text in ("--model", model)]
        return errbar(
            "compare", folder / "iris.csv", *ASKED, *named, "--store", store, "--json", *more
        )

    return call


@pytest.fixture(scope="module")
def filled(folder, tmp_path_factory):
    """A store with thirty fits."""
    store = tmp_path_factory.mktemp("filled") / "runs.db"
    models = [text for model in (TREE, NEIGHBOURS) for text in ("--model", model)]
    command = ["compare", folder / "iris.csv", *ASKED, *models, "--store", store, "--json"]
    run = subprocess.run(
        [sys.executable, "-m", "errbar.cli", *map(str, command)], capture_output=True, check=True
    )
    assert json.loads(run.stdout)["counts"]["fits"] == 30
    return store


@pytest.fixture
def store(filled, tmp_path):
    """A copy of it in the empty folder."""
    return Path(shutil.copy(filled, tmp_path))


@pytest.mark.thorough
class TestOnlyWhatIsNewIsFitted:
    def test_again(self, compare, store):
        again = compare()
        assert counts(again) == (0, 30)
        assert figures(again) == figures(compare(store="other.db"))

    @pytest.mark.parametrize(
        ("more", "models", "fits"),
        [
            ((), (TREE, NEIGHBOURS, LINEAR), 15),
            (("--method", "resampled-t"), (TREE, NEIGHBOURS), 0),
            (("--method", "corrected-t", "--method", "resampled-t"), (TREE, NEIGHBOURS), 0),
            (("--loss", "accuracy"), (TREE, NEIGHBOURS), 0),
            (("--plan", "Subsampling(n_test=0.1, repeats=20)"), (TREE, NEIGHBOURS), 5 + 20),
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


class TestModelsFromAFile:
    """What a file of the user's own defines counts with the whole text of the file."""

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

    def test_they_are_found_again_until_their_code_changes(self, compare, models, tmp_path):
        assert counts(compare(models=models(1))) == (45, 0)
        # Another place of the same file, as on another machine.
        (tmp_path / "elsewhere").mkdir()
        assert counts(compare(models=models(1, tmp_path / "elsewhere"))) == (0, 45)
        # The text of the file has changed, and may change any learner.
        assert counts(compare(models=models(2))) == (45, 0)


class TestInfo:
    def test_words(self, errbar, store):
        said = errbar("store", "info", store)
        assert said.status == 0
        first, *rest = said.out.splitlines()
        assert first.startswith(f"{store}: ")
        assert [line.split(":")[0].strip() for line in rest[:2]] == ["nn", "tree"]

    def test_json(self, errbar, store):
        found = errbar("store", "info", store, "--json").data
        assert (found["fits"], found["failed"], found["replicates"], found["failures"]) == (
            30,
            0,
            0,
            [],
        )
        assert [(one["name"], one["fits"]) for one in found["learners"]] == [
            ("nn", 15),
            ("tree", 15),
        ]
        assert all(one["seconds"] > 0.0 for one in found["learners"])
        assert len(found["data"]) == 1
        assert found["bytes"] == store.stat().st_size
        assert found["versions"][0].keys() == {"python", "errbar", "numpy", "scipy", "scikit-learn"}

    def test_failures_are_named(self, errbar, tmp_path, monkeypatch):
        folder = Folder(tmp_path / "runs")
        monkeypatch.chdir(folder.path)
        errbar(*folder.arguments(["good", "raises"], "--method", "cv-wald", "--plan", "5"))
        assert "ValueError: no fit today" in errbar("store", "info", "runs.db").out
        [failure] = errbar("store", "info", "runs.db", "--json").data["failures"]
        assert (failure["learner"], failure["message"]) == ("raises", "ValueError: no fit today")
        assert errbar("store", "prune", "runs.db", "--learner", "raises").status == 0
        assert errbar("store", "info", "runs.db", "--json").data["failures"] == []


class TestPrune:
    def test_a_learner(self, errbar, compare, store):
        size = store.stat().st_size
        assert errbar("store", "prune", store, "--learner", "tree").status == 0
        assert store.stat().st_size < size
        assert counts(compare()) == (15, 15)

    def test_nothing_of_that_name(self, errbar, compare, store):
        assert errbar("store", "prune", store, "--learner", "forest").status == 0
        assert counts(compare()) == (0, 30)

    def test_it_must_be_said_what(self, errbar, store):
        before = store.read_bytes()
        refused(errbar("store", "prune", store))
        assert store.read_bytes() == before


class TestExport:
    def test_every_prediction_is_there(self, errbar, store, folder):
        assert errbar("export", store, "fits.csv").status == 0
        table = pd.read_csv("fits.csv")
        assert len(table) == 450
        assert set(table["learner"]) == {"tree", "nn"}
        assert table.groupby(["fit", "split"]).size().eq(15).all()
        # What is true is what the file says, and wrong labels per learner are the estimates of the run.
        species = pd.read_csv(folder / "iris.csv")["species"].to_numpy()
        assert (table["truth"] == species[table["example"]]).all()
        wrong = (table["label"] != table["truth"]).groupby(table["learner"]).mean()
        arguments = (*ASKED, "--model", TREE, "--model", NEIGHBOURS, "--store", store, "--json")
        found = errbar("compare", folder / "iris.csv", *arguments).data["learners"]
        assert wrong.to_dict() == pytest.approx({one["name"]: one["estimate"] for one in found})

    def test_probabilities_have_a_column_per_class(self, errbar, compare):
        compare("--loss", "log-loss", models=(TREE, LINEAR))
        errbar("export", "runs.db", "fits.csv")
        table = pd.read_csv("fits.csv")
        shares = table[["probability_set", "probability_ver", "probability_vir"]]
        assert shares.shape == (450, 3)
        np.testing.assert_allclose(shares.sum(axis=1), 1.0)
        assert (shares.idxmax(axis=1) == "probability_" + table["truth"]).mean() > 0.9

    @pytest.mark.parametrize("name", ["fits.csv.gz", "fits.csv.xz", "fits.parquet"])
    def test_other_forms(self, errbar, store, name):
        errbar("export", store, "fits.csv")
        assert errbar("export", store, name).status == 0
        plain = pd.read_csv("fits.csv", keep_default_na=False)
        found = (
            pd.read_parquet(name)
            if name.endswith(".parquet")
            else pd.read_csv(name, keep_default_na=False)
        )
        pd.testing.assert_frame_equal(found, plain, check_dtype=False)

    def test_what_cannot_be_written(self, errbar, store, tmp_path):
        with Store(tmp_path / "empty.db"):
            pass
        for arguments in [
            (store, "fits.xlsx"),
            (store, "no/fits.csv"),
            (store, "/proc/fits.csv"),
            (tmp_path / "empty.db", "fits.csv"),
        ]:
            refused(errbar("export", *arguments))
        assert not (tmp_path / "fits.csv").exists()


def kept(path, runs):
    """Fill a store with fits whose predictions are known: (learner, labels of all examples, predictions by kind)."""
    with Store(path) as store:
        for number, (learner, y, predictions) in enumerate(runs):
            data = data_of(
                np.zeros((len(y), 1)),
                y,
                "classification" if np.asarray(y).dtype.kind in "UOb" else "regression",
            )
            put_target(store, f"d{number}", data.target.values, data.target.classes)
            put_fit(store, f"k{number}", learner, np.arange(len(y)), predictions, f"d{number}")


def put_target(store, data, values, classes):
    labels = None if classes is None else classes.tolist()
    store.put(f"data {data}", Record({"values": values}, {"data": data, "classes": labels}))


def put_fit(store, key, learner, examples, predictions, data="d"):
    facts = {
        "learner": learner,
        "data": data,
        "splits": ["fold 0"],
        "sizes": [len(examples)],
        "seconds": 0.0,
        "versions": {},
    }
    store.put(key, Record({"examples": examples} | predictions, facts))


def written(name):
    if name.endswith(".parquet"):
        return pd.read_parquet(name)
    # Some versions of pandas read the last digit of a number wrong.
    return pd.read_csv(name, keep_default_na=False, dtype=str)


def numbers(table, *columns):
    return [[float(cell) for cell in row] for row in table[list(columns)].to_numpy()]


class TestWhatIsExportedCanBeRead:
    CLASSES = (
        "a,b",
        'say "no"',
        "two\nlines",
        "\u00e9t\u00e9",
        "e\u0301te\u0301",
        "\u7532",
        "a'b",
        " ",
        "cr\rlf",
        "tab\tin",
    )

    @pytest.mark.parametrize("name", ["fits.csv", "fits.csv.gz", "fits.csv.xz", "fits.parquet"])
    def test_classes_of_any_name(self, errbar, tmp_path, name, rng):
        truth = np.array(self.CLASSES)
        shares = rng.dirichlet(np.ones(10), 10)
        decisions = rng.normal(size=(10, 10)) * 10.0 ** rng.integers(-300, 300, (10, 10))
        codes = np.argsort(np.argsort(truth)).astype(np.uint8)[::-1]
        kept(
            tmp_path / "odd.db",
            [("t", truth.tolist(), {"label": codes, "probability": shares, "decision": decisions})],
        )
        assert errbar("export", "odd.db", name).status == 0
        table = written(name)
        classes = np.sort(truth)
        assert table["truth"].tolist() == truth.tolist()
        assert table["label"].tolist() == classes[codes].tolist()
        assert numbers(table, *(f"probability_{one}" for one in classes)) == shares.tolist()
        assert numbers(table, *(f"decision_{one}" for one in classes)) == decisions.tolist()

    @settings(
        max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
    )
    @given(
        st.lists(
            st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=5),
            min_size=2,
            max_size=5,
            unique=True,
        )
    )
    def test_whatever_they_are_called(self, errbar, tmp_path, classes):
        place = tmp_path / "any.db"
        place.unlink(missing_ok=True)
        kept(place, [("t", classes, {"label": np.arange(len(classes), dtype=np.uint8)})])
        for name in ("fits.csv", "fits.parquet"):
            assert errbar("export", place, name).status == 0
            text = [defused(one) for one in classes] if name == "fits.csv" else classes
            order = (
                [defused(one) for one in sorted(classes)] if name == "fits.csv" else sorted(classes)
            )
            table = written(name)
            assert table["truth"].tolist() == text
            assert table["label"].tolist() == order

    @pytest.mark.parametrize("name", ["fits.csv", "fits.parquet"])
    def test_numbers_are_the_same_numbers(self, errbar, tmp_path, name, rng):
        y, found = rng.normal(size=(2, 200)) * 10.0 ** rng.integers(-300, 300, (2, 200))
        kept(tmp_path / "numbers.db", [("ridge", y, {"label": found})])
        errbar("export", "numbers.db", name)
        table = written(name)
        assert list(table) == [
            "learner",
            "fit",
            "data",
            "split",
            "seconds",
            "example",
            "truth",
            "label",
        ]
        assert numbers(table, "truth", "label") == np.column_stack([y, found]).tolist()

    def test_types_of_labels_stay(self, errbar, tmp_path):
        kept(
            tmp_path / "one.db",
            [("a", [True, False, True], {"label": np.array([0, 0, 1], np.uint8)})],
        )
        errbar("export", "one.db", "fits.parquet")
        assert written("fits.parquet")["label"].tolist() == [False, False, True]
        assert written("fits.parquet")["truth"].dtype == bool

    def test_a_cell_is_no_formula(self, errbar, tmp_path):
        labels = ["=cmd|' /C calc'!A0", "+1+1", "-x", "@SUM(A1)", "\tx", "-1", "plain"]
        kept(
            tmp_path / "evil.db",
            [("=HYPERLINK(1)", labels, {"label": np.arange(7, dtype=np.uint8)})],
        )
        errbar("export", "evil.db", "fits.csv")
        table = pd.read_csv("fits.csv", dtype=str)
        assert table["truth"].tolist() == [
            "'=cmd|' /C calc'!A0",
            "'+1+1",
            "'-x",
            "'@SUM(A1)",
            "'\tx",
            "-1",
            "plain",
        ]
        assert set(table["learner"]) == {"'=HYPERLINK(1)"}
        for row in csv.reader(Path("fits.csv").read_text(encoding="utf-8").splitlines()):
            assert not any(cell.startswith(("=", "+", "@", "\t", "\r")) for cell in row)
        errbar("export", "evil.db", "fits.parquet")
        assert written("fits.parquet")["truth"].tolist() == labels

    def test_negative_numbers_stay_numbers(self, errbar, tmp_path):
        kept(
            tmp_path / "n.db", [("a", np.array([-1.5, 2.0]), {"label": np.array([-2.5, -1e-300])})]
        )
        errbar("export", "n.db", "fits.csv")
        assert pd.read_csv("fits.csv")["label"].tolist() == [-2.5, -1e-300]


class TestSeveralDataSets:
    RUNS = (
        (
            "tree",
            ["a", "b", "b"],
            {"label": np.array([0, 1, 0], np.uint8), "decision": np.array([-1.0, 2.0, 3.0])},
        ),
        ("bayes", ["x", "y", "z"], {"probability": np.eye(3)}),
        ("ridge", np.array([1.0, 2.0]), {"label": np.array([1.5, 2.5])}),
    )

    @pytest.fixture
    def mixed(self, tmp_path):
        kept(tmp_path / "mixed.db", self.RUNS)
        return tmp_path / "mixed.db"

    def test_each_row_has_its_own_truth(self, errbar, mixed):
        assert errbar("export", mixed, "fits.csv").status == 0
        table = written("fits.csv")
        assert list(table)[6:] == [
            "truth",
            "label",
            "decision",
            "probability_x",
            "probability_y",
            "probability_z",
        ]
        assert table["truth"].tolist() == ["a", "b", "b", "x", "y", "z", "1.0", "2.0"]
        assert table["label"].tolist() == ["a", "b", "a", "", "", "", "1.5", "2.5"]
        assert table["decision"].tolist() == ["-1.0", "2.0", "3.0", *[""] * 5]
        assert table["probability_y"].tolist() == ["", "", "", "0.0", "1.0", "0.0", "", ""]

    def test_some_of_them(self, errbar, mixed):
        assert errbar("export", mixed, "fits.csv", "--learner", "bayes").status == 0
        assert written("fits.csv")["learner"].tolist() == ["bayes"] * 3
        assert (
            errbar("export", mixed, "f.csv", "--learner", "tree", "--learner", "ridge").status == 0
        )
        assert written("f.csv")["learner"].tolist() == ["tree"] * 3 + ["ridge"] * 2
        refused(errbar("export", mixed, "f.csv", "--learner", "forest"))

    def test_a_parquet_column_has_one_type(self, errbar, mixed):
        refused(errbar("export", mixed, "fits.parquet"))
        assert (
            errbar(
                "export", mixed, "fits.parquet", "--learner", "tree", "--learner", "bayes"
            ).status
            == 0
        )
        found = written("fits.parquet")
        assert found["label"].isna().tolist() == [False] * 3 + [True] * 3
        assert found["probability_x"].tolist()[3:] == [1.0, 0.0, 0.0]

    def test_the_target_goes_with_the_last_fit(self, errbar, mixed):
        def targets():
            with Store(mixed) as store:
                return [f"data d{k}" in dict(store.each()) for k in range(3)]

        assert errbar("store", "info", mixed, "--json").data["replicates"] == 0
        assert errbar("store", "prune", mixed, "--learner", "tree").status == 0
        assert targets() == [False, True, True]
        assert errbar("store", "prune", mixed, "--learner", "ridge").status == 0
        assert targets() == [False, True, False]
        assert errbar("store", "info", mixed).status == 0
        assert errbar("export", mixed, "fits.csv").status == 0

    def test_without_a_target_it_is_said_what_to_do(self, errbar, compare, store):
        with Store(store) as file:
            file.drop([key for key, _ in file.each() if key.startswith("data ")])
        refused(errbar("export", store, "fits.csv"))
        assert counts(compare()) == (0, 30)
        assert errbar("export", store, "fits.csv").status == 0


class TestOthersUseTheStore:
    def test_where_nothing_can_be_written(self, errbar, store, tmp_path):
        place = tmp_path / "frozen"
        place.mkdir()
        shutil.move(store, place / "runs.db")
        before = (place / "runs.db").read_bytes()
        (place / "runs.db").chmod(0o444)
        place.chmod(0o555)
        try:
            assert errbar("store", "info", place / "runs.db").status == 0
            assert errbar("export", place / "runs.db", "fits.csv").status == 0
        finally:
            place.chmod(0o755)
        assert (place / "runs.db").read_bytes() == before

    def test_while_another_process_writes(self, errbar, store):
        """A transaction is open, with fits that are not yet committed."""
        other = sqlite3.connect(store, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        other.execute("DELETE FROM record WHERE key NOT LIKE 'data%'")
        assert errbar("store", "info", store, "--json").data["fits"] == 30
        assert errbar("export", store, "fits.csv").status == 0
        assert len(pd.read_csv("fits.csv")) == 450
        other.execute("ROLLBACK")
        other.close()


COMMANDS = (
    ("store", "info"),
    ("store", "prune"),
    ("export",),
)


@pytest.mark.parametrize("command", COMMANDS)
class TestWrongFiles:
    def call(self, errbar, command, path):
        more = {"prune": ["--learner", "tree"], "export": ["new.csv"]}.get(command[-1], [])
        return errbar(*command, path, *more)

    def test_that_are_not_there(self, errbar, command, tmp_path):
        refused(self.call(errbar, command, "no.db"))
        assert list(tmp_path.iterdir()) == []

    def test_of_something_else(self, errbar, command, tmp_path, folder):
        content = (folder / "iris.csv").read_bytes()
        (tmp_path / "iris.db").write_bytes(content)
        refused(self.call(errbar, command, "iris.db"))
        assert (tmp_path / "iris.db").read_bytes() == content

    def test_of_nothing(self, errbar, command, tmp_path):
        for make in (
            lambda path: path.mkdir(),
            lambda path: path.write_bytes(b""),
            lambda path: path.symlink_to("no"),
        ):
            place = tmp_path / "it.db"
            make(place)
            refused(self.call(errbar, command, "it.db"))
            place.rmdir() if place.is_dir() else place.unlink()
            assert list(tmp_path.iterdir()) == []

    @pytest.mark.parametrize("table", ["record", "other"])
    def test_of_another_program(self, errbar, command, tmp_path, table):
        database = sqlite3.connect(tmp_path / "other.db")
        database.execute(f"CREATE TABLE {table} (name TEXT, facts TEXT)")
        database.execute(f"INSERT INTO {table} VALUES ('fit/x', 'y')")
        database.commit()
        database.close()
        content = (tmp_path / "other.db").read_bytes()
        refused(self.call(errbar, command, "other.db"))
        assert (tmp_path / "other.db").read_bytes() == content
        assert [place.name for place in tmp_path.iterdir()] == ["other.db"]

    @settings(
        max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
    )
    @given(data=st.data())
    def test_that_are_damaged(self, errbar, command, filled, tmp_path, data):
        """Noise anywhere, or a cut: an answer, or one line; never more."""
        content = bytearray(filled.read_bytes())
        for _ in range(data.draw(st.integers(1, 4))):
            begin = data.draw(st.integers(0, len(content) - 1))
            size = data.draw(st.sampled_from([1, 16, 4096]))
            noise = data.draw(st.randoms(use_true_random=False)).randbytes(
                min(size, len(content) - begin)
            )
            content[begin : begin + len(noise)] = noise
        end = data.draw(st.sampled_from([len(content), len(content) // 2, 100]))
        folder = Path(tempfile.mkdtemp(dir=tmp_path))
        (folder / "bad.db").write_bytes(content[:end])
        more = {
            "prune": ["--learner", "tree"],
            "export": [folder / "new.csv"],
        }
        found = errbar(*command, folder / "bad.db", *more.get(command[-1], []))
        assert found.status in ((0, 1, 2) if command[-1] == "info" else (0, 2)), found.err
        assert "Traceback" not in found.err
        if found.status == 2:
            assert found.err.startswith("errbar: ")
            assert found.err.count("\n") == 1


@pytest.mark.parametrize("version", [3, 4, 6])
def test_a_store_of_another_version(errbar, compare, store, version):
    database = sqlite3.connect(store)
    database.execute(f"PRAGMA user_version = {version}")
    database.commit()
    database.close()
    before = store.read_bytes()
    for ended in (compare(), errbar("store", "info", store), errbar("export", store, "fits.csv")):
        refused(ended)
    assert store.read_bytes() == before


def test_names_with_anything_in_them(errbar, tmp_path):
    """A name is data: quotes and line ends in it change nothing."""
    odd = "a'; DROP TABLE record; --\n%"
    with Store(tmp_path / "odd.db") as store:
        put_fit(store, "k", odd, np.arange(3), {"label": np.arange(3)})
    assert errbar("store", "info", "odd.db", "--json").data["learners"][0]["name"] == odd
    assert errbar("store", "prune", "odd.db", "--learner", odd).status == 0
    assert json.loads(errbar("store", "info", "odd.db", "--json").out)["fits"] == 0
