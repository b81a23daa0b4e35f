"""What a report holds."""

import math
import re
from dataclasses import replace

import numpy as np
import pytest
import sklearn
from sklearn.datasets import load_iris
from sklearn.dummy import DummyClassifier
from sklearn.metrics import f1_score, fbeta_score, make_scorer
from sklearn.model_selection import GroupKFold, KFold
from sklearn.naive_bayes import GaussianNB

import errbar
from errbar import report
from errbar.report import build
from errbar.table import Counts
from tests.report.comparisons import many, shifted, single, unknown_sizes


def headers(table):
    return [str(column.header) for column in table.columns]


def test_tables_are_rectangular_and_complete(comparison):
    document = build(comparison)
    tables = {table.key: table for section in document.sections for table in section.tables}
    assert len(tables["estimates"].rows) == len(comparison.learners)
    assert ("differences" in tables) == bool(comparison.pairs)
    assert len(tables["differences"].rows if comparison.pairs else ()) == len(comparison.pairs)
    for table in tables.values():
        assert {len(row) for row in table.rows} == {len(table.columns)}
        assert all(str(cell) for row in table.rows for cell in row)


def test_direction_is_stated(comparison):
    document = build(comparison)
    direction = comparison.table.loss.direction
    assert direction in document.subtitle
    assert direction in document.sections[0].tables[0].caption


def test_columns_of_differences():
    [table] = build(shifted(0.9)).sections[1].tables
    assert headers(table) == [
        "Difference",
        "Better",
        "Estimate",
        "Standard error",
        "95 % interval",
        "Naive 95 % interval",
        "p",
        "Naive p",
    ]
    assert [str(cell) for cell in table.rows[0]] == [
        "a - b",
        "not told apart",
        "0.900",
        "0.459",
        "[-0.139, 1.939]",
        "[0.185, 1.615]",
        "0.082",
        "0.019",
    ]


@pytest.mark.parametrize(("adjust", "adjusted"), [("holm", True), ("none", False)])
def test_adjusted_column_only_where_adjusted(adjust, adjusted):
    [table] = build(many(3, adjust=adjust)).sections[1].tables
    assert ("Adjusted p" in headers(table)) == adjusted
    assert ("Naive adjusted p" in headers(table)) == adjusted


def test_level_reaches_every_word():
    document = build(shifted(0.9, level=0.9))
    assert "90 % interval" in headers(document.sections[0].tables[0])
    assert "10 %" in str(document.headline)


def test_how_it_was_computed():
    computed = {fact.term: fact.text for fact in build(many(3, rope=0.2, baseline="m1")).computed}
    assert re.findall(r"\d+", computed["Splits"])[:3] == ["15", "90", "10"]
    assert re.findall(r"\d+", computed["Adjustment"]) == ["2"]
    assert computed["Baseline"] == "m1"
    assert "0.2" in computed["Practical equivalence"]
    assert re.findall(r"\d+", computed["Fits"]) == []
    assert "90" in computed["Estimated"]


def test_unknown_sizes_are_said_to_be_unknown():
    computed = {fact.term: fact.text for fact in build(unknown_sizes()).computed}
    assert "nan" not in computed["Splits"] + computed["Estimated"]
    assert "nan" not in " ".join(report.conclude(unknown_sizes()))


def test_options_and_references_are_reported():
    document = build(shifted(0.9, correlation=0.2))
    assert "correlation = 0.2" in document.computed[0].text
    assert any("Nadeau" in reference for reference in document.references)


def test_notes_keep_their_codes():
    assert [note.term for note in build(unknown_sizes()).notes] == ["direction", "liberal"]
    assert [note.term for note in build(single()).notes] == ["direction", "assumed-random-splits"]


def test_a_run_is_reproducible_from_the_report():
    comparison = shifted(0.9)
    table = replace(
        comparison.table,
        provenance={"random_state": "3", "data": "13df", "numpy": "2.4.6"},
        counts=Counts(fits=20, reused=10, seconds=1.234),
    )
    document = build(replace(comparison, table=table))
    facts = {fact.term: fact.text for fact in (*document.computed, *document.reproduction)}
    assert "random_state=3" in document.call
    assert (facts["Seed"], facts["Digest of the data"], facts["numpy"]) == ("3", "13df", "2.4.6")
    assert re.findall(r"[\d.]+", facts["Fits"]) == ["20", "1.23", "10"]


