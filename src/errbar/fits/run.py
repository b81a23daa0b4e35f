"""From learners, data and a plan to a table: each learner is fitted once on each training set."""

import json
import os
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass, replace
from time import perf_counter, sleep
from typing import Any

import numpy as np

from errbar import _check, _rng, metrics
from errbar._plain import record
from errbar.design import SplitColumns, weights_of
from errbar.errors import Failure, FitFailedError, InvalidInputError, UndefinedMetricError
from errbar.fits.learners import Learners, Prototype, digest, prepared, require_weights, versions
from errbar.fits.parallel import Settings, Task, chosen
from errbar.fits.store import Record, Store
from errbar.fits.task import Data, FitJob, Predictions, data_of, joined, training_sets
from errbar.metrics import LOSSES, METRICS, Loss, Target
from errbar.metrics._loss import score_words
from errbar.plans import Draw, draw, plan_of
from errbar.plans._base import NO_LABEL
from errbar.result import Note
from errbar.table import Cells, Counts, LossTable, Tested, refuse_undefined

PAUSE = 0.2
"""Seconds between looks at what another process is doing."""


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


@record
class Setup:
    """A run that has been checked and not been started, and how its fits are to be done, of which no number depends."""

    data: Data
    prototypes: tuple[Prototype, ...]
    losses: tuple[Loss, ...]
    draw: Draw
    splits: SplitColumns
    base: int
    notes: tuple[Note, ...] = ()
    n_jobs: int | None = None
    store: Any = None
    executor: Any = None
    share: bool = True
    progress: Any = None
    on_error: str = "raise"

    @property
    def facts(self) -> dict[str, str]:
        """What the numbers come from: seed, digests and number of examples."""
        return {
            "random_state": str(self.base),
            "data": self.data.digest,
            "splits": self.draw.fingerprint,
            "examples": str(self.data.y.size),
        }

    def __post_init__(self) -> None:
        """Check how fits are done."""
        _check.flag(self.share, "share")
        callable_ = self.progress is None or callable(self.progress)
        _check.require(callable_, "must be a function such as print", self.progress, "progress")
        _check.choice(self.on_error, ("raise", "keep"), "on_error")


def prepare(
    learners: Learners,
    X: Any,
    y: Any,
    *,
    plan: Any,
    loss: Any = None,
    positive: Any = None,
    pool: str | None = None,
    groups: Any = None,
    time: Any = None,
    stratify: bool = False,
    weights: Any = None,
    fit_weights: bool = True,
    random_state: Any = None,
    store: Any = None,
    only_loss: bool = False,
    **how: Any,
) -> Setup:
    """Check everything that can be checked before the first fit; arguments are those of `errbar.run`.

    With `only_loss`, learners predict what the loss needs only, where nobody will ask for another.
    """
    plan = plan_of(plan, stratify=_check.flag(stratify, "stratify"))
    wanted = tuple(loss) if isinstance(loss, (list, tuple)) else (loss,)
    _check.require(wanted, "must hold at least one loss, such as 'f1'", loss, "loss")
    in_fits = _check.flag(fit_weights, "fit_weights")
    known = None if weights is None else weights_of(weights, np.size(y))
    prototypes, task, losses = prepared(
        learners, wanted, pool=pool, weighted=known is not None, only_loss=only_loss
    )
    in_memory = store is None or (isinstance(store, Store) and not store.path)
    must = "must be a number such as 0 where fits are kept in a file, for a later run to find them"
    _check.require(in_memory or random_state is not None, must, random_state, "random_state")
    for one in prototypes:
        if store is not None and one.identity.obstacle:
            raise InvalidInputError(
                f"a later run could not recognise learner {one.name!r} ({one.identity.obstacle}); give its "
                "parameters as something plain, or leave `store` out"
            )
    data = data_of(X, y, task, positive)
    if known is not None and in_fits:
        require_weights(prototypes)
        data = replace(data, weights=known, digest=digest(data.digest, known))
    base = _rng.root(random_state)
    # Splitters of others stratify by themselves.
    if data.target.classes is None and any(
        part.stratify and not part.foreign for part in plan.parts()
    ):
        raise InvalidInputError(
            "keeps the shares of classes, and the learners are regressors: leave it out",
            argument="stratify",
        )
    drawn = draw(plan, data.y.size, base, data.y, groups, time)
    splits = SplitColumns.of(drawn, data.target.codes).weighted(known)
    if data.weights is not None:
        for one in drawn.splits:
            must = f"must not all be 0 in the training set of {one.describe()}"
            _check.require(data.weights[one.train].any(), must, 0, "weights")
    tested = Tested(data.target, splits, Cells.of([split.test for split in drawn.splits]))
    for measure in losses:
        measure.refuse_contradiction(data.target, positive)
        refuse_undefined(measure, tested)  # what will be tested is known, so no fit is wasted
    notes = tuple(_notes_before(data, drawn, losses))
    return Setup(data, prototypes, losses, drawn, splits, base, notes, store=store, **how)


