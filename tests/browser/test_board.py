"""A board's page in a browser: what it computes for chosen tasks and models is what the library says."""

import json

import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe

import errbar

pytestmark = pytest.mark.long

CHOOSE = """async ([tasks, models]) => {
    const article = document.querySelector(".comparison");
    const set = (kind, wanted) => document.querySelectorAll(`.choose.${kind} input`).forEach((box, k) => { box.checked = wanted.includes(k); });
    set("tasks", tasks);
    set("models", models);
    article.dataset.state = "busy";
    document.querySelector(".choose.models input").dispatchEvent(new Event("change"));
    while (article.dataset.state === "busy") await new Promise((done) => setTimeout(done, 5));
    const rows = [...document.querySelectorAll(".forest tbody tr")];
    return {
        state: article.dataset.state,
        critical: Number(article.dataset.critical),
        groups: JSON.parse(article.dataset.groups),
        verdict: document.querySelector("h1").textContent.replaceAll("\\u00a0", " "),
        places: rows.map((row) => [row.dataset.name, row.cells[1].textContent, row.cells[2].textContent, row.dataset.rank, row.dataset.first, row.dataset.last].map((text) => text.replaceAll("\\u2212", "-"))),
        told: [document.querySelector(".what"), document.querySelector("details:last-of-type dd")].map((one) => one.textContent.replaceAll("\\u00a0", " ")),
        hidden: [...document.querySelectorAll("header, .forest")].every((one) => !one.checkVisibility()),
        ties: document.querySelector(".folds:not(.filters) details summary span").textContent,
    };
}"""


def answers(rng, count, sizes, graded=False, missing=False):
    """Return a long table of models on tasks of several sizes, with some models that answer alike."""
    rows = []
    skill = rng.normal(0.0, 0.7, (count, len(sizes))) + np.linspace(1.2, 0.0, count)[:, np.newaxis]
    for t, size in enumerate(sizes):
        hard = rng.normal(size=size)
        values = skill[:, [t]] - hard + rng.logistic(size=(count, size)) * 0.7
        values = values.round(2) if graded else (values > 0.0) * 1.0
        values[1] = values[0]
        rows += [
            {"model": f"m{j:02d}", "task": f"t{t}", "item_id": f"q{i}", "score": values[j, i]}
            for j in range(count)
            for i in range(size)
        ]
    return {name: [row[name] for row in rows] for name in rows[0]}


BOARDS = {
    "right": lambda rng: errbar.board(answers(rng, 12, (40, 25, 60, 30, 45)), tasks="equal"),
    "graded": lambda rng: errbar.board(
        answers(rng, 9, (12, 7, 30, 20, 9, 15), graded=True), tasks="pooled", level=0.9
    ),
    "tasks": lambda rng: errbar.board(
        answers(rng, 8, [8] * 14, graded=True),
        tasks="equal",
        clusters="tasks",
        higher_is_better=False,
    ),
    "sums": lambda rng: errbar.board(
        answers(rng, 8, rng.integers(3, 9, 14)), tasks="pooled", clusters="tasks", random_state=7
    ),
}


@pytest.fixture(scope="module")
def boards():
    return {name: make(np.random.default_rng(3)) for name, make in BOARDS.items()}


@pytest.fixture(scope="module")
def pages(boards, tmp_path_factory):
    folder = tmp_path_factory.mktemp("boards")
    return {name: one.save(folder / f"{name}.html").as_uri() for name, one in boards.items()}


def filters(board, count):
    """Return random choices of tasks and models, by their places."""
    rng = np.random.default_rng(0)
    fewest = 5 if board.clusters == "tasks" else 1
    for _ in range(count):
        tasks = rng.choice(len(board.tasks), rng.integers(fewest, len(board.tasks) + 1), False)
        models = rng.choice(len(board.models), rng.integers(2, len(board.models) + 1), False)
        yield sorted(tasks.tolist()), sorted(models.tolist())


@pytest.mark.parametrize("name", BOARDS)
def test_its_ranks_after_20_filters_are_those_of_the_library(name, boards, visit):
    board, page = boards[name], visit(name)
    decimals = len(page.locator(".forest tbody td").first.text_content().partition(".")[2])
    page.wait_for_function("document.querySelector('.comparison').dataset.state === 'done'")
    for tasks, models in filters(board, 20):
        shown = page.evaluate(CHOOSE, [tasks, models])
        own = board.filter(
            tasks=[board.tasks[t] for t in tasks], models=[board.models[j] for j in models]
        )
        assert [row[0] for row in shown["places"]] == [place.model for place in own.places]
        assert [tuple(map(int, row[3:])) for row in shown["places"]] == [
            (place.rank, place.first, place.last) for place in own.places
        ]
        assert shown["groups"] == [list(group) for group in own.groups]
        assert shown["critical"] == pytest.approx(own.critical, rel=1e-9)
        slack = 10.0**-decimals
        for row, place in zip(shown["places"], own.places, strict=True):
            ends = [float(text) for text in row[2].split(" to ")] if place.se else []
            numbers = [place.score, *([place.low, place.high] if place.se else [])]
            assert [float(row[1]), *ends] == pytest.approx(numbers, abs=slack)
        said = errbar.report.text(own, width=1000).splitlines()
        assert shown["verdict"] in said
        if len(tasks) > 1:
            assert shown["told"][0] == said[0]
        assert shown["told"][1].startswith(f"{len(models)} models")
        assert not shown["hidden"]


def test_the_whole_board_is_as_it_was_written(boards, visit):
    page = visit("right")
    before = page.locator("h1").text_content()
    page.wait_for_function("document.querySelector('.comparison').dataset.state === 'done'")
    assert page.locator("h1").text_content().replace("\xa0", " ") == before.replace("\xa0", " ")
    names = page.locator(".forest tbody th").all_text_contents()
    assert names == [place.model for place in boards["right"].places]


def test_a_choice_with_too_little_is_refused_and_changes_nothing(visit):
    page = visit("tasks")
    page.wait_for_function("document.querySelector('.comparison').dataset.state === 'done'")
    names = page.locator(".forest tbody th").all_text_contents()
    assert page.evaluate(CHOOSE, [[0, 1, 2, 3, 4], [0]])["state"] == "few"
    few = page.evaluate(CHOOSE, [[0, 1], [0, 1, 2]])
    assert few["state"] == "few"
    assert few["hidden"]
    assert page.locator(".forest tbody th").all_text_contents() == names


def test_it_is_read_without_a_script(boards, visit):
    page = visit("right", java_script_enabled=False)
    assert page.locator(".forest tbody th").count() == len(boards["right"].models)
    assert page.locator(".choose").count() == 0


@pytest.mark.parametrize("width", [1200, 400])
def test_no_rule_of_accessibility_is_broken(width, visit):
    page = visit("right", viewport={"width": width, "height": 800}, bypass_csp=True)
    page.wait_for_function("document.querySelector('.comparison').dataset.state === 'done'")
    for part in page.locator("summary").all():
        part.click()
    assert Axe().run(page).response["violations"] == []
    wide = "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
    assert page.evaluate(wide)


def test_the_page_holds_the_board_as_json(boards, visit):
    page = visit("right")
    stored = json.loads(page.locator("script.board").text_content())
    own = boards["right"].to_dict()
    assert {name: stored[name] for name in own} == own
