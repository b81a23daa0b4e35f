"""Between-block correlation and type-I error against the size of the data sets, as in Grandvalet & Bengio (2006)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from errbar.errors import InvalidInputError
from errbar.plots._canvas import BLUE, GREEN, VERMILION, WIDTH, draw, drawn_by, ink, label
from errbar.plots._lab_panels import (
    Mark,
    draw_bar,
    entry,
    in_percent,
    known,
    percentage,
    spread,
    tidy,
)

if TYPE_CHECKING:
    from errbar.lab.studies import Table2

_RHO = (GREEN, "D")
_TESTS = ((VERMILION, "o"), (BLUE, "s"))


@dataclass(frozen=True)
class Series:
    """Numbers by the size of the data sets.

    Attributes
    ----------
    name : str
        What they are.
    n : tuple of int
        Sizes of the data sets.
    marks : tuple of Mark
        Measured, as shares.
    printed : mapping of int to float
        What the paper printed, as shares, by the size of the data sets.
    """

    name: str
    n: tuple[int, ...]
    marks: tuple[Mark, ...]
    printed: Mapping[int, float]


@dataclass(frozen=True)
class CorrelationPanel:
    """One population.

    Attributes
    ----------
    name : str
        Of the population.
    rho : Series
        Between-block correlation.
    type_1 : tuple of Series
        Type-I error of the tests, one per correlation that they assume.
    """

    name: str
    rho: Series
    type_1: tuple[Series, ...]


@dataclass(frozen=True)
class CorrelationPanels:
    """What the plot of the study of table 2 shows.

    Attributes
    ----------
    panels : tuple of CorrelationPanel
        Populations from left to right.
    alpha : float
        Nominal type-I error.
    """

    panels: tuple[CorrelationPanel, ...]
    alpha: float

    @property
    def printed(self) -> bool:
        """Whether there is anything printed to compare with."""
        return any(panel.rho.printed for panel in self.panels)


def table2(found: "Table2 | Sequence[Table2]", ax: Any = None) -> Any:
    """Draw the between-block correlation and the type-I error of the K-fold t against the size of the data sets.

    Parameters
    ----------
    found : Table2 or sequence of Table2
        From `errbar.lab.table2`; several populations stand side by side.
    ax : matplotlib axes, optional
        Where to draw; by default a new figure. The panels take the place of the axes.

    Returns
    -------
    matplotlib axes
        With the panels in their place: the correlation above, the type-I error below with a line at the nominal level.
        Measured values are filled and have 95 % intervals, printed ones are open.

    Raises
    ------
    MissingPackageError
        If matplotlib is not installed.
    InvalidInputError
        If it is another study, there is none, or levels differ.

    See Also
    --------
    errbar.lab.table2 : The numbers behind the plot.

    References
    ----------
    .. [1] Grandvalet, Y. & Bengio, Y. (2006). Hypothesis testing for cross-validation. Technical report 1285,
       University of Montreal.

    Examples
    --------
    >>> import numpy as np
    >>> from errbar import lab, plots
    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> population = lab.FinitePopulation(X, X[:, 0] > 0.0, replacement=True)
    >>> ax = plots.table2(lab.table2(population, n=[20, 40], replicates=10))
    >>> [panel.get_ylabel() for panel in ax.figure.axes[1:3]]
    ['between-block ρ, %', 'type-I error, %']
    """
    return draw(table2_of(found), ax)


def table2_of(found: "Table2 | Sequence[Table2]") -> CorrelationPanels:
    """Compute what `table2` draws.

    Parameters
    ----------
    found : Table2 or sequence of Table2
        As for `table2`.

    Returns
    -------
    CorrelationPanels
        One panel per population.
    """
    several = list(found) if isinstance(found, Sequence) and not isinstance(found, str) else [found]
    studies: list[Table2] = [known(one, "Table2") for one in several]
    if not studies:
        raise InvalidInputError("`found` must hold at least one Table2, got none")
    if len({one.level for one in studies}) > 1:
        raise InvalidInputError("`found` holds studies at different levels; draw them apart")
    return CorrelationPanels(tuple(_panel(one) for one in studies), 1.0 - studies[0].level)


def _panel(study: "Table2") -> CorrelationPanel:
    assumed = tuple(study.rows[0].type_1)
    tests = tuple(_series(study, f"test that takes ρ to be {rho:g}", rho) for rho in assumed)
    return CorrelationPanel(str(study.settings["Population"]), _series(study, "ρ", "rho"), tests)


def _series(study: "Table2", name: str, key: Any) -> Series:
    marks = tuple(Mark.of(row.rho if key == "rho" else row.type_1[key]) for row in study.rows)
    printed = {row.n: row.printed[key] for row in study.rows if key in row.printed}
    return Series(name, tuple(row.n for row in study.rows), marks, printed)


def _size(chart: CorrelationPanels) -> tuple[float, float]:
    return (WIDTH, 5.4) if len(chart.panels) == 1 else (4.2 * len(chart.panels), 5.4)


@drawn_by(CorrelationPanels, _size)
def _draw_table2(chart: CorrelationPanels, ax: Any) -> None:
    count = len(chart.panels)
    upper, lower = spread(ax, 2, count, _handles(chart), 2 if count == 1 else 4)
    for panel, above, below in zip(chart.panels, upper, lower, strict=True):
        _draw_series(panel.rho, above, *_RHO)
        for series, style in zip(panel.type_1, _TESTS, strict=False):
            _draw_series(series, below, *style)
        below.axhline(100.0 * chart.alpha, **_level())
        above.set_title(label(panel.name), fontsize="medium")
        below.set_xlabel("examples in a data set, n")
    _share_limits(upper, [mark for panel in chart.panels for mark in panel.rho.marks])
    _share_limits(lower, [])
    upper[0].set_ylabel("between-block ρ, %")
    lower[0].set_ylabel("type-I error, %")


def _draw_series(series: Series, ax: Any, color: str, marker: str) -> None:
    marks = [in_percent(mark) for mark in series.marks]
    ax.plot(
        series.n, [mark.value for mark in marks], color=color, marker=marker, markersize=5.0, linewidth=1.4, zorder=4
    )
    for n, mark in zip(series.n, marks, strict=True):
        draw_bar(ax, n, mark, color=color)
    printed = [100.0 * value for value in series.printed.values()]
    ax.plot(list(series.printed), printed, color=color, zorder=5, **_open(marker))
    _set_sizes(ax, series.n)


def _level() -> dict[str, Any]:
    return {"color": ink(), "linestyle": "-", "linewidth": 1.0, "alpha": 0.8, "zorder": 2}


def _open(marker: str) -> dict[str, Any]:
    return {"linestyle": "none", "marker": marker, "markersize": 9.0, "markerfacecolor": "none", "markeredgewidth": 1.1}


def _set_sizes(ax: Any, sizes: tuple[int, ...]) -> None:
    """Label the sizes themselves on a logarithmic axis."""
    from matplotlib.ticker import NullLocator

    ax.set_xscale("log")
    ax.set_xlim(0.8 * min(sizes), 1.25 * max(sizes))
    ax.xaxis.set_minor_locator(NullLocator())
    ax.set_xticks(sizes, [f"{size}" for size in sizes], fontsize="small")
    tidy(ax)


def _share_limits(panels: Sequence[Any], marks: Sequence[Mark]) -> None:
    """Give panels the same vertical axis, which begins at 0 unless there are negative marks."""
    low = min(panel.get_ylim()[0] for panel in panels)
    negative = any(min(mark.value, mark.low) < 0.0 for mark in marks)
    for panel in panels:
        panel.set_ylim(low if negative else 0.0, max(panel.get_ylim()[1] for panel in panels))


def _handles(chart: CorrelationPanels) -> list[Any]:
    names = [series.name for series in chart.panels[0].type_1]
    tests = [
        entry(name, color=color, marker=marker, markersize=5.0, linestyle="-", linewidth=1.4)
        for name, (color, marker) in zip(names, _TESTS, strict=False)
    ]
    level = entry(f"nominal level {percentage(chart.alpha)}", **_level())
    printed = [entry("as printed", color=ink(), **_open("o"))] if chart.printed else []
    return [*tests, *printed, level]
