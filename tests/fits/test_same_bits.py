"""The same bits whoever does the fits: this process, workers, watched processes, or two runs of which one was stopped."""

import distributed
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from sklearn.base import is_classifier
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge, RidgeClassifier
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import errbar
from errbar import plans
from errbar.errors import InvalidInputError
from errbar.fits import Store, Workers
from errbar.fits.parallel import run_here
from errbar.fits.shared import LearningProblem, family_of, predict_all
from errbar.fits.shared.gaussian import NaiveBayes
from errbar.methods import METHODS
from errbar.metrics import LABEL, RESPONSES, Target
from tests.fits.learners import Legacy

pytestmark = pytest.mark.long

PLANS = (
    plans.Holdout(n_test=0.3),
    plans.Subsampling(repeats=3),
    plans.KFold(4),
    plans.EqualKFold(4),
    plans.KFold(3, repeats=2),
    plans.FiveByTwo(),
    plans.NestedKFold(3, 1),
    plans.PairedHalves(repeats=2, halvings=2),
    plans.HalvedKFold(3, 2),
    plans.Bootstrap(8, training_error=True),
    plans.ReplaceOne(3, 4),
    plans.Predefined(StratifiedKFold(3)),
    plans.Seeds(3),
    plans.Seeds(2, plan=plans.KFold(4)),
    plans.RollingOrigin(n_train=20, n_test=10),
    plans.KFold(4, stratify=True),
)
LEARNERS = {
    "tree": DecisionTreeClassifier(max_features=1),
    "pipeline": make_pipeline(StandardScaler(), LogisticRegression(solver="saga", max_iter=20)),
    "legacy": Legacy(),
    "bayes": GaussianNB(),
}


class Half(Workers):
    """Is stopped in the middle."""

    def run(self, job, tasks, wanted=list):
        yield from run_here(job, list(tasks)[::2], wanted)
        raise KeyboardInterrupt


def data():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(61, 4))
    return X, (X[:, 0] + rng.normal(size=61) > 0).astype(int)


def run(executor=None, store=None, seed=3):
    return errbar.run(
        LEARNERS,
        *data(),
        plan=plans.Union(PLANS),
        random_state=seed,
        executor=executor,
        store=store,
    )


@pytest.fixture(scope="module")
def serial():
    return run()


def same(one, other):
    assert one.learners == other.learners
    assert one.splits.fingerprint == other.splits.fingerprint
    np.testing.assert_array_equal(one.scores, other.scores)
    for mine, theirs in zip(one.predictions, other.predictions, strict=True):
        assert mine.keys() == theirs.keys()
        for kind, values in mine.items():
            np.testing.assert_array_equal(values, theirs[kind])


def answers(table):
    """What every method says that has anything to say."""
    found = {}
    for key, spec in METHODS.items():
        for minus in (None, "bayes"):
            try:
                found[key, minus] = errbar.infer(table, key, "tree", minus).to_dict()
            except InvalidInputError as error:
                found[key, minus] = str(error)
        assert spec.key == key
    return found


def test_every_plan_and_every_method_with_workers(serial):
    found = run(Workers(2))
    same(serial, found)
    assert answers(serial) == answers(found)
    assert sum(isinstance(answer, dict) for answer in answers(serial).values()) > 30


@pytest.mark.parametrize("again", [None, Workers(2)], ids=["here", "workers"])
def test_every_plan_after_an_interruption(serial, tmp_path, again):
    path = tmp_path / "runs.db"
    with pytest.raises(KeyboardInterrupt):
        run(Half(), store=path)
    with Store(path) as store:
        kept = [one.facts for _, one in store.each()]
    before = sum("learner" in facts for facts in kept)
    total = serial.counts.fits
    assert 0 < before < total
    resumed = run(again, store=path)
    assert (resumed.counts.fits, resumed.counts.reused) == (total - before, before)
    same(serial, resumed)
    whole = run(store=path)
    assert (whole.counts.fits, whole.counts.reused) == (0, total)
    same(serial, whole)


