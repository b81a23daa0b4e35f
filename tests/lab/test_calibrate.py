"""Calibration on one's own data: what is counted, what is recommended, what is warned of."""

import json
import math
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy import stats
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from errbar import plans
from errbar.errors import FitFailedError, InvalidInputError
from errbar_lab import Analysis, Interval, Performance, calibrate
from errbar_lab._experiment import ABOUT
from errbar_lab._summary import proportion
from errbar_lab.populations import OwnData
from errbar_lab.studies.advice import Claim, recommend as recommended, warnings as advice
from tests.bands import binomial_band
from tests.refusals import refused

pytestmark = pytest.mark.long

X = np.random.default_rng(0).normal(size=(400, 3))
Y = X[:, 0] + np.random.default_rng(1).normal(size=400)
LABELS = np.where(Y > 0, "yes", "no")
FAST = {"replicates": 5, "truth_draws": 10}
CHEAP = ["corrected-t", "cv-wald"]
USUAL = [
    "holdout-t",
    "corrected-t",
    "corrected-t 3x10 folds",
    "cv-t",
    "cv-jackknife",
    "cv-wald",
    "kfold-t",
    "resampled-t",
]


class Constant(RegressorMixin, BaseEstimator):
    """Predicts a number whatever it is shown."""

    def __init__(self, value=0.0):
        self.value = value

    def fit(self, X, y):
        self.fitted_ = True
        return self

    def predict(self, X):
        return np.full(len(X), self.value)


def made(
    method,
    target="tree",
    covered=950,
    width=1.0,
    *,
    total=1000,
    n=50,
    n_train=45,
    level=0.95,
    about="ER(n1)",
    error=0.0,
):
    """A performance with this coverage."""
    whole = proportion(covered, total)
    rest = proportion(total - covered, total)
    nothing = Interval(math.nan, math.nan, math.nan)
    return Performance(
        "data",
        method,
        target,
        n,
        about,
        n_train,
        0.3,
        level,
        whole,
        rest,
        width,
        0.01,
        0.0,
        0.01,
        nothing,
        0,
        error,
    )


def recommend(found, claims=None):
    return [SimpleNamespace(**one) for one in recommended(found, claims or {})]


def select(study, target, about=None):
    """The rows of one target, about the first truth unless told otherwise."""
    about = about or study.content["about"][0]
    rows = (SimpleNamespace(**row) for row in study.records)
    return [row for row in rows if (row.target, row.about) == (target, about)]


def methods(study):
    return [one["method"] for one in study.content["recommendations"]]


@pytest.fixture(scope="module")
def regression():
    return calibrate(
        X, Y, {"a": LinearRegression(), "b": Ridge(100.0)}, n=40, replicates=20, truth_draws=200
    )