def _notes_before(data: Data, drawn: Draw, losses: Sequence[Loss]) -> Iterator[Note]:
    codes = data.target.codes
    if codes is not None:
        known = [np.isin(codes[one.test], codes[one.train]).all() for one in drawn.splits]
        if not all(known):
            yield Note("unseen-classes", count=len(known) - sum(known), splits=len(known))
    for loss in losses:
        ours = (LOSSES | METRICS).get(loss.key)
        named = score_words(loss.key) if ours is None else ours.higher_is_better
        if named is not None and named != loss.higher_is_better:
            how = "higher" if loss.higher_is_better else "lower"
            say = f"greater_is_better={named}"
            yield Note("direction", what=loss.key, better=how, say=say)


def run(
    learners: Learners,
    X: Any,
    y: Any,
    *,
    plan: Any,
    loss: Any = None,
    positive: Any = None,
    pool: str | None = None,
    groups: Any = None,
    time: Any = None,
    stratify: bool = False,
    weights: Any = None,
    fit_weights: bool = True,
    random_state: Any = None,
    n_jobs: int | None = None,
    store: Store | str | os.PathLike[str] | None = None,
    executor: Any = None,
    share: bool = True,
    progress: Callable[[Progress], None] | None = None,
    on_error: str = "raise",
) -> LossTable:
    """Fit every learner once on every training set of a plan, and return the table of losses.

    Parameters
    ----------
    learners : mapping of str to estimator
        Estimators of scikit-learn by name, also pipelines, ensembles and searches, and training
        functions by way of `errbar.function`. They are never modified. Every ``random_state`` that
        is None is seeded from the name, the training set and the root.
    X : array-like, sparse matrix or data frame
        Features, one row per example.
    y : array-like, shape (n,)
        Target: labels (numbers or text) for classifiers, numbers for regressors.
    plan : Plan, int, splitter or iterable of (train, test)
        A plan, or plans added up; a number of folds; a splitter of scikit-learn; index pairs.
    loss : str, Loss or callable, optional
        See `errbar.metrics.resolve`; by default zero-one for classifiers and squared-error for
        regressors. Predictions are kept in every kind that a learner offers, so that another loss
        costs no fit: with `LossTable.with_loss`, or in a later run on the same store.
    positive, pool : object, {"none", "folds", "splits"}, optional
        Label of the positive class, for metrics such as F1; of the classes 0 and 1, False and True,
        or -1 and 1 it is 1 or True. How metrics combine splits: see `errbar.metrics.resolve`.
    groups, time : array-like, shape (n,), optional
        Group (cluster) of each example, such as the patient, which the plan must keep together
        unless it goes forward in time; and its time, numbers or dates, as
        `errbar.plans.RollingOrigin` uses it. Methods that need independent examples refuse such
        data.
    stratify : bool, default False
        Whether splits keep the shares of the classes.
    weights : array-like, shape (n,), optional
        How much each example counts, at least 0, in the fits (``sample_weight``, of a pipeline that
        of its last step), in losses and metrics, and in their standard errors. Only ratios matter:
        learners get weights that are 1 on average, and equal ones are none. They are no copies:
        an example of weight 2 is still one draw.
    fit_weights : bool, default True
        Whether learners are fitted with the weights; they are refused where one takes none.
    random_state : None, int or NumPy generator, optional
        Root of every random choice. Equal roots give equal numbers, bit for bit, for any `n_jobs`.
    n_jobs : int, optional
        Workers; None takes joblib's configuration (1 unless set), -1 all cores.
    store : str, Path or Store, optional
        Keeps fits across runs. Kept fits are not done again, even if the run was stopped or killed;
        failed ones are. One is used if data, training set, root and learner are the same:
        parameters, code, that of your own modules that it reaches, and versions of packages.
        Several processes can share a file; one of them does each fit.
    executor : concurrent.futures.Executor, distributed.Client or errbar.fits.Workers, optional
        Where the fits run: an executor, the client of a Dask cluster, or workers on this machine
        with a time limit, ``errbar.fits.Workers(2, fit_timeout=60)``.
    share : bool, default True
        Whether to do all training sets of a learner in one call, where it has ``fit_predict_many``,
        or is nearest neighbours, linear or ridge regression, with predictions equal to 1e-8. Two
        training sets, drawn at random, are fitted alone as a check. ``table.counts.shared`` names
        the learners.
    progress : callable, optional
        Called with a `Progress` after every fit.
    on_error : {"raise", "keep"}, default "raise"
        What follows failed fits after all others are finished: an error, or a note and a table
        without the learner. After two failed fits and no success a learner is given up at once.

    Returns
    -------
    LossTable

    Raises
    ------
    InvalidInputError, FitFailedError
        If an argument cannot be used, before any fit; if fits failed, with the ``table`` of the
        learners that have all of theirs.

    Examples
    --------
    >>> import errbar
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> errbar.run({"tree": DecisionTreeClassifier()}, X, y, plan=errbar.plans.KFold(folds=10), random_state=0)
    LossTable(1 learners, 10 splits, loss 'zero-one', plans ['kfold'])
    """
    given = locals()
    several = isinstance(loss, (list, tuple)) and len(loss) > 1
    must = "must be one loss: errbar.compare takes several, table.with_loss('f1') gives another"
    _check.require(not several, must, loss, "loss")
    [table] = execute(prepare(**given))
    return table


