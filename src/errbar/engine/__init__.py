"""The engine: fits each learner once on each training set and keeps the predictions."""

from errbar.engine.cluster import ClusterError, Dask
from errbar.engine.executors import Executor, Joblib, Serial
from errbar.engine.isolation import Isolated, WorkerError
from errbar.engine.learners import recognisable
from errbar.engine.runner import Progress, Setup, execute, prepare, require_seed, run
from errbar.engine.stores import MemoryStore, SQLiteStore, Store

__all__ = [
    "ClusterError",
    "Dask",
    "Executor",
    "Isolated",
    "Joblib",
    "MemoryStore",
    "Progress",
    "SQLiteStore",
    "Serial",
    "Setup",
    "Store",
    "WorkerError",
    "execute",
    "prepare",
    "recognisable",
    "require_seed",
    "run",
]
