import json
import math
import pickle
from dataclasses import FrozenInstanceError

import pytest
from sklearn.datasets import load_iris
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import errbar
from errbar import Estimand, Interval, Note, Result


def result(**changes):
    fields = {
        "method": "corrected-t",
        "estimand": Estimand.EXPECTED_RISK,
        "n_train": 90.0,
        "estimate": 0.25,
        "se": 0.05,
        "interval": Interval(0.125, 0.375),
        "level": 0.95,
        "statistic": 5.0,
        "df": 9,
        "pvalue": 0.0007,
        "null": 0.0,
        "alternative": "two-sided",
        "n_splits": 10,
        "notes": (Note("liberal", assumed="independence"),),
    }
    return Result(**(fields | changes))


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"n_fits": 15},
        {"df": None},
        {"df": (10.0, 5.0)},
        {"interval": Interval(-math.inf, 0.4), "alternative": "less"},
        {"interval": Interval(0.1, math.inf), "alternative": "greater"},
        {"statistic": math.inf, "pvalue": 0.0},
        {"statistic": -math.inf},
        {"notes": ()},
        {"posterior": {"left": 0.2, "rope": 0.5, "right": 0.3}},
        {"estimand": Estimand.PROXY},
    ],
    ids=str,
)
def test_json(changes):
    data = result(**changes).to_dict()
    back = json.loads(json.dumps(data, allow_nan=False))
    assert back["estimate"] == 0.25
    assert back["low"] is None or back["high"] is None or back["low"] < back["high"]


def test_mirroring_twice_gives_the_result_back():
    one = result(
        null=0.1,
        alternative="less",
        interval=Interval(-math.inf, 0.4),
        posterior={"left": 0.2, "right": 0.8},
    )
    assert one.mirrored().mirrored() == one


def test_mirrored_speaks_of_the_negated_quantity():
    other = result(null=0.1, alternative="less", interval=Interval(-math.inf, 0.4)).mirrored()
    assert (other.estimate, other.statistic, other.null) == (-0.25, -5.0, -0.1)
    assert other.interval == (-0.4, math.inf)
    assert (other.alternative, other.se, other.pvalue) == ("greater", 0.05, 0.0007)


def test_mirrored_keeps_a_statistic_without_direction():
    assert result(df=(10.0, 5.0), directed=False).mirrored().statistic == 5.0


def test_mirrored_makes_no_negative_zero():
    other = result(estimate=0.0, statistic=0.0).mirrored()
    assert math.copysign(1.0, other.estimate) == math.copysign(1.0, other.null) == 1.0


def test_mirrored_swaps_the_sides_of_a_posterior():
    other = result(posterior={"left": 0.2, "rope": 0.3, "right": 0.5}).mirrored()
    assert other.posterior == {"left": 0.5, "rope": 0.3, "right": 0.2}


def test_a_note_is_kept_once():
    notes = (
        result()
        .with_notes(Note("liberal", assumed="independence"), Note("liberal", assumed="more"))
        .notes
    )
    assert [note.numbers["assumed"] for note in notes] == ["independence", "more"]


def test_a_result_cannot_be_changed():
    with pytest.raises(FrozenInstanceError):
        result().estimate = 1.0


def test_a_result_can_be_pickled():
    assert pickle.loads(pickle.dumps(result())) == result()


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"estimand": Estimand.DATA_SETS}, "10 data sets"),
        ({}, "0.250, 95 % confidence interval 0.125 to 0.375, standard error 0.050"),
        ({}, "at training size 90."),
        ({"n_splits": 1}, "corrected-t, 1 split"),
        ({"n_train": math.nan}, "over training sets."),
        ({}, "Note: "),
        ({"posterior": {"rope": 0.5}}, "rope .500"),
        ({"level": 0.999}, "99.9 % confidence interval"),
    ],
)
def test_printed_result(changes, words):
    assert words in str(result(**changes))


@pytest.mark.parametrize("estimand", Estimand)
def test_every_estimand_has_words(estimand):
    assert estimand.words.startswith("the ")


