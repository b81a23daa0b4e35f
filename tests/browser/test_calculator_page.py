"""The calculator as people use it: what they paste, what it refuses and how, its buttons, and that it sends nothing."""

import json
import re

import pytest

from tests.browser.calculator_page import shown

pytestmark = pytest.mark.long

SCORES = {"what": "scores", "splits": "folds", "n_train": "90", "n_test": "10"}
TWO = "0.31 0.29\n0.28 0.27\n0.35 0.31"
COUNTS = {"what": "pair", "both_right": "5", "only_a": "2", "only_b": "1", "both_wrong": "0"}
ONE = {"what": "single", "errors": "3", "n": "20"}


@pytest.fixture(scope="module")
def opened(browser, calculator_address):
    """Return a calculator that is open for all inputs that are given in its address."""
    page = browser.new_page()
    page.goto(calculator_address)
    yield page
    page.close()


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("0.1 0.2\n0.3 0.4", [[0.1, 0.3], [0.2, 0.4]]),
        ("0.1,0.2\n0.3,0.4", [[0.1, 0.3], [0.2, 0.4]]),
        ("a,b\n1,2\n3,4", [[1, 3], [2, 4]]),
        ("85, 91\n86, 90", [[85, 86], [91, 90]]),
        ("0,1\t0,2\r\n0,3\t0,4\r\n\r\n", [[0.1, 0.3], [0.2, 0.4]]),
        ("0,1;0,2\n0,3;0,4", [[0.1, 0.3], [0.2, 0.4]]),
        ("0,1 0,2\n0,3 0,4", [[0.1, 0.3], [0.2, 0.4]]),
        ("0,12\n0,05\n0,3", [[0.12, 0.05, 0.3]]),
        ("accuracy\n85,1\n85,9", [[85.1, 85.9]]),
        ("tree\n1e-3\n-2E+1\n.5", [[0.001, -20, 0.5]]),
        ("\N{MINUS SIGN}0.5\n+0.25", [[-0.5, 0.25]]),
        ("fold\ttree\tforest\n0\t0.1\t0.2\n1\t0.3\t0.4", [[0.1, 0.3], [0.2, 0.4]]),
        ("1 0.1\n2 0.3\n3 0.2", [[0.1, 0.3, 0.2]]),
        ("first 0.1 0.2\nsecond 0.3 0.4", [[0.1, 0.3], [0.2, 0.4]]),
        ('"my tree";"1-NN"\n0.1;0.2\n0.3;0.4', [[0.1, 0.3], [0.2, 0.4]]),
        ("0.1,0.2,\n0.3,0.4,", [[0.1, 0.3], [0.2, 0.4]]),
    ],
)
def test_scores_are_read_as_people_have_them(opened, text, columns):
    read = (
        "data => errbarCalculator.read({ what: 'scores', data, level: '95', rho: '0.7' }).columns"
    )
    assert opened.evaluate(read, text) == columns


@pytest.mark.parametrize(
    "state",
    [
        SCORES | {"data": "0.1"},
        SCORES | {"data": "0.1\n"},
        SCORES | {"data": "0.1 0.2\n0.3"},
        SCORES | {"data": "a b\n0.1 0.2\n0.3 x"},
        SCORES | {"data": "0.1;\n0.3;0.2"},
        SCORES | {"data": "0.1,,0.3\n0.3,0.2,0.1"},
        SCORES | {"data": "0.1 nan\n0.3 0.4"},
        SCORES | {"data": "nan NaN\n0.3 0.4\n0.1 0.2"},
        SCORES | {"data": "91%\n0.3\n0.1"},
        SCORES | {"data": "0.1 1e200\n0.3 0.4"},
        SCORES | {"data": "85,91\n86,90"},
        SCORES | {"data": "0,1 0.2\n0,3 0.4"},
        SCORES | {"data": "1 2 3\n3 4 5"},
        SCORES | {"data": "1\n" * 10001},
        SCORES | {"data": TWO, "n_train": "-90"},
        SCORES | {"data": TWO, "n_test": "ten"},
        SCORES | {"data": TWO, "level": "100"},
        SCORES | {"data": TWO, "level": ""},
        SCORES | {"data": TWO, "a": "svm", "b": " svm "},
        SCORES | {"data": ""},
        COUNTS | {"only_a": "2.5"},
        COUNTS | {"only_b": "-1"},
        COUNTS | {"both_wrong": ""},
        COUNTS | {"both_right": "2000000000"},
        COUNTS | dict.fromkeys(list(COUNTS)[1:], "0"),
        ONE | {"errors": "21"},
        ONE | {"errors": "1", "n": "1"},
        ONE | {"null": "1.5"},
    ],
)  # fmt: skip
def test_what_cannot_be_computed_is_refused_in_a_sentence(opened, state):
    [found] = shown(opened, [state])
    assert found["answers"] == []
    assert found["status"]
    assert not opened.locator("#calculator-link").is_visible()


