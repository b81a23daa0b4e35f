"""Several looks at split scores: the level at each, and results that hold over all of them."""

import math

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import stats

import errbar
from errbar import InvalidInputError, Losses, UnsuitablePlanError
from errbar.methods import corrected_t, look_alpha
from errbar.methods._core.looks import Boundary
from tests.refusals import refused

FOUR = (15, 30, 60, 100)
RATIO = 1 / 9


class TestLevelAtEach:
    @pytest.mark.long
    @pytest.mark.parametrize(
        ("looks", "level", "error", "peeking", "error_of_peeking"),
        [
            # Simulations of 800 000 sequences of exchangeable normal scores, the part that all share integrated out.
            (FOUR, 0.024216, 0.000031, 0.095973, 0.000083),
            (tuple(range(5, 101)), 0.009129, 0.000022, 0.190745, 0.000183),
        ],
    )
    def test_is_that_of_a_simulation(self, looks, level, error, peeking, error_of_peeking):
        assert look_alpha(looks, ratio=RATIO) == pytest.approx(level, abs=4 * error)
        assert Boundary(looks, RATIO).overall(0.05) == pytest.approx(
            peeking, abs=4 * error_of_peeking + 1e-4
        )

    @pytest.mark.parametrize(
        ("looks", "ratio", "percent"),
        [
            (range(10, 101, 10), RATIO, 1.84),
            ((10, 20, 40), RATIO, 2.49),
            ((15, 30, 60), 0.25, 2.97),
        ],
    )
    def test_of_other_plans(self, looks, ratio, percent):
        assert round(100 * look_alpha(looks, ratio=ratio), 2) == percent

    @pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
    def test_of_one_look_is_the_level_itself(self, alternative):
        assert look_alpha((20,), ratio=0.1, level=0.9, alternative=alternative) == pytest.approx(
            0.1, rel=1e-3
        )
        assert Boundary((20,), 0.1).overall(0.03, alternative) == pytest.approx(0.03, rel=1e-3)

    def test_is_between_that_of_all_looks_and_its_share(self):
        for count in (2, 5):
            looks = tuple(10 * (place + 1) for place in range(count))
            assert 0.05 / count < look_alpha(looks, ratio=RATIO) < 0.05

    def test_grows_with_what_the_looks_have_in_common(self):
        found = [look_alpha((10, 20, 40), ratio=ratio) for ratio in (0.01, 2.0)]
        assert found == sorted(found)

    @pytest.mark.parametrize("alternative", ["two-sided", "greater"])
    def test_true_nulls_are_rejected_at_the_level(self, alternative, rng):
        looks, runs, sides = (4, 9, 20), 20_000, 2 if alternative == "two-sided" else 1
        scores = rng.normal(size=(runs, 1)) * math.sqrt(0.25) + rng.normal(size=(runs, looks[-1]))
        each, rejected = (
            look_alpha(looks, ratio=0.25, alternative=alternative),
            np.zeros(runs, dtype=bool),
        )
        for count in looks:
            part = scores[:, :count]
            t = part.mean(axis=1) / (part.std(axis=1, ddof=1) * math.sqrt(1 / count + 0.25))
            t = np.abs(t) if sides == 2 else t
            rejected |= t > stats.t.isf(each / sides, count - 1)
        assert stats.binomtest(int(rejected.sum()), runs, 0.05).pvalue > 1e-4

    def test_parts_that_are_known_make_it_conservative(self, rng):
        """Stratified splits: a variance B/n1 that is known is part of every standard error, and shared by all looks."""
        looks, runs, known = (15, 30, 60), 20_000, 0.3
        shared = rng.normal(size=(runs, 1)) * math.sqrt(RATIO + known)
        scores = shared + rng.normal(size=(runs, looks[-1]))
        each, rejected = look_alpha(looks, ratio=RATIO), np.zeros(runs, dtype=bool)
        for count in looks:
            part = scores[:, :count]
            t = part.mean(axis=1) / np.sqrt(part.var(axis=1, ddof=1) * (1 / count + RATIO) + known)
            rejected |= np.abs(t) > stats.t.isf(each / 2, count - 1)
        assert 0.02 < rejected.mean() < 0.051

    @pytest.mark.parametrize(
        ("looks", "more"),
        [
            ((30, 15), {}),
            ((15, 15), {}),
            ((1, 15), {}),
            ((), {}),
            ("15", {}),
            ((15.5, 30), {}),
            ((True, 30), {}),
            (15, {}),
            (range(2, 400), {}),
            (FOUR, {"ratio": 0.0}),
            (FOUR, {"ratio": math.nan}),
            (FOUR, {"level": 1.0}),
            (FOUR, {"alternative": "up"}),
        ],
    )
    def test_refused(self, looks, more):
        with pytest.raises(InvalidInputError):
            look_alpha(looks, **({"ratio": RATIO} | more))


