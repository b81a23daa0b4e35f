"""Means over the seeds of each split, for methods that take a number for each training set."""

from dataclasses import replace

import numpy as np

from errbar import _check
from errbar._check import FloatArray, IntArray
from errbar.plans._base import NO_LABEL
from errbar.result import Note
from errbar.table import LossTable


def over_seeds(table: LossTable) -> tuple[LossTable, Note]:
    """Return the table of one plan with means over the seeds of each split, and a note that says so."""
    labels = [column for role, column in table.splits.labels.items() if role != "seed"]
    split = _check.numbered(*labels)
    first = np.zeros(split.size, dtype=bool)
    first[np.unique(split, return_index=True)[1]] = True
    points = None
    if table.points is not None and table.cells is not None:
        cell = _check.numbered(split[table.cells.split], table.cells.example)
        points = _means(table.points, cell)
    seed = np.full_like(split, NO_LABEL)
    averaged = replace(
        table,
        splits=replace(table.splits, labels=table.splits.labels | {"seed": seed}),
        scores=_means(table.scores, split),
        points=points,
        predictions=None,
    )
    seeds = int(np.bincount(split).max())
    return averaged.select(first), Note("means", unit="split", count=seeds, of="seeds")


def _means(rows: FloatArray, code: IntArray) -> FloatArray:
    times = np.bincount(code)
    return np.stack([(np.bincount(code, row) / times)[code] for row in rows])
