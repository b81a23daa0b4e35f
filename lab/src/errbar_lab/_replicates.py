"""Independent replicates of an experiment: each run once, by any number of workers, and kept in a store if one is named."""

import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypedDict, Unpack

import numpy as np
from numpy.typing import NDArray

from errbar import _rng
from errbar.errors import FitFailedError
from errbar.fits import Progress, Record
from errbar.fits.parallel import Settings, Task, chosen
from errbar.fits.run import Collector, opened
from errbar_lab.populations import Population

_HOPELESS = 20
"""So many replicates that all fail, and no success, end an experiment."""

Arrays = dict[str, NDArray[Any]]
Watch = Callable[[Progress], None]


@dataclass(frozen=True)
class Repeated(ABC):
    """What is repeated on independent data sets; `digest` is of everything that its numbers depend on besides the root."""

    population: Population
    name: str
    digest: str
    n: int
    learners: Mapping[str, Any]
    loss: Any
    test_examples: int

    @abstractmethod
    def replicate(self, base: int, number: int) -> Arrays:
        """Run one replicate; the arrays of all replicates have the same shapes."""


class SimulationOptions(TypedDict, total=False):
    """How replicates are run; none of it changes a number but the root of the random streams.

    Every study takes these as keywords.

    Attributes
    ----------
    random_state : None, int or NumPy generator, default 0
        Root of every random stream. Equal roots give equal numbers, for any number of workers and after any resume.
    n_jobs : int, optional
        Workers; None takes joblib's configuration, -1 all cores.
    store : str or Path, optional
        File that keeps finished replicates; those in it are not run again.
    executor : concurrent.futures.Executor or distributed.Client, optional
        Runs the replicates instead of workers on this machine.
    progress : callable, optional
        Called with an `errbar.Progress` after every replicate.
    """

    random_state: Any
    n_jobs: int | None
    store: str | Path | None
    executor: Any
    progress: Watch | None


def with_root(
    random_state: Any = 0,
    n_jobs: int | None = None,
    store: str | Path | None = None,
    executor: Any = None,
    progress: Watch | None = None,
) -> SimulationOptions:
    """Return options with a number as root, so that several runs can share it."""
    return {
        "random_state": _rng.root(random_state),
        "n_jobs": n_jobs,
        "store": store,
        "executor": executor,
        "progress": progress,
    }


@dataclass(frozen=True, eq=False)
class _ReplicateJob:
    """The part common to all replicates; workers read the populations once."""

    settings: Settings
    shared: Any
    experiments: Mapping[str, Any]
    """By their digests, and with the digests of their populations in place of these."""
    base: int

    @property
    def code(self) -> str:
        """Digest of what the replicates run."""
        return " ".join(self.experiments)

    def perform(self, task: Task) -> Arrays:
        """Run one replicate."""
        light = self.experiments[task.key.partition("/")[0]]
        whole = replace(light, population=self.shared[light.population])
        [number] = task.sets
        found: Arrays = whole.replicate(self.base, number)
        return found

    def words(self, task: Task) -> list[str]:
        """Return which replicate it is."""
        return [f"replicate {number}" for number in task.sets]

    def record(self, task: Task, found: Record) -> Record:
        """Return what a store keeps of a replicate; those that failed are named."""
        told = {"learner": task.learner, "splits": self.words(task)}
        return Record(found.arrays, told | found.facts if "error" in found.facts else {})

    def serves(self, task: Task, kept: Record) -> bool:
        """Tell whether a store has what this run needs."""
        return True


def replicates(
    experiments: Sequence[Repeated],
    count: int,
    **how: Unpack[SimulationOptions],
) -> list[Arrays]:
    """Run so many replicates of each experiment, and return the arrays of each, replicates first.

    Raises
    ------
    FitFailedError
        If replicates failed; all others were finished, and stored, first.
    """
    how = with_root(**how)
    base, store = how["random_state"], how["store"]
    populations = {one.population.digest: one.population for one in experiments}
    light: dict[str, Any] = {
        one.digest: replace(one, population=one.population.digest) for one in experiments
    }
    keys = {digest: [f"{digest}/{base}/{number}" for number in range(count)] for digest in light}
    tasks = [
        Task(key, light[digest].name, (number,))
        for digest, own in keys.items()
        for number, key in enumerate(own)
    ]
    job = _ReplicateJob(Settings.here(), populations, light, base)
    with opened(store) as file:
        run = Collector(job, tasks, file, how["progress"], _HOPELESS)
        run.finish(chosen(how["n_jobs"], how["executor"]))
    if file is not None and file.damaged:
        text = f"{len(file.damaged)} damaged records of the store '{store}' were not used; these replicates were run again"
        warnings.warn(text, stacklevel=2)
    if file is not None and file.problem is not None:
        warnings.warn(f"{len(file.waiting)} replicates are not kept: {file.problem}", stacklevel=2)
    failures = run.failures
    if failures:
        first = failures[0]
        raise FitFailedError(
            f"{len(failures)} of {len(tasks)} replicates failed; first: {first.learner}, {first.split}: {first.message}",
            failures,
        )
    found = [[run.found[key].arrays for key in keys[one.digest]] for one in experiments]
    return [{key: np.stack([one[key] for one in own]) for key in own[0]} for own in found]
