"""Areas under the ROC curve against scikit-learn, published numbers and plain loops."""

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import stats
from sklearn.metrics import roc_auc_score

from errbar import InvalidInputError, RankScores, methods
from errbar.methods import _test_set as areas
from errbar.metrics._functions import placements
from tests.refusals import refused

# fmt: off
TRUTH_60 = np.array([
    1, 1, 1, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 1, 1, 0, 0, 1, 1, 0, 1, 1, 1, 0, 0, 1, 0, 1, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 0, 1, 1, 0, 0, 1, 1, 1, 0, 1, 1, 1,
], dtype=bool)
A_60 = np.array([
    -0.01, 0.791, 0.841, 0.541, 0.215, 0.355, -0.654, -0.13, 0.784, 2.493, -0.259, 2.514, 2.346, 1.781, 1.264,
    0.686, 2.458, 2.96, 2.802, 2.315, 0.357, -0.208, 0.996, 0.656, -1.288, 1.395, 1.43, 0.696, -0.184, 0.338,
    0.564, -1.17, 1.739, 0.504, 0.329, 0.741, 1.583, 1.32, 0.633, -2.204, 0.052, 0.684, 1.004, -0.618, 1.822,
    -0.32, 0.338, 1.935, 0.049, 3.002, 1.189, -0.633, -0.378, -0.091, -0.278, 1.63, 0.581, 2.295, 0.245, 2.689,
])
B_60 = np.array([
    0.626, 3.047, 0.437, -0.956, 0.325, 1.341, 0.209, -0.761, -1.744, -0.822, 1.653, 2.287, 0.786, -0.397, 2.135,
    -0.665, 0.073, 1.807, -1.925, 1.502, -0.756, 1.142, 0.902, 0.263, 0.902, 0.014, 2.847, 0.944, 2.097, 2.514,
    2.024, 1.097, 0.098, -0.855, -0.176, -0.0, -1.85, 0.336, -0.739, -1.339, -1.356, 0.349, 0.466, 1.719, -0.018,
    2.354, 2.823, 2.495, -3.075, 2.597, 1.442, 0.551, 0.483, 1.498, 1.415, 0.533, -2.472, 0.858, -0.045, 2.404,
])
# fmt: on


def auc(truth, score):
    return methods.bootstrap_auc(RankScores(truth, score), resamples=2).estimate


def delong(truth, score, second=None):
    result = methods.delong(RankScores(truth, score, second))
    return result.estimate, result.se


def bootstrap_auc(truth, score, resamples, rng, second=None):
    return areas.resampled_areas(RankScores(truth, score, second), resamples, rng)


def stream(seed=0):
    return np.random.default_rng(seed)


def scored(n=60, seed=0, *, tied=False, share=0.4):
    rng = stream(seed)
    truth = rng.random(n) < share
    truth[:4] = [True, False, True, False]
    first, second = rng.normal(size=n) + truth, rng.normal(size=n) + 0.5 * truth
    return (truth, np.round(first), np.round(second)) if tied else (truth, first, second)


def plain_auc(truth, score):
    wins = [(p > q) + 0.5 * (p == q) for p in score[truth] for q in score[~truth]]
    return sum(wins) / len(wins)


def plain_delong(truth, *scores):
    """DeLong et al. (1988) as printed: averages of psi over rows and columns, then their covariances."""
    psi = [
        np.array([[(p > q) + 0.5 * (p == q) for q in s[~truth]] for p in s[truth]]) for s in scores
    ]
    rows, columns = (
        np.cov([one.mean(axis=1) for one in psi]),
        np.cov([one.mean(axis=0) for one in psi]),
    )
    return [one.mean() for one in psi], rows / truth.sum() + columns / (~truth).sum()


@st.composite
def tied_examples(draw):
    scores = draw(st.lists(st.integers(-3, 3), min_size=2, max_size=25))
    truth = draw(st.lists(st.booleans(), min_size=len(scores), max_size=len(scores)))
    truth[:2] = [True, False]
    return np.array(truth), np.array(scores, dtype=float)


