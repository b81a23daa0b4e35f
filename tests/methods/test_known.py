"""A new model that answered a part of a board, beside known models that answered all of it."""

import math
import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st
from scipy import stats
from sklearn.linear_model import Ridge

import errbar
from errbar.errors import PairingError
from errbar.methods import known
from errbar.planning import plan_questions
from errbar.reading.known import predictions
from tests import forms
from tests.bands import binomial_band
from tests.refusals import refused

DATA = os.environ.get("ERRBAR_DATA", "")
NAN = float("nan")


def a_board(rng, questions=120, models=8):
    """Return answers, right or wrong, that depend on how easy a question is."""
    easy = rng.normal(size=(questions, 1))
    liking = easy + 0.5 * rng.normal(size=models) + rng.normal(size=(questions, models))
    return (liking > 0).astype(float)


def part(rng, total, count):
    return np.isin(np.arange(total), rng.choice(total, count, replace=False))


def table_of(board, asked, new=1, **more):
    """Return the table of the first models as new ones, and the rest known."""
    answers = {f"new{k}": np.where(asked, board[:, k], NAN) for k in range(new)}
    others = {f"m{k}": board[:, k] for k in range(new, board.shape[1])}
    return errbar.from_known(answers, others, higher_is_better=True, **more)


def refitted(board, asked, answers):
    """Return predictions by fits of scikit-learn's Ridge, one without each question that was asked."""
    inside, m = board[asked], answers.size
    squares = np.square(inside - inside.mean(axis=0)).sum() / board.shape[1]
    found = []
    for penalty in 10.0 ** np.arange(0.5, 3.5, 0.5) * squares:
        errors = np.array(
            [
                answers[i]
                - Ridge(penalty)
                .fit(np.delete(inside, i, axis=0), np.delete(answers, i))
                .predict(inside[[i]])[0]
                for i in range(m)
            ]
        ) * (1.0 - 1.0 / m)
        predicted = Ridge(penalty).fit(inside, answers).predict(board)
        predicted[asked] = answers - errors
        found.append((errors @ errors, predicted))
    return min(found, key=lambda one: one[0])[1]


class TestFormula:
    def test_by_hand(self):
        y, f = np.array([1, 0, 1, 1, 0.0]), np.array([0.8, 0.1, 0.7, 0.9, 0.4])
        u = np.array([0.9, 0.2, 0.6, 0.8, 0.3, 0.5, 0.7])
        found = known(forms.judged(y, f, u))
        assert found.estimate == pytest.approx(y.mean() + np.r_[f, u].mean() - f.mean())
        assert found.se == pytest.approx(math.sqrt(7 / 12 * (y - f).var(ddof=1) / 5))
        reach = stats.t.ppf(0.975, 4) * found.se
        assert (found.df, found.low) == (4, pytest.approx(found.estimate - reach))

    def test_predictions_are_those_of_fits_without_the_question(self, rng):
        board = a_board(rng, questions=60)
        asked = part(rng, 60, 25)
        found = predictions(board[:, 1:], asked, board[asked, 0])
        assert found == pytest.approx(refitted(board[:, 1:], asked, board[asked, 0]), abs=1e-9)

    def test_a_table(self, rng):
        board = a_board(rng)
        asked = part(rng, 120, 30)
        y = board[asked, 0]
        f = predictions(board[:, 1:], asked, y)
        found = errbar.infer(table_of(board, asked), "known")
        direct = known(forms.judged(y, f[asked], f[~asked]))
        assert (found.estimate, found.se) == pytest.approx((direct.estimate, direct.se), rel=1e-12)
        assert errbar.compare_table(table_of(board, asked)).method == "known"


