"""The diagram of mean ranks: its numbers, and that nothing in it lies on top of anything else."""

import itertools
import math

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from errbar import plots
from errbar.datasets import DataSets, ranks
from tests.refusals import refused

NASTY = ("<script>alert(1)</script>", "a_b & $x$ [bold]", "木 and $y$")


def ranked(k, n=20, step=0.25, names=None, **options):
    scores = np.random.default_rng(k).normal(size=(n, k)) + step * np.arange(k)
    return ranks(DataSets(scores, names), **options)


@pytest.fixture
def ax():
    return Figure(layout="constrained").add_subplot()


def drawn(chart):
    axes = plots.draw(chart)
    FigureCanvasAgg(axes.figure).draw()
    return axes


def test_the_chart_holds_the_numbers_of_the_ranking():
    ranking = ranked(6)
    chart = plots.critical_difference_of(ranking, title="six")
    assert dict(zip(chart.learners, chart.ranks, strict=True)) == ranking.mean_ranks
    assert [tuple(chart.learners[i] for i in group) for group in chart.cliques] == list(
        ranking.cliques
    )
    assert (chart.cd, chart.baseline, chart.title) == (ranking.critical_difference, None, "six")
    assert "20 data sets" in chart.caption
    assert "95 %" in chart.caption


@pytest.mark.parametrize("step", [0.0, 0.6, 20.0])
def test_with_a_baseline_one_bar_joins_it_to_its_likes(step):
    ranking = ranked(5, step=step, post_hoc="holm", baseline="learner 2")
    chart = plots.critical_difference_of(ranking)
    assert chart.learners[chart.baseline] == "learner 2"
    near = {pair.a for pair in ranking.pairs} - {pair.a for pair in ranking.apart}
    assert [{chart.learners[i] for i in group} for group in chart.cliques] == (
        [{*near, "learner 2"}] if near else []
    )
    assert "learner 2" in chart.caption


def test_all_told_apart():
    chart = plots.critical_difference_of(ranked(3, n=60, step=20.0))
    assert chart.cliques == ()
    assert "all are told apart" in chart.caption


def test_mean_ranks_are_enough():
    means = {"tree": 2.8, "forest": 1.4, "1-NN": 1.8}
    chart = plots.critical_difference_of(means, cd=0.9)
    assert chart.learners == ("forest", "1-NN", "tree")
    assert chart.cliques == ((0, 1),)
    assert plots.critical_difference_of(means, cd=1.1).cliques == ((0, 1), (1, 2))
    assert plots.critical_difference_of(means).cliques == ()
    given = plots.critical_difference_of(means, cliques=[["tree", "forest"]])
    assert (given.cliques, given.cd) == (((0, 2),), None)


@pytest.mark.parametrize("k", [2, 3, 7, 20])
def test_groups_within_the_critical_difference_are_those_of_nemenyi(k):
    ranking = ranked(k)
    from_means = plots.critical_difference_of(ranking.mean_ranks, cd=ranking.critical_difference)
    assert from_means.cliques == plots.critical_difference_of(ranking).cliques


@pytest.mark.parametrize("k", [2, 4, 9])
@pytest.mark.parametrize("post_hoc", ["nemenyi", "holm", "wilcoxon"])
def test_pvalues_of_any_test_give_the_groups_of_that_test(k, post_hoc):
    ranking = ranked(k, post_hoc=post_hoc, level=0.9)
    pvalues = {(pair.b, pair.a): pair.adjusted for pair in ranking.pairs}
    means = dict(reversed(ranking.mean_ranks.items()))  # not the order of the ranks
    chart = plots.critical_difference_of(means, pvalues=pvalues, level=0.9)
    assert chart.cliques == plots.critical_difference_of(ranking).cliques
    assert chart.cd is None
    names = list(means)
    table = np.ones((k, k))
    for (a, b), value in pvalues.items():
        table[names.index(a), names.index(b)] = table[names.index(b), names.index(a)] = value
    assert plots.critical_difference_of(means, pvalues=table, level=0.9).cliques == chart.cliques


def test_the_level_decides_on_pvalues():
    means, pvalues = {"a": 1.2, "b": 1.8}, {("a", "b"): 0.03}
    apart = plots.critical_difference_of(means, pvalues=pvalues)
    assert apart.cliques == ()
    assert "95 %" in apart.caption
    together = plots.critical_difference_of(means, pvalues=pvalues, level=0.99)
    assert together.cliques == ((0, 1),)
    assert "99 %" in together.caption
    assert plots.critical_difference_of(means, pvalues={("a", "b"): 0.25}, level=0.75).cliques == ()


def test_the_test_and_its_adjustment_are_named():
    for post_hoc, word in {"nemenyi": "Nemenyi", "wilcoxon": "holm"}.items():
        assert word in plots.critical_difference_of(ranked(4, post_hoc=post_hoc)).caption


