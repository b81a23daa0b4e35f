"""The number of features is kept with the numbers, and said where there are many for the training examples."""

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.pipeline import make_pipeline

import errbar
from errbar.report.story import Story
from errbar.report.words import folds_of

LEARNERS = {"straight": LinearRegression(), "ridge": Ridge()}
CODE = "many-features"


def data(n, features):
    rng = np.random.default_rng(features)
    X = rng.normal(size=(n, features))
    return X, X[:, 0] + rng.normal(size=n)


def codes(found):
    return {note.code for note in found.notes}


@pytest.mark.parametrize(("features", "said"), [(9, False), (10, True)])
def test_from_a_feature_for_five_examples_on(features, said):
    found = errbar.compare(
        LEARNERS, *data(50, features), plan=errbar.plans.KFold(10), random_state=0
    )
    assert found.table.provenance["features"] == str(features)
    assert [
        CODE in codes(one) for one in (*found.learners.values(), found.pairs[0].result)
    ] == 3 * [said]


@pytest.mark.parametrize(("method", "trained"), [("cv-t", 54), (None, 52)])
def test_the_numbers_are_named(method, trained):
    found = errbar.compare(LEARNERS, *data(60, 20), method=method, random_state=0)
    [note] = [note for note in found.notes if note.code == CODE]
    assert note.numbers == {"features": 20, "trained": trained, "counted": "in all"}


@pytest.mark.parametrize(
    ("method", "said"),
    [
        *((key, True) for key in ("corrected-t", "kfold-t", "5x2cv-t", "kfold-theta")),
        *((key, True) for key in ("cv-jackknife", "conservative-z")),
        *((key, False) for key in ("cv-wald", "resampled-t", "nested-cv")),
    ],
)
def test_methods_about_the_algorithm_say_so(method, said):
    plan = {"conservative-z": errbar.plans.PairedHalves(repeats=5, halvings=4)}.get(method)
    found = codes(errbar.compare(LEARNERS, *data(60, 20), method=method, plan=plan, random_state=0))
    assert (CODE in found) == said


@pytest.mark.parametrize("made", [pd.DataFrame, csr_array, np.asarray])
def test_every_kind_of_table_has_features(made):
    X, y = data(40, 12)
    assert (
        errbar.run(LEARNERS, made(X), y, plan=errbar.plans.KFold(4), random_state=0).provenance[
            "features"
        ]
        == "12"
    )


def test_images_have_a_feature_for_each_number_and_texts_have_none():
    class Flat(Ridge):
        def fit(self, X, y):
            return super().fit(X.reshape(len(X), -1), y)

        def predict(self, X):
            return super().predict(X.reshape(len(X), -1))

    X, y = data(40, 12)
    assert (
        errbar.run(
            {"flat": Flat()}, X.reshape(40, 3, 4), y, plan=errbar.plans.KFold(4), random_state=0
        ).provenance["features"]
        == "12"
    )
    words = ["yes indeed", "no way", "perhaps so", "never at all"] * 10
    learner = make_pipeline(CountVectorizer(), LogisticRegression())
    table = errbar.run(
        {"words": learner}, words, [1, 0, 1, 0] * 10, plan=errbar.plans.KFold(4), random_state=0
    )
    assert "features" not in table.provenance


def test_it_is_shown_on_the_page():
    story = Story(errbar.compare(LEARNERS, *data(40, 12), random_state=0))
    assert ("Features", "12") in [fact for fold in folds_of(story) for fact in fold.facts]