class TestArea:
    @given(tied_examples())
    def test_scikit_learn_and_a_plain_loop(self, examples):
        truth, score = examples
        assert auc(truth, score) == pytest.approx(roc_auc_score(truth, score), abs=1e-12)
        assert auc(truth, score) == pytest.approx(plain_auc(truth, score), abs=1e-12)
        assert auc(~truth, -score) == pytest.approx(auc(truth, score), abs=1e-12)
        assert auc(truth, -score) == pytest.approx(1.0 - auc(truth, score), abs=1e-12)

    @given(tied_examples())
    def test_components_are_shares_of_the_other_class(self, examples):
        truth, score = examples
        above, below = placements(truth, score)
        for share, one in zip(above, score[truth], strict=True):
            assert share == pytest.approx(
                np.mean((one > score[~truth]) + 0.5 * (one == score[~truth])), abs=1e-12
            )
        for share, one in zip(below, score[~truth], strict=True):
            assert share == pytest.approx(
                np.mean((one < score[truth]) + 0.5 * (one == score[truth])), abs=1e-12
            )

    def test_sizes_of_scores_do_not_matter(self):
        truth, score, _ = scored()
        for factor in (1e140, 1e-300):
            assert auc(truth, score * factor) == auc(truth, score)

    @pytest.mark.parametrize(
        ("truth", "score", "argument"),
        [
            ([True, True], [0.1, 0.2], "truth"),
            ([False, False], [0.1, 0.2], "truth"),
            ([True, False], [0.1, math.nan], "value"),
            ([True, False], [math.inf, 0.0], "value"),
            ([True, False, True], [0.1, 0.2], "value"),
            ([], [], "truth"),
        ],
    )
    def test_what_has_no_area_is_refused(self, truth, score, argument):
        with refused(argument):
            RankScores(truth, score)


class TestDelong:
    def test_four_examples(self):
        """MLstatkit 0.1.91, first example of its read-me; differences there are second minus first."""
        truth, a, b = (
            np.array([0, 1, 0, 1], dtype=bool),
            *np.array([[0.1, 0.4, 0.35, 0.8], [0.2, 0.3, 0.4, 0.7]]),
        )
        assert delong(truth, a) == (1.0, 0.0)
        area, error = delong(truth, b)
        assert area == 0.75
        low = area - stats.norm.ppf(0.975) * error
        assert low == pytest.approx(0.05704808782516102, abs=1e-9)
        difference, se = delong(truth, b, a)
        assert difference / se == pytest.approx(-0.7071067811865475, abs=1e-9)
        assert 2 * stats.norm.sf(abs(difference / se)) == pytest.approx(
            0.4795001221869535, abs=1e-9
        )

    def test_sixty_examples(self):
        """MLstatkit 0.1.91, run on these numbers; differences there are second minus first."""
        areas, errors = np.transpose([delong(TRUTH_60, scores) for scores in (A_60, B_60)])
        assert areas == pytest.approx([0.7262443438914026, 0.7833710407239818], abs=1e-12)
        reach = stats.norm.ppf(0.975) * errors
        assert areas - reach == pytest.approx([0.5991407123650978, 0.668542720920531], abs=1e-9)
        assert areas + reach == pytest.approx([0.8533479754177073, 0.8981993605274325], abs=1e-9)
        difference, se = delong(TRUTH_60, B_60, A_60)
        assert difference / se == pytest.approx(0.5871191249743899, abs=1e-9)
        assert 2 * stats.norm.sf(difference / se) == pytest.approx(0.557123703860076, abs=1e-9)

    @pytest.mark.parametrize("tied", [False, True])
    def test_a_plain_loop(self, tied, any_seed):
        truth, *scores = scored(41, any_seed, tied=tied)
        areas, covariance = plain_delong(truth, *scores, scores[0] - scores[1])
        for i, score in enumerate([*scores, scores[0] - scores[1]]):
            area, error = delong(truth, score)
            assert area == pytest.approx(areas[i], abs=1e-12)
            assert error**2 == pytest.approx(covariance[i][i], abs=1e-12)
        difference, se = delong(truth, *scores)
        assert difference == pytest.approx(areas[0] - areas[1], abs=1e-12)
        assert se**2 == pytest.approx(
            covariance[0][0] + covariance[1][1] - 2 * covariance[0][1], abs=1e-12
        )
        assert delong(truth, *scores[::-1]) == (-difference, se)

    def test_learners_that_rank_alike_do_not_differ(self):
        truth, score, _ = scored()
        assert delong(truth, score, np.exp(score)) == (0.0, 0.0)
        assert delong(truth, truth.astype(float)) == (1.0, 0.0)

    def test_one_example_of_a_class_has_no_variance(self):
        with pytest.raises(InvalidInputError):
            delong(np.arange(4) < 1, np.arange(4.0))
        with pytest.raises(InvalidInputError):
            delong(np.arange(3) < 2, np.arange(3.0))


