"""Planning of seeds against examples and of clusters: the formulas, the methods they plan for, and searches by hand."""

import functools
import itertools
import json
import math

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import stats

import errbar
from errbar.errors import InvalidInputError, UnsuitablePlanError
from errbar.methods import cluster_t, crossed_t
from errbar.planning import ClusterComponents, CrossedComponents, pilot, plan_study
from tests import forms
from tests.refusals import refused

crossed_components = functools.partial(pilot, design="crossed")
cluster_components = functools.partial(pilot, design="clusters")
TABLE = ((0.1, 0.5, 0.2, 0.9, 0.4), (0.3, 0.6, 0.5, 1.0, 0.4), (0.2, 0.8, 0.3, 1.2, 0.7))
CROSSED = CrossedComponents(seed=0.0004, example=0.2, error=0.05)
CLUSTERS = ClusterComponents(cluster=0.02, within=0.18)

parts = st.floats(1e-3, 1e3)
counts = st.integers(2, 400)


@st.composite
def pilots(draw):
    """Two tables of losses with effects of seeds and of examples, and clusters or none."""
    seeds, n = draw(st.integers(2, 6)), draw(st.integers(6, 40))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    strength = draw(st.tuples(*[st.sampled_from([0.0, 0.3, 2.0])] * 2))
    a, b = (
        rng.normal(size=(seeds, n))
        + strength[0] * rng.normal(size=(seeds, 1))
        + strength[1] * rng.normal(size=n)
        for _ in "ab"
    )
    cluster = np.arange(n) // 2 if draw(st.booleans()) else None
    return forms.crossed(a, b, group=cluster)


class TestCrossedComponents:
    def test_by_formula(self):
        """Mean squares of the two-way table, and the variance of 10 seeds on 200 examples."""
        found = crossed_components(forms.crossed(TABLE))
        assert (found.seed, found.example, found.error) == pytest.approx(
            (0.01, 0.099, 0.012), abs=1e-8
        )
        assert found.variance(10, 200) == pytest.approx(0.001501, abs=1e-8)
        assert found.variance(3, 5) == pytest.approx(0.0239333333, abs=1e-8)

    @given(pilots(), st.sampled_from(["own", "shared"]))
    def test_a_study_of_the_size_of_the_pilot_is_the_pilot(self, view, seeds):
        components, result = crossed_components(view, seeds=seeds), crossed_t(view, seeds=seeds)
        size = view.count("seed"), view.count("example")
        assert components.variance(*size) == pytest.approx(result.se**2, rel=1e-9)
        assert components.sources(*size) == pytest.approx(
            dict(result.components), rel=1e-9, abs=1e-12
        )
        floored = (
            min(
                components.seed, components.example, *(seed for seed, _ in components.learners), 1.0
            )
            == 0.0
        )
        if not floored:
            assert components.df(*size) == pytest.approx(result.df, rel=1e-9)

    def test_degrees_of_freedom_are_no_fewer_than_those_of_the_seeds_or_the_examples(self):
        """A variance between seeds that is small beside what seeds and examples add: Satterthwaite's alone are .8."""
        parts = CrossedComponents(
            seed=0.001, example=0.0, error=1.0, learners=((0.0, 0.0), (0.001, 1.0))
        )
        both, seed = 1.0 / 20, 0.001 / 2
        raw = (both + seed) ** 2 / (both**2 / 9 + (seed + both) ** 2 + both**2 / 9)
        assert raw == pytest.approx(0.82, abs=0.005)
        assert parts.df(2, 10) == 1.0

    def test_a_learner_whose_seeds_add_nothing_leaves_all_to_the_other(self, rng):
        a = rng.normal(size=(4, 50)) + rng.normal(size=(4, 1))
        b = np.tile(rng.normal(size=50), (4, 1))
        found = crossed_components(forms.crossed(a, b))
        assert found.learners[1] == (0.0, 0.0)
        assert found.learners[0][0] == pytest.approx(found.seed)

    def test_of_a_table(self, rng):
        losses = {name: rng.normal(size=(3, 20)) for name in "abc"}
        labels = {"seed": np.repeat(np.arange(3), 20), "example": np.tile(np.arange(20), 3)}
        table = errbar.from_losses(
            {name: values.ravel() for name, values in losses.items()}, **labels
        )
        found = crossed_components(table, "a", "c")
        direct = crossed_components(forms.crossed(losses["a"], losses["c"]))
        assert (found.name, found.pilot) == ("a - c", (3, 20))
        assert (found.seed, found.example, found.error) == pytest.approx(
            (direct.seed, direct.example, direct.error)
        )
        with pytest.raises(InvalidInputError):
            crossed_components(table)

    def test_refused(self, rng):
        with pytest.raises(InvalidInputError):
            crossed_components(forms.crossed(np.full((2, 5), 0.1)))
        same = rng.normal(size=(2, 5))
        with pytest.raises(InvalidInputError):
            crossed_components(forms.crossed(same, same), seeds="shared")
        with pytest.raises(InvalidInputError):
            crossed_components(errbar.Losses([1, 2, 3], group=[1, 1, 2]))
        with refused("source"):
            crossed_components(forms.crossed(same), "a", "b")
        with refused("seeds"):
            crossed_components(forms.crossed(rng.normal(size=(3, 5)), same), seeds="shared")
        with pytest.raises(UnsuitablePlanError):
            crossed_components(errbar.from_losses({"a": rng.normal(size=9)}))
        with refused("seed"):
            CrossedComponents(seed=-1.0, example=1.0, error=0.0)
        with pytest.raises(InvalidInputError):
            ClusterComponents(cluster=0.0, within=0.0)


