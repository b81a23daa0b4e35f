"""The matrix of all learners against all others: its numbers, its colours, and that text fits into its cells."""

import itertools
import math
import re
import sys

import numpy as np
import pytest
from matplotlib import colors
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

import errbar
from errbar import families, plots
from errbar.datasets import DataSets, ranks, wilcoxon
from errbar.errors import MissingPackageError
from errbar.plots import _matrix_chart
from tests.refusals import refused
from tests.report.comparisons import (
    constant,
    holdout,
    many,
    naive_misses,
    shifted,
    single,
    unknown_sizes,
)

pytestmark = pytest.mark.long

matplotlib = pytest.importorskip("matplotlib")

LONG = "gradient boosted trees with a depth of {}"


def scores(k, n=15, step=0.01, name="learner {}"):
    rng = np.random.default_rng(k)
    base = 0.25 + 0.03 * rng.normal(size=n)
    return {name.format(i): base + step * i + 0.02 * rng.normal(size=n) for i in range(k)}


def compared(k, higher_is_better=False, **options):
    table = errbar.from_scores(scores(k), n_train=90, n_test=10, higher_is_better=higher_is_better)
    return errbar.compare_table(table, **options)


def on_canvas(chart, ax=None):
    axes = plots.draw(chart, ax)
    canvas = FigureCanvasAgg(axes.figure)
    canvas.draw()
    return axes, canvas.get_renderer()


def cell(ax, chart, row, column):
    return ax.texts[row * len(chart.learners) + column]


def test_holds_the_numbers_of_the_comparison():
    comparison = compared(4)
    chart = plots.comparison_matrix_of(comparison)
    place = {name: i for i, name in enumerate(chart.learners)}
    assert dict(zip(chart.learners, chart.estimates, strict=True)) == {
        name: result.estimate for name, result in comparison.learners.items()
    }
    for pair in comparison.pairs:
        i, j = place[pair.a], place[pair.b]
        assert (chart.differences[i, j], chart.differences[j, i]) == (
            pair.result.estimate,
            -pair.result.estimate,
        )
        assert chart.pvalues[i, j] == chart.pvalues[j, i] == pair.adjusted
    assert np.isnan(np.diag(chart.pvalues)).all()


@pytest.mark.parametrize("higher_is_better", [False, True])
def test_best_comes_first_and_wins_are_those_of_plain_counting(higher_is_better):
    given = {
        "a": [1.0, 2.0, 3.0, 4.0],
        "b": [1.0, 1.0, 4.0, 4.0 + 1e-15],
        "c": [0.0, 0.0, 0.0, 9.0],
    }
    chart = plots.comparison_matrix_of(given, higher_is_better=higher_is_better)
    means = {name: np.mean(column) for name, column in given.items()}
    order = sorted(means, key=means.get, reverse=higher_is_better)
    assert list(chart.learners) == order
    for (i, one), (j, other) in itertools.permutations(enumerate(order), 2):
        pairs = [(round(x, 9), round(y, 9)) for x, y in zip(given[one], given[other], strict=True)]
        better = sum(x > y if higher_is_better else x < y for x, y in pairs)
        assert chart.wins[i, j] == better
        assert chart.ties[i, j] == sum(x == y for x, y in pairs)
        assert chart.differences[i, j] == pytest.approx(means[one] - means[other], abs=1e-12)
    assert (chart.wins + chart.wins.T + chart.ties == 4).all()


def test_comparisons_of_scores_are_counted_in_their_own_direction():
    chart = plots.comparison_matrix_of(shifted(2.0, higher_is_better=True, metric="accuracy"))
    assert chart.learners == ("a", "b")
    assert (chart.wins[0, 1], chart.wins[1, 0]) == (10, 0)
    assert chart.evidence[0, 1] > 0.0
    assert "higher is better" in on_canvas(chart)[0].get_xlabel()


@pytest.mark.parametrize("alternative", ["less", "greater"])
def test_one_sided_comparisons_are_made_two_sided(alternative):
    two_sided = plots.comparison_matrix_of(compared(3))
    one_sided = plots.comparison_matrix_of(compared(3, alternative=alternative))
    assert one_sided.pvalues == pytest.approx(two_sided.pvalues, nan_ok=True)


