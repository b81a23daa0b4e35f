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
    done, total, failed : int
        Fits.
    seconds : float
        Time so far.
    remaining : float
        Estimate of the time left.
    learner : str
        Learner of the fit that has just been finished.
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
    """How fits are done; no number depends on it.

    Parameters
    ----------
    n_jobs : int, optional
        Workers; None takes joblib's configuration (1 unless set), -1 all cores.
    store : str, Path or Store, optional
        Keeps fits across runs.
    executor : concurrent.futures.Executor, distributed.Client or Workers, optional
        Where the fits run, if not in workers on this machine.
    version : mapping of str to str, optional
        For each learner that cannot be recognised in a later run: a text that changes whenever the
        learner does.
    share : bool, default True
        Whether fits that have most of their work in common are computed together.
    progress : callable, optional
        Called with a `errbar.Progress` after every fit.
    on_error : {"raise", "keep"}, default "raise"
        Whether a failed learner is an error after all fits, or is left out with a note.

    See Also
    --------
    errbar.run : Says more about each of them.

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
