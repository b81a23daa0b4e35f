"""What tests and doctests leave behind is cleared away."""

import sys

import pytest


def pytest_collection_modifyitems(items):
    """Run an example once where two names share a docstring, as a plot and what it draws do."""
    seen = set()
    for item in list(items):
        if isinstance(item, pytest.DoctestItem):
            own = (item.path, item.dtest.docstring)
            if own in seen:
                items.remove(item)
            seen.add(own)


@pytest.fixture(autouse=True)
def _closed_figures():
    """Close the figures of a test: pyplot keeps them once anything has imported it."""
    yield
    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot is not None:
        pyplot.close("all")


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(request, tmp_path_factory, monkeypatch):
    """Run the examples of docstrings where they may write files."""
    if isinstance(request.node, pytest.DoctestItem):
        monkeypatch.chdir(tmp_path_factory.mktemp("docstring"))
