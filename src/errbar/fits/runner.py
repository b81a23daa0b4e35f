"""From learners, data and a plan to a table: each learner is fitted once on each training set."""

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields
from typing import Any

import numpy as np

from errbar import _check, _rng
from errbar.errors import InvalidInputError
from errbar.fits import data as data_module
from errbar.fits.assembly import Setup, table_of
from errbar.fits.collector import Collector, opened
from errbar.fits.learners import prepared
from errbar.fits.options import RAISE, Progress, RunOptions
from errbar.fits.parallel import chosen
from errbar.fits.process import Settings, loaded
from errbar.fits.store import Record, Store
from errbar.fits.task import FitJob, training_sets
from errbar.measuring import Cells, Tested, refuse_undefined
from errbar.metrics import LOSSES, METRICS
from errbar.metrics._directions import score_words
from errbar.plans import Draw, draw, plan_of
from errbar.result import Note
from errbar.split_columns import SplitColumns
from errbar.table import LossTable


def prepare(
    learners: Mapping[str, Any],
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
    random_state: Any = None,
    options: RunOptions = RunOptions(),  # noqa: B008 - it is frozen
    only_loss: bool = False,
) -> Setup:
    """Check everything that can be checked before the first fit.

    With `only_loss`, learners predict what the loss needs only, where nobody will ask for another.
    """
    options.check(random_state)
    plan = plan_of(plan, stratify=_check.flag(stratify, "stratify"))
    wanted = tuple(loss) if isinstance(loss, (list, tuple)) else (loss,)
    _check.require(wanted, "must hold at least one loss, such as 'f1'", loss, "loss")
    ready = prepared(learners, wanted, pool=pool, only_loss=only_loss)
    if options.store is not None:
        for one in ready.prototypes:
            if one.identity.obstacle:
                raise InvalidInputError(
                    f"a later run could not recognise learner {one.name!r} ({one.identity.obstacle}); give its "
                    "parameters as something plain, or leave `store` out"
                )
    data = data_module.prepare(X, y, ready.task, positive)
    base = _rng.root(random_state)
    # Splitters of others stratify by themselves.
    stratified = any(part.stratify and not part.foreign for part in plan.parts())
    if data.target.classes is None and stratified:
        raise InvalidInputError(
            "keeps the shares of classes, and the learners are regressors: leave it out",
            argument="stratify",
        )
    groups_and_time = (
        None if values is None else _check.categories(values, f"`{name}`", data.n)
        for name, values in (("groups", groups), ("time", time))
    )
    drawn = draw(plan, data.n, base, data.y, *groups_and_time)
    splits = SplitColumns.of(drawn, data.target.codes)
    tested = Tested(data.target, splits, Cells.of([split.test for split in drawn.splits]))
    for measure in ready.losses:
        measure.refuse_contradiction(data.target, positive)
        refuse_undefined(measure, tested)  # what will be tested is known, so no fit is wasted
    notes = (*_unseen_classes(data, drawn), *_directions(ready.losses))
    return Setup(data, ready.prototypes, ready.losses, drawn, splits, base, notes=notes)


def _unseen_classes(data: data_module.Data, drawn: Draw) -> Iterator[Note]:
    codes = data.target.codes
    if codes is None:
        return
    count = sum(
        not np.isin(np.unique(codes[split.test]), codes[split.train]).all()
        for split in drawn.splits
    )
    if count:
        yield Note("unseen-classes", count=count, splits=len(drawn.splits))


def _directions(wanted: Any) -> Iterator[Note]:
    for loss in wanted:
        ours = (LOSSES | METRICS).get(loss.key)
        named = score_words(loss.key) if ours is None else ours.higher_is_better
        if named is not None and named != loss.higher_is_better:
            how = "higher" if loss.higher_is_better else "lower"
            yield Note("direction", what=loss.key, better=how, say=f"greater_is_better={named}")


def run(
    learners: Mapping[str, Any],
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
    random_state: Any = None,
    n_jobs: int | None = None,
    store: Store | str | os.PathLike[str] | None = None,
    executor: Any = None,
    share: bool = True,
    progress: Callable[[Progress], None] | None = None,
    on_error: str = RAISE,
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
    options = RunOptions(*(given.pop(field.name) for field in fields(RunOptions)))
    return execute(prepare(**given, options=options), options)


def execute(setup: Setup, options: RunOptions = RunOptions()) -> LossTable:  # noqa: B008
    """Do the fits of a checked run."""
    learners = {prototype.name: prototype for prototype in setup.prototypes}
    settings = Settings.here(tuple(loaded.values()))
    job = FitJob(settings, setup.data, learners, training_sets(setup.draw), setup.base)
    with opened(options.store) as store:
        if store is not None:
            _keep_target(store, setup.data)
        share = options.share and not setup.part
        tasks = list(job.tasks(share=share, kept=store is not None))
        run = Collector(job, tasks, store, options.progress)
        run.finish(chosen(options.n_jobs, options.executor))
    return table_of(setup, run, keep=options.on_error != RAISE)


def _keep_target(store: Store, data: data_module.Data) -> None:
    key = f"data {data.digest}"
    if store.find([key]):
        return
    classes = data.target.classes
    if classes is not None and classes.dtype.kind == "S":
        classes = np.char.decode(classes, errors="backslashreplace")
    facts = {"data": data.digest, "classes": None if classes is None else classes.tolist()}
    store.put(key, Record({"values": data.target.values}, facts))
