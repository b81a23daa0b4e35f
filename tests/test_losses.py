from functools import partial
from typing import ClassVar

import numpy as np
import pytest
from sklearn import metrics as sklearn_metrics
from sklearn.datasets import make_classification
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.naive_bayes import GaussianNB

import errbar
from errbar import InvalidInputError, metrics
from errbar.metrics import LOSSES, Loss, Target, metric, resolve
from tests.refusals import refused


def score(loss, target, truth, predictions):
    return loss.measured(loss.sample(target, truth, predictions))[0]


def classification(rng, classes, n=60):
    truth = rng.permutation(np.arange(n) % classes)
    probability = rng.dirichlet(np.ones(classes), n)
    return truth, probability, probability.argmax(axis=1)


@pytest.mark.parametrize("classes", [2, 3, 5])
class TestClassification:
    def test_zero_one(self, classes, rng):
        truth, _, label = classification(rng, classes)
        points = LOSSES["zero-one"].points(truth, {"label": label})
        assert points.dtype == np.float64
        assert points.mean() == pytest.approx(sklearn_metrics.zero_one_loss(truth, label))

    def test_log_loss(self, classes, rng):
        truth, probability, _ = classification(rng, classes)
        points = LOSSES["log-loss"].points(truth, {"probability": probability})
        assert points.mean() == pytest.approx(sklearn_metrics.log_loss(truth, probability))

    def test_brier(self, classes, rng):
        if classes > 2 and not hasattr(sklearn_metrics, "d2_brier_score"):
            pytest.skip("scikit-learn before 1.7 has the Brier score of two classes only")
        truth, probability, _ = classification(rng, classes)
        given = probability[:, 1] if classes == 2 else probability
        points = LOSSES["brier"].points(truth, {"probability": probability})
        assert points.mean() == pytest.approx(sklearn_metrics.brier_score_loss(truth, given))

    @pytest.mark.parametrize("key", ["log-loss", "brier", "zero-one"])
    def test_predictions_are_not_modified(self, classes, key, rng):
        truth, probability, label = classification(rng, classes)
        before = probability.copy()
        LOSSES[key].points(truth, {"probability": probability, "label": label})
        assert np.array_equal(probability, before)

    def test_single_precision_is_enough(self, classes, rng):
        truth, probability, _ = classification(rng, classes)
        for key in ("log-loss", "brier"):
            exact = LOSSES[key].points(truth, {"probability": probability})
            rough = LOSSES[key].points(truth, {"probability": probability.astype(np.float32)})
            assert rough == pytest.approx(exact, rel=1e-4, abs=1e-5)


@pytest.mark.parametrize(
    ("key", "known"),
    [
        ("squared-error", sklearn_metrics.mean_squared_error),
        ("absolute-error", sklearn_metrics.mean_absolute_error),
    ],
)
def test_regression_losses(key, known, rng):
    truth, predicted = rng.normal(size=(2, 50))
    assert LOSSES[key].points(truth, {"label": predicted}).mean() == pytest.approx(
        known(truth, predicted)
    )


def test_a_sure_and_wrong_prediction_has_a_finite_log_loss():
    points = LOSSES["log-loss"].points(
        np.array([0, 1]), {"probability": np.array([[0.0, 1.0], [0.0, 1.0]])}
    )
    assert points == pytest.approx([-np.log(np.finfo(float).eps), 0.0])


class TestWhatCannotBeScored:
    """Each of these was a number: an error of 1, one loss for each pair of examples."""

    TRUTH = np.array([0, 1, 1])

    @pytest.mark.parametrize(
        ("key", "label", "argument"),
        [
            ("zero-one", np.array([[0], [1], [1]]), None),
            ("squared-error", np.array([[0.0], [1.0], [1.0]]), None),
            ("squared-error", np.array([0.0, np.nan, 1.0]), "loss squared-error"),
            ("squared-error", np.array([0.0, 1e200, 1.0]), "loss squared-error"),
            ("absolute-error", np.array([0.0, -np.inf, 1.0]), "loss absolute-error"),
        ],
    )
    def test_labels_and_numbers(self, key, label, argument):
        with refused(argument):
            LOSSES[key].points(self.TRUTH, {"label": label})

    def test_a_loss_of_ones_own_must_be_one_per_example(self):
        mean = Loss("mean", lambda truth, predicted: np.abs(truth - predicted).mean())
        with pytest.raises(InvalidInputError):
            mean.points(self.TRUTH, {"label": self.TRUTH})


