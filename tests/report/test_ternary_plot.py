"""The triangle of posterior draws: where a draw lies, and which share of the draws each corner has."""

import sys
from itertools import combinations

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from errbar import Losses, methods, plots
from errbar.datasets import bayesian_sign, bayesian_signed_rank
from errbar.errors import MissingPackageError
from tests.refusals import refused

matplotlib = pytest.importorskip("matplotlib")

DIFFERENCES = [-0.031, -0.012, 0.004, -0.022, -0.017, -0.009, -0.025, 0.002]
WORDS = {"left": "tree better", "right": "forest better"}


def drawn(chart, ax=None):
    axes = plots.draw(chart, ax)
    canvas = FigureCanvasAgg(axes.figure)
    canvas.draw()
    return axes, canvas.get_renderer()


@pytest.mark.parametrize("posterior", [bayesian_sign, bayesian_signed_rank])
def test_holds_the_draws_and_probabilities_of_the_posterior(posterior):
    found = posterior(DIFFERENCES, rope=0.01, samples=2000)
    chart = plots.ternary_of(found, **WORDS)
    assert chart.shares is found.samples
    assert chart.probabilities == (found.left, found.rope, found.right)
    assert (chart.left, chart.right) == ("tree better", "forest better")
    assert "±0.01" in chart.middle
    plain = plots.ternary_of(found.samples)
    assert plain.probabilities == pytest.approx(chart.probabilities, abs=1e-12)
    assert plots.ternary_of(posterior(DIFFERENCES, samples=100)).middle == "equal"
    assert plots.ternary_of(found, middle="both as good").middle == "both as good"


def test_corners_are_the_certain_answers():
    chart = plots.ternary_of(np.eye(3))
    assert chart.points == pytest.approx(np.array([[0.0, 0.0], [0.5, np.sqrt(0.75)], [1.0, 0.0]]))
    sides = [np.linalg.norm(a - b) for a, b in combinations(chart.points, 2)]
    assert sides == pytest.approx([1.0, 1.0, 1.0])
    assert plots.ternary_of([[1 / 3, 1 / 3, 1 / 3]]).points == pytest.approx(
        np.array([[0.5, np.sqrt(0.75) / 3]])
    )
    assert chart.probabilities == pytest.approx((1 / 3, 1 / 3, 1 / 3))


def test_dashed_lines_divide_the_draws_as_the_largest_share_does():
    shares = np.random.default_rng(0).dirichlet([1.0, 1.0, 1.0], 500)
    chart = plots.ternary_of(shares)
    corners = plots.ternary_of(np.eye(3)).points
    nearest = np.linalg.norm(chart.points[:, np.newaxis] - corners, axis=2).argmin(axis=1)
    assert (nearest == shares.argmax(axis=1)).all()
    ax, _ = drawn(chart)
    for line in ax.lines:
        ends = np.array(line.get_xydata())
        distances = np.sort(np.linalg.norm(ends[:, np.newaxis] - corners, axis=2), axis=1)
        assert distances[:, 0] == pytest.approx(distances[:, 1])


def test_the_cloud_holds_every_draw():
    shares = np.random.default_rng(0).dirichlet([4.0, 2.0, 3.0], 3000)
    ax, _ = drawn(plots.ternary_of(shares))
    [cloud] = ax.collections
    assert cloud.get_array().sum() == 3000
    assert cloud.get_clip_path() is not None
    assert ax.get_aspect() == 1.0


def test_hexagons_are_regular():
    shares = np.random.default_rng(0).dirichlet([4.0, 2.0, 3.0], 3000)
    ax, _ = drawn(plots.ternary_of(shares))
    offsets = ax.collections[0].get_offsets()
    columns, rows = np.unique(offsets[:, 0].round(9)), np.unique(offsets[:, 1].round(9))
    assert np.diff(rows).min() / np.diff(columns).min() == pytest.approx(np.sqrt(3.0), rel=0.05)


@pytest.mark.parametrize("title", ["", "Errors on twelve data sets"])
@pytest.mark.parametrize(
    "names", [("a", "b"), ("gradient boosting better", "random forests better")]
)
def test_words_do_not_meet_and_stay_inside(names, title):
    found = bayesian_signed_rank(DIFFERENCES, rope=0.01, samples=200)
    ax, renderer = drawn(plots.ternary_of(found, left=names[0], right=names[1], title=title))
    texts = [text for text in (*ax.texts, ax.title) if text.get_text()]
    assert len(texts) == 3 + bool(title)
    boxes = [text.get_window_extent(renderer) for text in texts]
    triangle = ax.patches[0].get_window_extent(renderer)
    page = ax.figure.bbox
    for one, other in combinations([*boxes, triangle], 2):
        assert not one.overlaps(other)
    for box in boxes:
        assert page.x0 <= box.x0 <= box.x1 <= page.x1
        assert page.y0 <= box.y0 <= box.y1 <= page.y1


def test_drawn_where_asked_and_without_a_trace():
    ax = Figure(layout="constrained").add_subplot()
    before = dict(matplotlib.rcParams)
    maps = set(matplotlib.colormaps)
    found = bayesian_signed_rank(DIFFERENCES, rope=0.01, samples=200)
    assert plots.ternary(found, ax) is ax
    chart = plots.ternary_of(found, left="<b>", right="$x$", title="$1")
    drawing = plots.svg(chart, "x", "title")
    assert drawing == plots.svg(chart, "x", "title")
    assert dict(matplotlib.rcParams) == before
    assert set(matplotlib.colormaps) == maps
    assert "&lt;b&gt;" in drawing
    assert "$x$" in drawing
    assert "#010203" not in drawing


def test_missing_matplotlib_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingPackageError):
        plots.ternary([[0.2, 0.3, 0.5]])


@pytest.mark.parametrize(
    ("source", "argument"),
    [
        ([[0.5, 0.5]], "source"),
        (np.empty((0, 3)), "source"),
        ([0.2, 0.3, 0.5], "source"),
        ([[0.2, 0.3, 0.5], [0.2, 0.3, 0.6]], "source"),
        ([[-0.2, 0.7, 0.5]], "source"),
        ([[np.nan, 0.5, 0.5]], "source"),
        (methods.bayes_sign(Losses(DIFFERENCES)), "source"),
    ],
)
def test_bad_input(source, argument):
    with refused(argument):
        plots.ternary_of(source)