class TestClusterComponents:
    def test_analysis_of_variance(self, rng):
        """F of the one-way analysis of variance is MS_b/MS_w, and for equal sizes MS_b = m c + w."""
        values = rng.normal(size=(12, 5)) + rng.normal(size=(12, 1))
        found = cluster_components(errbar.Losses(values.ravel(), group=np.repeat(np.arange(12), 5)))
        f = stats.f_oneway(*values).statistic
        assert (found.within + 5 * found.cluster) / found.within == pytest.approx(f, rel=1e-9)
        assert (found.variation, found.pilot) == (0.0, (12, 5.0))

    def test_equal_clusters_have_the_error_of_the_method(self, rng):
        values = rng.normal(size=(12, 5)) + rng.normal(size=(12, 1))
        losses = errbar.Losses(values.ravel(), group=np.repeat(np.arange(12), 5))
        found, result = cluster_components(losses), cluster_t(losses)
        assert found.variance(12, 5) == pytest.approx(result.se**2, rel=1e-9)
        assert found.df(12, 5) == pytest.approx(result.df, rel=1e-9) == 11.0

    def test_unequal_clusters_have_nearly_the_error_of_the_method(self, rng):
        sizes = rng.integers(2, 15, 4000)
        cluster = np.repeat(np.arange(4000), sizes)
        values = rng.normal(size=cluster.size) + rng.normal(size=4000)[cluster]
        losses = errbar.Losses(values, group=cluster)
        found, result = cluster_components(losses), cluster_t(losses)
        assert (found.cluster, found.within) == pytest.approx((1.0, 1.0), rel=0.1)
        assert found.variance(*found.pilot) == pytest.approx(result.se**2, rel=0.03)
        assert found.df(*found.pilot) == pytest.approx(result.df, rel=1e-9)

    def test_design_effect(self):
        assert CLUSTERS.variance(40, 5) == pytest.approx(1.4 * 0.2 / 200)
        assert sum(CLUSTERS.sources(40, 5).values()) == pytest.approx(CLUSTERS.variance(40, 5))

    def test_refused(self, rng):
        with pytest.raises(InvalidInputError):
            cluster_components(errbar.Losses(rng.normal(size=9), group=np.arange(9)))
        with pytest.raises(InvalidInputError):
            cluster_components(errbar.Losses(np.full(12, 0.1), group=np.arange(12) // 2))
        with pytest.raises(UnsuitablePlanError):
            cluster_components(
                errbar.from_losses({"a": rng.normal(size=9)}, groups=np.arange(9) // 3)
            )


class TestVariance:
    @given(parts, parts, parts, counts, counts)
    def test_falls_with_seeds_and_with_examples(self, seed, example, error, seeds, examples):
        found = CrossedComponents(seed, example, error)
        here = found.variance(seeds, examples)
        assert found.variance(seeds + 1, examples) < here
        assert found.variance(seeds, examples + 1) < here

    @given(parts, parts, counts, counts)
    def test_falls_with_clusters_and_with_examples(self, cluster, within, clusters, size):
        found = ClusterComponents(cluster, within)
        assert found.variance(clusters + 1, size) < found.variance(clusters, size)
        assert found.variance(clusters, size + 1) < found.variance(clusters, size)

    @given(parts, parts, counts, counts)
    def test_one_source_alone_leaves_its_own_degrees_of_freedom(self, one, error, seeds, examples):
        assert CrossedComponents(one, 0.0, 0.0).df(seeds, examples) == pytest.approx(seeds - 1)
        assert CrossedComponents(0.0, one, error).df(seeds, examples) == pytest.approx(examples - 1)

    def test_df_by_the_mean_squares_of_such_a_study(self):
        seeds, n = 4, 30
        ms_s, ms_i, ms_e = 0.05 + n * 0.0004, 0.05 + seeds * 0.2, 0.05
        freedom = ms_s**2 / 3 + ms_i**2 / 29 + ms_e**2 / 87
        assert CROSSED.df(seeds, n) == pytest.approx((ms_s + ms_i - ms_e) ** 2 / freedom, rel=1e-12)


def power_by_scipy(components, sizes, difference, level=0.95):
    """Return the power of the two-sided test by SciPy's noncentral t."""
    df, shift = components.df(*sizes), difference / math.sqrt(components.variance(*sizes))
    bound = stats.t.ppf(0.5 + level / 2, df)
    return stats.nct.sf(bound, df, shift) + stats.nct.cdf(-bound, df, shift)


class TestStudy:
    def test_power_and_detectable_difference(self):
        study = plan_study(CROSSED, seeds=5, examples=200, difference=0.05)
        assert study.power == pytest.approx(power_by_scipy(CROSSED, (5, 200), 0.05), rel=1e-8)
        assert power_by_scipy(CROSSED, (5, 200), study.detectable) == pytest.approx(0.8, rel=1e-8)
        row = study.prospects[0]
        assert row.half_width == pytest.approx(stats.t.ppf(0.975, row.df) * row.se, rel=1e-9)

    def test_power_of_clusters_is_that_of_simulated_studies(self):
        """Normal clusters of equal size, where everything is exact."""
        rng = np.random.default_rng(0)
        expected = power_by_scipy(CLUSTERS, (10, 4), 0.15)
        means = (
            0.15
            + math.sqrt(0.02) * rng.normal(size=(20_000, 10))
            + math.sqrt(0.18 / 4) * rng.normal(size=(20_000, 10))
        )
        found = np.mean(stats.ttest_1samp(means, 0.0, axis=1).pvalue <= 0.05)
        assert found == pytest.approx(expected, abs=4 * math.sqrt(0.25 / 20_000))

    def test_smallest_numbers_by_trial(self):
        study = plan_study(CROSSED, seeds=6, examples=1200, difference=0.05)
        enough = [power_by_scipy(CROSSED, (6, n), 0.05) >= 0.8 for n in range(2, 1200)]
        assert study.smallest[1] == 2 + enough.index(True)
        enough = [power_by_scipy(CROSSED, (s, 1200), 0.05) >= 0.8 for s in range(2, 50)]
        assert study.smallest[0] == 2 + enough.index(True)

    @pytest.mark.thorough
    @pytest.mark.parametrize("costs", [(3.0, 0.05), (0.5, 1.0), (40.0, 0.2), (0.001, 20.0)])
    def test_the_cheapest_study_by_trial(self, costs):
        parts = CrossedComponents(seed=0.01, example=0.1, error=0.3)
        study = plan_study(
            parts, seeds=5, examples=50, difference=0.2, cost_seed=costs[0], cost_example=costs[1]
        )
        sizes = itertools.chain(
            itertools.product(range(2, 60), range(2, 150)),
            itertools.product(range(60, 300), range(15, 40)),
        )
        enough = [size for size in sizes if power_by_scipy(parts, size, 0.2) >= 0.8]
        least = min(costs[0] * s + costs[1] * n for s, n in enough)
        assert study.cheapest.cost == pytest.approx(least)
        assert study.cheapest.power >= 0.8

    def test_the_cheapest_study_just_below_the_best_so_far(self):
        # 20 seeds are tried before 22, which leave room for no step of a tenth; found by trying all sizes.
        parts = CrossedComponents(seed=0.02, example=0.2, error=0.4)
        study = plan_study(
            parts, seeds=3, examples=50, difference=0.15, cost_seed=3.0, cost_example=1.0
        )
        assert (study.cheapest.sizes, study.cheapest.cost) == ((22, 115), 181.0)

    @pytest.mark.parametrize("costs", [(3.0, 1.0), (0.1, 1.0), (50.0, 1.0)])
    def test_the_cheapest_clusters_by_trial(self, costs):
        study = plan_study(
            CLUSTERS,
            clusters=9,
            per_cluster=5,
            difference=0.15,
            cost_cluster=costs[0],
            cost_example=costs[1],
        )
        found = study.cheapest
        assert found.cost == pytest.approx(found.sizes[0] * (costs[0] + costs[1] * found.sizes[1]))
        assert power_by_scipy(CLUSTERS, found.sizes, 0.15) >= 0.8
        sizes = itertools.product(range(5, 200), range(1, 100))
        cheaper = [
            (g, m) for g, m in sizes if g * (costs[0] + costs[1] * m) < found.cost * (1.0 - 1e-9)
        ]
        assert [size for size in cheaper if power_by_scipy(CLUSTERS, size, 0.15) >= 0.8] == []

    def test_how_many_examples_are_worth_one_more_seed(self):
        def half(seeds, n):
            return stats.t.ppf(0.975, CROSSED.df(seeds, n)) * math.sqrt(CROSSED.variance(seeds, n))

        study = plan_study(CROSSED, seeds=5, examples=200)
        assert half(5, 200 + study.worth) <= half(6, 200) < half(5, 199 + study.worth)

    def test_no_number_of_examples_makes_up_for_few_seeds(self):
        parts = CrossedComponents(seed=0.1, example=0.1, error=0.1)
        study = plan_study(parts, seeds=2, examples=500, difference=0.2)
        assert study.worth is None
        assert study.smallest[1] is None

    def test_a_cluster_with_its_examples_is_bought(self):
        study = plan_study(CLUSTERS, clusters=40, per_cluster=5, cost_cluster=10, cost_example=1)
        assert study.prospects[0].cost == 600.0

    def test_an_uncertain_pilot_is_said(self, rng):
        a, b = (rng.normal(size=(5, 100)) + 0.3 * rng.normal(size=(5, 1)) for _ in "ab")
        study = plan_study(crossed_components(forms.crossed(a, b)))
        low, high = study.detectable_interval
        assert low < study.detectable < high
        assert [note.code for note in study.notes] == ["uncertain-pilot", "fixed"]
        assert study.prospects[0].sizes == (5, 100)

    def test_interval_of_the_variance_between_clusters(self):
        """The mean square between clusters over its expectation is chi-square over its degrees of freedom."""
        parts = ClusterComponents(cluster=0.5, within=1.0, pilot=(10, 4.0))
        low, high = parts.outer_interval()
        ends = 9 * 3.0 / stats.chi2.ppf([0.975, 0.025], 9)
        assert (1.0 + 4 * low, 1.0 + 4 * high) == pytest.approx(tuple(ends), rel=1e-9)

    def test_to_dict_is_json(self):
        for study in (
            plan_study(
                CROSSED, seeds=5, examples=200, difference=0.05, cost_seed=3, cost_example=0.05
            ),
            plan_study(CLUSTERS, clusters=40, per_cluster=5),
        ):
            data = json.loads(json.dumps(study.to_dict(), allow_nan=False))
            assert data["sizes"] == list(study.prospects[0].sizes)
            assert sum(data["sources"].values()) == pytest.approx(study.prospects[0].se ** 2)

    def test_curves_meet_the_wanted_power_at_the_detectable_difference(self):
        study = plan_study(
            CLUSTERS, clusters=40, per_cluster=5, difference=-0.1, alternative="less"
        )
        for curve, row in zip(study.curves().values(), study.prospects, strict=True):
            at = np.interp(row.detectable, -curve[:, 0], curve[:, 1])
            assert at == pytest.approx(0.8, abs=1e-3)
        assert next(iter(study.curves())) == "40 clusters, 5 per_cluster"

    @pytest.mark.parametrize(
        ("parts", "given", "argument"),
        [
            (CROSSED, {"seeds": 5}, "examples"),
            (CROSSED, {"seeds": 1, "examples": 9}, "seeds"),
            (CROSSED, {"seeds": 5, "examples": 9, "cost_seed": 1.0}, "cost_example"),
            (CROSSED, {"seeds": 5, "examples": 9, "difference": 0.0}, "difference"),
            (CROSSED, {"seeds": 5, "examples": 9, "power": 80}, "power"),
            (CLUSTERS, {"clusters": 4, "per_cluster": 3}, "clusters"),
            (
                CLUSTERS,
                {"clusters": 5, "per_cluster": 3, "cost_cluster": 0.0, "cost_example": 1.0},
                "cost_cluster",
            ),
        ],
    )
    def test_refused(self, parts, given, argument):
        with refused(argument):
            plan_study(parts, **given)

    def test_sizes_and_costs_of_the_other_design_are_refused(self):
        with refused("clusters"):
            plan_study(CROSSED, seeds=5, examples=9, clusters=5)
        with refused("cost_seed"):
            plan_study(CLUSTERS, clusters=5, per_cluster=9, cost_seed=1.0, cost_example=1.0)


class TestPoorPilots:
    """Pilots in which something does not vary."""

    @pytest.mark.parametrize("others", [None, np.zeros((3, 30))], ids=["learner", "difference"])
    def test_seeds_that_change_nothing(self, others, rng):
        losses = np.tile((rng.random(30) < 0.4).astype(float), (3, 1))
        study = plan_study(crossed_components(forms.crossed(losses, others)))
        assert (study.components.seed, study.components.error) == (0.0, 0.0)
        assert study.detectable_interval == pytest.approx((study.detectable, study.detectable))
        assert study.prospects[0].se == pytest.approx(losses[0].std(ddof=1) / np.sqrt(30))

    @pytest.mark.filterwarnings("error")
    def test_one_cluster(self, rng):
        view = forms.crossed(rng.normal(size=(3, 30)), group=np.zeros(30))
        calls = (
            lambda: cluster_components(errbar.Losses(rng.normal(size=30), group=np.zeros(30))),
            lambda: crossed_components(view),
            lambda: errbar.methods.crossed_t(view),
            lambda: errbar.methods.crossed_or(view),
        )
        for call in calls:
            with pytest.raises(InvalidInputError):
                call()
