"""Every kind of input that people have, and clear words for what cannot be used."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_iris
from sklearn.ensemble import StackingClassifier, StackingRegressor
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.naive_bayes import GaussianNB, MultinomialNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

import errbar
from errbar.plans import KFold, Predefined, Subsampling
from tests.fits.learners import STRING, Majority
from tests.refusals import refused

X, Y = load_iris(return_X_y=True)
NAMES = np.array(["setosa", "versicolor", "virginica"])


def run(X, y, learner=None, **arguments):
    return errbar.run(
        {"a": learner or KNeighborsClassifier(3)}, X, y, plan=KFold(4), random_state=0, **arguments
    )


REFERENCE = run(X, Y).points


@pytest.mark.parametrize(
    "features",
    [
        X.tolist(),
        pd.DataFrame(X),
        pl.DataFrame(X),
        sparse.csr_matrix(X),
        sparse.coo_array(X),
        np.asfortranarray(X),
    ],
    ids=["list", "pandas", "polars", "csr", "coo", "fortran"],
)
def test_features_of_every_kind_give_the_same(features):
    np.testing.assert_array_equal(run(features, Y).points, REFERENCE)


@pytest.mark.parametrize(
    "target",
    [
        NAMES[Y],
        NAMES[Y].astype(object),
        pd.Series(NAMES[Y], index=range(150, 0, -1)),
        pd.Series(pd.Categorical(NAMES[Y])),
        pd.Series(Y, dtype="Int64"),
        pl.Series(NAMES[Y]),
        list(NAMES[Y]),
        Y.reshape(-1, 1),
        Y.astype(float),
    ],
    ids=[
        "text",
        "object",
        "series",
        "categorical",
        "nullable",
        "polars",
        "list",
        "column",
        "float",
    ],
)
def test_targets_of_every_kind_give_the_same(target):
    np.testing.assert_array_equal(run(X, target).points, REFERENCE)


@pytest.mark.parametrize("loss", ["log-loss", "brier", "accuracy"])
def test_text_labels_and_probabilities(loss):
    np.testing.assert_allclose(
        run(X, NAMES[Y], GaussianNB(), loss=loss).scores, run(X, Y, GaussianNB(), loss=loss).scores
    )


@pytest.mark.parametrize(
    ("target", "classes"),
    [
        ([1, 1.0, 2, 3.0] * 10, [1, 2, 3]),
        (["a", "a ", "A", "1"] * 10, ["1", "A", "a", "a "]),
        (["\u00e9", "e\u0301"] * 20, ["e\u0301", "\u00e9"]),
        (pd.Series(pd.Categorical(["a", "b"] * 20, categories=["z", "b", "a"])), ["a", "b"]),
        (pd.Series([True, False] * 20, dtype="boolean"), [False, True]),
        (pd.Series(["a", "b"] * 20, dtype="string"), ["a", "b"]),
        ([2**62, -(2**62)] * 20, [-(2**62), 2**62]),
    ],
    ids=[
        "numbers",
        "text",
        "two ways to write one letter",
        "unused level",
        "nullable",
        "string",
        "large",
    ],
)
def test_labels_are_one_class_where_they_are_equal_and_else_two(target, classes):
    table = errbar.run({"a": Majority()}, np.zeros((40, 1)), target, plan=KFold(2), random_state=0)
    assert table.target.classes.tolist() == classes
    assert table.target.original(table.target.values).tolist() == list(target)


def test_boolean_targets():
    table = run(X, Y == 1, LogisticRegression(max_iter=1000), loss="f1")
    assert table.scores.shape == (1, 4)


def test_categorical_columns_through_a_pipeline():
    frame = pd.DataFrame(X, columns=list("abcd")).assign(
        colour=np.where(X[:, 0] > 5.8, "red", "blue")
    )
    encode = make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore"), ["colour"]), remainder="passthrough"
    )
    table = run(frame, NAMES[Y], make_pipeline(encode, DecisionTreeClassifier()))
    assert 0.0 <= table.scores.mean() < 0.2


def test_texts_are_features_too():
    texts = ["good " * (1 + i % 3) if i % 2 else "bad " * (1 + i % 3) for i in range(40)]
    table = run(
        texts, [i % 2 for i in range(40)], make_pipeline(CountVectorizer(), MultinomialNB())
    )
    assert table.scores.sum() == 0.0


@pytest.mark.long
@pytest.mark.parametrize("kind", ["array", "frame", "sparse"])
def test_workers_take_every_kind_of_features(kind):
    features = {"array": X, "frame": pd.DataFrame(X), "sparse": sparse.csr_array(X)}[kind]
    np.testing.assert_array_equal(run(features, NAMES[Y], n_jobs=2).points, REFERENCE)


BAD = {
    "lengths": (X, Y[:-1], {}, "X"),
    "two targets": (X, np.stack([Y, Y], axis=1), {}, "y"),
    "missing label": (X, [None, *NAMES[Y][1:]], {}, "y"),
    "missing number": (X, np.where(np.arange(150) == 7, np.nan, Y), {}, "y"),
    "one class": (X, np.zeros(150, int), {}, "y"),
    "mixed labels": (X, ["a", *Y[1:]], {}, "y"),
    "truth values and numbers": (
        X,
        [True, *Y[1:]],
        {},
        "y",
    ),
    "a NUL at the end": (X, ["a", "a\0", *"b" * 148], {}, "y"),
    "a NUL in a column": (X, pd.Series(["a", "a\0", *"b" * 148]), {}, "y"),
    "a NUL in bytes": (X, [b"a", b"a\0", *[b"b"] * 148], {}, "y"),
    "text with NULs": (X, np.array(["a", "a\0", *"b" * 148], STRING), {}, "y"),
    "dates": (X, np.datetime64("2020-01-01") + Y, {}, "y"),
    "sets": (X, [frozenset([k]) for k in Y], {}, "y"),
    "masked": (X, np.ma.masked_equal(Y, 1), {}, "y"),
    "masked features": (np.ma.masked_greater(X, 7), Y, {}, "X"),
    "fractions": (X, X[:, 0], {}, None),
    "ragged": ([[1, 2], [3]], [0, 1], {}, "X"),
    "no table": (3.0, [0, 1], {}, "X"),
    "one row": (X[:, 0], Y, {}, "X"),
    "one column": (pd.Series(X[:, 0]), Y, {}, "X"),
    "progress": (X, Y, {"progress": True}, "progress"),
    "one example": (X[:1], Y[:1], {}, None),
    "loss": (X, Y, {"loss": "squared-error"}, "loss"),
    "unknown loss": (X, Y, {"loss": "acuracy"}, "loss"),
    "hopeless score": (
        X,
        Y,
        {"loss": "roc_auc"},
        None,
    ),
    "groups": (X, Y, {"groups": Y}, "folds"),
    "short groups": (X, Y, {"groups": Y[:3]}, "groups"),
    "mixed groups": (X, Y, {"groups": ["1", *Y[1:]]}, "groups"),
    "groups with NULs": (X, Y, {"groups": ["a", "a\0", *"b" * 148]}, "groups"),
    "missing group": (X, Y, {"groups": [np.nan, *Y[1:]]}, "groups"),
    "missing time": (X, Y, {"time": np.array(["NaT"] * 150, "M8[D]")}, "time"),
    "jobs": (X, Y, {"n_jobs": 0}, "n_jobs"),
    "fractional jobs": (X, Y, {"n_jobs": 1.5}, "n_jobs"),
    "store": (X, Y, {"store": 5}, "store"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_refused_in_one_sentence(case):
    features, target, arguments, argument = BAD[case]
    with refused(argument) as caught:
        run(features, target, **arguments)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "learners",
    [
        {"": KNeighborsClassifier()},
        {"a": KNeighborsClassifier},
        {"a": 3},
        {"a": KNeighborsClassifier(), "b": Ridge()},
    ],
)
def test_learners_that_cannot_be_used(learners):
    with pytest.raises(errbar.InvalidInputError):
        errbar.run(learners, X, Y, plan=KFold(3))


@pytest.mark.parametrize("learners", [{}, KNeighborsClassifier(), [Ridge(), Ridge()]])
def test_learners_without_names_are_refused(learners):
    with refused("learners"):
        errbar.run(learners, X, Y, plan=KFold(3))


class Plain:
    """An estimator without scikit-learn's base classes."""

    def get_params(self, deep=True):
        return {}

    def set_params(self, **parameters):
        return self

    def fit(self, X, y):
        self.first_ = y[0]
        return self

    def predict(self, X):
        return np.full(X.shape[0], self.first_)


