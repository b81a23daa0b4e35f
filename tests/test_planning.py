"""Power of the corrected t against integrals, other programs and simulation, and its inverses against it."""

import itertools
import json
import math

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import integrate, special, stats

import errbar
from errbar import planning
from errbar.errors import InvalidInputError, UnsuitablePlanError
from errbar.methods import corrected_t
from errbar.planning import SplitComponents, StudentTest, plan_study, upper_tail
from tests.bands import binomial_band
from tests.refusals import refused

ALTERNATIVES = ("two-sided", "less", "greater")
USUAL = {"deviation": 0.02, "n_train": 270, "n_test": 30}

# Upper tails of the noncentral t law (value, degrees of freedom, noncentrality): integrals with mpmath at 30 digits.
TAILS = [
    (2.0, 14, 2.5, 0.69231765600320374),
    (12.7, 1, 3, 0.18619678199239588),
    (636.6, 1, 100, 0.12482160316608291),
    (4.3, 2, -1, 0.003888548065345075),
    (1.0, 3, 50, 1.0),
    (40, 29, 38.5, 0.42214157768752165),
    (2, 29, 37, 1.0),
    (2, 99, 40, 1.0),
    (2.5, 14, -4, 1.5011898121218273e-9),
    (6, 999999, 5.5, 0.3085396510990022),
    (31, 2, 38.5, 0.78567032602771585),
]

alternatives = st.sampled_from(ALTERNATIVES)
deviations = st.floats(1e-3, 1e3)
sizes = st.integers(1, 5000)
splits = st.integers(2, 400)
levels = st.floats(0.5, 0.999)


def study(*asked, deviation=0.02, n_train=270, n_test=30, **how):
    return plan_study(SplitComponents(deviation, n_train, n_test), *asked, **how)


def power(difference, *, repeats=15, level=0.95, alternative="two-sided", **sizes):
    """Power of the corrected t, without the searches of a study."""
    parts, test = SplitComponents(**sizes), StudentTest(level, alternative)
    size = repeats, round(parts.n_train + parts.n_test)
    return test.rejects(test.towards(difference) / math.sqrt(parts.variance(*size)), repeats - 1)


def towards(alternative):
    """A sign that lies on the side of the alternative."""
    return -1.0 if alternative == "less" else 1.0


class TestLaw:
    @pytest.mark.parametrize(("threshold", "df", "shift", "expected"), TAILS)
    def test_integrals_with_thirty_digits(self, threshold, df, shift, expected):
        assert upper_tail(threshold, df, shift) == pytest.approx(expected, rel=1e-9, abs=1e-14)
        assert upper_tail(-threshold, df, -shift) == pytest.approx(
            1.0 - expected, rel=1e-9, abs=1e-14
        )

    @pytest.mark.parametrize("df", [1, 2, 4, 14, 99])
    @pytest.mark.parametrize("level", [0.5, 0.95, 0.9999])
    @pytest.mark.parametrize("shift", [-2.0, 0.0, 0.3, 4.0, 60.0])
    def test_an_integral_written_from_the_definition(self, df, level, shift):
        threshold = float(special.stdtrit(df, level))

        constant = math.log(2.0) + df / 2 * math.log(df / 2) - math.lgamma(df / 2)

        def density(s):
            log_chi = constant + (df - 1) * math.log(s) - df * s * s / 2
            return math.exp(log_chi) * special.ndtr(shift - threshold * s)

        ends = np.linspace(0.0, 1.0 + 12.0 / math.sqrt(2.0 * df), 20)
        pieces = (
            integrate.quad(density, a, b, epsabs=1e-14)[0] for a, b in itertools.pairwise(ends)
        )
        assert upper_tail(threshold, df, shift) == pytest.approx(sum(pieces), abs=1e-11)

    @given(st.floats(-1e300, 1e300), st.integers(1, 10**6), st.floats(-1e300, 1e300))
    def test_never_outside_of_the_unit_interval(self, threshold, df, shift):
        assert 0.0 <= upper_tail(threshold, df, shift) <= 1.0

    def test_continuous_where_the_way_of_integration_changes(self):
        for df in (1, 5, 14, 1000):
            edge = math.sqrt(2.0 * df)
            for shift in (0.0, 1.0, edge, 30.0):
                below, above = (
                    upper_tail(edge * (1 - 1e-15), df, shift),
                    upper_tail(edge * (1 + 1e-15), df, shift),
                )
                assert below == pytest.approx(above, abs=1e-13)


