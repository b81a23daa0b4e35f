"""Learners may be called anything: on the page of a report their names are text, also where its script writes them."""

import numpy as np
import pytest

import errbar

pytestmark = pytest.mark.long

NAMES = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(2)>',
    "</title></style></script><b>bold</b>",
    "{{ 7 * 7 }}",
    "' onfocus='alert(3)",
    "javascript:alert(4)",
    "&lt;i&gt;",
)


def test_names_are_text_whatever_they_hold(browser, tmp_path, tell):
    rng = np.random.default_rng(0)
    scores = {name: rng.normal(0.3, 0.02, 20) for name in NAMES}
    found = errbar.compare_table(errbar.from_scores(scores, n_train=90, n_test=10))
    place = errbar.report.save(found, tmp_path / "page.html").as_uri()
    context = browser.new_context(offline=True)
    page = context.new_page()
    page.set_default_timeout(30_000)
    troubles, requests = [], []
    page.on("pageerror", lambda error: troubles.append(str(error)))
    page.on("dialog", lambda dialog: (troubles.append(dialog.message), dialog.dismiss()))
    page.on("request", lambda request: requests.append(request.url))
    page.goto(place)
    for name in NAMES:  # each becomes the learner that the others are compared with
        page.locator("select").select_option(label=name)
        shown = page.locator("table").nth(1).inner_text()
        assert all(other in shown for other in NAMES)
    assert page.locator("main img, main script:not(.facts), main [onfocus]").count() == 0
    assert page.get_by_text("bold", exact=True).count() == 0
    assert troubles == []
    assert requests == [place]
    context.close()
    tell(names=len(NAMES))
