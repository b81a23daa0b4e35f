"""Tables in which learners lack numbers, and tables of independent runs: how they are read, and what is said of them."""

import json
import math
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import errbar
from errbar.errors import InvalidInputError, PairingError, UnsuitablePlanError
from errbar.reading.sheet import UnsaidRoleError

NAN = float("nan")
RNG = np.random.default_rng(5)
LOSSES = RNG.normal(size=(3, 40))
LOSSES[RNG.random(LOSSES.shape) < 0.25] = NAN
BY_NAME = dict(zip("abc", LOSSES, strict=True))
QMIX = [14.84, 14.19, 13.24, 10.1, 14.23, 15.87, 16.08, 13.23, 18.21, 17.7]
MAPPO = [15.56, 15.67, 17.34, 15.52, 16.24, 17.73, 17.68, 15.11, 15.22, 15.08]
OTHERS = [11.39, 16.97, 15.44, 15.57, 15.23, 15.8]


def codes(result):
    return [note.code for note in result.notes]


def pairs_of(table, **asked):
    return {(pair.a, pair.b): pair for pair in errbar.compare_table(table, **asked).pairs}


class TestWelch:
    @pytest.mark.parametrize("sizes", [(10, 6), (2, 3), (30, 4)])
    @pytest.mark.parametrize("level", [0.8, 0.95])
    def test_two_learners_by_scipy(self, sizes, level):
        rng = np.random.default_rng(sizes)
        one, other = rng.normal(1, 3, sizes[0]), rng.normal(0, 1, sizes[1])
        table = errbar.from_scores({"a": one, "b": other}, kind="runs", higher_is_better=True)
        for side in ("two-sided", "less", "greater"):
            found = errbar.infer(table, "welch-t", "a", "b", level=level, alternative=side)
            right = stats.ttest_ind(one, other, equal_var=False, alternative=side)
            ends = right.confidence_interval(level)
            got = (found.statistic, found.df, found.pvalue, found.low, found.high)
            assert got == pytest.approx((right.statistic, right.df, right.pvalue, *ends), rel=1e-12)
        assert found.n_splits == sum(sizes)
        assert str(found.estimand) == "RS"
        assert "fixed" in codes(found)
        assert ("few" in codes(found)) == (min(sizes) < 5)

    def test_one_learner_by_scipy(self):
        found = errbar.methods.welch_t(errbar.Losses(QMIX, kind="runs"))
        right = stats.ttest_1samp(QMIX, 0.0)
        assert found.df == 9
        assert found.pvalue == pytest.approx(right.pvalue, rel=1e-12)
        assert found.interval == pytest.approx(right.confidence_interval(), rel=1e-12)

    def test_runs_without_variation(self):
        equal = errbar.Losses([1.0, 1.0, 1.0], kind="runs")
        other = errbar.Losses([1.0, 2.0, 4.0], kind="runs")
        assert errbar.methods.welch_t(equal).df == 2
        assert errbar.methods.welch_t(equal).degenerate
        assert errbar.methods.welch_t(other.minus(equal)).df == 2

    def test_tiny_numbers(self):
        one, other = np.array([1.0, 2.0, 4.0]), np.array([3.0, 3.5, 5.0, 1.0])
        wanted, got = (
            errbar.methods.welch_t(
                errbar.Losses(c * one, kind="runs").minus(errbar.Losses(c * other, kind="runs"))
            )
            for c in (1.0, 1e-120)
        )
        assert (got.df, got.pvalue) == pytest.approx((wanted.df, wanted.pvalue), rel=1e-10)

    def test_one_run_says_nothing(self):
        table = errbar.from_scores({"a": [1.0, 2.0], "b": [3.0]}, kind="runs")
        with pytest.raises(InvalidInputError):
            errbar.compare_table(table)

    @pytest.mark.parametrize("labels", [{"fold": [0, 1]}, {"repeat": [0, 1]}, {"seed": [4, 4]}])
    def test_labels_that_runs_do_not_have(self, labels):
        with pytest.raises(InvalidInputError) as refused:
            errbar.from_scores({"a": [1.0, 2.0]}, kind="runs", **labels)
        assert refused.value.argument == next(iter(labels))

    @pytest.mark.parametrize("labels", [{"groups": [0, 0, 1]}, {"time": [1, 2, 3]}])
    def test_dependence_is_refused(self, labels):
        table = errbar.from_scores({"a": [1.0, 2.0, 4.0]}, kind="runs", **labels)
        with pytest.raises(UnsuitablePlanError):
            errbar.compare_table(table)

    @pytest.mark.parametrize("method", ["corrected-t", "resampled-t", "outperformance", "wilcoxon"])
    def test_other_methods_are_refused(self, method):
        table = errbar.from_scores({"a": QMIX, "b": MAPPO}, kind="runs")
        with pytest.raises(UnsuitablePlanError, match="welch-t"):
            errbar.infer(table, method, "a", "b")

    def test_it_needs_runs(self):
        table = errbar.from_scores({"a": QMIX, "b": MAPPO}, n_train=9, n_test=1)
        with pytest.raises(UnsuitablePlanError):
            errbar.infer(table, "welch-t", "a", "b")

    def test_gaps_are_refused_where_somebody_says_so(self):
        with pytest.raises(UnsaidRoleError):
            errbar.from_scores({"a": QMIX, "b": OTHERS}, kind="runs", missing="refuse")

    def test_a_plan_by_scipy(self):
        table = errbar.from_scores({"a": QMIX, "b": OTHERS}, kind="runs")
        found = errbar.planning.pilot(table)
        of = np.array([np.var(QMIX, ddof=1), np.var(OTHERS, ddof=1)])
        df = 11.0 * of.sum() ** 2 / (of**2).sum()
        se = math.sqrt(of.sum() / 12)
        study = errbar.planning.plan_study(found, 2.5, runs=12)
        row = study.prospects[0]
        assert (row.se, row.df) == pytest.approx((se, df), rel=1e-12)
        limit = stats.t.ppf(0.975, df)
        right = stats.nct.sf(limit, df, 2.5 / se) + stats.nct.cdf(-limit, df, 2.5 / se)
        assert study.power == pytest.approx(right, rel=1e-9)
        assert study.smallest[0] == next(
            n for n in range(2, 100) if errbar.planning.plan_study(found, 2.5, runs=n).power >= 0.8
        )
        alone = errbar.planning.pilot(errbar.from_scores({"a": QMIX}, kind="runs"))
        assert alone.variance(10, 1) == pytest.approx(of[0] / 10, rel=1e-12)
        assert alone.df(10, 1) == pytest.approx(9, rel=1e-12)

    def test_a_plan_of_series_is_refused(self):
        labels = {"groups": np.repeat(range(5), 6), "time": [*range(6)] * 5}
        values = np.random.default_rng(2).normal(size=(2, 30))
        table = errbar.from_losses(dict(zip("ab", values, strict=True)), **labels)
        with pytest.raises(UnsuitablePlanError, match="--design"):
            errbar.planning.pilot(table)

    def test_several_learners(self):
        runs = {"a": QMIX, "b": OTHERS, "c": [30.0, 31.0, 33.0]}
        found = errbar.compare_table(errbar.from_scores(runs, kind="runs", higher_is_better=True))
        by_pair = {
            (pair.a, pair.b): stats.ttest_ind(runs[pair.a], runs[pair.b], equal_var=False)
            for pair in found.pairs
        }
        adjusted = errbar.simultaneous.adjust([one.pvalue for one in by_pair.values()], "holm")
        assert found.adjust == "holm"
        assert [pair.adjusted for pair in found.pairs] == pytest.approx(adjusted)
        for names, right in by_pair.items():
            ends = right.confidence_interval(1 - 0.05 / 3)
            assert found.simultaneous.pairs[names] == pytest.approx(ends, rel=1e-9)
        of_three = stats.ttest_1samp(runs["c"], 0.0).confidence_interval(1 - 0.05 / 3)
        assert found.best.learners == ("c",)
        assert found.best.risk == pytest.approx(of_three, rel=1e-9)
        assert found.best.confidence_set is None
        with pytest.raises(InvalidInputError) as refused:
            errbar.compare_table(found.table, adjust="max-t")
        assert refused.value.argument == "adjust"
        json.dumps(found.to_dict(), allow_nan=False)
        assert len(found.to_frame()) == 6
        assert found.details()


