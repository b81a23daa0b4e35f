"""The code that writes pages from the code is part of what is tested."""

import pytest

from tests.scripts import loaded


@pytest.fixture(scope="session")
def catalogue():
    """Return the module that writes pages."""
    return loaded("docs/_ext/catalogue.py")


@pytest.fixture(scope="session")
def worked():
    """Return the module that writes the examples of methods."""
    return loaded("docs/_ext/worked.py")


@pytest.fixture(scope="session")
def atlas():
    """Return the module that writes the tables of the atlas."""
    return loaded("docs/_ext/atlas.py")