class TestRecommendation:
    """Deterministic: the coverages are given."""

    def test_the_narrowest_of_those_that_hold_is_taken(self):
        found = [
            made("wide", width=2.0),
            made("bad", covered=830, width=0.5),
            made("narrow", covered=955),
        ]
        [advice] = recommend(found)
        assert (advice.target, advice.estimand, advice.method) == ("tree", "ER(45)", "narrow")

    def test_the_interval_must_begin_two_points_below_the_level_or_above(self):
        for covered, method in ((944, "wide"), (946, "narrow")):
            low = stats.binomtest(covered, 1000).proportion_ci(method="wilson").low
            assert (low >= 0.93) == (method == "narrow")
            [found] = recommend(
                [made("wide", covered=990, width=2.0), made("narrow", covered=covered)]
            )
            assert found.method == method

    @pytest.mark.parametrize("covered", [0, 10, 19, 20])
    def test_where_there_are_too_few_data_sets_nothing_is_recommended(self, covered):
        """No fault can be found in twenty intervals that all hold, and no more is shown by them."""
        [found] = recommend(
            [made("a", covered=covered, total=20), made("b", covered=covered, total=20, width=0.5)]
        )
        assert found.method is None

    def test_how_many_data_sets_are_needed_where_all_hold(self):
        """1.96^2 0.93 0.07 / 0.07^2 = 51.04 of them show at least 93 %."""
        assert made("a", covered=52, total=52).holds
        assert not made("a", covered=51, total=51).holds

    def test_a_conservative_method_may_be_recommended(self):
        [found] = recommend(
            [made("bad", covered=700, width=0.1), made("careful", covered=1000, width=3.0)]
        )
        assert found.method == "careful"

    def test_of_equal_widths_the_first_named_is_taken(self):
        assert recommend([made("first"), made("second")])[0].method == "first"

    def test_where_none_holds_none_is_recommended(self):
        [found] = recommend([made("a", covered=700), made("b", covered=800)])
        assert found.method is None

    def test_methods_at_different_training_sizes_are_never_compared(self):
        found = recommend([made("half", n_train=25, width=0.1), made("most", width=1.0)])
        assert [(one.estimand, one.method) for one in found] == [
            ("ER(25)", "half"),
            ("ER(45)", "most"),
        ]
        whole = recommend(
            [made("half", n_train=25, width=0.1, about="ER(n)"), made("most", about="ER(n)")]
        )
        assert [(one.estimand, one.method) for one in whole] == [("ER(50)", "half")]

    def test_methods_about_models_of_different_splits_are_never_compared(self):
        claims = {
            name: Claim("PQ", plan)
            for name, plan in (("a", "Holdout"), ("b", "KFold"), ("c", "KFold"))
        }
        widths = (("a", 0.1), ("b", 1.0), ("c", 0.9))
        found = recommend([made(name, width=width, about="PQ") for name, width in widths], claims)
        assert [(one.estimand, one.method) for one in found] == [
            ("PQ of Holdout", "a"),
            ("PQ of KFold", "c"),
        ]

    def test_of_risks_that_depend_on_splits_those_are_spoken_of_that_a_method_claims(self):
        claims = {
            "corrected-t": Claim("ER(n1)", "Subsampling"),
            "holdout-t": Claim("PQ", "Holdout"),
        }
        asked = [("corrected-t", 45), ("holdout-t", 37)]
        found = [made(name, n_train=size, about=about) for about in ABOUT for name, size in asked]
        advice = [(one.estimand, one.method) for one in recommend(found, claims)]
        assert advice == [
            ("ER(45)", "corrected-t"),
            ("ER(50)", "corrected-t"),
            ("PQ of Holdout", "holdout-t"),
            ("R", "corrected-t"),
        ]

    def test_for_all_together_a_method_must_hold_everywhere(self):
        found = recommend(
            [
                made("narrow", "tree", width=1.0),
                made("wide", "tree", width=1.5),
                made("narrow", "forest", covered=800, width=1.0),
                made("wide", "forest", width=1.5),
            ]
        )
        assert [(one.target, one.method) for one in found] == [
            ("tree", "narrow"),
            ("forest", "wide"),
            (None, "wide"),
        ]

    def test_widths_of_different_targets_are_compared_by_their_ratio_to_the_narrowest(self):
        """On the sum of widths b would win, on the ratios a does: 1 * 1.2 < 2 * 1."""
        found = recommend(
            [
                made("a", "small", width=1.0),
                made("b", "small", width=2.0),
                made("a", "large", width=120.0),
                made("b", "large", width=100.0),
            ]
        )
        assert found[-1].method == "a"

    def test_methods_that_speak_of_pairs_only_are_not_for_all(self):
        found = recommend(
            [
                made("t", "tree", width=2.0),
                made("t", "tree - x", width=2.0),
                made("mcnemar", "tree - x"),
            ]
        )
        assert [one.method for one in found] == ["t", "mcnemar", "t"]

    def test_where_none_holds_everywhere_none_is_named_for_all(self):
        found = recommend(
            [
                made("a", "tree"),
                made("b", "tree", covered=700),
                made("a", "x", covered=700),
                made("b", "x"),
            ]
        )
        assert [one.method for one in found] == ["a", "b", None]

    def test_intervals_without_width_or_bounds_do_no_harm(self):
        for widths, method in (
            ((0.0, 1.0), "a"),
            ((math.inf, 1.0), "b"),
            ((math.inf, math.inf), "a"),
        ):
            both = [
                made(name, t, width=w)
                for t in ("x", "y")
                for name, w in zip("ab", widths, strict=True)
            ]
            assert recommend(both)[-1].method == method


