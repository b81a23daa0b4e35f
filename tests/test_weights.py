"""Weights of examples: metrics of scikit-learn, laws, standard errors of a ratio, fits, and what is refused."""

import json

import numpy as np
import pytest
import sklearn.metrics as theirs
from hypothesis import given, settings, strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.ensemble import BaggingClassifier, VotingClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

import errbar
from errbar.errors import InvalidInputError
from errbar.fits.learners import weight_parameter
from errbar.metrics import LOSSES, METRICS
from tests.cli.test_commands import run

N = 240
RNG = np.random.default_rng(5)
WEIGHTS = RNG.exponential(size=N)
BINARY = RNG.integers(0, 2, N)
SCORE = np.round(np.clip(0.4 * BINARY + 0.6 * RNG.random(N), 0.0, 1.0), 2)
LABEL = (SCORE + RNG.normal(0, 0.2, N) > 0.5).astype(int)
CLASS = RNG.integers(0, 4, N)
CHANCE = RNG.dirichlet(np.ones(4), N)
CHANCE[np.arange(N), CLASS] += 0.3
CHANCE /= CHANCE.sum(axis=1, keepdims=True)
CHOICE = CHANCE.argmax(axis=1)
NUMBER = RNG.gamma(2.0, 3.0, N) + 0.1
GUESS = np.abs(NUMBER + RNG.normal(size=N))

TWO, OF_SCORE = (BINARY, LABEL), (BINARY, SCORE)
FOUR, OF_CHANCE, REAL = (CLASS, CHOICE), (CLASS, CHANCE), (NUMBER, GUESS)


def averaged(metric):
    return {
        f"{metric}_{how}": (FOUR, getattr(theirs, f"{metric}_score"), {"average": how})
        for how in ("macro", "weighted", "micro")
    }


REFERENCES = {
    "zero-one": (TWO, theirs.zero_one_loss, {}),
    "accuracy": (FOUR, theirs.accuracy_score, {}),
    "f1": (TWO, theirs.f1_score, {}),
    "f2": (TWO, theirs.fbeta_score, {"beta": 2}),
    "precision": (TWO, theirs.precision_score, {}),
    "recall": (TWO, theirs.recall_score, {}),
    "specificity": (TWO, theirs.recall_score, {"pos_label": 0}),
    "npv": (TWO, theirs.precision_score, {"pos_label": 0}),
    "jaccard": (TWO, theirs.jaccard_score, {}),
    **averaged("f1"),
    **averaged("precision"),
    **averaged("recall"),
    **averaged("jaccard"),
    "balanced_accuracy": (FOUR, theirs.balanced_accuracy_score, {}),
    "matthews_corrcoef": (FOUR, theirs.matthews_corrcoef, {}),
    "kappa": (FOUR, theirs.cohen_kappa_score, {}),
    "kappa_linear": (FOUR, theirs.cohen_kappa_score, {"weights": "linear"}),
    "kappa_quadratic": (FOUR, theirs.cohen_kappa_score, {"weights": "quadratic"}),
    "roc_auc": (OF_SCORE, theirs.roc_auc_score, {}),
    "roc_auc_ovr": (OF_CHANCE, theirs.roc_auc_score, {"multi_class": "ovr"}),
    "roc_auc_ovr_weighted": (
        OF_CHANCE,
        theirs.roc_auc_score,
        {"multi_class": "ovr", "average": "weighted"},
    ),
    "average_precision": (OF_SCORE, theirs.average_precision_score, {}),
    "log-loss": (OF_CHANCE, theirs.log_loss, {}),
    "brier": (OF_SCORE, theirs.brier_score_loss, {}),
    "d2_log_loss_score": (OF_CHANCE, theirs.d2_log_loss_score, {}),
    "squared-error": (REAL, theirs.mean_squared_error, {}),
    "absolute-error": (REAL, theirs.mean_absolute_error, {}),
    "mean_squared_log_error": (REAL, theirs.mean_squared_log_error, {}),
    "mean_absolute_percentage_error": (REAL, theirs.mean_absolute_percentage_error, {}),
    "r2": (REAL, theirs.r2_score, {}),
    "explained_variance": (REAL, theirs.explained_variance_score, {}),
    "d2_absolute_error_score": (REAL, theirs.d2_absolute_error_score, {}),
    "root_mean_squared_error": (REAL, theirs.root_mean_squared_error, {}),
    "root_mean_squared_log_error": (REAL, theirs.root_mean_squared_log_error, {}),
}
GIVEN = {key: one[0] for key, one in REFERENCES.items()} | {
    "d2_brier_score": OF_CHANCE,
    "calibration_error": OF_CHANCE,
    "roc_auc_ovo": OF_CHANCE,
    "roc_auc_ovo_weighted": OF_CHANCE,
    "wape": REAL,
}
ALIKE = {
    "mean_squared_error",
    "mean_absolute_error",
    "log_loss",
    "brier_score",
}


