"""The code that writes pages from the code is part of what is tested."""

import importlib
import importlib.util
import sys
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


@pytest.fixture(scope="session")
def worked():
    """Return the module that writes the examples of methods."""
    folder = str(Path(__file__).parents[2] / "docs" / "_ext")
    sys.path.insert(0, folder)
    try:
        return importlib.import_module("worked")
    finally:
        sys.path.remove(folder)
