"""Power curves of the tests of Nadeau & Bengio (2003), figure 1."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from errbar import _check
from errbar._check import FloatArray
from errbar.errors import InvalidInputError
from errbar.plots._canvas import BLUE, GREEN, PURPLE, VERMILION, WIDTH, draw, drawn_by, ink
from errbar.plots._lab_panels import (
    BAND,
    band_entry,
    entry,
    escape,
    known,
    percentage,
    significant,
    spread,
    tidy,
    write_legend,
)

if TYPE_CHECKING:
    from errbar.lab.studies import Curve, Figure1

# One colour and one kind of dashes per statistic; circles tell the versions with a tenth to test on from the others.
_STYLES: dict[str, tuple[str, str | None, Any]] = {
    "t": ("t", None, (0, (1, 1.2))),
    "resampled-t": ("resampled t", VERMILION, (0, (6, 2))),
    "corrected-t": ("corrected resampled t", BLUE, "-"),
    "5x2cv-t": ("5\N{MULTIPLICATION SIGN}2cv t", GREEN, (0, (4, 1.5, 1, 1.5))),
    "conservative-z": ("conservative Z", PURPLE, (0, (3, 1))),
}
_SMALL = "n2=n/10"
_CIRCLES = 10


@dataclass(frozen=True, eq=False)
class StatisticCurve:
    """One curve of a power panel.

    Attributes
    ----------
    method : str
        Statistic, without the size of its test sets.
    small : bool
        Whether it tests on a tenth of the examples, and leaves others unused to do so.
    mu0, power : ndarray, shape (points,)
        Hypothetical values, and the share of data sets in which each is rejected.
    """

    method: str
    small: bool
    mu0: FloatArray
    power: FloatArray


@dataclass(frozen=True, eq=False)
class PowerPanel:
    """Power curves about one target.

    Attributes
    ----------
    target : str
        The learner, or two with a minus between them.
    curves : tuple of StatisticCurve
        One per statistic.
    truth : float
        True expected risk or difference.
    interval : tuple of float
        Its 95 % interval from the data sets of the study.
    """

    target: str
    curves: tuple[StatisticCurve, ...]
    truth: float
    interval: tuple[float, float]


@dataclass(frozen=True, eq=False)
class PowerPanels:
    """What the plot of the study of figure 1 shows.

    Attributes
    ----------
    panels : tuple of PowerPanel
        From left to right.
    alpha : float
        Nominal size of the tests.
    significant : float
        Shares of rejections from here on are significantly above it, one-sided at 5 %; above 1 where there are so few
        data sets that none is.
    """

    panels: tuple[PowerPanel, ...]
    alpha: float
    significant: float


def figure1(found: "Figure1", ax: Any = None, *, targets: Sequence[str] = ("A", "A-B")) -> Any:
    """Draw the power of eight tests against the hypothetical value, one panel per target.

    Parameters
    ----------
    found : Figure1
        From `errbar.lab.figure1`.
    ax : matplotlib axes, optional
        Where to draw; by default a new figure. Two or more panels take the place of the axes, one is drawn in them.
    targets : sequence of str, default ("A", "A-B")
        Which of ``"A"``, ``"B"`` and ``"A-B"`` to show, from left to right.

    Returns
    -------
    matplotlib axes
        With the curves, or with the panels in their place. Where a curve passes between the vertical lines, which are
        the ends of the 95 % interval of the true value, is the size of the test. The horizontal lines are the nominal
        size and the share from which on a size is significantly above it.

    Raises
    ------
    MissingPackageError
        If matplotlib is not installed.
    InvalidInputError
        If it is another study, or a target is unknown.

    See Also
    --------
    errbar.lab.figure1 : The numbers behind the plot.

    References
    ----------
    .. [1] Nadeau, C. & Bengio, Y. (2003). Inference for the generalization error. Machine Learning 52, 239-281.

    Examples
    --------
    >>> import numpy as np
    >>> from errbar import lab, plots
    >>> X = np.random.default_rng(0).normal(size=(200, 16))
    >>> population = lab.FinitePopulation(X, X[:, 0] > 0.0)
    >>> found = lab.figure1(population, data_sets=3, n=20, truth_draws=3)
    >>> ax = plots.figure1(found, targets=["A-B"])
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('hypothetical difference μ₀', 'rejected, %')
    """
    return draw(figure1_of(found, targets=targets), ax)


def figure1_of(found: "Figure1", *, targets: Sequence[str] = ("A", "A-B")) -> PowerPanels:
    """Compute what `figure1` draws.

    Parameters
    ----------
    found : Figure1
        As for `figure1`.
    targets : sequence of str
        As for `figure1`.

    Returns
    -------
    PowerPanels
        One panel per target.
    """
    study: Figure1 = known(found, "Figure1")
    if isinstance(targets, str) or not targets:
        raise InvalidInputError(f"`targets` must be a list of names such as ['A', 'A-B'], got {targets!r}")
    names = [_check.choice(target, study.targets, "targets") for target in targets]
    alpha = 1.0 - study.level
    return PowerPanels(tuple(_panel(study, target) for target in names), alpha, significant(alpha, study.data_sets))


def _panel(study: "Figure1", target: str) -> PowerPanel:
    curves = tuple(_curve(one) for one in study.curves if one.target == target)
    truth = next(one.truth for one in study.performances if one.target == target)
    return PowerPanel(target, curves, truth, study.intervals[target])


def _curve(one: "Curve") -> StatisticCurve:
    method, _, sizes = one.statistic.partition(" ")
    return StatisticCurve(method, sizes == _SMALL, one.mu0, one.power)


def _size(chart: PowerPanels) -> tuple[float, float]:
    count = len(chart.panels)
    return (WIDTH, 4.9) if count == 1 else (4.3 * count, 4.4)


@drawn_by(PowerPanels, _size)
def _draw_figure1(chart: PowerPanels, ax: Any) -> None:
    handles = _handles(chart)
    if len(chart.panels) == 1:
        _draw_panel(chart, chart.panels[0], ax)
        write_legend(ax, handles, 2)
    else:
        [panels] = spread(ax, 1, len(chart.panels), handles, 3)
        for panel, own in zip(chart.panels, panels, strict=True):
            _draw_panel(chart, panel, own)
        for own in panels[1:]:
            own.set_ylabel("")


def _draw_panel(chart: PowerPanels, panel: PowerPanel, ax: Any) -> None:
    for curve in panel.curves:
        ax.plot(curve.mu0, 100.0 * curve.power, **_style(curve.method), **_circles(curve), zorder=3)
    for end in panel.interval:
        ax.axvline(end, **_fine("dotted"))
    ax.axvspan(*panel.interval, color=ink(), alpha=BAND, linewidth=0, zorder=1)
    ax.axhline(100.0 * chart.alpha, **_fine("solid"))
    if chart.significant <= 1.0:
        ax.axhline(100.0 * chart.significant, **_fine("dotted"))
    left, right = panel.curves[0].mu0[[0, -1]]
    room = 0.01 * (right - left)
    ax.set_xlim(left - room, right + room)
    ax.set_ylim(0.0, 102.0)
    single = "-" not in panel.target
    ax.set_xlabel("hypothetical expected risk μ₀" if single else "hypothetical difference μ₀")
    ax.set_ylabel("rejected, %")
    name = escape(panel.target.replace("-", " \N{MINUS SIGN} "))
    ax.set_title(f"Expected risk of {name}" if single else f"Difference {name}", fontsize="medium")
    ax.locator_params(axis="x", nbins=6)
    tidy(ax)


def _fine(style: str) -> dict[str, Any]:
    return {"color": ink(), "linestyle": style, "linewidth": 1.0, "alpha": 0.8, "zorder": 2}


def _style(method: str) -> dict[str, Any]:
    _, color, dashes = _STYLES[method]
    return {"color": color or ink(), "linestyle": dashes, "linewidth": 1.7}


def _circles(curve: StatisticCurve) -> dict[str, Any]:
    if not curve.small:
        return {}
    middle = curve.mu0.size // 2
    step = max(1, curve.mu0.size // _CIRCLES)
    return {**_circle(), "markevery": (middle % step, step)}


def _circle() -> dict[str, Any]:
    return {"marker": "o", "markersize": 4.5, "markerfacecolor": "none", "markeredgewidth": 1.1}


def _handles(chart: PowerPanels) -> list[Any]:
    methods = dict.fromkeys(curve.method for panel in chart.panels for curve in panel.curves)
    lines = [entry(_STYLES[method][0], **_style(method)) for method in methods]
    found = [
        *lines,
        entry("n2 = n/10, 40 % of the data unused", color=ink(), **_circle()),
        band_entry("95 % interval of the true value"),
        entry(f"nominal level {percentage(chart.alpha)}", **_fine("solid")),
    ]
    if chart.significant <= 1.0:
        found.append(entry(f"significantly above it from {100.0 * chart.significant:.3g} %", **_fine("dotted")))
    return found