def table_of(key, weights, rows=slice(None), **labels):
    truth, predicted = GIVEN[key]
    asked = {"loss": key, "weights": weights, "classes": None}
    if truth is not NUMBER:
        asked["classes"] = np.unique(truth)
    given = {"a": predicted[rows]}
    return errbar.from_predictions(given, truth[rows], **asked, **({"fold": "none"} | labels))


def value_of(table):
    return table.loss.sign * table.scores[0, 0]


def test_every_metric_is_here():
    assert {*LOSSES, *METRICS} - ALIKE <= {*GIVEN}


@pytest.mark.parametrize("key", REFERENCES)
def test_a_metric_is_that_of_scikit_learn(key):
    (truth, predicted), metric, options = REFERENCES[key]
    wanted = metric(truth, predicted, sample_weight=WEIGHTS, **options)
    assert value_of(table_of(key, WEIGHTS)) == pytest.approx(wanted, abs=1e-12)


@pytest.mark.parametrize("key", GIVEN)
def test_influence_values_are_slopes_in_the_weights(key):
    table = table_of(key, WEIGHTS)
    influence = table.points[0] - table.scores[0, 0]
    assert influence.mean() == pytest.approx(0.0, abs=1e-12)
    for place in (3, 77, 150):
        up, down = WEIGHTS.copy(), WEIGHTS.copy()
        up[place] *= 1.0 + 1e-5
        down[place] *= 1.0 - 1e-5
        slope = (table_of(key, up).scores - table_of(key, down).scores)[0, 0] / 2e-5 * N
        assert influence[place] == pytest.approx(slope, abs=1e-6 * np.abs(influence).max())


@pytest.mark.parametrize("key", GIVEN)
def test_whole_weights_give_the_estimate_of_copies(key):
    times = np.arange(N) % 4
    copied = table_of(key, None, np.repeat(np.arange(N), times), example=np.arange(times.sum()))
    assert value_of(table_of(key, times)) == pytest.approx(value_of(copied), abs=1e-12)


@pytest.mark.parametrize("key", GIVEN)
def test_equal_weights_are_none_and_only_ratios_matter(key):
    equal, none = table_of(key, np.full(N, 0.3)), table_of(key, None)
    assert np.array_equal(equal.scores, none.scores)
    assert equal.loss.pointwise == none.loss.pointwise
    other = table_of(key, 17.0 * WEIGHTS)
    np.testing.assert_allclose(other.points, table_of(key, WEIGHTS).points, atol=1e-10)


@settings(deadline=None, max_examples=50)
@given(
    arrays(float, 12, elements=st.integers(-99, 99)),
    arrays(float, 12, elements=st.floats(0.01, 9)),
)
def test_law_of_the_linearised_ratio(losses, weights):
    # Cochran (1977, eq. 2.39) with the weights as the second variable, and n/(n - 1).
    weights[0] = 9.5
    table = errbar.from_losses({"a": losses}, weights=weights)
    found = errbar.infer(table, "holdout-t")
    mean = weights @ losses / weights.sum()
    squares = np.square(weights * (losses - mean)).sum() / weights.sum() ** 2
    assert found.estimate == pytest.approx(mean, abs=1e-9)
    assert found.se == pytest.approx(np.sqrt(12 / 11 * squares), rel=1e-6, abs=1e-9)


