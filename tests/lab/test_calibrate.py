"""Calibration on one's own data: what is counted, what is recommended, what is warned of."""

import json
import math

import numpy as np
import pytest
from scipy import stats
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from errbar import lab, plans
from errbar.errors import InvalidInputError
from errbar.lab import Analysis, Performance, Ratio, proportion
from errbar.lab._truth import ExpectedRisk
from errbar.lab.studies._advice import warnings as advice
from errbar.lab.studies._calibrate import calibrate, recommend
from errbar.testing import binomial_band

X = np.random.default_rng(0).normal(size=(400, 3))
Y = X[:, 0] + np.random.default_rng(1).normal(size=400)
LABELS = np.where(Y > 0, "yes", "no")
FAST = {"replicates": 5, "truth_draws": 10}
CHEAP = ["corrected-t", "cv-wald"]


class Constant(RegressorMixin, BaseEstimator):
    """Predicts a number whatever it is shown."""

    def __init__(self, value=0.0):
        self.value = value

    def fit(self, X, y):
        self.fitted_ = True
        return self

    def predict(self, X):
        return np.full(len(X), self.value)


def made(method, target="tree", covered=95, width=1.0, *, total=100, n=50, n_train=45, level=0.95, about="ER(n1)"):
    """A performance with this coverage."""
    whole = proportion(covered, total)
    rest = proportion(total - covered, total)
    nothing = Ratio(math.nan, math.nan, math.nan)
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
        rest,
        rest,
        width,
        0.01,
        0.0,
        0.01,
        nothing,
        0,
    )


@pytest.fixture(scope="module")
def regression():
    return calibrate(X, Y, {"a": LinearRegression(), "b": Ridge(100.0)}, n=40, replicates=20, truth_draws=200)


class TestRecommendation:
    """Deterministic: the coverages are given."""

    def test_the_narrowest_of_those_that_hold_is_taken(self):
        [found] = recommend([made("wide", width=2.0), made("bad", covered=83, width=0.5), made("narrow", covered=91)])
        assert (found.target, found.method) == ("tree", "narrow")
        assert "For tree use narrow" in found.text
        assert "1 wide on average" in found.text
        assert "91.0 % [83.8, 95.2]" in found.text

    def test_the_interval_must_reach_the_nominal_level_not_the_share(self):
        for covered, method in ((90, "wide"), (91, "narrow")):
            high = stats.binomtest(covered, 100).proportion_ci(method="wilson").high
            assert (high >= 0.95) == (method == "narrow")
            [found] = recommend([made("wide", covered=99, width=2.0), made("narrow", covered=covered)])
            assert found.method == method

    def test_a_conservative_method_may_be_recommended(self):
        [found] = recommend([made("bad", covered=70, width=0.1), made("careful", covered=100, width=3.0)])
        assert found.method == "careful"

    def test_of_equal_widths_the_first_named_is_taken(self):
        assert recommend([made("first"), made("second")])[0].method == "first"

    def test_where_none_holds_the_nearest_is_named_and_none_recommended(self):
        [found] = recommend([made("a", covered=70), made("b", covered=80)])
        assert found.method is None
        assert "no method can be recommended" in found.text
        assert "b comes nearest with 80.0 %" in found.text

    def test_for_all_together_a_method_must_hold_everywhere(self):
        found = recommend(
            [
                made("narrow", "tree", width=1.0),
                made("wide", "tree", width=1.5),
                made("narrow", "forest", covered=80, width=1.0),
                made("wide", "forest", width=1.5),
            ]
        )
        assert [(one.target, one.method) for one in found] == [("tree", "narrow"), ("forest", "wide"), (None, "wide")]
        assert "together use wide" in found[-1].text

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
        found = recommend([made("t", "tree", width=2.0), made("t", "tree - x", width=2.0), made("mcnemar", "tree - x")])
        assert [one.method for one in found] == ["t", "mcnemar", "t"]

    def test_where_none_holds_everywhere_none_is_named_for_all(self):
        found = recommend(
            [made("a", "tree"), made("b", "tree", covered=70), made("a", "x", covered=70), made("b", "x")]
        )
        assert [one.method for one in found] == ["a", "b", None]

    def test_intervals_without_width_or_bounds_do_no_harm(self):
        for widths, method in (((0.0, 1.0), "a"), ((math.inf, 1.0), "b"), ((math.inf, math.inf), "a")):
            both = [made(name, t, width=w) for t in ("x", "y") for name, w in zip("ab", widths, strict=True)]
            assert recommend(both)[-1].method == method


