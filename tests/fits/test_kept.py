"""What is kept is what would be computed: whatever the store has seen, whoever else uses it, whatever fails."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

import errbar
from errbar import FitFailedError, InvalidInputError, Store
from errbar.fits import Workers
from errbar.plans import KFold, Subsampling
from tests.fits.learners import Majority
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


@pytest.mark.parametrize("learner", [KNeighborsClassifier(3)])
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
    with Store(path) as store:
        kinds = [set(one.arrays) for _, one in store.each() if "examples" in one.arrays]
    assert kinds == [{"examples", "label", "probability", "decision"}] * 5


class ShortOfProbabilities(Majority):
    """Its labels are fine, and its probabilities are not."""

    def predict_proba(self, X):
        raise ValueError("no probabilities today")


def test_an_output_that_the_loss_does_not_take_may_fail(path):
    learners = {"short": ShortOfProbabilities()}
    assert run(learners, path).counts.fits == 12
    with pytest.raises(FitFailedError):
        run(learners, path, loss="log-loss")


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
    @pytest.mark.parametrize("executor", [None, Workers(2)])
    def test_a_hopeless_learner_is_given_up_at_once(self, tmp_path, executor):
        log = tmp_path / "log"
        learners = {"tree": DecisionTreeClassifier(), "bad": Fails(str(log))}
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
        assert len(sizes) < 40
        assert table.learners == ("tree",)
        assert len(table.failures) == 30
        assert all("numbers only, please" in failure.message for failure in table.failures)
        assert [(note.code, note.numbers["what"]) for note in table.notes] == [
            ("left-out", ("bad",))
        ]

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
        failed = len(caught.value.failures)
        assert 0 < failed < 40
        # Those that refuse the labels are asked to take their numbers.
        assert len(log.read_text().split()) == 40 + failed

    def test_keep_leaves_failed_learners_out_and_drops_their_baseline(self):
        learners = {"bad": Fails(), "tree": DecisionTreeClassifier(), "nn": KNeighborsClassifier()}
        kept = errbar.compare(learners, X, Y, random_state=0, on_error="keep", baseline="bad")
        assert kept.table.learners == ("tree", "nn")
        assert ("bad",) in [note.numbers.get("what") for note in kept.notes]
        with pytest.raises(FitFailedError):
            errbar.compare({"bad": Fails()}, X, Y, random_state=0, on_error="keep")
        with refused("on_error"):
            errbar.compare(learners, X, Y, random_state=0, on_error="ignore")

    def test_a_learner_that_cannot_be_prepared_is_refused(self):
        class Leaves(Majority):
            def get_params(self, deep=True):
                raise SystemExit(0)

            __repr__ = object.__repr__

        learners = {"leaves": Leaves(), "tree": DecisionTreeClassifier()}
        with pytest.raises(InvalidInputError):
            errbar.compare(learners, X, Y, random_state=0, on_error="keep")


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
