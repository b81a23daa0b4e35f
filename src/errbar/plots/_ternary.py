"""The cloud of a posterior over three regions in a triangle."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from errbar import _check
from errbar._check import FloatArray
from errbar.datasets import Posterior
from errbar.errors import InvalidInputError
from errbar.methods._data_sets import posterior_of
from errbar.plots._canvas import BLUE, drawn_by, ink, plot
from errbar.plots._names import entitle, inches_tall, letters_in, place_inches
from errbar.plots._posterior import region_words
from errbar.result import Result

_HEIGHT = 0.5 * 3.0**0.5
_CELLS = 48
_ROUNDING = 1e-6


@dataclass(frozen=True, eq=False)
class Ternary:
    """What a triangle of posterior draws shows.

    Attributes
    ----------
    shares : ndarray, shape (draws, 3)
        Drawn probabilities of the regions left of, within and right of the region of practical equivalence.
    probabilities : tuple of three floats
        How often each region has the largest share.
    left, middle, right : str
        What the three regions mean.
    title : str
        Title of the triangle.
    """

    shares: FloatArray
    probabilities: tuple[float, float, float]
    left: str = "below"
    middle: str = "practically equivalent"
    right: str = "above"
    title: str = ""

    @property
    def points(self) -> FloatArray:
        """Place of each draw, shape (draws, 2): left region at (0, 0), right one at (1, 0), the middle one on top."""
        return np.stack(
            [self.shares[:, 2] + 0.5 * self.shares[:, 1], _HEIGHT * self.shares[:, 1]], axis=1
        )


@plot
def ternary(
    source: Posterior | ArrayLike,
    *,
    left: str = "below",
    middle: str | None = None,
    right: str = "above",
    title: str = "",
) -> Ternary:
    """Draw posterior draws of three probabilities as a cloud in a triangle.

    Parameters
    ----------
    source : Posterior or array-like of shape (draws, 3)
        What `errbar.datasets.bayesian_signed_rank`, `errbar.datasets.bayesian_sign` or
        `errbar.datasets.bayesian_hierarchical` returns, or draws of the probabilities that a difference is below,
        within and above the region of practical equivalence; each row adds up to 1.
    ax : matplotlib axes, optional
        Where to draw; by default a new figure.
    left, right : str, default "below" and "above"
        What it means that the difference is below and above the region, such as ``"tree better"``.
    middle : str, optional
        What it means that it is within; by default ``"practically equivalent"``, with the width where that is known.
    title : str, default ""
        Title of the triangle.

    Returns
    -------
    matplotlib axes
        With the cloud, darker where draws are dense. Each corner is a region that has all probability, the lines
        divide the triangle into the parts in which one region has the largest share, and the number at each corner
        is the share of the draws in its part.

    Raises
    ------
    MissingPackageError
        If matplotlib is not installed.
    InvalidInputError
        If the draws are not rows of three probabilities.

    See Also
    --------
    posterior : The density of a difference on one data set.

    Notes
    -----
    Triangles of posterior draws are how [1]_ show such posteriors.

    References
    ----------
    .. [1] Benavoli, Corani, Demsar & Zaffalon (2017), Journal of Machine Learning Research 18(77), 1-36.

    Examples
    --------
    >>> from errbar import plots
    >>> from errbar.datasets import bayesian_signed_rank
    >>> found = bayesian_signed_rank([-0.031, -0.012, 0.004, -0.022, -0.017, -0.009], rope=0.005, samples=1000)
    >>> ax = plots.ternary(found, left="tree better", right="forest better")
    >>> [text.get_text().splitlines()[0] for text in ax.texts]
    ['tree better', 'practically equivalent (±0.005)', 'forest better']
    """
    between = "practically equivalent"
    if isinstance(source, Posterior):
        found = source
        between = f"{between} (±{found.half_width:.4g})" if found.half_width else "equal"
    else:
        found = posterior_of(_checked(source), 0.0, 0)
    probabilities = (found.left, found.rope, found.right)
    return Ternary(
        found.samples, probabilities, left, between if middle is None else middle, right, title
    )


ternary_of = ternary.chart


def _checked(source: Any) -> FloatArray:
    if isinstance(source, Result):
        raise InvalidInputError(
            f"must hold draws, and a Result of {source.method!r} has none; errbar.datasets.bayesian_sign and "
            "bayesian_signed_rank return them",
            argument="source",
        )
    shares = _check.numbers(source, "source", "draw")
    if shares.ndim != 2 or shares.shape[1] != 3 or not len(shares):
        raise InvalidInputError(
            f"must have three columns and at least one row, got shape {shares.shape}",
            argument="source",
        )
    if shares.min() < -_ROUNDING or np.abs(shares.sum(axis=1) - 1.0).max() > _ROUNDING:
        row = int(np.argmax(np.maximum(np.abs(shares.sum(axis=1) - 1.0), -shares.min(axis=1))))
        raise InvalidInputError(
            f"must hold probabilities that add up to 1 in each row, got {shares[row].tolist()} in row {row} "
            "(counted from 0)",
            argument="source",
        )
    return shares


@drawn_by(Ternary, lambda chart: (4.8, 4.5 + 0.3 * bool(chart.title)))
def _draw_ternary(chart: Ternary, ax: Any) -> None:
    from matplotlib.colors import LinearSegmentedColormap, to_rgb
    from matplotlib.patches import Polygon

    corners = [(0.0, 0.0), (0.5, _HEIGHT), (1.0, 0.0)]
    frame = Polygon(
        corners, closed=True, facecolor="none", edgecolor=ink(), linewidth=1.2, zorder=4
    )
    # Towards the colour of the text, so that the cloud stands out from white paper as from a dark page.
    deep = [
        0.65 * blue + 0.35 * text for blue, text in zip(to_rgb(BLUE), to_rgb(ink()), strict=True)
    ]
    colors = LinearSegmentedColormap.from_list("errbar-cloud", [(*to_rgb(BLUE), 0.2), (*deep, 1.0)])
    x, y = chart.points.T
    cloud = ax.hexbin(
        x,
        y,
        gridsize=(_CELLS, round(_CELLS * _HEIGHT / 3.0**0.5)),
        extent=(0.0, 1.0, 0.0, _HEIGHT),
        mincnt=1,
        cmap=colors,
        linewidths=0.0,
        zorder=2,
    )
    ax.add_patch(frame)
    cloud.set_clip_path(frame)
    centre = (0.5, _HEIGHT / 3.0)
    for middle in ((0.5, 0.0), (0.25, 0.5 * _HEIGHT), (0.75, 0.5 * _HEIGHT)):
        ax.plot(*zip(centre, middle, strict=True), "--", color=ink(), linewidth=1.0, zorder=3)
    places = (
        (-0.06, -0.03, "left", "top"),
        (0.5, _HEIGHT + 0.03, "center", "bottom"),
        (1.06, -0.03, "right", "top"),
    )
    # The triangle is as wide as its height allows.
    inches = min(place_inches(ax), 1.2 * inches_tall(ax))
    words = region_words(chart, letters_in(0.43 * inches), letters_in(0.9 * place_inches(ax)))
    for text, (left, bottom, side, level) in zip(words, places, strict=True):
        ax.text(left, bottom, text, ha=side, va=level, linespacing=1.3)
    ax.set_aspect("equal")
    ax.set_xlim(-0.08, 1.08)
    ax.set_ylim(-0.16, _HEIGHT + 0.15)
    ax.set_axis_off()
    entitle(ax, chart.title)
