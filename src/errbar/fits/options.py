"""How fits are done, and how far they are."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from errbar import _check
from errbar.fits.store import Store


@dataclass(frozen=True)
class Progress:
    """How far a run is.

    Attributes
    ----------
    done, total, failed : Numbers of fits.
    seconds, remaining : Time so far, and an estimate of the time left.
    learner : Learner of the fit that has just been finished.
    """

    done: int
    total: int
    failed: int
    seconds: float
    remaining: float
    learner: str


RAISE = "raise"


@dataclass(frozen=True)
class RunOptions:
    """How fits are done; no number depends on it. `errbar.run` says more about each of them.

    Examples
    --------
    >>> from errbar.fits import RunOptions
    >>> RunOptions(n_jobs=2).share
    True
    """

    n_jobs: int | None = None
    store: Store | str | os.PathLike[str] | None = None
    executor: Any = None
    share: bool = True
    progress: Callable[[Progress], None] | None = None
    on_error: str = RAISE

    def check(self, random_state: Any) -> None:
        """Raise unless the options can be used, and a later run would find what is kept in a file."""
        _check.flag(self.share, "share")
        callable_ = self.progress is None or callable(self.progress)
        _check.require(callable_, "must be a function such as print", self.progress, "progress")
        _check.choice(self.on_error, (RAISE, "keep"), "on_error")
        in_memory = self.store is None or (isinstance(self.store, Store) and not self.store.path)
        must = (
            "must be a number such as 0 where fits are kept in a file, for a later run to find them"
        )
        _check.require(in_memory or random_state is not None, must, random_state, "random_state")
