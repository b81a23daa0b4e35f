"""The engine: fits each learner once on each training set and keeps the predictions."""

from errbar.engine.executors import Joblib, Serial
from errbar.engine.runner import Progress, Setup, execute, prepare, run
from errbar.engine.stores import MemoryStore, Store

__all__ = ["Joblib", "MemoryStore", "Progress", "Serial", "Setup", "Store", "execute", "prepare", "run"]