def test_of_pairs_that_were_not_tested_the_rest_is_shown():
    chart = plots.comparison_matrix_of(compared(4, baseline="learner 1"))
    whole = plots.comparison_matrix_of(compared(4))
    assert np.isfinite(chart.pvalues).sum() == 6
    assert chart.differences == pytest.approx(whole.differences)
    assert (chart.wins == whole.wins).all()
    ax, _ = on_canvas(chart)
    assert sorted({text.get_text().count("\n") for text in ax.texts}) == [0, 1, 2]


def test_another_learner_changes_no_other_cell():
    few, more = scores(4), scores(4) | {"new": np.linspace(0.1, 0.4, 15)}

    def cells(given):
        table = errbar.from_scores(given, n_train=90, n_test=10)
        chart = plots.comparison_matrix_of(errbar.compare_table(table, adjust="none"))
        return {
            (a, b): (chart.differences[i, j], chart.pvalues[i, j], chart.wins[i, j])
            for (i, a), (j, b) in itertools.permutations(enumerate(chart.learners), 2)
        }

    before, after = cells(few), cells(more)
    assert {pair: after[pair] for pair in before} == before
    drawn = plots.comparison_matrix_of(DataSets(few)), plots.comparison_matrix_of(DataSets(more))
    for a, b in itertools.combinations(few, 2):
        both = [(chart, chart.learners.index(a), chart.learners.index(b)) for chart in drawn]
        assert len({(chart.differences[i, j], chart.wins[i, j]) for chart, i, j in both}) == 1


@pytest.mark.parametrize("higher_is_better", [False, True])
def test_colour_is_evidence(higher_is_better):
    pvalues = {
        ("a", "b"): 0.08,
        ("a", "c"): 0.01,
        ("a", "d"): 0.0001,
        ("b", "c"): 0.1,
        ("b", "d"): 0.9,
    }
    chart = plots.comparison_matrix_of(
        dict(zip("abcd", (0.1, 0.2, 0.3, 0.4), strict=True)),
        pvalues=pvalues,
        higher_is_better=higher_is_better,
    )
    place = {name: i for i, name in enumerate(chart.learners)}
    found = {(a, b): chart.evidence[place[a], place[b]] for a, b in (*pvalues, ("c", "d"))}
    sign = -1.0 if higher_is_better else 1.0
    assert found["a", "c"] == pytest.approx(0.5 * sign)
    assert found["a", "d"] == sign
    assert 0.0 < found["a", "b"] * sign < 0.05  # p = .08 is nearly white
    assert found["b", "c"] == found["b", "d"] == found["c", "d"] == 0.0
    assert chart.evidence == pytest.approx(-chart.evidence.T)


def test_direction_is_seen_without_colours_and_the_key_is_in_words():
    chart = plots.comparison_matrix_of(
        {"a": 0.1, "b": 0.2, "c": 0.3},
        pvalues={("a", "b"): 0.01, ("a", "c"): 0.2, ("b", "c"): 0.04},
    )
    ax, _ = on_canvas(chart)
    marks = {
        (round(line.get_ydata()[0] - 0.12), round(line.get_xdata()[0] - 0.9)): line.get_marker()
        for line in ax.lines
    }
    assert marks == {(0, 1): "^", (1, 0): "v", (1, 2): "^", (2, 1): "v"}
    words = {text.get_text() for text in ax.texts}
    assert {"▼ row worse", "row better ▲", "adjusted p-value", "≤0.001", "≥0.1"} <= words


def test_bayesian_comparisons_show_probabilities_and_no_pvalues():
    comparison = compared(6, method="bayes-correlated-t", rope=0.003)
    chart = plots.comparison_matrix_of(comparison)
    assert np.isnan(chart.pvalues).all()
    place = chart.learners.index
    for pair in comparison.pairs:
        i, j = place(pair.a), place(pair.b)
        shares = pair.result.posterior
        assert (chart.better[i, j], chart.same[i, j], chart.better[j, i]) == (
            shares["left"],
            shares["rope"],
            shares["right"],
        )
        assert chart.apart[i, j] == (max(shares.values()) >= 0.95)
        least = max(shares["left"], shares["right"])
        assert abs(chart.evidence[i, j]) == pytest.approx(
            np.clip(-1.0 - np.log10(1.0 - least), 0.0, 2.0) / 2.0
        )
    ax, _ = on_canvas(chart)
    shown = " ".join([ax.get_xlabel(), *(text.get_text() for text in ax.texts)])
    assert "probability" in shown
    assert not re.search(r"\bp\b|p-value|signific|wilcoxon|holm", shown)
    same = plots.comparison_matrix_of(compared(2, method="bayes-correlated-t", rope=5.0))
    assert (same.sameness[0, 1], same.evidence[0, 1]) == (1.0, 0.0)
    assert "grey: equivalent" in on_canvas(same)[0].get_xlabel()


