"""Real Dask clusters on this machine: the same bits as one process, whatever becomes of workers and schedulers."""

import logging
import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from dataclasses import dataclass

import distributed
import numpy as np
import pytest
from joblib import parallel_config
from sklearn.datasets import load_diabetes, load_iris
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import SGDClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import errbar
from errbar.engine import RunOptions, SQLiteStore, cluster as cluster_module, execute, prepare
from errbar.engine.cluster import ClusterError, Dask
from errbar.engine.executors import Joblib, Serial, choose
from tests.cli.runs import eventually
from tests.engine.hostile import FAILING, Holds, Hostile, Stays
from tests.engine.learners import GlobalNoise, Majority, OwnNoise
from tests.engine.watched import Answer, DiesOfTheFirstExample, Doubles, Number, Several
from tests.refusals import refused

pytestmark = pytest.mark.long

X, Y = load_iris(return_X_y=True)
NOISY = X + np.random.default_rng(0).normal(scale=1.5, size=X.shape)


def local(**options):
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    settings = {
        "n_workers": 2,
        "threads_per_worker": 1,
        "processes": True,
        "dashboard_address": ":0",
    }
    return distributed.LocalCluster(
        **{**settings, **options}, scheduler_kwargs={"allowed_failures": 1}
    )


@pytest.fixture(scope="module")
def clusters():
    kept = []
    yield kept
    for client in kept:
        client.cluster.close()
        client.close()


@pytest.fixture
def two_workers(clusters):
    """A client of two workers."""
    return two_running(clusters)


def two_running(clusters):
    """Return a client of two workers, which are up again after one was killed; Dask gives up on some that die early."""
    if clusters:
        try:
            clusters[-1].wait_for_workers(2, timeout=30)
        except TimeoutError:
            clusters.append(distributed.Client(local(), set_as_default=False))
    else:
        clusters.append(distributed.Client(local(), set_as_default=False))
    return clusters[-1]


def table(learners, X, y, executor, *, plan, store=None, progress=None, loss=None):
    setup = prepare(learners, X, y, plan=plan, random_state=7, loss=loss)
    return execute(setup, RunOptions(executor=executor, store=store, progress=progress))


def assert_same(one, other):
    np.testing.assert_array_equal(one.scores, other.scores)
    np.testing.assert_array_equal(one.points, other.points)
    for mine, theirs in zip(one.predictions, other.predictions, strict=True):
        assert mine.keys() == theirs.keys()
        for kind in mine:
            np.testing.assert_array_equal(mine[kind], theirs[kind])


def doubles(count, tmp_path, **options):
    log = tmp_path / "log"
    log.touch()
    return (
        Doubles(np.arange(float(count)), str(log), **options),
        [Number(i) for i in range(count)],
        log,
    )


def kill_workers(client, count=1):
    for pid in list(client.run(os.getpid).values())[:count]:
        os.kill(pid, signal.SIGKILL)


class Watched(Majority):
    """Writes down which fit it begins, and takes its time."""

    def __init__(self, log=""):
        self.log = log

    def fit(self, X, y):
        left_out = sorted(set(range(60)) - set(X[:, 0].astype(int).tolist()))
        with open(self.log, "a", encoding="utf-8") as file:  # noqa: PTH123
            file.write(f"{left_out[0] * 60 + left_out[-1]}\n")
        time.sleep(0.03)
        return super().fit(X, y)


# The same bits.


class Coin(Majority):
    """Draws its predictions from NumPy's global generator."""

    def predict(self, X):
        return np.random.choice(self.classes_, len(X))  # noqa: NPY002


def classifiers():
    return {
        "forest": RandomForestClassifier(5, n_jobs=2),
        "pipeline": make_pipeline(StandardScaler(), SGDClassifier()),
        "tree": DecisionTreeClassifier(max_features=1),
    }


@pytest.mark.parametrize(
    "plan",
    [
        errbar.plans.KFold(folds=5, repeats=2) + errbar.plans.Subsampling(repeats=5),
        errbar.plans.NestedKFold(folds=4, repeats=1) + errbar.plans.Bootstrap(repeats=5),
    ],
    ids=["folds", "nested"],
)
def test_classifiers_give_the_bits_of_one_process(two_workers, plan):
    serial = table(classifiers(), NOISY, Y, Serial(), plan=plan)
    assert_same(serial, table(classifiers(), NOISY, Y, Dask(two_workers), plan=plan))


