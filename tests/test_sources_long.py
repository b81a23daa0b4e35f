"""Long tables: a row for each learner and example, or split."""

import os
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, strategies as st
from scipy import stats

import errbar
from errbar import InvalidInputError
from tests.forms import from_long
from tests.refusals import refused

DATA = os.environ.get("ERRBAR_DATA")


def frame(learners=3, examples=8, seeds=2, rng=0):
    """A long table in an order of its own."""
    rng = np.random.default_rng(rng)
    rows = [
        {
            "model": f"m{i}",
            "item": f"q{j}",
            "run": s,
            "passage": f"p{j // 2}",
            "score": round(rng.random(), 6),
        }
        for i in range(learners)
        for j in range(examples)
        for s in range(seeds)
    ]
    return pd.DataFrame(rows).sample(frac=1, random_state=1).reset_index(drop=True)


LABELS = {"example": "item", "seed": "run", "groups": "passage"}


def notes(table):
    return {note.code: note.numbers for note in table.notes}


def test_it_is_the_wide_table():
    long = frame()
    wide = long.pivot_table(
        index=["run", "item", "passage"], columns="model", values="score"
    ).reset_index()
    learners = ["m0", "m1", "m2"]
    expected = errbar.from_losses(
        wide[learners],
        example=wide["item"],
        seed=wide["run"],
        groups=wide["passage"],
        metric="score",
    )
    found = from_long(long, "model", "score", **LABELS).subset(learners)
    assert found.points.mean(axis=1) == pytest.approx(expected.points.mean(axis=1), rel=1e-14)
    assert found.scores == pytest.approx(expected.scores)
    [mine], [theirs] = found.splits.designs, expected.splits.designs
    assert (mine.kind, mine.seeds, mine.testing) == (theirs.kind, theirs.seeds, theirs.testing)
    assert (
        np.bincount(mine.clusters).tolist() == np.bincount(theirs.clusters).tolist() == [2, 2, 2, 2]
    )
    assert list(notes(found)) == ["direction"]


@given(st.integers(1, 4), st.integers(1, 6), st.integers(1, 3), st.integers(0, 5))
def test_each_number_comes_back_where_it_belongs(learners, examples, seeds, rng):
    long = frame(learners, examples, seeds, rng)
    labels = {"example": "item"} | ({"seed": "run"} if seeds > 1 else {})
    table = from_long(long, "model", "score", **labels, higher_is_better=True)
    assert table.learners == tuple(dict.fromkeys(long["model"]))
    for name, row in zip(table.learners, table.points, strict=True):
        assert sorted(row.tolist()) == sorted((-long.loc[long["model"] == name, "score"]).tolist())
    by_cell = long.set_index(["model", "item", "run"])["score"]
    for at, name in enumerate(table.learners):
        for other, second in enumerate(table.learners):
            gap = (by_cell[name] - by_cell[second]).to_numpy()
            assert np.sort(table.points[other] - table.points[at]) == pytest.approx(np.sort(gap))


@pytest.mark.parametrize(
    "make", [dict, pl.DataFrame, lambda f: {k: v.tolist() for k, v in f.items()}]
)
def test_every_kind_of_frame(make):
    expected = from_long(frame(), "model", "score", **LABELS)
    given = make({name: column.to_numpy() for name, column in frame().items()})
    assert from_long(given, "model", "score", **LABELS).points.tolist() == expected.points.tolist()


def test_scores_per_fold():
    long = pd.DataFrame(
        {"model": list("aabb"), "cv": [0, 1, 1, 0], "accuracy": [0.8, 0.7, 0.9, 0.6], "n_test": 50}
    )
    table = from_long(long, "model", "accuracy", fold="cv", higher_is_better=True, n_train=450)
    assert (table.splits.kinds, table.loss.key, table.loss.sign) == (("kfold",), "accuracy", -1)
    assert (-table.scores).tolist() == [[0.8, 0.7], [0.6, 0.9]]
    assert table.splits.n_test.tolist() == [50, 50]
    assert table.splits.n_train.tolist() == [450, 450]


def test_usual_names_are_found_and_others_left_aside():
    long = frame().rename(columns={"item": "Example", "run": "seed"}).assign(category="x")
    table = from_long(long, "model", "score")
    assert table.splits.designs[0].seeds == 2
    assert notes(table)["read"] == {
        "roles": ("seed=seed", "example=Example", "groups=passage"),
        "left_aside": ("category",),
    }


