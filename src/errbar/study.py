"""Evaluate one learner, compare several: plan, run, infer and adjust in one call."""

import copy
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from errbar import _check, _rng, engine, families, plots, report
from errbar.comparison import DEFAULTS, ComparisonData, Pair
from errbar.engine import Executor, Progress, Setup, Store
from errbar.errors import InvalidInputError
from errbar.margins import Equivalence, equivalence
from errbar.methods import GLOBAL_TESTS, METHODS, Method, infer, lookup, overall
from errbar.methods._core.default import FIRST, method_for
from errbar.methods._core.infer import choose_plan, require_loss, require_subject
from errbar.methods._core.registry import COMMON_OPTIONS
from errbar.plans import Draw, Plan, Union
from errbar.result import GlobalResult, Result
from errbar.split_columns import SplitColumns
from errbar.table import LossTable, blank_rows
from errbar.views import Blocks

__all__ = ["Comparison", "Pair", "compare", "compare_all", "compare_table", "evaluate"]

NAIVE = "resampled-t"
_REHEARSED = 200


class Comparison(ComparisonData):
    """Estimates of all learners and adjusted differences of pairs, which show themselves.

    Losses are shown as they are; scores such as accuracy in their own direction, higher is better. The attributes, such as
    ``learners`` and ``pairs``, are those of `errbar.comparison.ComparisonData`.

    Attributes
    ----------
    table : LossTable
        The numbers.
    method : str
        Key of the method.
    options : dict
        Options of the method that were set.
    learners : dict of str to Result
        Estimate of each learner.
    naive : dict of str to Result
        The same by the naive t, where it applies.
    pairs : tuple of Pair
        Differences.
    baseline : str or None
        Learner that all others are compared with.
    adjust : str
        Adjustment of the p-values.
    rope : float or None
        Half-width of the region of practical equivalence.
    level : float
        Confidence level.
    alternative : str
        Alternative hypothesis of the differences.
    plan : int
        Position of the plan, among those of the table, that the method has used.
    overall : GlobalResult or None
        The test of all learners at once that goes with the method, where there are more than two.
    """

    def again(self, **changes: Any) -> "Comparison":
        """Ask the same question of the same table, with some changes.

        Parameters
        ----------
        **changes
            Keyword arguments of `compare_table` that differ.

        Returns
        -------
        Comparison
            The other answer; caveats that have been told already are not told again.
        """
        question = {name: getattr(self, name) for name in DEFAULTS} | changes
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return compare_table(self.table, **question, **copy.deepcopy(self.options))

    def __str__(self) -> str:
        """Return the report as text, without colour since it may go anywhere."""
        return report.text(self, color=False)

    def plot(self, ax: Any = None) -> Any:
        """Draw the differences (or the estimate of a single learner) and return the matplotlib axes.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Where to draw; by default a new figure.

        Returns
        -------
        matplotlib axes
            With the forest plot.
        """
        return plots.differences(self, ax) if self.pairs else plots.estimates(self, ax)

    def save(self, path: str | Path) -> Path:
        """Write the report; the ending chooses the form: .html, .md, .tex, .txt or .json.

        Parameters
        ----------
        path : str or Path
            File to write.

        Returns
        -------
        Path
            The file.
        """
        return report.save(self, path)

    def to_markdown(self) -> str:
        """Return the report as Markdown, such as for a page or a pull request."""
        return report.markdown(self)

    def to_latex(self) -> str:
        """Return the report as LaTeX, with the tables ready for a paper."""
        return report.latex(self)

    def _repr_html_(self) -> str:
        """Return the report for notebooks."""
        return report.fragment(self)


