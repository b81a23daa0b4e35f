"""Several files of one run each, roles of several columns, and one table through every door."""

import uuid

import numpy as np
import pandas as pd
import polars as pl
import pytest

import errbar
from errbar import UnsaidRoleError
from tests.refusals import refused

NAMES = ("small", "large", "other")
SAID = {"example": "question", "higher_is_better": True}


@pytest.fixture
def rng():
    return np.random.default_rng(1)


@pytest.fixture
def runs(rng):
    """One frame for each learner, rows in orders of their own."""
    frame = pd.DataFrame({"question": [f"q{i}" for i in range(30)]})
    return {
        name: frame.assign(correct=rng.integers(0, 2, 30)).sample(frac=1, random_state=seed)
        for seed, name in enumerate(NAMES)
    }


def long(runs):
    return pd.concat([frame.assign(model=name) for name, frame in runs.items()])


def same(one, other):
    """Tell whether two tables hold the same numbers, to the last bit."""
    return (
        one.learners == other.learners
        and one.points.tobytes() == other.points.tobytes()
        and one.scores.tobytes() == other.scores.tobytes()
    )


def save(frame, place):
    """Write a frame in the format that the ending names."""
    if place.suffix == ".csv":
        frame.to_csv(place, index=False)
    elif place.suffix == ".parquet":
        frame.to_parquet(place, index=False)
    elif place.suffix == ".xlsx":
        frame.to_excel(place, index=False)
    else:
        frame.to_json(place, orient="records", lines=place.suffix == ".jsonl", double_precision=15)
    return place


ENDINGS = (".csv", ".json", ".jsonl", ".xlsx", ".parquet")


class TestDoors:
    @pytest.mark.parametrize("ending", ENDINGS)
    def test_one_table_through_every_door(self, rng, tmp_path, ending):
        numbers = {name: rng.normal(0.8, 0.1, 40).round(12) for name in ("a", "b")}
        frame = pd.DataFrame({"fold": np.arange(40) % 10, **numbers}).assign(
            repeat=np.arange(40) // 10
        )
        said = {"n_train": 90, "n_test": 10}
        expected = errbar.read(frame, **said)
        place = save(frame, tmp_path / f"table{ending}")
        found = errbar.read(place, **said)
        assert found.learners == expected.learners
        assert found.scores.tobytes() == expected.scores.tobytes()
        assert errbar.read(pl.DataFrame(frame.to_dict("list")), **said).scores.tobytes() == (
            expected.scores.tobytes()
        )

    @pytest.mark.parametrize("ending", ENDINGS)
    def test_files_of_one_run_each(self, runs, tmp_path, ending):
        expected = errbar.read(long(runs), **SAID)
        files = [save(frame, tmp_path / f"{name}{ending}") for name, frame in runs.items()]
        assert same(errbar.read(files, **SAID), expected)
        assert same(errbar.read(dict(zip(NAMES, files, strict=True)), **SAID), expected)

    def test_frames_by_name(self, runs):
        expected = errbar.read(long(runs), **SAID)
        assert same(errbar.read(runs, **SAID), expected)
        frames = {name: pl.DataFrame(frame.to_dict("list")) for name, frame in runs.items()}
        assert same(errbar.read(frames, **SAID), expected)

    def test_files_called_alike_are_called_like_their_folders(self, runs, tmp_path):
        files = []
        for name, frame in runs.items():
            (tmp_path / name).mkdir()
            files.append(save(frame, tmp_path / name / "results.csv"))
        assert errbar.read(files, **SAID).learners == NAMES


