"""Tables read by contract: roles said or taken by name, and what would make a number wrong is refused with what settles it."""

import numpy as np
import pandas as pd
import pytest

import errbar
from errbar import (
    UnsaidRoleError,
    compare_table,
    from_losses,
    from_predictions,
    from_scores,
    read_table,
)
from errbar.errors import InvalidInputError
from tests.forms import from_long
from tests.refusals import refused

PATIENTS, REPEATS, FOLDS = 60, 4, 5


@pytest.fixture(autouse=True)
def _folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def written(frame, name="table.csv"):
    frame.to_csv(name, index=False)
    return name


def answer(table):
    """Return the first pair's estimate, standard error and degrees of freedom, and the kinds of splits."""
    pair = compare_table(table).pairs[0].result
    return (pair.estimate, pair.se, pair.df), table.splits.kinds


def command(*words):
    """Return the status of a call of the command and what it writes to standard error."""
    import contextlib
    import io

    from errbar.cli.app import main

    error = io.StringIO()
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(error):
        try:
            main(list(words))
        except SystemExit as stopped:
            return stopped.code, error.getvalue()
    raise AssertionError("the command always ends with a status")


ROLES = {"repeat": "again", "fold": "fold", "example": "nr"}
SIZES = {"n_train": 50, "n_test": 10}


class TestRolesFirst:
    """Naming the learners changes nothing of the design."""

    NAMES = ("fold", "Fold", "cv_fold", "fold_id", "Key_Fold")

    @pytest.fixture
    def frame(self):
        rng = np.random.default_rng(7)
        y = rng.normal(size=200)
        hard = rng.normal(0, 0.5, 10)
        fold = rng.permutation(np.arange(200) % 10)
        guesses = {
            name: y + hard[fold] * k + rng.normal(size=200) for k, name in enumerate("abc", start=1)
        }
        return pd.DataFrame({"y": y, "fold": fold, **guesses}).round(4)

    @pytest.mark.parametrize("name", NAMES)
    def test_of_predictions(self, frame, name):
        frame = frame.rename(columns={"fold": name})
        said = answer(read_table(written(frame), truth="y", columns="a,b,c", fold=name))
        for table in (
            read_table(written(frame), columns=["a", "b"]),
            read_table(frame, truth="y", columns=["a", "b"], fold=name),
            from_predictions(frame.drop(columns="y"), frame["y"], names=["a", "b"]),
            from_predictions(dict(frame.drop(columns="y")), frame["y"], names=["a", "b"]),
        ):
            assert table.learners == ("a", "b")
            assert answer(table) == said
        assert said[1] == ("kfold",)

    @pytest.mark.parametrize("name", NAMES)
    def test_of_losses(self, frame, name):
        frame = frame.rename(columns={"fold": name})
        losses = frame[[name]].assign(**{one: (frame[one] - frame["y"]) ** 2 for one in "abc"})
        unsaid = answer(read_table(written(losses), kind="examples"))
        for table in (
            read_table(losses, columns=["a", "b"], kind="examples"),
            from_losses(losses),
            from_losses(losses, names=["a", "b"]),
            from_losses(dict(losses), names=["a", "b"]),
        ):
            assert answer(table)[0] == pytest.approx(unsaid[0], rel=1e-12)
            assert answer(table)[1] == unsaid[1] == ("kfold",)

    @pytest.mark.parametrize("repeat", ["repeat", "rep", "cv_repeat", "Repetition"])
    @pytest.mark.parametrize("fold", ["fold", "cv_fold"])
    def test_of_scores(self, repeat, fold):
        rng = np.random.default_rng(3)
        frame = pd.DataFrame({repeat: np.repeat(range(5), 10), fold: np.tile(range(10), 5)})
        frame = frame.assign(**{name: rng.normal(0.8, 0.05, 50).round(4) for name in "abc"})
        sizes = {"n_train": 90, "n_test": 10}
        unsaid = answer(read_table(written(frame), **sizes))
        for table in (
            read_table(written(frame), columns=["a", "b"], **sizes),
            from_scores(frame, names=["a", "b"], **sizes),
            from_scores(dict(frame), names=["a", "b"], **sizes),
        ):
            assert table.learners == ("a", "b")
            assert answer(table) == unsaid
            assert np.array_equal(table.splits.labels["repeat"], frame[repeat])
        assert unsaid[1] == ("kfold",)

    def test_a_chosen_column_is_a_learner_whatever_its_name(self, frame):
        table = read_table(
            written(frame.rename(columns={"a": "cv_fold"})), columns=["cv_fold", "b"]
        )
        assert set(table.learners) == {"cv_fold", "b"}
        assert table.splits.kinds == ("kfold",)

    def test_a_learner_that_is_not_there(self, frame):
        with pytest.raises(InvalidInputError):
            from_predictions(frame.drop(columns="y"), frame["y"], names=["a", "d"])

    def test_standard_error_by_hand(self, frame):
        frame = frame.rename(columns={"fold": "fold10"})
        with refused("fold"):
            read_table(frame, columns=["a", "b"])
        difference = ((frame["a"] - frame["y"]) ** 2 - (frame["b"] - frame["y"]) ** 2).to_numpy()
        means = pd.Series(difference).groupby(frame["fold10"].to_numpy()).mean()
        squared = (
            max(difference.var(ddof=1) / 200, ((means - difference.mean()) ** 2).sum() / 9 / 10)
            * 200
            / 180
        )
        pair = (
            compare_table(read_table(written(frame), columns=["a", "b"], fold="fold10"))
            .pairs[0]
            .result
        )
        assert (pair.estimate, pair.se, pair.df) == pytest.approx(
            (difference.mean(), squared**0.5, 9), rel=1e-9
        )