def compare(
    learners: Mapping[str, Any],
    X: Any,
    y: Any,
    *,
    loss: Any = None,
    method: str | None = None,
    plan: Plan | None = None,
    groups: Any = None,
    time: Any = None,
    baseline: str | None = None,
    adjust: str = "holm",
    rope: float | None = None,
    level: float = 0.95,
    alternative: str = "two-sided",
    random_state: Any = None,
    n_jobs: int | None = None,
    store: Store | str | PathLike[str] | None = None,
    executor: Executor | None = None,
    version: Mapping[str, str] | None = None,
    share: bool = True,
    progress: Callable[[Progress], None] | None = None,
    **options: Any,
) -> Comparison:
    """Compare learners on one data set: estimates with intervals, and adjusted differences of pairs.

    Parameters
    ----------
    learners : mapping of str to estimator
        Estimators of scikit-learn by name, all classifiers or all regressors.
    X, y : array-like
        Features and target; see `errbar.run`.
    loss : str, Loss or callable, optional
        Loss key, scikit-learn scorer name or callable; by default zero-one for classifiers and squared-error for
        regressors.
    method : str, optional
        Key of the method; by default the one that the design calls for: ``"corrected-t"`` for splits, ``"holdout-t"`` or
        ``"paired-proportions"`` for one test set.
    plan : Plan, optional
        Splits; by default those that the method brings.
    groups : array-like, optional
        Group (cluster) of each example, such as the patient; see `errbar.run`.
    time : array-like, optional
        Time of each example; see `errbar.run`.
    baseline : str, optional
        Compare every other learner with this one, instead of all pairs.
    adjust : str, default "holm"
        Adjustment of the p-values over all pairs; see `errbar.families.adjust`.
    rope : float, optional
        Half-width of the region of practical equivalence, in units of the loss.
    level : float, default 0.95
        Confidence level.
    alternative : {"two-sided", "less", "greater"}, default "two-sided"
        Alternative hypothesis on the differences a - b, in the direction shown.
    random_state : None, int or NumPy generator, optional
        Root of every random choice.
    n_jobs : int, optional
        Workers; None takes joblib's configuration, -1 all cores.
    store : str, Path, SQLiteStore or MemoryStore, optional
        Keeps fits across runs: a file, or a store. What is in it is not fitted again.
    executor : Executor, optional
        Who does the fits; see `errbar.run`.
    version : mapping of str to str, optional
        For learners that could not be recognised in a later run; see `errbar.run`.
    share : bool, default True
        Whether fits that have much in common may be computed together; see `errbar.run`.
    progress : callable, optional
        Called with a `Progress` after every fit.
    **options
        Options of the method's own, such as ``rho=0.7``.

    Returns
    -------
    Comparison
        Prints as a report; `to_dict`, `to_frame`, `plot` and `save` give other forms.

    Raises
    ------
    InvalidInputError
        If an argument cannot be used, or method, plan and loss do not fit together; nothing was fitted then.
    FitFailedError
        If fits failed; its ``table`` holds the learners that have all of theirs, for `compare_table`.

    Examples
    --------
    >>> import errbar
    >>> from sklearn.datasets import load_diabetes
    >>> from sklearn.linear_model import Ridge
    >>> from sklearn.tree import DecisionTreeRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> learners = {"ridge": Ridge(), "tree": DecisionTreeRegressor()}
    >>> comparison = errbar.compare(learners, X, y, random_state=0)
    >>> [pair.adjusted < 0.05 for pair in comparison.pairs]
    [True]
    """
    question = {
        "method": method,
        "baseline": baseline,
        "adjust": adjust,
        "rope": rope,
        "level": level,
        "alternative": alternative,
        **options,
    }
    [found] = compare_all(
        learners,
        X,
        y,
        [question],
        loss=loss,
        plan=plan,
        groups=groups,
        time=time,
        random_state=random_state,
        n_jobs=n_jobs,
        store=store,
        executor=executor,
        version=version,
        share=share,
        progress=progress,
    )
    return found


