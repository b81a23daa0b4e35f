"""errbar test on numbers of the user's own."""

import pandas as pd
import pytest
from scipy import stats

import errbar as library
from tests import forms
from tests.cli.test_errors import refused


def test_scores_per_split(errbar, folder):
    outcome = errbar(
        "test",
        folder / "scores.csv",
        "--method",
        "corrected-t",
        "--n-train",
        "270",
        "--n-test",
        "30",
        "--json",
    )
    assert outcome.status == 0, outcome.err
    frame = pd.read_csv(folder / "scores.csv")
    expected = library.methods.corrected_t(
        library.Losses(frame["a"] - frame["b"], n_train=270, n_test=30)
    )
    [pair] = outcome.data["pairs"]
    assert pair["pvalue"] == pytest.approx(expected.pvalue)
    assert (pair["a"], pair["b"], pair["low"]) == ("a", "b", pytest.approx(expected.low))
    assert outcome.data["n_train"] == 270


def test_sizes_may_stand_in_the_file(errbar, folder):
    given = errbar(
        "test", folder / "scores.csv", "--n-train", "270", "--n-test", "30", "--json"
    ).data
    assert errbar("test", folder / "sized.csv", "--json").data["pairs"] == given["pairs"]


def test_the_direction_of_scores(errbar, folder):
    loss = errbar("test", folder / "sized.csv", "--json").data
    score = errbar(
        "test", folder / "sized.csv", "--higher-is-better", "--metric", "accuracy", "--json"
    ).data
    assert score["direction"] == "higher is better"
    assert score["loss"] == "accuracy"
    assert score["pairs"] == loss["pairs"]
    less = errbar("test", folder / "sized.csv", "--alternative", "less", "--json").data["pairs"][0][
        "pvalue"
    ]
    assert errbar(
        "test", folder / "sized.csv", "--alternative", "less", "--higher-is-better", "--json"
    ).data["pairs"][0]["pvalue"] == pytest.approx(less)


def test_a_single_column_is_tested_against_the_null(errbar, folder):
    frame = pd.read_csv(folder / "single.csv")["difference"]
    outcome = errbar(
        "test",
        folder / "single.csv",
        "--method",
        "kfold-t",
        "--kind",
        "kfold",
        "--null",
        "0.05",
        "--json",
    )
    assert outcome.status == 0, outcome.err
    assert outcome.data["result"]["pvalue"] == pytest.approx(stats.ttest_1samp(frame, 0.05).pvalue)
    assert outcome.data["result"]["null"] == 0.05


def test_five_by_two(errbar, folder):
    for name in ("five.csv", "scores.csv"):
        frame = pd.read_csv(folder / name)
        data = errbar("test", folder / name, "--method", "5x2cv-t", "--kind", "5x2", "--json").data
        expected = library.methods.five_by_two_t(
            forms.ten_scores((frame["a"] - frame["b"]).to_numpy().reshape(5, 2))
        )
        assert data["pairs"][0]["pvalue"] == pytest.approx(expected.pvalue)


def test_losses_per_example(errbar, folder):
    frame = pd.read_csv(folder / "losses.csv")
    view = library.Losses(frame["a"] - frame["b"], fold=frame["fold"])
    data = errbar(
        "test", folder / "losses.csv", "--kind", "examples", "--method", "cv-wald", "--json"
    ).data
    assert data["pairs"][0]["se"] == pytest.approx(library.methods.cv_wald(view).se)
    assert data["n_train"] == 50
    data = errbar(
        "test", folder / "losses.csv", "--kind", "examples", "--method", "corrected-t", "--json"
    ).data
    means = frame.groupby("fold")[["a", "b"]].mean()
    expected = library.methods.corrected_t(
        library.Losses(means["a"] - means["b"], n_train=50, n_test=10)
    )
    assert data["pairs"][0]["se"] == pytest.approx(expected.se)


def test_a_method_does_not_say_what_rows_are(errbar, folder):
    refused(errbar("test", folder / "scores.csv", "--method", "holdout-t"), "kind")
    data = errbar(
        "test", folder / "scores.csv", "--kind", "examples", "--method", "holdout-t", "--json"
    ).data
    frame = pd.read_csv(folder / "scores.csv")
    assert data["pairs"][0]["pvalue"] == pytest.approx(
        stats.ttest_rel(frame["a"], frame["b"]).pvalue
    )


@pytest.mark.parametrize(
    ("name", "arguments", "argument"),
    [
        ("scores.csv", (), None),
        ("holes.csv", ("--n-train", "270", "--n-test", "30"), None),
        ("missing.csv", (), None),
        (
            "scores.csv",
            ("--method", "kfold-t", "--kind", "subsampling"),
            None,
        ),
        ("scores.csv", ("--n-train", "270", "--n-test", "0"), "n_test"),
        (
            "scores.csv",
            ("--n-train", "270", "--n-test", "30", "--null", "1"),
            None,
        ),
        ("scores.csv", ("--kind", "folds"), "kind"),
    ],
)
def test_what_cannot_be_used(errbar, folder, name, arguments, argument):
    refused(errbar("test", folder / name, *arguments), argument)
