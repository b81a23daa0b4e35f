"""Score sheets that may be read in two ways: nothing of a learner is lost, and what cannot be told is refused with the call that tells it."""

from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest

import errbar
from errbar.losses._directions import score_words
from errbar.sources._beside import refuse_winners
from errbar.sources._columns import direction_of
from errbar.sources._summaries import refuse_mean_row
from tests.refusals import refused

RNG = np.random.default_rng(3)
A, B = RNG.normal(0.9, 0.02, 10).round(3), RNG.normal(0.88, 0.02, 10).round(3)
C = (B[::-1] + 0.004).round(3)
TWO = {"a": A, "b": B}
SIZES = {"n_train": 900, "n_test": 100}


@pytest.fixture(autouse=True)
def _folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def from_file(frame, **options):
    pd.DataFrame(frame).to_csv("f.csv", index=False)
    return errbar.read_scores("f.csv", **options)


def from_frame(frame, **options):
    return errbar.from_scores(pd.DataFrame(frame), **options)


READ = pytest.mark.parametrize("read", [from_file, from_frame])


def notes(table):
    return {note.code: note.numbers for note in table.notes}


@READ
class TestWholeNumbers:
    def test_that_follow_each_other_out_of_order_are_scores(self, read):
        frame = {"a": [91, 90, 92, 93], "b": [90.5, 91.2, 92.3, 89.9]}
        assert read(frame, **SIZES).learners == ("a", "b")

    def test_from_101_on_are_scores(self, read):
        frame = {"a": [101, 102, 103, 104], "b": [90, 91, 92, 89]}
        assert read(frame, **SIZES).learners == ("a", "b")

    @pytest.mark.parametrize("values", [[0, 1, 2, 3, 4, 5], [1, 2, 3, 1, 2, 3], [1, 1, 2, 2, 3, 3], [0, 0, 0, 1, 1, 2]])
    def test_in_blocks_from_0_or_1_number_the_rows(self, read, values):
        frame = {"x": values, "a": A[:6] * 3, "b": B[:6] * 3}
        if values != [0, 0, 0, 1, 1, 2]:
            assert read(frame, **SIZES).learners == ("a", "b")
            return
        with pytest.raises(errbar.InvalidInputError):
            read(frame, **SIZES)

    def test_of_a_learner_that_is_always_wrong(self, read):
        assert read({"a": [1.0] * 10, "b": (1 - A) / 9, "c": (1 - B) / 9}, **SIZES).learners == ("a", "b", "c")

    def test_of_an_index_that_was_written(self, read):
        table = read({"Unnamed: 0": [3, 7, 12, 1], "a": A[:4], "b": B[:4]}, **SIZES)
        assert table.learners == ("a", "b")
        assert "Unnamed: 0" in notes(table)["read"]["describing_rows"]


