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
    for one in found.content["sizes"]:
        place = one["target"], one["statistic"]
        row, count = known[place], round(200 * one["size"])
        assert agree(count, 200, float(row["size"]), 10_000, len(known)), place
        assert one["ratio_low"] / 1.5 < float(row["ratio"]) < one["ratio_high"] * 1.5
    for target, truth in found.content["truth"].items():
        far = abs(truth["value"] - float(known[target, "t"]["mu0"]))
        assert far < 5 * 2**0.5 * truth["standard_error"]


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
    for row in found.records:
        before = known[row["n"]]
        for key in ("type_1_rho_0", "type_1_rho_0.7"):
            count = round(1500 * row[key])
            assert agree(count, 1500, float(before[key]), 10_000, 6), (row["n"], key)
        assert abs(row["rho"] - float(before["rho"])) < 2.5 * (row["rho_high"] - row["rho_low"])
