"""Requests of the public, rebuilt: the first or second command gives the value that is right.

The folder of cases lies beside that of the data sets, and is not part of the repository.
"""

import os
from pathlib import Path

import pytest

CASES = Path(os.environ.get("ERRBAR_DATA", "none")).parent / "cases"
pytestmark = pytest.mark.skipif(not CASES.is_dir(), reason="the folder of cases is not here")


@pytest.fixture
def case(errbar, monkeypatch):
    def run(folder, *words):
        monkeypatch.chdir(CASES / folder)
        outcome = errbar(*words, "--json")
        assert outcome.status == 0, outcome.err
        return outcome.data

    return run


def pair(data, a, b):
    for one in data["pairs"]:
        if (one["a"], one["b"]) == (a, b):
            return one
        if (one["a"], one["b"]) == (b, a):
            ends = {"low": -one["high"], "high": -one["low"]}
            return one | ends | {"estimate": -one["estimate"]}
    raise AssertionError(f"no pair of {a} and {b}")


def estimates(data):
    return {one["name"]: one["estimate"] for one in data["learners"]}


def test_a_word_error_rate(case):
    data = case("01-wer-corpus", "test", "per_utt.csv", "--ratio", "errors/ref_words")
    found = pair(data, "base", "new")
    assert found["estimate"] == pytest.approx(0.0150, abs=6e-5)
    assert found["se"] == pytest.approx(0.0063, abs=6e-5)


def test_four_runs_of_trec_eval(case):
    files = [f"{name}.eval" for name in ("bm25", "dense", "hybrid", "colbert")]
    words = ["test", *files, "--metric", "ndcg_cut_10", "--adjust", "holm"]
    data = case("02-trec-eval-q", *words)
    expected = {
        ("bm25", "colbert"): 0.0037,
        ("bm25", "hybrid"): 0.1539,
        ("dense", "colbert"): 0.2889,
        ("bm25", "dense"): 0.3902,
        ("hybrid", "colbert"): 0.3902,
        ("dense", "hybrid"): 0.5993,
    }
    for names, pvalue in expected.items():
        assert pair(data, *names)["adjusted"] == pytest.approx(pvalue, abs=6e-5)


def test_scans_of_subjects_with_an_empty_row(case):
    words = ["--groups", "subject", "--ignore", "session,site,contrast", "--missing", "examples"]
    data = case("03-dice-sessions", "test", "dice.csv", "--higher-is-better", *words)
    found = pair(data, "sct_v72", "new_model")
    assert found["estimate"] == pytest.approx(-0.01635, abs=6e-6)
    assert found["se"] == pytest.approx(0.00697, abs=6e-6)
    assert found["pvalue"] == pytest.approx(0.023, abs=6e-4)


@pytest.mark.parametrize("file", ["oof.csv", "caret_pred.csv"])
def test_ten_times_ten_folds(case, file):
    words = ["--truth", "obs", "--positive", "case", "--loss", "roc_auc"]
    words += ["--columns", "glmnet,rf"] + ["--fold", "Resample"] * (file == "caret_pred.csv")
    found = pair(case("05-repeated-cv-auc", "test", file, *words), "glmnet", "rf")
    assert found["estimate"] == pytest.approx(-0.0354, abs=6e-5)
    assert 0.0255 < found["se"] < 0.04


def test_failed_folds_are_the_constant_predictor(case):
    words = ["--higher-is-better", "--missing", "constantpredictor"]
    data = case("06-amlb-failed", "ranks", "results.csv", *words)
    assert data["friedman"]["chi2"] == pytest.approx(34.9, abs=0.06)
    ranks = [one["mean_rank"] for one in data["learners"]]
    assert ranks == pytest.approx([1.083, 1.917, 3, 4], abs=6e-4)


def test_four_labels_of_a_text(case):
    truths = "true_anger,true_joy,true_fear,true_trust"
    words = ["--truth", truths, "--loss", "f1_macro", "--fold", "none"]
    found = pair(case("08-multilabel", "test", "labels.csv", *words), "bert", "llm")
    assert found["estimate"] == pytest.approx(-0.136, abs=6e-4)
    assert found["se"] == pytest.approx(0.0364, abs=1e-3)


def test_three_tasks_of_equal_weight(case):
    data = case("09-lmeval-group", "test", "base", "tuned", "--tasks", "equal")
    assert estimates(data) == pytest.approx({"base": 0.5610, "tuned": 0.5866}, abs=6e-5)
    found = pair(data, "base", "tuned")
    assert found["se"] == pytest.approx(0.0256, abs=1e-3)


