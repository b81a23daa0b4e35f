"""Training functions as learners: whatever way they are run, with a store, in comparisons and on the command line."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import errbar
from errbar.plans import KFold
from tests.refusals import refused

X, Y = load_breast_cancer(return_X_y=True)
X = StandardScaler().fit_transform(X)[:200]
Y = np.array(["good", "bad"])[Y[:200]]


def weights(X_train, y_train, seed, steps=20):
    """Logistic regression by a few steps from a start that the seed draws."""
    w = np.random.default_rng(seed).normal(size=X_train.shape[1])
    for _ in range(steps):
        slope = 1 / (1 + np.exp(-X_train @ w)) - (y_train == "good")
        w -= 0.1 * X_train.T @ slope / len(slope)
    return w


def probabilities(X_train, y_train, X_test, seed):
    good = 1 / (1 + np.exp(-X_test @ weights(X_train, y_train, seed)))
    return np.column_stack([1 - good, good])


def labels(X_train, y_train, X_test, seed):
    return np.where(X_test @ weights(X_train, y_train, seed) > 0, "good", "bad")


def numbers(X_train, y_train, X_test, seed):
    return np.linalg.lstsq(X_train, y_train, rcond=None)[0] @ X_test.T


def many(X, y, train_rows, test_rows, seeds):
    """All training sets in one array: three steps of algebra for each step of learning."""
    w = np.stack([np.random.default_rng(seed).normal(size=X.shape[1]) for seed in seeds])
    trained = np.stack([np.bincount(rows, minlength=len(X)) for rows in train_rows])
    for _ in range(20):
        slope = (1 / (1 + np.exp(-w @ X.T)) - (y == "good")) * trained
        w -= 0.1 * slope @ X / trained.sum(axis=1, keepdims=True)
    good = [1 / (1 + np.exp(-X[rows] @ own)) for rows, own in zip(test_rows, w, strict=True)]
    return [np.column_stack([1 - one, one]) for one in good]


def run(learner, **how):
    return errbar.run({"f": learner}, X, Y, plan=KFold(6), random_state=0, **how)


BOTH = errbar.function(probabilities, predicts="probabilities", fit_predict_many=many)


class TestKinds:
    def test_labels_and_probabilities_agree(self):
        one = run(errbar.function(labels))
        other = run(errbar.function(probabilities, predicts="probabilities"))
        np.testing.assert_array_equal(one.predictions[0]["label"], other.predictions[0]["label"])
        assert other.with_loss("log-loss").scores.shape == (1, 6)
        with pytest.raises(errbar.InvalidInputError):
            one.with_loss("log-loss")

    def test_numbers(self):
        A, b = load_diabetes(return_X_y=True)
        learner = errbar.function(numbers, predicts="numbers")
        found = errbar.run({"f": learner}, A, b, plan=KFold(4), random_state=0)
        for split, points in zip(
            errbar.plans.draw(KFold(4), 442, 0).splits,
            np.split(found.points[0], [111, 222, 332]),
            strict=True,
        ):
            answer = numbers(A[split.train], b[split.train], A[split.test], 0)
            np.testing.assert_allclose(points, (answer - b[split.test]) ** 2)

    def test_all_training_sets_in_one_call(self):
        together, alone = run(BOTH), run(BOTH, share=False)
        assert together.counts.shared == ("f",)
        np.testing.assert_array_equal(
            together.predictions[0]["label"], alone.predictions[0]["label"]
        )
        np.testing.assert_allclose(
            together.predictions[0]["probability"], alone.predictions[0]["probability"]
        )

    def test_single_fits_have_other_seeds_and_the_same_in_every_run(self):
        seeds = []

        def noting(X_train, y_train, X_test, seed):
            seeds.append(seed)
            return labels(X_train, y_train, X_test, seed)

        run(errbar.function(noting))
        run(errbar.function(noting))
        assert seeds[:6] == seeds[6:]
        assert len(set(seeds)) == 6

    @pytest.mark.parametrize(
        "answer",
        [
            lambda X_train, y_train, X_test, seed: X_test,
            lambda X_train, y_train, X_test, seed: ["odd"] * len(X_test),
            lambda X_train, y_train, X_test, seed: None,
        ],
    )
    def test_what_is_no_prediction_is_a_failure(self, answer):
        with pytest.raises(errbar.FitFailedError):
            run(errbar.function(answer))

    @pytest.mark.parametrize(
        ("argument", "given"),
        [
            ("fit_predict", {"fit_predict": 3}),
            ("fit_predict", {"fit_predict": None}),
            ("predicts", {"fit_predict": labels, "predicts": "scores"}),
            ("fit_predict_many", {"fit_predict": labels, "fit_predict_many": 1}),
        ],
    )
    def test_refusals(self, argument, given):
        with refused(argument):
            errbar.function(**given)

    def test_a_bare_function_is_refused(self):
        with pytest.raises(errbar.InvalidInputError):
            run(labels)


class TestWaysOfRunning:
    def test_the_same_bits(self, tmp_path):
        here = run(BOTH)
        for how in (
            {"n_jobs": 2},
            {"store": tmp_path / "runs.db"},
            {"store": tmp_path / "runs.db"},
            {"executor": errbar.fits.Workers(1, fit_timeout=60)},
        ):
            found = run(BOTH, **how)
            for kind, values in here.predictions[0].items():
                np.testing.assert_array_equal(values, found.predictions[0][kind])
        assert found.counts.fits == 6

    def test_clones_and_pipelines(self):
        again = clone(errbar.function(labels))
        assert again.get_params()["fit_predict"] is labels
        assert run(make_pipeline(StandardScaler(), errbar.function(labels))).counts.fits == 6

    def test_compare_and_evaluate(self):
        learners = {"mine": BOTH, "theirs": LogisticRegression()}
        found = errbar.compare(learners, X, Y, loss="log-loss", random_state=0)
        assert list(found.learners) == ["mine", "theirs"]
        assert found.table.counts.shared == ("mine",)
        assert errbar.evaluate(BOTH, X, Y, random_state=0).learner == "probabilities"


class TestTheKey:
    def fits(self, learner, store):
        counts = run(learner, store=store).counts
        return counts.fits, counts.reused

    def test_closures_defaults_and_functions(self):
        def made(rate, shift=0.0):
            def train(X_train, y_train, X_test, seed, shift=shift):
                return np.where(X_test[:, 0] * rate + shift > 0, "good", "bad")

            return errbar.function(train)

        store = errbar.Store()
        assert self.fits(made(1.0), store) == (6, 0)
        assert self.fits(made(1.0), store) == (0, 6)
        assert self.fits(made(2.0), store) == (6, 0)
        assert self.fits(made(1.0, 0.5), store) == (6, 0)
        assert self.fits(errbar.function(labels), store) == (6, 0)

    @pytest.mark.long
    def test_the_text_of_the_file(self, tmp_path):
        (tmp_path / "data.csv").write_text(
            "\n".join(
                ["a,b,y", *(f"{a},{b},{y}" for a, b, y in zip(X[:, 0], X[:, 1], Y, strict=True))]
            )
            + "\n"
        )

        def command(sign):
            (tmp_path / "models.py").write_text(
                "import errbar\nimport numpy as np\n"
                "def train(X_train, y_train, X_test, seed):\n"
                f"    above = {sign} * np.asarray(X_test)[:, 0] > 0\n"
                "    return np.where(above, 'good', 'bad')\n"
                "net = errbar.function(train)\n"
            )
            asked = "evaluate data.csv --target y --model models.py:net --plan KFold(folds=5)"
            more = "--random-state 0 --store runs.db --json --quiet"
            ended = subprocess.run(
                [sys.executable, "-m", "errbar.cli", *asked.split(), *more.split()],
                cwd=tmp_path,
                env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
                capture_output=True,
                text=True,
                check=False,
            )
            assert ended.returncode == 0, ended.stderr
            counts = json.loads(ended.stdout)["counts"]
            return counts["fits"], counts["reused"]

        assert [command(sign) for sign in (1, 1, -1)] == [(5, 0), (0, 5), (5, 0)]
