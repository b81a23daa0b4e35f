"""Means over the seeds of each split, for methods that take a number for each training set."""

from dataclasses import replace

import numpy as np

from errbar import _check
from errbar._check import FloatArray, IntArray, compact
from errbar.index import Index
from errbar.plans._base import NO_LABEL
from errbar.result import Note
from errbar.table import LossTable


def over_seeds(table: LossTable) -> tuple[LossTable, Note]:
    """Return the table of one plan with means over the seeds of each split, and a note that says so."""
    labels = {role: column for role, column in table.splits.labels.items() if role != "seed"}
    index = Index(table.scores.shape[1], labels)
    split = index.codes(*labels)
    first = np.isin(np.arange(split.size), index.first(*labels))
    once = table.select(first)
    points = None
    if table.points is not None and table.cells is not None:
        cell = compact(_check.numbered(split[table.cells.split], table.cells.example))
        points = _means(table.points, cell)[:, first[table.cells.split]]
    splits = replace(
        once.splits,
        labels=once.splits.labels | {"seed": np.full(int(first.sum()), NO_LABEL)},
        designs=tuple(replace(design, seeds=1) for design in once.splits.designs),
    )
    scores = _means(table.scores, split)[:, first]
    averaged = replace(once, splits=splits, scores=scores, points=points, predictions=None)
    seeds = int(np.bincount(split).max())
    return averaged, Note("means", unit="split", count=seeds, of="seeds")


def _means(rows: FloatArray, code: IntArray) -> FloatArray:
    times = np.bincount(code)
    return np.stack([(np.bincount(code, row) / times)[code] for row in rows])
