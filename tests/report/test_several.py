"""Several comparisons in one report."""

import re
from itertools import pairwise

import pytest

import errbar
from errbar import report
from errbar.report.several import agreement_of, agreements_of, names_of, remarks_of
from tests.report.comparisons import many, shifted
from tests.report.test_renderers import Page

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def both():
    return [many(3), many(3, method="resampled-t")]


def test_names_are_the_methods_and_more_only_where_it_takes_more(both):
    assert names_of(both) == ("corrected-t", "resampled-t")
    assert names_of([many(3), many(3, correlation=0.2)]) == (
        "corrected-t",
        "corrected-t, correlation = 0.2",
    )
    assert names_of([shifted(1.0), shifted(1.0, metric="f1", higher_is_better=True)]) == (
        "Score",
        "F1",
    )
    assert names_of([many(3), many(3, baseline="m1")])[1].endswith("baseline m1")


def test_names_are_all_different(both):
    names = names_of([*both, *both])
    assert len(set(names)) == 4
    assert names[0].endswith("(1)")


def test_agreement_puts_the_deciding_p_values_side_by_side(both):
    [table] = agreement_of(both).tables
    assert [str(column.header) for column in table.columns] == [
        "Pair",
        "corrected-t, adjusted p",
        "resampled-t, adjusted p",
    ]
    for row, one, other in zip(table.rows, both[0].pairs, both[1].pairs, strict=True):
        assert str(row[0]) == f"{one.a} and {one.b}"
        assert [cell.value for cell in row[1:]] == [one.adjusted, other.adjusted]
        assert [cell.strong for cell in row[1:]] == [one.adjusted <= 0.05, other.adjusted <= 0.05]


def test_agreement_needs_the_same_pairs(both):
    assert agreement_of([both[0]]) is None
    assert agreement_of([both[0], many(3, baseline="m1")]) is None
    assert agreement_of([both[0], many(4)]) is None


def test_page_has_one_part_per_comparison(both):
    page = Page(report.html(both))
    assert page.stack == []
    ids = page.values("id")
    assert len(ids) == len(set(ids))
    for name in ("aria-labelledby", "aria-describedby"):
        assert set(page.values(name)) <= set(ids)
    parts = [
        attrs["data-name"]
        for tag, attrs in page.attributes
        if tag == "section" and attrs.get("class") == "part"
    ]
    assert parts == ["corrected-t", "resampled-t"]
    assert {link[1:] for link in page.values("href")} <= set(ids)
    levels = [int(tag[1]) for tag in page.tags if re.fullmatch("h[1-6]", tag)]
    assert all(later <= earlier + 1 for earlier, later in pairwise(levels))
    assert levels.count(1) == 1


def test_conclusions_of_all_are_on_the_page(both):
    shown = (
        "".join(Page(report.html(both)).text)
        .replace("\N{NO-BREAK SPACE}", " ")
        .replace("\N{MINUS SIGN}", "-")
    )
    for one in both:
        for sentence in report.conclude(one):
            assert sentence in shown


def test_a_fragment_of_several_has_them_all(both):
    page = Page(report.fragment(both))
    assert page.stack == []
    assert len(page.values("id")) == len(set(page.values("id")))
    assert {"corrected-t", "resampled-t"} <= {text.strip() for text in page.text}


def test_labels_of_latex_are_unique(both):
    labels = re.findall(r"\\label\{([^}]*)\}", report.latex(both))
    assert len(labels) == len(set(labels)) == 4
    assert re.findall(r"\\label\{([^}]*)\}", report.latex(both[0])) == [
        "tab:errbar-estimates",
        "tab:errbar-differences",
    ]


def test_markdown_and_text_hold_each_in_turn(both):
    source = report.markdown(both)
    assert re.findall("^# .*: (.*)$", source, re.MULTILINE) == ["corrected-t", "resampled-t"]
    assert report.text(both, width=100) == "\n\n".join(report.text(one, width=100) for one in both)


def test_a_generator_will_do(both):
    assert report.markdown(one for one in both) == report.markdown(both)


def test_two_measures_of_one_run_have_one_title():
    table = errbar.from_losses({"a": [0, 1, 0, 1], "b": [1, 1, 0, 1]}, n_train=50)
    found = [errbar.compare_table(table, method=method) for method in ("holdout-t", "permutation")]
    title = re.compile("<h1>(.*?)</h1>")
    assert title.findall(report.html(found)) == title.findall(report.html(found[0]))
    assert title.findall(report.html([shifted(1.0), many(3)])) != title.findall(
        report.html(shifted(1.0))
    )


@pytest.fixture(scope="module")
def losses():
    """Two losses by two methods each, losses first."""
    given = many(3).table
    scores = {name: -row for name, row in zip(given.learners, given.scores, strict=True)}
    areas = errbar.from_scores(
        scores, n_train=90, n_test=10, metric="roc_auc", higher_is_better=True
    )
    methods = ("corrected-t", "resampled-t")
    return [
        errbar.compare_table(one, method=method) for one in (given, areas) for method in methods
    ]


def test_losses_are_named_and_methods_where_they_differ_too(losses):
    assert names_of(losses) == (
        "Score, corrected-t",
        "Score, resampled-t",
        "ROC AUC, corrected-t",
        "ROC AUC, resampled-t",
    )
    assert names_of(losses[::2]) == ("Score", "ROC AUC")


def test_methods_agree_within_a_loss_only(losses):
    titles = [section.title for section in agreements_of(losses)]
    assert ["score" in titles[0], "ROC AUC" in titles[1], len(titles)] == [True, True, 2]
    assert agreements_of(losses[::2]) == ()
    assert [section.title for section in agreements_of(losses[:3])] == titles[:1]
    page = Page(report.html(losses))
    assert page.stack == []
    assert len(page.values("id")) == len(set(page.values("id")))
    assert "Losses and methods" in page.values("aria-label")


@pytest.mark.thorough
def test_every_form_says_that_tests_are_not_adjusted_over_losses(losses, both):
    [remark] = remarks_of(losses)
    shown = [
        report.text(losses, width=200),
        report.markdown(losses),
        report.latex(losses),
        report.html(losses),
    ]
    assert [" ".join(text.split()).count(remark) for text in [*shown, report.fragment(losses)]] == [
        1,
        1,
        1,
        1,
        1,
    ]
    assert remarks_of(both) == ()
