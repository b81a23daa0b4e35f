"""The calculator as people use it: what they paste, what it refuses and how, its buttons, and that it sends nothing."""

import re

import pytest

from tests.browser.calculator_page import shown

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
    read = "data => errbarCalculator.read({ what: 'scores', data, level: '95', rho: '0.7' }).columns"
    assert opened.evaluate(read, text) == columns


@pytest.mark.parametrize(
    ("state", "sentence"),
    [
        (SCORES | {"data": "0.1"}, "One split says nothing about the variation between splits; give at least two rows."),
        (SCORES | {"data": "0.1\n"}, "One split says"),
        (SCORES | {"data": "0.1 0.2\n0.3"}, "Row 2 has 1 cell and row 1 has 2; all rows need the same number."),
        (SCORES | {"data": "a b\n0.1 0.2\n0.3 x"}, "“x” in row 3 is not a number."),
        (SCORES | {"data": "0.1;\n0.3;0.2"}, "Row 2 has 2 cells and row 1 has 1; all rows need the same number."),
        (SCORES | {"data": "0.1,,0.3\n0.3,0.2,0.1"}, "Row 1 has an empty cell; every cell must be filled."),
        (SCORES | {"data": "0.1 nan\n0.3 0.4"}, "“nan” in row 1 is not a number."),
        (SCORES | {"data": "nan NaN\n0.3 0.4\n0.1 0.2"}, "“nan” in row 1 is not a number."),
        (SCORES | {"data": "91%\n0.3\n0.1"}, "“91%” in row 1 is not a number."),
        (SCORES | {"data": "0.1 1e200\n0.3 0.4"}, "1e200 in row 1 is too large to be squared; scale the numbers down."),
        (SCORES | {"data": "85,91\n86,90"}, "“85,91” may be one number or two columns, 85 and 91; write a decimal point, or"),
        (SCORES | {"data": "0,1 0.2\n0,3 0.4"}, "0.2 has a decimal point and 0,1 a decimal comma; use one of the two."),
        (SCORES | {"data": "1 2 3\n3 4 5"}, "There are 3 columns of numbers, and the calculator takes one or two;"),
        (SCORES | {"data": "1\n" * 10001}, "There are 10001 rows; the calculator takes at most 10000."),
        (SCORES | {"data": TWO, "n_train": "-90"}, "The training size must be positive, and -90 is not."),
        (SCORES | {"data": TWO, "n_test": "ten"}, "The test size must be a number, and “ten” is none."),
        (SCORES | {"data": TWO, "level": "100"}, "The confidence level must lie between 50 and 99.99 %, and “100” does not."),
        (SCORES | {"data": TWO, "level": ""}, "The confidence level must lie between 50 and 99.99 %, and “” does not."),
        (SCORES | {"data": TWO, "a": "svm", "b": " svm "}, "Both models are called svm; give them different names."),
        (SCORES | {"data": ""}, "Paste your scores, or load an example."),
        (COUNTS | {"only_a": "2.5"}, "The count of examples that only A gets right must be a whole number of at least 0, and “2.5” is none."),
        (COUNTS | {"only_b": "-1"}, "The count of examples that only B gets right must be a whole number of at least 0, and “-1” is none."),
        (COUNTS | {"both_wrong": ""}, "Fill in examples that both get wrong; where there are none, write 0."),
        (COUNTS | {"both_right": "2000000000"}, "The count of examples that both get right must be at most 1000000000, and 2000000000 is more."),
        (COUNTS | dict.fromkeys(list(COUNTS)[1:], "0"), "All four counts are 0; there must be at least one test example."),
        (ONE | {"errors": "21"}, "There cannot be more wrong answers, 21, than test examples, 20."),
        (ONE | {"errors": "1", "n": "1"}, "There must be at least two test examples, and there is one."),
        (ONE | {"null": "1.5"}, "The null must be an error rate between 0 and 1, and 1.5 is not."),
    ],
)  # fmt: skip
def test_what_cannot_be_computed_is_refused_in_a_sentence(opened, state, sentence):
    [found] = shown(opened, [state])
    assert found["answers"] == []
    assert found["status"].startswith(sentence)
    assert not opened.locator("#calculator-link").is_visible()


@pytest.mark.parametrize(
    ("state", "sentences"),
    [
        (SCORES | {"data": "0.3 0.2\n0.4 0.3\n0.5 0.4"}, ["B has lower score than A by 0.1 throughout: the difference does not vary"] * 2),
        (SCORES | {"data": "0.3 0.3\n0.4 0.4\n0.5 0.5"}, ["A and B have exactly the same score throughout, so there is no"] * 2),
        (SCORES | {"data": "0.3\n0.3\n0.3"}, ["All scores are 0.3: they do not vary, so there is neither an interval nor a test."] * 2),
        (SCORES | {"data": TWO, "n_train": ""}, ["The corrected resampled t needs the sizes of the splits: fill in", ""]),
        (SCORES | {"data": "0.1\n0.2\n" * 10}, ["", "The K-fold t needs a single partition into folds, and 20 scores with these sizes are 2"]),
        (SCORES | {"data": TWO, "rho": "1"}, ["", "rho must lie between -1/(K - 1) = -0.5 and 1 for K = 3 folds, and 1 does not."]),
        (SCORES | {"data": TWO, "rho": "-0.6"}, ["", "rho must lie between -1/(K - 1) = -0.5 and 1 for K = 3 folds, and -0.6 does not."]),
        (SCORES | {"data": TWO, "rho": "-"}, ["", "rho must lie between -1/(K - 1) = -0.5 and 1 for K = 3 folds, and what you wrote does not."]),
        (COUNTS | {"only_a": "0", "only_b": "0"}, ["A and B have exactly the same error rate throughout", ""]),
    ],
)  # fmt: skip
def test_a_method_that_does_not_apply_says_why(opened, state, sentences):
    [found] = shown(opened, [state])
    for answer, wanted in zip(found["answers"], sentences, strict=True):
        assert answer["refusal"].startswith(wanted)
        assert bool(answer["refusal"]) == bool(wanted)


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
    assert "with rho = 0, forest has lower error than tree at the 5 % level, by " in sentence.inner_text()
    assert calculator.get_by_label("Assumed \N{GREEK SMALL LETTER RHO} as a number").input_value() == "0"
    assert float(place.get_attribute("x1")) < float(before)
    calculator.get_by_role("button", name="conservative").focus()
    calculator.keyboard.press("Enter")
    assert calculator.evaluate("document.activeElement.textContent") == "conservative"
    assert "with rho = 0.7, forest and tree are not told apart: " in sentence.inner_text()
    assert slider.input_value() == "0.7"


@pytest.mark.long
def test_fields_are_there_for_what_is_given(calculator):
    null, second = calculator.get_by_label("Null, for a test"), calculator.get_by_label("Second model")
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
    assert found["status"] == "The first column names or counts the rows and is left out."
    assert "score of A" in found["answers"][0]["sentence"]


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
    assert page.evaluate("navigator.clipboard.readText()").startswith(f"{calculator_address}#what=pair&both_right=130")
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
    assert page.evaluate("fetch('https://example.org/').then(() => 'sent', () => 'refused')") == "refused"
    page.evaluate("document.body.append(Object.assign(new Image(), { src: 'https://example.org/x.png' }))")
    page.wait_for_timeout(50)
    assert all(any(f'"{kind}-src' in text for text in refused) for kind in ("connect", "img"))
    context.close()


def test_no_address_stands_in_the_scripts_and_one_name_is_global(calculator, calculator_module, docs):
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
