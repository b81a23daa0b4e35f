"""Fits: each learner once on each training set, kept, in any number of processes, and never another number for it."""

from errbar.fits.assembly import Setup
from errbar.fits.options import Progress, RunOptions
from errbar.fits.parallel import Workers
from errbar.fits.runner import execute, prepare, run
from errbar.fits.store import Record, Store

__all__ = [
    "Progress",
    "Record",
    "RunOptions",
    "Setup",
    "Store",
    "Workers",
    "execute",
    "prepare",
    "run",
]
