"""Where squared standard errors come from: seeds, examples and clusters."""

from dataclasses import dataclass
from typing import Any

from errbar.comparison import MOST_LISTED, ComparisonData
from errbar.errors import InvalidInputError
from errbar.plots._canvas import BLUE, GREEN, VERMILION, WIDTH, drawn_by, ink, place_legend, plot
from errbar.plots._names import SMALL, labels, name_axis, pair_labels, row_points
from errbar.result import Result

# What the parts are called in the legend, and how they are drawn: told apart without colours by their hatches too.
_STYLES: dict[str, tuple[str, str, str]] = {
    "example": ("examples", BLUE, ""),
    "seed": ("seeds", VERMILION, "///"),
    "cluster": ("what clusters add", VERMILION, "///"),
    "seed x example": ("seeds and examples together", GREEN, "..."),
}

# More rows than this are drawn closer together.
_MOST_APART = 16


@dataclass(frozen=True)
class ErrorParts:
    """One row of a plot of the parts of squared standard errors.

    Attributes
    ----------
    label : str
        What the row is about.
    shares : tuple of (str, float)
        Parts of the squared standard error by what they come from, as shares of it that add up to 1; a part may be negative.
    se : float
        Standard error.
    """

    label: str
    shares: tuple[tuple[str, float], ...]
    se: float


@dataclass(frozen=True)
class ErrorSources:
    """What a plot of the parts of squared standard errors shows.

    Attributes
    ----------
    rows : tuple of ErrorParts
        From top to bottom, differences first.
    """

    rows: tuple[ErrorParts, ...]

    @property
    def sources(self) -> list[str]:
        """What the parts come from, in the order in which they are drawn."""
        found = {name for row in self.rows for name, _ in row.shares}
        return [name for name in _STYLES if name in found] + sorted(found - set(_STYLES))


@plot
def components(source: ComparisonData) -> ErrorSources:
    """Draw where the squared standard error of every difference and every learner comes from.

    Parameters
    ----------
    source : Comparison
        By a method that tells, such as ``"crossed-t"`` or ``"cluster-t"``. Of a large comparison 24 pairs and 24 learners are drawn.
    ax : matplotlib axes, optional
        Where to draw; by default a new figure.

    Returns
    -------
    matplotlib axes
        With one bar per row, cut into the parts of its squared standard error, and its standard error beside it. Clusters whose examples
        are less alike than others take something away, to the left of 0.

    Raises
    ------
    MissingPackageError
        If matplotlib is not installed.
    InvalidInputError
        If the results have no components, or nothing varies.

    See Also
    --------
    clusters : The difference in each cluster.
    errbar.planning.plan_crossed : What to buy next.

    Examples
    --------
    >>> import errbar
    >>> from errbar import plots
    >>> a, b = [0, 1, 1, 0, 1, 1, 0, 1, 0, 0, 1, 1], [1, 1, 1, 0, 1, 0, 1, 1, 0, 1, 1, 0]
    >>> table = errbar.from_losses({"a": a, "b": b}, groups=[1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6])
    >>> ax = plots.components(errbar.compare_table(table))
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['a − b', 'a', 'b']
    """
    pairs = source.pairs
    if source.large:
        pairs = tuple(found.pair for found in source.listed) or source.pairs[:MOST_LISTED]
    names = pair_labels([(pair.a, pair.b) for pair in pairs])
    rows = [_row(name, pair.result) for name, pair in zip(names, pairs, strict=True)]
    rows += [_row(name, source.learners[name]) for name in source.listed_learners[:MOST_LISTED]]
    found = tuple(row for row in rows if row is not None)
    if not found:
        raise InvalidInputError(
            f"the results of method {source.method!r} do not tell where their squared standard errors come from; those of 'cluster-t' and "
            "'crossed-t' do, unless nothing varies"
        )
    return ErrorSources(found)


components_of = components.chart


def _row(name: str, result: Result) -> ErrorParts | None:
    total = sum(result.components.values())
    if not result.components or not total > 0.0:
        return None
    return ErrorParts(
        name, tuple((source, part / total) for source, part in result.components.items()), result.se
    )


@drawn_by(
    ErrorSources,
    lambda chart: (
        WIDTH,
        1.2 + (0.3 if len(chart.rows) <= _MOST_APART else 0.22) * len(chart.rows),
    ),
)
def _draw_components(chart: ErrorSources, ax: Any) -> None:
    from matplotlib.patches import Patch

    handles = []
    size = row_points(ax, len(chart.rows), 1.0 if len(chart.rows) <= _MOST_APART else SMALL)
    left, right = [0.0] * len(chart.rows), [0.0] * len(chart.rows)
    for source in chart.sources:
        words, color, hatch = _STYLES.get(source, (source, ink(), ""))
        style: dict[str, Any] = {
            "facecolor": color,
            "edgecolor": "white",
            "hatch": hatch,
            "linewidth": 0.6,
        }
        for row, parts in enumerate(chart.rows):
            share = 100.0 * dict(parts.shares).get(source, 0.0)
            ends = right if share >= 0.0 else left
            ax.barh(row, share, left=ends[row], height=0.62, zorder=3, **style)
            ends[row] += share
        handles.append(Patch(label=words, **style))
    low, high = min(left), max(right)
    room = 0.02 * (high - low)
    ax.set_xlim(low - (room if low < 0.0 else 0.0), high + room)
    ax.axvline(0.0, color=ink(), linewidth=1.0, zorder=4)
    for row, parts in enumerate(chart.rows):
        ax.text(
            1.01,
            row,
            _number(parts.se),
            transform=ax.get_yaxis_transform(),
            va="center",
            fontsize=SMALL * size,
        )
    ax.text(1.01, 1.0, "standard\nerror", transform=ax.transAxes, va="bottom", fontsize="small")
    ax.set_yticks(
        range(len(chart.rows)), labels([row.label for row in chart.rows], ax), fontsize=size
    )
    ax.set_ylim(len(chart.rows) - 0.4, -0.6)
    name_axis(ax, "x", "share of the squared standard error, in %")
    ax.tick_params(axis="y", length=0)
    ax.spines[["left", "top", "right"]].set_visible(False)
    place_legend(ax, handles)


def _number(value: float) -> str:
    """Return a number with three digits, and no exponent where it can be read without."""
    return f"{value:.0f}" if 100.0 <= value < 1e9 else f"{value:#.3g}"
