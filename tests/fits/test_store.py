"""The store: what it saves, what it finds again, what it refuses, and what it survives."""

import itertools
import os
import signal
import sqlite3
import subprocess
import sys
import time

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_iris
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.tree import DecisionTreeClassifier

import errbar
from errbar import FitFailedError, InvalidInputError, Store, StoreError
from errbar.fits import Record
from errbar.plans import KFold, Subsampling
from tests.fits.learners import Majority, Raises, RaisesSometimes, Warns
from tests.refusals import refused

X, Y = load_iris(return_X_y=True)
TREE = {"tree": DecisionTreeClassifier()}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "runs.db"


@pytest.fixture(params=["memory", "file"])
def place(request, path):
    """A store in memory, or the path of one."""
    return Store() if request.param == "memory" else path


def run(learners, store, plan=None, X=X, **more):
    given = {"random_state": 0, "loss": "zero-one"} | more
    counts = errbar.run(learners, X, Y, plan=plan or KFold(5), store=store, **given).counts
    return counts.fits, counts.reused


class TestWhatIsKept:
    def test_only_what_is_new_is_fitted(self, place):
        more = {"linear": LogisticRegression(max_iter=1000)}
        assert run(TREE, place) == (5, 0)
        assert run(TREE | more, place) == (5, 5)
        assert run(TREE | more, place, KFold(5, repeats=2)) == (10, 10)
        assert run(TREE | more, place, KFold(5) + Subsampling(repeats=3)) == (6, 10)

    def test_what_the_outcome_depends_on_is_in_the_key(self, place):
        run(TREE, place)
        assert run({"tree": DecisionTreeClassifier(max_depth=2)}, place) == (5, 0)
        assert run({"tree": KNeighborsClassifier()}, place) == (5, 0)
        assert run({"other": DecisionTreeClassifier()}, place) == (5, 0)
        assert run(TREE, place, random_state=1) == (5, 0)
        assert run(TREE, place, X=X + 1e-9) == (5, 0)
        with np.errstate(over="raise"):
            assert run(TREE, place) == (5, 0)
        assert run(TREE, place) == (0, 5)

    def test_another_loss_costs_no_fit(self, place):
        model = {"m": LogisticRegression(max_iter=1000)}
        assert run(model, place) == (5, 0)
        for loss in ("accuracy", "log-loss", "brier", "roc_auc_ovr"):
            assert run(model, place, loss=loss) == (0, 5)

    def test_numbers_from_the_file_are_the_same_bits(self, place):
        learners = {
            "tree": DecisionTreeClassifier(max_features=1),
            "linear": LogisticRegression(max_iter=1000),
            "shared": KNeighborsClassifier(),
        }
        plan = KFold(10)
        fresh = errbar.run(learners, X, Y, plan=plan, random_state=0)
        for _ in range(2):
            kept = errbar.run(learners, X, Y, plan=plan, random_state=0, store=place)
            np.testing.assert_array_equal(kept.points, fresh.points)
            for one, other in zip(kept.predictions, fresh.predictions, strict=True):
                assert one.keys() == other.keys()
                for kind in one:
                    assert one[kind].dtype == other[kind].dtype
                    np.testing.assert_array_equal(one[kind], other[kind])

    def test_regression(self, path):
        data, y = load_diabetes(return_X_y=True)
        tables = [
            errbar.run({"r": Ridge()}, data, y, plan=KFold(3), random_state=0, store=store)
            for store in (None, path, path)
        ]
        np.testing.assert_array_equal(tables[0].scores, tables[2].scores)
        assert tables[2].counts.reused == 3

    def test_warnings_come_back(self, path):
        learners = {"warns": Warns()}
        first = errbar.run(learners, X, Y, plan=KFold(5), random_state=0, store=path)
        again = errbar.run(learners, X, Y, plan=KFold(5), random_state=0, store=path)
        assert again.notes == first.notes != ()

    def test_failed_fits_are_known_and_tried_again(self, path):
        marked = X.copy()
        marked[0, 0] = 0
        learners = {"some": RaisesSometimes(), "good": Majority()}
        for _ in range(2):
            with pytest.raises(FitFailedError):
                run(learners, path, X=marked)
            with Store(path) as store:
                facts = [record.facts for _, record in store.each() if "error" in record.facts]
                done = [r for _, r in store.each() if "label" in r.arrays]
            assert len(done) == 6
            assert {one["error"] for one in facts} == {
                "ValueError: the first example is in the training set"
            }
            assert len(facts) == 4

    def test_finished_fits_stay_when_others_fail(self, place):
        with pytest.raises(FitFailedError):
            run({"broken": Raises(), "good": Majority()}, place)
        assert run({"good": Majority()}, place) == (0, 5)


