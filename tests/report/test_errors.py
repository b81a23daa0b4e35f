"""What a report says of clusters, of seeds and examples, and of time: sentences, heads and plots."""

import math
import re
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

import errbar
from errbar.planning._detectable import detectable
from errbar.report import build, conclude, html, latex, markdown, text

SEEDS, N, GROUPS = 4, 90, 18


def tables(learners="abc", seed=0):
    """Losses of learners on 18 groups; on one seed and on several, with groups and without, in folds, and by time."""
    rng = np.random.default_rng(seed)
    group = np.arange(N) % GROUPS
    losses = {
        name: rng.normal(size=N)
        + rng.normal(size=GROUPS)[group]
        + 0.2 * rng.normal(size=(SEEDS, 1))
        + place
        for place, name in enumerate(learners)
    }
    one, all_seeds = {k: v[0] for k, v in losses.items()}, {k: v.ravel() for k, v in losses.items()}
    labels = {"seed": np.repeat(np.arange(SEEDS), N), "example": np.tile(np.arange(N), SEEDS)}
    return {
        "clusters": errbar.from_losses(one, groups=group),
        "folds": errbar.from_losses(one, groups=group, fold=group % 6),
        "seeds": errbar.from_losses(
            {k: v + rng.normal(size=v.size) for k, v in all_seeds.items()}, **labels
        ),
        "both": errbar.from_losses(all_seeds, groups=np.tile(group, SEEDS), **labels),
        "time": errbar.from_losses(one, time=np.arange(N)),
    }


@pytest.fixture(scope="module")
def comparisons():
    named = {"folds": "cluster-t"}
    return {
        name: errbar.compare_table(table, method=named.get(name))
        for name, table in tables().items()
    }


class TestNumbers:
    def test_widening_is_the_ratio_to_independent_examples(self, comparisons):
        """The standard error of independent examples is that of `holdout_t` on the same losses."""
        table = tables()["clusters"]
        ratios = []
        for pair in comparisons["clusters"].pairs:
            losses = table.losses(pair.a, pair.b).value
            ratios.append(pair.result.se / errbar.methods.holdout_t(errbar.Losses(losses)).se)
        found = comparisons["clusters"].widening
        assert found == pytest.approx((np.median(ratios), min(ratios), max(ratios)), rel=1e-9)
        assert comparisons["seeds"].widening is comparisons["time"].widening is None

    def test_shares_and_what_more_would_do(self, comparisons):
        found = comparisons["seeds"].seeds_and_examples
        parts = [pair.result.components for pair in comparisons["seeds"].pairs]
        assert found.seed == pytest.approx(np.mean([p["seed"] / sum(p.values()) for p in parts]))
        assert found.seed + found.example + found.both == pytest.approx(1.0)
        assert found.more_seeds == pytest.approx(
            1 - math.sqrt(found.seed / 2 + found.example + found.both / 2)
        )
        assert found.more_examples == pytest.approx(
            1 - math.sqrt(found.seed + found.example / 2 + found.both / 2)
        )
        assert comparisons["clusters"].seeds_and_examples is None


class TestSentences:
    def test_of_clusters(self, comparisons):
        *_, said, _ = conclude(comparisons["clusters"])
        median, low, high = comparisons["clusters"].widening
        assert re.findall(r"[\d.]*\d", said) == [
            "18",
            f"{median:.2f}",
            f"{low:.2f}",
            f"{high:.2f}",
            "3",
        ]

    def test_of_seeds_and_examples(self, comparisons):
        *_, shares, more = conclude(comparisons["seeds"])
        found = comparisons["seeds"].seeds_and_examples
        assert re.findall(r"\d+", shares) == [
            f"{100 * one:.0f}" for one in (found.seed, found.example, found.both)
        ]
        better, other = (
            ("seeds", "examples")
            if found.more_seeds > found.more_examples
            else ("examples", "seeds")
        )
        assert more.count(better) > more.count(other)

    def test_of_one_pair_and_of_one_learner(self):
        made = tables("ab")
        for comparison in (
            errbar.compare_table(made["clusters"]),
            errbar.compare_table(made["clusters"].subset(("a",))),
        ):
            assert f"{comparison.widening.median:.2f}" in conclude(comparison)[-1]

    @pytest.mark.long
    @pytest.mark.parametrize("form", [text, markdown, latex, html])
    def test_every_form_says_it(self, comparisons, form):
        assert f"{comparisons['clusters'].widening.median:.2f}" in form(comparisons["clusters"])
        assert f"{100 * comparisons['seeds'].seeds_and_examples.seed:.0f}" in form(
            comparisons["seeds"]
        )


