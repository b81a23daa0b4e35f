"""From learners, data and a plan to a table: each learner is fitted once on each training set."""

import platform
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from hashlib import blake2b
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errbar import _rng, losses
from errbar._check import IntArray
from errbar.engine import data as data_module
from errbar.engine import learners as learners_module
from errbar.engine.data import Data
from errbar.engine.executors import choose
from errbar.engine.learners import Prototype
from errbar.engine.stores import MemoryStore, Store
from errbar.engine.work import Block, Bundle, Bundled, Job, Task
from errbar.errors import Failure, FitFailedError, InvalidInputError
from errbar.losses import Loss
from errbar.plans import Draw, Plan, draw
from errbar.result import Note
from errbar.table import Cells, Counts, LossTable, SplitColumns, measure


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


@dataclass(frozen=True, eq=False)
class Setup:
    """A run that has been checked and not been started: nothing is fitted yet."""

    data: Data
    prototypes: tuple[Prototype, ...]
    loss: Loss
    draw: Draw
    base: int


def prepare(
    learners: Mapping[str, Any],
    X: Any,
    y: Any,
    *,
    plan: Plan,
    loss: Any = None,
    groups: Any = None,
    random_state: Any = None,
    only_loss: bool = False,
) -> Setup:
    """Check everything that can be checked before the first fit.

    Parameters are those of `errbar.run`, and `only_loss`: store predictions of the kind that the loss needs only, also
    where it is the default one.
    """
    checked, task = learners_module.check(learners)
    resolved = losses.resolve(loss, task)
    wanted = resolved if only_loss or loss is not None else None
    prototypes = learners_module.prototypes(checked, task, wanted)
    data = data_module.prepare(X, y, task)
    base = _rng.root(random_state)
    drawn = draw(plan, data.n, base, data.y, _groups(groups, data.n))
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
    random_state: Any = None,
    n_jobs: int | None = None,
    store: Store | None = None,
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
        Group of each example, for plans that keep groups together.
    random_state : None, int or NumPy generator, optional
        Root of every random choice. Equal roots give equal numbers, bit for bit, for any number of workers.
    n_jobs : int, optional
        Workers; None takes joblib's configuration (1 unless set), -1 all cores.
    store : MemoryStore, optional
        Keeps fits across runs.
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
    setup = prepare(learners, X, y, plan=plan, loss=loss, groups=groups, random_state=random_state)
    return execute(setup, n_jobs=n_jobs, store=store, progress=progress)


