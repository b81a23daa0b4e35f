"""Reports of skore: splits, predictions and metrics are those that scikit-learn gives for the same splits."""

import subprocess
import sys

import numpy as np
import pytest
from sklearn import model_selection as ms
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

import errbar
from errbar import InvalidInputError, PairingError
from tests.forms import same_splits
from tests.refusals import refused

skore = pytest.importorskip("skore")
pytestmark = [pytest.mark.filterwarnings("default"), pytest.mark.long]

CV = ms.StratifiedKFold(5, shuffle=True, random_state=2)

# scikit-learn's scorer takes the probability of the first of two classes for 1 - p, which loses digits of tiny ones.
ROUNDED = {"log-loss": 2e-4, "log_loss": 2e-4}


def learners():
    return {"bayes": GaussianNB(), "tree": DecisionTreeClassifier(random_state=0)}


@pytest.fixture(scope="module")
def cancer():
    X, y = load_breast_cancer(return_X_y=True)
    return X[::3], y[::3]


@pytest.fixture(scope="module")
def compared(cancer):
    return skore.evaluate(learners(), *cancer, splitter=CV)


@pytest.fixture(scope="module")
def ran(cancer):
    """The same learners on the same splits, fitted by errbar."""
    return errbar.run(learners(), *cancer, plan=errbar.plans.Predefined(CV), random_state=0)


class TestPredictions:
    def test_losses_of_every_example(self, compared, ran):
        table = errbar.from_skore(compared)
        assert table.learners == ("bayes", "tree")
        assert table.loss.key == "zero-one"
        assert table.points[0].tolist() == ran.points[0].tolist()
        assert table.cells.example.tolist() == ran.cells.example.tolist()

    def test_the_splits_are_those_of_a_run(self, compared, ran):
        splits = errbar.from_skore(compared).splits
        assert same_splits(splits, ran.splits)
        assert splits.kinds == ("kfold",)
        assert splits.n_train.tolist() == ran.splits.n_train.tolist()

    @pytest.mark.parametrize("key", ["log-loss", "brier", "roc_auc", "f1_macro"])
    def test_other_losses_cost_no_fit(self, compared, cancer, key):
        scorer = {"log-loss": "neg_log_loss", "brier": "neg_brier_score"}.get(key, key)
        known = ms.cross_validate(GaussianNB(), *cancer, cv=CV, scoring=scorer)["test_score"]
        # scikit-learn computes a metric on each split, as the mean over folds does.
        table = errbar.from_skore(compared).with_loss(key, pool="none")
        assert -table.scores[0] == pytest.approx(known, abs=ROUNDED.get(key, 1e-12))
        again = errbar.from_skore(compared, loss=key).with_loss(key, pool="none")
        assert again.scores[0] == pytest.approx(table.scores[0])

    @pytest.mark.parametrize("method", ["corrected-t", "cv-wald", "kfold-t", "bayes-correlated-t"])
    def test_methods_of_folds_apply(self, compared, method):
        assert (
            errbar.compare_table(errbar.from_skore(compared), method=method).pairs[0].a == "bayes"
        )

    def test_decisions_of_a_learner_without_probabilities(self, cancer):
        X, y = cancer
        report = skore.CrossValidationReport(
            LinearSVC(dual=False), X=X / X.max(0), y=y, splitter=CV
        )
        known = ms.cross_val_score(LinearSVC(dual=False), X / X.max(0), y, cv=CV, scoring="roc_auc")
        assert -errbar.from_skore(report, loss="roc_auc").scores[0] == pytest.approx(known)

    def test_several_classes_with_names(self):
        X, codes = load_iris(return_X_y=True)
        y = np.array(["setosa", "versicolor", "virginica"])[codes]
        report = skore.CrossValidationReport(GaussianNB(), X=X, y=y, splitter=CV)
        known = ms.cross_validate(GaussianNB(), X, y, cv=CV, scoring=["accuracy", "neg_log_loss"])
        table = errbar.from_skore(report)
        assert table.learners == ("GaussianNB",)
        assert 1 - table.scores[0] == pytest.approx(known["test_accuracy"])
        assert -table.with_loss("log-loss").scores[0] == pytest.approx(known["test_neg_log_loss"])

    def test_a_class_that_a_training_set_lacks(self):
        X, y = np.arange(30.0)[:, None], np.repeat([0, 1, 2], 10)
        report = skore.CrossValidationReport(DummyClassifier(), X=X, y=y, splitter=ms.KFold(3))
        table = errbar.from_skore(report)
        assert table.scores[0].tolist() == [1.0, 1.0, 1.0]
        assert table.predictions[0]["probability"].shape == (30, 3)
        assert table.predictions[0]["probability"][np.arange(30), y].tolist() == [0.0] * 30

    @pytest.mark.parametrize("model", [GaussianNB(), LogisticRegression(max_iter=3000)])
    @pytest.mark.parametrize("positive", ["bad", "good"])
    def test_whichever_class_is_positive_for_skore(self, cancer, model, positive):
        """skore tells the column of the positive class only, and that may be the first."""
        X, y = cancer[0][:, :5], np.array(["bad", "good"])[cancer[1]]
        report = skore.CrossValidationReport(model, X=X, y=y, splitter=CV, pos_label=positive)
        known = ms.cross_validate(model, X, y, cv=CV, scoring=["neg_log_loss", "roc_auc"])
        table = errbar.from_skore(report)
        assert -table.with_loss("log-loss").scores[0] == pytest.approx(
            known["test_neg_log_loss"], abs=2e-4
        )
        assert -table.with_loss("roc_auc").scores[0] == pytest.approx(known["test_roc_auc"])

    def test_probabilities_that_are_none_are_refused(self, cancer):
        class Beyond(GaussianNB):
            def predict_proba(self, X):
                return 3.0 * super().predict_proba(X)

        with pytest.raises(InvalidInputError):
            errbar.from_skore(
                skore.CrossValidationReport(Beyond(), X=cancer[0], y=cancer[1], splitter=CV)
            )

    def test_regression(self):
        X, y = load_diabetes(return_X_y=True)
        reports = skore.evaluate(
            {"linear": LinearRegression(), "ridge": Ridge()}, X, y, splitter=ms.KFold(4)
        )
        known = ms.cross_val_score(Ridge(), X, y, cv=ms.KFold(4), scoring="neg_mean_squared_error")
        assert -errbar.from_skore(reports).scores[1] == pytest.approx(known)
        assert errbar.from_skore(reports, loss="r2").loss.higher_is_better

    def test_random_splits_are_subsampling(self, cancer):
        reports = skore.evaluate(
            learners(), *cancer, splitter=ms.ShuffleSplit(4, test_size=0.3, random_state=0)
        )
        assert errbar.from_skore(reports, kind="subsampling").splits.kinds == ("subsampling",)
        assert errbar.from_skore(reports).splits.kinds == ("subsampling",)

    def test_repeats(self, cancer):
        report = skore.CrossValidationReport(
            GaussianNB(),
            X=cancer[0],
            y=cancer[1],
            splitter=ms.RepeatedKFold(n_splits=3, n_repeats=2, random_state=0),
        )
        assert errbar.from_skore(report).splits.labels["repeat"].tolist() == [0, 0, 0, 1, 1, 1]

    def test_a_single_split_is_a_holdout(self, cancer):
        reports = skore.evaluate(learners(), *cancer, splitter=0.3)
        table = errbar.from_skore(reports)
        inside = next(iter(reports.reports_.values()))
        assert table.splits.kinds == ("holdout",)
        assert (table.splits.n_train, table.splits.n_test) == (
            len(inside.y_train),
            len(inside.y_test),
        )
        wrong = inside.estimator_.predict(inside.X_test) != inside.y_test
        assert table.points[0].tolist() == wrong.tolist()
        assert errbar.infer(table, "mcnemar", "bayes", minus="tree").n_splits == 1

    def test_frames_as_data(self, cancer):
        import pandas as pd

        X, y = pd.DataFrame(cancer[0]), pd.Series(cancer[1], index=range(5, 5 + len(cancer[1])))
        table = errbar.from_skore(skore.evaluate(learners(), X, y, splitter=CV))
        assert table.splits.kinds == ("kfold",)


