"""A plain ``savefig`` is enough: of no plot is anything cut or near the edge, whatever learners are called and however many there are."""

import itertools
import math

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

import errbar
from errbar import plots
from errbar.datasets import DataSets, bayesian_signed_rank, ranks
from errbar.planning import plan_study

pytestmark = pytest.mark.long

EDGE, HIGHEST = 4.0, 12.0  # points and inches
SHORT, LONG = "m{}", "gradient_boosting_classifier_lr0.{}_max_features_sqrt_depth8"
NAMES = {"short": SHORT, "long": LONG, "capitals": "GRADIENT BOOSTING MACHINE WITH WWWW {}"}
# Where plots go beside a figure of their own: figures of users, without a layout engine and with one.
FIGURES = {
    "bare": lambda: Figure().add_subplot(),
    "one of four": lambda: Figure(figsize=(10, 8)).subplots(2, 2)[0, 1],
    "constrained": lambda: Figure(layout="constrained").add_subplot(),
    "tight": lambda: Figure(layout="tight").add_subplot(),
}


def scores(count, name):
    rng = np.random.default_rng(count)
    base = 0.25 + 0.03 * rng.normal(size=15)
    return {name.format(i): base + 0.004 * i + 0.01 * rng.normal(size=15) for i in range(count)}


def compared(count, name, metric="score", **options):
    table = errbar.from_scores(scores(count, name), n_train=90, n_test=10, metric=metric)
    return errbar.compare_table(table, **options)


def given(count, name):
    return {
        one: (values.mean(), values.mean() - 0.02, math.inf)
        for one, values in scores(count, name).items()
    }


def grouped(count, name):
    rng = np.random.default_rng(1)
    groups = np.repeat([name.format(i) for i in range(4 * count)], 6)
    losses = {
        name.format(i): (rng.random(groups.size) < 0.3 + 0.01 * i).astype(float)
        for i in range(count)
    }
    return errbar.compare_table(errbar.from_losses(losses, groups=groups))


def drawn_ranks(count, name, **options):
    title = f"Ranks of {name.format(1)}"
    return plots.critical_difference_of(
        ranks(DataSets(scores(count, name)), **options), title=title
    )


def triangle(_, name):
    found = bayesian_signed_rank(
        np.random.default_rng(0).normal(-0.01, 0.02, 20), rope=0.01, samples=500
    )
    return plots.ternary_of(
        found, left=f"{name} better", right=f"{name[::-1]} better", title=f"All of {name}"
    )


CHARTS = {
    "estimates": lambda k, name: plots.estimates_of(compared(k, name, rope=0.005)),
    "estimates of a mapping": lambda k, name: plots.estimates_of(given(k, name)),
    "differences": lambda k, name: plots.differences_of(
        compared(k, name, f"loss {name}", rope=0.005)
    ),
    "baseline": lambda k, name: plots.differences_of(
        compared(k, name, baseline=name.format(0), rope=0.005)
    ),
    "differences of a mapping": lambda k, name: plots.differences_of(
        given(k, name), left=name, right=name[::-1]
    ),
    "matrix": lambda k, name: plots.comparison_matrix_of(
        compared(k, name, f"loss {name}"), title=f"All of {name}"
    ),
    "matrix of scores": lambda k, name: plots.comparison_matrix_of(scores(k, name)),
    "bayesian matrix": lambda k, name: plots.comparison_matrix_of(
        compared(k, name, method="bayes-correlated-t", rope=0.003)
    ),
    "paths": lambda k, name: plots.paired_splits_of(compared(k, name, f"loss {name}")),
    "ranks": drawn_ranks,
    "ranks and a baseline": lambda k, name: drawn_ranks(
        k, name, baseline=name.format(0), post_hoc="holm"
    ),
    "clusters": lambda k, name: plots.clusters_of(grouped(k, name), name.format(0), name.format(1)),
    "components": lambda k, name: plots.components_of(grouped(k, name)),
    "posterior": lambda _, name: plots.posterior_of(
        compared(2, name, method="bayes-correlated-t", rope=0.003)
    ),
    "ternary": triangle,
    "rho": lambda *_: plots.rho_sensitivity_of(
        [0.02, 0.01, 0.03, -0.01, 0.02, 0.0, 0.04, 0.01, 0.02, 0.01]
    ),
    "power": lambda *_: plots.power_of(plan_study(0.02, deviation=0.02, n_train=270, n_test=30)),
}
ONE_OF_A_KIND = {"posterior", "ternary", "rho", "power"}
CASES = [
    (chart, names, count)
    for chart, (names, count) in itertools.product(
        CHARTS, [("short", 3), ("long", 15), ("capitals", 3)]
    )
    if chart != "rho" or names == "short"
]


