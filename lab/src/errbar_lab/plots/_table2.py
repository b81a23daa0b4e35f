"""Between-block correlation and type-I error against the size of the data sets, as in Grandvalet & Bengio (2006)."""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from errbar.errors import InvalidInputError
from errbar_lab.plots import _panels as parts
from errbar_lab.plots._canvas import BLUE, GREEN, VERMILION, WIDTH, entry, ink, plot
from errbar_lab.plots._names import label

if TYPE_CHECKING:
    from errbar_lab.studies import Table2

_RHO = (GREEN, "D")
_LINE: dict[str, Any] = {"markersize": 5.0, "linestyle": "-", "linewidth": 1.4}
_TESTS = ((VERMILION, "o"), (BLUE, "s"))


@plot
def table2(found: "Table2 | Sequence[Table2]") -> parts.StudyChart:
    """Draw the between-block correlation and the type-I error of the K-fold t against the size of the data sets.

    Parameters
    ----------
    found : Table2 or sequence of Table2
        From `errbar_lab.table2`; several populations stand side by side.
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
    errbar_lab.table2 : The numbers behind the plot.

    References
    ----------
    .. [1] Grandvalet, Y. & Bengio, Y. (2006). Hypothesis testing for cross-validation. Technical report 1285,
       University of Montreal.

    Examples
    --------
    >>> import numpy as np
    >>> import errbar_lab as lab
    >>> from errbar_lab import plots
    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> population = lab.FinitePopulation(X, X[:, 0] > 0.0, replacement=True)
    >>> ax = plots.table2(lab.table2(population, n=[20, 40], replicates=10))
    >>> [panel.get_ylabel() for panel in ax.figure.axes[1:3]]
    ['between-block ρ, %', 'type-I error, %']
    """
    several = list(found) if isinstance(found, Sequence) and not isinstance(found, str) else [found]
    studies: list[Table2] = [parts.known(one, "Table2") for one in several]
    if not studies:
        raise InvalidInputError("must hold at least one Table2, got none", argument="found")
    if len({one.level for one in studies}) > 1:
        raise InvalidInputError(
            "holds studies at different levels; draw them apart", argument="found"
        )
    width = WIDTH if len(studies) == 1 else 4.2 * len(studies)
    return parts.StudyChart((width, 5.4), partial(_draw_table2, studies))


table2_of = table2.chart


def _draw_table2(studies: "Sequence[Table2]", ax: Any) -> None:
    alpha, assumed = 1.0 - studies[0].level, list(studies[0].rows[0].type_1)
    upper, lower = parts.spread(
        ax, 2, len(studies), _handles(studies, assumed, alpha), 2 if len(studies) == 1 else 4
    )
    for study, above, below in zip(studies, upper, lower, strict=True):
        _draw_quantity(study, above, "rho", *_RHO)
        for rho, style in zip(assumed, _TESTS, strict=False):
            _draw_quantity(study, below, rho, *style)
        below.axhline(100.0 * alpha, **parts.fine())
        above.set_title(label(str(study.settings["Population"])), fontsize="medium")
        below.set_xlabel("examples in a data set, n")
    negative = any(min(row.rho.value, row.rho.low) < 0.0 for study in studies for row in study.rows)
    _share_limits(upper, negative=negative)
    _share_limits(lower, negative=False)
    upper[0].set_ylabel("between-block ρ, %")
    lower[0].set_ylabel("type-I error, %")


def _draw_quantity(
    study: "Table2", ax: Any, quantity: str | float, color: str, marker: str
) -> None:
    sizes = [row.n for row in study.rows]
    parts.draw_found(
        ax, sizes, [row.of(quantity) for row in study.rows], color=color, marker=marker, **_LINE
    )
    printed = {
        row.n: 100.0 * row.printed[quantity] for row in study.rows if quantity in row.printed
    }
    ax.plot(
        list(printed),
        list(printed.values()),
        color=color,
        zorder=5,
        linestyle="none",
        **parts.hollow(marker, 9.0),
    )
    parts.label_logarithms(ax, 0.8 * min(sizes), 1.25 * max(sizes), sizes, fontsize="small")
    parts.tidy(ax)


def _share_limits(panels: Sequence[Any], *, negative: bool) -> None:
    """Give panels the same vertical axis, which begins at 0 unless something is negative."""
    low = min(panel.get_ylim()[0] for panel in panels) if negative else 0.0
    high = max(panel.dataLim.y1 for panel in panels)
    for panel in panels:
        panel.set_ylim(low, high + 0.1 * (high - low))  # the open signs of printed values are wide


def _handles(studies: "Sequence[Table2]", assumed: Sequence[float], alpha: float) -> list[Any]:
    tests = [
        entry(f"test that takes ρ to be {rho:g}", color=color, marker=marker, **_LINE)
        for rho, (color, marker) in zip(assumed, _TESTS, strict=False)
    ]
    level = entry(f"nominal level {parts.percentage(alpha)}", **parts.fine())
    known_values = any("rho" in row.printed for study in studies for row in study.rows)
    printed = [entry("as printed", color=ink(), **parts.hollow("o", 9.0))] if known_values else []
    return [*tests, *printed, level]