def test_clusters_are_sums_of_weighted_deviations():
    losses, weights, group = GUESS[:60], WEIGHTS[:60], np.arange(60) // 4
    table = errbar.from_losses({"a": losses}, weights=weights, groups=group)
    mean = np.average(losses, weights=weights)
    sums = np.bincount(group, weights * (losses - mean)) / weights.sum()
    wanted = np.sqrt(15 / 14 * np.square(sums).sum())
    assert errbar.infer(table, "cluster-t").se == pytest.approx(wanted)


def test_an_edge_counts_the_effective_number():
    weights = WEIGHTS[:40]
    table = errbar.from_losses({"a": np.zeros(40)}, metric="zero-one", weights=weights)
    found = errbar.infer(table, "holdout-t")
    [trials] = [note.numbers["trials"] for note in found.notes if note.code == "at-an-edge"]
    assert trials == pytest.approx(weights.sum() ** 2 / np.square(weights).sum())


def test_a_bootstrap_of_rows_has_the_standard_error():
    rng = np.random.default_rng(0)
    drawn = []
    for _ in range(2000):
        rows = rng.integers(0, N, N)
        drawn.append(theirs.f1_score(BINARY[rows], LABEL[rows], sample_weight=WEIGHTS[rows]))
    found = errbar.infer(table_of("f1", WEIGHTS), "holdout-t")
    assert found.se == pytest.approx(np.std(drawn), rel=0.06)


LEARNERS = {
    "plain": GaussianNB(),
    "piped": make_pipeline(StandardScaler(), LogisticRegression(tol=1e-10)),
}


