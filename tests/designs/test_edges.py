"""Intervals of shares and metrics at an edge of their range, where all examples agree and the standard error is 0."""

import numpy as np
import pytest
from scipy import stats

import errbar as eb
from tests import forms

PATIENT = np.repeat(np.arange(20), 10)


def clopper_pearson(trials):
    return float(stats.binomtest(0, trials).proportion_ci(0.95, method="exact").high)


def codes(result):
    return [note.code for note in result.notes]


class TestMeans:
    @pytest.mark.parametrize("wrong", [0.0, 1.0])
    def test_examples_of_clusters_that_agree_are_as_many_as_the_clusters(self, wrong):
        table = eb.from_losses({"a": np.full(200, wrong)}, groups=PATIENT, metric="zero-one")
        result = eb.infer(table, "cluster-t", "a")
        assert abs(np.array(result.interval) - wrong).tolist() == pytest.approx(
            sorted([0.0, clopper_pearson(20)], reverse=wrong == 1.0), abs=1e-12
        )
        assert "at-an-edge" in codes(result)
        far = result.interval[0 if wrong else 1]
        assert eb.infer(table, "cluster-t", "a", null=far).pvalue == pytest.approx(0.05)
        assert eb.infer(table, "cluster-t", "a", null=wrong).pvalue == 1.0

    def test_seeds_do_not_count(self):
        seeds, example = np.repeat(np.arange(3), 200), np.tile(np.arange(200), 3)
        table = eb.from_losses({"a": np.zeros(600)}, seed=seeds, example=example, metric="zero-one")
        assert eb.infer(table, "crossed-t").interval.high == pytest.approx(clopper_pearson(200))
        grouped = eb.from_losses(
            {"a": np.zeros(600)},
            seed=seeds,
            example=example,
            groups=np.tile(PATIENT, 3),
            metric="zero-one",
        )
        assert eb.infer(grouped, "crossed-t").interval.high == pytest.approx(clopper_pearson(20))

    def test_times(self):
        table = eb.from_losses({"a": np.zeros(50)}, time=np.arange(50), metric="zero-one")
        assert eb.infer(table, "diebold-mariano").interval.high == pytest.approx(
            clopper_pearson(50)
        )

    def test_scores_are_turned(self):
        right = np.arange(200) % 2
        table = eb.from_predictions(
            {"a": right}, right, loss="accuracy", groups=PATIENT, fold="none"
        )
        assert eb.infer(table, "cluster-t").interval == pytest.approx(
            (1.0 - clopper_pearson(20), 1.0)
        )

    def test_losses_without_a_range_say_that_they_do_not_vary(self):
        table = eb.from_losses({"a": np.zeros(200)}, groups=PATIENT)
        assert "no-variation" in codes(eb.infer(table, "cluster-t"))

    @pytest.mark.parametrize(
        ("clusters", "size", "correlation", "rate"), [(20, 10, 0.1, 0.01), (40, 5, 0.1, 0.005)]
    )
    def test_rare_errors_of_clusters(self, clusters, size, correlation, rate):
        """A quarter to a half of the data sets have no error at all; such intervals were [0, 0], and held 70 and 51 %."""
        rng, rounds, held = np.random.default_rng(5), 150, 0
        group = np.repeat(np.arange(clusters), size)
        strength = 1.0 / correlation - 1.0
        for _ in range(rounds):
            own = rng.beta(rate * strength, (1.0 - rate) * strength, clusters)
            wrong = (rng.random(group.size) < own[group]).astype(float)
            low, high = eb.infer(
                eb.from_losses({"a": wrong}, groups=group, metric="zero-one"), "cluster-t"
            ).interval
            held += low <= rate <= high
        assert held >= 0.92 * rounds


class TestMetrics:
    def test_a_flawless_area_that_rounding_has_made_less(self):
        rng = np.random.default_rng(0)
        sick = (rng.random(200) < 0.4).astype(int)
        table = eb.from_predictions(
            {"a": sick + 0.1 * rng.random(200)},
            sick,
            loss="roc_auc",
            positive=1,
            groups=PATIENT,
            fold="none",
        )
        result = eb.infer(table, "cluster-t")
        assert result.estimate == pytest.approx(1.0, abs=1e-15)
        assert result.interval == pytest.approx((1.0 - clopper_pearson(20), 1.0))


class TestJudged:
    @staticmethod
    def judged(wrong, judge, people):
        return eb.from_judged(
            {"a": np.where(np.arange(wrong.size) < people, wrong, np.nan)},
            {"a": judge},
            metric="zero-one",
        )

    @pytest.mark.parametrize(
        ("people", "rate", "agree"), [(100, 0.05, 0.9), (50, 0.03, 0.9), (20, 0.02, 0.9)]
    )
    def test_rare_errors(self, people, rate, agree):
        """Intervals that ended below 0, or were [0, 0], held 90, 77 and 29 %."""
        rng, rounds, held = np.random.default_rng(3), 300, 0
        for _ in range(rounds):
            wrong = (rng.random(1000 + people) < rate).astype(float)
            judge = np.where(rng.random(wrong.size) < agree, wrong, 1.0 - wrong)
            low, high = eb.infer(self.judged(wrong, judge, people), "ppi").interval
            assert 0.0 <= low <= high <= 1.0
            held += low <= rate <= high
        assert held >= 0.9 * rounds

    def test_where_people_agree_the_examples_of_the_judge_do_not_count(self):
        found = eb.infer(self.judged(np.zeros(300), np.zeros(300), 40), "ppi")
        assert found.interval == pytest.approx((0.0, clopper_pearson(40)))

    def test_scale_of_a_share(self):
        wrong, judge = np.tile([0.0, 0, 0, 1, 0, 1, 0, 0], 30), np.tile([0.0, 0, 1, 1, 0, 0], 40)
        found = eb.infer(self.judged(wrong, judge, 80), "ppi")
        plain = eb.methods.ppi(forms.judged(wrong[:80], judge[:80], judge[80:]))
        assert (found.estimate, found.se) == (plain.estimate, plain.se)
        p = plain.estimate
        ends = np.log(p / (1.0 - p)) + stats.norm.ppf([0.025, 0.975]) * plain.se / (p * (1.0 - p))
        assert found.interval == pytest.approx(1.0 / (1.0 + np.exp(-ends)))

    @pytest.mark.parametrize(
        ("people", "errors", "said"),
        [(39, 10, True), (40, 5, False), (200, 4, True), (200, 5, False)],
    )
    def test_few_are_said(self, people, errors, said):
        wrong = np.zeros(400)
        wrong[:errors] = 1.0
        assert ("few" in codes(eb.infer(self.judged(wrong, np.zeros(400), people), "ppi"))) == said
