"""From learners, data and a plan to a table: each learner is fitted once on each training set."""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errbar import _check, _rng, losses
from errbar.engine import data as data_module, learners as learners_module
from errbar.engine.assembly import table_of
from errbar.engine.executors import choose
from errbar.engine.schedule import Setup, bundled, tasks_of, training_sets
from errbar.engine.stores import Store, Writer, is_lasting, opened
from errbar.engine.tasks import Executor
from errbar.engine.work import Block, Bundle, FitTask, FitWorkload, Outcome
from errbar.errors import InvalidInputError, StoreError
from errbar.plans import Plan, draw
from errbar.result import Note
from errbar.table import Counts, LossTable


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


@dataclass(frozen=True)
class RunOptions:
    """How fits are done; no number depends on it.

    Parameters
    ----------
    n_jobs : int, optional
        Workers; None takes joblib's configuration (1 unless set), -1 all cores.
    store : str, Path, SQLiteStore or MemoryStore, optional
        Keeps fits across runs.
    executor : Executor, optional
        Who does the fits, instead of workers on this machine.
    version : mapping of str to str, optional
        For each learner that cannot be recognised in a later run: a text that changes whenever the learner does.
    share : bool, default True
        Whether fits that have most of their work in common are computed together.
    progress : callable, optional
        Called with a `errbar.Progress` after every fit.

    See Also
    --------
    errbar.run : Says more about each of them.

    Examples
    --------
    >>> from errbar.engine import RunOptions
    >>> RunOptions(n_jobs=2).share
    True
    """

    n_jobs: int | None = None
    store: Store | str | os.PathLike[str] | None = None
    executor: Executor | None = None
    version: Mapping[str, str] | None = None
    share: bool = True
    progress: Callable[[Progress], None] | None = None


DEFAULT_OPTIONS = RunOptions()


def prepare(
    learners: Mapping[str, Any],
    X: Any,
    y: Any,
    *,
    plan: Plan,
    loss: Any = None,
    groups: Any = None,
    time: Any = None,
    random_state: Any = None,
    options: RunOptions = DEFAULT_OPTIONS,
    only_loss: bool = False,
) -> Setup:
    """Check everything that can be checked before the first fit.

    Parameters are those of `errbar.run`, and `only_loss`: store predictions of the kind that the loss needs only, also
    where it is the default one.
    """
    require_seed(options.store, random_state)
    checked, task = learners_module.check(learners)
    resolved = losses.resolve(loss, task)
    wanted = resolved if only_loss or loss is not None else None
    prototypes = learners_module.prototypes(checked, task, wanted, options.version)
    data = data_module.prepare(X, y, task)
    base = _rng.root(random_state)
    drawn = draw(plan, data.n, base, data.y, _labels(groups, data.n, "groups"), _labels(time, data.n, "time"))
    losses.dry_run(resolved, data.target, [s.test for s in drawn.splits], drawn.describe)
    return Setup(data, prototypes, resolved, drawn, base)


