"""What tools write is read by what it holds, with the numbers that stand there."""

import numpy as np
import pandas as pd
import pytest

import errbar
from errbar import UnsaidRoleError
from tests import tool_files
from tests.refusals import refused


def points(table):
    """Numbers of each example by learner, as they stand in the file."""
    return {
        name: (table.loss.sign * table.points[table.position(name)]).tolist()
        for name in table.learners
    }


@pytest.fixture
def rng():
    return np.random.default_rng(0)


class TestTrecEval:
    @pytest.fixture
    def runs(self, tmp_path, rng):
        values = {name: rng.uniform(size=(2, 30)).round(4) for name in ("bm25", "dense", "hybrid")}
        for name, (precision, gain) in values.items():
            topics = range(301, 331)
            scores = {"map": precision, "ndcg_cut_10": gain}
            by_topic = {m: dict(zip(topics, own, strict=True)) for m, own in scores.items()}
            tool_files.trec_eval(tmp_path / f"{name}.eval", by_topic)
        return {name: gain.tolist() for name, (_, gain) in values.items()}

    def test_runs_are_learners_and_topics_examples(self, tmp_path, runs):
        files = [tmp_path / f"{name}.eval" for name in runs]
        table = errbar.read(files, metric="ndcg_cut_10")
        assert points(table) == runs
        assert table.loss.higher_is_better
        assert points(errbar.read_logs(tmp_path, metric="ndcg_cut_10")) == runs

    def test_a_measure_is_named(self, tmp_path, runs):
        with refused("metric", UnsaidRoleError) as caught:
            errbar.read([tmp_path / "bm25.eval", tmp_path / "dense.eval"])
        assert caught.value.options == ("--metric map", "--metric ndcg_cut_10")

    def test_means_alone_are_refused(self, tmp_path):
        place = tmp_path / "a.eval"
        place.write_text("runid                 \tall\tBM25\nmap                   \tall\t0.2\n")
        with refused():
            errbar.read(place)


class TestPromptfoo:
    def test_providers_are_learners(self, tmp_path):
        asked = ["one", "two", "three", "four"]
        own = {"small": [1, 0, 0, 1], "large": [1, 1, 0, 1]}
        results = {name: list(zip(asked, marks, strict=True)) for name, marks in own.items()}
        place = tool_files.promptfoo(tmp_path / "results.json", results)
        table = errbar.read(place)
        assert (points(table), table.loss.key) == (own, "success")
        assert errbar.read(place, metric="style").loss.key == "style"
        grouped = errbar.read(place, groups="question")
        assert grouped.learners == ("small", "large")

    def test_a_repeated_test_is_one_question_and_an_error_none(self, tmp_path):
        results = {
            "small": [("one", 1), ("two", 0), ("one", 0), ("two", None), ("three", 1)],
            "large": [("one", 1), ("two", 1), ("one", 1), ("two", 1), ("three", 0)],
        }
        place = tool_files.promptfoo(tmp_path / "results.json", results)
        table = errbar.read(place, missing="examples")
        assert points(table) == {"small": [0.5, 1], "large": [1, 0]}
        [left] = [note for note in table.notes if note.code == "left-out"]
        assert "1 of 3" in str(left)

    def test_a_provider_with_several_prompts_is_several_learners(self, tmp_path):
        results = {"small": [("one", (1, 0)), ("two", (1, 1)), ("three", (0, 1))]}
        place = tool_files.promptfoo(tmp_path / "r.json", results, ("Say {{question}}", "Go"))
        assert points(errbar.read(place)) == {
            "small prompt 1": [1, 1, 0],
            "small prompt 2": [0, 1, 1],
        }