class TestWarnings:
    def said(self, main, *, size=10_000, replacement=False, left_out=None):
        X, y = np.zeros((size, 1)), np.arange(size) / 7
        population = OwnData.of(X, y, "regression", replacement=replacement)
        return advice(main, population, left_out or {})

    def test_that_n_is_not_all_of_the_data_is_always_said(self):
        [only] = self.said([made("t")])
        assert "50" in only
        assert "10000" in only

    def test_liberal_methods_are_named_with_their_worst_target(self):
        said = self.said([made("t", covered=800), made("z")])
        assert len(said) == 2
        assert all(word in said[0].split() for word in ("t", "tree", "80.0"))

    def test_too_few_data_sets(self):
        """At 95 % of them the interval begins above 93 % from 1.96^2 0.93 0.07 / 0.02^2 = 625.2 of them on."""
        few = self.said([made("t", covered=594, total=625)])
        assert len(few) == 2
        assert "626" in few[0].split()
        assert len(self.said([made("t", covered=595, total=626)])) == 1

    def test_methods_that_do_not_fit_are_named_with_the_reason(self):
        told = self.said([made("t")], left_out={"z": "it is made for two"})[0]
        assert told.startswith("z ")
        assert "it is made for two" in told

    def test_data_sets_that_are_a_large_part_of_the_data(self):
        assert len(self.said([made("t")], size=99)) == 2
        assert len(self.said([made("t")], size=982)) == 1

    def test_copies_in_data_sets_drawn_with_replacement(self):
        said = self.said([made("t")], size=100, replacement=True)
        assert f"{1 - 0.99**49:.2f}" in said[0]
        assert len(self.said([made("t")], size=2000, replacement=True)) == 1

    def test_a_truth_that_is_not_known_well_enough(self):
        assert len(self.said([made("t", width=1.0, error=0.04)])) == 1
        found = self.said([made("t", width=1.0, error=0.06)])
        assert len(found) == 2
        assert "12 %" in found[0]


