"""Shared fits against plain refitting with scikit-learn."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_iris, load_wine
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.linear_model import Lasso, LinearRegression, Ridge, RidgeClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.tree import DecisionTreeClassifier
from threadpoolctl import threadpool_limits

from errbar.errors import InvalidInputError
from errbar.fits import shared as shared_fits
from errbar.fits.shared import FAMILIES, LearningProblem, predict_all
from errbar.fits.shared._cholesky import factor
from errbar.fits.shared._scatter import GroupSums
from errbar.fits.shared.least_squares import NormalEquations
from errbar.metrics import DECISION, LABEL, PROBABILITY, Target
from errbar.plans import Bootstrap, KFold, NestedKFold, Subsampling, draw
from errbar_lab.learners import LeastSquares

SCORED = (LABEL, PROBABILITY)
DECIDED = (LABEL, DECISION)
EVERYTHING = (LABEL, PROBABILITY, DECISION)
LOWEST = np.finfo(np.float64).min

CLASSIFIERS = [
    (KNeighborsClassifier(), SCORED),
    (KNeighborsClassifier(1), SCORED),
    (KNeighborsClassifier(6, weights="distance"), SCORED),
    (RidgeClassifier(), DECIDED),
    (LinearDiscriminantAnalysis(), EVERYTHING),
    (QuadraticDiscriminantAnalysis(), EVERYTHING),
    (GaussianNB(), SCORED),
    (DummyClassifier(), SCORED),
]
REGRESSORS = [
    KNeighborsRegressor(),
    KNeighborsRegressor(3, weights="distance"),
    LinearRegression(),
    Ridge(),
    DummyRegressor(),
]
PLANS = [
    KFold(folds=5),
    Subsampling(n_test=0.1, repeats=6),
    Subsampling(n_test=0.6, repeats=4),
    Bootstrap(repeats=4, training_error=True),
    NestedKFold(folds=4, repeats=1),
]


@pytest.fixture(autouse=True, scope="module")
def _one_thread():
    """Small tables make threads wait for each other."""
    with threadpool_limits(1):
        yield


def scaled(learner):
    return make_pipeline(StandardScaler(), learner)


def words(value):
    """An id that is the same in every process: the place of a function in memory is not."""
    return getattr(value, "__name__", None) or str(value)


def name(value):
    return " ".join(str(value).split()) if hasattr(value, "get_params") else type(value).__name__


def classes(y):
    labels, codes = np.unique(y, return_inverse=True)
    return Target(codes, labels)


def splits(plan, n, y=None):
    drawn = draw(plan, n, 0, y).splits
    return [split.train for split in drawn], [split.test for split in drawn]


def random_classes(n=120, p=4, count=3, seed=0):
    rng = np.random.default_rng(seed)
    codes = np.arange(n) % count
    X = (
        rng.normal(size=(n, p)) @ rng.normal(size=(p, p))
        + 1.5 * rng.normal(size=(count, p))[codes]
        + 3
    )
    return X, Target(codes, np.array(["a", "b", "c", "d"][:count]))


def random_numbers(n=120, p=4, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)) @ rng.normal(size=(p, p)) + 3
    return X, Target(X @ rng.normal(size=p) + rng.normal(size=n) + 50)


def refit(learner, X, target, train, test, kinds):
    """Return what scikit-learn answers, in the form in which a fit keeps it."""
    fitted = clone(learner).fit(X[train], target.original(target.values[train]))
    answers = {}
    for kind in kinds:
        method = {LABEL: "predict", PROBABILITY: "predict_proba", DECISION: "decision_function"}[
            kind
        ]
        found = getattr(fitted, method)(X[test])
        if kind == LABEL:
            found = found if target.classes is None else np.searchsorted(target.classes, found)
        elif found.ndim == 2 and found.shape[1] < target.classes.size:
            full = np.full((len(test), target.classes.size), 0.0 if kind == PROBABILITY else LOWEST)
            full[:, np.searchsorted(target.classes, fitted.classes_)] = found
            found = full
        answers[kind] = found
    return answers


def family_of(learner, X, target, kinds):
    return shared_fits.family_of(LearningProblem(learner, X, target, kinds))


def shared(learner, X, target, trains, tests, kinds):
    family = family_of(learner, X, target, kinds)
    assert family is not None
    return family(LearningProblem(learner, X, target, kinds)).predict(trains, tests)


def agrees(learner, X, target, kinds, rng):
    return family_of(learner, X, target, kinds)(LearningProblem(learner, X, target, kinds)).agrees(
        rng
    )


def pieces(values, tests):
    ends = np.cumsum([len(test) for test in tests])
    return [
        {kind: array[end - len(test) : end] for kind, array in values.items()}
        for test, end in zip(tests, ends, strict=True)
    ]


def assert_close(found, answer, target):
    """1e-8, relative to the number itself or to the usual one; probabilities and scores are of order one."""
    usual = np.sqrt(np.mean(target.values**2)) if target.classes is None else 1.0
    np.testing.assert_array_less(np.abs(found - answer) / np.maximum(np.abs(answer), usual), 1e-8)


def assert_as_refitted(learner, X, target, trains, tests, kinds):
    """Compare all splits that were done; return the others."""
    values, undone, _ = shared(learner, X, target, trains, tests, kinds)
    for j, found in enumerate(pieces(values, tests)):
        if j in undone:
            continue
        answers = refit(learner, X, target, trains[j], tests[j], kinds)
        for kind, answer in answers.items():
            assert found[kind].shape == answer.shape
            if kind == LABEL and target.classes is not None:
                np.testing.assert_array_equal(found[kind], answer)
            else:
                assert_close(found[kind], answer, target)
    return undone


REAL = {
    "iris": load_iris(return_X_y=True),
    "wine": load_wine(return_X_y=True),
    "breast cancer": load_breast_cancer(return_X_y=True),
    "digits": tuple(part[:400] for part in load_digits(return_X_y=True)),
}


class TestOnRealData:
    @pytest.mark.parametrize("data", REAL)
    @pytest.mark.parametrize(("learner", "kinds"), CLASSIFIERS, ids=name)
    @pytest.mark.parametrize("standardized", [False, True])
    def test_classifiers_answer_as_refitted(self, data, learner, kinds, standardized):
        X, y = REAL[data]
        target = classes(y)
        learner = scaled(learner) if standardized else learner
        if family_of(learner, X, target, kinds) is None:
            assert (data, type(learner)) == (
                "digits",
                QuadraticDiscriminantAnalysis,
            ) or standardized
            return
        plan = (
            KFold(folds=3)
            + Subsampling(n_test=0.5, repeats=1)
            + Bootstrap(repeats=2, training_error=True)
        )
        trains, tests = splits(plan, y.size)
        undone = assert_as_refitted(learner, X, target, trains, tests, kinds)
        # Pixels that hardly vary, and covariance matrices that are nearly singular, are left to scikit-learn.
        assert not undone or data in ("digits", "wine", "breast cancer")

    @pytest.mark.parametrize("learner", REGRESSORS, ids=name)
    @pytest.mark.parametrize("standardized", [False, True])
    @pytest.mark.parametrize("raw", [False, True])
    def test_regressors_answer_as_refitted(self, learner, standardized, raw):
        X, y = load_diabetes(return_X_y=True, scaled=not raw)
        target, learner = Target(y), scaled(learner) if standardized else learner
        plan = (
            KFold(folds=4)
            + Subsampling(n_test=0.5, repeats=2)
            + Bootstrap(repeats=2, training_error=True)
        )
        trains, tests = splits(plan, y.size)
        assert assert_as_refitted(learner, X, target, trains, tests, (LABEL,)) == []


@pytest.mark.parametrize(
    "plan", PLANS, ids=lambda plan: f"{type(plan).__name__}{getattr(plan, 'n_test', '')}"
)
class TestOnRandomData:
    @pytest.mark.long
    @pytest.mark.parametrize(("learner", "kinds"), CLASSIFIERS, ids=name)
    @pytest.mark.parametrize("count", [2, 3])
    @pytest.mark.parametrize("wrap", [lambda learner: learner, scaled], ids=["plain", "scaled"])
    def test_classifiers(self, plan, learner, kinds, count, wrap):
        X, target = random_classes(count=count)
        trains, tests = splits(plan, 120)
        assert assert_as_refitted(wrap(learner), X, target, trains, tests, kinds) == []

    @pytest.mark.parametrize("learner", REGRESSORS, ids=name)
    @pytest.mark.parametrize("wrap", [lambda learner: learner, scaled], ids=["plain", "scaled"])
    def test_regressors(self, plan, learner, wrap):
        X, target = random_numbers()
        trains, tests = splits(plan, 120)
        assert assert_as_refitted(wrap(learner), X, target, trains, tests, (LABEL,)) == []


@st.composite
def problems(draw):
    """Return features of any condition, a target and splits of any kind."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n, p, count = draw(st.integers(12, 70)), draw(st.integers(1, 18)), draw(st.integers(2, 4))
    rank, noise = draw(st.integers(1, p)), 10.0 ** draw(st.integers(-9, 0))
    X = rng.normal(size=(n, rank)) @ rng.normal(size=(rank, p)) + noise * rng.normal(size=(n, p))
    X = X * 10.0 ** rng.integers(-draw(st.integers(0, 3)), 4, size=p) + 10.0 ** draw(
        st.integers(-2, 5)
    )
    codes = np.concatenate([np.arange(count), rng.integers(0, count, n - count)])
    trains, tests = [], []
    for _ in range(draw(st.integers(1, 4))):
        size = draw(st.integers(2, n - 1))
        train = rng.integers(0, n, size) if draw(st.booleans()) else rng.permutation(n)[:size]
        trains.append(train)
        tests.append(rng.permutation(n)[: draw(st.integers(1, n))])
    return X, codes, count, rng.normal(size=n) * 10 + X[:, 0], trains, tests


