"""Gates: --fail-if fails a comparison whose new model is not shown to be good enough."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from tests.cli.test_errors import refused

REGRESSORS = (
    "--target", "target",
    "--model", "old=sklearn.linear_model.LinearRegression",
    "--model", "new=sklearn.linear_model.Ridge(alpha=0.1)",
)  # fmt: skip


@pytest.fixture(scope="module")
def scores(tmp_path_factory):
    path = tmp_path_factory.mktemp("gates") / "scores.csv"
    noise = np.random.default_rng(0).normal([0.31, 0.30], 0.02, (15, 2))
    pd.DataFrame(noise, columns=["old", "new"]).to_csv(path, index=False)
    return path


def judged(errbar, scores, *gates, more=()):
    options = [word for gate in gates for word in ("--fail-if", gate)]
    return errbar("test", scores, "--n-train", "270", "--n-test", "30", *options, *more)


def test_the_numbers_are_those_of_the_one_sided_corrected_t(errbar, scores):
    outcome = judged(errbar, scores, "new worse-than old by 0.01", more=("--json",))
    [gate] = outcome.data["gates"]
    table = pd.read_csv(scores)
    difference = (table["new"] - table["old"]).to_numpy()
    error = difference.std(ddof=1) * np.sqrt(1 / 15 + 30 / 270)
    assert gate["estimate"] == pytest.approx(difference.mean())
    assert gate["bound"] == pytest.approx(difference.mean() + stats.t.ppf(0.95, 14) * error)
    assert gate["pvalue"] == pytest.approx(stats.t.cdf((difference.mean() - 0.01) / error, 14))
    assert gate["passed"] == (gate["pvalue"] < 0.05)
    assert outcome.status == (0 if gate["passed"] else 1)
    assert set(gate) == {"text", "passed", "sentence", "estimate", "bound", "pvalue"}


def test_the_margin_decides(errbar, scores):
    wide = judged(errbar, scores, "new worse-than old by 0.05")
    assert (wide.status, wide.err) == (0, "")
    narrow = judged(errbar, scores, "new worse-than old by 0.0001")
    assert narrow.status == 1
    assert narrow.err.count("\n") == 1
    assert "new worse-than old by 0.0001" in narrow.err


def test_the_table_comes_first_and_every_gate_is_named(errbar, scores):
    outcome = judged(errbar, scores, "new worse-than old by 0.05", "new not-better-than old by 1")
    assert outcome.status == 1
    text = " ".join(outcome.out.split())
    places = [
        text.index(part)
        for part in ("old - new", "new worse-than old by 0.05", "new not-better-than old by 1")
    ]
    assert places == sorted(places)
    assert outcome.err.count("new not-better-than old by 1") == outcome.err.count("\n") == 1


def test_no_gate_leaves_the_object_as_it_is(errbar, scores):
    assert "gates" not in judged(errbar, scores, more=("--json",)).data


def test_json_holds_nothing_else_on_standard_output(errbar, scores):
    outcome = judged(errbar, scores, "new not-better-than old by 1", more=("--json",))
    assert outcome.status == 1
    assert [gate["passed"] for gate in outcome.data["gates"]] == [False]
    assert outcome.err.count("\n") == 1


def test_scores_that_should_be_high_turn_the_direction(errbar, scores):
    gate = judged(
        errbar, scores, "new worse-than old by 0.05", more=("--json", "--higher-is-better")
    ).data["gates"][0]
    assert gate["bound"] < gate["estimate"]


def test_a_report_is_written_although_a_gate_failed(errbar, scores, tmp_path):
    outcome = judged(
        errbar, scores, "new not-better-than old by 1", more=("--out", tmp_path / "r.md")
    )
    assert outcome.status == 1
    assert (tmp_path / "r.md").is_file()


def test_compare(errbar, folder):
    outcome = errbar(
        "compare", folder / "diabetes.csv", *REGRESSORS, "--fail-if", "new worse-than old by 100"
    )
    assert (outcome.status, outcome.err) == (0, "")
    assert "new worse-than old by 100" in outcome.out


@pytest.mark.parametrize(
    "gate",
    [
        "",
        "new",
        "nw worse-than old by 0",
        "new worse-than new by 0",
        "new worse-than old by nan",
        "new worse-than old by -1",
        "new worse-than\nold by x",
        "'new worse-than old",
        "new better-than old",
        "new worse-than old",
        "new worse-than old by 2%",
    ],
)
def test_what_cannot_be_judged_is_refused_before_any_fit(errbar, folder, tmp_path, gate):
    (tmp_path / "m.py").write_text(
        "from sklearn.linear_model import Ridge\n"
        "class R(Ridge):\n    def fit(self, X, y):\n        open('fitted', 'w').close(); return super().fit(X, y)\n"
    )
    models = ("--model", "old=m.py:R", "--model", "new=m.py:R")
    refused(
        errbar("compare", folder / "diabetes.csv", "--target", "target", *models, "--fail-if", gate)
    )
    assert not (tmp_path / "fitted").exists()


def test_a_method_without_sides_is_refused(errbar, scores):
    refused(judged(errbar, scores, "new worse-than old by 0", more=("--method", "5x2cv-f")))


def test_failed_fits_come_before_gates(errbar, folder, tmp_path):
    (tmp_path / "bad.py").write_text(
        "from sklearn.linear_model import Ridge\n"
        "class Bad(Ridge):\n    def fit(self, X, y):\n        raise ValueError('no')\n"
    )
    models = (*REGRESSORS, "--model", "bad=bad.py:Bad")
    gates = ("--fail-if", "new worse-than old by 100", "--fail-if", "bad worse-than old by 0")
    outcome = errbar("compare", folder / "diabetes.csv", *models, *gates, "--json")
    assert outcome.status == 3
    assert [gate["passed"] for gate in outcome.data["gates"]] == [True, False]
    assert {failure["learner"] for failure in outcome.data["failures"]} == {"bad"}
