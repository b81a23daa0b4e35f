"""A real browser, without a network, and the pages it opens."""

import importlib
import os
import re
import shutil
import sys

import pytest

from errbar import report
from tests.browser import comparisons

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")


def found_browser():
    """Return the path of an installed Chromium, or None."""
    wanted = os.environ.get("ERRBAR_CHROMIUM")
    if wanted:
        assert shutil.which(wanted), f"ERRBAR_CHROMIUM is {wanted!r}, and that cannot be run"
        return shutil.which(wanted)
    return next((path for name in NAMES if (path := shutil.which(name))), None)


@pytest.fixture(scope="session")
def browser():
    path = found_browser()
    if path is None:
        pytest.skip(
            f"no browser is installed: none of {', '.join(NAMES)} is on the path, nor is ERRBAR_CHROMIUM set"
        )
    from playwright.sync_api import sync_playwright

    with sync_playwright() as session:
        opened = session.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield opened
        opened.close()


@pytest.fixture(scope="session")
def pages(tmp_path_factory):
    """Return the addresses of reports by name."""
    folder = tmp_path_factory.mktemp("pages")
    return {
        name: report.save(shown, folder / f"{name}.html").as_uri()
        for name, shown in comparisons.shown().items()
    }


@pytest.fixture
def visit(browser, pages):
    """Open a report in a context of its own; at the end nothing may have gone wrong or been asked of a network."""
    contexts, troubles, requests = [], [], []

    def opened(name, fragment="", **options):
        context = browser.new_context(
            **{"viewport": {"width": 1000, "height": 800}, "offline": True} | options
        )
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(30_000)
        page.on("console", lambda message: troubles.append(message.text))
        page.on("pageerror", lambda error: troubles.append(str(error)))
        page.on("dialog", lambda dialog: (troubles.append(dialog.message), dialog.dismiss()))
        page.on("request", lambda request: requests.append(request.url))
        page.goto(pages[name] + fragment)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert troubles == []
    assert {url.partition("#")[0] for url in requests} <= set(pages.values())


@pytest.fixture
def visit_with_refusals(browser, pages):
    """Open a report, and keep what the browser says instead of failing for it."""
    context = browser.new_context(offline=True)

    def opened(name):
        page, refused = context.new_page(), []
        page.on("console", lambda message: refused.append(message.text))
        page.goto(pages[name])
        return page, refused

    yield opened
    context.close()


@pytest.fixture(scope="session")
def docs(request):
    return request.config.rootpath / "docs"


@pytest.fixture(scope="session")
def calculator_module(docs):
    """Return the module that writes the page."""
    sys.path.insert(0, str(docs / "_ext"))
    try:
        return importlib.import_module("calculator")
    finally:
        sys.path.remove(str(docs / "_ext"))


@pytest.fixture(scope="session")
def calculator_address(docs, calculator_module, tmp_path_factory):
    policy = re.search(
        r":http-equiv=Content-Security-Policy: (.*)", (docs / "calculator.rst").read_text("utf-8")
    )[1]
    path = tmp_path_factory.mktemp("calculator") / "page.html"
    head = f'<!doctype html><meta charset=utf-8><meta http-equiv="Content-Security-Policy" content="{policy}">'
    path.write_text(
        f"{head}<body>{calculator_module.body((docs / '_static').as_uri())}", encoding="utf-8"
    )
    return path.as_uri()


@pytest.fixture
def calculator(browser, calculator_address, docs):
    """Open the calculator; at the end nothing may have gone wrong or been asked of a network."""
    troubles, requests = [], []
    context = browser.new_context(viewport={"width": 400, "height": 800}, offline=True)
    opened = context.new_page()
    opened.set_default_timeout(30_000)
    opened.on("console", lambda message: troubles.append(message.text))
    opened.on("pageerror", lambda error: troubles.append(str(error)))
    opened.on("request", lambda request: requests.append(request.url))
    opened.goto(calculator_address)
    yield opened
    context.close()
    assert troubles == []
    own = (docs / "_static" / "calculator").as_uri()
    assert [
        url
        for url in requests
        if url.partition("#")[0] != calculator_address and not url.startswith(own)
    ] == []