class TestOnAnyData:
    """Whatever the condition of the data: what is not undone is as refitted."""

    @settings(
        max_examples=25, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck)
    )
    @given(problem=problems(), standardized=st.booleans())
    @pytest.mark.filterwarnings("ignore")
    @pytest.mark.parametrize(("learner", "kinds"), CLASSIFIERS, ids=name)
    def test_classifiers(self, learner, kinds, problem, standardized):
        X, codes, count, _, trains, tests = problem
        target, learner = (
            Target(codes, np.arange(count) * 10),
            scaled(learner) if standardized else learner,
        )
        if family_of(learner, X, target, kinds) is not None:
            assert_as_refitted(learner, X, target, trains, tests, kinds)

    @settings(
        max_examples=25, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck)
    )
    @given(problem=problems(), standardized=st.booleans())
    @pytest.mark.filterwarnings("ignore")
    @pytest.mark.parametrize("learner", REGRESSORS, ids=name)
    def test_regressors(self, learner, problem, standardized):
        X, _, _, y, trains, tests = problem
        target, learner = Target(y), scaled(learner) if standardized else learner
        if family_of(learner, X, target, (LABEL,)) is not None:
            assert_as_refitted(learner, X, target, trains, tests, (LABEL,))


# For each class: what it stands on, then for each parameter the values that are allowed, and values that are not.
HALVES, THIRDS = [0.5, 0.5], [0.2, 0.3, 0.5]
RIDGE = {
    "alpha": ([0.01, 10, 1000.0], [0.0, -1.0, np.ones(1), "large", True]),
    "fit_intercept": ([False, True], ["yes", None]),
    "copy_X": ([False], [None]),
    "max_iter": ([None, 5], [0, 2.5]),
    "tol": ([0.0, 0.1], [-1.0, "small"]),
    "solver": (["cholesky", "svd"], ["lsqr", "sparse_cg", "sag", "saga", "lbfgs", None]),
    "positive": ([], [True]),
    "random_state": ([0, np.random.RandomState(1)], ["seed", 1.5]),
}
NEIGHBOURS = {
    "n_neighbors": ([1, 2, 30, np.int64(4)], [0, 2.0, None, True]),
    "weights": (["distance", None], [np.ones_like, "other"]),
    "algorithm": (["brute", "kd_tree", "ball_tree"], ["other"]),
    "leaf_size": ([1, 100], [0, 2.5]),
    "p": ([1, 1.5, 3, np.inf], [0.5, None, "two"]),
    "metric": (["euclidean", "manhattan", "chebyshev"], ["cosine", "precomputed", "l2", np.dot]),
    "metric_params": ([], [{}, {"w": np.ones(4)}]),
    "n_jobs": ([1], ["all", 1.5]),
}
GUARDS = [
    (KNeighborsClassifier(), SCORED, NEIGHBOURS),
    (KNeighborsRegressor(), (LABEL,), NEIGHBOURS),
    (Ridge(), (LABEL,), RIDGE),
    (RidgeClassifier(), DECIDED, {**RIDGE, "class_weight": ([], ["balanced", {"a": 2}])}),
    (
        LinearRegression(),
        (LABEL,),
        {
            "fit_intercept": ([False], ["yes"]),
            "copy_X": ([False], [None]),
            "tol": ([0.0, 1e-4], [0.5, -1.0]),
            "n_jobs": ([1], [1.5]),
            "positive": ([], [True]),
        },
    ),
    (
        LinearDiscriminantAnalysis(),
        EVERYTHING,
        {
            "solver": (["lsqr", "eigen"], ["other", None]),
            "shrinkage": ([], ["auto", 0.5]),
            "priors": (
                [THIRDS, np.array(THIRDS)],
                [HALVES, [0.0, 0.5, 0.5], [0.2, 0.2, 0.2], "even", [[0.2, 0.3, 0.5]]],
            ),
            "n_components": ([], [1]),
            "store_covariance": ([True], [None]),
            "tol": ([0.0, 1e-3], [0.5, -1.0]),
            "covariance_estimator": ([], [PCA()]),
        },
    ),
    (
        LinearDiscriminantAnalysis(solver="lsqr"),
        EVERYTHING,
        {
            "solver": (["eigen", "svd"], ["other"]),
            "shrinkage": ([0.1, 1.0, 1], ["auto", 2.0, -0.5, 1e-9]),
            "priors": ([], [THIRDS]),
            "n_components": ([], [1]),
            "store_covariance": ([True], [None]),
            "tol": ([0.0, 0.5], [-1.0]),
            "covariance_estimator": ([], [PCA()]),
        },
    ),
    (
        QuadraticDiscriminantAnalysis(),
        EVERYTHING,
        {
            "solver": ([], ["eigen"]),
            "shrinkage": ([], ["auto", 0.5]),
            "priors": ([THIRDS], [HALVES]),
            "reg_param": ([0.1, 1.0], [2.0, -0.1, None]),
            "store_covariance": ([True], [None]),
            "tol": ([1e-6], [-1.0]),
            "covariance_estimator": ([], [PCA()]),
        },
    ),
    (
        GaussianNB(),
        SCORED,
        {
            "priors": ([THIRDS], [HALVES, [1.0, 0.0, 0.0]]),
            "var_smoothing": ([0.0, 0.1], [-1.0, "some"]),
        },
    ),
    (
        DummyClassifier(),
        SCORED,
        {
            "strategy": (["most_frequent"], ["stratified", "uniform", "constant", None]),
            "random_state": ([3], ["seed"]),
            "constant": (["b"], [["b"]]),
        },
    ),
    (
        DummyRegressor(),
        (LABEL,),
        {
            "strategy": (["median"], ["quantile", "constant", "mode"]),
            "constant": ([2.5], [[2.5], "two"]),
            "quantile": ([0.3], [1.5, -0.1]),
        },
    ),
]
ALLOWED = [
    (learner, kinds, parameter, value)
    for learner, kinds, rules in GUARDS
    for parameter, (allowed, _) in rules.items()
    for value in allowed
    if parameter in learner.get_params()
]
REFUSED = [
    (learner, kinds, parameter, value)
    for learner, kinds, rules in GUARDS
    for parameter, (_, refused) in rules.items()
    for value in refused
    if parameter in learner.get_params()
]