def execute(
    setup: Setup,
    *,
    n_jobs: int | None = None,
    store: Store | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> LossTable:
    """Do the fits of a checked run. Parameters are those of `errbar.run`."""
    started = time.perf_counter()
    kept = _usable_store(store)
    groups = _training_sets(setup.draw)
    tasks = _tasks(setup, groups)
    waiting = tasks if store is None else [task for task in tasks if not _stored(kept, task, setup)]
    blocks: dict[str, Block] = {}
    reporter = _Reporter(len(waiting), started, progress)

    def emit(outcome: Block | Bundled) -> None:
        for block in outcome.blocks if isinstance(outcome, Bundled) else (outcome,):
            blocks[block.key] = block
            if not block.error:
                kept.put([block])
            reporter(block)

    job = Job(setup.data, {p.name: p for p in setup.prototypes}, setup.base)
    choose(n_jobs).run(job, _bundled(setup, waiting), emit)
    found = {task.key: blocks[task.key] if task.key in blocks else kept.get(task.key) for task in tasks}
    failed = sum(bool(block.error) for block in found.values())
    counts = Counts(len(waiting) - failed, len(tasks) - len(waiting), failed, time.perf_counter() - started)
    return _conclude(setup, groups, tasks, found, counts)


def _groups(groups: Any, n: int) -> Any:
    if groups is None:
        return None
    array = np.asarray(groups)
    if array.shape != (n,):
        raise InvalidInputError(f"`groups` must hold one value per example, {n} in all, got shape {array.shape}")
    return array


def _usable_store(store: Any) -> Store:
    if store is None:
        return MemoryStore()
    if not all(hasattr(store, name) for name in ("done", "get", "put")):
        raise InvalidInputError(f"`store` must be a store such as errbar.MemoryStore(), got {store!r}")
    usable: Store = store
    return usable


@dataclass(frozen=True, eq=False)
class _TrainingSet:
    digest: str
    train: NDArray[Any]
    splits: list[int]
    examples: NDArray[Any]


def _training_sets(drawn: Draw) -> list[_TrainingSet]:
    """Group splits by training set; each is fitted once and predicts what any of its splits asks for."""
    members: dict[str, list[int]] = {}
    for j, digest in enumerate(drawn.training_sets):
        members.setdefault(digest, []).append(j)
    return [
        _TrainingSet(digest, drawn.splits[found[0]].train, found, _ascending([drawn.splits[j].test for j in found]))
        for digest, found in members.items()
    ]


def _ascending(tests: Sequence[NDArray[Any]]) -> NDArray[Any]:
    return np.sort(tests[0]) if len(tests) == 1 else np.unique(np.concatenate(tests))


def _tasks(setup: Setup, groups: Sequence[_TrainingSet]) -> list[Task]:
    compact = np.int32 if setup.data.n < 2**31 else np.int64
    positions = [(group.train.astype(compact), group.examples.astype(compact)) for group in groups]
    splits = [setup.draw.splits[group.splits[0]] for group in groups]
    base = str(setup.base)
    tasks = []
    for prototype in setup.prototypes:
        for group, (train, examples), split in zip(groups, positions, splits, strict=True):
            parts = (setup.data.digest, prototype.name, prototype.digest, group.digest, base)
            key = blake2b("|".join(parts).encode(), digest_size=16).hexdigest()
            tasks.append(Task(key, prototype.name, group.digest, train, examples, split))
    return tasks


def _bundled(setup: Setup, tasks: Sequence[Task]) -> list[Task | Bundle]:
    """Put the tasks of learners that can do all fits on one data set at once together."""
    numeric = isinstance(setup.data.X, np.ndarray) and setup.data.X.ndim == 2 and setup.data.X.dtype.kind in "biuf"
    able = {prototype.name for prototype in setup.prototypes if prototype.together and numeric}
    single: list[Task | Bundle] = [task for task in tasks if task.learner not in able]
    together = [tuple(task for task in tasks if task.learner == name) for name in able]
    return single + [Bundle(own) for own in together if own]


def _stored(store: Store, task: Task, setup: Setup) -> bool:
    """Tell whether the store has the fit, with every kind of prediction for every example that is asked for."""
    if not store.done([task.key]):
        return False
    block = store.get(task.key)
    kinds = next(p.kinds for p in setup.prototypes if p.name == task.learner)
    return set(kinds) <= set(block.predictions) and bool(np.isin(task.examples, block.examples).all())


class _Reporter:
    """Counts finished fits and tells the caller, with an estimate of the time left."""

    def __init__(self, total: int, started: float, progress: Callable[[Progress], None] | None) -> None:
        self.total, self.started, self.progress = total, started, progress
        self.done = self.failed = 0

    def __call__(self, block: Block) -> None:
        self.done += 1
        self.failed += bool(block.error)
        if self.progress is not None:
            seconds = time.perf_counter() - self.started
            remaining = seconds / self.done * (self.total - self.done)
            self.progress(Progress(self.done, self.total, self.failed, seconds, remaining, block.learner))


def _conclude(
    setup: Setup, groups: Sequence[_TrainingSet], tasks: Sequence[Task], found: Mapping[str, Block], counts: Counts
) -> LossTable:
    by_learner: dict[str, list[Block]] = {}
    for task in tasks:
        by_learner.setdefault(task.learner, []).append(found[task.key])
    failures = [
        Failure(block.learner, block.split, block.error, block.traceback) for block in found.values() if block.error
    ]
    broken = {failure.learner for failure in failures}
    complete = {name: blocks for name, blocks in by_learner.items() if name not in broken}
    table = _assemble(setup, groups, complete, counts) if complete else None
    if failures:
        first = failures[0]
        raise FitFailedError(
            f"{len(failures)} of {len(tasks)} fits failed; first: {first.learner}, {first.split}: {first.message}",
            failures,
            table,
        )
    assert table is not None
    return table


def _assemble(
    setup: Setup, groups: Sequence[_TrainingSet], blocks: Mapping[str, Sequence[Block]], counts: Counts
) -> LossTable:
    splits = setup.draw.splits
    cells = Cells(
        np.repeat(np.arange(len(splits)), [split.test.size for split in splits]),
        np.concatenate([split.test for split in splits]),
    )
    places = _places(setup.draw, groups)
    predictions = tuple(_on_cells(groups, own, places, setup.draw) for own in blocks.values())
    scores, points = measure(setup.loss, setup.data.target, cells, predictions, setup.draw.describe)
    return LossTable(
        learners=tuple(blocks),
        loss=setup.loss,
        splits=SplitColumns.of(setup.draw),
        scores=scores,
        points=points,
        cells=cells,
        predictions=predictions,
        target=setup.data.target,
        counts=counts,
        notes=_warning_notes(blocks),
        provenance=_provenance(setup),
    )


def _places(drawn: Draw, groups: Sequence[_TrainingSet]) -> IntArray:
    """Return where the prediction of each cell stands among those of all training sets, one set after another."""
    pieces: list[Any] = [None] * len(drawn.splits)
    start = 0
    for group in groups:
        for j in group.splits:
            pieces[j] = start + np.searchsorted(group.examples, drawn.splits[j].test)
        start += group.examples.size
    return np.concatenate(pieces)


def _on_cells(
    groups: Sequence[_TrainingSet], blocks: Sequence[Block], places: IntArray, drawn: Draw
) -> dict[str, NDArray[Any]]:
    """Lay the predictions of one learner out split after split, in the order of each test set."""
    everywhere = [kind for kind in blocks[0].predictions if all(kind in block.predictions for block in blocks)]
    if any(block.examples.size != group.examples.size for group, block in zip(groups, blocks, strict=True)):
        # Blocks from a store may know more examples than were asked for.
        places = _places(drawn, [replace(g, examples=b.examples) for g, b in zip(groups, blocks, strict=True)])
    return {kind: np.concatenate([block.predictions[kind] for block in blocks])[places] for kind in everywhere}


def _warning_notes(blocks: Mapping[str, Sequence[Block]]) -> tuple[Note, ...]:
    notes = []
    for name, own in blocks.items():
        warned = [block for block in own if block.warnings]
        if warned:
            text = f"{name}: {len(warned)} of {len(own)} fits gave warnings; first: {warned[0].warnings[0][:200]}"
            notes.append(Note("fit-warnings", text))
    return tuple(notes)


def _provenance(setup: Setup) -> dict[str, str]:
    return {
        "random_state": str(setup.base),
        "data": setup.data.digest,
        "splits": setup.draw.fingerprint,
        "examples": str(setup.data.n),
        **_versions(),
    }


@cache
def _versions() -> dict[str, str]:
    found = {"python": platform.python_version()}
    for package in ("errbar", "numpy", "scipy", "scikit-learn"):
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "not installed"
    return found


__all__ = ["Progress", "Setup", "execute", "prepare", "run"]
