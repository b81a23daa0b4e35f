"""Tables whose columns are data sets, items or splits, and whose rows are learners."""

import pandas as pd
import pytest

import errbar
from errbar.datasets import ranks
from tests.refusals import refused

TASKS = ["arc", "boolq", "piqa", "qnli", "rte", "sst"]
RANKS = {"kind": "data-sets", "higher_is_better": True}


def leaderboard(rng, name="Model"):
    """Return a row for each model, and what `ranks` shall say of it."""
    scores = rng.uniform(0.3, 0.9, (4, 6)).round(4)
    frame = pd.DataFrame(scores, columns=TASKS)
    models = [f"m{place}" for place in range(4)]
    frame.insert(0, name, models)
    return frame, pd.DataFrame(scores.T, columns=models)


def following(frame, **said):
    """Return what is said once each refusal is answered by the first of its options."""
    while True:
        try:
            errbar.read_table(frame, **said)
        except errbar.UnsaidRoleError as error:
            role, _, column = error.options[0].removeprefix("--").partition(" ")
            assert role not in said
            said[role] = column.strip("'")
        else:
            return said


@pytest.mark.parametrize(("name", "steps"), [("Model", 1), ("Method", 2), ("Unnamed: 0", 2)])
def test_rows_of_learners_are_asked_about_and_then_ranked(rng, name, steps):
    frame, wide = leaderboard(rng, name)
    said = following(frame, **RANKS)
    assert len(said) == len(RANKS) + steps
    assert said["dataset"] == "columns"
    found = ranks(errbar.read_table(frame, **said))
    assert found.mean_ranks == ranks(errbar.from_scores(wide, **RANKS)).mean_ranks


def test_columns_are_the_data_sets_that_are_read(rng):
    frame, wide = leaderboard(rng)
    some = {"columns": TASKS[:3]}
    with refused("dataset", errbar.UnsaidRoleError):
        errbar.read_table(frame, **RANKS, **some)
    found = ranks(errbar.read_table(frame, **RANKS, **some, dataset="columns"))
    assert found.mean_ranks == ranks(errbar.from_scores(wide[:3], **RANKS)).mean_ranks


def test_a_column_that_is_no_benchmark_is_asked_about(rng):
    frame, _ = leaderboard(rng)
    frame["likes"] = [31, 570, 12, 86]
    with refused("columns", errbar.UnsaidRoleError):
        errbar.read_table(frame, **RANKS, dataset="columns")


def test_a_board_of_rows_of_models(rng):
    frame, wide = leaderboard(rng)
    for some in ({}, {"columns": TASKS[:4]}):
        with refused("example", errbar.UnsaidRoleError) as caught:
            errbar.board(frame, **some)
        assert caught.value.options == ("--example columns",)
        board = errbar.board(frame, **some, example="columns")
        assert board.models == tuple(wide)
        assert board.task.size == len(some.get("columns", TASKS))


@pytest.mark.parametrize("role", ["seed", "fold", "split"])
def test_columns_that_are_called_by_numbers_are_no_learners(rng, tmp_path, role):
    centre = {"a": 0.6, "b": 0.7, "c": 0.8}
    files = []
    for name, mean in centre.items():
        files.append(tmp_path / f"{name}.csv")
        scores = pd.DataFrame(rng.normal(mean, 0.05, (8, 5)), columns=map(str, range(5)))
        scores.insert(0, "folds:", [f"Data{place}" for place in range(8)])
        scores.to_csv(files[-1], index=False)
    with refused("seed", errbar.UnsaidRoleError) as caught:
        errbar.read_table(files[0], **RANKS)
    assert f"--{role} columns" in caught.value.options
    with refused("seed", errbar.UnsaidRoleError):
        errbar.read(files, **RANKS)
    table = errbar.read(files, **RANKS, **{role: "columns", "dataset": "folds:"})
    means = [pd.read_csv(one).iloc[:, 1:].mean(axis=1).mean() for one in files]
    assert -table.scores.mean(axis=1) == pytest.approx(means)


class TestBoards:
    def test_columns_that_rows_share_are_asked_about(self, rng):
        frame = pd.DataFrame(rng.uniform(size=(24, 3)), columns=list("abc"))
        frame["kind"] = ["x", "y", "z"] * 8
        with refused("dataset", errbar.UnsaidRoleError) as caught:
            errbar.board(frame)
        assert caught.value.options == ("--dataset kind", "--ignore kind")
        assert errbar.board(frame, ignore="kind").tasks == ("all items",)
        assert errbar.board(frame, dataset="kind").tasks == ("x", "y", "z")

    def test_numbers_that_do_not_differ_are_no_models(self):
        with refused("value"):
            errbar.board(pd.DataFrame({"turn": [1] * 30, "anony": [1] * 30}))

    def test_a_code_for_no_value_is_no_score(self, rng):
        frame = pd.DataFrame(rng.integers(1, 11, (30, 3)), columns=list("abc"))
        frame.loc[4, "b"] = -1
        for read in (errbar.board, lambda one: errbar.read_table(one, kind="examples")):
            with refused():
                read(frame)
        board = errbar.board(frame.replace(-1, float("nan")), missing="examples")
        assert board.task.size == 29
        marks = rng.choice([-1, 0, 1], (30, 3))  # lost, tied and won
        assert errbar.board(pd.DataFrame(marks, columns=list("abc"))).task.size == 30

    def test_tables_of_a_model_each_are_one_board(self, rng, tmp_path):
        scores = rng.uniform(size=(3, 20))
        places = []
        for name, own in zip("abc", scores, strict=True):
            frame = pd.DataFrame({"question_id": range(20), "score": own})
            places.append(tmp_path / f"{name}.csv")
            frame.to_csv(places[-1], index=False)
        for source in (places, dict(zip("abc", places, strict=True))):
            board = errbar.board(source)
            assert board.models == ("a", "b", "c")
            assert board.values == pytest.approx(scores)
