"""Every block of code in the documentation is run, in order, or it stands in one list with the reason why not."""

import re
from pathlib import Path

import numpy as np
import pytest

import errbar
from tests import churn, dependent
from tests.docs import rows as files_of_rows
from tests.docs.pages import (
    RUN,
    SHOWN,
    Session,
    bare_doctests,
    blocks_of,
    commands,
    directives,
    fenced,
    missing,
    ordered,
    report_of,
    unsupported,
)

pytestmark = pytest.mark.long

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = sorted(
    path for path in DOCS.rglob("*.rst") if not {"generated", "_build"} & set(path.parts)
)
PAGES += [ROOT / "README.md", ROOT / "CONTRIBUTING.md"]

# Pages that are read from the beginning in an empty folder. All others find the files that this documentation speaks of.
EMPTY_FOLDER = ("docs/index.rst", "docs/guide/planning.rst", "docs/tutorials/")

NEEDS_A_CLUSTER = (
    "needs a cluster of its own; tests/fits/test_workers.py does the same on one machine"
)
NEEDS_THE_SHELL = "sets up an environment, which the test run does itself beforehand"

# What is not run: the page, how the block begins, and why.
NOT_RUN = [
    ("docs/guide/fits.rst", "from distributed import", NEEDS_A_CLUSTER),
    ("docs/guide/fits.rst", "from dask_jobqueue import", NEEDS_A_CLUSTER),
    (
        "docs/studies/atlas.rst",
        "$ errbar lab atlas",
        "takes hours; tests/cli/test_lab.py runs a small one",
    ),
    (
        "docs/concepts/attacks.rst",
        "$ python tools/attacks.py",
        "takes hours; tests/docs/test_attacks.py checks its figures",
    ),
    (
        "README.md",
        "make demo",
        "needs a new environment; tests/cli/test_commands.py runs what it calls",
    ),
    (
        "docs/tutorials/networks.rst",
        "import torch",
        "needs PyTorch and a GPU; the block before it does the same in NumPy",
    ),
    ("README.md", "pip install", NEEDS_THE_SHELL),
    ("CONTRIBUTING.md", "make ", "needs a new environment; .ci/run calls these three targets"),
    *(
        ("CONTRIBUTING.md", start, "shown in part; tests/test_additions.py runs the whole")
        for start in ("@register(", "def cubed", "NAME, METRICS", "TOOLS = (")
    ),
    (
        "docs/extending/method.rst",
        "from errbar.methods._median_t",
        "run with the whole page by test_extending.py",
    ),
    (
        "docs/extending/method.rst",
        "from errbar.methods import METHODS",
        "run with the whole page by test_extending.py",
    ),
]


def name_of(path):
    return path.relative_to(ROOT).as_posix()


