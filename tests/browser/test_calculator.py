"""The calculator of the documentation in a browser: its numbers, sentences and tables are those of the library."""

import json
import math
import re
import sys
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from tests import rho
from tests.browser.calculator_cases import cases
from tests.browser.calculator_page import SHOW, shown

pytestmark = pytest.mark.long

CASES = 64
RELATIVE = 1e-9
# Floats below have fewer digits, and the library's routines make 0 of some of them.
SMALLEST = 1e-295


def near(found, wanted, scale):
    """Whether a number is the library's; near 0 the last digits are those of the scale, a standard error."""
    return found == wanted or abs(found - wanted) <= max(
        RELATIVE * abs(wanted), 1e-3 * RELATIVE * scale
    )


def plain(text):
    """Return a number as the library prints it."""
    return (
        text.replace("\N{MINUS SIGN}", "-")
        .replace("\N{INFINITY}", "inf")
        .replace("\N{EN DASH}", "-")
    )


def figures_in(text):
    """Return the numbers in a sentence."""
    return re.findall(r"-?\d[\d.]*\b", plain(text))


def tells(text, number):
    """Whether a sentence has the size of a number, rounded to the digits that it shows."""
    for figure in figures_in(text):
        digits = len(figure.partition(".")[2])
        if abs(abs(float(figure)) - abs(number)) <= 0.5000001 * 10.0**-digits:
            return True
    return False


@pytest.fixture(scope="module")
def drawn():
    """Return inputs, and what the library says of each."""
    return list(cases(np.random.default_rng(20), CASES))


@pytest.fixture(scope="module")
def told(browser, calculator_address, drawn):
    """Return every answer of the page with its input and what the library says; all of them, in one browser."""
    page = browser.new_page()
    page.goto(calculator_address)
    found = shown(page, [state for state, _ in drawn])
    page.close()
    pairs = []
    for (state, wanted), got in zip(drawn, found, strict=True):
        assert [one["method"] for one in got["answers"]] == list(wanted), state
        pairs += [(state, got, answer, wanted[answer["method"]]) for answer in got["answers"]]
    refused = [
        (answer["refusal"], said.result) for _, _, answer, said in pairs if answer["refusal"]
    ]
    assert all(
        "no difference to test" in refusal and result.degenerate for refusal, result in refused
    )
    return [pair for pair in pairs if not pair[2]["refusal"]]


def test_the_inputs_are_of_all_kinds(told):
    results = [said.result for _, _, _, said in told]
    assert len({result.method for result in results}) == 5
    assert len(results) > CASES
    assert min(result.pvalue for result in results) < 1e-20
    assert min(result.n_splits for result in results if result.method == "corrected-t") == 2
    assert {result.level for result in results} == {0.8, 0.9, 0.95, 0.975, 0.99, 0.999}
    assert (
        min(result.estimate for result in results)
        < 0.0
        < max(result.estimate for result in results)
    )


def read_back(text):
    """A result as the page writes it: unbounded ends are null, infinite statistics text."""
    data = json.loads(text)
    ends = {
        name: end if data[name] is None else data[name]
        for name, end in (("low", -math.inf), ("high", math.inf), ("n_train", math.nan))
    }
    df = tuple(data["df"]) if isinstance(data["df"], list) else data["df"]
    return SimpleNamespace(**data | ends | {"statistic": float(data["statistic"]), "df": df})


def test_every_number_is_the_library_s(told):
    for state, _, answer, said in told:
        own, result = read_back(answer["json"]), said.result
        for name in ("estimate", "se", "low", "high"):
            assert near(getattr(own, name), getattr(result, name), result.se), (
                name,
                own,
                result,
                state,
            )
        for name in ("statistic", "pvalue"):
            assert near(getattr(own, name), getattr(result, name), SMALLEST), (
                name,
                own,
                result,
                state,
            )
        for name in (
            "method",
            "estimand",
            "level",
            "df",
            "null",
            "alternative",
            "n_splits",
            "directed",
        ):
            assert getattr(own, name) == getattr(result, name), (name, state)
        assert own.n_train == result.n_train or (
            math.isnan(own.n_train) and math.isnan(result.n_train)
        )


def test_numbers_in_sentences_and_caveats_are_the_library_s(told):
    for state, _, answer, said in told:
        # Equal estimates are said in words, and so are open ends.
        numbers = (said.result.estimate, *said.result.interval)
        for number in filter(math.isfinite, filter(None, numbers)):
            assert tells(answer["sentence"], number), (answer["sentence"], number)
        if state.get("column") != "differences" or "stratified" not in state:
            codes = [note["code"] for note in json.loads(answer["json"])["notes"]]
            assert codes == [note.code for note in said.result.notes]
            assert len(answer["notes"]) == len(codes)


def test_tables_and_figures_have_the_library_s_digits(told):
    for _, _, answer, said in told:
        result = replace(
            said.result, learner=None, minus=None, tested=said.tested
        )  # the page names them above its tables
        figures = [
            f"{result.estimate:.6g}",
            f"{result.se:.4g}",
            f"[{result.low:.6g}, {result.high:.6g}]",
        ]
        figures += [f"{result.statistic:.6g}", f"{result.pvalue:.4g}"][: 2 * said.tested]
        if said.tested and said.result.pvalue < sys.float_info.min:
            figures[-1] = "0"  # the page has no numbers below the smallest normal one
        assert [plain(text) for text in answer["figures"]] == figures


def test_the_call_in_python_gives_the_same(told, capsys):
    for state, _, answer, said in told:
        names = {}
        exec(answer["python"], names)
        assert names["result"] == said.result, state
        assert capsys.readouterr().out == f"{said.result}\n"


def test_the_curve_is_the_library_s(told):
    curves = [(got, said.curve) for _, got, _, said in told if said.curve is not None]
    assert len(curves) > 8
    for got, curve in curves:
        own, wanted = got["curve"], curve.to_dict()
        assert list(own) == list(wanted)
        assert own["marks"].keys() == wanted["marks"].keys()
        numbers_of = [
            np.array([one[name] for name in ("rho", "pvalue", "low", "high")])
            for one in (own, wanted)
        ]
        scale = curve.high[0] - curve.low[0]
        np.testing.assert_allclose(*numbers_of, rtol=RELATIVE, atol=1e-3 * RELATIVE * scale)
        assert near(float(own["threshold"]), float(wanted["threshold"]), 1.0)


def test_the_named_values_of_rho_are_those_the_library_prints(told):
    for got, said in [
        (got, said) for _, got, _, said in told if said.curve is not None and said.tested
    ]:
        lines = [*rho.lines(said.curve)]
        rows = [plain(" ".join(row)) for row in got["marks"]]
        assert rows == [" ".join(line.split()) for line in lines]
        assert (
            got["verdict"] == f"{rho.verdict(said.curve)[0].upper()}{rho.verdict(said.curve)[1:]}."
        )


def test_a_link_has_all_that_was_given(calculator, drawn):
    states = [state for state, _ in drawn]
    first = shown(calculator, states)
    again = calculator.evaluate(SHOW, [[one["link"] for one in first]])
    assert again == first
