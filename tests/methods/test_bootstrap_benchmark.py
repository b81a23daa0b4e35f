"""The bootstrap benchmark experiment and Friedman's test: published numbers, SciPy, plain loops."""

import math

import numpy as np
import pytest
from scipy import stats
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.linear_model import Lasso, Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.preprocessing import scale
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import errbar
from errbar import Blocks, InvalidInputError, Losses, UnsuitablePlanError
from errbar.methods import bootstrap_benchmark, friedman
from errbar.methods._data_sets import friedman_of, midranks
from errbar.plans import Bootstrap, KFold
from tests.refusals import refused

# Demsar (2006), Journal of Machine Learning Research 7, table 6: AUC of C4.5 and of three ways to tune it. The two 0.975 of
# the last row but one are ranked 2 and 3 there, so they differ in digits that are not printed.
DEMSAR = np.array(
    [
        [0.763, 0.768, 0.771, 0.798],
        [0.599, 0.591, 0.590, 0.569],
        [0.954, 0.971, 0.968, 0.967],
        [0.628, 0.661, 0.654, 0.657],
        [0.882, 0.888, 0.886, 0.898],
        [0.936, 0.931, 0.916, 0.931],
        [0.661, 0.668, 0.609, 0.685],
        [0.583, 0.583, 0.563, 0.625],
        [0.775, 0.838, 0.866, 0.875],
        [1.000, 1.000, 1.000, 1.000],
        [0.940, 0.962, 0.965, 0.962],
        [0.619, 0.666, 0.614, 0.669],
        [0.972, 0.981, 0.9751, 0.975],
        [0.957, 0.978, 0.946, 0.970],
    ]
)


def loop_ranks(row):
    """One more than the number below, and half a place for each of the others that is equal."""
    return [1 + sum(b < a for b in row) + (sum(b == a for b in row) - 1) / 2 for a in row]


def loop_friedman(table):
    """Conover's form of the chi-square with ties, and the F that follows."""
    ranks = [loop_ranks(row) for row in table]
    n, k = len(ranks), len(ranks[0])
    squares = sum(r * r for row in ranks for r in row)
    centre = n * k * (k + 1) ** 2 / 4
    sums = [sum(row[j] for row in ranks) for j in range(k)]
    chi2 = (k - 1) * (sum(s * s for s in sums) - n * centre) / (squares - centre)
    return chi2, (n - 1) * chi2 / (n * (k - 1) - chi2)


class TestBenchmark:
    def test_it_is_the_paired_t(self, rng):
        one, other = rng.gamma(1.0, size=(2, 40))
        expected = stats.ttest_rel(one, other)
        result = bootstrap_benchmark(Losses(one - other))
        assert (result.statistic, result.pvalue) == pytest.approx(
            (expected.statistic, expected.pvalue), rel=1e-10
        )
        interval = expected.confidence_interval(0.95)
        assert (result.low, result.high) == pytest.approx((interval.low, interval.high), rel=1e-10)
        assert result.df == 39

    def test_it_says_what_it_is_about(self):
        result = bootstrap_benchmark(Losses([0.1, 0.2, 0.4]))
        assert result.estimand == "PD"
        assert "fixed" in {note.code for note in result.notes}

    def test_degenerate(self):
        result = bootstrap_benchmark(Losses([0.25, 0.25, 0.25]), null=0.25)
        assert (result.estimate, result.se, result.statistic, result.pvalue) == (
            0.25,
            0.0,
            0.0,
            1.0,
        )
        assert result.degenerate

    def test_breast_cancer_by_hand(self):
        X, y = (part[::3] for part in load_breast_cancer(return_X_y=True))
        learners = {"bayes": GaussianNB(), "tree": DecisionTreeClassifier(random_state=0)}
        plan = Bootstrap(repeats=12)
        comparison = errbar.compare(
            learners, X, y, method="bootstrap-benchmark", plan=plan, random_state=5
        )
        scores = {name: [] for name in learners}
        for split in plan.splits(len(y), 5):
            for name, learner in learners.items():
                predicted = (
                    clone(learner).fit(X[split.train], y[split.train]).predict(X[split.test])
                )
                scores[name].append(np.mean(predicted != y[split.test]))
        expected = stats.ttest_rel(scores["bayes"], scores["tree"])
        pair = comparison.pairs[0].result
        assert (pair.statistic, pair.pvalue) == pytest.approx(
            (expected.statistic, expected.pvalue), rel=1e-9
        )
        for name, own in scores.items():
            assert comparison.learners[name].estimate == pytest.approx(np.mean(own), rel=1e-12)
            assert comparison.learners[name].n_train == len(y)

    def test_the_training_error_is_no_sample(self):
        X, y = (part[::6] for part in load_diabetes(return_X_y=True))
        tables = [
            errbar.run(
                {"ridge": Ridge()},
                X,
                y,
                plan=Bootstrap(repeats=6, training_error=flag),
                random_state=0,
            )
            for flag in (False, True)
        ]
        one, other = (errbar.infer(table, "bootstrap-benchmark") for table in tables)
        assert one == other
        assert one.n_splits == 6

    def test_folds_are_refused(self):
        X, y = (part[::6] for part in load_diabetes(return_X_y=True))
        table = errbar.run({"ridge": Ridge()}, X, y, plan=KFold(5), random_state=0)
        with pytest.raises(UnsuitablePlanError):
            errbar.infer(table, "bootstrap-benchmark")