@pytest.fixture(scope="module", params=[2, 3], ids=["binary", "multiclass"])
def fitted(request):
    X, y = make_classification(200, n_informative=5, n_classes=request.param, random_state=0)
    names = np.array(["ape", "bee", "cat"])[: request.param]
    model = LogisticRegression().fit(X[:100], names[y[:100]])
    predictions = {
        "label": np.searchsorted(names, model.predict(X[100:])),
        "probability": model.predict_proba(X[100:]),
        "decision": model.decision_function(X[100:]),
    }
    return model, X[100:], names[y[100:]], Target(y, names), y[100:], predictions


@pytest.mark.parametrize(
    "name",
    [
        "accuracy",
        "balanced_accuracy",
        "f1_macro",
        "neg_log_loss",
        "matthews_corrcoef",
        "roc_auc_ovr",
        "roc_auc",
        "f1",
    ],
)
def test_a_scorer_on_stored_predictions_is_the_scorer_on_the_model(name, fitted):
    model, X, y, target, truth, predictions = fitted
    loss = resolve(name, "classification")
    if len(model.classes_) > 2 and name in ("roc_auc", "f1"):
        with pytest.raises(InvalidInputError):
            score(loss, target, truth, predictions)
        return
    if name == "f1":
        loss = resolve(
            sklearn_metrics.make_scorer(sklearn_metrics.f1_score, pos_label="bee"), "classification"
        )
        wanted = sklearn_metrics.make_scorer(sklearn_metrics.f1_score, pos_label="bee")(model, X, y)
    else:
        wanted = sklearn_metrics.get_scorer(name)(model, X, y)
    assert score(loss, target, truth, predictions) == pytest.approx(-wanted)


class TestRecognised:
    """Scorers that compute a metric of the catalogue become this metric; all others stay scorers."""

    @pytest.mark.parametrize(
        ("scorer", "key"),
        [
            (sklearn_metrics.make_scorer(sklearn_metrics.f1_score), "f1"),
            (sklearn_metrics.make_scorer(sklearn_metrics.f1_score, average="macro"), "f1_macro"),
            (sklearn_metrics.make_scorer(sklearn_metrics.fbeta_score, beta=2), "f2"),
            (
                sklearn_metrics.make_scorer(
                    sklearn_metrics.fbeta_score, beta=0.5, average="weighted"
                ),
                None,
            ),
            (
                sklearn_metrics.make_scorer(sklearn_metrics.cohen_kappa_score, weights="quadratic"),
                "kappa_quadratic",
            ),
            (sklearn_metrics.make_scorer(sklearn_metrics.precision_score, zero_division=0), None),
            (sklearn_metrics.make_scorer(sklearn_metrics.accuracy_score, normalize=False), None),
            (
                sklearn_metrics.make_scorer(
                    sklearn_metrics.accuracy_score, greater_is_better=False
                ),
                None,
            ),
            (
                sklearn_metrics.make_scorer(
                    sklearn_metrics.roc_auc_score, response_method="predict_proba"
                ),
                None,
            ),
            (sklearn_metrics.make_scorer(sklearn_metrics.roc_auc_score, max_fpr=0.5), None),
            (sklearn_metrics.get_scorer("roc_auc_ovo_weighted"), "roc_auc_ovo_weighted"),
            (sklearn_metrics.get_scorer("neg_brier_score"), "brier_score"),
        ],
    )
    def test_by_function_and_options(self, scorer, key):
        found = resolve(scorer, "classification")
        assert (
            found.influence or found.pointwise if key else not (found.influence or found.pointwise)
        )
        assert key in (None, found.key)

    def test_a_label_in_a_scorer_is_the_positive_class(self):
        loss = resolve(
            sklearn_metrics.make_scorer(sklearn_metrics.f1_score, pos_label="no"), "classification"
        )
        target = Target(np.array([0, 1, 1, 0]), np.array(["no", "yes"]), positive=1)
        assert score(
            loss, target, target.values, {"label": np.array([0, 0, 1, 1])}
        ) == pytest.approx(-0.5)


@pytest.mark.parametrize(
    "name", ["r2", "neg_root_mean_squared_error", "neg_median_absolute_error", "max_error"]
)
def test_a_regression_scorer_on_stored_predictions_is_the_scorer_on_the_model(name, rng):
    X = rng.normal(size=(60, 3))
    y = X @ [1, 2, 3] + rng.normal(size=60)
    model = LinearRegression().fit(X[:30], y[:30])
    known = "neg_max_error" if name == "max_error" else name
    loss = resolve(known, "regression")
    found = score(loss, Target(y), y[30:], {"label": model.predict(X[30:])})
    assert found == pytest.approx(-sklearn_metrics.get_scorer(known)(model, X[30:], y[30:]))


