"""The tables of a run, one for each loss: what is undefined loses no fit, and with `on_error="keep"` no other learner."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from errbar import fits
from errbar.errors import UndefinedMetricError
from errbar.fits import RunOptions, Setup
from errbar.fits.run_options import RAISE
from errbar.metrics import Loss
from errbar.result import Note
from errbar.study._several import UNDEFINED
from errbar.table import LossTable


def executed(setup: Setup, how: RunOptions) -> LossTable:
    """Do the fits; where the first loss is undefined for a learner that may be left out, return the table of another."""
    try:
        return fits.execute(setup, how)
    except UndefinedMetricError as error:
        if how.on_error == RAISE or error.learner is None or error.table is None:
            raise
        table: LossTable = error.table
        return table


def judged(table: LossTable, loss: Loss, *, keep: bool) -> LossTable:
    """Return the table of a loss; with `keep` learners for which it is undefined are left out, with a note."""
    left = table
    while left.loss is not loss:
        try:
            return left.with_loss(loss)
        except UndefinedMetricError as error:
            if not keep or error.learner is None or len(left.learners) < 2:
                raise
            note = Note("left-out", what=[error.learner], why=UNDEFINED)
            others = left.subset([name for name in left.learners if name != error.learner])
            left = replace(others, notes=(*others.notes, note))
    return left


@contextmanager
def kept(table: LossTable) -> Iterator[None]:
    """Let an error that a metric is undefined hold the table, so that no fit is lost."""
    try:
        yield
    except UndefinedMetricError as error:
        error.table = table if error.table is None else error.table
        raise
