"""Tutorials have one form, show what they print, and end with what to report."""

import re
from pathlib import Path

import pytest

from tests.docs.pages import REPORT, blocks_of, report_of, unsupported
from tests.scripts import loaded

pytestmark = pytest.mark.long

DOCS = Path(__file__).parents[2] / "docs"
PAGES = sorted((DOCS / "tutorials").glob("*.rst"))
MADE = re.compile(r"^\.\. (?:literalinclude|image):: /generated/tutorials/(\S+)$", re.MULTILINE)


def text_of(page):
    return page.read_text(encoding="utf-8")


def name_of(page):
    return page.stem


@pytest.fixture(scope="module")
def tutorials():
    return loaded("docs/_ext/tutorials.py")


def test_the_start_page_leads_to_every_tutorial():
    start = text_of(DOCS / "index.rst")
    linked = re.findall(r"^   \* - :doc:`tutorials/([\w-]+)`$", start, re.MULTILINE)
    listed = re.findall(r"^   tutorials/([\w-]+)$", start, re.MULTILINE)
    assert linked == listed
    assert set(listed) == {page.stem for page in PAGES}


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_tutorial_has_both_faces_a_warning_and_what_to_report(page):
    text = text_of(page)
    assert {"console", "doctest"} <= {block.language for block in blocks_of(page)}
    assert re.search(r"^What not to do", text, re.MULTILINE)
    report = report_of(text)
    assert re.search(r'^"[A-Z][^"]*\."$', report, re.MULTILINE), "a sentence to paste"
    assert ".. list-table::" in report, "a table to paste"
    assert not re.search(r"^[-=~]{4,}$", report, re.MULTILINE), (
        f"{REPORT!r} is not the last section"
    )


@pytest.mark.parametrize(
    "page", [DOCS / "index.rst", DOCS / "guide" / "planning.rst", *PAGES], ids=name_of
)
def test_what_is_shown_is_made_by_the_page(page):
    saved = " ".join(block.text for block in blocks_of(page))
    made = {f"{block.name}.txt" for block in blocks_of(page) if block.name}
    assert [
        name for name in MADE.findall(text_of(page)) if name not in made and name not in saved
    ] == []


def test_names_of_outputs_are_not_used_twice():
    names = [block.name for page in PAGES for block in blocks_of(page) if block.name]
    assert len(set(names)) == len(names)


PAGE = """\
A page
======

.. code-block:: python
   :name: said

   from pathlib import Path
   print("What is said is shown.")
   Path("drawn.svg").write_text("<svg/>")

.. code-block:: python
   :caption: models.py

   old = 1

.. code-block:: python

   assert Path("models.py").read_text() == "old = 1\\n"
"""


def test_outputs_are_what_named_blocks_print_and_pages_save(tutorials, tmp_path):
    page = tmp_path / "page.rst"
    page.write_text(PAGE, encoding="utf-8")
    assert tutorials.outputs(page) == {
        "said.txt": "What is said is shown.\n",
        "drawn.svg": "<svg/>",
    }


@pytest.mark.parametrize(
    ("report", "missing"),
    [
        ("The difference is -7.3 (95 % interval -15.3 to 0.7, p = 0.07).", []),
        ("13 percentage points", []),
        ("p < 0.001 with cv-t (CR2)", []),
        ("The difference is 7.4.", ["7.4"]),
        ("41 patients", ["41"]),
    ],
)
def test_numbers_of_a_report_are_printed_ones(report, missing):
    printed = "estimate -7.31 [-15.34, 0.72], p = 0.070, 95 %, accuracy 0.1331, <0.001"
    assert unsupported(report, printed) == missing
