"""The posterior density of a difference: its law, its three parts, and what they are called."""

import math
import sys
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from scipy import integrate, stats

import errbar
from errbar import Losses, methods, plots
from errbar.errors import MissingPackageError
from tests.refusals import refused
from tests.report.comparisons import constant, many, shifted

matplotlib = pytest.importorskip("matplotlib")

SCORES = Losses([0.02, 0.01, 0.03, -0.01, 0.02, 0.0, 0.04, 0.01, 0.02, 0.01], n_train=90, n_test=10)
LONG = ("gradient boosted trees with a depth of 3", "gradient boosted trees with a depth of 4")


def bayesian(**options):
    return shifted(0.9, method="bayes-correlated-t", **options)


def drawn(chart, ax=None):
    axes = plots.draw(chart, ax)
    canvas = FigureCanvasAgg(axes.figure)
    canvas.draw()
    return axes, canvas.get_renderer()


@pytest.mark.parametrize("df", [1.0, 2.5, 9.0, 100.0, math.inf])
def test_density_is_that_of_student(df):
    chart = plots.posterior_of((0.3, 0.2, df), rope=0.1)
    law = stats.norm(0.3, 0.2) if math.isinf(df) else stats.t(df, 0.3, 0.2)
    x = np.linspace(-2.0, 2.0, 41)
    assert chart.density(x) == pytest.approx(law.pdf(x), rel=1e-10)
    left, middle, right = chart.probabilities
    assert left == pytest.approx(law.cdf(-0.1), rel=1e-10)
    assert right == pytest.approx(law.sf(0.1), rel=1e-10)
    assert middle == pytest.approx(law.cdf(0.1) - law.cdf(-0.1), rel=1e-9)
    assert chart.interval == pytest.approx(law.interval(0.95), rel=1e-9)


def test_areas_are_the_probabilities():
    chart = plots.posterior_of((0.013, 0.007, 9), rope=0.01)
    below, _ = integrate.quad(chart.density, -1.0, -0.01, points=[-0.05])
    inside, _ = integrate.quad(chart.density, -0.01, 0.01)
    assert chart.probabilities[:2] == pytest.approx((below, inside), abs=1e-6)


@pytest.mark.parametrize("rope", [0.0, 0.002, 0.01, 0.05])
@pytest.mark.parametrize("shift", [-0.04, 0.0, 0.02])
def test_a_result_gives_its_own_probabilities_and_region(rope, shift):
    view = Losses(SCORES.value + shift, n_train=90, n_test=10)
    result = methods.bayes_correlated_t(view, rope=rope, level=0.9)
    chart = plots.posterior_of(result)
    assert chart.rope == pytest.approx(rope, rel=1e-6)
    assert chart.probabilities == pytest.approx(tuple(result.posterior.values()), abs=1e-9)
    assert chart.interval == pytest.approx((result.low, result.high))
    assert (chart.location, chart.scale, chart.df, chart.level) == (
        result.estimate,
        result.se,
        9.0,
        0.9,
    )
    assert plots.posterior_of(result, rope=0.03).probabilities == pytest.approx(
        tuple(methods.bayes_correlated_t(view, rope=0.03).posterior.values())
    )


def test_one_sided_results_have_the_central_interval():
    central = methods.bayes_correlated_t(SCORES)
    chart = plots.posterior_of(methods.bayes_correlated_t(SCORES, alternative="less"))
    assert chart.interval == pytest.approx((central.low, central.high))


@pytest.mark.parametrize("higher_is_better", [False, True])
def test_a_comparison_knows_who_is_better(higher_is_better):
    comparison = bayesian(higher_is_better=higher_is_better, rope=0.2)
    chart = plots.posterior_of(comparison)
    [pair] = comparison.pairs
    words = ("b better", "a better") if higher_is_better else ("a better", "b better")
    assert (chart.left, chart.right) == words
    assert chart.rope == pytest.approx(0.2)
    shares = pair.result.posterior
    assert chart.probabilities == pytest.approx((shares["left"], shares["rope"], shares["right"]))
    better = max(zip(chart.probabilities, (chart.left, chart.middle, chart.right), strict=True))[1]
    assert better == ("a better" if higher_is_better else "b better")


def test_a_pair_does_not_know_the_direction():
    [pair] = bayesian().pairs
    chart = plots.posterior_of(pair)
    assert (chart.left, chart.right) == ("a lower", "b lower")
    assert "a − b" in chart.axis
    named = plots.posterior_of(pair, left="a better", right="b better")
    assert (named.left, named.right) == ("a better", "b better")
    assert plots.posterior_of(pair.result).left == "below"


def test_one_of_several_pairs():
    comparison = many(3, method="bayes-correlated-t")
    pairs = {(pair.a, pair.b): pair for pair in comparison.pairs}
    chart = plots.posterior_of(comparison, pair=("m0", "m2"))
    assert chart.location == pairs["m0", "m2"].result.estimate
    assert chart.left == "m0 better"


