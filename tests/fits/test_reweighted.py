"""Learners that weigh classes otherwise than the loss are known by their parameters, and a note says what that does to intervals."""

import numpy as np
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import RandomForestClassifier, VotingClassifier
from sklearn.feature_selection import SelectFromModel, VarianceThreshold
from sklearn.linear_model import Lasso, LinearRegression, LogisticRegression, SGDClassifier
from sklearn.model_selection import (
    FixedThresholdClassifier,
    GridSearchCV,
    TunedThresholdClassifierCV,
)
from sklearn.naive_bayes import GaussianNB, MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Binarizer, StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

import errbar
from errbar.fits.learners import prepared

CODE = "reweighted-classes"
BALANCED = LogisticRegression(class_weight="balanced")
REWEIGHTED = {
    "weights": BALANCED,
    "in a pipeline": make_pipeline(StandardScaler(), SVC(class_weight={0: 1, 1: 3})),
    "in a search": GridSearchCV(BALANCED, {"C": [1.0, 2.0]}),
    "in a vote": VotingClassifier(
        [("tree", DecisionTreeClassifier(class_weight="balanced")), ("bayes", GaussianNB())]
    ),
    "priors": LinearDiscriminantAnalysis(priors=[0.5, 0.5]),
    "class_prior": MultinomialNB(class_prior=[0.5, 0.5]),
    "a threshold": FixedThresholdClassifier(LogisticRegression(), threshold=0.3),
    "a tuned threshold": TunedThresholdClassifierCV(LogisticRegression()),
}
PLAIN = {
    "logistic": LogisticRegression(),
    "a threshold that was not moved": FixedThresholdClassifier(LogisticRegression()),
    "a half": FixedThresholdClassifier(LogisticRegression(), threshold=0.5),
    # Thresholds of features, not of a response.
    "thresholds of features": make_pipeline(
        VarianceThreshold(0.1),
        SelectFromModel(Lasso(), threshold=0.2),
        Binarizer(threshold=0.2),
        LogisticRegression(),
    ),
}


def data(n=120, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    return X, (X[:, 0] + rng.normal(size=n) > 0.8).astype(int)


def codes(found):
    return {note.code for note in found.notes}


def test_they_are_known_by_their_parameters():
    found = prepared(REWEIGHTED | PLAIN)[0]
    assert [one.name for one in found if one.reweighted] == list(REWEIGHTED)


@pytest.mark.parametrize(
    ("loss", "said"), [("zero-one", True), ("log-loss", True), ("f1", True), ("roc_auc", False)]
)
def test_a_note_where_the_loss_depends_on_the_shares_of_the_classes(loss, said):
    X, y = data()
    both = {"balanced": BALANCED, "plain": LogisticRegression()}
    found = errbar.compare(both, X, y, loss=loss, method="cv-t", random_state=0)
    assert [CODE in codes(one) for one in (found.learners["balanced"], found.pairs[0].result)] == [
        said,
        said,
    ]
    again = errbar.compare_table(found.table.subset(["plain"]))
    assert CODE not in codes(again.learners["plain"])


@pytest.mark.parametrize(
    ("method", "said"),
    [("corrected-t", True), ("kfold-t", True), ("cv-wald", False), ("cv-jackknife", False)],
)
def test_methods_that_leave_out_what_training_sets_add_say_so(method, said):
    found = errbar.evaluate(BALANCED, *data(60), method=method, random_state=0)
    assert (CODE in codes(found)) == said


@pytest.mark.parametrize(("positives", "said"), [(60, False), (40, False), (39, True), (16, True)])
def test_many_features_are_counted_against_the_examples_of_the_rarest_class(positives, said):
    """8 features, five examples for each: 40 positives in training."""
    n = 300
    rng = np.random.default_rng(1)
    y = np.r_[np.ones(positives, dtype=int), np.zeros(n - positives, dtype=int)]
    half = np.arange(2 * n) < n  # a training set of all, tested on as many
    plan = errbar.plans.Predefined(
        [
            (np.flatnonzero(half), np.flatnonzero(~half)),
            (np.flatnonzero(~half), np.flatnonzero(half)),
        ]
    )
    X = rng.normal(size=(2 * n, 8))
    found = errbar.evaluate(
        LogisticRegression(), X, np.tile(y, 2), plan=plan, method="corrected-t", random_state=0
    )
    assert ("many-features" in codes(found)) == said


def test_many_features_of_a_regression_are_counted_against_all_examples():
    X = np.random.default_rng(0).normal(size=(60, 10))
    assert "many-features" not in codes(
        errbar.evaluate(LinearRegression(), X, X[:, 0] > 0, method="cv-t", random_state=0)
    )
    assert "many-features" in codes(
        errbar.evaluate(LogisticRegression(), X, X[:, 0] > 0, method="cv-t", random_state=0)
    )


@pytest.mark.parametrize(
    ("learner", "said"),
    [
        (RandomForestClassifier(3, random_state=0), True),
        (make_pipeline(StandardScaler(), SGDClassifier(random_state=1)), True),
        (RandomForestClassifier(3), False),
        (LogisticRegression(), False),
    ],
)
def test_a_seed_that_is_fixed_is_said(learner, said):
    found = errbar.evaluate(learner, *data(60), plan=errbar.plans.KFold(3), random_state=0)
    assert ("fixed-seed" in codes(found)) == said