@pytest.mark.parametrize(("method", "se"), [([], 0.0545), (["--method", "delong"], 0.0549)])
def test_two_markers(case, method, se):
    words = ["--truth", "outcome", "--positive", "Poor", "--columns", "s100b,wfns"]
    data = case("11-proc-auc-diff", "test", "markers.csv", *words, "--fold", "none", *method)
    found = pair(data, "s100b", "wfns")
    assert found["estimate"] == pytest.approx(-0.0806, abs=6e-5)
    assert found["se"] == pytest.approx(se, abs=6e-5)


def test_ten_folds_with_sites(case):
    words = ["--truth", "y", "--columns", "lasso_cv10,rf_cv10", "--fold", "fold10"]
    data = case("12-tenfold-v-sites", "test", "oof.csv", *words, "--ignore", "site,lasso_losite")
    found = pair(data, "lasso_cv10", "rf_cv10")
    assert found["estimate"] == pytest.approx(-0.110, abs=6e-4)
    assert found["se"] == pytest.approx(0.121, abs=2e-3)


def test_series_by_dates(case):
    words = ["--truth", "y", "--time", "ds", "--groups", "unique_id"]
    words += ["--columns", "AutoARIMA,SeasonalNaive"]
    assert case("14-nixtla-cv", "test", "cv_df.csv", *words)["method"] == "two-way-t"


def test_returns_of_independent_runs(case):
    words = ["--higher-is-better", "--kind", "runs"]
    data = case("15-rl-seeds", "test", "returns.csv", *words)
    ends = {one["name"]: (one["low"], one["high"]) for one in data["learners"]}
    assert ends["qmix"] == pytest.approx((13.074, 16.464), abs=6e-4)
    assert ends["mappo"] == pytest.approx((15.349, 16.881), abs=6e-4)
    found = pair(data, "qmix", "mappo")
    assert (found["low"], found["high"]) == pytest.approx((-3.129, 0.437), abs=6e-4)
    words += ["--learner", "algorithm", "--value", "episode_return"]
    found = pair(case("15-rl-seeds", "test", "returns_long.csv", *words), "qmix", "mappo")
    numbers = (found["estimate"], found["low"], found["high"], found["pvalue"])
    assert numbers == pytest.approx((-1.126, -3.274, 1.023, 0.271), abs=6e-4)


def test_a_measure_of_resamples(case):
    words = ["--metric", "Accuracy", "--n-train", "270", "--n-test", "30", "--baseline", "glm"]
    data = case("16-caret-resamples", "test", "resamps_values.csv", *words)
    assert pair(data, "rf", "glm")["estimate"] == pytest.approx(0.0408, abs=6e-5)
    assert pair(data, "rf", "glm")["se"] == pytest.approx(0.0123, abs=6e-5)
    assert pair(data, "gbm", "glm")["se"] == pytest.approx(0.0091, abs=6e-5)


def test_two_detectors(case):
    words = ["--truth", "instances_val.json", "--metric", "map50"]
    data = case("18-coco-map", "test", "yolo_a.json", "yolo_b.json", *words)
    assert estimates(data) == pytest.approx({"yolo_a": 0.421, "yolo_b": 0.692}, abs=6e-4)
    found = pair(data, "yolo_a", "yolo_b")
    assert found["estimate"] == pytest.approx(-0.271, abs=6e-4)
    assert found["se"] == pytest.approx(0.051, abs=2e-3)


def test_thirty_classes(case):
    words = ["ap.csv", "--higher-is-better"]
    found = case("20-ap-30-classes", "test", *words, "--example", "class")
    assert pair(found, "C1", "C2")["pvalue"] == pytest.approx(0.556, abs=6e-4)
    data = case("20-ap-30-classes", "ranks", *words, "--post-hoc", "wilcoxon")
    assert data["pairs"][0]["pvalue"] == pytest.approx(0.516, abs=6e-4)


def test_answers_without_a_score(case):
    words = ["--learner", "pipeline", "--value", "faithfulness", "--example", "user_input"]
    words += ["--higher-is-better", "--missing", "examples"]
    data = case("21-ragas-nan", "test", "ragas.csv", *words)
    assert estimates(data) == pytest.approx({"baseline": 0.7646, "reranker": 0.8009}, abs=6e-5)
    assert pair(data, "baseline", "reranker")["pvalue"] == pytest.approx(0.0806, abs=6e-5)