class TestPairs:
    @pytest.mark.parametrize("read", ["losses", "scores", "wide", "long"])
    def test_each_pair_by_scipy(self, read):
        if read == "losses":
            table = errbar.from_losses(BY_NAME, missing="pairs")
        elif read == "scores":
            table = errbar.from_scores(BY_NAME, kind="data-sets", missing="pairs")
        else:
            frame = pd.DataFrame(BY_NAME).assign(example=range(40))
            if read == "long":
                frame = frame.melt("example", var_name="model", value_name="loss").dropna()
            table = errbar.read_table(frame, missing="pairs")
        method = "wilcoxon" if read == "scores" else "holdout-t"
        for (a, b), pair in pairs_of(table, method=method).items():
            own = BY_NAME[a] - BY_NAME[b]
            own = own[~np.isnan(own)]
            assert errbar.infer(table, method, a, b) == pair.result
            if method == "holdout-t":
                right = stats.ttest_1samp(own, 0.0)
                assert pair.result.estimate == pytest.approx(own.mean())
                assert pair.result.pvalue == pytest.approx(right.pvalue)
            else:
                assert pair.result.n_splits == own.size
        assert "left-out" in codes(table)

    def test_each_learner_has_what_it_has(self):
        found = errbar.compare_table(errbar.from_losses(BY_NAME, missing="pairs"))
        for name, result in found.learners.items():
            assert result.estimate == pytest.approx(np.nanmean(BY_NAME[name]))
        assert found.table_of("a", "b").points.shape == (
            2,
            np.isfinite(LOSSES[:2]).all(axis=0).sum(),
        )

    def test_holm_and_bonferroni(self):
        found = errbar.compare_table(errbar.from_losses(BY_NAME, missing="pairs"))
        pvalues = [pair.result.pvalue for pair in found.pairs]
        assert found.adjust == "holm"
        assert [pair.adjusted for pair in found.pairs] == pytest.approx(
            errbar.simultaneous.adjust(pvalues, "holm")
        )
        alone = errbar.infer(found.table, "holdout-t", "a", "b", level=1 - 0.05 / 3)
        assert found.simultaneous.pairs["a", "b"] == pytest.approx(alone.interval, rel=1e-9)

    @pytest.mark.parametrize(
        ("labels", "method"),
        [
            ({"groups": np.repeat(np.arange(10), 4)}, "cluster-t"),
            ({"fold": np.arange(40) % 5}, "cv-t"),
            ({"time": np.arange(40)}, "diebold-mariano"),
            (
                {"example": np.tile(np.arange(20), 2), "seed": np.repeat([0, 1], 20)},
                "crossed-t",
            ),
            ({"example": np.tile(np.arange(20), 2), "answer": np.repeat([0, 1], 20)}, "holdout-t"),
        ],
    )
    def test_a_pair_is_what_both_have_alone(self, labels, method):
        table = errbar.from_losses(BY_NAME, missing="pairs", **labels)
        two = {name: BY_NAME[name] for name in "ab"}
        alone = errbar.from_losses(two, missing="examples", **labels)
        found = errbar.compare_table(table)
        got, wanted = found.pairs[0].result, errbar.compare_table(alone).pairs[0].result
        assert found.method == got.method == method
        for name in ("estimate", "se", "df", "pvalue", "low", "high"):
            assert getattr(got, name) == pytest.approx(getattr(wanted, name), rel=1e-9), name

    def test_scores_in_the_order_of_time(self):
        times = np.arange(40)[::-1]
        table = errbar.from_scores(BY_NAME, time=times, missing="pairs")
        alone = errbar.from_scores({n: BY_NAME[n] for n in "ab"}, time=times, missing="examples")
        got, wanted = (
            errbar.infer(one, "diebold-mariano", "a", "b", horizon=2) for one in (table, alone)
        )
        assert (got.se, got.pvalue) == (wanted.se, wanted.pvalue)

    def test_groups_that_nobody_has_are_gone(self):
        values = {"a": np.r_[[NAN] * 20, RNG.normal(size=20)], "b": RNG.normal(size=40)}
        values["c"] = RNG.normal(size=40)
        table = errbar.from_losses(values, groups=np.repeat(np.arange(20), 2), missing="pairs")
        found = {
            pair: one.result for pair, one in pairs_of(errbar.compare_table(table).table).items()
        }
        assert found["b", "c"].df > found["a", "b"].df
        assert table.common("a", "b").splits.designs[0].n_clusters == 10

    def test_no_test_of_all_at_once(self):
        table = errbar.from_scores(BY_NAME, kind="data-sets", missing="pairs")
        assert errbar.compare_table(table, method="wilcoxon").overall is None
        for ask in (errbar.overall, errbar.compare_table):
            with pytest.raises(InvalidInputError) as refused:
                ask(table, method="friedman")
            assert refused.value.argument == "missing"
        with pytest.raises(InvalidInputError):
            errbar.datasets.from_tables({"x": table, "y": table})

    def test_nothing_in_common(self):
        values = {"a": [1.0, 2.0, 3.0, NAN, NAN], "b": [NAN, NAN, 1.0, 2.0, 4.0]}
        with pytest.raises(PairingError):
            errbar.compare_table(errbar.from_losses(values, missing="pairs"))

    def test_a_better_mean_on_easier_examples_is_no_better_rank(self):
        easy, hard = RNG.normal(size=50) * 0.01, 5.0 + RNG.normal(size=50) * 0.01
        values = {
            "lucky": np.r_[easy + 1.0, [NAN] * 50],
            "better": np.r_[easy, hard],
            "other": np.r_[easy + 9.0, hard + 9.0],
        }
        found = errbar.compare_table(errbar.from_losses(values, missing="pairs"))
        assert found.ranking == ("better", "lucky", "other")
        assert "better" in found.possible_best

    def test_who_is_worse_on_common_examples_is_ruled_out(self):
        level, noise = np.repeat([0.0, 9.0], 40), RNG.normal(scale=0.1, size=(3, 80))
        values = {"luckier": level + 1.0, "better": level, "other": level + 5.0}
        values = {name: own + noise[k] for k, (name, own) in enumerate(values.items())}
        values["luckier"][40:] = NAN
        found = errbar.compare_table(errbar.from_losses(values, missing="pairs"))
        assert found.ranking == ("better", "luckier", "other")
        assert found.possible_best == ("better",)

    def test_predictions_are_refused(self):
        frame = pd.DataFrame({"y": [0, 1, 0, 1], "m": [0, 1, None, 1], "k": [0, 1, 1, 0]})
        asked = {"truth": "y", "columns": "m,k", "fold": "none"}
        with pytest.raises(InvalidInputError) as refused:
            errbar.read_table(frame, missing="pairs", **asked)
        assert refused.value.argument == "missing"

    def test_suitable_asks_of_what_two_have(self):
        found = {
            one.key: one
            for one in errbar.methods.suitable(errbar.from_losses(BY_NAME, missing="pairs"))
        }
        assert found["holdout-t"].suitable

    def test_a_pilot_of_two(self):
        table = errbar.from_losses(BY_NAME, missing="pairs", groups=np.repeat(np.arange(10), 4))
        alone = errbar.from_losses(
            {n: BY_NAME[n] for n in "ab"}, missing="examples", groups=np.repeat(np.arange(10), 4)
        )
        got = errbar.planning.pilot(table, "a", "b", design="clusters")
        wanted = errbar.planning.pilot(alone, design="clusters")
        assert (got.cluster, got.within) == pytest.approx((wanted.cluster, wanted.within))