class TestLaws:
    @given(st.integers(0, 2**32 - 1), st.floats(-3, 3), st.floats(0.1, 10))
    def test_affine(self, seed, shift, scale):
        rng = np.random.default_rng(seed)
        board, asked = a_board(rng, 50, 5), part(rng, 50, 20)
        plain = predictions(board[:, 1:], asked, board[asked, 0])
        moved = predictions(board[:, 1:], asked, shift + scale * board[asked, 0])
        assert moved == pytest.approx(shift + scale * plain, abs=1e-9)
        units = predictions(scale * board[:, 1:] + shift, asked, board[asked, 0])
        assert units == pytest.approx(plain, abs=1e-9)

    @given(st.integers(0, 2**32 - 1))
    def test_known_models_that_always_say_the_same_change_nothing(self, seed):
        rng = np.random.default_rng(seed)
        board, asked = a_board(rng, 50, 4), part(rng, 50, 20)
        board[:, 1:] = [1.0, 0.0, 1.0]
        found, y = errbar.infer(table_of(board, asked), "known"), board[asked, 0]
        se = math.sqrt((1 - 20 / 50) * y.var(ddof=1) / 20)
        assert (found.estimate, found.se, found.df) == pytest.approx((y.mean(), se, 19))

    def test_the_order_of_rows_does_not_matter(self, rng):
        board, asked = a_board(rng, 60, 5), part(rng, 60, 20)
        frame = pd.DataFrame(board[:, 1:], columns=[f"m{k}" for k in range(4)])
        frame["question_id"] = [f"q{i}" for i in range(60)]
        new = pd.DataFrame({"new": board[:, 0], "question_id": frame.question_id})[asked]
        found = [
            errbar.infer(
                errbar.from_known(
                    new.sample(frac=1.0, random_state=seed),
                    frame.sample(frac=1.0, random_state=seed + 1),
                    higher_is_better=True,
                ),
                "known",
            )
            for seed in (1, 2)
        ]
        assert found[0].se == pytest.approx(found[1].se, rel=1e-9)
        assert found[0].se == pytest.approx(errbar.infer(table_of(board, asked), "known").se)

    def test_where_all_questions_are_asked_nothing_is_uncertain(self, rng):
        board = a_board(rng)
        found = errbar.infer(table_of(board, np.ones(120, bool)), "known")
        mean = pytest.approx(board[:, 0].mean())
        assert (found.estimate, found.se, found.low, found.high) == (mean, 0.0, mean, mean)
        assert [note.code for note in found.notes] == ["fixed"]

    def test_the_mean_of_a_known_model_is_exact(self, rng):
        board = a_board(rng)
        asked = part(rng, 120, 30)
        found = errbar.compare_table(table_of(board, asked, baseline="m3"), baseline="m3")
        exact, new = found.learners["m3"], found.learners["new0"]
        assert exact.estimate == exact.low == exact.high == pytest.approx(board[:, 3].mean())
        [pair] = found.pairs
        assert pair.result.se == pytest.approx(new.se)
        assert pair.result.estimate == pytest.approx(new.estimate - exact.estimate)
        assert "as-defined" not in [note.code for note in pair.result.notes]

    def test_a_new_model_that_is_always_right_is_not_certain(self, rng):
        board = a_board(rng)
        board[:, 0] = 1.0
        asked = part(rng, 120, 30)
        table = table_of(board, asked, baseline="m3", metric="accuracy")
        alone = errbar.infer(table, "known", "new0")
        assert alone.low < 0.95 < alone.high == 1.0
        pair = errbar.infer(table, "known", "new0", "m3")
        assert "no-variation" in [note.code for note in pair.notes]

    def test_two_new_models_gain_nothing_and_that_is_said(self, rng):
        board = a_board(rng)
        asked = part(rng, 120, 40)
        result = errbar.infer(table_of(board, asked, new=2), "known", "new0", "new1")
        d = board[asked, 0] - board[asked, 1]
        assert result.se == pytest.approx(math.sqrt(2 / 3 * d.var(ddof=1) / 40), rel=0.15)
        assert "as-defined" in [note.code for note in result.notes]


class TestReading:
    BOARD = pd.DataFrame({"question_id": [*range(8)] * 2, "model": ["a"] * 8 + ["b"] * 8})
    NEW = pd.DataFrame({"question_id": range(5), "model": "c", "score": [1, 0, 1, 1, 0]})

    @property
    def board(self):
        return self.BOARD.assign(score=[1, 0, 1, 0, 1, 1, 0, 1, 0, 1, 1, 0, 1, 0, 1, 1])

    def read(self, new=None, board=None, **said):
        new = self.NEW if new is None else new
        board = self.board if board is None else board
        return errbar.from_known(new, board, higher_is_better=True, **said)

    def test_long_and_wide_are_one(self):
        wide = self.board.pivot_table(index="question_id", columns="model", values="score")
        new = self.NEW.pivot_table(index="question_id", columns="model", values="score")
        empty = new.reindex(range(8))
        texts = self.NEW.assign(question_id=self.NEW.question_id.astype(str))
        expected = self.read().points
        for table in (self.read(new, wide), self.read(empty, wide), self.read(texts)):
            assert table.points == pytest.approx(expected)

    def test_models_that_lack_answers_are_left_out(self):
        more = self.board.assign(model=self.board.model.replace("b", "d"))[:-1]
        table = self.read(board=pd.concat([self.board, more[8:]]))
        assert table.points == pytest.approx(self.read().points)
        assert "left-out" in [note.code for note in table.notes]

    @pytest.mark.parametrize(
        ("new", "board", "said", "argument", "error"),
        [
            (NEW.assign(model="a"), None, {}, "new", None),
            (NEW.assign(question_id=range(4, 9)), None, {}, "new", None),
            (NEW[:2], None, {}, "new", None),
            (pd.concat([NEW, NEW[:4].assign(model="d")]), None, {}, "new", PairingError),
            (None, None, {"baseline": "z"}, "baseline", None),
            (None, None, {"groups": "model"}, "role", None),
            (None, None, {"example": "item"}, "example", None),
            (NEW.drop(columns="question_id"), None, {}, "example", None),
            ({"c": [1, 0, 1]}, {"a": [1, 0, 1, 0], "b": [0, 1, 0, 1]}, {}, "example", None),
            (None, BOARD.assign(score=[1.0] * 7 + [NAN] * 9), {}, "known", PairingError),
            (None, pd.concat([BOARD, BOARD[:1]]).assign(score=1), {}, None, None),
            (NEW.assign(score=[1, 0, 1, 0, math.inf]), None, {}, "new", None),
            (None, BOARD.assign(score=[math.inf, *[0.5] * 15]), {}, "known", None),
        ],
    )
    def test_refused(self, new, board, said, argument, error):
        with refused(argument, error or errbar.errors.InvalidInputError):
            self.read(new, board, **said)


