"""The decision diagram leads where errbar goes by itself, and its links lead somewhere."""

import itertools
import re
from pathlib import Path

import numpy as np
import pytest
from sklearn.linear_model import Ridge
from sklearn.tree import DecisionTreeRegressor

import errbar
from errbar import methods, plans
from tests.scripts import loaded

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture(scope="module")
def decision():
    return loaded("docs/_ext/decision.py")


@pytest.fixture(scope="module")
def learners(decision):
    return decision.LADDERS[0]


@pytest.fixture(scope="module")
def numbers(decision):
    return decision.LADDERS[1]


def every_set(*facts):
    """Return all sets of facts; seeds together with time have no method, and groups with time one of their own."""
    found = itertools.chain.from_iterable(
        itertools.combinations(facts, size) for size in range(len(facts) + 1)
    )
    return [one for one in found if not ("time" in one and {"seeds", "groups"} & set(one))]


def words(facts):
    return "+".join(facts) or "nothing"


def by_fitting(facts):
    """Compare two learners on data with these facts, without naming a method."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    y = X.sum(axis=1) + rng.normal(size=60)
    given = {"groups": np.arange(60) // 5} if "groups" in facts else {}
    given |= {"time": np.arange(60)} if "time" in facts else {}
    if "seeds" in facts:
        given["plan"] = plans.Seeds(3, plan=plans.Holdout(n_test=0.3))
    both = {"ridge": Ridge(), "tree": DecisionTreeRegressor(max_depth=2, splitter="random")}
    return errbar.compare(both, X, y, random_state=0, **given).method


def by_numbers(facts):
    """Compare two learners by losses, or scores, that came about like that, without naming a method."""
    rng = np.random.default_rng(0)
    if {"data sets", "scores", "runs"} & {*facts}:
        scores = {name: rng.normal(mean, 0.1, 12) for name, mean in (("a", 0.3), ("b", 0.4))}
        how = {"kind": "data-sets"} if "data sets" in facts else {"n_train": 90, "n_test": 10}
        how = {"kind": "runs"} if "runs" in facts else how
        return errbar.compare_table(errbar.from_scores(scores, **how)).method
    example = np.tile(np.arange(60), 3 if "seeds" in facts else 1)
    given = {"example": example, "seed": np.repeat(np.arange(3), 60)} if "seeds" in facts else {}
    given |= {"groups": example // 6} if "groups" in facts else {}
    given |= {"time": example} if "time" in facts else {}
    given |= {"fold": example // 6 % 5} if "folds" in facts else {}
    losses = {name: rng.gamma(2.0, mean, example.size) for name, mean in (("a", 0.3), ("b", 0.4))}
    if "right or wrong" in facts:
        losses = {name: (values > 0.6).astype(float) for name, values in losses.items()}
    return errbar.compare_table(errbar.from_losses(losses, **given)).method


@pytest.mark.parametrize(
    "facts",
    [(), ("seeds",), ("seeds", "groups"), ("groups",), ("time",)],
    ids=words,
)
def test_answers_about_learners_lead_to_the_method_that_errbar_takes(learners, facts):
    assert by_fitting(facts) == learners.follow(facts).method


@pytest.mark.parametrize(
    "facts",
    [
        *every_set("seeds", "groups", "time", "folds", "right or wrong"),
        ("data sets",),
        ("scores",),
        ("runs",),
    ],
    ids=words,
)
def test_answers_about_numbers_lead_to_the_method_that_errbar_takes(numbers, facts):
    assert by_numbers(facts) == numbers.follow(facts).method


def test_groups_with_time_have_a_method_of_their_own():
    """The page says so beside the diagram."""
    assert by_fitting(("groups", "time")) == by_numbers(("groups", "time")) == "two-way-t"


def test_every_leaf_is_reached_by_the_answers_tried_above(learners, numbers):
    tried = [(), ("time",), ("seeds",), ("groups",), ("one model",)]
    assert {learners.follow(facts) for facts in tried} == set(learners.leaves)
    tried = [
        ("data sets",),
        ("scores",),
        ("runs",),
        (),
        *((fact,) for fact in ("seeds", "groups", "time", "folds", "right or wrong")),
    ]
    assert {numbers.follow(facts) for facts in tried} == set(numbers.leaves)


def test_every_link_leads_to_a_page(decision):
    for target in decision.targets():
        folder, _, key = target.rpartition("/")
        assert (folder == "generated/methods" and key in methods.catalogue()) or (
            DOCS / f"{target}.rst"
        ).is_file()


@pytest.mark.parametrize("stacked", [True, False])
def test_the_drawing_shows_every_question_and_leaf_inside_its_frame(decision, stacked):
    links = {target: f"{target}.html" for target in decision.targets()}
    picture = decision.drawing(links, stacked=stacked)
    words = " ".join(re.findall(r"<text[^>]*>([^<]*)</text>", picture))
    for ladder in decision.LADDERS:
        assert all(question.text in words for question in ladder.questions)
        assert all(
            f'href="generated/methods/{leaf.method}.html"' in picture for leaf in ladder.leaves
        )
    width, height = (
        float(size) for size in re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', picture).groups()
    )
    boxes = [
        [float(size) for size in found]
        for found in re.findall(
            r'x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="([\d.]+)"', picture
        )
    ]
    assert all(x + w <= width and y + h <= height for x, y, w, h in boxes)
    assert width <= (360 if stacked else 736)  # a telephone; the width of the text


def test_words_fit_into_their_boxes(decision):
    """Characters of the widest usual fonts are 7.3 pixels wide on average, those in type of one width 7.8 and 7.2."""
    room = decision.LEAF - 2 * decision.PADDING
    for ladder in decision.LADDERS:
        for leaf in ladder.leaves:
            assert 7.8 * len(leaf.method) <= room + decision.PADDING
            assert 7.2 * len(leaf.how) <= room + decision.PADDING
