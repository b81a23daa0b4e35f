"""What planted faults (see tests/faults) had survived until it was tested here."""

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

import errbar
from errbar import (
    Blocks,
    Discordance,
    Losses,
    OutOfBag,
    RankScores,
    TwoSamples,
    UnsuitablePlanError,
    equivalence,
    planning,
)
from errbar.datasets import (
    critical_difference,
    from_tables,
    groups as groups_of,
    ranks,
)
from errbar.methods import (
    METHODS,
    bayes_sign,
    bayes_signed_rank,
    cochran_q,
    cv_wald,
    five_by_two_f,
    friedman,
    holdout_t,
    sign_test,
    wilcoxon,
)
from errbar.methods._folds import moments
from errbar.methods.distributions import (
    Bootstrapped,
    ConfidenceDistribution,
    least_resamples,
    percentile,
)
from errbar.plans import (
    HalvedKFold,
    NestedKFold,
    PairedHalves as PairedHalvesPlan,
    Predefined,
    draw,
)
from tests import forms


def test_standard_error_of_5x2cv_f_is_the_root_of_the_mean_variance_of_the_repeats(rng):
    scores = rng.normal(0.1, 1.0, (5, 2))
    variances = []
    for first, second in scores.tolist():
        centre = (first + second) / 2
        variances.append((first - centre) ** 2 + (second - centre) ** 2)
    assert five_by_two_f(forms.ten_scores(scores)).se == pytest.approx(
        math.sqrt(sum(variances) / 5), rel=1e-12
    )


def test_error_estimate_of_nested_folds_that_differ_in_size(rng):
    """Inner losses count alike within an outer fold, whatever the sizes of their inner folds."""
    rows = [
        (float(loss), split.labels["repeat"], split.labels["fold"], split.labels.get("inner", -1))
        for split in draw(NestedKFold(4, 2), 11, 0).splits
        for loss in rng.gamma(1.0, size=split.test.size)
    ]
    gaps = []
    for repeat, fold in itertools.product(range(2), range(4)):
        outer = [loss for loss, r, k, j in rows if (r, k, j) == (repeat, fold, -1)]
        inner = [loss for loss, r, k, j in rows if (r, k) == (repeat, fold) and j != -1]
        gaps.append(
            (sum(inner) / len(inner) - sum(outer) / len(outer)) ** 2
            - stats.tvar(outer) / len(outer)
        )
    value, repeats, folds, inners = zip(*rows, strict=True)
    found = moments(Losses(value, fold=folds, repeat=repeats, inner=inners))
    assert found.mse == pytest.approx(3 / 4 * sum(gaps) / 8, rel=1e-12)


@pytest.mark.parametrize("labels", [(0, 0, 1, 1), (7, 3, 3, 7)])
def test_folds_are_counted_whatever_their_labels(labels):
    losses = Losses([0.1, 0.4, 0.2, 0.6], fold=labels)
    assert losses.folds == cv_wald(losses).n_splits == 2
    with pytest.raises(UnsuitablePlanError):
        holdout_t(losses)


class TestCountsOfTables:
    """Errors of two models on the same examples, counted one pair after the other."""

    FIRST = (1, 1, 0, 1, 0, 1, 1, 1)
    SECOND = (0, 1, 0, 0, 1, 0, 0, 1)

    @pytest.fixture
    def table(self):
        return errbar.from_losses({"a": self.FIRST, "b": self.SECOND}, metric="zero-one")

    def test_discordance(self, table):
        pairs = list(zip(self.FIRST, self.SECOND, strict=True))
        found = Discordance.of(table.losses("a", "b"))
        assert (found.b, found.c, found.n) == (pairs.count((1, 0)), pairs.count((0, 1)), 8)
        assert found.both == pairs.count((1, 1)) != pairs.count((0, 0))

    def test_two_samples(self, table):
        found = TwoSamples.of(table.losses("a", "b"))
        assert (found.error_1, found.n_1, found.error_2, found.n_2) == (6 / 8, 8, 3 / 8, 8)
        assert errbar.infer(table, "two-proportion-z", "a", minus="b").estimate == 3 / 8


