"""Seeds within data sets: numbers of lme4, statsmodels and scipy, laws, sizes, and the doors that lead to the method."""

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st
from scipy import stats
from statsmodels.regression.mixed_linear_model import MixedLM

import errbar
from errbar import Losses
from errbar.datasets import ranks
from errbar.methods import data_sets_t
from tests.bands import binomial_band
from tests.refusals import refused

# Yields of dyestuff, five samples of each of six batches (Davies & Goldsmith 1972), as in lme4.
DYESTUFF = np.array(
    [
        [1545, 1440, 1440, 1520, 1580],
        [1540, 1555, 1490, 1560, 1495],
        [1595, 1550, 1605, 1510, 1560],
        [1445, 1440, 1595, 1465, 1545],
        [1595, 1630, 1515, 1635, 1625],
        [1520, 1455, 1450, 1480, 1445],
    ]
)


def of_rows(rows):
    """Losses of data sets with as many seeds as each row has."""
    sizes = [len(row) for row in rows]
    seed = np.concatenate([np.arange(size) for size in sizes])
    return Losses(np.concatenate(rows), dataset=np.repeat(np.arange(len(rows)), sizes), seed=seed)


def codes(found):
    return [note.code for note in found.notes]


unequal = st.lists(
    st.lists(st.integers(-30, 30), min_size=2, max_size=5).map(lambda row: np.array(row) / 8),
    min_size=2,
    max_size=8,
)


class TestNewDataSets:
    def test_dyestuff_of_lme4(self):
        """Bates et al. (2015), lmer(Yield ~ 1 + (1 | Batch)): 1527.5, 19.38, variances 1764.0 and 2451.3."""
        found = data_sets_t(of_rows(DYESTUFF))
        assert found.estimate == pytest.approx(1527.5)
        assert (found.se, found.df) == (pytest.approx(19.3834, abs=1e-4), 5)
        assert 6 * found.components["data set"] == pytest.approx(1764.05)
        assert 30 * found.components["seed"] == pytest.approx(2451.25)
        assert (found.estimand, found.n_splits, codes(found)) == ("DS", 6, [])

    def test_restricted_maximum_likelihood_of_statsmodels(self, rng):
        table = rng.standard_normal((8, 1)) + 0.5 * rng.standard_normal((8, 4))
        batch = np.repeat(np.arange(8), 4)
        fit = MixedLM(table.ravel(), np.ones((32, 1)), batch).fit(reml=True)
        found = data_sets_t(of_rows(table), data_sets="new")
        assert found.se == pytest.approx(fit.bse_fe[0], rel=1e-4)
        assert 8 * found.components["data set"] == pytest.approx(fit.cov_re[0, 0], rel=1e-3)

    @given(unequal)
    def test_it_is_the_t_test_of_the_means(self, rows):
        means = [row.mean() for row in rows]
        found = data_sets_t(of_rows(rows), data_sets="new")
        if np.ptp(means) < 1e-9:
            assert found.se == pytest.approx(0.0, abs=1e-12)
            return
        expected = stats.ttest_1samp(means, 0.0)
        assert found.statistic == pytest.approx(expected.statistic, rel=1e-9)
        assert found.pvalue == pytest.approx(expected.pvalue, rel=1e-9)
        assert sum(found.components.values()) == pytest.approx(found.se**2)


class TestTheseDataSets:
    def test_two_of_them_are_welchs_test(self, rng):
        one, other = rng.normal(0.3, 1.0, 5), rng.normal(0.1, 3.0, 4)
        expected = stats.ttest_ind(one, -other, equal_var=False)
        found = data_sets_t(of_rows([one, other]))
        assert found.estimate == pytest.approx((one.mean() + other.mean()) / 2)
        assert (found.statistic, found.df) == pytest.approx((expected.statistic, expected.df))
        assert found.pvalue == pytest.approx(expected.pvalue)
        assert (found.estimand, codes(found)) == ("RS", ["fixed"])

    def test_in_plain_loops(self):
        rows = [[0.1, 0.4], [0.3, 0.2, 0.7], [0.5, 0.5, 0.1, 0.2]]
        parts = []
        for row in rows:
            mean = sum(row) / len(row)
            parts.append(sum((x - mean) ** 2 for x in row) / (len(row) - 1) / len(row))
        df = sum(parts) ** 2 / sum(
            part**2 / (len(row) - 1) for part, row in zip(parts, rows, strict=True)
        )
        found = data_sets_t(of_rows(rows))
        assert (found.se, found.df) == pytest.approx(((sum(parts) / 9) ** 0.5, df))

    def test_fewer_than_six_tell_of_themselves(self):
        assert codes(data_sets_t(of_rows(DYESTUFF[:5]))) == ["fixed"]
        assert codes(data_sets_t(of_rows(DYESTUFF[:5]), data_sets="new")) == []
        assert codes(data_sets_t(of_rows(DYESTUFF), data_sets="fixed")) == ["fixed"]

    def test_what_cannot_be_said_is_refused(self):
        with refused("seed"):
            data_sets_t(of_rows([[0.1, 0.2], [0.3]]))
        with refused("seed"):
            data_sets_t(Losses([0.1, 0.2, 0.4]))
        with refused("dataset"):
            data_sets_t(Losses([0.1, 0.2, 0.4], seed=[0, 1, 2]))
        with refused("dataset"):
            data_sets_t(Losses([0.1, 0.2, 0.4], dataset=[0, 0, 0], seed=[0, 1, 2]))
        with refused("data_sets"):
            data_sets_t(of_rows(DYESTUFF), data_sets="these")