def data_for(learner):
    regression = isinstance(learner, (Ridge, LinearRegression, KNeighborsRegressor, DummyRegressor))
    return random_numbers(p=4) if regression else random_classes(p=4)


class TestTheGuards:
    @pytest.mark.parametrize(("learner", "kinds", "rules"), GUARDS, ids=name)
    def test_every_parameter_has_a_rule(self, learner, kinds, rules):
        assert set(learner.get_params(deep=False)) <= set(rules)
        assert family_of(learner, *data_for(learner), kinds) is not None

    @pytest.mark.long
    @pytest.mark.parametrize(("learner", "kinds", "parameter", "value"), ALLOWED, ids=words)
    @pytest.mark.filterwarnings("ignore:.*max_iter.*")
    def test_allowed_values_answer_as_refitted(self, learner, kinds, parameter, value):
        X, target = data_for(learner)
        trains, tests = splits(KFold(folds=3) + Bootstrap(repeats=2), target.values.size)
        changed = clone(learner).set_params(**{parameter: value})
        assert assert_as_refitted(changed, X, target, trains, tests, kinds) == []
        if parameter == "fit_intercept" and value is False:
            # Means of standardized features are nothing but rounding errors, and would count.
            assert family_of(scaled(changed), X, target, kinds) is None
        else:
            assert assert_as_refitted(scaled(changed), X, target, trains, tests, kinds) == []

    @pytest.mark.parametrize(("learner", "kinds", "parameter", "value"), REFUSED, ids=words)
    def test_other_values_are_refitted(self, learner, kinds, parameter, value):
        changed = clone(learner).set_params(**{parameter: value})
        assert family_of(changed, *data_for(learner), kinds) is None
        assert family_of(scaled(changed), *data_for(learner), kinds) is None

    @pytest.mark.parametrize(
        "learner",
        [
            DummyClassifier(strategy="constant", constant="b"),
            DummyRegressor(strategy="constant", constant=2),
        ],
        ids=name,
    )
    def test_constants(self, learner):
        X, target = data_for(learner)
        trains, tests = splits(KFold(folds=3), 120)
        assert assert_as_refitted(learner, X, target, trains, tests, (LABEL,)) == []

    def test_a_quantile(self):
        X, target = random_numbers()
        trains, tests = splits(KFold(folds=3), 120)
        learner = DummyRegressor(strategy="quantile", quantile=0.3)
        assert assert_as_refitted(learner, X, target, trains, tests, (LABEL,)) == []

    @pytest.mark.parametrize(
        "family", [family for family in FAMILIES if family.name != "own"], ids=lambda f: f.name
    )
    def test_subclasses_and_strangers_are_refitted(self, family):
        X, target = random_classes()
        for learner, kinds, _ in GUARDS:
            kind = type(learner)
            own = type(kind.__name__, (kind,), {"__module__": "somewhere.else"})
            assert not family.supports(LearningProblem(own(), X, target, kinds))
        for learner in (
            DecisionTreeClassifier(),
            Lasso(),
            scaled(DecisionTreeClassifier()),
            StandardScaler(),
        ):
            assert not family.supports(LearningProblem(learner, X, target, (LABEL,)))

    @pytest.mark.parametrize(
        "pipeline",
        [
            make_pipeline(StandardScaler(with_mean=False), GaussianNB()),
            make_pipeline(StandardScaler(with_std=False), GaussianNB()),
            make_pipeline(MinMaxScaler(), GaussianNB()),
            make_pipeline(StandardScaler(), StandardScaler(), GaussianNB()),
            make_pipeline(GaussianNB()),
            make_pipeline("passthrough", GaussianNB()),
            Pipeline([("a", StandardScaler()), ("b", GaussianNB())], verbose=True),
            Pipeline([("a", StandardScaler()), ("b", GaussianNB())], memory="somewhere"),
        ],
        ids=name,
    )
    def test_other_pipelines_are_refitted(self, pipeline):
        assert family_of(pipeline, *random_classes(), SCORED) is None
        assert family_of(
            make_pipeline(StandardScaler(copy=False), GaussianNB()), *random_classes(), SCORED
        )

    @pytest.mark.parametrize(("learner", "kinds", "rules"), GUARDS, ids=name)
    def test_other_data_are_refitted(self, learner, kinds, rules):
        pd = pytest.importorskip("pandas")
        X, target = data_for(learner)
        broken, endless = X.copy(), X.copy()
        broken[3, 1], endless[3, 1] = np.nan, np.inf
        others = [
            X.astype(np.float32),
            X.astype(np.longdouble),
            X.astype(object),
            broken,
            endless,
            csr_matrix(X),
            pd.DataFrame(X),
            X[:, :, None],
            X[:-1],
            X[:, :0],
            X * 1e60,
            X * 1e-60,
            X.tolist(),
        ]
        for other in others:
            assert family_of(learner, other, target, kinds) is None
            assert family_of(scaled(learner), other, target, kinds) is None

    @pytest.mark.parametrize(("learner", "kinds", "rules"), GUARDS, ids=name)
    def test_far_from_the_origin_digits_are_lost_so_it_is_refitted(self, learner, kinds, rules):
        X, target = data_for(learner)
        found = family_of(learner, X + 1e8, target, kinds)
        assert found is None or found.name == "dummy"

    @pytest.mark.parametrize(("learner", "kinds", "rules"), GUARDS, ids=name)
    def test_other_tasks_and_kinds_are_refitted(self, learner, kinds, rules):
        X, target = data_for(learner)
        other = random_numbers()[1] if target.classes is not None else random_classes()[1]
        assert family_of(learner, X, other, (LABEL,)) is None
        if len(kinds) < 3:
            assert family_of(learner, X, target, EVERYTHING) is None

    def test_too_many_examples_or_features_are_refitted(self):
        X, target = np.zeros((9000, 1)), Target(np.arange(9000.0))
        assert (
            family_of(KNeighborsRegressor(), X + np.arange(9000.0)[:, None], target, (LABEL,))
            is None
        )
        X, target = (
            np.random.default_rng(0).normal(size=(20, 600)),
            Target(np.arange(20) % 2, np.arange(2)),
        )
        assert family_of(RidgeClassifier(), X, target, DECIDED) is None
        assert family_of(LinearDiscriminantAnalysis(), X, target, SCORED) is None
        assert family_of(QuadraticDiscriminantAnalysis(reg_param=0.1), X, target, SCORED) is None
        assert family_of(scaled(KNeighborsClassifier()), *random_classes(n=1002), SCORED) is None


