"""Size and power of the corrected t and the conservative Z against the numbers of splits and of halvings."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from errbar_lab.plots import _panels as parts
from errbar_lab.plots._canvas import BLUE, GREEN, PURPLE, entry, plot
from errbar_lab.plots._names import labels

if TYPE_CHECKING:
    from errbar_lab.studies import Habitat
    from errbar_lab.studies._cells import Interval
    from errbar_lab.studies._variants import VariantResult

# In inches: a row of panels, and what stands above and below all of them.
_PANEL, _AROUND = 2.2, 1.0
_STYLES = {
    ("corrected-t", "t"): ("corrected t", BLUE, "o", "-"),
    ("conservative-z", "normal"): ("conservative Z, normal", PURPLE, "s", (0, (5, 1.5))),
    ("conservative-z", "t"): ("conservative Z, t", GREEN, "D", (0, (3, 1.5, 1, 1.5))),
}


@plot
def habitat(found: "Habitat") -> parts.StudyChart:
    """Draw size and power of the corrected t against its splits, and of the conservative Z against its halvings.

    Parameters
    ----------
    found : Habitat
        From `errbar_lab.habitat`.
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
    errbar_lab.habitat : The numbers behind the plot.

    Examples
    --------
    >>> from sklearn.linear_model import LinearRegression
    >>> import errbar_lab as lab
    >>> from errbar_lab import plots
    >>> population = lab.GaussianRegression(features=2, relevant=1)
    >>> found = lab.habitat(
    ...     population, {"least squares": LinearRegression()}, n=40, repeats=[3, 5], halvings=[2], half_repeats=[3],
    ...     replicates=10,
    ... )
    >>> ax = plots.habitat(found)
    >>> [panel.get_xlabel() for panel in ax.figure.axes[1:5]]
    ['splits J', 'halvings M', 'splits J', 'halvings M']
    """
    study: Habitat = parts.known(found, "Habitat")
    count = parts.that_fit([_PANEL] * len(study.targets), _AROUND)
    return parts.StudyChart(
        (8.6, _AROUND + _PANEL * count), partial(_draw_habitat, study, study.targets[:count])
    )


habitat_of = habitat.chart


Line = list["VariantResult"]


def _lines(study: "Habitat", target: str) -> tuple[list[Line], list[Line]]:
    """Return the variants that differ in splits alone, and lists of those that differ in halvings alone."""
    found: dict[tuple[Any, ...], Line] = {}
    for one in study.judged:
        if one.performance.target == target:
            splits = one.method.repeats if one.method.halvings else None
            found.setdefault((one.method.kind, splits), []).append(one)
    lines = found.values()
    return [one for one in lines if not one[0].method.halvings], [
        one for one in lines if one[0].method.halvings
    ]


def _draw_habitat(study: "Habitat", targets: Sequence[str], ax: Any) -> None:
    handles = [
        *_handles(study),
        *parts.left_out(len(targets), len(study.targets), "learners and differences"),
    ]
    panels = parts.spread(ax, len(targets), 4, handles, 2)
    names = labels([parts.shown(target) for target in targets])
    band = parts.usual(study.alpha, study.judged[0].performance.size.total)
    highest = max(band[1], *(one.performance.size.high for one in study.judged))
    for target, name, own in zip(targets, names, panels, strict=True):
        for lines, size, power in zip(_lines(study, target), own[:2], own[2:], strict=True):
            parts.draw_band(size, study.alpha, band, upright=False)
            _draw_lines(lines, size, lambda one: [one.performance.size])
            _draw_lines(lines, power, lambda one: one.power)
            _name_distances(study, lines, power)
            size.set_ylim(0.0, 100.0 * min(1.0, 1.06 * highest))
            power.set_ylim(0.0, 102.0)
        for panel in own[1::2]:
            panel.tick_params(labelleft=False)
        own[0].set_ylabel("size, %")
        own[2].set_ylabel("power, %")
        own[0].set_title(name, loc="left", fontsize="medium")
    for panel, words in zip(panels[-1], ("splits J", "halvings M") * 2, strict=True):
        panel.set_xlabel(words)


def _draw_lines(
    lines: Sequence[Line], ax: Any, numbers: "Callable[[VariantResult], Sequence[Interval]]"
) -> None:
    """Draw one or more numbers of each variant, joined along the lines, against the counts in which variants differ."""
    for line, places in zip(lines, _places(lines), strict=True):
        for found in zip(*map(numbers, line), strict=True):
            parts.draw_found(ax, places, found, **_style(line))
    counts = sorted({count for line in lines for count in _counts(line)})
    ax.set_xticks(counts, [f"{count}" for count in counts])
    room = 0.12 * (counts[-1] - counts[0]) or 1.0
    ax.set_xlim(counts[0] - room, counts[-1] + room)
    parts.tidy(ax)


def _name_distances(study: "Habitat", lines: Sequence[Line], ax: Any) -> None:
    """Write at the right of the first line's powers how far from the truth they are."""
    for distance, power in zip(study.distances, lines[0][-1].power, strict=True):
        ax.annotate(
            f"{distance:g} sd", (max(_places(lines)[-1]), 100.0 * power.value), (6, 0),
            textcoords="offset points", fontsize="x-small", va="center",
        )  # fmt: skip


def _style(line: Line) -> dict[str, Any]:
    _, color, marker, dashes = _STYLES[line[0].method.kind]
    return {
        "color": color,
        "marker": marker,
        "linestyle": dashes,
        "markersize": 4.5,
        "linewidth": 1.3,
    }


def _counts(line: Line) -> list[int]:
    """Return the numbers in which the variants of a line differ: halvings, or splits where there are none."""
    return [one.method.halvings or one.method.repeats for one in line]


def _places(lines: Sequence[Line]) -> list[list[float]]:
    """Return where lines have their points: beside each other where they have the same counts."""
    counts = [count for line in lines for count in _counts(line)]
    step = 0.05 * (max(counts, default=0) - min(counts, default=0))
    shifts = [step * (place - (len(lines) - 1) / 2) for place in range(len(lines))]
    return [
        [count + shift for count in _counts(line)]
        for line, shift in zip(lines, shifts, strict=True)
    ]


def _handles(study: "Habitat") -> list[Any]:
    by_splits, by_halvings = _lines(study, study.targets[0])
    found = []
    for line in (*by_splits, *by_halvings):
        method = line[0].method
        words = _STYLES[method.kind][0] + (f", J = {method.repeats}" if method.halvings else "")
        found.append(entry(words, **_style(line)))
    return [
        *found,
        parts.band_entry(f"95 % band if the true size is {parts.percentage(study.alpha)}"),
    ]