class TestCounts:
    def population(self):
        rng = np.random.default_rng(5)
        return np.zeros((200, 1)), rng.normal(size=200)

    @pytest.mark.thorough
    @pytest.mark.parametrize(("replacement", "share"), [(False, 0.9943), (True, 0.95)])
    def test_drawing_half_the_data_without_replacement_makes_methods_look_conservative(
        self, replacement, share
    ):
        """A learner that ignores its training set: the estimate is a mean over n of N losses, with a known variance."""
        study = calibrate(
            *self.population(),
            {"zero": Constant()},
            n=100,
            methods=[Analysis("cv-wald", plans.KFold(2))],
            replicates=400,
            replacement=replacement,
            truth_draws=200,
            loss="absolute-error",
        )
        [one] = select(study, "zero")
        low, high = binomial_band(400, share, 1e-5)
        assert low <= round(400 * one.coverage) <= high
        assert one.coverage + one.size == pytest.approx(1.0)
        assert one.truth == pytest.approx(np.abs(self.population()[1]).mean(), abs=0.02)

    @pytest.mark.thorough
    def test_a_liberal_method_is_not_recommended_though_it_is_the_narrowest(self):
        asked = {
            "n": 40,
            "methods": ["resampled-t", Analysis("kfold-t", options={"rho": 0.7}, name="careful")],
            "about": "ER(n1)",
            "replicates": 300,
            "truth_draws": 300,
        }
        study = calibrate(*self.population(), {"zero": Constant()}, loss="absolute-error", **asked)
        naive, careful = select(study, "zero")
        assert naive.width < careful.width
        assert naive.verdict == "liberal"
        assert methods(study) == ["careful"]

    def test_the_true_difference_is_tested_not_equality(self):
        """Losses |y| and |y - 3| differ by far: equality is always rejected, and the true difference about never."""
        learners = {"near": Constant(), "far": Constant(3.0)}
        study = calibrate(
            *self.population(), learners, n=50, methods=["cv-wald"], loss="absolute-error", **FAST
        )
        [one] = select(study, "near - far")
        assert one.finds_difference == 1.0
        assert one.size <= 0.4
        y = self.population()[1]
        assert one.truth == pytest.approx((np.abs(y) - np.abs(y - 3)).mean(), abs=0.2)

    @pytest.mark.thorough
    def test_truths_come_from_all_other_examples(self, regression):
        """Least squares on these data by brute force."""
        rng = np.random.default_rng(9)
        values = []
        for _ in range(400):
            order = rng.permutation(400)
            model = LinearRegression().fit(X[order[:40]], Y[order[:40]])
            values.append(np.square(model.predict(X[order[40:]]) - Y[order[40:]]).mean())
        value, error = next(
            (row["value"], row["standard_error"])
            for row in regression.content["truths"]
            if (row["target"], row["n_train"]) == ("a", 40)
        )
        assert abs(np.mean(values) - value) < 5 * math.hypot(error, np.std(values) / 20)