@pytest.mark.parametrize(
    "source", [lambda: scores(60), lambda: DataSets(scores(60)), lambda: compared(60)]
)
def test_of_many_learners_the_best_are_drawn_on_one_page(source):
    chart = plots.comparison_matrix_of(source())
    assert len(chart.learners) == 24
    ax, _ = on_canvas(chart)
    assert "the best 24 of 60 learners" in ax.get_xlabel().replace("\n", " ")
    assert max(ax.figure.get_size_inches()) <= 12.5


def test_data_sets_are_tested_by_the_signed_rank_test():
    data = DataSets(scores(3, n=12))
    chart = plots.comparison_matrix_of(data)
    pairs = list(itertools.combinations(chart.learners, 2))
    expected = families.adjust([wilcoxon(data.differences(a, b)).pvalue for a, b in pairs], "holm")
    found = [chart.pvalues[chart.learners.index(a), chart.learners.index(b)] for a, b in pairs]
    assert found == pytest.approx(expected)
    assert (chart.unit, chart.count, chart.level) == ("data set", 12, 0.95)
    assert dict(zip(chart.learners, chart.estimates, strict=True)) == pytest.approx(
        data.mean_scores
    )


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, "nemenyi)"),
        ({"post_hoc": "holm"}, "mean ranks, holm"),
        ({"post_hoc": "wilcoxon", "adjust": "bh"}, "wilcoxon, benjamini-hochberg"),
    ],
)
def test_rankings_bring_their_own_pvalues(options, words):
    ranking = ranks(DataSets(scores(4)), level=0.9, **options)
    chart = plots.comparison_matrix_of(ranking)
    for pair in ranking.pairs:
        i, j = chart.learners.index(pair.a), chart.learners.index(pair.b)
        assert chart.pvalues[i, j] == pair.adjusted
        assert (chart.wins[i, j], chart.ties[i, j], chart.wins[j, i]) == (
            pair.wins,
            pair.ties,
            pair.losses,
        )
    assert chart.level == 0.9
    caption = on_canvas(chart)[0].get_xlabel()
    assert words in caption
    assert "15 data sets" in caption


def test_pvalues_in_any_form():
    pandas = pytest.importorskip("pandas")
    given = {"a": [0.1, 0.3], "b": [0.3, 0.4], "c": [0.2, 0.2]}
    pairs = {("a", "b"): 0.01, ("c", "a"): 0.2, ("b", "c"): 0.5}
    table = np.array([[9.0, 0.01, 0.2], [0.01, 9.0, 0.5], [0.2, 0.5, 9.0]])
    order = ["c", "a", "b"]
    frame = pandas.DataFrame(table, list("abc"), list("abc")).loc[order, order]
    expected = plots.comparison_matrix_of(given, pvalues=pairs)
    assert expected.pvalues[0, 1:].tolist() == [0.2, 0.01]
    for form in (table, table.tolist(), frame):
        assert plots.comparison_matrix_of(given, pvalues=form).pvalues == pytest.approx(
            expected.pvalues, nan_ok=True
        )
    half = np.where(np.triu(np.ones((3, 3)), 1) > 0, table, np.nan)
    assert plots.comparison_matrix_of(given, pvalues=half).pvalues == pytest.approx(
        expected.pvalues, nan_ok=True
    )
    some = plots.comparison_matrix_of(given, pvalues={("a", "b"): 0.01})
    assert np.isfinite(some.pvalues).sum() == 2


def test_single_scores_have_no_counts():
    chart = plots.comparison_matrix_of({"a": 0.3, "b": 0.2})
    assert (chart.wins, chart.ties, chart.tested) == (None, None, False)
    ax, _ = on_canvas(chart)
    assert [text.get_text() for text in ax.texts] == ["0.200", "−0.100", "+0.100", "0.300"]
    assert "wins" not in ax.get_xlabel()
    assert "bold" not in ax.get_xlabel()


