"""The four pictures: positions and values of what is drawn."""

import numpy as np
import pytest

import errbar
from errbar.datasets import ranks
from errbar.errors import InvalidInputError
from errbar.planning import SplitComponents, plan_study
from tests.forms import data_sets

pytest.importorskip("matplotlib")
from errbar import plots

LONG = "HistGradientBoosting_with_$very$_long_name-{}_of_these"


def many(k, name="learner-{}", outlier=False, **question):
    rng = np.random.default_rng(k)
    shared = rng.normal(size=200)
    losses = {
        name.format(i): (shared + rng.normal(size=200)) ** 2 * (1 + 0.1 * i) for i in range(k)
    }
    if outlier:
        losses[name.format(k - 1)] = losses[name.format(k - 1)] * 20
    return errbar.compare_table(errbar.from_losses(losses), **question)


def dots(ax):
    return [line for line in ax.lines if line.get_marker() == "o" and len(line.get_xdata()) == 1]


def rows(ax):
    return [label.get_text() for label in ax.get_yticklabels()]


def inside(ax):
    """Whether nothing reaches beyond the figure, but for a point of a line."""
    figure = ax.figure
    box = figure.get_tightbbox()
    width, height = figure.get_size_inches()
    return box.x0 > -0.02 and box.y0 > -0.02 and box.x1 < width + 0.02 and box.y1 < height + 0.02


def test_intervals_hold_the_numbers():
    comparison = many(3)
    ax = plots.intervals(comparison)
    assert rows(ax) == list(comparison.ranking)
    drawn = [float(dot.get_xdata()[0]) for dot in dots(ax)]
    assert drawn == [comparison.learners[name].estimate for name in rows(ax)]
    thick = [
        tuple(line.get_xdata())
        for line in ax.lines
        if line.get_linewidth() == 1.5 and len(line.get_xdata()) == 2
    ]
    expected = [tuple(comparison.learners[name].interval) for name in rows(ax)]
    assert np.allclose(thick, expected)


def test_differences_are_larger_minus_smaller():
    comparison = many(3)
    ax = plots.intervals(comparison, of="differences")
    drawn = [float(dot.get_xdata()[0]) for dot in dots(ax)]
    assert drawn == sorted((abs(pair.result.estimate) for pair in comparison.pairs), reverse=True)
    hollow = [dot.get_markerfacecolor() != dot.get_color() for dot in dots(ax)]
    assert sum(hollow) == sum(not one.significant for one in comparison.pairs)
    assert len(rows(plots.intervals(many(12), of="differences"))) == 11
    against = many(4, baseline="learner-1")
    assert len(rows(against.plot())) == 3


def test_an_outlier_is_cut_off():
    ax = plots.intervals(many(4, outlier=True))
    arrows = [line for line in ax.lines if line.get_marker() == ">"]
    assert len(arrows) == 1
    assert arrows[0].get_ydata()[0] == 3
    assert len(dots(ax)) == 3


@pytest.mark.long
@pytest.mark.parametrize("k", [1, 3, 60])
@pytest.mark.parametrize("name", ["learner-{}", LONG])
def test_all_stays_within_a_column(k, name):
    comparison = many(k, name, outlier=k > 2)
    assert inside(plots.intervals(comparison))
    if k > 1:
        assert inside(plots.intervals(comparison, of="differences"))


def test_results_and_rankings():
    result = many(2).pairs[0].result
    assert len(dots(plots.intervals({"a - b": result}))) == 1
    data = data_sets(
        {name: np.arange(8.0) + i * (-1) ** np.arange(8) for i, name in enumerate("abc")}
    )
    ranking = ranks(data)
    ax = plots.intervals(ranking)
    assert [float(dot.get_xdata()[0]) for dot in dots(ax)] == list(ranking.mean_ranks.values())
    assert rows(plots.ranks(ranking)) == list(ranking.mean_ranks)


def test_groups_of_mean_ranks():
    flip = (-1.0) ** np.arange(20)
    ranking = ranks(data_sets({"a": flip, "b": -flip, "far": flip + 5.0}))
    ax = plots.ranks(ranking)
    thin = [line for line in ax.lines if line.get_linewidth() == 0.6 and not line.get_clip_on()]
    assert [tuple(line.get_ydata()) for line in thin] == [(0, 1)]
    assert inside(ax)


def test_curves_of_comparisons_and_power():
    ax = plots.curves({n: many(3) for n in (50, 100, 200)})
    assert ax.get_xscale() == "log"
    assert ax.get_xticks().tolist() == [50, 100, 200]
    low, high = ax.get_ylim()
    assert all(low < y < high for line in ax.lines for y in line.get_ydata())
    study = plan_study(SplitComponents(0.02, n_train=270, n_test=30), 0.02)
    lines = [line for line in plots.curves(study).lines if len(line.get_xdata()) > 2]
    assert len(lines) == len(study.curves())
    assert np.array_equal(lines[0].get_ydata(), next(iter(study.curves().values()))[:, 1])


def test_matrix_holds_every_pair():
    ax = plots.matrix(many(5))
    assert len(ax.patches) == 10
    assert len(plots.matrix(many(60)).patches) == 24 * 23 / 2


@pytest.mark.parametrize(
    ("call", "source"),
    [
        (plots.intervals, {}),
        (plots.intervals, {"a": (1.0, 2.0)}),
        (plots.intervals, {"a": (1.0, float("nan"), 2.0)}),
        (plots.curves, {}),
        (plots.curves, {"a": [1.0, 2.0]}),
        (plots.ranks, {}),
        (plots.matrix, {}),
    ],
)
def test_refused(call, source):
    with pytest.raises(InvalidInputError) as caught:
        call(source)
    assert caught.value.argument == "source"


def test_axes_of_ones_own_are_returned():
    from matplotlib.figure import Figure

    own = Figure().add_subplot()
    assert plots.intervals({"a": (0.1, 0.05, 0.2)}, ax=own) is own
