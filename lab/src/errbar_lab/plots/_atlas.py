"""Coverage, width and cost of each method of the atlas, over all its problems."""

import math
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from errbar_lab.plots import _panels as parts
from errbar_lab.plots._canvas import BLUE, GREEN, VERMILION, entry, ink, plot

if TYPE_CHECKING:
    from errbar_lab._atlas import Atlas

_SUBJECTS = {
    "learners": ("single learners", BLUE, "o"),
    "pairs": ("differences", VERMILION, "s"),
    "near-equal": ("differences of learners that nearly agree", GREEN, "D"),
}
_ROW_INCHES = 0.24
_LOWEST = 60.0  # coverages below are drawn at the edge
_TRUTHS = {
    "ER(n1)": "Expected risk",
    "PQ": "Risk of the very models that were trained",
    "R": "Risk of the model of all data",
}

_Record = Mapping[str, Any]


@plot
def atlas(found: "Atlas") -> parts.StudyChart:
    """Draw how often the intervals of each method cover what they are about, how wide they are, and what they cost.

    Parameters
    ----------
    found : Atlas
        From `errbar_lab.atlas`.
    ax : matplotlib axes, optional
        Where to draw; by default a new figure. The panels take the place of the axes.

    Returns
    -------
    matplotlib axes
        With the panels in their place: a row per method, in blocks by what the intervals are about. The marks at the left are means of
        the coverage over all problems and sizes, the thin lines reach down to the tenth lowest.

    Raises
    ------
    MissingPackageError
        If matplotlib is not installed.
    InvalidInputError
        If it is another study.

    See Also
    --------
    errbar_lab.atlas : The numbers behind the plot.

    Examples
    --------
    >>> import errbar_lab as lab
    >>> from errbar_lab import plots
    >>> found = lab.atlas(["no-signal"], [60], data_sets=2, truth_draws=2, cheap=True)
    >>> ax = plots.atlas(found)
    >>> [panel.get_xlabel() for panel in ax.figure.axes if panel.get_xlabel()]
    ['coverage, %', 'width, relative', 'fits']
    """
    study: Atlas = parts.known(found, "Atlas")
    by_subject: dict[str, list[_Record]] = study.content()["methods"]
    blocks = []
    for truth in _TRUTHS:
        own = {
            subject: {one["method"]: one for one in rows if one["about"] == truth}
            for subject, rows in by_subject.items()
        }
        names = list(dict.fromkeys(name for rows in own.values() for name in rows))
        if names:
            blocks.append((truth, names, own))
    heights = [0.3 + _ROW_INCHES * len(names) for _, names, _ in blocks]
    return parts.StudyChart(
        (9.2, 1.3 + sum(0.35 + height for height in heights)), partial(_draw, blocks, heights)
    )


atlas_of = atlas.chart


def _draw(blocks: Sequence[Any], heights: Sequence[float], ax: Any) -> None:
    handles = [
        entry(words, color=color, marker=marker, markersize=5.5)
        for words, color, marker in _SUBJECTS.values()
    ]
    handles.append(entry("thin: down to the tenth lowest cell", color=ink(), linestyle="-"))
    panels = parts.spread(ax, len(blocks), 3, handles, 2, heights)
    for (truth, names, own), (coverage, width, cost) in zip(blocks, panels, strict=True):
        for offset, (subject, rows) in zip((-0.22, 0.0, 0.22), own.items(), strict=True):
            _draw_subject(
                subject,
                [(names.index(name) + offset, one) for name, one in rows.items()],
                (coverage, width),
            )
        fits = {name: one["fits"] for rows in own.values() for name, one in rows.items()}
        cost.plot(
            [fits[name] for name in names],
            range(len(names)),
            "|",
            color=ink(),
            markersize=9,
            markeredgewidth=2,
        )
        coverage.axvline(95.0, **parts.fine())
        coverage.set_xlim(_LOWEST, 100.5)
        width.axvline(1.0, **parts.fine())
        for panel, ends, ticks in (
            (width, (0.3, 6.0), (0.5, 1, 2, 4)),
            (cost, (0.8, 1500.0), (1, 10, 100, 1000)),
        ):
            parts.label_logarithms(panel, *ends, ticks, fontsize="small")
        for panel in (coverage, width, cost):
            parts.name_rows(
                panel, names if panel is coverage else [""] * len(names), [False] * len(names)
            )
            panel.tick_params(axis="x", labelsize="small")
            panel.grid(axis="y", color=ink(), alpha=0.12, linewidth=0.8)
        coverage.set_title(f"\n{_TRUTHS[truth]}", loc="left", fontsize="medium", linespacing=0.6)
    for panel, words in zip(panels[-1], ("coverage, %", "width, relative", "fits"), strict=True):
        parts.name_below(panel, words)


def _draw_subject(
    subject: str, rows: Sequence[tuple[float, _Record]], panels: Sequence[Any]
) -> None:
    _, color, marker = _SUBJECTS[subject]
    style: dict[str, Any] = {
        "color": color,
        "marker": marker,
        "markersize": 4.5,
        "linestyle": "none",
        "zorder": 4,
    }
    coverage, width = panels
    for place, one in rows:
        held, low = (max(_LOWEST, 100.0 * one[name]) for name in ("coverage", "low"))
        coverage.plot([low, held], [place, place], color=color, linewidth=1.5, zorder=3)
        coverage.plot(
            [held],
            [place],
            clip_on=False,
            **(style | {"marker": "<" if held == _LOWEST else marker}),
        )
        if math.isfinite(one["width"]):
            width.plot([min(6.0, max(0.3, one["width"]))], [place], clip_on=False, **style)