def reason(page, block):
    """Return why a block is not run, or nothing."""
    return next(
        (why for where, start, why in NOT_RUN if where == page and block.text.startswith(start)), ""
    )


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A folder with the files that the pages read."""
    from sklearn.datasets import load_diabetes
    from sklearn.linear_model import LinearRegression

    place = tmp_path_factory.mktemp("files")
    load_diabetes(as_frame=True).frame.to_csv(place / "diabetes.csv", index=False)
    churn.write(place / "churn.csv")
    dependent.write(place)
    files_of_rows.write(place)
    scores = np.random.default_rng(0).normal([0.31, 0.27], 0.02, (15, 2))
    np.savetxt(place / "scores.csv", scores, delimiter=",", header="tree,1-NN", comments="")
    np.savetxt(place / "folds.csv", scores[:10], delimiter=",", header="tree,1-NN", comments="")
    accuracies = 1.0 - np.random.default_rng(1).normal([0.31, 0.27, 0.25], 0.05, (12, 3))
    np.savetxt(
        place / "accuracies.csv", accuracies, delimiter=",", header="tree,1-NN,forest", comments=""
    )
    answers = np.array(["no", "yes"])[np.random.default_rng(2).binomial(1, 0.5, (120, 3))]
    rows = np.column_stack([np.arange(120) % 4, answers])
    np.savetxt(
        place / "answers.csv", rows, fmt="%s", delimiter=",", header="fold,y,tree,1-NN", comments=""
    )
    right = np.random.default_rng(3).binomial(1, 0.6, 80)
    rows = np.column_stack([np.tile(["small", "large"], 40), np.arange(80) // 2, right])
    np.savetxt(
        place / "long.csv",
        rows,
        fmt="%s",
        delimiter=",",
        header="model,question,correct",
        comments="",
    )
    noise = np.random.default_rng(3).normal(size=(120, 2)).round(3)
    question = np.repeat(np.arange(40), 3)
    asked = np.column_stack([question, question // 4, np.tile(np.arange(3), 40), noise])
    head = {"delimiter": ",", "comments": "", "fmt": "%g"}
    np.savetxt(place / "repeated.csv", asked, header="question,passage,sample,old,new", **head)
    np.savetxt(place / "visits.csv", asked[:, [0, 3, 4]], header="patient,old,new", **head)
    X, y = load_diabetes(return_X_y=True)
    store = {"plan": errbar.plans.KFold(2), "random_state": 0, "store": place / "runs.db"}
    errbar.run({"linear": LinearRegression()}, X, y, **store)
    return place


@pytest.mark.parametrize("page", [path for path in PAGES if blocks_of(path)], ids=name_of)
def test_page_runs_from_top_to_bottom(page, files, tmp_path, monkeypatch):
    """Code, doctests and commands of a page share names and files, as they do for who reads it."""
    name = name_of(page)
    if not name.startswith(EMPTY_FOLDER):
        for path in files.iterdir():
            (tmp_path / path.name).write_bytes(path.read_bytes())
    monkeypatch.chdir(tmp_path)
    session, printed = Session(name), ""
    for block in ordered(blocks_of(page)):
        if block.language in RUN and not reason(name, block) and not missing(block):
            printed += block.text + session.run(block)
    assert unsupported(report_of(page.read_text(encoding="utf-8")), printed) == []


def test_every_block_is_of_a_kind_that_is_run_or_only_shown():
    """A block in a language that nobody runs would not be missed by the test above."""
    strange = [
        f"{name_of(page)}:{block.line}: {block.language}"
        for page in PAGES
        for block in blocks_of(page)
        if block.language not in (*RUN, *SHOWN) and not reason(name_of(page), block)
    ]
    assert strange == []


def test_blocks_that_are_not_run_are_there_and_say_why():
    found = {(page, start): 0 for page, start, _ in NOT_RUN}
    for path in PAGES:
        for block in blocks_of(path):
            for page, start, why in NOT_RUN:
                assert why
                found[page, start] += page == name_of(path) and block.text.startswith(start)
    assert [key for key, count in found.items() if not count] == []


def test_code_is_not_hidden_in_blocks_that_are_only_shown():
    """Literal blocks and text blocks hold output; code there would escape the test above."""
    code = re.compile(
        r"^\s*(?:\$ errbar |errbar [a-z]|import errbar|from errbar|>>> )", re.MULTILINE
    )
    found = [
        f"{name_of(page)}:{block.line}"
        for page in PAGES
        for block in blocks_of(page)
        if block.language in SHOWN and code.search(block.text)
    ]
    for page in PAGES:
        if page.suffix == ".rst":
            text = page.read_text(encoding="utf-8")
            found += [
                f"{name_of(page)}: {literal[1].strip()}"
                for literal in re.finditer(
                    r"::\n\n( +(?:\$ |errbar |import |from ).*)$", text, re.MULTILINE
                )
                if not re.search(
                    r"\.\. [\w-]+::[^\n]*\n(?: +:[^\n]*\n)*$", text[: literal.start() + 3]
                )
            ]
    assert found == []


def test_every_prompt_of_a_page_belongs_to_a_block():
    """What the parser of blocks does not see would not be run."""
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        seen = "".join(block.text for block in blocks_of(page))
        for prompt in (">>> ", "$ "):
            shown = len(re.findall(rf"^ *{re.escape(prompt)}", text, re.MULTILINE))
            assert seen.count(f"\n{prompt}") + seen.startswith(prompt) >= 0
            assert len(re.findall(rf"^ *{re.escape(prompt)}", seen, re.MULTILINE)) == shown, (
                name_of(page)
            )


class TestParser:
    """The tests above are worth what the parser of blocks sees."""

    TEXT = (
        "A page\n\n>>> 1 + 1\n2\n\nText:\n\n.. code-block:: python\n   :caption: x\n\n   a = 1\n\n   b = 2\n\nMore.\n\n"
        "* item\n\n  >>> a\n  1\n\n.. code-block:: pycon\n   :class: needs-nothing\n\n   >>> 2\n   2\n\n"
        ".. code-block:: console\n\n   $ errbar methods \\\n       --json\n   output\n"
    )

    def test_directives(self):
        found = [(block.language, block.text, block.needs) for block in directives(self.TEXT)]
        assert found == [
            ("python", "a = 1\n\nb = 2\n", ""),
            ("doctest", ">>> 2\n2\n", "nothing"),
            ("console", "$ errbar methods \\\n    --json\noutput\n", ""),
        ]

    def test_bare_doctests_are_not_those_of_directives(self):
        assert [(block.line, block.text) for block in bare_doctests(self.TEXT)] == [
            (3, ">>> 1 + 1\n2\n"),
            (19, "  >>> a\n  1\n"),
        ]

    def test_commands_go_on_after_a_backslash(self):
        assert commands(directives(self.TEXT)[-1].text) == ["errbar methods --json"]
        assert commands("errbar methods   # all\nerrbar power\n") == [
            "errbar methods",
            "errbar power",
        ]

    def test_fences(self):
        found = fenced("# x\n\n```python\na = 1\n```\n\n```text\nout\n```\n")
        assert [(block.line, block.language, block.text) for block in found] == [
            (4, "python", "a = 1\n"),
            (8, "text", "out\n"),
        ]

    def test_lines_are_those_of_the_page(self, tmp_path):
        page = tmp_path / "page.rst"
        page.write_text(self.TEXT, encoding="utf-8")
        lines = self.TEXT.splitlines()
        for block in blocks_of(page):
            first = block.text.lstrip().splitlines()[0]
            assert lines[block.line - 1].strip() == first


@pytest.mark.parametrize(
    ("block", "message"),
    [
        (">>> 1 + 1\n3\n", "Expected"),
        (">>> undefined\n", "NameError"),
    ],
)
def test_a_wrong_doctest_is_found(block, message):
    from tests.docs.pages import Block

    with pytest.raises(AssertionError, match=message):
        Session("page").run(Block(1, "doctest", block))


@pytest.mark.parametrize("command", ["$ errbar methods no-such-method\n", "$ ls\n"])
def test_a_command_that_fails_is_found(command):
    from tests.docs.pages import Block

    with pytest.raises(AssertionError, match=r"ended with|only errbar"):
        Session("page").run(Block(1, "console", command))
