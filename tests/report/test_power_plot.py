"""What a plot of power shows."""

import numpy as np
import pytest

from errbar import plots
from errbar.errors import InvalidInputError
from errbar.planning import plan_study, power_curve

USUAL = {"deviation": 0.02, "n_train": 270, "n_test": 30}


@pytest.fixture
def ax():
    from matplotlib.figure import Figure

    return Figure(layout="constrained").add_subplot()


def test_it_holds_the_numbers_of_the_study():
    study = plan_study(0.022, metric="zero-one", **USUAL)
    chart = plots.power_of(study)
    assert [line.label for line in chart.lines] == [
        "15 splits",
        "30 splits",
        "60 splits",
        "unlimited",
    ]
    assert [line.detectable for line in chart.lines] == [row.detectable for row in study.prospects]
    for line, curve in zip(chart.lines, study.curves(), strict=True):
        assert np.array_equal(line.power, curve.power)
        assert np.array_equal(line.differences, curve.differences)
    assert (chart.wanted, chart.difference, chart.power) == (0.8, 0.022, study.power)
    assert chart.axis == "true difference in zero-one"


def test_a_curve_alone_and_several():
    one, two = power_curve(**USUAL), power_curve(repeats=40, **USUAL)
    assert [line.label for line in plots.power_of(one).lines] == ["15 splits"]
    assert [line.label for line in plots.power_of([one, two]).lines] == ["15 splits", "40 splits"]
    assert plots.power_of(one).difference is None


@pytest.mark.parametrize(
    ("alternative", "ends", "sides"),
    [
        ("two-sided", (-1.0, 1.0), (1.0, -1.0)),
        ("two-sided", (-1.0, 0.0), (-1.0,)),
        ("greater", (-1.0, 1.0), (1.0,)),
        ("less", (-1.0, 1.0), (-1.0,)),
        ("greater", (0.0, 0.01), ()),
    ],
)
def test_dots_stand_on_the_line(alternative, ends, sides):
    curve = power_curve(np.linspace(*ends, 11), alternative=alternative, **USUAL)
    [line] = plots.power_of(curve).lines
    assert line.dots == tuple(side * line.detectable for side in sides)


def test_what_is_drawn(ax):
    study = plan_study(0.022, **USUAL)
    assert plots.power(study, ax) is ax
    lines = [(list(line.get_xdata()), list(line.get_ydata())) for line in ax.lines]
    for curve in study.curves():
        assert (curve.differences.tolist(), curve.power.tolist()) in lines
        assert ([curve.detectable], [0.8]) in lines
    assert ([0.022], [study.power]) in lines
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("true difference in loss", "power")
    entries = [text.get_text() for text in ax.get_legend().get_texts()]
    assert entries == [
        "15 splits: 0.0254",
        "30 splits: 0.0220",
        "60 splits: 0.0204",
        "unlimited: 0.0187",
    ]
    words = [text.get_text() for text in ax.texts]
    assert words == ["wanted power 0.8", f"difference 0.022: power {study.power:.3g}"]


def test_lines_differ_in_colour_and_in_dashes(ax):
    plots.power(plan_study(**USUAL), ax)
    curves = [line for line in ax.lines if len(line.get_xdata()) > 2]
    assert len({line.get_color() for line in curves}) == 4
    assert len({str(line._dash_pattern) for line in curves}) == 4


@pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e9])
def test_everything_lies_inside(ax, alternative, scale):
    sign = -1.0 if alternative == "less" else 1.0
    study = plan_study(
        sign * scale,
        deviation=scale,
        n_train=270,
        n_test=30,
        alternative=alternative,
        metric="a $b$ metric",
    )
    plots.power(study, ax)
    ax.figure.canvas.draw()
    low, high = ax.get_xlim()
    inside = [
        x for line in ax.lines if line.get_transform() == ax.transData for x in line.get_xdata()
    ]
    assert low <= min(inside) <= max(inside) <= high
    frame = ax.figure.bbox
    for text in ax.texts:
        box = text.get_window_extent()
        assert frame.x0 <= box.x0
        assert box.x1 <= frame.x1
        assert box.y1 <= frame.y1


def overlap(ax, box):
    """Whether a curve runs through a box, in pixels."""
    for line in ax.lines:
        x, y = ax.transData.transform(np.column_stack([line.get_xdata(), line.get_ydata()])).T
        if len(x) > 2 and ((box.x0 < x) & (x < box.x1) & (box.y0 < y) & (y < box.y1)).any():
            return True
    return False


@pytest.mark.long
@pytest.mark.parametrize("alternative", ["two-sided", "less"])
@pytest.mark.parametrize("wanted", [0.5, 0.8, 0.95])
@pytest.mark.parametrize("share", [0.3, 1.0, 1.24])
def test_words_are_not_on_top_of_curves(alternative, wanted, share):
    sign = -1.0 if alternative == "less" else 1.0
    end = plan_study(power=0.99, alternative=alternative, **USUAL).detectable
    axes = plots.power(plan_study(sign * share * end, wanted, alternative=alternative, **USUAL))
    axes.figure.canvas.draw()
    assert not overlap(axes, axes.get_legend().get_window_extent())
    assert not overlap(axes, axes.texts[0].get_window_extent())


def test_a_difference_far_beyond_is_left_out(ax):
    plots.power(plan_study(5.0, **USUAL), ax)
    assert ax.get_xlim()[1] < 0.05
    assert [text.get_text() for text in ax.texts] == ["wanted power 0.8"]


def test_a_page_gets_it_too():
    drawing = plots.svg(plots.power_of(plan_study(0.02, **USUAL)), "p", "power")
    assert drawing.startswith("<svg viewBox=")
    assert "15 splits: 0.0254" in drawing
    assert "var(--errbar-blue" in drawing
    assert "#010203" not in drawing


@pytest.mark.parametrize(
    "source",
    [
        [],
        None,
        [1.0],
        [power_curve(**USUAL)] * 5,
        [power_curve(**USUAL), power_curve(power=0.9, **USUAL)],
    ],
)
def test_what_cannot_be_drawn(source):
    with pytest.raises(InvalidInputError):
        plots.power(source)