def run(
    learners: Mapping[str, Any],
    X: Any,
    y: Any,
    *,
    plan: Plan,
    loss: Any = None,
    groups: Any = None,
    time: Any = None,
    random_state: Any = None,
    n_jobs: int | None = None,
    store: Store | str | os.PathLike[str] | None = None,
    executor: Executor | None = None,
    version: Mapping[str, str] | None = None,
    share: bool = True,
    progress: Callable[[Progress], None] | None = None,
) -> LossTable:
    """Fit every learner once on every training set of a plan, and return the table of losses.

    Parameters
    ----------
    learners : mapping of str to estimator
        Estimators of scikit-learn by name: pipelines, ensembles and searches too. They are never modified. Every
        ``random_state`` that is None is seeded from the name, the training set and the root.
    X : array-like, sparse matrix or data frame
        Features, one row per example.
    y : array-like, shape (n,)
        Target: labels (numbers or text) for classifiers, numbers for regressors.
    plan : Plan
        Which splits to make; plans can be added up.
    loss : str, Loss or callable, optional
        See `errbar.losses.resolve`. With None the default of the task is computed, and predictions are stored in
        every kind that the learner offers, so that `LossTable.with_loss` can compute others later.
    groups : array-like, shape (n,), optional
        Group (cluster) of each example, such as the patient. The plan must keep groups together, and methods that need
        independent examples are refused.
    time : array-like, shape (n,), optional
        Time of each example: numbers or dates. Methods that need independent examples are refused.
    random_state : None, int or NumPy generator, optional
        Root of every random choice. Equal roots give equal numbers, bit for bit, for any number of workers.
    n_jobs : int, optional
        Workers; None takes joblib's configuration (1 unless set), -1 all cores.
    store : str, Path, SQLiteStore or MemoryStore, optional
        Keeps fits across runs: a file, or a store. Fits that are in it are not done again, also after the run was
        stopped or killed; failed ones are tried again.
    executor : Executor, optional
        Who does the fits, instead of workers on this machine: `errbar.engine.Isolated` with limits of time and memory,
        or a Dask cluster.
    version : mapping of str to str, optional
        For a learner that cannot be recognised in a later run, since a function without a name belongs to it: any text
        that you change whenever the learner changes.
    share : bool, default True
        Whether the fits of nearest neighbours, linear and ridge regression, discriminant analyses, naive Bayes and the
        like are computed together, from what all splits have in common. Predictions then equal those of refitting to
        1e-8, which is checked on a few splits drawn at random; where they do not, all splits are refitted.
        ``table.counts.shared`` names the learners.
    progress : callable, optional
        Called with a `Progress` after every fit.

    Returns
    -------
    LossTable
        Losses of all learners on all splits.

    Raises
    ------
    InvalidInputError
        If an argument cannot be used; nothing was fitted then.
    FitFailedError
        If fits failed; all others were finished first, and its ``table`` holds the learners that have all of theirs.

    Examples
    --------
    >>> import errbar
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> learners = {"tree": DecisionTreeClassifier(), "1-NN": KNeighborsClassifier(1)}
    >>> table = errbar.run(learners, X, y, plan=errbar.plans.KFold(folds=10), random_state=0)
    >>> table
    LossTable(2 learners, 10 splits, loss 'zero-one', plans ['kfold'])
    >>> table.counts.fits
    20
    """
    options = RunOptions(n_jobs, store, executor, version, share, progress)
    data = {"loss": loss, "groups": groups, "time": time, "random_state": random_state}
    setup = prepare(learners, X, y, plan=plan, options=options, **data)
    return execute(setup, options)


def execute(setup: Setup, options: RunOptions = DEFAULT_OPTIONS) -> LossTable:
    """Do the fits of a checked run."""
    _check.flag(options.share, "share")
    started = perf_counter()
    with opened(options.store) as store:
        if is_lasting(store):
            _require_recognisable(setup)
        executor = options.executor or choose(options.n_jobs)
        groups = training_sets(setup.draw)
        tasks = tasks_of(setup, groups)
        found = _stored(store, tasks, setup)
        left = [task for task in tasks if task.key not in found]
        waiting = bundled(setup, left, len(groups), share=options.share)
        workload = FitWorkload(setup.data, {p.name: p for p in setup.prototypes}, setup.base)
        with Writer(store) as writer:
            state = _Run(setup, store, found, writer, len(left), started, options.progress)
            if is_lasting(store):
                # Another order in every process: several that do the same in step would find each other's fits
                # not yet committed, and do all of them.
                mixed = [waiting[i] for i in np.random.default_rng().permutation(len(waiting))]
                executor.run(workload, mixed, state.take, state.still_wanted)
            else:
                executor.run(workload, waiting, state.take)
    return table_of(setup, groups, [state.blocks[task.key] for task in tasks], state.counts(), state.notes())