class PlainClassifier(Plain):
    _estimator_type = "classifier"


def test_estimators_without_base_classes():
    assert run(X, Y, PlainClassifier()).scores.mean() == pytest.approx(2 / 3, abs=0.05)
    with pytest.raises(errbar.InvalidInputError):
        run(X, Y, Plain())


class BaseFirst(Plain, BaseEstimator, ClassifierMixin):
    pass


class MixinFirst(ClassifierMixin, Plain, BaseEstimator):
    pass


class Bare:
    def fit(self, X, y):
        return self

    def predict(self, X):
        return np.zeros(len(X))


def test_a_class_without_a_task_is_refused():
    with pytest.raises(errbar.InvalidInputError):
        run(X, Y, BaseFirst())
    assert run(X, Y, MixinFirst()).learners == ("a",)
    with pytest.raises(errbar.InvalidInputError):
        run(X, Y, Bare())


def test_one_learner_and_several_have_functions_of_their_own():
    with refused("learner"):
        errbar.evaluate({"a": KNeighborsClassifier()}, X, Y)
    for given in (KNeighborsClassifier(), [KNeighborsClassifier()]):
        with refused("learners"):
            errbar.compare(given, X, Y)


def test_a_score_that_is_undefined_on_a_split_is_refused_before_any_fit():
    store = errbar.Store()
    plan = Predefined(
        [(np.arange(50, 150), np.arange(10)), (np.arange(0, 100), np.arange(100, 110))]
    )
    with pytest.raises(errbar.InvalidInputError):
        errbar.run({"a": GaussianNB()}, X, Y == 0, plan=plan, loss="roc_auc", store=store)
    assert not dict(store.each())


