import math
import re
import tomllib
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st

from errbar import ErrbarError, InvalidInputError, MissingPackageError, _check
from errbar.errors import hint
from tests.refusals import refused


@pytest.mark.parametrize("value", [0.5, np.float32(0.5), np.float64(0.5)])
def test_level_accepts_numbers_strictly_between_0_and_1(value):
    assert _check.level(value) == 0.5
    assert type(_check.level(value)) is float


@pytest.mark.parametrize(
    "value", [0, 1, 0.0, 1.0, -0.1, 95, math.nan, math.inf, "0.9", None, True, np.True_, [0.9]]
)
def test_level_refuses_everything_else(value):
    with refused("level"):
        _check.level(value)


@pytest.mark.parametrize(
    "value", [math.nan, math.inf, -math.inf, "1", None, True, 1j, Decimal(1), 10**400, -(10**400)]
)
def test_finite_refuses_what_is_no_finite_number(value):
    with refused("null"):
        _check.finite(value, "null")


@pytest.mark.parametrize("value", [0, -3, 2.5, np.int8(4), np.float32(0.5), 10**40])
def test_finite_accepts_real_numbers(value):
    assert _check.finite(value, "null") == float(value)


@pytest.mark.parametrize(
    ("value", "closed"), [(0.0, True), (1.0, True), (0.0, False), (0.999, False)]
)
def test_between_accepts_its_ends(value, closed):
    assert _check.between(value, 0.0, 1.0, "rho", closed=closed) == value


@pytest.mark.parametrize(
    ("value", "closed", "shown"),
    [
        (1.0, False, r"\[0, 1\)"),
        (1.1, True, r"\[0, 1\]"),
        (-1e-9, True, r"\[0, 1\]"),
        (math.nan, True, r"\[0, 1\]"),
    ],
)
def test_between_says_where_a_number_must_lie(value, closed, shown):
    with refused("rho"):
        _check.between(value, 0.0, 1.0, "rho", closed=closed)


@pytest.mark.parametrize("value", [0, 2.0, "3", True, np.True_, None, -1])
def test_count_refuses_what_is_no_count(value):
    with refused("folds"):
        _check.count(value, "folds")


@pytest.mark.parametrize("value", [1, np.int32(1), np.uint64(1)])
def test_count_returns_a_plain_integer(value):
    assert type(_check.count(value, "folds")) is int


def test_choice_suggests_the_nearest_word():
    with refused("alternative"):
        _check.alternative("lesser")


@pytest.mark.parametrize(
    ("text", "near"),
    [("zero-won", "zero-one"), ("F2", "f2"), ("acuracy", "accuracy"), ("njobs", None)],
)
def test_the_nearest_of_the_known_words_is_proposed(text, near):
    shown = hint(text, ["zero-one", "f1", "f2", "accuracy", "matthews_corrcoef"])
    assert (repr(near) in shown) if near else shown == ""


@pytest.mark.parametrize("value", [None, 1, ["less"], "zzz"])
def test_choice_refuses_what_is_no_word_of_the_list(value):
    with refused("alternative"):
        _check.alternative(value)


def test_sizes_spread_one_number_over_all_splits():
    assert _check.sizes(90, 3, "n_train").tolist() == [90.0, 90.0, 90.0]
    assert _check.sizes([1, 2, 3], 3, "n_train").tolist() == [1.0, 2.0, 3.0]


@pytest.mark.parametrize(
    "value",
    [
        [1, 2],
        [[1, 2, 3]],
        [1, 0, 3],
        -5,
        0.9,
        [1, math.nan, 3],
        "many",
    ],
)
def test_sizes_are_checked(value):
    with refused("n_train"):
        _check.sizes(value, 3, "n_train")


def test_vectors_are_read_only_copies():
    mine = np.array([1.0, 2.0])
    copy = _check.vector(mine, "value", "split")
    mine[0] = 9.0
    assert copy.tolist() == [1.0, 2.0]
    assert not copy.flags.writeable