def test_every_number_is_there_to_sort_by(comparison):
    document = build(comparison)
    for table in (table for section in document.sections for table in section.tables):
        numbers = [place for place, column in enumerate(table.columns) if column.kind == "number"]
        for cell in (row[place] for row in table.rows for place in numbers):
            text = str(cell)
            assert math.isnan(cell.value) == (text in ("none", "unknown"))
            if re.fullmatch(r"-?[\d.]+( \*)?", text):
                digits = text.split(maxsplit=1)[0]
                assert float(digits) == pytest.approx(
                    cell.value, abs=0.5 * 10 ** -len(digits.partition(".")[2])
                )


def test_intervals_are_sorted_by_their_estimates():
    [table] = build(many(4)).sections[1].tables
    place = headers(table).index("Simultaneous 95 % interval")
    estimate = headers(table).index("Estimate")
    assert [row[place].value for row in table.rows] == [row[estimate].value for row in table.rows]


def test_the_command_takes_the_place_of_the_call():
    assert build(shifted(0.9), command="errbar demo\n").call == "errbar demo"
    assert build(shifted(0.9)).call == "errbar.compare_table(table, method='corrected-t')"


def test_the_call_makes_the_same_comparison_again():
    comparison = many(
        3, baseline="m1", adjust="none", alternative="less", level=0.9, rope=0.2, correlation=0.3
    )
    again = eval(build(comparison).call, {"errbar": errbar, "table": comparison.table})
    assert again.to_dict() == comparison.to_dict()


def test_the_call_of_a_run_runs_again():
    X, y = load_iris(return_X_y=True)
    learners = {"bayes": GaussianNB(), "none": DummyClassifier()}
    plan = errbar.plans.KFold(folds=3) + errbar.plans.Subsampling(repeats=4)
    [comparison] = errbar.compare_all(
        learners, X, y, [{"method": "cv-wald"}], plan=plan, loss="brier", random_state=4
    )
    again = eval(build(comparison).call, {"errbar": errbar, "learners": learners, "X": X, "y": y})
    assert again.to_dict()["pairs"] == comparison.to_dict()["pairs"]
    assert build(again).call == build(comparison).call


def mine(truth, predicted):
    return float((truth != predicted).mean())


