"""Means over the seeds of each split, for methods that take a number for each training set."""

from dataclasses import replace

import numpy as np

from errbar.plans._base import NO_LABEL
from errbar.result import Note
from errbar.table import LossTable


def over_seeds(table: LossTable) -> tuple[LossTable, Note]:
    """Return the table of one plan in which the numbers of each split are means over its seeds, and a note that says so.

    What is estimated is then the expected risk over seeds, as before, with less noise from each.
    """
    columns = table.splits.labels
    keys = np.stack([column for name, column in columns.items() if name != "seed"])
    _, first, number = np.unique(keys, axis=1, return_index=True, return_inverse=True)
    number = np.argsort(np.argsort(first))[
        number.ravel()
    ]  # in the order in which splits are first met
    kept = np.zeros(number.size, dtype=bool)
    kept[first] = True
    once, seeds = table.select(kept), int(np.bincount(number).max())
    scores = np.stack([np.bincount(number, row) for row in table.scores]) / np.bincount(number)
    points = None
    if table.points is not None and table.cells is not None and once.cells is not None:
        size = int(table.cells.example.max()) + 1
        cells = number[table.cells.split] * size + table.cells.example
        found, place, times = np.unique(cells, return_inverse=True, return_counts=True)
        means = np.stack([np.bincount(place, row) for row in table.points]) / times
        points = means[:, np.searchsorted(found, once.cells.split * size + once.cells.example)]
    splits = replace(
        once.splits,
        labels=once.splits.labels | {"seed": np.full(scores.shape[1], NO_LABEL)},
        designs=tuple(replace(design, seeds=1) for design in once.splits.designs),
    )
    averaged = replace(once, splits=splits, scores=scores, points=points, predictions=None)
    return averaged, Note("means", unit="split", count=seeds, of="seeds")
