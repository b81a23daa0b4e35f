"""Shared fits against plain refitting with scikit-learn, and the seam by which learners bring their own."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, clone
from sklearn.datasets import load_diabetes, load_iris, load_wine
from sklearn.linear_model import Lasso, LinearRegression, Ridge, RidgeClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import errbar
from errbar.fits.shared import exact, least_squares
from errbar.metrics import Target
from errbar.plans import Bootstrap, KFold, NestedKFold, Seeds, Subsampling

CLASSIFIERS = [KNeighborsClassifier(), KNeighborsClassifier(1)]
REGRESSORS = [KNeighborsRegressor(), LinearRegression(), Ridge()]
REAL = {"iris": load_iris(return_X_y=True), "wine": load_wine(return_X_y=True)}
PLANS = [
    KFold(10, repeats=2),
    Subsampling(n_test=0.6, repeats=9),
    Bootstrap(repeats=8, training_error=True),
    NestedKFold(folds=4, repeats=1),
]


def scaled(learner):
    return make_pipeline(StandardScaler(), learner)


def name(value):
    return " ".join(str(value).split())


def data_for(learner):
    if isinstance(learner, RegressorMixin):
        X, y = load_diabetes(return_X_y=True)
        return X, Target(y)
    X, y = REAL["wine"]
    return X, Target(y, np.arange(3))


class TestAsRefitted:
    @pytest.mark.parametrize("plan", PLANS, ids=str)
    @pytest.mark.parametrize("data", REAL)
    def test_classifiers(self, plan, data):
        X, y = REAL[data]
        learners = {name(one): one for one in CLASSIFIERS}
        self.compare(learners, X, y, plan)

    @pytest.mark.parametrize("plan", PLANS, ids=str)
    def test_regressors(self, plan):
        X, y = load_diabetes(return_X_y=True, scaled=False)
        learners = {name(one): one for one in REGRESSORS}
        self.compare(learners, X, y, plan)

    def compare(self, learners, X, y, plan):
        together, alone = (
            errbar.run(learners, X, y, plan=plan, random_state=0, share=share)
            for share in (True, False)
        )
        assert together.counts.shared == tuple(learners)
        assert alone.counts.shared == ()
        for mine, other in zip(together.predictions, alone.predictions, strict=True):
            assert mine.keys() == other.keys()
            for kind, values in mine.items():
                assert values.dtype == other[kind].dtype
                if values.dtype.kind == "u":
                    np.testing.assert_array_equal(values, other[kind])
                else:
                    np.testing.assert_allclose(values, other[kind], rtol=1e-8, atol=1e-8)

    def test_too_few_neighbours_are_refitted(self):
        X, target = data_for(KNeighborsClassifier())
        some, few = np.flatnonzero(target.values < 2), np.arange(0, 178, 45)
        tests = [np.arange(130, 178), np.arange(9)]
        [found, none] = exact(KNeighborsClassifier(), X, target)([some, few], tests)
        assert (found[:, 2] == 0).all()
        assert none is None

    def test_a_tie_that_matters_is_refitted(self):
        X, target = np.arange(12.0)[:, None], Target(np.arange(12) % 2, np.arange(2))
        train, test = np.delete(np.arange(12), 5), np.array([5])
        assert list(exact(KNeighborsClassifier(1), X, target)([train], [test])) == [None]
        assert list(exact(KNeighborsRegressor(1), X, Target(X[:, 0]))([train], [test])) == [None]
        [found] = exact(KNeighborsRegressor(2), X, Target(X[:, 0]))([train], [test])
        assert found.tolist() == [5.0]

    def test_features_that_explain_each_other_are_refitted(self):
        X, target = data_for(Ridge())
        twice = np.column_stack([X, X[:, 0] - X[:, 1]])
        rows = [np.arange(300)], [np.arange(300, 442)]
        assert list(exact(LinearRegression(), twice, target)(*rows)) == [None]
        [found] = exact(Ridge(), twice, target)(*rows)
        assert found is not None


class TestWhatIsRefitted:
    @pytest.mark.parametrize(
        "learner",
        [
            KNeighborsClassifier(weights="distance"),
            KNeighborsClassifier(metric="manhattan"),
            KNeighborsClassifier(p=1),
            KNeighborsClassifier(n_neighbors=-3),
            KNeighborsClassifier(n_neighbors=2.0),
            KNeighborsClassifier(algorithm="other"),
            KNeighborsClassifier(leaf_size=0),
            RidgeClassifier(),
            Ridge(-1.0),
            Ridge("1"),
            Ridge(fit_intercept=False),
            Ridge(solver="lsqr"),
            Ridge(alpha=np.array([1.0])),
            Ridge(positive=True),
            LinearRegression(positive=True),
            Lasso(),
            GaussianNB(),
            DecisionTreeClassifier(),
            StandardScaler(),
        ],
        ids=name,
    )
    def test_other_learners_and_parameters(self, learner):
        assert exact(learner, *data_for(learner)) is None
        assert exact(scaled(learner), *data_for(learner)) is None

    @pytest.mark.parametrize("learner", [*CLASSIFIERS, *REGRESSORS], ids=name)
    def test_subclasses(self, learner):
        kind = type(learner)
        own = type(kind.__name__, (kind,), {"__module__": "somewhere.else"})
        assert exact(own(), *data_for(learner)) is None

    @pytest.mark.parametrize("learner", [*CLASSIFIERS, *REGRESSORS], ids=name)
    def test_other_data(self, learner):
        pd = pytest.importorskip("pandas")
        X, target = data_for(learner)
        broken = X.copy()
        broken[3, 1] = np.nan
        others = [
            X.astype(np.float32),
            X.astype(object),
            broken,
            csr_matrix(X),
            pd.DataFrame(X),
            X[:, :0],
            X * 1e60,
            X * 1e-60,
        ]
        for other in others:
            assert exact(learner, other, target) is None
        wrong = Target(np.arange(len(X)) % 2, np.arange(2))
        wrong = Target(X[:, 0]) if target.classes is not None else wrong
        assert exact(learner, X, wrong) is None

    def test_where_refits_differ_all_are_refitted(self, monkeypatch):
        right = least_squares.predictions

        def wrong(*arguments):
            for one in right(*arguments):
                yield one * (1 + 1e-6)

        X, y = load_diabetes(return_X_y=True)
        alone = errbar.run({"r": Ridge()}, X, y, plan=10, random_state=0, share=False)
        monkeypatch.setattr(least_squares, "predictions", wrong)
        found = errbar.run({"r": Ridge()}, X, y, plan=10, random_state=0)
        np.testing.assert_array_equal(found.scores, alone.scores)


class Nearest(ClassifierMixin, BaseEstimator):
    """The class with the nearest mean, of features that are drawn at random; may do all training sets in one call."""

    calls: list[int] = []  # noqa: RUF012 - of all copies

    def __init__(self, fault=None, random_state=None):
        self.fault = fault
        self.random_state = random_state

    def fit(self, X, y):
        self.used_ = np.random.default_rng(self.random_state).permutation(X.shape[1])[:2]
        self.classes_ = np.unique(y)
        self.means_ = np.stack([X[y == label].mean(axis=0) for label in self.classes_])
        return self

    def predict_proba(self, X):
        far = np.square(X[:, None, self.used_] - self.means_[:, self.used_]).sum(axis=-1)
        return np.exp(-far) / np.exp(-far).sum(axis=1, keepdims=True)

    def predict(self, X):
        return self.classes_[self.predict_proba(X).argmax(axis=1)]

    def fit_predict_many(self, X, y, train_rows, test_rows, seeds):
        self.calls.append(len(train_rows))
        if self.fault == "seeds":
            seeds = [seed + 1 for seed in seeds]
        if self.fault == "order":
            test_rows = [rows[::-1] for rows in test_rows]
        found = [
            Nearest(random_state=seed).fit(X[train], y[train]).predict_proba(X[test])
            for train, test, seed in zip(train_rows, test_rows, seeds, strict=True)
        ]
        if self.fault == "raises":
            raise RuntimeError("no memory left")
        return found[1:] if self.fault == "short" else found


class TestTheSeam:
    X, y = load_iris(return_X_y=True)
    labels = np.array(["one", "two", "three"])[y]

    @pytest.fixture(autouse=True)
    def _calls(self):
        Nearest.calls.clear()

    def run(self, learner, plan=None, **how):
        plan = plan or KFold(5)
        return errbar.run({"n": learner}, self.X, self.labels, plan=plan, random_state=0, **how)

    @pytest.mark.parametrize("plan", [KFold(5), Seeds(3, plan=KFold(4)), PLANS[2]], ids=str)
    def test_one_call_for_all_training_sets(self, plan):
        together = self.run(Nearest(), plan)
        alone = self.run(Nearest(), plan, share=False)
        assert Nearest.calls == [together.counts.fits]
        assert together.counts.shared == ("n",)
        for kind in ("label", "probability"):
            np.testing.assert_array_equal(together.predictions[0][kind], alone.predictions[0][kind])

    def test_training_sets_that_lack_a_class(self):
        plan = errbar.plans.Predefined(
            [(np.r_[0:50, 50 + i : 100], np.r_[100:120, 50]) for i in range(1, 5)]
        )
        found = [self.run(Nearest(), plan, share=share).predictions[0] for share in (True, False)]
        np.testing.assert_array_equal(found[0]["probability"], found[1]["probability"])

    @pytest.mark.parametrize("fault", ["seeds", "order", "raises", "short"])
    def test_what_differs_from_single_fits_is_refused(self, fault):
        with pytest.raises(errbar.FitFailedError) as caught:
            self.run(Nearest(fault))
        assert len(caught.value.failures) == 5
        assert self.run(Nearest(fault), share=False).counts.fits == 5

    @pytest.mark.long
    def test_one_job_one_key_one_record(self, tmp_path):
        path = tmp_path / "runs.db"
        first = self.run(Nearest(), store=path, n_jobs=2)
        assert (first.counts.fits, first.counts.reused) == (5, 0)
        with errbar.Store(path) as store:
            [record] = [one for _, one in store.each() if "learner" in one.facts]
        assert len(record.facts["splits"]) == 5
        assert record.arrays["examples"].size == 150
        again = self.run(Nearest(), store=path)
        assert (again.counts.fits, again.counts.reused) == (0, 5)
        np.testing.assert_array_equal(first.predictions[0]["label"], again.predictions[0]["label"])
        # Other training sets are another batch, whatever the store has.
        assert self.run(Nearest(), KFold(5) + KFold(4), store=path).counts.fits == 9

    def test_two_training_sets_are_fitted_alone(self):
        assert self.run(Nearest(), KFold(2)).counts.shared == ()
        assert Nearest.calls == []

    def test_looks_fit_one_by_one(self):
        learners = {"a": Nearest(), "b": clone(Nearest())}
        looked = errbar.compare(learners, self.X, self.labels, looks=(4, 8), random_state=0)
        assert Nearest.calls == []
        assert looked.table.counts.fits == 16
