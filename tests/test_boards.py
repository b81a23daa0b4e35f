"""Boards: scores and standard errors, intervals of ranks, filters, what is read, and what is said."""

import base64
import json
import math
import zlib
from importlib import resources
from itertools import product

import jsonschema
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st
from scipy import stats

import errbar
from errbar.boards import rank_intervals


def long_table(values, tasks=None, **columns):
    """Return a row for each model and item; models in rows."""
    models, items = values.shape
    frame = {
        "model": np.repeat([f"m{j}" for j in range(models)], items),
        "item_id": np.tile(np.arange(items), models),
        "score": values.ravel(),
    }
    if tasks is not None:
        frame["task"] = np.tile(tasks, models)
    return pd.DataFrame(frame | columns)


def some_values(rng, models=6, items=60, spread=0.1):
    chance = 0.5 + spread * np.linspace(1.0, -1.0, models)[:, np.newaxis]
    return (rng.random((models, items)) < chance) * 1.0


def write_lists(folder, total=None):
    """Write what three agents have solved, as the experiments of SWE-bench do."""
    solved = {"agent-a": "xyz", "agent-b": "xy", "agent-c": "w"}
    for name, ids in solved.items():
        place = folder / name / "results"
        place.mkdir(parents=True)
        said = {"resolved": [f"repo__{one}" for one in ids], "no_generation": []}
        said |= {} if total is None else {"total_instances": total}
        (place / "results.json").write_text(json.dumps(said))


def by_name(board):
    return {place.model: place for place in board.places}


@pytest.fixture
def rng():
    return np.random.default_rng(0)


class TestScores:
    def test_pooled_items_have_the_mean_its_standard_error_and_a_t_interval(self, rng):
        values = rng.normal(size=(3, 25))
        board = errbar.board(long_table(values))
        for name, row in zip(board.models, values, strict=True):
            place = by_name(board)[name]
            assert place.score == pytest.approx(row.mean(), rel=1e-12)
            assert place.se == pytest.approx(stats.sem(row), rel=1e-12)
            ends = stats.t.interval(0.95, 24, row.mean(), stats.sem(row))
            assert (place.low, place.high) == pytest.approx(ends, rel=1e-10)

    def test_equal_tasks_have_the_mean_of_means_and_the_sum_of_their_variances(self, rng):
        tasks = np.repeat(["a", "b", "c"], [4, 10, 25])
        values = rng.normal(size=(3, 39)) + (tasks == "a")
        board = errbar.board(long_table(values, tasks), tasks="equal")
        for name, row in zip(board.models, values, strict=True):
            parts = [row[tasks == task] for task in "abc"]
            variance = sum(part.var(ddof=1) / part.size for part in parts) / 9
            place = by_name(board)[name]
            assert place.score == pytest.approx(np.mean([part.mean() for part in parts]))
            assert place.se == pytest.approx(math.sqrt(variance), rel=1e-12)

    def test_new_tasks_have_the_variance_of_their_means(self, rng):
        tasks = np.repeat(list("abcdefg"), [3, 4, 5, 6, 7, 8, 9])
        values = rng.normal(size=(2, tasks.size))
        board = errbar.board(long_table(values, tasks), tasks="equal", clusters="tasks")
        means = [values[0][tasks == task].mean() for task in "abcdefg"]
        assert by_name(board)["m0"].se == pytest.approx(stats.sem(means), rel=1e-12)

    def test_pooled_items_in_new_tasks_have_the_clustered_standard_error(self, rng):
        tasks = np.repeat(list("abcdefg"), [3, 4, 5, 6, 7, 8, 9])
        values = rng.normal(size=(2, tasks.size))
        board = errbar.board(long_table(values, tasks), tasks="pooled", clusters="tasks")
        gaps = values[0] - values[0].mean()
        sums = np.array([gaps[tasks == task].sum() for task in "abcdefg"])
        place = by_name(board)["m0"]
        assert place.score == pytest.approx(values[0].mean(), rel=1e-12)
        assert place.se == pytest.approx(math.sqrt(7 / 6 * (sums**2).sum()) / tasks.size)

    def test_the_door_for_logs_has_the_same_standard_error_of_equal_tasks(self, tmp_path, rng):
        for model in ("small", "large"):
            folder = tmp_path / model
            folder.mkdir()
            for task, size in (("arc", 12), ("gsm", 30)):
                lines = [
                    {"doc_id": i, "doc_hash": f"{task}{i}", "acc": float(right), "metrics": ["acc"]}
                    for i, right in enumerate(rng.random(size) < 0.6)
                ]
                text = "\n".join(map(json.dumps, lines))
                (folder / f"samples_{task}_2026-01-01T00-00-00.jsonl").write_text(text)
        board = errbar.board(tmp_path, tasks="equal")
        table = errbar.read_logs(tmp_path, tasks="equal", groups="none")
        own = by_name(board)["small"]
        result = errbar.infer(table, "holdout-t", "small")
        assert (own.score, own.se) == pytest.approx((result.estimate, result.se), rel=1e-10)