class TestDeepeval:
    @pytest.fixture(params=[False, True])
    def runs(self, tmp_path, rng, request):
        scores = {name: rng.uniform(size=20).round(3).tolist() for name in ("old", "new")}
        for name, own in scores.items():
            scored = {"Answer Relevancy": own, "Toxicity": [1 - one for one in own]}
            tool_files.deepeval(tmp_path / f"{name}.json", scored, request.param)
        return scores

    def test_files_are_learners(self, tmp_path, runs):
        files = {name: tmp_path / f"{name}.json" for name in runs}
        table = errbar.read(files, metric="Answer Relevancy")
        assert points(table) == runs
        assert table.loss.higher_is_better
        assert points(errbar.read([*files.values()], metric="success"))["old"] == [
            float(one >= 0.5 and 1 - one >= 0.5) for one in runs["old"]
        ]

    def test_the_direction_of_harm_is_said(self, tmp_path, runs):
        with refused("higher_is_better"):
            errbar.read_logs(tmp_path, metric="Toxicity")
        assert not errbar.read_logs(
            tmp_path, metric="Toxicity", higher_is_better=False
        ).loss.higher_is_better

    def test_a_metric_that_failed_has_no_score(self, tmp_path):
        for name, own in {"old": [0.1, None, 0.3], "new": [0.2, 0.4, 0.6]}.items():
            tool_files.deepeval(tmp_path / f"{name}.json", {"Faithfulness": own})
        table = errbar.read_logs(tmp_path, metric="Faithfulness", missing="examples")
        assert points(table) == {"old": [0.1, 0.3], "new": [0.2, 0.6]}


class TestHelm:
    def test_folders_of_runs(self, tmp_path):
        marks = {"openai_gpt2": [1, 0, 0, 1, 1], "meta_llama": [1, 1, 0, 1, 0]}
        for model, own in marks.items():
            tool_files.helm(tmp_path, model, "mmlu:subject=anatomy,method=joint", own)
        table = errbar.read_logs(tmp_path, metric="exact_match")
        assert points(table) == marks
        assert table.loss.higher_is_better
        with refused("metric", UnsaidRoleError):
            errbar.read_logs(tmp_path)

    def test_scenarios_are_tasks(self, tmp_path):
        for model in ("a", "b"):
            for scenario in ("boolq", "mmlu:subject=law"):
                tool_files.helm(tmp_path, model, scenario, [1, 0, 1, 1])
        with refused("metric"):
            errbar.read_logs(tmp_path, tasks="equal")
        table = errbar.read_logs(tmp_path, metric="exact_match", tasks="pooled", groups="none")
        assert table.points.shape == (2, 8)

    def test_trials_are_answers_and_splits_are_chosen(self, tmp_path):
        tool_files.helm(tmp_path, "a", "imdb", [1, 0, 1], trials=3)
        tool_files.helm(tmp_path, "b", "imdb", [0, 0, 1], trials=3)
        table = errbar.read_logs(tmp_path, metric="exact_match")
        assert points(table) == {"a": [1, 0, 1], "b": [0, 0, 1]}
        tool_files.helm(tmp_path / "more", "b", "imdb", [0, 0, 1], split="valid")
        with refused():
            errbar.read_logs(tmp_path, metric="exact_match")


class TestTrainer:
    @pytest.fixture
    def runs(self, tmp_path):
        scores = {"base": [0.80, 0.82, 0.81], "tuned": [0.85, 0.84, 0.88]}
        files = {}
        for name, own in scores.items():
            for seed, value in enumerate(own):
                evaluations = [
                    {"eval_loss": 0.5, "eval_accuracy": 0.99},
                    {"eval_loss": 0.4, "eval_accuracy": value},
                ]
                place = tmp_path / f"{name}{seed}" / "trainer_state.json"
                files.setdefault(name, []).append(tool_files.trainer(place, evaluations))
        return scores, files

    def test_the_last_evaluation_of_each_run(self, runs):
        scores, files = runs
        table = errbar.read(files, metric="eval_accuracy", seed="run")
        found = -table.scores if table.loss.higher_is_better else table.scores
        assert table.loss.higher_is_better
        assert found.tolist() == [*scores.values()]

    def test_what_a_run_is_and_the_metric_are_said(self, runs):
        _, files = runs
        with refused("value", UnsaidRoleError):
            errbar.read(files)
        with refused("seed", UnsaidRoleError) as caught:
            errbar.read(files, metric="eval_accuracy")
        assert "--split run" in caught.value.options

    def test_without_an_evaluation_it_is_refused(self, tmp_path):
        place = tool_files.trainer(tmp_path / "trainer_state.json", [])
        with refused():
            errbar.read(place, metric="eval_accuracy")


