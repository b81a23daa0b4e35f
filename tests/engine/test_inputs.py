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
from errbar.engine import executors
from errbar.plans import KFold, Predefined, Subsampling
from tests.engine.learners import STRING, Majority, Raises
from tests.refusals import refused

X, Y = load_iris(return_X_y=True)
NAMES = np.array(["setosa", "versicolor", "virginica"])


def run(X, y, learner=None, **arguments):
    return errbar.run({"a": learner or KNeighborsClassifier(3)}, X, y, plan=KFold(4), random_state=0, **arguments)


REFERENCE = run(X, Y).points


@pytest.mark.parametrize(
    "features",
    [X.tolist(), pd.DataFrame(X), pl.DataFrame(X), sparse.csr_matrix(X), sparse.coo_array(X), np.asfortranarray(X)],
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
    ids=["text", "object", "series", "categorical", "nullable", "polars", "list", "column", "float"],
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
    ids=["numbers", "text", "two ways to write one letter", "unused level", "nullable", "string", "large"],
)
def test_labels_are_one_class_where_they_are_equal_and_else_two(target, classes):
    table = errbar.run({"a": Majority()}, np.zeros((40, 1)), target, plan=KFold(2), random_state=0)
    assert table.target.classes.tolist() == classes
    assert table.target.original(table.target.values).tolist() == list(target)


def test_boolean_targets():
    table = run(X, Y == 1, LogisticRegression(max_iter=1000), loss="f1")
    assert table.scores.shape == (1, 4)


def test_categorical_columns_through_a_pipeline():
    frame = pd.DataFrame(X, columns=list("abcd")).assign(colour=np.where(X[:, 0] > 5.8, "red", "blue"))
    encode = make_column_transformer((OneHotEncoder(handle_unknown="ignore"), ["colour"]), remainder="passthrough")
    table = run(frame, NAMES[Y], make_pipeline(encode, DecisionTreeClassifier()))
    assert 0.0 <= table.scores.mean() < 0.2


def test_texts_are_features_too():
    texts = ["good " * (1 + i % 3) if i % 2 else "bad " * (1 + i % 3) for i in range(40)]
    table = run(texts, [i % 2 for i in range(40)], make_pipeline(CountVectorizer(), MultinomialNB()))
    assert table.scores.sum() == 0.0


@pytest.mark.long
@pytest.mark.parametrize("kind", ["array", "frame", "sparse"])
def test_workers_take_every_kind_of_features(kind, monkeypatch):
    monkeypatch.setattr(executors, "START_SECONDS", 0.0)
    features = {"array": X, "frame": pd.DataFrame(X), "sparse": sparse.csr_array(X)}[kind]
    np.testing.assert_array_equal(run(features, NAMES[Y], n_jobs=2).points, REFERENCE)


