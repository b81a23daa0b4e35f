"""Rows that are copies of others are seen and said whether data come as an array or as a frame."""

import numpy as np
import pandas as pd
import pytest
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor as Nearest

import errbar
from errbar.errors import InvalidInputError
from errbar.reading.checks import copied_rows

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
    "frame with text": lambda X: pd.DataFrame(X, columns=list("abcd")).assign(
        e=np.where(X[:, 0] > 0, "x", "y")
    ),
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


def test_the_count_is_that_of_pandas():
    rng = np.random.default_rng(1)
    for kind in (float, int, np.float32, np.uint8, bool):
        X = (10 * rng.normal(size=(400, 3))).astype(kind)
        y = rng.normal(size=400)
        rows = np.r_[np.arange(400), rng.integers(0, 400, 60), rng.integers(0, 5, 20)]
        expected = pd.DataFrame(X[rows]).assign(y=y[rows]).duplicated().sum()
        assert copied_rows(X[rows], y[rows]) == expected == 80
        assert copied_rows(pd.DataFrame(X[rows]), y[rows]) == 80
        assert copied_rows(X[rows], y[rows].round().astype(str)) == (
            80 if kind in (float, np.float32) else 0
        )


def test_copies_count_where_groups_split_them_up():
    X, y, rows = examples(20)
    apart = np.r_[np.arange(N), np.arange(20)]
    assert copied_rows(X, y, rows) == 0
    assert copied_rows(X, y, np.arange(N + 20)) == 20
    assert copied_rows(X, y, apart) == (rows[N:] != apart[N:]).sum()


@pytest.mark.parametrize(
    "X", [np.array([["a"], ["b"], ["a"]], dtype=object), pd.DataFrame({"x": [[1], [2], [1]]})]
)
def test_cells_that_cannot_be_compared(X):
    assert copied_rows(X, np.array([1.5, 2.5, 1.5])) == 0


def test_one_copy_in_many_rows_is_not_worth_a_note():
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(300, 2)), rng.normal(size=300)
    for copies, said in ((2, False), (4, True)):
        rows = np.r_[np.arange(300), np.arange(copies)]
        found = errbar.compare(
            {"one": Nearest(1), "five": Nearest(5)}, X[rows], y[rows], random_state=0, plan=2
        )
        assert ("copies" in {note.code for note in found.notes}) == said


def test_rows_without_a_number_of_their_own_are_no_copies():
    """Many people have bought nothing, and are no copies of one of them."""
    rng = np.random.default_rng(0)
    spent = np.where(
        np.arange(600)[:, np.newaxis] < 330, 0.0, rng.gamma(2.0, 20.0, (600, 2)).round(2)
    )
    assert copied_rows(spent, (spent[:, 0] > 0).astype(int)) == 0
    zeros = np.where(rng.random(300) < 0.3, 0.0, rng.normal(size=300))[:, np.newaxis]
    assert copied_rows(zeros, rng.integers(2, size=300)) == 0
    few = np.column_stack([rng.integers(3, size=300), rng.integers(2, size=300)])
    assert copied_rows(few, rng.integers(2, size=300)) == 0
