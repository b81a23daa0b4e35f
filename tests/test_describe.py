"""Twelve tables as people have them: what is read unsaid, what is asked, and what `describe` proposes."""

import numpy as np
import pandas as pd
import pytest

import errbar
from errbar import UnsaidRoleError

RNG = np.random.default_rng(20)
SIZES = {"n_train": 90, "n_test": 10}


def uniform(*shape):
    return RNG.uniform(size=shape).round(4)


A, B = uniform(10) + 1, uniform(10) + 1
X, Y = uniform(5, 10) + 1, uniform(5, 10) + 1
REPEAT, FOLD = np.divmod(np.arange(50), 10)
MARKS = RNG.integers(0, 2, (2, 3, 40))  # learner, answer, question
PASSAGE = np.repeat(np.arange(10), 4)
TRUTH = uniform(60) * 9
GUESSES = (TRUTH + RNG.normal(size=(2, 60))).round(4)


def corrected(difference):
    return (difference.var(ddof=1) * (1 / difference.size + 1 / 9)) ** 0.5


def plain(difference):
    return difference.std(ddof=1) / difference.size**0.5


def clustered(difference, group):
    share = np.bincount(group) / group.size
    sums = np.bincount(group, difference - difference.mean()) / group.size
    return (sums**2 / (1 - share)).sum() ** 0.5


def long(values, learner="model", value="score", **labels):
    parts = [pd.DataFrame({learner: name, **labels, value: own}) for name, own in values.items()]
    return pd.concat(parts, ignore_index=True)


ANSWERS = {"question_id": np.tile(np.arange(40), 3), "number": np.repeat(range(3), 40)}
MARKED = {"a": MARKS[0].ravel(), "b": MARKS[1].ravel()}
GAP = (MARKS[0] - MARKS[1]).mean(axis=0)
SETS = {name: uniform(8, 5) for name in "ab"}

# name: table, what is said, standard error of a - b, and what describe proposes (None: it asks).
TABLES = {
    "repeats and folds": (
        {"repeat": REPEAT, "fold": FOLD, "a": X.ravel(), "b": Y.ravel()},
        SIZES,
        corrected(X - Y),
        {},
    ),
    "labels of caret": (
        {
            "Resample": [f"Fold{f:02}.Rep{r}" for r, f in zip(REPEAT, FOLD, strict=True)],
            "a": X.ravel(),
            "b": Y.ravel(),
        },
        SIZES,
        corrected(X - Y),
        {},
    ),
    "iterations": (
        {"iteration": range(10), "a": A, "b": B},
        {"fold": "iteration", **SIZES},
        corrected(A - B),
        {"fold": "iteration"},
    ),
    "bare folds": (
        {"fold": range(10), "a": A, "b": B},
        {"fold": "fold", **SIZES},
        corrected(A - B),
        None,
    ),
    "seeds of splits": (
        {"seed": range(10), "a": A, "b": B},
        {"split": "seed", **SIZES},
        corrected(A - B),
        None,
    ),
    "long": (long({"a": A, "b": B}, split_id=range(10)), SIZES, corrected(A - B), {}),
    "answers": (
        long(
            MARKED, attempt=ANSWERS["number"], question_id=ANSWERS["question_id"], value="correct"
        ),
        {},
        plain(GAP),
        {},
    ),
    "samples": (
        long(MARKED, sample=ANSWERS["number"], question_id=ANSWERS["question_id"], value="correct"),
        {"answer": "sample"},
        plain(GAP),
        {"answer": "sample"},
    ),
    "passages": (
        {"question_id": range(40), "passage_id": PASSAGE, "a": A.repeat(4), "b": uniform(40)},
        {},
        None,
        {},
    ),
    "stories": (
        {"question_id": range(40), "story": PASSAGE, "a": uniform(40), "b": uniform(40)},
        {"groups": "story"},
        None,
        None,
    ),
    "predictions": (
        {"row_id": range(60), "y": TRUTH, "a": GUESSES[0], "b": GUESSES[1]},
        {"columns": "a,b", "fold": "none"},
        plain((GUESSES[0] - TRUTH) ** 2 - (GUESSES[1] - TRUTH) ** 2),
        None,
    ),
    "data sets": (
        long(
            {name: own.ravel() for name, own in SETS.items()},
            dataset=np.repeat(range(8), 5),
            fold=np.tile(range(5), 8),
        ),
        {},
        plain((SETS["a"] - SETS["b"]).mean(axis=1)),
        {},
    ),
}


def standard_error(table):
    if "data-sets" in table.splits.kinds:
        return plain(table.scores[0] - table.scores[1])
    return errbar.compare_table(table, method=None).pairs[0].result.se


@pytest.mark.parametrize("name", TABLES)
def test_what_is_said_gives_the_number(name):
    columns, said, se, _ = TABLES[name]
    frame = pd.DataFrame(columns)
    if se is None:
        se = clustered((frame["a"] - frame["b"]).to_numpy(), PASSAGE)
    assert standard_error(errbar.read_table(frame, **said)) == pytest.approx(se, rel=1e-9)


@pytest.mark.parametrize("name", TABLES)
def test_what_is_not_said_is_taken_by_name_or_refused(name):
    columns, said, _, _ = TABLES[name]
    roles = {role: value for role, value in said.items() if role not in SIZES}
    frame = pd.DataFrame(columns)
    if not roles:
        errbar.read_table(frame, **said)
        return
    with pytest.raises(UnsaidRoleError) as caught:
        errbar.read_table(frame)
    role, *_ = roles
    assert any(option.startswith(f"--{role}") for option in caught.value.options)


@pytest.mark.parametrize("name", TABLES)
def test_the_proposal(name):
    columns, said, _, proposed = TABLES[name]
    found = errbar.describe(pd.DataFrame(columns))
    assert [one.name for one in found.columns] == list(columns)
    if proposed is None:
        assert found.command is None
        assert found.options
        return
    assert (
        found.said == proposed == {role: value for role, value in said.items() if role not in SIZES}
    )
    assert found.command.startswith("errbar test FILE")
    assert ("--n-train" in found.command) == ("n_train" in said)
    assert found.command in str(found)
    assert found.to_dict()["command"] == found.command


def test_seeds_of_one_training_set_need_no_sizes():
    runs = long({"a": A, "b": B}, "params.model", **{"params.seed": range(10)})
    found = errbar.describe(pd.DataFrame(runs))
    assert found.said["seed"] == "params.seed"
    assert "--n-train" not in found.command
