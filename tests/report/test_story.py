"""What a comparison says: the verdict agrees with the numbers, and each row with itself."""

import math

import numpy as np
import pytest

import errbar
from errbar import report
from errbar.datasets import ranks
from errbar.report import story_of
from errbar.report.story import FEW, Story
from errbar.report.words import folds_of
from tests.forms import data_sets
from tests.report.comparisons import many, shifted

LEVELS = ("two-sided", "less", "greater")


def test_p_and_interval_of_a_row_never_contradict_each_other():
    for count in (3, 4, 7, 12):
        story = Story(many(count))
        assert story.simultaneous
        for row in story.differences.rows:
            assert row.strong == (row.low > 0.0 or row.high < 0.0)


def test_few_learners_have_all_pairs_and_many_one_row_each():
    for count in (3, FEW, FEW + 1, 9):
        story = Story(many(count))
        pairs = count * (count - 1) // 2
        assert len(story.differences.rows) == (pairs if count <= FEW else count - 1)
        assert len(story.ranking.rows) == count


def test_differences_of_few_are_the_larger_minus_the_smaller():
    rows = Story(many(4)).differences.rows
    assert all(row.estimate > 0.0 for row in rows)
    assert [row.name for row in rows if row.name.startswith("m3")] == [
        "m3 - m0",
        "m3 - m1",
        "m3 - m2",
    ]


@pytest.mark.parametrize("higher", [False, True])
def test_the_verdict_names_the_better_one(higher):
    story = Story(shifted(3.0, higher_is_better=higher))
    better, worse = ("a", "b") if higher else ("b", "a")
    assert story.verdict.startswith(f"{better} is better than {worse}")


def test_what_is_not_significant_has_no_winner():
    story = Story(shifted(0.3))
    assert story.verdict.startswith("No winner")
    assert not story.remarks
    assert story.power


def test_an_uncorrected_test_is_quoted_where_it_says_more():
    [remark] = Story(shifted(0.9)).remarks
    assert "a worse than b" in remark


def test_where_nobody_said_which_numbers_are_better_the_verdict_says_so():
    scores = {"a": [1.0, 2.0, 3.0], "b": [2.0, 2.5, 3.9]}
    unsaid = errbar.compare_table(errbar.from_scores(scores, n_train=90, n_test=10))
    said = errbar.compare_table(
        errbar.from_scores(scores, n_train=90, n_test=10, higher_is_better=False)
    )
    assert Story(unsaid).verdict.endswith(Story(said).verdict)
    assert Story(unsaid).verdict != Story(said).verdict


def test_a_baseline_is_what_others_are_compared_with():
    story = Story(many(4, baseline="m2"))
    assert story.reference == "m2"
    assert [row.name for row in story.differences.rows] == ["m0", "m1", "m3"]
    signs = [math.copysign(1.0, row.estimate) for row in story.differences.rows]
    assert signs == [-1.0, -1.0, 1.0]


@pytest.mark.parametrize("alternative", LEVELS)
def test_rows_hold_the_numbers_of_the_comparison(alternative):
    comparison = shifted(0.9, alternative=alternative)
    [row] = Story(comparison).differences.rows
    result = comparison.pairs[0].result
    assert abs(row.estimate) == pytest.approx(abs(result.estimate))
    assert {row.low, row.high} == {result.low, result.high}


def test_seen_from_another_learner_the_numbers_are_turned():
    story = Story(many(7))
    first = {row.name: row for row in story.against("m0").rows}["m3"]
    other = {row.name: row for row in story.against("m3").rows}["m0"]
    assert (first.estimate, first.low, first.high) == pytest.approx(
        (-other.estimate, -other.high, -other.low)
    )
    assert first.cells[2:] == other.cells[2:]


def test_the_best_row_alone_has_the_interval_of_the_selected():
    comparison = many(5)
    wide = [row.wide for row in Story(comparison).ranking.rows]
    assert wide[0] == comparison.best.risk
    assert set(wide[1:]) == {None}


def test_one_far_learner_does_not_squeeze_the_others():
    scores = {
        f"m{i}": [0.1 + 0.01 * i + 0.003 * j * (-1) ** (i + j) for j in range(10)] for i in range(6)
    }
    scores["far"] = [9.0 + 0.01 * j for j in range(10)]
    table = errbar.from_scores(scores, n_train=90, n_test=10, higher_is_better=False)
    story = Story(errbar.compare_table(table))
    for shown in (story.ranking, story.differences):
        low, high = shown.limits
        assert high - low < 3.0


def test_power_is_at_the_level_of_the_family():
    of_many = many(8)
    found = of_many.simultaneous.pairs
    widths = [found[pair.a, pair.b].high - pair.result.estimate for pair in of_many.pairs]
    assert of_many.detectable.median > sorted(widths)[len(widths) // 2]


def test_max_t_is_the_default_where_there_are_simultaneous_intervals():
    assert many(3).adjust == "max-t"
    assert many(3, adjust="holm").adjust == "holm"
    assert many(2).adjust == "holm"


def test_folds_hold_method_notes_and_how_to_do_it_again(comparison):
    folds = {fold.title: fold for fold in folds_of(Story(comparison))}
    labels = [label for label, _ in folds["Method"].facts]
    assert {"Claim", "Formula"} <= set(labels)
    codes = {label for label, _ in folds["Notes"].facts}
    assert codes == {note.code for note in comparison.notes}
    assert ("Reproduce" in folds) == bool(comparison.table.provenance)
    assert folds_of(Story(comparison, "errbar test x.csv"))[-2].facts[0] == (
        "Command",
        "errbar test x.csv",
    )
    assert all(text for fold in folds.values() for _, text in fold.facts)


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    return data_sets({f"m{i}": rng.normal(0.4 * i, 1.0, 20) for i in range(8)})


def test_ranks_are_told_as_a_comparison_is(data):
    found = ranks(data)
    story = story_of(found)
    reach = found.critical_difference
    for row, (name, rank) in zip(story.ranking.rows, found.mean_ranks.items(), strict=True):
        assert (row.name, row.estimate) == (name, rank)
        assert row.high - row.low == pytest.approx(reach)
    best = next(iter(found.mean_ranks))
    beaten = {name for pair in found.apart for name in (pair.a, pair.b) if best in pair} - {best}
    assert {row.name for row in story.ranking.rows if not row.strong} == beaten
    assert story.differences is None
    assert sum(len(row["cells"]) for row in story.triangle) == len(found.pairs)


def test_pairs_of_few_ranks_are_listed(data):
    found = ranks(data.subset(data.learners[:4]))
    story = story_of(found)
    assert [row.estimate for row in story.differences.rows] == sorted(
        (abs(pair.rank_difference) for pair in found.pairs), reverse=True
    )
    for row in story.differences.rows:
        assert row.strong == (row.low > 0.0)


@pytest.mark.parametrize("asked", [{}, {"baseline": "m3"}, {"post_hoc": "holm"}])
def test_all_forms_take_ranks(data, tmp_path, asked):
    found = ranks(data, **asked)
    for suffix in ("html", "md", "tex", "json", "csv"):
        assert "m3" in report.save(found, tmp_path / f"ranks.{suffix}").read_text("utf-8")
    assert report.text(found, color=False).startswith("loss, lower is better")
    assert report.details(found, command="errbar ranks x.csv").count("errbar ranks x.csv") == 1