class TestLearnersThatCannotBeRecognised:
    def endless(self):
        numbers = (number for number in itertools.count())
        model = FunctionTransformer(lambda x: x + 0 * next(numbers))
        return {"m": make_pipeline(model, KNeighborsClassifier())}

    def test_are_refused_before_a_fit(self, path):
        with pytest.raises(InvalidInputError):
            run(TREE | self.endless(), path)

    def test_functions_without_a_name_are_told_apart_by_what_they_do(self, place):
        for power in (1, 2):
            for expected in ((5, 0), (0, 5)):
                model = FunctionTransformer(lambda x, p=power: x**p)
                assert run({"m": make_pipeline(model, Majority())}, place) == expected
        both = [FunctionTransformer(lambda x: x + 1), FunctionTransformer(lambda x: x + 2)]
        for model in both:
            assert run({"m": make_pipeline(model, Majority())}, place) == (5, 0)

    def test_a_seed_must_be_given(self, path):
        for store in (path, str(path)):
            with refused("random_state"):
                errbar.run(TREE, X, Y, plan=KFold(5), store=store)
        assert not path.exists()


class TestFiles:
    def test_stores_that_cannot_be_used(self, tmp_path):
        for store in (tmp_path, tmp_path / "no" / "runs.db", 3):
            with refused("store"):
                run(TREE, store)

    @pytest.mark.parametrize("statement", ["PRAGMA user_version = 7", "CREATE TABLE other (a)"])
    def test_the_file_of_another_program_or_version_is_left_alone(self, path, statement):
        if statement.startswith("PRAGMA"):
            run(TREE, path)
        other = sqlite3.connect(path)
        other.execute(statement)
        other.commit()
        other.close()
        content = path.read_bytes()
        with refused("store"):
            run(TREE, path)
        assert path.read_bytes() == content

    def test_no_database_at_all(self, path):
        path.write_text("my thesis" * 1000)
        with pytest.raises(StoreError):
            run(TREE, path)
        assert path.read_text() == "my thesis" * 1000

    def test_an_empty_file_becomes_a_store(self, path):
        path.touch()
        assert run(TREE, path) == (5, 0)

    def test_a_closed_store_says_so(self, path):
        store = Store(path)
        store.close()
        with pytest.raises(StoreError):
            store.find(["k"])

    @pytest.mark.unix
    def test_a_forked_child_is_refused_and_harms_nothing(self, path):
        with Store(path) as store:
            child = os.fork()
            if child == 0:
                try:
                    store.find(["k"])
                except StoreError:
                    os._exit(0)
                os._exit(1)
            assert os.waitpid(child, 0)[1] == 0
            store.put("k", Record({"x": np.arange(3)}))
        with Store(path) as store:
            assert list(dict(store.each())) == ["k"]


class TestDamage:
    @pytest.fixture
    def filled(self, path):
        rng = np.random.default_rng(0)
        with Store(path) as store:
            for i in range(300):
                store.put(f"{i:03}", Record({"x": rng.integers(0, 9, 150)}, {"i": i}))
        return path

    def test_what_was_changed_is_never_given(self, filled, rng):
        with Store(filled) as store:
            written = {key: one.arrays["x"].tolist() for key, one in store.each()}
        content = bytearray(filled.read_bytes())
        for place in rng.integers(5 * 4096, len(content), 300):
            content[place] ^= int(rng.integers(1, 256))
        filled.write_bytes(content)
        try:
            with Store(filled) as store:
                found = store.find([f"{i:03}" for i in range(300)])
                assert store.damaged
        except StoreError:
            found = {}
        for key, record in found.items():
            assert record.arrays["x"].tolist() == written[key]
            assert record.facts["i"] == int(key)

    @pytest.mark.parametrize("column", ["about", "content", "proof"])
    def test_a_damaged_record_is_fitted_again_and_said(self, path, column):
        whole = errbar.run(TREE, X, Y, plan=KFold(5), random_state=0, store=path)
        other = sqlite3.connect(path)
        other.execute(
            f"UPDATE record SET {column} = CAST(x'7bff' AS BLOB) WHERE key = "
            "(SELECT max(key) FROM record WHERE key NOT LIKE 'data%')"
        )
        other.commit()
        other.close()
        found = errbar.run(TREE, X, Y, plan=KFold(5), random_state=0, store=path)
        np.testing.assert_array_equal(found.points, whole.points)
        assert (found.counts.fits, found.counts.reused) == (1, 4)
        assert [note.numbers for note in found.notes] == [{"damaged": (1,)}]
        assert run(TREE, path) == (0, 5)

    def test_a_record_that_took_the_place_of_another_is_damaged(self, filled):
        other = sqlite3.connect(filled)
        other.execute("DELETE FROM record WHERE key = '001'")
        other.execute("UPDATE record SET key = '001' WHERE key = '002'")
        other.commit()
        other.close()
        with Store(filled) as store:
            assert store.find(["001"]) == {}
            assert store.damaged == {"001"}

    @pytest.mark.parametrize("share", [0.9, 0.5, 0.1])
    def test_a_file_cut_short_is_said_to_be_damaged(self, filled, share):
        content = filled.read_bytes()
        filled.write_bytes(content[: int(share * len(content))])
        with pytest.raises(StoreError):
            run(TREE, filled)