def test_predictions():
    long = pd.DataFrame(
        {
            "model": list("aaaabbbb"),
            "row": [1, 2, 3, 4] * 2,
            "y": ["no", "yes", "no", "yes"] * 2,
            "said": ["no", "yes", "yes", "yes", "no", "no", "no", "yes"],
        }
    )
    said = {"fold": "none", "positive": "yes"}
    table = from_long(long, "model", "said", example="row", truth="y", loss="f1", **said)
    wide = errbar.from_predictions(
        {"a": long["said"][:4], "b": long["said"][4:]}, long["y"][:4], loss="f1", **said
    )
    assert table.scores.tolist() == wide.scores.tolist()
    numbers = long.assign(said=[0.1, 0.9, 0.6, 0.7, 0.2, 0.4, 0.3, 0.8])
    area = from_long(numbers, "model", "said", example="row", truth="y", loss="roc_auc", **said)
    assert (-area.scores).ravel().tolist() == [1.0, 1.0]


def test_a_learner_may_be_called_like_a_label():
    long = frame().replace({"model": {"m0": "seed", "m1": "fold"}})
    assert set(from_long(long, "model", "score", **LABELS).learners) == {
        "seed",
        "fold",
        "m2",
    }


class TestMissing:
    def test_a_learner_that_lacks_numbers_is_left_out_by_name(self):
        long = frame()
        short = long[~((long["model"] == "m1") & long["item"].isin(["q0", "q3"]))]
        with refused("missing", errbar.UnsaidRoleError) as caught:
            from_long(short, "model", "score", **LABELS)
        assert [one.split()[1] for one in caught.value.options[:3]] == [
            "examples",
            "pairs",
            "learners",
        ]
        table = from_long(short, "model", "score", **LABELS, missing="learners")
        assert sorted(table.learners) == ["m0", "m2"]
        assert notes(table)["left-out"]["what"] == ("m1 (4)",)

    def test_an_empty_cell_is_a_missing_number(self):
        long = frame()
        long.loc[(long["model"] == "m1") & (long["item"] == "q0"), "score"] = np.nan
        with refused("missing"):
            from_long(long, "model", "score", **LABELS)
        fewer = from_long(long, "model", "score", **LABELS, missing="examples")
        assert len(fewer.learners) == 3
        assert fewer.points.shape == (3, 14)
        assert notes(fewer)["left-out"]["what"][0] == "1 of 8 examples"
        assert "q0" in notes(fewer)["left-out"]["what"][1]

    def test_with_one_seed_of_an_example_all_of_it_goes(self):
        long = frame()
        short = long[~((long["model"] == "m1") & (long["item"] == "q0") & (long["run"] == 0))]
        table = from_long(short, "model", "score", **LABELS, missing="examples")
        assert table.points.shape == (3, 14)

    def test_an_example_that_nobody_has_is_left_out(self):
        long = frame()
        long.loc[long["item"] == "q5", "score"] = np.nan
        table = from_long(long, "model", "score", **LABELS)
        assert table.points.shape == (3, 14)
        assert notes(table)["left-out"]["what"][0] == "1 of 8 examples"

    def test_where_nobody_is_complete_the_gaps_are_named(self):
        long = frame(2)
        gaps = ((long["model"] == "m0") & (long["item"] == "q1")) | (
            (long["model"] == "m1") & (long["item"] == "q2")
        )
        with refused("missing", errbar.UnsaidRoleError):
            from_long(long[~gaps], "model", "score", **LABELS)

    def test_the_remedy_is_one(self):
        """Examples that each lack a seed cannot be saved by leaving out examples, and this is not proposed."""
        half = frame(2).query("model == 'm0' or run == 0")
        for missing in ({}, {"missing": "examples"}):
            with refused("missing", errbar.UnsaidRoleError) as caught:
                from_long(half, "model", "score", **LABELS, **missing)
            assert caught.value.options[0] == "--missing pairs"

    def test_where_no_example_is_common(self):
        long = pd.DataFrame({"model": list("ab"), "item": [1, 2], "score": [0.1, 0.2]})
        for missing in ("learners", "examples"):
            with refused("missing", errbar.UnsaidRoleError):
                from_long(long, "model", "score", example="item", missing=missing)

    def test_a_single_learner_lacks_nothing(self):
        assert from_long(frame(1), "model", "score", **LABELS).learners == ("m0",)


