"""Evaluate one learner, compare several: plan, run and answer in one call."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, replace
from os import PathLike
from typing import Any

import numpy as np

from errbar import _check, _rng, fits, simultaneous
from errbar.comparison import Comparison, Question, answer
from errbar.errors import InvalidInputError, UndefinedMetricError, UnsuitablePlanError
from errbar.fits import Progress, RunOptions, Setup, Store
from errbar.fits.learners import named
from errbar.fits.run_options import RAISE
from errbar.methods import lookup
from errbar.methods._core.fitting import FIRST
from errbar.methods._core.infer import settle
from errbar.methods._core.looks import Looks, planned_looks
from errbar.methods.variance import odds_of_correlation
from errbar.metrics import Loss
from errbar.plans import KFold, Plan, RollingOrigin, Subsampling, Union, draw, plan_of
from errbar.read.copies import copies
from errbar.result import Note
from errbar.split_columns import SplitColumns
from errbar.table import Counts, LossTable, blank_table

__all__ = ["compare", "evaluate"]

UNDEFINED = "an undefined metric"
"""Why a learner may be left out of one comparison of several."""

LOOKS_METHOD = "corrected-t"
"""The only method of which it is known what several looks do to it."""

_LOOKS_ADJUST = ("holm", "bonferroni", "hommel", "none")
"""Adjustments that never reject fewer pairs when a p-value gets smaller, and that keep their level for any part of the rejections."""

_REHEARSED = 200


def compare(
    learners: Mapping[str, Any],
    X: Any,
    y: Any,
    *,
    loss: Any = None,
    method: str | None = None,
    plan: Any = None,
    positive: Any = None,
    pool: str | None = None,
    groups: Any = None,
    time: Any = None,
    stratify: bool = False,
    baseline: str | None = None,
    adjust: str | None = None,
    rope: float | None = None,
    level: float = 0.95,
    alternative: str = "two-sided",
    looks: Sequence[int] | None = None,
    random_state: Any = None,
    n_jobs: int | None = None,
    store: Store | str | PathLike[str] | None = None,
    executor: Any = None,
    version: Mapping[str, str] | None = None,
    share: bool = True,
    progress: Callable[[Progress], None] | None = None,
    on_error: str = "raise",
    **options: Any,
) -> Any:
    """Compare learners on one data set: estimates with intervals, and adjusted differences of pairs.

    Parameters
    ----------
    learners : mapping of str to estimator
        Estimators of scikit-learn by name, all classifiers or all regressors.
    X, y : array-like
        Features and target; see `errbar.run`.
    loss : str, Loss, callable or list of them, optional
        Key of a loss or metric, scikit-learn scorer name or callable; by default zero-one for
        classifiers and squared-error for regressors. Of your own ``f(truth, predicted)`` larger values
        are worse, unless `errbar.metrics.metric` says otherwise; functions of `sklearn.metrics` keep
        their direction. Several losses take the fits of one.
    method : str, optional
        Key of the method. By default the design decides: ``"cv-t"`` for folds, ``"corrected-t"`` for
        random splits, ``"holdout-t"`` or ``"paired-proportions"`` for one test set, ``"cluster-t"`` for
        one in groups, ``"crossed-t"`` for seeds, and ``"diebold-mariano"`` for time.
    plan : Plan, int, splitter or iterable of (train, test), optional
        Splits: a plan, a number of folds, a splitter of scikit-learn or index pairs. By default the
        plan of the method. Without a method it is `errbar.plans.RollingOrigin` for data in time, and
        else two repeats of ten folds, which keep groups whole. Of up to ten groups, or examples, each
        is a fold, once.
    positive, pool, groups, time, stratify : optional
        As for `errbar.run`.
    baseline : str, optional
        Compare every other learner with this one, instead of all pairs.
    adjust : str, optional
        Adjustment of the p-values over all pairs: ``"max-t"``, which agrees with the simultaneous
        intervals and is the default where the method has them, or one of
        `errbar.simultaneous.adjust`, else ``"holm"``.
    rope : float, optional
        Half-width of the region of practical equivalence, in units of the loss.
    level : float, default 0.95
    alternative : {"two-sided", "less", "greater"}, default "two-sided"
        Alternative hypothesis on the differences a - b, in the direction shown.
    looks : sequence of int, optional
        Numbers of random splits, such as ``(15, 30, 60, 100)``, after which to test whether every pair
        is significant or, with a `rope`, equivalent. Learners whose pairs are all decided get no more
        fits. Each test is stricter, so that all looks together have the level 1 - level.
    random_state : None, int or NumPy generator, optional
        Root of every random choice.
    n_jobs : int, optional
        Workers; None takes joblib's configuration, -1 all cores.
    store : str, Path or Store, optional
        Keeps fits across runs: a file, or a store. What is in it is not fitted again.
    executor, version, share : optional
        As for `errbar.run`.
    progress : callable, optional
        Called with a `Progress` after every fit.
    on_error : {"raise", "keep"}, default "raise"
        With "keep" a learner whose fits fail, or whose metric is undefined, is left out with a note.
    **options
        Options of the method's own, such as ``rho=0.7``.

    Returns
    -------
    Comparison
        Prints as a report; `to_dict`, `to_frame`, `plot` and `save` give other forms. A list of losses
        gives a dict by loss. `compare_table` asks other questions of ``found.table`` without new fits.

    Raises
    ------
    InvalidInputError, FitFailedError
        If an argument cannot be used, or method, plan and loss do not fit together, before any fit; if
        fits failed: its ``table`` holds the learners that have all of theirs, for `compare_table`.

    Examples
    --------
    >>> import errbar
    >>> from sklearn.datasets import load_diabetes
    >>> from sklearn.linear_model import Ridge
    >>> from sklearn.tree import DecisionTreeRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> learners = {"ridge": Ridge(), "tree": DecisionTreeRegressor()}
    >>> errbar.compare(learners, X, y, random_state=0).pairs[0].adjusted < 0.05
    True
    """
    question = {
        "method": method,
        "baseline": baseline,
        "adjust": adjust,
        "rope": rope,
        "level": level,
        "alternative": alternative,
    }
    found = compare_all(
        learners,
        X,
        y,
        [question | options],
        looks=looks,
        loss=loss,
        plan=plan,
        positive=positive,
        pool=pool,
        groups=groups,
        time=time,
        stratify=stratify,
        random_state=random_state,
        n_jobs=n_jobs,
        store=store,
        executor=executor,
        version=version,
        share=share,
        progress=progress,
        on_error=on_error,
    )
    if isinstance(loss, (list, tuple)):
        return {one.table.loss.key: one for one in found}
    return found[0]


def compare_all(
    learners: Mapping[str, Any],
    X: Any,
    y: Any,
    questions: Sequence[Mapping[str, Any]],
    *,
    looks: Sequence[int] | None = None,
    **run: Any,
) -> list[Comparison]:
    """Answer several questions, keyword arguments of `compare_table`, from one run, for each of its losses; `run` is as for `compare`."""
    asked = [dict(question) for question in questions]
    if looks is not None:
        asked, run["plan"] = _planned(looks, asked, run)
    setup, settled, how = _set_up(learners, X, y, [Question.of(one) for one in asked], run)
    if looks is not None:
        return _raced(setup, run["plan"], settled, how)
    table = _executed(setup, how)
    found = []
    for loss, of_loss in zip(setup.losses, settled, strict=True):
        own = _judged(table, loss, how)
        found += [answer(own, question.about(own.learners)) for question in of_loss]
    return found


def evaluate(
    learner: Any,
    X: Any,
    y: Any,
    *,
    loss: Any = None,
    method: str | None = None,
    plan: Any = None,
    level: float = 0.95,
    null: float | None = None,
    alternative: str = "two-sided",
    random_state: Any = None,
    name: str | None = None,
    **arguments: Any,
) -> Any:
    """Estimate the generalization error of one learner, with an interval.

    Parameters
    ----------
    learner : estimator
        A scikit-learn estimator; it is not modified.
    X, y, loss, method, plan, level, random_state
        As for `compare`.
    null : float, optional
        Value under the null hypothesis, such as a known risk. Without one no test is shown.
    alternative : {"two-sided", "less", "greater"}, default "two-sided"
        Alternative hypothesis, in the direction shown.
    name : str, optional
        Name, from which random streams are derived: ``"learner"`` by default, shown as the class.
    **arguments
        Other arguments of `errbar.run`, such as `groups` and `store`, and options of the method's own.

    Returns
    -------
    Result
        Scores such as accuracy keep their direction. A list of losses gives a dict of results by loss.

    Raises
    ------
    InvalidInputError, FitFailedError
        As for `compare`.

    Examples
    --------
    >>> import errbar
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> result = errbar.evaluate(DecisionTreeClassifier(), X, y, method="cv-wald", random_state=0)
    >>> result.low < result.estimate < result.high
    True
    """
    if isinstance(learner, Mapping):
        raise InvalidInputError(
            f"must be one estimator, got a mapping of {len(learner)}; errbar.compare takes learners by name, one or several",
            argument="learner",
        )
    known = inspect.signature(fits.run).parameters
    run = {key: arguments.pop(key) for key in list(arguments) if key in known}
    run |= {"loss": loss, "plan": plan, "random_state": random_state}
    own = "learner" if name is None else name
    steps = getattr(learner, "steps", None)
    last = steps[-1][1] if isinstance(steps, list) and steps else learner
    shown = getattr(last, "__name__", type(last).__name__)  # a function, or an estimator
    request: dict[str, Any] = {"level": level, "alternative": alternative}
    question = Question(method, options=arguments, **request)
    request |= {} if null is None else {"null": null}
    setup, settled, how = _set_up({own: learner}, X, y, [question], run, request)
    first, found = fits.execute(setup, how), {}
    for one, [asked] in zip(setup.losses, settled, strict=True):
        table = _judged(first, one, how)
        options = asked.options_for(asked.spec, table)
        result = settle(asked.spec, table).result(own, **request, **options)
        found[one.key] = replace(
            result.with_notes(*table.notes),
            n_fits=table.counts.fits + table.counts.reused,
            learner=shown if name is None else name,
        )
    return found if isinstance(loss, (list, tuple)) else next(iter(found.values()))


def default_plan(
    methods: Sequence[str | None], *, n: int | None = None, groups: Any = None, time: Any = None
) -> Plan:
    """Return the plans of all methods, added up; None leaves the plan to what the data are.

    There are no more folds than examples, or groups; of so few there is one partition, so one repeat.
    """
    found: list[Plan] = []
    count = n if groups is None else np.unique(_check.categories(groups, "`groups`")).size
    for key in methods:
        spec = lookup(FIRST if key is None else key)
        plan = RollingOrigin() if key is None and time is not None else spec.default_plan
        if plan is None:
            raise InvalidInputError(
                f"method {spec.key!r} is about several data sets, and this is one; try 'corrected-t', or "
                "errbar.compare_table with one row per data set"
            )
        if isinstance(plan, KFold) and count is not None and count <= plan.folds:
            plan = replace(plan, folds=max(2, count), repeats=1)
        if plan not in found:
            found.append(plan)
    return found[0] if len(found) == 1 else Union(tuple(found))


def _set_up(
    learners: Mapping[str, Any],
    X: Any,
    y: Any,
    questions: Sequence[Question],
    run: dict[str, Any],
    request: Mapping[str, Any] | None = None,
) -> tuple[Setup, list[list[Question]], RunOptions]:
    """Check that methods, plan and losses fit together, and settle methods that are not named; nothing is fitted.

    Returned are the questions of each loss. They are asked of zeros on the drawn splits: only the methods themselves, also
    those from elsewhere, know all that they refuse.
    """
    names = tuple(named(learners))
    questions = [question.checked(names) for question in questions]
    if not questions:
        raise InvalidInputError(
            "must hold at least one mapping, such as {'method': 'corrected-t'}",
            argument="questions",
        )
    options = [field.name for field in fields(RunOptions)]
    how = RunOptions(**{name: run.pop(name) for name in options if name in run})
    fits.require_seed(how, run.get("random_state"))
    wanted = run | {"random_state": _rng.root(run.get("random_state")), "options": how}
    given = wanted.get("plan") is not None
    if not given:
        methods = [question.method for question in questions]
        n = len(y) if hasattr(y, "__len__") else None
        wanted["plan"] = default_plan(methods, n=n, groups=run.get("groups"), time=run.get("time"))
    if wanted.get("loss") is None:
        specs = [lookup(question.method or FIRST) for question in questions]
        wanted["loss"] = next((spec.loss for spec in specs if spec.loss is not None), None)
    setup = _prepared(learners, X, y, wanted, given=given)
    names, settled = tuple(prototype.name for prototype in setup.prototypes)[:2], []
    for loss in setup.losses:
        blank = blank_table(setup.draw, setup.splits, loss, names)
        settled.append([question.settled(blank) for question in questions])
        for question in settled[-1]:
            _rehearse(blank, question, request)
    drawn = setup.draw
    refused = drawn.time is None and not any(part.foreign for part in drawn.parts)
    notes = copies(setup.data.X, setup.data.y, drawn.groups, refused=refused)
    return replace(setup, notes=(*setup.notes, *notes)), settled, how


def _prepared(
    learners: Mapping[str, Any], X: Any, y: Any, wanted: dict[str, Any], *, given: bool
) -> Setup:
    """Check a run; where a metric would be undefined on splits that nobody asked for, these are stratified."""
    try:
        return fits.prepare(learners, X, y, **wanted)
    except UndefinedMetricError as undefined:
        if given or wanted.get("stratify"):
            raise
        try:
            setup = fits.prepare(learners, X, y, **wanted | {"stratify": True})
        except InvalidInputError:
            raise undefined from None
    kind = "stratified, as the metric needs it"
    note = Note("taken-as", what="the plan", kind=kind, say=["stratify"])
    return replace(setup, notes=(*setup.notes, note))


def _rehearse(blank: LossTable, question: Question, request: Mapping[str, Any] | None) -> None:
    """Ask a question of zeros, so that whatever the method refuses is refused before a fit."""
    spec = question.spec
    first, *others = blank.learners
    rehearsed = settle(spec, blank)
    if spec.subject == "all":
        return
    options = question.options_for(spec, blank)
    count = options.get("resamples")
    if isinstance(count, int) and count > _REHEARSED:
        options["resamples"] = _REHEARSED  # enough to see what is refused
    minus = others[0] if spec.subject == "pair" and others else None
    asked = request or {"level": question.level, "alternative": question.alternative}
    rehearsed.result(first, minus, **asked, **options)


def _executed(setup: Setup, how: RunOptions) -> LossTable:
    """Do the fits; where the first loss is undefined for a learner that may be left out, return the table of another."""
    try:
        return fits.execute(setup, how)
    except UndefinedMetricError as error:
        if how.on_error == RAISE or error.learner is None or error.table is None:
            raise
        table: LossTable = error.table
        return table


def _judged(table: LossTable, loss: Loss, how: RunOptions) -> LossTable:
    """Return the table of a loss; learners for which it is undefined are left out with a note, where others are to be kept."""
    left = table
    while left.loss is not loss:
        try:
            return left.with_loss(loss)
        except UndefinedMetricError as error:
            if how.on_error == RAISE or error.learner is None or len(left.learners) < 2:
                error.table = error.table or table  # no fit is lost
                raise
            note = Note("left-out", what=[error.learner], why=UNDEFINED)
            others = left.subset([name for name in left.learners if name != error.learner])
            left = replace(others, notes=(*others.notes, note))
    return left


def _planned(
    looks: Any, asked: Sequence[Mapping[str, Any]], run: Mapping[str, Any]
) -> tuple[list[dict[str, Any]], Subsampling]:
    """Return questions with the looks that are planned, and the plan of the last look.

    The plan that is given says how splits are made, and the looks how many of them.
    """
    counts = planned_looks(looks)
    questions = []
    for question in asked:
        method, adjust = question.get("method") or LOOKS_METHOD, question.get("adjust") or "holm"
        if lookup(method).key != LOOKS_METHOD:
            raise InvalidInputError(
                f"are for method {LOOKS_METHOD!r}: what several looks do to {method!r} is not known",
                argument="looks",
            )
        if adjust not in _LOOKS_ADJUST:
            raise InvalidInputError(
                f"must be one of {', '.join(_LOOKS_ADJUST)} where pairs stop at different looks, got {adjust!r}",
                argument="adjust",
            )
        questions.append({**question, "method": LOOKS_METHOD, "looks": counts})
    stratify = _check.flag(run.get("stratify", False), "stratify")
    plan = plan_of(run.get("plan") or Subsampling(), stratify=stratify)
    if run.get("time") is not None or not isinstance(plan, Subsampling):
        raise UnsuitablePlanError(
            f"need independent random splits, errbar.plans.Subsampling(), and no `time`; the plan is {plan}",
            argument="looks",
        )
    return questions, replace(plan, repeats=counts[-1])


def _raced(
    setup: Setup, plan: Subsampling, settled: Sequence[Sequence[Question]], how: RunOptions
) -> list[Comparison]:
    """Fit in chunks, with a look after each: it stops when every pair is decided, and learners whose pairs are go no further.

    `setup` is the checked run of the last look. Returned is an answer for each loss and question.
    """
    names = [prototype.name for prototype in setup.prototypes]
    if len(names) < 2:
        raise InvalidInputError(
            "stop when pairs are decided, and there is one learner only; leave `looks` out",
            argument="looks",
        )
    races = [
        _Race(loss, question, names)
        for loss, questions in zip(setup.losses, settled, strict=True)
        for question in questions
    ]
    # What was fitted up to a look is found at the next; where the user keeps no fits, memory does until the end.
    how = replace(how, store=Store() if how.store is None else how.store)
    cost, done = Counts(), 0  # in all, and the training sets of the look before
    for count in races[0].planned:
        part = _up_to(setup, plan, count, names)
        table = _executed(part, _counting_on(how, cost.fits + cost.failed))
        both = cost + replace(table.counts, reused=max(0, table.counts.reused - done * len(names)))
        cost = replace(both, shared=tuple(dict.fromkeys(both.shared)))
        for race in races:
            race.look(_judged(table, race.loss, how))
        names = [name for name in table.learners if any(name in race.open for race in races)]
        done = len(set(part.draw.fits))
        if not names:
            break
    return [race.answered(cost) for race in races]


def _up_to(setup: Setup, plan: Subsampling, count: int, names: Sequence[str]) -> Setup:
    """Return the run up to a look, of the learners that are in the race; its splits are the first ones of the whole."""
    whole, target = setup.draw, setup.data.target
    first = draw(
        replace(plan, repeats=count), whole.n, setup.base, setup.data.y, whole.groups, whole.time
    )
    drawn = replace(first, parts=whole.parts)
    return replace(
        setup,
        prototypes=tuple(one for one in setup.prototypes if one.name in names),
        draw=drawn,
        splits=SplitColumns.of(drawn, target.codes),
        part=True,
    )


def _counting_on(how: RunOptions, before: int) -> RunOptions:
    """Let progress tell of all fits so far, and not only of those since the last look."""
    tell = how.progress
    if tell is None:
        return how
    return replace(
        how,
        progress=lambda state: tell(
            replace(state, done=state.done + before, total=state.total + before)
        ),
    )


class _Race:
    """The looks at one loss, for one question."""

    def __init__(self, loss: Loss, question: Question, learners: Sequence[str]) -> None:
        self.loss, self.question = loss, question.about(learners)
        self.planned: tuple[int, ...] = question.options["looks"]
        self.learners = list(learners)
        # Pairs that are not decided, and the learners that are still in the race for them.
        couples = simultaneous.pairs_of(tuple(learners), self.question.baseline)
        self.undecided, self.open = set(map(frozenset, couples)), set(learners)
        self.tables: list[LossTable] = []
        self.last: dict[frozenset[str], int] = {}

    def look(self, table: LossTable) -> None:
        """Judge the pairs that are not decided by all splits up to now."""
        if not self.undecided:
            return
        lost = self.open - set(table.learners)
        self.learners = [name for name in self.learners if name not in lost]
        self.undecided = {pair for pair in self.undecided if not pair & lost}
        own = table.subset([name for name in table.learners if name in self.open])
        self.tables.append(own)
        self.last = {pair: count for pair, count in self.last.items() if not pair & lost}
        self.last |= {pair: int(own.scores.shape[1]) for pair in self.undecided}
        self.undecided -= {
            frozenset((found.pair.a, found.pair.b))
            for found in self.answered().decisions
            if found.significant or found.equivalent
        }
        self.open = {name for pair in self.undecided for name in pair}

    def answered(self, cost: Counts | None = None) -> Comparison:
        """Return what the looks have found so far."""
        latest, question = self.tables[-1], self.question.about(self.learners)
        correlation = question.options.get("correlation")
        looks = Looks(
            planned=self.planned,
            made=tuple(table.scores.shape[1] for table in self.tables),
            tables=tuple(self.tables),
            last=self.last,
            ratio=odds_of_correlation(latest.losses(latest.learners[0]), correlation),
            level=question.level,
            alternative=question.alternative,
        )
        # The splits that all learners have, so that their numbers stand in one table.
        whole = [table for table in self.tables if set(self.learners) <= set(table.learners)]
        common = replace(
            whole[-1].subset(self.learners),
            notes=tuple(note for table in self.tables for note in table.notes),
            failures=tuple(dict.fromkeys(one for table in self.tables for one in table.failures)),
            counts=cost or latest.counts,
        )
        return answer(common, question, looks)
