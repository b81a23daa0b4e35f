"""Ranks where learners lack numbers on some data sets: Skillings & Mack, and pairs on what both have."""

import dataclasses
import itertools
import json

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st
from scipy import stats

import errbar
from errbar import InvalidInputError, PairingError
from errbar.datasets import ranks
from tests.bands import binomial_band
from tests.refusals import refused

NAN = np.nan
# Speech of eight stutterers under three conditions of a metronome (Brady 1969), from Hollander &
# Wolfe (1999), example 7.8, and from the documentation of PMCMRplus::skillingsMackTest in R.
RHYTHM = [
    [3, 5, 15],
    [1, 3, 18],
    [5, 4, 21],
    [2, NAN, 6],
    [0, 2, 17],
    [0, 2, 10],
    [0, 3, 8],
    [0, 2, 13],
]


def table_of(rows, *, higher=False, names="abcdefgh"):
    """A table of data sets (rows) and learners with NaN where a number is missing."""
    values = np.array(rows, dtype=float)
    filled = np.where(np.isnan(values), 0.5, values)
    table = errbar.from_scores(
        filled, names=names[: values.shape[1]], kind="data-sets", higher_is_better=higher
    )
    return dataclasses.replace(table, scores=np.where(np.isnan(values.T), NAN, table.scores))


def by_the_paper(rows):
    """The statistic of Skillings & Mack (1981) in plain loops, without ties."""
    values = np.array(rows, dtype=float)
    k = values.shape[1]
    adjusted, weights = np.zeros(k), np.zeros((k, k))
    for row in values:
        there = [j for j in range(k) if not np.isnan(row[j])]
        for j in there:
            rank = 1 + sum(row[i] < row[j] for i in there)
            adjusted[j] += (12 / (len(there) + 1)) ** 0.5 * (rank - (len(there) + 1) / 2)
            for i in there:
                weights[j, i] += len(there) - 1 if i == j else -1
    return adjusted[:-1] @ np.linalg.solve(weights[:-1, :-1], adjusted[:-1])


def by_all_orders(rows):
    """The same with ties: the variance of the sums over all orders of each row's ranks."""
    values = np.array(rows, dtype=float)
    k = values.shape[1]
    adjusted, spread = np.zeros(k), np.zeros((k, k))
    for row in values:
        there = np.flatnonzero(~np.isnan(row))
        scores = (12 / (there.size + 1)) ** 0.5 * (
            stats.rankdata(row[there]) - (there.size + 1) / 2
        )
        adjusted[there] += scores
        orders = np.array(list(itertools.permutations(scores)))
        spread[np.ix_(there, there)] += orders.T @ orders / len(orders)
    return adjusted[:-1] @ np.linalg.solve(spread[:-1, :-1], adjusted[:-1])


def test_rhythm():
    """PMCMRplus: 13.28095, 2 degrees of freedom, p = 0.001306405."""
    found = ranks(table_of(RHYTHM)).skillings_mack
    assert found.chi2 == pytest.approx(13.28095, abs=5e-6)
    assert (found.df, found.chi2_pvalue) == (2, pytest.approx(0.001306405, abs=5e-10))


def with_gaps(rng, k, n, share, digits=None):
    values = rng.standard_normal((n, k))
    values = values if digits is None else np.round(values, digits)
    values[rng.random((n, k)) < share] = NAN
    values[:4] = np.where(
        np.isnan(values[:4]), 0.0, values[:4]
    )  # all pairs have data sets in common
    return values


@pytest.mark.parametrize("seed", range(8))
def test_untied_ranks_as_in_the_paper(seed):
    rows = with_gaps(np.random.default_rng(seed), 3 + seed % 3, 9, 0.3)
    rows[:4] += 1e-3 * np.arange(rows.shape[1])
    found = ranks(table_of(rows)).skillings_mack
    assert found.chi2 == pytest.approx(by_the_paper(rows), rel=1e-9)
    assert found.chi2_pvalue == pytest.approx(stats.chi2.sf(found.chi2, rows.shape[1] - 1))


@pytest.mark.parametrize("seed", range(8))
def test_ties_have_the_variance_of_their_orders(seed):
    rows = with_gaps(np.random.default_rng(seed), 4, 9, 0.3, digits=0)
    found = ranks(table_of(rows)).skillings_mack
    assert found.chi2 == pytest.approx(by_all_orders(rows), rel=1e-9)


grids = (
    st.integers(3, 5)
    .flatmap(
        lambda k: st.lists(
            st.lists(st.integers(-4, 4), min_size=k, max_size=k), min_size=3, max_size=9
        )
    )
    .map(lambda rows: np.array(rows, dtype=float))
)


@given(grids)
def test_without_gaps_it_is_friedmans(rows):
    """A data set that only one learner has says nothing of ranks."""
    alone = [0.0, *[NAN] * (rows.shape[1] - 1)]
    found = ranks(table_of([*rows, alone]))
    assert found.friedman is None
    friedman = ranks(table_of(rows)).friedman
    assert found.skillings_mack.chi2 == pytest.approx(friedman.chi2, abs=1e-9)
    assert found.skillings_mack.df == friedman.df


@given(grids, st.integers(0, 2**32 - 1))
def test_scales_and_orders_do_not_matter(rows, seed):
    rng = np.random.default_rng(seed)
    gaps = rng.random(rows.shape) < 0.2
    gaps[0, 0], gaps[:2, 1:] = True, False
    gaps[1:3, 0] = False
    assume(((~gaps).astype(int).T @ ~gaps).min() > 1)
    rows = np.where(gaps, NAN, rows)
    one = ranks(table_of(rows))
    bent = np.exp(rows / 4) * (1.0 + np.arange(len(rows)))[:, np.newaxis]
    columns = rng.permutation(rows.shape[1])
    names = "".join("abcde"[place] for place in columns)
    for other in (
        ranks(table_of(bent)),
        ranks(table_of(-rows, higher=True)),
        ranks(table_of(rows[::-1])),
        ranks(table_of(rows[:, columns], names=names)),
    ):
        assert other.skillings_mack.chi2 == pytest.approx(one.skillings_mack.chi2, abs=1e-9)
        assert other.mean_ranks == pytest.approx(one.mean_ranks)