def test_areas_do_not_depend_on_the_order_of_the_test_examples():
    from sklearn.datasets import load_breast_cancer
    from sklearn.metrics import roc_auc_score
    from sklearn.naive_bayes import GaussianNB

    X, y = load_breast_cancer(return_X_y=True)
    X = X[:, :2]
    order = np.random.default_rng(0).permutation(y.size)
    train, test = order[:400], order[400:]
    table = errbar.run(
        {"bayes": GaussianNB()},
        X,
        y,
        plan=Predefined([(train, test)]),
        loss="roc_auc",
        random_state=0,
    )
    probability = GaussianNB().fit(X[train], y[train]).predict_proba(X[test])[:, 1]
    assert errbar.infer(table, "delong", "bayes").estimate == pytest.approx(
        roc_auc_score(y[test], probability)
    )


@pytest.mark.parametrize("level", [0.5, 0.8, 0.9, 0.95, 0.99, 0.999])
@pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
def test_one_resample_less_than_the_least_leaves_an_end_open(level, alternative):
    ends = 2 if alternative == "two-sided" else 1
    least = least_resamples(level, alternative)
    for resamples, bounded in ((least, True), (least - 1, False)):
        interval = percentile(Bootstrapped(0.0, np.arange(float(resamples)))).interval(
            level, alternative
        )
        assert (sum(map(math.isfinite, interval)) == ends) == bounded


def inside(plan, n=40):
    """Test examples of every split within a half, as places in that half, by halving, half and number."""
    found = {}
    for split in draw(plan, n, 0).splits:
        if "half" in split.labels:
            found.setdefault((split.labels["halving"], split.labels["half"]), []).append(split)
    places = {}
    for key, splits in found.items():
        half = np.unique(
            np.concatenate([part for split in splits for part in (split.train, split.test)])
        )
        places[key] = [tuple(np.searchsorted(half, split.test).tolist()) for split in splits]
    return places


class TestDrawsWithinHalves:
    def test_splits_of_a_half_are_drawn_anew(self):
        for places in inside(PairedHalvesPlan(n_test=4, repeats=10, halvings=3)).values():
            assert len(set(places)) == 10

    @pytest.mark.parametrize(
        "plan", [PairedHalvesPlan(n_test=4, repeats=10, halvings=3), HalvedKFold(5, 3)]
    )
    def test_both_halves_are_split_in_their_own_way(self, plan):
        places = inside(plan)
        for halving in range(3):
            assert set(places[halving, 0]).isdisjoint(places[halving, 1])


class TestDataSets:
    def test_tables_may_name_their_learners_in_any_order(self):
        first = errbar.from_scores({"a": [0.8, 0.9], "b": [0.7, 0.7]}, higher_is_better=True)
        second = errbar.from_scores({"b": [0.5, 0.7], "a": [0.3, 0.1]}, higher_is_better=True)
        data = from_tables({"x": first, "y": second})
        assert data.scores.tolist() == [pytest.approx([-0.85, -0.2]), pytest.approx([-0.7, -0.6])]

    def test_the_critical_difference_is_that_of_the_level(self, rng):
        found = ranks(forms.data_sets(rng.normal(size=(12, 4))), level=0.8)
        assert (
            found.critical_difference
            == critical_difference(4, 12, 0.8)
            < critical_difference(4, 12, 0.95)
        )

    def test_no_group_is_part_of_another(self):
        """For every relation of five learners, also those that no ranks have, by going through all groups."""
        names = "abcde"
        couples = list(itertools.combinations(names, 2))
        groups = [
            set(group) for size in range(2, 6) for group in itertools.combinations(names, size)
        ]
        for relation in itertools.product((0.01, 0.5), repeat=10):
            pvalues = dict(zip(couples, relation, strict=True))
            alike = [
                group
                for group in groups
                if all(p > 0.05 for couple, p in pvalues.items() if group.issuperset(couple))
            ]
            largest = [group for group in alike if not any(group < other for other in alike)]
            told = {couple for couple, p in pvalues.items() if p <= 0.05}
            near = np.array(
                [[(a, b) not in told and (b, a) not in told for a in names] for b in names]
            )
            found = [[names[place] for place in group] for group in groups_of(near)]
            assert sorted(found) == sorted(map(sorted, largest))


