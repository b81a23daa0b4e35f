"""What plots show, and that they leave no trace."""

import inspect
import itertools
import math
import re
import sys

import numpy as np
import pytest

import errbar
from errbar import plots
from errbar.errors import InvalidInputError, MissingPackageError
from errbar.plots import _canvas, _names
from errbar.plots._names import told_apart
from tests.refusals import refused
from tests.report.comparisons import NASTY, many, shifted, single, unknown_sizes

LONG = "gradient boosted trees with a depth of {}"

matplotlib = pytest.importorskip("matplotlib")


@pytest.fixture
def ax():
    from matplotlib.figure import Figure

    return Figure(layout="constrained").add_subplot()


def test_forest_holds_the_numbers_of_the_results():
    comparison = shifted(0.9, rope=0.5)
    forest = plots.differences_of(comparison)
    [bar], [pair] = forest.bars, comparison.pairs
    assert (bar.estimate, bar.low, bar.high) == (
        pair.result.estimate,
        pair.result.low,
        pair.result.high,
    )
    assert (bar.naive_low, bar.naive_high) == (pair.naive.low, pair.naive.high)
    assert (forest.zero, forest.rope, bar.label) == (True, 0.5, "a − b")


def test_estimates_hold_every_learner():
    comparison = many(3)
    forest = plots.estimates_of(comparison)
    assert [bar.label for bar in forest.bars] == ["m0", "m1", "m2"]
    assert [bar.estimate for bar in forest.bars] == [
        result.estimate for result in comparison.learners.values()
    ]
    assert not forest.zero


@pytest.mark.parametrize(
    ("higher_is_better", "left", "right"),
    [(False, "a better", "b better"), (True, "b better", "a better")],
)
def test_directions(higher_is_better, left, right):
    forest = plots.differences_of(shifted(0.9, higher_is_better=higher_is_better))
    assert (forest.left, forest.right) == (left, right)


def test_directions_of_families():
    assert plots.differences_of(many(3)).left == "first better"
    against = plots.differences_of(many(4, baseline="m1"))
    assert (against.left, against.right) == ("the other better", "m1 better")


def test_paired_splits_are_shown_in_their_own_direction():
    comparison = shifted(0.9, higher_is_better=True)
    paths = plots.paired_splits_of(comparison)
    assert paths.values.shape == (10, 2)
    assert paths.means == pytest.approx(
        [result.estimate for result in comparison.learners.values()]
    )
    assert plots.paired_splits_of(comparison.table).values == pytest.approx(paths.values)


def test_drawn_where_asked(ax):
    assert plots.differences(shifted(0.9), ax) is ax
    assert [label.get_text() for label in ax.get_yticklabels()] == ["a − b"]
    assert plots.estimates(single(), ax) is ax
    assert shifted(0.9).plot(ax) is ax


def test_drawn_positions(ax):
    comparison = shifted(0.9)
    plots.differences(comparison, ax)
    drawn = [list(line.get_xdata()) for line in ax.lines]
    [pair] = comparison.pairs
    assert [pair.result.low, pair.result.high] in drawn
    assert [pair.naive.low, pair.naive.high] in drawn
    assert [pair.result.estimate] in drawn


def test_arrays_are_enough(ax):
    plots.estimates({"tree": (0.3, 0.2, 0.4)}, ax)
    plots.differences({"tree - forest": (0.1, -math.inf, 0.2)}, ax, rope=0.05, left="tree better")
    assert any("tree better" in text.get_text() for text in ax.texts)
    plots.paired_splits({"tree": [1.0, 2.0], "forest": [2.0, 3.0]}, ax)


def test_unbounded_ends_stay_inside(ax):
    plots.differences(unknown_sizes(), ax)
    low, high = ax.get_xlim()
    assert all(np.isfinite(line.get_xdata()).all() for line in ax.lines)
    assert low < 0 < high