class TestDetectable:
    @pytest.mark.parametrize("name", ["clusters", "folds", "seeds", "both", "time"])
    @pytest.mark.parametrize("alternative", ["two-sided", "less"])
    def test_it_is_found_in_four_of_five_studies(self, comparisons, name, alternative):
        comparison = comparisons[name].again(alternative=alternative)
        powers = []
        for pair, size in zip(
            comparison.pairs,
            detectable([pair.result for pair in comparison.pairs], 0.8),
            strict=True,
        ):
            df, shift = pair.result.df, size / pair.result.se
            critical = stats.t.ppf(0.975 if alternative == "two-sided" else 0.95, df)
            other = stats.nct.cdf(-critical, df, shift) if alternative == "two-sided" else 0.0
            powers.append(stats.nct.sf(critical, df, shift) + other)
        assert powers == pytest.approx([0.8] * 3, abs=1e-6)
        assert (
            comparison.detectable.low <= comparison.detectable.median <= comparison.detectable.high
        )

    def test_of_many_degrees_of_freedom_it_is_interpolated(self, comparisons):
        one = comparisons["clusters"].pairs[0].result
        results = [replace(one, df=df) for df in np.geomspace(2.0, 1e6, 60)]
        single = np.array([detectable([result], 0.8)[0] for result in results])
        assert detectable(results, 0.8) == pytest.approx(single, rel=1e-6)

    def test_sentences(self, comparisons):
        [said] = [text for text in conclude(comparisons["clusters"]) if "80 %" in text]
        assert re.findall(r"[\d.]*\d", said)[-3:] == ["3", "5", "80"]
        single = errbar.compare_table(tables("ab", seed=1)["clusters"])
        [said] = [text for text in conclude(single) if "80 %" in text]
        assert re.findall(r"[\d.]*\d", said)[-2:] == ["5", "80"]

    def test_not_where_everything_is_found_or_splits_vary(self, rng):
        far = errbar.compare_table(
            errbar.from_losses({"a": rng.normal(size=50), "b": rng.normal(size=50) + 9.0})
        )
        assert far.detectable is not None
        assert "80 %" not in " ".join(conclude(far))
        splits = errbar.from_scores(
            {"a": rng.normal(size=9), "b": rng.normal(size=9)}, n_train=90, n_test=10
        )
        assert errbar.compare_table(splits).detectable is None

    @pytest.mark.parametrize("alternative", ["two-sided", "greater"])
    def test_of_counted_errors(self, rng, alternative):
        n, only_a, only_b = 300, 36, 24
        losses = {
            "a": np.repeat([1.0, 0.0], [only_a, n - only_a]),
            "b": np.repeat([0.0, 1.0, 0.0], [only_a, only_b, 240]),
        }
        comparison = errbar.compare_table(
            errbar.from_losses(losses, metric="zero-one"), alternative=alternative
        )
        assert comparison.method == "paired-proportions"
        tail = 0.975 if alternative == "two-sided" else 0.95
        expected = (stats.norm.ppf(tail) + stats.norm.ppf(0.8)) * math.sqrt(only_a + only_b) / n
        assert comparison.detectable.median == pytest.approx(expected, rel=1e-4)
        # With that difference, and as many examples on which just one errs, McNemar's z rejects about as often.
        share, least = (only_a + only_b) / n, stats.norm.ppf(tail)
        both = [(share + expected) / 2.0, (share - expected) / 2.0, 1.0 - share]
        b, c, _ = rng.multinomial(n, both, size=20_000).T
        assert np.mean((b - c) / np.sqrt(b + c) > least) == pytest.approx(0.8, abs=0.025)

    def test_data(self, comparisons):
        found = comparisons["clusters"].to_dict()
        assert found["detectable"]["median"] == comparisons["clusters"].detectable.median
        assert found["widening"]["high"] == comparisons["clusters"].widening.high
        assert comparisons["time"].to_dict()["widening"] is None


class TestHeads:
    @pytest.mark.parametrize(
        ("name", "numbers", "method"),
        [
            ("clusters", ["90", "18"], "cluster-t"),
            ("folds", ["6", "18"], "cluster-t"),
            ("seeds", ["4", "90"], "crossed-t"),
            ("both", ["4", "90", "18"], "crossed-t"),
            ("time", ["90"], "diebold-mariano"),
        ],
    )
    def test_of_each_design(self, comparisons, name, numbers, method):
        head = build(comparisons[name]).subtitle
        assert re.findall(r"\d+", head) == numbers
        assert head.endswith(method)

    def test_an_unknown_training_size_is_no_number(self, comparisons):
        [splits] = [
            fact.text for fact in build(comparisons["clusters"]).computed if fact.term == "Splits"
        ]
        assert re.findall(r"\d+", splits)[-2:] == ["90", "1"]


class TestPage:
    def test_what_would_change_the_verdict_is_promised_where_it_stands(self, comparisons):
        shown = {name: build(comparisons[name]).certainty.tables[0] for name in ("seeds", "folds")}
        assert len(shown["seeds"].columns) < len(shown["folds"].columns)
        assert shown["seeds"].caption != shown["folds"].caption