class TestOrders:
    def test_statistic_of_the_sign_test(self):
        differences = [0.3, -0.1, 0.2, 0.5, 0.0, 0.4, -0.6]
        assert sign_test(Losses(differences)).statistic == pytest.approx(
            (4 - 2) / math.sqrt(6), rel=1e-12
        )

    @pytest.mark.parametrize("n", [7, 12, 30])
    def test_standard_errors_lie_between_order_statistics(self, n, rng):
        values = rng.normal(size=n)
        walsh = sorted((values[i] + values[j]) / 2 for i in range(n) for j in range(i + 1))
        deviations = (math.sqrt(n) / 2, math.sqrt(n * (n + 1) * (2 * n + 1) / 24))
        for test, ordered, deviation in zip(
            (sign_test, wilcoxon), (sorted(values), walsh), deviations, strict=True
        ):
            middle = (len(ordered) - 1) / 2
            ends = np.interp([middle - deviation, middle + deviation], range(len(ordered)), ordered)
            assert test(Losses(values)).se == pytest.approx((ends[1] - ends[0]) / 2, rel=1e-12)

    @pytest.mark.parametrize("method", [bayes_sign, bayes_signed_rank])
    def test_probabilities_are_on_the_side_of_the_differences(self, method):
        below = -np.linspace(0.1, 0.3, 20)
        assert method(Losses(below)).posterior["left"] > 0.999
        assert method(Losses(-below)).posterior["right"] > 0.999
        assert method(Losses(below), rope=0.5).posterior["rope"] > 0.999


def test_the_number_of_examples_depends_on_the_level():
    def study(n_train, n_test, deviation):
        parts = planning.SplitComponents(deviation, n_train, n_test)
        return planning.plan_study(parts, 0.02, level=0.8, repeats=10)

    def power(n):
        test = max(1, math.floor(n * 0.1 + 1e-9))
        return study(n - test, test, 0.02 * math.sqrt(30 / test)).power

    found = study(270, 30, 0.02).smallest[1]
    assert power(found) >= 0.8 > power(found - 1)


def test_bca_never_says_that_a_null_is_impossible():
    """However far the centre moves, what was observed is one of the 1 + B, so no p-value is below 1/(1 + B)."""
    law = ConfidenceDistribution(np.linspace(1.0, 2.0, 99), centre=2.5, acceleration=0.1)
    assert law.pvalue(0.0, "greater") == pytest.approx(1 / 100, rel=1e-12)
    opposite = ConfidenceDistribution(np.linspace(1.0, 2.0, 99), centre=-2.5, acceleration=-0.1)
    assert opposite.pvalue(3.0, "less") == pytest.approx(1 / 100, rel=1e-12)


def test_equivalence_is_shown_by_the_adjusted_p_value_where_there_is_one():
    alone = equivalence(
        Losses([0.01, -0.01, 0.02, 0.0, 0.015], n_train=90, n_test=10), "corrected-t", margin=0.05
    )
    assert alone.shown
    assert alone.pvalue < 0.05
    assert not replace(alone, adjusted=0.2).shown
    assert replace(alone, pvalue=0.2, adjusted=0.01).shown