def size(rng, rows, deviations, effect, asked, trials):
    """How often a true null is rejected, with normal seeds of these deviations."""
    count = 0
    for _ in range(trials):
        seeds = [d * rng.standard_normal(n) for n, d in zip(rows, deviations, strict=True)]
        tested = of_rows([own + effect * rng.standard_normal() for own in seeds])
        count += data_sets_t(tested, data_sets=asked).pvalue <= 0.05
    return count


@pytest.mark.slow
@pytest.mark.parametrize("seeds", [3, 5])
@pytest.mark.parametrize("count", [3, 6, 12])
@pytest.mark.parametrize("effect", [0.0, 1.0])
def test_sizes_for_new_data_sets(rng, count, seeds, effect):
    found = size(rng, [seeds] * count, [1.0] * count, effect, "new", 4000)
    low, high = binomial_band(4000, 0.05)
    assert low <= found <= high


@pytest.mark.slow
@pytest.mark.parametrize("deviations", [[1.0, 1.0, 1.0], [0.5, 1.0, 2.0]])
def test_sizes_for_these_data_sets(rng, deviations):
    """Five seeds: benchmarks/ranks.py has 4.6 and 4.9 %."""
    found = size(rng, [5, 5, 5], deviations, 0.0, "fixed", 4000)
    assert binomial_band(4000, 0.04)[0] <= found <= binomial_band(4000, 0.056)[1]


@pytest.fixture
def long():
    """Six learners' errors on data sets with some seeds each, a row for each."""

    def frame(count=3, seeds=(5,), learners=("tree", "forest", "boosting")):
        rng = np.random.default_rng(5)
        rows = []
        for place in range(count):
            level = 0.2 + 0.05 * rng.standard_normal()
            for better, name in enumerate(learners):
                shift = -0.02 * better + 0.005 * rng.standard_normal()
                for seed in range(seeds[place % len(seeds)]):
                    value = level + shift + 0.01 * rng.standard_normal()
                    rows.append((f"data {place}", name, seed, round(value, 4)))
        columns = ["data", "method", "seed", "err"]
        return pd.DataFrame(rows, columns=columns).sample(frac=1.0, random_state=1)

    return frame


def read(frame, **more):
    roles = {"learner": "method", "value": "err", "dataset": "data", "seed": "seed"}
    return errbar.read_table(frame, **(roles | more), higher_is_better=False)


def differences_of(frame, a, b):
    wide = frame.pivot_table(index=["data", "seed"], columns="method", values="err")
    gaps = (wide[a] - wide[b]).groupby("data")
    return gaps.mean(), gaps.var(), gaps.size()


