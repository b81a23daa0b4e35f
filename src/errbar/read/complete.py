"""Which learners are compared on which examples, where some lack numbers that others have."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from errbar import _check
from errbar._check import IntArray
from errbar.errors import PairingError
from errbar.result import Note

MISSING = ("learners", "examples")
"""What may be left out where numbers are missing."""

_SHOWN = 3


class Kept(NamedTuple):
    """What is left.

    Attributes
    ----------
    learners, cells : ndarray of int
        Their numbers.
    notes : tuple of Note
        What was left out.
    """

    learners: IntArray
    cells: IntArray
    notes: tuple[Note, ...]


def complete(
    names: Sequence[str],
    there: NDArray[np.bool_],
    title: Callable[[int], str],
    example: IntArray | None,
    missing: str,
) -> Kept:
    """Leave out what is not complete.

    Parameters
    ----------
    names : sequence of str
        The learners.
    there : ndarray of bool, shape (learners, cells)
        Which learner has a number for which cell.
    title : callable
        How messages name a cell, by its number.
    example : ndarray of int or None
        Example of each cell, where cells are of examples: with one cell, all of its example go.
    missing : {"learners", "examples"}
        What is left out.

    Raises
    ------
    PairingError
        If less than two learners are complete, or no example is.
    """
    _check.choice(missing, MISSING, "missing")
    of = np.arange(there.shape[1]) if example is None else example
    unit = "splits" if example is None else "examples"
    alone = there.any(axis=0)
    keep = alone if missing == "learners" else ~_any_of((~there).any(axis=0), of)
    cells = np.flatnonzero(keep)
    lacking = (~there[:, cells]).sum(axis=1)
    learners = np.flatnonzero(lacking == 0)
    if not cells.size or learners.size < min(2, len(names)):
        raise PairingError(_incomplete(names, there, of, title, unit, missing))
    notes = []
    if cells.size < keep.size:
        gone = np.flatnonzero(~keep)
        count = np.unique(of[gone]).size
        shown = [title(int(cell)) for cell in gone[:_SHOWN]]
        notes.append(
            Note(
                "left-out",
                what=[f"{count} of {np.unique(of).size} {unit}", *shown],
                why="missing numbers",
            )
        )
    if learners.size < len(names):
        out = [f"{names[i]} ({lacking[i]})" for i in np.flatnonzero(lacking).tolist()]
        notes.append(Note("left-out", what=out, why="missing numbers"))
    return Kept(learners, cells, tuple(notes))


def _any_of(mask: Any, of: IntArray) -> NDArray[np.bool_]:
    """Return for each cell whether the mask holds for any of the same example."""
    return np.bincount(of, weights=mask)[of] > 0


def _incomplete(
    names: Sequence[str],
    there: NDArray[np.bool_],
    of: IntArray,
    title: Callable[[int], str],
    unit: str,
    missing: str,
) -> str:
    """Say who lacks most, and what helps."""
    wanted = there.any(axis=0)
    gaps = wanted & ~there
    worst = int(gaps.sum(axis=1).argmax())
    shown = title(int(gaps[worst].argmax()))
    lacks = f"{names[worst]!r} lacks {gaps[worst].sum()} of {wanted.sum()} numbers, such as {shown}"
    if missing == "learners" and not _any_of(~there.all(axis=0), of).all():
        return f"{lacks}; say missing='examples' (--missing examples) to leave out {unit} that any learner lacks"
    return f"{lacks}; no {unit[:-1]} has the numbers of all learners, which are compared on the same ones"