class TestDegenerateData:
    @pytest.mark.parametrize(("learner", "kinds"), CLASSIFIERS, ids=name)
    @pytest.mark.parametrize("wrap", [lambda learner: learner, scaled], ids=["plain", "scaled"])
    def test_a_class_that_a_training_set_lacks(self, learner, kinds, wrap):
        X, target = random_classes()
        with_all, without = np.arange(90), np.flatnonzero(target.values[:90] != 1)
        trains, tests = [with_all, without, without], [np.arange(90, 120)] * 3
        undone = assert_as_refitted(wrap(learner), X, target, trains, tests, kinds)
        apart = isinstance(
            learner, (RidgeClassifier, LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis)
        )
        assert undone == ([1, 2] if apart else [])

    def test_a_missing_class_has_no_probability(self):
        X, target = random_classes()
        train = np.flatnonzero(target.values[:90] != 1)
        for learner in (KNeighborsClassifier(), GaussianNB(), DummyClassifier()):
            found = shared(learner, X, target, [train], [np.arange(90, 120)], SCORED).values[
                PROBABILITY
            ]
            assert (found[:, 1] == 0).all()
            np.testing.assert_allclose(found.sum(axis=1), 1)

    @pytest.mark.parametrize(("learner", "kinds"), CLASSIFIERS[3:7], ids=name)
    @pytest.mark.parametrize("wrap", [lambda learner: learner, scaled], ids=["plain", "scaled"])
    def test_a_draw_between_classes_is_refitted(self, learner, kinds, wrap):
        """Halfway between two classes that are reflections of each other rounding decides."""
        half = np.random.default_rng(0).normal(size=(15, 3)) + 1
        X, target = (
            np.vstack([half, -half, np.zeros((1, 3)), half[:1]]),
            Target(np.repeat([0, 1, 0], [15, 15, 2]), np.arange(2)),
        )
        trains, tests = [np.arange(30)] * 2, [np.array([30]), np.array([31])]
        assert assert_as_refitted(wrap(learner), X, target, trains, tests, kinds) == [0]

    def test_one_class_only(self):
        X, target = random_classes(count=2)
        train = np.flatnonzero(target.values == 1)
        for learner, kinds in CLASSIFIERS:
            undone = shared(learner, X, target, [train], [np.arange(20)], kinds).undone
            if isinstance(learner, (KNeighborsClassifier, DummyClassifier, GaussianNB)):
                assert (
                    assert_as_refitted(learner, X, target, [train], [np.arange(20)], kinds)
                    == undone
                    == []
                )
            else:
                assert undone == [0]

    def test_too_few_training_examples_for_the_neighbours(self):
        X, target = random_classes()
        trains, tests = (
            [np.arange(4), np.arange(30), np.array([3, 3, 3, 3, 7])],
            [np.arange(60, 80)] * 3,
        )
        for learner in (KNeighborsClassifier(5), scaled(KNeighborsClassifier(5))):
            assert assert_as_refitted(learner, X, target, trains, tests, SCORED) == [0]

    @pytest.mark.parametrize(("learner", "kinds"), CLASSIFIERS, ids=name)
    @pytest.mark.parametrize("level", [0.0, 7.0, 0.1])
    @pytest.mark.parametrize("wrap", [lambda learner: learner, scaled], ids=["plain", "scaled"])
    def test_constant_features(self, learner, kinds, level, wrap):
        X, target = random_classes()
        X[:, 2] = level
        trains, tests = splits(KFold(folds=3) + Bootstrap(repeats=2), 120)
        if isinstance(learner, QuadraticDiscriminantAnalysis) or (
            isinstance(learner, LinearDiscriminantAnalysis) and level == 0.1
        ):
            assert family_of(wrap(learner), X, target, kinds) is None
        else:
            assert assert_as_refitted(wrap(learner), X, target, trains, tests, kinds) == []

    @pytest.mark.parametrize("learner", REGRESSORS, ids=name)
    @pytest.mark.parametrize("level", [0.0, 7.0, 0.1])
    @pytest.mark.parametrize("wrap", [lambda learner: learner, scaled], ids=["plain", "scaled"])
    def test_constant_features_in_regression(self, learner, level, wrap):
        X, target = random_numbers()
        X[:, 2] = level
        trains, tests = splits(KFold(folds=3) + Bootstrap(repeats=2), 120)
        assert assert_as_refitted(wrap(learner), X, target, trains, tests, (LABEL,)) == []

    @pytest.mark.parametrize(
        "learner", [LinearDiscriminantAnalysis(solver="lsqr", shrinkage=0.3), Ridge()], ids=name
    )
    @pytest.mark.parametrize("wrap", [lambda learner: learner, scaled], ids=["plain", "scaled"])
    def test_penalties_bear_constant_features(self, learner, wrap):
        X, target = data_for(learner)
        X[:, 2] = 5
        kinds = (LABEL,) if target.classes is None else EVERYTHING
        trains, tests = splits(KFold(folds=3), 120)
        assert assert_as_refitted(wrap(learner), X, target, trains, tests, kinds) == []

    @pytest.mark.parametrize(("learner", "kinds"), CLASSIFIERS, ids=name)
    @pytest.mark.parametrize("wrap", [lambda learner: learner, scaled], ids=["plain", "scaled"])
    @pytest.mark.filterwarnings("ignore")
    def test_a_feature_that_is_constant_in_one_training_set(self, learner, kinds, wrap):
        X, target = random_classes()
        X[:, 1] = 0.3
        X[:10, 1] += np.linspace(1, 2, 10)
        trains, tests = [np.arange(10, 120), np.arange(60)], [np.arange(10), np.arange(60, 120)]
        learner = wrap(learner)
        if family_of(learner, X, target, kinds) is None:
            return
        assert_as_refitted(learner, X, target, trains, tests, kinds)

    @pytest.mark.parametrize("learner", REGRESSORS, ids=name)
    @pytest.mark.parametrize("wrap", [lambda learner: learner, scaled], ids=["plain", "scaled"])
    def test_a_feature_that_is_constant_in_one_training_set_of_a_regression(self, learner, wrap):
        X, target = random_numbers()
        X[:, 1] = 0.3
        X[:10, 1] += np.linspace(1, 2, 10)
        trains, tests = [np.arange(10, 120), np.arange(60)], [np.arange(10), np.arange(60, 120)]
        assert_as_refitted(wrap(learner), X, target, trains, tests, (LABEL,))

    @pytest.mark.parametrize("learner", [LinearRegression(), Ridge(1e-9)], ids=name)
    def test_features_that_explain_each_other_are_refitted(self, learner):
        X, target = random_numbers()
        X[:, 3] = X[:, 0] + X[:, 1]
        trains, tests = splits(KFold(folds=3), 120)
        assert shared(learner, X, target, trains, tests, (LABEL,)).undone == [0, 1, 2]
        assert assert_as_refitted(Ridge(1.0), X, target, trains, tests, (LABEL,)) == []

    @pytest.mark.parametrize(
        "learner",
        [LinearDiscriminantAnalysis(), QuadraticDiscriminantAnalysis(reg_param=1e-12)],
        ids=name,
    )
    def test_singular_covariances_are_refitted(self, learner):
        X, target = random_classes()
        X[:, 3] = X[:, 0] + X[:, 1]
        trains, tests = splits(KFold(folds=3), 120)
        assert shared(learner, X, target, trains, tests, SCORED).undone == [0, 1, 2]

    def test_centres_on_a_line_are_refitted(self):
        X, target = random_classes()
        X -= np.array([X[target.values == code].mean(axis=0) for code in range(3)])[target.values]
        X += target.values[:, None] * np.arange(1.0, 5.0)
        everything = [np.arange(120)]
        assert shared(
            LinearDiscriminantAnalysis(), X, target, everything, everything, SCORED
        ).undone == [0]
        lsqr = LinearDiscriminantAnalysis(solver="lsqr")
        assert assert_as_refitted(lsqr, X, target, everything, everything, EVERYTHING) == []

    def test_fewer_examples_than_features_are_refitted(self):
        X, target = random_numbers(p=10)
        trains, tests = [np.arange(8), np.arange(11), np.arange(40)], [np.arange(60, 80)] * 3
        assert shared(LinearRegression(), X, target, trains, tests, (LABEL,)).undone[0] == 0
        assert 2 not in assert_as_refitted(LinearRegression(), X, target, trains, tests, (LABEL,))
        assert assert_as_refitted(Ridge(), X, target, trains, tests, (LABEL,)) == []

    @pytest.mark.parametrize(("learner", "kinds"), CLASSIFIERS, ids=name)
    def test_duplicated_rows(self, learner, kinds):
        X, target = random_classes(n=60)
        X, target = (
            np.vstack([X, X[:30]]),
            Target(np.append(target.values, target.values[:30]), target.classes),
        )
        trains, tests = splits(KFold(folds=5) + Bootstrap(repeats=2, training_error=True), 90)
        assert assert_as_refitted(learner, X, target, trains, tests, kinds) == []

    @pytest.mark.parametrize("wide", [5, 20])
    def test_duplicated_rows_with_weights_by_distance(self, wide):
        """Products of matrices, as scikit-learn has them for wide data, do not tell a distance of zero."""
        X, target = random_classes(n=60, p=wide)
        X, target = (
            np.vstack([X, X[:6]]),
            Target(np.append(target.values, target.values[:6]), target.classes),
        )
        trains, tests = splits(KFold(folds=6), 66)
        learner = KNeighborsClassifier(3, weights="distance")
        undone = assert_as_refitted(learner, X, target, trains, tests, SCORED)
        assert bool(undone) == (wide == 20)
        learner.set_params(algorithm="kd_tree")
        assert assert_as_refitted(learner, X, target, trains, tests, SCORED) == []

    @pytest.mark.parametrize("kind", [np.int64, np.uint8, np.int16, bool])
    @pytest.mark.parametrize(("learner", "kinds"), CLASSIFIERS, ids=name)
    def test_whole_numbers_are_as_refitted(self, learner, kinds, kind):
        rng = np.random.default_rng(1)
        _, target = random_classes()
        X = rng.integers(0, 2 if kind is bool else 200, size=(120, 6)) + (
            0 if kind is bool else target.values[:, None]
        )
        X = X.astype(kind)
        trains, tests = splits(KFold(folds=3), 120)
        assert assert_as_refitted(learner, X, target, trains, tests, kinds) == []

    @pytest.mark.parametrize("learner", [Ridge(), LinearRegression(), scaled(Ridge())], ids=name)
    def test_one_row_far_from_all_others(self, learner):
        X, target = random_numbers()
        X[7] *= 1e6
        trains, tests = splits(KFold(folds=6), 120)
        assert_as_refitted(learner, X, target, trains, tests, (LABEL,))

    def test_targets_that_do_not_vary(self):
        X, _ = random_numbers()
        target = Target(np.full(120, 3.25))
        trains, tests = splits(KFold(folds=3), 120)
        for learner in REGRESSORS:
            assert assert_as_refitted(learner, X, target, trains, tests, (LABEL,)) == []


