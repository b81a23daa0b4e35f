"""What the public functions say about themselves is complete."""

import inspect

import pytest
from numpydoc.validate import validate

import errbar
from errbar.methods import catalogue

# Not asked for: an extended summary, text on the first line of the quotes, descriptions of what See Also names, and
# descriptions of return values and parameters whose type says it all.
WAIVED = {"ES01", "GL01", "SA01", "SA04", "EX01", "RT03", "PR07", "SS05"}
# Parameters that are those of another function are not listed a second time.
SHARED = {"errbar.compare_table", "errbar.evaluate", "errbar.non_inferiority"}
# For those who extend the catalogue, or of one line.
HELPERS = {"register", "catalogue", "infer", "overall", "check_adjustment"}

FUNCTIONS = [
    f"errbar.{name}" for name in errbar.__all__ if inspect.isfunction(getattr(errbar, name))
]
FUNCTIONS += [
    f"errbar.{home}.{name}"
    for home, name in [("methods", "lookup"), ("metrics", "resolve"), ("metrics", "metric")]
]
REGISTERED = {method.function for method in catalogue().values()}
for home in ("simultaneous", "datasets", "planning", "methods"):
    module = getattr(errbar, home)
    found = {name: getattr(module, name) for name in module.__all__}
    FUNCTIONS += [
        f"errbar.{home}.{name}"
        for name, function in found.items()
        if inspect.isfunction(function) and function not in REGISTERED and name not in HELPERS
    ]


def problems(name, waived):
    return [text for code, text in validate(name)["errors"] if code not in waived]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_public_functions_are_documented_in_full(name):
    assert problems(name, WAIVED | ({"PR03", "PR04"} if name in SHARED else set())) == []


@pytest.mark.parametrize("method", catalogue().values(), ids=list(catalogue()))
def test_methods_have_neighbours_formula_references_and_an_example(method):
    assert problems(f"errbar.methods.{method.function.__name__}", WAIVED - {"SA01", "EX01"}) == []
    text = inspect.getdoc(method.function)
    assert "Notes\n-----" in text
    assert "References\n----------" in text
    assert ":math:" in text or ".. math::" in text
