"""errbar compare and errbar evaluate on real files."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

import errbar as library
from tests.cli.conftest import NEIGHBOURS, TREE
from tests.cli.test_errors import refused

FIELDS = {"method", "estimand", "n_train", "level", "learners", "pairs", "counts", "notes"}


def both(path, *more):
    return ("compare", path, "--target", "species", "--model", TREE, "--model", NEIGHBOURS, *more)


def test_json_has_the_stated_shape_and_the_library_s_numbers(errbar, folder):
    outcome = errbar(*both(folder / "iris.csv", "--json", "--random-state", "3"))
    assert outcome.status == 0, outcome.err
    assert outcome.data.keys() >= FIELDS
    assert outcome.data["counts"].keys() == {"fits", "reused", "failed", "seconds", "shared"}
    [pair] = outcome.data["pairs"]
    wanted = {"a", "b", "estimate", "se", "low", "high", "statistic", "df", "pvalue", "adjusted"}
    assert pair.keys() == wanted
    X, y = load_iris(return_X_y=True)
    learners = {"tree": DecisionTreeClassifier(max_depth=2), "nn": KNeighborsClassifier(1)}
    expected = library.compare(
        learners, X, np.array(["set", "ver", "vir"])[y], random_state=3
    ).to_dict()
    assert outcome.data["learners"] == expected["learners"]
    assert outcome.data["pairs"] == expected["pairs"]


@pytest.mark.parametrize("name", ["iris.csv.gz", "iris.csv.xz", "iris.parquet"])
def test_every_kind_of_file_gives_the_same(errbar, folder, name):
    plain = errbar(*both(folder / "iris.csv", "--json")).data
    assert errbar(*both(folder / name, "--json")).data["pairs"] == plain["pairs"]


@pytest.mark.long
def test_the_table_and_the_reports(errbar, folder, tmp_path):
    for suffix in ("html", "md", "tex", "csv", "json"):
        outcome = errbar(*both(folder / "iris.csv", "--out", f"report.{suffix}"))
        assert outcome.status == 0, outcome.err
        assert "tree - nn" in outcome.out
        assert f"report.{suffix}" in outcome.out
        assert (tmp_path / f"report.{suffix}").stat().st_size > 400


METHODS = library.methods.METHODS
FITTED = sorted(
    key for key, m in METHODS.items() if m.default_plan is not None and m.loss != "roc_auc"
)
SMALL = {"nested-cv": "NestedKFold(folds=3, repeats=1)", "replace-one": "ReplaceOne(folds=2)"}
SMALL |= dict.fromkeys(("632", "632-plus"), "Bootstrap(repeats=20, training_error=True)")
SMALL |= dict.fromkeys(("oob-bootstrap", "bootstrap-benchmark"), "Bootstrap(repeats=20)")
SMALL |= {
    "cv-jackknife": "NestedKFold(folds=3, repeats=1)",
    "part-jackknife": "PartJackknife(n_parts=3, folds=3, repeats=2)",
    "conservative-z": "PairedHalves(repeats=3, halvings=2)",
    "halved-kfold-t": "HalvedKFold(folds=3, halvings=2)",
}


@pytest.mark.long
@pytest.mark.parametrize("method", FITTED)
def test_every_method_runs_for_a_difference_and_for_one_learner(errbar, folder, method):
    arguments = ("--method", method, "--json")
    if method in SMALL:
        arguments += ("--plan", SMALL[method])
    # What clusters need is said of data that have them.
    file, *named = ("groups.csv", "--groups", "patch") if method == "cluster-t" else ("iris.csv",)
    if method == "two-way-t":
        named = ["--groups", "pw", "--time", "sl"]
    arguments += tuple(named)
    outcome = errbar(*both(folder / file, *arguments))
    assert outcome.status == 0, outcome.err
    assert outcome.data["method"] == method
    alone = errbar("evaluate", folder / file, "--target", "species", "--model", TREE, *arguments)
    if METHODS[method].subject == "pair":
        refused(alone)
        return
    assert alone.status == 0, alone.err
    assert alone.data["pairs"] == []
    if method not in ("5x2cv-t", "5x2cv-f"):
        assert alone.data["learners"] == [
            r for r in outcome.data["learners"] if r["name"] == "tree"
        ]


@pytest.mark.parametrize("method", ["delong", "bootstrap-auc"])
def test_methods_about_the_auc_say_what_they_need(errbar, folder, method):
    refused(errbar(*both(folder / "iris.csv", "--method", method)))


@pytest.mark.long
def test_jobs_do_not_change_the_numbers(errbar, folder):
    one = errbar(*both(folder / "iris.csv", "--json")).data
    two = errbar(*both(folder / "iris.csv", "--json", "--jobs", "2")).data
    assert (one["learners"], one["pairs"]) == (two["learners"], two["pairs"])


def test_scores_are_shown_in_their_own_direction(errbar, folder):
    data = errbar(*both(folder / "iris.csv", "--loss", "accuracy", "--json")).data
    assert data["direction"] == "higher is better"
    values = {row["name"]: row["estimate"] for row in data["learners"]}
    assert min(values.values()) > 0.8
    assert data["pairs"][0]["estimate"] == pytest.approx(values["tree"] - values["nn"])


def test_regression_and_its_losses(errbar, folder):
    models = (
        "--model",
        "ridge=sklearn.linear_model.Ridge",
        "--model",
        "tree=sklearn.tree.DecisionTreeRegressor",
    )
    for loss, direction in (
        ("absolute-error", "lower"),
        ("r2", "higher"),
        ("neg_root_mean_squared_error", "lower"),
    ):
        outcome = errbar(
            "compare",
            folder / "diabetes.csv",
            "--target",
            "target",
            *models,
            "--loss",
            loss,
            "--json",
        )
        assert outcome.status == 0, outcome.err
        assert outcome.data["direction"] == f"{direction} is better"


@pytest.mark.long
def test_text_columns_are_one_hot_encoded(errbar, folder):
    outcome = errbar(*both(folder / "colours.csv", "--json"))
    assert outcome.status == 0, outcome.err
    assert outcome.data["learners"][0]["estimate"] < 0.2


def test_names_of_rows_are_refused(errbar, folder):
    assert errbar(*both(folder / "ids.csv")).status == 2
    outcome = errbar(*both(folder / "ids.csv", "--drop", "id", "--json"))
    assert outcome.status == 0, outcome.err
    assert errbar(*both(folder / "ids.csv", "--feature", "id")).status == 0


@pytest.mark.parametrize(("copies", "status"), [(20, 0), (50, 2)])
def test_rows_that_are_copies_of_others(errbar, folder, copies, status):
    iris = pd.read_csv(folder / "iris.csv").drop_duplicates()
    iris["sl"] += np.random.default_rng(0).normal(size=len(iris)) / 100
    pd.concat([iris, iris[:copies]]).to_csv("copies.csv", index=False)
    outcome = errbar(*both("copies.csv", "--json"))
    assert outcome.status == status
    if status == 0:
        [note] = [note for note in outcome.data["notes"] if note["code"] == "copies"]
        assert note["numbers"] == {"copies": copies, "rows": len(iris) + copies}


def test_plans_from_options(errbar, folder):
    data = errbar(*both(folder / "iris.csv", "--plan", "KFold(folds=5, repeats=2)", "--json")).data
    assert (data["n_splits"], data["n_train"]) == (10, 120.0)
    data = errbar(
        *both(
            folder / "iris.csv",
            "--plan",
            "Subsampling(n_train=60, n_test=0.2, repeats=4)",
            "--json",
        )
    ).data
    assert (data["n_splits"], data["n_train"]) == (4, 60.0)
    data = errbar(
        *both(folder / "iris.csv", "--stratify", "--plan", "5", "--json", "--method", "cv-wald")
    ).data
    assert data["n_splits"] == 5
    data = errbar(*both(folder / "groups.csv", "--groups", "patch", "--plan", "5", "--json")).data
    assert data["n_splits"] == 5
    data = errbar(*both(folder / "groups.csv", "--groups", "patch", "--json")).data
    assert (data["n_splits"], data["n_train"]) == (49, pytest.approx(150 * 6 / 7))
    data = errbar(
        *both(
            folder / "groups.csv",
            "--groups",
            "patch",
            "--plan",
            "KFold(folds=6, repeats=2)",
            "--json",
        )
    ).data
    assert (data["n_splits"], data["n_train"]) == (12, 125.0)
    plan = ("--groups", "patch", "--plan", "Subsampling(n_test=3, repeats=4, stratify=True)")
    data = errbar(*both(folder / "groups.csv", *plan, "--json")).data
    assert (data["n_splits"], data["n_train"]) == (4, 135.0)


def test_a_baseline_and_method_options(errbar, folder):
    more = (
        "--model",
        "dummy=sklearn.dummy.DummyClassifier",
        "--baseline",
        "dummy",
        "--adjust",
        "bonferroni",
    )
    data = errbar(
        *both(folder / "iris.csv", *more, "--method", "kfold-t", "--option", "rho=0.7", "--json")
    ).data
    assert [(p["a"], p["b"]) for p in data["pairs"]] == [("tree", "dummy"), ("nn", "dummy")]
    assert data["options"] == {"rho": 0.7}
    assert data["pairs"][0]["adjusted"] == pytest.approx(2 * data["pairs"][0]["pvalue"])


@pytest.mark.parametrize("jobs", ["1", pytest.param("2", marks=pytest.mark.long)])
def test_models_from_a_file(errbar, folder, tmp_path, jobs):
    (tmp_path / "mine.py").write_text(
        "from sklearn.base import BaseEstimator, ClassifierMixin\n"
        "from sklearn.neighbors import KNeighborsClassifier\n"
        "class First(ClassifierMixin, BaseEstimator):\n"
        "    def fit(self, X, y):\n        self.classes_ = sorted(set(y)); return self\n"
        "    def predict(self, X):\n        return [self.classes_[0]] * len(X)\n"
        "ready = KNeighborsClassifier(3)\n"
        "def made():\n    return KNeighborsClassifier(5)\n"
    )
    models = [f"--model=mine.py:{name}" for name in ("First", "ready", "made")]
    outcome = errbar(
        "compare", folder / "iris.csv", "--target", "species", *models, "--json", "--jobs", jobs
    )
    assert outcome.status == 0, outcome.err
    assert [row["name"] for row in outcome.data["learners"]] == ["First", "ready", "made"]


def test_a_learner_that_fails_to_fit_is_named_and_the_others_answer(errbar, folder):
    broken = "broken=sklearn.neighbors.KNeighborsClassifier(n_neighbors=-3)"
    outcome = errbar(*both(folder / "iris.csv", "--model", broken, "--out", "r.html"))
    assert outcome.status == 3
    assert "tree - nn" in outcome.out
    assert outcome.err.count("\n") == 1
    assert "broken" in outcome.err
    assert "InvalidParameterError" in outcome.err
    outcome = errbar(
        *both(folder / "iris.csv", "--model", broken, "--baseline", "broken", "--json")
    )
    assert outcome.status == 3
    assert [row["name"] for row in outcome.data["learners"]] == ["tree", "nn"]
    assert outcome.data["counts"]["failed"] == len(outcome.data["failures"]) == 28


def test_when_every_learner_fails_there_is_still_json(errbar, folder):
    broken = "sklearn.neighbors.KNeighborsClassifier(n_neighbors=-3)"
    outcome = errbar(
        "evaluate", folder / "iris.csv", "--target", "species", "--model", broken, "--json"
    )
    assert outcome.status == 3
    assert outcome.data["learners"] == []
    assert outcome.data["counts"]["failed"] == 28


def test_names_with_markup_stay_text(errbar, folder):
    names = ("<script>alert(1)</script>", "[bold]x[/bold] & $y_1$ %")
    models = [
        f"--model={name}=sklearn.neighbors.KNeighborsClassifier(n_neighbors={k})"
        for k, name in enumerate(names, 1)
    ]
    outcome = errbar(
        "compare", folder / "iris.csv", "--target", "species", *models, "--out", "r.html"
    )
    assert outcome.status == 0, outcome.err
    assert "[bold]x[/bold]" in outcome.out
    from pathlib import Path

    assert "<script>" not in Path("r.html").read_text(encoding="utf-8")
    data = errbar("compare", folder / "iris.csv", "--target", "species", *models, "--json").data
    assert [row["name"] for row in data["learners"]] == list(names)


def test_json_is_strict(errbar, folder):
    outcome = errbar(*both(folder / "iris.csv", "--alternative", "less", "--json"))

    def refuse(constant):
        raise AssertionError(constant)

    data = json.loads(outcome.out, parse_constant=refuse)
    assert data["pairs"][0]["low"] is None


@pytest.mark.parametrize(("option", "said"), [("class_weight='balanced'", True), ("C=0.5", False)])
def test_reweighted_classes_are_said_as_in_python(errbar, folder, option, said):
    model = f"line=LogisticRegression({option}, max_iter=500)"
    found = errbar(
        *("evaluate", folder / "iris.csv", "--target", "species", "--model", model),
        *("--method", "cv-t", "--json"),
    ).data
    assert ("reweighted-classes" in [note["code"] for note in found["notes"]]) == said


LOCKED = """
import threading
from sklearn.tree import DecisionTreeClassifier

