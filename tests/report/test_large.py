"""Many learners: what is shown, that it stays small, and that nothing is lost."""

import json
import re
import subprocess
import sys
from collections import Counter

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st

import errbar
from errbar import report
from errbar.comparison import MANY, MOST_LISTED
from errbar.report import build
from errbar.report.rows import csv
from tests.report.comparisons import many
from tests.report.test_renderers import Page

pytestmark = pytest.mark.long

WIDEST_MATRIX = 40


@pytest.fixture(scope="module")
def sixty():
    return many(60)


@pytest.fixture(scope="module")
def alike():
    """Learners that differ by chance alone."""
    rng = np.random.default_rng(2)
    scores = {f"m{i}": rng.normal(size=10) for i in range(MANY)}
    return errbar.compare_table(errbar.from_scores(scores, n_train=90, n_test=10))


def tables_of(comparison):
    document = build(comparison)
    sections = [*document.sections, *filter(None, [document.certainty])]
    return {table.key: table for section in sections for table in section.tables}


def texts(table, header):
    [column] = [column for column in table.columns if str(column.header) == header]
    return list(map(str, column.cells))


def test_below_that_many_all_pairs_are_shown():
    comparison = many(MANY - 1)
    document = build(comparison)
    assert [section.title for section in document.sections] == ["Ranking", "Differences"]
    assert len(tables_of(comparison)["differences"].rows) == len(comparison.pairs)


def test_against_a_baseline_all_pairs_are_shown():
    comparison = many(30, baseline="m0")
    assert not comparison.large
    assert len(tables_of(comparison)["differences"].rows) == 29


@pytest.mark.parametrize("count", [MANY, 25, 60])
def test_sections_of_many(count):
    comparison = many(count)
    tables = tables_of(comparison)
    assert [section.title for section in build(comparison).sections] == [
        "Ranking",
        "Who is better than whom",
        "Established differences",
    ]
    assert len(tables["estimates"].rows) == count
    assert len(tables["differences"].rows) == min(MOST_LISTED, len(comparison.standing.established))
    assert len(tables["certainty"].rows) == len(tables["differences"].rows)
    assert len(tables["matrix"].rows) == tables["matrix"].marks == min(WIDEST_MATRIX, count)


def test_what_is_shown_grows_with_the_learners_and_not_with_the_pairs():
    """Cells that are formatted: a constant and so many for each learner; twice as many learners have four times the pairs."""

    def work(comparison):
        return sum(len(table.rows) * len(table.columns) for table in tables_of(comparison).values())

    forty, eighty = many(40), many(80)
    assert work(eighty) - work(forty) == 40 * len(tables_of(eighty)["estimates"].columns)
    lines = [len(report.text(one, width=120).splitlines()) for one in (forty, eighty)]
    assert abs(lines[1] - lines[0] - 40) <= 3  # sentences break elsewhere
    sizes = [len(report.html(one)) for one in (forty, eighty)]
    assert sizes[1] < 1.2 * sizes[0]


@pytest.mark.parametrize("higher_is_better", [False, True])
@pytest.mark.parametrize("alternative", ["two-sided", "less"])
def test_ranks_and_the_matrix_are_those_of_the_tests(higher_is_better, alternative):
    """Counted anew, pair by pair."""
    rng = np.random.default_rng(4)
    scores = {f"m{i}": rng.normal(size=15) + 0.3 * rng.integers(0, 9) for i in range(20)}
    table = errbar.from_scores(scores, n_train=90, n_test=10, higher_is_better=higher_is_better)
    comparison = errbar.compare_table(table, alternative=alternative)
    means = {
        name: np.mean(values) * (-1 if higher_is_better else 1) for name, values in scores.items()
    }
    order = sorted(means, key=means.get)
    shown = tables_of(comparison)
    assert texts(shown["estimates"], "Learner") == order
    beats = {
        tuple(sorted((pair.a, pair.b), key=means.get))
        for pair in comparison.pairs
        if pair.adjusted <= comparison.alpha
    }
    assert beats
    wins, losses = Counter(a for a, _ in beats), Counter(b for _, b in beats)
    assert texts(shown["estimates"], "Better than") == [str(wins[name]) for name in order]
    assert texts(shown["estimates"], "Worse than") == [str(losses[name]) for name in order]
    assert comparison.standing.possible_best == tuple(name for name in order if not losses[name])
    for row, a in zip(shown["matrix"].rows, order, strict=True):
        for cell, b in zip(row[2:], order, strict=True):
            mark = "+" if (a, b) in beats else "-" if (b, a) in beats else " " if a == b else "."
            assert str(cell) == mark
    sizes = [abs(found.pair.result.estimate) for found in comparison.standing.established]
    assert sizes == sorted(sizes, reverse=True)
    assert len(sizes) == len(beats)


