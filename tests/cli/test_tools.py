"""Files of tools on the command line: the first call is right, or names the one that is."""

import shlex

import numpy as np
import pandas as pd
import pytest

from tests import tool_files
from tests.cli.test_errors import refused


@pytest.fixture
def rng():
    return np.random.default_rng(4)


def options(outcome):
    return [shlex.split(one) for one in outcome.refusal.options]


def learners(outcome):
    return {one["name"]: one["estimate"] for one in outcome.data["learners"]}


def written(errbar, *arguments):
    """Return the answer of a call, which follows the first option of each refusal."""
    outcome = errbar(*arguments, "--json")
    if outcome.status == 0:
        return outcome
    refused(outcome)
    assert len(options(outcome)) <= 5
    return written(errbar, *arguments, *options(outcome)[0])


def test_trec_eval(errbar, tmp_path, rng):
    gains = {name: rng.uniform(size=30).round(4) for name in ("bm25", "dense")}
    for name, own in gains.items():
        measured = {"map": own / 2, "ndcg_cut_10": own}
        topics = {m: dict(zip(range(301, 331), one, strict=True)) for m, one in measured.items()}
        tool_files.trec_eval(tmp_path / f"{name}.eval", topics)
    found = errbar("test", "bm25.eval", "dense.eval", "--metric", "ndcg_cut_10", "--json")
    assert learners(found) == pytest.approx({name: own.mean() for name, own in gains.items()})
    assert options(errbar("test", "bm25.eval", "dense.eval"))[0] == ["--metric", "map"]
    named = errbar("test", "a=bm25.eval", "b=dense.eval", "--metric", "map", "--json")
    assert set(learners(named)) == {"a", "b"}


def test_promptfoo(errbar, tmp_path, rng):
    results = {name: [(f"q{i}", int(rng.integers(2))) for i in range(25)] for name in ("a", "b")}
    tool_files.promptfoo(tmp_path / "results.json", results)
    found = errbar("test", "results.json", "--json")
    expected = {name: np.mean([mark for _, mark in own]) for name, own in results.items()}
    assert learners(found) == pytest.approx(expected)


def test_deepeval(errbar, tmp_path, rng):
    scores = {name: rng.uniform(size=25).round(3).tolist() for name in ("old", "new")}
    for name, own in scores.items():
        tool_files.deepeval(tmp_path / f"{name}.json", {"Faithfulness": own})
    found = errbar("test", "old.json", "new.json", "--metric", "Faithfulness", "--json")
    assert learners(found) == pytest.approx({name: np.mean(own) for name, own in scores.items()})


def test_helm(errbar, tmp_path, rng):
    marks = {name: rng.integers(0, 2, 25).tolist() for name in ("gpt2", "llama")}
    for name, own in marks.items():
        tool_files.helm(tmp_path / "runs", name, "boolq", own)
    found = errbar("test", "runs", "--metric", "exact_match", "--json")
    assert learners(found) == pytest.approx({name: np.mean(own) for name, own in marks.items()})


def test_the_trainer(errbar, tmp_path, rng):
    files = []
    for name in ("base", "tuned"):
        for seed in range(5):
            place = tmp_path / f"{name}{seed}" / "trainer_state.json"
            tool_files.trainer(place, [{"eval_loss": 0.4, "eval_accuracy": rng.uniform()}])
            files.append(f"{name}={place}")
    said = ("--metric", "eval_accuracy")
    refused(errbar("test", *files, *said), "seed")
    found = errbar(
        "test", *files, *said, "--split", "run", "--n-train", 900, "--n-test", 100, "--json"
    )
    assert set(learners(found)) == {"base", "tuned"}


