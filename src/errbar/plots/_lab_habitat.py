"""Size and power of the corrected t and the conservative Z against the numbers of splits and of halvings."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from errbar.plots._canvas import BLUE, GREEN, PURPLE, draw, drawn_by, label
from errbar.plots._lab_panels import (
    Mark,
    band_entry,
    draw_band,
    draw_bar,
    entry,
    in_percent,
    known,
    percentage,
    shown,
    spread,
    tidy,
    usual,
)

if TYPE_CHECKING:
    from errbar.lab.studies import Habitat

_WORDS = {
    ("corrected-t", "t"): "corrected t",
    ("conservative-z", "normal"): "conservative Z, normal law",
    ("conservative-z", "t"): "conservative Z, t law",
}
_STYLES = {
    ("corrected-t", "t"): (BLUE, "o", "-"),
    ("conservative-z", "normal"): (PURPLE, "s", (0, (5, 1.5))),
    ("conservative-z", "t"): (GREEN, "D", (0, (3, 1.5, 1, 1.5))),
}


@dataclass(frozen=True)
class CountLine:
    """One kind of method, by the number of splits or of halvings.

    Attributes
    ----------
    kind : tuple of str
        Key of the method and its reference law.
    splits : int or None
        Splits J of all its points; None where these are what differs.
    counts : tuple of int
        Numbers of splits, or of halvings.
    sizes : tuple of Mark
        Sizes, one per count.
    powers : tuple of tuple of Mark
        Powers, by distance from the truth.
    """

    kind: tuple[str, str]
    splits: int | None
    counts: tuple[int, ...]
    sizes: tuple[Mark, ...]
    powers: tuple[tuple[Mark, ...], ...]


@dataclass(frozen=True)
class HabitatRow:
    """One target.

    Attributes
    ----------
    target : str
        The learner, or two with a minus between them.
    by_splits, by_halvings : tuple of CountLine
        The corrected t by the number of splits, the conservative Z by that of halvings.
    """

    target: str
    by_splits: tuple[CountLine, ...]
    by_halvings: tuple[CountLine, ...]


@dataclass(frozen=True)
class HabitatRows:
    """What the plot of the study of the natural habitat shows.

    Attributes
    ----------
    rows : tuple of HabitatRow
        From top to bottom.
    distances : tuple of float
        Distances from the truth of the powers, in standard deviations.
    alpha : float
        Nominal size.
    usual : tuple of float
        Between which shares at least 95 % of the measured sizes lie if the true one is nominal.
    """

    rows: tuple[HabitatRow, ...]
    distances: tuple[float, ...]
    alpha: float
    usual: tuple[float, float]

    @property
    def highest(self) -> float:
        """The largest size, with its interval."""
        ends = [mark.high for row in self.rows for line in (*row.by_splits, *row.by_halvings) for mark in line.sizes]
        return max(self.usual[1], *ends)


def habitat(found: "Habitat", ax: Any = None) -> Any:
    """Draw size and power of the corrected t against its splits, and of the conservative Z against its halvings.

    Parameters
    ----------
    found : Habitat
        From `errbar.lab.habitat`.
    ax : matplotlib axes, optional
        Where to draw; by default a new figure. The panels take the place of the axes.

    Returns
    -------
    matplotlib axes
        With the panels in their place: a row per learner and difference, sizes at the left, powers at the right. The
        band about the nominal size is where measured ones usually lie if the true one is nominal.

    Raises
    ------
    MissingPackageError
        If matplotlib is not installed.
    InvalidInputError
        If it is another study.

    See Also
    --------
    errbar.lab.habitat : The numbers behind the plot.

    Examples
    --------
    >>> from sklearn.linear_model import LinearRegression
    >>> from errbar import lab, plots
    >>> population = lab.GaussianRegression(features=2, relevant=1)
    >>> found = lab.habitat(
    ...     population, {"least squares": LinearRegression()}, n=40, repeats=[3, 5], halvings=[2], half_repeats=[3],
    ...     replicates=10,
    ... )
    >>> ax = plots.habitat(found)
    >>> [panel.get_xlabel() for panel in ax.figure.axes[1:5]]
    ['splits J', 'halvings M', 'splits J', 'halvings M']
    """
    return draw(habitat_of(found), ax)


def habitat_of(found: "Habitat") -> HabitatRows:
    """Compute what `habitat` draws.

    Parameters
    ----------
    found : Habitat
        As for `habitat`.

    Returns
    -------
    HabitatRows
        One row per learner and difference.
    """
    study: Habitat = known(found, "Habitat")
    alpha, total = 1.0 - study.level, study.judged[0].performance.size.total
    rows = tuple(_row(study, target) for target in study.targets)
    return HabitatRows(rows, study.distances, alpha, usual(alpha, total))


def _row(study: "Habitat", target: str) -> HabitatRow:
    found: dict[tuple[tuple[str, str], int | None], list[Any]] = {}
    for one in study.judged:
        if one.performance.target == target:
            splits = one.method.repeats if one.method.halvings else None
            found.setdefault((one.method.kind, splits), []).append(one)
    lines = [_line(*place, group) for place, group in found.items()]
    return HabitatRow(
        target,
        tuple(line for line in lines if line.splits is None),
        tuple(line for line in lines if line.splits is not None),
    )


def _line(kind: tuple[str, str], splits: int | None, group: list[Any]) -> CountLine:
    counts = tuple(one.method.repeats if splits is None else one.method.halvings for one in group)
    sizes = tuple(Mark.of(one.performance.size) for one in group)
    powers = tuple(zip(*(tuple(Mark.of(each) for each in one.power) for one in group), strict=True))
    return CountLine(kind, splits, counts, sizes, powers)


@drawn_by(HabitatRows, lambda chart: (8.6, 1.0 + 2.2 * len(chart.rows)))
def _draw_habitat(chart: HabitatRows, ax: Any) -> None:
    panels = spread(ax, len(chart.rows), 4, _handles(chart), 2)
    top = 100.0 * min(1.0, 1.06 * chart.highest)
    for row, own in zip(chart.rows, panels, strict=True):
        for lines, size, power in ((row.by_splits, own[0], own[2]), (row.by_halvings, own[1], own[3])):
            _draw_sizes(chart, lines, size)
            _draw_powers(chart, lines, power)
            size.set_ylim(0.0, top)
        for panel in own[1::2]:
            panel.tick_params(labelleft=False)
        own[0].set_ylabel("size, %")
        own[2].set_ylabel("power, %")
        own[0].set_title(label(shown(row.target)), loc="left", fontsize="medium")
    for panel, words in zip(panels[-1], ("splits J", "halvings M") * 2, strict=True):
        panel.set_xlabel(words)


def _draw_sizes(chart: HabitatRows, lines: Sequence[CountLine], ax: Any) -> None:
    draw_band(ax, chart.alpha, chart.usual, upright=False)
    for line, places in zip(lines, _places(lines), strict=True):
        _draw_line(ax, places, line.sizes, line.kind)
    _set_counts(ax, lines)


def _draw_powers(chart: HabitatRows, lines: Sequence[CountLine], ax: Any) -> None:
    points = _places(lines)
    for line, places in zip(lines, points, strict=True):
        for marks in line.powers:
            _draw_line(ax, places, marks, line.kind)
    _set_counts(ax, lines)
    ax.set_ylim(0.0, 102.0)
    ends = [marks[-1].value for marks in lines[0].powers]
    for distance, value in zip(chart.distances, ends, strict=True):
        ax.annotate(
            f"{distance:g} sd", (max(points[-1]), 100.0 * value), (6, 0),
            textcoords="offset points", fontsize="x-small", va="center",
        )  # fmt: skip


def _draw_line(ax: Any, places: Sequence[float], marks: Sequence[Mark], kind: tuple[str, str]) -> None:
    color, marker, dashes = _STYLES[kind]
    shares = [in_percent(mark) for mark in marks]
    style = {"color": color, "marker": marker, "linestyle": dashes, "markersize": 4.5, "linewidth": 1.3}
    ax.plot(places, [mark.value for mark in shares], zorder=4, **style)
    for place, mark in zip(places, shares, strict=True):
        draw_bar(ax, place, mark, color=color)


def _places(lines: Sequence[CountLine]) -> list[list[float]]:
    """Return where lines have their points: beside each other where they have the same counts."""
    counts = [count for line in lines for count in line.counts]
    step = 0.05 * (max(counts, default=0) - min(counts, default=0))
    shifts = [step * (place - (len(lines) - 1) / 2) for place in range(len(lines))]
    return [[count + shift for count in line.counts] for line, shift in zip(lines, shifts, strict=True)]


def _set_counts(ax: Any, lines: Sequence[CountLine]) -> None:
    counts = sorted({count for line in lines for count in line.counts})
    ax.set_xticks(counts, [f"{count}" for count in counts])
    room = 0.12 * (counts[-1] - counts[0]) or 1.0
    ax.set_xlim(counts[0] - room, counts[-1] + room)
    tidy(ax)


def _handles(chart: HabitatRows) -> list[Any]:
    lines = {(line.kind, line.splits): line for row in chart.rows for line in (*row.by_splits, *row.by_halvings)}
    found = []
    for kind, splits in lines:
        color, marker, dashes = _STYLES[kind]
        words = _WORDS[kind] + ("" if splits is None else f", J = {splits}")
        found.append(entry(words, color=color, marker=marker, linestyle=dashes, markersize=4.5, linewidth=1.3))
    return [*found, band_entry(f"95 % band if the true size is {percentage(chart.alpha)}")]


__all__ = ["CountLine", "HabitatRow", "HabitatRows", "habitat", "habitat_of"]