class TestResolve:
    @pytest.mark.parametrize(
        ("task", "key"), [("classification", "zero-one"), ("regression", "squared-error")]
    )
    def test_default(self, task, key):
        assert resolve(None, task).key == metrics.default(task).key == key

    def test_a_loss_is_itself(self):
        own = Loss("own", lambda truth, predicted: truth - predicted)
        assert resolve(own, "regression") is own

    @pytest.mark.parametrize(
        ("name", "key", "direction"),
        [
            ("accuracy", "accuracy", "higher is better"),
            ("neg_mean_squared_error", "mean_squared_error", "lower is better"),
            ("neg_log_loss", "log_loss", "lower is better"),
            ("r2", "r2", "higher is better"),
            ("zero-one", "zero-one", "lower is better"),
            ("acc", "accuracy", "higher is better"),
        ],
    )
    def test_directions(self, name, key, direction):
        found = resolve(
            name, "regression" if name in ("neg_mean_squared_error", "r2") else "classification"
        )
        assert (found.key, found.direction) == (key, direction)

    def test_a_function_of_truth_and_prediction_is_a_loss(self):
        def worst(truth, predicted):
            return np.abs(truth - predicted).max()

        found = resolve(worst, "regression")
        value = score(
            found,
            Target(np.array([1.0, 2.0])),
            np.array([1.0, 2.0]),
            {"label": np.array([1.0, 5.0])},
        )
        assert (found.key, found.direction, value) == ("worst", "lower is better", 3.0)

    def test_labels_reach_callables_as_the_user_gave_them(self):
        def only(truth, predicted):
            return float(set(truth) | set(predicted) == {"a", "b"})

        target = Target(np.array([0, 1]), np.array(["a", "b"]))
        assert (
            score(
                resolve(only, "classification"),
                target,
                np.array([0, 1]),
                {"label": np.array([1, 0])},
            )
            == 1.0
        )

    @pytest.mark.parametrize(
        ("loss", "task"),
        [
            (
                "squared-error",
                "classification",
            ),
            ("log-loss", "regression"),
            ("r2", "classification"),
            ("accuracy", "regression"),
            ("roc_auc", "regression"),
            ("acuracy", "classification"),
            ("AUC", "classification"),
            ("MCC", "classification"),
            ("F2", "classification"),
            ("f1_score", "classification"),
            ("d2_pinball_score", "regression"),
            ("zero-won", "classification"),
            (3, "regression"),
        ],
    )
    def test_refusals(self, loss, task):
        with refused("loss"):
            resolve(loss, task)


class TestMetric:
    def test_probabilities_on_request(self):
        def margin(truth, probability):
            return probability[:, 1].mean()

        found = metric(margin, needs="probability", higher_is_better=True)
        target = Target(np.array([0, 1]), np.array(["a", "b"]))
        given = {"probability": np.array([[0.8, 0.2], [0.4, 0.6]]), "label": np.array([0, 1])}
        assert score(found, target, np.array([0, 1]), given) == pytest.approx(-0.4)

    def test_name(self):
        assert metric(max, key="own").key == "own"
        assert metric(max).key == "max"

    def test_an_unknown_need_is_refused(self):
        with refused("needs"):
            metric(max, needs="labels")

    def test_missing_predictions_are_named(self):
        with pytest.raises(InvalidInputError):
            LOSSES["brier"].points(np.array([0]), {"label": np.array([0])})


