"""Probability of outperforming: counts by hand, the exact multinomial law, verdicts, and a run on real data."""

import itertools
import math

import numpy as np
import pytest
from scipy import stats
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.linear_model import Lasso, Ridge
from sklearn.metrics import r2_score
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import errbar
from errbar import InvalidInputError, Losses
from errbar.methods import outperformance
from errbar.plans import Bootstrap, Subsampling
from tests.refusals import refused


def runs(wins, ties, losses):
    """Differences of losses, in an order of no meaning."""
    values = np.repeat([-0.1, 0.0, 0.2], [wins, ties, losses]) * np.linspace(
        1.0, 3.0, wins + ties + losses
    )
    return Losses(np.random.default_rng(0).permutation(values), n_train=90, n_test=30)


def law(wins, ties, losses):
    """Exact law of the resampled share: {share: probability}."""
    n = wins + ties + losses
    found = {}
    for w, t in itertools.product(range(n + 1), repeat=2):
        if w + t <= n:
            p = stats.multinomial.pmf([w, t, n - w - t], n, [wins / n, ties / n, losses / n])
            share = (2 * w + t) / (2 * n)
            found[share] = found.get(share, 0.0) + float(p)
    return dict(sorted(found.items()))


def codes(result):
    return [note.code for note in result.notes]


def verdict(result):
    [found] = [note.numbers["verdict"] for note in result.notes if note.code == "verdict"]
    return found


class TestEstimate:
    @pytest.mark.parametrize(
        ("wins", "ties", "losses"), [(7, 0, 3), (4, 2, 4), (1, 9, 0), (0, 0, 5), (3, 1, 1)]
    )
    def test_share_of_wins_with_ties_by_half(self, wins, ties, losses):
        result = outperformance(runs(wins, ties, losses))
        assert result.estimate == pytest.approx(
            (wins + ties / 2) / (wins + ties + losses), rel=1e-14
        )
        assert result.n_splits == wins + ties + losses
        assert result.n_train == 90

    def test_a_lower_loss_is_a_win(self):
        assert outperformance(Losses([-0.1, -0.2, -0.1])).estimate == 1.0
        assert outperformance(Losses([0.1, 0.2, 0.1])).estimate == 0.0

    def test_only_signs_matter(self, rng):
        differences = rng.normal(size=20)
        usual = outperformance(Losses(differences))
        assert outperformance(Losses(1e-130 * differences)) == usual
        assert outperformance(Losses(np.sign(differences) * rng.gamma(1.0, size=20) - 0.0)) == usual

    def test_order_does_not_matter(self, rng):
        differences = rng.normal(size=20)
        assert outperformance(Losses(rng.permutation(differences))) == outperformance(
            Losses(differences)
        )

    def test_exchanging_the_learners_takes_it_from_one(self):
        one = outperformance(runs(12, 3, 5), null=0.6, alternative="greater")
        other = outperformance(Losses(-runs(12, 3, 5).value), null=0.4, alternative="less")
        assert other.estimate == pytest.approx(1 - one.estimate)
        assert other.high == pytest.approx(1 - one.low)
        assert other.pvalue == pytest.approx(one.pvalue)


class TestExactLaw:
    @pytest.mark.parametrize("counts", [(14, 2, 4), (20, 0, 10), (5, 5, 5)])
    def test_standard_error(self, counts):
        exact = law(*counts)
        centre = sum(share * p for share, p in exact.items())
        spread = math.sqrt(sum((share - centre) ** 2 * p for share, p in exact.items()))
        assert outperformance(runs(*counts), resamples=200_000).se == pytest.approx(
            spread, rel=0.01
        )

    def test_standard_error_without_ties_is_that_of_a_proportion(self):
        result = outperformance(runs(21, 0, 9), resamples=200_000)
        assert result.se == pytest.approx(math.sqrt(0.7 * 0.3 / 30), rel=0.01)

    @pytest.mark.parametrize("counts", [(14, 2, 4), (20, 0, 10)])
    @pytest.mark.parametrize("null", [0.5, 0.7, 0.9])
    def test_p_values(self, counts, null):
        exact = law(*counts)
        below = sum(p for share, p in exact.items() if share <= null + 1e-9)
        above = sum(p for share, p in exact.items() if share >= null - 1e-9)
        expected = {"greater": below, "less": above, "two-sided": min(1.0, 2 * min(below, above))}
        for alternative, p in expected.items():
            found = outperformance(
                runs(*counts), null=null, alternative=alternative, resamples=200_000
            ).pvalue
            assert found == pytest.approx(p, abs=0.006)

    @pytest.mark.parametrize("counts", [(14, 2, 4), (20, 0, 10)])
    def test_interval(self, counts):
        """The ends are the outermost shares with more than 2.5 % of the law up to them."""
        exact = law(*counts)
        shares, total = list(exact), np.cumsum(list(exact.values()))
        low = shares[int(np.searchsorted(total, 0.025))]
        high = shares[int(np.searchsorted(total, 0.975))]
        result = outperformance(runs(*counts), resamples=100_000)
        assert (result.low, result.high) == pytest.approx((low, high), abs=1e-12)

    @pytest.mark.parametrize("level", [0.5, 0.9, 0.99])
    @pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
    def test_interval_and_test_agree(self, level, alternative):
        view = runs(13, 2, 6)
        result = outperformance(view, level=level, alternative=alternative)
        for null in np.linspace(0.0, 1.0, 43):
            p = outperformance(view, level=level, null=float(null), alternative=alternative).pvalue
            assert (p < 1 - level) == (not result.low - 1e-12 <= null <= result.high + 1e-12)

    def test_p_values_are_never_zero(self):
        assert outperformance(runs(29, 0, 1), resamples=999).pvalue == 2 / 1000


