"""Evaluate one learner, compare several: plan, run, infer and adjust in one call."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol

from errbar import _check, engine, families
from errbar.engine import Progress, Store
from errbar.errors import InvalidInputError
from errbar.methods import METHODS, Method, infer, lookup
from errbar.methods._core.infer import choose_plan, require_loss
from errbar.plans import Draw, Plan
from errbar.result import Note, Result
from errbar.table import LossTable, SplitColumns, blank_rows

__all__ = ["Comparison", "Pair", "compare", "compare_table", "evaluate"]

NAIVE = "resampled-t"


@dataclass(frozen=True)
class Pair:
    """The difference of two learners, a minus b.

    Attributes
    ----------
    a, b : str
        Names.
    result : Result
        Estimate, interval and test of the difference.
    adjusted : float
        P-value adjusted over all pairs of the comparison.
    naive : Result or None
        What the t-test that ignores correlation says of the same numbers; None where it does not apply.
    """

    a: str
    b: str
    result: Result
    adjusted: float
    naive: Result | None = None


@dataclass(frozen=True, eq=False)
class Comparison:
    """Estimates of all learners and adjusted differences of pairs.

    Losses are shown as they are; scores such as accuracy in their own direction, higher is better.

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
    """

    table: LossTable
    method: str
    learners: dict[str, Result]
    naive: dict[str, Result]
    pairs: tuple[Pair, ...]
    baseline: str | None = None
    adjust: str = "holm"
    rope: float | None = None
    level: float = 0.95
    alternative: str = "two-sided"
    options: dict[str, Any] = field(default_factory=dict)
    plan: int = 0

    @property
    def notes(self) -> tuple[Note, ...]:
        """All caveats, each once: of the numbers, the learners and the pairs."""
        results = [*self.learners.values(), *(pair.result for pair in self.pairs)]
        return tuple(dict.fromkeys([*self.table.notes, *(note for result in results for note in result.notes)]))

    @property
    def reference(self) -> Result:
        """Any of the results, for what they have in common: estimand, training size, number of splits."""
        return next(iter(self.learners.values()))

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON; unbounded ends are None."""
        common = self.reference
        counts = self.table.counts
        return {
            "method": self.method,
            "options": dict(self.options),
            "loss": self.table.loss.key,
            "direction": self.table.loss.direction,
            "estimand": str(common.estimand),
            "n_train": None if math.isnan(common.n_train) else common.n_train,
            "n_splits": common.n_splits,
            "level": self.level,
            "alternative": self.alternative,
            "adjust": self.adjust,
            "baseline": self.baseline,
            "rope": self.rope,
            "learners": [
                {"name": name} | _pick(result, "estimate", "se", "low", "high")
                for name, result in self.learners.items()
            ],
            "pairs": [
                {"a": pair.a, "b": pair.b}
                | _pick(pair.result, "estimate", "se", "low", "high", "statistic", "df", "pvalue")
                | {"adjusted": pair.adjusted}
                for pair in self.pairs
            ],
            "counts": {
                "fits": counts.fits,
                "reused": counts.reused,
                "failed": counts.failed,
                "seconds": round(counts.seconds, 3),
            },
            "notes": [str(note) for note in self.notes],
            "provenance": dict(self.table.provenance),
        }

    def to_frame(self) -> Any:
        """Return a pandas frame of the pairs, or of the learners where there is one only."""
        pandas = _check.package("pandas", "app")
        data = self.to_dict()
        return pandas.DataFrame(data["pairs"] or data["learners"])

    def __str__(self) -> str:
        """Return the report as text."""
        return presenter().text(self)

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
        return presenter().plot(self, ax)

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
        return presenter().save(self, Path(path))

    def _repr_html_(self) -> str:
        """Return the report for notebooks."""
        return presenter().html(self)


class Presenter(Protocol):
    """Shows comparisons; the report package is one. It hands itself in, since nothing here knows what is above."""

    def text(self, comparison: Comparison) -> str:
        """Return the report as text."""

    def html(self, comparison: Comparison) -> str:
        """Return the report as a fragment of HTML."""

    def plot(self, comparison: Comparison, ax: Any) -> Any:
        """Draw the differences."""

    def save(self, comparison: Comparison, path: Path) -> Path:
        """Write the report to a file."""


_presenters: list[Presenter] = []


def present_with(shown_by: Presenter) -> None:
    """Let comparisons be shown by this presenter from now on."""
    _presenters[:] = [shown_by]


def presenter() -> Presenter:
    """Return the presenter in use."""
    if not _presenters:
        raise InvalidInputError("nothing is there to show a comparison with: import errbar, or errbar.report, first")
    return _presenters[0]