@pytest.fixture(scope="module")
def scores():
    return Losses(np.random.default_rng(3).normal(0.02, 0.03, 30), n_train=270, n_test=30)


ALTERNATIVES = ("two-sided", "less", "greater")


class TestResult:
    @pytest.mark.parametrize("alternative", ALTERNATIVES)
    def test_interval_and_test_agree(self, scores, alternative):
        asked = {"looks": FOUR, "alternative": alternative}
        for end in corrected_t(scores, **asked).interval:
            if math.isfinite(end):
                assert corrected_t(scores, null=end, **asked).pvalue == pytest.approx(
                    0.05, abs=1e-9
                )

    @pytest.mark.parametrize("alternative", ALTERNATIVES)
    def test_is_the_plain_one_at_the_level_of_the_look(self, scores, alternative):
        each = look_alpha(FOUR, ratio=RATIO, alternative=alternative)
        found = corrected_t(scores, looks=FOUR, alternative=alternative)
        plain = corrected_t(scores, level=1 - each, alternative=alternative)
        assert tuple(found.interval) == pytest.approx(tuple(plain.interval), rel=1e-9)
        assert (found.estimate, found.se, found.statistic, found.df) == (
            plain.estimate,
            plain.se,
            plain.statistic,
            plain.df,
        )
        assert found.level == 0.95

    def test_sides_of_the_interval_are_one_sided_ones(self, scores):
        both = corrected_t(scores, looks=FOUR, level=0.9)
        assert both.low == pytest.approx(corrected_t(scores, looks=FOUR, alternative="greater").low)
        assert both.high == pytest.approx(corrected_t(scores, looks=FOUR, alternative="less").high)

    def test_equivalence_is_shown_exactly_if_its_interval_lies_inside(self, scores):
        found = errbar.equivalence(scores, "corrected-t", margin=0.05, looks=FOUR)
        reach = max(abs(found.interval.low), abs(found.interval.high))
        assert errbar.equivalence(scores, "corrected-t", margin=reach * 1.0001, looks=FOUR).shown
        assert not errbar.equivalence(
            scores, "corrected-t", margin=reach * 0.9999, looks=FOUR
        ).shown

    def test_says_what_was_planned(self, scores):
        [note] = corrected_t(scores, looks=FOUR).notes
        assert note.code == "looks"
        assert note.numbers == {"looks": (15, 30, 60, 100), "each": pytest.approx(2.42, abs=0.005)}

    def test_a_correlation_of_ones_own_counts(self, scores):
        found = corrected_t(scores, looks=FOUR, correlation=0.2)
        plain = corrected_t(scores, correlation=0.2, level=1 - look_alpha(FOUR, ratio=0.25))
        assert found.high == pytest.approx(plain.high)

    @given(st.floats(1e-9, 1.0), st.floats(1.0, 3.0), st.sampled_from([(5, 9), FOUR]))
    def test_pvalues_of_all_looks_rise_with_those_of_one(self, p, times, looks):
        boundary = Boundary(looks, RATIO)
        found = boundary.overall(p)
        assert p * (1 - 1e-9) <= found <= min(1.0, len(looks) * p) * (1 + 1e-9)
        assert boundary.overall(min(1.0, times * p)) >= found
        if found < 0.9:
            assert boundary.each(found) == pytest.approx(p, rel=1e-9)

    def test_of_a_number_of_splits_that_is_no_look(self, scores):
        with refused("looks"):
            corrected_t(scores, looks=(15, 60))

    def test_of_folds(self):
        folds = Losses(np.arange(10.0), n_train=90, n_test=10, kind="kfold")
        with pytest.raises(UnsuitablePlanError):
            corrected_t(folds, looks=(10, 20))

    def test_without_correlation(self, scores):
        with refused("looks"):
            corrected_t(scores, looks=FOUR, correlation=0.0)

    def test_of_scores_that_do_not_vary(self):
        same = Losses(np.full(15, 0.1), n_train=90, n_test=10)
        found = corrected_t(same, looks=FOUR)
        assert found.degenerate
        assert found.low == found.high == found.estimate

    def test_at_an_edge_of_the_loss(self):
        table = errbar.from_scores({"a": [0.0] * 15}, n_train=90, n_test=10, metric="zero-one")
        plain, looked = (
            errbar.infer(table, "corrected-t", **more) for more in ({}, {"looks": FOUR})
        )
        assert looked.high >= plain.high
