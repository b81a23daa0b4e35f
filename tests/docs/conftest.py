"""The code that writes pages from the code is part of what is tested."""

import importlib.util
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def catalogue():
    """Return the module that writes pages."""
    path = Path(__file__).parents[2] / "docs" / "_ext" / "catalogue.py"
    spec = importlib.util.spec_from_file_location("catalogue", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