class TestPlanning:
    def test_rows_are_the_formula(self, rng):
        board = a_board(rng, 400)
        found = plan_questions({f"m{k}": column for k, column in enumerate(board.T)})
        variance = np.mean(board.var(axis=0, ddof=1))
        for count, alone, with_board, *_ in found.rows:
            expected = stats.t.ppf(0.975, count - 1) * math.sqrt(
                (1 - count / 400) * variance / count
            )
            assert alone == pytest.approx(expected, rel=0.1)
            assert with_board < alone
        assert (found.needed, found.needed_alone) == (None, None)

    def test_as_many_as_needed_and_no_more(self, rng):
        board = {f"m{k}": column for k, column in enumerate(a_board(rng, 400).T)}
        rows = plan_questions(board).rows
        _, alone, with_board, *_ = next(row for row in rows if row[0] == 100)
        assert plan_questions(board, half_width=with_board).needed == 100
        assert plan_questions(board, half_width=alone).needed_alone == 100
        detectable = next(row for row in rows if row[0] == 100)[4]
        assert plan_questions(board, -detectable).needed == 100
        assert plan_questions(board, detectable, 0.9).needed > 100

    @pytest.mark.parametrize(
        ("said", "argument"),
        [
            ({"difference": 0.0}, "difference"),
            ({"difference": -0.1, "alternative": "greater"}, "difference"),
            ({"half_width": 0.0}, "half_width"),
            ({"power": 1.0}, "power"),
            ({"task": "x"}, "role"),
        ],
    )
    def test_refused(self, rng, said, argument):
        with refused(argument):
            plan_questions({f"m{k}": column for k, column in enumerate(a_board(rng).T)}, **said)

    def test_a_board_that_is_too_small(self, rng):
        for board in (a_board(rng, 40), a_board(rng, 120, 2)):
            with refused("board"):
                plan_questions({f"m{k}": column for k, column in enumerate(board.T)})


def coverage(board, count, runs, rng):
    """Return how often intervals cover, and the ratio of their mean width to that of the plain ones."""
    covered, widths = 0, []
    total, models = board.shape
    for run in range(runs):
        asked, new = part(rng, total, count), run % models
        y = board[asked, new]
        f = predictions(np.delete(board, new, axis=1), asked, y)
        found = known(forms.judged(y, f[asked], f[~asked]))
        covered += found.low <= board[:, new].mean() <= found.high
        reach = stats.t.ppf(0.975, count - 1) * math.sqrt(
            (1 - count / total) * y.var(ddof=1) / count
        )
        widths.append((found.high - found.low, 2 * reach))
    width, plain = np.mean(widths, axis=0)
    return covered, width / plain


@pytest.mark.slow
def test_coverage_of_a_simulated_board(rng):
    covered, width = coverage(a_board(rng, 800, 30), 100, 3000, rng)
    low, high = binomial_band(3000, 0.95)
    assert low - 15 <= covered <= high  # half a percent for the finite number of questions asked
    assert width < 0.95


@pytest.mark.slow
@pytest.mark.skipif(not DATA, reason="ERRBAR_DATA does not name a folder with livebench.parquet")
@pytest.mark.parametrize("count", [50, 100, 200, 400])
def test_coverage_of_a_board_of_language_models(rng, count):
    frame = pd.read_parquet(Path(DATA) / "livebench.parquet")
    board = frame.pivot_table(index="question_id", columns="model", values="score").dropna(axis=1)
    covered, width = coverage(board.to_numpy(), count, 2000, rng)
    low, high = binomial_band(2000, 0.95)
    assert low - 20 <= covered <= high
    assert width <= 0.77
