"""One screen: what a comparison shows of itself."""

from dataclasses import replace

import numpy as np

import errbar
from errbar.report.renderers.text import display_width, prose


def compared(*names, **options):
    rng = np.random.default_rng(3)
    scores = {name: 0.5 - 0.05 * place + 0.02 * rng.random(10) for place, name in enumerate(names)}
    table = errbar.from_scores(scores, n_train=90, n_test=10, kind="subsampling")
    return errbar.compare_table(table, **options)


def test_it_ends_with_the_bottom_line_and_fits_on_a_screen(everything):
    for comparison in everything.values():
        shown = repr(comparison)
        assert prose(errbar.report.conclude(comparison)[0]) in shown
        assert len(shown.splitlines()) <= 24


def test_wide_and_combining_characters_keep_columns_aligned():
    shown = repr(compared("森林", "cafe\N{COMBINING ACUTE ACCENT}", "linear")).splitlines()
    rows = [line for line in shown if line.startswith("  ")]
    assert len(rows) == 3
    assert len({display_width(row[: row.index("0.")]) for row in rows}) == 1


def test_learners_whose_names_differ_in_what_is_not_shown_are_not_mixed_up():
    """Both read "tree"; the second is better, and the probability of that is told of the right one."""
    found = compared("tree\x07", "tree", method="bayes-correlated-t")
    [pair] = found.pairs
    assert pair.result.posterior["right"] > 0.999
    assert ">0.999" in errbar.report.conclude(found)[0]


def test_without_pairs_every_learner_is_told():
    """So it is where the baseline is lost between looks."""
    found = replace(compared("tree", "linear"), pairs=())
    said = errbar.report.conclude(found)
    assert ["tree" in said[0], "linear" in said[1]] == [True, True]
    assert prose(said[0]) in repr(found)