@pytest.mark.parametrize(
    ("state", "refused"),
    [
        (SCORES | {"data": "0.3 0.2\n0.4 0.3\n0.5 0.4"}, [True, True]),
        (SCORES | {"data": "0.3 0.3\n0.4 0.4\n0.5 0.5"}, [True, True]),
        (SCORES | {"data": "0.3\n0.3\n0.3"}, [True, True]),
        (SCORES | {"data": TWO, "n_train": ""}, [True, False]),
        (SCORES | {"data": "0.1\n0.2\n" * 10}, [False, True]),
        (SCORES | {"data": TWO, "rho": "1"}, [False, True]),
        (SCORES | {"data": TWO, "rho": "-0.6"}, [False, True]),
        (SCORES | {"data": TWO, "rho": "-"}, [False, True]),
        (COUNTS | {"only_a": "0", "only_b": "0"}, [True, False]),
    ],
)  # fmt: skip
def test_a_method_that_does_not_apply_says_why(opened, state, refused):
    [found] = shown(opened, [state])
    assert [bool(answer["refusal"]) for answer in found["answers"]] == refused


@pytest.mark.long
def test_an_example_is_one_press_away(calculator):
    for name, methods in {
        "errors of 10 folds": ["corrected-t", "kfold-t"],
        "accuracies of 15 random splits": ["corrected-t"],
        "two classifiers, 200 answers": ["mcnemar", "paired-proportions"],
    }.items():
        calculator.get_by_role("button", name=name).click()
        cards = calculator.locator("#calculator-form article >> visible=true")
        assert [card.get_attribute("data-method") for card in cards.all()] == methods
    calculator.get_by_role("button", name="Clear").click()
    calculator.get_by_text("Paste your scores").wait_for()
    assert cards.count() == 0


@pytest.mark.long
def test_the_slider_moves_the_answer_the_number_and_the_drawing(calculator):
    calculator.get_by_role("button", name="errors of 10 folds").click()
    sentence = calculator.locator("[data-method=kfold-t] [data-slot=sentence]")
    place = calculator.locator("#calculator-curve .chosen")
    before = place.get_attribute("x1")
    slider = calculator.get_by_role("slider", name="Assumed")
    slider.focus()
    calculator.keyboard.press("Home")
    assert "rho = 0, forest" in sentence.inner_text()
    assert (
        calculator.get_by_label("Assumed \N{GREEK SMALL LETTER RHO} as a number").input_value()
        == "0"
    )
    assert float(place.get_attribute("x1")) < float(before)
    calculator.get_by_role("button", name="conservative").focus()
    calculator.keyboard.press("Enter")
    assert calculator.evaluate("document.activeElement.textContent") == "conservative"
    assert "rho = 0.7, forest" in sentence.inner_text()
    assert slider.input_value() == "0.7"