class Locked(DecisionTreeClassifier):
    def __init__(self, lock=None):
        super().__init__()
        self.lock = lock

bad = Locked(threading.Lock())
"""


@pytest.mark.parametrize(
    "more", [(), pytest.param(("--jobs", "2"), marks=pytest.mark.long), ("--method", "mcnemar")]
)
def test_a_model_that_cannot_be_copied_is_named_and_the_other_is_fitted(
    errbar, folder, tmp_path, more
):
    (tmp_path / "models.py").write_text(LOCKED)
    models = ("--model", TREE, "--model", "models.py:bad")
    ended = errbar(
        "compare",
        folder / "iris.csv",
        "--target",
        "species",
        *models,
        "--random-state",
        "0",
        "--json",
        *more,
    )
    assert ended.status == 3
    assert [one["learner"] for one in ended.data["failures"]] == ["bad"]
    # A method for two learners has nothing to say of one.
    assert [one["name"] for one in ended.data["learners"]] == (
        [] if "mcnemar" in more else ["tree"]
    )


def test_a_column_has_one_role(errbar, folder):
    """A name with spaces around it is the same column; two columns are no groups, and the target is none."""
    learner = ("--model", "a=DummyClassifier", "--model", "b=GaussianNB")
    call = ("compare", folder / "iris.csv", "--target", "species", *learner)
    for groups in ("species", "species\n", "sl,sw"):
        outcome = errbar(*call, "--groups", groups)
        assert outcome.status == 2
        assert len(outcome.err.strip().splitlines()) == 1


def test_a_number_of_five_thousand_digits(errbar, folder):
    """Python writes no such number, so that it stands in no name of a learner."""
    huge = f"b=sklearn.tree.DecisionTreeClassifier(max_depth=0x{'f' * 5000})"
    call = ("compare", folder / "iris.csv", "--target", "species", "--model", "a=GaussianNB")
    outcome = errbar(*call, "--model", huge, "--json")
    assert outcome.status == 3
    assert [one["name"] for one in outcome.data["learners"]] == ["a"]
