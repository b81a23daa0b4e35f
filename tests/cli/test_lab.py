"""The commands under `errbar lab`: real runs on small numbers of data sets, interrupted ones too."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from errbar.cli import app
from errbar.cli.commands import TABLES
from errbar.fits import Store
from tests import churn
from tests.cli.test_errors import refused

pytestmark = pytest.mark.long

DATA = os.environ.get("ERRBAR_DATA")
STATISTICS = [
    "t",
    "resampled-t n2=n/2",
    "resampled-t n2=n/10",
    "corrected-t n2=n/2",
    "corrected-t n2=n/10",
    "5x2cv-t",
    "conservative-z n2=n/2",
    "conservative-z n2=n/10",
]


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A folder with small files in the format of the papers' data sets, and one of a user's own."""
    folder = tmp_path_factory.mktemp("lab")
    rng = np.random.default_rng(0)
    letters = rng.integers(0, 26, 3000)
    features = np.clip(
        rng.normal(7.5 + 3.0 * np.sin(np.outer(letters, np.arange(1, 17))), 2.0), 0, 15
    ).astype(int)
    lines = [
        f"{chr(65 + k)},{','.join(map(str, row))}\n"
        for k, row in zip(letters, features, strict=True)
    ]
    (folder / "letter-recognition.data").write_text("".join(lines))
    cover = rng.integers(1, 8, 2000)
    wide = rng.integers(0, 2, (2000, 54))
    wide[:, :10] += (cover[:, None] == 2) * rng.integers(0, 3, (2000, 10))
    np.savetxt(folder / "covtype.data", np.column_stack([wide, cover]), fmt="%d", delimiter=",")
    X = rng.normal(size=(400, 3))
    own = np.column_stack([X, X[:, 0] + rng.normal(size=400) > 0]).astype(float)
    np.savetxt(
        folder / "own.csv",
        own,
        delimiter=",",
        header="a,b,c,y",
        comments="",
        fmt=["%g", "%g", "%g", "%d"],
    )
    return folder


def arguments(name, place):
    """A quick study of each kind."""
    own = (place / "own.csv", "--target", "y", "--model", "bayes=sklearn.naive_bayes.GaussianNB")
    tree = ("--model", "tree=sklearn.tree.DecisionTreeClassifier(max_depth=2)")
    given = {
        "figure1": ("--data", place, "--datasets", 12, "--truth-draws", 40),
        "habitat": (
            "--data",
            place,
            "--datasets",
            4,
            "--repeats",
            3,
            "--repeats",
            5,
            "--halvings",
            2,
            "--truth-draws",
            40,
        ),
        "table2": ("--data", place, "--n", 20, "--n", 40, "--replicates", 60),
        "moments": ("--data", place, "--datasets", 8, "--n", 100, "--repeats", 4),
        "coverage": (
            "--problem",
            "gaussian-regression-20",
            "--method",
            "corrected-t",
            "--n",
            60,
            "--replicates",
            25,
        ),
        "atlas": (
            "--problem",
            "friedman",
            "--n",
            60,
            "--datasets",
            3,
            "--truth-draws",
            4,
            "--cheap",
        ),
        "calibrate": (
            *own,
            *tree,
            "--method",
            "corrected-t",
            "--n",
            40,
            "--replicates",
            12,
            "--truth-draws",
            40,
        ),
    }
    return [str(word) for word in ("lab", name, *given[name])]


STUDIES = ["figure1", "habitat", "table2", "moments", "coverage", "calibrate", "atlas"]


def test_every_study_is_tried_here():
    assert sorted(app.get_command(None, "lab").commands) == sorted(STUDIES)


def test_without_its_distribution_the_command_says_what_to_install(errbar, monkeypatch):
    monkeypatch.setitem(app.commands, "lab", ("errbar lab", TABLES))
    monkeypatch.setattr("importlib.metadata.entry_points", lambda **_: ())
    for words in (("lab",), ("lab", "coverage", "--n", "60"), ("lab", "--help")):
        outcome = errbar(*words)
        assert outcome.status == 2
        assert "pip install errbar-lab" in outcome.err
    assert " lab " not in errbar("--help").out


@pytest.mark.parametrize("name", STUDIES)
def test_help_has_an_example(errbar, name):
    outcome = errbar("lab", name, "--help")
    assert outcome.status == 0
    assert f"errbar lab {name}" in " ".join(outcome.out.split())


@pytest.mark.parametrize("name", STUDIES)
def test_table_plot_and_raw_numbers(errbar, place, tmp_path, name):
    outcome = errbar(*arguments(name, place), "--out", "plot.png", "--csv", "raw.csv", "--quiet")
    assert outcome.status == 0, outcome.err
    assert outcome.err == ""
    assert "%" in outcome.out
    assert (tmp_path / "plot.png").stat().st_size > 5_000
    head, *rows = (tmp_path / "raw.csv").read_text().splitlines()
    assert head.startswith(f"# errbar lab {name} ")
    assert str(place) not in head or name == "calibrate"
    assert len(rows) >= 2
    assert len({row.count(",") for row in rows if '"' not in row}) == 1