class TestPower:
    @given(splits, sizes, sizes, levels, alternatives)
    def test_at_no_difference_it_is_the_size(self, repeats, n_train, n_test, level, alternative):
        found = power(
            0.0,
            deviation=1.0,
            n_train=n_train,
            n_test=n_test,
            repeats=repeats,
            level=level,
            alternative=alternative,
        )
        assert found == pytest.approx(1.0 - level, rel=1e-9)

    @pytest.mark.parametrize("repeats", [2, 5, 15, 200])
    @pytest.mark.parametrize(
        ("alternative", "name"),
        [("two-sided", "two-sided"), ("greater", "larger"), ("less", "smaller")],
    )
    @pytest.mark.parametrize("effect", [-1.5, -0.3, 0.1, 0.6])
    def test_without_a_correction_it_is_that_of_students_t(
        self, repeats, alternative, name, effect
    ):
        from statsmodels.stats.power import TTestPower

        expected = TTestPower().power(effect, repeats, 0.05, alternative=name)
        found = power(
            2.0 * effect,
            deviation=2.0,
            n_train=1e15,
            n_test=1,
            repeats=repeats,
            alternative=alternative,
        )
        assert found == pytest.approx(expected, abs=1e-8)

    def test_with_the_correction_it_is_a_noncentral_t(self):
        shift = 1.0 / math.sqrt(1 / 15 + 30 / 270)
        critical = stats.t.ppf(0.975, 14)
        expected = stats.nct.sf(critical, 14, shift) + stats.nct.cdf(-critical, 14, shift)
        assert power(0.02, **USUAL) == pytest.approx(expected, abs=1e-10)

    @pytest.mark.parametrize("alternative", ALTERNATIVES)
    def test_simulated_tests_reject_as_often(self, alternative, any_seed):
        trials, repeats, n_train, n_test, delta = 20_000, 10, 90, 30, 0.6
        correlation = n_test / (n_train + n_test)
        rng = np.random.default_rng([any_seed, 25])
        common, own = rng.normal(size=(trials, 1)), rng.normal(size=(trials, repeats))
        scores = (
            towards(alternative) * delta
            + math.sqrt(correlation) * common
            + math.sqrt(1.0 - correlation) * own
        )
        error = scores.std(axis=1, ddof=1) * math.sqrt(1 / repeats + n_test / n_train)
        statistic = scores.mean(axis=1) / error
        known = [
            corrected_t(errbar.Losses(row, n_train=n_train, n_test=n_test)).statistic
            for row in scores[:20]
        ]
        assert statistic[:20] == pytest.approx(known)
        pvalue = {
            "two-sided": 2.0 * special.stdtr(repeats - 1, -np.abs(statistic)),
            "less": special.stdtr(repeats - 1, statistic),
            "greater": special.stdtr(repeats - 1, -statistic),
        }[alternative]
        how = {"n_train": n_train, "n_test": n_test, "repeats": repeats, "alternative": alternative}
        deviation = math.sqrt(1.0 - correlation)
        expected = study(towards(alternative) * delta, deviation=deviation, **how).power
        low, high = binomial_band(trials, expected)
        assert low <= int((pvalue <= 0.05).sum()) <= high

    @given(
        st.lists(st.floats(0.0, 50.0), min_size=2, max_size=6),
        splits,
        sizes,
        sizes,
        levels,
        alternatives,
    )
    def test_it_grows_with_the_difference(
        self, values, repeats, n_train, n_test, level, alternative
    ):
        how = {
            "n_train": n_train,
            "n_test": n_test,
            "repeats": repeats,
            "level": level,
            "alternative": alternative,
        }
        found = [power(towards(alternative) * v, deviation=1.0, **how) for v in sorted(values)]
        assert all(0.0 <= one <= 1.0 for one in found)
        assert all(after >= before - 1e-13 for before, after in itertools.pairwise(found))

    @given(st.floats(0.01, 5.0), splits, sizes, sizes, alternatives)
    def test_it_grows_with_splits_and_training_sizes(
        self, difference, repeats, n_train, n_test, alternative
    ):
        how = {"deviation": 1.0, "alternative": alternative}
        gap = towards(alternative) * difference
        base = power(gap, n_train=n_train, n_test=n_test, repeats=repeats, **how)
        more = power(gap, n_train=n_train, n_test=n_test, repeats=repeats + 1, **how)
        longer = power(gap, n_train=n_train + 7, n_test=n_test, repeats=repeats, **how)
        assert min(more, longer) >= base - 1e-13

    @given(st.floats(-5.0, 5.0), deviations, st.floats(1e-50, 1e50), splits)
    def test_a_scale_changes_nothing(self, ratio, deviation, factor, repeats):
        one = power(ratio * deviation, deviation=deviation, n_train=9, n_test=1, repeats=repeats)
        other = power(
            ratio * deviation * factor,
            deviation=deviation * factor,
            n_train=9,
            n_test=1,
            repeats=repeats,
        )
        assert other == pytest.approx(one, rel=1e-6)

    def test_the_sign_matters_for_one_sided_alternatives_only(self):
        assert power(-0.02, **USUAL) == power(0.02, **USUAL)
        less = power(-0.02, alternative="less", **USUAL)
        assert less == power(0.02, alternative="greater", **USUAL) > power(0.02, **USUAL)
        assert power(0.02, alternative="less", **USUAL) < 1e-4

    @pytest.mark.parametrize("repeats", [2, 10**6])
    @pytest.mark.parametrize("level", [1e-300, 0.3, 1.0 - 2.0**-53])
    def test_extremes_give_a_probability(self, repeats, level):
        for difference, deviation, (n_train, n_test), alternative in itertools.product(
            [0.0, 5e-324, 1.0, 1e300, -1e308],
            [1e-60, 1e60],
            [(1, 1e15), (1e15, 1), (9, 1)],
            ALTERNATIVES,
        ):
            how = {"n_train": n_train, "n_test": n_test, "alternative": alternative}
            found = power(difference, deviation=deviation, repeats=repeats, level=level, **how)
            assert 0.0 <= found <= 1.0