class TestOtherWays:
    def test_examples(self):
        table = errbar.from_losses(BY_NAME, missing="examples")
        assert table.points.shape[1] == np.isfinite(LOSSES).all(axis=0).sum()

    @pytest.mark.parametrize("empty", [NAN, None, pd.NA])
    @pytest.mark.parametrize("door", [errbar.from_losses, errbar.from_scores])
    def test_gaps_are_refused_unless_somebody_says_what_they_are(self, door, empty):
        values = {"a": [0.5, empty, 0.25, 1.5], "b": [0.5, 1.0, 0.75, 2.0]}
        with pytest.raises(InvalidInputError):
            door(values)
        with pytest.raises(UnsaidRoleError) as refused:
            door(values, missing="refuse")
        assert refused.value.argument == "missing"
        assert door(values, missing=2.0).scores.shape[0] == 2

    @pytest.mark.parametrize("given", [7.0, "7", 7])
    def test_a_number_takes_their_place(self, given):
        frame = pd.DataFrame({"q": range(3), "a": [1.5, NAN, 3.0], "b": [2.5, 5.0, NAN]})
        table = errbar.read_table(frame, example="q", missing=given)
        assert table.points.tolist() == [[1.5, 7.0, 3.0], [2.5, 5.0, 7.0]]
        [note] = [note for note in table.notes if note.code == "taken-as"]
        assert "2" in note.numbers["what"]

    def test_zero_is_a_number(self):
        assert errbar.from_losses({"a": [1.0, NAN]}, missing=0).points.tolist() == [[1.0, 0.0]]

    def test_another_learner_takes_their_place(self):
        values = {"a": [1.0, NAN, 3.0], "b": [2.0, 5.0, NAN], "constant": [8.0, 9.0, 10.0]}
        table = errbar.from_losses(values, missing="constant")
        assert table.learners == ("a", "b")
        assert table.points.tolist() == [[1.0, 9.0, 3.0], [2.0, 5.0, 10.0]]

    def test_the_stand_in_may_lack_it_too(self):
        values = {"a": [1.0, NAN], "b": [2.0, 5.0], "constant": [8.0, NAN]}
        with pytest.raises(UnsaidRoleError):
            errbar.from_losses(values, missing="constant")

    def test_nobody_is_called_so(self):
        with pytest.raises(InvalidInputError) as refused:
            errbar.from_losses(BY_NAME, missing="constant")
        assert refused.value.argument == "missing"

    def test_a_row_that_all_lack_is_missing(self):
        values = {"a": [1.0, NAN, 3.0], "b": [2.0, NAN, 5.0]}
        for missing in ("examples", "pairs", "learners"):
            assert errbar.from_losses(values, missing=missing).points.shape == (2, 2)

    def test_data_sets_with_failed_folds(self):
        frame = pd.DataFrame(
            [
                (learner, task, fold, value)
                for learner, shift in (("a", 0.2), ("b", 0.1), ("constant", 0.0))
                for task in range(4)
                for fold in range(3)
                for value in [0.5 + shift + 0.01 * task + 0.001 * fold]
            ],
            columns=["learner", "task", "fold", "result"],
        )
        failed = (frame["learner"] == "a") & (frame["task"] == 1) & (frame["fold"] == 2)
        frame.loc[failed, "result"] = None
        imputed = errbar.read_table(frame, missing="constant", higher_is_better=True)
        assert imputed.learners == ("a", "b")
        assert -imputed.scores[0, 1] == pytest.approx((0.71 + 0.711 + 0.512) / 3)
        pairs = errbar.read_table(frame, missing="pairs", higher_is_better=True)
        assert np.isnan(pairs.scores).tolist() == [
            [False, True, False, False],
            [False] * 4,
            [False] * 4,
        ]


