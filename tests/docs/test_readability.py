"""The measure of readability counts what it says it counts."""

import subprocess
from pathlib import Path

import pytest

from tests.scripts import loaded

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def readability():
    return loaded("tools/readability.py")


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("One sentence is here. Another one follows.", 2),
        ("Nadeau et al. found this, e.g. for trees, and cf. Fig. 2 as well.", 1),
        ("It held 3.5 % of the time. It did so vs. 4.1 % elsewhere.", 2),
        ("Does it hold? It does so! (It really does.) Then all is well.", 4),
        ("One paragraph without an end\n\nanother paragraph without an end", 2),
        ("One line of a paragraph\nand its second line.", 1),
        ("n1 is the size. n2 is that of tests. 15 splits are enough.", 3),
        ("Too short.", 0),
    ],
)
def test_sentences(readability, text, count):
    assert len(readability.sentences_of(text)) == count


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("The t-test isn't right", 4),
        ("n2/n1 = 0.25 and 95 % held", 5),
        ("the learner's interval, [1, 2]", 5),
    ],
)
def test_words(readability, text, count):
    assert len(readability.words(text)) == count


@pytest.mark.parametrize(
    "text",
    [
        "Splits are drawn.",
        "It was never found.",
        "They are not easily seen.",
        "What has been fitted",
        "IS DERIVED",
    ],
)
def test_passive_sentences(readability, text):
    assert readability.is_passive(text)


@pytest.mark.parametrize(
    "text",
    [
        "errbar draws splits.",
        "The splits drawn are few.",
        "It is indeed so.",
        "There is a need.",
        "It is wide and printed.",
    ],
)
def test_active_sentences(readability, text):
    assert not readability.is_passive(text)


PAGE = """\
A title of four words
=====================

A paragraph with ``code(1, 2, 3)`` and `errbar.compare` and a :doc:`link of words <page>`. It ends
here with :math:`a + b + c`:

>>> print("this is code that nobody reads")
this is code that nobody reads

.. code-block:: python

   # this is a comment that is not prose

   still_code()

.. note::

   A note has words that people read.

* The first item has five words.
* The second item is longer,
  and has two lines.

.. list-table::
   :header-rows: 1

   * - This cell is part of
     - a table that is left out

Here is literal text::

    nobody counts these words at all

.. math:: a = b + c + d + e

The end is here.
"""


def test_only_prose_of_a_page_counts(readability):
    assert readability.sentences_of(readability.prose_of_rst(PAGE)) == [
        "A paragraph with X and X and a link of words.",
        "It ends here with X:",
        "A note has words that people read.",
        "The first item has five words.",
        "The second item is longer, and has two lines.",
        "Here is literal text::",
        "The end is here.",
    ]


def test_only_prose_of_markdown_counts(readability):
    page = "# A title of five words\n\nSee [the page](https://x.org/a) for `more(1)`.\n\n```python\nx = 'a b c d'\n```\n\n| a | b c d e |\n"
    assert readability.sentences_of(readability.prose_of_markdown(page)) == ["See the page for X."]


SOURCE = '''\
def f(x):
    """Return what is asked for.

    Parameters
    ----------
    x : int, optional
        A number of things.

    Notes
    -----
    The formula is long.

    References
    ----------
    .. [1] Somebody, who wrote a book.

    Examples
    --------
    >>> f(1)  # nothing to read here
    """
    key = "not-a-sentence"
    raise ValueError(f"the argument {x!r} must be one of the numbers, not {key}")
'''


def test_docstrings_and_messages_are_told_apart(readability):
    assert readability.sentences_of(readability.prose_of_docstrings(SOURCE)) == [
        "Return what is asked for.",
        "A number of things.",
        "The formula is long.",
    ]
    messages = readability.sentences_of(readability.prose_of_messages(SOURCE))
    assert messages == ["the argument X must be one of the numbers, not X"]


def test_measures(readability):
    long = " ".join(["word"] * 31) + "."
    found = readability.Measures.of(["It is drawn at random.", long, "We draw it."])
    assert (found.sentences, found.p90) == (3, 31)
    assert found.mean == pytest.approx((5 + 31 + 3) / 3)
    assert (found.long, found.passive) == pytest.approx((1 / 3, 1 / 3))
    assert readability.Measures.of([]).sentences == 0


def test_a_revision_is_measured_as_the_tree_is(readability, monkeypatch, tmp_path, capsys):
    """What git holds is read as the files are."""

    def git(*words):
        who = ["-c", "user.name=a", "-c", "user.email=a@b"]
        subprocess.run(["git", *who, *words], cwd=tmp_path, check=True, capture_output=True)

    for name, text in {
        "README.md": "Some words are here.\n",
        "docs/a.rst": PAGE,
        "src/errbar/a.py": SOURCE,
    }.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    monkeypatch.setattr(readability, "ROOT", tmp_path)
    git("init", "--quiet")
    git("add", ".")
    git("commit", "--quiet", "--message", "x")
    readability.main([])
    tree = capsys.readouterr().out
    (tmp_path / "README.md").write_text(
        "Everything was written anew. Twice, and more.\n", encoding="utf-8"
    )
    readability.main(["--git", "HEAD"])
    assert capsys.readouterr().out == tree
    readability.main(["--totals"])
    assert "all of README" in (shown := capsys.readouterr().out)
    assert shown != tree
    readability.main(["--long", "1", "docs"])
    assert (
        capsys.readouterr().out == "11 docs/a.rst: A paragraph with X and X and a link of words.\n"
    )
