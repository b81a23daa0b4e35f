"""Files as they lie about: other separators, labels among the learners, folders without logs."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from errbar import read_logs
from errbar.planning import pilot
from tests.cli.test_errors import refused
from tests.eval_logs import sample, write_samples

MODEL = ("--target", "y", "--model", "m=sklearn.linear_model.Ridge")
LONG = ("--learner", "model", "--value", "correct", "--example", "question")
IGNORED = (*LONG, "--ignore", "category")


def told(found, code):
    """The numbers of the one note with a code; None if there is none."""
    return next((note["numbers"] for note in found["notes"] if note["code"] == code), None)


@pytest.fixture
def answers(tmp_path):
    rng = np.random.default_rng(3)
    right = rng.integers(0, 2, (3, 40)) / 2
    rows = [(f"m{i}", 500 + j, f"t{j // 5}", right[i, j]) for i in range(3) for j in range(40)]
    return pd.DataFrame(rows, columns=["model", "question", "category", "correct"])


@pytest.mark.parametrize(
    ("name", "how"),
    [
        ("a.csv", {"sep": ";"}),
        ("b.csv", {"sep": ";", "decimal": ","}),
        ("c.tsv", {"sep": "\t"}),
        ("d.csv.gz", {"sep": "\t"}),
    ],
)
def test_other_separators(errbar, answers, name, how):
    answers.to_csv("plain.csv", index=False)
    answers.to_csv(name, index=False, **how)
    expected = errbar("test", "plain.csv", *IGNORED, "--higher-is-better", "--json").data
    assert errbar("test", name, *IGNORED, "--higher-is-better", "--json").data == expected


def test_a_semicolon_in_a_name_is_no_separator(errbar, answers):
    answers.replace({"m0": "a; b"}).rename(columns={"category": "topic; or so"}).to_csv(
        "t.csv", index=False
    )
    found = errbar("test", "t.csv", *LONG, "--ignore", "topic; or so", "--json").data
    assert [one["name"] for one in found["learners"]] == ["a; b", "m1", "m2"]


def test_numbers_of_questions_and_categories_are_no_learners(errbar, answers):
    wide = answers.pivot_table(
        index=["question", "category"], columns="model", values="correct"
    ).reset_index()
    wide.assign(category=wide["category"].str[1:].astype(int), doc_id=7).to_csv(
        "wide.csv", index=False
    )
    refused(errbar("test", "wide.csv"), "example")
    refused(errbar("test", "wide.csv", "--example", "question"), "groups")
    wide.to_csv("named.csv", index=False)
    grouped = errbar(
        "test", "named.csv", "--groups", "category", "--example", "question", "--json"
    ).data
    assert grouped["method"] == "cluster-t"


def test_refusals_name_what_to_say(errbar, answers, tmp_path):
    answers.to_csv("long.csv", index=False)
    for command in ("test", "power", "ranks"):
        refused(errbar(command, "long.csv"))
    answers.assign(correct="yes").to_csv("words.csv", index=False)
    refused(errbar("test", "words.csv", *LONG))
    (tmp_path / "empty").mkdir()
    refused(errbar("test", "empty"))


def test_lower_is_better_is_said_of_logs(errbar, tmp_path):
    for model, cost in (("a", 0.2), ("b", 0.6)):
        write_samples(
            tmp_path / "logs", model, "t", [sample(i, {"cost": cost + i / 50}) for i in range(20)]
        )
    refused(errbar("test", "logs"), "higher_is_better")
    lower = errbar("test", "logs", "--lower-is-better", "--json").data
    assert lower["direction"] == "lower is better"
    assert told(lower, "direction") is None
    refused(errbar("test", "logs", "--lower-is-better", "--higher-is-better"))


def test_scores_of_judges_are_called_so_and_no_column_is_forgotten(errbar):
    rng = np.random.default_rng(0)
    judge = rng.integers(0, 2, 80)
    frame = pd.DataFrame(
        {
            "model": np.repeat(["a", "b"], 40),
            "example": np.tile(range(40), 2),
            "people": np.where(np.arange(80) % 4, np.nan, judge),
            "judge": judge,
        }
    )
    frame.to_csv("judged.csv", index=False)
    call = ("--value", "people", "--judge", "judge", "--higher-is-better", "--json")
    both = errbar("test", "judged.csv", "--learner", "model", *call).data
    assert both["loss"] == "score"
    assert told(both, "read")["roles"] == ["example=example"]
    taken = errbar("test", "judged.csv", *call).data
    assert told(taken, "read")["roles"] == ["learner=model", "example=example"]
    assert taken["pairs"] == both["pairs"]


def test_what_is_said_of_splits_is_not_passed_over(errbar, answers):
    answers.to_csv("long.csv", index=False)
    wide = answers.pivot_table(
        index=["question", "category"], columns="model", values="correct"
    ).reset_index()
    wide.to_csv("wide.csv", index=False)
    ignored = ("--ignore", "category")
    for words in (("long.csv", *IGNORED), ("wide.csv", "--example", "question", *ignored)):
        refused(errbar("test", *words, "--n-test", "40"), "n_test")
    groups = ("--groups", "category", "--example", "question")
    for words in (("long.csv", *IGNORED), ("wide.csv", *groups)):
        refused(errbar("test", *words, "--kind", "kfold"), "kind")


def test_logs_and_long_tables_are_a_pilot_and_have_methods(errbar, answers):
    for model, rest in (("small", 2), ("large", 3)):
        lines = [
            sample(j, {"acc": (j + k * j // 7) % rest > 0}) for j in range(40) for k in range(3)
        ]
        write_samples(Path("runs"), model, "arc", lines)
    refused(errbar("power", "runs", "--design", "crossed"))
    found = errbar("power", "runs", "--design", "clusters", "--groups", "question", "--json").data
    table = read_logs("runs", groups="question")
    assert found["components"]["cluster"] == pytest.approx(pilot(table, design="clusters").cluster)
    fitting = {
        one["key"] for one in errbar("methods", "--for", "runs", "--json").data if one["suitable"]
    }
    assert {"holdout-t", "bootstrap"} <= fitting
    assert not fitting & {"crossed-t", "crossed-or", "mcnemar", "paired-proportions"}
    answers[answers["model"] != "m2"].to_csv("long.csv", index=False)
    found = errbar(
        "power", "long.csv", *LONG, "--groups", "category", "--design", "clusters", "--json"
    ).data
    assert found["prospects"][0]["sizes"] == [8, 5]
    grouped = errbar("methods", "--for", "long.csv", *LONG, "--groups", "category", "--json").data
    assert "cluster-t" in {one["key"] for one in grouped if one["suitable"]}
    refused(
        errbar("power", "--deviation", "0.1", "--n-train", "9", "--n-test", "3", "--learner", "m")
    )
    answers.assign(correct=answers["correct"] > 0, m0=np.arange(120) % 2 > 0).drop(
        columns="model"
    ).to_csv("a.csv", index=False)
    two = (
        "--truth",
        "correct",
        "--fold",
        "none",
        "--columns",
        "m0",
        "--ignore",
        "question",
        "--loss",
        "f1",
        "--loss",
        "mcc",
        "--groups",
        "category",
    )
    refused(errbar("power", "a.csv", *two, "--design", "clusters"))


def test_zeros_and_ones_without_a_direction_are_said_to_be_errors(errbar, answers):
    rng = np.random.default_rng(1)
    wide = answers.assign(correct=rng.integers(0, 2, 120)).pivot_table(
        index="question", columns="model", values="correct"
    )
    wide.reset_index().to_csv("wide.csv", index=False)
    call = ("test", "wide.csv", "--example", "question", "--json")

    def directions(*options):
        return told(errbar(*call, *options).data, "direction")

    assert directions()["better"] == "lower"
    assert directions("--metric", "correct")["better"] == "higher"
    assert not directions("--metric", "accuracy")
    assert not directions("--metric", "error")
    assert not directions("--higher-is-better")
    assert not directions("--lower-is-better")


def test_numbers_without_a_direction_are_said_to_be_losses(errbar):
    rng = np.random.default_rng(0)
    pd.DataFrame(rng.normal(0.8, 0.02, (10, 2)), columns=["a", "b"]).to_csv(
        "scores.csv", index=False
    )
    call = ("test", "scores.csv", "--n-train", "90", "--n-test", "10", "--json")

    def directions(*options):
        found = errbar(*call, *options).data
        return found["direction"], told(found, "direction")

    direction, note = directions()
    assert (direction, note["better"]) == ("lower is better", "lower")
    assert directions("--metric", "yield")[1] == {
        "what": "yield",
        "better": "lower",
        "say": "higher_is_better",
    }
    assert directions("--metric", "mean loss") == ("lower is better", None)
    assert directions("--lower-is-better") == ("lower is better", None)
    assert directions("--higher-is-better") == ("higher is better", None)
    refused(errbar(*call, "--higher-is-better", "--lower-is-better"))


def test_the_direction_of_judged_numbers_is_said_too(errbar):
    judged = pd.DataFrame(
        {"people": [1, 0, 1, 1, None, None, None, None], "judge": [1, 0, 0, 1, 1, 0, 1, 1]}
    )
    judged.to_csv("judged.csv", index=False)
    call = ("test", "judged.csv", "--value", "people", "--judge", "judge", "--json")
    unsaid = told(errbar(*call).data, "direction")
    assert (unsaid["what"], unsaid["better"]) == ("people", "lower")
    assert told(errbar(*call, "--higher-is-better").data, "direction") is None


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("text", ['[{"a": 1, "b": 2}]', "\n [\n  [1, 2]]", '{"a": [1, 2]}'])
def test_json_is_told_apart_from_tables(errbar, text, encoding):
    Path("table.csv").write_text(text, encoding=encoding)
    refused(errbar("test", "table.csv"))
    ridge = ("--model", "a=Ridge", "--model", "b=Lasso")
    refused(errbar("compare", "table.csv", "--target", "a", *ridge))


def test_a_column_of_samples_is_no_learner(errbar, answers):
    wide = answers.pivot_table(index="question", columns="model", values="correct").reset_index()
    wide.assign(sample=np.arange(40) % 4).to_csv("wide.csv", index=False)
    refused(errbar("test", "wide.csv"), "example")
    refused(errbar("test", "wide.csv", "--example", "question"), "answer")
    found = errbar("test", "wide.csv", "--example", "question", "--answer", "sample", "--json").data
    assert [one["name"] for one in found["learners"]] == ["m0", "m1", "m2"]


def test_files_that_are_no_tables_are_told_apart(errbar, tmp_path):
    write_samples(tmp_path, "m", "arc", [sample(0, {"acc": 1.0})], results={"results": {}})
    [results] = (tmp_path / "m").glob("results_*.json")
    refused(errbar("test", str(results)))
    Path("binary.csv").write_bytes(b"a,b\n\x00\xff,\x8d\n")
    refused(errbar("test", "binary.csv"))


def test_files_of_other_encodings_are_read(errbar):
    text = "größe;naïve\n0,1;0,2\n0,2;0,1\n0,4;0,1\n"
    for name, encoding in {"a.csv": "utf-8-sig", "b.csv": "utf-16", "c.csv": "cp1252"}.items():
        Path(name).write_bytes(text.encode(encoding))
        found = errbar("test", name, "--n-train", "90", "--n-test", "10", "--json", "--quiet").data
        assert [one["name"] for one in found["learners"]] == ["größe", "naïve"]


def test_describe_proposes_a_command_that_runs(errbar):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"iteration": np.arange(10), "svm": rng.uniform(size=10), "tree": rng.uniform(size=10)}
    )
    frame.to_csv("scores.csv", index=False)
    found = errbar("describe", "scores.csv", "--json").data
    assert found["said"] == {"fold": "iteration"}
    words = (
        found["command"]
        .replace("--n-train N", "--n-train 90")
        .replace("--n-test N", "--n-test 10")
        .split()
    )
    assert errbar(*words[1:]).status == 0
    assert errbar("describe", "scores.csv").out.endswith(f"{found['command']}\n")
    frame.rename(columns={"iteration": "seed"}).to_csv("seeds.csv", index=False)
    asked = errbar("describe", "seeds.csv", "--json").data
    assert (asked["command"], asked["options"]) == (
        None,
        ["--seed seed", "--split seed", "--kind runs"],
    )
    refused(errbar("describe", "nowhere.csv"))


def test_what_tells_rows_of_a_long_table_apart_is_asked_with_the_columns_that_are_left(errbar):
    rows = [
        f"{model},{question},{run},1"
        for model in ("a", "b")
        for question in (1, 2)
        for run in (1, 2)
    ]
    Path("llm.csv").write_text("\n".join(["model,question,run,correct", *rows]), encoding="utf-8")
    ask = ("test", "llm.csv", "--learner", "model", "--value", "correct")
    refused(errbar(*ask))
    refused(errbar(*ask, "--example", "question"), "seed")


def test_tasks_that_are_taken_for_groups_are_said_to_be(errbar, tmp_path):
    for model in "ab":
        for task in "tuvwx":
            lines = [
                sample(i, {"acc": float((i + ord(task)) % 3 > (model == "a"))}) for i in range(6)
            ]
            write_samples(tmp_path / "logs", model, task, lines)

    def noted(*options):
        return told(errbar("test", "logs", *options, "--json").data, "taken-as")

    assert noted()["what"] == "each task (tasks='pooled')"
    assert noted("--groups", "task") is None
    assert noted("--groups", "none") is None


def test_notes_that_differ_by_a_number_alone_are_shown_once(errbar):
    rng = np.random.default_rng(0)
    wander = np.cumsum(rng.normal(size=(90, 3)), axis=0)
    pd.DataFrame(wander**2, columns=list("abc")).assign(date=np.arange(90)).to_csv(
        "wander.csv", index=False
    )
    call = ("test", "wander.csv", "--time", "date", "--method", "diebold-mariano")
    notes = [
        note
        for note in errbar(*call, "--json").data["notes"]
        if note["code"] == "correlated-losses"
    ]
    assert len(notes) > 2
    assert errbar(*call, "--details").out.count("  correlated-losses:") == 1


class TestColumns:
    """Which columns are learners is said with --columns, for every command that reads given numbers."""

    @pytest.fixture
    def sheet(self):
        rng = np.random.default_rng(3)
        frame = pd.DataFrame(rng.normal(0.9, 0.02, (10, 3)), columns=["svm", "gbm", "tree"])
        frame.assign(features=rng.permutation(np.arange(10, 500, 50))).to_csv(
            "sheet.csv", index=False
        )
        return "sheet.csv"

    def test_of_other_numbers_are_refused_until_the_others_are_named(self, errbar, sheet):
        call = ("test", sheet, "--n-train", "90", "--n-test", "10", "--json")
        refused(errbar(*call), "columns")
        found = errbar(*call, "--columns", "svm,gbm,tree").data
        assert [one["name"] for one in found["learners"]] == ["svm", "gbm", "tree"]
        assert told(found, "read")["left_aside"] == ["features"]

    @pytest.mark.parametrize(
        "call",
        [
            ("test", "sheet.csv", "--n-train", "90", "--n-test", "10"),
            ("ranks", "sheet.csv", "--lower-is-better"),
            ("power", "sheet.csv", "--n-train", "90", "--n-test", "10"),
            ("methods", "--for", "sheet.csv", "--kind", "subsampling"),
        ],
        ids=lambda call: call[0],
    )
    def test_are_an_option_of_every_command(self, errbar, sheet, call):
        ended = errbar(*call, "--columns", "svm,gbm")
        assert ended.status == 0, ended.err
        assert "tree" not in {line.split(" ")[0] for line in ended.out.splitlines()}

    def test_go_with_a_column_for_each_learner(self, errbar, answers):
        answers.to_csv("long.csv", index=False)
        call = ("test", "long.csv", "--learner", "model", "--value", "correct", "--columns", "m0")
        refused(errbar(*call))
        judged = ("test", "long.csv", "--value", "correct", "--judge", "correct", "--columns", "m0")
        refused(errbar(*judged))

    def test_of_predictions(self, errbar):
        rng = np.random.default_rng(3)
        frame = pd.DataFrame(rng.integers(0, 2, (60, 3)), columns=["y", "a", "b"])
        frame.assign(prob_a=rng.random(60), prob_b=rng.random(60)).to_csv("both.csv", index=False)
        call = (
            "test",
            "both.csv",
            "--truth",
            "y",
            "--fold",
            "none",
            "--loss",
            "f1",
            "--positive",
            "1",
        )
        found = errbar(*call, "--columns", "a,b", "--json").data
        assert [one["name"] for one in found["learners"]] == ["a", "b"]
