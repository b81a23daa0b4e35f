"""The plots of the laboratory: their numbers are those of the studies, and what is drawn can be read."""

import functools
import math
import re
import subprocess
import sys
from fractions import Fraction

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from scipy.stats import binom

from errbar import lab, plots
from errbar.errors import InvalidInputError, MissingPackageError
from errbar.lab._summary import MeanInterval
from errbar.lab.studies._figure1 import STATISTICS
from errbar.lab.studies._table2 import PRINTED, SIZES
from errbar.lab.studies._variants import Variant, VariantResult
from errbar.plots import _canvas
from errbar.plots._lab_panels import significant, usual
from errbar.plots._lab_table1 import _ticks
from tests.refusals import refused

pytestmark = pytest.mark.long

# A formula that could not be typeset, if anything took it for one.
NASTY = r"a_1 $\frac{$"
TOTAL, MANY = 200, 1000


def performance(
    method="corrected-t",
    target="A",
    count=190,
    about="ER(n1)",
    level=0.95,
    width=0.2,
    *,
    total=TOTAL,
    **more,
):
    """How a method does, with the given number of intervals that hold the truth."""
    own = {
        "scenario": "problem, n = 100",
        "n": 100,
        "n_train": 90,
        "truth": 0.3,
        "below": lab.proportion(0, total),
        "above": lab.proportion(total - count, total),
        "width_error": 0.01,
        "bias": 0.0,
        "bias_error": 0.01,
        "ratio": lab.Ratio(1.0, 0.9, 1.1),
        "degenerate": 0,
    }
    shares = {
        "coverage": lab.proportion(count, total),
        "size": lab.proportion(total - count, total),
    }
    given = {"method": method, "target": target, "about": about, "level": level, "width": width}
    return lab.Performance(**(own | shares | given | more))


def risk(*learners, n_train=90):
    values = np.linspace(0.3, 0.2, len(learners))
    return lab.ExpectedRisk(n_train, learners, values, np.eye(len(learners)) * 1e-6, 1000)


def figure1():
    offsets = np.linspace(-0.1, 0.1, 41)
    targets = {"A": 0.69, "B": 0.68, "A-B": 0.01}
    performances, curves = [], []
    for target, truth in targets.items():
        for place, name in enumerate(STATISTICS):
            power = np.clip(0.02 + 0.05 * place + 80.0 * offsets**2, 0.0, 1.0)
            curves.append(lab.Curve(target, name, truth + offsets, power))
            performances.append(performance(name, target, truth=truth, level=0.9))
    intervals = {target: (truth - 0.003, truth + 0.004) for target, truth in targets.items()}
    return lab.Figure1("", {}, tuple(performances), tuple(curves), risk("A", "B"), intervals, 0.9)


def table2(key="letter", name="letters", **more):
    rows = []
    for place, n in enumerate(SIZES):
        printed = {which: values[place] for which, values in PRINTED[key].items()}
        rho = lab.Ratio(0.5 - 0.04 * place, 0.45 - 0.04 * place, 0.55 - 0.04 * place)
        rates = {0.0: lab.proportion(30 - 3 * place, TOTAL), 0.7: lab.proportion(7 - place, TOTAL)}
        rows.append(lab.Row(n, rho, rates, 0.2, 0.01, 0, printed))
    return lab.Table2(
        "", {"Population": name, "Plan": "10-fold"}, tuple(rows), **({"level": 0.95} | more)
    )


def table1():
    ratios = []
    for target in ("A", NASTY, f"A - {NASTY}"):
        for place, method in enumerate(
            ("holdout-t", "resampled-t", "corrected-t", "conservative-z")
        ):
            measured = lab.Ratio(0.6 + place, 0.5 + place, 0.8 + place)
            formula = (
                None
                if method == "conservative-z"
                else lab.Ratio(0.7 + place, 0.6 + place, 0.9 + place)
            )
            ratios.append(lab.VarianceRatio(target, method, 270, 30, measured, formula))
    return lab.Table1("", {}, (), tuple(ratios))