class TestFriedman:
    def test_mean_ranks_that_demsar_prints(self):
        result = friedman(Blocks(-DEMSAR))
        assert result.means == pytest.approx((3.143, 2.000, 2.893, 1.964), abs=5e-4)

    def test_statistics_that_demsar_prints(self):
        """He leaves ties uncorrected: 9.28 and 3.69. With the correction both grow."""
        ranks = midranks(-DEMSAR).mean(axis=0)
        plain = 12 * 14 / (4 * 5) * (np.square(ranks).sum() - 4 * 5**2 / 4)
        assert plain == pytest.approx(9.28, abs=0.005)
        assert 13 * plain / (14 * 3 - plain) == pytest.approx(3.69, abs=0.005)
        assert friedman(Blocks(-DEMSAR), correction="none").statistic > plain
        assert friedman(Blocks(-DEMSAR)).statistic > 3.69

    def test_without_ties_it_is_the_textbook_formula(self, rng):
        table = rng.normal(size=(14, 4))
        ranks = midranks(table).mean(axis=0)
        plain = 12 * 14 / (4 * 5) * (np.square(ranks).sum() - 4 * 5**2 / 4)
        assert friedman(Blocks(table), correction="none").statistic == pytest.approx(
            plain, rel=1e-12
        )

    @pytest.mark.parametrize("ties", [False, True])
    def test_against_scipy(self, rng, ties):
        table = rng.normal(size=(25, 5)) + np.arange(5) / 4
        table = np.round(2 * table) if ties else table
        expected = stats.friedmanchisquare(*table.T)
        result = friedman(Blocks(table), correction="none")
        assert result.statistic == pytest.approx(expected.statistic, rel=1e-11)
        assert result.pvalue == pytest.approx(expected.pvalue, rel=1e-10)
        assert result.df == 4.0

    @pytest.mark.parametrize("shape", [(2, 2), (9, 3), (30, 6)])
    def test_plain_loops(self, rng, shape):
        table = np.round(2 * rng.normal(size=shape))
        table[0, :2] = 0.0
        chi2, f = loop_friedman(table.tolist())
        plain, corrected = friedman(Blocks(table), correction="none"), friedman(Blocks(table))
        assert plain.statistic == pytest.approx(chi2, rel=1e-10, abs=1e-12)
        assert corrected.statistic == pytest.approx(f, rel=1e-9, abs=1e-12)
        first, second = corrected.df
        assert (first, second) == (shape[1] - 1, (shape[1] - 1) * (shape[0] - 1))
        assert corrected.pvalue == pytest.approx(stats.f.sf(f, first, second), rel=1e-9)
        np.testing.assert_array_equal(midranks(table), [loop_ranks(row) for row in table])

    def test_f_with_two_learners(self):
        """Wins of the second in 7 of 10 blocks: chi-square (7 - 3)^2/10, as in the sign test."""
        table = np.array([[0.0, 1.0]] * 3 + [[1.0, 0.0]] * 7)
        assert friedman(Blocks(table), correction="none").statistic == pytest.approx(1.6)

    @pytest.mark.parametrize("change", [np.exp, lambda x: 1e120 * x, lambda x: 5.0 + 1e-3 * x])
    def test_only_ranks_matter(self, rng, change):
        table = rng.normal(size=(12, 4))
        assert friedman(Blocks(change(table))) == friedman(Blocks(table))

    def test_orders_of_blocks_and_learners_do_not_matter(self, rng):
        table = rng.normal(size=(12, 4)) + np.arange(4) / 2
        result = friedman(Blocks(table))
        order = rng.permutation(4)
        moved = friedman(Blocks(table[rng.permutation(12)][:, order]))
        assert (moved.statistic, moved.pvalue) == (result.statistic, result.pvalue)
        assert moved.means == tuple(np.array(result.means)[order])

    @pytest.mark.parametrize("correction", ["iman-davenport", "none"])
    def test_all_equal(self, correction):
        result = friedman(Blocks(np.full((5, 3), 0.1)), correction=correction)
        assert (result.statistic, result.pvalue) == (0.0, 1.0)
        assert result.means == (2.0, 2.0, 2.0)
        assert "no-variation" in {note.code for note in result.notes}

    def test_equal_up_to_rounding(self):
        table = np.array([[0.3, 0.1 + 0.2, 0.5], [0.1 + 0.2, 0.3, 0.5]])
        np.testing.assert_array_equal(midranks(table), [[1.5, 1.5, 3.0]] * 2)

    def test_all_blocks_alike(self):
        table = np.tile([0.1, 0.2, 0.3], (6, 1))
        result = friedman(Blocks(table))
        assert (result.statistic, result.pvalue) == (math.inf, 0.0)
        assert "no-variation" in {note.code for note in result.notes}
        assert friedman(Blocks(table), correction="none").statistic == pytest.approx(12.0)

    @pytest.mark.parametrize("bad", ["holm", "", None, 1])
    def test_unknown_correction(self, bad):
        with refused("correction"):
            friedman(Blocks(DEMSAR), correction=bad)

    @pytest.mark.parametrize("bad", [0.0, 1.0, 95, None])
    def test_unusable_level(self, bad):
        with refused("level"):
            friedman(Blocks(DEMSAR), level=bad)

    @pytest.mark.parametrize(
        "value", [[[1.0, 2.0]], [[1.0], [2.0]], [1.0, 2.0], [[1.0, math.nan], [0.0, 1.0]]]
    )
    def test_unusable_blocks(self, value):
        with refused("value"):
            Blocks(value)

    @pytest.mark.long
    def test_its_size(self):
        """Exchangeable learners: F keeps the level, the chi-square is conservative for few blocks."""
        rng = np.random.default_rng(4)
        found = [friedman_of(midranks(rng.normal(size=(10, 4)))) for _ in range(2000)]
        share = np.mean([one.f_pvalue < 0.05 for one in found])
        assert 0.034 < share < 0.068
        assert np.mean([one.chi2_pvalue < 0.05 for one in found]) < share

    def test_through_a_table(self):
        X, y = (part[::4] for part in load_diabetes(return_X_y=True))
        X = scale(X)
        learners = {
            "ridge": Ridge(),
            "lasso": Lasso(),
            "tree": DecisionTreeRegressor(random_state=0),
        }
        plan = Bootstrap(repeats=15, training_error=True)
        table = errbar.run(learners, X, y, plan=plan, random_state=0)
        result = errbar.overall(table, "friedman")
        losses = []
        for split in list(plan.splits(len(y), 0))[:-1]:
            models = [
                clone(learner).fit(X[split.train], y[split.train]) for learner in learners.values()
            ]
            losses.append(
                [np.mean((model.predict(X[split.test]) - y[split.test]) ** 2) for model in models]
            )
        assert result.statistic == pytest.approx(loop_friedman(losses)[1], rel=1e-10)
        assert result.learners == tuple(learners)
        assert result.n_blocks == 15
        assert "fixed" in {note.code for note in result.notes}
        json = result.to_dict()
        assert json["df"] == [2.0, 28.0]

    def test_single_learners_are_refused(self):
        table = errbar.from_scores({"a": [0.1, 0.2], "b": [0.2, 0.3]})
        with pytest.raises(InvalidInputError):
            errbar.infer(table, "friedman", "a")