def compare_all(
    learners: Mapping[str, Any],
    X: Any,
    y: Any,
    questions: Sequence[Mapping[str, Any]],
    *,
    loss: Any = None,
    plan: Plan | None = None,
    groups: Any = None,
    time: Any = None,
    random_state: Any = None,
    n_jobs: int | None = None,
    store: Store | str | PathLike[str] | None = None,
    executor: Executor | None = None,
    version: Mapping[str, str] | None = None,
    share: bool = True,
    progress: Callable[[Progress], None] | None = None,
    draws: int | None = None,
) -> list[Comparison]:
    """Ask several questions of one run: every training set that their plans have in common is fitted once.

    Parameters
    ----------
    learners, X, y, loss, groups, time, random_state, n_jobs, store, executor, version, share, progress
        As for `compare`.
    questions : sequence of mapping
        Keyword arguments of `compare_table`, one mapping per question, such as ``{"method": "cv-wald"}``.
    plan : Plan, optional
        Splits; by default the plans of all methods, added up.
    draws : int, optional
        Score each split by so many test examples drawn with replacement; see `LossTable.with_draws`.

    Returns
    -------
    list of Comparison
        One per question, all with the same table.

    Raises
    ------
    InvalidInputError
        If an argument cannot be used; nothing was fitted then.
    FitFailedError
        If fits failed; its ``table`` holds the learners that have all of theirs.

    Examples
    --------
    >>> import errbar
    >>> from sklearn.datasets import load_diabetes
    >>> from sklearn.linear_model import Lasso, Ridge
    >>> X, y = load_diabetes(return_X_y=True)
    >>> plan = errbar.plans.KFold(folds=5) + errbar.plans.NestedKFold(folds=5, repeats=1)
    >>> questions = [{"method": "cv-wald"}, {"method": "nested-cv"}]
    >>> one, two = errbar.compare_all({"lasso": Lasso(), "ridge": Ridge()}, X, y, questions, plan=plan, random_state=0)
    >>> one.table.counts.fits  # 15 training sets for each of two learners
    30
    """
    if not isinstance(learners, Mapping) or not learners:
        raise InvalidInputError(f"`learners` must map names to estimators, such as {{'tree': tree}}, got {learners!r}")
    if not questions:
        raise InvalidInputError("`questions` must hold at least one mapping, such as {'method': 'corrected-t'}")
    engine.require_seed(store, random_state)
    names = tuple(str(name) for name in learners)
    asked = [_complete(names, question) for question in questions]
    how = engine.RunOptions(n_jobs, store, executor, version, share, progress)
    wanted = {"loss": loss, "groups": groups, "time": time, "random_state": random_state, "options": how}
    setup = _prepare(learners, X, y, asked, plan, wanted)
    table = engine.execute(setup, how)
    table = table if draws is None else table.with_draws(draws, setup.base)
    return [compare_table(table, **question) for question in asked]


def _complete(names: tuple[str, ...], question: Mapping[str, Any]) -> dict[str, Any]:
    """Return a question with its defaults, checked as far as that can be done without data."""
    common = {name: question.get(name, default) for name, default in DEFAULTS.items()}
    options = {name: value for name, value in question.items() if name not in DEFAULTS}
    _check_request(names, **common, options=options)
    if len(names) == 1 and common["method"] is not None:
        require_subject(lookup(str(common["method"])), pair=False)
    return common | options


def compare_table(
    table: LossTable,
    *,
    method: str | None = None,
    baseline: str | None = None,
    adjust: str = "holm",
    rope: float | None = None,
    level: float = 0.95,
    alternative: str = "two-sided",
    **options: Any,
) -> Comparison:
    """Compare the learners of a table; nothing is fitted.

    Parameters
    ----------
    table : LossTable
        From `errbar.run`, or from your own numbers, such as `errbar.from_scores`.
    method, baseline, adjust, rope, level, alternative, **options
        As for `compare`.

    Returns
    -------
    Comparison
        Estimates and adjusted differences.

    Raises
    ------
    InvalidInputError
        If an argument cannot be used, or the method does not fit the table.

    Examples
    --------
    >>> import errbar
    >>> table = errbar.from_scores({"a": [0.31, 0.28, 0.35], "b": [0.25, 0.27, 0.26]}, n_train=90, n_test=10)
    >>> errbar.compare_table(table).pairs[0].a
    'a'
    """
    spec = _method_of(table) if method is None else lookup(method)
    kind = _check_request(table.learners, spec.key, baseline, adjust, rope, level, alternative, options)
    if len(table.learners) == 1:
        require_subject(spec, pair=not table.provenance)
    singly, pairwise = _parts(spec, table)
    given = partial(_given_to, spec, options, table, rope)
    learners = {name: infer(table, singly.key, name, level=level, **given(singly)) for name in table.learners}
    plan = _plan_of(spec, table)
    same = None if pairwise.naive else table.of_plan(plan)
    naive = {name: found for name in learners if (found := _naive(same, name, None, level, "two-sided"))}
    couples = families.pairs_of(table.learners, baseline)
    request = {"level": level, "alternative": alternative, **given(pairwise)}
    results = [infer(table, pairwise.key, a, b, **request) for a, b in couples]
    adjusted = families.adjust([result.pvalue for result in results], kind)
    margins = _equivalences(table, pairwise, couples, rope, kind, level, given(pairwise))
    pairs = tuple(
        Pair(a, b, result, float(p), _naive(same, a, b, level, alternative), margin)
        for (a, b), result, p, margin in zip(couples, results, adjusted, margins, strict=True)
    )
    return Comparison(
        table,
        spec.key,
        learners,
        naive,
        pairs,
        baseline,
        kind,
        rope,
        level,
        alternative,
        dict(options),
        plan,
        _overall(spec, pairwise, table, level, given),
    )


def _method_of(table: LossTable) -> Method:
    zero_one = table.points is not None and bool(np.isin(table.points, (0.0, 1.0)).all())
    return method_for(table.splits.designs, table.loss, len(table.learners), zero_one=zero_one)


