"""What is concluded: the decisions, and the names and numbers in the sentences."""

import re

import numpy as np
import pytest

import errbar
from errbar.report import build, conclude, words
from tests.report.comparisons import NASTY, STANDARD, constant, many, naive_misses, shifted, single


def better(comparison):
    """Return whom the table of differences calls better."""
    [table] = build(comparison).sections[1].tables
    [place] = [i for i, column in enumerate(table.columns) if str(column.header) == "Better"]
    return [str(row[place]) for row in table.rows]


@pytest.mark.parametrize(
    ("shift", "higher_is_better", "winner"),
    [(2.0, False, "b"), (-2.0, False, "a"), (2.0, True, "a"), (-2.0, True, "b")],
)
def test_the_better_learner_comes_first(shift, higher_is_better, winner):
    comparison = shifted(shift, higher_is_better=higher_is_better)
    [sentence] = conclude(comparison)
    assert better(comparison) == [winner]
    assert sentence.split()[0] == winner
    assert "2.000 [0.961, 3.039]" in sentence


@pytest.mark.parametrize(
    ("shift", "evidence", "remark"),
    [(0.3, False, False), (0.9, False, True), (2.0, True, False), (-0.9, False, True)],
)
def test_naive_contrast_is_told_only_where_it_disagrees(shift, evidence, remark):
    [decision] = shifted(shift).decisions
    assert decision.significant == evidence
    assert (decision.naive_significant != decision.significant) == remark


def test_naive_test_that_misses():
    [decision] = naive_misses().decisions
    assert (decision.significant, decision.naive_significant) == (True, False)


def test_naive_p_values_are_adjusted_like_the_others():
    """Each pair alone is significant by the naive t, p = 0.03; over three pairs by Bonferroni it is not."""
    import errbar

    base = np.zeros(10)
    scores = {"a": base + shifted(0.0).table.scores[0], "b": base + shifted(0.0).table.scores[1]}
    scores["c"] = (
        scores["b"] + 0.82 * (scores["a"] - scores["b"]).std(ddof=1) + (scores["a"] - scores["b"])
    )
    comparison = errbar.compare_table(
        errbar.from_scores(scores, n_train=90, n_test=10), adjust="bonferroni"
    )
    for verdict in comparison.decisions:
        if verdict.naive is not None:
            assert verdict.naive == pytest.approx(min(1.0, 3 * verdict.pair.naive.pvalue))
            assert verdict.naive_significant == (verdict.naive <= 0.05)


@pytest.mark.parametrize("alternative", ["less", "greater"])
@pytest.mark.parametrize("higher_is_better", [False, True])
def test_one_sided(alternative, higher_is_better):
    comparison = shifted(0.1, alternative=alternative, higher_is_better=higher_is_better)
    [sentence] = conclude(comparison)
    assert not comparison.decisions[0].significant
    assert ("0.942" in sentence) != ("0.742" in sentence)
    assert "inf" not in sentence


def test_one_sided_evidence_follows_the_alternative():
    assert shifted(-2.0, alternative="less").decisions[0].significant
    assert not shifted(2.0, alternative="less").decisions[0].significant


@pytest.mark.parametrize(("rope", "equivalent"), [(5.0, True), (0.5, False), (None, False)])
def test_equivalence_needs_both_one_sided_tests(rope, equivalent):
    assert shifted(0.1, rope=rope).decisions[0].equivalent == equivalent


def test_equivalence_has_two_tests_of_its_own_whatever_the_alternative():
    sides = ("two-sided", "less", "greater")
    assert all(shifted(0.1, rope=5.0, alternative=side).decisions[0].equivalent for side in sides)


def test_single_learner():
    [sentence] = conclude(single())
    assert all(number in sentence for number in ("90", "5.000", "[3.961, 6.039]", "[4.285, 5.715]"))


def test_the_bottom_line_and_one_sentence_per_pair():
    comparison = many(3)
    headline, *sentences = conclude(comparison)
    assert comparison.best.learners == ("m0",)
    assert "m0" in headline
    assert [sentence[:2] for sentence in sentences] == ["m0", "m0", "m1"]