@pytest.mark.parametrize("splits", [1, 2, 300])
def test_many_splits_and_learners(ax, splits):
    values = np.random.default_rng(0).random((8, splits))
    plots.paired_splits({f"learner {i}": row for i, row in enumerate(values)}, ax)
    assert len(ax.get_xticks()) == 8


def test_equal_estimates_can_be_drawn(ax):
    plots.estimates({"a": (0.0, 0.0, 0.0)}, ax)
    low, high = ax.get_xlim()
    assert low < 0.0 < high


@pytest.mark.parametrize(
    "call",
    [
        lambda: plots.differences(single()),
        lambda: plots.estimates({}),
        lambda: plots.estimates({"a": (1.0, 2.0)}),
        lambda: plots.estimates({"a": (math.nan, 1.0, 2.0)}),
        lambda: plots.paired_splits({"a": [1.0], "b": [1.0, 2.0]}),
        lambda: plots.paired_splits({}),
    ],
)
def test_bad_input(call):
    with pytest.raises(InvalidInputError):
        call()


def test_settings_are_left_alone():
    before = dict(matplotlib.rcParams)
    plots.differences(shifted(0.9))
    plots.svg(plots.differences_of(shifted(0.9)), "x", "title")
    assert dict(matplotlib.rcParams) == before


def test_settings_of_the_user_do_not_change_the_page():
    chart = plots.differences_of(shifted(0.9))
    plain = plots.svg(chart, "x", "title")
    own = {
        "font.size": 30,
        "lines.linewidth": 9,
        "axes.edgecolor": "red",
        "axes.grid": True,
        "path.sketch": (1, 9, 2),
    }
    more = {
        "axes.linewidth": 5,
        "axes.spines.bottom": False,
        "xtick.direction": "in",
        "svg.fonttype": "path",
    }
    with matplotlib.rc_context(
        own | more | {"font.family": "monospace", "axes.unicode_minus": False}
    ):
        assert plots.svg(chart, "x", "title") == plain


def test_a_matplotlib_without_ids_of_whole_drawings_is_not_asked_for_them():
    """Matplotlib 3.9, which is allowed, has no svg.id, and refuses what it does not know."""
    assert "svg.id" not in _canvas._PAGE_STYLE
    assert set(_canvas._PAGE_STYLE) <= set(matplotlib.rcParams)


def test_svg_keeps_text_and_takes_the_colours_of_the_page():
    drawing = plots.svg(plots.differences_of(shifted(0.9)), "x", "a < b", "details")
    assert drawing.startswith("<svg viewBox=")
    assert '<title id="x-title">a &lt; b</title>' in drawing
    assert "currentColor" in drawing
    assert "#010203" not in drawing
    assert "var(--errbar-blue" in drawing
    assert ">a − b</text>" in drawing
    assert "<metadata" not in drawing
    assert all(name.startswith("x-") for name in re.findall(r'\bid="([^"]*)"', drawing))


def test_names_are_drawn_as_they_are():
    chart = plots.estimates_of(shifted(0.9, names=NASTY))
    drawing = plots.svg(chart, "x", "title")
    assert "a_b &amp; $x$ [bold]" in drawing
    assert "<script" not in drawing


def test_glyphs_that_the_font_lacks_do_not_warn():
    plots.svg(plots.estimates_of({"木": (1.0, 0.0, 2.0)}), "x", "title")


def test_long_names_share_the_room():
    [bar] = plots.differences_of(shifted(0.9, names=("a" * 60, "b"))).bars
    assert bar.label == "a" * 14 + "…" + "a" * 13 + " − b"
    [bar] = plots.differences_of(shifted(0.9, names=("a" * 60, "b" * 60))).bars
    assert len(bar.label) <= 32


def test_long_names_keep_their_ends():
    names = tuple(LONG.format(depth) for depth in (3, 4))
    [bar] = plots.differences_of(shifted(0.9, names=names)).bars
    first, second = bar.label.split(" − ")
    assert first.endswith("of 3")
    assert second.endswith("of 4")


