"""What learners answer: in every form that means the same, and refused in every form that means nothing."""

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC

import errbar
from errbar.fits.task import predicted
from errbar.metrics import DECISION, LABEL, PROBABILITY, Target
from errbar.plans import KFold
from tests.fits.learners import STRING, Majority

X, Y = load_iris(return_X_y=True)
ALL = (LABEL, PROBABILITY, DECISION)
TWO = Target(np.array([0, 1, 1, 0]), np.array(["no", "yes"]))
THREE = Target(np.array([0, 1, 2, 0]), np.array([1, 2, 3]))
NUMBERS = Target(np.array([0.5, 1.5, 2.5, 3.5]))
SHARES = np.array([[0.7, 0.2, 0.1], [0.1, 0.6, 0.3], [0.2, 0.3, 0.5], [1.0, 0.0, 0.0]])


class Says:
    """A fitted learner that answers what it was told, and counts how often it is asked."""

    def __init__(self, classes=None, **answers):
        self.asked = []
        if classes is not None:
            self.classes_ = classes
        for kind, method in (
            ("label", "predict"),
            ("probability", "predict_proba"),
            ("decision", "decision_function"),
        ):
            if kind in answers:
                setattr(self, method, self._saying(kind, answers[kind]))

    def _saying(self, kind, answer):
        def say(X):
            self.asked.append(kind)
            if isinstance(answer, BaseException):
                raise answer
            return answer

        return say


def told(target, kind, answer, classes=None, count=4):
    return predicted(Says(classes, **{kind: answer}), np.empty((count, 0)), target, (kind,))[
        kind
    ].tolist()


class TestLabels:
    @pytest.mark.parametrize(
        "answer",
        [
            ["yes", "no", "no", "yes"],
            np.array([["yes"], ["no"], ["no"], ["yes"]]),
            np.array(["yes", "no", "no", "yes"], dtype=object),
            pd.Series(["yes", "no", "no", "yes"], index=[3, 2, 1, 0]),
            pd.Series(pd.Categorical(["yes", "no", "no", "yes"])),
            np.ma.array(["yes", "no", "no", "yes"]),
            np.array(["yes", "no", "no", "yes"], STRING),
        ],
        ids=["list", "column", "object", "series", "categorical", "nothing masked", "string"],
    )
    def test_of_every_form(self, answer):
        assert told(TWO, LABEL, answer) == [1, 0, 0, 1]

    @pytest.mark.parametrize(
        ("classes", "answer"),
        [
            ((False, True), [1, 0, 0, 1]),
            ((0, 1), [True, False, False, True]),
            ((0, 1), [1.0, 0, 0, 1]),
        ],
    )
    def test_truth_values_are_0_and_1(self, classes, answer):
        assert told(Target(np.zeros(4, int), np.array(classes)), LABEL, answer) == [1, 0, 0, 1]

    @pytest.mark.parametrize(
        ("target", "answer"),
        [
            (TWO, ["yes", "maybe", "no", "no"]),
            (TWO, ["yes", "no", "no"]),
            (TWO, [["yes", "no"]] * 4),
            (TWO, [1, 0, 0, 1]),
            (TWO, ["yes", 0, "no", "no"]),
            (TWO, ["yes", None, "no", "no"]),
            (TWO, ["yes", "no\0", "no", "no"]),
            (TWO, [b"yes", b"no", b"no", b"no"]),
            (TWO, np.ma.array(["yes"] * 4, mask=[0, 0, 1, 0])),
            (THREE, ["1", "2", "3", "1"]),
            (THREE, [1.0, 2.5, 3.0, 1.0]),
            (THREE, [1.0, np.nan, 3.0, 1.0]),
            (THREE, np.array([1.0, np.nan, 3.0, 1.0])),
            (THREE, [True] * 4),
            (THREE, [0, 1, 2, 0]),
            (NUMBERS, [1.5, None, 1, 1]),
            (NUMBERS, [1j] * 4),
            (NUMBERS, np.ma.array([1.0] * 4, mask=[0, 0, 0, 1])),
            (NUMBERS, [1.0, 2.0, np.inf, 3.0]),
        ],
    )
    def test_that_are_none(self, target, answer):
        with pytest.raises(ValueError) as caught:
            told(target, LABEL, answer)
        assert "\n" not in str(caught.value)


