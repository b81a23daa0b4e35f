"""The studies in the documentation, done again on fewer data sets and with another seed: the figures must agree."""

import csv
import os
from pathlib import Path

import pytest
from scipy import stats

import errbar_lab as lab

DATA = os.environ.get("ERRBAR_DATA")
NUMBERS = Path(__file__).resolve().parents[2] / "docs" / "studies" / "numbers"
ALARM = 1e-6

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not DATA, reason="ERRBAR_DATA does not name a folder with the data sets of the papers"
    ),
]


def rows(name):
    with (NUMBERS / name).open(encoding="utf-8") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


def agree(count, total, known, known_total, tests):
    """Whether two shares of independent data sets may be the same; the alarm is shared among all comparisons."""
    other = round(known * known_total)
    table = [[count, total - count], [other, known_total - other]]
    return stats.fisher_exact(table).pvalue > ALARM / tests


def test_sizes_of_figure_1():
    known = {
        (row["target"], row["statistic"]): row
        for row in rows("figure1-10000.csv")
        if row["kind"] == "size"
    }
    found = lab.figure1(lab.load_letter(), data_sets=200, random_state=1, n_jobs=2)
    for one in found.performances:
        row = known[one.target, one.method]
        assert agree(one.size.count, one.size.total, float(row["size"]), 10_000, len(known)), (
            one.target,
            one.method,
        )
        assert one.ratio.low / 1.5 < float(row["ratio"]) < one.ratio.high * 1.5
    for target in found.targets:
        truth, error = found.truth.of(*target.split("-"))
        assert abs(truth - float(known[target, "t"]["mu0"])) < 5 * 2**0.5 * error


@pytest.mark.parametrize("name", ["letter", "forest"])
def test_rates_of_table_2(name):
    known = {int(row["n"]): row for row in rows(f"table2-{name}.csv")}
    load = {
        "letter": lambda: lab.binary_letter(lab.load_letter()),
        "forest": lambda: lab.binary_covertype(lab.load_covertype()),
    }[name]
    found = lab.table2(
        load().with_replacement(), n=(20, 80, 400), replicates=1500, random_state=1, n_jobs=2
    )
    for row in found.rows:
        for rho, rate in row.type_1.items():
            assert agree(
                rate.count, rate.total, float(known[row.n][f"type_1_rho_{rho:g}"]), 10_000, 6
            ), (row.n, rho)
        assert abs(row.rho.value - float(known[row.n]["rho"])) < 2.5 * (row.rho.high - row.rho.low)
