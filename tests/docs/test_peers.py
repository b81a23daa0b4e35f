"""The comparison with other packages is backed: what it says errbar has is shown by tests that exist."""

import ast
import re
from importlib.resources import files
from pathlib import Path

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs" / "peers.rst").read_text(encoding="utf-8")
ROWS = re.findall(r"^   \* - (.+)\n     - (.+)\n     - (.+)\n     -[ ]?(.*)$", TEXT, re.MULTILINE)
CAPABILITIES = [row for row in ROWS if row[0] != "What"]


def shown_in(path):
    """Return the tests of a file as pytest names them, without parameters."""
    found = set()
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef):
            found.add(node.name)
        elif isinstance(node, ast.ClassDef):
            found |= {
                f"{node.name}::{inner.name}"
                for inner in node.body
                if isinstance(inner, ast.FunctionDef)
            }
    return found


def test_every_row_says_yes_no_or_partly_and_names_others():
    assert len(CAPABILITIES) == TEXT.count("\n   * - ") - TEXT.count("\n   * - What\n")
    assert {said for _, said, _, _ in CAPABILITIES} == {"yes", "no", "partly"}
    assert all(others for _, _, others, _ in CAPABILITIES)


def test_what_errbar_has_is_shown_by_a_test_that_exists():
    missing = []
    for what, said, _, shown in CAPABILITIES:
        if said == "no":
            assert not shown, what
            continue
        path, _, name = shown.strip("`").partition("::")
        if not (ROOT / path).is_file() or name not in shown_in(ROOT / path):
            missing.append((what, shown))
    assert missing == []


def test_no_row_stands_twice():
    names = [what for what, *_ in CAPABILITIES]
    assert len(set(names)) == len(names)


def test_what_errbar_lacks_is_said():
    """A table of nothing but advantages would be no comparison."""
    assert sum(said == "no" for _, said, _, _ in CAPABILITIES) >= 8


def test_types_are_shipped():
    assert files("errbar").joinpath("py.typed").is_file()