class TestInverses:
    @given(
        st.floats(0.1, 0.999),
        deviations,
        splits,
        sizes,
        sizes,
        st.floats(0.92, 0.999),
        alternatives,
    )
    def test_the_detectable_difference_has_the_wanted_power(
        self, wanted, deviation, repeats, n_train, n_test, level, alternative
    ):
        how = {"deviation": deviation, "n_train": n_train, "n_test": n_test, "repeats": repeats}
        how |= {"level": level, "alternative": alternative}
        found = study(None, wanted, **how).detectable
        assert power(towards(alternative) * found, **how) == pytest.approx(wanted, abs=1e-9)
        assert power(towards(alternative) * found * 0.999, **how) < wanted

    def test_a_wanted_power_that_the_size_has_already_needs_no_difference(self):
        assert study(None, 0.05, level=0.95 - 1e-9).detectable == 0.0
        assert study(None, 0.01).detectable == 0.0

    @pytest.mark.parametrize("wanted", [1e-300, 1.0 - 2.0**-53])
    def test_extreme_wishes_end(self, wanted):
        for repeats in (2, 15, 10**6):
            found = study(None, wanted, repeats=repeats).detectable
            assert math.isfinite(found)
            assert found >= 0.0

    @pytest.mark.parametrize("alternative", ALTERNATIVES)
    @pytest.mark.parametrize(
        ("size", "wanted"), [(0.05, 0.8), (0.022, 0.8), (0.02, 0.8), (0.03, 0.95), (0.1, 0.5)]
    )
    def test_the_number_of_splits_is_the_smallest(self, size, wanted, alternative):
        gap = towards(alternative) * size
        found = study(gap, wanted, alternative=alternative).smallest[0]
        reached = (
            power(gap, repeats=j, alternative=alternative, **USUAL) >= wanted
            for j in range(2, 1000)
        )
        assert found == 2 + list(reached).index(True)

    def test_numbers_of_splits_beyond_a_thousand(self):
        limit = power(0.019, repeats=10**6, **USUAL)
        found = study(0.019, limit - 1e-3).smallest[0]
        assert found > 1000
        assert power(0.019, repeats=found, **USUAL) >= limit - 1e-3
        assert power(0.019, repeats=found - 1, **USUAL) < limit - 1e-3

    def test_power_has_a_limit(self):
        limit = 0.02 / (0.02 * math.sqrt(30 / 270))
        critical = special.ndtri(0.975)
        expected = special.ndtr(limit - critical) + special.ndtr(-limit - critical)
        assert study(0.02).prospects[-1].power == pytest.approx(expected, abs=1e-4)
        assert study(0.02, expected + 1e-4).smallest[0] is None
        assert study(0.02, expected - 1e-3).smallest[0] > 100

    @pytest.mark.parametrize("alternative", ALTERNATIVES)
    @pytest.mark.parametrize("fraction", [0.1, 0.37, 0.5, 0.9])
    @pytest.mark.parametrize(("size", "wanted"), [(0.02, 0.8), (0.05, 0.9), (1.0, 0.5)])
    def test_the_number_of_examples_is_the_smallest(self, size, wanted, fraction, alternative):
        gap, how = towards(alternative) * size, {"repeats": 10, "alternative": alternative}
        found = study(gap, wanted, n_train=30 / fraction - 30, n_test=30, **how).smallest[1]

        def power_with(n):
            n_test = max(1, math.floor(n * fraction + 1e-9))
            spread = 0.02 * math.sqrt(30 / n_test)
            return power(gap, deviation=spread, n_train=n - n_test, n_test=n_test, **how)

        assert power_with(found) >= wanted
        assert all(power_with(n) < wanted for n in range(max(2, found - 60), found))

    def test_examples_may_be_too_many(self):
        assert study(1e-12).smallest == (None, None)


