"""Rounding: what people read is never further from the truth than it looks."""

import math

import pytest
from hypothesis import given, strategies as st

from errbar.report.words import Digits, named, percent, probability, pvalue, rough
from errbar.result import Estimand, Interval, Result


def result(estimate, se):
    interval = Interval(estimate - 2 * se, estimate + 2 * se)
    return Result(
        "m", Estimand.RISK, 10.0, estimate, se, interval, 0.95, 0.0, 9, 0.5, 0.0, "two-sided", 10
    )


@pytest.mark.parametrize(
    ("errors", "decimals"),
    [([172.0], 0), ([0.0097], 4), ([0.5, 0.04, 0.03], 3), ([3e-12], None), ([1.5, 0.2, 0.1], 2)],
)
def test_two_digits_of_the_median_standard_error_decide(errors, decimals):
    assert Digits.of(result(1.0, se) for se in errors).decimals == decimals


def test_without_errors_four_digits_of_an_estimate():
    assert Digits.of([result(0.125, 0.0)]).number(0.125) == "0.1250"


@given(st.floats(0.0, 1.0), st.sampled_from([0.001, 0.01, 0.05, 0.1, 0.2]))
def test_a_pvalue_stays_on_its_side_of_the_level(p, alpha):
    text = pvalue(p, alpha)
    shown = float(text.removeprefix("<"))
    assert (shown <= alpha) == (p <= alpha) or math.isclose(p, alpha, rel_tol=1e-9)
    assert not text.startswith("0")


@pytest.mark.parametrize(
    ("p", "text"),
    [(0.15, ".15"), (0.047, ".047"), (1e-9, "<.001"), (0.999, "1"), (0.05001, ".0500")],
)
def test_pvalues_as_they_are_read(p, text):
    assert pvalue(p, 0.05).startswith(text[:4])


def test_a_probability_is_never_rounded_to_certainty():
    assert probability(0.99999) == ">.999"
    assert probability(1.0) == "1"
    assert probability(0.0001) == "<.001"


def test_intervals_without_an_end_say_so():
    digits = Digits(2)
    assert digits.span(-math.inf, 1.0) == "1.00 or less"
    assert digits.span(1.0, math.inf) == "1.00 or more"
    assert digits.span(-0.001, 2.0) == "0.00 to 2.00"


def test_small_words():
    assert named(".05") == "p = .05"
    assert named("<.001") == "p < .001"
    assert percent(0.05) == "5 %"
    assert [rough(x) for x in (483.2, 0.0571, 0.0)] == ["480", "0.057", "0"]
