"""The plot of the p-value against rho: its numbers, and labels that never meet."""

import re
import sys
from itertools import combinations, pairwise

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from errbar import Losses, plots
from errbar.errors import MissingPackageError
from errbar.methods import rho_sensitivity
from tests.refusals import refused

TEN = np.array([0.02, 0.01, 0.03, -0.01, 0.02, 0.0, 0.04, 0.01, 0.02, 0.01])
SCORES = {
    "edge": Losses(TEN),
    "weak": Losses(TEN - 0.0035),
    "none": Losses(TEN - 0.014),
    "strong": Losses(0.1 * TEN + 0.05),
    "huge": Losses(1e-4 * TEN + 1.0),
    "constant": Losses(np.full(10, 0.1)),
    "zero": Losses(np.zeros(10)),
    "few folds": Losses([0.02, 0.05], n_train=50, n_test=50),
    "tiny test sets": Losses(TEN, n_train=1000, n_test=2),
    "threshold next to 0.7": Losses(TEN * 0.8 + 0.0055),
}


def drawn(source, width=5.6, columns=1):
    """Draw on a real canvas, so that extents are those of the picture."""
    figure = Figure(figsize=(width, 3.6), layout="constrained")
    canvas = FigureCanvasAgg(figure)
    axes = figure.subplots(1, columns, squeeze=False)[0]
    for ax in axes:
        plots.rho_sensitivity(source, ax)
    canvas.draw()
    return axes, canvas.get_renderer()


def boxes(ax, renderer):
    return {text.get_text(): text.get_window_extent(renderer) for text in ax.texts}


def test_the_chart_holds_the_numbers():
    found = rho_sensitivity(Losses(TEN), level=0.9)
    chart = plots.rho_sensitivity_of(found)
    assert chart.rho is found.rho
    assert chart.pvalue is found.pvalue
    assert (chart.threshold, chart.verdict) == (found.threshold, found.verdict)
    assert chart.alpha == pytest.approx(0.1)
    assert [mark.name for mark in chart.marks] == [
        "uncorrected",
        "Nadeau-Bengio",
        "threshold",
        "conservative",
    ]
    for mark in chart.marks:
        assert mark.pvalue == found.pvalue[found.at(mark.rho)]
    assert chart.marks[2].pvalue == pytest.approx(0.1, rel=1e-9)


def test_scores_and_plain_numbers_are_enough():
    one, other = plots.rho_sensitivity_of(Losses(TEN)), plots.rho_sensitivity_of(TEN.tolist())
    assert one.pvalue.tolist() == other.pvalue.tolist()
    assert one.marks == other.marks


def test_drawn_where_asked_and_in_the_right_place():
    ax = Figure(layout="constrained").add_subplot()
    assert plots.rho_sensitivity(TEN, ax) is ax
    found = rho_sensitivity(Losses(TEN))
    curves = [line for line in ax.lines if len(line.get_xdata()) == found.rho.size]
    assert curves[0].get_xdata().tolist() == found.rho.tolist()
    assert curves[0].get_ydata().tolist() == found.pvalue.tolist()
    dots = {
        (float(line.get_xdata()[0]), float(line.get_ydata()[0]))
        for line in ax.lines
        if line.get_marker() == "o"
    }
    assert dots == {(rho, float(found.pvalue[found.at(rho)])) for rho in found.marks.values()}
    assert ax.get_yscale() == "log"


@pytest.mark.parametrize("name", SCORES)
def test_labels_meet_neither_each_other_nor_the_axes_nor_the_curve(name):
    [ax], renderer = drawn(SCORES[name])
    found = boxes(ax, renderer)
    marks = plots.rho_sensitivity_of(SCORES[name]).marks
    assert len(found) == len(marks) + 1
    for (one, first), (other, second) in combinations(found.items(), 2):
        assert not first.overlaps(second), f"{one!r} and {other!r} overlap"
    frame, page = ax.get_window_extent(renderer), ax.figure.bbox
    for text, box in found.items():
        assert page.x0 <= box.x0
        assert box.x1 <= page.x1
        assert box.y1 <= page.y1
        if not text.endswith("level"):
            assert box.y0 > frame.y1
    [level] = [box for text, box in found.items() if text.endswith("level")]
    assert frame.x0 < level.x0 < level.x1 < frame.x1
    for points in paths(ax):
        hit = (points > [level.x0, level.y0]) & (points < [level.x1, level.y1])
        assert not hit.all(axis=1).any(), "a line runs through the name of the level"


def paths(ax):
    """Points, close together and in pixels, of the curve and of the lines down to the marks."""
    for line in ax.lines:
        if line.get_transform() == ax.transData and line.get_linestyle() == "-":
            corners = ax.transData.transform(np.column_stack([line.get_xdata(), line.get_ydata()]))
            yield np.concatenate([np.linspace(one, other, 200) for one, other in pairwise(corners)])


@pytest.mark.parametrize("name", SCORES)
def test_labels_are_in_the_order_of_their_marks(name):
    [ax], renderer = drawn(SCORES[name])
    places = [box.x0 for text, box in boxes(ax, renderer).items() if not text.endswith("level")]
    assert places == sorted(places)


def test_narrow_axes_have_a_legend_instead():
    axes, renderer = drawn(SCORES["edge"], width=9.0, columns=3)
    for ax in axes:
        assert [text.get_text() for text in ax.texts] == ["5 % level"]
        legend = ax.get_legend()
        assert [text.get_text() for text in legend.get_texts()] == [
            "uncorrected, ρ = 0, p = 0.0091",
            "Nadeau–Bengio, ρ = 0.53, p = 0.049",
            "threshold, ρ = 0.53, p = 0.05",
            "conservative, ρ = 0.7, p = 0.1",
        ]
        assert not legend.get_window_extent(renderer).overlaps(ax.get_window_extent(renderer))
        shapes = [
            line.get_marker() for line in ax.lines if line.get_marker() not in ("None", None, "")
        ]
        assert len(set(shapes)) == 4


def test_numbers_of_the_labels():
    assert plots.RhoMark("threshold", 0.9987, 0.05).lines == ("threshold", "ρ > 0.99", "p = 0.05")
    assert plots.RhoMark("Nadeau-Bengio", 0.5263, 1e-9).lines == (
        "Nadeau–Bengio",
        "ρ = 0.53",
        "p < 0.001",
    )


def test_vanishing_pvalues_are_drawn_at_the_edge():
    ax = Figure(layout="constrained").add_subplot()
    plots.rho_sensitivity(SCORES["constant"], ax)
    floor = ax.get_ylim()[0]
    assert floor == 1e-6
    assert [line.get_ydata()[0] for line in ax.lines if line.get_marker() == "v"] == [floor] * 3


def test_svg():
    chart = plots.rho_sensitivity_of(TEN)
    drawing = plots.svg(chart, "rho", "p against rho", chart.verdict)
    assert plots.svg(chart, "rho", "p against rho", chart.verdict) == drawing
    assert "0.532" in drawing
    assert ">between-block correlation ρ</text>" in drawing
    assert "currentColor" in drawing
    assert "#010203" not in drawing
    assert all(name.startswith("rho-") for name in re.findall(r'\bid="([^"]*)"', drawing))


@pytest.mark.parametrize("bad", [[], [0.1], "abc", None, [[0.1, 0.2]], [0.1, float("nan")]])
def test_bad_input(bad):
    with refused("value"):
        plots.rho_sensitivity(bad)


def test_missing_matplotlib_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingPackageError):
        plots.rho_sensitivity(TEN)
