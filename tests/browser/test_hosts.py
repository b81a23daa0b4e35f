"""The report where people read it: on a telephone, in a notebook, in the dark, and by ear."""

import pytest
from axe_playwright_python.sync_playwright import Axe

import errbar
from errbar import report
from tests.browser.comparisons import one, several
from tests.report.comparisons import many

pytestmark = pytest.mark.long

# What notebooks and forges do to the elements of their pages, in a style of our own.
HOST = """
.host { font: 14px/1.4 sans-serif; width: 900px; }
.host ul:not(.inline) { list-style: disc; padding-left: 2em; margin-bottom: 1em; }
.host dl dt { float: left; clear: left; width: 8%; font-style: italic; margin-top: 16px; }
.host dl dd { width: 80%; padding: 0 16px; margin-left: 10%; }
.host table { table-layout: fixed; display: block; margin: 0 auto 1em; }
.host td, .host th, .host tr { padding: .5em; border: 1px solid gray; text-align: right; white-space: normal; max-width: none; }
.host tbody tr:nth-child(even) { background: rgb(238, 238, 238); }
.theme .host pre, .theme .host code { padding: 0; white-space: pre-wrap; }
"""


@pytest.fixture(scope="module")
def shown():
    """Comparisons of a few and of many learners, by several methods and by a Bayesian one."""
    bayesian = many(3, method="bayes-correlated-t", rope=0.1)
    return {"one": one(), "several": several(), "fifteen": many(15), "bayesian": bayesian}


@pytest.fixture
def opened(browser):
    """Open a page that is given as text."""
    contexts = []

    def open_(source, **options):
        contexts.append(
            browser.new_context(
                **{"viewport": {"width": 1000, "height": 800}, "offline": True} | options
            )
        )
        page = contexts[-1].new_page()
        page.set_content(source)
        return page

    yield open_
    for context in contexts:
        context.close()


def in_a_notebook(comparison, theme="true"):
    fragment = report.fragment(comparison)
    return (
        f'<!doctype html><html lang="en"><title>Notebook</title><style>{HOST}</style>'
        f'<body class="theme" data-jp-theme-light="{theme}"><main class="host"><h2>Notebook</h2>{fragment}</main>'
    )


PHONE, DARK = {"viewport": {"width": 400, "height": 800}}, {"color_scheme": "dark"}


@pytest.mark.parametrize(
    ("name", "options"),
    [("one", {}), ("one", DARK), ("several", PHONE), ("fifteen", PHONE), ("bayesian", DARK)],
)
def test_no_rule_of_accessibility_is_broken(opened, shown, name, options):
    page = opened(report.html(shown[name]), bypass_csp=True, **options)
    assert Axe().run(page).response["violations"] == []


@pytest.mark.parametrize("name", ["fifteen", "several"])
def test_nor_in_a_notebook(opened, shown, name):
    page = opened(in_a_notebook(shown[name]).replace("<h2>Notebook</h2>", "<h1>Notebook</h1>"))
    assert Axe().run(page, context=".errbar").response["violations"] == []


@pytest.mark.parametrize(("name", "width"), [("one", 320), ("fifteen", 400)])
def test_on_a_telephone_rows_are_cards_and_nothing_is_out_of_sight(opened, shown, name, width):
    page = opened(
        report.html(shown[name]), viewport={"width": width, "height": 800}, bypass_csp=True
    )
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    cards = page.locator("table.cards >> visible=true")
    assert cards.count() > 1
    for table in cards.all():
        room = table.evaluate("e => [e.parentElement.scrollWidth, e.parentElement.clientWidth]")
        assert room[0] <= room[1]
        [first, *_] = table.locator("tbody tr").first.locator("td").all()
        assert first.evaluate("e => getComputedStyle(e, '::before').content").strip('"')
    buttons = cards.first.get_by_role("button")
    assert buttons.count() > 2
    before = cards.first.locator("tbody th").all_inner_texts()
    buttons.nth(1).click()
    buttons.nth(1).click()
    assert cards.first.locator("tbody th").all_inner_texts() != before