def opened(store: Any) -> Any:
    """Return a context with a store; one that is opened here is closed at the end."""
    return nullcontext(store) if store is None or isinstance(store, Store) else Store(store)


class Collector:
    """What a run has found so far: it says which tasks are wanted, takes outcomes, keeps them, and tells how far it is.

    After so many failures as `hopeless` and no success, the other fits of a learner are not worth their time.
    """

    def __init__(
        self,
        job: Any,
        tasks: Sequence[Task],
        store: Store | None,
        progress: Any = None,
        hopeless: int = 2,
    ) -> None:
        self.job, self.tasks, self.store = job, tasks, store
        self.progress, self.hopeless = progress, hopeless
        self.started = perf_counter()
        self.found: dict[str, Record] = {}
        self.postponed: list[Task] = []
        self.total = self.done = self.failed = self.reused = 0
        self.good: set[str] = set()
        self.bad: Any = defaultdict(list)

    @property
    def failures(self) -> list[Failure]:
        """Every fit that failed, in the order of the tasks."""
        found = [(task, self.found[task.key].facts) for task in self.tasks]
        return [
            Failure(task.learner, words, facts["error"], facts.get("traceback", ""))
            for task, facts in found
            if "error" in facts
            for words in self.job.words(task)
        ]

    def finish(self, way: Any) -> None:
        """Do what is left to do, in some way of running."""
        left = self._left(self.tasks)
        self.total = sum(len(task.sets) for task in left)
        try:
            while left:
                before = len(self.found)
                for task, record in way.run(self.job, left, self.wanted):
                    if self.store:
                        self.store.put(task.key, self.job.record(task, record))
                    self._take(task, record)
                if self.store:
                    self.store.save()
                left, self.postponed = self._left(self.postponed), []
                if left and len(self.found) == before:
                    sleep(PAUSE)  # others are at the rest
        finally:
            if self.store:
                self.store.release()

    def _left(self, tasks: Sequence[Task]) -> list[Task]:
        """Take what the store has of some tasks, and return the others."""
        kept = self.store.find(one.key for one in tasks) if self.store else {}
        left = []
        for task in tasks:
            if task.key in kept and self.job.serves(task, kept[task.key]):
                self.found[task.key] = kept[task.key]
                self.good.add(task.learner)
                self.reused += len(task.sets)
            else:
                left.append(task)
        return left

    def wanted(self, tasks: Sequence[Task]) -> list[Task]:
        """Return the tasks that are to be done now, by this process; those that another process does are postponed."""
        hopeful = []
        for task in tasks:
            errors = self.bad[task.learner]
            if task.learner in self.good or len(errors) < self.hopeless:
                hopeful.append(task)
            else:
                tried = f"given up: {self.hopeless} fits failed, and none succeeded"
                self._take(task, Record(facts={"error": f"{errors[0]} ({tried})"}))
        if not (self.store and hopeful):
            return hopeful
        mine = self.store.claim([task.key for task in hopeful])
        self.postponed += [task for task in hopeful if task.key not in mine]
        return self._left([task for task in hopeful if task.key in mine])

    def _take(self, task: Task, record: Record) -> None:
        self.found[task.key] = record
        self.done += len(task.sets)
        if "error" in record.facts:
            self.failed += len(task.sets)
            self.bad[task.learner].append(record.facts["error"])
        else:
            self.good.add(task.learner)
        if self.progress is not None:
            seconds = perf_counter() - self.started
            left = seconds / self.done * (self.total - self.done)
            state = Progress(self.done, self.total, self.failed, seconds, left, task.learner)
            self.progress(state)