BAD = {
    "lengths": (X, Y[:-1], {}, r"`X` has 150 rows and `y` has 149 values"),
    "two targets": (X, np.stack([Y, Y], axis=1), {}, r"`y` must be one-dimensional"),
    "missing label": (X, [None, *NAMES[Y][1:]], {}, r"`y` has no value for example 0"),
    "missing number": (X, np.where(np.arange(150) == 7, np.nan, Y), {}, r"`y` has no finite value for example 7"),
    "one class": (X, np.zeros(150, int), {}, r"`y` needs at least two classes"),
    "mixed labels": (X, ["a", *Y[1:]], {}, r"`y` must hold values of one type, either text or numbers"),
    "truth values and numbers": (
        X,
        [True, *Y[1:]],
        {},
        r"`y` must hold values of one type, either truth values or numbers",
    ),
    "a NUL at the end": (X, ["a", "a\0", *"b" * 148], {}, r"`y` holds 'a\\x00' for example 1 .* become the same label"),
    "a NUL in a column": (X, pd.Series(["a", "a\0", *"b" * 148]), {}, r"`y` holds 'a\\x00' for example 1"),
    "a NUL in bytes": (X, [b"a", b"a\0", *[b"b"] * 148], {}, r"`y` holds b'a\\x00' for example 1"),
    "text with NULs": (X, np.array(["a", "a\0", *"b" * 148], STRING), {}, r"`y` holds 'a\\x00' for"),
    "large numbers": (X, [2**53, 2**53 + 1, *[1.0] * 148], {}, r"`y` holds numbers as large as 9007199254740993"),
    "large codes": (X, 2**53 + Y, {}, r"`y` has classes as large as 9007199254740994.*give them as text"),
    "large unsigned": (X, 2**63 + Y.astype(np.uint64), {}, r"`y` has classes as large as 9223372036854775810"),
    "dates": (X, np.datetime64("2020-01-01") + Y, {}, r"`y` must hold text or numbers, got \[datetime"),
    "sets": (X, [frozenset([k]) for k in Y], {}, r"`y` must hold text or numbers, got \[frozenset"),
    "masked": (X, np.ma.masked_equal(Y, 1), {}, r"`y` has no value for example 50 .*: it is masked"),
    "masked features": (np.ma.masked_greater(X, 7), Y, {}, r"`X` is masked"),
    "fractions": (X, X[:, 0], {}, r"the learners are classifiers, but `y` holds fractional numbers"),
    "ragged": ([[1, 2], [3]], [0, 1], {}, r"`X` must have one row per example, all of the same length"),
    "no table": (3.0, [0, 1], {}, r"`X` must be a table"),
    "one row": (X[:, 0], Y, {}, r"got 150 numbers; numpy.reshape\(X, \(-1, 1\)\) makes a column"),
    "one column": (pd.Series(X[:, 0]), Y, {}, r"got 150 numbers; X.to_frame\(\) makes a column"),
    "progress": (X, Y, {"progress": True}, r"`progress` must be a function that takes an errbar.Progress .*, got True"),
    "one example": (X[:1], Y[:1], {}, r"at least 2 examples are needed"),
    "loss": (X, Y, {"loss": "squared-error"}, r"made for regression, but this is classification"),
    "unknown loss": (X, Y, {"loss": "acuracy"}, r"did you mean 'accuracy'\?"),
    "hopeless score": (
        X,
        Y,
        {"loss": "roc_auc"},
        r"'roc_auc' is about two classes, and there are 3.*'roc_auc_ovr'",
    ),
    "groups": (X, Y, {"groups": Y}, r"`folds` must be at most the number of groups, 3, got 4"),
    "short groups": (X, Y, {"groups": Y[:3]}, r"`groups` must hold one value per example"),
    "mixed groups": (X, Y, {"groups": ["1", *Y[1:]]}, r"`groups` must hold values of one type, either text or numbers"),
    "groups with NULs": (X, Y, {"groups": ["a", "a\0", *"b" * 148]}, r"`groups` holds 'a\\x00' for example 1"),
    "missing group": (X, Y, {"groups": [np.nan, *Y[1:]]}, r"`groups` has no value for example 0"),
    "missing time": (X, Y, {"time": np.array(["NaT"] * 150, "M8[D]")}, r"`time` has no finite value for example 0"),
    "jobs": (X, Y, {"n_jobs": 0}, r"`n_jobs` must be"),
    "fractional jobs": (X, Y, {"n_jobs": 1.5}, r"`n_jobs` must be"),
    "store": (X, Y, {"store": 5}, r"`store` must be the name of a file, or a store"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_refused_in_one_sentence(case):
    features, target, arguments, message = BAD[case]
    with pytest.raises(errbar.InvalidInputError, match=message) as caught:
        run(features, target, **arguments)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("learners", "message"),
    [
        ({}, r"`learners` must map names to estimators"),
        (KNeighborsClassifier(), r"`learners` must map names to estimators.*errbar.evaluate takes a single learner"),
        ([Ridge(), Ridge()], r"`learners` must map names to estimators.*, got a list of 2; give each a name"),
        ({"": KNeighborsClassifier()}, r"every learner needs a name"),
        ({"a": KNeighborsClassifier}, r"'a' is the class KNeighborsClassifier; make it an object"),
        ({"a": 3}, r"learner 'a' must be a scikit-learn estimator"),
        ({"a": KNeighborsClassifier(), "b": Ridge()}, r"cannot be compared: a does classification, b does regression"),
    ],
)
def test_learners_that_cannot_be_used(learners, message):
    with pytest.raises(errbar.InvalidInputError, match=message):
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


def test_the_cure_of_a_class_without_a_task_is_told():
    message = r"ClassifierMixin must stand before BaseEstimator .*class BaseFirst\(ClassifierMixin, BaseEstimator\)"
    with pytest.raises(errbar.InvalidInputError, match=message):
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
    store = errbar.MemoryStore()
    plan = Predefined([(np.arange(50, 150), np.arange(10)), (np.arange(0, 100), np.arange(100, 110))])
    with pytest.raises(errbar.InvalidInputError):
        errbar.run({"a": GaussianNB()}, X, Y == 0, plan=plan, loss="roc_auc", store=store)
    assert len(store) == 0


def test_method_plan_loss_and_options_are_checked_before_any_fit():
    store = errbar.MemoryStore()
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
    assert len(store) == 0


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
                {"stack": StackingClassifier([("line", plain)], **more)}, X, y, plan=KFold(3), random_state=0, loss=loss
            )
            for more in ({}, {"final_estimator": LogisticRegression()})
        ]
        assert tables[0].scores.tolist() == tables[1].scores.tolist()

    def test_of_regressors(self):
        rng = np.random.default_rng(0)
        X = rng.normal(size=(60, 2))
        table = errbar.run(
            {"stack": StackingRegressor([("line", LinearRegression())])}, X, X[:, 0], plan=KFold(3), random_state=0
        )
        assert (table.scores < 0.1).all()

    def test_without_the_method_that_a_loss_needs(self):
        rng = np.random.default_rng(0)
        X = rng.normal(size=(60, 2))
        stack = StackingClassifier([("line", LogisticRegression())], final_estimator=LinearSVC())
        with pytest.raises(errbar.InvalidInputError):
            errbar.run({"stack": stack}, X, (X[:, 0] > 0.0).astype(int), plan=KFold(3), random_state=0, loss="log-loss")


def test_text_that_a_learner_cannot_read_is_named():
    frame = pd.DataFrame({"size": np.arange(30.0), "colour": ["red", "blue", "green"] * 10})
    with pytest.raises(errbar.FitFailedError) as caught:
        errbar.run({"line": LinearRegression()}, frame, np.arange(30.0), plan=KFold(3), random_state=0)
    assert str(caught.value).endswith(
        "; 'colour' holds text: put an encoder before the learner, as in make_pipeline(OneHotEncoder(), learner)"
    )
    many = frame.assign(shape="round", country="fr", day="Monday")
    with pytest.raises(errbar.FitFailedError):
        errbar.run({"line": LinearRegression()}, many, np.arange(30.0), plan=KFold(3), random_state=0)
    with pytest.raises(errbar.FitFailedError) as caught:
        errbar.run({"line": Raises()}, frame, np.arange(30.0), plan=KFold(3), random_state=0)
    assert "hold" not in str(caught.value)


@pytest.mark.parametrize(
    ("given", "said"), [("shop.csv", "got 'shop.csv'; errbar.read_examples reads a file"), (7.0, "got 7.0")]
)
def test_what_is_no_table_is_said(given, said):
    with refused("X"):
        errbar.compare({"a": LinearRegression(), "b": Ridge()}, given, [1.0, 2.0])