D = [0.02, 0.01, 0.03, -0.01, 0.02, 0.0]
SCORES = Losses(D, n_train=90, n_test=10)
LOSSES = Losses([0.1, 0.4, 0.0, 0.9, 0.3, 0.2], n_train=80)
ERRORS = Losses([0, 1, 0, 0, 1, 0], n_train=80)
FOLDS = Losses([0.1, 0.4, 0.0, 0.9, 0.3, 0.2], fold=[0, 0, 1, 1, 2, 2], n_train=4)
TEN = forms.ten_scores([[0.1, 0.2], [0.3, 0.1], [0.2, 0.4], [0.1, 0.0], [0.3, 0.2]], n_train=50)
IN_HALVES = forms.halves(
    [0.2, 0.3, 0.3],
    [[[0.1, 0.3, 0.2], [0.4, 0.3, 0.4]], [[0.3, 0.1, 0.2], [0.3, 0.5, 0.4]]],
    n_train=60,
    n_test=30,
    half_train=30,
)
REPLACED = forms.replaced(0.3, 0.25, [0.2, 0.3, 0.25], n=20, n_train=16, folds=5)
WITHOUT = [[0.2, 0.25], [0.3, 0.2], [0.22, 0.3]]
LEFT_OUT = forms.left_out([0.3, 0.2], WITHOUT, WITHOUT[::-1], n_train=16)
BAGS = OutOfBag(
    [0.989, 0.398, 0.116, 0.07, 0.244, 0.792, 0.34],
    sample=[0, 0, 1, 1, 2, 2, 3],
    example=[1, 4, 2, 4, 0, 3, 1],
    counts=[[2, 1, 0, 1], [0, 1, 2, 0], [1, 0, 2, 1], [2, 3, 0, 1], [0, 0, 1, 2]],
    training_error=0.1,
    no_information=0.5,
)
AREAS = RankScores([0, 0, 0, 0, 1, 1, 1, 1], [0.1, 0.3, 0.2, 0.6, 0.5, 0.9, 0.4, 0.8], n_train=60)
COUNTS = Discordance(9, 3, n=32, both=4, n_train=90)
RATES = TwoSamples(0.3, 100, 0.2, 100, n_train=90)
SOME = np.random.default_rng(3).gamma(1.0, size=30)
CLUSTERED = Losses(SOME, group=np.arange(30) % 6, n_train=80)
CROSSED = forms.crossed([SOME, SOME**2], n_train=80)
ABOUT = {
    "cluster-t": (CLUSTERED, 80, 1, ["fixed"]),
    "crossed-t": (CROSSED, 80, 2, ["fixed", "skewed-losses"]),
    "crossed-or": (CROSSED, 80, 2, ["fixed"]),
    "diebold-mariano": (Losses(SOME, n_train=80), 80, 1, ["fixed", "few-times", "skewed-losses"]),
    "ppi": (
        forms.judged(SOME[:10], SOME[5:15], SOME[15:], n_train=80),
        80,
        1,
        ["not-verified", "few"],
    ),
    "corrected-t": (SCORES, 90, 6, []),
    "resampled-t": (SCORES, 90, 6, ["liberal"]),
    "kfold-t": (SCORES, 90, 6, ["liberal"]),
    "bayes-correlated-t": (SCORES, 90, 6, []),
    "welch-t": (Losses(D, kind="runs"), math.nan, 6, ["fixed"]),
    "bootstrap-benchmark": (SCORES, 90, 6, ["fixed"]),
    "outperformance": (SCORES, 90, 6, ["verdict"]),
    "5x2cv-t": (TEN, 50, 10, ["as-defined"]),
    "5x2cv-f": (TEN, 50, 10, ["as-defined"]),
    "holdout-t": (LOSSES, 80, 1, ["fixed"]),
    "permutation": (LOSSES, 80, 1, ["fixed"]),
    "bootstrap": (LOSSES, 80, 1, ["fixed"]),
    "bootstrap-auc": (AREAS, 60, 1, ["fixed"]),
    "delong": (AREAS, 60, 1, []),
    "binomial": (ERRORS, 80, 1, []),
    "mcnemar": (COUNTS, 90, 1, []),
    "paired-proportions": (COUNTS, 90, 1, []),
    "two-proportion-z": (RATES, 90, 1, []),
    "cv-wald": (FOLDS, 4, 3, ["fold-models"]),
    "cv-t": (FOLDS, 4, 3, []),
    "kfold-theta": (FOLDS, 4, 3, ["liberal"]),
    "conservative-z": (IN_HALVES, 60, 3 + 2 * 2 * 3, []),
    "halved-kfold-t": (IN_HALVES, 60, 3 + 2 * 2 * 3, ["rho-estimated"]),
    "replace-one": (REPLACED, 16, 5 * (3 + 2), ["left-out"]),
    "part-jackknife": (LEFT_OUT, 16, 14, []),
    "oob-bootstrap": (BAGS, 13 / 4, 4, ["few"]),
    "632": (BAGS, 5, 4 + 1, ["optimistic", "few"]),
    "632-plus": (BAGS, 5, 4 + 1, ["few"]),
    "sign-test": (Losses(D), math.nan, 6, ["ties"]),
    "wilcoxon": (Losses(D), math.nan, 6, ["as-defined", "ties"]),
    "data-sets-t": (
        Losses(D, dataset=np.arange(6) % 3, seed=np.arange(6) // 3),
        math.nan,
        6,
        ["fixed"],
    ),
    "bayes-sign": (Losses(D), math.nan, 6, ["ties"]),
    "bayes-signed-rank": (Losses(D), math.nan, 6, ["as-defined", "ties"]),
}
"""By method: a view, the training size that the answer is about, the number of splits behind it, and its caveats."""


@pytest.mark.parametrize("key", ABOUT)
def test_what_an_answer_is_about_and_with_which_caveats(key):
    view, n_train, n_splits, codes = ABOUT[key]
    result = METHODS[key].function(view)
    assert result.n_train == pytest.approx(n_train, nan_ok=True)
    assert result.n_splits == n_splits
    assert [note.code for note in result.notes] == codes


@pytest.mark.parametrize(
    "key",
    ["632", "632-plus", "oob-bootstrap", "cv-wald", "delong", "replace-one", "two-proportion-z"],
)
def test_the_law_of_large_samples_is_normal(key):
    result = METHODS[key].function(ABOUT[key][0])
    assert result.df is None
    assert result.pvalue == pytest.approx(2 * stats.norm.sf(abs(result.statistic)), rel=1e-9)


@pytest.mark.parametrize("key", ["mcnemar", "paired-proportions"])
def test_the_standard_error_is_that_of_the_mean_difference_of_two_errors(key):
    differences = [1.0] * 9 + [-1.0] * 3 + [0.0] * 20
    assert METHODS[key].function(COUNTS).se == pytest.approx(
        np.std(differences) / math.sqrt(32), rel=1e-12
    )


@pytest.mark.parametrize("method", [cochran_q, friedman])
def test_tests_of_all_learners_say_at_which_level(method):
    blocks = Blocks([[0, 0, 1], [1, 0, 1], [0, 0, 1], [0, 1, 1]])
    assert [method(blocks, level=level).level for level in (0.8, 0.9, 0.99)] == [0.8, 0.9, 0.99]


def test_every_method_says_what_it_is_about():
    of_their_own = {"nested-cv", "cv-jackknife", "known", "two-way-t"}
    assert set(METHODS) - set(ABOUT) == of_their_own


@pytest.mark.parametrize(
    ("bayesian", "tested"), [(bayes_sign, sign_test), (bayes_signed_rank, wilcoxon)]
)
@pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
@pytest.mark.parametrize("null", [0.0, 0.015])
def test_but_for_the_posterior_bayesian_sign_tests_say_what_rank_tests_say(
    bayesian, tested, alternative, null, rng
):
    view = Losses(rng.normal(0.02, 0.03, 14))
    asked = {"level": 0.9, "null": null, "alternative": alternative}
    one, other = bayesian(view, samples=100, **asked).to_dict(), tested(view, **asked).to_dict()
    assert one | {"method": "", "posterior": {}} == other | {"method": "", "posterior": {}}


@pytest.mark.parametrize("method", [bayes_sign, bayes_signed_rank])
def test_the_three_probabilities_add_up(method):
    posterior = method(Losses([-1.0, -0.9, 0.0, 0.1, 0.9, 1.1]), rope=0.2, samples=2_000).posterior
    assert 0.02 < posterior["left"] < 0.9
    assert sum(posterior.values()) == pytest.approx(1.0, abs=1e-12)


def test_the_prior_of_the_sign_test_is_one_data_set_without_a_difference():
    """Shares of two wins and a tie: the wins have more than half with the probability 3/4 that Beta(2, 1) exceeds 1/2."""
    assert bayes_sign(Losses([1.0, 1.0])).posterior["right"] == pytest.approx(0.75, abs=0.01)