@pytest.mark.parametrize("nothing", [None, "", "NA"])
@pytest.mark.parametrize("marks", [(True, False, True), (1, 0, 1), ("0.5", "0.25", "1")])
def test_marks_and_decimals_beside_gaps_are_numbers(marks, nothing):
    values = [Decimal(mark) if isinstance(mark, str) else mark for mark in marks]
    frame = pd.DataFrame(
        {"question_id": range(20), "a": [*values, nothing] * 5, "b": [1, 0, 1, 1] * 5}
    )
    found = errbar.read_table(frame, missing="examples", higher_is_better=True)
    assert found.learners == ("a", "b")
    expected = np.mean([float(mark) for mark in marks])
    assert -found.scores[0, 0] == pytest.approx(expected)


def test_left_out_examples_were_trained_on():
    """A fold that failed leaves the training size of the others as it was."""
    fold = np.repeat(np.arange(5), 20)
    values = {name: RNG.normal(size=100) for name in "ab"}
    whole = errbar.read_table(pd.DataFrame(values | {"fold": fold}), fold="fold", kind="examples")
    values["b"][fold == 2] = NAN
    frame = pd.DataFrame(values | {"fold": fold})
    table = errbar.read_table(frame, fold="fold", kind="examples", missing="examples")
    assert table.splits.n_train.tolist() == [80.0] * 4
    assert whole.splits.n_train.tolist() == [80.0] * 5