@pytest.mark.thorough
def test_every_plan_on_a_cluster(serial):
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=":0"
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        same(serial, run(client))


def test_refitting_every_split_gives_the_same_labels(serial):
    found = errbar.run(LEARNERS, *data(), plan=plans.Union(PLANS), random_state=3, share=False)
    assert serial.counts.shared == ("bayes",)
    assert found.counts.shared == ()
    np.testing.assert_allclose(serial.scores, found.scores, atol=1e-12)


SHARING = {
    "bayes": GaussianNB(),
    "neighbours": KNeighborsClassifier(3),
    "scaled neighbours": make_pipeline(StandardScaler(), KNeighborsClassifier()),
    "ridge": RidgeClassifier(),
    "linear": make_pipeline(StandardScaler(), LinearDiscriminantAnalysis()),
    "quadratic": QuadraticDiscriminantAnalysis(),
    "dummy": DummyClassifier(),
}


def test_fits_that_are_computed_together_are_kept_together(tmp_path):
    options = {"plan": plans.KFold(10, repeats=3), "random_state": 1}
    path = tmp_path / "runs.db"
    whole = errbar.run(SHARING, *data(), **options)
    assert whole.counts.shared == tuple(SHARING)
    for fits in (30 * len(SHARING), 0):
        found = errbar.run(SHARING, *data(), **options, store=path)
        assert found.counts.fits == fits
        same(whole, found)


def test_shared_fits_that_differ_from_refitting_are_refitted_and_said(monkeypatch):
    def wrong(self, trains, tests):
        found = right(self, trains, tests)
        found.values["label"][:] = 0
        return found

    options = {"plan": plans.KFold(10), "random_state": 1}
    learners = {"bayes": GaussianNB(), "dummy": DummyClassifier()}
    refitted = errbar.run(learners, *data(), **options, share=False)
    right = NaiveBayes.predict
    monkeypatch.setattr(NaiveBayes, "predict", wrong)
    found = errbar.compare(learners, *data(), **options)
    np.testing.assert_array_equal(refitted.scores, found.table.scores)
    assert found.counts.shared == ("dummy",)
    assert found.counts.fits == 20
    [note] = [note for note in found.notes if note.code == "fits"]
    assert note.numbers == {"refitted": ("bayes",)}


ALONE = {
    **SHARING,
    "near": KNeighborsRegressor(4),
    "weighted": KNeighborsClassifier(7, weights="distance"),
    "brute": KNeighborsRegressor(3, algorithm="brute", weights="distance"),
    "scaled near": make_pipeline(StandardScaler(), KNeighborsRegressor(3, weights="distance")),
    "least squares": LinearRegression(),
    "penalised": make_pipeline(StandardScaler(), Ridge()),
    "lsqr": LinearDiscriminantAnalysis(solver="lsqr", shrinkage=0.2),
    "svd": LinearDiscriminantAnalysis(),
    "scaled quadratic": make_pipeline(
        StandardScaler(), QuadraticDiscriminantAnalysis(reg_param=0.1)
    ),
    "scaled bayes": make_pipeline(StandardScaler(), GaussianNB()),
    "median": DummyRegressor(strategy="median"),
}


def answered(problem, pairs):
    """Return the bytes of the predictions of each split, or None where it is to be refitted."""
    found = predict_all(
        problem,
        [train for train, _ in pairs],
        [test for _, test in pairs],
        np.random.default_rng(1),
    )
    assert not found.refused
    ends = np.cumsum([len(test) for _, test in pairs])
    return [
        None
        if j in found.undone
        else {kind: values[end - len(test) : end] for kind, values in found.values.items()}
        for j, ((_, test), end) in enumerate(zip(pairs, ends, strict=True))
    ]


def assert_same_bits(one, other, rows=slice(None)):
    assert one.keys() == other.keys()
    for kind, values in one.items():
        assert values[rows].tobytes() == other[kind].tobytes()


