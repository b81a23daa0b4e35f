"""The page as people use it: with mouse and keyboard, on paper, in the dark, on a telephone, and without its script."""

import re

import pytest

from tests.browser.comparisons import NASTY, OTHER, one

pytestmark = pytest.mark.long

ESTIMATES = "section[aria-labelledby$=estimates] table"
PAIRS = ".view:not([hidden]) table"


def column(table, position):
    """Return the texts of one column, from top to bottom."""
    return table.locator(f"tbody tr > :nth-child({position})").all_inner_texts()


def shown(page, selector):
    """Return the first element that is not hidden."""
    return page.locator(f"{selector} >> visible=true").first


def test_numbers_are_sorted_as_numbers_and_back(visit):
    page = visit("one")
    table = shown(page, ESTIMATES)
    given = column(table, 1)
    assert given == ["m10", "m9", "zeta", "twin", "alpha"]  # the best first
    head = table.locator("th[scope=col]").nth(1)
    button = head.get_by_role("button")
    button.click()
    assert head.get_attribute("aria-sort") == "ascending"
    assert column(table, 1) == ["m10", "m9", "zeta", "twin", "alpha"]  # equal ones as they stood
    button.click()
    assert head.get_attribute("aria-sort") == "descending"
    assert column(table, 1) == ["alpha", "zeta", "twin", "m9", "m10"]


def test_only_the_last_column_is_marked_as_sorted(visit):
    page = visit("one")
    table = shown(page, ESTIMATES)
    for position in (1, 2):
        table.get_by_role("button").nth(position).click()
    assert table.locator("[aria-sort]").count() == 1
    assert table.locator("th[scope=col]").nth(2).get_attribute("aria-sort") == "ascending"


@pytest.mark.parametrize("key", ["Enter", "Space"])
def test_the_keyboard_sorts_too(visit, key):
    page = visit("one")
    table = shown(page, ESTIMATES)
    table.get_by_role("button").nth(3).focus()
    page.keyboard.press(key)
    page.keyboard.press(key)
    assert column(table, 1)[0] == "alpha"


def test_intervals_are_sorted_by_their_estimates(visit):
    page = visit("one")
    table = shown(page, PAIRS)
    heads = [
        text.replace("\N{NO-BREAK SPACE}", " ")
        for text in table.locator("th[scope=col]").all_inner_texts()
    ]
    place = heads.index("Simultaneous 95 % interval")
    table.get_by_role("button").nth(place).click()
    estimates = [float(text.replace("\N{MINUS SIGN}", "-")) for text in column(table, 3)[:-1]]
    assert estimates == sorted(estimates)


def test_what_has_no_number_stays_last_in_both_directions(visit):
    page = visit("one")
    table = shown(page, PAIRS)
    place = next(
        i
        for i, head in enumerate(table.locator("th[scope=col]").all_inner_texts())
        if "TOST" in head
    )
    button = table.locator("th[scope=col]").nth(place).get_by_role("button")
    for _ in range(2):
        button.click()
        assert column(table, place + 1)[-1] == "none"
        assert column(table, 1)[-1] == "zeta \N{MINUS SIGN} twin"


def test_names_are_sorted_as_people_read_them(visit):
    page = visit("one")
    table = shown(page, ESTIMATES)
    table.get_by_role("button").first.click()
    assert column(table, 1) == ["alpha", "m9", "m10", "twin", "zeta"]


def test_a_baseline_shows_its_own_differences(visit):
    page = visit("several")
    choice = shown(page, "select")
    assert set(column(shown(page, PAIRS), 1)[:2]) == {
        "m10 \N{MINUS SIGN} alpha",
        "m9 \N{MINUS SIGN} alpha",
    }
    choice.select_option(label="zeta")
    table = shown(page, PAIRS)
    assert column(table, 1) == [f"{name} \N{MINUS SIGN} zeta" for name in ("m10", "m9", "alpha")]
    signs = [text[0] for text in column(table, 3)]
    assert signs == ["\N{MINUS SIGN}", "\N{MINUS SIGN}", "9"]
    assert "adjusted over 3 pairs" in shown(page, ".view .remark").inner_text()
    assert page.locator("section[aria-labelledby$=differences] figure >> visible=true").count() == 1
    choice.select_option(index=0)
    assert len(column(shown(page, PAIRS), 1)) == 6


def test_the_baseline_is_chosen_by_keyboard_and_has_a_label(visit):
    page = visit("one")
    choice = page.get_by_label("Baseline")
    choice.focus()
    page.keyboard.press("ArrowDown")
    assert column(shown(page, PAIRS), 1)[0].endswith("m10")


