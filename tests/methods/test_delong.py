"""DeLong's covariance: numbers of other programs, sums over all pairs, and what must not change it."""

import math

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st
from scipy import stats

import errbar
from errbar import InvalidInputError, RankScores
from errbar.methods import delong

# fmt: off
TRUTH = [
    1, 1, 1, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 1, 1, 0, 0, 1, 1, 0, 1, 1, 1, 0, 0, 1, 0, 1, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 1, 1, 1, 0, 1, 1, 0, 0, 1, 1, 1, 0, 1, 1, 1,
]
A = [
    -0.01, 0.791, 0.841, 0.541, 0.215, 0.355, -0.654, -0.13, 0.784, 2.493, -0.259, 2.514, 2.346, 1.781, 1.264, 0.686,
    2.458, 2.96, 2.802, 2.315, 0.357, -0.208, 0.996, 0.656, -1.288, 1.395, 1.43, 0.696, -0.184, 0.338, 0.564, -1.17,
    1.739, 0.504, 0.329, 0.741, 1.583, 1.32, 0.633, -2.204, 0.052, 0.684, 1.004, -0.618, 1.822, -0.32, 0.338, 1.935,
    0.049, 3.002, 1.189, -0.633, -0.378, -0.091, -0.278, 1.63, 0.581, 2.295, 0.245, 2.689,
]
B = [
    0.626, 3.047, 0.437, -0.956, 0.325, 1.341, 0.209, -0.761, -1.744, -0.822, 1.653, 2.287, 0.786, -0.397, 2.135,
    -0.665, 0.073, 1.807, -1.925, 1.502, -0.756, 1.142, 0.902, 0.263, 0.902, 0.014, 2.847, 0.944, 2.097, 2.514, 2.024,
    1.097, 0.098, -0.855, -0.176, -0.0, -1.85, 0.336, -0.739, -1.339, -1.356, 0.349, 0.466, 1.719, -0.018, 2.354, 2.823,
    2.495, -3.075, 2.597, 1.442, 0.551, 0.483, 1.498, 1.415, 0.533, -2.472, 0.858, -0.045, 2.404,
]
# fmt: on


def ends(result):
    return result.low, result.high


def over_all_pairs(truth, *columns):
    """Areas and their covariance from the placements of every example, one pair at a time."""
    truth = np.asarray(truth, dtype=bool)
    placed = {True: [], False: []}
    for column in columns:
        positive, negative = np.asarray(column)[truth], np.asarray(column)[~truth]
        win = [[1.0 if x > y else 0.5 if x == y else 0.0 for y in negative] for x in positive]
        placed[True].append([sum(row) / len(negative) for row in win])
        placed[False].append(
            [sum(row[j] for row in win) / len(positive) for j in range(len(negative))]
        )
    areas = [sum(row) / len(row) for row in placed[True]]
    parts = [np.atleast_2d(np.cov(placed[side])) / len(placed[side][0]) for side in (True, False)]
    return areas, parts[0] + parts[1]


