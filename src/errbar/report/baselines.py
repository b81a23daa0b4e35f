"""The same differences seen from one learner: each other one minus the baseline, with p-values of that family."""

from dataclasses import replace

from errbar.comparison import ComparisonData
from errbar.report import words
from errbar.report.parts import Section
from errbar.report.tables import differences_of
from errbar.report.words import Wording

_FEWEST = 3


def views_of(comparison: ComparisonData) -> tuple[Section, ...]:
    """Return the differences from each learner in turn.

    Parameters
    ----------
    comparison : Comparison
        Of all pairs; one that has a baseline is seen from there only.

    Returns
    -------
    tuple of Section
        One per learner, whose name is the title; none for fewer than three learners, nor where there are so many that pairs are not listed.
    """
    if len(comparison.learners) < _FEWEST or comparison.large:
        return ()
    seen = comparison.by_baseline.items()
    return tuple(
        _view(Wording(found), words.clean(name), position)
        for position, (name, found) in enumerate(seen)
    )


def _view(wording: Wording, name: str, position: int) -> Section:
    section = differences_of(wording)
    [table] = section.tables
    over = "over" if wording.comparison.quantity else "minus"
    caption = f"{wording.differences}, each other learner {over} {name}"
    remark = table.remark
    if not wording.bayesian:
        remark += (
            f" These are the p-values to report if {name} was the baseline before the numbers were "
            "seen; if it was chosen from them, those over all pairs hold."
        )
    table = replace(table, key=f"differences-{position}", caption=caption, remark=remark.strip())

    return replace(section, key=table.key, title=name, tables=(table,))