class TestCalibration:
    def test_every_learner_and_every_pair_is_judged_by_every_method(self, regression):
        for about in ABOUT:
            for target in ("a", "b", "a - b"):
                assert [one.method for one in select(regression, target, about)] == USUAL
        advice = regression.content["recommendations"]
        assert [one["target"] for one in advice[:4]] == ["a", "b", "a - b", None]
        assert list(dict.fromkeys(one["estimand"] for one in advice)) == [
            "ER(36)",
            "ER(34)",
            "ER(40)",
            "PQ of Holdout(n_train=None, n_test=0.25)",
            "PQ of KFold(folds=10, repeats=1)",
            "R",
        ]
        assert set(methods(regression)) == {None}, "twenty data sets show nothing"
        assert list(regression.content["left_out"]) == ["cluster-t"]

    def test_tables_records_and_json(self, regression):
        assert len(regression.tables) == 4
        for table in regression.tables:
            assert len({tuple(row) for row in table.rows}) == 1
        assert len(regression.records) == 3 * len(USUAL) * len(ABOUT)
        assert len({tuple(row) for row in regression.records}) == 1
        assert json.loads(json.dumps(regression.to_dict(), allow_nan=False)) == regression.to_dict()

    @pytest.mark.thorough
    @pytest.mark.parametrize(
        "y", [(Y > 0), (Y > 0).astype(float), (Y > 0).tolist(), LABELS, LABELS.tolist()]
    )
    def test_classes_may_be_of_every_kind(self, y):
        """They are drawn alike, whatever they are called."""
        learners = {
            "tree": DecisionTreeClassifier(max_depth=2, random_state=0),
            "logit": LogisticRegression(),
        }
        asked = {"n": 40, "methods": ["corrected-t", "mcnemar"], **FAST}
        found, codes = (
            calibrate(X, y, learners, **asked),
            calibrate(X.tolist(), (Y > 0).astype(int), learners, **asked),
        )
        assert found.records == codes.records
        assert [one.method for one in select(found, "tree")] == ["corrected-t"]
        assert [one.method for one in select(found, "tree - logit")] == ["corrected-t", "mcnemar"]

    def test_regressors_may_have_whole_numbers_to_predict(self):
        y = np.round(3 * Y).astype(int)
        found = calibrate(X, y, {"ridge": Ridge()}, n=40, methods=CHEAP, **FAST)
        assert (
            found.records
            == calibrate(
                X, y.astype(float), {"ridge": Ridge()}, n=40, methods=CHEAP, **FAST
            ).records
        )
        assert {row["target"] for row in found.records} == {"ridge"}

    def test_names_may_hold_a_minus(self):
        found = calibrate(X, Y, {"a - b": Ridge(), "c": Constant()}, n=40, methods=CHEAP, **FAST)
        assert found.to_dict()["truths"][-1]["target"] == "a - b - c"

    def test_scores_are_counted_in_their_own_direction(self):
        found = calibrate(
            X,
            LABELS,
            {"logit": LogisticRegression()},
            n=200,
            methods=["corrected-t"],
            loss="roc_auc",
            **FAST,
        )
        assert 0.7 < select(found, "logit")[0].truth < 1.0
        assert abs(select(found, "logit")[0].bias) < 0.1

    @pytest.mark.parametrize(
        ("size", "n"), [(60, 30), (200, 50), (400, 50), (1000, 100), (5000, 300)]
    )
    def test_the_size_of_data_sets_is_chosen_from_the_data(self, size, n):
        rng = np.random.default_rng(0)
        more = {"methods": ["holdout-t"], "replicates": 2, "truth_draws": 2}
        found = calibrate(np.zeros((size, 1)), rng.normal(size=size), {"zero": Constant()}, **more)
        assert found.records[0]["n"] == n

    def test_with_replacement_data_sets_may_be_as_large_as_the_data(self):
        more = {"methods": ["holdout-t"], "replicates": 2, "truth_draws": 2}
        found = calibrate(X, Y, {"zero": Constant()}, n=400, replacement=True, **more)
        assert found.records[0]["n"] == 400

    @pytest.mark.thorough
    def test_it_can_be_about_the_whole_data_set(self):
        """Two folds train on half the data: nearest neighbours do worse there, and are biased about ER(n)."""
        learners = {"near": KNeighborsClassifier(1)}
        more = {"methods": ["5x2cv-t"], "n": 100, "replicates": 60, "truth_draws": 300}
        found = calibrate(
            X[:, :1].round(1),
            np.digitize(X[:, 0], [-1, 0, 1]),
            learners,
            about=["ER(n)", "ER(n1)"],
            **more,
        )
        own, whole = (select(found, "near", about)[0] for about in ("ER(n1)", "ER(n)"))
        assert own.truth > whole.truth
        assert whole.bias > own.bias
        advice = found.content["recommendations"]
        assert [one["estimand"] for one in advice] == ["ER(50)", "ER(100)"]

    def test_it_is_resumed_and_gives_the_same(self, tmp_path):
        told = []
        asked = {"n": 40, "methods": CHEAP, "truth_draws": 8, "progress": told.append}
        learners = {"ridge": Ridge(), "zero": Constant()}
        fresh = calibrate(X, Y, learners, replicates=6, **asked)
        calibrate(X, Y, learners, replicates=3, store=tmp_path / "x.db", **asked)
        resumed = calibrate(X, Y, learners, replicates=6, store=tmp_path / "x.db", **asked)
        done = len(told)
        again = calibrate(X, Y, learners, replicates=6, store=tmp_path / "x.db", **asked)
        assert fresh.to_dict() == resumed.to_dict() == again.to_dict()
        assert len(told) == done

    def test_frames_of_numbers_give_the_same_as_arrays(self):
        pandas = pytest.importorskip("pandas")
        frame = pandas.DataFrame(X, columns=["a", "b", "c"])
        found = calibrate(frame, Y, {"ridge": Ridge()}, n=40, methods=CHEAP, **FAST)
        same = calibrate(X, Y, {"ridge": Ridge()}, n=40, methods=CHEAP, **FAST)
        for one, other in zip(found.records, same.records, strict=True):
            assert one == {
                name: pytest.approx(value) if isinstance(value, float) else value
                for name, value in other.items()
            }

    def test_text_and_gaps_go_to_the_learners_as_they_are(self):
        pandas = pytest.importorskip("pandas")
        frame = pandas.DataFrame(
            {"a": np.where(X[:, 0] > 1.0, np.nan, X[:, 0]), "b": np.where(X[:, 1] > 0, "up", None)}
        )
        text = make_column_transformer(
            (OneHotEncoder(handle_unknown="ignore"), ["b"]), remainder="passthrough"
        )
        learners = {"tree": make_pipeline(text, DecisionTreeRegressor(max_depth=3))}
        found = calibrate(frame, Y, learners, n=60, methods=CHEAP, **FAST)
        assert 0.5 < select(found, "tree")[0].truth < 3.0

    def test_a_positive_class_is_named(self):
        learners = {"logit": LogisticRegression()}
        asked = {"n": 80, "methods": ["cv-t"], "loss": "recall", "about": "ER(n)", **FAST}
        skewed = np.where(Y > 1.0, "yes", "no")
        yes, no = (
            select(calibrate(X, skewed, learners, positive=label, **asked), "logit")[0]
            for label in ("yes", "no")
        )
        assert yes.truth < 0.8 < no.truth

    def test_stratified_splits(self):
        learners = {"logit": LogisticRegression()}
        found = calibrate(X, LABELS, learners, n=60, stratify=True, **FAST)
        assert "cv-t" in {row["method"] for row in found.records}
        with refused("stratify"):
            calibrate(X, Y, {"ridge": Ridge()}, n=60, methods=CHEAP, stratify=True, **FAST)


