"""Rows of averages, ranks and wins below a table are no data sets."""

import numpy as np
import pandas as pd
import pytest

import errbar
from tests.refusals import refused

SAID = {"kind": "data-sets", "higher_is_better": True}


@pytest.fixture
def results(rng):
    frame = pd.DataFrame(rng.uniform(0.5, 0.99, (14, 4)).round(3), columns=list("ABCD"))
    return frame.assign(dataset=[f"set {place}" for place in range(14)])


def below(frame, name, row):
    return pd.concat([frame, pd.DataFrame([{**row, "dataset": name}])], ignore_index=True)


SUMS = {
    "Average": lambda rows: rows.mean().round(3),
    "Mean, two decimals": lambda rows: rows.mean().round(2),
    "Sum": lambda rows: rows.sum(),
    "Median": lambda rows: rows.median().round(3),
    "GeoMean": lambda rows: np.exp(np.log(rows).mean()).round(3),
    "Avg. rank": lambda rows: rows.rank(axis=1, ascending=False).mean().round(2),
    "Wins": lambda rows: pd.Series({"A": 5, "B": 3, "C": 2, "D": 4}),
}


@pytest.mark.parametrize("name", SUMS)
@pytest.mark.parametrize("gap", [False, True])
def test_such_a_row_is_refused_by_name(results, name, gap):
    if gap:
        results.loc[5, "C"] = np.nan
    errbar.read_table(results, **SAID, missing="pairs")
    summed = below(results, name, SUMS[name](results[list("ABCD")]))
    twice = below(summed, "Rank", SUMS["Avg. rank"](results[list("ABCD")]))
    for frame in (summed, twice):
        with refused() as caught:
            errbar.read_table(frame, **SAID, missing="pairs")
        assert name in str(caught.value)


def test_a_leaderboard_whose_first_column_is_the_average(results):
    turned = results.set_index("dataset").T.rename_axis("model").reset_index()
    said = {**SAID, "dataset": "columns"}
    assert errbar.read_table(turned, **said).scores.shape == (4, 14)
    turned.insert(1, "Average", results[list("ABCD")].mean().round(4).to_numpy())
    with refused():
        errbar.read_table(turned, **said)


def test_hardly_any_other_table_is_refused(rng):
    for _ in range(100):
        frame = pd.DataFrame(rng.uniform(0.5, 0.99, (12, 3)).round(2), columns=list("abc"))
        errbar.read_table(frame, **SAID)