class TestTwice:
    def test_rows_that_nothing_tells_apart_are_refused(self):
        with pytest.raises(InvalidInputError):
            from_long(frame().sort_values(["model", "item"]), "model", "score", example="item")

    def test_predictions_have_no_mean(self):
        long = frame(seeds=1).assign(y=0.5)
        long = pd.concat([long, long[:1]])
        with pytest.raises(InvalidInputError):
            from_long(long, "model", "score", example="item", truth="y", loss="squared-error")


@pytest.mark.parametrize(
    ("change", "options", "argument"),
    [
        ({}, {}, None),
        ({"seed": 1}, {}, None),
        ({}, {"example": "question"}, None),
        ({}, {"example": "model"}, None),
        ({"score": "x"}, LABELS, None),
        ({"score": np.inf}, LABELS, None),
        ({"item": None}, LABELS, None),
        ({"model": None}, LABELS, None),
        ({"passage": range(48)}, LABELS, None),
        ({}, {**LABELS, "missing": "cells"}, "missing"),
    ],
)
def test_refusals(change, options, argument):
    with refused(argument):
        from_long(frame().assign(**change), "model", "score", **options)


def test_an_example_with_two_groups_in_two_seeds_is_refused():
    long = frame()
    long["passage"] = long["passage"] + long["run"].astype(str)
    with pytest.raises(InvalidInputError):
        from_long(long, "model", "score", **LABELS)


def test_a_score_that_is_read_as_a_loss_is_pointed_out():
    long = frame().rename(columns={"score": "accuracy"})
    unsaid, said = (
        from_long(frame(), "model", "score", **LABELS, **more)
        for more in ({}, {"higher_is_better": True})
    )
    assert notes(unsaid)["direction"]["better"] == "lower"
    assert "direction" not in notes(said)
    assert from_long(long, "model", "accuracy", **LABELS).loss.higher_is_better


class TestDirection:
    def test_scores_per_example_are_shown_as_such(self):
        right = {"a": [1, 0, 1, 1], "b": [0, 0, 1, 0]}
        table = errbar.from_losses(right, higher_is_better=True, metric="correct")
        wrong = errbar.from_losses({name: 1 - np.array(row) for name, row in right.items()})
        assert table.loss.higher_is_better
        for name in right:
            shown, loss = (
                errbar.infer(table, "holdout-t", name),
                errbar.infer(wrong, "holdout-t", name),
            )
            assert (shown.estimate, shown.low, shown.high) == pytest.approx(
                (1 - loss.estimate, 1 - loss.high, 1 - loss.low)
            )
        pair = errbar.infer(table, "holdout-t", "a", minus="b")
        other = errbar.infer(wrong, "holdout-t", "a", minus="b")
        assert (pair.estimate, pair.pvalue) == pytest.approx((0.5, other.pvalue))
        assert (pair.low, pair.high) == pytest.approx((-other.high, -other.low))

    def test_any_finite_number_is_a_score(self):
        assert (
            errbar.infer(
                errbar.from_losses([-3.0, 7.5], higher_is_better=True), "holdout-t"
            ).estimate
            == 2.25
        )

    def test_wide_files(self, tmp_path):
        pd.DataFrame({"example": range(9), "a": [0.0, 0.5, 1.0] * 3, "b": [1.0] * 9}).to_csv(
            tmp_path / "w.csv", index=False
        )
        table = errbar.read_table(tmp_path / "w.csv", higher_is_better=True)
        assert (table.loss.key, table.loss.higher_is_better) == ("score", True)
        assert [errbar.infer(table, "holdout-t", name).estimate for name in "ab"] == [0.5, 1.0]

    def test_only_true_and_false(self):
        with refused("higher_is_better"):
            errbar.from_losses([1, 2], higher_is_better="yes")


@pytest.mark.parametrize("ending", ["csv", "csv.gz", "parquet"])
def test_files(tmp_path, ending):
    place = tmp_path / f"long.{ending}"
    frame().to_parquet(place) if ending == "parquet" else frame().to_csv(place, index=False)
    expected = from_long(frame(), "model", "score", **LABELS)
    assert (
        errbar.read_table(place, learner="model", value="score", **LABELS).points.tolist()
        == expected.points.tolist()
    )


