"""What is kept is what would be computed: whatever the store has seen, whoever else uses it, whatever fails."""

import json
import logging
import os
import subprocess
import sys

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_iris
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

import errbar
from errbar import FitFailedError, InvalidInputError, SQLiteStore, StoreError
from errbar.engine import Isolated
from errbar.plans import KFold, Subsampling
from tests.engine.learners import Majority
from tests.refusals import refused

pytestmark = pytest.mark.long

X, Y = load_iris(return_X_y=True)
TREE = {"tree": DecisionTreeClassifier(max_features=2)}
MANY = np.random.default_rng(0).normal(size=(1200, 3))
NAMES = np.where(MANY[:, 0] > 0, "yes", "no")


@pytest.fixture
def path(tmp_path):
    return tmp_path / "runs.db"


def run(learners, store, repeats=12, **more):
    return errbar.run(
        learners, X, Y, plan=Subsampling(repeats=repeats), random_state=0, store=store, **more
    )


@pytest.mark.parametrize(
    "learner",
    [
        KNeighborsClassifier(3),
        KNeighborsClassifier(3, weights="distance"),
        LinearDiscriminantAnalysis(),
        GaussianNB(),
    ],
)
class TestBitsDoNotDependOnWhatTheStoreHasSeen:
    def test_more_splits(self, path, learner):
        alone = run({"m": learner}, None)
        for repeats in (3, 7, 10, 9, 15, 12):
            found = run({"m": learner}, path, repeats)
            np.testing.assert_array_equal(
                found.points[:, : 12 * 15], alone.points[:, : repeats * 15]
            )

    def test_shared_and_alone(self, path, learner):
        shared, alone = run({"m": learner}, None), run({"m": learner}, None, share=False)
        assert shared.counts.shared
        for share, expected in ((True, shared), (False, alone), (True, shared)):
            found = run({"m": learner}, path, share=share)
            for kind, values in expected.predictions[0].items():
                np.testing.assert_array_equal(found.predictions[0][kind], values)
        assert found.counts.reused == 12


@pytest.mark.parametrize("entry", [errbar.run, errbar.compare, errbar.evaluate])
def test_another_loss_costs_no_fit_from_any_entry(path, entry):
    one, both = (
        SVC(),
        {"svm": SVC(), "log": LogisticRegression(max_iter=500), "tree": DecisionTreeClassifier()},
    )
    two = Y[:100]

    def fits(loss):
        asked = {"plan": KFold(5), "loss": loss, "random_state": 0, "store": path}
        if entry is errbar.evaluate:
            table = errbar.run({"learner": one}, X[:100], two, **asked)
        else:
            answer = entry(both, X[:100], two, **asked)
            table = getattr(answer, "table", answer)
        return table.counts.fits, table.counts.reused

    total = 5 if entry is errbar.evaluate else 15
    assert fits(None) == (total, 0)
    for loss in ("f1", "roc_auc", "balanced_accuracy"):
        assert fits(loss) == (0, total)


def test_every_output_is_kept(path):
    errbar.run(
        {"log": LogisticRegression(max_iter=500)},
        X,
        Y,
        plan=KFold(5),
        random_state=0,
        store=path,
        loss="zero-one",
    )
    with SQLiteStore(path) as store:
        assert all(
            set(block.predictions) == {"label", "probability", "decision"}
            for block in store.blocks()
        )


class ShortOfProbabilities(Majority):
    """Its labels are fine, and its probabilities are not."""

    def predict_proba(self, X):
        raise ValueError("no probabilities today")


def test_an_output_that_the_loss_does_not_take_may_fail(path):
    learners = {"short": ShortOfProbabilities()}
    assert run(learners, path).counts.fits == 12
    with pytest.raises(FitFailedError):
        run(learners, path, loss="log-loss")


class TestReadOnly:
    def test_a_store_that_has_all_fits_gives_them(self, path):
        run(TREE, path)
        with SQLiteStore(path, write=False) as store:
            assert run(TREE, store).counts.reused == 12

    def test_a_store_that_lacks_some_is_refused_before_a_fit(self, path):
        run(TREE, path)
        with (
            SQLiteStore(path, write=False) as store,
            pytest.raises(StoreError),
        ):
            run(TREE, store, repeats=15)