def _parts(spec: Method, table: LossTable) -> tuple[Method, Method]:
    """Return the methods for single learners and for pairs that go with a method."""
    kinds = table.splits.kinds
    pairwise = spec.for_pairs(kinds) or spec
    # A single column may hold ready-made differences, which a method of pairs can judge.
    return (spec if len(table.learners) == 1 else spec.for_learners(kinds) or spec), pairwise


def _given_to(
    asked: Method, options: Mapping[str, Any], table: LossTable, rope: float | None, spec: Method
) -> dict[str, Any]:
    """Return the options of one of the methods: the user's for the one that was asked for, and what belongs to the run.

    Methods that draw random numbers get the run's own root, and Bayesian ones the region of equivalence.
    """
    root = table.provenance.get("random_state")
    found: dict[str, Any] = {} if root is None else {"random_state": int(root)}
    if rope is not None:
        found["rope"] = rope
    found = {name: value for name, value in found.items() if name in spec.options}
    return {**found, **(options if spec is asked else {})}


def _plan_of(spec: Method, table: LossTable) -> int:
    def rows(position: int) -> Any:
        if spec.subject == "all":
            return Blocks.of(table.of_plan(position), pointwise=spec.pointwise)
        pair = table.learners[1] if spec.subject == "pair" and len(table.learners) > 1 else None
        return table.rows(table.learners[0], pair, position)

    return choose_plan(spec, table.splits, rows).plan


def _overall(
    spec: Method, pairwise: Method, table: LossTable, level: float, given: Callable[[Method], dict[str, Any]]
) -> GlobalResult | None:
    """Return the test of all learners at once: the one asked for, or the one whose pairs these are."""
    asked = spec if spec.subject == "all" else None
    follows = next((test for test in GLOBAL_TESTS.values() if pairwise.key in test.partners), None)
    chosen = asked or follows
    if chosen is None or len(table.learners) < (2 if asked else 3):
        return None
    return overall(table, chosen.key, level=level, **given(chosen))


def _equivalences(
    table: LossTable,
    spec: Method,
    couples: list[tuple[str, str]],
    rope: float | None,
    adjust: str,
    level: float,
    options: Mapping[str, Any],
) -> list[Equivalence | None]:
    """Return the two one-sided tests of each pair, with p-values adjusted over the family."""
    if rope is None or spec.own_units or not spec.sides:
        return [None] * len(couples)
    tests = [equivalence(table, spec.key, a, b, margin=rope, level=level, **options) for a, b in couples]
    adjusted = families.adjust([test.pvalue for test in tests], adjust)
    return [replace(test, adjusted=float(p)) for test, p in zip(tests, adjusted, strict=True)]