class TestNeighbours:
    def test_ties_are_broken_alike_whatever_else_is_asked_for(self):
        """A cell's answer depends on its own training set only, also where all distances are whole numbers."""
        rng = np.random.default_rng(0)
        X, target = rng.integers(0, 3, size=(90, 3)).astype(float), Target(rng.normal(size=90))
        trains, tests = splits(
            KFold(folds=5) + Subsampling(n_test=0.7, repeats=3) + Bootstrap(repeats=3), 90
        )
        for k, wide in ((1, 0), (4, 0), (4, 20)):
            table = np.hstack([X, np.zeros((90, wide))])
            learner = KNeighborsRegressor(k)
            together = pieces(shared(learner, table, target, trains, tests, (LABEL,)).values, tests)
            for j, found in enumerate(together):
                alone = shared(learner, table, target, [trains[j]], [tests[j]], (LABEL,)).values[
                    LABEL
                ]
                np.testing.assert_array_equal(alone, found[LABEL])

    @pytest.mark.parametrize("algorithm", ["auto", "brute", "kd_tree", "ball_tree"])
    @pytest.mark.parametrize("wrap", [lambda learner: learner, scaled], ids=["plain", "scaled"])
    def test_a_tie_that_matters_is_left_to_scikit_learn(self, algorithm, wrap):
        X = np.array([[0.0], [1.0], [-1.0], [3.0], [-5.0], [7.0], [8.0], [9.0]])
        target = Target(np.array([9.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]))
        trains, tests = [np.arange(1, 8)], [np.array([0])]
        for k, undone in ((1, [0]), (2, []), (3, [])):
            learner = wrap(KNeighborsRegressor(k, algorithm=algorithm))
            asked = [] if algorithm.endswith("tree") or (algorithm == "auto" and k < 3) else undone
            if isinstance(learner, Pipeline):
                assert_as_refitted(learner, X, target, trains, tests, (LABEL,))
            else:
                assert assert_as_refitted(learner, X, target, trains, tests, (LABEL,)) == asked
            assert (
                assert_as_refitted(
                    learner, X, Target(target.values * 0 + 2), trains, tests, (LABEL,)
                )
                == []
            )

    @pytest.mark.parametrize("p", [3, 30])
    def test_blocks_of_splits_and_of_distances(self, p):
        X, target = random_classes(n=1500, p=p)
        trains, tests = splits(Subsampling(n_test=0.3, repeats=60), 1500)
        learner = KNeighborsClassifier(60)
        values, undone, _ = shared(learner, X, target, trains, tests, SCORED)
        assert undone == []
        found = pieces(values, tests)
        for j in (0, 29, 59):
            answers = refit(learner, X, target, trains[j], tests[j], SCORED)
            np.testing.assert_array_equal(found[j][LABEL], answers[LABEL])
            np.testing.assert_allclose(found[j][PROBABILITY], answers[PROBABILITY], rtol=1e-12)

    def test_a_draw_of_votes_goes_to_the_first_class(self):
        X, target = (
            np.array([[0.0], [1.0], [-1.5], [2.0], [-2.5]]),
            Target(np.array([0, 1, 0, 2, 2]), np.arange(3)),
        )
        trains, tests = [np.array([1, 2, 3, 4])], [np.array([0])]
        assert shared(KNeighborsClassifier(2), X, target, trains, tests, (LABEL,)).values[
            LABEL
        ].tolist() == [0]
        assert assert_as_refitted(KNeighborsClassifier(2), X, target, trains, tests, SCORED) == []

    def test_many_copies_of_one_example(self):
        X, target = random_classes(n=30)
        trains, tests = [np.repeat([2, 9], [300, 2])], [np.arange(30)]
        assert assert_as_refitted(KNeighborsClassifier(3), X, target, trains, tests, SCORED) == []