@st.composite
def rank_scores(draw):
    """Scores of two models with many ties, at least two examples of each class, and none of them perfect."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n = draw(st.integers(6, 40))
    truth = rng.permutation(np.arange(n) < draw(st.integers(2, n - 2)))
    coarse = draw(st.sampled_from([1.0, 2.0, 1e6]))
    one, other = (np.round(coarse * (truth + 1.5 * rng.standard_normal(n))) for _ in range(2))
    assume(over_all_pairs(truth, one, other)[1].diagonal().min() > 1e-6)
    return truth, one, other


class TestNumbers:
    def test_sixty_examples_of_mlstatkit(self):
        # MLstatkit 0.1.91: second model minus first, and 95 % intervals of both
        result = delong(RankScores(TRUTH, B, A))
        assert result.statistic == pytest.approx(0.5871191249743899, rel=1e-9)
        assert result.pvalue == pytest.approx(0.557123703860076, rel=1e-9)
        one, other = delong(RankScores(TRUTH, A)), delong(RankScores(TRUTH, B))
        assert one.estimate == pytest.approx(0.7262443438914026, rel=1e-12)
        assert other.estimate == pytest.approx(0.7833710407239818, rel=1e-12)
        assert ends(one) == pytest.approx((0.5991407123650978, 0.8533479754177073), rel=1e-9)
        assert ends(other) == pytest.approx((0.668542720920531, 0.8981993605274325), rel=1e-9)
        assert result.estimate == pytest.approx(other.estimate - one.estimate, rel=1e-12)

    def test_four_examples_of_mlstatkit(self):
        # MLstatkit 0.1.91, first example of its README; it cuts intervals at 1
        truth, a, b = [0, 1, 0, 1], [0.1, 0.4, 0.35, 0.8], [0.2, 0.3, 0.4, 0.7]
        result = delong(RankScores(truth, b, a))
        assert result.statistic == pytest.approx(-0.7071067811865475, rel=1e-9)
        assert result.pvalue == pytest.approx(0.4795001221869535, rel=1e-9)
        other = delong(RankScores(truth, b))
        assert (other.estimate, other.low) == (0.75, pytest.approx(0.05704808782516102, rel=1e-9))
        assert other.high == 1.0
        perfect = delong(RankScores(truth, a))
        assert (perfect.estimate, perfect.se, perfect.high) == (1.0, 0.0, 1.0)
        assert perfect.low == pytest.approx(0.025 ** (1 / 2))  # two of either class, all in order

    @given(rank_scores())
    def test_sums_over_all_pairs(self, drawn):
        truth, one, other = drawn
        (first, second), covariance = over_all_pairs(truth, one, other)
        single = delong(RankScores(truth, one), null=0.5)
        assert single.estimate == pytest.approx(first, abs=1e-12)
        assert single.se == pytest.approx(math.sqrt(covariance[0, 0]), rel=1e-9)
        assert single.statistic == pytest.approx(
            (first - 0.5) / math.sqrt(covariance[0, 0]), rel=1e-9, abs=1e-9
        )
        variance = covariance[0, 0] + covariance[1, 1] - 2 * covariance[0, 1]
        assume(variance > 1e-9)
        paired = delong(RankScores(truth, one, other), alternative="greater")
        assert (paired.estimate, paired.se) == pytest.approx(
            (first - second, math.sqrt(variance)), rel=1e-7, abs=1e-12
        )
        assert paired.pvalue == pytest.approx(
            stats.norm.sf((first - second) / math.sqrt(variance)), rel=1e-6
        )
        assert (paired.df, paired.n_splits, paired.high) == (None, 1, math.inf)


class TestInvariance:
    @given(rank_scores())
    def test_only_ranks_count(self, drawn):
        truth, one, other = drawn
        stretched = delong(RankScores(truth, np.cbrt(one) - 7.0, np.arctan(other / 1e7)))
        plain = delong(RankScores(truth, one, other))
        assert (stretched.estimate, stretched.se) == pytest.approx(
            (plain.estimate, plain.se), rel=1e-9, abs=1e-12
        )

    @given(rank_scores())
    def test_reversed_scores_and_exchanged_classes(self, drawn):
        truth, one, _ = drawn
        plain = delong(RankScores(truth, one))
        for turned in (RankScores(truth, -one), RankScores(~truth, one)):
            result = delong(turned)
            assert result.estimate == pytest.approx(1.0 - plain.estimate, abs=1e-12)
            assert result.se == pytest.approx(plain.se, rel=1e-9)
        assert delong(RankScores(~truth, -one)).estimate == pytest.approx(plain.estimate, abs=1e-12)


class TestEdges:
    @pytest.mark.parametrize("column", [A, B, np.round(A), np.zeros(60)])
    def test_a_model_and_itself(self, column):
        result = delong(RankScores(TRUTH, column, np.array(column) * 3.0 + 1.0))
        assert (result.estimate, result.se, result.statistic, result.pvalue) == (0.0, 0.0, 0.0, 1.0)
        assert result.degenerate

    def test_one_example_that_two_models_of_many_rank_differently(self):
        """A difference however small is no rounding."""
        rng = np.random.default_rng(4)
        truth = np.arange(20_000) % 2 == 0
        one = truth + rng.standard_normal(truth.size)
        other = one.copy()
        other[0] = one.min() - 1.0
        result = delong(RankScores(truth, one, other))
        assert result.statistic == pytest.approx(1.0, abs=0.02)

    @pytest.mark.parametrize(("sign", "area"), [(1.0, 1.0), (-1.0, 0.0)])
    def test_perfect_separation(self, sign, area):
        result = delong(
            RankScores([0, 0, 0, 1, 1], sign * np.array([0.1, 0.2, 0.3, 0.4, 0.5])), null=0.5
        )
        reach = 0.025 ** (1 / 2)  # two examples of the smaller class, and all agree
        assert (result.estimate, result.se) == (area, 0.0)
        assert ends(result) == pytest.approx((reach, 1.0) if sign > 0 else (0.0, 1.0 - reach))
        assert (result.statistic, result.pvalue) == (sign * math.inf, 0.5)
        assert [note.code for note in result.notes] == ["at-an-edge"]

    def test_a_constant_score_is_a_guess(self):
        result = delong(RankScores(TRUTH, np.full(60, 0.3)), null=0.5)
        assert (result.estimate, result.se, result.pvalue) == (0.5, 0.0, 1.0)

    def test_scores_of_any_size(self):
        plain = delong(RankScores(TRUTH, A))
        for factor in (1e-300, 1e140):
            assert delong(RankScores(TRUTH, factor * np.array(A))).to_dict() == plain.to_dict()

    @pytest.mark.parametrize("truth", [[1, 0, 0, 0], [1, 1, 1, 0]])
    def test_a_class_of_one_example_is_refused(self, truth):
        with pytest.raises(InvalidInputError):
            delong(RankScores(truth, [0.1, 0.2, 0.3, 0.4]))

    def test_a_hundred_thousand_examples(self):
        rng = np.random.default_rng(0)
        truth = rng.random(100_000) < 0.3
        one = truth + rng.standard_normal(truth.size)
        result = delong(RankScores(truth, one, one + rng.standard_normal(truth.size)))
        assert delong(RankScores(truth, one)).estimate == pytest.approx(
            stats.norm.cdf(math.sqrt(0.5)), abs=0.005
        )
        assert 0.0 < result.se < 0.002


@pytest.fixture(scope="module")
def table():
    from sklearn.datasets import load_breast_cancer
    from sklearn.linear_model import LogisticRegression
    from sklearn.naive_bayes import GaussianNB
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    X, y = load_breast_cancer(return_X_y=True)
    models = {
        "bayes": GaussianNB(),
        "logistic": make_pipeline(StandardScaler(), LogisticRegression()),
    }
    return errbar.run(
        models, X[:, :4], y, plan=errbar.plans.Holdout(n_test=0.3), loss="roc_auc", random_state=1
    )


class TestTables:
    def columns(self, table):
        truth = table.target.values[table.cells.example]
        found = [
            p["decision"] if "decision" in p else p["probability"][:, 1] for p in table.predictions
        ]
        return truth, found

    def test_areas_and_their_difference_in_their_own_direction(self, table):
        from sklearn.metrics import roc_auc_score

        truth, found = self.columns(table)
        known = [roc_auc_score(truth, column) for column in found]
        areas, covariance = over_all_pairs(truth, *found)
        assert areas == pytest.approx(known, abs=1e-12)
        for name, area, variance in zip(table.learners, known, covariance.diagonal(), strict=True):
            result = errbar.infer(table, "delong", name, null=0.5)
            assert (result.estimate, result.se) == pytest.approx(
                (area, math.sqrt(variance)), rel=1e-9
            )
            assert (result.null, result.n_train) == (0.5, 399)
        paired = errbar.infer(table, "delong", "bayes", minus="logistic", alternative="less")
        variance = covariance[0, 0] + covariance[1, 1] - 2 * covariance[0, 1]
        z = (known[0] - known[1]) / math.sqrt(variance)
        assert paired.statistic == pytest.approx(z, rel=1e-9)
        assert paired.pvalue == pytest.approx(stats.norm.cdf(z), rel=1e-9)

    def test_comparisons(self, table):
        from errbar import compare_table

        pair = compare_table(table, method="delong").pairs[0]
        known = errbar.infer(table, "delong", pair.a, minus=pair.b)
        assert (pair.result.estimate, pair.result.pvalue) == (known.estimate, known.pvalue)

    def test_what_it_is_not_made_for(self, table):
        with pytest.raises(InvalidInputError):
            errbar.infer(errbar.from_losses({"a": [0, 1]}, metric="zero-one"), "delong", "a")
        numbers = errbar.from_scores(
            {"a": [0.8], "b": [0.7]}, metric="roc_auc", higher_is_better=True, kind="holdout"
        )
        with pytest.raises(InvalidInputError):
            errbar.infer(numbers, "delong", "a", minus="b")