class TestTablesOfTools:
    def test_tidymodels(self, rng):
        scores = {
            "forest": rng.uniform(size=10).round(4),
            "logistic": rng.uniform(size=10).round(4),
        }
        sheet = tool_files.tidymodels(scores)
        with refused("metric", UnsaidRoleError):
            errbar.read(sheet)
        table = errbar.read(sheet, metric="accuracy", n_train=80, n_test=20)
        assert table.learners == ("forest", "logistic")
        assert np.array_equal(-table.scores, np.stack([*scores.values()]))
        assert table.splits.kinds == ("kfold",)

    def test_tidymodels_of_one_workflow_compares_configurations(self, rng):
        sheet = tool_files.tidymodels({"a": rng.uniform(size=10), "b": rng.uniform(size=10)})
        sheet[".config"] = "Model_" + sheet.pop("wflow_id")
        sheet = sheet.drop(columns="model")
        with refused("learner", UnsaidRoleError) as caught:
            errbar.read(sheet, metric="accuracy")
        assert caught.value.options[0] == "--learner .config"
        table = errbar.read(sheet, metric="accuracy", learner=".config", n_train=80, n_test=20)
        assert table.learners == ("Model_a", "Model_b")

    def test_mlr3(self, rng):
        scores = {"classif.rpart": rng.uniform(size=10), "classif.ranger": rng.uniform(size=10)}
        said = {"n_train": 180, "n_test": 20}
        with refused("fold", UnsaidRoleError):
            errbar.read(tool_files.mlr3(scores), **said)
        table = errbar.read(tool_files.mlr3(scores), fold="iteration", **said)
        assert np.array_equal(table.scores, np.stack([*scores.values()]))
        several = errbar.read(tool_files.mlr3(scores, ("sonar", "pima", "spam")), fold="iteration")
        assert several.splits.kinds == ("data-sets",)
        assert several.scores[0, 1] == pytest.approx(scores["classif.rpart"].mean() + 0.01)

    def test_the_automl_benchmark(self, rng):
        metrics = {"adult": "auc", "car": "neg_logloss", "kc1": "auc", "wine": "auc"}
        scores = {
            name: {task: rng.uniform(size=10).round(5).tolist() for task in metrics}
            for name in ("A", "B", "C")
        }
        scores["C"]["kc1"][3] = None
        sheet = tool_files.amlb(scores, metrics)
        with refused("metric", UnsaidRoleError) as caught:
            errbar.read(sheet, kind="data-sets")
        assert caught.value.options[-1] == "--ignore metric"
        said = {"ignore": "metric", "higher_is_better": True, "kind": "data-sets"}
        with refused("missing", UnsaidRoleError):
            errbar.read(sheet, **said)  # C lacks a fold
        table = errbar.read(sheet, **said, missing="learners")
        assert table.learners == ("A", "B")
        assert -table.scores[0] == pytest.approx([np.mean(own) for own in scores["A"].values()])
        areas = errbar.read(sheet, metric="auc", kind="data-sets", missing="learners")
        assert areas.loss.higher_is_better
        assert areas.scores.shape == (2, 3)

    def test_an_error_of_an_area_is_lower_where_better(self, rng):
        rows = [
            {"dataset": d, "fold": f, "method": m, "metric_error": rng.uniform(0.1, 0.3)}
            | {"metric_error_val": rng.uniform(0.1, 0.3), "time_train_s": 3.0}
            | {"time_infer_s": 0.1, "metric": "roc_auc", "problem_type": "binary", "imputed": False}
            for d in "abcde"
            for f in range(3)
            for m in ("RF (tuned)", "TabPFNv2 (default)")
        ]
        with refused("learner", UnsaidRoleError):
            errbar.read(pd.DataFrame(rows))
        table = errbar.read(pd.DataFrame(rows), learner="method")
        assert table.loss.higher_is_better is False
        assert (table.scores > 0).all()

    def test_ragas(self, rng, tmp_path):
        scores = {"base": rng.uniform(size=20).round(4), "rerank": rng.uniform(size=20).round(4)}
        for name, own in scores.items():
            frame = pd.DataFrame({"user_input": [f"question {i}?" for i in range(20)]})
            frame = frame.assign(retrieved_contexts="['c']", response=name, reference="r")
            frame.assign(faithfulness=own, context_recall=own[::-1]).to_csv(
                tmp_path / f"{name}.csv", index=False
            )
        table = errbar.read([tmp_path / "base.csv", tmp_path / "rerank.csv"], metric="faithfulness")
        assert points(table) == {name: own.tolist() for name, own in scores.items()}
        assert table.loss.higher_is_better

    @pytest.mark.parametrize("name", ["noise_sensitivity", "noise_sensitivity(mode=relevant)"])
    def test_less_noise_is_better(self, name):
        table = errbar.from_losses({"a": [0.2, 0.3], "b": [0.1, 0.4]}, metric=name)
        assert not table.loss.higher_is_better