class TestGroups:
    GROUPS = np.arange(400) // 4

    def found(self, **more):
        return calibrate(X, Y, {"ridge": Ridge()}, groups=self.GROUPS, **(FAST | more))

    def test_methods_that_need_independent_examples_are_left_out(self):
        found = self.found(n=80)
        assert "cluster-t" in {row["method"] for row in found.records}
        assert sorted(found.content["left_out"]) == ["cv-wald", "holdout-t"]
        assert "80 examples or so in 20 groups" in found.settings["Data sets"]
        with pytest.raises(InvalidInputError):
            self.found(n=80, methods=["cv-wald"])

    def test_there_are_as_many_folds_as_groups_at_most(self):
        found = self.found(n=24, about="ER(n1)")
        assert "cluster-t" in {row["method"] for row in found.records}
        assert select(found, "ridge")[0].n == 24

    def test_by_default_there_are_twenty(self):
        assert self.found(methods=["cluster-t"]).records[0]["n"] == 80

    def test_intervals_for_groups_are_wider(self):
        """Copies say nothing new: with four of each, those of examples are half as wide."""
        copies = {"X": np.repeat(X, 4, axis=0), "y": np.repeat(Y, 4)}
        more = {
            "learners": {"ridge": Ridge()},
            "n": 160,
            "methods": ["corrected-t"],
            "replicates": 30,
            "truth_draws": 30,
        }
        groups = np.repeat(np.arange(400), 4)
        apart, whole = (
            select(calibrate(**copies, groups=own, **more), "ridge", "ER(n)")[0]
            for own in (None, groups)
        )
        assert whole.width > 1.5 * apart.width