@pytest.mark.thorough
def test_learners_that_draw_from_the_global_generator_do_too_also_in_workers_with_several_threads():
    learners = {"global": GlobalNoise(), "own": OwnNoise()}
    data = load_diabetes(return_X_y=True)
    plan = errbar.plans.Subsampling(repeats=40)
    serial = table(learners, *data, Serial(), plan=plan)
    with local(n_workers=1, threads_per_worker=4) as several:
        assert_same(serial, table(learners, *data, Dask(several), plan=plan))


@pytest.fixture(scope="module")
def everything():
    """Every method that has a plan of its own, all of these plans together, and data with two classes."""
    methods = [
        method for method in errbar.methods.catalogue().values() if method.default_plan is not None
    ]
    few = {"part-jackknife": errbar.plans.PartJackknife(n_parts=3, repeats=2, folds=3)}
    plan = methods[0].default_plan
    for method in methods[1:]:
        plan = plan + few.get(method.key, method.default_plan)
    return methods, plan, (NOISY[::3], (Y[::3] == 1).astype(int))


@pytest.mark.thorough
def test_every_method_of_the_catalogue_sees_the_same_numbers(two_workers, everything):
    methods, plan, data = everything
    learners = {"bayes": GaussianNB(), "tree": DecisionTreeClassifier(max_features=1, max_depth=3)}
    found = [
        table(learners, *data, executor, plan=plan)
        for executor in (Serial(), Joblib(2), Dask(two_workers))
    ]
    for other in found[1:]:
        assert_same(found[0], other)
    for method in methods:
        # These data have no groups.
        if (
            method.loss in (None, "zero-one")
            and method.subject != "all"
            and method.key != "cluster-t"
        ):
            assert len({inferred(method, one) for one in found}) == 1


def test_a_run_that_is_resumed_gives_the_same_numbers(two_workers, everything, tmp_path):
    _, plan, data = everything
    learners = {"tree": DecisionTreeClassifier(max_features=1, max_depth=3)}
    serial = table(learners, *data, Serial(), plan=plan)

    def stop(state):
        if state.done == state.total // 2:
            raise KeyboardInterrupt

    store = str(tmp_path / "runs.db")
    with pytest.raises(KeyboardInterrupt):
        table(learners, *data, Dask(two_workers), plan=plan, store=store, progress=stop)
    resumed = table(learners, *data, Dask(two_workers), plan=plan, store=store)
    assert resumed.counts.reused == serial.counts.fits // 2
    assert resumed.counts.reused + resumed.counts.fits == serial.counts.fits
    assert_same(serial, resumed)


def inferred(method, table):
    minus = None if method.subject == "learner" else "tree"
    return repr(errbar.infer(table, method.key, "bayes", minus=minus))


def test_replicates_of_the_laboratory_are_the_same(two_workers):
    from errbar import lab

    scenario = lab.Scenario(
        lab.GaussianClassification(), 40, {"bayes": GaussianNB(), "noise": Coin()}, name="two"
    )
    options = {"replicates": 12, "random_state": 3, "test_examples": 50}
    serial = lab.simulate(scenario, ["corrected-t", "mcnemar"], n_jobs=1, **options)
    other = lab.simulate(
        scenario, ["corrected-t", "mcnemar"], executor=Dask(two_workers), **options
    )
    for mine, theirs in zip(serial.runs, other.runs, strict=True):
        np.testing.assert_array_equal(mine.results, theirs.results)
        np.testing.assert_array_equal(mine.risks, theirs.risks)


def test_the_cluster_that_joblib_is_told_to_use(two_workers):
    learners, plan = {"noise": GlobalNoise()}, errbar.plans.KFold(folds=6)
    options = {"plan": plan, "random_state": 1}
    with distributed.Client(two_workers.cluster), parallel_config("dask"):
        assert isinstance(choose(None), Dask)
        assert isinstance(choose(-1), Dask)
        assert isinstance(choose(1), Serial)
        found = errbar.run(learners, NOISY, NOISY[:, 0], **options)
    assert isinstance(choose(None), Serial)
    np.testing.assert_array_equal(
        found.scores, errbar.run(learners, NOISY, NOISY[:, 0], **options).scores
    )