def test_significant_pairs_are_bold_and_no_others():
    comparison = compared(6)
    chart = plots.comparison_matrix_of(comparison)
    ax, _ = on_canvas(chart)
    found = {
        (i, j) for i in range(6) for j in range(6) if cell(ax, chart, i, j).get_weight() == "bold"
    }
    place = chart.learners.index
    expected = {(place(p.a), place(p.b)) for p in comparison.pairs if p.adjusted <= 0.05}
    assert 0 < len(expected) < 15
    assert found == expected | {(j, i) for i, j in expected}
    stricter = plots.comparison_matrix_of(comparison, level=0.999)
    assert stricter.apart.sum() < chart.apart.sum()
    edge = plots.comparison_matrix_of({"a": 0.1, "b": 0.2}, pvalues={("a", "b"): 0.25}, level=0.75)
    assert edge.apart.tolist() == [[False, True], [True, False]]


def test_colours_go_from_vermilion_over_white_to_blue():
    red, green, blue = _matrix_chart._color(0.0)
    assert red == green == blue
    for advantage in (0.1, 0.5, 1.0):
        red, _, blue = _matrix_chart._color(advantage)
        assert blue > red
        red, _, blue = _matrix_chart._color(-advantage)
        assert red > blue


@pytest.mark.parametrize("advantage", np.linspace(-1.0, 1.0, 21))
def test_text_can_be_read_on_every_colour(advantage):
    def luminance(color):
        parts = [
            c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4
            for c in colors.to_rgb(color)
        ]
        return float(np.dot([0.2126, 0.7152, 0.0722], parts))

    fill = _matrix_chart._color(advantage)
    dark, light = sorted([luminance(fill), luminance(_matrix_chart._text_color(fill))])
    assert (light + 0.05) / (dark + 0.05) > 4.5


@pytest.mark.parametrize("name", ["{}", LONG, "GradientBoostingClassifier{}"])
@pytest.mark.parametrize("k", [2, 5, 12])
def test_text_fits_into_its_cell_and_all_into_the_figure(k, name):
    chart = plots.comparison_matrix_of(
        scores(k, name=name), pvalues=np.full((k, k), 0.001), title="A title above the matrix"
    )
    ax, renderer = on_canvas(chart)
    for i in range(k):
        for j in range(k):
            box = cell(ax, chart, i, j).get_window_extent(renderer)
            (left, bottom), (right, top) = ax.transData.transform([(j, i + 1), (j + 1, i)])
            assert left <= box.x0 <= box.x1 <= right
            assert bottom <= box.y0 <= box.y1 <= top
    page = ax.figure.bbox
    level = [text for text in ax.get_xticklabels() if not text.get_rotation()]
    others = [*ax.get_xticklabels(), *ax.get_yticklabels(), ax.xaxis.label, ax.title]
    for text in others:
        box = text.get_window_extent(renderer)
        assert page.x0 - 1 <= box.x0 <= box.x1 <= page.x1 + 1, text
        assert page.y0 - 1 <= box.y0 <= box.y1 <= page.y1 + 1, text
    for one, other in itertools.combinations(
        [*level, *ax.get_yticklabels(), ax.xaxis.label, ax.title], 2
    ):
        assert not one.get_window_extent(renderer).overlaps(other.get_window_extent(renderer)), (
            one,
            other,
        )
    assert len({text.get_text() for text in ax.get_yticklabels()}) == k


@pytest.mark.parametrize("size", [(3.0, 3.0), (5.0, 4.0), (9.0, 7.0)])
def test_text_shrinks_on_small_axes(size):
    figure = Figure(figsize=size, layout="constrained")
    ax = figure.add_subplot()
    assert plots.comparison_matrix(scores(4), ax) is ax
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    boxes = [text.get_window_extent(canvas.get_renderer()) for text in ax.texts]
    assert not any(one.overlaps(other) for one, other in itertools.combinations(boxes, 2))


@pytest.mark.parametrize(
    "made", [constant, holdout, unknown_sizes, naive_misses, lambda: many(7, rope=0.2)]
)
def test_comparisons_of_all_kinds(made):
    chart = plots.comparison_matrix_of(made())
    on_canvas(chart)
    assert np.isfinite(chart.differences).all()
    assert (chart.differences == -chart.differences.T).all()


