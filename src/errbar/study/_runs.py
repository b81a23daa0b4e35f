"""Evaluate one learner, compare several: plan, run and answer in one call."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from os import PathLike
from typing import Any

from errbar import _rng, fits
from errbar.errors import InvalidInputError
from errbar.fits import Progress, RunOptions, Store
from errbar.fits.learners import named
from errbar.fits.run_options import RAISE
from errbar.methods._core.default import FOR_SCORES
from errbar.methods._core.infer import settle
from errbar.read.copies import copies
from errbar.study import _looks
from errbar.study._answers import answer
from errbar.study._keywords import refuse_unknown
from errbar.study._prepared import prepared
from errbar.study._question import Question
from errbar.study._several import Comparisons
from errbar.study._tables import executed, judged, kept


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
        Loss key, key of a metric, scikit-learn scorer name or callable; by default zero-one for classifiers and
        squared-error for regressors. Of a function ``f(truth, predicted)`` of your own larger values are worse, unless
        `errbar.metrics.metric` says otherwise; functions of `sklearn.metrics` keep their direction. Several losses take the fits of one.
    method : str, optional
        Key of the method. By default the design decides: ``"cv-t"`` for folds, also those of whole groups, ``"corrected-t"`` for
        random splits, ``"holdout-t"`` or ``"paired-proportions"`` for one test set, ``"cluster-t"`` for one in groups,
        ``"crossed-t"`` for seeds, and ``"diebold-mariano"`` for time.
    plan : Plan, int, splitter or iterable of (train, test), optional
        Splits: a plan, a number of folds, a splitter of scikit-learn or index pairs. By default the plan of the method.
        Without a method it is `errbar.plans.RollingOrigin` for data in time, and else two repeats of ten folds, which keep groups
        whole. Of up to ten groups, or examples, each is a fold, once.
    positive : object, optional
        Label of the positive class, for metrics such as F1; see `errbar.run`.
    pool : {"none", "folds", "splits"}, optional
        How a metric that is not a mean of losses combines splits; see `errbar.metrics.resolve`.
    groups : array-like, optional
        Group (cluster) of each example, such as the patient; see `errbar.run`.
    time : array-like, optional
        Time of each example; see `errbar.run`.
    stratify : bool, default False
        Whether splits keep the shares of the classes; see `errbar.run`.
    baseline : str, optional
        Compare every other learner with this one, instead of all pairs.
    adjust : str, optional
        Adjustment of the p-values over all pairs: ``"max-t"``, which agrees with the simultaneous intervals, or one of
        `errbar.families.adjust`. By default ``"max-t"`` where the method has such intervals, else ``"holm"``.
    rope : float, optional
        Half-width of the region of practical equivalence, in units of the loss.
    level : float, default 0.95
        Confidence level.
    alternative : {"two-sided", "less", "greater"}, default "two-sided"
        Alternative hypothesis on the differences a - b, in the direction shown.
    looks : sequence of int, optional
        Numbers of random splits, such as ``(15, 30, 60, 100)``, after which to test whether every pair is significant or, with a
        `rope`, equivalent. Learners whose pairs are all decided get no more fits. Each test is stricter, so that all looks
        together have the level 1 - level.
    random_state : None, int or NumPy generator, optional
        Root of every random choice.
    n_jobs : int, optional
        Workers; None takes joblib's configuration, -1 all cores.
    store : str, Path or Store, optional
        Keeps fits across runs: a file, or a store. What is in it is not fitted again.
    executor : Executor, optional
        Where the fits run; see `errbar.run`.
    version : mapping of str to str, optional
        For learners whose code cannot be digested; see `errbar.run`.
    share : bool, default True
        Whether fits that have much in common may be computed together; see `errbar.run`.
    progress : callable, optional
        Called with a `Progress` after every fit.
    on_error : {"raise", "keep"}, default "raise"
        With "keep" a learner whose fits fail, or for which a metric is undefined, is left out with a note, and the others are
        compared; see `errbar.run`.
    **options
        Options of the method's own, such as ``rho=0.7``.

    Returns
    -------
    Comparison or Comparisons
        Prints as a report; `to_dict`, `to_frame`, `plot` and `save` give other forms. A list of losses gives `Comparisons`,
        with one comparison each.

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
    refuse_unknown(compare, options)
    asked = {"method": method, "baseline": baseline, "adjust": adjust, "rope": rope, "level": level}
    question = {**asked, "alternative": alternative, **options}
    how = fits.RunOptions(n_jobs, store, executor, version, share, progress, on_error)
    data = {
        "loss": loss,
        "positive": positive,
        "pool": pool,
        "groups": groups,
        "time": time,
        "stratify": stratify,
        "random_state": random_state,
    }
    found = _compared(learners, X, y, [question], plan, data, how, looks=looks)
    return found if isinstance(loss, (list, tuple)) else found[0]


def compare_all(
    learners: Mapping[str, Any],
    X: Any,
    y: Any,
    questions: Sequence[Mapping[str, Any]],
    *,
    loss: Any = None,
    plan: Any = None,
    positive: Any = None,
    pool: str | None = None,
    groups: Any = None,
    time: Any = None,
    stratify: bool = False,
    random_state: Any = None,
    n_jobs: int | None = None,
    store: Store | str | PathLike[str] | None = None,
    executor: Any = None,
    version: Mapping[str, str] | None = None,
    share: bool = True,
    progress: Callable[[Progress], None] | None = None,
    on_error: str = "raise",
    draws: int | None = None,
    looks: Sequence[int] | None = None,
) -> Comparisons:
    """Answer several questions from one run: every training set that their plans share is fitted once.

    Parameters
    ----------
    learners, X, y, loss, positive, pool, groups, time, stratify, random_state, n_jobs, store, executor, version, share, progress, on_error, looks
        As for `compare`.
    questions : sequence of mapping
        Keyword arguments of `compare_table`, one mapping per question, such as ``{"method": "cv-wald"}``.
    plan : Plan, int, splitter or iterable of (train, test), optional
        Splits; by default the plans of all methods, added up.
    draws : int, optional
        Score each split by so many test examples drawn with replacement; see `LossTable.with_draws`.

    Returns
    -------
    Comparisons
        One per question, all with the same table; of several losses, those of the first loss come first.

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
    how = fits.RunOptions(n_jobs, store, executor, version, share, progress, on_error)
    data = {
        "loss": loss,
        "positive": positive,
        "pool": pool,
        "groups": groups,
        "time": time,
        "stratify": stratify,
        "random_state": random_state,
    }
    return _compared(learners, X, y, questions, plan, data, how, draws, looks)