@pytest.mark.skipif(not DATA, reason="ERRBAR_DATA does not name a folder with livebench.parquet")
def test_a_board_of_language_models():
    place = Path(DATA) / "livebench.parquet"
    said = {
        "learner": "model",
        "value": "score",
        "example": "question_id",
        "groups": "task",
        "higher_is_better": True,
    }
    with refused("example"):
        errbar.read_table(place, **said)  # some questions stand there twice
    keys = ["model", "question_id", "task"]
    table = errbar.read_table(
        pd.read_parquet(place).groupby(keys, sort=False)["score"].mean().reset_index(),
        **said,
        missing="learners",
    )
    assert table.points.shape == (41, 1136)
    assert np.unique(table.splits.designs[0].clusters).size == 18
    assert len(notes(table)["left-out"]["what"]) == 52
    scores = -table.points[np.argsort(table.points.mean(axis=1))[:20]]
    pairs = [(a, b) for i, a in enumerate(scores) for b in scores[i + 1 :]]
    counts = [
        sum(test(a, b).pvalue < 0.05 for a, b in pairs)
        for test in (stats.ttest_ind, stats.ttest_rel)
    ]
    best = table.subset([table.learners[i] for i in np.argsort(table.points.mean(axis=1))[:20]])
    compared = errbar.compare_table(best)
    assert compared.method == "cluster-t"
    counts.append(sum(pair.result.pvalue < 0.05 for pair in compared.pairs))
    assert counts == [
        120,
        152,
        101,
    ]  # as counted by others: unpaired, paired, with tasks as clusters
    assert {round(pair.result.df, 1) for pair in compared.pairs} == {13.5}


@pytest.mark.parametrize(
    ("metric", "said"),
    [
        ("correct", True),
        ("is_correct", True),
        ("Accuracy", True),
        ("exact_match", True),
        ("loss", False),
        ("brier_score", False),
        ("pass_error", False),
        ("minutes", True),  # nobody knows
    ],
)
def test_a_number_that_is_read_as_a_loss_is_said_to_be(metric, said):
    long = frame(2).rename(columns={"score": metric})
    assert ("direction" in notes(from_long(long, "model", metric, **LABELS))) == said
    assert "direction" not in notes(
        from_long(long, "model", metric, **LABELS, higher_is_better=True)
    )


def test_refusals_show_what_is_wrong():
    words = frame(2).assign(score="yes")
    with pytest.raises(InvalidInputError):
        from_long(words, "model", "score", **LABELS)
    torn = frame(2).sort_values(["model", "item"], ignore_index=True)
    torn.loc[len(torn) - 1, "passage"] = "other"
    with pytest.raises(InvalidInputError):
        from_long(torn, "model", "score", **LABELS)
    spaced = frame(2).replace({"m1": "m0 "})
    with pytest.raises(InvalidInputError):
        from_long(spaced, "model", "score", **LABELS)


def test_a_number_for_each_time_needs_no_column_of_examples():
    rng, days = (
        np.random.default_rng(0),
        [f"2026-{1 + i // 28:02d}-{1 + i % 28:02d}" for i in range(120)],
    )
    losses = {name: rng.normal(size=120).cumsum() for name in "ab"}
    shuffled = rng.permutation(240)
    frame = pd.DataFrame(
        {
            "model": np.repeat(["a", "b"], 120),
            "day": days * 2,
            "loss": np.concatenate(list(losses.values())),
        }
    ).iloc[shuffled]
    found = errbar.infer(from_long(frame, "model", "loss", time="day"), "diebold-mariano", "a", "b")
    expected = errbar.infer(errbar.from_losses(losses, time=days), "diebold-mariano", "a", "b")
    assert (found.estimate, found.se, found.df) == pytest.approx(
        (expected.estimate, expected.se, expected.df)
    )
    shops = frame.assign(day=frame["day"].str[:7])
    with pytest.raises(InvalidInputError):
        from_long(shops, "model", "loss", time="day")


def test_a_direction_that_is_no_truth_value_is_refused():
    with refused("higher_is_better"):
        from_long(frame(2), "model", "score", **LABELS, higher_is_better="no")