class TestWarnings:
    def said(self, main, *, size=10_000, replacement=False, error=0.0):
        population = lab.FinitePopulation(np.zeros((size, 1)), np.arange(size) / 7, replacement=replacement)
        truth = ExpectedRisk(45, ("tree",), np.array([0.3]), np.array([[error**2]]), 100)
        return advice(main, {45: truth}, population)

    def test_that_n_is_not_all_of_the_data_is_always_said(self):
        [only] = self.said([made("t")])
        assert "data sets of 50 examples, not for all 10000" in only

    def test_liberal_methods_are_named_with_their_worst_target(self):
        said = self.said([made("t", covered=80), made("z")])
        assert len(said) == 2
        assert said[0].startswith("t is significantly liberal for 1 of 1 targets")
        assert "hold ER(n1) of tree in 80.0 % [71.1, 86.7]" in said[0]

    def test_data_sets_that_are_a_large_part_of_the_data(self):
        said = self.said([made("t")], size=99)
        # (50 - 1)/(99 - 1) is one half: the normal law within 1.96 times the root of 2.
        assert f"{100 * (2 * stats.norm.cdf(stats.norm.ppf(0.975) * math.sqrt(2)) - 1):.1f} %" in said[0]
        assert len(self.said([made("t")], size=982)) == 1

    def test_copies_in_data_sets_drawn_with_replacement(self):
        said = self.said([made("t")], size=100, replacement=True)
        assert f"probability {1 - 0.99**49:.2f}" in said[0]
        assert len(self.said([made("t")], size=2000, replacement=True)) == 1

    def test_a_truth_that_is_not_known_well_enough(self):
        assert len(self.said([made("t", width=1.0)], error=0.04)) == 1
        assert "12 % of half the width" in self.said([made("t", width=1.0)], error=0.06)[0]


class TestCounts:
    def population(self):
        rng = np.random.default_rng(5)
        return np.zeros((200, 1)), rng.normal(size=200)

    @pytest.mark.parametrize(("replacement", "share"), [(False, 0.9943), (True, 0.95)])
    def test_drawing_half_the_data_without_replacement_makes_methods_look_conservative(self, replacement, share):
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
        [one] = study.select("zero")
        low, high = binomial_band(400, share, 1e-5)
        assert low <= one.coverage.count <= high
        assert one.coverage.count + one.size.count == 400
        assert one.truth == pytest.approx(np.abs(self.population()[1]).mean(), abs=0.02)

    def test_the_true_difference_is_tested_not_equality(self):
        """Losses |y| and |y - 3| differ by far: equality is always rejected, and the true difference about never."""
        learners = {"near": Constant(), "far": Constant(3.0)}
        study = calibrate(*self.population(), learners, n=50, methods=["cv-wald"], loss="absolute-error", **FAST)
        [one] = study.select("near - far")
        assert study.differences["near - far", "cv-wald"].count == 5
        assert one.size.count <= 2
        y = self.population()[1]
        assert one.truth == pytest.approx((np.abs(y) - np.abs(y - 3)).mean(), abs=0.2)
        assert study.select("near")[0].target == "near"

    def test_truths_come_from_all_other_examples(self, regression):
        """Least squares on these data by brute force."""
        rng = np.random.default_rng(9)
        values = []
        for _ in range(400):
            order = rng.permutation(400)
            model = LinearRegression().fit(X[order[:40]], Y[order[:40]])
            values.append(np.square(model.predict(X[order[40:]]) - Y[order[40:]]).mean())
        value, error = regression.truths[40].of("a")
        assert abs(np.mean(values) - value) < 5 * math.hypot(error, np.std(values) / 20)


