"""The jackknife of repeated cross-validation without parts: the formula, its plan, and what it is for."""

import math

import numpy as np
import pytest
from scipy import stats
from sklearn.linear_model import LinearRegression, Ridge

import errbar
from errbar.errors import InvalidInputError, UnsuitablePlanError
from errbar.methods import part_jackknife
from errbar.plans import KFold, PartJackknife, draw
from tests import forms
from tests.refusals import refused


@pytest.mark.parametrize("seed", range(8))
def test_the_formula_number_by_number(seed):
    rng = np.random.default_rng(seed)
    G, R = 5, 4
    whole, T = (
        rng.normal(0.3, 0.01, R),
        rng.normal(0.3, 0.02, (G, 1)) + rng.normal(0.0, 0.001, (G, R)),
    )
    U = rng.normal(0.3, 0.02 * (seed % 4), (G, 1)) + rng.normal(0.0, 0.001, (G, R))
    of_part = [sum(T[g]) / R for g in range(G)]
    centre = sum(of_part) / G
    of_repeat = [sum(T[:, r]) / G for r in range(R)]
    v = (G - 1) / G * sum((t - centre) ** 2 for t in of_part)
    s2 = sum(
        (T[g, r] - of_part[g] - of_repeat[r] + centre) ** 2 for g in range(G) for r in range(R)
    ) / ((G - 1) * (R - 1))
    w = max(v - (G - 1) ** 2 / G * s2 / R, v / 4)
    q = []
    for g in range(G):
        Q = [
            G * whole[r] - (G - 1) * (T[g, r] + T[(g + 1) % G, r]) + (G - 2) * U[g, r]
            for r in range(R)
        ]
        q.append((sum(Q) / R) ** 2 - sum((one - sum(Q) / R) ** 2 for one in Q) / (R - 1) / R)
    mean = sum(whole) / R
    partition = sum((one - mean) ** 2 for one in whole) / (R - 1) / R
    result = part_jackknife(forms.left_out(whole, T, U, n_train=90.0))
    assert result.se**2 == pytest.approx(
        max(w - max(sum(q) / G, 0.0) * (G - 1) / (2 * G), w / 2) + partition, rel=1e-10
    )
    assert (result.estimate, result.df) == (pytest.approx(mean), G - 1)
    assert result.pvalue == pytest.approx(2 * stats.t.sf(mean / result.se, G - 1), rel=1e-9)


def results(a, b, size):
    """Return mu = 0 plus sum a/m plus sum b/m^2 of all G parts, without each, and without each and the next."""
    G = a.size

    def of(out):
        inside = ~np.isin(np.arange(G), [place % G for place in out])
        m = inside.sum()
        return a[inside].sum() / m + b[np.ix_(inside, inside)].sum() / 2 / m**2

    everything = [[of([])], [of([g]) for g in range(G)], [of([g, g + 1]) for g in range(G)]]
    return [np.repeat(np.array(one)[:, None], size, axis=1) for one in everything]


@pytest.mark.long
@pytest.mark.parametrize(
    ("first", "second"),
    [
        (1.0, 20.0),
        *(pytest.param(*alone, marks=pytest.mark.thorough) for alone in ((1.0, 0.0), (0.0, 20.0))),
    ],
)
def test_terms_of_first_and_second_order_are_each_counted_once(first, second):
    """The mean of SE^2 is near the variance; without the correction terms of second order would count twice.

    Where they are all there is, the bound w/2 adds a sixth, since half of the draws are below it.
    """
    rng = np.random.default_rng(7)
    G, of_theta, squared, plain = 20, [], [], []
    for _ in range(1500):
        b = np.triu(rng.normal(0.0, second, (G, G)), 1)
        whole, value, pair = results(rng.normal(0.0, first, G), b + b.T, 2)
        of_theta.append(whole[0, 0])
        squared.append(part_jackknife(forms.left_out(whole[0], value, pair)).se ** 2)
        plain.append((G - 1) ** 2 / G * value[:, 0].var(ddof=1))
    known = first**2 / G + second**2 * (G - 1) / (2 * G**3)
    assert np.var(of_theta) == pytest.approx(known, rel=0.15)
    assert 0.9 * known < np.mean(squared) < 1.25 * known
    assert np.mean(plain) == pytest.approx(first**2 / G + second**2 / G**2, rel=0.15)


def test_noise_of_partitions_alone_is_taken_out_on_average():
    """Results that vary with the partition only: of v a quarter is left at most on average, or its excess by chance."""
    rng = np.random.default_rng(0)
    kept = []
    for _ in range(400):
        value, pair = rng.standard_normal((2, 8, 2))
        kept.append(part_jackknife(forms.left_out([0.0, 0.0], value, pair)).se ** 2)
    raw = (7 / 8) * 7 / 2  # (G - 1)/G times the expected sum of squares of G means of two
    assert 0.125 * raw < np.mean(kept) < 0.6 * raw


