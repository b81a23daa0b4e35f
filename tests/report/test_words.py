"""What is concluded, and that it is put in the right words."""

import numpy as np
import pytest

import errbar
from errbar.report import conclude, verdicts, words
from tests.report.comparisons import NASTY, STANDARD, constant, many, naive_misses, shifted, single

NAIVE_WOULD = "the naive t-test would have called it significant"


def test_evidence_names_the_better_learner_first():
    [sentence] = conclude(shifted(2.0))
    assert sentence == ("b has lower score than a at the 5 % level, by 2.000 [0.961, 3.039], p = 0.002.")


@pytest.mark.parametrize(
    ("shift", "higher_is_better", "claim"),
    [
        (2.0, False, "b has lower score than a"),
        (-2.0, False, "a has lower score than b"),
        (2.0, True, "a has higher score than b"),
        (-2.0, True, "b has higher score than a"),
    ],
)
def test_direction(shift, higher_is_better, claim):
    [sentence] = conclude(shifted(shift, higher_is_better=higher_is_better))
    assert claim in sentence
    assert ", by 2.000 [0.961, 3.039]" in sentence


@pytest.mark.parametrize(
    ("shift", "evidence", "remark"), [(0.3, False, False), (0.9, False, True), (2.0, True, False), (-0.9, False, True)]
)
def test_naive_contrast_is_told_only_where_it_disagrees(shift, evidence, remark):
    [sentence] = conclude(shifted(shift))
    assert ("not told apart" not in sentence) == evidence
    assert (NAIVE_WOULD in sentence) == remark


def test_naive_test_that_misses():
    [sentence] = conclude(naive_misses())
    assert "not told apart" not in sentence
    assert sentence.endswith("; the naive t-test would have missed it.")


def test_naive_p_values_are_adjusted_like_the_others():
    """Each pair alone is significant by the naive t, p = 0.03; over three pairs by Bonferroni it is not."""
    import errbar

    base = np.zeros(10)
    scores = {"a": base + shifted(0.0).table.scores[0], "b": base + shifted(0.0).table.scores[1]}
    scores["c"] = scores["b"] + 0.82 * (scores["a"] - scores["b"]).std(ddof=1) + (scores["a"] - scores["b"])
    comparison = errbar.compare_table(errbar.from_scores(scores, n_train=90, n_test=10), adjust="bonferroni")
    for verdict in comparison.decisions:
        if verdict.naive is not None:
            assert verdict.naive == pytest.approx(min(1.0, 3 * verdict.pair.naive.pvalue))
            assert verdict.naive_significant == (verdict.naive <= 0.05)


@pytest.mark.parametrize(
    ("alternative", "claim", "bound"),
    [
        ("less", "a has lower score than b", " higher with 95"),
        ("greater", "a has higher score than b", " lower with 95"),
    ],
)
@pytest.mark.parametrize("higher_is_better", [False, True])
def test_one_sided(alternative, claim, bound, higher_is_better):
    [sentence] = conclude(shifted(0.1, alternative=alternative, higher_is_better=higher_is_better))
    assert f"no evidence at the 5 % level that {claim}" in sentence
    assert f", at most 0.942{bound}" in sentence or f", at most 0.742{bound}" in sentence
    assert "with 95 % confidence" in sentence
    assert "inf" not in sentence


def test_one_sided_evidence_follows_the_alternative():
    found = conclude(shifted(-2.0, alternative="less"))[0]
    assert found.startswith("At the 5 % level a has lower score than b: it is 2.000 lower, at least 1.")
    assert "There is no evidence" in conclude(shifted(2.0, alternative="less"))[0]


@pytest.mark.parametrize(("rope", "equivalent"), [(5.0, True), (0.5, False), (None, False)])
def test_equivalence_needs_both_one_sided_tests(rope, equivalent):
    [sentence] = conclude(shifted(0.1, rope=rope))
    assert ("practically equivalent" in sentence) == equivalent
    assert not equivalent or "within ±5" in sentence


def test_equivalence_has_two_tests_of_its_own_whatever_the_alternative():
    sentences = [conclude(shifted(0.1, rope=5.0, alternative=side))[0] for side in ("two-sided", "less", "greater")]
    assert all("practically equivalent within ±5" in sentence for sentence in sentences)


def test_single_learner():
    [sentence] = conclude(single())
    assert sentence == (
        "The score of alone trained on 90 examples is 5.000, "
        "95 % interval [3.961, 6.039]; the naive interval would have been [4.285, 5.715]."
    )


def test_the_bottom_line_and_one_sentence_per_pair():
    headline, *sentences = conclude(many(3))
    assert headline.startswith("m0 is best: it has the lowest score, ")
    assert [sentence[:2] for sentence in sentences] == ["m0", "m0", "m1"]
    headline, *sentences = conclude(many(4))
    assert headline.startswith("m0 is best: ")
    assert not any(" than " in sentence for sentence in sentences)
    assert sentences[-2].startswith("Ruled out as best: m1 (by m0, max-t p ")


