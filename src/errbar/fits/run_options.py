"""How fits are done, and how far they are."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from errbar import _check
from errbar.errors import InvalidInputError
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
    version: Mapping[str, str] | None = None
    share: bool = True
    progress: Callable[[Progress], None] | None = None
    on_error: str = RAISE

    @property
    def lasting(self) -> bool:
        """Whether fits are kept in a file."""
        if isinstance(self.store, Store):
            return self.store.path is not None
        return self.store is not None

    def checked(self) -> "RunOptions":
        """Return the options if they can be used."""
        _check.flag(self.share, "share")
        if not isinstance(self.store, (Store, str, os.PathLike, type(None))):
            raise InvalidInputError(
                f"must be the name of a file or an errbar.Store, got {_check.brief(self.store)}",
                argument="store",
            )
        if self.progress is not None and not callable(self.progress):
            raise InvalidInputError(
                f"must be a function that takes an errbar.Progress after every fit, such as print, got {_check.brief(self.progress)}",
                argument="progress",
            )
        _check.choice(self.on_error, (RAISE, "keep"), "on_error")
        return self


DEFAULT_OPTIONS = RunOptions()