@pytest.mark.parametrize("k", range(2, 21))
@pytest.mark.parametrize("step", [0.0, 0.15, 1.0])
def test_bars_on_one_level_do_not_touch(k, step):
    chart = plots.critical_difference_of(ranked(k, n=40, step=step))
    for (one, level), (other, same) in itertools.combinations(
        zip(chart.cliques, chart.levels, strict=True), 2
    ):
        if level == same:
            assert chart.ranks[one[-1]] + chart.overhang < chart.ranks[other[0]] - chart.overhang
    assert set(chart.levels) == set(range(1 + max(chart.levels, default=-1)))


@pytest.mark.long
@pytest.mark.parametrize("name", ["learner {}", "gradient boosted trees with depth {}", "{}"])
@pytest.mark.parametrize("k", [2, 3, 5, 11, 14, 20])
def test_no_text_lies_on_another_or_outside(k, name):
    ax = drawn(
        plots.critical_difference_of(
            ranked(k, names=[name.format(i) for i in range(k)]), title="title"
        )
    )
    texts = [text for text in (*ax.texts, ax.xaxis.label, ax.title) if text.get_text()]
    boxes = [(text.get_text(), text.get_window_extent()) for text in texts]
    for (one, box), (other, its_box) in itertools.combinations(boxes, 2):
        assert not box.overlaps(its_box), f"{one!r} and {other!r}"
    page = ax.figure.bbox
    for text, box in boxes:
        assert page.x0 <= box.x0 and box.x1 <= page.x1, text
        assert page.y0 <= box.y0 and box.y1 <= page.y1, text


def test_best_is_at_the_right(ax):
    assert plots.critical_difference(ranked(5), ax) is ax
    left, right = ax.get_xlim()
    assert left > right == 1.0
    names = [text.get_text() for text in ax.texts][-5:]
    assert [name.split("  ")[1] for name in names[:3]] == [f"learner {i}" for i in (1, 2, 3)]


def test_lines_go_from_the_ranks_to_the_names(ax):
    ranking = ranked(4)
    plots.critical_difference(ranking, ax)
    starts = [line.get_xdata()[0] for line in ax.lines if len(line.get_xdata()) == 3]
    assert starts[-4:] == list(ranking.mean_ranks.values())


def test_a_critical_difference_longer_than_the_axis_fits():
    ranking = ranked(3, n=2)
    assert ranking.critical_difference > 2.0
    ax = drawn(plots.critical_difference_of(ranking))
    left, right = ax.get_xlim()
    [scale] = [
        line
        for line in ax.lines
        if abs(np.ptp(line.get_xdata()) - ranking.critical_difference) < 1e-9
    ]
    assert right <= min(scale.get_xdata()) <= max(scale.get_xdata()) <= left


def test_names_are_drawn_as_they_are():
    chart = plots.critical_difference_of(ranked(3, names=NASTY), title="$1 & 2")
    drawing = plots.svg(chart, "x", "title")
    assert "a_b &amp; $x$ [bold]" in drawing
    assert "木 and $y$" in drawing
    assert "$1 &amp; 2" in drawing
    assert "<script" not in drawing
    assert "#010203" not in drawing


def test_long_names_keep_their_ends():
    names = [f"gradient boosted trees with a depth of {depth}" for depth in range(3)]
    chart = plots.critical_difference_of(dict(zip(names, (1.0, 2.0, 3.0), strict=True)))
    assert [text.get_text() for text in drawn(chart).texts][-3:] == [
        "1.00  gradient…a depth of 0",
        "2.00  gradient…a depth of 1",
        "gradient…a depth of 2  3.00",
    ]


def test_the_same_ranking_gives_the_same_picture():
    assert plots.svg(plots.critical_difference_of(ranked(4)), "x", "t") == plots.svg(
        plots.critical_difference_of(ranked(4)), "x", "t"
    )


@pytest.mark.parametrize(
    ("call", "argument"),
    [
        (lambda: plots.critical_difference({}), None),
        (lambda: plots.critical_difference({"a": 1.0}), None),
        (lambda: plots.critical_difference([1.0, 2.0]), None),
        (lambda: plots.critical_difference({"a": 0.0, "b": 2.0}), "a"),
        (lambda: plots.critical_difference({"a": math.nan, "b": 2.0}), "a"),
        (lambda: plots.critical_difference({"a": 1.0, "b": 2.0}, cd=0.0), "cd"),
        (lambda: plots.critical_difference({"a": 1.0, "b": 2.0}, cd=math.inf), "cd"),
        (lambda: plots.critical_difference({"a": 1.0, "b": 2.0}, cliques=[["a", "c"]]), "cliques"),
        (lambda: plots.critical_difference(ranked(3), cd=1.0), None),
        (lambda: plots.critical_difference(ranked(3), pvalues={}), None),
        (lambda: plots.critical_difference({"a": 1.0, "b": 2.0}, pvalues={}), "pvalues"),
        (
            lambda: plots.critical_difference(
                {"a": 1.0, "b": 2.0}, pvalues={("a", "b"): 1.0}, cliques=[["a", "b"]]
            ),
            "pvalues",
        ),
        (
            lambda: plots.critical_difference(
                {"a": 1.0, "b": 2.0}, pvalues={("a", "b"): 1.0}, level=5
            ),
            "level",
        ),
    ],
)
def test_bad_input(call, argument):
    with refused(argument):
        call()
