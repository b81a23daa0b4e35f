"""The page on attacks: its figures are those of the tests that it names, and none of them is a wrong answer."""

import re
from pathlib import Path

import pytest

from tests.cli.test_hostile import ABSURD, GREEN_WITHOUT_RUNNING
from tests.faults.catalogue import FAULTS
from tests.fits.test_key import BY_NAME, EDITS
from tests.scripts import loaded

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "concepts" / "attacks.rst").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def tool():
    return loaded("tools/attacks.py")


@pytest.fixture(scope="module")
def figures(tool):
    return tool.read()


def test_the_page_shows_figures_of_every_attack(tool, figures):
    shown = set(re.findall(r"\|([a-z][^|\n]*)\|", PAGE))
    assert shown <= {
        "short",
        *(f"{attack} {figure}" for attack, own in figures.items() for figure in own),
    }
    assert list(figures) == [*tool.ATTACKS, tool.FAULTS]
    assert [attack for attack in figures if f"|{attack} " not in PAGE] == []
    assert "short" in shown


def test_every_command_of_the_page_runs_attacks_that_there_are(tool):
    asked = re.findall(r"``python tools/attacks\.py ([^`]+)``", PAGE)
    names = {name.strip("'") for line in asked for name in re.findall(r"'[^']+'|\S+", line)}
    assert names == set(tool.ATTACKS)


def test_tests_of_attacks_exist(tool):
    for tests in tool.ATTACKS.values():
        for one in tests:
            if "::" in one:
                file, *_, name = one.split("::")
                assert re.search(
                    rf"\b(?:def|class) {name}\b", (ROOT / file).read_text(encoding="utf-8")
                ), one


def test_as_many_were_tried_as_there_are_now(figures):
    assert figures["edits"]["tests"] == len(EDITS) + len(BY_NAME)
    assert figures["gates"]["tests"] == len(GREEN_WITHOUT_RUNNING)
    assert figures["absurd"]["tests"] >= len(ABSURD)
    assert figures["faults"]["tried"] <= len(FAULTS)


def test_nothing_was_answered_wrongly(figures):
    assert figures["shared"]["differ"] == 0
    faults = figures["faults"]
    assert (faults["caught"], faults["survived"]) == (faults["tried"], 0)
    commands = figures["commands"]
    assert sum(commands[f"status {status}"] for status in range(4)) == commands["lines"]
    damage = figures["damage"]
    assert sum(damage.get(name, 0) for name in ("sound", "damaged", "refused")) == damage["flips"]