def test_ranks_not_told_apart_are_those_without_a_mark(sixty):
    shown = tables_of(sixty)["estimates"]
    better = sixty.standing.better
    for own, text in enumerate(texts(shown, "Not told from ranks")):
        equal = [1 + place for place, sign in enumerate(better[own]) if sign == 0 and place != own]
        if " of " in text:
            count, first, last = map(int, re.findall(r"\d+", text))
            assert (count, first, last) == (len(equal), equal[0], equal[-1])
        else:
            named = set()
            for part in text.replace("none", "").split(", "):
                ends = list(map(int, re.findall(r"\d+", part)))
                named |= set(range(ends[0], ends[-1] + 1)) if ends else set()
            assert named - {own + 1} == set(equal)


def test_the_bottom_line_names_the_possible_best(alike, sixty):
    winner, *rivals = sixty.best.learners
    said = report.conclude(sixty)[0]
    assert all(name in said for name in (winner, *rivals))
    assert set(alike.best.learners) == set(alike.learners)


def test_a_long_list_of_possible_best_is_cut_with_a_count():
    rng = np.random.default_rng(2)
    scores = {f"m{i}": rng.normal(size=10) for i in range(30)}
    said = " ".join(
        report.conclude(errbar.compare_table(errbar.from_scores(scores, n_train=90, n_test=10)))
    )
    assert "18 others" in said  # of 29, eleven are named


def test_where_nothing_is_established_there_is_no_table_of_it(alike):
    document = build(alike)
    assert [section.key for section in document.sections] == ["estimates", "matrix"]
    assert document.certainty is None
    assert set(
        "".join(str(cell) for row in tables_of(alike)["matrix"].rows for cell in row[2:])
    ) == {".", " "}
    for form in (report.text, report.markdown, report.latex, report.html, report.fragment):
        assert "pairs" in form(alike)


def test_all_pairs_are_named_where_they_are(sixty):
    for form in (report.text, report.markdown, report.html):
        shown = " ".join(form(sixty).split())
        assert "1770 pairs" in shown
        for place in ("to_frame()", "--json", "pairs.parquet"):
            assert place in shown.replace("\\_", "_").replace("&#39;", "'")


@pytest.mark.parametrize("width", [60, 80, 100, 120, 200])
@pytest.mark.parametrize("count", [12, 60])
def test_text_at_many_widths(count, width, sixty):
    comparison = sixty if count == 60 else many(count)
    lines = report.text(comparison, width=width, color=False).splitlines()
    assert max(map(len, lines)) <= width
    text = " ".join(" ".join(lines).split())
    cut = re.findall(r"(\d+) of (\d+) rows and columns", text)
    heads = [
        line for line in lines if line.startswith("Learner") and " 1 2 3 4 5 6 7 8 9 " in f"{line} "
    ]
    assert bool(cut) == (2 * min(count, WIDEST_MATRIX) + len("m59") + len("  Rank") + 4 > width)
    assert len(heads) == 1


def test_pages_of_many_can_be_heard_and_load_nothing(sixty):
    page = Page(report.html(sixty))
    assert page.stack == []
    assert page.tags.count("caption") == page.tags.count("table") == 5
    assert all(
        attrs.get("scope") in ("col", "row") for tag, attrs in page.attributes if tag == "th"
    )
    regions = [attrs for tag, attrs in page.attributes if attrs.get("role") == "group"]
    assert all(attrs["tabindex"] == "0" and attrs["aria-label"] for attrs in regions)
    [tall] = [attrs for attrs in regions if "tall" in attrs["class"]]
    assert tall["aria-label"].startswith("Table: Score")
    assert "40 of 60" in "".join(page.text)


