"""The rows of the atlas that the pages are made from: a small atlas of today's code says the same."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom

import errbar_lab as lab
from errbar_lab._atlas import PROBLEMS, about, by_level, by_method
from tests.scripts import loaded

pytestmark = pytest.mark.long

DATA_SETS = 8
FILE = "docs/studies/numbers/atlas.parquet"
OF_DEFAULT = "docs/studies/numbers/default.parquet"
KEY = ["problem", "n", "loss", "method", "learner", "minus", "level"]


@pytest.fixture(
    scope="module",
    params=[(FILE, "many", "friedman", 120), (OF_DEFAULT, "default", "linear", 60)],
    ids=["many", "default"],
)
def both(request):
    file, part, problem, n = request.param
    path = request.config.rootpath / file
    assert path.stat().st_size < 20e6
    how = {"data_sets": DATA_SETS, "truth_draws": 20, "cheap": True}
    small = lab.atlas([problem], [n], part=part, **how).outcomes
    rows = small.merge(lab.read_atlas(path).outcomes, on=KEY, suffixes=("", " of all"))
    if part == "many":  # whose rows are older than the pinball loss and other levels
        small = small[(small["loss"] != "pinball .9") & (small["level"] == 95)]
    assert len(rows) == len(small)
    return rows


@pytest.mark.thorough
def test_coverage(both):
    """A count that the full atlas makes all but impossible is a change of the code, since the data sets are the same."""
    held = both["answers"] - both["ER(n1) below"] - both["ER(n1) above"]
    of_all = (
        both["answers of all"] - both["ER(n1) below of all"] - both["ER(n1) above of all"] + 1
    ) / (both["answers of all"] + 2)
    assert (binom.cdf(held, both["answers"], of_all) > 1e-4).all()


def test_truth(both):
    # The truth of R2 in the kept rows is against the mean of the test targets.
    both = both[both["loss"] != "r2"]
    far = (both["ER(n1) value"] - both["ER(n1) value of all"]) / np.hypot(
        both["ER(n1) error"], both["ER(n1) error of all"]
    )
    assert far[np.isfinite(far)].abs().max() < 5.0


def test_width(both):
    ratio = (both["width"] / both["width of all"])[both["width"] > 0]
    assert ratio.median() == pytest.approx(1.0, abs=0.15)


def test_the_figures_in_the_readme(request):
    root = request.config.rootpath
    readme = (root / "README.md").read_text(encoding="utf-8")
    text = " ".join(readme.split())
    found = lab.read_atlas(root / OF_DEFAULT)
    frame = found.outcomes
    of_both = [
        next(
            one
            for one in by_level(frame, subject)
            if (one["method"], one["level"]) == ("cv-jackknife, 7 folds", 95)
        )
        for subject in ("learners", "pairs")
    ]
    for one, words in zip(of_both, ("of a learner", "of a difference"), strict=True):
        said = f"{100 * one['coverage']:.1f} % {words} (standard error {100 * one['error']:.1f})"
        assert said in text
        said = f"{100 * one['within']:.0f} % of the {one['cells']} cells {words}"
        assert said in text
    learners, pairs = (f"{one['width']:.2f} times for" for one in of_both)
    assert f"{learners} learners and {pairs} differences, where `cv-t` covers" in text
    real = sum(PROBLEMS[key].real for key in set(frame["problem"]))
    simulated = frame["problem"].nunique() - real
    assert f"on {real} real tables and {simulated} simulated problems" in text
    pages = loaded("docs/_ext/default.py")
    cells = pages.by_loss(found)
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in readme.splitlines()
        if line.startswith("| ") and "---" not in line
    ]
    losses = [key for name in rows[0][1:] for key, words in pages.HEADINGS.items() if words == name]
    assert len(losses) == len(rows[0]) - 1
    for name, *shown in rows[1:]:
        assert shown == [pages.of_cells(cells.get((name, loss))) for loss in losses], name


def test_cv_t_in_the_atlas_by_hand(request):
    """Near-equal pairs count, a learner against itself does not, and the sizes of a problem are alike."""
    frame = pd.read_parquet(request.config.rootpath / FILE)
    frame = frame[(frame["method"] == "cv-t, folds x2") & (frame["answers"] > 0)]
    constant = ((frame["learner"] == "dummy") | (frame["minus"] == "dummy")) & frame["loss"].isin(
        ["f1", "f1_macro", "r2"]
    )
    pairs = frame[(frame["minus"] != "") & (frame["pair"] != "identical") & ~constant]
    held = 1.0 - (pairs["ER(n1) below"] + pairs["ER(n1) above"]) / pairs["answers"]
    cells = held.groupby([pairs["problem"], pairs["n"]], observed=True).mean()
    sums = (cells - cells.mean()).groupby("problem", observed=True).sum()
    error = np.sqrt(sums.size / (sums.size - 1) * (sums**2).sum()) / cells.size
    assert (cells.size, sums.size, (cells < 0.9).sum()) == (115, 31, 15)
    assert (round(100 * cells.mean(), 1), round(100 * error, 1)) == (95.5, 0.7)
    [found] = [
        one
        for one in by_method(lab.read_atlas(request.config.rootpath / FILE).outcomes, "pairs")
        if one["method"] == "cv-t, folds x2"
    ]
    assert (found["coverage"], found["error"]) == pytest.approx((cells.mean(), error), rel=1e-6)


def test_the_figures_of_learners_that_nearly_agree(request):
    root = request.config.rootpath
    page = " ".join((root / "docs/studies/near-equal.rst").read_text(encoding="utf-8").split())
    frame = lab.read_atlas(root / FILE).outcomes
    [record] = [one for one in by_method(frame, "near-equal") if one["method"] == "cv-t, folds x2"]
    own = about(frame, "near-equal")
    ridge = own[
        (own["method"] == record["method"])
        & (own["minus"] == "least squares")
        & (own["loss"] == "squared-error")
    ]
    said = (
        f"were {record['oracle']:.2f} times as wide as the oracle's (median), and their coverage was {100 * record['coverage']:.1f} % on average. "
        f"It was {100 * record['low']:.1f} % in the tenth lowest of the problems and sizes, and {100 * ridge['coverage'].mean():.0f} % over all of "
        "them for ridge regression minus least squares by squared error."
    )
    assert said in page
    assert set(ridge["learner"]) == {"ridge"}
