"""Evaluate one learner, compare several: plan, run and answer in one call."""

import inspect
import math
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

import numpy as np

from errbar import _check, fits
from errbar.comparison import Comparison, Question, answer
from errbar.errors import InvalidInputError, UndefinedMetricError, UnsuitablePlanError
from errbar.fits import RunOptions, Setup, Store
from errbar.fits.learners import named
from errbar.methods import lookup
from errbar.methods._core.fitting import FIRST
from errbar.methods._core.infer import settle
from errbar.methods._core.looks import Boundary, Looks, planned_looks
from errbar.methods.variance import odds_of_correlation
from errbar.metrics import Loss
from errbar.plans import KFold, Plan, RollingOrigin, Subsampling, Union, plan_of
from errbar.reading.copies import copies
from errbar.result import Note, Result
from errbar.simultaneous import pairs_of
from errbar.table import Counts, LossTable, blank_table

__all__ = ["compare", "evaluate"]

UNDEFINED = "an undefined metric"
"""Why a learner may be left out of one comparison of several."""

_LOOKS_ADJUST = ("holm", "bonferroni", "hommel", "none")
"""Adjustments that never reject fewer pairs when a p-value gets smaller, and that keep their level for any part of the rejections."""

_REHEARSED = 200

_OPTIONS = {one.name for one in fields(RunOptions)}
_RUN = {*inspect.signature(fits.prepare).parameters, *_OPTIONS}
"""Arguments of `errbar.run`; all others are about methods."""