class TestColumns:
    @given(st.permutations(range(3)))
    def test_stand_in_the_order_that_the_learner_says(self, order):
        for kind, values in ((PROBABILITY, SHARES), (DECISION, SHARES - 0.5)):
            found = told(THREE, kind, values[:, list(order)], THREE.classes[list(order)])
            assert found == values.tolist()

    def test_of_a_frame_have_names(self):
        frame = pd.DataFrame(SHARES, columns=[1, 2, 3])[[3, 1, 2]]
        assert told(THREE, PROBABILITY, frame, THREE.classes) == SHARES.tolist()
        assert told(THREE, PROBABILITY, pd.DataFrame(SHARES), THREE.classes) == SHARES.tolist()

    def test_of_classes_that_the_training_set_lacked(self):
        found = told(THREE, PROBABILITY, [[0.3, 0.7]] * 4, [3, 1])
        assert found == [[0.7, 0.0, 0.3]] * 4
        assert told(THREE, DECISION, [2.0, -1.0, 0.0, 1.0], [3, 1]) == [
            [a, np.finfo(float).min, -a] for a in (2.0, -1.0, 0.0, 1.0)
        ]

    @pytest.mark.parametrize("shape", [(4,), (4, 1)])
    def test_a_decision_leans_to_the_second_class(self, shape):
        lean = np.array([2.0, -1.0, 0.5, 1.0])
        assert told(TWO, DECISION, lean.reshape(shape), ["no", "yes"]) == lean.tolist()
        assert told(TWO, DECISION, lean.reshape(shape), ["yes", "no"]) == (-lean).tolist()

    def test_roundings_are_put_right(self):
        single = np.array(
            [[1.0 + 3e-7, -3e-7], [0.5, 0.5004], [0.25, 0.75], [0.0, 1.0]], dtype=np.float32
        )
        found = np.array(told(TWO, PROBABILITY, single, ["no", "yes"]))
        assert found.min() == 0.0
        assert found.max() == 1.0
        np.testing.assert_allclose(found, single, atol=4e-7)

    @pytest.mark.parametrize(
        ("target", "kind", "answer", "classes"),
        [
            (
                TWO,
                PROBABILITY,
                [[1.5, -0.5]] * 4,
                ["no", "yes"],
            ),
            (
                TWO,
                PROBABILITY,
                [[0, 1], [0, 1], [0, -0.01], [0, 1]],
                ["no", "yes"],
            ),
            (TWO, PROBABILITY, [[0.5, 0.6]] * 4, ["no", "yes"]),
            (THREE, PROBABILITY, np.zeros((4, 3)), [1, 2, 3]),
            (THREE, PROBABILITY, np.log(SHARES + 0.01), [1, 2, 3]),
            (THREE, PROBABILITY, 100 * SHARES, [1, 2, 3]),
            (THREE, PROBABILITY, np.where(SHARES == 0.5, np.nan, SHARES), [1, 2, 3]),
            (
                TWO,
                PROBABILITY,
                [0.2] * 4,
                ["no", "yes"],
            ),
            (TWO, PROBABILITY, [[0.2]] * 4, ["no", "yes"]),
            (THREE, PROBABILITY, SHARES[:3], [1, 2, 3]),
            (THREE, PROBABILITY, SHARES[:, :2], [1, 2, 3]),
            (THREE, PROBABILITY, SHARES, [0, 1, 2]),
            (THREE, PROBABILITY, SHARES, ["1", "2", "3"]),
            (THREE, PROBABILITY, SHARES, [1, 1, 3]),
            (THREE, PROBABILITY, SHARES, None),
            (TWO, DECISION, [[0.2, 0.4]] * 4, ["no", "yes"]),
            (TWO, DECISION, [np.nan] * 4, ["no", "yes"]),
            (TWO, DECISION, [0.5] * 3, ["no", "yes"]),
            (TWO, DECISION, [0.5] * 4, ["no"]),
            (THREE, DECISION, SHARES[:, 0], [1, 2, 3]),
        ],
    )
    def test_that_are_none(self, target, kind, answer, classes):
        with pytest.raises(ValueError) as caught:
            told(target, kind, np.array(answer), classes)
        assert "\n" not in str(caught.value)


GOOD = {
    LABEL: ["yes", "no", "no", "yes"],
    PROBABILITY: [[0.2, 0.8]] * 4,
    DECISION: [1.0, -1.0, -1.0, 1.0],
}