def test_scores_that_do_not_vary_have_all_probability_in_a_point():
    comparison = errbar.compare_table(constant().table, method="bayes-correlated-t")
    for pair in comparison.pairs:
        chart = plots.posterior_of(comparison, pair=(pair.a, pair.b))
        assert chart.probabilities[0] == pair.result.posterior["left"]
        ax, _ = drawn(chart)
        assert not ax.collections
    wide = plots.posterior_of(comparison, pair=("a", "c"), rope=1.0)
    assert wide.probabilities == (0.0, 1.0, 0.0)
    drawn(wide)


@pytest.mark.parametrize("rope", [0.0, 0.01])
def test_drawn_areas_end_at_the_region(rope):
    chart = plots.posterior_of((0.013, 0.007, 9), rope=rope)
    ax, _ = drawn(chart)
    ends = [area.get_paths()[0].get_extents() for area in ax.collections if len(area.get_paths())]
    assert ends[0].x1 == pytest.approx(-rope)
    assert ends[-1].x0 == pytest.approx(rope)
    low, high = ax.get_xlim()
    assert (low, high) == chart.ends
    assert low < -rope <= rope < high
    assert len(ax.texts) == (3 if rope else 2)


@pytest.mark.parametrize(
    ("share", "words"),
    [
        (0.0, "0.0 %"),
        (1e-9, "< 0.1 %"),
        (0.001, "0.1 %"),
        (0.5, "50.0 %"),
        (0.9995, "> 99.9 %"),
        (1.0, "100.0 %"),
    ],
)
def test_what_is_not_certain_never_looks_so(share, words):
    assert plots._posterior.percent(share) == words


@pytest.mark.parametrize("names", [("a", "b"), LONG])
@pytest.mark.parametrize("shift", [-5.0, 0.0, 5.0])
@pytest.mark.parametrize("rope", [0.001, 0.2, 10.0])
def test_words_do_not_meet_and_stay_inside(names, shift, rope):
    comparison = shifted(shift, names=names, method="bayes-correlated-t", rope=rope)
    ax, renderer = drawn(plots.posterior_of(comparison))
    texts = [*ax.texts, ax.xaxis.label]
    boxes = [text.get_window_extent(renderer) for text in texts]
    for one, other in combinations(boxes, 2):
        assert not one.overlaps(other)
    page = ax.figure.bbox
    for text, box in zip(texts, boxes, strict=True):
        assert page.x0 <= box.x0 <= box.x1 <= page.x1, text
        assert page.y0 <= box.y0 <= box.y1 <= page.y1, text


def test_drawn_where_asked_and_without_a_trace():
    ax = Figure(layout="constrained").add_subplot()
    before = dict(matplotlib.rcParams)
    assert plots.posterior(bayesian(), ax) is ax
    drawing = plots.svg(plots.posterior_of(bayesian(names=("<b>", "$x$"), rope=0.1)), "x", "title")
    assert dict(matplotlib.rcParams) == before
    assert "&lt;b&gt; better" in drawing
    assert "$x$ better" in drawing
    assert "#010203" not in drawing


def test_missing_matplotlib_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingPackageError):
        plots.posterior((0.0, 1.0, 9))


def certain():
    result = methods.bayes_correlated_t(SCORES)
    return replace(result, posterior={"left": 0.0, "rope": 1.0, "right": 0.0})


@pytest.mark.parametrize(
    ("call", "argument"),
    [
        (lambda: plots.posterior_of(shifted(0.9)), "source"),
        (lambda: plots.posterior_of(methods.bayes_sign(Losses([0.1, -0.2, 0.3]))), "source"),
        (lambda: plots.posterior_of(many(3, method="bayes-correlated-t")), "pair"),
        (lambda: plots.posterior_of(bayesian(), pair=("b", "a")), "pair"),
        (lambda: plots.posterior_of(bayesian(), pair="ab"), "pair"),
        (lambda: plots.posterior_of((0.0, 1.0, 9), pair=("a", "b")), "pair"),
        (lambda: plots.posterior_of((0.0, 1.0)), "source"),
        (lambda: plots.posterior_of(0.5), "source"),
        (lambda: plots.posterior_of((math.nan, 1.0, 9)), "location"),
        (lambda: plots.posterior_of((0.0, 0.0, 9)), "scale"),
        (lambda: plots.posterior_of((0.0, 1.0, -1)), "df"),
        (lambda: plots.posterior_of((0.0, 1.0, 9), rope=-0.1), "rope"),
        (lambda: plots.posterior_of(certain()), "rope"),
    ],
)
def test_bad_input(call, argument):
    with refused(argument):
        call()
