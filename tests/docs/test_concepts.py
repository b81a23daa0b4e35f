"""The pictures of concepts show what their texts say, and the texts quote what was computed."""

import re
from pathlib import Path

import numpy as np
import pytest

from errbar.methods import evidence
from tests.scripts import loaded

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture(scope="module")
def pictures():
    return loaded("docs/_ext/pictures.py")


@pytest.fixture(scope="module")
def quantities(pictures):
    return pictures.quantities()


@pytest.fixture(scope="module")
def growth(pictures):
    return pictures.growth()


def words(page):
    return " ".join((DOCS / "concepts" / page).read_text(encoding="utf-8").split())


def test_fits_are_those_of_scikit_learn(pictures):
    from sklearn.linear_model import LinearRegression

    X, y = pictures.POPULATION.sample(100, np.random.default_rng(0))
    rows = [np.arange(90), np.arange(10, 100)]
    models = pictures.fits(X, y, rows)
    tests = [np.arange(90, 100), np.arange(10)]
    for model, train, test, score in zip(
        models, rows, tests, pictures.scores(X, y, models, tests), strict=True
    ):
        known = LinearRegression().fit(X[train], y[train])
        assert model == pytest.approx([known.intercept_, *known.coef_], abs=1e-10)
        assert score == pytest.approx(np.mean((known.predict(X[test]) - y[test]) ** 2), abs=1e-10)


def test_expected_risks_are_the_means_of_the_risks(pictures, quantities):
    for found, size in ((quantities.risk, 100), (quantities.proxy, 90), (quantities.estimate, 90)):
        error = found.std(ddof=1) / np.sqrt(found.size)
        assert abs(found.mean() - pictures.POPULATION.least_squares_expected_risk(size)) < 4 * error


def test_text_on_risks_quotes_what_the_picture_shows(quantities):
    text = words("risk.rst")
    assert (
        f"the correlation of PQ with R is {np.corrcoef(quantities.proxy, quantities.risk)[0, 1]:.3f}"
        in text
    )
    assert (
        f"estimate with R is {np.corrcoef(quantities.estimate, quantities.risk)[0, 1]:.2f}" in text
    )
    assert f"over {quantities.risk.size} data sets" in text
    spread = (quantities.estimate.std(ddof=1), quantities.risk.std(ddof=1))
    assert "of the estimate is {:.2f}, that of R only {:.2f}".format(*spread) in text
    width = {
        (row.method, row.n): row.width
        for key in ("nested-cv", "corrected-t")
        for row in evidence.of(key)
    }
    for n, quoted in (
        (100, "{:.2f} and {:.2f} on average"),
        (500, "much shorter, {:.2f} and {:.2f}"),
    ):
        assert quoted.format(width["nested-cv", n], width["corrected-t", n]) in text


@pytest.mark.long
def test_text_on_correlations_quotes_what_the_picture_shows(growth):
    text = words("correlated-scores.rst")
    assert f"r is {growth.correlation:.2f}." in text
    assert f"falls from {growth.true[0]:.2f} to {growth.true[-1]:.2f}" in text
    assert f"falls on, to {growth.naive[-1]:.2f}" in text
    assert (
        f"rises from {100 * growth.wrong_naive[0]:.0f} to {100 * growth.wrong_naive[-1]:.0f} percent"
        in text
    )
    assert f"truth in {100 * growth.wrong_naive[-1]:.0f} % of the data sets" in text
    low, high = 100 * growth.wrong_corrected.min(), 100 * growth.wrong_corrected.max()
    assert re.search(r"stays between (\d+) and (\d+) percent", text).groups() == (
        f"{low:.0f}",
        f"{high:.0f}",
    )
    assert 3.5 < growth.true[-1] / growth.naive[-1] < 4.5  # "a quarter of what it should be"


def test_correlation_between_splits_is_the_one_of_all_pairs(pictures):
    rng = np.random.default_rng(0)
    table = rng.normal(size=(2000, 1)) * 0.5 + rng.normal(size=(2000, 6))
    pairs = np.corrcoef(table.T)[np.triu_indices(6, 1)]
    assert pictures.between(table) == pytest.approx(pairs.mean(), abs=0.005)
    assert pictures.between(table) == pytest.approx(0.2, abs=0.03)


def test_the_same_numbers_give_the_same_picture(pictures, tmp_path):
    for name in ("a.svg", "b.svg"):
        pictures.save(pictures.overlap_figure(), tmp_path / name)
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()


@pytest.mark.parametrize(
    "page", sorted((DOCS / "concepts").glob("*.rst")), ids=lambda path: path.name
)
def test_every_picture_is_made_and_has_a_description(pictures, page):
    text = page.read_text(encoding="utf-8")
    source = (DOCS / "_ext" / "pictures.py").read_text(encoding="utf-8")
    for name, alt in re.findall(r"image:: /generated/(\S+)\n +:alt: (.*(?:\n {9}.*)*)", text):
        assert f'"{name}"' in source
        assert len(alt) > 100
    assert text.count("image::") == len(re.findall(r"image:: /generated/\S+\n +:alt:", text))


CODES = {
    "ER": "expected risk",
    "PQ": "risk",
    "RS": "risk over",
    "PD": "performance (?:on|distribution)",
    "DS": "data sets",
}


@pytest.mark.parametrize(
    "page",
    sorted(
        page
        for page in DOCS.glob("*/*.rst")
        if page.parent.name not in ("api", "generated", "_build")
    ),
    ids=lambda path: path.stem,
)
def test_codes_of_what_is_estimated_are_spelled_out_where_they_first_occur(page):
    prose = re.sub(
        r"``[^`]*``|^ *(?:>>>|\.\.\. |\.\. |\$).*$",
        "",
        page.read_text(encoding="utf-8"),
        flags=re.MULTILINE,
    )
    text = " ".join(prose.split())
    for code, words in CODES.items():
        first = re.search(rf"\b{code}\b", text)
        if first:
            assert re.search(words, text[max(0, first.start() - 90) : first.end() + 90]), (
                code,
                text[first.start() - 60 : first.end() + 60],
            )
