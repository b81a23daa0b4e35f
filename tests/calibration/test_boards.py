"""Intervals of all ranks cover as they promise, and large boards take seconds: the benchmark, in short."""

import pytest
from scipy import stats

from tests.scripts import loaded

pytestmark = pytest.mark.slow

BOARDS = 300
FALSE_ALARM = 1e-4


@pytest.fixture(scope="module")
def benchmark():
    return loaded("benchmarks/board.py")


def cells():
    board = loaded("benchmarks/board.py")
    return [(shape, scores) for shape in board.SHAPES for scores in board.SCORES]


@pytest.mark.parametrize(("shape", "scores"), cells())
def test_all_ranks_are_covered_where_all_models_are_equal(shape, scores, benchmark):
    """No fewer than 93 %, and, but for ten items with few values, no more than 97 %."""
    covered, width = benchmark.coverage(shape, "equal", scores, BOARDS, seed=1)
    least = stats.binom.ppf(FALSE_ALARM, BOARDS, 0.93) / BOARDS
    most = stats.binom.isf(FALSE_ALARM, BOARDS, 0.98) / BOARDS
    assert least <= covered <= most
    assert width > 0.99


@pytest.mark.parametrize(("shape", "scores"), cells())
def test_no_rank_is_wrong_more_often_where_models_differ(shape, scores, benchmark):
    covered, width = benchmark.coverage(shape, "half equal", scores, 100, seed=1)
    assert covered >= stats.binom.ppf(FALSE_ALARM, 100, 0.95) / 100
    assert width <= 1.0


def test_200_models_on_10000_items_take_less_than_five_seconds(benchmark):
    assert benchmark.timed() < 5.0


def test_nine_equal_agents_at_the_top_of_a_list_may_all_rank_first(benchmark):
    import errbar

    board = errbar.board(benchmark.solved(), metric="resolved", higher_is_better=True)
    assert {*board.leaders} == {f"agent {number}" for number in range(1, 10)}