def evaluate(
    learner: Any,
    X: Any,
    y: Any,
    *,
    loss: Any = None,
    method: str | None = None,
    plan: Plan | None = None,
    groups: Any = None,
    time: Any = None,
    level: float = 0.95,
    null: float | None = None,
    alternative: str = "two-sided",
    random_state: Any = None,
    n_jobs: int | None = None,
    store: Store | str | PathLike[str] | None = None,
    executor: Executor | None = None,
    version: Mapping[str, str] | None = None,
    share: bool = True,
    progress: Callable[[Progress], None] | None = None,
    name: str = "learner",
    **options: Any,
) -> Result:
    """Estimate the generalization error of one learner, with an interval.

    Parameters
    ----------
    learner : estimator
        A scikit-learn estimator; it is not modified.
    X, y, loss, method, plan, groups, time, level, random_state, n_jobs, store, executor, version, share, progress
        As for `compare`.
    null : float, optional
        Value under the null hypothesis; by default the method's own, mostly 0.
    alternative : {"two-sided", "less", "greater"}, default "two-sided"
        Alternative hypothesis, in the direction shown.
    name : str, default "learner"
        Name, from which the learner's random streams are derived.
    **options
        Options of the method's own.

    Returns
    -------
    Result
        About the learner; scores such as accuracy in their own direction.

    Raises
    ------
    InvalidInputError
        If an argument cannot be used, or method, plan and loss do not fit together; nothing was fitted then.
    FitFailedError
        If fits failed.

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
    if method is not None:
        lookup(method).check_options(options)
        require_subject(lookup(method), pair=False)
    engine.require_seed(store, random_state)
    base = _rng.root(random_state)
    question: dict[str, Any] = {"method": method, "level": level, "alternative": alternative, **options}
    question |= {} if null is None else {"null": null}
    how = engine.RunOptions(n_jobs, store, executor, version, share, progress)
    wanted = {"loss": loss, "groups": groups, "time": time, "random_state": base, "options": how}
    setup = _prepare({name: learner}, X, y, [question], plan, wanted)
    table = engine.execute(setup, how)
    spec = lookup(question["method"])
    result = infer(table, spec.key, name, **_own_or_common(spec, {"random_state": base} | question))
    fits = table.counts.fits + table.counts.reused
    return replace(result.with_notes(*table.notes), n_fits=fits)


def _own_or_common(spec: Method, question: Mapping[str, Any]) -> dict[str, Any]:
    known = {name: value for name, value in question.items() if name in (*COMMON_OPTIONS, *spec.options)}
    # A comparison always has a region of equivalence, which may be none; a method's own is a number.
    return {name: value for name, value in known.items() if name != "rope" or value is not None}


def _prepare(
    learners: Mapping[str, Any],
    X: Any,
    y: Any,
    questions: Sequence[dict[str, Any]],
    plan: Plan | None,
    data: Mapping[str, Any],
) -> Setup:
    """Check that methods, plan and loss fit together, and choose methods that are not named; nothing is fitted."""
    named = [lookup(question["method"] or FIRST) for question in questions]
    chosen = _sum_of_plans(named) if plan is None else plan
    made_for = next((spec.loss for spec in named if spec.loss is not None), None)
    wanted = {**data, "loss": made_for} if data["loss"] is None else data
    setup = engine.prepare(learners, X, y, plan=chosen, only_loss=True, **wanted)
    splits = SplitColumns.of(setup.draw, setup.data.target.codes)
    for question in questions:
        if question["method"] is None:
            spec = method_for(splits.designs, setup.loss, len(learners))
            spec.check_options({name: v for name, v in question.items() if name not in (*DEFAULTS, *COMMON_OPTIONS)})
            question["method"] = spec.key
        spec = lookup(question["method"])
        require_loss(spec, setup.loss)
        _rehearse(spec, setup.draw, splits, question, min(2, len(learners)))
    return setup


def _sum_of_plans(specs: Sequence[Method]) -> Plan:
    plans: list[Plan] = []
    for spec in specs:
        if spec.default_plan is None:
            raise InvalidInputError(
                f"method {spec.key!r} is about several data sets, and this is one; try 'corrected-t', or "
                "errbar.compare_table with one row per data set"
            )
        if spec.default_plan not in plans:
            plans.append(spec.default_plan)
    return plans[0] if len(plans) == 1 else Union(tuple(plans))


def _rehearse(spec: Method, draw: Draw, splits: SplitColumns, question: Mapping[str, Any], learners: int) -> None:
    """Ask the method's question of zeros on the drawn splits, so that whatever it refuses is refused before a fit."""
    if spec.subject == "all":
        choose_plan(spec, splits, lambda _: None)
        return
    count = learners if spec.subject == "pair" else 1
    view = choose_plan(spec, splits, lambda plan: blank_rows(draw, splits, plan, count)).view
    spec.function(view, **_own_or_common(spec, _cheap(question)))


def _cheap(question: Mapping[str, Any]) -> dict[str, Any]:
    """Return the question with fewer random draws: a rehearsal need not draw them all."""
    count = question.get("resamples")
    small = isinstance(count, int) and not isinstance(count, bool) and count > _REHEARSED
    return {**question, **({"resamples": _REHEARSED} if small else {})}


def _check_request(
    names: tuple[str, ...],
    method: str | None,
    baseline: str | None,
    adjust: str,
    rope: float | None,
    level: float,
    alternative: str,
    options: Mapping[str, Any],
) -> str:
    """Check what can be checked before the first fit, and return the full name of the adjustment."""
    if method is not None:
        lookup(method).check_options(dict(options))
    _check.level(level)
    _check.alternative(alternative)
    if baseline is not None:
        families.pairs_of(names, baseline)
    if rope is not None and _check.finite(rope, "rope") <= 0.0:
        raise InvalidInputError(f"`rope` must be positive, got {rope!r}")
    return families.check_adjustment(adjust)


def _naive(table: LossTable | None, learner: str, minus: str | None, level: float, alternative: str) -> Result | None:
    """Return what the naive t says of a table with a single plan, where that has several splits."""
    if table is None or table.splits.kinds[0] not in METHODS[NAIVE].plans:
        return None
    return infer(table, NAIVE, learner, minus, level=level, alternative=alternative)