class TestPlan:
    def test_folds_are_those_of_all_data_without_the_part(self):
        splits = list(PartJackknife(n_parts=4, folds=5, repeats=2).splits(53, 0))
        whole = {
            (s.labels["repeat"], s.labels["fold"]): s
            for s in splits
            if not {"part", "pair"} & set(s.labels)
        }
        seen = set()
        for split in splits:
            if not {"part", "pair"} & set(split.labels):
                continue
            base = whole[split.labels["repeat"], split.labels["fold"]]
            left_out = np.setdiff1d(np.arange(53), np.concatenate([split.train, split.test]))
            assert set(split.test) == set(base.test) - set(left_out)
            assert set(split.train) == set(base.train) - set(left_out)
            seen.add((split.labels.get("part"), split.labels.get("pair"), tuple(left_out)))
        assert len(seen) == 2 * 4  # what is left out is the same in every fold and repeat
        parts = {part: out for part, _, out in seen if part is not None}
        assert sorted(i for out in parts.values() for i in out) == list(range(53))
        for _, pair, out in seen:
            assert pair is None or set(out) == set(parts[pair]) | set(parts[(pair + 1) % 4])

    def test_it_begins_with_the_folds_of_a_cross_validation(self):
        own = list(PartJackknife(n_parts=4, folds=5, repeats=2).splits(50, 7))[:10]
        for split, other in zip(own, KFold(5, repeats=2).splits(50, 7), strict=True):
            assert split.test.tolist() == other.test.tolist()

    def test_its_cost(self):
        drawn = draw(PartJackknife(n_parts=4, folds=5, repeats=3), 100, 0)
        assert len(set(drawn.training_sets)) == 9 * 5 * 3

    def test_groups_stay_whole(self):
        groups = np.repeat(np.arange(30), 4)
        for split in PartJackknife(n_parts=5, folds=5, repeats=2).splits(120, 0, groups=groups):
            inside = np.concatenate([split.train, split.test])
            assert not set(groups[split.train]) & set(groups[split.test])
            assert np.bincount(groups[inside], minlength=30).tolist() == [
                4 if g in set(groups[inside]) else 0 for g in range(30)
            ]

    @pytest.mark.parametrize(
        ("plan", "n"),
        [
            (PartJackknife(n_parts=40), 30),
            (PartJackknife(n_parts=3, folds=10), 10),
        ],
    )
    def test_what_is_too_small(self, plan, n):
        with refused("n_parts"):
            list(plan.splits(n, 0))

    def test_one_repeat_tells_nothing_of_partitions(self):
        with refused("repeats"):
            PartJackknife(repeats=1)

    def test_two_parts_have_no_pair_beside_all(self):
        with refused("n_parts"):
            PartJackknife(n_parts=2)


def pair(n, rng, loss="squared-error", plan=None):
    X = rng.standard_normal((n, 20))
    y = X[:, :10].sum(axis=1) + rng.standard_normal(n)
    learners = {"ridge": Ridge(5.0), "line": LinearRegression()}
    return errbar.run(
        learners, X, y, plan=plan or PartJackknife(6, 5, 3), loss=loss, random_state=0
    )


@pytest.mark.parametrize("loss", ["squared-error", "r2", "neg_max_error"])
def test_losses_metrics_and_scores_of_splits(loss):
    result = errbar.infer(
        pair(60, np.random.default_rng(0), loss), "part-jackknife", "ridge", minus="line"
    )
    assert result.low < result.estimate < result.high
    assert result.n_train == pytest.approx(48.0)


@pytest.mark.long
def test_near_equal_learners_have_a_much_shorter_interval():
    plan = KFold(repeats=2) + PartJackknife(20, 10, 5)
    table = pair(300, np.random.default_rng(1), plan=plan)
    usual, own = (
        errbar.infer(table, key, "ridge", minus="line") for key in ("cv-t", "part-jackknife")
    )
    assert own.se < usual.se / 4


def test_other_folds_are_refused():
    with pytest.raises(UnsuitablePlanError):
        errbar.infer(pair(60, np.random.default_rng(0), plan=KFold(5)), "part-jackknife", "line")


@pytest.mark.parametrize(
    ("whole", "value", "pair"),
    [
        ([0.2], [[0.1], [0.2], [0.2]], [[0.1], [0.2], [0.2]]),
        ([0.2, 0.3], [[0.1, 0.2], [0.1, 0.2]], [[0.1, 0.2], [0.1, 0.2]]),
        ([0.2, 0.3], [[0.1, math.nan], [0.2, 0.1], [0.2, 0.1]], [[0.1, 0.1]] * 3),
        (
            [0.2, 0.3],
            [[0.1, 0.1]] * 3,
            [[0.1, 0.1]] * 2,
        ),
    ],
)
def test_what_is_no_jackknife_is_refused(whole, value, pair):
    with pytest.raises(InvalidInputError):
        part_jackknife(forms.left_out(whole, value, pair))


@pytest.mark.slow
def test_coverage_of_ridge_minus_least_squares():
    """150 data sets of 80: the true difference by 4000 draws is held, in intervals less than half as wide as those of cv-t."""
    truth = []
    rng = np.random.default_rng(5)
    for _ in range(4000):
        X = rng.standard_normal((72, 20))
        y = X[:, :10].sum(axis=1) + rng.standard_normal(72)
        beta = np.repeat([1.0, 0.0], 10)
        found = [model.fit(X, y) for model in (Ridge(5.0), LinearRegression())]
        risks = [1.0 + ((one.coef_ - beta) ** 2).sum() + one.intercept_**2 for one in found]
        truth.append(risks[0] - risks[1])
    held, widths = 0, []
    for seed in range(150):
        table = pair(
            80, np.random.default_rng([6, seed]), plan=KFold(repeats=2) + PartJackknife(20, 10, 5)
        )
        usual, own = (
            errbar.infer(table, key, "ridge", minus="line") for key in ("cv-t", "part-jackknife")
        )
        held += own.low < np.mean(truth) < own.high
        widths.append((own.high - own.low) / (usual.high - usual.low))
    assert held >= 136  # a binomial of 150 at 95 % is below that with probability 1 in 100
    assert np.mean(widths) < 0.65