def test_a_method_with_a_quantity_of_its_own_shows_differences_of_the_estimates():
    table = errbar.from_scores(scores(3), n_train=90, n_test=10, kind="bootstrap")
    comparison = errbar.compare_table(table, method="outperformance")
    chart = plots.comparison_matrix_of(comparison)
    estimates = np.array(chart.estimates)
    assert chart.differences == pytest.approx(estimates[:, np.newaxis] - estimates)


def test_equal_learners_have_no_colour():
    chart = plots.comparison_matrix_of({"a": [0.2, 0.3], "b": [0.3, 0.2]})
    assert not chart.evidence.any()
    ax, _ = on_canvas(chart)
    assert cell(ax, chart, 0, 1).get_text() == "0.000\n1 / 0 / 1"


@pytest.mark.parametrize(
    ("factor", "shown"), [(1e-9, "−1.00e−10"), (1.0, "−0.100"), (1e4, "−1000"), (1e9, "−1.00e+08")]
)
def test_numbers_of_any_size(factor, shown):
    chart = plots.comparison_matrix_of({"a": 0.3 * factor, "b": 0.2 * factor})
    assert cell(on_canvas(chart)[0], chart, 0, 1).get_text() == shown


@pytest.mark.parametrize(
    ("pvalue", "shown"),
    [(0.0, "p < 0.001"), (0.00099, "p < 0.001"), (0.001, "p = 0.001"), (1.0, "p = 1.000")],
)
def test_small_pvalues_are_never_0(pvalue, shown):
    chart = plots.comparison_matrix_of({"a": 0.3, "b": 0.2}, pvalues={("a", "b"): pvalue})
    assert cell(on_canvas(chart)[0], chart, 0, 1).get_text().splitlines()[1] == shown


def test_names_are_drawn_as_they_are():
    names = ("<script>alert(1)</script>", "a_b & $x$ [bold]")
    drawing = plots.svg(plots.comparison_matrix_of(dict.fromkeys(names, 0.1)), "x", "title")
    assert "<script" not in drawing
    assert "$x$" in drawing
    assert drawing == plots.svg(plots.comparison_matrix_of(dict.fromkeys(names, 0.1)), "x", "title")


def test_settings_are_left_alone():
    before = dict(matplotlib.rcParams)
    plots.comparison_matrix(scores(3))
    assert dict(matplotlib.rcParams) == before


def test_missing_matplotlib_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingPackageError):
        plots.comparison_matrix({"a": 1.0, "b": 2.0})


TWO = {"a": 0.3, "b": 0.2}


@pytest.mark.parametrize(
    ("call", "argument"),
    [
        (lambda: plots.comparison_matrix_of(single()), None),
        (lambda: plots.comparison_matrix_of({"a": 1.0}), None),
        (lambda: plots.comparison_matrix_of([1.0, 2.0]), None),
        (lambda: plots.comparison_matrix_of({"a": [1.0], "b": [1.0, 2.0]}), None),
        (lambda: plots.comparison_matrix_of({"a": [math.nan], "b": [1.0]}), "a"),
        (lambda: plots.comparison_matrix_of(compared(2), pvalues={}), "pvalues"),
        (lambda: plots.comparison_matrix_of(DataSets(scores(2)), higher_is_better=True), "pvalues"),
        (lambda: plots.comparison_matrix_of(TWO, higher_is_better="no"), "higher_is_better"),
        (lambda: plots.comparison_matrix_of(TWO, level=95), "level"),
        (lambda: plots.comparison_matrix_of(TWO, pvalues={("a", "z"): 0.1}), "pvalues"),
        (lambda: plots.comparison_matrix_of(TWO, pvalues={("a", "a"): 0.1}), "pvalues"),
        (lambda: plots.comparison_matrix_of(TWO, pvalues={("a", "b"): 1.5}), "pvalues['a', 'b']"),
        (lambda: plots.comparison_matrix_of(TWO, pvalues={"ab": 0.5}), "pvalues"),
        (lambda: plots.comparison_matrix_of(TWO, pvalues=[0.1, 0.2]), "pvalues"),
        (lambda: plots.comparison_matrix_of(TWO, pvalues=[[1, 0.1], [0.2, 1]]), "pvalues"),
    ],
)
def test_bad_input(call, argument):
    with refused(argument):
        call()
