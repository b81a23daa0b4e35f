"""Where many learners stand: ranks, who is established to be better than whom, and where all pairs are."""

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from errbar._check import IntArray
from errbar.report.cells import Cell, number, sentence
from errbar.report.numbers import Scale
from errbar.report.parts import ReportColumn, Section, Table
from errbar.report.words import Wording, clean

MOST_NAMED, _MOST_IN_MATRIX = 12, 40
_MOST_RUNS = 3
_WHOLE = Scale(0)


def ranks(count: int, spare: int = 0) -> ReportColumn:
    """Return the column of the first ranks."""
    return ReportColumn(
        sentence("Rank"), [number(1.0 + place, _WHOLE) for place in range(count)], spare=spare
    )


def possible_best(wording: Wording) -> ReportColumn:
    """Return the column that says who is not ruled out as best."""
    names = wording.comparison.possible_best
    cells = [YES if name in names else NO for name in wording.comparison.listed_learners]
    return ReportColumn(sentence("Possible best"), cells, "words", spare=1)


def columns(wording: Wording) -> list[ReportColumn]:
    """Return how many learners each is established to be better or worse than, and the ranks of all others."""
    better = wording.comparison.standing.better
    return [
        ReportColumn(sentence("Better than"), _counts(better > 0), spare=3),
        ReportColumn(sentence("Worse than"), _counts(better < 0)),
        ReportColumn(
            sentence("Not told from ranks"),
            [_ranges(row, own) for own, row in enumerate(better)],
            "words",
            2,
        ),
    ]


def remark(wording: Wording) -> str:
    """Say what is counted, and where all pairs are."""
    return (
        f"Better and worse than: how many learners, by differences established {wording.established}. "
        f"All {len(wording.comparison.pairs)} pairs are in to_frame(), --json and save('pairs.parquet')."
    )


def matrix_of(wording: Wording) -> Section:
    """Return the matrix of the best learners against each other."""
    names = wording.comparison.listed_learners[:_MOST_IN_MATRIX]
    some = (
        f"The best {len(names)} of {len(wording.comparison.listed_learners)} learners, row"
        if len(names) < len(wording.comparison.listed_learners)
        else "Row"
    )
    marks = [
        ReportColumn(
            sentence(str(place + 1)),
            [_OWN if place == row else _MARKS[int(sign)] for row, sign in enumerate(signs)],
            "mark",
        )
        for place, signs in enumerate(
            wording.comparison.standing.better[: len(names), : len(names)].T
        )
    ]
    table = Table(
        "matrix",
        f"{some} against column, by rank",
        (
            ReportColumn(sentence("Learner"), [sentence(clean(name)) for name in names], "name"),
            ranks(len(names)),
            *marks,
        ),
        f"+ the row is better and - it is worse, established {wording.established}; . they are not told apart.",
    )
    return Section("matrix", "Who is better than whom", (table,))


YES, NO = sentence("yes"), sentence("no")
_OWN = sentence(" ")
_MARKS = {
    1: sentence("+", value=1),
    0: sentence(".", value=0),
    -1: Cell(lambda style: style.minus, -1),
}


def _counts(found: NDArray[np.bool_]) -> list[Cell]:
    return [number(float(count), _WHOLE) for count in found.sum(axis=1)]


def _ranges(signs: IntArray, own: int) -> Cell:
    """Return the ranks that a learner is not told from, as ranges; where there are many, how many between which."""
    places = [place for place in np.flatnonzero(signs == 0).tolist() if place != own]
    if not places:
        return sentence("none")
    # A learner's own rank opens no gap.
    runs = np.split(
        places, [i for i, (a, b) in enumerate(pairwise(places), 1) if b - a > 1 + (a < own < b)]
    )
    if len(runs) > _MOST_RUNS:
        return sentence(f"{len(places)} of {places[0] + 1} to {places[-1] + 1}")
    return sentence(
        ", ".join(
            f"{run[0] + 1} to {run[-1] + 1}"
            if run.size > 2
            else ", ".join(str(place + 1) for place in run)
            for run in runs
        )
    )