@pytest.mark.parametrize(
    ("adjust", "other"), [("holm", "not by Holm over 6 pairs"), ("none", "not by each pair alone"), ("max-t", "")]
)
def test_who_is_ruled_out_is_decided_by_max_t_and_said_to_be(adjust, other):
    *_, sentence = conclude(many(4, adjust=adjust))
    assert sentence.startswith("Who is ruled out is decided by max-t" if other else "Ruled out as best: ")
    assert other in sentence


@pytest.mark.parametrize(("count", "options", "pairs"), [(7, {}, 21), (12, {}, 66), (7, {"baseline": "m3"}, 6)])
def test_it_is_said_too_where_many_are_ruled_out(count, options, pairs):
    """Those ruled out are then in the table; a pair in it may be not told apart all the same."""
    comparison = many(count, **options)
    assert len(comparison.best.ruled_out) > 4
    sentences = conclude(comparison)
    assert not any(sentence.startswith("Ruled out as best: ") for sentence in sentences)
    said = f"max-t over the differences of a learner to all others, and not by Holm over {pairs} pairs, so"
    assert sum(said in sentence for sentence in sentences) == 1


def test_a_single_rival_that_may_be_worse_is_named_once():
    base = 10.0 + np.cos(np.arange(10.0))
    scores = {"a": base, "b": base + STANDARD + 1.1, "c": base + 50.0 + STANDARD[::-1]}
    said = conclude(errbar.compare_table(errbar.from_scores(scores, n_train=90, n_test=10)))[0]
    assert said.endswith("; nothing rules out b, which may be worse (p = 0.040 for that pair alone).")


def test_equal_estimates_in_a_sentence():
    table = errbar.from_losses({"a": [0, 1, 0, 0, 1, 0], "b": [1, 0, 0, 0, 0, 1]}, n_train=50, metric="zero-one")
    sentence, *_ = conclude(errbar.compare_table(table, method="holdout-t"))
    assert "their estimates of zero-one loss are equal, but a may have anything from " in sentence


def test_interval_that_leaves_out_zero_without_significance_is_explained():
    """Simultaneous intervals go with max-t, and other adjustments may say something else."""
    seen = set()
    for adjust in ("bonferroni", "none", "holm", "max-t"):
        comparison = many(4, adjust=adjust)
        wording = words.Wording(comparison)
        for verdict in comparison.decisions:
            sentence = str(verdicts.verdict(wording, verdict))
            low, high = comparison.simultaneous.pairs[verdict.pair.a, verdict.pair.b]
            holds = low <= 0.0 <= high
            assert ("includes 0 since it goes with max-t" in sentence) == (verdict.significant and holds)
            assert ("leaves out 0 since it goes with max-t" in sentence) == (not verdict.significant and not holds)
            seen.add((adjust, verdict.significant and holds))
    assert ("none", True) in seen
    assert ("max-t", True) not in seen


def test_many_pairs_are_summed_up():
    comparison = many(7, rope=0.2)
    sentences = conclude(comparison)
    found = sum(pair.adjusted <= 0.05 for pair in comparison.pairs)
    assert sentences[0].startswith("m0 is best: it has the lowest score, ")
    assert sentences[1] == f"{found} of 21 pairs differ in score at the 5 % level, p-values adjusted by Holm."
    assert len(sentences) < 7


def test_many_against_a_baseline():
    sentences = conclude(many(9, baseline="m0", adjust="bonferroni"))
    assert sentences[0].endswith(" are worse than m0 at the 5 % level.")
    assert "of 8 pairs differ in score" in sentences[1]
    assert "adjusted by Bonferroni" in sentences[1]


def test_differences_that_do_not_vary_are_not_judged():
    _, equal, other, _ = conclude(constant())
    assert "exactly the same score" in equal
    assert "no test can say how sure it is" in other
    assert not any("significant" in sentence or "p =" in sentence for sentence in conclude(constant()))


@pytest.mark.parametrize(
    ("kind", "sizes", "repeats", "expected"),
    [
        ("subsampling", [10] * 15, 15, "15 random splits"),
        ("subsampling", [10], 1, "1 random split"),
        ("kfold", [10] * 10, 1, "10-fold cross-validation"),
        ("kfold", [10] * 30, 3, "3 x 10-fold cross-validation"),
        ("kfold", [1] * 30, 1, "leave-one-out cross-validation of 30 examples"),
        ("5x2", [10] * 10, 5, "5 x 2-fold cross-validation"),
        ("holdout", [111], 1, "one holdout of 111 test examples"),
        ("holdout", [np.nan], 1, "one holdout set"),
        ("other", [10] * 10, 10, "10 given splits"),
    ],
)
def test_plans_in_words(kind, sizes, repeats, expected):
    assert words.plan_words(kind, np.array(sizes, dtype=float), repeats) == expected


@pytest.mark.parametrize(
    ("key", "expected"),
    [("squared-error", "squared error"), ("mean_pinball_loss", "mean pinball loss"), ("My_Own", "My_Own")],
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