def test_an_unknown_training_size_does_not_make_equal_results_differ():
    found = errbar.methods.kfold_t(errbar.Losses([0.1, 0.2, 0.4]))
    same = errbar.methods.kfold_t(errbar.Losses([0.1, 0.2, 0.4]))
    assert math.isnan(found.n_train)
    assert same == found
    assert found != errbar.methods.kfold_t(errbar.Losses([0.1, 0.2, 0.4]), rho=0.5)
    assert found != 3


def test_mirrored_posteriors_keep_their_order():
    posterior = result(posterior={"left": 0.7, "rope": 0.2, "right": 0.1}).mirrored().posterior
    assert list(posterior.items()) == [("left", 0.1), ("rope", 0.2), ("right", 0.7)]


def test_global_results_with_an_unknown_training_size_are_equal():
    def found(level=0.95):
        return errbar.GlobalResult(
            Estimand("PD"), math.nan, 3.0, 2.0, 0.2, (0.1, 0.2, 0.3), 8, "friedman", level
        )

    assert found() == found()
    assert found() != found(0.9)
    assert found() != 3


ERRORS = {"tree_1": [0.31, 0.28, 0.35], "a|b": [0.25, 0.27, 0.26]}


@pytest.fixture
def scores():
    return errbar.from_scores(ERRORS, n_train=90, n_test=10, metric="zero-one")


def test_a_result_names_learner_and_loss_and_shows_no_test_that_nobody_asked_for(scores):
    text = str(errbar.infer(scores, "corrected-t", "tree_1"))
    assert text.startswith(
        "zero-one loss \N{MIDDLE DOT} corrected-t, 3 splits\n\ntree_1 0.313, 95 % "
    )
    assert "p = " not in text


@pytest.mark.parametrize("asked", [{"null": 0.3}, {"null": 0.0}, {"alternative": "greater"}])
def test_a_test_that_was_asked_for_is_shown(scores, asked):
    found = errbar.infer(scores, "corrected-t", "tree_1", **asked)
    assert f"against {found.null:g}, {found.alternative}." in str(found)


def test_a_difference_names_both_learners_and_is_tested(scores):
    found = errbar.infer(scores, "corrected-t", "tree_1", minus="a|b")
    assert "\ntree_1 - a|b 0.053, " in str(found)
    assert "p = " in str(found)
    assert "\na|b - tree_1 -0.053, " in str(found.mirrored())


def test_an_estimate_that_is_no_difference_is_named_as_what_it_is():
    runs = {"a": [0.3, 0.2, 0.4, 0.1], "b": [0.4, 0.5, 0.3, 0.2]}
    table = errbar.from_scores(runs, kind="bootstrap", metric="error rate")
    found = errbar.infer(table, "outperformance", "a", minus="b")
    assert str(found).startswith("probability that the first does better \N{MIDDLE DOT} ")
    assert "error rate" not in str(found)


def test_ready_made_differences_are_tested():
    table = errbar.from_scores({"a - b": [0.1, 0.2, 0.4]}, n_train=90, n_test=10)
    assert "p = " in str(errbar.infer(table, "corrected-t"))


def test_an_evaluation_is_named_after_the_class_or_as_asked():
    X, y = load_iris(return_X_y=True)
    model = make_pipeline(StandardScaler(), GaussianNB())
    found = errbar.evaluate(model, X, y, plan=3, random_state=0)
    assert "\nGaussianNB 0." in str(found)
    assert "p = " not in str(found)
    assert errbar.evaluate(model, X, y, plan=3, random_state=0, name="bayes").learner == "bayes"
    both = errbar.evaluate(
        model, X, y, loss=["zero-one", "log-loss"], plan=3, null=0.5, random_state=0
    )
    assert [one.loss for one in both.values()] == list(both)
    assert all("against 0.5, two-sided." in str(one) for one in both.values())


def test_whom_numbers_are_about_survives_json_and_changes_no_number(scores):
    found = errbar.infer(scores, "corrected-t", "tree_1", minus="a|b")
    back = json.loads(json.dumps(found.to_dict()))
    about = [back[name] for name in ("learner", "minus", "loss", "tested")]
    assert about == ["tree_1", "a|b", "zero-one", True]
    plain = errbar.methods.corrected_t(errbar.Losses([0.06, 0.01, 0.09], n_train=90, n_test=10))
    assert plain.learner is None
    assert str(plain).startswith("corrected-t, 3 splits\n")