class TestBootstrap:
    @pytest.mark.parametrize("tied", [False, True])
    def test_metric_by_metric_on_the_same_draws(self, tied, any_seed):
        truth, score, _ = scored(50, any_seed, tied=tied)
        draws = stream(any_seed).integers(0, 50, (40, 50))
        draws = draws[[0 < truth[draw].sum() < 50 for draw in draws]]
        counts = np.array([np.bincount(draw, minlength=50) for draw in draws])
        known = [roc_auc_score(truth[draw], score[draw]) for draw in draws]
        assert areas._areas_of(truth, score)(counts) == pytest.approx(known, abs=1e-12)

    @pytest.mark.long
    @pytest.mark.parametrize("tied", [False, True])
    def test_the_law_is_that_of_a_plain_loop(self, tied, any_seed):
        truth, first, second = scored(30, 3, tied=tied)
        rng, known = stream(any_seed), []
        while len(known) < 1_500:
            draw = rng.integers(0, 30, 30)
            if 0 < truth[draw].sum() < 30:
                known.append(
                    (
                        plain_rank_auc(truth[draw], first[draw]),
                        plain_rank_auc(truth[draw], second[draw]),
                    )
                )
        one, other = np.array(known).T
        for found, wanted in (
            (bootstrap_auc(truth, first, 3_000, stream(any_seed + 1)), one),
            (bootstrap_auc(truth, first, 3_000, stream(any_seed + 1), second), one - other),
        ):
            assert stats.ks_2samp(found, wanted, method="asymp").pvalue > 1e-6
            assert stats.ttest_ind(found, wanted, equal_var=False).pvalue > 1e-6
            assert found.std() / wanted.std() == pytest.approx(1.0, abs=0.1)

    def test_resamples_of_one_class_are_drawn_again(self, any_seed):
        """Of all 256 resamples of four examples, those with both classes are equally likely."""
        truth, score = np.array([True, False, False, False]), np.array([0.5, 0.1, 0.6, 0.5])
        both = [
            draw for draw in map(list, product(range(4), repeat=4)) if 0 < truth[draw].sum() < 4
        ]
        areas, times = np.unique(
            np.round([plain_auc(truth[d], score[d]) for d in both], 9), return_counts=True
        )
        found = np.round(bootstrap_auc(truth, score, 20_000, stream(any_seed)), 9)
        assert set(found) <= set(areas)
        observed = [(found == area).sum() for area in areas]
        assert stats.chisquare(observed, times / len(both) * 20_000).pvalue > 1e-6

    def test_the_error_is_near_that_of_delong(self):
        truth, first, second = scored(400, 1)
        for pair in ((first,), (first, second)):
            found = bootstrap_auc(truth, pair[0], 4_000, stream(0), *pair[1:])
            estimate, se = delong(truth, *pair)
            assert found.std() == pytest.approx(se, rel=0.08)
            assert found.mean() == pytest.approx(estimate, abs=0.1 * se)

    @pytest.mark.parametrize("tied", [False, True])
    def test_swap_order_and_scale_change_nothing_else(self, tied):
        truth, first, second = scored(45, 2, tied=tied)
        order = stream(9).permutation(45)
        one, both = (
            bootstrap_auc(truth, first, 300, stream(1)),
            bootstrap_auc(truth, first, 300, stream(1), second),
        )
        assert np.array_equal(
            bootstrap_auc(truth[order], np.exp(first[order]), 300, stream(1)), one
        )
        assert np.array_equal(
            bootstrap_auc(truth[order], first[order], 300, stream(1), second[order]), both
        )
        assert np.array_equal(bootstrap_auc(truth, second, 300, stream(1), first), -both)
        assert not np.array_equal(bootstrap_auc(truth, first, 300, stream(2)), one)

    def test_learners_that_rank_alike_never_differ(self):
        truth, score, _ = scored(45, 2)
        assert (bootstrap_auc(truth, score, 300, stream(1), 3.0 * score) == 0.0).all()
        assert (bootstrap_auc(truth, truth.astype(float), 300, stream(1)) == 1.0).all()

    @pytest.mark.parametrize("n", [2, 3, 300, 70_000])
    def test_any_number_of_examples(self, n):
        truth = np.arange(n) % 2 == 0
        found = bootstrap_auc(truth, np.arange(n, dtype=float), 5, stream(0))
        assert found.shape == (5,)
        assert ((found >= 0.0) & (found <= 1.0)).all()


def plain_rank_auc(truth, score):
    ranks, positives = stats.rankdata(score), truth.sum()
    return (ranks[truth].sum() - positives * (positives + 1) / 2) / (
        positives * (truth.size - positives)
    )