def test_learners_defined_in_a_script_travel(two_workers, tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "import sys\n"
        "import numpy as np\n"
        "from sklearn.base import BaseEstimator, RegressorMixin\n"
        "from errbar.engine import RunOptions, execute, prepare\n"
        "from errbar.engine.cluster import Dask\n"
        "from errbar.plans import KFold\n"
        "class Mine(RegressorMixin, BaseEstimator):\n"
        "    def __init__(self, random_state=None):\n"
        "        self.random_state = random_state\n"
        "    def fit(self, X, y):\n"
        "        self.shift_ = np.random.default_rng(self.random_state).normal() + helper(y)\n"
        "        return self\n"
        "    def predict(self, X):\n"
        "        return np.full(len(X), self.shift_)\n"
        "def helper(y):\n"
        "    return y.mean()\n"
        "if __name__ == '__main__':\n"
        "    X = np.random.default_rng(0).normal(size=(50, 2))\n"
        "    setup = prepare({'mine': Mine()}, X, X[:, 0], plan=KFold(10), random_state=0)\n"
        "    same = (execute(setup).scores == execute(setup, RunOptions(executor=Dask(sys.argv[1]))).scores).all()\n"
        "    print(bool(same))\n"
    )
    address = two_workers.scheduler.address
    done = subprocess.run(
        [sys.executable, str(script), address], capture_output=True, text=True, check=False
    )
    assert done.stdout.strip() == "True", done.stderr


# Workers that die.


@pytest.mark.thorough
def test_when_all_workers_are_killed_every_outcome_arrives_once_and_none_is_done_again(
    two_workers, tmp_path
):
    job, tasks, log = doubles(120, tmp_path)
    seen, committed = [], []

    def emit(outcome):
        seen.append(outcome)
        if len(seen) == 20:
            committed.extend(one.value for one in seen)
            kill_workers(two_workers, 2)

    Dask(two_workers).run(job, tasks, emit)
    assert sorted(outcome.value for outcome in seen) == list(range(120))
    assert all(outcome.found == 2.0 * outcome.value for outcome in seen)
    begun = Counter(map(int, log.read_text().split()))
    assert {begun[value] for value in committed} == {1}


def test_figures_are_identical_when_a_worker_is_killed(two_workers):
    learners = {"tree": DecisionTreeClassifier(max_features=1), "forest": RandomForestClassifier(5)}
    plan = errbar.plans.KFold(folds=10, repeats=3)
    serial = table(learners, NOISY, Y, Serial(), plan=plan)

    def kill(state):
        if state.done == 10:
            kill_workers(two_workers)

    assert_same(serial, table(learners, NOISY, Y, Dask(two_workers), plan=plan, progress=kill))


@pytest.mark.slow
def test_workers_killed_at_fifty_random_moments(clusters, tmp_path):
    """Every time the figures of one process, and no fit that has come back is done again."""
    features = np.column_stack([np.arange(60.0), np.random.default_rng(1).normal(size=60)])
    learners = {"watched": Watched(str(tmp_path / "log"))}
    plan = errbar.plans.KFold(folds=15, repeats=2)
    serial = table(learners, features, np.arange(60) % 2, Serial(), plan=plan)
    rng = np.random.default_rng(0)
    store, in_the_middle = tmp_path / "runs.db", 0
    for _ in range(50):
        client = two_running(clusters)
        (tmp_path / "log").unlink()
        [victim] = rng.choice([nanny.pid for nanny in client.cluster.workers.values()], 1).tolist()
        kept_before_kill = set()

        def kill(victim=victim, kept=kept_before_kill):
            if store.exists():
                with SQLiteStore(store) as found:
                    kept.update(
                        int(block.examples[0]) * 60 + int(block.examples[-1])
                        for block in found.blocks()
                    )
            os.kill(victim, signal.SIGKILL)

        timer = threading.Timer(rng.uniform(0.05, 0.9), kill)
        timer.start()
        found = table(learners, features, np.arange(60) % 2, Dask(client), plan=plan, store=store)
        timer.join()
        assert_same(serial, found)
        begun = Counter(map(int, (tmp_path / "log").read_text().split()))
        assert {begun[one] for one in kept_before_kill} <= {1}
        in_the_middle += 0 < len(kept_before_kill) < 30
        store.unlink()
        assert eventually(
            lambda gone=victim, at=client: (
                gone not in [one.pid for one in at.cluster.workers.values()]
            )
        )
    assert in_the_middle >= 3
    # Dask gives up on workers that die while they start: the tests that follow get others.
    clusters.append(distributed.Client(local(), set_as_default=False))