class Fails(ClassifierMixin, BaseEstimator):
    """Cannot take text, or some training sets; writes down each fit that it begins."""

    def __init__(self, log="", of=0):
        self.log = log
        self.of = of

    def fit(self, X, y):
        if self.log:
            with open(self.log, "a", encoding="utf-8") as file:  # noqa: PTH123 - what is appended whole is written whole
                file.write(f"{len(y)}\n")
        if self.of == 0 or int(abs(X[0, 0]) * 1e6) % self.of == 0:
            raise TypeError("numbers only, please")
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[0])


class TestFailures:
    @pytest.mark.parametrize("executor", [None, Isolated(2)])
    def test_a_hopeless_learner_is_given_up_at_once(self, tmp_path, caplog, executor):
        log = tmp_path / "log"
        learners = {"tree": DecisionTreeClassifier(), "bad": Fails(str(log))}
        with caplog.at_level(logging.WARNING, "errbar"):
            table = errbar.run(
                learners,
                MANY,
                NAMES,
                plan=KFold(30),
                random_state=0,
                on_error="keep",
                executor=executor,
            )
        sizes = [int(line) for line in log.read_text().split()]
        assert sizes[0] <= 24
        assert len([size for size in sizes if size > 24]) < 8
        assert table.learners == ("tree",)
        assert len(table.failures) == 30
        assert all("numbers only, please" in failure.message for failure in table.failures)
        assert [(note.code, note.numbers["what"]) for note in table.notes] == [
            ("left-out", ("bad",))
        ]
        assert [record.args[0] for record in caplog.records] == ["bad"]

    def test_a_learner_that_needs_more_than_a_handful_is_not_given_up(self):
        learners = {"nn": KNeighborsClassifier(100, metric=lambda a, b: abs(a - b).sum())}
        table = errbar.run(learners, MANY[:600], NAMES[:600], plan=KFold(3), random_state=0)
        assert table.counts.fits == 3

    def test_a_learner_that_fails_now_and_then_is_tried_on_every_training_set(self, tmp_path):
        log = tmp_path / "log"
        with pytest.raises(FitFailedError) as caught:
            errbar.run(
                {"m": Fails(str(log), of=3)},
                MANY,
                NAMES,
                plan=Subsampling(repeats=40),
                random_state=1,
            )
        assert len([size for size in log.read_text().split() if int(size) > 24]) == 40
        assert 0 < len(caught.value.failures) < 40

    def test_keep_leaves_failed_learners_out_and_drops_their_baseline(self):
        learners = {"bad": Fails(), "tree": DecisionTreeClassifier(), "nn": KNeighborsClassifier()}
        kept = errbar.compare(learners, X, Y, random_state=0, on_error="keep", baseline="bad")
        assert kept.table.learners == ("tree", "nn")
        assert ("bad",) in [note.numbers.get("what") for note in kept.notes]
        with pytest.raises(FitFailedError):
            errbar.compare({"bad": Fails()}, X, Y, random_state=0, on_error="keep")
        with refused("on_error"):
            errbar.compare(learners, X, Y, random_state=0, on_error="ignore")

    def test_a_learner_that_cannot_be_prepared_takes_no_other_along(self):
        class Leaves(Majority):
            def get_params(self, deep=True):
                raise SystemExit(0)

        learners = {
            "leaves": Leaves(),
            "tree": DecisionTreeClassifier(),
            "nn": KNeighborsClassifier(),
        }
        kept = errbar.compare(learners, X, Y, random_state=0, on_error="keep")
        assert kept.table.learners == ("tree", "nn")
        assert [(failure.learner, failure.split) for failure in kept.table.failures] == [
            ("leaves", "")
        ]
        with pytest.raises(InvalidInputError):
            errbar.compare(learners, X, Y, random_state=0)


_SHARE = """
import sys, time
import numpy as np, errbar
from sklearn.datasets import load_iris
from tests.engine.test_kept import Logged
from errbar.engine import Isolated
from errbar.engine.work import GIVEN_UP
X, y = load_iris(return_X_y=True)
learners = {"a": Logged(sys.argv[2], "a"), "b": Logged(sys.argv[2], "b"), "c": Logged(sys.argv[2], "c")}
how = {"serial": {}, "isolated": {"executor": Isolated(2)}, "joblib": {"n_jobs": 2}}[sys.argv[3]]
sys.stdin.readline()
table = errbar.run(learners, X, y, plan=errbar.plans.KFold(10, repeats=4), random_state=0, store=sys.argv[1], **how)
print(table.counts.fits, table.counts.reused, float(table.scores.sum()))
"""