class TestFits:
    X, y = load_iris(return_X_y=True)
    w = np.random.default_rng(0).exponential(size=150)

    def test_learners_see_the_weights_of_their_training_sets(self):
        found = errbar.run(LEARNERS, self.X, self.y, plan=3, weights=self.w, random_state=0)
        train, test = found.splits.drawn[0].train, found.splits.drawn[0].test
        weights = self.w / self.w.mean()
        for place, (name, learner) in enumerate(LEARNERS.items()):
            told = "sample_weight" if name == "plain" else "logisticregression__sample_weight"
            fitted = clone(learner).fit(self.X[train], self.y[train], **{told: weights[train]})
            own = found.cells.split == 0
            kept = found.predictions[place]["probability"][own]
            np.testing.assert_allclose(kept, fitted.predict_proba(self.X[test]), atol=1e-8)

    def test_with_loss_keeps_the_weights(self):
        asked = {"plan": 3, "weights": self.w, "random_state": 0}
        first = errbar.run(LEARNERS, self.X, self.y, loss="log-loss", **asked)
        again = errbar.run(LEARNERS, self.X, self.y, **asked).with_loss("log-loss")
        assert np.array_equal(first.points, again.points)

    def test_equal_weights_are_none(self):
        asked = {"plan": 3, "random_state": 0}
        weighted = errbar.run(LEARNERS, self.X, self.y, weights=np.full(150, 3), **asked)
        plain = errbar.run(LEARNERS, self.X, self.y, **asked)
        assert np.array_equal(weighted.points, plain.points)

    def test_a_store_tells_weights_apart(self, tmp_path):
        asked = {"plan": 3, "random_state": 0, "store": tmp_path / "fits.db"}
        fits = [
            errbar.run(LEARNERS, self.X, self.y, weights=w, **more, **asked).counts.fits
            for w, more in (
                (None, {}),
                (self.w, {}),
                (self.w, {}),
                (self.w, {"fit_weights": False}),
                (self.w + 1, {}),
            )
        ]
        assert fits == [6, 6, 0, 0, 6]

    def test_shared_fits_are_for_equal_weights(self):
        X, y = self.X[:, :3], self.X[:, 3]
        learner = {"line": LinearRegression()}
        asked = {"plan": 10, "random_state": 0}
        weighted = errbar.run(learner, X, y, weights=self.w, **asked)
        alone = errbar.run(learner, X, y, weights=self.w, share=False, **asked)
        assert errbar.run(learner, X, y, **asked).counts.shared == ("line",)
        assert weighted.counts.shared == ()
        assert np.array_equal(weighted.points, alone.points)

    @pytest.mark.parametrize(
        ("learner", "name"),
        [
            (SVC(), "sample_weight"),
            (make_pipeline(make_pipeline(SVC())), "pipeline__svc__sample_weight"),
            (GridSearchCV(make_pipeline(SVC()), {}), "svc__sample_weight"),
            (BaggingClassifier(), "sample_weight"),
            (VotingClassifier([("a", SVC()), ("b", GaussianNB())]), "sample_weight"),
            (KNeighborsClassifier(), None),
            (make_pipeline(StandardScaler(), KNeighborsClassifier()), None),
            (BaggingClassifier(KNeighborsClassifier()), None),
            (VotingClassifier([("a", SVC()), ("b", KNeighborsClassifier())]), None),
        ],
    )
    def test_name_under_which_a_learner_takes_weights(self, learner, name):
        assert weight_parameter(learner) == name

    def test_a_learner_without_weights_is_refused_before_any_fit(self):
        asked = {"weights": self.w, "random_state": 0, "plan": 3}
        with pytest.raises(InvalidInputError) as refused:
            errbar.evaluate(KNeighborsClassifier(), self.X, self.y, **asked)
        assert refused.value.argument == "weights"
        found = errbar.evaluate(KNeighborsClassifier(), self.X, self.y, fit_weights=False, **asked)
        assert 0.0 < found.estimate < 0.2

    @pytest.mark.parametrize(
        "plan",
        [
            errbar.plans.Holdout(),
            errbar.plans.KFold(5, repeats=2),
            errbar.plans.Subsampling(repeats=5),
            errbar.plans.Seeds(2, plan=errbar.plans.Holdout()),
            errbar.plans.NestedKFold(folds=4),
        ],
    )
    @pytest.mark.parametrize("loss", ["zero-one", "f1_macro", "roc_auc_ovr"])
    def test_every_design_has_an_answer(self, plan, loss):
        learners = {"bayes": GaussianNB(), "tree": DecisionTreeClassifier(max_depth=2)}
        asked = {"plan": plan, "loss": loss, "stratify": True, "random_state": 0}
        found = errbar.compare(learners, self.X, self.y, weights=self.w, **asked)
        assert np.isfinite(found.pairs[0].result.se)
        assert any("weights" in note.numbers for note in found.notes)


class TestRefused:
    @pytest.mark.parametrize(
        "weights",
        [
            -WEIGHTS,
            WEIGHTS[:-1],
            np.where(np.arange(N) == 3, np.nan, WEIGHTS),
            np.zeros(N),
            np.where(np.arange(N) % 5 == 0, 0.0, WEIGHTS),
        ],
    )
    def test_weights_that_mean_nothing(self, weights):
        labels = {"fold": np.arange(N) % 5}
        with pytest.raises(InvalidInputError) as refused:
            errbar.from_losses({"a": GUESS}, weights=weights, **labels)
        assert refused.value.argument in ("weights", None)
        with pytest.raises(InvalidInputError):
            table_of("f1", weights, **labels)

    @pytest.mark.parametrize("method", ["mcnemar", "paired-proportions", "two-proportion-z"])
    def test_methods_that_count(self, method):
        given = {"a": LABEL, "b": 1 - LABEL}
        table = errbar.from_predictions(given, BINARY, fold="none", weights=WEIGHTS)
        with pytest.raises(InvalidInputError, match="weights"):
            errbar.infer(table, method, "a", "b")
        with pytest.raises(InvalidInputError, match="weights"):
            errbar.overall(table, "cochran-q")

    @pytest.mark.parametrize("method", ["delong", "bootstrap-auc"])
    def test_methods_of_areas(self, method):
        with pytest.raises(InvalidInputError, match="weights"):
            errbar.infer(table_of("roc_auc", WEIGHTS), method)

    def test_functions_without_weights(self):
        def largest(truth, predicted):
            return float(np.abs(truth - predicted).mean())

        def weighted(truth, predicted, sample_weight=None):
            return float(np.average(np.abs(truth - predicted), weights=sample_weight))

        table = table_of("squared-error", WEIGHTS)
        with pytest.raises(InvalidInputError) as refused:
            table.with_loss(largest)
        assert refused.value.argument == "loss"
        own = errbar.infer(table.with_loss(weighted), "holdout-t")
        ours = errbar.infer(table.with_loss("absolute-error"), "holdout-t")
        assert own.estimate == pytest.approx(ours.estimate)
        assert own.se == pytest.approx(ours.se)

    def test_weights_of_splits(self):
        with pytest.raises(InvalidInputError) as refused:
            errbar.from_scores({"a": [0.1, 0.2]}, weight=[1, 2])
        assert refused.value.argument == "weight"

    def test_a_search(self):
        search = GridSearchCV(DecisionTreeClassifier(), {"max_depth": [1, 2]})
        with pytest.raises(InvalidInputError) as refused:
            errbar.tune(search, TestFits.X, TestFits.y, weights=TestFits.w)
        assert refused.value.argument == "weights"


