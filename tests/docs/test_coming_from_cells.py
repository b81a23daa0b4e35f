"""Every cell with code in the tables of docs/coming-from is run, and where both sides have a number they agree.

The names in the cells are those that the code above the table defines on the page itself, so that a reader can do the same.
"""

import ast
import re
import warnings
from importlib import import_module
from importlib.util import find_spec

import pytest

from tests.docs.pages import Session, blocks_of, missing, ordered, run_command
from tests.docs.test_coming_from import PAGES, page_name, text_of

pytestmark = pytest.mark.long

# Where the names come from that the cells of others use. None: what runs elsewhere than in this interpreter.
MODULES = {
    "autorank": "autorank",
    "baycomp": "baycomp",
    "correctr": None,  # R
    "julearn": None,  # needs a scikit-learn below 1.6
    "mlr3inferr": None,  # R
    "mlxtend": "mlxtend.evaluate",
    "scikit-learn": "sklearn.model_selection",
    "skore": "skore",
    "weka": None,  # Java, with a window
}


def rows_of(page):
    """Return the rows of the table of a page after its header, each a list of cells."""
    whole = re.search(r"^\.\. list-table::.*?\n\n(?=\S)", text_of(page), re.MULTILINE | re.DOTALL)[
        0
    ]
    rows = re.split(r"^   \* - ", whole, flags=re.MULTILINE)[2:]
    return [
        [" ".join(cell.split()) for cell in re.split(r"^     -(?: |$)", row, flags=re.MULTILINE)]
        for row in rows
    ]


def code_of(cell):
    """Return what stands in literal type in a cell, and public names between single back-ticks."""
    return re.findall(r"``([^`]+)``", cell) + re.findall(r"(?<![`:])`(errbar[^`<]*)`", cell)


def names_above_the_table(page):
    """Return what the code above the table leaves behind."""
    line = text_of(page)[: text_of(page).index(".. list-table::")].count("\n") + 1
    session = Session(page.name)
    for block in [block for block in ordered(blocks_of(page)) if block.line < line]:
        if missing(block):
            pytest.skip(f"the names in the cells of {page.name} need {block.needs}")
        session.run(block)
    return session.names


@pytest.fixture(scope="module", params=PAGES, ids=page_name)
def worked(request, tmp_path_factory):
    """A page, and what its code above the table leaves behind."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("page"))
        yield request.param, names_above_the_table(request.param)


def installed(name):
    """Whether a package can be imported here."""
    return name is not None and find_spec(name.partition(".")[0]) is not None


def value_of(code, names):
    """Run what a cell holds, which must be a call, an attribute or a command and not a mere fragment."""
    if code.startswith("errbar "):
        run_command(code, "a cell")
        return code
    tree = ast.parse(code, mode="eval")
    assert any(isinstance(node, ast.Name) for node in ast.walk(tree)), f"{code} does nothing"
    return eval(compile(tree, "a cell", "eval"), names)


def test_every_cell_of_ours_runs_and_gives_something(worked):
    page, names = worked
    for row in rows_of(page):
        assert code_of(row[1]) or row[1].startswith("nothing"), (
            f"{row[0]}: what to do here is not said in code"
        )
        for code in code_of(row[1]):
            assert value_of(code, names) is not None, code


def test_every_cell_of_theirs_runs_where_they_are_installed(worked):
    page, names = worked
    module = MODULES[page.stem]
    if not installed(module):
        pytest.skip(f"{page.stem} is not installed" if module else f"{page.stem} runs elsewhere")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = {**vars(import_module(module)), **names}
        for row in rows_of(page):
            for code in code_of(row[0]):
                value_of(code, theirs)


def of(result, tolerance):
    """Return sampled probabilities, which agree to about two digits."""
    sampled = result.posterior
    return pytest.approx((sampled["left"], sampled["rope"], sampled["right"]), abs=tolerance)


def of_learners(comparison):
    """Return the accuracies of two learners."""
    return [
        abs(result.estimate) for result in comparison.learners.values()
    ]  # of a score, the estimate is its negative


# Rows whose two sides give one number: the page, what begins the cell of the other side, and how the numbers are taken.
SAME = [
    ("mlxtend", "mcnemar(counts, exact=True)", lambda theirs: theirs[1], lambda ours: ours.pvalue),
    (
        "mlxtend",
        "mcnemar(counts)",
        lambda theirs: theirs,
        lambda ours: (ours.statistic, ours.pvalue),
    ),
    ("mlxtend", "cochrans_q", lambda theirs: theirs, lambda ours: (ours.statistic, ours.pvalue)),
    (
        "mlxtend",
        "proportion_difference",
        lambda theirs: abs(theirs[0]),
        lambda ours: ours.statistic,
    ),
    (
        "mlxtend",
        "permutation_test",
        lambda theirs: theirs,
        lambda ours: pytest.approx(ours.pvalue, abs=0.05),
    ),
    (
        "baycomp",
        "two_on_single(x, y, rope=0.5)",
        lambda theirs: theirs,
        lambda ours: (*ours.posterior.values(),),
    ),
    ("baycomp", "two_on_multiple", lambda theirs: theirs, lambda ours: of(ours, 0.02)),
    ("baycomp", "SignTest", lambda theirs: theirs, lambda ours: of(ours, 0.02)),
    ("baycomp", "two_on_single(x, y, rope=0.5)[0]", float, float),
    (
        "autorank",
        "autorank(frame, force",
        lambda theirs: theirs.pvalue,
        lambda ours: ours.friedman.chi2_pvalue,
    ),
    (
        "skore",
        "report.metrics.accuracy()",
        lambda theirs: theirs.to_numpy().ravel()[:2],
        of_learners,
    ),
]


@pytest.mark.parametrize(
    ("stem", "start", "of_theirs", "of_ours"), SAME, ids=[f"{row[0]}-{row[1]}" for row in SAME]
)
def test_both_sides_of_a_row_give_one_number(
    stem, start, of_theirs, of_ours, tmp_path, monkeypatch
):
    pytest.importorskip(stem)
    monkeypatch.chdir(tmp_path)
    [page] = [path for path in PAGES if path.stem == stem]
    [row] = [
        row for row in rows_of(page) if code_of(row[0])[:1] and code_of(row[0])[0].startswith(start)
    ][:1]
    names = names_above_the_table(page)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = of_theirs(
            value_of(code_of(row[0])[0], {**vars(import_module(MODULES[stem])), **names})
        )
    ours = of_ours(value_of(code_of(row[1])[0], names))
    assert theirs == (
        pytest.approx(ours, rel=1e-6) if isinstance(ours, (float, tuple, list)) else ours
    )
