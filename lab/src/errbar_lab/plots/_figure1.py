"""Power curves of the tests of Nadeau & Bengio (2003), figure 1."""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from errbar import _check
from errbar.errors import InvalidInputError
from errbar_lab.plots import _panels as parts
from errbar_lab.plots._canvas import (
    BLUE,
    GREEN,
    PURPLE,
    VERMILION,
    WIDTH,
    entry,
    ink,
    place_legend,
    plot,
)
from errbar_lab.plots._names import escape

if TYPE_CHECKING:
    from errbar_lab.studies import Curve, Figure1

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
_CIRCLE = parts.hollow("o", 4.5)


@plot
def figure1(found: "Figure1", *, targets: Sequence[str] = ("A", "A-B")) -> parts.StudyChart:
    """Draw the power of eight tests against the hypothetical value, one panel per target.

    Parameters
    ----------
    found : Figure1
        From `errbar_lab.figure1`.
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
    errbar_lab.figure1 : The numbers behind the plot.

    References
    ----------
    .. [1] Nadeau, C. & Bengio, Y. (2003). Inference for the generalization error. Machine Learning 52, 239-281.

    Examples
    --------
    >>> import numpy as np
    >>> import errbar_lab as lab
    >>> from errbar_lab import plots
    >>> X = np.random.default_rng(0).normal(size=(200, 16))
    >>> population = lab.FinitePopulation(X, X[:, 0] > 0.0)
    >>> found = lab.figure1(population, data_sets=3, n=20, truth_draws=3)
    >>> ax = plots.figure1(found, targets=["A-B"])
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('hypothetical difference μ₀', 'rejected, %')
    """
    study: Figure1 = parts.known(found, "Figure1")
    if isinstance(targets, str) or not targets:
        raise InvalidInputError(
            f"must be a list of names such as ['A', 'A-B'], got {targets!r}", argument="targets"
        )
    names = [_check.choice(target, study.targets, "targets") for target in targets]
    size = (WIDTH, 4.9) if len(names) == 1 else (4.3 * len(names), 4.4)
    return parts.StudyChart(size, partial(_draw_figure1, study, names))


figure1_of = figure1.chart


def _draw_figure1(study: "Figure1", targets: Sequence[str], ax: Any) -> None:
    if len(targets) == 1:
        panels = [ax]
    else:
        [panels] = parts.spread(ax, 1, len(targets), _handles(study), 3)
    for target, own in zip(targets, panels, strict=True):
        _draw_panel(study, target, own)
    panels[0].set_ylabel("rejected, %")
    if len(targets) == 1:
        place_legend(ax, _handles(study))


def _draw_panel(study: "Figure1", target: str, ax: Any) -> None:
    curves = [curve for curve in study.curves if curve.target == target]
    for curve in curves:
        ax.plot(
            curve.mu0, 100.0 * curve.power, **_style(_method(curve)), **_circles(curve), zorder=3
        )
    for end in study.intervals[target]:
        ax.axvline(end, **parts.fine("dotted"))
    ax.axvspan(*study.intervals[target], color=ink(), alpha=parts.BAND, linewidth=0, zorder=1)
    for level, dashes in _levels(study):
        ax.axhline(100.0 * level, **parts.fine(dashes))
    left, right = curves[0].mu0[[0, -1]]
    room = 0.01 * (right - left)
    ax.set_xlim(left - room, right + room)
    ax.set_ylim(0.0, 102.0)
    single = "-" not in target
    ax.set_xlabel("hypothetical expected risk μ₀" if single else "hypothetical difference μ₀")
    name = escape(target.replace("-", " \N{MINUS SIGN} "))
    ax.set_title(f"Expected risk of {name}" if single else f"Difference {name}", fontsize="medium")
    ax.locator_params(axis="x", nbins=6)
    parts.tidy(ax)


def _levels(study: "Figure1") -> list[tuple[float, str]]:
    """Return the nominal size, and the least share significantly above it unless there are too few data sets for one."""
    alpha = 1.0 - study.level
    above = parts.significant(alpha, study.data_sets)
    return [(alpha, "solid"), (above, "dotted")] if above <= 1.0 else [(alpha, "solid")]


def _method(curve: "Curve") -> str:
    """Return the statistic of a curve without the size of its test sets."""
    return curve.statistic.partition(" ")[0]


def _style(method: str) -> dict[str, Any]:
    _, color, dashes = _STYLES[method]
    return {"color": color or ink(), "linestyle": dashes, "linewidth": 1.7}


def _circles(curve: "Curve") -> dict[str, Any]:
    if curve.statistic.partition(" ")[2] != _SMALL:
        return {}
    middle = curve.mu0.size // 2
    step = max(1, curve.mu0.size // _CIRCLES)
    return {**_CIRCLE, "markevery": (middle % step, step)}


def _handles(study: "Figure1") -> list[Any]:
    nominal, *above = [level for level, _ in _levels(study)]
    return [
        *(
            entry(_STYLES[method][0], **_style(method))
            for method in dict.fromkeys(map(_method, study.curves))
        ),
        entry("n2 = n/10, 40 % of the data unused", color=ink(), **_CIRCLE),
        parts.band_entry("95 % interval of the true value"),
        entry(f"nominal level {parts.percentage(nominal)}", **parts.fine("solid")),
        *(
            entry(f"significantly above it from {100.0 * share:.3g} %", **parts.fine("dotted"))
            for share in above
        ),
    ]