def long_names():
    names = [
        "RandomForestClassifier(n_estimators=500,max_features='sqrt')",
        "an_identifier_without_a_place_to_break_" * 2,
    ]
    given = many(40)
    scores = dict(zip([*names, *given.table.learners[2:]], given.table.scores, strict=True))
    return errbar.compare_table(errbar.from_scores(scores, n_train=90, n_test=10))


# Cells whose text is wider than they are, by the box of the text itself.
OVER = """() => [...document.querySelectorAll(".errbar :is(th, td)")].filter((cell) => {
    if (!cell.checkVisibility()) return false;
    const range = document.createRange();
    range.selectNodeContents(cell);
    return range.getBoundingClientRect().right > cell.getBoundingClientRect().right + 1;
}).map((cell) => cell.textContent)"""


@pytest.mark.parametrize("width", [1200, 400])
def test_long_names_stay_in_their_cells(opened, width):
    page = opened(
        report.html(long_names()), viewport={"width": width, "height": 800}, bypass_csp=True
    )
    assert page.evaluate(OVER) == []
    page.emulate_media(media="print")
    assert page.evaluate(OVER) == []


def test_where_there_is_room_no_table_is_cut(opened, shown):
    page = opened(
        report.html(shown["fifteen"]), viewport={"width": 1200, "height": 800}, bypass_csp=True
    )
    for region in page.locator(".scroll >> visible=true").all():
        wide, room = region.evaluate("e => [e.scrollWidth, e.clientWidth]")
        assert wide <= room, region.get_attribute("aria-label")


def test_on_paper_the_matrix_of_forty_has_all_its_columns(opened):
    # What is left of A4 between the margins, at 96 dots per inch.
    page = opened(report.html(many(40)), viewport={"width": 688, "height": 900}, bypass_csp=True)
    page.emulate_media(media="print")
    assert page.locator("table.marks").evaluate("e => e.getBoundingClientRect().right") <= 688
    # A browser leaves buttons out of the heads that it repeats on the next page.
    assert {
        one.evaluate("e => getComputedStyle(e).display")
        for one in page.locator("button.sort").all()
    } == {"contents"}


def test_a_matrix_that_is_too_wide_has_a_shadow_at_its_edge(opened, shown):
    page = opened(
        report.html(shown["fifteen"]), viewport={"width": 320, "height": 800}, bypass_csp=True
    )
    region = page.locator(".scroll:has(table.marks)")
    wide, room = region.evaluate("e => [e.scrollWidth, e.clientWidth]")
    assert wide > room
    assert "linear-gradient" in region.evaluate("e => getComputedStyle(e).backgroundImage")
    assert region.get_attribute("tabindex") == "0"


def test_in_a_notebook_lists_and_tables_keep_their_shape(opened, shown):
    page = opened(in_a_notebook(shown["one"]))
    for term in page.locator(".errbar dt").all():
        assert term.evaluate("e => getComputedStyle(e).float") == "none"
        words = term.inner_text()
        assert term.bounding_box()["height"] < 30 * (1 + len(words) // 14), words
    assert (
        page.locator(".conclusion ul").evaluate("e => getComputedStyle(e).listStyleType") == "none"
    )
    cell = page.locator(".errbar tbody tr:nth-child(2) td").first
    assert (
        cell.evaluate("e => getComputedStyle(e.parentElement).backgroundColor")
        == "rgba(0, 0, 0, 0)"
    )
    assert cell.evaluate("e => getComputedStyle(e).borderLeftWidth") == "0px"
    head = page.locator(".errbar thead th").first
    assert head.evaluate("e => getComputedStyle(e).textAlign") == "left"


@pytest.mark.parametrize(("theme", "system"), [("true", "dark"), ("false", "light")])
def test_a_notebook_says_whether_it_is_dark(opened, shown, theme, system):
    page = opened(in_a_notebook(shown["one"], theme), color_scheme=system)
    ink = page.locator(".errbar").evaluate("e => getComputedStyle(e).color")
    assert ink == ("rgb(28, 32, 36)" if theme == "true" else "rgb(228, 231, 234)")