# One mechanism keeps the replicates of all of them.
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=() if name == "coverage" else pytest.mark.thorough)
        for name in STUDIES
    ],
)
def test_killed_in_the_middle_it_goes_on_and_gives_the_same_figures(errbar, place, tmp_path, name):
    words = [*arguments(name, place), "--json"]
    whole = errbar(*words)
    assert whole.status == 0, whole.err
    store = tmp_path / "lab.db"
    run = subprocess.Popen(
        [sys.executable, "-m", "errbar.cli", *words, "--store", str(store)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    while run.poll() is None and not kept(store):
        time.sleep(0.005)
    run.send_signal(signal.SIGKILL)
    run.wait()
    before = kept(store)
    assert before > 0
    resumed = errbar(*words, "--store", store)
    assert resumed.status == 0, resumed.err
    assert without_time(resumed.data) == without_time(whole.data)
    assert kept(store) >= before
    assert without_time(errbar(*words, "--store", store).data) == without_time(whole.data)


def without_time(data):
    return {key: value for key, value in data.items() if key != "seconds"}


def kept(store):
    if not Path(store).is_file():
        return 0
    with Store(store) as file:
        return len(list(file.each()))


def test_figure1_says_what_was_promised(errbar, place):
    data = errbar(*arguments("figure1", place), "--json").data
    assert [(row["target"], row["statistic"]) for row in data["sizes"]] == [
        (target, statistic) for target in ("A", "B", "A-B") for statistic in STATISTICS
    ]
    for row in data["sizes"]:
        assert 0.0 <= row["low"] <= row["size"] <= row["high"] <= 1.0
        assert row["ratio"] is None or row["ratio"] > 0.0
    assert len(data["power"]) == len(data["sizes"])
    for curve in data["power"]:
        assert len(curve["mu0"]) == len(curve["power"]) > 20


def test_table2_says_what_was_promised(errbar, place):
    for dataset in ("letter", "forest"):
        outcome = errbar(*arguments("table2", place), "--dataset", dataset, "--json")
        assert outcome.status == 0, outcome.err
        assert [row["n"] for row in outcome.data["rows"]] == [20, 40]
        for row in outcome.data["rows"]:
            assert {"n", "rho", "type_1_rho_0", "type_1_rho_0.7"} <= set(row)
            assert row["type_1_rho_0.7"] <= row["type_1_rho_0"]


@pytest.mark.parametrize(
    ("words", "argument"),
    [
        (("figure1", "--data", "missing.data"), None),
        (("figure1", "--datasets", "1"), "replicates"),
        (("figure1", "--n", "10"), "n"),
        (("figure1", "--level", "90"), "level"),
        (("table2", "--dataset", "forrest"), None),
        (("table2", "--n", "5"), "n"),
        (("coverage", "--problem", "gauss"), None),
        (("coverage", "--method", "corrected"), None),
        (("figure1", "--out", "plot.txt"), None),
        (("figure1", "--csv", "nowhere/raw.csv"), None),
        (("figure1", "--store", "nowhere/lab.db"), None),
    ],
)
def test_bad_input_is_one_line(errbar, place, words, argument):
    data = () if "--data" in words or words[0] == "coverage" else ("--data", str(place))
    refused(errbar("lab", *words, *data), argument)


def test_replicates_that_fail_are_named(errbar, place):
    words = [
        *arguments("calibrate", place),
        "--model",
        "far=sklearn.neighbors.KNeighborsClassifier(n_neighbors=39)",
    ]
    outcome = errbar(*words)
    assert outcome.status in (2, 3)
    assert outcome.err
    assert "Traceback" not in outcome.err


CALIBRATED = ("--replicates", "3", "--truth-draws", "4", "--quiet")
TREE = ("--model", "tree=sklearn.tree.DecisionTreeClassifier(max_depth=3)")


@pytest.fixture(scope="module")
def customers(tmp_path_factory):
    """Customers with a column of text, gaps in it and in one of numbers, and several rows each."""
    place = churn.write(tmp_path_factory.mktemp("customers") / "churn.csv", 400)
    frame, rng = pd.read_csv(place), np.random.default_rng(1)
    for name in ("calls", "contract"):
        frame.loc[rng.random(400) < 0.1, name] = np.nan
    frame.assign(customer=np.arange(400) // 5, day="2026-01-31").to_csv(place, index=False)
    return place


@pytest.mark.thorough
def test_calibrate_takes_text_and_gaps(errbar, customers):
    dummy = "dummy=sklearn.dummy.DummyClassifier"
    words = (customers, "--target", "churn", "--drop", "day", "--drop", "customer", "--n", "80")
    outcome = errbar("lab", "calibrate", *words, "--model", dummy, *TREE, *CALIBRATED, "--json")
    assert outcome.status == 0, outcome.err
    found = outcome.data
    assert {row["about"] for row in found["performances"]} == {"ER(n1)", "ER(n)", "PQ", "R"}
    assert {"cv-t", "corrected-t", "corrected-t 3x10 folds"} <= {
        row["method"] for row in found["performances"]
    }
    assert all(
        0.0 < row["truth"] < 0.5 for row in found["performances"] if "-" not in row["target"]
    )
    assert {one["method"] for one in found["recommendations"]} == {None}
    assert found["warnings"]
    assert list(found["left_out"]) == ["cluster-t"]


def test_calibrate_takes_a_positive_class_and_strata(errbar, customers):
    words = (
        customers,
        "--target",
        "churn",
        "--drop",
        "day",
        "--drop",
        "customer",
        "--n",
        "100",
        "--stratify",
    )
    asked = (
        "--loss",
        "recall",
        "--method",
        "cv-t",
        "--about",
        "ER(n)",
        *TREE,
        *CALIBRATED,
        "--json",
    )
    truth = {}
    for label in ("yes", "no"):
        outcome = errbar("lab", "calibrate", *words, "--positive", label, *asked)
        assert outcome.status == 0, outcome.err
        [row] = outcome.data["performances"]
        truth[label] = row["truth"]
    assert truth["yes"] < 0.9 < truth["no"]


@pytest.mark.thorough
def test_calibrate_draws_whole_groups(errbar, customers):
    words = (
        customers,
        "--target",
        "churn",
        "--drop",
        "day",
        "--groups",
        "customer",
        "--n",
        "100",
        "--about",
        "ER(n1)",
    )
    outcome = errbar("lab", "calibrate", *words, *TREE, *CALIBRATED)
    assert outcome.status == 0, outcome.err
    assert "cluster-t" in outcome.out
    found = errbar("lab", "calibrate", *words, *TREE, *CALIBRATED, "--json").data
    assert "cluster-t" in {row["method"] for row in found["performances"]}
    assert "cv-wald" in found["left_out"]


@pytest.mark.thorough
@pytest.mark.skipif(
    not DATA, reason="ERRBAR_DATA does not name a folder with letter-recognition.data.xz"
)
def test_figure1_on_the_real_letters(errbar):
    few = ("--datasets", 30, "--truth-draws", 1500)
    data = errbar("lab", "figure1", "--data", DATA, *few, "--jobs", 2, "--json").data
    sizes = {row["statistic"]: row for row in data["sizes"] if row["target"] == "A"}
    assert 0.4 < data["truth"]["A"]["value"] < 0.8
    assert data["truth"]["A"]["standard_error"] < 0.001
    assert abs(data["truth"]["A-B"]["value"]) < 0.02
    assert sizes["resampled-t n2=n/2"]["size"] > 0.2 > sizes["corrected-t n2=n/2"]["size"]


@pytest.mark.thorough
@pytest.mark.skipif(not DATA, reason="ERRBAR_DATA does not name a folder with covtype.data.xz")
def test_table2_on_the_real_forest(errbar):
    words = (
        "lab",
        "table2",
        "--data",
        DATA,
        "--dataset",
        "forest",
        "--n",
        40,
        "--replicates",
        400,
        "--jobs",
        2,
        "--json",
    )
    [row] = errbar(*words).data["rows"]
    assert row["rho_low"] - 0.05 < 0.4985 < row["rho_high"] + 0.05
    assert json.dumps(row)
    assert 0.05 < row["type_1_rho_0"] < 0.3


@pytest.mark.thorough
def test_damaged_records_are_said_on_one_line_and_run_again(tmp_path):
    words = (
        "lab",
        "coverage",
        "--problem",
        "gaussian-regression-20",
        "--method",
        "corrected-t",
        "--n",
        "60",
    )
    words += ("--replicates", "20", "--json", "--quiet", "--store", "lab.db")

    def run():
        command = [sys.executable, "-m", "errbar.cli", *words]
        ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
        return without_time(json.loads(ended.stdout)), ended.stderr

    whole, nothing = run()
    assert nothing == ""
    with sqlite3.connect(tmp_path / "lab.db") as database:
        database.execute("UPDATE record SET content = (SELECT content FROM record LIMIT 1)")
    again, said = run()
    assert again == whole
    assert said.startswith("errbar: ")
    assert said.count("\n") == 1


@pytest.mark.parametrize(
    ("problem", "loss"),
    [
        ("gaussian-classification-20", "f1"),
        ("gaussian-classification-20", "roc_auc"),
        ("gaussian-ridge-20", "r2"),
        ("gaussian-ridge-20", "rmse"),
    ],
)
def test_coverage_of_a_metric(errbar, problem, loss):
    words = [
        "--problem",
        problem,
        "--loss",
        loss,
        "--method",
        "cv-wald",
        "--n",
        "100",
        "--replicates",
        "3",
    ]
    words += ["--truth-draws", "10"]
    outcome = errbar("lab", "coverage", *words, "--quiet", "--json")
    assert outcome.status == 0, outcome.err
    found = json.loads(outcome.out)
    assert found["settings"]["Loss"] == {"rmse": "root_mean_squared_error"}.get(loss, loss)
    assert {one["method"] for one in found["performances"]} == {"cv-wald"}


def test_a_metric_that_does_not_fit_the_problem_is_one_line(errbar):
    refused(errbar("lab", "coverage", "--problem", "gaussian-ridge-20", "--loss", "f1", "--quiet"))