def compare(
    learners: Mapping[str, Any],
    X: Any,
    y: Any,
    *,
    loss: Any = None,
    method: str | None = None,
    plan: Any = None,
    baseline: str | None = None,
    adjust: str | None = None,
    rope: float | None = None,
    level: float = 0.95,
    alternative: str = "two-sided",
    looks: Sequence[int] | None = None,
    random_state: Any = None,
    **arguments: Any,
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
        fits. Each test is stricter, so that all looks together have the level 1 - level. They are for
        one loss and the corrected t.
    random_state : None, int or NumPy generator, optional
        Root of every random choice.
    **arguments
        Other arguments of `errbar.run`, such as `groups`, `time`, `stratify`, `n_jobs` and `store`, and
        options of the method's own, such as ``rho=0.7``. With ``on_error="keep"`` a learner whose fits
        fail, or whose metric is undefined, is left out with a note.

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
    run = {name: arguments.pop(name) for name in _RUN & {*arguments}}
    run |= {"loss": loss, "plan": plan, "random_state": random_state}
    question = dict(
        arguments,
        method=method,
        baseline=baseline,
        adjust=adjust,
        rope=rope,
        level=level,
        alternative=alternative,
    )
    found = compare_all(learners, X, y, [question], looks=looks, **run)
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
    asked = [Question.of(one) for one in questions]
    if looks is not None:
        asked, run["plan"] = _planned(looks, asked, run)
    setup, settled, how = _set_up(learners, X, y, asked, run)
    if looks is not None:
        return [_raced(setup, settled[0][0], how)]
    table, found = _executed(setup, how), []
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
    must = "must be one estimator; errbar.compare takes several by name"
    _check.require(not isinstance(learner, Mapping), must, learner, "learner")
    run = {key: arguments.pop(key) for key in _RUN & {*arguments}}
    run |= {"loss": loss, "plan": plan, "random_state": random_state}
    own = "learner" if name is None else name
    steps = getattr(learner, "steps", None)
    last = steps[-1][1] if isinstance(steps, list) and steps else learner  # of a pipeline
    shown = name or getattr(last, "__name__", type(last).__name__)
    question = Question(method, level=level, alternative=alternative, options=arguments)
    setup, settled, how = _set_up({own: learner}, X, y, [question], run, null)
    first, found = fits.execute(setup, how), {}
    for one, [asked] in zip(setup.losses, settled, strict=True):
        table = _judged(first, one, how)
        result = _asked(table, asked, own, null=null)
        fitted = table.counts.fits + table.counts.reused
        found[one.key] = replace(result.with_notes(*table.notes), n_fits=fitted, learner=shown)
    return found if isinstance(loss, (list, tuple)) else next(iter(found.values()))


def default_plan(
    methods: Sequence[str | None], *, n: int | None = None, groups: Any = None, time: Any = None
) -> Plan:
    """Return the plans of all methods, added up; None leaves the plan to what the data are.

    There are no more folds than examples, or groups; of so few there is one partition, so one repeat.
    """
    found: dict[Plan, None] = {}
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
        found[plan] = None
    return Union(tuple(found)) if len(found) > 1 else next(iter(found))


def _set_up(
    learners: Mapping[str, Any],
    X: Any,
    y: Any,
    questions: Sequence[Question],
    run: dict[str, Any],
    null: float | None = None,
) -> tuple[Setup, list[list[Question]], RunOptions]:
    """Check that methods, plan and losses fit together, and settle methods that are not named; nothing is fitted.

    Returned are the questions of each loss. They are asked of zeros on the drawn splits: only the methods themselves, also
    those from elsewhere, know all that they refuse.
    """
    names = tuple(named(learners))
    questions = [question.checked(names) for question in questions]
    how = RunOptions(**{name: value for name, value in run.items() if name in _OPTIONS})
    wanted = {name: value for name, value in run.items() if name not in _OPTIONS}
    wanted["options"] = how
    given = run.get("plan") is not None
    if not given:
        methods = [question.method for question in questions]
        n = len(y) if hasattr(y, "__len__") else None
        wanted["plan"] = default_plan(methods, n=n, groups=run.get("groups"), time=run.get("time"))
    if run.get("loss") is None:
        specs = [lookup(question.method or FIRST) for question in questions]
        wanted["loss"] = next((spec.loss for spec in specs if spec.loss is not None), None)
    setup = _prepared(learners, X, y, wanted, given=given)
    names, settled = tuple(prototype.name for prototype in setup.prototypes)[:2], []
    for loss in setup.losses:
        blank = blank_table(setup.draw, setup.splits, loss, names)
        settled.append([question.settled(blank) for question in questions])
        for question in settled[-1]:
            _rehearse(blank, question, null)
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


def _rehearse(blank: LossTable, question: Question, null: float | None) -> None:
    """Ask a question of zeros, so that whatever the method refuses is refused before a fit."""
    first, *others = blank.learners
    minus = others[0] if question.spec.subject == "pair" and others else None
    if question.spec.subject == "all":
        settle(question.spec, blank)
    else:
        _asked(blank, question, first, minus, null=null, most=_REHEARSED)


def _asked(
    table: LossTable,
    question: Question,
    learner: str,
    minus: str | None = None,
    *,
    null: float | None,
    most: float = math.inf,
) -> Result:
    """Return what the method says; of a rehearsal a few resamples are enough."""
    options = question.options_for(question.spec, table)
    count = options.get("resamples")
    if isinstance(count, int) and count > most:
        options["resamples"] = most
    request: dict[str, Any] = {
        "level": question.level,
        "null": null,
        "alternative": question.alternative,
    }
    return settle(question.spec, table).result(learner, minus, **request, **options)


def _executed(setup: Setup, how: RunOptions) -> LossTable:
    """Do the fits; where the first loss is undefined for a learner that may be left out, return the table of another."""
    try:
        return fits.execute(setup, how)
    except UndefinedMetricError as error:
        if how.on_error == "raise" or error.learner is None or error.table is None:
            raise
        table: LossTable = error.table
        return table


def _judged(table: LossTable, loss: Loss, how: RunOptions) -> LossTable:
    """Return the table of a loss; learners for which it is undefined are left out with a note, where others are to be kept."""
    while table.loss is not loss:
        try:
            return table.with_loss(loss)
        except UndefinedMetricError as error:
            if how.on_error == "raise" or error.learner is None or len(table.learners) < 2:
                error.table = error.table or table  # no fit is lost
                raise
            others = table.subset([name for name in table.learners if name != error.learner])
            note = Note("left-out", what=[error.learner], why=UNDEFINED)
            table = replace(others, notes=(*others.notes, note))
    return table


def _planned(
    looks: Any, questions: list[Question], run: Mapping[str, Any]
) -> tuple[list[Question], Subsampling]:
    """Return the question with the looks that are planned, and the plan of the last look.

    The plan that is given says how splits are made, and the looks how many of them.
    """
    counts, plan = planned_looks(looks), plan_of(run.get("plan") or Subsampling())
    losses = run.get("loss")
    if len(questions) != 1 or (isinstance(losses, (list, tuple)) and len(losses) != 1):
        raise InvalidInputError("are for one method and one loss", argument="looks")
    [question] = questions
    _check.choice(question.adjust or "holm", _LOOKS_ADJUST, "adjust")
    if run.get("time") is not None or not isinstance(plan, Subsampling):
        raise UnsuitablePlanError(
            f"need independent random splits, errbar.plans.Subsampling(), and no `time`; the plan is {plan}",
            argument="looks",
        )
    options = {**question.options, "looks": counts}
    asked = replace(question, method=question.method or "corrected-t", options=options)
    return [asked], replace(plan, repeats=counts[-1])


def _raced(setup: Setup, question: Question, how: RunOptions) -> Comparison:
    """Fit in chunks, with a look after each: it stops when every pair is decided, and learners whose pairs are go no further.

    `setup` is the checked run of the last look.
    """
    alive = [prototype.name for prototype in setup.prototypes]
    if len(alive) < 2:
        raise InvalidInputError(
            "stop when pairs are decided, and there is one learner only; leave `looks` out",
            argument="looks",
        )
    # What was fitted up to a look is found at the next; where the user keeps no fits, memory does until the end.
    how = replace(how, store=Store() if how.store is None else how.store)
    couples = pairs_of(tuple(alive), question.about(alive).baseline)
    undecided = {frozenset(pair) for pair in couples}
    racing, done, cost = set(alive), 0, Counts()
    tables: list[LossTable] = []
    last: dict[frozenset[str], int] = {}
    for count in question.options["looks"]:
        part = replace(
            setup,
            prototypes=tuple(one for one in setup.prototypes if one.name in racing),
            draw=setup.draw.first(count),
            splits=setup.splits.only(np.arange(setup.splits.plan.size) < count),
            part=True,
        )
        table = _judged(_executed(part, how), setup.losses[0], how)
        spent = table.counts
        cost += replace(spent, reused=max(0, spent.reused - done * len(racing)))
        done = len(set(part.draw.fits))
        alive = [name for name in alive if name in table.learners or name not in racing]
        undecided = {pair for pair in undecided if pair <= set(alive)}
        last = {pair: made for pair, made in last.items() if pair <= set(alive)}
        last |= dict.fromkeys(undecided, count)
        tables.append(table)
        found = _at_a_look(tables, alive, question.about(alive), last, cost)
        undecided -= {
            frozenset((pair.a, pair.b))
            for pair in found.pairs
            if pair.significant or pair.equivalent
        }
        racing = {name for pair in undecided for name in pair}
        if not racing:
            break
    return found


def _at_a_look(
    tables: Sequence[LossTable],
    alive: Sequence[str],
    question: Question,
    last: Mapping[frozenset[str], int],
    cost: Counts,
) -> Comparison:
    """Return what the looks have found so far."""
    latest = tables[-1]
    losses = latest.losses(latest.learners[0])
    odds = odds_of_correlation(losses, question.options.get("correlation"))
    looks = Looks(
        planned=question.options["looks"],
        made=tuple(table.scores.shape[1] for table in tables),
        tables=tuple(tables),
        last=last,
        each=Boundary(question.options["looks"], odds).each(
            1.0 - question.level, question.alternative
        ),
    )
    # The splits that all learners have, so that their numbers stand in one table.
    whole = [table for table in tables if set(alive) <= set(table.learners)]
    common = replace(
        whole[-1].subset(alive),
        notes=tuple(note for table in tables for note in table.notes),
        failures=tuple(dict.fromkeys(one for table in tables for one in table.failures)),
        counts=cost,
    )
    return answer(common, question, looks)
