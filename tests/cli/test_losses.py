"""Several losses on the command line: one run, a table for each, gates that name theirs."""

import pytest

from tests import churn
from tests.cli.test_errors import refused

OLD, NEW = "old=sklearn.linear_model.LogisticRegression", "new=sklearn.tree.DecisionTreeClassifier"
THREE = ("--loss", "f1", "--loss", "roc_auc", "--loss", "log-loss")


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return churn.write(tmp_path_factory.mktemp("churn") / "churn.csv")


@pytest.fixture
def compare(errbar, data):
    def call(*more, models=(OLD, NEW)):
        command = "compare" if len(models) > 1 else "evaluate"
        named = [word for model in models for word in ("--model", model)]
        return errbar(
            command, data, "--target", "churn", "--positive", "yes", "--plan", "5", *named, *more
        )

    return call


def test_each_loss_has_its_table_of_the_same_fits(compare):
    found = compare(*THREE, "--json").data
    assert [one["loss"] for one in found["comparisons"]] == ["f1", "roc_auc", "log-loss"]
    assert {key: found[key] for key in ("loss", "pairs")} == {
        key: found["comparisons"][0][key] for key in ("loss", "pairs")
    }
    assert {one["counts"]["fits"] for one in found["comparisons"]} == {found["counts"]["fits"]}
    alone = compare("--loss", "f1", "--json").data
    assert "comparisons" not in alone
    assert alone["learners"] == found["learners"]


@pytest.mark.long
def test_text_and_files_show_all(compare, tmp_path):
    outcome = compare(*THREE, "--out", tmp_path / "r.html")
    assert outcome.status == 0
    names = ("F1", "ROC AUC", "log loss")
    assert [outcome.out.count(f"{name}, ") for name in names] == [1, 1, 1]
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert all(name in page for name in names)


def test_pooling_is_passed_on(compare):
    pools = [
        compare("--loss", "roc_auc", "--pool", pool, "--json").data["learners"][0]
        for pool in ("none", "folds")
    ]
    assert pools[0]["estimate"] != pools[1]["estimate"]
    refused(compare("--loss", "roc_auc", "--pool", "all"), "pool")


def test_the_positive_class_is_not_guessed(errbar, data):
    refused(
        errbar("compare", data, "--target", "churn", "--loss", "f1", "--model", OLD, "--model", NEW)
    )


def test_a_gate_is_judged_by_its_loss(compare):
    outcome = compare(
        *THREE,
        "--fail-if",
        "new worse-than old by 0.01 on f1",
        "--fail-if",
        "new worse-than old by 0 on log-loss",
        "--json",
    )
    f1, log_loss = outcome.data["gates"]
    assert (f1["passed"], log_loss["passed"]) == (True, False)
    assert outcome.status == 1


@pytest.mark.parametrize(
    ("losses", "gate"),
    [
        (THREE, "new worse-than old by 0"),
        (THREE, "new worse-than old by 0 on r2"),
        ((), "new worse-than old by 0 on f1"),
    ],
)
def test_gates_without_a_clear_loss_are_refused_before_any_fit(compare, tmp_path, losses, gate):
    refused(compare(*losses, "--fail-if", gate, "--store", tmp_path / "runs.db"))
    assert not (tmp_path / "runs.db").exists()


def test_a_threshold_of_a_single_learner(compare):
    models = ("new=sklearn.ensemble.RandomForestClassifier(n_estimators=20)",)
    gates = ("--fail-if", "roc_auc below 0.6", "--fail-if", "log-loss above 0.0001", "--json")
    outcome = compare("--loss", "roc_auc", "--loss", "log-loss", *gates, models=models)
    area, log_loss = outcome.data["gates"]
    assert (area["passed"], log_loss["passed"], outcome.status) == (True, False, 1)
    assert set(area) == {"text", "passed", "sentence", "estimate", "bound", "pvalue"}
    assert area["bound"] > 0.6
    assert area["estimate"] == outcome.data["learners"][0]["estimate"]
    alone = compare("--loss", "roc_auc", "--fail-if", "below 0.6", "--json", models=models)
    assert (alone.status, [gate["passed"] for gate in alone.data["gates"]]) == (0, [True])


@pytest.mark.parametrize(
    "gate",
    [
        "below 0.6",
        "roc_auc below 70",
        "new worse-than old by 0",
    ],
)
def test_thresholds_that_are_refused(compare, gate):
    refused(compare("--loss", "roc_auc", "--loss", "log-loss", "--fail-if", gate, models=(NEW,)))
