"""The command for boards: its first screen, its forms, and lists of solved instances."""

import json

import numpy as np
import pandas as pd
import pytest

from tests.cli.test_errors import refused
from tests.test_boards import long_table, some_values, write_lists


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    return long_table(some_values(rng, 40, 60, spread=0.4), np.repeat(["a", "b", "c"], 20))


def test_its_first_screen_fits(errbar, table):
    table.to_csv("answers.csv", index=False)
    found = errbar("board", "answers.csv")
    assert found.status == 0
    lines = found.out.splitlines()
    assert len(lines) <= 25
    more = errbar("board", "answers.csv", "--top", 5).out.splitlines()
    assert len(more) < len(lines)


def test_its_json_is_that_of_the_library(errbar, table):
    import errbar as library

    table.to_csv("answers.csv", index=False)
    found = errbar("board", "answers.csv", "--tasks", "pooled", "--json").data
    own = library.board("answers.csv", tasks="pooled").named("answers")
    assert found == json.loads(own.to_json())


@pytest.mark.parametrize("ending", ["html", "md", "tex", "json", "csv", "png"])
def test_it_is_written_in_each_form(ending, errbar, table, tmp_path):
    table.to_csv("answers.csv", index=False)
    out = tmp_path / f"board.{ending}"
    assert errbar("board", "answers.csv", "--out", out).status == 0
    if ending == "csv":
        assert len(pd.read_csv(out)) == 40
    if ending in ("html", "md", "tex"):
        text = out.read_text("utf-8")
        assert all(f"m{j}" in text for j in range(40))


def test_lists_may_be_named(errbar, tmp_path):
    write_lists(tmp_path)
    files = [f"{name}=agent-{name}" for name in "abc"]
    found = errbar("board", *files, "--instances", 9, "--json").data
    assert found["data"]["models"] == ["a", "b", "c"]
    refused(errbar("board", *files[:2], "agent-c", "--instances", 9))


def test_what_is_unsaid_names_the_option(errbar, tmp_path):
    write_lists(tmp_path)
    found = errbar("board", tmp_path)
    assert found.status == 2
    assert "--instances" in found.err
    assert len(found.err.splitlines()) == 1


@pytest.mark.parametrize("top", [0, -3])
def test_a_screen_without_models_is_refused(top, errbar, table):
    table.to_csv("answers.csv", index=False)
    assert errbar("board", "answers.csv", "--top", top).status == 2
