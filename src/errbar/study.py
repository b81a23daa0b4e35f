"""Evaluate one learner, compare several: plan, run and answer in one call."""

import inspect
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from errbar import _check, fits
from errbar.comparison import Comparison, Question, answer
from errbar.design import FEWEST_CLUSTERS
from errbar.errors import InvalidInputError, UndefinedMetricError, UnsuitablePlanError
from errbar.fits import Store
from errbar.fits.learners import Learners, named
from errbar.methods import lookup
from errbar.methods._core.fitting import FIRST, FOR_FOLDS
from errbar.methods._core.infer import settle
from errbar.methods._core.looks import Boundary, Looks, planned_looks
from errbar.methods.variance import odds_of_correlation
from errbar.plans import KFold, NestedKFold, Plan, RollingOrigin, Subsampling, Union, plan_of
from errbar.reading.checks import copies
from errbar.result import Note
from errbar.simultaneous import pairs_of
from errbar.table import Counts, LossTable, blank_table

__all__ = ["compare", "evaluate"]

_LOOKS_ADJUST = ("holm", "bonferroni", "hommel", "none")
"""Adjustments that never reject fewer pairs when a p-value gets smaller, and that keep their level for any part of the rejections."""

_REHEARSED = 200

_FEWEST_IN_PAIRS = 6
"""Examples of which three folds hold two each."""

_RUN = {*inspect.signature(fits.run).parameters}
"""Arguments of `errbar.run`; all others are about methods."""


