"""joblib's own configuration is respected, and changes no bit of the answer."""

import joblib
import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

import errbar
from errbar.engine import Joblib, Serial, executors
from errbar.engine.executors import choose

pytestmark = pytest.mark.long

CONFIGURED = {
    "two workers": ({"n_jobs": 2}, 2),
    "one worker": ({"n_jobs": 1}, 1),
    "loky": ({"backend": "loky", "n_jobs": 2}, 2),
    "loky, one thread inside": ({"backend": "loky", "n_jobs": 2, "inner_max_num_threads": 1}, 2),
    "threading": ({"backend": "threading", "n_jobs": 2}, 2),
    "multiprocessing": ({"backend": "multiprocessing", "n_jobs": 2}, 2),
    "sequential": ({"backend": "sequential"}, 1),
    # joblib itself then takes one thread, as `joblib.Parallel().n_jobs` tells.
    "preferably threads": ({"n_jobs": 2, "prefer": "threads"}, 1),
    "threads that share memory": ({"backend": "threading", "n_jobs": 2, "require": "sharedmem"}, 2),
}


def compared(**options):
    rng = np.random.default_rng(8)
    X = rng.normal(size=(80, 4))
    y = (X[:, 0] + rng.normal(size=80) > 0).astype(int)
    learners = {
        "tree": DecisionTreeClassifier(max_features=1),
        "linear": LogisticRegression(solver="saga", max_iter=15),
    }
    return errbar.compare(
        learners,
        X,
        y,
        plan=errbar.plans.Subsampling(repeats=6),
        random_state=3,
        loss="log-loss",
        **options,
    )


@pytest.fixture(scope="module")
def plain():
    return compared()


@pytest.fixture
def eager(monkeypatch):
    """Workers are started even for little work, and it is seen who did the fits."""
    seen = []
    share_out = Joblib._share_out

    def watched(self, *arguments):
        seen.append(self.n_jobs)
        return share_out(self, *arguments)

    monkeypatch.setattr(executors, "START_SECONDS", -1.0)
    monkeypatch.setattr(executors, "PROBE_SECONDS", 0.0)
    monkeypatch.setattr(Joblib, "_share_out", watched)
    return seen


def same(one, other):
    left, right = one.table, other.table
    assert left.scores.tobytes() == right.scores.tobytes()
    assert left.points.tobytes() == right.points.tobytes()
    assert [pair.result for pair in one.pairs] == [pair.result for pair in other.pairs]


@pytest.mark.parametrize(("config", "workers"), CONFIGURED.values(), ids=CONFIGURED)
def test_the_configured_workers_do_the_fits_and_no_bit_changes(config, workers, plain, eager):
    with joblib.parallel_config(**config):
        found = compared(n_jobs=None)
    assert eager == ([workers] if workers > 1 else [])
    same(found, plain)


def test_without_a_configuration_this_process_does_them():
    assert isinstance(choose(None), Serial)


def test_a_number_of_ones_own_goes_first(eager, plain):
    with joblib.parallel_config(n_jobs=2):
        assert isinstance(choose(1), Serial)
        same(compared(n_jobs=1), plain)
    assert eager == []


def test_a_sequential_backend_stays_so_whatever_is_asked():
    with joblib.parallel_config(backend="sequential"):
        assert isinstance(choose(4), Serial)


def test_all_cores(monkeypatch):
    with joblib.parallel_config(n_jobs=-1):
        wanted = joblib.effective_n_jobs(-1)
        found = choose(None)
    assert getattr(found, "n_jobs", 1) == wanted


@pytest.mark.parametrize(("config", "workers"), CONFIGURED.values(), ids=CONFIGURED)
def test_as_many_workers_as_joblib_itself_would_take(config, workers):
    with joblib.parallel_config(**config):
        assert joblib.Parallel().n_jobs == workers or joblib.effective_n_jobs(None) == workers
        assert getattr(choose(None), "n_jobs", 1) == workers


def test_the_configuration_is_left_as_it_was(eager):
    with joblib.parallel_config(n_jobs=2, backend="threading"):
        compared()
        assert joblib.effective_n_jobs(None) == 2
    assert joblib.effective_n_jobs(None) == 1
