"""What the public functions say about themselves is complete."""

import inspect

import pytest
from numpydoc.validate import validate

import errbar
from errbar.methods import METHODS

# Not asked for: an extended summary, text on the first line of the quotes, descriptions of what See Also names, and
# descriptions of return values and parameters whose type says it all.
WAIVED = {"ES01", "GL01", "SA01", "SA04", "EX01", "RT03", "PR07", "SS05"}
# Parameters that are those of another function are not listed a second time.
SHARED = {"errbar.compare_table", "errbar.evaluate"}

FUNCTIONS = [f"errbar.{name}" for name in errbar.__all__ if inspect.isfunction(getattr(errbar, name))]
FUNCTIONS += [
    f"errbar.{home}.{name}" for home, name in [("methods", "lookup"), ("losses", "resolve"), ("losses", "metric")]
]
FUNCTIONS += ["errbar.families.adjust", "errbar.methods.rho_threshold"]


def problems(name, waived):
    return [text for code, text in validate(name)["errors"] if code not in waived]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_public_functions_are_documented_in_full(name):
    assert problems(name, WAIVED | ({"PR03", "PR04"} if name in SHARED else set())) == []


@pytest.mark.parametrize("method", METHODS.values(), ids=list(METHODS))
def test_methods_have_neighbours_formula_references_and_an_example(method):
    assert problems(f"errbar.methods.{method.function.__name__}", WAIVED - {"SA01", "EX01"}) == []
    text = inspect.getdoc(method.function)
    assert "Notes\n-----" in text
    assert "References\n----------" in text
    assert ":math:" in text or ".. math::" in text
