"""The first screen: short, in columns, and drawn to scale."""

import re
import subprocess
import sys

import numpy as np
import pytest

import errbar
from errbar import report
from errbar.report.page import display_width
from tests.report.comparisons import NASTY, many, shifted, single


def lines(comparison, **options):
    return report.text(comparison, width=80, color=False, **options).splitlines()


def test_three_learners_take_18_lines_and_110_words():
    table = errbar.from_losses(
        {name: np.random.default_rng(i).normal(i / 9, 1, 200) for i, name in enumerate("abc")},
        fold=np.repeat(range(10), 20),
        higher_is_better=False,
    )
    shown = lines(errbar.compare_table(table))
    notes = [i for i, line in enumerate(shown) if line.startswith("Note:")]
    assert len(shown) - len(notes) * 2 <= 18
    assert len(re.findall(r"[A-Za-z]{2,}", "\n".join(shown[:-1]))) <= 110


def test_the_verdict_comes_first():
    assert lines(shifted(3.0))[2] == report.conclude(shifted(3.0))[0]


def test_one_learner_takes_few_lines():
    assert len([line for line in lines(single()) if not line.startswith(("Note", "they"))]) <= 9


def test_no_line_is_wider_than_the_terminal(comparison):
    for width in (60, 80, 100):
        shown = report.text(comparison, width=width, color=False).splitlines()
        tables = [line for line in shown if "  " in line.strip()]
        assert max(map(display_width, tables), default=0) <= max(width, 81)


def test_one_line_a_learner_beyond_five():
    more = len(lines(many(9))) - len(lines(many(8)))
    assert more in (0, 1, 2)
    assert sum(line.startswith("m") for line in lines(many(8))) >= 8


def test_pictures_are_to_scale():
    shown = lines(shifted(3.0))
    [row] = [line for line in shown if line.startswith("a - b")]
    [head] = [line for line in shown if line.startswith("difference")]
    zero = head.index("0", len("difference   95 %") + 12)
    assert row[zero] == "│"
    assert row.index("●") > zero


def test_hollow_is_not_significant():
    open_ = "\n".join(lines(shifted(0.3)))
    sure = "\n".join(lines(shifted(3.0)))
    assert "○" in open_.split("difference")[1]
    assert "○" not in sure


def test_names_cannot_steer_the_terminal():
    found = shifted(0.5, names=("a\x1b[31m", NASTY[0]))
    assert "\x1b" not in report.text(found, color=False)
    assert "\x1b[1m" in report.text(found, color=True)


def test_without_utf_8_it_is_ascii():
    code = (
        "import errbar; t = errbar.from_scores({'a': [1, 2, 3.5], 'b': [2, 3, 3]}, n_train=9, n_test=1);"
        "print(errbar.compare_table(t))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        check=True,
        env={"PYTHONIOENCODING": "ascii", "PYTHONPATH": ":".join(sys.path)},
    )
    assert done.stdout.isascii()
    assert b"*" in done.stdout


def test_several_stand_below_each_other():
    shown = report.text([shifted(0.9), shifted(0.9, method="resampled-t")], color=False)
    assert shown.count("difference  ") == 2


def test_details_name_every_note():
    found = shifted(0.9)
    assert all(note.code in found.details() for note in found.notes)


@pytest.mark.parametrize("wrong", [3, "text", [], [3]])
def test_something_else_is_refused(wrong):
    with pytest.raises(errbar.InvalidInputError) as caught:
        report.text(wrong)
    assert caught.value.argument == "comparison"
