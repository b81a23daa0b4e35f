"""The engine: fits each learner once on each training set and keeps the predictions."""

from errbar.engine.cluster import ClusterError, Dask
from errbar.engine.executors import Joblib, Serial
from errbar.engine.isolation import Isolated
from errbar.engine.run_options import Progress, RunOptions
from errbar.engine.runner import execute, prepare, require_seed, run
from errbar.engine.schedule import Setup
from errbar.engine.stores import MemoryStore, SQLiteStore, Store
from errbar.engine.tasks import Executor, WorkerError

__all__ = [
    "ClusterError",
    "Dask",
    "Executor",
    "Isolated",
    "Joblib",
    "MemoryStore",
    "Progress",
    "RunOptions",
    "SQLiteStore",
    "Serial",
    "Setup",
    "Store",
    "WorkerError",
    "execute",
    "prepare",
    "require_seed",
    "run",
]
