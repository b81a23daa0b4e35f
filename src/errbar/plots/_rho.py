"""P-value of the K-fold t against the between-block correlation."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from errbar._check import FloatArray
from errbar.losses import Losses
from errbar.methods import RhoSensitivity, rho_sensitivity as sensitivity
from errbar.plots._canvas import BLUE, VERMILION, WIDTH, drawn_by, ink, plot
from errbar.plots._names import SMALL, inches_wide, points_wide

# P-values below this are drawn at the edge; a longer axis would press the rest together.
_FLOOR = 1e-6
_MARKERS = ("o", "s", "D", "^")
_GAP = 0.03


@dataclass(frozen=True)
class RhoMark:
    """One marked value of rho.

    Attributes
    ----------
    name : str
        What it stands for.
    rho, pvalue : float
        Where it lies.
    """

    name: str
    rho: float
    pvalue: float

    @property
    def lines(self) -> tuple[str, str, str]:
        """Name, rho and p-value, as the label has them."""
        rho = f"ρ = {self.rho:.2g}" if self.rho < 0.995 else "ρ > 0.99"
        p = f"p = {self.pvalue:.2g}" if self.pvalue >= 0.001 else "p < 0.001"
        return self.name.replace("-", "–"), rho, p


@dataclass(frozen=True, eq=False)
class RhoCurve:
    """What a plot of the p-value against rho shows.

    Attributes
    ----------
    rho, pvalue : ndarray, shape (points,)
        The curve.
    marks : tuple of RhoMark
        Marked values, from left to right.
    alpha : float
        Level of the test, 1 - level.
    threshold : float
        The rho at which the curve crosses it; negative or 1 where it does not.
    verdict : str
        What that means, in words.
    """

    rho: FloatArray
    pvalue: FloatArray
    marks: tuple[RhoMark, ...]
    alpha: float
    threshold: float
    verdict: str


Source = RhoSensitivity | Losses | ArrayLike


@plot
def rho_sensitivity(source: Source) -> RhoCurve:
    """Draw the p-value of the K-fold t against the between-block correlation rho.

    Parameters
    ----------
    source : RhoSensitivity, Losses or array-like
        A sensitivity analysis, or the fold scores (or differences of scores) of one cross-validation.
    ax : matplotlib axes, optional
        Where to draw; by default a new figure.

    Returns
    -------
    matplotlib axes
        With p on a logarithmic axis, a line at the level of the test, and marks at 0, at the rho of the corrected t
        of Nadeau and Bengio, at 0.7, and where the test stops to reject.

    Raises
    ------
    MissingPackageError
        If matplotlib is not installed.
    InvalidInputError
        If the scores cannot be used.

    See Also
    --------
    errbar.methods.rho_sensitivity : The numbers behind the plot.

    Examples
    --------
    >>> from errbar import plots
    >>> ax = plots.rho_sensitivity([0.02, 0.01, 0.03, -0.01, 0.02, 0.0, 0.04, 0.01, 0.02, 0.01])
    >>> ax.get_xlabel()
    'between-block correlation ρ'
    """
    found = source
    if not isinstance(found, RhoSensitivity):
        found = sensitivity(found if isinstance(found, Losses) else Losses(found))
    marks = [
        RhoMark(name, rho, float(found.pvalue[found.at(rho)])) for name, rho in found.marks.items()
    ]
    return RhoCurve(
        found.rho,
        found.pvalue,
        tuple(sorted(marks, key=lambda mark: mark.rho)),
        1.0 - found.level,
        found.threshold,
        found.verdict,
    )


rho_sensitivity_of = rho_sensitivity.chart


@drawn_by(RhoCurve, lambda _: (WIDTH, 3.6))
def _draw_rho(chart: RhoCurve, ax: Any) -> None:
    floor = max(_FLOOR, 0.4 * min(chart.alpha, float(chart.pvalue.min())))
    shown = np.maximum(chart.pvalue, floor)
    _set_axes(ax, floor)
    ax.axhspan(floor, chart.alpha, color=ink(), alpha=0.07, linewidth=0, zorder=1)
    ax.axhline(chart.alpha, color=ink(), linewidth=1.0, linestyle=(0, (4, 3)), zorder=2)
    ax.plot(chart.rho, shown, "-", color=BLUE, linewidth=2.2, zorder=3)
    _name_the_level(chart, ax)
    _draw_marks(chart.marks, floor, ax)


def _draw_marks(marks: tuple[RhoMark, ...], floor: float, ax: Any) -> None:
    """Draw the marks with labels above the axes or, where these are too narrow for that, with a legend there."""
    centers = _centers(marks, ax)
    for number, mark in enumerate(marks):
        color = VERMILION if mark.name == "threshold" else BLUE
        shape = (
            _MARKERS[number % len(_MARKERS)]
            if centers is None
            else "v"
            if mark.pvalue < floor
            else "o"
        )
        at = max(mark.pvalue, floor)
        style = {
            "color": color,
            "markersize": 6.5,
            "linestyle": "none",
            "clip_on": False,
            "zorder": 4,
        }
        ax.plot(mark.rho, at, shape, label=", ".join(mark.lines), **style)
        if centers is not None:
            _label(mark, at, centers[number], color, ax)
    if centers is None:
        place = {"loc": "lower left", "bbox_to_anchor": (0.0, 1.0), "borderaxespad": 0.3}
        ax.legend(**place, fontsize="x-small", frameon=False, handletextpad=0.1)


def _set_axes(ax: Any, floor: float) -> None:
    from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

    ax.set_yscale("log")
    ax.set_ylim(floor, 1.0)
    ax.set_xlim(0.0, 1.0)
    subs = (1.0,) if floor < 2e-3 else (1.0, 2.0, 5.0)
    ax.yaxis.set_major_locator(LogLocator(base=10.0, subs=subs, numticks=12))
    ax.yaxis.set_minor_locator(NullLocator())
    ax.yaxis.set_major_formatter(
        FuncFormatter(lambda p, _: np.format_float_positional(p, precision=6, trim="-"))
    )
    ax.set_xlabel("between-block correlation ρ")
    ax.set_ylabel("p-value")
    ax.spines[["top", "right"]].set_visible(False)


def _name_the_level(chart: RhoCurve, ax: Any) -> None:
    """Write the level where neither the curve nor a mark is: above the line left of the threshold, below it right of it."""
    edges = sorted({0.0, 1.0, *(mark.rho for mark in chart.marks)})
    gaps = np.diff(edges)
    widest = int(gaps.argmax())
    center = edges[widest] + gaps[widest] / 2
    above = center < chart.threshold
    ax.annotate(
        f"{100 * chart.alpha:.6g} % level",
        (center, chart.alpha),
        (0, 3 if above else -3),
        textcoords="offset points",
        ha="center",
        va="bottom" if above else "top",
        fontsize="small",
        color=ink(),
    )


def _label(mark: RhoMark, at: float, center: float, color: str, ax: Any) -> None:
    """Write above the axes what a mark stands for, and draw a line from there to the mark."""
    above = ax.get_xaxis_transform()
    thin = {"color": color, "linewidth": 0.8, "alpha": 0.6, "zorder": 2, "clip_on": False}
    ax.plot([center, mark.rho], [1.08, 1.01], transform=above, **thin)
    ax.plot([mark.rho, mark.rho], [1.01, 1.0], transform=above, **thin)
    ax.plot([mark.rho, mark.rho], [at, 1.0], **thin)
    text = "\n".join(mark.lines)
    ax.text(
        center,
        1.1,
        text,
        transform=above,
        ha="center",
        va="bottom",
        fontsize="small",
        linespacing=1.3,
    )


def _centers(marks: tuple[RhoMark, ...], ax: Any) -> FloatArray | None:
    """Return where labels are centred so that none touches another, each as near to its mark as can be; None if there is no room."""
    from scipy.optimize import isotonic_regression

    widths = np.array([_width(mark, ax) for mark in marks])
    offsets = np.concatenate([[0.0], np.cumsum((widths[:-1] + widths[1:]) / 2 + _GAP)])
    low = -0.1 + widths[0] / 2
    high = 1.02 - widths[-1] / 2 - offsets[-1]
    if high < low:
        return None
    wanted = np.array([mark.rho for mark in marks]) - offsets
    return np.asarray(np.clip(isotonic_regression(wanted).x, low, high) + offsets)


def _width(mark: RhoMark, ax: Any) -> float:
    """Return the width of a label, as a share of that of the axes."""
    points = max(points_wide(line, SMALL) for line in mark.lines)
    return float(1.08 * points / 72.0 / inches_wide(ax))
