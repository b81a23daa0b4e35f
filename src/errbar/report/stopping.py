"""What was looked at before a comparison stopped, and when it did, in a sentence."""

from collections.abc import Iterable

from errbar.report.cells import Cell, percent, sentence
from errbar.report.standing import MOST_NAMED
from errbar.report.words import Wording, clean, listed


def stopping_of(wording: Wording) -> Iterable[Cell]:
    """Yield a sentence on the looks of a comparison, if there were any.

    Parameters
    ----------
    wording : Wording
        A comparison.

    Yields
    ------
    Cell
        Which looks were planned and made, why it stopped, who had left before, and the error spent.
    """
    comparison, looks = wording.comparison, wording.comparison.looks
    if looks is None or not comparison.pairs:
        return
    undecided = sum(not (found.significant or found.equivalent) for found in comparison.decisions)
    single = len(comparison.pairs) == 1
    which = "the pair was" if single else "every pair was"
    if undecided and not single:
        which = (
            f"{undecided} of {len(comparison.pairs)} pairs {'was' if undecided == 1 else 'were'}"
        )
    found = f"{which} {'not decided' if undecided else 'decided'}"
    planned = listed([str(count) for count in looks.planned])
    yield sentence(
        f"Looks were planned at {planned} random splits; after {looks.made[-1]} splits, with ",
        percent(round(looks.spent[-1], 4)),
        " of the error of ",
        wording.level,
        f" spent, {found}{_left(wording)}.",
    )


def _left(wording: Wording) -> str:
    """Name the learners that got no more fits before the end, by the look that decided their last pair."""
    looks = wording.comparison.looks
    assert looks is not None
    early = {name: count for name, count in looks.splits.items() if count < looks.made[-1]}
    if not early:
        return ""
    if len(early) > MOST_NAMED:
        return f"; {len(early)} learners had stopped before"
    by_look = {
        count: [clean(name) for name, own in early.items() if own == count]
        for count in sorted(set(early.values()))
    }
    return f"; {', '.join(f'{listed(names)} had stopped after {count}' for count, names in by_look.items())}"