@pytest.mark.parametrize(
    "flips",
    [
        pytest.param(20, marks=pytest.mark.long),
        *(pytest.param(flips, marks=pytest.mark.slow) for flips in (999, 1001)),
    ],
)
def test_one_bit(path, rng, tell, flips):
    """Whichever bit of the file is another one: no record is, or the file is refused."""
    written = {f"{i:03}": rng.integers(0, 9, 150) for i in range(300)}
    with Store(path) as store:
        for key, values in written.items():
            store.put(key, Record({"x": values}))
    content = path.read_bytes()
    outcomes = {"sound": 0, "damaged": 0, "refused": 0}
    for place in rng.integers(0, 8 * len(content), flips):
        changed = bytearray(content)
        changed[place // 8] ^= 1 << int(place % 8)
        path.write_bytes(changed)
        outcomes[_read_and_written_again(path, written)] += 1
        for log in path.parent.glob("runs.db-*"):
            log.unlink()
    tell(flips=flips, **outcomes)


def _read_and_written_again(path, written):
    """Return what became of a file of which one bit was changed."""
    try:
        with Store(path) as store:
            found = store.find(written)
            for key, record in found.items():
                np.testing.assert_array_equal(record.arrays["x"], written[key])
            for key in written.keys() - found.keys():
                store.put(key, Record({"x": written[key]}))
            store.save(last=True)
            if store.problem is not None:
                return "refused"
            again = store.find(written)
            for key, record in again.items():
                np.testing.assert_array_equal(record.arrays["x"], written[key])
            return "sound" if len(found) == len(written) else "damaged"
    except (StoreError, InvalidInputError):
        return "refused"


class TestWhatCannotBeWritten:
    def test_the_run_goes_on_says_so_once_and_tries_again(self, path, monkeypatch, caplog):
        """While another process holds the file for too long."""
        monkeypatch.setattr("errbar.fits.store._WAIT_SECONDS", 0.05)
        with Store(path) as store:
            other = sqlite3.connect(path, isolation_level=None)
            other.execute("BEGIN IMMEDIATE")
            store.put("k", Record({"x": np.arange(3)}))
            for _ in range(2):
                store.save(last=True)
            assert [record.levelname for record in caplog.records] == ["WARNING"]
            assert len(store.waiting) == 1
            assert "k" in store.find(["k"])
            other.execute("ROLLBACK")
            other.close()
        with Store(path) as store:
            assert dict(store.each()).keys() == {"k"}

    @pytest.mark.parametrize("failing", range(8))
    def test_each_write_may_fail_once(self, path, monkeypatch, failing):
        """Whichever transaction finds a full disk: the numbers are right, and the file stays sound."""
        expected = errbar.run(TREE, X, Y, plan=KFold(6), random_state=0)
        real, count = Store._transaction, itertools.count()

        def transaction(store):
            if next(count) == failing:
                raise StoreError("database or disk is full")
            return real(store)

        monkeypatch.setattr(Store, "_transaction", transaction)
        monkeypatch.setattr("errbar.fits.store._SAVE_SECONDS", 0.0)
        found = errbar.run(TREE, X, Y, plan=KFold(6), random_state=0, store=path)
        np.testing.assert_array_equal(found.points, expected.points)
        monkeypatch.setattr(Store, "_transaction", real)
        again = errbar.run(TREE, X, Y, plan=KFold(6), random_state=0, store=path)
        np.testing.assert_array_equal(again.points, expected.points)
        assert again.counts.reused == 6


_SHARE = """
import sys
import errbar
from sklearn.datasets import load_iris
from tests.fits.test_store import Logged
X, y = load_iris(return_X_y=True)
learners = {name: Logged(sys.argv[2], name) for name in "abc"}
sys.stdin.readline()
table = errbar.run(learners, X, y, plan=errbar.plans.KFold(10, repeats=4), random_state=0, store=sys.argv[1], n_jobs=int(sys.argv[3]))
print(table.counts.fits, table.counts.reused, float(table.scores.sum()))
"""


class Logged(Majority):
    """Writes down each fit that it begins, and takes a moment."""

    def __init__(self, log="", name=""):
        self.log = log
        self.name = name

    def fit(self, X, y):
        descriptor = os.open(self.log, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        os.write(descriptor, f"{self.name}\n".encode())
        os.close(descriptor)
        time.sleep(0.03)
        return super().fit(X, y)


def shared(tmp_path, jobs=1):
    """Start a process that fits on a store, once it is told to."""
    command = [sys.executable, "-c", _SHARE, str(tmp_path / "runs.db"), str(tmp_path / "log")]
    return subprocess.Popen(
        [*command, str(jobs)],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


@pytest.mark.long
@pytest.mark.parametrize(("count", "jobs"), [(3, 1), (2, 2)])
def test_several_processes_on_one_store_do_the_fits_of_one(tmp_path, count, jobs):
    processes = [shared(tmp_path, jobs) for _ in range(count)]
    for process in processes:
        process.stdin.write("go\n")
        process.stdin.flush()
    answers = [process.communicate()[0].split() for process in processes]
    assert all(process.returncode == 0 for process in processes)
    assert len((tmp_path / "log").read_text().split()) == 120
    assert sum(int(fits) for fits, _, _ in answers) == 120
    assert all(int(fits) + int(reused) == 120 for fits, reused, _ in answers)
    assert len({score for _, _, score in answers}) == 1
    assert sorted(tmp_path.iterdir()) == [tmp_path / "log", tmp_path / "runs.db"]


@pytest.mark.long
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="processes cannot be killed here")
@pytest.mark.parametrize(("jobs", "seconds"), [(1, 2.5), (1, 3.5), (2, 4.0), (2, 5.0)])
def test_a_killed_run_goes_on_at_once_and_loses_a_quarter_of_a_second(tmp_path, jobs, seconds):
    process = shared(tmp_path, jobs)
    process.stdin.write("go\n")
    process.stdin.flush()
    time.sleep(seconds)
    process.kill()
    process.communicate()
    log = tmp_path / "log"
    begun = len(log.read_text().split()) if log.exists() else 0
    started = time.monotonic()
    after = shared(tmp_path)
    fits, reused, _ = after.communicate("go\n")[0].split()
    assert int(fits) + int(reused) == 120
    assert begun - int(reused) <= 2 * 0.5 / 0.03 + 8
    assert time.monotonic() - started < 30.0


_RUN = """
import sys
sys.path[:0] = sys.argv[2:]
import errbar
from sklearn.datasets import load_iris
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.tree import DecisionTreeClassifier
from sklearn.svm import SVC
import numpy as np
from parts import Weighted, half
X, y = load_iris(return_X_y=True)
learners = {
    "words": Weighted(words={"beta", "alpha", "gamma", "delta"}, more=frozenset("abcdefg"), table={"b": 1, "a": [2]}),
    "half": make_pipeline(FunctionTransformer(half), DecisionTreeClassifier()),
    "log": make_pipeline(FunctionTransformer(np.log1p), DecisionTreeClassifier()),
    "search": GridSearchCV(DecisionTreeClassifier(), {"max_depth": [1, 2]}, cv=StratifiedKFold(2, shuffle=True)),
    "svc": SVC(class_weight={0: 1.0, 1: 2.0, 2: 1.0}),
}
counts = errbar.run(learners, X, y, plan=errbar.plans.KFold(4), random_state=0, store=sys.argv[1], loss="zero-one").counts
print(counts.fits, counts.reused)
"""

_PARTS = """
from sklearn.tree import DecisionTreeClassifier

def half(X):
    return X / 2

class Weighted(DecisionTreeClassifier):
    def __init__(self, words=None, more=None, table=None):
        super().__init__()
        self.words, self.more, self.table = words, more, table
"""


@pytest.mark.long
def test_keys_survive_a_restart_and_another_place(tmp_path, path):
    """Other hash seeds, other folders, as on another machine: everything is found again."""
    answers = []
    for seed in (1, 2, 3):
        place = tmp_path / f"machine{seed}"
        place.mkdir()
        (place / "parts.py").write_text(_PARTS)
        environment = os.environ | {"PYTHONHASHSEED": str(seed), "PYTHONDONTWRITEBYTECODE": "1"}
        command = [sys.executable, "-c", _RUN, str(path), str(place)]
        ended = subprocess.run(
            command, cwd=place, env=environment, capture_output=True, text=True, check=False
        )
        assert ended.returncode == 0, ended.stderr
        answers.append(ended.stdout.split())
    assert answers == [["20", "0"], ["0", "20"], ["0", "20"]]