class TestLearners:
    def test_files_with_a_column_of_learners_are_parts_of_a_table(self, runs, tmp_path):
        expected = errbar.read(long(runs), **SAID)
        parts = [long(runs).iloc[start : start + 30] for start in (0, 30, 60)]
        files = [save(part, tmp_path / f"part{i}.csv") for i, part in enumerate(parts)]
        assert same(errbar.read(files, **SAID), expected)

    def test_a_column_that_says_the_same_everywhere_names_nobody(self, runs, tmp_path):
        files = [
            save(frame.assign(model="gpt"), tmp_path / f"{name}.csv")
            for name, frame in runs.items()
        ]
        assert errbar.read(files, **SAID).learners == NAMES

    def test_names_of_files_and_a_column_do_not_go_together(self, runs):
        with refused("learner"):
            errbar.read(runs, learner="question", **SAID)

    def test_columns_must_be_the_same(self, runs):
        runs["large"]["more"] = 1
        with refused():
            errbar.read(runs, **SAID)

    def test_rows_that_nothing_matches_are_refused(self, runs):
        with refused(error=UnsaidRoleError):
            errbar.read({name: frame[["correct"]] for name, frame in runs.items()})

    def test_several_of_one_name_are_runs(self, runs, rng):
        again = {
            name: [frame, frame.assign(correct=rng.integers(0, 2, 30))]
            for name, frame in runs.items()
        }
        with refused("seed", UnsaidRoleError) as caught:
            errbar.read(again, **SAID)
        assert "--answer run" in caught.value.options
        table = errbar.read(again, seed="run", **SAID)
        assert table.scores.shape == (3, 2)
        answers = errbar.read(again, answer="run", **SAID)
        means = pd.concat(again["small"]).groupby("question")["correct"].mean()
        order = [f"q{i}" for i in range(30)]
        found = dict(zip(sorted(order), sorted(-answers.points[0]), strict=True))
        assert sorted(found.values()) == sorted(means)

    def test_a_mapping_of_texts_is_a_table(self):
        table = {"truth": ["a", "b", "b", "a"], "guess": ["a", "b", "a", "a"]}
        assert errbar.read(table, columns="guess", fold="none").learners == ("guess",)


class TestRolesOfSeveralColumns:
    @pytest.fixture
    def sheet(self, rng):
        rows = [
            {"model": model, "topic": topic, "week": week, "score": rng.uniform()}
            for model in ("a", "b")
            for topic in ("x", "y", "z")
            for week in range(1, 8)
        ]
        return pd.DataFrame(rows)

    def test_they_are_joined(self, sheet):
        joined = sheet.assign(both=sheet["topic"] + "/" + sheet["week"].astype(str))
        expected = errbar.read(joined.drop(columns=["topic", "week"]), example="both")
        assert same(errbar.read(sheet, example="topic,week"), expected)
        assert same(errbar.read(sheet, example=["topic", "week"]), expected)
        assert errbar.read(sheet, example=["topic", "week"]).points.shape == (2, 21)

    def test_groups_beside_them(self, sheet):
        table = errbar.read(sheet, example="topic,week", groups="week")
        assert np.bincount(table.splits.designs[0].clusters).tolist() == [3] * 7
        pairs = errbar.read(
            sheet.assign(part=sheet["week"] % 2), example="topic,week", groups="topic,part"
        )
        assert len(np.bincount(pairs.splits.designs[0].clusters)) == 6

    def test_a_name_that_tells_of_dependence_is_kept(self, sheet):
        table = errbar.read(sheet.rename(columns={"topic": "patient"}), example="patient,week")
        assert np.bincount(table.splits.designs[0].clusters).tolist() == [7] * 3

    def test_gaps_are_found(self, sheet):
        sheet.loc[3, "topic"] = None
        with refused("example"):
            errbar.read(sheet, example="topic,week")

    def test_a_column_that_is_not_there(self, sheet):
        with refused("example"):
            errbar.read(sheet, example="topic,month")

    def test_losses_of_a_frame(self, rng):
        frame = pd.DataFrame(
            {"site": list("aabb"), "visit": [1, 2, 1, 2], "x": rng.uniform(size=4)}
        )
        frame["y"] = rng.uniform(size=4)
        table = errbar.from_losses(frame, example=["site", "visit"])
        assert table.learners == ("x", "y")
        assert table.points.shape == (2, 4)


@pytest.mark.parametrize("kind", ["letters", "uuid"])
def test_answers_are_numbered_by_any_ids(kind, rng):
    rows = [
        {"model": model, "question": question, "mark": rng.uniform(), "answer_id": number}
        for model in ("a", "b")
        for question in range(8)
        for number in "pqr"
    ]
    sheet = pd.DataFrame(rows)
    if kind == "uuid":
        sheet["answer_id"] = [str(uuid.UUID(int=i)) for i in range(len(sheet))]
    numbered = sheet.assign(answer_id=sheet.groupby(["model", "question"]).cumcount())
    said = {"example": "question", "value": "mark"}
    assert same(errbar.read(sheet, **said), errbar.read(numbered, **said))
    assert errbar.read(sheet, **said).points.shape == (2, 8)