def compare(
    learners: Mapping[str, Any],
    X: Any,
    y: Any,
    *,
    loss: Any = None,
    method: str = "corrected-t",
    plan: Plan | None = None,
    groups: Any = None,
    baseline: str | None = None,
    adjust: str = "holm",
    rope: float | None = None,
    level: float = 0.95,
    alternative: str = "two-sided",
    random_state: Any = None,
    n_jobs: int | None = None,
    store: Store | None = None,
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
    method : str, default "corrected-t"
        Key of the method.
    plan : Plan, optional
        Splits; by default those that the method brings.
    groups : array-like, optional
        Group of each example, for plans that keep groups together.
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
    store : MemoryStore, optional
        Keeps fits across runs.
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
    if not isinstance(learners, Mapping) or not learners:
        raise InvalidInputError(f"`learners` must map names to estimators, such as {{'tree': tree}}, got {learners!r}")
    names = tuple(str(name) for name in learners)
    _check_request(names, method, baseline, adjust, rope, level, alternative, options)
    table = _fit(
        learners,
        X,
        y,
        spec=lookup(method),
        question={"level": level, "alternative": alternative, **options},
        plan=plan,
        data={"loss": loss, "groups": groups, "random_state": random_state},
        execution={"n_jobs": n_jobs, "store": store, "progress": progress},
    )
    return compare_table(
        table,
        method=method,
        baseline=baseline,
        adjust=adjust,
        rope=rope,
        level=level,
        alternative=alternative,
        **options,
    )


def compare_table(
    table: LossTable,
    *,
    method: str = "corrected-t",
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
    kind = _check_request(table.learners, method, baseline, adjust, rope, level, alternative, options)
    key = lookup(method).key
    learners = {name: infer(table, key, name, level=level, **options) for name in table.learners}
    plan, _ = choose_plan(lookup(key), table.splits, lambda position: table.rows(table.learners[0], None, position))
    same = None if lookup(key).naive else table.of_plan(plan)
    naive = {name: found for name in table.learners if (found := _naive(same, name, None, level, "two-sided"))}
    couples = families.pairs_of(table.learners, baseline)
    results = [infer(table, key, a, b, level=level, alternative=alternative, **options) for a, b in couples]
    adjusted = families.adjust([result.pvalue for result in results], kind)
    pairs = tuple(
        Pair(a, b, result, float(p), _naive(same, a, b, level, alternative))
        for (a, b), result, p in zip(couples, results, adjusted, strict=True)
    )
    return Comparison(table, key, learners, naive, pairs, baseline, kind, rope, level, alternative, dict(options), plan)


def evaluate(
    learner: Any,
    X: Any,
    y: Any,
    *,
    loss: Any = None,
    method: str = "corrected-t",
    plan: Plan | None = None,
    groups: Any = None,
    level: float = 0.95,
    null: float = 0.0,
    alternative: str = "two-sided",
    random_state: Any = None,
    n_jobs: int | None = None,
    store: Store | None = None,
    progress: Callable[[Progress], None] | None = None,
    name: str = "learner",
    **options: Any,
) -> Result:
    """Estimate the generalization error of one learner, with an interval.

    Parameters
    ----------
    learner : estimator
        A scikit-learn estimator; it is not modified.
    X, y, loss, method, plan, groups, level, random_state, n_jobs, store, progress
        As for `compare`.
    null : float, default 0.0
        Value under the null hypothesis.
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
    spec = lookup(method)
    spec.check_options(options)
    table = _fit(
        {name: learner},
        X,
        y,
        spec=spec,
        question={"level": level, "null": null, "alternative": alternative, **options},
        plan=plan,
        data={"loss": loss, "groups": groups, "random_state": random_state},
        execution={"n_jobs": n_jobs, "store": store, "progress": progress},
    )
    result = infer(table, spec.key, name, level=level, null=null, alternative=alternative, **options)
    fits = table.counts.fits + table.counts.reused
    return replace(result.with_notes(*table.notes), n_fits=fits)


def _fit(
    learners: Mapping[str, Any],
    X: Any,
    y: Any,
    *,
    spec: Method,
    question: Mapping[str, Any],
    plan: Plan | None,
    data: Mapping[str, Any],
    execution: Mapping[str, Any],
) -> LossTable:
    """Check that method, plan and loss fit together, then fit."""
    chosen = spec.default_plan if plan is None else plan
    setup = engine.prepare(learners, X, y, plan=chosen, only_loss=True, **data)
    require_loss(spec, setup.loss)
    _rehearse(spec, setup.draw, question)
    return engine.execute(setup, **execution)


def _rehearse(spec: Method, draw: Draw, question: Mapping[str, Any]) -> None:
    """Ask the method's question of zeros on the drawn splits, so that whatever it refuses is refused before a fit."""
    splits = SplitColumns.of(draw)
    _, view = choose_plan(spec, splits, lambda plan: blank_rows(draw, splits, plan))
    spec.function(view, **question)


def _check_request(
    names: tuple[str, ...],
    method: str,
    baseline: str | None,
    adjust: str,
    rope: float | None,
    level: float,
    alternative: str,
    options: Mapping[str, Any],
) -> str:
    """Check what can be checked before the first fit, and return the full name of the adjustment."""
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


def _pick(result: Result, *names: str) -> dict[str, Any]:
    data = result.to_dict()
    return {name: data[name] for name in names}
