"""The command line on a real data set of 20 000 examples, where the environment says where it lies."""

import lzma
import os
from pathlib import Path

import pytest

pytestmark = pytest.mark.long

DATA = os.environ.get("ERRBAR_DATA")


@pytest.mark.skipif(
    not DATA, reason="ERRBAR_DATA does not name a folder with letter-recognition.data.xz"
)
def test_letter_recognition_with_all_examples(errbar, tmp_path):
    with lzma.open(Path(str(DATA)) / "letter-recognition.data.xz", "rt") as file:
        raw = file.read()
    header = ",".join(["letter", *(f"x{i}" for i in range(1, 17))])
    (tmp_path / "letter.csv").write_text(f"{header}\n{raw}")
    outcome = errbar(
        *("compare", "letter.csv", "--target", "letter"),
        *("--model", "tree=sklearn.tree.DecisionTreeClassifier"),
        *("--model", "nn=sklearn.neighbors.KNeighborsClassifier(n_neighbors=1)"),
        *("--method", "corrected-t", "--jobs", "2", "--json", "--out", "report.html"),
    )
    assert outcome.status == 0, outcome.err
    assert outcome.data["n_train"] == 18_000
    assert outcome.data["counts"]["fits"] == 30
    [pair] = outcome.data["pairs"]
    assert 0.07 < pair["low"] < pair["high"] < 0.09
    assert "letter" not in outcome.err
    assert (tmp_path / "report.html").stat().st_size > 10_000