def _compared(
    learners: Mapping[str, Any],
    X: Any,
    y: Any,
    asked: Sequence[Mapping[str, Any]],
    plan: Any,
    data: Mapping[str, Any],
    how: RunOptions,
    draws: int | None = None,
    looks: Any = None,
) -> Comparisons:
    """Run what the questions need, and answer them, for each loss."""
    names = tuple(named(learners))
    if not asked:
        raise InvalidInputError(
            "must hold at least one mapping, such as {'method': 'corrected-t'}",
            argument="questions",
        )
    fits.require_seed(how, data["random_state"])
    if looks is not None:
        asked, plan = _looks.planned(
            looks, asked, plan, stratify=data["stratify"], time=data["time"]
        )
    if draws is not None:  # they leave no losses of examples
        asked = [{**one, "method": one.get("method") or FOR_SCORES} for one in asked]
    questions = [Question.of(one).checked(names) for one in asked]
    setup, settled = prepared(learners, X, y, questions, plan, {**data, "options": how})
    setup = _looked_at(setup)
    if looks is not None:
        return Comparisons(_looks.raced(setup, plan, settled, how, draws))
    first = executed(setup, how)
    with kept(first):
        found = []
        for loss, of_loss in zip(setup.losses, settled, strict=True):
            table = judged(first, loss, keep=how.on_error != RAISE)
            drawn = table if draws is None else table.with_draws(draws, setup.base)
            found += [answer(drawn, question.about(table.learners)) for question in of_loss]
    return Comparisons(found)


