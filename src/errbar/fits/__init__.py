"""Fits: each learner once on each training set, kept, in any number of processes, and never another number for it."""

from errbar.fits.parallel import Workers
from errbar.fits.run import Progress, Setup, execute, prepare, run
from errbar.fits.store import Record, Store

__all__ = [
    "Progress",
    "Record",
    "Setup",
    "Store",
    "Workers",
    "execute",
    "prepare",
    "run",
]