class TestOwn:
    def test_learners_that_do_all_splits_themselves(self):
        X, target = random_numbers()
        trains, tests = splits(KFold(folds=5), 120)
        assert family_of(LeastSquares(), X, target, (LABEL,)).name == "own"
        assert assert_as_refitted(LeastSquares(), X, target, trains, tests, (LABEL,)) == []
        assert (
            assert_as_refitted(
                LeastSquares(), X.astype(np.float32), target, trains, tests, (LABEL,)
            )
            == []
        )
        assert family_of(LeastSquares(), X, target, SCORED) is None
        assert family_of(LeastSquares(), csr_matrix(X), target, (LABEL,)) is None

    @pytest.mark.parametrize(
        "answer", [[1.0], ["text"] * 120, [np.nan] * 120, InvalidInputError("no"), None]
    )
    def test_answers_that_cannot_be_used_are_refitted(self, answer, rng):
        class Broken(LeastSquares):
            def predict_splits(self, X, y, trains, tests):
                if isinstance(answer, Exception):
                    raise answer
                return answer

        X, target = random_numbers()
        trains, tests = splits(KFold(folds=5), 120)
        found = predict_all(LearningProblem(Broken(), X, target, (LABEL,)), trains, tests, rng)
        assert list(found.undone) == [0, 1, 2, 3, 4]


