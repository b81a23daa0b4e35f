"""Comparisons, each made once."""

import pytest

from tests.report import comparisons

NAMES = (
    "two",
    "accuracy",
    "nasty",
    "single",
    "many",
    "baseline",
    "constant",
    "unknown",
    "holdout",
    "missed",
)


@pytest.fixture(scope="session")
def everything():
    found = comparisons.everything()
    assert tuple(found) == NAMES
    return found


@pytest.fixture(params=NAMES)
def comparison(request, everything):
    return everything[request.param]


@pytest.fixture
def nasty(everything):
    return everything["nasty"]