def test_method_plan_loss_and_options_are_checked_before_any_fit():
    store = errbar.Store()
    learners = {"a": KNeighborsClassifier(), "b": GaussianNB()}
    for arguments in (
        {"method": "632", "loss": "f1_macro"},
        {"method": "cv-wald", "plan": Subsampling()},
        {"method": "kfold-t", "plan": KFold(5, repeats=2)},
        {"method": "5x2cv-t", "plan": KFold(5)},
        {"method": "kfold-t", "rho": 1.0},
        {"method": "kfold-t", "row": 0.5},
        {"method": "5x2cv-f", "alternative": "less"},
        {"level": 95},
        {"alternative": "fewer"},
        {"adjust": "holms"},
        {"baseline": "c"},
        {"rope": -1.0},
        {"rope": float("nan")},
        {"plan": "kfold"},
    ):
        with pytest.raises(errbar.InvalidInputError):
            errbar.compare(learners, X, Y, store=store, **arguments)
    assert not dict(store.each())


class TestStacks:
    """A stack without a final estimator of its own says only after the fit that it can predict."""

    @pytest.mark.parametrize("loss", ["zero-one", "log-loss", "roc_auc"])
    def test_of_classifiers(self, loss):
        rng = np.random.default_rng(0)
        X = rng.normal(size=(60, 2))
        y = (X[:, 0] + rng.normal(size=60) > 0.0).astype(int)
        plain = LogisticRegression()
        tables = [
            errbar.run(
                {"stack": StackingClassifier([("line", plain)], **more)},
                X,
                y,
                plan=KFold(3),
                random_state=0,
                loss=loss,
            )
            for more in ({}, {"final_estimator": LogisticRegression()})
        ]
        assert tables[0].scores.tolist() == tables[1].scores.tolist()

    def test_of_regressors(self):
        rng = np.random.default_rng(0)
        X = rng.normal(size=(60, 2))
        table = errbar.run(
            {"stack": StackingRegressor([("line", LinearRegression())])},
            X,
            X[:, 0],
            plan=KFold(3),
            random_state=0,
        )
        assert (table.scores < 0.1).all()

    def test_without_the_method_that_a_loss_needs(self):
        rng = np.random.default_rng(0)
        X = rng.normal(size=(60, 2))
        stack = StackingClassifier([("line", LogisticRegression())], final_estimator=LinearSVC())
        with pytest.raises(errbar.InvalidInputError):
            errbar.run(
                {"stack": stack},
                X,
                (X[:, 0] > 0.0).astype(int),
                plan=KFold(3),
                random_state=0,
                loss="log-loss",
            )


def test_text_that_a_learner_cannot_read_is_a_failure_of_its_fits():
    frame = pd.DataFrame({"size": np.arange(30.0), "colour": ["red", "blue", "green"] * 10})
    with pytest.raises(errbar.FitFailedError) as caught:
        errbar.run(
            {"line": LinearRegression()}, frame, np.arange(30.0), plan=KFold(3), random_state=0
        )
    assert {failure.learner for failure in caught.value.failures} == {"line"}
    many = frame.assign(shape="round", country="fr", day="Monday")
    with pytest.raises(errbar.FitFailedError):
        errbar.run(
            {"line": LinearRegression()}, many, np.arange(30.0), plan=KFold(3), random_state=0
        )


@pytest.mark.parametrize("given", ["shop.csv", 7.0])
def test_what_is_no_table_is_refused(given):
    with refused("X"):
        errbar.compare({"a": LinearRegression(), "b": Ridge()}, given, [1.0, 2.0])
