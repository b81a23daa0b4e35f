"""errbar test --known and errbar power --known."""

import numpy as np
import pandas as pd
import pytest

import errbar as eb
from errbar.errors import InvalidInputError

SAID = ("--learner", "model", "--value", "correct", "--example", "question")


@pytest.fixture
def board(tmp_path, monkeypatch):
    """Write a board of eight models, and answers of two new ones to a third of its questions."""
    rng = np.random.default_rng(0)
    easy = rng.normal(size=(150, 1))
    right = easy + rng.normal(size=(150, 10)) > 0
    frame = pd.DataFrame(
        [(f"m{k}", f"q{i}", int(right[i, k])) for k in range(10) for i in range(150)],
        columns=["model", "question", "correct"],
    )
    asked = [f"q{i}" for i in rng.choice(150, 50, replace=False)]
    new = frame.model.isin(["m8", "m9"])
    frame[~new].to_csv(tmp_path / "board.csv", index=False)
    frame[new & frame.question.isin(asked)].to_csv(tmp_path / "new.csv", index=False)
    return frame


def test_new_models_and_a_known_one(errbar, board):
    call = ("test", "new.csv", "--known", "board.csv", *SAID, "--higher-is-better")
    outcome = errbar(*call, "--baseline", "m0", "--json")
    assert outcome.status == 0, outcome.err
    table = eb.from_known(
        "new.csv",
        "board.csv",
        baseline="m0",
        higher_is_better=True,
        learner="model",
        value="correct",
        example="question",
    )
    expected = eb.compare_table(table, baseline="m0")
    assert outcome.data["method"] == "known"
    by_name = {one["name"]: one for one in outcome.data["learners"]}
    assert {*by_name} == {"m8", "m9", "m0"}
    for name, own in expected.learners.items():
        assert by_name[name]["estimate"] == pytest.approx(own.estimate)
        assert by_name[name]["se"] == pytest.approx(own.se)
    assert errbar(*call).status == 0


def test_how_many_questions(errbar, board):
    outcome = errbar("power", "--known", "board.csv", *SAID, "--half-width", "0.1", "--json")
    assert outcome.status == 0, outcome.err
    said = {"learner": "model", "value": "correct", "example": "question"}
    found = eb.planning.plan_questions("board.csv", half_width=0.1, **said)
    assert outcome.data["needed"] == found.needed < found.needed_alone
    assert errbar("power", "--known", "board.csv", *SAID, "--difference", "0.1").status == 0


@pytest.mark.parametrize(
    ("call", "argument"),
    [
        (("test", "new.csv", "--known", "board.csv", *SAID, "--groups", "model"), "groups"),
        (("test", "new.csv", "--known", "board.csv", *SAID, "--tasks", "equal"), "tasks"),
        (("test", "new.csv", "--known", "board.csv", *SAID, "--truth", "model"), "truth"),
        (("test", "new.csv", "board.csv", "--known", "board.csv", *SAID), "scores"),
        (("test", "board.csv", "--known", "board.csv", *SAID), "new"),
        (("test", "new.csv", "--known", "board.csv", *SAID, "--baseline", "x"), "baseline"),
        (("test", "new.csv", "--known", "board.csv", *SAID, "--method", "holdout-t"), None),
        (("power", "--known", "board.csv", *SAID, "--repeats", "3"), "repeats"),
        (("power", "new.csv", "--known", "board.csv", *SAID), "scores"),
        (("power", "--known", "board.csv", *SAID, "--lower-is-better"), "higher_is_better"),
        (("power", "--known", "board.csv", *SAID, "--out", "power.png"), "out"),
        (("power", "new.csv", "--half-width", "0.1"), "half_width"),
    ],
)
def test_refused(errbar, board, call, argument):
    outcome = errbar(*call)
    assert outcome.status == 2
    assert outcome.err.count("\n") == 1
    assert isinstance(outcome.refusal, InvalidInputError)
    assert argument is None or outcome.refusal.argument == argument
