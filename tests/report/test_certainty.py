"""How fragile each conclusion is."""

import math

import numpy as np
import pytest
from scipy import stats
from sklearn.dummy import DummyClassifier
from sklearn.tree import DecisionTreeClassifier

import errbar
from errbar._pairs import bearable_correlation as bearable
from errbar.report import build
from tests.report.comparisons import STANDARD, constant, many, naive_misses, shifted


def pvalue(values, correlation):
    """Student's t of equicorrelated scores, from their variance: E s^2 = (1 - r) v, Var mean = v (1 + (J - 1) r) / J."""
    count = len(values)
    variance = np.var(values, ddof=1) / (1 - correlation)
    se = math.sqrt(variance * (1 + (count - 1) * correlation) / count)
    return 2 * stats.t.sf(abs(np.mean(values)) / se, count - 1)


@pytest.mark.parametrize("shift", [0.8, 1.0, 2.0, 5.0])
@pytest.mark.parametrize("level", [0.9, 0.95])
def test_at_the_threshold_p_is_the_level(shift, level):
    values = STANDARD + shift
    found = bearable(errbar.Losses(values), level=level, alternative="two-sided")
    assert 0.0 < found < 1.0
    assert pvalue(values, found) == pytest.approx(1 - level)
    assert pvalue(values, 0.99 * found) < 1 - level < pvalue(values, min(1.01 * found, 0.999))


def test_the_corrected_t_is_significant_exactly_below_it():
    for shift in np.linspace(0.5, 2.0, 31):
        comparison = shifted(shift)
        found = bearable(errbar.Losses(STANDARD + shift), level=0.95, alternative="two-sided")
        assert (comparison.pairs[0].adjusted <= 0.05) == (
            found >= 0.1
        )  # 10 of 100 examples are for testing


def test_no_correlation_is_borne_where_nothing_is_significant():
    assert bearable(errbar.Losses(STANDARD + 0.1), level=0.95, alternative="two-sided") == 0.0
    assert bearable(errbar.Losses(STANDARD + 5.0), level=0.95, alternative="less") == 0.0
    assert bearable(errbar.Losses(STANDARD + 5.0), level=0.95, alternative="greater") > 0.5


def rows_of(comparison):
    [table] = build(comparison).certainty.tables
    return [[str(cell) for cell in row] for row in table.rows]


@pytest.mark.parametrize(
    ("shift", "verdict", "naive"),
    [
        (0.3, "p = 0.530", "p = 0.368"),
        (0.9, "p = 0.082", "p = 0.019"),
        (2.0, "p = 0.002", "p < 0.001"),
    ],
)
def test_verdicts_stand_beside_those_of_the_naive_test(shift, verdict, naive):
    [row] = rows_of(shifted(shift))
    assert row[0] == "a - b"
    assert row[1].endswith(verdict)
    assert row[2].endswith(naive)


@pytest.mark.parametrize(("shift", "threshold"), [(2.0, "0.41"), (0.9, "0.055")])
def test_the_threshold_is_shown(shift, threshold):
    assert threshold in str(build(shifted(shift)).certainty.remarks[-1])


def test_the_direction_of_scores_is_kept():
    losses = rows_of(shifted(-2.0, alternative="less"))
    scores = rows_of(shifted(-2.0, higher_is_better=True, metric="accuracy", alternative="less"))
    assert losses[0][3] == scores[0][3]
    assert any(char.isdigit() for char in losses[0][3])
    assert not any(char.isdigit() for char in rows_of(shifted(-2.0, alternative="greater"))[0][3])


@pytest.mark.parametrize("name", ["holdout", "constant"])
def test_without_several_varying_scores_there_is_no_threshold(everything, name):
    assert not any(
        "correlation" in str(column.header)
        for column in build(everything[name]).certainty.tables[0].columns
    )


def test_constant_differences_are_not_tested():
    assert not any(char.isdigit() for row in rows_of(constant()) for char in row[1])


def test_repeated_cross_validation_has_no_single_correlation():
    rng = np.random.default_rng(1)
    table = errbar.from_losses(
        {"a": rng.normal(size=200), "b": rng.normal(size=200)},
        fold=np.tile(np.repeat(np.arange(5), 20), 2),
        repeat=np.repeat([0, 1], 100),
        example=np.tile(np.arange(100), 2),
    )
    assert "correlation" not in " ".join(
        map(str, build(errbar.compare_table(table)).certainty.remarks)
    )


def test_a_single_learner_has_assumptions_and_no_verdict(everything):
    document = build(everything["single"])
    assert document.certainty is None
    assert document.estimated
    assert len(document.assumptions) >= 2


def test_adjustment_is_spoken_of_only_where_there_is_one():
    assert len(build(many(3)).certainty.remarks) >= len(
        build(many(3, adjust="none")).certainty.remarks
    )
    assert build(many(3)).certainty.remarks != build(many(3, adjust="none")).certainty.remarks


def test_the_method_is_named_only_where_the_naive_errors_are_not_smaller():
    usual, other = (
        str(build(comparison).certainty.remarks[0]) for comparison in (shifted(0.9), naive_misses())
    )
    assert "cv-wald" not in usual
    assert "cv-wald" in other


def test_of_several_pairs_it_is_told_for_how_many():
    rng = np.random.default_rng(0)
    fold, bumpy = np.repeat(np.arange(10), 10), np.repeat(rng.normal(size=10), 10)
    losses = {"a": bumpy, "b": np.zeros(100), "c": np.tile([1.0, -1.0], 50) + 0.01 * bumpy}
    comparison = errbar.compare_table(errbar.from_losses(losses, fold=fold), method="cv-wald")
    larger = sum(pair.naive.se >= pair.result.se for pair in comparison.pairs)
    assert 0 < larger < 3
    remark = str(build(comparison).certainty.remarks[0])
    assert [word for word in remark.split() if word.isdigit()] == [str(larger), "3"]


def test_an_estimate_at_an_edge_has_no_naive_interval():
    y = np.repeat([0, 1], 60)
    learners = {"tree": DecisionTreeClassifier(), "none": DummyClassifier()}
    for loss in ("f1", "accuracy"):
        found = errbar.compare(learners, y[:, np.newaxis], y, loss=loss, plan=5, random_state=0)
        assert found.learners["tree"].low < 1.0
        [table] = build(found).sections[0].tables
        place = [str(column.header) for column in table.columns].index("Naive 95 % interval")
        assert (
            str(dict(zip(found.listed_learners, table.rows, strict=True))["tree"][place]) == "none"
        )