class TestRepeatedRows:
    """Ten-fold cross-validation again and again is no larger data set."""

    @pytest.fixture
    def frame(self):
        rng = np.random.default_rng(11)
        y = rng.normal(size=PATIENTS)
        parts = []
        for repeat in range(REPEATS):
            fold = rng.permutation(np.arange(PATIENTS) % FOLDS)
            noise = {
                name: (y + rng.normal(0, s, PATIENTS)).round(4)
                for name, s in (("a", 1.0), ("b", 1.2))
            }
            own = {"again": f"Resample{repeat + 1:02}", "fold": [f"Fold{k + 1:02}" for k in fold]}
            parts.append(
                pd.DataFrame({**own, "nr": range(1, PATIENTS + 1), "obs": y.round(4), **noise})
            )
        return pd.concat(parts, ignore_index=True)

    @pytest.fixture
    def wanted(self, frame):
        """Estimate and standard error of cv-t by hand: variances within repeats, averaged, over the number of patients."""
        difference = (frame["a"] - frame["obs"]) ** 2 - (frame["b"] - frame["obs"]) ** 2
        by = [difference[frame["again"] == repeat] for repeat in frame["again"].unique()]
        examples = np.mean([one.var(ddof=1) for one in by]) / PATIENTS
        folds = [one.groupby(frame["fold"]).mean().var(ddof=1) for one in by]
        n_train = PATIENTS - PATIENTS / FOLDS
        return difference.mean(), (
            max(examples, np.mean(folds) / FOLDS) * PATIENTS / n_train
        ) ** 0.5

    @pytest.mark.parametrize("order", ["nr", "a"])
    def test_predictions_in_a_file(self, frame, wanted, order):
        path = written(frame.sort_values(order))
        with pytest.raises(UnsaidRoleError):
            read_table(path, truth="obs")
        with pytest.raises(UnsaidRoleError):
            read_table(path, columns=["a", "b"])
        pair = compare_table(read_table(path, columns=["a", "b"], **ROLES)).pairs[0].result
        assert (pair.estimate, pair.se) == pytest.approx(wanted, rel=1e-9)

    def test_names_of_the_table_settle_it(self, frame, wanted):
        path = written(frame.rename(columns={"again": "rep", "nr": "rowIndex"}))
        pair = compare_table(read_table(path, columns=["a", "b"])).pairs[0].result
        assert (pair.estimate, pair.se) == pytest.approx(wanted, rel=1e-9)

    def test_options_that_are_said_lead_to_an_answer(self, frame):
        path = written(frame)
        said = []
        for _ in range(5):
            status, error = command("test", path, "--columns", "a,b", *said)
            if status == 0:
                break
            assert status == 2
            assert "--ignore" in error or "--repeat" in error
            said = [word for role, column in ROLES.items() for word in (f"--{role}", column)]
        assert status == 0

    def test_predictions_in_a_frame(self, frame, wanted):
        with pytest.raises(InvalidInputError):
            from_predictions(frame.drop(columns="obs"), frame["obs"], names=["a", "b"])
        with refused("fold"):
            from_predictions(frame[["a", "b"]], frame["obs"])
        with refused("example"):
            from_predictions(frame[["a", "b"]], frame["obs"], fold="none")
        with refused("example"):
            from_predictions({"a": frame["a"], "b": frame["b"]}, frame["obs"], fold=frame["fold"])
        known = {role: frame[column] for role, column in ROLES.items()}
        pair = (
            compare_table(from_predictions(frame[["a", "b"]], frame["obs"], **known))
            .pairs[0]
            .result
        )
        assert (pair.estimate, pair.se) == pytest.approx(wanted, rel=1e-9)

    @pytest.mark.parametrize("names", [None, ["a", "b"]])
    def test_losses(self, frame, wanted, names):
        losses = frame[["again", "fold", "nr"]].assign(
            **{one: (frame[one] - frame["obs"]) ** 2 for one in ("a", "b")}
        )
        path = written(losses)
        with pytest.raises(UnsaidRoleError):
            read_table(path, columns=names)
        with pytest.raises(UnsaidRoleError):
            from_losses(losses, names=["a", "b"])
        pair = compare_table(read_table(path, columns=["a", "b"], **ROLES)).pairs[0].result
        assert (pair.estimate, pair.se) == pytest.approx(wanted, rel=1e-9)

    def test_classes_of_equal_sizes_are_read(self):
        rng = np.random.default_rng(0)
        truth = rng.permutation(np.repeat(np.arange(30), 10))
        guesses = {name: np.where(rng.random(300) < 0.8, truth, 29 - truth) for name in "ab"}
        frame = pd.DataFrame({"kind": [f"kind {k}" for k in truth // 2], "y": truth, **guesses})
        table = read_table(
            written(frame),
            truth="y",
            columns=["a", "b"],
            fold="none",
            loss="zero-one",
            ignore="kind",
        )
        assert table.points.shape == (2, 300)


class TestLabelsOfFoldsAndRepeats:
    """Fold01.Rep2 says both."""

    @pytest.fixture
    def scores(self):
        rng = np.random.default_rng(5)
        labels = [f"Fold{k:02}.Rep{r}" for r in (1, 2, 3) for k in range(1, 11)]
        return pd.DataFrame(
            {"Resample": labels, **{name: rng.normal(0.8, 0.05, 30).round(4) for name in "ab"}}
        )

    @pytest.mark.parametrize("names", [None, ["a", "b"]])
    def test_of_scores(self, scores, names):
        long = scores.melt("Resample", var_name="model", value_name="value")
        sizes = {"n_train": 270, "n_test": 30}
        difference = scores["a"] - scores["b"]
        wanted = difference.mean(), (difference.var(ddof=1) * (1 / 30 + 30 / 270)) ** 0.5, 29
        for table in (
            read_table(written(scores), columns=names, **sizes),
            read_table(written(scores), columns=names, fold="Resample", **sizes),
            from_scores(scores, names=names, **sizes),
            from_scores(scores[["a", "b"]], fold=scores["Resample"], **sizes),
            from_long(long, "model", "value", **sizes),
            from_long(long, "model", "value", fold="Resample", **sizes),
        ):
            assert table.splits.kinds == ("kfold",)
            assert np.array_equal(table.splits.labels["repeat"], np.repeat(range(3), 10))
            pair = compare_table(table, method="corrected-t").pairs[0].result
            assert (pair.estimate, pair.se, pair.df) == pytest.approx(wanted, rel=1e-9)

    @pytest.mark.parametrize("example", [True, False])
    def test_of_predictions(self, example):
        rng = np.random.default_rng(2)
        y, rows = rng.normal(size=50), []
        for repeat in (1, 2, 3):
            fold = rng.permutation(np.arange(50) % 5)
            rows.append(
                pd.DataFrame({"obs": y, "a": y + rng.normal(size=50), "b": y + rng.normal(size=50)})
            )
            rows[-1]["rowIndex"] = range(1, 51)
            rows[-1]["Resample"] = [f"Fold{k + 1}.Rep{repeat}" for k in fold]
        frame = pd.concat(rows, ignore_index=True)
        parts = frame["Resample"].str.split(".", expand=True)
        wanted = answer(
            from_predictions(frame[["a", "b"]], frame["obs"], fold=parts[0], repeat=parts[1])
        )
        roles = {"example": "rowIndex"} if example else {"ignore": "rowIndex"}
        for own in ({}, {"fold": "Resample"}):
            table = read_table(written(frame), truth="obs", columns=["a", "b"], **own, **roles)
            assert answer(table)[0] == pytest.approx(wanted[0], rel=1e-9)
            assert answer(table)[1] == ("kfold",)
            assert np.unique(table.splits.labels["repeat"]).size == 3
        with refused("columns"):
            read_table(written(frame), truth="obs")


class TestSeveralMeasures:
    @pytest.mark.parametrize(
        "columns",
        [
            ["rf", "rf_std", "gbm", "gbm_std"],
            ["accuracy", "ci_low", "ci_high"],
        ],
    )
    def test_columns_are_named(self, columns):
        rng = np.random.default_rng(1)
        frame = pd.DataFrame({name: rng.uniform(0.6, 0.9, 10).round(4) for name in columns})
        sizes = {"n_train": 90, "n_test": 10}
        with refused("columns", UnsaidRoleError):
            read_table(written(frame), **sizes)
        with refused("columns", UnsaidRoleError):
            from_scores(frame, **sizes)
        chosen = tuple(columns[::2])
        assert read_table(written(frame), columns=chosen, **sizes).learners == chosen

    @pytest.mark.parametrize(
        "columns",
        [
            ["rf~Accuracy", "rf~Kappa", "gbm~Accuracy", "gbm~Kappa"],
            ["rf|x", "rf|y", "gbm|x", "gbm|y"],
            ["rf_accuracy", "rf_gmean", "gbm_accuracy", "gbm_gmean"],
        ],
    )
    def test_a_grid_has_its_measure_named(self, columns):
        rng = np.random.default_rng(1)
        frame = pd.DataFrame({name: rng.uniform(0.6, 0.9, 10).round(4) for name in columns})
        sizes = {"n_train": 90, "n_test": 10}
        measure = columns[0][3:]
        for door in (read_table, from_scores):
            with refused("metric", UnsaidRoleError) as caught:
                door(frame, **sizes)
            assert caught.value.options[0] == f"--metric {measure}"
            found = door(frame, metric=measure, higher_is_better=True, **sizes)
            assert (found.learners, found.loss.key) == (("rf", "gbm"), measure)
            assert np.array_equal(-found.scores, frame[columns[::2]].T)
        chosen = tuple(columns[::2])
        assert read_table(written(frame), columns=chosen, **sizes).learners == chosen

    def test_rows_of_several_measures(self):
        rng = np.random.default_rng(1)
        frame = pd.DataFrame({"model": ["a"] * 20 + ["b"] * 20, "metric": ["acc", "f1"] * 20})
        frame = frame.assign(
            split_id=np.repeat(range(20), 2) % 10, score=rng.uniform(size=40).round(4)
        )
        with refused("metric", UnsaidRoleError):
            read_table(frame)
        table = read_table(frame, metric="acc")
        assert table.loss.key == "acc"
        assert table.scores[0].tolist() == (-frame["score"][:20:2]).tolist()


class TestSheets:
    """What is no number of a split is refused, whatever it is called."""

    @pytest.fixture
    def sheet(self):
        rng = np.random.default_rng(0)
        numbers = {name: rng.uniform(0.75, 0.85, 6).round(4) for name in "ab"}
        return pd.DataFrame({"fold": [f"fold {i}" for i in range(1, 7)], **numbers})

    def refused(self, frame, **known):
        with pytest.raises(InvalidInputError):
            read_table(written(frame), columns=known.pop("names", None), **SIZES, **known)

    def test_the_sheet_itself(self, sheet):
        assert read_table(written(sheet), **SIZES).scores.shape == (2, 6)

    @pytest.mark.parametrize("label", ["Total", "95% CI", "N", "Gesamt"])
    @pytest.mark.parametrize("names", [None, ["a", "b"]])
    def test_a_row_with_a_name_among_numbered_ones(self, sheet, label, names):
        for first in (sheet["fold"], range(1, 7)):
            last = pd.DataFrame({"fold": [label], "a": [0.8012], "b": [0.7911]})
            self.refused(pd.concat([sheet.assign(fold=first), last]), names=names)

    def test_a_last_row_of_sums(self, sheet):
        frame = sheet[["a", "b"]]
        self.refused(pd.concat([frame, frame.sum().round(4).to_frame().T]))

    def test_a_last_row_of_counts(self, sheet):
        frame = sheet[["a", "b"]]
        self.refused(pd.concat([frame, pd.DataFrame({"a": [250.0], "b": [250.0]})]))

    @pytest.mark.parametrize("code", [-1, -99, -9999])
    @pytest.mark.parametrize("names", [None, ["a", "b"]])
    def test_a_number_that_stands_for_none(self, sheet, code, names):
        frame = sheet.copy()
        frame.loc[2, "a"] = code
        self.refused(frame, names=names)

    def test_shares_and_percents(self, sheet):
        frame = sheet.assign(b=(sheet["b"] * 100).round(1))
        assert read_table(written(frame), columns=["a", "b"], **SIZES).learners == ("a", "b")
        frame = sheet.copy()
        frame.loc[2, "a"] = 79
        self.refused(frame)

    @pytest.mark.parametrize("rows", [slice(None), slice(2, 3)])
    @pytest.mark.parametrize("names", [None, ["a", "b"]])
    def test_numbers_with_an_underscore(self, sheet, rows, names):
        frame = sheet.astype({"a": object})
        frame.loc[frame.index[rows], "a"] = "81_000"
        self.refused(frame, names=names)
        with pytest.raises(InvalidInputError):
            from_scores(frame, **SIZES)
        long = frame.melt("fold", var_name="model", value_name="score")
        with pytest.raises(InvalidInputError):
            from_long(long, "model", "score", fold="fold", **SIZES)

    def test_counts_beside_fractions(self, sheet):
        self.refused(sheet.assign(size=[1, 2, 2, 1, 1, 2]))
        assert read_table(sheet.assign(rank=[1, 2, 2, 1, 1, 2]), **SIZES).learners == ("a", "b")

    def test_equal_learners_and_copied_rows(self, sheet):
        self.refused(sheet.assign(c=sheet["a"]))
        copied = pd.concat([sheet, sheet.iloc[:3]]).drop(columns="fold")
        with pytest.raises(UnsaidRoleError):
            read_table(copied, **SIZES)


class TestEmptyCells:
    @pytest.fixture
    def losses(self):
        rng = np.random.default_rng(4)
        frame = pd.DataFrame({"subject": np.repeat(np.arange(20), 3)})
        frame = frame.assign(a=rng.uniform(size=60).round(4), b=rng.uniform(size=60).round(4))
        frame.loc[7, ["a", "b"]] = np.nan
        frame.loc[30, "b"] = np.nan
        return frame

    @pytest.mark.parametrize("names", [None, ["a", "b"]])
    def test_examples_left_out(self, losses, names):
        path, roles = written(losses), {"groups": "subject", "columns": names}
        with refused("missing", UnsaidRoleError):
            read_table(path, **roles)
        table = read_table(path, **roles, missing="examples")
        assert "left-out" in {note.code for note in table.notes}
        assert answer(table) == answer(read_table(written(losses.dropna(), "filled.csv"), **roles))

    def test_all_rows_of_an_example_go(self, losses):
        frame = losses.assign(example=np.tile(range(20), 3), repeat=np.repeat(range(3), 20)).drop(
            columns="subject"
        )
        table = read_table(written(frame), missing="examples")
        assert np.unique(table.cells.example).size == 18

    def test_learners_left_out(self, losses):
        frame = losses.assign(c=losses["a"].fillna(0.5), d=losses["a"].fillna(0.25))
        frame.loc[7, "b"] = 0.5
        table = read_table(written(frame), groups="subject", missing="learners")
        assert table.learners == ("c", "d")


class TestStatedFacts:
    """A stated fact is used or refused."""

    @pytest.mark.parametrize("role", ["inner", "halving", "half", "strata", "groups", "time"])
    @pytest.mark.parametrize(
        "known",
        [{"example": "row"}, {"kind": "subsampling"}, {"dataset": "set"}],
        ids=["examples", "splits", "data sets"],
    )
    def test_every_role_of_every_row(self, role, known):
        rng = np.random.default_rng(0)
        frame = pd.DataFrame(
            {"row": range(12), "set": list("abcdefghijkl"), "label": np.arange(12) // 4}
        )
        frame = frame.assign(a=rng.uniform(size=12), b=rng.uniform(size=12))
        frame = frame[[*[name for name in known.values() if name in frame], "label", "a", "b"]]
        try:
            table = read_table(frame, **known, **{role: "label"})
        except InvalidInputError:
            return
        if role == "inner":
            assert table.splits.kinds == ("nested-kfold",)
        else:
            fact = {"groups": "clusters"}.get(role, role)
            assert (
                getattr(table.splits.designs[0], fact, None) is not None
                or role in table.splits.labels
            )

    def test_what_goes_with_a_truth(self):
        frame = pd.DataFrame({"y": [0, 1] * 10, "a": [0, 1, 1, 0] * 5})
        for option in (
            {"metric": "x"},
            {"higher_is_better": True},
            {"kind": "kfold"},
            {"n_test": 20},
        ):
            with refused(next(iter(option))):
                read_table(frame, columns="a", **option)
        with refused("loss"):
            read_table(frame, truth="none", ignore="y", kind="examples", loss="f1")

    def test_what_rows_do_not_use_is_refused_until_it_is_said_to_be_none(self):
        frame = {"example": [1, 2, 3], "a": [0.1, 0.2, 0.4], "b": [0.3, 0.2, 0.1]}
        with refused("example", UnsaidRoleError):
            from_scores(frame, kind="subsampling")
        assert from_scores(frame, kind="subsampling", example="none").learners == ("a", "b")
        with refused("halving"):
            from_losses({"a": [0, 1, 1]}, halving=[0, 1, 2])
        with refused("role"):
            from_losses({"a": [0, 1, 1]}, folds=[0, 1, 2])
        with refused("role"):
            read_table(frame, folds="example")
        with refused("dataset", UnsaidRoleError):
            read_table(frame, dataset="example", kind="examples")


class TestOtherCalls:
    def test_a_metric_of_ones_own_gets_numbers_as_they_are(self):
        """Corpus word error rate by the delta method."""
        rng = np.random.default_rng(1)
        words = rng.integers(5, 60, 300)
        errors = {
            name: rng.binomial(words, share) for name, share in (("base", 0.12), ("new", 0.1))
        }

        def wer(truth, guess):
            return float(np.sum(guess) / np.sum(truth))

        loss = errbar.metrics.metric(wer)
        pair = (
            compare_table(from_predictions(errors, words, fold="none", loss=loss)).pairs[0].result
        )
        difference = errors["base"].sum() / words.sum() - errors["new"].sum() / words.sum()
        influence = (errors["base"] - errors["new"] - difference * words) / words.mean()
        assert pair.estimate == pytest.approx(difference)
        assert pair.se == pytest.approx(influence.std(ddof=1) / 300**0.5, rel=0.01)

    def test_a_table_without_a_header(self, tmp_path):
        lines = [
            f"{metric}\t{topic}\t0.{topic}7"
            for topic in range(301, 320)
            for metric in ("map", "ndcg")
        ]
        (tmp_path / "run.eval").write_text("\n".join(lines))
        assert command("test", "run.eval")[0] == 2

    def test_ranks_of_a_long_table(self):
        rng = np.random.default_rng(0)
        frame = pd.DataFrame({"set": np.repeat(list("vwxyz"), 3), "framework": ["a", "b", "c"] * 5})
        path = written(frame.assign(result=rng.uniform(size=15).round(4)))
        assert command("ranks", path, "--higher-is-better")[0] == 2
        assert command("ranks", path, "--higher-is-better", "--dataset", "set")[0] == 0

    def test_several_columns_of_truth(self):
        frame = pd.DataFrame({"t1": [0, 1] * 5, "t2": [1, 0] * 5, "a": [0, 1] * 5, "b": [1, 1] * 5})
        assert command("test", written(frame), "--truth", "t1,t2", "--loss", "f1")[0] == 2