@dataclass
class _Run:
    """What a run has found so far: it takes outcomes, keeps them, and tells how far it is."""

    setup: Setup
    store: Store
    blocks: dict[str, Block]
    writer: Writer
    total: int
    started: float
    progress: Callable[[Progress], None] | None
    done: int = 0
    fitted: int = 0
    failed: int = 0
    shared: set[str] = field(default_factory=set)
    refused: set[str] = field(default_factory=set)

    def take(self, outcome: Outcome) -> None:
        """Take what became of a bundle."""
        if outcome.shared:
            self.shared.add(outcome.queue)
        if outcome.refused:
            self.refused.add(outcome.queue)
        for block in outcome.blocks:
            self.fitted += not block.error
            self.writer.put(block)
            self._count(block)

    def still_wanted(self, bundles: Sequence[Bundle]) -> list[Bundle]:
        """Return the bundles that no other process has done in the meantime, into the same store; take those it has."""
        try:
            found = _stored(self.store, [task for bundle in bundles for task in bundle.tasks], self.setup)
        except StoreError:  # the writer says so when it is its turn
            return list(bundles)
        left = []
        for bundle in bundles:
            if all(task.key in found for task in bundle.tasks):
                for task in bundle.tasks:
                    self._count(found[task.key])
            else:
                left.append(bundle)
        return left

    def _count(self, block: Block) -> None:
        self.blocks[block.key] = block
        self.done += 1
        self.failed += bool(block.error)
        if self.progress is not None:
            seconds = perf_counter() - self.started
            remaining = seconds / self.done * (self.total - self.done)
            self.progress(Progress(self.done, self.total, self.failed, seconds, remaining, block.learner))

    def counts(self) -> Counts:
        """Return how many fits were done, found and lost, and which learners were computed together."""
        reused = len(self.blocks) - self.fitted - self.failed
        names = tuple(prototype.name for prototype in self.setup.prototypes if prototype.name in self.shared)
        return Counts(self.fitted, reused, self.failed, perf_counter() - self.started, names)

    def notes(self) -> tuple[Note, ...]:
        """Return what has to be said about fits that were not kept, or not computed together."""
        notes = []
        if self.writer.problem is not None:
            text = "fits could not be kept and will be done again in a later run"
            notes.append(Note("store", f"{self.writer.lost} {text}: {self.writer.problem}"))
        for name in sorted(self.refused):
            text = (
                f"{name}: on splits drawn at random, predictions computed together with those of other splits were not "
                "those of refitting, so every split was refitted"
            )
            notes.append(Note("shared-fits", text))
        return tuple(notes)


def _stored(store: Store, tasks: Sequence[FitTask], setup: Setup) -> dict[str, Block]:
    """Return the blocks that the store has, with every kind of prediction for every example that is asked for."""
    kinds = {prototype.name: set(prototype.kinds) for prototype in setup.prototypes}
    known = store.done(task.key for task in tasks)
    found = {}
    for task in tasks:
        if task.key in known:
            block = store.get(task.key)
            if kinds[task.learner] <= set(block.predictions) and (cut := _cut(block, task.examples)):
                found[task.key] = cut
    return found


def _cut(block: Block, examples: NDArray[Any]) -> Block | None:
    """Return a block with the examples that are asked for alone, or None if it lacks one; both are ascending."""
    if np.array_equal(block.examples, examples):
        return block
    if not np.isin(examples, block.examples).all():
        return None
    rows = np.searchsorted(block.examples, examples)
    return replace(block, examples=examples, predictions={kind: own[rows] for kind, own in block.predictions.items()})


def _labels(values: Any, n: int, name: str) -> Any:
    if values is None:
        return None
    array = np.asarray(values)
    if array.shape != (n,):
        raise InvalidInputError(f"`{name}` must hold one value per example, {n} in all, got shape {array.shape}")
    if any(value is None or value != value for value in array.tolist()):
        raise InvalidInputError(f"`{name}` must hold a value for every example; one is missing")
    try:
        np.unique(array)
    except TypeError:
        raise InvalidInputError(f"`{name}` must hold values of one type, such as numbers or text") from None
    return array


def require_seed(store: Any, random_state: Any) -> None:
    """Raise if fits are kept in a file and a later run would do others, because nothing fixes its random choices."""
    if random_state is None and (isinstance(store, (str, os.PathLike)) or is_lasting(store)):
        raise InvalidInputError(
            "`random_state` must be given where fits are kept in a file: without it a later run would make other splits "
            "and find none of them; any number will do, such as random_state=0"
        )


def _require_recognisable(setup: Setup) -> None:
    """Raise if a learner could not be recognised in a later run."""
    for prototype in setup.prototypes:
        if not prototype.recognisable:
            raise InvalidInputError(
                f"learner {prototype.name!r} could not be recognised in a later run: a part of it, such as a function "
                f"without a name, cannot be written down; say with version={{{prototype.name!r}: '1'}} what it is, and "
                "change the text whenever the learner changes"
            )