def edge(figure):
    """Return how far the nearest thing is from the edge of a figure, in points, when it is saved as it is."""
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    box, (wide, high) = figure.get_tightbbox(canvas.get_renderer()), figure.get_size_inches()
    return 72.0 * min(box.x0, box.y0, wide - box.x1, high - box.y1)


@pytest.mark.parametrize(("chart", "names", "count"), CASES)
def test_nothing_is_near_the_edge(chart, names, count):
    figure = plots.draw(CHARTS[chart](count, NAMES[names])).figure
    assert edge(figure) >= EDGE
    assert figure.get_figheight() <= HIGHEST
    figure.set_dpi(220)
    assert edge(figure) >= EDGE


@pytest.mark.thorough
@pytest.mark.parametrize("chart", [chart for chart in CHARTS if chart not in ONE_OF_A_KIND])
def test_sixty_learners_fit_on_a_page(chart):
    # Of clusters and components 24 are a page already, and 60 take long to compare.
    count = 24 if chart in {"clusters", "components"} else 60
    figure = plots.draw(CHARTS[chart](count, LONG)).figure
    assert edge(figure) >= EDGE
    assert figure.get_figheight() <= HIGHEST
    assert figure.get_figwidth() <= 12.5


@pytest.mark.parametrize(
    "where", [pytest.param(w, marks=() if w == "bare" else pytest.mark.thorough) for w in FIGURES]
)
@pytest.mark.parametrize("chart", CHARTS)
def test_nothing_is_cut_on_axes_of_the_user(chart, where):
    ax = FIGURES[where]()
    engine, others = ax.figure.get_layout_engine(), [one for one in ax.figure.axes if one is not ax]
    before = [one.get_position().bounds for one in others]
    with_names = LONG if where in {"bare", "constrained"} else "learner {}"
    plots.draw(CHARTS[chart](6, with_names), ax)
    assert ax.figure.get_layout_engine() is engine
    assert [one.get_position().bounds for one in others] == before
    if engine is None:
        assert edge(ax.figure) >= EDGE
    else:  # whose own edge is three points and less
        assert edge(ax.figure) >= -1.0
    box = ax.get_position()
    assert min(box.width, box.height) > 0.08


def test_axes_that_have_room_stay_where_they_are():
    ax = Figure(figsize=(9, 6)).add_axes((0.4, 0.3, 0.5, 0.5))
    plots.estimates({"a": (1.0, 0.0, 2.0)}, ax)
    assert ax.get_position().bounds == pytest.approx((0.4, 0.3, 0.5, 0.5))
    assert ax.get_in_layout()


def test_neighbours_keep_their_place():
    figure = Figure(figsize=(9, 4))
    left, right = figure.subplots(1, 2)
    for ax in (left, right):
        plots.differences(compared(3, LONG), ax)
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    assert not left.get_tightbbox(canvas.get_renderer()).overlaps(
        right.get_tightbbox(canvas.get_renderer())
    )


def test_what_is_left_out_is_said():
    many = {f"a{i} - b{i}": (i, i - 1.0, i + 1.0) for i in range(105)}
    ax = plots.differences(many)
    assert len(ax.get_yticklabels()) == 60
    assert "60 of 105" in ax.get_xlabel()
    assert "60 of 105" in plots.estimates(many).get_xlabel()
    paths = plots.paired_splits({f"a{i}": [1.0 * i, 2.0] for i in range(61)})
    assert len(paths.get_xticklabels()) == 60
    assert "60 of 61" in paths.get_ylabel().replace("\n", " ")
    assert plots.estimates(dict(itertools.islice(many.items(), 60))).get_xlabel() == ""