def habitat(halvings=(5, 10, 20), half_repeats=(15,)):
    methods = [Variant(f"corrected t, J = {j}", "corrected-t", j, 0, "t") for j in (5, 10, 15, 25)]
    for law in ("normal", "t"):
        methods += [
            Variant(f"Z {law} {j} {m}", "conservative-z", j, m, law)
            for j in half_repeats
            for m in halvings
        ]
    targets = (NASTY, "B", f"{NASTY} - B")
    judged = [
        VariantResult(
            method,
            performance(method.name, target, 175 + place, level=0.9),
            tuple(
                MeanInterval(0.2 * d + 0.01 * place, 0.2 * d - 0.05, 0.2 * d + 0.1)
                for d in (1, 2, 3)
            ),
        )
        for target in targets
        for place, method in enumerate(methods)
    ]
    units, errors = dict.fromkeys(targets, 0.02), dict.fromkeys(targets, 0.001)
    return lab.Habitat(
        "", {}, 0.9, risk(NASTY, "B"), (1.0, 2.0, 3.0), units, errors, tuple(judged), ()
    )


METHODS = {"holdout-t": 970, "resampled-t": 660, "corrected-t": 950, "conservative-z": 1000}
VERDICTS = ("undecided", "liberal", "nominal", "conservative")


def coverage():
    places = [("problem, n = 100", "least squares"), ("problem, n = 500", NASTY)]
    performances = [
        performance(
            method, learner, count, about, scenario=scenario, width=0.1 * count / MANY, total=MANY
        )
        for scenario, learner in places
        for method, count in METHODS.items()
        for about in ("R", "ER(n)", "ER(n1)")
    ]
    words = {place: f"{place[1]}, 20 Gaussian features" for place in places}
    return lab.CoverageStudy("", {}, tuple(performances), words, (), 0.95)