def test_a_task_that_kills_its_worker_fails_alone_also_where_it_goes_together_with_others(
    two_workers, tmp_path
):
    job, tasks, _ = doubles(40, tmp_path, deadly=(7,))
    seen = []
    Dask(two_workers).run(job, [Several(tuple(tasks[:10])), *tasks[10:]], seen.append)
    assert sorted(outcome.value for outcome in seen) == list(range(40))
    failed = {outcome.value: outcome.error for outcome in seen if outcome.error}
    assert failed == {7: "WorkerDied: its process was ended by SIGSEGV"}


@pytest.mark.thorough
def test_a_fit_that_kills_its_worker_is_named(two_workers):
    features = np.arange(40.0).reshape(-1, 1)
    learners = {"good": GaussianNB(), "deadly": DiesOfTheFirstExample()}
    plan = errbar.plans.Predefined(
        [(np.arange(20, 40), np.arange(20)), (np.arange(20), np.arange(20, 40))]
    )
    with pytest.raises(errbar.FitFailedError) as caught:
        table(learners, features, np.arange(40) % 2, Dask(two_workers), plan=plan)
    assert caught.value.table.learners == ("good",)


@pytest.mark.parametrize("kept", [False, True])
def test_hostile_learners_are_named_and_the_others_are_kept(two_workers, tmp_path, kept):
    good = {"tree": DecisionTreeClassifier(max_features=1), "bayes": GaussianNB()}
    # Dask's own threads need `sum`, so a learner that takes it away can take the worker with it.
    failing = {name: message for name, (_, message) in FAILING.items() if name != "sum"}
    bad = {name: Hostile(name) for name in failing} | {"stays": Holds(Stays())}
    plan = errbar.plans.KFold(3)
    store = tmp_path / "runs.db" if kept else None
    found = errbar.run(
        {**bad, "forks": Hostile("forks"), **good},
        *(X, Y),
        plan=plan,
        random_state=7,
        executor=Dask(two_workers),
        store=store,
        on_error="keep",
    )
    said = {failure.learner: failure.message for failure in found.failures}
    assert said.keys() == bad.keys()
    for name, message in failing.items():
        assert said[name].startswith(message)
    alone = errbar.run(good, X, Y, plan=plan, random_state=7)
    assert set(found.learners) == {"forks", *good}
    for name in good:
        np.testing.assert_array_equal(
            found.scores[found.learners.index(name)], alone.scores[alone.learners.index(name)]
        )


def test_a_cluster_whose_workers_are_replaced_while_the_data_are_sent(
    two_workers, tmp_path, monkeypatch
):
    job, tasks, _ = doubles(30, tmp_path)
    scatter, seen, left = distributed.Client.scatter, [], [3]

    def fails(self, *arguments, **options):
        left[0] -= 1
        if left[0] >= 0:
            raise OSError("Stream is closed")
        return scatter(self, *arguments, **options)

    monkeypatch.setattr(distributed.Client, "scatter", fails)
    Dask(two_workers).run(job, tasks, seen.append)
    assert sorted(outcome.value for outcome in seen) == list(range(30))
    left[0] = 10**9
    with pytest.raises(ClusterError):
        Dask(two_workers, patience=0.5).run(job, tasks, seen.append)


# What a cluster is asked.


def test_only_a_few_batches_are_in_flight(two_workers, tmp_path):
    job, tasks, log = doubles(
        200, tmp_path, seconds=0.001, said=10.0
    )  # so long that each has a batch of its own
    begun = []
    Dask(two_workers).run(job, tasks, lambda outcome: begun.append(len(log.read_text().split())))
    assert len(begun) == 200
    assert (
        max(count - arrived for arrived, count in enumerate(begun)) <= 2 * cluster_module.IN_FLIGHT
    )


def test_tasks_that_nobody_wants_any_more_are_left_out(two_workers, tmp_path):
    job, tasks, log = doubles(50, tmp_path)
    seen = []
    Dask(two_workers).run(
        job, tasks, seen.append, lambda some: [task for task in some if task.value % 2]
    )
    assert sorted(outcome.value for outcome in seen) == list(range(1, 50, 2))
    assert sorted(map(int, log.read_text().split())) == list(range(1, 50, 2))


def test_large_messages_are_divided(two_workers, tmp_path, monkeypatch):
    monkeypatch.setattr(cluster_module, "LARGEST_MESSAGE", 200)
    job, tasks, _ = doubles(100, tmp_path, seconds=0.001)
    seen = []
    Dask(two_workers).run(job, tasks, seen.append)
    assert sorted(outcome.value for outcome in seen) == list(range(100))


