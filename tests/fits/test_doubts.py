"""What runs say of data and metrics that are probably not what was meant."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.metrics import make_scorer, mean_squared_error
from sklearn.model_selection import KFold, StratifiedKFold, cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import errbar
from tests.refusals import refused

X, Y = load_iris(return_X_y=True)
LEARNERS = {"bayes": GaussianNB(), "tree": DecisionTreeClassifier()}


def said(found, code):
    return [note.numbers for note in found.notes if note.code == code]


def test_classes_that_no_training_set_has():
    sorted_rows = errbar.run(LEARNERS, X, Y, plan=KFold(3), random_state=0)
    assert said(sorted_rows, "unseen-classes") == [{"count": 3, "splits": 3}]
    assert not said(errbar.run(LEARNERS, X, Y, plan=5, random_state=0), "unseen-classes")


def test_a_metric_of_ones_own_that_goes_against_its_name():
    def accuracy(truth, predicted):
        return np.mean(truth == predicted)

    [found] = said(errbar.run(LEARNERS, X, Y, plan=5, loss=accuracy, random_state=0), "direction")
    assert (found["what"], found["better"]) == ("accuracy", "lower")
    pair = {"ridge": Ridge(), "line": LinearRegression()}
    wrong = errbar.run(
        pair, X, X[:, 0], plan=5, loss=make_scorer(mean_squared_error), random_state=0
    )
    assert said(wrong, "direction")[0]["say"] == "greater_is_better=False"
    for loss in (
        "neg_mean_squared_error",
        "r2",
        make_scorer(mean_squared_error, greater_is_better=False),
    ):
        assert not said(
            errbar.run(pair, X, X[:, 0], plan=5, loss=loss, random_state=0), "direction"
        )


def test_a_frame_and_a_series_in_another_order():
    frame, series = pd.DataFrame(X), pd.Series(Y)
    with refused("X"):
        errbar.run(LEARNERS, frame, series.sample(frac=1, random_state=0), plan=5)
    errbar.run(LEARNERS, frame, series.set_axis(range(1000, 1150)), plan=5, random_state=0)


def test_predictions_of_the_same_examples_one_after_the_other():
    rows = np.random.default_rng(0).permutation(150)
    parts = [StratifiedKFold(5, shuffle=True, random_state=seed) for seed in range(3)]
    guesses = np.concatenate(
        [cross_val_predict(GaussianNB(), X[rows], Y[rows], cv=cv) for cv in parts]
    )
    truth = np.tile(Y[rows], 3)
    with pytest.raises(errbar.errors.InvalidInputError):
        errbar.from_predictions({"a": guesses}, truth, fold="none")
    known = {"example": np.tile(np.arange(150), 3), "seed": np.repeat(range(3), 150)}
    known["fold"] = "none"
    assert errbar.from_predictions({"a": guesses}, truth, **known).points.shape == (1, 450)
    for truth in (np.tile([0, 1], 100), np.repeat([0, 1, 0, 1], 50), Y[rows]):
        assert errbar.from_predictions({"a": truth}, truth, fold="none").points.shape == (
            1,
            truth.size,
        )


def test_directions_that_nobody_has_said():
    scores = {"a": [0.81, 0.82, 0.8], "b": [0.79, 0.78, 0.785]}
    assert said(errbar.from_scores(scores, n_train=80, n_test=20), "direction")
    assert not said(
        errbar.from_scores(scores, n_train=80, n_test=20, higher_is_better=False), "direction"
    )
    negative = {name: [-one for one in column] for name, column in scores.items()}
    for found in (
        errbar.from_scores(negative, metric="mse"),
        errbar.from_losses({"a": [1, 0, 1], "b": [0, 0, 1]}),
    ):
        assert said(found, "direction")[0]["better"] == "lower"
    assert not said(errbar.from_losses({"a": [1.5, 0, 1], "b": [0, 0, 1]}), "direction")