def execute(setup: Setup) -> list[LossTable]:
    """Do the fits of a checked run, and return the table of each loss."""
    learners = {prototype.name: prototype for prototype in setup.prototypes}
    job = FitJob(Settings.here(), setup.data, learners, training_sets(setup.draw), setup.base)
    with opened(setup.store) as store:
        if store:
            _keep_target(store, setup.data)
        tasks = list(job.tasks(share=setup.share, kept=store is not None))
        run = Collector(job, tasks, store, setup.progress)
        run.finish(chosen(setup.n_jobs, setup.executor))
    failures, complete = run.failures, dict.fromkeys(learners)
    for failure in failures:
        complete.pop(failure.learner, None)
    keep, tables = setup.on_error == "keep", []
    if complete:
        for name in complete:
            complete[name] = [run.found[task.key] for task in tasks if task.learner == name]
        blank = _blank(setup, run, complete)
        tables = [_judged(blank, loss, keep=keep) for loss in setup.losses]
    if failures and not (keep and complete):
        first, total = failures[0], len(learners) * len(job.sets)
        raise FitFailedError(
            f"{len(failures)} of {total} fits failed; first: {first.learner}, {first.split}: {first.message}",
            failures,
            next(iter(tables), None),
        )
    return tables


def _judged(table: LossTable, loss: Loss, *, keep: bool) -> LossTable:
    """Return the table of a loss; learners for which it is undefined may be left out with a note, where others are kept."""
    while True:
        try:
            return table.with_loss(loss)
        except UndefinedMetricError as error:
            if not keep or error.learner is None or len(table.learners) < 2:
                with suppress(InvalidInputError):  # no fit is lost
                    error.table = table.with_loss(table.loss)
                raise
            others = table.subset([name for name in table.learners if name != error.learner])
            note = Note("left-out", what=[error.learner], why="an undefined metric")
            table = replace(others, notes=(*others.notes, note))


def _keep_target(store: Store, data: Data) -> None:
    key = f"data {data.digest}"
    if store.find([key]):
        return
    classes = data.target.classes
    if classes is not None and classes.dtype.kind == "S":
        classes = np.char.decode(classes, errors="backslashreplace")
    facts = {"data": data.digest, "classes": None if classes is None else classes.tolist()}
    store.put(key, Record({"values": data.target.values}, facts))


