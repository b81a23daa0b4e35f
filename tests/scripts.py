"""Files of code that are no part of the package: tools, benchmarks and what makes the documentation."""

import importlib.util
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def loaded(path):
    """Return the module of a file, given from the root of the repository; it may import the files beside it."""
    file = ROOT / path
    spec = importlib.util.spec_from_file_location(file.stem, file)
    module = importlib.util.module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(file.parent))
        patch.setitem(sys.modules, file.stem, module)  # dataclasses look their module up
        spec.loader.exec_module(module)
    return module
