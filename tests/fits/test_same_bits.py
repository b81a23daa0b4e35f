"""The same bits whoever does the fits: this process, workers, watched processes, or two runs of which one was stopped."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import errbar
from errbar import plans
from errbar.errors import InvalidInputError
from errbar.fits import Store, Workers
from errbar.methods import METHODS
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
    "neighbours": KNeighborsClassifier(3),
}


class Half(Workers):
    """Is stopped in the middle."""

    def run(self, job, tasks, wanted=list):
        yield from super().run(job, list(tasks)[::2], wanted)
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
    before = sum(len(facts.get("splits", ())) for facts in kept)
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
    import distributed

    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=":0"
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        same(serial, run(client))


def test_refitting_every_split_gives_the_same_labels(serial):
    found = errbar.run(LEARNERS, *data(), plan=plans.Union(PLANS), random_state=3, share=False)
    assert serial.counts.shared == ("neighbours",)
    assert found.counts.shared == ()
    np.testing.assert_allclose(serial.scores, found.scores, atol=1e-12)


SHARING = {
    "three": KNeighborsClassifier(3),
    "five": KNeighborsClassifier(),
}


@pytest.mark.parametrize("executor", [None, Workers(2)], ids=["here", "workers"])
def test_fits_that_are_computed_together_are_kept_together(tmp_path, executor):
    options = {"plan": plans.KFold(10, repeats=3), "random_state": 1, "executor": executor}
    path = tmp_path / "runs.db"
    whole = errbar.run(SHARING, *data(), plan=options["plan"], random_state=1)
    assert whole.counts.shared == tuple(SHARING)
    for fits in (30 * len(SHARING), 0):
        found = errbar.run(SHARING, *data(), **options, store=path)
        assert found.counts.fits == fits
        same(whole, found)


def test_features_mapped_from_a_file_in_any_layout_give_the_same_bits(tmp_path):
    X, y = data()
    np.save(tmp_path / "X.npy", X)
    tables = [
        X,
        np.asfortranarray(X),
        np.load(tmp_path / "X.npy", mmap_mode="r"),
        np.repeat(X, 2, axis=1)[:, ::2],
    ]
    options = {"plan": plans.KFold(10), "random_state": 1}
    first = errbar.run(SHARING, tables[0], y, **options)
    for table in tables[1:]:
        same(first, errbar.run(SHARING, table, y, **options))
