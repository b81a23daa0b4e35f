"""The page as people use it: mouse and keyboard, paper, the dark, a telephone, by ear, and in a notebook."""

import re

import pytest
from axe_playwright_python.sync_playwright import Axe

from errbar import report
from tests.browser.comparisons import NASTY, many

pytestmark = pytest.mark.long

WIDE, PHONE = {"width": 1200, "height": 800}, {"width": 400, "height": 800}

# Cells whose text is wider than they are, by the box of the text itself.
OVER = """() => [...document.querySelectorAll(".errbar :is(td:not(.plot), table:not(.pairs) th:not(.plot))")].filter((cell) => {
    if (!cell.checkVisibility()) return false;
    const range = document.createRange();
    range.selectNodeContents(cell);
    return range.getBoundingClientRect().right > cell.getBoundingClientRect().right + 1;
}).map((cell) => cell.textContent)"""

# What notebooks do to the elements of their pages, in a style of our own.
HOST = """
.host { font: 14px/1.4 sans-serif; width: 900px; }
.host dl dt { float: left; clear: left; width: 8%; font-style: italic; margin-top: 16px; }
.host dl dd { width: 80%; padding: 0 16px; margin-left: 10%; }
.host table { table-layout: fixed; display: block; margin: 0 auto 1em; }
.host td, .host th, .host tr { padding: .5em; border: 1px solid gray; text-align: right; }
.host tbody tr:nth-child(even) { background: rgb(238, 238, 238); }
"""


def names(page, table):
    """Return the learners of a table, from top to bottom."""
    return page.locator(f"#{table}-0 tbody tr:not([hidden]) th").all_inner_texts()


def head(page, table, position):
    """Return the button that sorts by a column."""
    return page.locator(f"#{table}-0 thead th").nth(position).get_by_role("button")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("viewport", [WIDE, PHONE], ids=["wide", "phone"])
@pytest.mark.parametrize(
    "name",
    [
        *("one", "three", "fifteen", "sixty", "bayesian", "several"),
        *("ranks", "many-ranks", "tuned", "many-tuned"),
    ],
)
def test_no_rule_of_accessibility_is_broken(visit, name, viewport, scheme):
    page = visit(name, viewport=viewport, color_scheme=scheme, bypass_csp=True)
    assert Axe().run(page).response["violations"] == []


