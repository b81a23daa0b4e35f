"""Fits: each learner once on each training set, kept, in any number of processes, and never another number for it."""

from errbar.fits.fit_run import Setup
from errbar.fits.parallel import Elsewhere, WorkerError, Workers
from errbar.fits.run_options import Progress, RunOptions
from errbar.fits.runner import execute, prepare, require_seed, run
from errbar.fits.store import Record, Store

__all__ = [
    "Elsewhere",
    "Progress",
    "Record",
    "RunOptions",
    "Setup",
    "Store",
    "WorkerError",
    "Workers",
    "execute",
    "prepare",
    "require_seed",
    "run",
]
