"""What fits on one screen: the bottom line and the ranking."""

from errbar.comparison import ComparisonData
from errbar.report.document import subtitle_of, title_of
from errbar.report.headline import headline_of
from errbar.report.renderers.text import display_width, prose
from errbar.report.words import Wording, clean, counted, numbers_of

_MOST_ROWS = 10


def brief(comparison: ComparisonData) -> str:
    """Return what a comparison is about, its bottom line and the estimates of the best learners.

    Parameters
    ----------
    comparison : Comparison
        What to show.

    Returns
    -------
    str
        At most one screen of plain text.

    Examples
    --------
    >>> import errbar
    >>> table = errbar.from_scores({"a": [0.31, 0.28, 0.35], "b": [0.25, 0.27, 0.26]}, n_train=90, n_test=10)
    >>> print(errbar.report.brief(errbar.compare_table(table)).splitlines()[0])
    Comparison of a and b
    """
    wording = Wording(comparison)
    names = comparison.listed_learners[:_MOST_ROWS]
    widths = {name: display_width(clean(name)) for name in names}
    rows = []
    for name in names if comparison.pairs else ():
        estimate, ends = numbers_of(wording.learner_scale, comparison.learners[name])
        rows.append(
            f"  {clean(name)}{' ' * (max(widths.values()) - widths[name])}  {estimate}  {ends}"
        )
    left = len(comparison.learners) - len(names)
    rows += [f"  and {counted(left, 'other')}"] if left else []
    lines = [title_of(wording), subtitle_of(wording), *rows, prose(str(headline_of(wording)))]
    notes = len(comparison.notes)
    lines += (
        [f"{counted(notes, 'note')} and all tables are shown by print() and save()."]
        if notes
        else []
    )
    return "\n".join(lines)
