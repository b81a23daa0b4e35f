"""Dot plots of coverage and width by method, for the studies of coverage and of calibration."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from errbar_lab.plots import _panels as parts
from errbar_lab.plots._canvas import BLUE, GREEN, PURPLE, VERMILION, entry, ink, plot
from errbar_lab.plots._fonts import drawable
from errbar_lab.plots._names import escape, letters_in, place_inches, short, told_apart

if TYPE_CHECKING:
    from errbar_lab import Performance
    from errbar_lab.studies import Calibration, CoverageStudy
    from errbar_lab.studies._cells import Interval

_STYLES = {
    "liberal": (VERMILION, "<"),
    "nominal": (BLUE, "o"),
    "conservative": (GREEN, ">"),
    "undecided": (PURPLE, "s"),
}
# In inches: a method, the gap above a row of panels, and what stands above and below all of them.
_ROW_INCHES, _HEAD, _AROUND = 0.24, 0.35, 1.3


@dataclass(frozen=True)
class _Row:
    """Methods about one target: their performances by truth, and how often each finds a difference."""

    name: str
    performances: "Sequence[Sequence[Performance]]"
    differences: "Sequence[Interval]" = ()
    recommended: frozenset[str | None] = frozenset()

    @property
    def methods(self) -> list[str]:
        return [one.method for one in self.performances[0]]

    @property
    def inches(self) -> float:
        """Height of the panels with their head."""
        return 0.3 + _ROW_INCHES * len(self.methods)


@plot
def coverage(found: "CoverageStudy") -> parts.StudyChart:
    """Draw how often the intervals of every method hold the truth, and how wide they are.

    Parameters
    ----------
    found : CoverageStudy
        From `errbar_lab.coverage`.
    ax : matplotlib axes, optional
        Where to draw; by default a new figure. The panels take the place of the axes.

    Returns
    -------
    matplotlib axes
        With the panels in their place: a row per problem, size n and learner, and a column per truth. The band about
        the nominal coverage is where measured ones usually lie if the true one is nominal.

    Raises
    ------
    MissingPackageError
        If matplotlib is not installed.
    InvalidInputError
        If it is another study.

    See Also
    --------
    calibration : The same for your own learners and data.
    errbar_lab.coverage : The numbers behind the plot.

    Examples
    --------
    >>> import errbar_lab as lab
    >>> from errbar_lab import plots
    >>> found = lab.coverage(["gaussian-regression-20"], ["holdout-t", "cv-wald"], n=60, replicates=5)
    >>> ax = plots.coverage(found)
    >>> [panel.get_xlabel() for panel in ax.figure.axes[1:5]]
    ['coverage of R, %', 'coverage of ER(n), %', 'coverage of ER(n1), %', 'mean width']
    """
    study: CoverageStudy = parts.known(found, "CoverageStudy")
    rows = []
    for (scenario, learner), words in study.words.items():
        chosen = [
            study.select(about=truth, scenario=scenario, target=learner) for truth in _truths(study)
        ]
        rows.append(_Row(f"{words}, n = {chosen[0][0].n}", chosen))
    return _chart(study, rows)


coverage_of = coverage.chart


@plot
def calibration(found: "Calibration") -> parts.StudyChart:
    """Draw how often the intervals of every method hold the truth about your own learners, and how wide they are.

    Parameters
    ----------
    found : Calibration
        From `errbar_lab.calibrate`.
    ax : matplotlib axes, optional
        Where to draw; by default a new figure. The panels take the place of the axes.

    Returns
    -------
    matplotlib axes
        With the panels in their place: a row per learner and difference, and a column per truth. Methods that are
        recommended for one of them are set in bold. For differences the last column shows how often equality is rejected.

    Raises
    ------
    MissingPackageError
        If matplotlib is not installed.
    InvalidInputError
        If it is another study.

    See Also
    --------
    coverage : The same on problems whose truth is known.
    errbar_lab.calibrate : The numbers behind the plot.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LinearRegression
    >>> import errbar_lab as lab
    >>> from errbar_lab import plots
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(600, 3))
    >>> y = X[:, 0] + rng.normal(size=600)
    >>> learners = {"least squares": LinearRegression()}
    >>> found = lab.calibrate(X, y, learners, methods=["holdout-t", "cv-wald"], replicates=10, truth_draws=20)
    >>> ax = plots.calibration(found)
    >>> [panel.get_xlabel() for panel in ax.figure.axes[1:4]]
    ['coverage of ER(n1), %', 'coverage of ER(n), %', 'coverage of PQ, %']
    """
    study: Calibration = parts.known(found, "Calibration")
    advised: dict[str | None, set[str | None]] = {}
    for one in study.recommendations:
        advised.setdefault(one.target, set()).add(one.method)
    rows = []
    for target in study.targets:
        chosen = [study.select(target, truth) for truth in _truths(study)]
        asked = [study.differences.get((target, one.method)) for one in chosen[0]]
        rows.append(
            _Row(
                target,
                chosen,
                [one for one in asked if one is not None],
                frozenset(advised.get(target, ())),
            )
        )
    return _chart(study, rows)


calibration_of = calibration.chart


def _truths(study: "CoverageStudy | Calibration") -> list[str]:
    """Return what intervals are asked to hold, one column of panels each."""
    return list(dict.fromkeys(one.about for one in study.performances))


def _chart(study: "CoverageStudy | Calibration", rows: Sequence[_Row]) -> parts.StudyChart:
    axes = [*(f"coverage of {truth}, %" for truth in _truths(study)), "mean width"]
    if any(row.differences for row in rows):
        axes.append("finds a difference, %")
    heights = [_HEAD + row.inches for row in rows]
    count = parts.that_fit(heights, _AROUND)
    size = (1.5 + 1.85 * len(axes), _AROUND + sum(heights[:count]))
    left_out = parts.left_out(count, len(rows), "rows of panels")
    return parts.StudyChart(size, partial(_draw_rows, study, rows[:count], axes, left_out))


def _draw_rows(
    study: "CoverageStudy | Calibration",
    rows: Sequence[_Row],
    axes: Sequence[str],
    left_out: list[Any],
    ax: Any,
) -> None:
    shares = [one.coverage for row in rows for column in row.performances for one in column]
    band = parts.usual(study.level, shares[0].total)
    # The axis of the coverage begins at a round share below all intervals.
    least = min(band[0], *(one.low for one in shares))
    lowest = max(0.0, math.floor(20.0 * least - 0.2) / 20.0)
    heights = [row.inches for row in rows]
    handles = [*_handles(study, rows), *left_out]
    panels = parts.spread(ax, len(rows), len(axes), handles, 2 if len(axes) < 4 else 3, heights)
    for row, own in zip(rows, panels, strict=True):
        for found, panel in zip(row.performances, own, strict=False):
            parts.draw_band(panel, study.level, band, upright=True)
            for place, one in enumerate(found):
                color, marker = _STYLES[one.verdict]
                style: dict[str, Any] = {
                    "color": color,
                    "marker": marker,
                    "markersize": 5.5,
                    "clip_on": False,
                }
                parts.draw_found(panel, [place], [one.coverage], upright=False, **style)
            panel.set_xlim(100.0 * lowest, 100.0)
            panel.locator_params(axis="x", nbins=5, integer=True)
        widths, *shares_found = own[len(row.performances) :]
        _draw_from_zero([one.width_interval for one in row.performances[0]], widths, scale=1.0)
        for panel in shares_found:
            _draw_from_zero(row.differences, panel, scale=100.0)
            panel.set_xlim(0.0, 100.0)
            panel.set_visible(bool(row.differences))
        _name_methods(row, own)
    for panel, words in zip(panels[-1], axes, strict=True):
        parts.name_below(panel, words)


def _draw_from_zero(found: "Sequence[Interval]", ax: Any, *, scale: float) -> None:
    """Draw numbers from 0 on; one that is unbounded is an arrow at the edge."""
    style: dict[str, Any] = {"color": ink(), "marker": "D", "markersize": 4.5, "clip_on": False}
    for place, one in enumerate(found):
        if math.isfinite(one.value):
            parts.draw_found(ax, [place], [one], scale=scale, upright=False, **style)
        else:
            edge = {"transform": ax.get_yaxis_transform(), "clip_on": False}
            ax.plot(1.0, place, ">", color=ink(), markersize=5.5, zorder=4, **edge)
    highest = max(
        (scale * max(one.value, one.high) for one in found if math.isfinite(one.value)), default=1.0
    )
    ax.set_xlim(0.0, 1.05 * highest or 1.0)
    ax.locator_params(axis="x", nbins=4)


def _name_methods(row: _Row, panels: Sequence[Any]) -> None:
    """Write what a row is about above it and its methods at the left, the recommended one in bold."""
    names = told_apart([drawable(method) for method in row.methods], 28)
    for panel in panels:
        parts.name_rows(
            panel,
            names if panel is panels[0] else [""] * len(names),
            [one in row.recommended for one in row.methods],
        )
        panel.tick_params(axis="x", labelsize="small")
        panel.grid(axis="y", color=ink(), alpha=0.12, linewidth=0.8)
    # The empty line keeps it away from the panels above.
    title = "\n" + escape(
        short(drawable(parts.shown(row.name)), letters_in(place_inches(panels[0]) - 1.5))
    )
    panels[0].set_title(title, loc="left", fontsize="medium", linespacing=0.6)


def _handles(study: "CoverageStudy | Calibration", rows: Sequence[_Row]) -> list[Any]:
    level = parts.percentage(study.level)
    words = {
        "liberal": f"more than two points below {level}",
        "nominal": f"within two points of {level}",
        "conservative": f"more than two points above {level}",
        "undecided": "too few data sets to tell",
    }
    verdicts = {one.verdict for row in rows for column in row.performances for one in column}
    found = [
        entry(words[verdict], color=color, marker=marker, markersize=5.5)
        for verdict, (color, marker) in _STYLES.items()
        if verdict in verdicts
    ]
    bold = (
        [entry("bold: recommended for one of these")]
        if any(row.recommended - {None} for row in rows)
        else []
    )
    return [*found, parts.band_entry(f"95 % band if the true coverage is {level}"), *bold]
