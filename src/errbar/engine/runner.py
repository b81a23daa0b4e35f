"""From learners, data and a plan to a table: each learner is fitted once on each training set."""

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errbar import _check, _rng, losses
from errbar._check import IntArray
from errbar.engine import data as data_module
from errbar.engine import learners as learners_module
from errbar.engine.data import Data
from errbar.engine.executors import Executor, choose
from errbar.engine.learners import Prototype
from errbar.engine.stores import SQLiteStore, Store, Writer, opened, versions
from errbar.engine.work import Block, Bundle, Bundled, Job, Task, shares, singles
from errbar.errors import Failure, FitFailedError, InvalidInputError, StoreError, UndefinedMetricError
from errbar.losses import Loss
from errbar.plans import Draw, Plan, Split, draw
from errbar.result import Note
from errbar.split_columns import SplitColumns
from errbar.table import Cells, Counts, LossTable, measure

FEWEST = 8
"""Fits of one learner from which on it may pay to compute them together."""


LARGEST_SHARED = 2**26
"""Bytes of features up to which fits are computed together; that takes several copies of the features."""


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
    time: Any = None,
    random_state: Any = None,
    version: Mapping[str, str] | None = None,
    only_loss: bool = False,
) -> Setup:
    """Check everything that can be checked before the first fit.

    Parameters are those of `errbar.run`, and `only_loss`: store predictions of the kind that the loss needs only, also
    where it is the default one.
    """
    checked, task = learners_module.check(learners)
    resolved = losses.resolve(loss, task)
    wanted = resolved if only_loss or loss is not None else None
    prototypes = learners_module.prototypes(checked, task, wanted, version)
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
    require_seed(store, random_state)
    setup = prepare(
        learners, X, y, plan=plan, loss=loss, groups=groups, time=time, random_state=random_state, version=version
    )
    return execute(setup, n_jobs=n_jobs, store=store, executor=executor, share=share, progress=progress)


def execute(
    setup: Setup,
    *,
    n_jobs: int | None = None,
    store: Store | str | os.PathLike[str] | None = None,
    executor: Executor | None = None,
    share: bool = True,
    progress: Callable[[Progress], None] | None = None,
) -> LossTable:
    """Do the fits of a checked run. Parameters are those of `errbar.run`."""
    kept, ours = opened(store)
    try:
        if isinstance(kept, SQLiteStore):
            _require_lasting(setup)
        way = _Way(executor or choose(n_jobs), _check.flag(share, "share"), fresh=store is None)
        return _executed(setup, kept, way, progress)
    finally:
        if ours and isinstance(kept, SQLiteStore):
            kept.close()


@dataclass(frozen=True)
class _Way:
    """How the fits are done: by whom, together where that is possible, and with nothing known before."""

    executor: Executor
    share: bool
    fresh: bool


def _executed(setup: Setup, kept: Store, way: _Way, progress: Callable[[Progress], None] | None) -> LossTable:
    started = time.perf_counter()
    groups = _training_sets(setup.draw)
    tasks = _tasks(setup, groups)
    blocks = {} if way.fresh else _stored(kept, tasks, setup)
    waiting = [task for task in tasks if task.key not in blocks]
    reporter = _Reporter(len(waiting), started, progress)
    job = Job(setup.data, {p.name: p for p in setup.prototypes}, setup.base)
    mine, shared, refused = 0, set(), set()
    bundled: list[Task | Bundle] = _bundled(setup, waiting, len(groups)) if way.share else list(waiting)
    with Writer(kept) as writer:

        def emit(outcome: Block | Bundled) -> None:
            nonlocal mine
            if isinstance(outcome, Bundled):
                shared.update([outcome.queue] * outcome.shared)
                refused.update([outcome.queue] * outcome.refused)
            for block in outcome.blocks if isinstance(outcome, Bundled) else (outcome,):
                blocks[block.key] = block
                mine += not block.error
                writer.put(block)
                reporter(block)

        if isinstance(kept, SQLiteStore):
            others = _Others(kept, setup, blocks, reporter)
            way.executor.run(job, _mixed(bundled), emit, others)
        else:
            way.executor.run(job, bundled, emit)
    failed = sum(bool(block.error) for block in blocks.values())
    names = tuple(prototype.name for prototype in setup.prototypes if prototype.name in shared)
    counts = Counts(mine, len(tasks) - mine - failed, failed, time.perf_counter() - started, names)
    return _conclude(setup, groups, tasks, blocks, counts, (*_unwritten(writer), *_refused(sorted(refused))))