class TestRanks:
    def test_the_law_is_that_of_all_signs(self):
        """With 8 units there are 128 sign patterns: the critical value is theirs."""
        values = np.random.default_rng(2).exponential(size=(3, 8))
        largest = []
        for signs in product((-1.0, 1.0), repeat=8):
            statistic = [
                abs(signs @ (values[a] - values[b])) / np.linalg.norm(values[a] - values[b])
                for a, b in ((0, 1), (0, 2), (1, 2))
            ]
            largest.append(max(statistic))
        found = rank_intervals(values, level=0.9).critical
        share = np.mean(np.array(largest) > found * (1 + 1e-9))
        assert 0.07 <= share <= 0.13
        assert np.abs(np.array(largest) - found).min() < 1e-12

    def test_for_many_units_two_models_have_the_critical_value_of_the_normal(self):
        values = np.random.default_rng(1).normal(size=(2, 2000))
        assert rank_intervals(values).critical == pytest.approx(1.96, abs=0.08)

    def test_for_many_units_equal_independent_models_have_that_of_the_range(self):
        values = np.random.default_rng(1).normal(size=(12, 3000))
        wanted = stats.studentized_range.isf(0.05, 12, 1e6) / math.sqrt(2.0)
        assert rank_intervals(values).critical == pytest.approx(wanted, abs=0.1)

    def test_what_is_far_apart_is_ordered(self, rng):
        values = 10.0 * np.arange(5)[:, np.newaxis] + rng.normal(size=(5, 30))
        found = rank_intervals(values)
        assert found.first.tolist() == found.last.tolist() == [5, 4, 3, 2, 1]

    def test_models_that_hardly_differ_are_never_told_apart(self, rng):
        """On two items alone, both in favour of one."""
        values = np.tile(rng.random(400) < 0.5, (3, 1)) * 1.0
        values[1, :2] = 1.0
        values[0, :2] = 0.0
        found = rank_intervals(values)
        assert not found.better.any()

    def test_models_with_the_same_answers_share_their_intervals(self, rng):
        values = some_values(rng, 5, 200, spread=0.3)
        values[1] = values[0]
        board = errbar.board(long_table(values))
        one, other = by_name(board)["m0"], by_name(board)["m1"]
        assert one[1:] == other[1:]
        assert not board.differ("m0", "m1")

    def test_a_constant_difference_is_significant_only_of_enough_items(self):
        for size, differ in ((4, False), (12, True)):
            values = np.array([np.ones(size), np.zeros(size)])
            assert rank_intervals(values).better[0, 1] == differ

    def test_step_down_finds_no_less(self, rng):
        """Far models at both ends: without them the critical value of the rest is smaller."""
        values = some_values(rng, 12, 300, spread=0.45)
        found = rank_intervals(values)
        gaps = values[:, np.newaxis] - values
        with np.errstate(invalid="ignore"):
            statistic = gaps.sum(axis=2) / np.sqrt(np.square(gaps).sum(axis=2))
        single = statistic > found.critical * (1 + 1e-9)
        assert (found.better | ~single).all()

    @settings(max_examples=25, deadline=None)
    @given(st.integers(0, 10**6), st.integers(2, 9), st.integers(2, 40))
    def test_laws(self, seed, models, items):
        rng = np.random.default_rng(seed)
        values = rng.integers(0, 3, (models, items)) * 0.5
        found = rank_intervals(values)
        wins = values.sum(axis=1)
        rank = 1 + (wins > wins[:, np.newaxis]).sum(axis=1)
        assert ((found.first <= rank) & (rank <= found.last)).all()
        assert not (found.better & found.better.T).any()
        # Scale, origin and order of models change nothing.
        order = rng.permutation(models)
        moved = rank_intervals(3.0 + 8.0 * values[order] + rng.integers(0, 9, items))
        assert (moved.first == found.first[order]).all()
        assert (moved.last == found.last[order]).all()
        # Losses are scores turned.
        turned = rank_intervals(-values)
        assert (turned.first == models + 1 - found.last).all()

    @pytest.mark.parametrize(
        "values", [[[1.0, 2.0]], [[1.0], [2.0]], [[1.0, math.nan], [1.0, 2.0]], [1.0, 2.0]]
    )
    def test_what_has_no_ranks_is_refused(self, values):
        with pytest.raises(errbar.InvalidInputError) as caught:
            rank_intervals(values)
        assert caught.value.argument == "values"