def test_methods_are_tabs(visit):
    page = visit("several")
    tabs = page.get_by_role("tablist", name="Methods").get_by_role("tab")
    assert tabs.all_inner_texts() == ["corrected-t", "kfold-t", "resampled-t"]
    panel = page.get_by_role("tabpanel")
    assert panel.count() == 1
    assert panel.get_attribute("aria-labelledby") == tabs.nth(0).get_attribute("id")
    tabs.nth(1).click()
    assert panel.count() == 1
    assert "kfold-t" in panel.locator(".subtitle").inner_text()
    assert [tab.get_attribute("aria-selected") for tab in tabs.all()] == ["false", "true", "false"]
    assert [tab.get_attribute("tabindex") for tab in tabs.all()] == ["-1", "0", "-1"]


def test_arrows_move_between_tabs_and_round_the_ends(visit):
    page = visit("several")
    page.get_by_role("tab").first.focus()
    for key, expected in [
        ("ArrowRight", "kfold-t"),
        ("End", "resampled-t"),
        ("ArrowRight", "corrected-t"),
        ("ArrowLeft", "resampled-t"),
        ("Home", "corrected-t"),
    ]:
        page.keyboard.press(key)
        assert page.evaluate("document.activeElement.textContent") == expected
        assert page.get_by_role("tab", selected=True).inner_text() == expected
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.getAttribute('role')") == "tabpanel"


def test_an_address_leads_into_its_tab(visit):
    page = visit("several", "#errbar-2-computed")
    assert page.get_by_role("tab", selected=True).inner_text() == "kfold-t"


def test_the_call_is_visible_and_can_be_copied(visit):
    page = visit("one", permissions=["clipboard-read", "clipboard-write"])
    call = page.locator(".call code")
    assert call.is_visible()
    page.get_by_role("button", name="Copy").click()
    page.get_by_role("status").get_by_text("copied").wait_for()
    assert page.evaluate("navigator.clipboard.readText()") == call.inner_text()


def test_names_stay_text(visit):
    page = visit("nasty")
    assert page.locator("script").count() == 1
    assert page.locator("b, img").count() == 0
    assert column(shown(page, ESTIMATES), 1)[:2] == [NASTY, OTHER]
    shown(page, "select").select_option(label=NASTY)
    assert column(shown(page, PAIRS), 1)[0].endswith(NASTY)
    shown(page, PAIRS).get_by_role("button").first.click()
    assert NASTY in page.title()


def test_the_policy_of_the_page_stops_scripts_and_requests(browser, pages):
    context = browser.new_context(offline=True)
    page = context.new_page()
    refused = []
    page.on("console", lambda message: refused.append(message.text))
    page.goto(pages["one"])
    page.evaluate(
        """() => {
            const script = document.createElement("script");
            script.textContent = "window.intruder = true";
            document.body.append(script);
            document.body.append(Object.assign(new Image(), { src: "https://example.org/x.png" }));
        }"""
    )
    assert page.evaluate("window.intruder") is None
    page.wait_for_timeout(50)
    assert len([text for text in refused if "Content Security Policy" in text]) == 2
    context.close()


def test_all_can_be_read_without_the_script(visit):
    page = visit("several", java_script_enabled=False)
    assert page.locator("button, select, [role=tab]").count() == 0
    assert page.locator(".part >> visible=true").count() == 3
    assert page.locator("nav[aria-label=Methods] a").all_inner_texts() == [
        "corrected-t",
        "kfold-t",
        "resampled-t",
    ]
    assert page.locator("details.view >> visible=true").count() == 12
    first = page.locator("details.view").first
    assert not first.locator("table").first.is_visible()
    first.locator("summary").first.click()
    assert first.locator("table").first.is_visible()
    assert not first.locator(".aside table").is_visible()
    first.locator(".aside summary").click()
    assert first.locator(".aside table").is_visible()


@pytest.mark.parametrize("script", [True, False], ids=["script", "none"])
@pytest.mark.parametrize("width", [320, 400])
@pytest.mark.parametrize("name", ["several", "one", "nasty"])
def test_a_narrow_page_does_not_scroll_sideways(visit, name, width, script):
    page = visit(name, viewport={"width": width, "height": 800}, java_script_enabled=script)
    for details in [] if script else page.locator("summary").all():
        details.click()
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def pages_of(pdf):
    return len(re.findall(rb"/Type\s*/Page\b", pdf))


def test_paper_has_the_chosen_tab_or_all_of_them(visit):
    with_script = visit("several").pdf(format="A4")
    without = visit("several", java_script_enabled=False).pdf(format="A4")
    assert with_script.startswith(b"%PDF")
    assert 3 <= pages_of(with_script) < pages_of(without)