class TestWhatIsKept:
    """Everything a learner offers; only what the loss of the run needs may make a fit fail."""

    def ask(self, needed, both=False, **changed):
        fitted = Says(["no", "yes"], **GOOD | changed)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            found = predicted(
                fitted, np.empty((4, 0)), TWO, ALL, needed=needed, labels_from_probabilities=both
            )
        return found, [str(one.message) for one in caught], fitted.asked

    def test_every_kind_is_asked_for_once(self):
        found, said, asked = self.ask((LABEL,))
        assert set(found) == set(ALL)
        assert said == []
        assert sorted(asked) == sorted(ALL)

    def test_labels_that_follow_from_probabilities_are_not_asked_for(self):
        found, _, asked = self.ask((LABEL,), both=True)
        assert found[LABEL].tolist() == [1, 1, 1, 1]
        assert LABEL not in asked
        # Where there are none after all, they are.
        found, said, asked = self.ask((LABEL,), both=True, probability=[[7.0, 8.0]] * 4)
        assert found[LABEL].tolist() == [1, 0, 0, 1]
        assert LABEL in asked
        assert len(said) == 1

    @pytest.mark.parametrize(
        ("kind", "answer"),
        [
            (PROBABILITY, [[1.5, -0.5]] * 4),
            (PROBABILITY, RuntimeError("not\ncalibrated")),
            (DECISION, [np.nan] * 4),
            (DECISION, SystemExit(3)),
            (LABEL, ["?"] * 4),
        ],
    )
    def test_what_is_not_needed_is_left_out_with_a_warning(self, kind, answer):
        others = tuple(other for other in ALL if other != kind)
        found, [said], _ = self.ask(others, **{kind: answer})
        assert set(found) == set(others)
        assert "\n" not in said
        with pytest.raises((ValueError, RuntimeError, SystemExit)):
            self.ask((kind,), **{kind: answer})
        with pytest.raises((ValueError, RuntimeError, SystemExit)):
            self.ask(None, **{kind: answer})

    def test_an_ability_that_was_lost_is_no_reason_for_a_warning(self):
        fitted = Says(["no", "yes"], label=GOOD[LABEL])
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert set(predicted(fitted, np.empty((4, 0)), TWO, ALL, needed=(LABEL,))) == {LABEL}
        with pytest.raises(AttributeError):
            predicted(fitted, np.empty((4, 0)), TWO, ALL, needed=(LABEL, DECISION))

    @pytest.mark.parametrize("model", [LogisticRegression(max_iter=500), SVC(random_state=0)])
    def test_of_real_learners_is_what_they_say(self, model):
        target = Target(Y, np.array([0, 1, 2]))
        fitted = model.fit(X, Y)
        found = predicted(fitted, X, target, ALL, needed=(LABEL,))
        assert found[LABEL].tolist() == model.predict(X).tolist()
        assert found[DECISION].tolist() == model.decision_function(X).tolist()
        if PROBABILITY in found:
            assert found[PROBABILITY].tolist() == model.predict_proba(X).tolist()


class Impossible(Majority):
    """Is surer than sure."""

    def predict_proba(self, X):
        return np.tile([3.0, -1.0, -1.0], (X.shape[0], 1))


class Unsorted(Majority):
    """Names its classes, and their columns, from the last to the first."""

    def fit(self, X, y):
        super().fit(X, y)
        self.shares_ = np.bincount(y, minlength=3)[::-1] / y.size
        self.classes_ = self.classes_[::-1]
        return self

    def predict_proba(self, X):
        return np.tile(self.shares_, (X.shape[0], 1))


@pytest.mark.parametrize("loss", ["log-loss", "brier", "neg_log_loss", "roc_auc_ovr"])
def test_impossible_probabilities_are_a_failure_of_the_fit(loss):
    """They were scored as perfect: a log-loss of 0.0."""
    with pytest.raises(errbar.FitFailedError) as caught:
        errbar.run(
            {"sure": Impossible(), "good": Unsorted()},
            X,
            Y,
            plan=KFold(5),
            loss=loss,
            random_state=0,
        )
    assert caught.value.table.learners == ("good",)
    assert [failure.learner for failure in caught.value.failures] == ["sure"] * 5
    assert caught.value.failures[0].message.startswith("ValueError: ")


def test_columns_in_another_order_change_no_score():
    run = errbar.run({"a": Unsorted()}, X, Y, plan=KFold(5), loss="log-loss", random_state=0)
    truth = Y[run.cells.example]
    shares = np.array(
        [
            np.bincount(Y, minlength=3) - np.bincount(truth[run.cells.split == j], minlength=3)
            for j in range(5)
        ]
    )
    wanted = -np.log((shares / 120)[run.cells.split, truth])
    np.testing.assert_allclose(run.points[0], wanted, rtol=1e-12)


class OwnSplits(Majority):
    """Does all training sets itself, and answers something."""

    def __init__(self, answer=0):
        self.answer = answer

    def fit_predict_many(self, X, y, train_rows, test_rows, seeds):
        return [np.full(len(rows), self.answer) for rows in test_rows]


@pytest.mark.parametrize("answer", [256, -1, 0.7, 3])
def test_labels_of_a_batch_that_are_no_class_are_not_taken(answer):
    """Cast to the small type in which codes are kept, 256 is 0."""
    with pytest.raises(errbar.FitFailedError):
        errbar.run({"a": OwnSplits(answer)}, X, Y, plan=KFold(10), random_state=0)
