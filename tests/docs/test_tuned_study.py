"""What the pages say of the study of tuned candidates is what its rows hold."""

from pathlib import Path

import pandas as pd
import pytest

ROWS = Path(__file__).parents[2] / "docs" / "studies" / "numbers" / "tuned.parquet"


@pytest.fixture(scope="module")
def rows():
    return pd.read_parquet(ROWS)


def test_sentences_of_the_pages(rows):
    nothing = rows[rows["problem"] == "nothing"]
    plain = 100 * nothing["plain covers"]
    assert (round(plain.min()), round(plain.max())) == (49, 83)
    assert nothing["gain claimed"].max() <= 0.04
    low = rows[rows["covers"] < 0.93]
    assert {*zip(low["problem"], low["family"], low["n"], low["candidates"], strict=True)} == {
        ("ames", "ridge", 100, 500),
        ("diamonds", "ridge", 1000, 100),
    }
    assert {*rows["data sets"]} <= {100, *range(140, 151)}


def test_the_form_that_is_used_is_the_narrowest_of_those_that_cover_as_often(rows):
    usual = rows[rows["problem"] != "diamonds"]
    forms = {"union ": 0, "union, wider ": 0, "half ": 0, "": 0, "shift, wider ": 0, "shift ": 0}
    for start in forms:
        forms[start] = (usual[f"{start}covers"] >= 0.93).sum()
    assert forms[""] == max(forms.values())
    assert (usual["width"] / usual["plain width"]).mean() < 1.2