class TestBoard:
    def test_places_are_ordered_and_tied_scores_share_a_rank(self):
        board = errbar.board({"b": [1, 0, 1, 1], "a": [0, 1, 1, 1], "c": [0, 0, 0, 1]})
        assert [(place.model, place.rank) for place in board.places] == [
            ("a", 1),
            ("b", 1),
            ("c", 3),
        ]
        assert board.leaders == ("a", "b", "c")
        assert board.groups == (("a", "b", "c"),)

    def test_groups_are_the_longest_runs_without_a_significant_pair(self, rng):
        board = errbar.board(long_table(some_values(rng, 14, 150, spread=0.4)))
        names = [place.model for place in board.places]

        def alike(run):
            return not any(board.differ(a, b) for a in run for b in run if a < b)

        runs = [names[a:b] for a in range(14) for b in range(a + 2, 15) if alike(names[a:b])]
        longest = [one for one in runs if not any(set(one) < set(other) for other in runs)]
        assert sorted(map(tuple, longest)) == sorted(board.groups)
        assert len(longest) > 2

    def test_a_filter_is_the_board_of_what_is_left(self, rng):
        tasks = np.repeat(["a", "b", "c"], [30, 40, 50])
        frame = long_table(some_values(rng, 7, 120, spread=0.3), tasks)
        board = errbar.board(frame, tasks="equal")
        kept = board.filter(tasks=["c", "a"], models=["m5", "m1", "m2"])
        rows = frame["task"].isin(["a", "c"]) & frame["model"].isin(["m1", "m2", "m5"])
        again = errbar.board(frame[rows], tasks="equal")
        assert kept.groups == again.groups
        for one, other in zip(kept.places, again.places, strict=True):
            assert (one.model, one.rank, one.first, one.last) == (
                other.model,
                other.rank,
                other.first,
                other.last,
            )
            assert one[1:5] == pytest.approx(other[1:5], rel=1e-12)

    def test_rows_may_stand_in_any_order(self, rng):
        tasks = np.repeat(["a", "b"], [30, 40])
        frame = long_table(some_values(rng, 5, 70), tasks)
        shuffled = frame.sample(frac=1.0, random_state=0)
        assert (
            errbar.board(frame, tasks="pooled").places
            == errbar.board(shuffled, tasks="pooled").places
        )

    def test_the_seed_is_that_of_the_draws(self, rng):
        frame = long_table(rng.normal(size=(6, 40)))
        boards = [errbar.board(frame, random_state=seed) for seed in (0, 0, 1)]
        assert boards[0].critical == boards[1].critical != boards[2].critical

    def test_losses_rank_upwards(self, rng):
        values = rng.normal(size=(3, 50)) + 5.0 * np.arange(3)[:, np.newaxis]
        board = errbar.board(long_table(values), higher_is_better=False)
        assert [place.model for place in board.places] == ["m0", "m1", "m2"]
        assert [place.first for place in board.places] == [1, 2, 3]

    def test_its_json_is_as_the_schema_says_and_holds_all_scores(self, rng):
        tasks = np.repeat(["a", "b"], [3, 4])
        values = rng.random((3, 7))
        board = errbar.board(long_table(values, tasks), tasks="equal")
        text = resources.files("errbar").joinpath("board.schema.json").read_text("utf-8")
        schema = json.loads(text)
        jsonschema.Draft202012Validator.check_schema(schema)
        data = json.loads(board.to_json())
        jsonschema.Draft202012Validator(schema).validate(data)
        packed = zlib.decompress(base64.b64decode(data["data"]["scores"]))
        assert (np.frombuffer(packed, "<f8").reshape(3, 7) == values).all()
        assert [task["items"] for task in data["tasks"]] == [3, 4]

    def test_a_table_of_losses_is_a_board(self):
        table = errbar.from_losses({"a": [0, 1, 1, 0], "b": [1, 1, 1, 0]}, higher_is_better=False)
        board = errbar.board(table)
        assert [place.score for place in board.places] == [0.5, 0.75]

    def test_what_is_about_these_tasks_is_said(self, rng):
        frame = long_table(some_values(rng, 3, 60), np.repeat(list("abcdef"), 10))
        codes = {
            clusters: [note.code for note in errbar.board(frame, clusters=clusters).notes]
            for clusters in ("items", "tasks")
        }
        assert "fixed" in codes["items"]
        assert "few" in codes["tasks"]