class TestTheCheck:
    @pytest.mark.parametrize(("learner", "kinds"), CLASSIFIERS, ids=name)
    @pytest.mark.parametrize("data", REAL)
    def test_it_agrees_with_what_is_right(self, learner, kinds, data, rng):
        X, y = REAL[data]
        if family_of(learner, X, classes(y), kinds) is not None:
            assert agrees(learner, X, classes(y), kinds, rng)

    @pytest.mark.parametrize(("learner", "kinds"), CLASSIFIERS, ids=name)
    def test_it_sees_what_is_wrong(self, learner, kinds, rng, monkeypatch):
        X, target = random_classes()
        assert agrees(learner, X, target, kinds, rng)
        for kind in kinds:
            tamper(
                monkeypatch,
                learner,
                X,
                target,
                kinds,
                kind,
                lambda v: (v + 1) % 3 if v.dtype == np.uint8 else v * (1 + 1e-6),
            )
            assert not agrees(learner, X, target, kinds, rng)
            found = predict_all(
                LearningProblem(learner, X, target, kinds), *splits(KFold(folds=3), 120), rng
            )
            assert found.refused
            assert len(found.undone) == 3
            monkeypatch.undo()

    @pytest.mark.parametrize("learner", REGRESSORS, ids=name)
    @pytest.mark.parametrize(("factor", "same"), [(1 + 1e-6, False), (1 + 1e-11, True)])
    def test_it_sees_a_wrong_number_in_regression(self, learner, factor, same, rng, monkeypatch):
        X, target = random_numbers()
        tamper(monkeypatch, learner, X, target, (LABEL,), LABEL, lambda values: values * factor)
        assert agrees(learner, X, target, (LABEL,), rng) == same

    def test_it_hangs_on_the_learner_and_the_data_alone(self, monkeypatch):
        """Whatever splits a run asks for, the check refits the same ones."""
        X, target = random_numbers()
        problem, asked = LearningProblem(Ridge(), X, target, (LABEL,)), []
        refitted = NormalEquations.refitted
        monkeypatch.setattr(
            NormalEquations,
            "refitted",
            lambda self, train, test: asked.append((train, test)) or refitted(self, train, test),
        )
        for plan in (KFold(folds=5), Subsampling(n_test=0.7, repeats=2)):
            predict_all(problem, *splits(plan, 120), np.random.default_rng(3))
        assert len(asked) == 6
        for one, other in zip(asked[:3], asked[3:], strict=True):
            np.testing.assert_array_equal(np.concatenate(one), np.concatenate(other))
        sizes = [np.unique(train).size for train, _ in asked[:3]]
        assert sizes[0] == 108
        assert 12 <= sizes[1] <= 108
        assert asked[2][0].size == 120
        assert sizes[2] < 120

    @pytest.mark.parametrize("n", [1, 2, 3, 9])
    def test_few_examples(self, n, rng):
        X, target = random_numbers(n=n)
        for learner in REGRESSORS:
            if family_of(learner, X, target, (LABEL,)) is not None:
                assert agrees(learner, X, target, (LABEL,), rng)