class TestTables:
    def test_a_column_is_named_and_never_taken(self):
        frame = {"sample_weight": WEIGHTS, "a": GUESS, "b": NUMBER}
        asked = {"kind": "examples", "higher_is_better": False}
        with pytest.raises(InvalidInputError) as refused:
            errbar.read_table(frame, **asked)
        assert "--weight sample_weight" in refused.value.options
        table = errbar.read_table(frame, weight="sample_weight", **asked)
        direct = errbar.from_losses({"a": GUESS, "b": NUMBER}, weights=WEIGHTS)
        assert np.array_equal(table.points, direct.points)

    def test_an_example_has_one_weight(self):
        rows = {"example": [1, 1, 2, 2], "repeat": [0, 1, 0, 1], "weights": [1, 2, 1, 1]}
        with pytest.raises(InvalidInputError) as refused:
            errbar.from_losses({"a": [0.1, 0.2, 0.3, 0.5]}, **rows)
        assert refused.value.argument == "weights"

    def test_the_command_line(self, tmp_path):
        rows = np.column_stack([WEIGHTS, LABEL != BINARY, CHOICE % 2 != BINARY]).astype(float)
        file = tmp_path / "errors.csv"
        np.savetxt(file, rows, delimiter=",", header="w,a,b", comments="")
        asked = ["--kind", "examples", "--weight", "w", "--metric", "zero-one", "--json"]
        told = json.loads(run("test", str(file), *asked, cwd=tmp_path).stdout)
        table = errbar.from_losses({"a": rows[:, 1], "b": rows[:, 2]}, weights=WEIGHTS)
        wanted = errbar.infer(table, "holdout-t", "a").estimate
        assert told["learners"][0]["estimate"] == pytest.approx(wanted, abs=1e-6)

    def test_fits_on_the_command_line(self, tmp_path):
        file = tmp_path / "data.csv"
        noise = np.random.default_rng(3).normal(size=N)
        X, y = (SCORE + noise)[:, None], BINARY
        rows = np.column_stack([WEIGHTS, X, y])
        np.savetxt(file, rows, delimiter=",", header="w,x,y", comments="")
        asked = ["--target", "y", "--weight", "w", "--json", "--quiet", "--plan", "3"]
        learner = ["--model", "KNeighborsClassifier"]
        command = ["evaluate", str(file), *learner, *asked]
        assert run(*command, cwd=tmp_path).returncode == 2
        found = run(*command, "--unweighted-fits", cwd=tmp_path)
        how = {"weights": WEIGHTS, "fit_weights": False, "plan": 3, "random_state": 0}
        wanted = errbar.evaluate(KNeighborsClassifier(), X, y, name="KNeighborsClassifier", **how)
        told = json.loads(found.stdout)["learners"][0]["estimate"]
        assert told == pytest.approx(wanted.estimate, abs=1e-6)
