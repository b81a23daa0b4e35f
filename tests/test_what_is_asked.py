"""What a table is asked, and what is read once the question is answered: kinds of tables that people have."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import errbar
from errbar.errors import ErrbarError, InvalidInputError
from errbar.reading.sheet import UnsaidRoleError

RNG = np.random.default_rng(5)
ONE, OTHER = RNG.normal(0.9, 0.01, 8), RNG.normal(0.88, 0.01, 8)
FAILED = np.where(np.arange(8) % 3 == 2, np.nan, OTHER)


def asked(frame, **said):
    """Return the refusal of a table."""
    with pytest.raises(UnsaidRoleError) as caught:
        errbar.read(frame, **said)
    return caught.value


def long(one=ONE, other=OTHER, name="model", **columns):
    names = np.repeat(["a", "b"], [len(one), len(other)])
    return pd.DataFrame({name: names} | columns | {"acc": [*one, *other]})


def wide(one=ONE, other=OTHER):
    return pd.DataFrame({"a": one, "b": other})


class TestRunsWithoutANumber:
    @pytest.mark.parametrize("frame", [long(other=FAILED), wide(other=FAILED)])
    def test_they_are_refused_unless_it_is_said(self, frame):
        said = {"kind": "runs", "higher_is_better": True}
        refused = asked(frame, **said)
        assert refused.argument == "missing"
        assert "--missing pairs" in refused.options
        table = errbar.read(frame, missing="pairs", **said)
        [note] = [one for one in table.notes if one.code == "left-out"]
        assert "b (2)" in str(note)
        [pair] = errbar.compare_table(table).pairs
        right = stats.ttest_ind(ONE, FAILED, equal_var=False, nan_policy="omit")
        assert pair.result.pvalue == pytest.approx(right.pvalue, rel=1e-12)

    def test_fewer_runs_are_none_that_failed(self):
        for found in (
            errbar.read(long(other=OTHER[:5]), kind="runs", higher_is_better=True),
            errbar.from_scores({"a": ONE, "b": OTHER[:5]}, kind="runs", higher_is_better=True),
        ):
            assert not [one for one in found.notes if one.code == "left-out"]
            [pair] = errbar.compare_table(found).pairs
            right = stats.ttest_ind(ONE, OTHER[:5], equal_var=False)
            assert pair.result.pvalue == pytest.approx(right.pvalue, rel=1e-12)

    def test_python_lists(self):
        with pytest.raises(UnsaidRoleError):
            errbar.from_scores({"a": ONE, "b": FAILED[:7]}, kind="runs")

    def test_no_number_takes_the_place_of_a_run(self):
        with pytest.raises(InvalidInputError):
            errbar.read(long(other=FAILED[:6]), kind="runs", missing=0.5)


class TestStepsOfTraining:
    @pytest.mark.parametrize("step", ["epoch", "Step"])
    def test_logs_of_a_training_are_refused(self, step):
        one = pd.DataFrame({step: range(8), "val_loss": 1 - ONE, "val_accuracy": ONE})
        other = one.assign(val_accuracy=OTHER, val_loss=1 - OTHER)
        for given in (one, {"a": one, "b": other}):
            for said in ({}, {"value": "val_accuracy"}):
                offered = {word.split()[0] for word in asked(given, **said).options}
                assert not offered & {"--time", "--kind", "--split", "--seed"}

    def test_last_steps_of_several_trainings_are_none(self):
        steps = [10, 12, 9, 12, 11, 10, 12, 12] * 2
        frame = long(seed=[*range(8)] * 2, _step=steps)
        assert "--kind runs" in asked(frame).options

    def test_answers_to_examples(self):
        frame = pd.DataFrame({"question_id": [0, 0, 1, 1, 2, 2], "epoch": [1, 2] * 3})
        frame = frame.assign(a=[1, 0, 1, 1, 0, 0], b=[0, 0, 1, 0, 1, 0])
        table = errbar.read(frame, answer="epoch", higher_is_better=True)
        assert table.losses("a").value.size == 3


class TestProposals:
    def test_bounds_are_no_learners(self):
        names = ["X", "X-lo-90", "X-hi-90", "Z", "Z-lo-90"]
        frame = pd.DataFrame({name: RNG.normal(size=8) for name in ["y", *names]})
        frame["ds"] = pd.date_range("2024-01-01", periods=8).astype(str)
        refused = asked(frame)
        assert refused.options == ("--columns X,Z",)
        assert errbar.read(frame, columns="X,Z").learners == ("X", "Z")

    def test_names_that_continue_are_learners_where_somebody_says_so(self):
        frame = pd.DataFrame({name: RNG.uniform(size=8) for name in ("svm", "svm_rbf", "tree")})
        frame["fold"] = range(8)
        everything = "--columns svm,svm_rbf,tree"
        assert {"--columns svm,tree", everything} <= {*asked(frame).options}
        table = errbar.read(frame, columns="svm,svm_rbf,tree", fold="fold", n_train=7, n_test=1)
        assert table.learners == ("svm", "svm_rbf", "tree")

    def test_labels_that_were_predicted(self):
        truth = np.tile(["no", "yes"], 12)
        columns = {
            "row_id": range(24),
            "P (no)": RNG.uniform(size=24),
            "Prediction (Churn)": truth[::-1],
        }
        frame = pd.DataFrame({"Churn": truth} | columns)
        first = asked(frame)
        assert first.options[0] == "--truth Churn"
        second = asked(frame, truth="Churn")
        assert "--columns 'Prediction (Churn)' --fold none" in second.options
        table = errbar.read(frame, truth="Churn", columns="Prediction (Churn)", fold="none")
        assert table.learners == ("Prediction (Churn)",)

    def test_whole_numbers_beside_a_truth_of_decimals(self):
        frame = pd.DataFrame({"patient_id": np.repeat(range(8), 3), "visit": [1, 2, 3] * 8})
        for name in ("sbp", "ridge", "gbm"):
            frame[name] = RNG.normal(130, 10, 24).round(1)
        offered = asked(frame, truth="sbp").options
        assert "--columns ridge,gbm --fold none" in offered
        said = {"truth": "sbp", "columns": "ridge,gbm", "fold": "none"}
        assert asked(frame, **said).options == ("--ignore visit",)
        assert errbar.read(frame, ignore="visit", **said).learners == ("ridge", "gbm")

    def test_trials_of_a_search(self, tmp_path):
        frame = pd.DataFrame({"number": range(8), "value": ONE, "params_lr": OTHER / 9})
        frame.to_csv(tmp_path / "trials.csv", index=False)
        for source in (frame, tmp_path / "trials.csv"):
            for said in ({}, {"value": "value", "example": "number"}):
                with pytest.raises(InvalidInputError) as refused:
                    errbar.read(source, **said)
                assert not isinstance(refused.value, UnsaidRoleError)

    def test_a_value_beside_other_numbers(self):
        frame = pd.DataFrame({"row": range(8), "value": ONE, "lr": OTHER / 9})
        refused = asked(frame)
        assert "--value value" in refused.options
        assert ",lr" not in " ".join(refused.options)


class TestOneQuestionForAll:
    def test_columns_that_group_rows_alike(self):
        frame = long(fold=[*range(8)] * 2, wflow_id=["x"] * 8 + ["y"] * 8)
        table = errbar.read(frame, fold="fold", n_train=90, n_test=10)
        assert table.learners == ("a", "b")
        frame["wflow_id"] = ["x"] * 9 + ["y"] * 7
        assert asked(frame, fold="fold").options == ("--learner model", "--learner wflow_id")

    @pytest.mark.parametrize("name", ["iteration", "fold", "Unnamed: 0", "my.seed"])
    def test_sizes_are_asked_with_the_rest(self, name):
        frame = long(**{name: [*range(8)] * 2})
        refused = asked(frame, value="acc")
        role = {"my.seed": "seed"}.get(name, "fold")
        assert any(one.startswith(f"--{role} ") for one in refused.options)
        assert ("--n-train N" in str(refused)) == (name in ("iteration", "fold"))

    def test_seeds_that_no_learners_share(self):
        frame = long(seed=range(16))
        assert asked(frame, higher_is_better=True).options == ("--kind runs",)
        frame["seed"] %= 8
        assert "--seed seed" in asked(frame, higher_is_better=True).options

    def test_a_name_that_speaks_of_learners(self):
        frame = long(name="algo", seed=range(16))
        assert asked(frame, value="acc").options[0] == "--learner algo"

    def test_some_learners_of_a_long_table(self):
        frame = pd.concat([long(), long().assign(model="c")[:3]], ignore_index=True)
        said = {"higher_is_better": True, "kind": "runs"}
        table = errbar.read(frame, columns="a,b", **said)
        assert table.learners == ("a", "b")
        with pytest.raises(InvalidInputError) as refused:
            errbar.read(frame, columns="a,d", **said)
        assert refused.value.argument == "columns"
        with pytest.raises(ErrbarError):
            errbar.read(frame, columns="acc,a", **said)


@pytest.mark.parametrize(
    ("index", "offered"),
    [
        ({"place": [1, 1, 2, 2] * 2, "day": ["x", "y"] * 4}, "--example place,day"),
        ({"number": [1, 2, 3, 4] * 2, "day": ["x", "y"] * 4}, "--example number"),
    ],
)
def test_columns_that_tell_rows_apart_are_offered(index, offered):
    frame = long(ONE[:4], OTHER[:4], **index).rename(columns={"acc": "wis"})
    said = {"kind": "examples", "higher_is_better": False, "value": "wis"}
    assert offered in asked(frame, **said).options
    names = offered.split()[1]
    table = errbar.read(frame, example=names, ignore=[*{*index} - {*names.split(",")}], **said)
    assert table.points.shape == (2, 4)
