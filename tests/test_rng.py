import numpy as np
import pytest
from hypothesis import given, strategies as st

from errbar import _rng
from tests.refusals import refused


def first(base, *names):
    return _rng.stream(base, *names).random()


def test_the_same_names_give_the_same_stream():
    assert first(3, "folds", 10, 0) == first(3, "folds", 10, 0)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("ab", "c"), ("a", "bc")),
        (("a",), ("a", "")),
        (("1",), (1,)),
        ((0, 1), (1, 0)),
        ((), ("",)),
        ((12, 3), (1, 23)),
    ],
)
def test_different_names_give_different_streams(one, other):
    assert first(0, *one) != first(0, *other)


def test_different_roots_give_different_streams():
    assert first(0, "a") != first(1, "a")


@given(st.integers(0, 2**70), st.text("aZ é0_", max_size=10), st.integers(-(2**40), 2**40))
def test_numpy_types_name_the_same_stream(base, word, number):
    assert first(base, np.str_(word), np.int64(number)) == first(base, word, number)


def test_a_stream_does_not_depend_on_what_was_asked_before():
    untouched = first(5, "b")
    first(5, "a")
    assert first(5, "b") == untouched


def test_seeds_fit_scikit_learn():
    seeds = [_rng.seed(base, "x") for base in range(200)]
    assert all(isinstance(seed, int) and 0 <= seed < 2**31 for seed in seeds)
    assert len(set(seeds)) == 200


def test_streams_are_pinned():
    """A change here changes everybody's numbers: it must be on purpose."""
    assert _rng.stream(0, "folds", 10, 0).integers(0, 1_000_000, 3).tolist() == [
        225320,
        455885,
        336020,
    ]
    assert _rng.seed(0, "splitter") == 1849053474


@pytest.mark.parametrize("value", [0, 7, np.int64(7), np.uint8(7), 2**100])
def test_whole_numbers_are_their_own_root(value):
    assert _rng.root(value) == int(value)


def test_none_takes_fresh_entropy():
    assert _rng.root(None) != _rng.root(None)


@pytest.mark.parametrize("make", [np.random.default_rng, np.random.RandomState])
def test_a_generator_is_advanced(make):
    generator = make(0)
    one, other = _rng.root(generator), _rng.root(generator)
    assert one != other
    assert _rng.root(make(0)) == one


@pytest.mark.parametrize("value", [-1, 1.0, "0", True, np.True_, [0]])
def test_anything_else_is_refused(value):
    with refused("random_state"):
        _rng.root(value)