def test_papers_get_no_matrix(sixty):
    source = report.latex(sixty)
    assert source.count(r"\begin{tabular}") == 2
    assert "matrix" not in source


def test_names_stay_text():
    rng = np.random.default_rng(0)
    scores = {f"<i>m_{i}</i> $x$": rng.normal(size=10) for i in range(MANY)}
    comparison = errbar.compare_table(errbar.from_scores(scores, n_train=90, n_test=10))
    assert "<i>" not in report.html(comparison)
    assert "<i>" not in report.markdown(comparison)
    assert "<i>m_3</i>" in report.text(comparison, width=120)


def test_several_methods_are_compared_where_they_disagree():
    table = many(20).table
    found = [
        errbar.compare_table(table, method=method) for method in ("corrected-t", "resampled-t")
    ]
    apart = {
        (p.a, p.b)
        for p, q in zip(found[0].pairs, found[1].pairs, strict=True)
        if (p.adjusted <= 0.05) != (q.adjusted <= 0.05)
    }
    section = report.several.agreement_of(found)
    assert 0 < len(section.tables[0].rows) == min(len(apart), MOST_LISTED)
    assert {tuple(str(row[0]).split(" and ")) for row in section.tables[0].rows} <= apart
    assert re.findall(r"\d+", str(section.remarks[0]))[:2] == [str(190 - len(apart)), "190"]
    [same] = [report.several.agreement_of([found[0], found[0]])]
    assert same.tables == ()
    assert "190 of 190" in report.html([found[0], found[0]])


def test_notes_with_numbers_of_a_pair_are_told_once():
    rng = np.random.default_rng(3)
    given = {f"m{i}": rng.random(15) for i in range(MANY)}
    table = errbar.from_scores(given, n_train=90, n_test=10, stratified=True)
    comparison = errbar.compare_table(table)
    codes = Counter(note.code for note in comparison.notes)
    assert codes["strata-not-known"] > MANY * (MANY - 1) // 2 - 4
    shown = build(comparison).notes
    assert Counter(note.term for note in shown) == dict.fromkeys(codes, 1)


def test_estimates_in_units_of_their_own():
    """The probability of outperforming: the first wins above one half, whatever the direction of the score."""
    rng = np.random.default_rng(1)
    scores = {f"m{i}": rng.normal(size=30) - 0.3 * i for i in range(MANY)}
    table = errbar.from_scores(scores, n_train=90, n_test=10, kind="bootstrap")
    comparison = errbar.compare_table(table, method="outperformance", resamples=5000)
    assert comparison.standing.ranking == tuple(reversed(scores))
    won = [found.pair.result.estimate > 0.5 for found in comparison.standing.established]
    place = comparison.standing.ranking.index
    signs = [
        comparison.standing.better[place(found.pair.a), place(found.pair.b)]
        for found in comparison.standing.established
    ]
    assert signs == [1 if first else -1 for first in won]
    assert signs
    assert len(report.conclude(comparison)) < 8
    assert build(comparison).sections[-1].title == "Established pairs"