class TestDryRun:
    TARGET = Target(np.array([0, 1, 0, 1, 0, 0]), np.array(["no", "yes"]))
    GOOD, ONE_CLASS = TARGET.values[:3], TARGET.values[4:]

    @pytest.mark.parametrize("name", ["roc_auc", "accuracy", "f1_macro", "neg_log_loss"])
    def test_a_score_that_can_be_computed_passes(self, name):
        resolve(name, "classification").dry_run(self.TARGET, self.GOOD, "fold 0")

    def test_a_positive_class_that_nobody_names_is_proposed_before_any_fit(self):
        with pytest.raises(InvalidInputError):
            resolve("average_precision", "classification").dry_run(self.TARGET, self.GOOD, "fold 0")

    @pytest.mark.parametrize("name", ["roc_auc", "f1_macro", "matthews_corrcoef"])
    def test_a_metric_with_one_class_is_refused(self, name):
        with pytest.raises(errbar.errors.UndefinedMetricError):
            resolve(name, "classification").dry_run(self.TARGET, self.ONE_CLASS, "fold 1")

    def test_a_score_of_one_example_is_refused(self):
        with pytest.raises(errbar.errors.UndefinedMetricError):
            resolve("r2", "regression").dry_run(Target(np.arange(3.0)), np.array([1.0]), "fold 0")

    def test_losses_per_example_need_none(self):
        LOSSES["zero-one"].dry_run(self.TARGET, self.TARGET.values[:0], "fold 0")

    @pytest.mark.parametrize("error", [ValueError, TypeError, ZeroDivisionError, KeyError])
    def test_what_a_callable_raises_is_quoted(self, error):
        def fails(truth, predicted):
            raise error("no  such\nluck")

        with pytest.raises(InvalidInputError):
            resolve(fails, "classification").dry_run(self.TARGET, self.GOOD, "fold 0")

    def test_a_callable_that_returns_an_array_is_refused(self):
        with pytest.raises(InvalidInputError):
            metric(lambda a, b: a != b, key="each").dry_run(self.TARGET, self.GOOD, "fold 0")


class TestSeveral:
    X, y = make_classification(60, random_state=0)

    @pytest.mark.parametrize(
        ("call", "argument"),
        [
            ({"loss": []}, "loss"),
            ({"loss": ["f1", "r2"]}, "loss"),
            (
                {"loss": "accuracy", "method": "binomial"},
                None,
            ),
        ],
    )
    def test_what_is_refused(self, call, argument):
        with refused(argument):
            errbar.evaluate(LogisticRegression(), self.X, self.y, **call, random_state=0)

    def test_a_table_has_one_loss(self):
        with refused("loss"):
            errbar.run(
                {"a": LogisticRegression()},
                self.X,
                self.y,
                plan=errbar.plans.KFold(2),
                loss=["f1", "auc"],
            )

    def test_results_by_loss_of_one_run(self):
        how = {"pool": "splits", "random_state": 0}
        found = errbar.evaluate(
            LogisticRegression(), self.X, self.y, loss=["f1", "mcc", "log-loss"], **how
        )
        assert list(found) == ["f1", "matthews_corrcoef", "log-loss"]
        for key, result in found.items():
            assert result == errbar.evaluate(LogisticRegression(), self.X, self.y, loss=key, **how)

    def test_comparisons_by_loss(self):
        learners = {"a": LogisticRegression(), "b": LogisticRegression(C=1e-3)}
        found = errbar.compare(
            learners, self.X, self.y, loss=["mcc", "auc"], pool="splits", random_state=0
        )
        assert list(found) == ["matthews_corrcoef", "roc_auc"]
        assert {one.table.counts.fits for one in found.values()} == {56}

    @pytest.mark.parametrize("losses", [["f1", "mcc"], ["mcc", "f1"], "mcc"])
    def test_who_has_no_such_metric_is_left_out_with_a_note(self, losses):
        X, y = make_classification(120, weights=[0.8], random_state=0)
        learners = {"dummy": DummyClassifier(), "a": LogisticRegression(), "b": GaussianNB()}
        how = {"plan": errbar.plans.KFold(4), "method": "cv-wald", "random_state": 0}
        found = errbar.compare(
            learners, X, y, loss=losses, baseline="dummy", on_error="keep", **how
        )
        for one in found.values() if isinstance(losses, list) else [found]:
            left = one.table.loss.key == "matthews_corrcoef"
            assert [note.code for note in one.table.notes] == ["left-out"] * left
            assert list(one.learners) == (["a", "b"] if left else ["dummy", "a", "b"])
            assert one.baseline == (None if left else "dummy")
        with pytest.raises(errbar.errors.UndefinedMetricError) as caught:
            errbar.compare(learners, X, y, loss=losses, **how)
        assert caught.value.table.learners == ("dummy", "a", "b")