def test_a_grid_of_measures(errbar, rng):
    folds = [f"Fold{fold:02d}.Rep{rep}" for rep in (1, 2, 3) for fold in range(1, 11)]
    frame = pd.DataFrame({"Resample": folds})
    for name in ("rf", "gbm", "glm"):
        frame[f"{name}~Accuracy"] = rng.uniform(0.7, 0.9, 30)
        frame[f"{name}~Kappa"] = rng.uniform(0.4, 0.6, 30)
    frame.to_csv("values.csv", index=False)
    sizes = ("--n-train", 270, "--n-test", 30)
    assert options(errbar("test", "values.csv", *sizes))[0] == ["--metric", "Accuracy"]
    found = errbar("test", "values.csv", "--metric", "Accuracy", *sizes, "--json")
    one = frame[["Resample"]].assign(rf=frame["rf~Accuracy"], gbm=frame["gbm~Accuracy"])
    one.assign(glm=frame["glm~Accuracy"]).to_csv("one.csv", index=False)
    alone = errbar("test", "one.csv", "--metric", "Accuracy", *sizes, "--json")
    assert found.data == alone.data


def test_markers_beside_a_truth(errbar, rng):
    """Two steps: the columns that may be predictions are named, and what only the user knows."""
    sick = rng.integers(0, 2, 80)
    frame = pd.DataFrame({"outcome": np.where(sick, "Poor", "Good")})
    frame["s100b"] = (sick + rng.normal(size=80)).round(2)
    frame["wfns"] = rng.integers(1, 5, 80) + sick
    frame.to_csv("markers.csv", index=False)
    said = ("test", "markers.csv", "--truth", "outcome", "--positive", "Poor")
    assert options(errbar(*said))[1] == ["--columns", "s100b,wfns", "--fold", "none"]
    found = errbar(*said, "--columns", "s100b,wfns", "--fold", "none", "--json")
    assert set(learners(found)) == {"s100b", "wfns"}


def test_predictions_with_a_fold_and_a_site(errbar, rng):
    y = rng.normal(size=60).round(3)
    frame = pd.DataFrame({"patient": range(60), "site": list("abcdef") * 10, "y": y})
    frame = frame.assign(fold10=rng.permutation(60) % 10)
    frame["lasso_cv10"], frame["rf_cv10"] = y + 0.3, y + rng.normal(size=60).round(3)
    frame.to_csv("oof.csv", index=False)
    first, *_ = options(errbar("test", "oof.csv", "--truth", "y"))
    assert first == ["--columns", "lasso_cv10,rf_cv10", "--fold", "fold10"]
    asked = errbar("test", "oof.csv", "--truth", "y", *first)
    assert [one[0] for one in options(asked)] == ["--groups", "--ignore"]
    found = errbar("test", "oof.csv", "--truth", "y", *first, "--ignore", "site", "--json")
    assert set(learners(found)) == {"lasso_cv10", "rf_cv10"}


@pytest.mark.parametrize("columns", [{"class": [f"event {i}" for i in range(20)]}, {}])
def test_what_a_row_is_is_asked_in_few_words(errbar, rng, columns):
    frame = pd.DataFrame(columns | {name: rng.uniform(size=20) for name in ("C1", "C2")})
    frame.to_csv("ap.csv", index=False)
    found = written(errbar, "test", "ap.csv", "--higher-is-better")
    assert set(learners(found)) == {"C1", "C2"}


def test_counts_beside_learners_are_asked_about_in_few_words(errbar, rng):
    frame = pd.DataFrame({"utt_id": [f"u{i}" for i in range(60)]})
    frame["ref_words"] = rng.integers(5, 40, 60)
    frame = frame.assign(base=rng.uniform(size=60), new=rng.uniform(size=60))
    frame.to_csv("utterances.csv", index=False)
    asked = errbar("test", "utterances.csv", "--columns", "base,new", "--lower-is-better")
    assert options(asked) == [["--groups", "ref_words"], ["--ignore", "ref_words"]]


def test_files_of_one_run_each_and_two_columns_for_an_example(errbar, rng):
    frame = pd.DataFrame([(topic, week) for topic in "abcde" for week in range(6)])
    frame.columns = ["topic", "week"]
    for name in ("x", "y"):
        frame.assign(score=rng.uniform(size=30)).to_csv(f"{name}.csv", index=False)
    said = ("--example", "topic,week", "--higher-is-better", "--json")
    found = errbar("test", "x.csv", "y.csv", *said)
    expected = {name: pd.read_csv(f"{name}.csv")["score"].mean() for name in ("x", "y")}
    assert learners(found) == pytest.approx(expected)
    refused(errbar("test", "x.csv", "more=y.csv", *said[:-1]))