class _Others:
    """Takes fits that another process has put into the same store in the meantime, so that they are not done again."""

    def __init__(self, store: Store, setup: Setup, blocks: dict[str, Block], reporter: "_Reporter") -> None:
        self._store, self._setup, self._blocks, self._reporter = store, setup, blocks, reporter

    def __call__(self, tasks: Sequence[Task | Bundle]) -> list[Task | Bundle]:
        """Return those of the tasks that nobody has done yet."""
        single = [one for task in tasks for one in singles(task)]
        try:
            found = _stored(self._store, single, self._setup)
        except StoreError:  # the writer says so when it is its turn
            return list(tasks)
        left = []
        for task in tasks:
            parts = singles(task)
            if all(part.key in found for part in parts):
                for part in parts:
                    self._blocks[part.key] = found[part.key]
                    self._reporter(found[part.key])
            else:
                left.append(task)
        return left


def _mixed(tasks: list[Task | Bundle]) -> list[Task | Bundle]:
    """Take another order in every process: several that do the same in step find each other's fits not yet committed."""
    return [tasks[i] for i in np.random.default_rng().permutation(len(tasks))]


def _unwritten(writer: Writer) -> tuple[Note, ...]:
    if writer.problem is None:
        return ()
    text = f"{writer.lost} fits could not be kept and will be done again in a later run: {writer.problem}"
    return (Note("store", text),)


def _refused(learners: Sequence[str]) -> Iterator[Note]:
    for name in learners:
        text = (
            f"{name}: on splits drawn at random, predictions computed together with those of other splits were not those "
            "of refitting, so every split was refitted"
        )
        yield Note("shared-fits", text)


def _labels(values: Any, n: int, name: str) -> Any:
    if values is None:
        return None
    array = np.asarray(values)
    if array.shape != (n,):
        raise InvalidInputError(f"`{name}` must hold one value per example, {n} in all, got shape {array.shape}")
    if any(value is None or value != value for value in array.tolist()):
        raise InvalidInputError(f"`{name}` must hold a value for every example; one is missing")
    return array


def require_seed(store: Any, random_state: Any) -> None:
    """Raise if fits are kept in a file and a later run would do others, because nothing fixes its random choices."""
    if random_state is None and isinstance(store, (str, os.PathLike, SQLiteStore)):
        raise InvalidInputError(
            "`random_state` must be given where fits are kept in a file: without it a later run would make other splits "
            "and find none of them; any number will do, such as random_state=0"
        )


def _require_lasting(setup: Setup) -> None:
    """Raise if a learner could not be recognised in a later run."""
    for prototype in setup.prototypes:
        if not prototype.lasting:
            raise InvalidInputError(
                f"learner {prototype.name!r} could not be recognised in a later run: a part of it, such as a function "
                f"without a name, cannot be written down; say with version={{{prototype.name!r}: '1'}} what it is, and "
                "change the text whenever the learner changes"
            )


@dataclass(frozen=True, eq=False)
class _TrainingSet:
    digest: str
    first: Split
    splits: list[int]
    examples: NDArray[Any]


def _training_sets(drawn: Draw) -> list[_TrainingSet]:
    """Group splits by training set; each is fitted once and predicts what any of its splits asks for."""
    members: dict[str, list[int]] = {}
    for j, digest in enumerate(drawn.training_sets):
        members.setdefault(digest, []).append(j)
    return [
        _TrainingSet(digest, drawn.splits[found[0]], found, _ascending([drawn.splits[j].test for j in found]))
        for digest, found in members.items()
    ]


def _ascending(tests: Sequence[NDArray[Any]]) -> NDArray[Any]:
    if len(tests) > 1:
        return np.unique(np.concatenate(tests))
    test = tests[0]
    return test if (test[1:] > test[:-1]).all() else np.sort(test)


