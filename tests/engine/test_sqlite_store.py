"""The store on disk: what it keeps, what it finds again, and what it refuses."""

import multiprocessing
import os
import sqlite3
import subprocess
import sys
import threading
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
from errbar import InvalidInputError, SQLiteStore, StoreError
from errbar._records import Record, RecordFile
from errbar._rescue import rescue
from errbar.engine import Isolated
from errbar.engine.stores import Writer
from errbar.engine.work import Block
from errbar.plans import KFold, Subsampling
from tests.engine.learners import Majority, Raises, RaisesSometimes, Warns
from tests.refusals import refused

pytestmark = pytest.mark.long

X, Y = load_iris(return_X_y=True)
TREE = {"tree": DecisionTreeClassifier()}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "runs.db"


def run(learners, store, plan=None, X=X, **more):
    given = {"random_state": 0, "loss": "zero-one"} | more
    counts = errbar.run(learners, X, Y, plan=plan or KFold(5), store=store, **given).counts
    return counts.fits, counts.reused


class TestWhatIsKept:
    def test_only_what_is_new_is_fitted(self, path):
        nn = LogisticRegression(max_iter=1000)
        assert run(TREE, path) == (5, 0)
        assert run(TREE, str(path)) == (0, 5)
        assert run(TREE | {"nn": nn}, path) == (5, 5)
        assert run(TREE | {"nn": nn}, path, KFold(5, repeats=2)) == (10, 10)
        assert run(TREE | {"nn": nn}, path, KFold(5) + Subsampling(repeats=3)) == (6, 10)
        assert run(TREE, path, KFold(5), random_state=1) == (5, 0)
        assert run(TREE, path, X=X + 1e-9) == (5, 0)

    def test_another_method_or_loss_of_the_same_predictions_needs_no_fit(self, path):
        learners = TREE | {"logistic": LogisticRegression(max_iter=1000)}
        arguments = {"plan": Subsampling(repeats=10), "random_state": 0, "store": path}
        assert errbar.compare(learners, X, Y, **arguments).table.counts.fits == 20
        for more in (
            {"method": "resampled-t"},
            {"loss": "accuracy"},
            {"loss": "f1_macro"},
            {"level": 0.9},
        ):
            again = errbar.compare(learners, X, Y, **arguments, **more)
            assert (again.table.counts.fits, again.table.counts.reused) == (0, 20)
        probabilities = [
            errbar.compare(learners, X, Y, **arguments, loss=name) for name in ("log-loss", "brier")
        ]
        assert [one.table.counts.fits for one in probabilities] == [0, 0]

    @pytest.mark.parametrize("executor", [None, Isolated(2)])
    def test_numbers_from_the_file_are_the_same_bits(self, path, executor):
        learners = {
            "tree": DecisionTreeClassifier(max_features=1),
            "logistic": LogisticRegression(max_iter=1000),
        }
        fresh = errbar.run(learners, X, Y, plan=KFold(5), random_state=0)
        for _ in range(2):
            kept = errbar.run(
                learners, X, Y, plan=KFold(5), random_state=0, store=path, executor=executor
            )
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

    @pytest.mark.parametrize(
        "classes",
        [
            ["a", "\u00e9", "'=b"],
            [-1, 2**53],
            [False, True],
            [1.0, 2.0],
            [b"a", b"b"],
            [2**63, 2**63 + 2**20],
        ],
        ids=str,
    )
    def test_the_target_comes_back_as_it_was(self, path, classes):
        y = np.array(classes * 10)
        plan = {"plan": KFold(2), "random_state": 0}
        target = errbar.run({"a": Majority()}, np.zeros((y.size, 1)), y, store=path, **plan).target
        with SQLiteStore(path) as store:
            [digest] = {block.data for block in store.blocks()}
            found = store.target(digest)
        assert found.values.tolist() == target.values.tolist()
        text = [one.decode() if isinstance(one, bytes) else one for one in sorted(classes)]
        assert found.classes.tolist() == text
        assert found.classes.dtype.kind == np.array(text).dtype.kind

    def test_the_target_of_a_regression(self, path):
        y = np.random.default_rng(0).normal(size=30)
        errbar.run(
            {"ridge": Ridge()}, y[:, None] ** 2, y, plan=KFold(3), store=path, random_state=0
        )
        with SQLiteStore(path) as store:
            found = store.target(next(store.blocks()).data)
            assert store.target("another") is None
        assert found.classes is None
        assert found.values.tolist() == y.tolist()

    def test_warnings_and_seconds_come_back(self, path):
        learners = {"warns": Warns()}
        first = errbar.run(learners, X, Y, plan=KFold(5), random_state=0, store=path)
        again = errbar.run(learners, X, Y, plan=KFold(5), random_state=0, store=path)
        assert again.notes == first.notes != ()
        with SQLiteStore(path) as store:
            assert all(block.seconds > 0.0 and block.warnings for block in store.blocks())
            assert store.info()["learners"][0]["fits"] == 5

    def test_failed_fits_are_known_tried_again_and_forgotten_when_done(self, path):
        marked = X.copy()
        marked[0, 0] = 0
        learners = {"some": RaisesSometimes(), "good": Majority()}
        for _ in range(2):
            with pytest.raises(errbar.FitFailedError):
                run(learners, path, X=marked)
            with SQLiteStore(path) as store:
                assert len(store) == 6
                assert len(store.failures()) == store.info()["failed"] == 4
                [failure] = {block.error for block in store.failures()}
                assert failure == "ValueError: the first example is in the training set"
                assert (
                    "RaisesSometimes" in store.failures()[0].traceback
                    or "raise" in store.failures()[0].traceback
                )
                done = [
                    Block(b.key, b.learner, b.split, b.examples, data=b.data)
                    for b in store.failures()
                ]
                store.put(done[:1])
                assert len(store.failures()) == 3
                store.prune([f"fit/{done[0].key}"])

    def test_a_fit_that_another_process_has_done_is_no_failure(self, path):
        block = {"key": "k", "learner": "a", "split": "s", "examples": np.arange(3), "data": "d"}
        with SQLiteStore(path) as store:
            store.put([Block(**block)])
            store.put([Block(**block, error="MemoryError: for lack of memory here")])
            assert store.failures() == []
            assert store.info()["failed"] == 0
            assert store.done(["k", "l"]) == {"k"}


