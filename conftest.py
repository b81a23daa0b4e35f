"""What tests and doctests leave behind is cleared away."""

import sys

import pytest


@pytest.fixture(autouse=True)
def _closed_figures():
    """Close the figures of a test: pyplot keeps them once anything has imported it."""
    yield
    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot is not None:
        pyplot.close("all")