@pytest.mark.parametrize("width", [1200, 400, 320])
@pytest.mark.parametrize(
    "name",
    ["three", "fifteen", "sixty", "several", "ranks", "tuned", "many-tuned", "nasty", "long"],
)
def test_nothing_moves_sideways_or_leaves_its_cell(visit, name, width):
    page = visit(name, viewport={"width": width, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate(OVER) == []


@pytest.mark.parametrize("key", ["Enter", "Space"])
def test_numbers_are_sorted_and_turned(visit, key):
    page = visit("fifteen")
    given = names(page, "ranking")
    assert given == [f"m{i}" for i in range(15)]
    button = head(page, "ranking", 1)
    button.focus()
    page.keyboard.press(key)
    assert names(page, "ranking") == given[::-1]
    assert page.locator("#ranking-0 [aria-sort=descending]").count() == 1
    head(page, "ranking", 0).click()
    assert page.locator("#ranking-0 [aria-sort]").count() == 1
    assert names(page, "ranking") == sorted(given)


def test_the_filter_leaves_what_fits_in_both_tables(visit):
    page = visit("fifteen")
    page.get_by_label("Filter learners").fill("M1")
    assert names(page, "ranking") == ["m1", *(f"m{i}" for i in range(10, 15))]
    assert names(page, "differences") == names(page, "ranking")
    page.get_by_label("Filter learners").fill("")
    assert len(names(page, "ranking")) == 15


def test_of_sixty_the_first_are_shown_and_all_on_request(visit):
    page = visit("sixty")
    assert len(names(page, "ranking")) == 20
    page.get_by_role("button", name="Show all 60 learners").click()
    assert (len(names(page, "ranking")), len(names(page, "differences"))) == (60, 59)
    page.get_by_role("button", name="Show the first 20").click()
    assert len(names(page, "differences")) == 20


def test_the_differences_from_another_learner(visit):
    comparison = many(15)
    page = visit("fifteen")
    page.get_by_label("learner that the others are compared with").select_option("m7")
    others = [f"m{i}" for i in range(15) if i != 7]
    assert names(page, "differences") == others
    cells = page.locator("#differences-0 tbody td:nth-child(2)").all_inner_texts()
    shown = [float(text.replace("\N{MINUS SIGN}", "-")) for text in cells]
    risks = comparison.learners
    expected = [risks[name].estimate - risks["m7"].estimate for name in others]
    assert shown == pytest.approx(expected, abs=0.006)
    assert "m7" in page.locator("#differences-0 .sides").inner_text()
    aloud = page.locator("#differences-0 .iv").first.get_attribute("aria-label")
    assert "m0" in aloud


def test_one_stop_of_the_tab_key_a_table_and_arrows_within(visit):
    page = visit("three")
    first = page.locator("#ranking-0 .iv").first
    page.keyboard.press("Tab")
    assert first.evaluate("e => e === document.activeElement")
    for key, place in [("ArrowDown", 1), ("End", 2), ("ArrowDown", 2), ("Home", 0)]:
        page.keyboard.press(key)
        one = page.locator("#ranking-0 .iv").nth(place)
        assert one.evaluate("e => e === document.activeElement"), key
    page.keyboard.press("Tab")
    other = page.locator("#differences-0 .iv").first
    assert other.evaluate("e => e === document.activeElement")


def test_every_picture_says_its_numbers(visit):
    page = visit("three")
    for row in page.locator(".forest tbody tr").all():
        aloud = row.locator(".iv").get_attribute("aria-label")
        for cell in row.locator("td").all()[:2]:
            for number in re.findall(r"[\d.]+", cell.inner_text()):
                assert number in aloud


def test_names_stay_text(visit):
    page = visit("nasty")
    assert page.locator("img").count() == 0
    assert page.locator("script:not(.facts)").count() == 1
    assert names(page, "ranking") == list(NASTY)


@pytest.mark.parametrize("name", ["three", "fifteen", "several"])
def test_all_can_be_read_without_the_script(visit, name):
    page = visit(name, java_script_enabled=False)
    assert (
        page.locator(".forest tbody tr >> visible=true").count()
        == {
            "three": 6,
            "fifteen": 29,
            "several": 12,
        }[name]
    )
    fold = page.locator("details").first
    assert not fold.locator("dl").is_visible()
    fold.locator("summary").click()
    assert fold.locator("dl").is_visible()


def test_the_policy_of_the_page_stops_scripts_and_requests(visit_with_refusals):
    page, refused = visit_with_refusals("three")
    page.evaluate(
        """() => {
            document.body.append(Object.assign(new Image(), { src: "https://example.org/x.png" }));
            fetch("https://example.org/").catch(() => {});
        }"""
    )
    page.wait_for_timeout(100)
    said = [text for text in refused if "Content Security Policy" in text]
    assert {address in " ".join(said) for address in ("x.png'", "example.org/'")} == {True}


def test_paper_is_light_and_has_all_but_the_controls(visit):
    page = visit("fifteen", color_scheme="dark")
    page.emulate_media(media="print", color_scheme="dark")
    assert page.locator("input:visible, .more button:visible").count() == 0
    ink = "e => getComputedStyle(e).backgroundColor"
    assert page.locator("body").evaluate(ink) in ("rgb(255, 255, 255)", "rgba(0, 0, 0, 0)")
    pdf = page.pdf(format="A4")
    assert pdf.startswith(b"%PDF")


@pytest.mark.parametrize("name", ["one", "three"])
def test_the_answer_for_a_few_learners_fits_on_a_sheet(visit, name):
    page = visit(name, viewport={"width": 688, "height": 1000})  # A4 between its margins
    page.emulate_media(media="print")
    assert page.locator(".folds").bounding_box()["y"] < 1000


def in_a_notebook(comparison, theme="true"):
    return (
        f'<!doctype html><html lang="en"><title>Notebook</title><style>{HOST}</style>'
        f'<body class="theme" data-jp-theme-light="{theme}"><main class="host"><h1>Notebook</h1>'
        f"{report.fragment(comparison)}</main>"
    )


@pytest.mark.parametrize("count", [3, 15])
def test_in_a_notebook_it_keeps_its_shape(browser, count):
    page = browser.new_page()
    page.set_content(in_a_notebook(many(count)))
    assert Axe().run(page, context=".errbar").response["violations"] == []
    assert page.evaluate(OVER) == []
    for term in page.locator(".errbar dt").all():
        assert term.evaluate("e => getComputedStyle(e).float") == "none"
    row = page.locator(".errbar tbody tr:nth-child(2)").first
    assert row.evaluate("e => getComputedStyle(e).backgroundColor") == "rgba(0, 0, 0, 0)"
    assert page.locator(".errbar select, .errbar input, .errbar th button").count() == 0
    page.close()


@pytest.mark.parametrize(("theme", "system"), [("true", "dark"), ("false", "light")])
def test_a_notebook_says_whether_it_is_dark(browser, theme, system):
    page = browser.new_page(color_scheme=system)
    page.set_content(in_a_notebook(many(3), theme))
    ink = page.locator(".errbar").evaluate("e => getComputedStyle(e).color")
    light = sum(map(int, re.findall(r"\d+", ink)[:3])) > 3 * 128
    assert light == (theme == "false")
    page.close()