class TestCalibration:
    def test_every_learner_and_every_pair_is_judged_by_every_method(self, regression):
        assert regression.targets == ("a", "b", "a - b")
        for about in ("ER(n1)", "ER(n)"):
            for target in regression.targets:
                assert len(regression.select(target, about)) == 6
        assert [one.target for one in regression.recommendations] == ["a", "b", "a - b", None]
        assert set(regression.differences) == {("a - b", one.method) for one in regression.select("a - b")}

    def test_tables_records_and_json(self, regression):
        tables = regression.tables()
        assert len(tables) == 4
        assert len({table.key for table in tables}) == 4
        for table in tables:
            assert {len(row) for row in table.rows} == {len(table.headers)}
            assert all(isinstance(cell, str) for row in table.rows for cell in row)
        assert len(regression.records()) == 3 * 6 * 2
        assert len({tuple(row) for row in regression.records()}) == 1
        assert json.loads(json.dumps(regression.to_dict(), allow_nan=False)) == regression.to_dict()
        assert len(regression.conclusion()) == len(regression.recommendations) + len(regression.warnings)
        assert regression.conclusion()[0] == regression.recommendations[-1].text

    @pytest.mark.parametrize("y", [(Y > 0), (Y > 0).astype(float), (Y > 0).tolist(), LABELS, LABELS.tolist()])
    def test_classes_may_be_of_every_kind(self, y):
        """Text makes another population with other draws; numbers and truth values are the same classes."""
        learners = {"tree": DecisionTreeClassifier(max_depth=2, random_state=0), "logit": LogisticRegression()}
        asked = {"n": 40, "methods": ["corrected-t", "mcnemar"], **FAST}
        found, codes = calibrate(X, y, learners, **asked), calibrate(X.tolist(), (Y > 0).astype(int), learners, **asked)
        assert (found.records() == codes.records()) == (np.asarray(y).dtype.kind != "U")
        assert [one.method for one in found.select("tree")] == ["corrected-t"]
        assert [one.method for one in found.select("tree - logit")] == ["corrected-t", "mcnemar"]
        assert abs(found.truths[40].values - codes.truths[40].values).max() < 0.1

    def test_regressors_may_have_whole_numbers_to_predict(self):
        y = np.round(3 * Y).astype(int)
        found = calibrate(X, y, {"ridge": Ridge()}, n=40, methods=CHEAP, **FAST)
        assert (
            found.records() == calibrate(X, y.astype(float), {"ridge": Ridge()}, n=40, methods=CHEAP, **FAST).records()
        )
        assert [one.target for one in found.recommendations] == ["ridge"]

    def test_names_may_hold_a_minus(self):
        found = calibrate(X, Y, {"a - b": Ridge(), "c": Constant()}, n=40, methods=CHEAP, **FAST)
        assert found.targets == ("a - b", "c", "a - b - c")
        assert found.to_dict()["truths"][-1]["target"] == "a - b - c"

    def test_scores_are_counted_in_their_own_direction(self):
        found = calibrate(
            X, LABELS, {"logit": LogisticRegression()}, n=200, methods=["corrected-t"], loss="roc_auc", **FAST
        )
        assert 0.7 < found.select("logit")[0].truth < 1.0
        assert abs(found.select("logit")[0].bias) < 0.1

    @pytest.mark.parametrize(("size", "n"), [(60, 30), (200, 50), (400, 50), (1000, 100), (5000, 300)])
    def test_the_size_of_data_sets_is_chosen_from_the_data(self, size, n):
        rng = np.random.default_rng(0)
        more = {"methods": ["holdout-t"], "replicates": 2, "truth_draws": 2}
        found = calibrate(np.zeros((size, 1)), rng.normal(size=size), {"zero": Constant()}, **more)
        assert found.performances[0].n == n

    def test_with_replacement_data_sets_may_be_as_large_as_the_data(self):
        more = {"methods": ["holdout-t"], "replicates": 2, "truth_draws": 2}
        found = calibrate(X, Y, {"zero": Constant()}, n=400, replacement=True, **more)
        assert found.performances[0].n == 400

    def test_it_can_be_about_the_whole_data_set(self):
        """Two folds train on half the data: nearest neighbours do worse there, and are biased about ER(n)."""
        learners = {"near": KNeighborsClassifier(1)}
        more = {"methods": ["5x2cv-t"], "n": 100, "replicates": 60, "truth_draws": 300}
        found = calibrate(X[:, :1].round(1), np.digitize(X[:, 0], [-1, 0, 1]), learners, about="ER(n)", **more)
        own, whole = (found.select("near", about)[0] for about in ("ER(n1)", "ER(n)"))
        assert own.truth > whole.truth
        assert whole.bias > own.bias
        assert "coverage of ER(n) " in found.recommendations[0].text
        assert found.select("near") == [whole]

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

    def test_frames_of_numbers_are_welcome_and_others_named(self):
        pandas = pytest.importorskip("pandas")
        frame = pandas.DataFrame(X, columns=["a", "b", "c"])
        found = calibrate(frame, Y, {"ridge": Ridge()}, n=40, methods=CHEAP, **FAST)
        assert found.records() == calibrate(X, Y, {"ridge": Ridge()}, n=40, methods=CHEAP, **FAST).records()
        for column in (["x"] * 400, pandas.Categorical(["x"] * 400)):
            with pytest.raises(InvalidInputError, match="column 'colour' does not: encode categories"):
                calibrate(frame.assign(colour=column), Y, {"ridge": Ridge()})

    @pytest.mark.parametrize(
        ("data", "learners", "more", "text"),
        [
            ((X, Y), {"a": Ridge()}, {"n": 201}, "`n` must be at most 200 of 400 examples without replacement"),
            ((X, Y), {"a": Ridge()}, {"n": 401, "replacement": True}, "`n` must be at most 400 of 400 examples with"),
            ((X, Y), {"a": Ridge()}, {"n": 4.5}, "`n` must be a whole number"),
            ((X, Y), {"a": Ridge()}, {"about": "R"}, "`about` must be one of 'ER(n1)', 'ER(n)'"),
            ((X, Y), {"a": Ridge()}, {"methods": "cv-wald"}, "`methods` must be a list"),
            ((X, Y), {"a": Ridge()}, {"methods": ["permutation"]}, "compares two learners"),
            ((X, Y), {"a": Ridge()}, {"methods": ["mcnemar"]}, "compares two learners"),
            ((X, Y), {"a": Ridge(), "b": Ridge()}, {"methods": ["outperformance"]}, "estimates the probability that"),
            ((X, Y), {"a": Ridge(), "b": Ridge()}, {"methods": ["binomial"]}, "made for loss 'zero-one'"),
            (
                (X, Y),
                {"a": Ridge()},
                {"n": 8, "methods": ["cv-wald"]},
                "`folds` must be at most the number of examples",
            ),
            ((X, Y), {"a": Ridge()}, {"loss": "zero-one"}, "made for classification"),
            ((X, Y), {"a": Ridge()}, {"replacement": 1}, "`replacement` must be True or False"),
            ((X, Y), {}, {}, "`learners` must map names to estimators"),
            ((X, LABELS), {"a": Ridge()}, {}, "`y` holds text"),
            ((X, Y), {"a": LogisticRegression()}, {}, "`y` holds fractional numbers"),
            ((X, Y[:50]), {"a": Ridge()}, {}, "`X` has 400 rows and `y` has 50 values"),
            ((np.where(X > 2, np.nan, X), Y), {"a": Ridge()}, {}, "every value must be finite"),
            ((LABELS.reshape(-1, 1), Y), {"a": Ridge()}, {}, "`X` must hold numbers only"),
        ],
    )
    def test_what_cannot_be_used_is_said_in_one_sentence(self, data, learners, more, text):
        with pytest.raises(InvalidInputError) as caught:
            calibrate(*data, learners, **more)
        assert text in str(caught.value)
        assert "\n" not in str(caught.value)
