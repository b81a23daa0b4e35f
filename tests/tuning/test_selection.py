"""The numbers: against loops that are written from the papers, and values that others have printed."""

import numpy as np
import pytest
from scipy.special import ndtri, stdtrit

import errbar
from errbar import _rng
from errbar.simultaneous import argmin_set
from errbar.tuning._selection import Losses, Samples
from errbar.tuning._tuned import SAMPLES

NAMES = ("a", "b", "c", "d")


@pytest.fixture
def table(rng):
    values = {name: rng.gamma(2.0, size=24) for name in NAMES}
    return errbar.from_losses(values, fold=np.arange(24) % 4, n_train=18)


def draws_of(table):
    """Return the rows of each bootstrap sample, drawn as they are there."""
    n, rng = 24, _rng.stream(0, "selection")
    blocks = [rng.integers(0, n, (100, n)) for _ in range(SAMPLES // 100)]
    return np.concatenate(blocks)


def by_loops(table, winner=None, baseline=None):
    """Bootstrap the selection as algorithm 3 of Tsamardinos, Greasidou & Borboudakis (2018) does."""
    losses = np.array([table.losses(name).value for name in NAMES])
    order = np.argsort(table.losses("a").example)
    losses = losses[:, order]
    winner = losses.mean(axis=1).argmin() if winner is None else winner
    means, variances, gains, spreads = [], [], [], []
    for rows in draws_of(table):
        chosen = losses[:, rows].mean(axis=1).argmin()
        out = np.setdiff1d(np.arange(24), rows)
        means.append(losses[chosen, out].mean())
        variances.append(losses[chosen, out].var())
        if baseline is not None:
            gained = losses[baseline, out] - losses[chosen, out]
            gains.append(gained.mean())
            spreads.append(gained.var())
    shift = np.mean(means) - losses.mean(axis=1).min()
    return shift, np.mean(variances) * 24 / 23, np.mean(gains or 0), np.mean(spreads or 0) * 24 / 23


def test_the_winner(table):
    found = errbar.tuned(table, random_state=0)
    shift, variance, *_ = by_loops(table)
    plain = errbar.infer(table, "cv-t", found.winner)
    assert found.plain.interval == plain.interval
    assert found.shift == pytest.approx(shift, rel=1e-5)
    assert found.estimate == pytest.approx(plain.estimate + shift, rel=1e-5)
    wider = max(1.0, np.sqrt(variance / 24 * (1.0 + 6 / 18)) / plain.se)
    half = plain.estimate - plain.low
    low = (min(plain.estimate, found.estimate) + found.estimate - (1.0 + wider) * half) / 2.0
    high = found.estimate + wider * (plain.high - plain.estimate)
    assert found.interval == pytest.approx((low, high), rel=1e-5)
    assert found.result.se == pytest.approx(wider * plain.se, rel=1e-5)


def test_what_tuning_bought(table):
    for baseline in NAMES:
        found = errbar.tuned(table, baseline=baseline, random_state=0)
        if baseline == found.winner:
            assert (found.gain.estimate, *found.gain.interval, found.gain.pvalue) == (0, 0, 0, 1)
            continue
        *_, gain, variance = by_loops(table, baseline=NAMES.index(baseline))
        plain = errbar.infer(table, "cv-t", baseline, found.winner)
        wider = max(1.0, np.sqrt(variance / 24 * (1.0 + 6 / 18)) / plain.se)
        half = wider * (plain.high - plain.estimate)
        assert found.gain.estimate == pytest.approx(gain, rel=1e-4, abs=1e-6)
        assert found.gain.interval == pytest.approx((gain - half, gain + half), rel=1e-4)


def test_a_baseline_with_the_same_predictions():
    """Other samples would have selected another, so that the gain is uncertain."""
    rng = np.random.default_rng(0)
    wrong = rng.integers(0, 2, 60)
    values = {"a": wrong, "b": wrong, "c": rng.permutation(wrong)}
    table = errbar.from_losses(values, fold=np.arange(60) % 5, metric="zero-one")
    found = errbar.tuned(table, baseline="b", random_state=0)
    assert found.winner == "a"
    assert found.gain.low < 0.0 < found.gain.high


def test_who_may_be_the_best(table):
    found = errbar.tuned(table, level=0.5, random_state=0)
    losses = np.array([table.losses(name).value for name in NAMES])
    losses = losses[:, np.argsort(table.losses("a").example)]
    means = losses.mean(axis=1)
    drawn = np.array([losses[:, rows].mean(axis=1) for rows in draws_of(table)])
    noise = drawn - drawn.mean(axis=0)
    wider = stdtrit(found.plain.df, 0.25) / ndtri(0.25)
    possible = []
    for one in range(4):
        apart = noise[:, [one]] - np.delete(noise, one, axis=1)
        largest = (apart / apart.std(axis=0)).max(axis=1)
        # The largest studentized difference from the others, by cross-validation's error.
        best = means.argmin()
        spread = (noise[:, one] - noise[:, best]).std() * np.sqrt(4 / 3)
        distance = 0.0 if one == best else (means[one] - means[best]) / spread
        if distance <= wider * np.quantile(largest, 0.5) or distance <= -wider * ndtri(0.5):
            possible.append(NAMES[one])
    assert {*found.possible_best} == {*possible}
    assert found.possible_best[0] == found.winner
    assert {*found.possible_best} | {*found.dropped} == {*NAMES}


def test_repeats_groups_and_uneven_folds(rng):
    """Means of units are the means over splits that a search reports."""
    fold = np.r_[np.repeat([0, 1, 2], [3, 4, 5]), np.repeat([0, 1, 2], [5, 4, 3])]
    example = np.r_[rng.permutation(12), rng.permutation(12)]
    values = {name: rng.uniform(size=24) for name in NAMES}
    table = errbar.from_losses(values, fold=fold, example=example, repeat=np.repeat([0, 1], 12))
    split = fold + 3 * np.repeat([0, 1], 12)
    for losses in (Losses.of(table), Losses.of(table).together(np.arange(12) // 2)):
        for place, name in enumerate(NAMES):
            expected = np.mean([values[name][split == one].mean() for one in range(6)])
            assert losses.means[place] == pytest.approx(expected)
            assert losses.value[:, place].mean() == pytest.approx(expected, rel=1e-6)


def test_of_equal_candidates_the_first_is_chosen(rng):
    values = rng.integers(0, 2, 40)
    table = errbar.from_losses({"a": 1 - values, "b": values, "c": values}, fold=np.arange(40) % 5)
    samples = Samples.of(Losses.of(table), 200, rng)
    assert not (samples.chosen == 2).any()


def test_one_candidate_is_not_selected(rng):
    values = rng.gamma(2.0, size=60)
    found = errbar.tuned(errbar.from_losses({"a": values}, fold=np.arange(60) % 5), random_state=0)
    assert found.possible_best == ("a",)
    # What samples leave out is a random half of the data.
    assert found.estimate == pytest.approx(values.mean(), abs=0.1 * found.plain.se)


class TestArgmin:
    @staticmethod
    def normals_of_r(seed, count):
        """R's rnorm after set.seed(seed): its scrambled Mersenne twister and inversion."""
        for _ in range(50):
            seed = (69069 * seed + 1) % 2**32
        key = []
        for _ in range(625):
            seed = (69069 * seed + 1) % 2**32
            key.append(seed)
        twister = np.random.MT19937()
        state = twister.state
        state["state"] = {"key": np.array(key[1:], np.uint32), "pos": 624}
        twister.state = state
        first, second = (twister.random_raw(2 * count) * 2.3283064365386963e-10).reshape(-1, 2).T
        return ndtri((np.floor(2.0**27 * first) + second) / 2.0**27)

    def test_argmincs(self):
        """argminCS 1.1.0 prints statistic 2.274283 for the fourth of twenty, and the set 1, 2."""
        n, models = 200, 20
        # MASS::mvrnorm with the identity as covariance turns the columns round.
        noise = self.normals_of_r(108, n * models).reshape(models, n)[::-1]
        values = np.arange(1, models + 1)[:, np.newaxis] / models + noise
        found = argmin_set({str(j + 1): row for j, row in enumerate(values)})
        assert -ndtri(found["4"]) == pytest.approx(2.274283, abs=5e-7)
        assert [name for name, p in found.items() if p > 0.05] == ["1", "2"]

    def test_two_models_are_a_t_statistic(self, rng):
        a, b = rng.normal(size=(2, 30))
        found = argmin_set({"a": a, "b": b})
        statistic = (a - b).mean() / (a - b).std(ddof=1) * np.sqrt(30)
        assert [-ndtri(p) for p in found.values()] == pytest.approx([statistic, -statistic])

    def test_models_that_differ_by_a_constant(self):
        values = np.arange(6.0)
        assert argmin_set({"a": values, "b": values + 1.0, "c": values}) == {"a": 1, "b": 0, "c": 1}


@pytest.mark.long
def test_coverage_where_nothing_can_be_learnt():
    """Of 200 data sets with 40 candidates that guess; plain intervals of the best cover half as often."""
    held = plain = claimed = 0
    for seed in range(200):
        rng = np.random.default_rng([7, seed])
        guesses = {f"c{j}": rng.integers(0, 2, 100) for j in range(40)}
        table = errbar.from_losses(guesses, fold=np.arange(100) % 10, metric="zero-one")
        found = errbar.tuned(table, baseline="c0", random_state=seed)
        held += found.interval.low <= 0.5 <= found.interval.high
        plain += found.plain.low <= 0.5 <= found.plain.high
        claimed += found.gain.low > 0.0
    assert held >= 182  # 95 % less three standard errors
    assert plain < held
    assert claimed <= 20
