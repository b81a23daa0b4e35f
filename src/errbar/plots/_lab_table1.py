"""Variance of estimates over what methods take it to be, measured and by formula."""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from errbar._check import FloatArray
from errbar.plots._canvas import BLUE, VERMILION, WIDTH, draw, drawn_by, ink, short
from errbar.plots._lab_panels import Mark, draw_bar, entry, escape, known, shown, tidy, write_legend

if TYPE_CHECKING:
    from errbar.lab.studies import Table1

_ROOM = 1.25
_SHIFT = 0.17
_NICE = (1.0, 2.0, 5.0)


@dataclass(frozen=True)
class RatioRow:
    """Ratios of one method.

    Attributes
    ----------
    target, method : str
        Names.
    n_train, n_test : int
        Sizes of its splits.
    measured : Mark
        From the estimates and standard errors of all data sets.
    formula : Mark or None
        From the covariances, where there is a formula.
    """

    target: str
    method: str
    n_train: int
    n_test: int
    measured: Mark
    formula: Mark | None

    @property
    def label(self) -> str:
        """Method and sizes."""
        return f"{short(self.method, 28)}, {self.n_train} + {self.n_test}"

    @property
    def positive(self) -> list[float]:
        """All numbers that a logarithmic axis can show."""
        marks = [mark for mark in (self.measured, self.formula) if mark is not None]
        values = [value for mark in marks for value in (mark.value, mark.low, mark.high)]
        return [value for value in values if math.isfinite(value) and value > 0.0]


@dataclass(frozen=True)
class RatioRows:
    """What the plot of the ratios of variances shows.

    Attributes
    ----------
    rows : tuple of RatioRow
        From top to bottom, targets one after another.
    """

    rows: tuple[RatioRow, ...]

    @property
    def targets(self) -> tuple[str, ...]:
        """Names of the targets."""
        return tuple(dict.fromkeys(row.target for row in self.rows))

    @property
    def ends(self) -> tuple[float, float]:
        """Ends of the axis: all that can be shown, 1, and some room on both sides for the words."""
        values = [1.0, *(value for row in self.rows for value in row.positive)]
        return min(0.4, min(values) / _ROOM), max(2.5, max(values) * _ROOM)

    @property
    def lines(self) -> list[str | RatioRow]:
        """Names of the targets, each followed by its rows."""
        found: list[str | RatioRow] = []
        for target in self.targets:
            found += [target, *(row for row in self.rows if row.target == target)]
        return found


def table1(found: "Table1", ax: Any = None) -> Any:
    """Draw Var[estimate]/E[se^2] of every method, measured and by formula.

    Parameters
    ----------
    found : Table1
        From `errbar.lab.table1`.
    ax : matplotlib axes, optional
        Where to draw; by default a new figure.

    Returns
    -------
    matplotlib axes
        With a logarithmic axis and a line at 1: methods are conservative left of it and liberal right of it.

    Raises
    ------
    MissingPackageError
        If matplotlib is not installed.
    InvalidInputError
        If it is another study.

    See Also
    --------
    errbar.lab.table1 : The numbers behind the plot.

    References
    ----------
    .. [1] Nadeau, C. & Bengio, Y. (2003). Inference for the generalization error. Machine Learning 52, 239-281.

    Examples
    --------
    >>> from sklearn.linear_model import LinearRegression
    >>> from errbar import lab, plots
    >>> population = lab.GaussianRegression(features=2, relevant=1)
    >>> found = lab.table1(population, {"least squares": LinearRegression()}, n=40, repeats=3, halvings=0, replicates=20)
    >>> ax = plots.table1(found)
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['least squares', 'holdout-t, 36 + 4', 'resampled-t, 36 + 4', 'corrected-t, 36 + 4']
    """
    return draw(table1_of(found), ax)


def table1_of(found: "Table1") -> RatioRows:
    """Compute what `table1` draws.

    Parameters
    ----------
    found : Table1
        As for `table1`.

    Returns
    -------
    RatioRows
        One row per target and method.
    """
    study: Table1 = known(found, "Table1")
    return RatioRows(
        tuple(
            RatioRow(
                one.target,
                one.method,
                one.n_train,
                one.n_test,
                Mark.of(one.measured),
                None if one.formula is None else Mark.of(one.formula),
            )
            for one in study.ratios
        )
    )


@drawn_by(RatioRows, lambda chart: (WIDTH, 1.5 + 0.27 * len(chart.lines)))
def _draw_ratios(chart: RatioRows, ax: Any) -> None:
    for place, line in enumerate(chart.lines):
        if isinstance(line, RatioRow):
            shift = 0.0 if line.formula is None else _SHIFT
            _draw_mark(ax, line.measured, place - shift, **_measured())
            if line.formula is not None:
                _draw_mark(ax, line.formula, place + shift, **_formula())
    _set_names(chart, ax)
    _set_ratios(ax, *chart.ends)
    ax.axvline(1.0, color=ink(), linewidth=1.0, zorder=2)
    top = {"xycoords": ax.get_xaxis_transform(), "textcoords": "offset points", "fontsize": "small", "va": "bottom"}
    ax.annotate("← conservative", (1.0, 1.0), (-4, 2), ha="right", **top)
    ax.annotate("liberal →", (1.0, 1.0), (4, 2), ha="left", **top)
    ax.set_xlabel("Var[estimate] / E[se²]")
    write_legend(ax, [entry("measured", **_measured()), entry("by formula", **_formula())], 2)


def _draw_mark(ax: Any, mark: Mark, place: float, **style: Any) -> None:
    if not (math.isfinite(mark.value) and mark.value > 0.0):
        ax.text(1.0, place, " not defined", fontsize="x-small", va="center")
        return
    draw_bar(ax, mark, place, color=style["color"], linewidth=style["linewidth"])
    ax.plot(mark.value, place, **(style | {"linestyle": "none", "zorder": 4}))


def _measured() -> dict[str, Any]:
    return {"color": BLUE, "marker": "o", "markersize": 5.5, "linewidth": 2.0, "linestyle": "-"}


def _formula() -> dict[str, Any]:
    own = {"color": VERMILION, "marker": "D", "markersize": 5.0, "linewidth": 1.2, "linestyle": "-"}
    return own | {"markerfacecolor": "none", "markeredgewidth": 1.2}


def _set_names(chart: RatioRows, ax: Any) -> None:
    lines = chart.lines
    names = [short(shown(line), 40) if isinstance(line, str) else line.label for line in lines]
    ax.set_yticks(range(len(lines)), [escape(name) for name in names], fontsize="small")
    for text, line in zip(ax.get_yticklabels(), lines, strict=True):
        text.set_fontweight("bold" if isinstance(line, str) else "normal")
    ax.set_ylim(len(lines) - 0.4, -0.6)
    ax.tick_params(axis="y", length=0)
    tidy(ax)
    ax.spines["left"].set_visible(False)


def _set_ratios(ax: Any, low: float, high: float) -> None:
    """Label round numbers on the logarithmic axis."""
    from matplotlib.ticker import NullLocator

    ax.set_xscale("log")
    ax.set_xlim(low, high)
    ticks = _ticks(low, high)
    ax.xaxis.set_minor_locator(NullLocator())
    ax.set_xticks(ticks, [f"{tick:g}" for tick in ticks])


def _ticks(low: float, high: float) -> FloatArray:
    """Return round numbers within the axis, powers of 10 alone where the others would be too many."""
    decades = np.arange(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    inner = _NICE if decades.size < 5 else (1.0,)
    every = np.array([nice * 10.0**decade for decade in decades for nice in inner])
    return every[(every >= low) & (every <= high)]