def _tasks(setup: Setup, groups: Sequence[_TrainingSet]) -> list[Task]:
    compact = np.int32 if setup.data.n < 2**31 else np.int64
    positions = [group.examples.astype(compact) for group in groups]
    base = str(setup.base)
    tasks = []
    for prototype in setup.prototypes:
        for group, examples in zip(groups, positions, strict=True):
            parts = (setup.data.digest, prototype.name, prototype.digest, group.digest, base)
            key = blake2b("|".join(parts).encode(), digest_size=16).hexdigest()
            tasks.append(Task(key, prototype.name, group.digest, examples, group.first, setup.data.digest))
    return tasks


def _bundled(setup: Setup, tasks: Sequence[Task], training_sets: int) -> list[Task | Bundle]:
    """Put the tasks of learners whose fits share most of their work together.

    What counts is the number of training sets in the plan, not of those that are left: a run that goes on does as the
    whole run would have done, to the last bit.
    """
    single: list[Task | Bundle] = []
    together: list[Task | Bundle] = []
    room = getattr(setup.data.X, "nbytes", LARGEST_SHARED + 1) <= LARGEST_SHARED
    for prototype in setup.prototypes:
        own = tuple(task for task in tasks if task.learner == prototype.name)
        if own and room and training_sets >= FEWEST and shares(prototype, setup.data):
            together.append(Bundle(own))
        else:
            single += own
    return single + together


def _stored(store: Store, tasks: Sequence[Task], setup: Setup) -> dict[str, Block]:
    """Return the blocks that the store has, with every kind of prediction for every example that is asked for."""
    kinds = {prototype.name: set(prototype.kinds) for prototype in setup.prototypes}
    known = store.done(task.key for task in tasks)
    found = {}
    for task in tasks:
        if task.key in known:
            block = store.get(task.key)
            if kinds[task.learner] <= set(block.predictions) and _covers(block.examples, task.examples):
                found[task.key] = block
    return found


def _covers(known: NDArray[Any], asked: NDArray[Any]) -> bool:
    return np.array_equal(known, asked) or bool(np.isin(asked, known).all())


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
    setup: Setup,
    groups: Sequence[_TrainingSet],
    tasks: Sequence[Task],
    found: Mapping[str, Block],
    counts: Counts,
    notes: tuple[Note, ...],
) -> LossTable:
    by_learner: dict[str, list[Block]] = {}
    for task in tasks:
        by_learner.setdefault(task.learner, []).append(found[task.key])
    failures = [
        Failure(block.learner, block.split, block.error, block.traceback)
        for blocks in by_learner.values()
        for block in blocks
        if block.error
    ]
    broken = {failure.learner for failure in failures}
    complete = {name: blocks for name, blocks in by_learner.items() if name not in broken}
    table = _assemble(setup, groups, complete, counts, notes) if complete else None
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
    setup: Setup,
    groups: Sequence[_TrainingSet],
    blocks: Mapping[str, Sequence[Block]],
    counts: Counts,
    notes: tuple[Note, ...],
) -> LossTable:
    splits = setup.draw.splits
    cells = Cells(
        np.repeat(np.arange(len(splits)), [split.test.size for split in splits]),
        np.concatenate([split.test for split in splits]),
    )
    places = _places(setup.draw, groups)
    predictions = tuple(_on_cells(groups, own, places, setup.draw) for own in blocks.values())

    def made(loss: Loss) -> LossTable:
        scores, points = measure(loss, setup.data.target, cells, predictions, setup.draw.describe)
        return LossTable(
            learners=tuple(blocks),
            loss=loss,
            splits=SplitColumns.of(setup.draw, setup.data.target.codes),
            scores=scores,
            points=points,
            cells=cells,
            predictions=predictions,
            target=setup.data.target,
            counts=counts,
            notes=(*notes, *_warning_notes(blocks)),
            provenance=_provenance(setup),
        )

    try:
        return made(setup.loss)
    except UndefinedMetricError as error:
        with suppress(InvalidInputError):  # where predictions of another kind were kept
            error.table = made(losses.default(setup.data.target.task))
        raise


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
        **versions(),
    }


__all__ = ["Progress", "Setup", "execute", "prepare", "require_seed", "run"]
