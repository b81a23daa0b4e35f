"""Fixtures that every folder of tests may use."""

import os

import pytest

try:
    from hypothesis import settings
except ImportError:  # README.md is run where nothing but the package is installed
    pass
else:
    # A busy machine is no finding, and the same tests find the same. ERRBAR_TEST_EXAMPLES tries more.
    examples = int(os.environ.get("ERRBAR_TEST_EXAMPLES", "12"))
    settings.register_profile("errbar", deadline=None, max_examples=examples, derandomize=True)
    settings.load_profile("errbar")


def admissible_seeds():
    """One seed by default; ERRBAR_TEST_SEEDS="all", or a range such as "5-20", runs more."""
    wanted = os.environ.get("ERRBAR_TEST_SEEDS", "0")
    if wanted == "all":
        return range(100)
    first, _, last = wanted.partition("-")
    return range(int(first), int(last or first) + 1)


def pytest_generate_tests(metafunc):
    if "any_seed" in metafunc.fixturenames:
        metafunc.parametrize("any_seed", admissible_seeds(), scope="session")


@pytest.fixture
def tell(record_property):
    """Return a function that records the figures of an attack; ``tools/attacks.py`` gathers them for the page on attacks."""

    def record(**figures):
        for name, number in figures.items():
            record_property(name.replace("_", " "), int(number))

    return record


@pytest.fixture
def rng(any_seed):
    """A generator that a test must pass with, whatever the seed."""
    import numpy as np

    return np.random.default_rng(any_seed)