def compare(
    learners: Learners,
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
        Key of the method. By default the design decides: ``"cv-jackknife"`` for folds whose pairs are
        left out, too, ``"cv-t"`` for other folds, ``"corrected-t"`` for random splits, ``"holdout-t"``
        or ``"paired-proportions"`` for one test set, ``"cluster-t"`` for one in groups, ``"crossed-t"``
        for seeds, and ``"diebold-mariano"`` for time.
    plan : Plan, int, splitter or iterable of (train, test), optional
        Splits: a plan, a number of folds, a splitter of scikit-learn or index pairs. By default the
        plan of the method. Without a method it is `errbar.plans.RollingOrigin` for data in time, and
        else `errbar.plans.NestedKFold` with seven folds once, 28 fits, which keep groups whole. There
        are no more folds than groups, or pairs of examples.
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
    question = locals()
    question |= question.pop("arguments")
    run = {name: question.pop(name) for name in _RUN & question.keys()}
    found = compare_all(questions=[question], looks=question.pop("looks"), **run)
    if isinstance(loss, (list, tuple)):
        return {one.table.loss.key: one for one in found}
    return found[0]


def compare_all(
    learners: Learners,
    X: Any,
    y: Any,
    questions: Sequence[Any],
    *,
    looks: Sequence[int] | None = None,
    **run: Any,
) -> list[Comparison]:
    """Answer several questions, keyword arguments of `compare_table`, from one run, for each of its losses; `run` is as for `compare`."""
    run |= {"learners": learners, "X": X, "y": y}
    asked = [Question.of(one) for one in questions]
    if looks is not None:
        return [_raced(asked, planned_looks(looks), run)]
    return [
        answer(table, question.about(table.learners))
        for table, settled in _fitted(asked, run)
        for question in settled
    ]


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
    run = {key: arguments.pop(key) for key in _RUN & arguments.keys()}
    own = "learner" if name is None else name
    run |= {
        "learners": {own: learner},
        "X": X,
        "y": y,
        "loss": loss,
        "plan": plan,
        "random_state": random_state,
    }
    steps = getattr(learner, "steps", None)
    last = steps[-1][1] if isinstance(steps, list) and steps else learner  # of a pipeline
    shown = name or getattr(last, "__name__", type(last).__name__)
    question = Question(method, level=level, alternative=alternative, options=arguments)
    found = {}
    for table, [asked] in _fitted([question], run, null):
        result = _asked(table, asked, null).with_notes(*table.notes)
        fitted = table.counts.fits + table.counts.reused
        found[table.loss.key] = replace(result, n_fits=fitted, learner=shown)
    return found if isinstance(loss, (list, tuple)) else next(iter(found.values()))


def default_plan(
    methods: Sequence[str | None], *, n: int | None = None, groups: Any = None, time: Any = None
) -> Plan:
    """Return the plans of all methods, added up; None leaves the plan to what the data are.

    There are no more folds than examples, or groups; of so few there is one partition, so one repeat.
    """
    found, grouped = [], groups is not None
    if grouped:
        n = np.unique(_check.categories(groups, "`groups`")).size
    few = n is not None and n < (FEWEST_CLUSTERS if grouped else _FEWEST_IN_PAIRS)
    for key in methods:
        spec = lookup(key or (FOR_FOLDS if few else FIRST))
        plan = RollingOrigin() if key is None and time is not None else spec.default_plan
        if plan is None:
            raise InvalidInputError(
                f"method {spec.key!r} is about several data sets, and this is one; try 'corrected-t', or "
                "errbar.compare_table with one row per data set"
            )
        if isinstance(plan, KFold) and n is not None and n <= plan.folds:
            plan = replace(plan, folds=max(2, n), repeats=1)
        elif isinstance(plan, NestedKFold) and n is not None:
            plan = with_folds_for(plan, n, grouped=grouped)
        found.append(plan)
    first, *others = dict.fromkeys(found)
    return Union((first, *others)) if others else first


def with_folds_for(plan: NestedKFold, units: int, *, grouped: bool) -> NestedKFold:
    """Return the plan with no more folds than so many groups fill, or examples, two to a fold."""
    # Folds of a single example have no variance, and those of a single group have.
    return replace(plan, folds=min(plan.folds, max(3, units if grouped else units // 2)))


def _set_up(questions: Any, run: Any, null: float | None = None) -> Any:
    """Check that methods, plan and losses fit together, and settle methods that are not named; nothing is fitted.

    Returned are the questions of each loss. They are asked of zeros on the drawn splits: only the methods themselves, also
    those from elsewhere, know all that they refuse.
    """
    names, y = tuple(named(run["learners"])), run["y"]
    questions = [question.checked(names) for question in questions]
    methods = [question.method for question in questions]
    wanted = dict(run)
    given = run.get("plan") is not None
    if not given:
        n = len(y) if hasattr(y, "__len__") else None
        groups, time = run.get("groups"), run.get("time")
        wanted["plan"] = default_plan(methods, n=n, groups=groups, time=time)
    if run.get("loss") is None:
        losses = [lookup(method or FIRST).loss for method in methods]
        wanted["loss"] = next(filter(None, losses), None)
    setup = _prepared(wanted, free=not (given or wanted.get("stratify")))
    drawn, settled = setup.draw, []
    for loss in setup.losses:
        blank = blank_table(drawn, setup.splits, loss, names[:2])
        settled.append([question.settled(blank) for question in questions])
        for question in settled[-1]:
            _asked(blank, question, null, most=_REHEARSED)
    refused = drawn.time is None and not any(part.foreign for part in drawn.parts)
    notes = copies(setup.data.X, setup.data.y, drawn.groups, refused=refused)
    return replace(setup, notes=(*setup.notes, *notes)), settled


def _prepared(wanted: Any, *, free: bool) -> Any:
    """Prepare a run; splits that nobody asked for may as well be stratified, where a class or a metric needs that."""
    try:
        setup = fits.prepare(**wanted)
    except UndefinedMetricError:
        if not free:
            raise
        why, otherwise = "the metric needs it", None
    else:
        if not (free and _one_class(setup)):
            return setup
        why, otherwise = "a training set would hold a single class", setup
    try:
        stratified = fits.prepare(**wanted | {"stratify": True})
    except InvalidInputError:
        return otherwise or fits.prepare(**wanted)  # which says again what is wrong
    note = Note("taken-as", what="the plan", kind=f"stratified, as {why}", say=["stratify"])
    return replace(stratified, notes=(*stratified.notes, note))


def _one_class(setup: Any) -> bool:
    codes = setup.data.target.codes
    return codes is not None and any(np.ptp(codes[one.train]) == 0 for one in setup.draw.splits)


def _fitted(*asked: Any) -> Any:
    """Do the fits, and return the table of each loss with its questions."""
    setup, settled = _set_up(*asked)
    return zip(fits.execute(setup), settled, strict=True)


def _asked(table: LossTable, question: Question, null: float | None, most: float = math.inf) -> Any:
    """Return what the method says of the first learner or pair; of a rehearsal a few resamples are enough."""
    settled = settle(question.spec, table)
    if question.spec.subject == "all":
        return None
    options = question.options_for(question.spec, table)
    count = options.get("resamples")
    if isinstance(count, int) and count > most:
        options["resamples"] = most
    first, *others = table.learners
    return settled.result(
        first,
        others[0] if others and question.spec.subject == "pair" else None,
        level=question.level,
        null=null,
        alternative=question.alternative,
        **options,
    )


def _raced(questions: Any, counts: Any, run: Any) -> Comparison:
    """Fit in chunks, with a look after each: it stops when every pair is decided, and learners whose pairs are go no further.

    The plan that is given says how splits are made, and the looks how many of them.
    """
    plan, losses = plan_of(run.get("plan") or Subsampling()), run.get("loss")
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
    question = replace(question, method=question.method or "corrected-t", options=options)
    run["plan"] = replace(plan, repeats=counts[-1])
    setup, [[question]] = _set_up([question], run)
    alive = [prototype.name for prototype in setup.prototypes]
    if len(alive) < 2:
        raise InvalidInputError(
            "stop when pairs are decided, and there is one learner only; leave `looks` out",
            argument="looks",
        )
    # What was fitted up to a look is found at the next; where the user keeps no fits, memory does until the end.
    store = Store() if setup.store is None else setup.store
    undecided = set(map(frozenset, pairs_of(tuple(alive), question.about(alive).baseline)))
    racing, done, cost = set(alive), 0, Counts()
    tables: list[LossTable] = []
    last: Any = {}
    for count in counts:
        part = replace(
            setup,
            prototypes=tuple(one for one in setup.prototypes if one.name in racing),
            draw=setup.draw.first(count),
            splits=setup.splits.only(np.arange(setup.splits.plan.size) < count),
            store=store,
            share=False,
        )
        [table] = fits.execute(part)
        tables.append(table)
        spent = table.counts
        cost += replace(spent, reused=max(0, spent.reused - done * len(racing)))
        done = len(set(part.draw.fits))
        alive = [name for name in alive if name in table.learners or name not in racing]
        undecided = {pair for pair in undecided if pair.issubset(alive)}
        last |= dict.fromkeys(undecided, count)
        last = {pair: made for pair, made in last.items() if pair.issubset(alive)}
        own = question.about(alive)
        odds = odds_of_correlation(table.losses(table.learners[0]), options.get("correlation"))
        looks = Looks(
            planned=counts,
            made=tuple(table.scores.shape[1] for table in tables),
            tables=tuple(tables),
            last=last,
            each=Boundary(counts, odds).each(1.0 - own.level, own.alternative),
        )
        # The splits that all learners have, so that their numbers stand in one table.
        whole = [table for table in tables if set(alive) <= set(table.learners)]
        common = replace(
            whole[-1].subset(alive),
            notes=tuple(note for table in tables for note in table.notes),
            failures=tuple(dict.fromkeys(one for table in tables for one in table.failures)),
            counts=cost,
        )
        found = answer(common, own, looks)
        undecided -= {
            frozenset((pair.a, pair.b))
            for pair in found.pairs
            if pair.significant or pair.equivalent
        }
        racing = set().union(*undecided)
        if not racing:
            break
    return found