def drawn(chart):
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    axes = plots.draw(chart)
    canvas = FigureCanvasAgg(axes.figure)
    canvas.draw()
    return axes, canvas.get_renderer()


def boxes_that_meet(texts, renderer):
    boxes = [
        (text.get_text(), text.get_window_extent(renderer)) for text in texts if text.get_text()
    ]
    return [
        (one, other) for (one, a), (other, b) in itertools.combinations(boxes, 2) if a.overlaps(b)
    ]


def outside(ax, texts, renderer):
    page = ax.figure.bbox.padded(1.0)
    boxes = [
        (text.get_text(), text.get_window_extent(renderer)) for text in texts if text.get_text()
    ]
    return [
        text
        for text, box in boxes
        if not (page.contains(box.x0, box.y0) and page.contains(box.x1, box.y1))
    ]


@pytest.mark.long
@pytest.mark.parametrize("name", ["m{}", LONG])
@pytest.mark.parametrize("count", [2, 12])
@pytest.mark.parametrize("baseline", [False, True])
def test_words_of_forests_do_not_meet_and_stay_inside(count, name, baseline):
    names = [name.format(i) for i in range(count)]
    scores = {
        one: 0.2 + 0.01 * i + 0.01 * np.cos(np.arange(15.0) * (i + 1))
        for i, one in enumerate(names)
    }
    table = errbar.from_scores(scores, n_train=90, n_test=10)
    comparison = errbar.compare_table(table, rope=0.005, baseline=names[0] if baseline else None)
    charts = [plots.estimates_of(comparison)] + [plots.differences_of(comparison)] * (
        baseline or count < 12
    )
    for chart in charts:
        ax, renderer = drawn(chart)
        low, high = ax.get_xlim()
        numbers = [text for text in ax.get_xticklabels() if low <= text.get_position()[0] <= high]
        texts = [*ax.get_yticklabels(), *numbers, *ax.texts, ax.xaxis.label]
        assert boxes_that_meet(texts, renderer) == []
        assert outside(ax, texts, renderer) == []
        assert len({text.get_text() for text in ax.get_yticklabels()}) == len(chart.bars)


@pytest.mark.parametrize("name", ["m{}", "learner {}", LONG, "GradientBoostingClassifier{}"])
@pytest.mark.parametrize("count", [2, 12])
def test_names_of_paired_splits_do_not_meet_and_stay_inside(count, name):
    rng = np.random.default_rng(0)
    ax, renderer = drawn(
        plots.paired_splits_of({name.format(i): rng.random(5) for i in range(count)})
    )
    names = ax.get_xticklabels()
    slanted = {text.get_rotation() for text in names} == {45.0}
    assert slanted or boxes_that_meet(names, renderer) == []
    assert outside(ax, [*names, ax.yaxis.label], renderer) == []
    assert len({text.get_text() for text in names}) == count
    assert not any(part in text.get_text() for text in names for part in ("learne\n", "Gradient\n"))


@pytest.mark.parametrize(
    ("name", "width", "expected"),
    [
        ("tree", 10, "tree"),
        ("gradient boosted trees", 10, "gradient\nboosted\ntrees"),
        ("GradientBoosting", 10, None),
        ("a $x$ b", 10, r"a \$x\$ b"),
        ("learner 1", 3, None),
        ("one two six ten one two six ten", 7, "one\ntwo…two\nsix ten"),
    ],
)
def test_names_are_broken_between_words_only(name, width, expected):
    assert _names.wrapped(name, width) == expected


def test_missing_matplotlib_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingPackageError):
        plots.estimates({"a": (1.0, 0.0, 2.0)})


@pytest.mark.long
@pytest.mark.parametrize(
    "made", [lambda: shifted(0.9, rope=0.5), lambda: many(6)], ids=["one", "many"]
)
def test_the_legend_in_axes_among_others_covers_no_interval(made):
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 4))
    ax, _ = figure.subplots(1, 2)
    plots.differences(made(), ax)
    FigureCanvasAgg(figure).draw()
    drawn = [line for line in ax.lines if line.get_transform() == ax.transData]
    lowest = min(ax.transData.transform((0.0, y))[1] for line in drawn for y in line.get_ydata())
    assert drawn
    assert ax.get_legend().get_window_extent().y1 < lowest