def _looked_at(setup: fits.Setup) -> fits.Setup:
    """Return a run with a note where rows are copies of others."""
    data, draw = setup.data, setup.draw
    refused = draw.time is None and not any(draw.foreign)
    return replace(
        setup, notes=(*setup.notes, *copies(data.X, data.y, draw.groups, refused=refused))
    )


def evaluate(
    learner: Any,
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
    level: float = 0.95,
    null: float | None = None,
    alternative: str = "two-sided",
    random_state: Any = None,
    n_jobs: int | None = None,
    store: Store | str | PathLike[str] | None = None,
    executor: Any = None,
    version: Mapping[str, str] | None = None,
    share: bool = True,
    progress: Callable[[Progress], None] | None = None,
    name: str | None = None,
    **options: Any,
) -> Any:
    """Estimate the generalization error of one learner, with an interval.

    Parameters
    ----------
    learner : estimator
        A scikit-learn estimator; it is not modified.
    X, y, loss, method, plan, positive, pool, groups, time, stratify, level, random_state, n_jobs, store, executor, version, share, progress
        As for `compare`.
    null : float, optional
        Value under the null hypothesis, such as the known risk of another learner. Without one no test is shown.
    alternative : {"two-sided", "less", "greater"}, default "two-sided"
        Alternative hypothesis, in the direction shown.
    name : str, optional
        Name, from which the learner's random streams are derived: ``"learner"`` by default. Results are then shown with the name of its class.
    **options
        Options of the method's own.

    Returns
    -------
    Result
        About the learner; scores such as accuracy keep their direction. A list of losses gives a dict of results by loss.

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
    refuse_unknown(evaluate, options)
    if isinstance(learner, Mapping):
        raise InvalidInputError(
            f"must be one estimator, got a mapping of {len(learner)}; errbar.compare takes learners by name, one or several",
            argument="learner",
        )
    request: dict[str, Any] = {"level": level, "alternative": alternative} | (
        {} if null is None else {"null": null}
    )
    how = fits.RunOptions(n_jobs, store, executor, version, share, progress)
    fits.require_seed(how, random_state)
    base = _rng.root(random_state)
    shown, name = _class_of(learner) if name is None else name, "learner" if name is None else name
    question = Question.of(
        {"method": method, **options, "level": level, "alternative": alternative}
    ).checked((name,))
    data = {
        "loss": loss,
        "positive": positive,
        "pool": pool,
        "groups": groups,
        "time": time,
        "stratify": stratify,
        "random_state": base,
        "options": how,
    }
    setup, settled = prepared({name: learner}, X, y, [question], plan, data, request)
    setup = _looked_at(setup)
    first, found = fits.execute(setup, how), {}
    with kept(first):
        for one, [asked] in zip(setup.losses, settled, strict=True):
            table = judged(first, one, keep=False)
            result = settle(asked.spec, table).result(
                name, **request, **asked.options_for(asked.spec, table)
            )
            done = table.counts.fits + table.counts.reused
            found[one.key] = replace(result.with_notes(*table.notes), n_fits=done, learner=shown)
    return found if isinstance(loss, (list, tuple)) else next(iter(found.values()))


def _class_of(learner: Any) -> str:
    """Return the name of a learner's class, or of the function that it is; of a pipeline, that of its last step."""
    steps = getattr(learner, "steps", None)
    last = steps[-1][1] if isinstance(steps, list) and steps else learner
    return str(getattr(last, "__name__", type(last).__name__))