@pytest.mark.parametrize("adjust", ["holm", "none", "max-t"])
def test_who_is_ruled_out_does_not_depend_on_the_adjustment(adjust):
    found = many(4, adjust=adjust).best
    assert found.learners == ("m0",)
    assert set(found.ruled_out) == {"m1", "m2", "m3"}


@pytest.mark.parametrize("count", [7, 12])
def test_where_many_are_ruled_out_they_are_in_the_table_alone(count):
    comparison = many(count)
    assert len(comparison.best.ruled_out) > 4
    assert not any(
        all(name in sentence for name in comparison.best.ruled_out)
        for sentence in conclude(comparison)
    )


def test_a_single_rival_that_may_be_worse_is_named_once():
    base = 10.0 + np.cos(np.arange(10.0))
    scores = {"a": base, "b": base + STANDARD + 1.1, "c": base + 50.0 + STANDARD[::-1]}
    comparison = errbar.compare_table(errbar.from_scores(scores, n_train=90, n_test=10))
    assert comparison.best.learners == ("a", "b")
    said = conclude(comparison)[0]
    assert said.split().count("b,") == 1
    assert "0.040" in said


def test_the_interval_that_goes_with_max_t_may_hold_zero_where_another_adjustment_finds_a_difference():
    seen = set()
    for adjust in ("bonferroni", "none", "holm", "max-t"):
        comparison = many(4, adjust=adjust)
        for verdict in comparison.decisions:
            low, high = comparison.simultaneous.pairs[verdict.pair.a, verdict.pair.b]
            seen.add((adjust, verdict.significant and low <= 0.0 <= high))
    assert ("none", True) in seen
    assert ("max-t", True) not in seen


def test_many_pairs_are_summed_up():
    comparison = many(7, rope=0.2)
    sentences = conclude(comparison)
    found = sum(pair.adjusted <= 0.05 for pair in comparison.pairs)
    assert comparison.best.learners == ("m0",)
    assert list(map(int, re.findall(r"\d+", sentences[1])))[:2] == [found, 21]
    assert len(sentences) < 7


def test_many_against_a_baseline():
    comparison = many(9, baseline="m0", adjust="bonferroni")
    found = sum(pair.adjusted <= 0.05 for pair in comparison.pairs)
    assert list(map(int, re.findall(r"\d+", conclude(comparison)[1])))[:2] == [found, 8]


def test_differences_that_do_not_vary_are_not_judged():
    decisions = constant().decisions
    assert all(decision.degenerate and not decision.significant for decision in decisions)
    assert not any("p =" in sentence for sentence in conclude(constant()))


@pytest.mark.parametrize(
    ("kind", "sizes", "repeats", "expected"),
    [
        ("subsampling", [10] * 15, 15, [15]),
        ("subsampling", [10], 1, [1]),
        ("kfold", [10] * 10, 1, [10]),
        ("kfold", [10] * 30, 3, [3, 10]),
        ("kfold", [1] * 30, 1, [30]),
        ("5x2", [10] * 10, 5, [5, 2]),
        ("holdout", [111], 1, [111]),
        ("holdout", [np.nan], 1, []),
        ("other", [10] * 10, 10, [10]),
    ],
)
def test_numbers_of_plans(kind, sizes, repeats, expected):
    text = words.plan_words(kind, np.array(sizes, dtype=float), repeats)
    assert list(map(int, re.findall(r"\d+", text))) == expected


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ("squared-error", "squared error"),
        ("mean_pinball_loss", "mean pinball loss"),
        ("My_Own", "My_Own"),
    ],
)
def test_measures_in_words(key, expected):
    assert words.measure(key) == expected


def test_names_cannot_break_lines_or_steer_a_terminal():
    [sentence] = conclude(shifted(0.1, names=("a\n# b", "c\x1b[31m")))
    assert "\n" not in sentence
    assert "\x1b" not in sentence
    assert "a # b" in sentence


def test_names_are_left_as_they_are():
    [sentence] = conclude(shifted(0.1, names=NASTY))
    assert all(name in sentence for name in NASTY)


def test_adjustments_have_names():
    assert words.adjustment_words("benjamini-hochberg") == "Benjamini-Hochberg"
