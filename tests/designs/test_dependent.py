"""Clusters, seeds, time and judges: reference values of independent programs, and what follows from the formulas."""

import math

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import stats

import errbar
from errbar import Losses
from errbar.losses import Units
from errbar.methods import (
    cluster_t,
    crossed_or,
    crossed_t,
    diebold_mariano,
    holdout_t,
    obuchowski_rockette,
    ppi,
)
from errbar.methods._dependent import covariance_of, error_of_learners, tables_of
from tests import forms
from tests.refusals import refused


def codes(result):
    return [note.code for note in result.notes]


# R clubSandwich 0.5.8, lm(x ~ 1), CR2 with Satterthwaite's degrees of freedom.
CLUSTERED = (
    [1, 0, 1, 1, -1, 0, 0, 1, 0, 1, 1, 1, 0, -1, 0, 1],
    [1, 1, 1, 2, 2, 3, 3, 3, 3, 3, 3, 3, 4, 4, 5, 6],
)


class TestClusters:
    def test_clubsandwich(self):
        result = cluster_t(Losses(CLUSTERED[0], group=CLUSTERED[1]))
        assert result.estimate == 0.375
        assert result.se**2 == pytest.approx(0.0352068070818071, rel=1e-12)
        assert result.df == pytest.approx(3.02912354611228, rel=1e-12)
        assert result.pvalue == pytest.approx(0.138639422282739, rel=1e-12)

    def test_clusters_of_equal_size_have_one_degree_of_freedom_less_than_clusters(self, rng):
        values = rng.standard_normal((7, 4))
        result = cluster_t(Losses(values.ravel(), group=np.repeat(np.arange(7), 4)))
        assert result.df == pytest.approx(6.0)
        assert result.se == pytest.approx(values.mean(axis=1).std(ddof=1) / math.sqrt(7), rel=1e-12)

    def test_examples_that_are_clusters_of_their_own_are_independent(self, rng):
        values = rng.gamma(1.0, size=40)
        alone, usual = (
            cluster_t(Losses(values, group=np.arange(40))),
            holdout_t(errbar.Losses(values)),
        )
        assert (alone.low, alone.high, alone.df) == pytest.approx(
            (usual.low, usual.high, usual.df), rel=1e-10
        )
        assert alone.components["cluster"] == pytest.approx(0.0, abs=1e-15)

    @given(st.lists(st.integers(1, 6), min_size=5, max_size=12), st.integers(0, 2**32 - 1))
    def test_degrees_of_freedom_are_those_of_the_eigenvalues(self, sizes, seed):
        code = np.random.default_rng(seed).permutation(np.repeat(np.arange(len(sizes)), sizes))
        h = np.bincount(code) / code.size
        if h.max() == 1.0:
            return
        matrix = (np.diag(h) - np.outer(h, h)) / np.sqrt(np.outer(1 - h, 1 - h))
        values = np.linalg.eigvalsh(matrix)
        assert Units.of(code).df == pytest.approx(
            values.sum() ** 2 / np.square(values).sum(), rel=1e-9
        )

    def test_labels_may_be_anything_and_the_clusters_are_all_that_counts(self):
        value, codes = CLUSTERED
        text = [f"patient {code}" for code in codes]
        assert cluster_t(Losses(value, group=text)) == cluster_t(
            Losses(value, group=np.array(codes) * 10**9)
        )

    def test_four_clusters_are_too_few(self):
        with pytest.raises(errbar.UnsuitablePlanError):
            cluster_t(Losses(np.arange(8.0), group=np.arange(8) % 4))
        table = errbar.from_losses({"a": np.arange(8.0)}, groups=np.arange(8) % 4)
        with pytest.raises(errbar.UnsuitablePlanError):
            errbar.infer(table, "cluster-t")

    def test_a_pair_of_a_table_is_the_view_of_differences(self, rng):
        a, b, passage = rng.gamma(1.0, size=60), rng.gamma(1.0, size=60), np.arange(60) % 9
        table = errbar.from_losses({"a": a, "b": b}, groups=passage)
        compared = errbar.compare_table(table)
        assert compared.method == "cluster-t"
        direct = cluster_t(Losses(a - b, group=passage))
        assert compared.pairs[0].result.se == pytest.approx(direct.se, rel=1e-12)
        assert compared.pairs[0].result.df == pytest.approx(direct.df, rel=1e-12)

    def test_repeats_are_averaged_by_example(self, rng):
        losses = rng.gamma(1.0, size=(2, 30))
        fold = np.tile(np.arange(30) % 10 // 2, 2)
        labels = {
            "repeat": np.repeat([0, 1], 30),
            "example": np.tile(np.arange(30), 2),
            "fold": fold,
        }
        table = errbar.from_losses(
            {"a": losses.ravel()}, groups=np.tile(np.arange(30) % 10, 2), **labels
        )
        found = errbar.infer(table, "cluster-t")
        assert found.se == pytest.approx(
            cluster_t(Losses(losses.mean(axis=0), group=np.arange(30) % 10)).se, rel=1e-12
        )

    @pytest.mark.parametrize("folds", [True, False])
    def test_in_folds_the_models_must_be_stable(self, rng, folds):
        """The risk of two linear models that nearly agree was in 42 % of the intervals of 120 groups in folds."""
        group = np.repeat(np.arange(120), 3)
        labels = {"fold": group % 5} if folds else {}
        found = errbar.infer(
            errbar.from_losses({"a": rng.normal(size=360)}, groups=group, **labels), "cluster-t"
        )
        assert codes(found) == ["fold-models" if folds else "fixed"]

    @pytest.mark.parametrize("method", ["crossed-t", "crossed-or"])
    @pytest.mark.parametrize("folds", [True, False])
    def test_so_must_those_of_several_seeds(self, rng, folds, method):
        labels = {"fold": np.tile(np.arange(60) % 5, 2)} if folds else {}
        labels |= {"example": np.tile(np.arange(60), 2), "seed": np.repeat([0, 1], 60)}
        found = errbar.infer(errbar.from_losses({"a": rng.normal(size=120)}, **labels), method)
        assert codes(found) == ["fixed", *(["fold-models"] if folds else [])]

    @pytest.mark.parametrize("unequal", [True, False])
    def test_skewed_losses_of_few_clusters_are_said(self, rng, unequal):
        """Squared errors of 120 groups of very unequal size were held in 80 to 88 %, by the rule of Cochran too few."""
        effect = np.zeros(120)
        effect[:4] = 20.0 * unequal
        group = np.repeat(np.arange(120), 5)
        losses = {
            "a": rng.normal(3.0, 1.0, 600) + effect[group],
            "b": rng.normal(3.0, 1.0, 600) + effect[group],
        }
        table = errbar.from_losses(losses, groups=group)
        assert ("skewed-losses" in codes(errbar.infer(table, "cluster-t", "a"))) is unequal
        # What both have in common is not in their difference.
        assert "skewed-losses" not in codes(errbar.infer(table, "cluster-t", "a", "b"))
        shares = errbar.from_losses(
            {"a": (group < 4).astype(float)}, groups=group, metric="zero-one"
        )
        assert "skewed-losses" not in codes(errbar.infer(shares, "cluster-t"))

    @pytest.mark.parametrize("scale", [1e-130, 1e-60, 1e60, 1e130])
    def test_skewness_has_no_scale(self, rng, scale):
        losses, cluster = rng.gamma(0.2, size=200), np.arange(200) % 40
        for found in (
            cluster_t(Losses(scale * losses, group=cluster)),
            diebold_mariano(Losses(scale * losses)),
        ):
            assert "skewed-losses" in codes(found)
        assert "skewed-losses" not in codes(diebold_mariano(Losses(np.full(20, 0.1 * scale))))

    def test_a_metric_has_the_sums_of_its_influence_values(self, rng):
        truth, patient = rng.integers(0, 2, 200), np.arange(200) % 20
        scores = truth + rng.standard_normal(200) + rng.standard_normal(20)[patient]
        table = errbar.from_predictions(
            {"a": scores}, truth, loss="roc_auc", groups=patient, fold="none"
        )
        found = errbar.infer(table, "cluster-t")
        influence = table.points[0] - table.points[0].mean()
        sums = np.bincount(patient, influence) / 200
        assert found.se == pytest.approx(math.sqrt(np.square(sums).sum() / (1 - 1 / 20)), rel=1e-9)

    def test_a_metric_that_is_averaged_over_folds_is_compared_with_that_of_its_fold(self, rng):
        truth, patient = np.arange(200) % 2, np.repeat(np.arange(40), 5)
        fold = patient % 4
        scores = truth + rng.standard_normal(200) + fold
        table = errbar.from_predictions(
            {"a": scores}, truth, loss="roc_auc", fold=fold, groups=patient
        )
        found, squared = errbar.infer(table, "cluster-t"), 0.0
        for k in range(4):
            own = table.points[0][table.splits.labels["fold"][table.cells.split] == k]
            clusters = patient[
                table.cells.example[table.splits.labels["fold"][table.cells.split] == k]
            ]
            sums = np.bincount(clusters, own - own.mean())
            squared += np.square(sums).sum() / (50 * 4) ** 2 / (1 - 5 / 50)
        assert found.se == pytest.approx(math.sqrt(squared), rel=1e-9)
        assert found.df <= 36.0 + 1e-9


class TestSeeds:
    SEEDS, ITEMS = np.arange(4)[:, np.newaxis], np.arange(12)
    A = ((5 * SEEDS + 2 * ITEMS + (SEEDS * ITEMS) % 3) % 8) / 7
    B = ((3 * SEEDS + 4 * ITEMS + (SEEDS * ITEMS) % 5) % 6) / 5

    def mean_squares(self, table):
        seeds, n = table.shape
        rest = table - table.mean(axis=1, keepdims=True) - table.mean(axis=0) + table.mean()
        return (
            n * table.mean(axis=1).var(ddof=1),
            seeds * table.mean(axis=0).var(ddof=1),
            np.square(rest).sum() / ((seeds - 1) * (n - 1)),
        )

    def test_shared_seeds(self):
        ms_s, ms_i, ms_e = self.mean_squares(self.A - self.B)
        found = crossed_t(forms.crossed(self.A, self.B), seeds="shared")
        floored = max(ms_s - ms_e, 0.0) + max(ms_i - ms_e, 0.0) + ms_e
        assert found.se**2 == pytest.approx(floored / 48, rel=1e-12)

    def test_shared_seeds_without_floors(self):
        moved = self.A + self.SEEDS / 2 + np.square(self.ITEMS) / 50
        ms_s, ms_i, ms_e = self.mean_squares(moved - self.B)
        raw = crossed_t(forms.crossed(moved, self.B), seeds="shared", floors=False)
        total = ms_s + ms_i - ms_e
        assert raw.se**2 == pytest.approx(total / 48, rel=1e-12)
        assert raw.df == pytest.approx(
            total**2 / (ms_s**2 / 3 + ms_i**2 / 11 + ms_e**2 / 33), rel=1e-12
        )

    def test_own_seeds(self):
        items = (self.A.mean(axis=0) - self.B.mean(axis=0)).var(ddof=1) / 12
        parts = [(s / 48, e / 48) for s, _, e in map(self.mean_squares, (self.A, self.B))]
        found = crossed_t(forms.crossed(self.A, self.B))
        total = items + sum(s - e for s, e in parts)
        if total > items:
            assert found.se**2 == pytest.approx(total, rel=1e-12)
            freedom = items**2 / 11 + sum(s**2 / 3 + e**2 / 33 for s, e in parts)
            assert found.df == pytest.approx(total**2 / freedom, rel=1e-12)
        else:
            assert (found.se**2, found.df) == pytest.approx((items, 11.0), rel=1e-12)

    def test_degrees_of_freedom_are_no_fewer_than_those_of_the_seeds_or_the_examples(self):
        """Mean squares that are subtracted leave a small sum: Satterthwaite's .33 would make the interval 197 times as wide."""
        rng = np.random.default_rng(1000)
        item = rng.standard_normal(30)
        a, b = (
            item + 0.3 * rng.standard_normal((2, 1)) + 0.7 * rng.standard_normal((2, 30))
            for _ in "ab"
        )
        (sa, _, ea), (sb, _, eb) = (np.array(self.mean_squares(one)) / 60 for one in (a, b))
        items = (a.mean(axis=0) - b.mean(axis=0)).var(ddof=1) / 30
        squared = items + sa - ea + sb - eb
        raw = squared**2 / (items**2 / 29 + sa**2 + sb**2 + (ea**2 + eb**2) / 29)
        assert raw == pytest.approx(0.3345, abs=5e-5)
        found = crossed_t(forms.crossed(a, b))
        assert (found.se**2, found.df) == pytest.approx((squared, 1.0), rel=1e-12)
        reach = math.sqrt(squared) * math.tan(
            0.95 * math.pi / 2
        )  # the quantile of t with 1 degree of freedom
        assert (found.low, found.high) == pytest.approx(
            (found.estimate - reach, found.estimate + reach), rel=1e-9
        )

    def test_a_floor_leaves_the_examples(self, rng):
        a, b = (
            np.tile(rng.standard_normal(30), (5, 1))
            + 1e-3 * rng.permuted(np.tile(np.linspace(-1, 1, 30), (5, 1)), axis=1)
            for _ in "ab"
        )
        found = crossed_t(forms.crossed(a, b))
        usual = holdout_t(errbar.Losses(a.mean(axis=0) - b.mean(axis=0)))
        assert (found.se, found.df) == pytest.approx((usual.se, 29.0), rel=1e-9)
        assert found.components["seed"] == 0.0

    def test_learners_may_have_different_numbers_of_seeds_of_their_own(self):
        found = crossed_t(forms.crossed(self.A, self.B[:3]))
        assert found.estimate == pytest.approx(self.A.mean() - self.B[:3].mean())
        with pytest.raises(errbar.InvalidInputError):
            crossed_t(forms.crossed(self.A, self.B[:3]), seeds="shared")
        with pytest.raises(errbar.InvalidInputError):
            crossed_or(forms.crossed(self.A, self.B[:3]))

    def test_clusters_of_one_example_each_change_nothing(self):
        plain, named = (
            crossed_t(forms.crossed(self.A, self.B, group=c)) for c in (None, np.arange(12))
        )
        assert plain == named

    def test_clusters_of_equal_size_are_their_means(self):
        """With clusters of equal size the table of cluster means has the same error."""
        groups = np.repeat(np.arange(6), 2)
        means = [table.reshape(4, 6, 2).mean(axis=2) for table in (self.A, self.B)]
        for seeds in ("own", "shared"):
            clustered = crossed_t(forms.crossed(self.A, self.B, group=groups), seeds=seeds)
            averaged = crossed_t(forms.crossed(*means), seeds=seeds)
            assert (clustered.se, clustered.df) == pytest.approx(
                (averaged.se, averaged.df), rel=1e-9
            )

    def test_a_table_in_any_order_is_the_same(self, rng):
        order = rng.permutation(48)
        example, seed = np.tile(self.ITEMS, 4), np.repeat(np.arange(4), 12)
        table = errbar.from_losses(
            {"a": self.A.ravel()[order], "b": self.B.ravel()[order]},
            example=example[order],
            seed=seed[order],
        )
        found = errbar.compare_table(table)
        assert found.method == "crossed-t"
        direct = crossed_t(forms.crossed(self.A, self.B))
        assert found.pairs[0].result.se == pytest.approx(direct.se, rel=1e-12)

    def test_components_add_up(self):
        for view in (forms.crossed(self.A), forms.crossed(self.A, self.B)):
            for seeds in ("own", "shared"):
                found = crossed_t(view, seeds=seeds)
                assert sum(found.components.values()) == pytest.approx(found.se**2, rel=1e-12)


class TestObuchowskiRockette:
    # MRMCaov 0.3.0 on the reader study of Van Dyke et al. (1993), DeLong's covariances: what it prints.
    THETA = (
        (
            0.9196457326892109,
            0.8587761674718195,
            0.9038647342995167,
            0.9731078904991954,
            0.8297906602254431,
        ),
        (
            0.9478260869565222,
            0.9053140096618364,
            0.9217391304347828,
            0.9993558776167478,
            0.9299516908212566,
        ),
    )

    def test_the_denominator(self):
        """With the printed covariances: denominator .001069415, F 4.484854 on 15.06611 degrees of freedom, p .05123303."""
        covariance = np.full((10, 10), 0.0002358497)
        same = np.kron(np.eye(2), np.ones((5, 5))).astype(bool)
        covariance[same] = 0.0003395265
        covariance[np.kron(np.ones((2, 2)), np.eye(5)).astype(bool)] = 0.000342009
        np.fill_diagonal(covariance, 0.0007921325)
        found = obuchowski_rockette(self.THETA, covariance)
        assert (found.statistic, *found.df, found.pvalue) == pytest.approx(
            (4.484854, 1, 15.06611, 0.05123303), rel=2e-6
        )
        squared, df = error_of_learners(np.array(self.THETA), covariance, "both")
        first, second = found.means
        assert math.sqrt(squared) == pytest.approx(0.0206825, rel=1e-5)
        reach = stats.t.ppf(0.975, df) * math.sqrt(squared)
        assert (first - second - reach, first - second + reach) == pytest.approx(
            (-0.0878671960, 0.0002665519), rel=1e-4
        )

    @pytest.mark.parametrize("random", ["both", "seeds", "examples"])
    def test_three_learners(self, rng, random):
        theta, (t, r) = rng.normal(0.8, 0.1, (3, 4)), (3, 4)
        covariance = 1e-3 * np.cov(rng.standard_normal((12, 200)))
        means = theta.mean(axis=1)
        ms_t = r * means.var(ddof=1)
        rest = theta - means[:, None] - theta.mean(axis=0) + theta.mean()
        ms_tr = np.square(rest).sum() / ((t - 1) * (r - 1))
        cells = covariance.reshape(t, r, t, r)
        sums = {(a, b): [] for a in (True, False) for b in (True, False)}
        for place in np.ndindex(t, r, t, r):
            i, j, other, by = place
            sums[i == other, j == by].append(cells[place])
        of = {key: np.mean(one) for key, one in sums.items()}
        common = max(of[True, False] - of[False, False], 0.0)
        size = {
            "both": ms_tr + r * common,
            "seeds": ms_tr,
            "examples": of[True, True] - of[False, True] + (r - 1) * common,
        }[random]
        found = obuchowski_rockette(theta, covariance, random=random)
        df = size**2 / (ms_tr**2 / ((t - 1) * (r - 1)))
        law = stats.chi2(t - 1, scale=1 / (t - 1)) if random == "examples" else stats.f(t - 1, df)
        assert found.df == pytest.approx((t - 1, math.inf if random == "examples" else df))
        assert found.statistic == pytest.approx(ms_t / size, rel=1e-10)
        assert found.pvalue == pytest.approx(law.sf(ms_t / size), rel=1e-9)

    @pytest.mark.parametrize(
        ("theta", "covariance", "argument"),
        [
            ([[0.1, 0.2]], np.eye(2), "theta"),
            ([0.1, 0.2], np.eye(2), "theta"),
            ([[0.1], [0.2]], np.eye(2), "theta"),
            ([[0.1, 0.2], [0.3, 0.1]], np.eye(2), "covariance"),
            ([[0.1, 0.1], [0.1, 0.1]], np.zeros((4, 4)), "theta"),
        ],
    )
    def test_what_is_no_study_of_several_learners(self, theta, covariance, argument):
        with refused(argument):
            obuchowski_rockette(theta, covariance)

    def test_covariances_of_areas_are_those_of_delong(self, rng):
        truth = np.arange(60) % 2
        scores = truth + rng.standard_normal((4, 60))
        table = errbar.from_predictions(
            {"a": scores[:2].ravel(), "b": scores[2:].ravel()},
            np.tile(truth, 2),
            loss="roc_auc",
            seed=np.repeat([0, 1], 60),
            example=np.tile(np.arange(60), 2),
            fold="none",
        )
        view = tables_of(table.losses("a"))
        found = covariance_of(view.value, view.units, view.classes)
        for seed in range(2):
            alone = errbar.methods.delong(errbar.RankScores(truth, scores[seed]))
            assert found[seed, seed] == pytest.approx(alone.se**2, rel=1e-9)
        both = errbar.methods.delong(errbar.RankScores(truth, scores[0], scores[1]))
        assert found[0, 0] + found[1, 1] - 2 * found[0, 1] == pytest.approx(both.se**2, rel=1e-9)

    def test_any_metric(self, rng):
        truth = rng.integers(0, 2, 100)
        said = {
            name: np.where(rng.uniform(size=300) < 0.8, np.tile(truth, 3), 1 - np.tile(truth, 3))
            for name in "ab"
        }
        labels = {"seed": np.repeat(np.arange(3), 100), "example": np.tile(np.arange(100), 3)}
        labels["fold"] = "none"
        for loss in ("f1", "matthews_corrcoef", "balanced_accuracy"):
            table = errbar.from_predictions(
                said, np.tile(truth, 3), loss=loss, positive=1, **labels
            )
            for method in ("crossed-or", "crossed-t"):
                found = errbar.infer(table, method, "a", "b")
                means = table.scores.mean(axis=1)
                assert found.estimate == pytest.approx(-(means[0] - means[1]), rel=1e-9)
                assert 0.0 < found.se < 0.5

    def test_what_is_fixed_adds_no_error(self):
        view = forms.crossed(TestSeeds.A, TestSeeds.B)
        both = crossed_or(view)
        for random in ("seeds", "examples"):
            part = crossed_or(view, random=random)
            assert part.estimate == both.estimate
            assert "fixed" in [note.code for note in part.notes]
        assert crossed_or(view, random="examples").df is None
        assert crossed_or(view, random="seeds").df == 3.0


class TestTime:
    # Means of annual forecasts; R forecast 8.20, dm.test with the variance of autocovariances.
    E1 = np.array(
        [
            0.3,
            -0.6,
            -1.2,
            -4.0,
            3.8,
            3.4,
            -1.2,
            -0.8,
            -1.2,
            3.4,
            7.0,
            2.2,
            -4.8,
            -1.2,
            3.4,
            3.0,
            0.4,
            -6.8,
            -2.4,
            1.2,
        ]
    )

    def test_one_step_ahead_is_students_t(self):
        found, usual = diebold_mariano(Losses(self.E1)), holdout_t(errbar.Losses(self.E1))
        assert (found.statistic, found.pvalue, found.df) == pytest.approx(
            (usual.statistic, usual.pvalue, 19)
        )

    def test_farther_ahead(self):
        n, h = 20, 3
        d = self.E1 - self.E1.mean()
        gamma = [d[k:] @ d[: n - k] / n for k in range(h)]
        plain = self.E1.mean() / math.sqrt((gamma[0] + 2 * (gamma[1] + gamma[2])) / n)
        corrected = plain * math.sqrt((n + 1 - 2 * h + h * (h - 1) / n) / n)
        assert diebold_mariano(Losses(self.E1), horizon=h).statistic == pytest.approx(
            corrected, rel=1e-12
        )

    def test_a_negative_variance_is_none(self):
        swing = np.tile([1.0, -1.0], 15) + np.linspace(0.0, 0.1, 30)
        found = diebold_mariano(Losses(swing), horizon=2, variance="autocovariances")
        assert found.se > 0.0
        assert "out-of-bounds" in codes(found)

    def test_correlation_beyond_the_horizon_is_taken_into_account(self, rng):
        shocks = rng.standard_normal(400)
        series = Losses(np.convolve(shocks, 0.9 ** np.arange(60))[:400])
        found, plain = diebold_mariano(series), diebold_mariano(series, variance="autocovariances")
        assert found.df == 8
        assert found.se > 2.0 * plain.se
        [note] = [note for note in plain.notes if note.code == "correlated-losses"]
        assert (note.numbers["horizon"], note.numbers["variance"]) == (1, "autocovariances")
        alternating = Losses(np.tile([0.0, 1.0, 0.2], 20))
        assert diebold_mariano(alternating).df == 59

    def test_cosines_are_the_mean_square_of_projections(self):
        d, t = self.E1 - self.E1.mean(), np.arange(1, 21)
        projections = [
            math.sqrt(2 / 20) * (d @ np.cos(math.pi * j * (t - 0.5) / 20)) for j in range(1, 9)
        ]
        found = diebold_mariano(Losses(self.E1), variance="cosines")
        assert found.se == pytest.approx(math.sqrt(np.square(projections).mean() / 20), rel=1e-12)
        assert found.df == 8

    def test_scores_of_origins_are_a_series(self):
        table = errbar.from_scores({"a": self.E1, "b": np.zeros(20)}, time=range(20))
        found = errbar.compare_table(table)
        assert found.method == "diebold-mariano"
        assert found.pairs[0].result.statistic == pytest.approx(
            diebold_mariano(Losses(self.E1)).statistic
        )

    def test_few_times_for_a_far_horizon_are_said(self, rng):
        found = diebold_mariano(
            Losses(rng.standard_normal(100)), horizon=5, variance="autocovariances"
        )
        assert "few-times" in [note.code for note in found.notes]

    @pytest.mark.parametrize(
        ("n", "phi", "said"), [(200, 0.95, True), (300, 0.5, False), (250, 0.0, False)]
    )
    def test_losses_that_are_worth_few_independent_ones_are_said(self, rng, n, phi, said):
        series = np.convolve(rng.standard_normal(n + 200), phi ** np.arange(200))[200 : n + 200]
        found = diebold_mariano(Losses(series), variance="cosines")
        assert ("few-times" in codes(found)) is said

    @pytest.mark.parametrize("variance", ["autocovariances", "cosines"])
    @pytest.mark.parametrize(("n", "said"), [(199, True), (200, False)])
    def test_few_times_to_see_correlation_are_said(self, rng, n, said, variance):
        """Losses of trained models were held in 78 to 94 % of the intervals from 60 or 100 of them."""
        found = diebold_mariano(Losses(rng.standard_normal(n)), variance=variance)
        assert ("few-times" in codes(found)) is said

    def test_a_table_is_put_in_the_order_of_time(self, rng):
        order = rng.permutation(20)
        table = errbar.from_losses({"a": self.E1[order]}, time=np.arange(20)[order])
        assert (
            errbar.infer(table, "diebold-mariano", horizon=2).se
            == diebold_mariano(Losses(self.E1), horizon=2).se
        )

    def test_examples_of_one_time_are_averaged(self):
        table = errbar.from_losses({"a": np.repeat(self.E1, 2)}, time=np.repeat(np.arange(20), 2))
        found = errbar.infer(table, "diebold-mariano")
        assert found.se == pytest.approx(diebold_mariano(Losses(self.E1)).se)
        assert "means" in [note.code for note in found.notes]

    def test_the_horizon_is_shorter_than_the_series(self):
        with refused("horizon"):
            diebold_mariano(Losses(self.E1), horizon=20)


class TestJudges:
    # ppi-python 0.2.3
    PEOPLE, JUDGE = [1, 0, 1, 1, 0, 1, 1, 0, 1, 1], [1, 0, 1, 0, 0, 1, 1, 1, 1, 1]
    OTHERS = np.array(list("11011011101110111101"), dtype=float)

    @pytest.mark.parametrize(
        ("weight", "estimate", "low", "high"),
        [
            (1.0, 0.75, 0.4140791, 1.0859209),
            (None, 0.718125, 0.46245324, 0.97379676),
            (0.0, 0.7, 0.41597423, 0.98402577),
        ],
    )
    def test_ppi_python(self, weight, estimate, low, high):
        found = ppi(forms.judged(self.PEOPLE, self.JUDGE, self.OTHERS), weight=weight)
        assert (found.estimate, found.low, found.high) == pytest.approx(
            (estimate, low, high), rel=2e-8
        )

    def test_a_judge_that_says_always_the_same_is_not_used(self):
        view = forms.judged(self.PEOPLE, [1] * 10, [1] * 20)
        assert ppi(view).se == pytest.approx(np.std(self.PEOPLE) / math.sqrt(10))

    def test_a_table_of_two_learners(self, rng):
        people = {
            name: np.where(np.arange(60) % 4 == 0, rng.integers(0, 2, 60), np.nan) for name in "ab"
        }
        judge = {name: rng.integers(0, 2, 60) for name in "ab"}
        table = errbar.from_judged(people, judge)
        found = errbar.compare_table(table)
        assert found.method == "ppi"
        asked = np.arange(60) % 4 == 0
        one, other = people["a"] - people["b"], judge["a"] - judge["b"]
        direct = ppi(forms.judged(one[asked], other[asked], other[~asked]))
        assert found.pairs[0].result.se == pytest.approx(direct.se, rel=1e-12)
        assert found.learners["a"].se == pytest.approx(
            ppi(forms.judged(people["a"][asked], judge["a"][asked], judge["a"][~asked])).se,
            rel=1e-12,
        )

    def test_scores_are_turned(self):
        people, judge = {"a": [1, 0, 1, None, None, None]}, {"a": [1, 0, 0, 1, 1, 0]}
        score = errbar.infer(errbar.from_judged(people, judge, higher_is_better=True), "ppi")
        loss = errbar.infer(errbar.from_judged(people, judge), "ppi")
        assert (score.estimate, score.low) == pytest.approx((loss.estimate, loss.low))

    @pytest.mark.parametrize(
        ("people", "judge", "argument"),
        [
            ({"a": [1, 0, None, None]}, {"b": [1, 0, 1, 1]}, "judge"),
            ({"a": [1, 0, 1, 1]}, {"a": [1, 0, 1, 1]}, "people"),
            ({"a": [1, 0, None, None]}, {"a": [1, 0, 1]}, None),
            (
                {"a": [1, 0, None, None], "b": [1, None, 0, None]},
                {"a": [1] * 4, "b": [1] * 4},
                "people",
            ),
            ({"a": [1, "x", None, None]}, {"a": [1] * 4}, None),
            ({"a": [1, float("inf"), None, None]}, {"a": [1] * 4}, None),
        ],
    )
    def test_what_is_refused(self, people, judge, argument):
        with refused(argument):
            errbar.from_judged(people, judge)


class TestRanges:
    """Numbers that are named like a loss of ours have its range."""

    def test_an_interval_from_few_clusters_ends_at_the_edge(self):
        losses, passage = (np.arange(30) < 2).astype(float), np.arange(30) % 6
        plain = errbar.infer(errbar.from_losses({"a": losses}, groups=passage), "cluster-t")
        named = errbar.infer(
            errbar.from_losses({"a": losses}, groups=passage, metric="zero-one"), "cluster-t"
        )
        assert plain.low < 0.0 < named.low < named.estimate == plain.estimate
        assert named.se == plain.se

    def test_numbers_outside_the_range_have_none(self):
        table = errbar.from_losses({"a": [0.0, 1.5, 0.2]}, metric="zero-one")
        assert table.loss.range == (-math.inf, math.inf)

    def test_scores_of_0_and_1_are_shares(self, rng):
        right = {name: rng.integers(0, 2, 80) for name in "ab"}
        scores = errbar.compare_table(
            errbar.from_losses(right, higher_is_better=True, metric="accuracy")
        )
        errors = errbar.compare_table(
            errbar.from_losses({name: 1 - own for name, own in right.items()})
        )
        assert scores.method == errors.method == "paired-proportions"
        one, other = scores.pairs[0].result, errors.pairs[0].result
        assert (one.low, one.high, one.pvalue) == pytest.approx(
            (-other.high, -other.low, other.pvalue)
        )
        share, rate = scores.learners["a"], errors.learners["a"]
        assert share.method == rate.method == "binomial"
        assert (share.low, share.high) == pytest.approx((1.0 - rate.high, 1.0 - rate.low))
        table = scores.table
        for null, alternative in ((0.6, "two-sided"), (0.4, "greater")):
            asked = errbar.infer(table, "binomial", "a", null=null, alternative=alternative)
            turned = errbar.infer(
                errors.table,
                "binomial",
                "a",
                null=1.0 - null,
                alternative={"greater": "less"}.get(alternative, alternative),
            )
            assert asked.pvalue == pytest.approx(turned.pvalue)
        with refused("null"):
            errbar.infer(table, "binomial", "a", null=1.2)
