"""Pages for people who come from other packages: their calls are translated to ones that exist, and the numbers agree.

That the code on the pages runs, with the other side where its package is installed, is seen by test_blocks.py.
"""

import re
import warnings
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

import errbar
from errbar import methods
from tests.docs.pages import blocks_of

pytestmark = pytest.mark.long

FOLDER = Path(__file__).parents[2] / "docs" / "coming-from"
PAGES = sorted(path for path in FOLDER.glob("*.rst") if path.name != "index.rst")
OTHERS = ("mlxtend", "baycomp", "skore", "julearn", "autorank")


def page_name(path):
    return path.stem


def text_of(page):
    return page.read_text(encoding="utf-8")


@pytest.mark.parametrize("page", PAGES, ids=page_name)
def test_page_has_a_table_numbers_and_what_to_know(page):
    text = text_of(page)
    assert text.count(".. list-table::") == 1
    assert "     - errbar\n" in text
    parts = ("\nThe same numbers\n----------------\n", "\nWhat to know\n------------\n")
    assert all(part in text for part in parts)
    assert [block for block in blocks_of(page) if block.language == "doctest"]


@pytest.mark.parametrize("page", PAGES, ids=page_name)
def test_calls_in_the_table_exist(page):
    whole = re.search(r"\.\. list-table::.*?\n\n(?=\S)", text_of(page), re.DOTALL)[0]
    table = "\n".join(
        re.findall(r"^     - (.*(?:\n       .*)*)", whole, re.MULTILINE)
    )  # not the first column, theirs
    names = re.findall(r"errbar((?:\.\w+)+)(?=[(`])", table)
    for name in names:
        home = errbar
        for part in name.lstrip(".").split("."):
            home = getattr(home, part)
    keys = re.findall(r"method=\"([\w-]+)\"|generated/methods/([\w-]+)>|method ``([\w-]+)``", table)
    assert {key for found in keys for key in found if key} <= set(methods.catalogue())
    assert names or keys


def test_index_lists_every_page():
    text = text_of(FOLDER / "index.rst")
    assert {
        name for name in re.findall(r"^   (\S+)$", text, re.MULTILINE) if not name.startswith(":")
    } == {page.stem for page in PAGES}
    assert set(re.findall(r"\* - :doc:`([\w-]+)`", text)) == {page.stem for page in PAGES}


@pytest.mark.parametrize("page", PAGES, ids=page_name)
def test_code_of_other_packages_is_kept_apart(page):
    """A block that needs mlxtend must say so, or the page would fail where mlxtend is not installed."""
    for block in blocks_of(page):
        for module in OTHERS:
            imported = re.search(
                rf"^\s*(?:>>> |\.\.\. )(?:from|import) {module}\b", block.text, re.MULTILINE
            )
            assert not imported or block.needs == module, f"{page.name}:{block.line}"


@pytest.mark.parametrize("page", PAGES, ids=page_name)
def test_where_both_sides_are_shown_errbar_prints_the_numbers_of_the_other(page):
    """Each number that a package of others prints under "The same numbers" is printed by errbar, too."""
    text = text_of(page)
    section = text[text.index("\nThe same numbers\n") : text.index("\nWhat to know\n")]
    first = text.count("\n", 0, text.index("\nThe same numbers\n"))
    last = first + section.count("\n")
    within = [
        block
        for block in blocks_of(page)
        if first < block.line <= last and block.language == "doctest"
    ]
    theirs = {number for block in within if block.needs for number in outputs(block)}
    ours = {number for block in within if not block.needs for number in outputs(block)}
    assert theirs <= ours
    assert ours


def outputs(block):
    shown = [
        line for line in block.text.splitlines() if not line.lstrip().startswith((">>>", "..."))
    ]
    return [float(number) for line in shown for number in re.findall(r"-?\d+\.\d+", line)]


def other(name, module):
    pytest.importorskip(name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return import_module(module)


@pytest.fixture(scope="module")
def mlxtend():
    return other("mlxtend", "mlxtend.evaluate")


@pytest.fixture(scope="module")
def baycomp():
    return other("baycomp", "baycomp")


class TestMlxtend:
    """mlxtend itself, on random numbers."""

    @pytest.mark.parametrize(("b", "c"), [(3, 9), (25, 15), (1, 30), (40, 2)])
    def test_mcnemar(self, mlxtend, b, c):
        table, counts = np.array([[50, b], [c, 20]]), errbar.Discordance(b, c)
        for corrected, kind in ((True, "chi2-corrected"), (False, "chi2")):
            chi2, pvalue = mlxtend.mcnemar(table, corrected=corrected)
            result = methods.mcnemar(counts, kind=kind)
            assert (result.statistic, result.pvalue) == pytest.approx((chi2, pvalue), rel=1e-10)
        assert methods.mcnemar(counts).pvalue == pytest.approx(
            mlxtend.mcnemar(table, exact=True)[1], rel=1e-8
        )

    @pytest.mark.parametrize("seed", range(3))
    def test_cochran_q(self, mlxtend, seed):
        rng = np.random.default_rng(seed)
        truth = rng.integers(0, 2, 60)
        guesses = [
            np.where(rng.random(60) < share, 1 - truth, truth) for share in (0.1, 0.2, 0.3, 0.15)
        ]
        result = methods.cochran_q(
            errbar.Blocks(np.stack([guess != truth for guess in guesses], axis=1))
        )
        assert (result.statistic, result.pvalue) == pytest.approx(
            mlxtend.cochrans_q(truth, *guesses), rel=1e-9
        )


class TestBaycomp:
    """baycomp itself, on random numbers."""

    @pytest.mark.parametrize(("folds", "runs"), [(10, 1), (10, 10), (5, 3)])
    @pytest.mark.parametrize("rope", [0.0, 0.01])
    def test_correlated_t(self, baycomp, folds, runs, rope):
        rng = np.random.default_rng(folds)
        x, y = rng.normal(0.8, 0.02, (2, folds * runs))
        result = methods.bayes_correlated_t(
            errbar.Losses(y - x, n_train=folds - 1, n_test=1), rope=rope
        )
        found = baycomp.two_on_single(x, y, rope=rope, runs=runs)
        regions = ("left", "rope", "right") if rope else ("left", "right")
        assert [result.posterior[region] for region in regions] == pytest.approx(
            [float(p) for p in found], abs=1e-10
        )