PAIRS = [(range(50), range(50, 100)), (range(50, 100), range(50))]
GIVEN = [
    ({"time": np.arange(100)[::-1]}, "time=time"),
    (
        {"groups": np.arange(100) // 4, "plan": GroupKFold(3)},
        "sklearn.model_selection.GroupKFold(n_splits=3",
    ),
    ({"plan": errbar.plans.Seeds(2)}, "errbar.plans.Seeds(seeds=2, plan=errbar.plans.Holdout("),
    (
        {"plan": errbar.plans.Seeds(2, plan=KFold(3))},
        "errbar.plans.Predefined(sklearn.model_selection.KFold(",
    ),
    ({"plan": errbar.plans.Predefined(KFold(3), kind="other")}, "kind='other')"),
    ({"plan": 3, "loss": make_scorer(fbeta_score, beta=0.5)}, "loss='f0.5'"),
    ({"plan": 3, "loss": make_scorer(f1_score, pos_label=0)}, "loss='f1', positive=0"),
    ({"plan": 3, "loss": make_scorer(f1_score, pos_label=0, zero_division=0)}, "loss=loss"),
    ({"plan": 3, "loss": "f1", "positive": 0, "pool": "none"}, "positive=0, pool='none'"),
    ({"plan": 3, "loss": mine}, "loss=loss"),
    ({"plan": PAIRS}, "plan=plan"),
    ({"plan": KFold(3, shuffle=True, random_state=np.random.RandomState(0))}, "plan=plan"),
    ({"looks": (6, 12)}, "looks=(6, 12)"),
]


@pytest.mark.parametrize(("given", "part"), GIVEN, ids=[part for _, part in GIVEN])
def test_the_call_runs_whatever_the_run_was_given(given, part):
    X, y = load_iris(return_X_y=True)
    X, y = X[50:] + np.random.default_rng(0).normal(size=(100, 4)), y[50:] - 1
    learners = {"bayes": GaussianNB(), "none": DummyClassifier(strategy="stratified")}
    comparison = errbar.compare(learners, X, y, random_state=4, **given)
    document = build(comparison)
    assert part in document.call
    known = {"errbar": errbar, "sklearn": sklearn, "learners": learners, "X": X, "y": y}
    again = eval(
        document.call,
        known | {name: given[name] for name in ("loss", "plan", "groups", "time") if name in given},
    )
    assert again.to_dict()["pairs"] == comparison.to_dict()["pairs"]


DRAWN = {"plan": errbar.plans.Subsampling(repeats=12), "random_state": 4}


@pytest.mark.parametrize("more", [{}, {"looks": (6, 12), "plan": None}])
def test_the_call_of_a_run_with_draws_draws_again(more):
    X, y = load_iris(return_X_y=True)
    known = {
        "errbar": errbar,
        "learners": {"bayes": GaussianNB(), "none": DummyClassifier()},
        "X": X,
        "y": y,
    }
    question = {"method": "corrected-t", "baseline": "none"}
    [comparison] = errbar.compare_all(known["learners"], X, y, [question], draws=7, **DRAWN | more)
    document = build(comparison)
    assert document.call.endswith(", draws=7)[0]")
    again = eval(document.call, known)
    assert again.to_dict()["pairs"] == comparison.to_dict()["pairs"]
    assert ("Draws of a split", "7") in [(fact.term, fact.text) for fact in document.reproduction]


def test_draws_of_another_root_are_drawn_from_it_again():
    X, y = load_iris(return_X_y=True)
    known = {
        "errbar": errbar,
        "learners": {"bayes": GaussianNB(), "none": DummyClassifier()},
        "X": X,
        "y": y,
    }
    comparison = errbar.compare_table(errbar.run(known["learners"], X, y, **DRAWN).with_draws(7, 5))
    document = build(comparison)
    assert ".with_draws(7, 5)" in document.call
    assert eval(document.call, known).to_dict()["pairs"] == comparison.to_dict()["pairs"]


def test_what_cannot_be_written_is_told():
    X, y = load_iris(return_X_y=True)
    X, y, splitter = X[:100], y[:100], KFold(2, shuffle=True, random_state=np.random.RandomState(0))
    learner = {"bayes": GaussianNB()}
    facts = [
        next(
            fact.text
            for fact in build(errbar.compare(learner, X, y, random_state=0, **given)).reproduction
        )
        for given in ({"plan": PAIRS, "loss": mine}, {"plan": splitter}, {"plan": KFold(2)})
    ]
    assert all(
        part in facts[0] for part in ("learners, X, y, loss and plan", "'mine'", "2 index pairs")
    )
    assert "KFold(n_splits=2, random_state=RandomState(MT1" in facts[1]
    assert "0x" not in facts[1]
    assert "import sklearn.model_selection" in facts[2]


def test_a_class_named_by_a_scorer_is_told():
    X, y = load_iris(return_X_y=True)
    scorer = make_scorer(f1_score, pos_label=0)
    found = errbar.compare(
        {"bayes": GaussianNB()}, X[50:], y[50:] - 1, loss=scorer, plan=3, random_state=0
    )
    assert all(part in build(found).title for part in ("F1", "0", "bayes"))


def test_a_single_learner_is_made_again_too():
    X, y = load_iris(return_X_y=True)
    comparison = errbar.compare({"bayes": GaussianNB()}, X, y, random_state=1)
    again = eval(
        build(comparison).call,
        {"errbar": errbar, "learners": {"bayes": GaussianNB()}, "X": X, "y": y},
    )
    assert again.to_dict()["learners"] == comparison.to_dict()["learners"]
