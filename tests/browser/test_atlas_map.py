"""The map of the atlas in a browser: what it shows for a choice is what the rows say."""

import json

import pytest

import errbar_lab as lab
from errbar_lab._atlas import about
from tests.scripts import loaded

pytestmark = pytest.mark.thorough


@pytest.fixture(scope="module")
def pages_of_atlas():
    """Return the module that writes the pages of the atlas."""
    return loaded("docs/_ext/atlas.py")


@pytest.fixture(scope="module")
def found(request, pages_of_atlas):
    return lab.read_atlas(request.config.rootpath / "docs" / pages_of_atlas.ROWS)


@pytest.fixture(scope="module")
def written(request, pages_of_atlas, found, tmp_path_factory):
    script = (request.config.rootpath / "docs" / "_static" / "atlas.js").read_text("utf-8")
    numbers = json.dumps(pages_of_atlas.data(found))
    path = tmp_path_factory.mktemp("map") / "map.html"
    path.write_text(
        f"<meta charset=utf-8>{pages_of_atlas.MAP}<script>window.ATLAS={numbers};{script}</script>",
        encoding="utf-8",
    )
    return path


@pytest.fixture
def page(browser, written):
    troubles = []
    opened = browser.new_page()
    opened.on("pageerror", lambda error: troubles.append(str(error)))
    opened.goto(written.as_uri())
    yield opened
    opened.close()
    assert troubles == []


def shown(page):
    """Return the numbers of the map by problem and method."""
    head, *rows = page.eval_on_selector_all(
        "#atlas-map tr", "rows => rows.map(r => [...r.children].map(c => c.innerText))"
    )
    methods = [name.strip() for name in head[1:]]
    return {
        (row[0], method): text
        for row in rows
        for method, text in zip(methods, row[1:], strict=True)
        if text
    }


def test_all_learners_of_all_sizes(page, found):
    own = about(found.outcomes, "learners")
    own = own[own["method"] == "cv-t, folds x2"]
    wrong = own["ER(n1) below"] + own["ER(n1) above"]
    held = (
        1.0
        - wrong.groupby(own["problem"], observed=True).sum()
        / own.groupby("problem", observed=True)["answers"].sum()
    )
    numbers = shown(page)
    assert {key for key, method in numbers if method == "cv-t, folds x2"} == set(held.index)
    for problem, share in held.items():
        assert int(numbers[problem, "cv-t, folds x2"]) == pytest.approx(100 * share, abs=0.51)


def test_one_pair_and_one_size(page, found):
    page.select_option("#atlas-target", label="neighbours \N{MINUS SIGN} tree")
    page.select_option("#atlas-size", label="300")
    rows = found.outcomes[
        (found.outcomes["n"] == 300)
        & (found.outcomes["learner"] == "neighbours")
        & (found.outcomes["minus"] == "tree")
    ]
    rows = rows[rows["method"] == "corrected-t, random splits"]
    numbers = shown(page)
    assert (
        len({problem for problem, _ in numbers})
        == found.outcomes.query("n == 300 and minus == 'tree'")["problem"].nunique()
    )
    for problem, own in rows.groupby("problem", observed=True):
        share = 1.0 - (own["ER(n1) below"] + own["ER(n1) above"]).sum() / own["answers"].sum()
        assert int(numbers[problem, "corrected-t, random splits"]) == pytest.approx(
            100 * share, abs=0.51
        )


def test_a_number_tells_its_band(page):
    title = page.locator("#atlas-map td[title]").first.get_attribute("title")
    assert "data sets" in title
    assert "width" in title