def _blank(setup: Setup, run: Collector, complete: Any) -> LossTable:
    """Return the table, still without losses, of the learners that have all of their fits."""
    data, drawn = setup.data, setup.draw
    places = _places(drawn, run.job.sets)
    found: dict[str, Predictions] = {}
    for name, own in complete.items():
        every = joined([one.arrays for one in own])
        found[name] = {kind: values[places] for kind, values in every.items()}
    kept = [one for one in setup.prototypes if one.name in complete]
    told = {
        "reweighted": json.dumps([one.name for one in kept if one.reweighted]),
        "seeded": json.dumps([one.name for one in kept if one.seeded]),
        # Examples such as texts, which are no rows of numbers, have none.
        "features": str(int(np.prod(data.X.shape[1:])) if len(data.X.shape) > 1 else 0),
    }
    weights = setup.splits.designs[0].weights
    if weights is not None:
        told["weights"] = digest(weights)
    provenance = setup.facts | {key: one for key, one in told.items() if one not in ("[]", "0")}
    shared = dict.fromkeys(task.learner for task in run.tasks if len(task.sets) > 1)
    seconds = perf_counter() - run.started
    return table_of(
        found,
        data.target,
        setup.splits,
        [split.test for split in drawn.splits],
        counts=Counts(run.done - run.failed, run.reused, run.failed, seconds, tuple(shared)),
        notes=(*setup.notes, *_notes(setup, run, complete, found)),
        failures=tuple(run.failures),
        provenance=provenance | versions(),
    )


def table_of(
    predictions: Mapping[str, Any],
    target: Target,
    splits: SplitColumns,
    tests: Any,
    **more: Any,
) -> LossTable:
    """Return the table, still without losses, of what learners have predicted of each test set."""
    return LossTable(
        tuple(predictions),
        metrics.default(target.task),
        splits,
        scores=np.zeros((len(predictions), len(tests))),
        cells=Cells.of(tests),
        predictions=tuple(predictions.values()),
        target=target,
        **more,
    )


def _notes(setup: Setup, run: Collector, complete: Any, found: Any) -> Iterator[Note]:
    store, splits = run.store, setup.draw.splits
    if store and store.problem:
        yield Note("fits", not_kept=[f"{len(store.waiting)} ({store.problem})"])
    if store and store.damaged:
        yield Note("fits", damaged=[len(store.damaged)])
    broken: dict[str, str] = {}
    for one in run.failures if setup.on_error == "keep" else ():
        broken.setdefault(one.learner, one.message.partition(":")[0])
    for name, why in broken.items():
        yield Note("left-out", what=[name], why=f"failed fits ({why})")
    for name, own in complete.items():
        texts = [text[:200] for one in own for text in one.facts["warnings"]]
        if texts:
            counts = f"{name} ({len(texts)} of {len(own)})"
            yield Note("fits", warned=[counts], first_warning=texts[:1])
    seeds = [NO_LABEL if one.seed is None else one.seed for one in splits]
    seed = np.repeat(seeds, [one.test.size for one in splits])
    same = [name for name, own in found.items() if _ignores_seeds(own, seed)]
    if same:
        yield Note("same-for-every-seed", learners=same)


def _places(drawn: Draw, sets: Any) -> _check.IntArray:
    """Return where the prediction of each cell stands among those of all training sets."""
    pieces: Any = [None] * len(drawn.splits)
    start = 0
    for group in sets:
        for j in group.splits:
            pieces[j] = start + np.searchsorted(group.examples, drawn.splits[j].test)
        start += group.examples.size
    return np.concatenate(pieces)


def _ignores_seeds(found: Predictions, seed: _check.IntArray) -> bool:
    """Tell whether all predictions are the same for every seed; each seed is for the same splits."""
    others = np.unique(seed[seed > 0]).tolist()
    return bool(others) and all(
        np.array_equal(values[seed == 0], values[seed == other])
        for values in found.values()
        for other in others
    )