class TestRefusals:
    def test_different_splits(self, cancer):
        X, y = cancer
        other = ms.StratifiedKFold(5, shuffle=True, random_state=3)
        reports = {
            "a": skore.CrossValidationReport(GaussianNB(), X=X, y=y, splitter=CV),
            "b": skore.CrossValidationReport(GaussianNB(), X=X, y=y, splitter=other),
        }
        for given in (reports, skore.ComparisonReport(reports)):
            with pytest.raises(PairingError):
                errbar.from_skore(given)

    def test_different_numbers_of_splits(self, cancer):
        X, y = cancer
        reports = {
            k: skore.CrossValidationReport(GaussianNB(), X=X, y=y, splitter=f)
            for k, f in (("a", 3), ("b", 4))
        }
        with pytest.raises(PairingError):
            errbar.from_skore(reports)

    def test_different_targets(self, cancer):
        X, y = cancer
        reports = {
            k: skore.CrossValidationReport(GaussianNB(), X=X, y=v, splitter=ms.KFold(3))
            for k, v in (("a", y), ("b", 1 - y))
        }
        with pytest.raises(PairingError):
            errbar.from_skore(reports)

    @pytest.mark.parametrize("given", [None, 3, {}, {"a": GaussianNB()}, GaussianNB(), "report"])
    def test_what_is_no_report(self, given):
        with refused("report"):
            errbar.from_skore(given)

    @pytest.mark.parametrize(
        ("options", "argument"),
        [
            ({"loss": "squared-error"}, "loss"),
            ({"kind": "folds"}, "kind"),
        ],
    )
    def test_options(self, compared, options, argument):
        with refused(argument):
            errbar.from_skore(compared, **options)

    def test_an_estimator_that_was_fitted_elsewhere(self, cancer):
        X, y = cancer
        fitted = LogisticRegression(max_iter=5000).fit(X[:100], y[:100])
        report = skore.EstimatorReport(fitted, X_test=X[100:], y_test=y[100:])
        with pytest.raises(InvalidInputError):
            errbar.from_skore(report)

    def test_several_outputs(self):
        X, y = load_diabetes(return_X_y=True)
        report = skore.CrossValidationReport(
            Ridge(), X=X, y=np.column_stack([y, y]), splitter=ms.KFold(3)
        )
        with pytest.raises(InvalidInputError):
            errbar.from_skore(report)


def test_skore_is_never_imported_by_errbar():
    code = "import sys, errbar; errbar.from_skore; assert not any(name.split('.')[0] == 'skore' for name in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)