class TestReading:
    def test_wide_and_long_tables_are_one(self, rng):
        values = some_values(rng, 4, 30)
        tasks = np.repeat(["a", "b"], 15)
        wide = pd.DataFrame(values.T, columns=[f"m{j}" for j in range(4)]).assign(task=tasks)
        wide["item_id"] = np.arange(30)
        assert (
            errbar.board(wide, metric="score").places
            == errbar.board(long_table(values, tasks)).places
        )

    def test_sizes_of_tasks_that_differ_must_be_said(self, rng):
        frame = long_table(some_values(rng, 3, 30), np.repeat(["a", "b"], [10, 20]))
        with pytest.raises(errbar.UnsaidRoleError) as caught:
            errbar.board(frame)
        assert caught.value.options == ("--tasks equal", "--tasks pooled")

    def test_missing_scores_are_refused_until_it_is_said_what_they_mean(self, rng):
        values = some_values(rng, 4, 30)
        values[2, :3] = np.nan
        frame = long_table(values).dropna()
        with pytest.raises(errbar.UnsaidRoleError) as caught:
            errbar.board(frame)
        assert caught.value.argument == "missing"
        assert errbar.board(frame, missing="models").models == ("m0", "m1", "m3")
        assert errbar.board(frame, missing="examples").task.size == 27
        assert by_name(errbar.board(frame, missing=0))["m2"].score == pytest.approx(
            np.nan_to_num(values[2]).mean()
        )
        for wrong in ("some", math.nan):
            with pytest.raises(errbar.InvalidInputError):
                errbar.board(frame, missing=wrong)

    def test_several_answers_to_an_item_must_be_said_and_are_averaged(self, rng):
        frame = long_table(rng.random((3, 20)))
        frame = pd.concat([frame.assign(sample=0), frame.assign(sample=1, score=0.0)])
        with pytest.raises(errbar.UnsaidRoleError) as caught:
            errbar.board(frame)
        assert caught.value.argument == "answer"
        board = errbar.board(frame, answer="sample")
        whole = errbar.board(frame[frame["sample"] == 0].drop(columns="sample"))
        assert by_name(board)["m1"].score == pytest.approx(by_name(whole)["m1"].score / 2.0)

    @pytest.mark.parametrize(
        ("change", "argument"),
        [
            ({"score": "good"}, "value"),
            ({"score": math.inf}, "value"),
            ({"item_id": None}, "example"),
            ({"task": None}, "dataset"),
        ],
    )
    def test_cells_that_say_nothing_are_refused(self, change, argument, rng):
        frame = long_table(rng.random((3, 20)), np.repeat(["a", "b"], 10)).astype(object)
        for column, value in change.items():
            frame.loc[5, column] = value
        with pytest.raises(errbar.InvalidInputError) as caught:
            errbar.board(frame, tasks="equal", example="item_id", dataset="task")
        assert caught.value.argument == argument

    def test_few_new_tasks_are_refused(self, rng):
        frame = long_table(some_values(rng, 3, 40), np.repeat(list("abcd"), 10))
        with pytest.raises(errbar.InvalidInputError) as caught:
            errbar.board(frame, clusters="tasks")
        assert caught.value.argument == "clusters"
        board = errbar.board(frame)
        with pytest.raises(errbar.InvalidInputError):
            board.filter(models=["m1"])
        with pytest.raises(errbar.InvalidInputError):
            board.filter(tasks=["e"])

    @pytest.mark.parametrize(
        "said", [{"instances": 5}, {"filter": "strict"}, {"fold": "item_id"}, {"clusters": "model"}]
    )
    def test_what_does_not_go_with_a_table_is_refused(self, said, rng):
        with pytest.raises(errbar.InvalidInputError) as caught:
            errbar.board(long_table(rng.random((3, 20))), **said)
        assert caught.value.argument in (*said, "role")