def test_data_are_read_only_and_aligned_in_workers(two_workers):
    @dataclass(frozen=True, eq=False)
    class Looks(Doubles):
        def perform(self, task):
            arrays = list(self.shared.values())
            fine = all(
                one.flags.aligned and one.ctypes.data % 16 == 0 and not one.flags.writeable
                for one in arrays
            )
            return Answer(task.value, float(fine))

    data = {
        size: np.ones(size, dtype=kind)
        for size, kind in ((7, np.int8), (1001, np.int8), (5, float), (30_000, float))
    }
    seen = []
    Dask(two_workers).run(Looks(data), [Number(i) for i in range(8)], seen.append)
    assert [outcome.found for outcome in seen] == [1.0] * 8


def test_an_interrupt_calls_back_what_is_out(two_workers, tmp_path):
    job, tasks, log = doubles(400, tmp_path)
    seen = []

    def emit(outcome):
        seen.append(outcome)
        if len(seen) == 10:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Dask(two_workers).run(job, tasks, emit)
    assert eventually(
        lambda: two_workers.run_on_scheduler(lambda dask_scheduler: len(dask_scheduler.tasks)) == 0
    )
    assert len(log.read_text().split()) < 300


# What it says when there is no cluster to speak of.


def test_a_scheduler_that_does_not_answer(monkeypatch, tmp_path):
    monkeypatch.setattr(cluster_module, "CONNECT_SECONDS", 0.5)
    job, tasks, _ = doubles(2, tmp_path)
    with refused("cluster"):
        Dask("tcp://127.0.0.1:9").run(job, tasks, print)


@pytest.mark.parametrize("cluster", ["nonsense://here:80", "no port", "tcp://host", 8786, None])
def test_something_that_is_no_cluster(cluster, tmp_path):
    job, tasks, _ = doubles(2, tmp_path)
    with refused("cluster"):
        Dask(cluster).run(job, tasks, print)


def test_a_client_that_is_closed(two_workers, tmp_path):
    job, tasks, _ = doubles(2, tmp_path)
    closed = distributed.Client(two_workers.scheduler.address, set_as_default=False)
    closed.close()
    with refused("cluster"):
        Dask(closed).run(job, tasks, print)


def test_workers_with_other_versions(two_workers, tmp_path, monkeypatch):
    job, tasks, _ = doubles(4, tmp_path)
    monkeypatch.setattr(cluster_module, "environment", lambda: "python 2.7, errbar 9.9")
    with refused("cluster"):
        Dask(two_workers).run(job, tasks, print)


def test_learners_that_cannot_travel(two_workers):
    with refused("cluster"):
        Dask(two_workers).run(Doubles([threading.Lock()]), [Number(0)], print)


def test_a_module_that_workers_do_not_have(two_workers, tmp_path, monkeypatch):
    (tmp_path / "only_here.py").write_text("class Thing:\n    pass\n")
    monkeypatch.syspath_prepend(tmp_path)
    import only_here

    job = Doubles([only_here.Thing()])
    with refused("cluster"):
        Dask(two_workers).run(job, [Number(0)], print)


@pytest.mark.thorough
def test_a_cluster_without_workers_is_waited_for_but_not_for_ever(tmp_path):
    job, tasks, _ = doubles(4, tmp_path)
    with local(n_workers=0) as empty:
        with pytest.raises(ClusterError):
            Dask(empty, patience=0.5).run(job, tasks, print)
        seen = []
        empty.scale(1)
        Dask(empty).run(job, tasks, seen.append)
    assert len(seen) == 4


SCHEDULER = """
import sys, time
from distributed import LocalCluster
if __name__ == "__main__":
    cluster = LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=":0")
    print(cluster.scheduler_address, flush=True)
    sys.stdin.read()
"""


@pytest.mark.thorough
def test_a_scheduler_that_dies_leaves_what_was_finished(tmp_path):
    script = tmp_path / "scheduler.py"
    script.write_text(SCHEDULER)
    job, tasks, _ = doubles(200, tmp_path)
    seen = []
    with subprocess.Popen(
        [sys.executable, str(script)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        text=True,
    ) as process:

        def emit(outcome):
            seen.append(outcome)
            if len(seen) == 20:
                process.kill()

        with pytest.raises(ClusterError):
            Dask(process.stdout.readline().strip()).run(job, tasks, emit)
    assert 20 <= len(seen) < 200