class TestSummaryRows:
    @READ
    @pytest.mark.parametrize("name", ["state", "dataset"])
    def test_are_none_in_the_middle(self, read, name):
        for words in (["AL", "SD", "TX", "WY"], ["iris", "mean", "best", "wine"]):
            assert read({name: words, "a": A[:4], "b": B[:4]}).scores.shape == (2, 4)

    @pytest.mark.parametrize("role", ["example", "groups"])
    def test_are_none_where_the_user_says_what_the_column_holds(self, role):
        frame = {"site": ["a", "b", "c", "d", "e", "mean", "sd"], "x": A[:7], "y": B[:7]}
        assert from_file(frame, roles={role: "site"}).points.shape == (2, 7)

    @READ
    @pytest.mark.parametrize(
        "called",
        [
            r"\textbf{Mean}",
            "Mean over folds",
            "mean of 10 folds",
            "Mittelwert",
            "overall",
            "Avg. Rank",
            "W/T/L",
            "**avg**",
        ],
    )
    def test_by_other_names(self, read, called):
        frame = {"fold": [*map(str, range(10)), called], "a": [*A, 0.9], "b": [*B, 0.88]}
        table = read(frame, **SIZES)
        assert table.scores.shape == (2, 10)
        assert "summaries_left_out" in notes(table)["read"]

    @READ
    @pytest.mark.parametrize(
        "called",
        [
            "Rank",
            "Friedman rank",
            "Avg. rank (std)",
            "Rank sum",
            "#wins",
            "Wins",
            "Top-1 count",
            "SE",
            "σ",
            "p-value",
            "Mean (SD)",
            "Geometric mean",
        ],
    )
    def test_of_data_sets_stand_last_or_first(self, read, called):
        sets = [f"set {letter}" for letter in "cdefghijkl"]
        for words, numbers in (([*sets, called], [*A, 2.5]), ([called, *sets], [2.5, *A])):
            table = read({"dataset": words, "a": numbers, "b": [*B, 1.5]})
            assert table.scores.shape == (2, 10)
            assert called.lower() in notes(table)["read"]["summaries_left_out"]

    @READ
    def test_are_none_among_codes_of_two_letters(self, read):
        assert read({"dataset": ["at", "DE", "FR", "SE"], "a": A[:4], "b": B[:4]}).scores.shape == (2, 4)

    @READ
    def test_in_a_block_at_the_end(self, read):
        frame = {
            "dataset": [*"cdefghijkl", "Rank", "W/T/L"],
            "a": [*A.astype(str), "1", "3/2/1"],
            "b": [*B.astype(str), "2", "1/2/3"],
        }
        table = read(frame)
        assert table.scores.shape == (2, 10)
        assert {"rank", "w/t/l"} <= {*notes(table)["read"]["summaries_left_out"]}

    @READ
    def test_of_each_repeat_among_numbered_folds(self, read):
        folds = {"repeat": [0] * 4 + [1] * 4, "fold": ["1", "2", "3", "mean"] * 2}
        table = read(folds | {"a": A[:8], "b": B[:8]})
        assert table.scores.shape == (2, 6)

    def test_are_left_out_of_what_stands_beside_the_frame(self):
        frame = pd.DataFrame({"a": [*A, A.mean()], "b": [*B, B.mean()]}, index=[*range(10), "mean"])
        groups = np.array([*np.arange(10) // 2, -1])
        table = errbar.from_losses(frame, groups=groups)
        known = errbar.from_losses(frame[:10].reset_index(drop=True), groups=groups[:10])
        assert np.array_equal(table.points, known.points)
        assert table.splits.designs[0].clusters.tolist() == known.splits.designs[0].clusters.tolist()
        assert errbar.from_losses(frame, groups=groups[:10]).points.shape == (2, 10)
        folds = errbar.from_scores(frame, fold=np.arange(11), n_train=np.full(11, 90), n_test=10)
        assert folds.scores.shape == (2, 10)


class TestLastRowOfMeans:
    def test_is_refused_where_learners_are_nearly_alike(self):
        base = RNG.normal(0.9, 0.02, 10)
        frame = pd.DataFrame({f"m{i}": (base + RNG.normal(0, 1e-4, 10)).round(5) for i in range(10)})
        frame.loc[10] = frame.mean().round(5)
        with pytest.raises(errbar.InvalidInputError):
            errbar.from_scores(frame, **SIZES)

    @pytest.mark.parametrize(("learners", "rows", "own"), [(10, 6, 0.0), (10, 6, 0.002), (3, 11, 0.02), (2, 5, 0.01)])
    def test_false_alarms_are_rare_whatever_the_correlation(self, learners, rows, own):
        """At most 1 in 500 sheets, where learners share most of their variation and numbers have two decimals."""
        rng = np.random.default_rng(5)
        alarms = 0
        for _ in range(500):
            numbers = 0.9 + rng.normal(0, 0.03, (rows, 1)) + own * rng.normal(size=(rows, learners))
            frame = pd.DataFrame(numbers.round(2), columns=[f"m{i}" for i in range(learners)])
            try:
                refuse_mean_row(frame, list(frame), "the frame")
            except errbar.InvalidInputError:
                alarms += 1
        assert alarms <= 1


class TestFirstColumn:
    @READ
    @pytest.mark.parametrize(
        ("cell", "value"),
        [
            ("0.9{} [0.90; 0.93]", 0.9),
            ("0.9{} (0.90, 0.93)", 0.9),
            ("0.9{} [0.90–0.93]", 0.9),
            ("\u22120.9{}", -0.9),
            ("0.9{} ↑", 0.9),
        ],
    )
    def test_of_numbers_with_marks_is_a_learner(self, read, cell, value):
        table = read({"a": [cell.format(i) for i in range(5)], "b": B[:5]}, **SIZES)
        assert table.learners == ("a", "b")
        assert abs(table.scores[0, 0]) == abs(value)

    @READ
    def test_of_numbers_that_nobody_can_read_is_refused(self, read):
        frame = {"a": [f"1,23{i}" for i in range(5)], "b": B[:5]}
        with pytest.raises(errbar.InvalidInputError):
            read(frame, **SIZES)

    @READ
    def test_of_names_with_digits_names_the_rows(self, read):
        assert read({"set": ["1a", "2nd", "3-NN", "4x"], "a": A[:4], "b": B[:4]}, **SIZES).learners == ("a", "b")

    @READ
    def test_of_growing_percents_names_the_rows(self, read):
        assert read({"noise": ["1%", "5%", "10%", "20%"], "a": A[:4], "b": B[:4]}, **SIZES).learners == ("a", "b")

    @READ
    @pytest.mark.parametrize("name", ["cv", "fold", "x"])
    def test_that_numbers_the_rows_needs_no_percent_signs(self, read, name):
        frame = {name: [1, 2, 3, 4], "a": ["91%", "92%", "93%", "90%"], "b": ["81%", "80%", "82%", "85%"]}
        assert read(frame, **SIZES).learners == ("a", "b")

    @READ
    def test_of_percents_beside_other_numbers_is_refused(self, read):
        with pytest.raises(errbar.InvalidInputError):
            read({"svm": ["91%", "90%", "93%", "92%"], "gbm": A[:4]}, **SIZES)


@READ
class TestNamesOfLearners:
    @pytest.mark.parametrize("name", ["half", "inner", "example", "batch", "task", "step", "run", "seed"])
    def test_that_are_those_of_labels(self, read, name):
        table = read({name: A, "b": B}, **SIZES)
        assert table.learners == (name, "b")
        assert name in notes(table)["read"]["learners_named_like_labels"]

    def test_that_are_those_of_labels_with_growing_fractions_are_none(self, read):
        assert read({"epoch": [0.5, 1.0, 1.5, 2.0], "a": A[:4], "b": B[:4]}, **SIZES).learners == ("a", "b")

    @pytest.mark.parametrize("name", ["std", "seconds", "b_se", "b_std"])
    def test_that_may_be_of_spreads_are_refused_where_the_numbers_do_not_tell(self, read, name):
        with refused():
            read({name: A, "b": B}, **SIZES)
        assert read({name: A, "b": B}, **SIZES, names=["b", name]).learners == (name, "b")
        assert read({name: A / 40, "b": B}, **SIZES).learners == ("b",)
        with refused():
            read({name: A, "b": [f"{value} ± 0.02" for value in B]}, **SIZES)

    def test_that_are_those_of_sizes(self, read):
        frame = {"n": [91, 92, 90, 91], "b": [90, 91, 93, 90]}
        assert read(frame, **SIZES).learners == ("n", "b")
        assert read(frame | {"n": [1000, 1010, 1020, 1000]}, **SIZES).learners == ("b",)
        assert read({"n": [91, 92, 90, 91]}, **SIZES).learners == ("n",)

    @pytest.mark.parametrize("name", ["k", "CV"])
    def test_that_are_those_of_folds_are_refused_among_answers(self, read, name):
        frame = {name: [0, 1, 1, 0] * 6, "b": [0, 0, 1, 0] * 6}
        with pytest.raises(errbar.InvalidInputError):
            read(frame)
        assert read(frame, names=["b", name]).learners == (name, "b")

    def test_are_free_in_a_table_with_a_row_for_each_model(self, read):
        frame = {"model": ["n", "std", "mae"]} | {f"fold{i}": RNG.random(3).round(3) for i in range(5)}
        assert read(frame).learners == ("n", "std", "mae")
        frame["model"] = ["mae", "mse", "rmse"]
        assert read(frame).learners == ("mae", "mse", "rmse")

    def test_that_the_user_gives_are_never_guessed(self, read):
        frame = {"step": [91, 92, 90, 91], "half": [90, 91, 93, 90], "other": [7, 8, 9, 7]}
        assert read(frame, **SIZES, names=["step", "half"]).learners == ("step", "half")


@READ
class TestComputedColumns:
    @pytest.mark.parametrize(
        ("name", "values"),
        [
            ("a_std", A / 40),
            ("diff", (A - B).round(3)),
            ("x", (B - A).round(3)),
            ("best", np.maximum(np.maximum(A, B), C)),
            ("min", np.minimum(np.minimum(A, B), C)),
        ],
    )
    def test_are_left_aside(self, read, name, values):
        table = read(TWO | {"c": C, name: values}, **SIZES)
        assert table.learners == ("a", "b", "c")
        assert name in notes(table)["read"]["left_aside"]

    def test_are_none_by_name_alone(self, read):
        assert read(TWO | {"best": C, "diff": C[::-1]}, **SIZES).learners == ("a", "b", "best", "diff")


def test_frames_of_polars_are_read_as_those_of_pandas():
    frame = {"fold": [*map(str, range(10)), "mean"], "a": [*A, 0.9], "b": [f"{value} ± 0.1" for value in (*B, 0.8)]}
    table, known = (errbar.from_scores(kind(frame), **SIZES) for kind in (pl.DataFrame, pd.DataFrame))
    assert np.array_equal(table.scores, known.scores)
    assert table.notes == known.notes


class TestDirection:
    @pytest.mark.parametrize(
        "name",
        [
            "1 - accuracy",
            "1-AUC",
            "accuracy drop",
            "CRPS score",
            "error",
            "MAPE",
            "val/loss",
            "nll",
            "negative log-likelihood",
            "neg log likelihood",
            "100 - acc",
            "1 - balanced accuracy",
            "1-balanced accuracy",
            "non-accuracy",
            "accuracy reduction",
            "-F1",
            "sMAPE",
        ],
    )
    def test_of_losses(self, name):
        assert score_words(name) is False

    @pytest.mark.parametrize(
        "name",
        [
            "F1",
            "AUC",
            "R2",
            "MCC",
            "BLEU",
            "ndcg@10",
            "mAP",
            "Log-Likelihood",
            "f1-score",
            "top-1 accuracy",
            "1 - error",
            "-MSE",
            "- log loss",
            "neg. MSE",
            "MSE (negated)",
            "1/RMSE",
            "explained deviance",
            "log loss reduction",
            "RMSE improvement",
            "1-NN accuracy",
            "one-shot accuracy",
            "ELBO",
            "QWK",
            "c-index",
            "Spearman rho",
            "AP",
            "R^2",
            "R²",
            "hit rate",
            "win rate",
        ],
    )
    def test_of_scores(self, name):
        assert score_words(name) is True

    @pytest.mark.parametrize("name", ["x", "negative recall", "neg_f1"])
    def test_that_no_word_tells(self, name):
        assert score_words(name) is None

    @pytest.mark.parametrize("name", ["neg_mean_squared_error", "neg_log_loss"])
    def test_of_negative_losses(self, name):
        table = from_file({"a": -A, "b": -B}, **SIZES, metric=name)
        assert table.loss.higher_is_better
        assert notes(table)["direction"]["better"] == "higher"

    @pytest.mark.parametrize("name", ["MSE", "mse", "log-loss", "NLL"])
    def test_of_losses_below_0_is_in_doubt(self, name):
        (note,) = direction_of(name, higher_is_better=None, points=np.array([-0.5, -1.5]))
        assert (note.code, note.numbers["what"], note.numbers["better"]) == ("direction", name, "lower")
        assert direction_of(name, higher_is_better=None, points=np.array([-0.5, 1.5])) == ()
        assert direction_of(name, higher_is_better=False, points=np.array([-0.5, -1.5])) == ()
        wide = from_file({"a": -A, "b": -B}, pointwise=True, metric=name)
        assert notes(wide)["direction"]["better"] == "lower"

    @READ
    def test_comes_from_a_column_that_names_the_metric(self, read):
        table = read({"fold": range(10), "metric": ["accuracy"] * 10} | TWO)
        assert table.loss.key == "accuracy"
        assert table.loss.higher_is_better

    def test_of_a_long_table_with_one_metric(self):
        long = pd.DataFrame(TWO).assign(fold=range(10)).melt("fold", var_name="model").assign(metric="accuracy")
        assert errbar.from_long(long, "model", "value").loss.key == "accuracy"
        assert errbar.from_long(long, "model", "value", metric="brier").loss.key == "brier"


class TestDesigns:
    def test_ten_unequal_parts_are_no_halves(self):
        labels = {"repeat": np.arange(10) // 2, "fold": np.arange(10) % 2}
        table = errbar.from_scores(TWO, **labels, n_train=90, n_test=10)
        assert table.splits.kinds == ("kfold",)
        assert notes(table)["missing-folds"]["folds"] == 2
        assert errbar.from_scores(TWO, **labels, n_train=51, n_test=49).splits.kinds == ("5x2",)

    @READ
    def test_runs_and_splits_may_be_repeats_and_folds(self, read):
        table = read({"run": np.arange(10) // 5, "split": np.arange(10) % 5} | TWO, **SIZES)
        assert notes(table)["taken-as"]["say"] == ("repeat=run", "fold=split")


FOLDS = {"dataset": ["x"] * 5 + ["y"] * 5, "fold": [*range(5)] * 2}


class TestDataSets:
    @READ
    def test_with_folds_are_refused_or_averaged(self, read):
        with pytest.raises(errbar.InvalidInputError):
            read(FOLDS | TWO)
        table = read(FOLDS | TWO, kind="data-sets")
        assert table.scores == pytest.approx(np.array([[x[:5].mean(), x[5:].mean()] for x in (A, B)]))
        assert "averaged_rows" in notes(table)["read"]

    def test_with_folds_in_a_long_table(self):
        long = pd.DataFrame(FOLDS | TWO).melt(["dataset", "fold"], var_name="model", value_name="loss")
        with pytest.raises(errbar.InvalidInputError):
            errbar.from_long(long, "model", "loss")
        table = errbar.from_long(long, "model", "loss", kind="data-sets")
        assert table.scores == pytest.approx(np.array([[x[:5].mean(), x[5:].mean()] for x in (A, B)]))

    @READ
    def test_may_be_named_in_any_column(self, read):
        table = read({"a": A, "dataset": [*"cdefghijkl"], "b": B})
        assert table.learners == ("a", "b")
        assert table.splits.kinds == ("data-sets",)

    def test_may_be_groups_of_examples(self):
        frame = pd.DataFrame({"dataset": FOLDS["dataset"]} | TWO)
        table = errbar.from_losses(frame, groups=frame["dataset"])
        assert table.learners == ("a", "b")
        assert from_file(frame, roles={"groups": "dataset"}).points.shape == (2, 10)


class TestWinners:
    @READ
    @pytest.mark.parametrize(("name", "words"), [("better", ["A", "B", "tie"]), ("winner", ["one", "two", "two"])])
    def test_are_refused_with_the_call(self, read, name, words):
        with pytest.raises(errbar.InvalidInputError):
            read({"question": range(12), name: words * 4})

    def test_are_none_where_the_user_says_what_they_are(self):
        refuse_winners(pd.DataFrame({"verdict": ["tie", "tie"]}), {"verdict": "groups"}, "the frame")


class TestSeries:
    DAYS = pd.date_range("2020-01-01", periods=60).strftime("%Y-%m-%d")

    def test_false_alarms_do_not_grow_with_learners(self):
        """At most 2 of 300 sheets of 20 learners, at a chance of 1 in 1000 each."""
        rng = np.random.default_rng(11)
        alarms = 0
        for _ in range(300):
            frame = pd.DataFrame(rng.normal(size=(60, 20)), columns=[f"m{i}" for i in range(20)])
            try:
                from_file(frame.assign(date=self.DAYS), pointwise=True)
            except errbar.InvalidInputError:
                alarms += 1
        assert alarms <= 2

    def test_that_are_spread_over_folds_are_found(self):
        walk = np.cumsum(RNG.normal(size=60))
        frame = {"date": self.DAYS, "fold": np.arange(60) % 5, "a": walk, "b": np.zeros(60)}
        with pytest.raises(errbar.InvalidInputError):
            from_file(frame)
        truth = {"date": self.DAYS, "fold": np.arange(60) % 5, "y": np.zeros(60), "a": walk, "b": RNG.normal(size=60)}
        pd.DataFrame(truth).to_csv("f.csv", index=False)
        with pytest.raises(errbar.InvalidInputError):
            errbar.read_predictions("f.csv", "y", loss="squared-error")


class TestSplitsInColumns:
    ROWS = pd.DataFrame([A, B], index=["svm", "rf"])

    def sideways(self, head, form):
        frame = self.ROWS.set_axis([form.format(i) for i in range(10)], axis="columns")
        return frame.rename_axis(head).reset_index()

    @READ
    @pytest.mark.parametrize("head", ["Unnamed: 0", "params", "config", "approach"])
    @pytest.mark.parametrize("form", ["fold{}", "Split_{}", "cv {}", "split{}_test_score"])
    def test_called_folds_are_turned_whatever_the_first_column_is_called(self, read, head, form):
        table = read(self.sideways(head, form), **SIZES)
        assert table.learners == ("svm", "rf")
        assert table.splits.kinds == ("kfold",)
        assert "turned" in notes(table)["read"]

    @READ
    @pytest.mark.parametrize("form", ["run_{}", "seed{}"])
    def test_called_runs_are_turned_beside_a_column_without_another_meaning(self, read, form):
        assert read(self.sideways("config", form), **SIZES).learners == ("svm", "rf")
        with pytest.raises(errbar.InvalidInputError):
            read(self.sideways("query", form), **SIZES)
        assert (
            len(read(self.sideways("query", form), **SIZES, names=[form.format(i) for i in range(10)]).learners) == 10
        )

    @READ
    @pytest.mark.parametrize(("head", "form"), [("Unnamed: 0", "{}"), ("dataset", "fold{}"), ("question_id", "fold{}")])
    def test_that_may_be_learners_are_refused_with_both_calls(self, read, head, form):
        with pytest.raises(errbar.InvalidInputError):
            read(self.sideways(head, form), **SIZES)

    @READ
    def test_beside_other_columns_or_words_are_refused(self, read):
        frame = self.sideways("config", "fold{}")
        with pytest.raises(errbar.InvalidInputError):
            read(frame.assign(n=[1, 2]), **SIZES)
        with pytest.raises(errbar.InvalidInputError):
            read(frame.assign(fold0=["failed", "0.9"]), **SIZES)

    def test_beside_an_index_of_words(self):
        assert from_frame(self.ROWS.add_prefix("fold"), **SIZES).learners == ("svm", "rf")

    @READ
    def test_of_a_search_are_its_only_scores(self, read):
        frame = self.sideways("params", "split{}_test_score")
        other = {"mean_fit_time": [1.5, 2.5], "param_depth": [1, 2]}
        frame = pd.DataFrame(other).join(frame).assign(mean_test_score=0.9, std_test_score=0.02, rank_test_score=[2, 1])
        table = read(frame, **SIZES)
        assert table.learners == ("svm", "rf")
        assert table.scores.shape == (2, 10)
        assert {"mean_fit_time", "param_depth"} <= {*notes(table)["read"]["left_aside"]}
        with pytest.raises(errbar.InvalidInputError):
            read(frame.drop(columns="params"), **SIZES)
        with pytest.raises(errbar.InvalidInputError):
            read(frame.assign(split0_test_f1=0.5), **SIZES)

    def test_of_a_search_with_its_parameters_have_a_reader_of_their_own(self):
        search = self.sideways("params", "split{}_test_score").assign(params=[{"depth": 1}, {"depth": 2}])
        with pytest.raises(errbar.InvalidInputError):
            errbar.from_scores(search, **SIZES)
        table = errbar.from_cv_results(search, **SIZES)
        assert table.learners == ("depth=1", "depth=2")
        assert np.array_equal(-table.scores, [A, B])
        with refused():
            errbar.from_cv_results(search.assign(params=["1", "2"]), **SIZES)


SETS = {"dataset": [f"set {letter}" for letter in "cdefghijkl"], "C4.5": 100 * A, "NB": 100 * B}


@READ
class TestOtherNumbers:
    @pytest.mark.parametrize("name", ["d", "classes", "#attributes", "N", "size"])
    def test_that_are_whole_among_fractions_are_refused(self, read, name):
        frame = SETS | {name: [70, 80, 92, 90, 70, 84, 60, 75, 92, 91]}
        with pytest.raises(errbar.InvalidInputError):
            read({key: np.round(column, 1) if key in ("C4.5", "NB") else column for key, column in frame.items()})
        assert read(frame, names=["C4.5", "NB"]).learners == ("C4.5", "NB")

    @pytest.mark.parametrize(
        "name",
        [
            "C4.5_std",
            "C4.5 (sd)",
            "C4.5 ±",
            "C4.5 time",
            "C4.5 rank",
            "C4.5_se",
            "p",
            "p-value",
            "ratio",
            "imbalance",
            "gain over NB",
        ],
    )
    def test_far_from_scores_with_such_a_name_are_left_aside(self, read, name):
        table = read(SETS | {name: A})
        assert table.learners == ("C4.5", "NB")
        assert name in notes(table)["read"]["left_aside"]
        with pytest.raises(errbar.InvalidInputError):
            read(SETS | {name: 100 * C})
        assert read(SETS | {name: 100 * C}, names=["C4.5", name]).learners == ("C4.5", name)

    def test_beside_means(self, read):
        frame = {"a_mean": A, "a_std": A / 40, "b_mean": B, "b_std": B / 30}
        assert read(frame, **SIZES).learners == ("a_mean", "b_mean")


class TestMeasuresOfEachLearner:
    @READ
    @pytest.mark.parametrize("form", ["{0}_{1}", "{1}-{0}", "{0} {1}"])
    def test_are_refused_with_the_columns_of_one(self, read, form):
        columns = [form.format(learner, measure) for learner in ("svm", "rf") for measure in ("accuracy", "f1")]
        frame = dict(zip(columns, (A, B, C, B + 0.01), strict=True))
        with pytest.raises(errbar.InvalidInputError):
            read(frame, **SIZES)
        assert read(frame, **SIZES, names=columns[::2]).learners == (columns[0], columns[2])

    def test_of_two_levels(self):
        columns = pd.MultiIndex.from_product([["svm", "rf"], ["accuracy", "f1"]])
        with pytest.raises(errbar.InvalidInputError):
            errbar.from_scores(pd.DataFrame(np.stack([A, B, C, B + 0.01], axis=1), columns=columns), **SIZES)
        spreads = pd.DataFrame(
            np.stack([A, A / 40, B, B / 40], axis=1), columns=columns.set_levels(["mean", "std"], level=1)
        )
        assert errbar.from_scores(spreads, **SIZES).learners == ("('svm', 'mean')", "('rf', 'mean')")

    def test_of_one_name_are_learners(self):
        assert from_frame({"dice_loss": A, "focal_loss": B}, **SIZES).learners == ("dice_loss", "focal_loss")


class TestCells:
    @READ
    def test_of_answers_in_words_are_refused(self, read):
        with pytest.raises(errbar.InvalidInputError):
            read({"a": ["yes", "no"] * 5, "b": ["yes", "yes"] * 5})

    @READ
    @pytest.mark.parametrize("cell", [r"\textbf{{{}}} $\pm$ 0.02", r"{} \\", "& {} &", r"$\mathbf{{{}}} \pm 0.02$ \\"])
    def test_of_latex(self, read, cell):
        table = read({"a": [cell.format(value) for value in A], "b": B}, **SIZES)
        assert np.array_equal(np.abs(table.scores[0]), A)
        assert "marks" in notes(table)["read"]

    @READ
    @pytest.mark.parametrize("name", ["Best method", "winner"])
    def test_that_name_learners_are_left_aside(self, read, name):
        table = read({"dataset": list("cdefghijkl"), "a": A, "b": B, name: np.where(A > B, "a", "b")})
        assert table.learners == ("a", "b")
        assert name in notes(table)["read"]["left_aside"]

    @pytest.mark.parametrize("title", ["Results of experiment 3", "Results, of experiment 3"])
    def test_below_a_title(self, title):
        lines = [title, "", "fold,a,b", *(f"{i},{x},{y}" for i, (x, y) in enumerate(zip(A, B, strict=True)))]
        Path("f.csv").write_text("\n".join(lines), encoding="utf-8")
        with pytest.raises(errbar.InvalidInputError):
            errbar.read_scores("f.csv", **SIZES)