@pytest.mark.parametrize(
    "name", sorted(name for name in plots.__all__ if hasattr(getattr(plots, name), "chart"))
)
def test_what_draws_and_what_computes_are_one_function(name):
    shown = getattr(plots, name)
    assert shown.chart is getattr(plots, f"{name}_of")
    parameters = list(inspect.signature(shown).parameters)
    assert parameters[1] == "ax"
    assert parameters[:1] + parameters[2:] == list(inspect.signature(shown.chart).parameters)
    assert "\n    ax : matplotlib axes, optional\n" in shown.__doc__


def test_long_names_that_begin_and_end_alike_are_told_apart():
    llamas = ["Meta-Llama-3.1-405B-Instruct-Turbo", "Meta-Llama-3.1-70B-Instruct-Turbo"]
    assert told_apart([*llamas, "tree"]) == ["Meta…405B…Turbo", "Meta…70B…Turbo", "tree"]
    assert told_apart(
        ["gradient boosting, seed 1, 500 trees", "gradient boosting, seed 2, 500 trees"]
    ) == [
        "gradien…1…trees",
        "gradien…2…trees",
    ]
    assert told_apart(["a" * 40, "a" * 41])[0] != told_apart(["a" * 40, "a" * 41])[1]
    truth = np.random.default_rng(0).normal(size=(2, 30))
    comparison = errbar.compare_table(errbar.from_losses(dict(zip(llamas, truth, strict=True))))
    [label] = [text.get_text() for text in plots.differences(comparison).get_yticklabels()][-1:]
    assert "405B" in label
    assert "70B" in label
    assert (
        plots.comparison_matrix(comparison).get_yticklabels()[0].get_text()
        == "Meta-Llam…405B…Turbo"
    )


@pytest.mark.long
def test_names_that_differ_stay_different_and_keep_both_ends():
    rng = np.random.default_rng(0)

    def text(longest):
        return "".join(rng.choice(list("ab_- 0.木"), rng.integers(1, longest)))

    for _ in range(500):
        first, last = text(40), text(40)
        names = list(dict.fromkeys(f"{first}{text(12)}{last}" for _ in range(rng.integers(2, 12))))
        length = int(rng.integers(10, 33))
        found = told_apart(names, length)
        assert len(set(found)) == len(names)
        assert max(map(_names.width, found)) <= length
    grid = [
        f"gradient_boosting_lr{rate}_max_depth{depth}_half"
        for rate in (0.01, 0.1)
        for depth in (4, 8)
    ]
    assert len(set(told_apart(grid))) == 4
    long = [
        f"gradient_boosting_classifier_lr{rate}_max_features_sqrt_depth8" for rate in (0.01, 0.02)
    ]
    assert told_apart(long, 28) == ["gradient…lr0.01…sqrt_depth8", "gradient…lr0.02…sqrt_depth8"]


def test_labels_of_pairs_are_told_apart_over_the_whole_plot():
    names = [f"{'a' * 40}{i}{'b' * 40}" for i in range(5)]
    pairs = list(itertools.combinations(names, 2))
    assert len(set(_names.pair_labels(pairs))) == len(pairs)


def test_text_is_folded_between_words_where_it_can():
    assert _names.fold("a level of 95 % is usual", 13) == "a level of\n95 % is usual"
    assert _names._fold("木" * 12, 10, 3) == ["木" * 5, "木" * 5, "木" * 2]
    assert max(map(len, _names.fold("x" * 500, 20, 2).splitlines())) <= 20


@pytest.mark.parametrize("draw", [plots.draw, lambda chart: plots.svg(chart, "a", "b")])
def test_a_comparison_is_no_chart_and_what_draws_it_is_told(draw):
    with refused("chart"):
        draw(shifted(0.9))