class TestNothingIsLost:
    def test_json(self, sixty, tmp_path):
        data = json.loads(sixty.save(tmp_path / "all.json").read_text(encoding="utf-8"))
        assert len(data["pairs"]) == len(sixty.to_frame()) == 1770
        assert [(pair["a"], pair["b"], pair["adjusted"]) for pair in data["pairs"]] == [
            (pair.a, pair.b, pair.adjusted) for pair in sixty.pairs
        ]

    @pytest.mark.parametrize("ending", [".csv", ".parquet"])
    def test_tables(self, sixty, tmp_path, ending):
        path = sixty.save(tmp_path / f"all{ending}")
        read = pd.read_csv(path) if ending == ".csv" else pd.read_parquet(path)
        learners, pairs = read[read["b"].isna()], read[read["b"].notna()]
        assert learners["a"].tolist() == list(sixty.learners)
        assert learners["estimate"].tolist() == pytest.approx(
            [one.estimate for one in sixty.learners.values()], rel=1e-15
        )
        expected = sixty.to_frame()
        for column in ("a", "b"):
            assert pairs[column].tolist() == expected[column].tolist()
        for column in ("estimate", "se", "low", "high", "statistic", "df", "pvalue", "adjusted"):
            assert pairs[column].to_numpy(float) == pytest.approx(
                expected[column].to_numpy(float), rel=1e-14
            )
        assert pairs["significant"].astype(bool).tolist() == [
            found.significant for found in sixty.decisions
        ]

    def test_several_comparisons_are_told_apart(self, tmp_path):
        found = [many(3, alternative="less"), many(3, method="bayes-correlated-t", rope=0.1)]
        read = pd.read_parquet(report.save(found, tmp_path / "both.parquet"))
        assert read["comparison"].value_counts().to_dict() == {
            "corrected-t": 6,
            "bayes-correlated-t": 6,
        }
        own = read[(read["comparison"] == "bayes-correlated-t") & read["b"].notna()]
        assert own["posterior_rope"].tolist() == [
            pair.result.posterior["rope"] for pair in found[1].pairs
        ]
        assert read["low"].isna().sum() == 3  # of the one-sided intervals

    @settings(max_examples=60, deadline=None)
    @given(
        st.lists(
            st.text(st.characters(codec="utf-8", exclude_categories=["C"]), min_size=1),
            min_size=2,
            max_size=4,
            unique=True,
        )
    )
    def test_no_cell_is_a_formula(self, names):
        names = [name for name in names if name.strip()]
        if len(names) < 2:
            return
        # As an array: in a mapping, a name such as "REPEAT" is that of a label.
        scores = np.array([[0.1, 0.2 + i, 0.4] for i in range(len(names))]).T
        table = errbar.from_scores(scores, names=names, n_train=9, n_test=1)
        import csv as reader
        import io

        [head, *rows] = reader.reader(io.StringIO(csv([errbar.compare_table(table)])))
        for row in rows:
            for name, cell in zip(head, row, strict=True):
                assert (
                    name in ("comparison", "a", "b")
                    or not cell
                    or cell in ("True", "False")
                    or np.isfinite(float(cell))
                )
                if name in ("a", "b") and cell:
                    assert cell[0] not in "=+-@\t\r"
                    assert cell.removeprefix("'") in names or cell in names


def test_at_a_prompt_a_comparison_is_one_screen(sixty):
    title, subtitle, *rest = repr(sixty).splitlines()
    assert "60" in title
    assert "15" in subtitle
    assert subtitle.endswith("corrected-t")
    assert [line.split()[0] for line in rest[:10]] == list(sixty.standing.ranking[:10])
    assert rest[10].split()[1] == "50"
    assert " ".join(report.conclude(sixty)[0].split()) in " ".join(rest)
    assert len(rest) < 24
    assert max(map(len, rest)) <= 100


@pytest.mark.thorough
def test_on_the_command_line(tmp_path):
    """All pairs as JSON and as Parquet, and a text that names where they are."""
    table = many(MANY).table
    frame = pd.DataFrame(dict(zip(table.learners, table.scores, strict=True)))
    frame.to_csv(tmp_path / "scores.csv", index=False)
    test = [
        sys.executable,
        "-c",
        "from errbar.cli import main; main()",
        "test",
        "scores.csv",
        "--n-train",
        "90",
        "--n-test",
        "10",
    ]

    def run(*more):
        done = subprocess.run(
            [*test, *more], cwd=tmp_path, capture_output=True, text=True, check=True, timeout=300
        )
        return done.stdout

    data = json.loads(run("--json", "--out", "all.parquet"))
    pairs = MANY * (MANY - 1) // 2
    assert len(data["pairs"]) == pairs
    assert len(pd.read_parquet(tmp_path / "all.parquet")) == MANY + pairs
    assert f"{pairs} pairs" in " ".join(run().split())
