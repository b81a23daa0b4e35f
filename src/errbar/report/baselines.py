"""The same differences seen from one learner: each other one minus the baseline, with p-values of that family."""

from dataclasses import replace

from errbar.comparison import ComparisonData
from errbar.report import words
from errbar.report.parts import Perspective
from errbar.report.tables import differences_of
from errbar.report.words import Wording

MOST = 12
_FEWEST = 3


def views_of(comparison: ComparisonData) -> tuple[Perspective, ...]:
    """Return the differences from each learner in turn.

    Parameters
    ----------
    comparison : Comparison
        Of all pairs; one that has a baseline is seen from there only.

    Returns
    -------
    tuple of Perspective
        One per learner; none for fewer than three learners, nor for more than twelve.
    """
    if not _FEWEST <= len(comparison.learners) <= MOST:
        return ()
    seen = comparison.by_baseline.items()
    return tuple(_view(found, name, position) for position, (name, found) in enumerate(seen))


def _view(comparison: ComparisonData, baseline: str, position: int) -> Perspective:
    wording = Wording(comparison)
    section = differences_of(wording)
    name = words.clean(baseline)
    what = (
        f"{words.heading(comparison.quantity)}, by {wording.measure}"
        if comparison.quantity
        else f"Differences in {wording.measure}"
    )
    caption = f"{what}, each other learner {'over' if comparison.quantity else 'minus'} {name}"
    remark = (
        f"{section.tables[0].remark} These are the p-values to report if {name} was the baseline before the numbers were "
        "seen; if it was chosen from them, those over all pairs hold."
    )
    table = replace(section.tables[0], key=f"differences-{position}", caption=caption, remark=remark.strip())
    figures = tuple(replace(figure, key=f"{figure.key}-{position}") for figure in section.figures)
    return Perspective(name, replace(section, key=table.key, tables=(table,), figures=figures))