def test_print_shows_content_and_no_controls(visit):
    page = visit("several")
    shown(page, "select").select_option(label="zeta")
    page.emulate_media(media="print")
    assert page.locator("select >> visible=true").count() == 0
    assert page.locator("nav >> visible=true").count() == 0
    assert page.get_by_role("tablist").count() == 0
    assert page.locator(".part >> visible=true").count() == 1
    assert page.locator(".aside >> visible=true").count() == 0
    assert "minus zeta" in page.locator(".view caption >> visible=true").inner_text()
    assert (
        page.locator("body").evaluate("body => getComputedStyle(body).backgroundColor")
        == "rgb(255, 255, 255)"
    )


def test_print_without_the_script_opens_every_baseline(visit):
    page = visit("one", java_script_enabled=False)
    tables = page.locator("details.view table >> visible=true")
    assert tables.count() == 0
    page.emulate_media(media="print")
    assert tables.count() == 5


CONTRASTS = """() => {
    const channel = (value) => value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
    const parsed = (color) => color.match(/[\\d.]+/g).map(Number);
    const light = ([r, g, b]) => 0.2126 * channel(r / 255) + 0.7152 * channel(g / 255) + 0.0722 * channel(b / 255);
    const ground = (element) => {
        for (let at = element; at !== null; at = at.parentElement) {
            const color = parsed(getComputedStyle(at).backgroundColor);
            if (color.length === 3 || color[3] === 1) return color;
        }
        return [255, 255, 255];
    };
    const found = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
        const element = walker.currentNode.parentElement;
        if (!walker.currentNode.data.trim() || !element.checkVisibility() || element.closest("script, title, desc")) continue;
        const style = getComputedStyle(element);
        const ink = parsed(element.closest("svg") ? style.fill : style.color);
        const [a, b] = [light(ink), light(ground(element))].sort((x, y) => y - x);
        found.push([(a + 0.05) / (b + 0.05), walker.currentNode.data.trim().slice(0, 40)]);
    }
    return found;
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_has_contrast(visit, scheme):
    page = visit("several", color_scheme=scheme)
    page.emulate_media(reduced_motion="reduce")
    background = page.locator("body").evaluate("body => getComputedStyle(body).backgroundColor")
    assert background == {"light": "rgb(255, 255, 255)", "dark": "rgb(21, 24, 27)"}[scheme]
    found = page.evaluate(CONTRASTS)
    assert len(found) > 200
    assert [text for ratio, text in found if ratio < 4.5] == []


def test_focus_can_be_seen_and_begins_with_the_way_past_the_head(visit):
    page = visit("one")
    page.keyboard.press("Tab")
    skip = page.locator(".skip")
    assert skip.evaluate("link => link === document.activeElement")
    assert skip.evaluate("link => link.getBoundingClientRect().top >= 0")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "content"
    for selector in ("select", "button.sort", ".copy button", ".scroll"):
        page.locator(selector).first.focus()
        page.keyboard.press("Shift+Tab")
        page.keyboard.press("Tab")
        style, width = page.evaluate(
            "[getComputedStyle(document.activeElement).outlineStyle, getComputedStyle(document.activeElement).outlineWidth]"
        )
        assert (style, width) == ("solid", "2px"), selector


def test_nothing_moves_for_those_who_do_not_want_it(visit):
    page = visit("one", reduced_motion="reduce")
    moving = "[...document.querySelectorAll('*')].filter((e) => parseFloat(getComputedStyle(e).transitionDuration) > 0).length"
    assert page.evaluate(moving) == 0
    assert page.evaluate("getComputedStyle(document.documentElement).scrollBehavior") == "auto"
    page.emulate_media(reduced_motion="no-preference")
    assert page.evaluate(moving) > 0


def test_landmarks_have_names(visit):
    page = visit("several")
    for role in ("banner", "main", "contentinfo"):
        assert page.get_by_role(role).count() == 1
    assert page.get_by_role("region", name="How sure, and why").count() == 1
    assert page.get_by_role("img").count() == page.locator("svg >> visible=true").count() > 0
    assert page.get_by_role("columnheader").count() > 5
    assert page.get_by_role("rowheader").count() > 5


def test_sorting_leaves_every_row(visit):
    page = visit("one")
    table = shown(page, PAIRS)
    names = sorted(column(table, 1))
    for button in table.get_by_role("button").all():
        button.click()
        assert sorted(column(table, 1)) == names
    assert len(names) == len(one().pairs)