class TestDraws:
    @given(st.integers(0, 2**32), st.integers(2, 60), st.booleans(), st.booleans())
    @settings(max_examples=60, deadline=None)
    def test_whole_groups_are_drawn_and_others_are_of_none_of_them(
        self, seed, n, grouped, replacement
    ):
        rng = np.random.default_rng(seed)
        groups = np.sort(rng.integers(0, 30, 120))
        X, y = np.arange(120.0)[:, None], rng.normal(size=120)
        own = groups if grouped else None
        population = OwnData.of(X, y, "regression", own, replacement=replacement)
        drawn = population.drawn(n, 40, rng)
        rows, others = np.split(drawn.X[:, 0].astype(int), [drawn.n])
        assert np.array_equal(drawn.y, y[np.concatenate([rows, others])])
        if grouped:
            assert np.unique(drawn.groups).size == population.units_of(n)
            for own in np.unique(drawn.groups):
                [label] = set(groups[rows[drawn.groups == own]])
                assert (drawn.groups == own).sum() == (groups == label).sum()
        else:
            assert drawn.n == n
        if replacement:
            assert others.size == 40
        else:
            assert np.unique(rows).size == rows.size
            kept = groups if grouped else np.arange(120)
            assert not set(kept[rows]) & set(kept[others])

    @pytest.mark.thorough
    @pytest.mark.parametrize("loss", ["f1", "roc_auc", "log-loss", "neg_brier_score"])
    def test_risks_may_be_metrics(self, loss):
        y = (X[:, 0] + X[:, 1] > 0.5).astype(int)
        found = calibrate(
            X, y, {"logit": LogisticRegression()}, n=60, loss=loss, stratify=True, **FAST
        )
        truth = found.content["truths"][-1]["value"]
        for about in ABOUT:
            assert select(found, "logit", about)[0].truth == pytest.approx(truth, abs=0.15)

    def test_methods_whose_splits_leave_a_metric_undefined_are_left_out(self):
        y = (X[:, 0] > 0.3).astype(int)
        found = calibrate(
            X, y, {"logit": LogisticRegression()}, n=60, loss="roc_auc", about="ER(n)", **FAST
        )
        assert "'roc_auc' is undefined on" in found.content["left_out"]["corrected-t"]
        assert "holdout-t" in {row["method"] for row in found.records}


class TestRefused:
    @pytest.mark.parametrize(
        ("data", "learners", "more", "argument"),
        [
            ((X, Y), {"a": Ridge()}, {"n": 201}, "n"),
            ((X, Y), {"a": Ridge()}, {"n": 401, "replacement": True}, "n"),
            ((X, Y), {"a": Ridge()}, {"n": 4.5}, "n"),
            ((X, Y), {"a": Ridge()}, {"about": "PD"}, "about"),
            ((X, Y), {"a": Ridge()}, {"about": []}, "about"),
            ((X, Y), {"a": Ridge()}, {"groups": [1, 2]}, "groups"),
            ((X, Y), {"a": Ridge()}, {"methods": "cv-wald"}, "methods"),
            ((X, Y), {"a": Ridge()}, {"methods": ["permutation"]}, None),
            ((X, Y), {"a": Ridge()}, {"methods": ["mcnemar"]}, None),
            ((X, Y), {"a": Ridge(), "b": Ridge()}, {"methods": ["outperformance"]}, None),
            ((X, Y), {"a": Ridge(), "b": Ridge()}, {"methods": ["binomial"]}, None),
            (
                (X, Y),
                {"a": Ridge()},
                {"n": 8, "methods": ["cv-wald"]},
                "folds",
            ),
            ((X, Y), {"a": Ridge()}, {"loss": "zero-one"}, "loss"),
            ((X, Y), {"a": Ridge()}, {"replacement": 1}, "replacement"),
            ((X, Y), {}, {}, "learners"),
            ((X, LABELS), {"a": Ridge()}, {}, None),
            ((X, Y), {"a": LogisticRegression()}, {}, None),
            ((X, Y[:50]), {"a": Ridge()}, {}, "X"),
        ],
    )
    def test_what_cannot_be_used_is_said_in_one_sentence(self, data, learners, more, argument):
        with refused(argument) as caught:
            calibrate(*data, learners, **more)
        assert "\n" not in str(caught.value)

    def test_what_a_learner_cannot_take_is_a_failure_of_its_fits(self):
        with pytest.raises(FitFailedError):
            calibrate(np.where(X > 1.0, np.nan, X), Y, {"a": Ridge()}, methods=CHEAP, **FAST)
