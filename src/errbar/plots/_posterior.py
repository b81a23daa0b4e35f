"""The posterior density of a difference, and how much of it lies in a region of practical equivalence."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special

from errbar import _check
from errbar._check import FloatArray
from errbar._pairs import Pair
from errbar.comparison import ComparisonData
from errbar.errors import InvalidInputError
from errbar.metrics import in_words
from errbar.plots._canvas import BLUE, VERMILION, WIDTH, drawn_by, ink, plot
from errbar.plots._forest import directions
from errbar.plots._names import (
    fold,
    letters_in,
    name_axis,
    pair_label,
    place_inches,
    told_apart,
    width,
)
from errbar.result import Result

_METHOD = "bayes-correlated-t"
_POINTS = 400
_TAIL = (
    0.002  # probability beyond either end of the axis, unless that is further than so many scales
)
_FURTHEST = 6.0


@dataclass(frozen=True)
class PosteriorDensity:
    """What a plot of a posterior density shows: a Student t distribution and its parts left of, in and right of a region.

    Attributes
    ----------
    location, scale, df : float
        Parameters of the distribution; a scale of 0 puts all probability on the location.
    rope : float
        Half-width of the region of practical equivalence.
    left, middle, right : str
        What the three regions mean.
    level : float
        Probability of the credible interval.
    axis : str
        Label of the horizontal axis.
    """

    location: float
    scale: float
    df: float
    rope: float = 0.0
    left: str = "below"
    middle: str = "practically equivalent"
    right: str = "above"
    level: float = 0.95
    axis: str = "difference"

    @property
    def probabilities(self) -> tuple[float, float, float]:
        """Posterior probability of each region, from left to right."""
        if self.scale == 0.0:
            left, right = float(self.location < -self.rope), float(self.location > self.rope)
            return left, 1.0 - left - right, right
        left = float(special.stdtr(self.df, (-self.rope - self.location) / self.scale))
        right = float(special.stdtr(self.df, (self.location - self.rope) / self.scale))
        return left, max(0.0, 1.0 - left - right) if self.rope else 0.0, right

    @property
    def interval(self) -> tuple[float, float]:
        """Central credible interval."""
        reach = self._quantile(0.5 + 0.5 * self.level)
        return self.location - reach, self.location + reach

    @property
    def ends(self) -> tuple[float, float]:
        """Ends of the axis: nearly all of the law, 0 and the region."""
        reach = min(self._quantile(1.0 - _TAIL), _FURTHEST * self.scale)
        low = min(self.location - reach, self.interval[0], -1.3 * self.rope, 0.0)
        high = max(self.location + reach, self.interval[1], 1.3 * self.rope, 0.0)
        room = 0.04 * (high - low) or 1.0
        return low - room, high + room

    @property
    def x(self) -> FloatArray:
        """Where the density is computed; the ends of the region are among these points."""
        low, high = self.ends
        return np.unique(
            np.concatenate(
                [np.linspace(low, high, _POINTS), [-self.rope, self.rope, self.location]]
            )
        )

    def density(self, x: Any) -> FloatArray:
        """Return the density of the law.

        Parameters
        ----------
        x : array-like
            Where.

        Returns
        -------
        ndarray
            Density; the scale must be positive.
        """
        from scipy.stats import t

        return np.asarray(t.pdf(x, self.df, self.location, self.scale))

    def _quantile(self, share: float) -> float:
        return self.scale * float(special.stdtrit(self.df, share))


Law = tuple[float, float, float]
Source = ComparisonData | Pair | Result | Law


@plot
def posterior(
    source: Source,
    *,
    rope: float | None = None,
    pair: tuple[str, str] | None = None,
    left: str | None = None,
    right: str | None = None,
) -> PosteriorDensity:
    """Draw the posterior density of a difference, and how probable it is that either learner is better, or neither.

    Parameters
    ----------
    source : Comparison, Pair, Result or tuple of three floats
        What the method ``"bayes-correlated-t"`` has said, or location, scale and degrees of freedom of a Student t
        law.
    ax : matplotlib axes, optional
        Where to draw; by default a new figure.
    rope : float, optional
        Half-width of the region of practical equivalence; by default that of the source.
    pair : tuple of two str, optional
        Which pair of a comparison that has several.
    left, right : str, optional
        What it means to lie left and right of the region. A comparison knows by itself which learner is better there;
        a pair or a result does not know whether small numbers are good ones.

    Returns
    -------
    matplotlib axes
        With the density over three areas, their probabilities above, and the central credible interval below.

    Raises
    ------
    MissingPackageError
        If matplotlib is not installed.
    InvalidInputError
        If the source has no such posterior, `rope` is negative, or it is not clear which pair is meant.

    See Also
    --------
    errbar.methods.bayes_correlated_t : Where the distribution comes from.
    ternary : For posteriors over several data sets.

    Notes
    -----
    The posterior of the method is a Student t distribution with J - 1 degrees of freedom, whose location is the mean of the J
    scores and whose scale is their corrected standard error ([1]_). Another `rope` needs nothing but another look at
    it.

    References
    ----------
    .. [1] Corani & Benavoli (2015), Machine Learning 100(2-3), 285-304.

    Examples
    --------
    >>> from errbar import plots
    >>> ax = plots.posterior((0.013, 0.007, 9), rope=0.01, left="tree better", right="forest better")
    >>> [text.get_text().splitlines() for text in ax.texts]
    [['tree better', '0.5 %'], ['practically equivalent', '33.4 %'], ['forest better', '66.1 %']]
    """
    if pair is not None and not isinstance(source, ComparisonData):
        raise InvalidInputError(
            f"chooses from a Comparison; a {type(source).__name__} is about one pair only",
            argument="pair",
        )
    words, axis, result = ("below", "above"), "difference", source
    if isinstance(source, ComparisonData):
        chosen = _chosen(source, pair)
        words, result = (
            directions([chosen], higher_is_better=source.higher_is_better),
            chosen.result,
        )
        axis = f"difference in {in_words(source.table.loss.key)}, {pair_label(chosen.a, chosen.b)}"
    elif isinstance(source, Pair):
        below, above = told_apart((source.a, source.b))
        words, result = (f"{below} lower", f"{above} lower"), source.result
        axis = f"difference, {pair_label(source.a, source.b)}"
    law = _law(result) if isinstance(result, Result) else _given_law(result)
    return PosteriorDensity(
        *law,
        rope=_rope(result, law) if rope is None else _half_width(rope),
        left=words[0] if left is None else left,
        right=words[1] if right is None else right,
        level=result.level if isinstance(result, Result) else 0.95,
        axis=axis,
    )


posterior_of = posterior.chart


def _chosen(comparison: ComparisonData, pair: Any) -> Pair:
    pairs = {(one.a, one.b): one for one in comparison.pairs}
    listed = ", ".join(map(repr, pairs))
    if pair is None:
        if len(pairs) != 1:
            raise InvalidInputError(
                f"must say which of the pairs is meant: one of {listed or 'none'}", argument="pair"
            )
        return comparison.pairs[0]
    if not isinstance(pair, (tuple, list)) or tuple(pair) not in pairs:
        raise InvalidInputError(f"must be one of {listed or 'none'}, got {pair!r}", argument="pair")
    return pairs[tuple(pair)]


def _law(result: Result) -> Law:
    if result.method != _METHOD or not isinstance(result.df, (int, float)):
        hint = (
            "; try errbar.plots.ternary with the draws of errbar.datasets"
            if result.posterior
            else ""
        )
        raise InvalidInputError(
            f"must be a result of the method {_METHOD!r}, whose posterior is a density, got one of "
            f"{result.method!r}{hint}",
            argument="source",
        )
    return result.estimate, result.se, float(result.df)


def _rope(result: Any, law: Law) -> float:
    """Return the half-width from which the probabilities of a result were computed: the larger tail tells it."""
    shares = result.posterior if isinstance(result, Result) else {}
    location, scale, df = law
    if not shares.get("rope", 0.0) or scale == 0.0:
        return 0.0
    left, right = shares["left"], shares["right"]
    if max(left, right) < 1e-300:
        raise InvalidInputError(
            "must be given: this result puts all probability on a region of unknown width",
            argument="rope",
        )
    near = -location if left > right else location
    return max(0.0, near - scale * float(special.stdtrit(df, max(left, right))))


def _given_law(source: Any) -> Law:
    if not isinstance(source, (tuple, list)) or len(source) != 3:
        raise InvalidInputError(
            f"must be a Comparison, a Pair, a Result or (location, scale, df), got {type(source).__name__}",
            argument="source",
        )
    location, scale = _check.finite(source[0], "location"), _check.finite(source[1], "scale")
    df = _check.between(source[2], 0.0, math.inf, "df")
    if scale <= 0.0 or df == 0.0:
        raise InvalidInputError(
            f"and `df` must be positive, got {source[1]!r} and {source[2]!r}", argument="scale"
        )
    return location, scale, df


def _half_width(rope: float) -> float:
    value = _check.finite(rope, "rope")
    if value < 0.0:
        raise InvalidInputError(
            f"must be at least 0, the half-width of a region around 0, got {rope!r}",
            argument="rope",
        )
    return value


def percent(share: float) -> str:
    """Write a probability in percent; what is not quite 0 or 1 never looks as if it were."""
    if 0.0 < share < 0.001:
        return "< 0.1 %"
    if 0.999 < share < 1.0:
        return "> 99.9 %"
    return f"{100.0 * share:.1f} %"


def region_words(chart: Any, aside: int, between: int) -> list[str]:
    """Return what three regions mean, each with its probability, from left to right.

    Lines of the first and the last have at most `aside` letters, and those of the middle one `between`.
    """
    texts, letters = (chart.left, chart.middle, chart.right), (aside, between, aside)
    found = zip(texts, letters, chart.probabilities, strict=True)
    return [f"{fold(text, length)}\n{percent(share)}" for text, length, share in found]


@drawn_by(PosteriorDensity, lambda _: (WIDTH, 3.2))
def _draw_posterior(chart: PosteriorDensity, ax: Any) -> None:
    low, high = chart.ends
    colors = (BLUE, ink(), VERMILION)
    if chart.scale:
        _draw_density(chart, ax, colors)
    else:
        color = colors[chart.probabilities.index(1.0)]
        ax.plot([chart.location] * 2, [0.0, 1.0], "-", color=color, linewidth=2.5, zorder=3)
        ax.set_ylim(-0.1, 1.08)
    if chart.rope:
        for end in (-chart.rope, chart.rope):
            ax.axvline(end, color=ink(), linewidth=1.0, linestyle=(0, (4, 3)), zorder=2)
    ax.axvline(
        0.0,
        color=ink(),
        linewidth=0.8 if chart.rope else 1.2,
        alpha=0.5 if chart.rope else 1.0,
        zorder=2,
    )
    height = 0.5 * ax.get_ylim()[0]
    ax.plot(
        chart.interval,
        [height] * 2,
        "-",
        color=ink(),
        linewidth=2.6,
        solid_capstyle="butt",
        zorder=4,
    )
    ax.plot(chart.location, height, "o", color=ink(), markersize=5.0, zorder=4)
    letters = letters_in(0.31 * place_inches(ax))
    sides = 2 * min(letters, max(width(chart.left), width(chart.right)))
    between = max(letters, letters_in(place_inches(ax)) - sides - 4)
    for text, at, side in zip(
        region_words(chart, letters, between),
        (0.0, 0.5, 1.0),
        ("left", "center", "right"),
        strict=True,
    ):
        if side != "center" or chart.rope:
            ax.text(at, 1.02, text, ha=side, va="bottom", linespacing=1.3, transform=ax.transAxes)
    ax.set_xlim(low, high)
    ax.set_yticks([])
    region = f"; dashed: ±{chart.rope:.4g}" if chart.rope else ""
    name_axis(ax, "x", f"{chart.axis}\nbar: {100 * chart.level:.6g} % credible interval{region}")
    ax.locator_params(axis="x", nbins=6)
    ax.spines[["left", "top", "right"]].set_visible(False)


def _draw_density(chart: PosteriorDensity, ax: Any, colors: tuple[str, str, str]) -> None:
    x = chart.x
    y = chart.density(x)
    parts = (x <= -chart.rope, np.abs(x) <= chart.rope, x >= chart.rope)
    for part, color, strength in zip(parts, colors, (0.65, 0.25, 0.65), strict=True):
        ax.fill_between(x[part], y[part], color=color, alpha=strength, linewidth=0, zorder=1)
    ax.plot(x, y, "-", color=ink(), linewidth=1.4, zorder=3)
    ax.set_ylim(-0.09 * y.max(), 1.08 * y.max())
