"""Rounding."""

from dataclasses import replace

import pytest

from errbar.report import numbers
from errbar.report.cells import Style, bounds, minus, number, percent, pvalue, sentence
from errbar.report.numbers import Scale
from tests.report.comparisons import shifted


def results(*pairs):
    template = shifted(0.5).pairs[0].result
    return [replace(template, estimate=estimate, se=se) for estimate, se in pairs]


@pytest.mark.parametrize(
    ("pairs", "value", "expected"),
    [
        ([(3489.1, 305.7)], 3489.117, "3489"),
        ([(0.93333, 0.01234)], 0.93333, "0.9333"),
        ([(0.0724, 0.00971), (0.0745, 0.01317)], 0.0724, "0.0724"),
        ([(0.0724, 0.0), (0.0745, 0.0)], 0.0724, "0.07240"),
        ([(1.0, 1.0), (1.0, 1e-9)], 1.0, "1.0000"),
        ([(1e-12, 1e-13)], 1.2344e-12, "1.234e-12"),
        ([(1e12, 1e11)], 1.2344e12, "1.234e+12"),
        ([(0.0, 0.0)], 0.0, "0.000"),
        ([(1.0, 0.1)], -0.0001, "0.000"),
    ],
)
def test_digits(pairs, value, expected):
    assert Scale.of(results(*pairs)).number(value) == expected


def test_intervals():
    scale = Scale(1)
    assert str(bounds(-1.0, 2.0, scale)) == "[-1.0, 2.0]"
    assert str(bounds(-float("inf"), 2.0, scale)) == "(-inf, 2.0]"
    assert str(bounds(-1.0, float("inf"), scale)) == "[-1.0, inf)"


@pytest.mark.parametrize(
    ("p", "alpha", "expected"),
    [
        (0.4529, 0.05, "p = 0.453"),
        (0.00001, 0.05, "p < 0.001"),
        (0.0, 0.05, "p < 0.001"),
        (0.00001, 0.0001, "p = 1e-05"),
        (0.05004, 0.05, "p = 0.05004"),
        (0.04996, 0.05, "p = 0.050"),
        (1.0, 0.05, "p = 1.000"),
    ],
)
def test_p_values_are_never_zero_and_never_on_the_wrong_side(p, alpha, expected):
    assert str(pvalue(p, alpha, named=True)) == expected


def test_percentages_and_sizes():
    assert str(percent(1 - 0.95)) == "5 %"
    assert str(percent(0.999)) == "99.9 %"
    assert numbers.size(398.0) == "398"
    assert numbers.size(512.1) == "about 512"


def test_minus_signs_go_to_numbers_only():
    style = Style(
        words=str.upper, digits=numbers.typeset, minus="\N{MINUS SIGN}", space="\N{NO-BREAK SPACE}"
    )
    text = sentence(
        "a -1 minus k-1 is ", number(-0.5, Scale(1)), " ", bounds(-1.0, -0.2, Scale(1)), ", "
    )
    text = sentence(
        text, pvalue(0.0001, 0.05, named=True), " at ", percent(0.05), ": ", minus("k-1", "b")
    )
    assert str(text) == "a -1 minus k-1 is -0.5 [-1.0, -0.2], p < 0.001 at 5 %: k-1 - b"
    assert text.written(style) == (
        "A -1 MINUS K-1 IS \N{MINUS SIGN}0.5 [\N{MINUS SIGN}1.0, \N{MINUS SIGN}0.2], p\N{NO-BREAK SPACE}<\N{NO-BREAK SPACE}"
        "0.001 AT 5\N{NO-BREAK SPACE}%: K-1 \N{MINUS SIGN} B"
    )