_RUN = """
import sys
sys.path[:0] = sys.argv[2:]
import errbar
from sklearn.datasets import load_iris
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder
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


def test_keys_survive_a_restart_and_another_place(tmp_path, path):
    """Other hash seeds, other folders, as on another machine: everything is found again."""
    answers = []
    for seed in (1, 2, 3):
        place = tmp_path / f"machine{seed}"
        place.mkdir()
        (place / "parts.py").write_text(_PARTS)
        surroundings = os.environ | {"PYTHONHASHSEED": str(seed), "PYTHONDONTWRITEBYTECODE": "1"}
        command = [sys.executable, "-c", _RUN, str(path), str(place)]
        ended = subprocess.run(
            command, cwd=place, env=surroundings, capture_output=True, text=True, check=False
        )
        assert ended.returncode == 0, ended.stderr
        answers.append(ended.stdout.split())
    assert answers == [["20", "0"], ["0", "20"], ["0", "20"]]


class TestLearnersThatCannotBeRecognised:
    def lambdas(self, power):
        numbers = (number for number in [power])
        return {
            "power": make_pipeline(
                FunctionTransformer(lambda x: x ** len([numbers])), KNeighborsClassifier()
            )
        }

    def test_are_refused_with_a_way_out(self, path):
        with pytest.raises(InvalidInputError):
            run(self.lambdas(1), path)
        assert run(self.lambdas(1), path, version={"power": "first"}) == (5, 0)
        assert run(self.lambdas(1), path, version={"power": "first"}) == (0, 5)
        assert run(self.lambdas(2), path, version={"power": "second"}) == (5, 0)
        assert run(self.lambdas(1), path, version={"power": "first"}, executor=Isolated(2)) == (
            0,
            5,
        )

    def test_nothing_is_fitted_before_they_are_refused(self, path):
        with pytest.raises(InvalidInputError):
            run(TREE | self.lambdas(1), path)
        assert len(SQLiteStore(path)) == 0 if path.exists() else True

    @pytest.mark.parametrize("version", [{"spruce": "1"}, {"tree": 1}])
    def test_versions_that_cannot_be_used(self, path, version):
        with refused("version"):
            run(TREE, path, version=version)

    def test_a_version_never_stands_for_parameters(self, path):
        assert run(TREE, path) == (5, 0)
        assert run(TREE, path, version={"tree": "1"}) == (5, 0)
        assert run({"tree": DecisionTreeClassifier(max_depth=1)}, path, version={"tree": "1"}) == (
            5,
            0,
        )

    def test_a_seed_must_be_given(self, path):
        for store in (path, str(path)):
            with refused("random_state"):
                errbar.run(TREE, X, Y, plan=KFold(5), store=store)
        assert not path.exists()


class TestFiles:
    def test_stores_that_cannot_be_used(self, tmp_path):
        for store in (tmp_path, tmp_path / "no" / "runs.db", 3):
            with pytest.raises(InvalidInputError):
                run(TREE, store)

    def test_a_newer_file_is_left_alone(self, path):
        run(TREE, path)
        other = sqlite3.connect(path)
        other.execute("PRAGMA user_version = 7")
        other.commit()
        other.close()
        content = path.read_bytes()
        with pytest.raises(InvalidInputError):
            run(TREE, path)
        assert path.read_bytes() == content

    def test_the_file_of_another_program_is_left_alone(self, path):
        other = sqlite3.connect(path)
        other.execute("CREATE TABLE record (name TEXT)")
        other.commit()
        other.close()
        content = path.read_bytes()
        with refused("store"):
            run(TREE, path)
        assert path.read_bytes() == content

    def test_an_empty_file_becomes_a_store(self, path):
        path.touch()
        assert run(TREE, path) == (5, 0)

    def test_a_closed_store_says_so(self, path):
        store = SQLiteStore(path)
        store.close()
        with pytest.raises(StoreError):
            store.done(["k"])

    def test_another_thread_is_told_so(self, path):
        """It is no damage."""
        refusals = []

        def ask():
            try:
                store.done(["k"])
            except StoreError as error:
                refusals.append(error)

        with SQLiteStore(path) as store:
            thread = threading.Thread(target=ask)
            thread.start()
            thread.join()
            assert store.verify() == []
        assert len(refusals) == 1

    def test_looking_needs_no_right_to_write(self, path):
        run(TREE, path)
        with SQLiteStore(path, write=False) as store:
            assert len(store) == 5


def _open_and_write(path, start, said):
    while time.time() < start:
        pass
    try:
        with RecordFile(path) as file:
            file.put([(str(os.getpid()), Record({"x": np.arange(3)}))])
        said.put("")
    except Exception as error:  # noqa: BLE001 - whatever it is, the test says it
        said.put(repr(error))


@pytest.mark.thorough
def test_many_processes_make_the_same_file_at_once(tmp_path):
    context = multiprocessing.get_context("fork")
    for number in range(12):
        said, start = context.SimpleQueue(), time.time() + 0.1
        arguments = (tmp_path / f"{number}.db", start, said)
        processes = [context.Process(target=_open_and_write, args=arguments) for _ in range(6)]
        for process in processes:
            process.start()
        for process in processes:
            process.join()
        assert [said.get() for _ in processes] == [""] * 6


class TestDamage:
    @pytest.fixture
    def filled(self, path):
        rng = np.random.default_rng(0)
        with RecordFile(path) as file:
            for start in range(0, 400, 100):
                file.put(
                    (f"fit/{i:03}", Record({"x": rng.integers(0, 9, 150)}, {"i": i}))
                    for i in range(start, start + 100)
                )
        return path

    def test_rescue_of_a_sound_file_keeps_everything(self, filled, tmp_path):
        assert rescue(filled, tmp_path / "new.db") == 400
        with RecordFile(filled) as old, RecordFile(tmp_path / "new.db") as new:
            assert list(new.facts()) == list(old.facts())
            np.testing.assert_array_equal(
                new.get("fit/007").arrays["x"], old.get("fit/007").arrays["x"]
            )

    def test_rescue_keeps_what_stands_in_the_log(self, filled, tmp_path):
        with RecordFile(filled) as file:
            file.put([("late", Record({"x": np.arange(5)}))])
            assert filled.with_name("runs.db-wal").stat().st_size > 0
            assert rescue(filled, tmp_path / "new.db") == 401

    @pytest.mark.parametrize(("share", "least"), [(0.9, 340), (0.5, 180), (0.1, 30)])
    def test_rescue_of_a_file_cut_short(self, filled, tmp_path, share, least):
        content = filled.read_bytes()
        filled.write_bytes(content[: int(share * len(content))])
        with pytest.raises(StoreError):
            RecordFile(filled)
        kept = rescue(filled, tmp_path / "new.db")
        assert least <= kept < 400 * share + 20
        with RecordFile(tmp_path / "new.db") as new:
            assert new.damaged() == []

    def test_rescue_never_keeps_what_was_not_written(self, filled, tmp_path, rng):
        content = bytearray(filled.read_bytes())
        with RecordFile(filled) as file:
            written = {name: file.get(name).arrays["x"].tolist() for name in file.names()}
        for place in rng.integers(5 * 4096, len(content), 300):
            content[place] ^= int(rng.integers(1, 256))
        filled.write_bytes(content)
        rescue(filled, tmp_path / "new.db")
        with RecordFile(tmp_path / "new.db") as new:
            found = {name: new.get(name).arrays["x"].tolist() for name in new.names()}
        same = [name for name in found if found[name] == written.get(name)]
        assert len(same) > 100
        assert sorted(same) == sorted(found)

    def test_rescue_refuses_to_overwrite(self, filled, tmp_path):
        (tmp_path / "new.db").write_text("mine")
        with pytest.raises(InvalidInputError):
            rescue(filled, tmp_path / "new.db")
        assert (tmp_path / "new.db").read_text() == "mine"

    def test_unreadable_text_is_a_damaged_record(self, filled):
        other = sqlite3.connect(filled)
        other.execute("UPDATE record SET facts = CAST(x'7bff' AS TEXT) WHERE name = 'fit/003'")
        other.commit()
        other.close()
        with RecordFile(filled) as file:
            assert file.damaged() == ["fit/003"]
            with pytest.raises(StoreError):
                file.get("fit/003")
            with pytest.raises(StoreError):
                list(file.facts())


def test_what_cannot_be_written_is_tried_again(path):
    """While another process holds the file for too long; a block is never dropped."""
    block = Block("k", "a", "s", np.arange(3), {"label": np.arange(3)}, data="d")
    with SQLiteStore(path) as store:
        store._file._database.execute("PRAGMA busy_timeout = 50")
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with Writer(store) as writer:
            writer.put(block)
            writer.flush()
            assert "database is locked" in str(writer.problem)
            assert writer.lost == 1
            other.execute("ROLLBACK")
            other.close()
        assert writer.problem is None
        assert writer.lost == 0
        assert store.done(["k"]) == {"k"}


def test_failures_of_every_fit_leave_a_usable_store(path):
    with pytest.raises(errbar.FitFailedError):
        run({"broken": Raises()}, path)
    assert run(TREE, path) == (5, 0)
