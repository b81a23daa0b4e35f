"""errbar test on predictions, judged by the truth beside them."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn import metrics

import errbar as library
from tests.cli.test_errors import refused


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(0)
    truth, noise = rng.random(120) < 0.4, rng.normal(size=(2, 120))
    chance = 1 / (1 + np.exp(-2 * truth + 1 - noise))
    columns = {
        "y": np.where(truth, "yes", "no"),
        "fold": np.arange(120) % 4,
        "patient": np.arange(120) // 4 * 4,
    }
    columns |= {
        name: np.where(own > 0.5, "yes", "no") for name, own in zip("ab", chance, strict=True)
    }
    columns |= {f"{name}_score": own for name, own in zip("ab", chance, strict=True)}
    for name, own in zip("ab", chance, strict=True):
        columns |= {f"{name}:yes": own, f"{name}:no": 1 - own}
    return pd.DataFrame(columns)


@pytest.fixture(scope="module")
def place(frame, tmp_path_factory):
    place = tmp_path_factory.mktemp("predictions")
    rows = ["y", "fold"]
    frame[[*rows, "a", "b"]].to_csv(place / "labels.csv", index=False)
    frame[["y", "a"]].to_csv(place / "single.csv", index=False)
    frame[[*rows, "a_score", "b_score"]].to_csv(place / "scores.csv", index=False)
    frame[[*rows, *(name for name in frame if ":" in name)]].to_csv(
        place / "matrix.csv", index=False
    )
    frame[["y", "a", "a:yes", "a:no"]].to_csv(place / "twice.csv", index=False)
    frame[["y", "patient", "a", "b"]].to_parquet(place / "grouped.parquet")
    frame[["y", "a"]].replace({"a": {"no": None}}).to_csv(place / "holes.csv", index=False)
    frame[["y"]].to_csv(place / "alone.csv", index=False)
    return place


def test_one_loss(errbar, place, frame):
    outcome = errbar(
        "test",
        place / "labels.csv",
        "--truth",
        "y",
        "--columns",
        "a,b",
        "--loss",
        "f1",
        "--positive",
        "yes",
        "--json",
    )
    assert outcome.status == 0, outcome.err
    columns = {name: frame[name].tolist() for name in "ab"}
    table = library.from_predictions(
        columns, frame["y"], loss="f1", positive="yes", fold=frame["fold"]
    )
    expected = library.compare_table(table)
    assert outcome.data["pairs"] == json.loads(json.dumps(expected.to_dict()["pairs"]))
    assert (outcome.data["loss"], outcome.data["method"]) == ("f1", expected.method)
    f1 = metrics.f1_score(frame["y"], frame["a"], pos_label="yes")
    assert outcome.data["learners"][0]["estimate"] == pytest.approx(f1)


def test_several_losses_and_methods(errbar, place, frame):
    call = (
        "test",
        place / "matrix.csv",
        "--truth",
        "y",
        "--columns",
        "a:yes,a:no,b:yes,b:no",
        "--loss",
        "f1",
        "--loss",
        "auc",
        "--positive",
        "yes",
    )
    data = errbar(*call, "--method", "cv-wald", "--json").data
    assert [one["loss"] for one in data["comparisons"]] == ["f1", "roc_auc"]
    assert [one["name"] for one in data["learners"]] == ["a", "b"]
    areas = [metrics.roc_auc_score(own["y"], own["a:yes"]) for _, own in frame.groupby("fold")]
    assert data["comparisons"][1]["learners"][0]["estimate"] == pytest.approx(np.mean(areas))
    twice = errbar(*call, "--method", "cv-wald", "--method", "corrected-t", "--json").data[
        "comparisons"
    ]
    assert [(one["loss"], one["method"]) for one in twice] == [
        (loss, method) for loss in ("f1", "roc_auc") for method in ("cv-wald", "corrected-t")
    ]
    assert "F1" in errbar(*call, "--method", "cv-wald").out


def test_scores_lean_to_the_positive_class(errbar, place, frame):
    call = (
        "test",
        place / "scores.csv",
        "--truth",
        "y",
        "--columns",
        "a_score,b_score",
        "--pool",
        "splits",
        "--method",
        "cv-wald",
        "--json",
    )
    areas = {
        label: errbar(*call, "--positive", label).data["learners"][0]["estimate"]
        for label in ("yes", "no")
    }
    assert areas["yes"] == pytest.approx(metrics.roc_auc_score(frame["y"], frame["a_score"]))
    assert areas["no"] == pytest.approx(1 - areas["yes"])


def test_a_single_learner(errbar, place, frame):
    call = (
        "test",
        place / "single.csv",
        "--truth",
        "y",
        "--fold",
        "none",
        "--columns",
        "a",
        "--positive",
        "yes",
        "--loss",
        "f1",
        "--loss",
        "accuracy",
    )
    results = [one["result"]["estimate"] for one in errbar(*call, "--json").data["comparisons"]]
    expected = (
        metrics.f1_score(frame["y"], frame["a"], pos_label="yes"),
        metrics.accuracy_score(frame["y"], frame["a"]),
    )
    assert results == pytest.approx(expected)
    shown = errbar(*call).out
    assert shown.index(f"a {expected[0]:.2f}") < shown.index(f"a {expected[1]:.2f}")


def test_groups(errbar, place):
    call = (
        "test",
        place / "grouped.parquet",
        "--truth",
        "y",
        "--fold",
        "none",
        "--columns",
        "a,b",
        "--groups",
        "patient",
    )
    assert errbar(*call, "--json").data["method"] == "cluster-t"
    refused(errbar(*call, "--method", "holdout-t"))


def test_a_gate(errbar, place):
    call = ("test", place / "labels.csv", "--truth", "y", "--columns", "a,b", "--loss", "accuracy")
    assert errbar(*call, "--fail-if", "a worse-than b by 0.5").status == 0
    assert errbar(*call, "--fail-if", "a not-better-than b").status == 1


@pytest.mark.long
def test_a_report(errbar, place, tmp_path):
    outcome = errbar(
        "test", place / "labels.csv", "--truth", "y", "--columns", "a,b", "--out", "report.html"
    )
    assert outcome.status == 0, outcome.err
    assert "zero-one" in (tmp_path / "report.html").read_text()


CALLS = {
    "no truth": (
        "scores.csv",
        ("--truth", "none", "--loss", "f1", "--kind", "examples", "--ignore", "y"),
        "loss",
    ),
    "no truth, pool": (
        "scores.csv",
        ("--truth", "none", "--pool", "folds", "--kind", "examples", "--ignore", "y"),
        "pool",
    ),
    "metric": ("labels.csv", ("--truth", "y", "--metric", "x"), None),
    "direction": ("labels.csv", ("--truth", "y", "--higher-is-better"), None),
    "kind": ("labels.csv", ("--truth", "y", "--kind", "kfold"), None),
    "size": ("labels.csv", ("--truth", "y", "--n-test", "9"), None),
    "column": ("labels.csv", ("--truth", "z"), None),
    "role": ("labels.csv", ("--truth", "y", "--fold", "y"), None),
    "positive": ("labels.csv", ("--truth", "y", "--loss", "f1"), None),
    "which class": ("scores.csv", ("--truth", "y"), None),
    "labels": ("scores.csv", ("--truth", "y", "--loss", "zero-one"), None),
    "no class": ("labels.csv", ("--truth", "y", "--positive", "maybe"), "positive"),
    "loss": ("labels.csv", ("--truth", "y", "--loss", "acuracy"), "loss"),
    "holes": ("holes.csv", ("--truth", "y"), None),
    "twice": ("twice.csv", ("--truth", "y"), None),
    "nobody": ("alone.csv", ("--truth", "y"), None),
    "null": ("labels.csv", ("--truth", "y", "--null", "1"), None),
}


@pytest.mark.parametrize("case", CALLS)
def test_what_cannot_be_used(errbar, place, case):
    name, arguments, argument = CALLS[case]
    columns = {"scores.csv": "a_score,b_score", "twice.csv": "a,a:yes,a:no", "holes.csv": "a"}.get(
        name, "a,b"
    )
    learners = () if name == "alone.csv" else ("--columns", columns)
    refused(errbar("test", place / name, *learners, *arguments), argument)


def test_learners_are_named_beside_the_truth(errbar, place):
    refused(errbar("test", place / "labels.csv", "--truth", "y"), "columns")
