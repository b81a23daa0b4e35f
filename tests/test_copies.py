"""Rows that are copies of others are seen and said whether data come from a file, as an array or as a frame."""

import numpy as np
import pandas as pd
import pytest
from sklearn.neighbors import KNeighborsClassifier

import errbar
from errbar.errors import InvalidInputError
from errbar.sources import read_examples

N = 100


def examples(copies):
    """Return examples of which so many are copies of others, and a group for each row and its copies."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N, 4))
    y = (X[:, 0] + rng.normal(size=N) > 0).astype(int)
    rows = np.r_[np.arange(N), rng.integers(0, N, copies)]
    return X[rows], y[rows], rows


def evaluated(X, y, **how):
    return errbar.evaluate(KNeighborsClassifier(1), X, y, random_state=0, **how).notes


def compared(X, y, **how):
    learners = {"one": KNeighborsClassifier(1), "five": KNeighborsClassifier(5)}
    return errbar.compare(learners, X, y, random_state=0, **how).notes


KINDS = {
    "array": np.asarray,
    "frame": lambda X: pd.DataFrame(X, columns=list("abcd")),
    "frame with text": lambda X: pd.DataFrame(X, columns=list("abcd")).assign(e=np.where(X[:, 0] > 0, "x", "y")),
    "columns of one name": lambda X: pd.DataFrame(X, columns=list("aacd")),
}
SAID = [(evaluated, "array"), (compared, "array"), (compared, "frame")]


@pytest.mark.parametrize(("asked", "kind"), SAID)
@pytest.mark.parametrize("copies", [0, 20])
def test_a_note_says_how_many(asked, kind, copies):
    X, y, _ = examples(copies)
    found = [note for note in asked(KINDS[kind](X), y) if note.code == "copies"]
    assert len(found) == (copies > 0)
    assert all(note.numbers == {"copies": copies, "rows": N + copies} for note in found)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("asked", [evaluated, compared])
def test_many_copies_are_refused(asked, kind):
    X, y, _ = examples(100)
    with pytest.raises(InvalidInputError):
        asked(KINDS[kind](X), y)


def test_a_file_says_the_same(tmp_path):
    X, y, _ = examples(20)
    KINDS["frame"](X).assign(y=y).to_csv(tmp_path / "d.csv", index=False)
    [of_file] = [note for note in read_examples(tmp_path / "d.csv", "y").notes if note.code == "copies"]
    [given] = [note for note in compared(X, y) if note.code == "copies"]
    assert of_file == given


def test_copies_of_one_group_do_not_straddle_folds():
    X, y, rows = examples(100)
    assert not [note for note in compared(X, y, groups=rows) if note.code == "copies"]


def test_tables_of_few_values_have_copies_by_nature():
    X, y, _ = examples(100)
    assert not [note for note in compared(np.round(X), y) if note.code == "copies"]


def test_splits_that_were_made_elsewhere_are_not_refused():
    X, y, rows = examples(100)
    apart = [(np.flatnonzero(rows % 5 != k), np.flatnonzero(rows % 5 == k)) for k in range(5)]
    assert [note for note in compared(X, y, plan=apart) if note.code == "copies"]