HOSTILE = {
    "difference is NaN": ({"difference": math.nan}, "difference"),
    "difference is text": ({"difference": "0.1"}, "difference"),
    "difference is infinite": ({"difference": math.inf}, "difference"),
    "difference is 0": ({"difference": 0.0}, "difference"),
    "difference on the other side": ({"alternative": "less"}, "difference"),
    "deviation is 0": ({"deviation": 0.0}, "deviation"),
    "deviation is negative": ({"deviation": -1.0}, "deviation"),
    "deviation is NaN": ({"deviation": math.nan}, "deviation"),
    "deviation is tiny": ({"deviation": 1e-300}, "deviation"),
    "deviation is huge": ({"deviation": 1e300}, "deviation"),
    "training size is 0": ({"n_train": 0}, "n_train"),
    "test size is a fraction": ({"n_test": 0.1}, "n_test"),
    "test size is infinite": ({"n_test": math.inf}, "n_test"),
    "test size is text": ({"n_test": "30"}, "n_test"),
    "one split": ({"repeats": 1}, "repeats"),
    "half a split": ({"repeats": 2.5}, "repeats"),
    "too many splits": ({"repeats": 10**400}, "repeats"),
    "seeds of splits": ({"seeds": 3}, "seeds"),
    "level": ({"level": 95}, "level"),
    "alternative": ({"alternative": "worse"}, "alternative"),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_what_cannot_be_used_is_named(case):
    arguments, argument = HOSTILE[case]
    with refused(argument):
        study(**{"difference": 0.1} | arguments)


@pytest.mark.parametrize("wanted", [0.0, 1.0, math.nan, "0.8", None])
def test_a_wanted_power_is_between_0_and_1(wanted):
    with refused("power"):
        study(0.1, wanted)


SCORES = {
    "tree": [0.31, 0.28, 0.35, 0.30, 0.29],
    "1-NN": [0.25, 0.27, 0.26, 0.24, 0.28],
    "forest": [0.2, 0.2, 0.2, 0.21, 0.2],
}


def table_of(*names, **how):
    return errbar.from_scores(
        {name: SCORES[name] for name in names}, **({"n_train": 270, "n_test": 30} | how)
    )


class TestPilot:
    def test_it_holds_what_the_corrected_t_sees(self):
        found = planning.pilot(table_of("tree", "1-NN"))
        differences = np.subtract(SCORES["tree"], SCORES["1-NN"])
        assert found.deviation == pytest.approx(differences.std(ddof=1))
        assert (found.pilot, found.metric) == ((5, 300), "score")
        se = errbar.infer(table_of("tree", "1-NN"), "corrected-t", "tree", minus="1-NN").se
        assert found.deviation * math.sqrt(1 / 5 + 30 / 270) == pytest.approx(se)

    def test_a_single_column_holds_differences(self):
        found = planning.pilot(table_of("tree"))
        assert found.name == "tree"
        assert found.deviation == pytest.approx(np.std(SCORES["tree"], ddof=1))

    def test_the_interval_is_that_of_the_chi_square_law(self):
        found = planning.pilot(table_of("tree", "1-NN"))
        squares = 4 * found.deviation**2
        expected = [squares / stats.chi2.ppf(p, 4) for p in (0.975, 0.025)]
        assert found.outer_interval() == pytest.approx(expected)

    def test_the_interval_covers_as_often_as_it_says(self, any_seed):
        trials, repeats = 3000, 8
        spreads = (
            np.random.default_rng([any_seed, 8]).normal(size=(trials, repeats)).std(axis=1, ddof=1)
        )
        pilots = (SplitComponents(float(spread), 9, 1, pilot=(repeats, 10)) for spread in spreads)
        covered = sum(low <= 1.0 <= high for low, high in (one.outer_interval() for one in pilots))
        first, last = binomial_band(trials, 0.95)
        assert first <= covered <= last

    def test_two_of_several_learners(self):
        table = table_of("tree", "1-NN", "forest")
        assert planning.pilot(table, "1-NN", "forest").name == "1-NN - forest"
        with pytest.raises(InvalidInputError):
            planning.pilot(table)
        with pytest.raises(InvalidInputError):
            planning.pilot(table, "x", "tree")
        with pytest.raises(InvalidInputError):
            planning.pilot(table, "tree", "tree")
        with pytest.raises(InvalidInputError):
            planning.pilot(table, "tree")

    def test_from_a_run(self):
        from sklearn.datasets import load_iris
        from sklearn.neighbors import KNeighborsClassifier
        from sklearn.tree import DecisionTreeClassifier

        X, y = load_iris(return_X_y=True)
        learners = {"stump": DecisionTreeClassifier(max_depth=1), "1-NN": KNeighborsClassifier(1)}
        plan = errbar.plans.KFold(7) + errbar.plans.Subsampling(n_train=100, n_test=40, repeats=8)
        found = planning.pilot(errbar.run(learners, X, y, plan=plan, random_state=0))
        assert (found.pilot, found.n_test, found.metric) == ((8, 140), 40, "zero-one")
        folds = planning.pilot(
            errbar.run(learners, X, y, plan=errbar.plans.KFold(7), random_state=0)
        )
        assert folds.pilot == (7, pytest.approx(150))

    def test_what_cannot_be_used(self):
        with pytest.raises(InvalidInputError):
            planning.pilot(
                errbar.from_scores(
                    {"a": [0.1, 0.2, 0.3], "b": [0.2, 0.3, 0.4]}, n_train=9, n_test=1
                )
            )
        with pytest.raises(InvalidInputError):
            planning.pilot(errbar.from_scores({"a": [0.1, 0.2, 0.4], "b": [0.2, 0.3, 0.4]}))
        with pytest.raises(InvalidInputError):
            planning.pilot(errbar.from_scores({"a": [0.1]}, n_train=9, n_test=1))
        with pytest.raises(UnsuitablePlanError):
            planning.pilot(errbar.from_losses({"a": [0.0, 1.0, 1.0], "b": [1.0, 0.0, 0.0]}))


class TestStudy:
    def test_rows(self):
        found = study(0.022)
        assert [row.sizes for row in found.prospects] == [(j, 300) for j in (15, 30, 60, 10**6)]
        for row in found.prospects:
            repeats = row.sizes[0]
            assert row.power == power(0.022, repeats=repeats, **USUAL)
            assert row.detectable == study(repeats=repeats).detectable
        assert (found.power, found.detectable) == (
            found.prospects[0].power,
            found.prospects[0].detectable,
        )
        assert found.notes == ()

    def test_a_pilot_brings_its_uncertainty(self):
        parts = planning.pilot(table_of("tree", "1-NN"))
        found = plan_study(parts, 0.04)
        low, high = (math.sqrt(end) for end in parts.outer_interval())
        assert found.detectable_interval == pytest.approx(
            [found.detectable * end / parts.deviation for end in (low, high)]
        )
        assert found.notes[0].code == "uncertain-pilot"
        assert "tree - 1-NN" in str(found)

    def test_what_is_no_pilot(self):
        with refused("components"):
            plan_study({"deviation": 1.0}, 0.1)
        with refused("cost_example"):
            study(0.1, cost_example=1.0)

    @pytest.mark.parametrize("difference", [None, 0.04])
    @pytest.mark.parametrize("with_pilot", [False, True])
    def test_plain_data_survive_json(self, difference, with_pilot):
        parts = SplitComponents(**USUAL)
        if with_pilot:
            parts = planning.pilot(table_of("tree", "1-NN"))
        found = plan_study(parts, difference)
        data = json.loads(json.dumps(found.to_dict(), allow_nan=False))
        assert data["detectable"] == found.detectable
        assert (data["power"] is None) == (difference is None)
        assert (data["components"]["pilot"] is not None) == with_pilot

    def test_without_a_difference(self):
        found = study()
        assert (found.power, found.smallest) == (None, (None, None))

    @pytest.mark.parametrize("repeats", [2, 10**6])
    @pytest.mark.parametrize("alternative", ALTERNATIVES)
    def test_extremes_are_answered(self, repeats, alternative):
        how = {"deviation": 1e-3, "n_train": 1, "n_test": 1}
        found = study(towards(alternative), 0.999, repeats=repeats, alternative=alternative, **how)
        assert str(found)
        assert len(found.curves()) == len(found.prospects)


class TestCurves:
    @pytest.mark.parametrize("alternative", ALTERNATIVES)
    def test_they_run_to_where_power_is_high(self, alternative):
        curve = next(iter(study(alternative=alternative).curves().values()))
        assert curve[0, 0] == 0.0
        assert curve[[0, -1], 1] == pytest.approx([0.05, 0.99])
        assert np.sign(curve[-1, 0]) == towards(alternative)
        middle = power(curve[70, 0], alternative=alternative, **USUAL)
        assert curve[70, 1] == pytest.approx(middle, rel=1e-12)

    def test_curves_of_a_study_share_their_range(self):
        curves = np.array(list(study(-0.045).curves().values()))
        assert (curves[:, :, 0] == curves[0, :, 0]).all()
        assert (np.diff(curves[:, 100, 1]) > 0).all()


@pytest.mark.long
def test_the_core_stays_light():
    import subprocess
    import sys

    code = (
        "import sys; from errbar.planning import SplitComponents, plan_study; str(plan_study(SplitComponents(0.02, 270, 30), 0.02));"
        "print(sorted({'scipy.stats', 'sklearn', 'pandas', 'matplotlib'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\n"