class TestVerdict:
    def test_significant_and_meaningful(self):
        assert verdict(outperformance(runs(24, 0, 6))) == "significant and meaningful"

    def test_significant_and_not_meaningful(self):
        assert verdict(outperformance(runs(600, 0, 400))) == "significant, not meaningful"

    def test_not_significant(self):
        """Few runs: the upper end is high, and means nothing."""
        result = outperformance(runs(6, 0, 4))
        assert result.high > 0.75
        assert verdict(result) == "not significant"

    def test_threshold(self):
        view = runs(600, 0, 400)
        assert verdict(outperformance(view, threshold=0.6)) == "significant and meaningful"
        assert (
            verdict(outperformance(runs(24, 0, 6), threshold=1.0)) == "significant, not meaningful"
        )

    @pytest.mark.parametrize("alternative", ["less", "greater"])
    def test_it_does_not_depend_on_the_alternative(self, alternative):
        for view in (runs(24, 0, 6), runs(600, 0, 400), runs(6, 0, 4)):
            assert verdict(outperformance(view, alternative=alternative)) == verdict(
                outperformance(view)
            )

    @pytest.mark.parametrize("bad", [0.4, 1.1, math.nan, None, "0.75"])
    def test_thresholds_that_cannot_be_used(self, bad):
        with refused("threshold"):
            outperformance(runs(5, 0, 5), threshold=bad)


class TestHostileInput:
    @pytest.mark.parametrize(
        ("view", "share"), [(runs(10, 0, 0), 1.0), (runs(0, 10, 0), 0.5), (runs(0, 0, 10), 0.0)]
    )
    def test_all_runs_alike(self, view, share):
        result = outperformance(view)
        assert (result.estimate, result.se, result.low, result.high) == (share, 0.0, share, share)
        assert "no-variation" in codes(result)
        assert (result.pvalue == 1.0) == (share == 0.5)

    @pytest.mark.parametrize(
        ("option", "bad"),
        [
            ("resamples", 1),
            ("resamples", 10.0),
            ("level", 0.0),
            ("null", math.inf),
            ("alternative", "more"),
            ("random_state", -2),
        ],
    )
    def test_options(self, option, bad):
        with pytest.raises(InvalidInputError):
            outperformance(runs(5, 0, 5), **{option: bad})

    @pytest.mark.parametrize("value", [[0.1], [], [0.1, math.nan], [[0.1, 0.2]]])
    def test_scores(self, value):
        with refused("value"):
            Losses(value)

    def test_a_seed_gives_the_same_bits(self):
        assert outperformance(runs(14, 2, 4), random_state=5) == outperformance(
            runs(14, 2, 4), random_state=5
        )
        assert outperformance(runs(14, 2, 4), random_state=5) != outperformance(
            runs(14, 2, 4), random_state=6
        )


class TestThroughTheWholeWay:
    def test_breast_cancer_by_hand(self):
        X, y = (part[::3] for part in load_breast_cancer(return_X_y=True))
        learners = {"bayes": GaussianNB(), "tree": DecisionTreeClassifier(random_state=0)}
        plan = Bootstrap(repeats=20)
        comparison = errbar.compare(
            learners, X, y, method="outperformance", plan=plan, random_state=1
        )
        won = 0.0
        for split in plan.splits(len(y), 1):
            one, other = (
                np.mean(
                    clone(learner).fit(X[split.train], y[split.train]).predict(X[split.test])
                    != y[split.test]
                )
                for learner in learners.values()
            )
            won += 1.0 if one < other else 0.5 if one == other else 0.0
        pair = comparison.pairs[0].result
        assert pair.estimate == pytest.approx(won / 20)
        assert pair.estimand == "PD"
        assert "verdict" in codes(pair)

    def test_a_score_where_higher_is_better(self):
        """A win is a higher R2, and the probability is not turned round."""
        X, y = load_diabetes(return_X_y=True)
        learners = {"lasso": Lasso(0.1), "ridge": Ridge(5.0)}
        table = errbar.run(learners, X, y, plan=Bootstrap(repeats=12), loss="r2", random_state=0)
        result = errbar.infer(table, "outperformance", "lasso", "ridge", alternative="greater")
        won = 0
        for split in Bootstrap(repeats=12).splits(len(y), 0):
            one, other = (
                r2_score(
                    y[split.test],
                    learner.fit(X[split.train], y[split.train]).predict(X[split.test]),
                )
                for learner in learners.values()
            )
            won += one > other
        assert won > 6
        assert result.estimate == pytest.approx(won / 12)
        assert result.null == 0.5
        assert result.alternative == "greater"

    def test_a_single_learner_is_refused(self):
        X, y = (part[::8] for part in load_diabetes(return_X_y=True))
        table = errbar.run({"ridge": Ridge()}, X, y, plan=Subsampling(repeats=3), random_state=0)
        with pytest.raises(InvalidInputError):
            errbar.infer(table, "outperformance")

    def test_differences_of_your_own(self):
        table = errbar.from_scores({"a minus b": [-0.1, 0.2, -0.3, -0.2]}, kind="bootstrap")
        assert errbar.infer(table, "outperformance").estimate == 0.75