@pytest.mark.parametrize("name", ALONE)
@pytest.mark.parametrize("whole", [False, True], ids=["numbers", "whole numbers"])
@settings(max_examples=6, deadline=None, derandomize=True)
@given(seed=st.integers(0, 2**32), wide=st.sampled_from([1, 3, 7, 19]))
def test_a_split_gives_the_same_bits_in_any_company(name, whole, seed, wide):
    """Whichever other splits are asked for, in whatever order, and whichever other examples the split tests."""
    rng = np.random.default_rng(seed)
    n, learner = 90, ALONE[name]
    X = rng.normal(size=(n, wide)) + 1.5
    X = np.asfortranarray(np.floor(3 * X) if whole else X)
    values = X.sum(axis=1) + rng.normal(size=n)
    target = (
        Target((values > np.median(values)).astype(int), np.arange(2))
        if is_classifier(learner)
        else Target(values)
    )
    problem = LearningProblem(
        learner, X, target, tuple(kind for kind in RESPONSES if hasattr(learner, RESPONSES[kind]))
    )
    if family_of(problem) is None:
        return
    pairs = []
    for size in (10, 30, 45, 60, 80, 81, 88):
        order = rng.permutation(n)
        pairs += [(order[:size], order[size:]), (rng.integers(0, n, size), order)]
    together = answered(problem, pairs)
    order = rng.permutation(len(pairs))[:9]
    for j, found in zip(order, answered(problem, [pairs[j] for j in order]), strict=True):
        assert (found is None) == (together[j] is None)
        if found is not None:
            assert_same_bits(together[j], found)
    # The same training set with some of its test examples, in another order, alone and in company.
    some = [rng.permutation(len(test))[: rng.integers(1, len(test) + 1)] for _, test in pairs]
    parts = [(train, test[rows]) for (train, test), rows in zip(pairs, some, strict=True)]
    lone = [answered(problem, [part])[0] for part in parts[:4]]
    for rows, whole_test, found in zip(
        [*some[:4], *some],
        [*together[:4], *together],
        [*lone, *answered(problem, parts)],
        strict=True,
    ):
        if found is not None and whole_test is not None:
            assert_same_bits(whole_test, found, rows)


def test_features_mapped_from_a_file_in_any_layout_give_the_same_bits(tmp_path):
    X, y = data()
    np.save(tmp_path / "X.npy", X)
    tables = [
        X,
        np.asfortranarray(X),
        np.load(tmp_path / "X.npy", mmap_mode="r"),
        np.repeat(X, 2, axis=1)[:, ::2],
    ]
    pairs = [(split.train, split.test) for split in plans.draw(plans.KFold(5), len(y), 0).splits]
    for learner in ALONE.values():
        target = Target(y, np.arange(2)) if is_classifier(learner) else Target(y + X[:, 1])
        found = [
            answered(LearningProblem(learner, np.asarray(table), target, (LABEL,)), pairs)
            for table in tables
        ]
        for other in found[1:]:
            for one, two in zip(found[0], other, strict=True):
                assert_same_bits(one, two)


def test_the_check_leaves_the_same_splits_shared_whatever_a_store_has_seen(tmp_path):
    """Seven splits, then twelve: the answers of twelve."""
    rng = np.random.default_rng(2)
    X, y = np.floor(2 * rng.normal(size=(70, 4))), rng.normal(size=70)
    learners = {
        "near": KNeighborsRegressor(3),
        "wide": make_pipeline(StandardScaler(), KNeighborsRegressor(5)),
    }
    path = tmp_path / "runs.db"
    for repeats in (2, 3):
        errbar.run(learners, X, y, plan=plans.KFold(5, repeats=repeats), random_state=3, store=path)
    same(
        errbar.run(learners, X, y, plan=plans.KFold(5, repeats=3), random_state=3),
        errbar.run(learners, X, y, plan=plans.KFold(5, repeats=3), random_state=3, store=path),
    )