class TestFunctionsOfScikitLearn:
    """They are handed over without a direction, and have one."""

    X, y = make_classification(60, random_state=0)

    @pytest.mark.parametrize(
        ("function", "key", "direction"),
        [
            (sklearn_metrics.accuracy_score, "accuracy", "higher is better"),
            (sklearn_metrics.roc_auc_score, "roc_auc", "higher is better"),
            (sklearn_metrics.zero_one_loss, "zero-one", "lower is better"),
            (sklearn_metrics.log_loss, "log_loss", "lower is better"),
            (sklearn_metrics.matthews_corrcoef, "matthews_corrcoef", "higher is better"),
            (partial(sklearn_metrics.fbeta_score, beta=2), "f2", "higher is better"),
            (partial(sklearn_metrics.f1_score, average="macro"), "f1_macro", "higher is better"),
        ],
    )
    def test_direction(self, function, key, direction):
        found = resolve(function, "classification")
        assert (found.key, found.direction) == (key, direction)

    @pytest.mark.parametrize(
        "function",
        [sklearn_metrics.r2_score, sklearn_metrics.mean_squared_error],
    )
    def test_of_a_regression_they_are_the_scorer(self, function):
        y, predicted = np.array([1.0, 2.0, 4.0]), np.array([1.0, 3.0, 3.0])
        found = resolve(function, "regression")
        shown = found.sign * score(found, Target(y), y, {"label": predicted})
        assert shown == pytest.approx(function(y, predicted))
        assert found.higher_is_better == function.__name__.endswith("score")

    def test_areas_are_of_scores_and_not_of_labels(self):
        how = {"plan": 3, "random_state": 0}
        found = errbar.evaluate(
            LogisticRegression(), self.X, self.y, loss=sklearn_metrics.roc_auc_score, **how
        )
        assert found == errbar.evaluate(LogisticRegression(), self.X, self.y, loss="roc_auc", **how)

    def test_the_better_learner_wins(self):
        learners = {"none": DummyClassifier(), "a": GaussianNB()}
        found = errbar.compare(
            learners, self.X, self.y, loss=sklearn_metrics.accuracy_score, random_state=0
        )
        [pair] = found.pairs
        assert (pair.a, pair.b) == ("none", "a")
        assert (
            pair.result.high < 0.0 < found.learners["a"].estimate - found.learners["none"].estimate
        )

    @pytest.mark.parametrize(
        "function",
        [
            sklearn_metrics.fbeta_score,
            sklearn_metrics.hinge_loss,
            sklearn_metrics.auc,
            sklearn_metrics.get_scorer,
        ],
    )
    def test_what_is_no_metric_of_predictions_is_refused(self, function):
        with refused("loss"):
            resolve(function, "classification")

    def test_functions_of_others_stay_losses(self):
        def accuracy_score(truth, predicted):
            return (truth == predicted).mean()

        assert resolve(accuracy_score, "classification").direction == "lower is better"


class TestOneNameForTwo:
    X, y = make_classification(60, random_state=0)
    how: ClassVar = {"plan": 3, "random_state": 0}

    @pytest.mark.parametrize(
        "pair",
        [
            [
                sklearn_metrics.make_scorer(sklearn_metrics.f1_score, pos_label=0),
                sklearn_metrics.make_scorer(sklearn_metrics.f1_score, pos_label=1),
            ],
            [lambda t, p: (t != p).mean(), lambda t, p: (t != p).mean() / 2],
        ],
    )
    def test_is_refused_in_a_list(self, pair):
        with refused("loss"):
            errbar.evaluate(GaussianNB(), self.X, self.y, loss=pair, **self.how)

    def test_of_the_same_they_are_one(self):
        def scorer():
            return sklearn_metrics.make_scorer(
                sklearn_metrics.f1_score, pos_label=0, zero_division=0
            )

        def share(cut):
            return lambda truth, predicted: (truth != predicted).mean() / cut

        own = share(2)
        for loss in (scorer, lambda: own, lambda: "f2"):
            assert (
                len(
                    errbar.evaluate(
                        GaussianNB(),
                        self.X,
                        self.y,
                        loss=[loss(), loss()],
                        method="corrected-t",
                        random_state=0,
                    )
                )
                == 1
            )
        with pytest.raises(InvalidInputError):
            errbar.evaluate(GaussianNB(), self.X, self.y, loss=[share(2), share(3)], **self.how)

    def test_a_scorer_about_another_class_contradicts_the_positive_one(self):
        scorer = sklearn_metrics.make_scorer(sklearn_metrics.f1_score, pos_label=0)
        with refused("positive"):
            errbar.evaluate(GaussianNB(), self.X, self.y, loss=scorer, positive=1, **self.how)
        table = errbar.run({"a": GaussianNB()}, self.X, self.y, loss=scorer, positive=0, **self.how)
        with refused("positive"):
            table.with_loss(scorer, positive=1)
