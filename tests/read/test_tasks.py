"""Questions of several tasks in a table of one's own: the mean of the tasks, or of all questions."""

import numpy as np
import pandas as pd
import pytest

import errbar
from errbar import UnsaidRoleError
from errbar.errors import InvalidInputError

SIZES = {"arc": 30, "mmlu": 200, "gsm": 80}


@pytest.fixture(scope="module")
def long():
    rng = np.random.default_rng(0)
    rows = [
        (model, task, question, int(rng.random() < 0.6))
        for model in ("small", "large")
        for task, size in SIZES.items()
        for question in range(size)
    ]
    return pd.DataFrame(rows, columns=["model", "task", "question_id", "correct"])


@pytest.fixture(scope="module")
def wide(long):
    found = long.pivot(index=["task", "question_id"], columns="model", values="correct")
    return found.reset_index().rename_axis(columns=None)


def difference(table):
    found = errbar.infer(table, "holdout-t", "large", minus="small")
    return found.estimate, found.se


@pytest.mark.parametrize("shape", ["long", "wide", "file"])
def test_the_mean_of_these_tasks(shape, long, wide, tmp_path):
    said = {"tasks": "equal", "higher_is_better": True}
    source = wide
    if shape == "wide":
        said["columns"] = "small,large"
    else:
        source, said["value"] = long.sample(frac=1.0, random_state=1), "correct"
    if shape == "file":
        source = tmp_path / "answers.csv"
        long.to_csv(source, index=False)
    gaps = wide.assign(gap=wide["large"] - wide["small"]).groupby("task")["gap"]
    se = np.sqrt((gaps.var() / gaps.size()).sum()) / 3
    expected = (gaps.mean().mean(), se)
    assert difference(errbar.read(source, **said)) == pytest.approx(expected, rel=1e-9)


def test_the_mean_of_all_questions(long, wide):
    table = errbar.read(long, tasks="pooled", value="correct", higher_is_better=True)
    gap = wide["large"] - wide["small"]
    expected = (gap.mean(), gap.std() / np.sqrt(len(gap)))
    assert difference(table) == pytest.approx(expected, rel=1e-9)


def test_new_tasks_are_the_sample_from_five_on():
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(
        {
            "task": np.repeat([f"t{i}" for i in range(8)], 20),
            "question_id": np.tile(np.arange(20), 8),
            "small": rng.random(160),
            "large": rng.random(160),
        }
    )
    said = {"tasks": "equal", "columns": ["small", "large"], "higher_is_better": True}
    table = errbar.read(frame, **said)
    gaps = frame.assign(gap=frame["large"] - frame["small"]).groupby("task")["gap"].mean()
    expected = (gaps.mean(), gaps.std() / np.sqrt(8))
    assert difference(table) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(
    ("left", "said", "argument"),
    [
        (["task"], {"value": "correct"}, "dataset"),
        (["question_id"], {"value": "correct"}, "example"),
        ([], {"value": "correct", "groups": "nothing"}, "groups"),
        ([], {"value": "correct", "tasks": "all"}, "tasks"),
        (["correct"], {}, "value"),
    ],
)
def test_what_is_refused(long, left, said, argument):
    asked = {"tasks": "equal", "higher_is_better": True} | said
    with pytest.raises(InvalidInputError) as caught:
        errbar.read(long.drop(columns=left), **asked)
    assert caught.value.argument == argument


def test_the_learners_of_a_wide_table_are_named(wide):
    with pytest.raises(UnsaidRoleError) as caught:
        errbar.read(wide, tasks="equal", higher_is_better=True)
    assert caught.value.argument == "columns"


def test_without_a_word_the_two_means_are_offered(long):
    with pytest.raises(UnsaidRoleError) as caught:
        errbar.read(long, value="correct", higher_is_better=True)
    assert caught.value.options[:2] == ("--tasks equal", "--tasks pooled")


def test_groups_are_of_rows_in_a_wide_table_as_in_a_long_one(long, wide):
    said = {"tasks": "pooled", "groups": "passage", "higher_is_better": True}
    found = errbar.read(
        wide.assign(passage=wide["question_id"] // 10), columns="small,large", **said
    )
    same = errbar.read(long.assign(passage=long["question_id"] // 10), value="correct", **said)
    results = [errbar.infer(one, "cluster-t", "large", minus="small") for one in (found, same)]
    assert results[0].estimate == pytest.approx(results[1].estimate, rel=1e-12)
    assert results[0].se == pytest.approx(results[1].se, rel=1e-12)