class TestLongTables:
    @pytest.mark.parametrize("seeds", [(5,), (2, 4, 7)])
    @pytest.mark.parametrize("count", [3, 6])
    def test_differences_of_learners(self, long, count, seeds):
        frame = long(count, seeds)
        means, variances, sizes = differences_of(frame, "tree", "boosting")
        comparison = errbar.compare_table(read(frame))
        assert comparison.method == "data-sets-t"
        [found] = [p.result for p in comparison.pairs if {p.a, p.b} == {"tree", "boosting"}]
        assert abs(found.estimate) == pytest.approx(abs(means.mean()))
        squared = (variances / sizes).sum() / count**2 if count < 6 else means.var() / count
        assert found.se == pytest.approx(squared**0.5)
        assert ("fixed" in codes(found)) == (count < 6)

    def test_methods_for_one_number_take_the_mean_over_seeds(self, long):
        frame = long(8, (2, 4))
        means, *_ = differences_of(frame, "tree", "boosting")
        found = errbar.infer(read(frame), "wilcoxon", "tree", minus="boosting")
        assert found.pvalue == pytest.approx(stats.wilcoxon(means).pvalue)
        assert "means" in codes(found)

    def test_folds_are_averaged(self, long):
        frame = long(7, (5,)).rename(columns={"seed": "part"})
        table = read(frame, seed=None, fold="part")
        assert table.scores.shape == (3, 7)
        assert "seed" not in table.losses("tree").index
        with pytest.raises(errbar.UnsuitablePlanError):
            errbar.infer(table, "data-sets-t", "tree", minus="boosting")
        assert errbar.compare_table(table).method == "wilcoxon"

    def test_folds_of_seeds_are_averaged_for_each_seed(self, long):
        frame = long(4, (3,))
        folds = pd.concat([frame.assign(fold=k, err=frame.err + 0.1 * k) for k in range(2)])
        one, both = read(frame), read(folds, fold="fold")
        assert both.scores == pytest.approx(one.scores + 0.05)

    def test_in_python(self, long):
        """The same from columns: a data set says what rows are."""
        frame = long(4, (3,)).sort_values(["data", "seed"])
        columns = {name: own.err.to_numpy() for name, own in frame.groupby("method")}
        labels = frame[frame.method == "tree"]
        table = errbar.from_scores(columns, dataset=labels.data, seed=labels.seed)
        assert table.splits.kinds == ("data-sets",)
        ours = errbar.infer(table, "data-sets-t", "tree", minus="forest")
        assert ours.se == pytest.approx(
            errbar.infer(read(frame), "data-sets-t", "tree", minus="forest").se
        )
        with refused("dataset"):
            errbar.from_scores(columns, dataset=labels.data)
        with refused("seed"):
            errbar.from_scores(columns, dataset=labels.data, seed=labels.seed // 2)

    def test_seeds_without_data_sets_are_refused(self):
        table = errbar.from_scores(
            {"a": [0.1, 0.2, 0.3, 0.4], "b": [0.2, 0.1, 0.2, 0.2]},
            kind="data-sets",
            repeat=[0, 0, 1, 1],
            seed=[0, 1, 0, 1],
        )
        for method in ("wilcoxon", "data-sets-t"):
            with pytest.raises(errbar.InvalidInputError):
                errbar.infer(table, method, "a", minus="b")


class TestRanks:
    @pytest.mark.parametrize("count", [3, 9])
    def test_means_are_ranked_and_differences_stand_beside(self, long, count):
        frame = long(count, (2, 3))
        found = ranks(read(frame))
        means = frame.pivot_table(index="data", columns="method", values="err", sort=False)
        alone = ranks(errbar.from_scores(dict(means.items()), kind="data-sets"))
        assert found.mean_ranks == alone.mean_ranks
        assert found.friedman == alone.friedman
        assert alone.differences == ()
        assert {(one.learner, one.minus) for one in found.differences} == {
            (pair.a, pair.b) for pair in found.pairs
        }
        one = found.differences[0]
        other = errbar.infer(read(frame), "data-sets-t", one.learner, minus=one.minus)
        assert (one.interval, one.pvalue) == (other.interval, other.pvalue)
        assert ("fixed" in codes(found)) == (count < 6)
        assert "means" in codes(found)

    @pytest.mark.parametrize("higher", [False, True])
    def test_directions(self, long, higher):
        frame = long(6, (3,))
        frame["err"] = 1.0 - frame.err if higher else frame.err
        table = errbar.read_table(
            frame, learner="method", value="err", dataset="data", higher_is_better=higher
        )
        found = {(one.learner, one.minus): one.estimate for one in ranks(table).differences}
        means = frame.groupby("method").err.mean()
        for (a, b), estimate in found.items():
            assert estimate == pytest.approx(means[a] - means[b])

    def test_a_baseline(self, long):
        found = ranks(read(long(6, (3,))), baseline="tree", level=0.9)
        assert [{one.learner, one.minus} for one in found.differences] == [
            {"tree", "forest"},
            {"tree", "boosting"},
        ]
        assert {one.level for one in found.differences} == {0.9}

    @pytest.mark.parametrize("learners", ["abc", "abcdefg"])
    @pytest.mark.parametrize("form", [".html", ".md", ".tex", ".json", ".csv"])
    def test_every_form_of_report(self, long, tmp_path, learners, form):
        found = ranks(read(long(6, (3,), tuple(learners))))
        place = errbar.report.save(found, tmp_path / f"ranks{form}")
        assert place.read_text(encoding="utf-8")
        data = json.loads(json.dumps(found.to_dict(), allow_nan=False))
        assert len(data["differences"]) == len(found.pairs)

    def test_the_screen_has_a_table_more(self, long):
        with_seeds, frame = ranks(read(long(6, (3,)))), long(6, (1,))
        alone = ranks(read(frame, seed="seed"))
        shown = [len(errbar.report.story_of(one).tables) for one in (with_seeds, alone)]
        assert shown == [3, 2]