class Logged(Majority):
    """Writes down each fit that it begins, and takes a moment."""

    def __init__(self, log="", name=""):
        self.log = log
        self.name = name

    def fit(self, X, y):
        import time

        descriptor = os.open(self.log, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        os.write(descriptor, f"{self.name} {hash(np.asarray(X).tobytes())}\n".encode())
        os.close(descriptor)
        time.sleep(0.03)
        return super().fit(X, y)


@pytest.mark.parametrize(
    ("count", "how"),
    [
        (2, "serial"),
        *(
            pytest.param(*more, marks=pytest.mark.thorough)
            for more in ((4, "serial"), (2, "isolated"), (2, "joblib"))
        ),
    ],
)
def test_several_processes_on_one_store_do_the_fits_of_one(tmp_path, count, how):
    log = tmp_path / "log"
    surroundings = os.environ | {"PYTHONHASHSEED": "0", "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", _SHARE, str(tmp_path / "runs.db"), str(log), how]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    processes = [subprocess.Popen(command, env=surroundings, **pipes) for _ in range(count)]
    for process in processes:
        process.stdin.write("go\n")
        process.stdin.flush()
    answers = [process.communicate()[0].split() for process in processes]
    assert all(process.returncode == 0 for process in processes)
    assert len(log.read_text().split("\n")) - 1 == 120
    assert sum(int(fits) for fits, _, _ in answers) == 120
    assert all(int(fits) + int(reused) == 120 for fits, reused, _ in answers)
    assert len({score for _, _, score in answers}) == 1
    if how == "serial":
        assert sum(int(fits) > 0 for fits, _, _ in answers) > 1, "all were done by one process"
    assert sorted(tmp_path.iterdir()) == [log, tmp_path / "runs.db"] or how == "joblib"


_COMMAND = [
    "compare",
    "data.csv",
    "--target",
    "kind",
    "--plan",
    "KFold(folds=5)",
    "--random-state",
    "0",
    "--json",
    "--quiet",
]


class TestCommandLine:
    @pytest.fixture
    def ask(self, tmp_path):
        rows = [f"{a},{b},{'yes' if a > 5.8 else 'no'}" for a, b, *_ in X]
        (tmp_path / "data.csv").write_text("\n".join(["a,b,kind", *rows]) + "\n")

        def ask(*more):
            surroundings = os.environ | {"PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])}
            surroundings["PYTHONDONTWRITEBYTECODE"] = "1"
            command = [sys.executable, "-m", "errbar.cli", *_COMMAND, "--store", "runs.db", *more]
            ended = subprocess.run(
                command, cwd=tmp_path, env=surroundings, capture_output=True, text=True, check=False
            )
            assert ended.returncode in (0, 3), ended.stderr
            found = json.loads(ended.stdout)
            return found["counts"]["fits"], found["counts"]["reused"]

        return ask

    def test_edited_modules_and_files_are_fitted_again(self, ask, tmp_path):
        def write(rate):
            text = (
                "import numpy as np\nfrom sklearn.base import BaseEstimator, ClassifierMixin\nimport mytools\n"
                "class C(ClassifierMixin, BaseEstimator):\n"
                "    def fit(self, X, y):\n        self.classes_ = np.unique(y)\n        return self\n"
                "    def predict(self, X):\n        return np.full(len(X), self.classes_[mytools.index()])\n"
            )
            (tmp_path / "mymod.py").write_text(text)
            (tmp_path / "models.py").write_text(text)
            (tmp_path / "mytools.py").write_text(f"RATE = {rate}\ndef index():\n    return RATE\n")

        models = (
            "--model",
            "c=mymod.C",
            "--model",
            "d=models.py:C",
            "--model",
            "tree=sklearn.tree.DecisionTreeClassifier",
        )
        write(0)
        assert ask(*models) == (15, 0)
        assert ask(*models) == (0, 15)
        write(1)
        assert ask(*models) == (15, 0)  # a file that is run may change any learner

    @pytest.mark.thorough
    def test_another_loss_costs_no_fit(self, ask):
        models = (
            "--model",
            "sklearn.svm.SVC",
            "--model",
            "sklearn.linear_model.LogisticRegression",
        )
        assert ask(*models) == (10, 0)
        for loss in ("balanced_accuracy", "roc_auc", "f1_macro"):
            assert ask(*models, "--loss", loss) == (0, 10)