class TestSolved:
    """Lists of resolved instances, as the experiments and the harness of SWE-bench write them."""

    def test_the_number_of_instances_must_be_said_where_no_list_has_it(self, tmp_path):
        write_lists(tmp_path)
        with pytest.raises(errbar.UnsaidRoleError) as caught:
            errbar.board(tmp_path)
        assert caught.value.argument == "instances"
        board = errbar.board(tmp_path, instances=10)
        assert [(place.model, place.score) for place in board.places] == [
            ("agent-a", 0.3),
            ("agent-b", 0.2),
            ("agent-c", 0.1),
        ]
        with pytest.raises(errbar.InvalidInputError):
            errbar.board(tmp_path, instances=3)

    def test_a_file_without_a_list_beside_others_is_refused(self, tmp_path):
        write_lists(tmp_path)
        (tmp_path / "other.json").write_text("[1, 2]")
        for said in ({}, {"metric": "solved"}):
            places = [tmp_path / "agent-a", tmp_path / "agent-b", tmp_path / "other.json"]
            with pytest.raises(errbar.InvalidInputError) as caught:
                errbar.board(places[: 2 if said else 3], instances=9, **said)
            assert caught.value.argument == ("metric" if said else None)

    def test_two_lists_of_one_model_are_refused(self, tmp_path):
        write_lists(tmp_path)
        places = [tmp_path / "agent-a", tmp_path / "agent-b"]
        with pytest.raises(errbar.InvalidInputError) as caught:
            errbar.board({"one": places, "other": tmp_path / "agent-c"}, instances=9)
        assert caught.value.argument == "source"

    def test_a_list_that_has_it_is_enough(self, tmp_path):
        write_lists(tmp_path, total=8)
        assert errbar.board(tmp_path).task.size == 8

    def test_reports_of_the_harness_name_all_instances(self, tmp_path):
        for name, ids in {"one.run": ["x", "y"], "two.run": ["x"]}.items():
            said = {"resolved_ids": ids, "submitted_ids": ["x", "y", "z"], "unresolved_ids": []}
            (tmp_path / f"{name}.json").write_text(json.dumps(said))
        board = errbar.board([tmp_path / "one.run.json", tmp_path / "two.run.json"])
        assert board.models == ("one.run", "two.run")
        assert board.task.size == 3
        named = errbar.board({"a": tmp_path / "one.run.json", "b": tmp_path / "two.run.json"})
        assert named.models == ("a", "b")