def test_all_tied_learners_do_not_differ():
    found = ranks(table_of([[1, 1, 1], [2, 2, NAN], [NAN, 3, 3], [1, NAN, 1], [1, 1, 1]]))
    assert (found.skillings_mack.chi2, found.skillings_mack.chi2_pvalue) == (0.0, 1.0)


def test_pairs_are_judged_on_what_both_have(rng):
    rows = with_gaps(rng, 4, 20, 0.2)
    found = ranks(table_of(rows))
    assert (found.post_hoc, found.adjust, found.critical_difference) == ("wilcoxon", "holm", None)
    for pair in found.pairs:
        one, other = (rows[:, "abcd".index(name)] for name in (pair.a, pair.b))
        both = ~np.isnan(one - other)
        assert pair.pvalue == pytest.approx(stats.wilcoxon(one[both], other[both]).pvalue)
        assert (pair.wins, pair.losses) == ((one < other).sum(), (one > other).sum())
        assert pair.wins + pair.ties + pair.losses == both.sum()


def test_mean_ranks_are_those_to_be_expected_among_all():
    """Of a learner that is second of two among four, were the two that are missing to fall in at random."""
    rows = [[1, 2, NAN, NAN], [1, 2, 3, 4], [1, 2, 3, 4], [1, 2, 3, 4]]
    found = ranks(table_of(rows))
    places = [
        1 + sorted(order).index(order[1])
        for order in itertools.permutations(range(4))
        if order[0] < order[1]
    ]
    assert found.mean_ranks["b"] == pytest.approx((np.mean(places) + 3 * 2) / 4)
    assert found.mean_ranks["c"] == 3.0
    assert found.mean_scores["c"] == 3.0


def test_no_form_shows_what_is_missing(rng):
    found = ranks(table_of(RHYTHM))
    assert json.loads(json.dumps(found.to_dict(), allow_nan=False))["skillings_mack"]["df"] == 2
    for form in ("text", "markdown", "html"):
        shown = getattr(errbar.report, form)(found)
        assert "nan" not in shown.lower().split()
    assert errbar.plots.ranks(found) is not None


@pytest.mark.parametrize("post_hoc", ["nemenyi", "holm"])
def test_tests_of_mean_ranks_are_refused(post_hoc):
    with refused("post_hoc"):
        ranks(table_of(RHYTHM), post_hoc=post_hoc)


def test_learners_without_common_data_sets_are_refused():
    rows = [[1, 2, NAN], [2, 1, NAN], [1, NAN, 2], [1, NAN, 3], [1, 2, 3]]
    with pytest.raises(PairingError):
        ranks(table_of(rows))
    assert len(ranks(table_of(rows), baseline="a").pairs) == 2
    with pytest.raises(InvalidInputError):
        ranks(table_of([[1, 2, NAN], [2, 1, NAN]]))


def test_seeds_with_gaps(rng):
    """A mean over seeds of which one is missing is no mean; the seeds that both have tell the difference."""
    scores = rng.standard_normal((24, 3))
    labels = {"dataset": np.arange(24) // 3, "seed": np.arange(24) % 3}
    table = errbar.from_scores(scores, names="abc", **labels)
    lacking = scores.copy()
    lacking[4, 1] = NAN
    found = ranks(dataclasses.replace(table, scores=lacking.T.copy()))
    assert found.skillings_mack is not None
    assert {pair.wins + pair.ties + pair.losses for pair in found.pairs} == {7, 8}
    [one] = [own for own in found.differences if (own.learner, own.minus) == ("a", "b")]
    gap = lacking[:, 0] - lacking[:, 1]
    means = [np.nanmean(gap[labels["dataset"] == place]) for place in range(8)]
    assert one.estimate == pytest.approx(np.mean(means))
    assert one.se == pytest.approx(np.std(means, ddof=1) / 8**0.5)


def test_frameworks_that_failed():
    """Twelve tasks, the first two frameworks change places once, and the last two failed on some."""
    imputed = np.array([[0.79, 0.78, 0.75, 0.5]] * 11 + [[0.8, 0.81, 0.75, 0.5]])
    gaps = imputed.copy()
    gaps[[1, 8], 3], gaps[1, 2] = NAN, NAN
    whole, found = (ranks(table_of(one, higher=True)) for one in (imputed, gaps))
    assert list(whole.mean_ranks.values()) == pytest.approx([13 / 12, 23 / 12, 3, 4])
    assert whole.friedman.chi2 == pytest.approx(34.9)
    assert whole.skillings_mack is None
    assert found.skillings_mack.chi2 == pytest.approx(by_the_paper(-gaps))


@pytest.mark.slow
@pytest.mark.parametrize(("k", "n"), [(3, 20), (5, 20), (5, 40)])
def test_size_with_a_fifth_missing(rng, k, n):
    trials, count = 1500, 0
    for _ in range(trials):
        rows = rng.standard_normal((n, k)) + rng.standard_normal((n, 1))
        rows[rng.random((n, k)) < 0.2] = NAN
        count += ranks(table_of(rows), baseline="a").skillings_mack.chi2_pvalue <= 0.05
    assert binomial_band(trials, 0.04)[0] <= count <= binomial_band(trials, 0.055)[1]