def tamper(monkeypatch, learner, X, target, kinds, kind, change):
    """Make a family answer otherwise."""
    family = family_of(learner, X, target, kinds)
    right = family.predict

    def wrong(self, trains, tests):
        found = right(self, trains, tests)
        return found._replace(values={**found.values, kind: change(found.values[kind])})

    monkeypatch.setattr(family, "predict", wrong)


class TestParts:
    @pytest.mark.parametrize("size", [5, 60, 115])
    def test_moments_of_any_training_set(self, size, rng):
        X = rng.normal(size=(120, 3)) + 5
        sums = GroupSums(X)
        for train in (rng.permutation(120)[:size], rng.integers(0, 120, size)):
            counts, means, products = sums.scatter(train)
            assert counts.tolist() == [size]
            np.testing.assert_allclose(means[0], X[train].mean(axis=0), rtol=1e-12)
            np.testing.assert_allclose(
                products, size * np.cov(X[train].T, bias=True), rtol=1e-10, atol=1e-10
            )

    @pytest.mark.parametrize("size", [20, 60, 115])
    def test_scatter_within_groups_of_any_training_set(self, size, rng):
        groups = np.arange(120) % 3
        X = rng.normal(size=(120, 2)) + groups[:, None] * 4
        sums = GroupSums(X, groups)
        for train in (rng.permutation(120)[:size], rng.integers(0, 120, size)):
            counts, means, products = sums.scatter(train)
            own = [X[train[groups[train] == group]] for group in range(3)]
            assert counts.tolist() == [len(rows) for rows in own]
            np.testing.assert_allclose(means, [rows.mean(axis=0) for rows in own], rtol=1e-12)
            apart = np.concatenate([rows - rows.mean(axis=0) for rows in own])
            np.testing.assert_allclose(products, apart.T @ apart, rtol=1e-10, atol=1e-10)
        assert sums.scatter(np.flatnonzero(groups != 1)) is None

    def test_moments_are_made_anew_where_little_is_left(self):
        X = np.concatenate([[1e9], np.arange(20) / 10])[:, None]
        np.testing.assert_allclose(
            GroupSums(X).scatter(np.arange(1, 21)).products, 20 * np.var(X[1:]), rtol=1e-6
        )

    def test_equations_are_solved_or_refused(self, rng):
        A = rng.normal(size=(20, 4))
        matrix, right = (
            A.T @ A * np.outer([1, 1e3, 1, 1e-3], [1, 1e3, 1, 1e-3]),
            rng.normal(size=(4, 2)),
        )
        found = factor(matrix)
        np.testing.assert_allclose(found.solve(right), np.linalg.solve(matrix, right), rtol=1e-9)
        np.testing.assert_allclose(found.log_determinant, np.linalg.slogdet(matrix)[1], rtol=1e-12)
        white = found.whiten(right.T)
        np.testing.assert_allclose(
            white @ white.T, right.T @ np.linalg.solve(matrix, right), rtol=1e-9
        )
        condition, smallest = found.unscaled(matrix)
        eigenvalues = np.linalg.eigvalsh(matrix)
        assert 0.1 * eigenvalues[0] < smallest <= 1.001 * eigenvalues[0]
        assert condition <= eigenvalues[0] / eigenvalues[-1] * 1.001
        for wrong in (
            np.ones((2, 2)),
            np.array([[1.0, 2.0], [2.0, 1.0]]),
            np.zeros((1, 1)),
            np.full((2, 2), np.nan),
        ):
            assert factor(wrong) is None
        almost = np.array([[1.0, 1 - 1e-8], [1 - 1e-8, 1.0]])
        assert factor(almost) is None

    @given(seed=st.integers(0, 1000), power=st.floats(0, 5))
    def test_the_largest_error_is_no_smaller_than_any(self, seed, power):
        rng = np.random.default_rng(seed)
        rows = rng.normal(size=(12, 4)) * 10.0 ** rng.uniform(-power, power, 4)
        found = factor(rows.T @ rows)
        points, slopes = (
            rng.normal(size=(9, 4)) @ np.diag(rows.std(axis=0)),
            rng.normal(size=(4, 2)),
        )
        if found is not None:
            assert (found.largest_error(points, slopes) >= found.error(points, slopes)).all()