@pytest.mark.long
def test_fields_are_there_for_what_is_given(calculator):
    null, second = (
        calculator.get_by_label("Null, for a test"),
        calculator.get_by_label("Second model"),
    )
    column = calculator.get_by_role("radio", name="differences of two")
    calculator.get_by_label("Scores, one row per split").fill("0.1\n0.2\n0.4")
    assert null.is_visible()
    assert not second.is_visible()
    column.check()
    assert not null.is_visible()
    assert second.is_visible()
    calculator.get_by_label("Scores, one row per split").fill(f"tree forest\n{TWO}")
    assert not column.is_visible()
    assert not second.is_visible()
    calculator.get_by_role("radio", name="Errors of one model").check()
    assert calculator.get_by_label("Wrong answers").is_visible()
    assert not calculator.get_by_label("Training size").is_visible()


def test_a_column_that_counts_the_rows_is_left_out_and_told(calculator):
    [found] = shown(calculator, [SCORES | {"data": "1 0.1\n2 0.3\n3 0.2"}])
    assert found["status"]
    assert json.loads(found["answers"][0]["json"])["estimate"] == pytest.approx(0.2)


@pytest.mark.long
def test_answers_are_announced_and_copied(browser, calculator_address):
    context = browser.new_context(offline=True, permissions=["clipboard-read", "clipboard-write"])
    page = context.new_page()
    page.goto(calculator_address)
    page.get_by_role("button", name="two classifiers").click()
    sentence = page.locator("[data-method=mcnemar] [data-slot=sentence]").inner_text()
    assert sentence in page.get_by_role("status").inner_text()
    page.locator("[data-method=mcnemar]").get_by_role("button", name="Copy sentence").click()
    page.get_by_role("button", name="Copied").wait_for()
    assert page.evaluate("navigator.clipboard.readText()") == sentence
    page.get_by_role("button", name="Copy link").click()
    page.get_by_role("button", name="Copied").nth(1).wait_for()
    assert page.evaluate("navigator.clipboard.readText()").startswith(
        f"{calculator_address}#what=pair&both_right=130"
    )
    context.close()


def test_names_stay_text(calculator):
    nasty = "<img src=x onerror=alert(1)>"
    [found] = shown(calculator, [COUNTS | {"a": nasty}])
    assert nasty in found["answers"][0]["sentence"]
    assert calculator.locator("img").count() == 0


@pytest.mark.long
def test_every_control_has_a_name_and_a_narrow_page_does_not_scroll_sideways(calculator):
    calculator.get_by_role("button", name="errors of 10 folds").click()
    for summary in calculator.locator("summary >> visible=true").all():
        summary.click()
    named = "e => e.labels?.length > 0 || Boolean(e.ariaLabel || e.textContent.trim())"
    controls = calculator.locator("#calculator-form :is(input, select, textarea, button)").all()
    assert len(controls) > 40
    assert all(control.evaluate(named) for control in controls)
    assert calculator.evaluate("document.documentElement.scrollWidth") <= 400


def test_the_policy_of_the_page_forbids_requests(browser, calculator_address):
    context = browser.new_context()
    page = context.new_page()
    refused = []
    page.on("console", lambda message: refused.append(message.text))
    page.goto(calculator_address)
    assert (
        page.evaluate("fetch('https://example.org/').then(() => 'sent', () => 'refused')")
        == "refused"
    )
    page.evaluate(
        "document.body.append(Object.assign(new Image(), { src: 'https://example.org/x.png' }))"
    )
    page.wait_for_timeout(50)
    assert all(any(f'"{kind}-src' in text for text in refused) for kind in ("connect", "img"))
    context.close()


def test_no_address_stands_in_the_scripts_and_one_name_is_global(
    calculator, calculator_module, docs
):
    scripts = sorted((docs / "_static" / "calculator").glob("*.js"))
    assert sorted(calculator_module.SCRIPTS) == [path.stem for path in scripts]
    sends = r"https?:|//\w|fetch\(|XMLHttpRequest|sendBeacon|WebSocket|import\(|eval\("
    for path in [*scripts, calculator_module.FORM]:
        text = path.read_text(encoding="utf-8")
        assert not re.search(sends, text), path.name
        assert '"use strict";' in text or path.suffix != ".js"
        assert len(text.splitlines()) <= 400
    fresh = "Object.keys(window).filter((name) => /errbar|calculator/i.test(name))"
    assert calculator.evaluate(fresh) == ["errbarCalculator"]