def calibration(learners=("tree", NASTY)):
    pair = " - ".join(learners)
    targets = (*learners, pair) if len(learners) == 2 else learners
    performances = [
        performance(method, target, count, about, total=MANY)
        for target in targets
        for method, count in METHODS.items()
        for about in ("ER(n1)", "ER(n)")
    ]
    found = {
        (pair, method): lab.proportion(count // 5, MANY)
        for method, count in METHODS.items()
        if len(targets) > 1
    }
    advice = tuple(
        lab.Recommendation(target, "ER(90)", "corrected-t", "") for target in (*targets, None)
    )
    truths = {size: risk(*learners, n_train=size) for size in (90, 100)}
    return lab.Calibration(
        "", {}, tuple(performances), found, truths, advice, (), ("ER(n1)", "ER(n)"), 0.95
    )


STUDIES = {
    "figure1": figure1,
    "table1": table1,
    "table2": table2,
    "habitat": habitat,
    "coverage": coverage,
    "calibration": calibration,
}
KINDS = pytest.mark.parametrize("kind", STUDIES)


def panels_of(ax):
    """The axes that came with some axes: panels from left to right and top to bottom, and last that of the legend."""
    return ax.figure.axes[ax.figure.axes.index(ax) + 1 :]


def points(ax, marker=None):
    """Coordinates of every line drawn in the units of the data."""
    lines = [line for line in ax.lines if marker is None or line.get_marker() == marker]
    return [(list(line.get_xdata()), list(line.get_ydata())) for line in lines]


def percent(values):
    return [100.0 * value for value in values]


def rendered(ax):
    canvas = FigureCanvasAgg(ax.figure)
    canvas.draw()
    return canvas.get_renderer()


@functools.cache
def drawn(kind):
    """A study on a page of its own, as it looks; tests do not change it."""
    ax = plots.study(table2(name=NASTY) if kind == "table2" else STUDIES[kind]())
    return ax, rendered(ax)


def texts(ax):
    """All that is written in axes, as matplotlib has it."""
    labels = [
        *ax.get_xticklabels(),
        *ax.get_yticklabels(),
        ax.xaxis.label,
        ax.yaxis.label,
        *ax.texts,
    ]
    titles = [ax.get_title(side) for side in ("left", "center")]
    legend = (
        [] if ax.get_legend() is None else [text.get_text() for text in ax.get_legend().get_texts()]
    )
    return [text for text in [*(label.get_text() for label in labels), *titles, *legend] if text]


class TestEveryStudy:
    @KINDS
    def test_it_is_dispatched_to_its_own_chart(self, kind):
        found = STUDIES[kind]()
        chart, own = plots.study_of(found), getattr(plots, f"{kind}_of")(found)
        assert isinstance(chart, plots.StudyChart)
        assert _canvas.svg(chart, "p", "title") == _canvas.svg(own, "p", "title")

    @KINDS
    def test_the_axes_given_are_used(self, kind):
        figure = Figure(figsize=(14, 9), layout="constrained")
        first, second = figure.subplots(1, 2)
        assert plots.study(STUDIES[kind](), second) is second
        rendered(second)
        edge = figure.bbox.width / 2
        own = [one for one in figure.axes if one is not first and one.lines]
        assert own
        assert all(one.get_window_extent().x0 > edge - 10 for one in own)
        assert not first.lines

    @KINDS
    def test_axes_outside_of_any_grid_are_used_too(self, kind):
        figure = Figure(figsize=(12, 9))
        ax = figure.add_axes((0.3, 0.2, 0.5, 0.6))
        plots.study(STUDIES[kind](), ax)
        rendered(ax)
        for one in figure.axes:
            box = one.get_position()
            assert box.x0 >= 0.3 - 1e-9
            assert box.x1 <= 0.8 + 1e-9
            assert box.y0 >= 0.2 - 1e-9
            assert box.y1 <= 0.8 + 1e-9

    @KINDS
    def test_current_axes_stay_current(self, kind):
        from matplotlib import pyplot as plt

        _, ax = plt.subplots(layout="constrained")
        plots.study(STUDIES[kind](), ax)
        assert plt.gca() is ax

    @KINDS
    def test_a_file_can_be_written_from_what_is_returned(self, kind, tmp_path):
        path = tmp_path / "plot.png"
        plots.study(STUDIES[kind]()).figure.savefig(path, dpi=50)
        assert path.stat().st_size > 5000

    @KINDS
    def test_names_are_written_as_they_stand(self, kind):
        ax, _ = drawn(kind)
        written = [text for one in ax.figure.axes for text in texts(one)]
        assert not any(re.search(r"(?<!\\)\$(?!.*mathdefault)", text) for text in written)
        if kind != "figure1":
            assert any(NASTY.replace("$", r"\$") in text for text in written)

    @KINDS
    def test_a_page_gets_it_too(self, kind):
        chart = plots.study_of(STUDIES[kind]())
        drawing = _canvas.svg(chart, "p", "title")
        assert _canvas.svg(chart, "p", "title") == drawing
        assert "currentColor" in drawing
        assert "#010203" not in drawing
        assert "#000000" not in drawing
        assert "var(--errbar-blue" in drawing

    @KINDS
    def test_nothing_is_cut_off_and_the_legend_hides_nothing(self, kind):
        ax, renderer = drawn(kind)
        page = ax.figure.bbox
        shown = [one for one in ax.figure.axes if one.lines]
        own = [one.get_legend() for one in ax.figure.axes if one.get_legend() is not None]
        [legend] = [*own, *ax.figure.legends]
        box = legend.get_window_extent(renderer)
        for one in shown:
            assert not box.overlaps(one.get_window_extent(renderer))
            assert not box.overlaps(one.xaxis.label.get_window_extent(renderer))
        edge = 4.0 / 72.0 * ax.figure.dpi
        for extent in [box, *(one.get_tightbbox(renderer) for one in shown)]:
            assert page.x0 + edge <= extent.x0
            assert extent.x1 <= page.x1 - edge
            assert page.y0 + edge <= extent.y0
            assert extent.y1 <= page.y1 - edge

    @KINDS
    def test_nothing_is_cut_off_in_a_figure_without_a_layout_engine(self, kind):
        chart = plots.study_of(STUDIES[kind]())
        ax = Figure(figsize=[1.2 * side for side in chart.size]).add_subplot()
        plots.draw(chart, ax)
        rendered(ax)
        box, (wide, high) = ax.figure.get_tightbbox(), ax.figure.get_size_inches()
        assert 72.0 * min(box.x0, box.y0, wide - box.x1, high - box.y1) >= 4.0
        assert ax.figure.get_layout_engine() is None

    @KINDS
    def test_panels_do_not_touch(self, kind):
        ax, renderer = drawn(kind)
        shown = [one for one in ax.figure.axes if one.lines]
        boxes = [one.get_window_extent(renderer) for one in shown]
        assert not any(one.overlaps(other) for i, one in enumerate(boxes) for other in boxes[:i])
        labels = [
            [text.get_window_extent(renderer) for text in one.get_xticklabels() if text.get_text()]
            for one in shown
        ]
        for own in labels:
            assert not any(one.overlaps(other) for i, one in enumerate(own) for other in own[:i])

    @KINDS
    def test_another_thing_is_no_study(self, kind):
        for other in (None, 3, performance(), [figure1(), 5]):
            with refused("found"):
                getattr(plots, kind)(other)

    def test_the_dispatch_names_what_it_knows(self):
        with pytest.raises(InvalidInputError):
            plots.study(None)

    def test_one_study_is_not_another(self):
        with pytest.raises(InvalidInputError):
            plots.habitat(table1())

    def test_missing_matplotlib_is_named(self, monkeypatch):
        monkeypatch.setitem(sys.modules, "matplotlib", None)
        with pytest.raises(MissingPackageError):
            plots.study(table1())

    def test_plots_of_other_things_do_not_import_the_laboratory(self):
        code = "import errbar.plots, sys; assert 'errbar.lab' not in sys.modules"
        subprocess.run([sys.executable, "-c", code], check=True)


class TestLevels:
    @pytest.mark.parametrize(
        "alpha", [Fraction(1, 10), Fraction(1, 20), Fraction(1, 100), Fraction(3, 10)]
    )
    @pytest.mark.parametrize("total", [2, 10, 57, 300, 500])
    def test_the_significant_share_is_the_smallest(self, alpha, total):
        def above(count):
            """Exact probability of at least so many."""
            terms = (
                math.comb(total, k) * alpha**k * (1 - alpha) ** (total - k)
                for k in range(count, total + 1)
            )
            return sum(terms, Fraction(0))

        count = round(significant(float(alpha), total) * total)
        assert above(count) <= Fraction(1, 20) < above(count - 1)

    def test_it_agrees_with_scipy_at_the_settings_of_the_figure(self):
        alpha = 1.0 - 0.9
        counts = [count for count in range(501) if binom.sf(count - 1, 500, alpha) <= 0.05]
        assert significant(alpha, 500) == counts[0] / 500

    @pytest.mark.parametrize("share", [0.05, 0.1, 0.9, 0.95, 0.99])
    @pytest.mark.parametrize("total", [20, 100, 500, 10000])
    def test_the_usual_shares_are_those_with_the_middle_95_percent(self, share, total):
        low, high = (round(end * total) for end in usual(share, total))
        assert binom.cdf(low - 1, total, share) < 0.025 <= binom.cdf(low, total, share)
        assert binom.sf(high, total, share) <= 0.025 < binom.sf(high - 1, total, share)


class TestFigure1:
    def test_what_is_drawn(self):
        study = figure1()
        ax = plots.figure1(study)
        left, right, _ = panels_of(ax)
        for panel, target in ((left, "A"), (right, "A-B")):
            drawn = points(panel)
            for curve in study.curves:
                expected = (curve.mu0.tolist(), (100.0 * curve.power).tolist())
                assert (expected in drawn) == (curve.target == target)
            vertical = {x[0] for x, y in drawn if y == [0, 1]}
            assert vertical == set(study.intervals[target])
            horizontal = {y[0] for x, y in drawn if x == [0, 1]}
            assert horizontal == {100.0 * (1.0 - 0.9), 100.0 * significant(1.0 - 0.9, TOTAL)}
        assert (left.get_xlabel(), left.get_ylabel()) == (
            "hypothetical expected risk μ₀",
            "rejected, %",
        )
        assert (right.get_xlabel(), right.get_title()) == (
            "hypothetical difference μ₀",
            "Difference A − B",
        )

    def test_circles_mark_the_small_test_sets(self):
        study = figure1()
        for panel, target in zip(panels_of(plots.figure1(study))[:2], ("A", "A-B"), strict=True):
            lines = [line for line in panel.lines if len(line.get_xdata()) > 2]
            own = [curve for curve in study.curves if curve.target == target]
            assert len(own) == 8
            for line, curve in zip(lines, own, strict=True):
                assert line.get_ydata().tolist() == (100.0 * curve.power).tolist()
                assert (line.get_marker() == "o") == curve.statistic.endswith("n2=n/10")

    def test_curves_are_told_apart_by_colour_dashes_and_circles(self):
        curves = [
            line
            for line in panels_of(plots.figure1(figure1()))[0].lines
            if len(line.get_xdata()) > 2
        ]
        assert len(curves) == 8
        assert len({line.get_color() for line in curves}) == 5
        assert len({str(line._dash_pattern) for line in curves}) == 5
        assert sum(line.get_marker() == "o" for line in curves) == 3
        assert len({(line.get_color(), line.get_marker()) for line in curves}) == 8

    def test_there_is_a_circle_at_the_truth(self):
        circled = [
            line
            for line in panels_of(plots.figure1(figure1()))[0].lines
            if line.get_marker() == "o"
        ]
        for line in circled:
            start, step = line.get_markevery()
            assert 20 in range(start, 41, step)

    def test_the_legend_names_the_levels(self):
        ax = plots.figure1(figure1())
        words = texts(panels_of(ax)[-1])
        for share in (10.0, 100 * significant(0.1, TOTAL)):
            assert any(text.endswith(f" {share:.3g} %") for text in words)

    def test_a_single_panel_is_drawn_in_the_axes_themselves(self):
        ax = Figure(layout="constrained").add_subplot()
        assert plots.figure1(figure1(), ax, targets=["B"]) is ax
        assert ax.figure.axes == [ax]
        assert len([line for line in ax.lines if len(line.get_xdata()) > 2]) == 8

    def test_targets_in_the_order_asked_for(self):
        ax = plots.figure1(figure1(), targets=["A-B", "B", "A"])
        assert [one.get_title() for one in panels_of(ax)[:3]] == [
            "Difference A − B",
            "Expected risk of B",
            "Expected risk of A",
        ]

    @pytest.mark.parametrize("bad", [[], "A", ["C"], ["A", "a"]])
    def test_unknown_targets(self, bad):
        with refused("targets"):
            plots.figure1(figure1(), targets=bad)


class TestTable2:
    def test_several_populations_stand_side_by_side(self):
        studies = [table2(), table2("forest", "forest")]
        found = panels_of(plots.table2(studies))
        assert [one.get_title() for one in found[:2]] == ["letters", "forest"]
        for place, (study, key) in enumerate(zip(studies, ("letter", "forest"), strict=True)):
            above, below = points(found[place]), points(found[place + 2])
            assert (list(SIZES), percent(row.rho.value for row in study.rows)) in above
            assert (list(SIZES), percent(PRINTED[key]["rho"])) in above
            for row in study.rows:
                assert ([row.n, row.n], percent((row.rho.low, row.rho.high))) in above
            for rho in (0.0, 0.7):
                assert (list(SIZES), percent(row.type_1[rho].value for row in study.rows)) in below
                assert (list(SIZES), percent(PRINTED[key][rho])) in below
            assert ([0, 1], [100.0 * (1.0 - 0.95)] * 2) in below

    def test_what_is_drawn(self):
        study = table2()
        above, below, _ = panels_of(plots.table2(study))
        assert (list(SIZES), percent(row.rho.value for row in study.rows)) in points(above)
        assert (list(SIZES), percent(PRINTED["letter"]["rho"])) in points(above)
        for rho in (0.0, 0.7):
            assert (list(SIZES), percent(row.type_1[rho].value for row in study.rows)) in points(
                below
            )
            assert (list(SIZES), percent(PRINTED["letter"][rho])) in points(below)
            for row in study.rows:
                ends = percent((row.type_1[rho].low, row.type_1[rho].high))
                assert ([row.n, row.n], ends) in points(below)
        assert above.get_xscale() == below.get_xscale() == "log"
        assert ([0, 1], [100.0 * (1.0 - 0.95)] * 2) in points(below)

    def test_populations_share_their_axes(self):
        found = panels_of(plots.table2([table2(), table2("forest", "forest")]))
        assert found[0].get_ylim() == found[1].get_ylim()
        assert found[2].get_ylim() == found[3].get_ylim()
        assert [one.get_title() for one in found[:2]] == ["letters", "forest"]

    def test_without_printed_values_there_is_no_entry_for_them(self):
        rows = tuple(lab.Row(row.n, row.rho, row.type_1, 0.2, 0.01, 0, {}) for row in table2().rows)
        ax = plots.table2(lab.Table2("", {"Population": "own"}, rows, 0.95))
        assert [text.get_text() for text in panels_of(ax)[-1].get_legend().get_texts()] == [
            "test that takes ρ to be 0",
            "test that takes ρ to be 0.7",
            "nominal level 5 %",
        ]

    def test_a_negative_correlation_is_shown(self):
        row = table2().rows[0]
        rows = (lab.Row(20, lab.Ratio(-0.1, -0.3, 0.1), row.type_1, 0.2, 0.01, 0, {}),)
        above, below, _ = panels_of(plots.table2(lab.Table2("", {"Population": "own"}, rows, 0.95)))
        assert above.get_ylim()[0] < -30.0
        assert below.get_ylim()[0] == 0.0

    def test_what_cannot_be_drawn(self):
        with refused("found"):
            plots.table2([])
        with refused("found"):
            plots.table2([table2(), table2(level=0.9)])


class TestCoverage:
    def test_numbers_stand_in_rows_of_targets_and_columns_of_truths(self):
        study = coverage()
        found = panels_of(plots.coverage(study))
        about = ("R", "ER(n)", "ER(n1)")
        assert [one.get_xlabel() for one in found[4:8]] == [
            *(f"coverage of {one}, %" for one in about),
            "mean width",
        ]
        titles = [found[place].get_title("left").strip() for place in (0, 4)]
        nasty = NASTY.replace("$", r"\$")
        assert titles == [
            f"{name}, 20 Gaussian features, n = 100" for name in ("least squares", nasty)
        ]
        bounds = [
            patch.get_extents().transformed(found[0].transData.inverted())
            for patch in found[0].patches
        ]
        assert [(one.x0, one.x1) for one in bounds] == [
            pytest.approx([100.0 * end for end in usual(0.95, MANY)])
        ]
        for row, (scenario, learner) in enumerate(study.words):
            for column, truth in enumerate(about):
                own, drawn = (
                    found[4 * row + column],
                    study.select(about=truth, scenario=scenario, target=learner),
                )
                lines = points(own)
                for place, one in enumerate(drawn):
                    marker = {
                        "nominal": "o",
                        "liberal": "<",
                        "conservative": ">",
                        "undecided": "s",
                    }[VERDICTS[place]]
                    assert ([100.0 * one.coverage.value], [place]) in points(own, marker)
                    assert (percent((one.coverage.low, one.coverage.high)), [place, place]) in lines

    def test_what_is_drawn(self):
        found = panels_of(plots.coverage(coverage()))
        assert len(found) == 2 * 4 + 1
        for panel in (*found[:3], *found[4:7]):
            for place, (count, marker) in enumerate(zip(METHODS.values(), "s<o>", strict=True)):
                assert ([100.0 * (count / MANY)], [place]) in points(panel, marker)
            assert panel.get_xlim() == (60.0, 100.0)
        assert [label.get_text() for label in found[0].get_yticklabels()] == list(METHODS)
        for place, count in enumerate(METHODS.values()):
            assert ([0.1 * count / MANY], [place]) in points(found[3], "D")

    def test_the_axis_holds_all_intervals(self):
        study = coverage()
        lowest = 100.0 * min(one.coverage.low for one in study.performances)
        assert all(panel.get_xlim()[0] < lowest for panel in panels_of(plots.coverage(study))[:3])

    def test_unbounded_intervals_are_an_arrow(self):
        study = coverage()
        wide = tuple(
            performance(
                one.method,
                one.target,
                950,
                one.about,
                total=MANY,
                scenario=one.scenario,
                width=math.inf,
                width_error=math.nan,
            )
            for one in study.performances
        )
        ax = plots.coverage(lab.CoverageStudy("", {}, wide, study.words, (), 0.95))
        rendered(ax)
        panel = panels_of(ax)[3]
        assert points(panel, ">") == [([1.0], [place]) for place in range(4)]
        assert points(panel, "D") == []

    def test_verdicts_differ_in_shape_and_colour(self):
        panel = panels_of(plots.coverage(coverage()))[0]
        looks = {
            (line.get_marker(), line.get_color())
            for line in panel.lines
            if line.get_marker() in "<o>s"
        }
        assert len({marker for marker, _ in looks}) == len({color for _, color in looks}) == 4


class TestCalibration:
    def test_numbers_stand_in_rows_of_targets(self):
        study = calibration()
        found = panels_of(plots.calibration(study))
        names = [one.get_title("left").strip().replace(r"\$", "$") for one in found[0:12:4]]
        assert names == [target.replace(" - ", " \N{MINUS SIGN} ") for target in study.targets]
        for row, target in enumerate(study.targets):
            for column, truth in enumerate(("ER(n1)", "ER(n)")):
                values = [
                    ([100.0 * one.coverage.value], [k])
                    for k, one in enumerate(study.select(target, truth))
                ]
                assert all(value in points(found[4 * row + column]) for value in values)
        shares = [study.differences[study.targets[2], method].value for method in METHODS]
        assert [x for x, _ in points(found[11], "D")] == [[100.0 * value] for value in shares]

    def test_what_is_drawn(self):
        found = panels_of(plots.calibration(calibration()))
        assert len(found) == 3 * 4 + 1
        assert [one.get_visible() for one in found[3:12:4]] == [False, False, True]
        for place, count in enumerate(METHODS.values()):
            assert ([100.0 * (count // 5 / MANY)], [place]) in points(found[11], "D")
        weights = {label.get_text(): label.get_fontweight() for label in found[0].get_yticklabels()}
        assert weights == dict.fromkeys(METHODS, "normal") | {"corrected-t": "bold"}
        assert [one.get_xlabel() for one in found[8:12]] == [
            "coverage of ER(n1), %",
            "coverage of ER(n), %",
            "mean width",
            "finds a difference, %",
        ]

    def test_a_single_learner_has_no_column_for_differences(self):
        found = panels_of(plots.calibration(calibration(["tree"])))
        assert [one.get_xlabel() for one in found[:-1]] == [
            "coverage of ER(n1), %",
            "coverage of ER(n), %",
            "mean width",
        ]


class TestHabitat:
    def test_variants_are_joined_where_they_differ_in_one_number(self):
        study = habitat(half_repeats=(10, 15))
        found = panels_of(plots.habitat(study))
        assert len(found) == 3 * 4 + 1
        for row, target in enumerate(study.targets):
            own = [one for one in study.judged if one.performance.target == target]
            by_splits, by_halvings, powers, _ = found[4 * row : 4 * row + 4]
            [(counts, sizes)] = points(by_splits, "o")
            assert (counts, sizes) == (
                [5, 10, 15, 25],
                percent(one.performance.size.value for one in own[:4]),
            )
            for marker, law in (("s", "normal"), ("D", "t")):
                lines = points(by_halvings, marker)
                assert len(lines) == 2
                for (_, values), splits in zip(lines, (10, 15), strict=True):
                    chosen = [
                        one
                        for one in own
                        if (one.method.reference, one.method.repeats) == (law, splits)
                    ]
                    line = [one.performance.size.value for one in chosen if one.method.halvings]
                    assert values == percent(line)
            for place, (_, values) in enumerate(points(powers, "o")):
                assert values == percent(one.power[place].value for one in own[:4])
                for one in own[:4]:
                    ends = percent((one.power[place].low, one.power[place].high))
                    assert ([one.method.repeats] * 2, ends) in points(powers)
        bounds = [
            patch.get_extents().transformed(found[0].transData.inverted())
            for patch in found[0].patches
        ]
        assert [(one.y0, one.y1) for one in bounds] == [
            pytest.approx([100.0 * end for end in usual(study.alpha, TOTAL)])
        ]

    def test_what_is_drawn(self):
        study = habitat()
        found = panels_of(plots.habitat(study))
        assert len(found) == 3 * 4 + 1
        own = [one for one in study.judged if one.performance.target == "B"]
        assert ([5, 10, 15, 25], percent(one.performance.size.value for one in own[:4])) in points(
            found[4], "o"
        )
        for place in range(3):
            assert ([5, 10, 15, 25], percent(one.power[place].value for one in own[:4])) in points(
                found[6], "o"
            )
        [(_, normal)], [(_, student)] = points(found[5], "s"), points(found[5], "D")
        assert normal == percent(one.performance.size.value for one in own[4:7])
        assert student == percent(one.performance.size.value for one in own[7:])
        assert len({one.get_ylim() for one in (*found[0:2], *found[4:6])}) == 1
        assert [text.get_text() for text in found[6].texts] == ["1 sd", "2 sd", "3 sd"]

    def test_lines_with_the_same_counts_stand_beside_each_other(self):
        panel = panels_of(plots.habitat(habitat()))[1]
        [(normal, _)], [(student, _)] = points(panel, "s"), points(panel, "D")
        assert all(0.0 < right - left < 2.0 for left, right in zip(normal, student, strict=True))
        assert [
            (left + right) / 2 for left, right in zip(normal, student, strict=True)
        ] == pytest.approx([5, 10, 20])

    def test_a_single_number_of_halvings_will_do(self):
        ax = plots.habitat(habitat(halvings=(10,)))
        rendered(ax)
        assert [label.get_text() for label in panels_of(ax)[1].get_xticklabels()] == ["10"]


class TestTable1:
    def test_every_ratio_has_its_interval(self):
        study = table1()
        drawn = [x for x, _ in points(plots.table1(study))]
        ratios = [
            ratio
            for one in study.ratios
            for ratio in (one.measured, one.formula)
            if ratio is not None
        ]
        assert len(ratios) == 3 * 7
        for ratio in ratios:
            assert [ratio.low, ratio.high] in drawn
            assert [ratio.value] in drawn

    def test_what_is_drawn(self):
        ax = plots.table1(table1())
        measured, formula = points(ax, "o"), points(ax, "D")
        assert [x for x, _ in measured] == [[0.6], [1.6], [2.6], [3.6]] * 3
        assert [x for x, _ in formula] == [[0.7], [1.7], [2.7]] * 3
        assert [round(y[0]) for _, y in measured] == [1, 2, 3, 4, 6, 7, 8, 9, 11, 12, 13, 14]
        assert ax.get_xscale() == "log"
        assert ([1.0, 1.0], [0, 1]) in points(ax)
        assert [text.get_text() for text in ax.texts] == ["← conservative", "liberal →"]
        labels = [label.get_text() for label in ax.get_yticklabels()]
        assert labels[:3] == ["A", "holdout-t, 270 + 30", "resampled-t, 270 + 30"]

    def test_a_ratio_that_is_not_defined_is_said_to_be_so(self):
        none = lab.Ratio(math.nan, math.nan, math.nan)
        ratios = (
            lab.VarianceRatio("A", "holdout-t", 9, 1, none, none),
            lab.VarianceRatio("A", "corrected-t", 9, 1, lab.Ratio(2.0, math.nan, math.nan), None),
        )
        ax = plots.table1(lab.Table1("", {}, (), ratios))
        rendered(ax)
        said = [text.get_text() for text in ax.texts]
        assert len(said) - len(set(said)) == 1  # of the measured and of the formula
        assert points(ax, "o") == [([2.0], [2.0])]

    @pytest.mark.parametrize("ends", [(0.4, 2.5), (0.01, 30.0), (0.9e-4, 1e5), (0.3, 700.0)])
    def test_ticks_are_round_few_and_inside(self, ends):
        found = _ticks(*ends)
        assert 2 <= found.size <= 16
        assert ends[0] <= found.min() <= 1.0 <= found.max() <= ends[1]
        assert 1.0 in found
