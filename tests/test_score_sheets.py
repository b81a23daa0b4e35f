"""Score sheets as people keep them: summaries, marks in cells, learners in rows, and columns that are no learners."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings, strategies as st

import errbar
from errbar.datasets import DataSets
from errbar.sources._beside import _STATISTIC as BESIDE
from errbar.sources._columns import is_label, is_measure, is_place
from errbar.sources._marks import marked_numbers

RNG = np.random.default_rng(7)
TWO = {"svm": RNG.normal(0.9, 0.02, 10).round(4), "gbm": RNG.normal(0.88, 0.02, 10).round(4)}
SIZES = {"n_train": 900, "n_test": 100}


def written(frame, path="scores.csv", **options):
    pd.DataFrame(frame).to_csv(path, index=False, **options)
    return path


def notes(table):
    return {note.code: note.numbers for note in table.notes}


@pytest.fixture(autouse=True)
def _folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def plain():
    return errbar.read_scores(written(TWO), **SIZES)


def same(table, other):
    assert table.learners == other.learners
    assert np.array_equal(table.scores, other.scores)


class TestSummaryRows:
    @pytest.mark.parametrize(
        "called",
        [
            ("mean", "std"),
            ("Mean:", "SD"),
            ("Average", "Std. Dev."),
            ("avg", "min", "max"),
            ("mean ± std",),
            ("MEAN", "25%"),
        ],
    )
    @pytest.mark.parametrize("label", ["fold", "split", "", "dataset"])
    def test_are_left_out_with_a_note(self, plain, called, label):
        rows = {name: [*column, *column[: len(called)]] for name, column in TWO.items()}
        frame = {label: [*map(str, range(10)), *called]} | rows
        table = errbar.read_scores(written(frame), **SIZES)
        same(table, plain)
        assert called[0].strip(":").lower() in notes(table)["read"]["summaries_left_out"]

    def test_of_a_frame_stand_in_its_index_or_a_column(self, plain):
        frame = pd.DataFrame(TWO)
        described = pd.concat([frame, frame.agg(["mean", "std"])])
        same(errbar.from_scores(described, **SIZES), plain)
        with pytest.raises(errbar.InvalidInputError):
            errbar.from_scores(frame.describe(), **SIZES)

    def test_of_a_long_table(self):
        wide = pd.DataFrame(TWO).assign(fold=[*map(str, range(10))])
        mean = wide.drop(columns="fold").mean().to_frame().T.assign(fold="mean")
        long = pd.concat([wide, mean]).melt("fold", var_name="model", value_name="acc")
        table = errbar.from_long(long, "model", "acc", fold="fold", **SIZES)
        assert table.scores.shape == (2, 10)
        assert notes(table)["read"]["summaries_left_out"] == ("mean",)

    def test_a_kind_of_question_may_be_called_average(self):
        level = ["easy", "average", "hard", "average", "easy"] * 2
        assert errbar.read_scores(written({"fold": range(10), "level": level} | TWO), names="svm,gbm").scores.shape == (
            2,
            10,
        )
        long = (
            pd.DataFrame(TWO)
            .assign(item=range(10), level=level)
            .melt(["item", "level"], var_name="model", value_name="loss")
        )
        table = errbar.from_long(long, "model", "loss", example="item")
        assert table.points.shape == (2, 10)
        assert "summaries_left_out" not in notes(table).get("read", {})

    def test_alone_are_no_scores(self):
        frame = {"": ["mean", "std"], "svm": [0.9, 0.1], "gbm": [0.8, 0.1]}
        with pytest.raises(errbar.InvalidInputError):
            errbar.read_scores(written(frame))

    def test_a_learner_may_be_called_mean(self):
        """A regressor that always predicts the mean; in a long table its name is that of a learner, too."""
        frame = {"tree": TWO["svm"], "mean": TWO["gbm"]}
        assert errbar.read_scores(written(frame), **SIZES).learners == ("tree", "mean")
        long = pd.DataFrame(frame).assign(fold=range(10)).melt("fold", var_name="model", value_name="loss")
        assert errbar.from_long(long, "model", "loss", fold="fold").learners == ("tree", "mean")

    @pytest.mark.parametrize("digits", [4, 12])
    def test_a_last_row_of_means_without_a_name_is_refused(self, digits):
        frame = pd.DataFrame(TWO)
        frame.loc[10] = frame.mean().round(digits)
        with pytest.raises(errbar.InvalidInputError):
            errbar.read_scores(written(frame), **SIZES)
        assert errbar.read_scores(written(frame), **SIZES, names="svm,gbm").scores.shape == (2, 11)

    def test_a_last_row_that_may_be_a_mean_by_chance_is_kept(self):
        frame = {"a": [1, 2, 3, 4, 2], "b": [0, 5, 3, 1, 2]}
        assert errbar.read_scores(written(frame), n_train=9, n_test=1).scores.shape == (2, 5)


class TestCells:
    @pytest.mark.parametrize(
        ("cell", "number"),
        [
            ("91.5%", 91.5),
            ("91.5 %", 91.5),
            ("0.91 ± 0.02", 0.91),
            ("0.91±0.02*", 0.91),
            ("0.91 +/- 0.02", 0.91),
            ("0.91 (0.02)", 0.91),
            ("0.91 (±0.02)", 0.91),
            (r"$0.91 \pm 0.02$", 0.91),
            (r"\textbf{0.91}", 0.91),
            (r"$\mathbf{0.91}$", 0.91),
            ("**0.91**", 0.91),
            ("91,53", 91.53),
            ("-1.5e-3", -0.0015),
            (".5", 0.5),
        ],
    )
    def test_a_number_with_marks_is_read(self, cell, number):
        found = marked_numbers(pd.Series([cell, cell]))[0]
        assert found.tolist() == [number, number]

    @pytest.mark.parametrize(
        "cell", ["x", "1 2", "0.9 of 3", "1,234", "2024-01-31", "01.02.2024", "0.91 ±", "12%%", "v1"]
    )
    def test_another_text_is_no_number(self, cell):
        assert marked_numbers(pd.Series(["0.5", cell])) is None

    def test_percent_signs_are_all_there_or_none(self):
        assert marked_numbers(pd.Series(["91%", "0.9"])) is None

    def test_of_a_file_are_noted(self, plain):
        marked = {name: [f"{value} ± 0.01" for value in column] for name, column in TWO.items()}
        table = errbar.read_scores(written(marked), **SIZES)
        same(table, plain)
        assert notes(table)["read"]["marks"] == (f"{TWO['svm'][0]} of '{TWO['svm'][0]} ± 0.01'",)

    def test_that_are_no_numbers_are_named(self):
        frame = {"svm": [*TWO["svm"].astype(str)[:9], "OOM"], "gbm": TWO["gbm"]}
        with pytest.raises(errbar.InvalidInputError):
            errbar.read_scores(written(frame), **SIZES)

    def test_with_a_dash_are_gaps(self):
        frame = {"svm": [*TWO["svm"].astype(str)[:9], "-"], "gbm": TWO["gbm"]}
        with pytest.raises(errbar.InvalidInputError):
            errbar.read_scores(written(frame), **SIZES)


class TestLearnersInRows:
    SIDEWAYS = pd.DataFrame(TWO).T.set_axis([f"fold{i}" for i in range(1, 11)], axis="columns")

    def test_marks_in_a_table_of_models(self, tmp_path):
        """Data sets in columns were once taken for the learners."""
        (tmp_path / "paper.csv").write_text(
            "model,iris,wine,glass\nsvm,0.91 ± 0.02,0.97 ± 0.01,0.7 ± 0.03\nrf,0.93 ± 0.02,0.96 ± 0.01,0.75 ± 0.03\n"
        )
        table = errbar.read_scores(tmp_path / "paper.csv", kind="data-sets", higher_is_better=True)
        assert table.learners == ("svm", "rf")
        assert (-table.scores).tolist() == [[0.91, 0.97, 0.7], [0.93, 0.96, 0.75]]
        assert {"turned", "marks"} <= set(notes(table)["read"])

    @pytest.mark.parametrize("head", ["method", "", "model", "which"])
    def test_rows_that_name_folds(self, tmp_path, head):
        (tmp_path / "folds.csv").write_text(f"{head},svm,rf\nfold1,0.9,0.8\nfold2,0.7,0.8\nfold3,0.9,0.81\n")
        table = errbar.read_scores(tmp_path / "folds.csv", higher_is_better=True)
        assert table.learners == ("svm", "rf")
        assert "kfold" in str(table)

    @pytest.mark.parametrize("head", ["model", "Learner", "algorithm"])
    def test_folds_in_columns_are_turned(self, plain, head):
        table = errbar.read_scores(written(self.SIDEWAYS.rename_axis(head).reset_index()), **SIZES)
        same(table, plain)
        assert table.splits.kinds == ("kfold",)
        assert "turned" in notes(table)["read"]

    def test_their_means_are_left_out(self, plain):
        wider = self.SIDEWAYS.assign(mean=self.SIDEWAYS.mean(axis=1), std=0.01).rename_axis("model").reset_index()
        same(errbar.read_scores(written(wider), **SIZES), plain)

    def test_as_the_index_of_a_frame(self, plain):
        same(errbar.from_scores(self.SIDEWAYS.rename_axis("model"), **SIZES), plain)

    def test_data_sets_in_columns(self):
        sets = self.SIDEWAYS.set_axis([*"abcdefghij"], axis="columns").rename_axis("model").reset_index()
        table = errbar.read_scores(written(sets), kind="data-sets")
        assert DataSets.from_table(table).scores.shape == (10, 2)
        with pytest.raises(errbar.InvalidInputError):
            errbar.read_scores("scores.csv", **SIZES)


class TestColumnsBesides:
    @pytest.mark.parametrize(
        ("name", "values"),
        [
            ("cv", np.arange(10) % 5),
            ("rep", np.arange(10) // 5),
            ("Fold #", np.arange(10)),
            ("outer_fold", np.arange(10)[::-1]),
            ("whatever", [1, 2] * 5),
            ("part", np.arange(10) // 2),
            ("step", np.arange(10) * 100),
            ("n", [100] * 10),
            ("fit_time", RNG.random(10)),
            ("std", RNG.random(10)),
            ("a - val/acc__MIN", RNG.random(10)),
        ],
    )
    def test_are_no_learners(self, plain, name, values):
        frame = pd.DataFrame({name: values} | TWO)
        table = errbar.read_scores(written(frame), **SIZES)
        same(table, plain)
        assert {name, f"fold={name}"} & {one for names in notes(table)["read"].values() for one in names}
        assert errbar.from_scores(frame, **SIZES).learners == plain.learners

    @pytest.mark.parametrize("role", ["repeat", "seed"])
    def test_what_seeds_are_has_to_be_said(self, role):
        frame = pd.DataFrame({"random_seed": range(10)} | TWO)
        with pytest.raises(errbar.InvalidInputError):
            errbar.read_scores(written(frame), **SIZES)
        found = errbar.read_scores(written(frame), roles={role: "random_seed"}, **SIZES)
        assert found.splits.designs[0].seeds == (10 if role == "seed" else 1)

    def test_a_mean_of_the_learners_is_none(self, plain):
        frame = pd.DataFrame(TWO)
        same(errbar.read_scores(written(frame.assign(mean=frame.mean(axis=1).round(3))), **SIZES), plain)

    def test_numbers_of_something_else_are_refused_with_the_call(self, plain):
        path = written({"features": RNG.integers(10, 500, 10)} | TWO)
        with pytest.raises(errbar.InvalidInputError):
            errbar.read_scores(path, **SIZES)
        table = errbar.read_scores(path, **SIZES, names=["svm", "gbm"])
        same(table, plain)
        assert notes(table)["read"]["left_aside"] == ("features",)
        same(errbar.from_scores(pd.read_csv(path), **SIZES, names=["svm", "gbm"]), plain)

    @pytest.mark.parametrize(
        "names", [("accuracy", "loss", "val_accuracy", "val_loss"), ("test_score", "train_score"), ("f1", "roc_auc")]
    )
    def test_measures_of_one_learner_are_not_compared(self, names):
        path = written({name: RNG.random(10) for name in names})
        with pytest.raises(errbar.InvalidInputError):
            errbar.read_scores(path, **SIZES)
        assert errbar.read_scores(path, **SIZES, names=names[0]).learners == names[:1]

    @pytest.mark.parametrize(
        "values",
        [[1.0] * 10, [0.0, 1.0] * 5, [0.0] * 9 + [1.0]],
        ids=["perfect", "as often right", "rarely right"],
    )
    def test_whole_scores_among_fractions_are_a_learner(self, values):
        assert errbar.read_scores(written({"odd": values} | TWO), **SIZES).learners == ("odd", "svm", "gbm")

    def test_percentages_without_fractions_are_learners(self):
        frame = {"a": [80, 81, 82, 83, 84, 85, 86, 87, 88, 90], "b": [85, 81, 84, 83, 84, 85, 86, 87, 88, 90]}
        assert errbar.read_scores(written(frame), **SIZES).learners == ("a", "b")

    def test_a_mapping_holds_learners_whatever_their_names(self):
        assert errbar.from_scores({"n": TWO["svm"], "k": TWO["gbm"], "std": TWO["svm"]}, **SIZES).learners == (
            "n",
            "k",
            "std",
        )

    def test_a_learner_may_be_called_n(self):
        assert errbar.read_scores(written({"n": TWO["svm"], "gbm": TWO["gbm"]}), **SIZES).learners == ("n", "gbm")

    def test_an_index_of_several_levels_is_left_alone(self, plain):
        rows = pd.MultiIndex.from_product([["first", "second"], range(5)], names=["repeat", "fold"])
        same(errbar.from_scores(pd.DataFrame(TWO, index=rows), **SIZES), plain)

    def test_a_column_that_is_not_there(self):
        with pytest.raises(errbar.InvalidInputError):
            errbar.read_scores(written(TWO), names="svn,gbm")


class TestDirection:
    @pytest.mark.parametrize("metric", ["accuracy", "roc_auc", "f1", "r2", "val/acc", "test_accuracy"])
    def test_comes_from_a_name_that_tells(self, metric):
        assert errbar.from_scores(TWO, **SIZES, metric=metric).loss.higher_is_better
        assert errbar.read_scores(written(TWO), **SIZES, metric=metric).loss.higher_is_better
        assert not errbar.from_scores(TWO, **SIZES, metric=metric, higher_is_better=False).loss.higher_is_better

    @pytest.mark.parametrize("metric", [None, "score", "zero-one", "rmse", "error rate", "x"])
    def test_is_lower_else(self, metric):
        assert not errbar.from_scores(TWO, **SIZES, metric=metric).loss.higher_is_better
        assert not errbar.from_losses(TWO, metric=metric).loss.higher_is_better

    def test_is_noted_where_the_name_is_not_one_of_ours(self):
        path = written(TWO)
        assert "direction" not in notes(errbar.read_scores(path, **SIZES, metric="accuracy"))
        assert notes(errbar.read_scores(path, **SIZES, metric="val/acc"))["direction"]["better"] == "higher"
        assert notes(errbar.read_scores(path, **SIZES, metric="score"))["direction"]["better"] == "lower"

    def test_names_numbers_without_a_name(self):
        assert errbar.from_losses(TWO, higher_is_better=True).loss.key == "score"
        assert errbar.from_losses(TWO).loss.key == "loss"


class TestAnswers:
    RIGHT = pd.DataFrame({"a": RNG.random(60) < 0.8, "b": RNG.random(60) < 0.7}).astype(int)

    def test_without_a_word_on_splits_are_examples(self):
        table = errbar.read_scores(written(self.RIGHT), higher_is_better=True)
        assert table.splits.kinds == ("holdout",)
        assert table.points.shape == (2, 60)
        assert notes(table)["taken-as"]["kind"] == "a test example"

    def test_are_no_means_of_many(self):
        with pytest.raises(errbar.InvalidInputError):
            errbar.read_scores(written(self.RIGHT), **SIZES)
        with pytest.raises(errbar.InvalidInputError):
            errbar.from_scores(self.RIGHT, **SIZES)
        assert errbar.from_scores(self.RIGHT, n_train=59, n_test=1).scores.shape == (2, 60)


class TestSizesOfFolds:
    def test_a_training_set_larger_than_all_other_folds_is_noted(self):
        folds = {"fold": np.arange(10) % 5, "repeat": np.arange(10) // 5}
        table = errbar.from_scores(TWO, **folds, n_train=90, n_test=10)
        assert notes(table)["missing-folds"] == {"folds": 5, "implied": 10.0}
        assert "missing-folds" not in notes(errbar.from_scores(TWO, **folds, n_train=[80, 79] * 5, n_test=[20, 21] * 5))

    def test_a_part_of_it_may_be_set_aside(self):
        assert errbar.from_scores(TWO, fold=np.arange(10), n_train=800, n_test=100, higher_is_better=True).notes == ()

    def test_five_repeats_of_two_folds_need_no_sizes(self):
        labels = {"repeat": np.arange(10) // 2, "fold": np.arange(10) % 2}
        table = errbar.from_scores(TWO, **labels)
        assert table.splits.kinds == ("5x2",)
        sized = errbar.from_scores(TWO, **labels, n_train=50, n_test=50)
        found, wanted = (errbar.infer(one, "corrected-t", "svm", minus="gbm") for one in (table, sized))
        assert (found.se, found.pvalue) == (wanted.se, wanted.pvalue)


class TestDataSets:
    def test_a_column_says_that_rows_are_data_sets(self):
        table = errbar.read_scores(written({"dataset": [*"abcdefghij"]} | TWO))
        assert table.splits.kinds == ("data-sets",)
        assert notes(table)["taken-as"]["kind"] == "a data set"

    def test_of_a_long_table(self):
        long = (
            pd.DataFrame(TWO).assign(dataset=[*"abcdefghij"]).melt("dataset", var_name="model", value_name="accuracy")
        )
        table = errbar.from_long(long, "model", "accuracy")
        assert table.splits.kinds == ("data-sets",)
        with pytest.raises(errbar.InvalidInputError):
            errbar.from_long(long, "model", "accuracy", example="dataset")

    def test_several_quantities_are_told_apart(self):
        long = pd.DataFrame(TWO).assign(dataset=[*"abcdefghij"]).melt("dataset", var_name="model")
        both = pd.concat([long.assign(metric="accuracy"), long.assign(metric="seconds", value=long["value"] * 100)])
        with pytest.raises(errbar.InvalidInputError):
            errbar.from_long(both, "model", "value")
        table = errbar.from_long(both, "model", "value", metric="accuracy")
        assert table.scores.shape == (2, 10)
        assert np.abs(table.scores).max() < 1.0


class TestTimes:
    DAYS = pd.date_range("2020-01-01", periods=120).strftime("%Y-%m-%d")

    def test_numbers_that_follow_each_other_are_refused(self):
        walk = np.cumsum(RNG.normal(size=120))
        frame = {"date": self.DAYS, "a": walk**2, "b": np.zeros(120)}
        with pytest.raises(errbar.InvalidInputError):
            errbar.read_scores(written(frame), pointwise=True)
        assert errbar.read_scores("scores.csv", roles={"time": "date"}).splits.designs[0].time is not None
        assert errbar.read_scores("scores.csv", pointwise=True, names=["a", "b"]).learners == ("a", "b")
        truth = {"date": self.DAYS, "y": np.zeros(120), "a": walk, "b": RNG.normal(size=120)}
        with pytest.raises(errbar.InvalidInputError):
            errbar.read_predictions(written(truth), "y", loss="squared-error")

    @pytest.mark.parametrize("name", ["date", "Datum"])
    def test_a_first_column_of_days_is_named(self, name):
        frame = {name: self.DAYS, "a": RNG.random(120), "b": RNG.random(120)}
        table = errbar.read_scores(written(frame), pointwise=True)
        read = notes(table)["read"]
        assert name in read.get("describing_rows", ()) + read.get("naming_rows", ())
        assert read["perhaps"] == (f"time={name}",)


def test_errors_with_a_sign_are_pointed_out():
    errors = RNG.normal(size=(2, 50))
    assert "both_signs" in notes(errbar.from_losses(errors.T, names=["a", "b"]))["read"]
    for points, options in ((errors**2, {}), (errors, {"higher_is_better": True}), (errors, {"metric": "log-loss"})):
        assert "read" not in notes(errbar.from_losses(points.T, names=["a", "b"], **options))


NAMES = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Zs", "Zl", "Zp"]), min_size=2, max_size=12
)


@settings(max_examples=150, deadline=None)
@given(
    names=st.lists(NAMES, min_size=2, max_size=5, unique_by=str.lower),
    rows=st.integers(4, 30),
    seed=st.integers(0, 2**32 - 1),
    scale=st.sampled_from([1.0, 100.0, 1e-3, 1e4]),
)
def test_sheets_of_fractions_are_read_as_they_are(names, rows, seed, scale):
    """Whatever the learners are called, unless a name says that a column is something else."""
    assume(not any(is_label(name) or is_place(name) or is_measure(name) or BESIDE.fullmatch(name) for name in names))
    values = scale * np.random.default_rng(seed).normal(0.7, 0.1, (rows, len(names)))
    frame = pd.DataFrame(values, columns=names)
    assert (values != np.floor(values)).all()
    wanted = errbar.from_scores(dict(frame), **SIZES)
    same(errbar.from_scores(frame, **SIZES), wanted)
    same(errbar.read_scores(written(frame), **SIZES), wanted)
    numbered = frame.assign(fold=np.arange(rows))
    same(errbar.read_scores(written(numbered), **SIZES), wanted)
    long = numbered.melt("fold", var_name="its model", value_name="its value")  # no learner has blanks in its name
    same(errbar.from_long(long, "its model", "its value", fold="fold", **SIZES), wanted)
