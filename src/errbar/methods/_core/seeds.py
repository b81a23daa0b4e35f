"""Means over the seeds of each split, for methods that take a number for each training set."""

from dataclasses import replace

import numpy as np

from errbar import _check
from errbar._check import FloatArray, IntArray
from errbar.plans._base import DATA_SETS, NO_LABEL
from errbar.result import Note
from errbar.table import LossTable


def over_seeds(table: LossTable) -> tuple[LossTable, Note]:
    """Return the table of one plan with means over the seeds of each split, and a note that says so."""
    labels = table.splits.labels
    split = _check.numbered(*(labels[role] for role in labels if role != "seed"))
    points = table.points
    if points is not None and table.cells is not None:
        cell = _check.numbered(split[table.cells.split], table.cells.example)
        points = _means(points, cell)
    no_seed = labels | {"seed": np.full_like(split, NO_LABEL)}
    averaged = replace(
        table,
        splits=replace(table.splits, labels=no_seed),
        scores=_means(table.scores, split),
        points=points,
        predictions=None,
    )
    first = np.isin(np.arange(split.size), np.unique(split, return_index=True)[1])
    count = int(np.bincount(split).max())
    unit = "data set" if table.splits.kinds[0] == DATA_SETS else "split"
    return averaged.select(first), Note("means", unit=unit, count=count, of="seeds")


def _means(rows: FloatArray, code: IntArray) -> FloatArray:
    times = np.bincount(code)
    return np.stack([(np.bincount(code, row) / times)[code] for row in rows])