@pytest.mark.parametrize(
    "value",
    [
        [[1, 2], [3, 4]],
        5,
        [1],
        [1, None],
        [1, math.inf],
        ["a", "b"],
        [[1], [2, 3]],
        np.ma.masked_array([1, 2], mask=[False, True]),
        [1, 1j],
    ],
)
def test_vectors_are_checked(value):
    with refused("value"):
        _check.vector(value, "value", "split", 2)


def test_a_place_in_a_table_is_named_by_row_and_column():
    with pytest.raises(InvalidInputError):
        _check.numbers([[0, 1], [math.nan, 0]], "value", "repeat and fold")


@pytest.mark.parametrize("value", [[0, 1, 2], [0.0, 1.0, 2.0], np.array([0, 1, 2], dtype=np.uint8)])
def test_labels_are_whole_numbers_of_any_type(value):
    assert _check.labels(value, 3, "fold").tolist() == [0, 1, 2]


def test_one_label_serves_all():
    assert _check.labels(4, 3, "fold").tolist() == [4, 4, 4]


@pytest.mark.parametrize("value", [[0.5, 1, 2], ["a", "b", "c"], [0, math.nan, 1], [0, None, 1]])
def test_labels_must_be_whole_numbers(value):
    with refused("fold"):
        _check.labels(value, 3, "fold")


def test_labels_must_be_as_many_as_the_numbers():
    with refused("fold"):
        _check.labels([0, 1], 3, "fold")


@pytest.mark.parametrize(
    "value",
    [[], ["a", " "], ["a", "a"]],
)
def test_names_are_unique_and_not_empty(value):
    with pytest.raises(InvalidInputError):
        _check.names(value, "learner")


def test_an_extra_that_is_proposed_brings_the_package():
    root = Path(__file__).parents[1]
    extras = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"][
        "optional-dependencies"
    ]
    asked = re.compile(r'package\("([a-z_0-9]+)[^"]*", "([a-z]+)"\)')
    found = {
        pair
        for path in (root / "src").rglob("*.py")
        for pair in asked.findall(path.read_text("utf-8"))
    }
    assert ("matplotlib", "app") in found
    brought_by = {"cloudpickle": "distributed"}
    for name, extra in found:
        assert brought_by.get(name, name) in [
            re.split(r"[^a-z0-9_]", needed)[0] for needed in extras[extra]
        ], (
            name,
            extra,
        )


def test_large_values_are_shown_by_their_shape():
    assert _check.brief(np.zeros((20, 3))) == "ndarray of shape (20, 3)"
    assert len(_check.brief(list(range(1000)))) == 60


def test_a_missing_package_is_named_with_the_command_that_brings_it():
    with pytest.raises(MissingPackageError):
        _check.package("no_such_package.part", "app")


def test_exceptions_are_also_the_built_in_a_caller_would_expect():
    assert issubclass(InvalidInputError, (ErrbarError, ValueError))
    assert issubclass(MissingPackageError, ImportError)


def test_long_values_are_cut_in_messages():
    with pytest.raises(InvalidInputError) as caught:
        _check.vector(["x" * 500, "y"], "value", "split")
    assert len(str(caught.value)) < 120


@pytest.mark.parametrize("value", [None, math.nan, math.inf])
def test_no_array_at_all_is_refused_by_its_value(value):
    with refused("value"):
        _check.vector(value, "value", "split")


WHOLE = st.integers(-(2**63), 2**63 - 1) | st.integers(-3, 3) | st.integers(0, 2**40)


@given(
    st.integers(1, 4).flatmap(
        lambda width: st.lists(st.tuples(*[WHOLE] * width), min_size=1, max_size=12)
    ),
    st.integers(1, 3),
)
def test_rows_of_whole_numbers_are_counted_as_sorting_them_would(rows, times):
    columns = [np.array(column) for column in zip(*rows * times, strict=True)]
    different, number = np.unique(np.stack(columns), axis=1, return_inverse=True)
    assert _check.distinct(*columns) == different.shape[1]
    assert (
        np.unique(_check.numbered(*columns), return_inverse=True)[1].tolist()
        == number.ravel().tolist()
    )
