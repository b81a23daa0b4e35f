"""From a table to a result: find the method, the plan and the view, and call."""

import json
import math
from collections.abc import Iterator
from dataclasses import field, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from errbar import _check
from errbar._check import Facts, FloatArray, IntArray
from errbar._plain import record
from errbar.errors import InvalidInputError
from errbar.losses import Losses
from errbar.methods._core.fitting import averages, require_fit
from errbar.methods._core.inputs import Blocks
from errbar.methods._core.registry import Method, catalogue, lookup
from errbar.methods.distributions import UNLIMITED, Limits
from errbar.metrics import in_words, known
from errbar.metrics._functions import effective_number
from errbar.plans import KFold, NestedKFold
from errbar.plans._base import DATA_SETS, NO_LABEL
from errbar.result import OPPOSITE, Estimand, GlobalResult, Note, Notes, Result, distinct
from errbar.table import LossTable, Tested

# Scores of splits are referred to t as they are, unless they are as near to an edge as an interval reaches.
_NEAR = 3.0


def infer(
    table: LossTable,
    method: str,
    learner: str | None = None,
    minus: str | None = None,
    *,
    level: float = 0.95,
    null: float | None = None,
    alternative: str = "two-sided",
    **options: Any,
) -> Result:
    """Apply one method to one learner of a table, or to the difference of two.

    Parameters
    ----------
    table : LossTable
    method : str
        Key of a method, such as ``"corrected-t"``.
    learner, minus : str, optional
        Names of the learner, needed where the table has several, and of one that is subtracted.
    level : float, default 0.95
    null : float, optional
        Value under the null hypothesis; by default the method's own, mostly 0.
    alternative : {"two-sided", "less", "greater"}, default "two-sided"
    **options
        Options of the method's own, such as ``rho=0.7``.

    Returns
    -------
    Result
        Scores such as accuracy or AUC are in their own direction, higher is better, and so are
        `null` and `alternative`.

    Raises
    ------
    UnsuitablePlanError, InvalidInputError
        If the method is not made for the plan; if a name, an option or the loss does not fit.

    Examples
    --------
    >>> import errbar
    >>> table = errbar.from_scores({"tree": [0.31, 0.28, 0.35], "1-NN": [0.25, 0.27, 0.26]}, n_train=90, n_test=10)
    >>> round(errbar.infer(table, "corrected-t", "tree", minus="1-NN").estimate, 4)
    0.0533
    """
    spec, table = lookup(method), require_table(table)
    spec.check_options(options)
    if learner is None and len(table.learners) > 1:
        must = f"must name one of {', '.join(map(repr, table.learners))}"
        raise InvalidInputError(must, argument="learner")
    # A single column of given numbers may hold ready-made differences.
    require_subject(
        spec, pair=minus is not None or (spec.subject == "pair" and not table.provenance)
    )
    asked: Facts = {"level": level, "null": null, "alternative": alternative}
    learner = learner or table.learners[0]
    own = table.common(learner) if minus is None else table.common(learner, minus)
    return settle(spec, own).result(learner, minus, **asked, **options)


def overall(table: LossTable, method: str, *, level: float = 0.95, **options: Any) -> GlobalResult:
    """Test whether all learners of a table do equally well.

    Parameters
    ----------
    table : LossTable
    method : str
        Key of a method for all learners at once, such as ``"cochran-q"``.
    level : float, default 0.95
        The test is at 1 - level.
    **options

    Returns
    -------
    GlobalResult

    Raises
    ------
    UnsuitablePlanError, InvalidInputError
        If the method is not made for the plan; if it is for single learners or pairs.

    Examples
    --------
    >>> import errbar
    >>> errors = {"a": [0, 1, 1, 0, 1], "b": [0, 0, 1, 0, 1], "c": [0, 0, 0, 0, 1]}
    >>> table = errbar.from_losses(errors, metric="zero-one")
    >>> round(errbar.overall(table, "cochran-q").statistic, 4)
    3.0
    """
    spec, table = lookup(method), require_table(table)
    spec.check_options(options)
    if spec.subject != "all":
        raise InvalidInputError(
            f"method {spec.key!r} does not test all learners at once; try errbar.infer"
        )
    return settle(spec, table).of_all(level=level, **options)


@record
class Settled:
    """A method and the plan of a table that it works on: found once, applied to every learner and pair."""

    method: Method
    table: LossTable
    plan: int
    notes: Notes
    seen: dict[str, Losses] = field(default_factory=dict, init=False)

    def view(self, learner: str, minus: str | None = None) -> Any:
        """Return what the method sees of a learner or difference; losses of a learner are made once."""
        if minus == learner:
            raise InvalidInputError(f"a learner cannot be compared with itself: {learner!r}")
        names = [learner] if minus is None else [learner, minus]
        for name in names:
            if name not in self.seen:
                self.seen[name] = self.table.losses(name)
        found, *other = [self.seen[name] for name in names]
        found = found.minus(*other) if other else found
        return found if self.method.view is Losses else self.method.view.of(found)

    def result(
        self,
        learner: str,
        minus: str | None = None,
        *,
        level: float = 0.95,
        null: float | None = None,
        alternative: str = "two-sided",
        **options: Any,
    ) -> Result:
        """Return what the method says, in the direction in which the loss is shown."""
        method, loss = self.method, self.table.loss
        value = method.null if null is None else _check.finite(null, "null")
        limits, side = UNLIMITED, _check.alternative(alternative)
        turned = loss.higher_is_better and not method.own_units
        if turned:
            value, side = 0.0 - value, OPPOSITE[side]
        if not method.own_units:
            limits = self._limits(learner, minus)
        seen = self.view(learner, minus)
        result: Result = method.function(
            seen, level=level, null=value, alternative=side, limits=limits, **options
        )
        # The method's own null is a question of a difference, and not of a risk, which is above 0.
        ready_made = not (self.table.provenance or loss.influence or known(loss.key))
        of_difference = minus is not None or method.own_units or ready_made
        return replace(
            result.mirrored() if turned else result,
            learner=learner,
            minus=minus,
            loss=loss.key,
            quantity=method.quantity,
            tested=null is not None or side != "two-sided" or of_difference,
            notes=distinct(result.notes + self.notes),
        )

    def _limits(self, learner: str, minus: str | None) -> Limits:
        """Return the range of an estimate, larger is worse, and how near to an edge it has the law of a scale without edges."""
        method, loss = self.method, self.table.loss
        low, high = loss.range
        if minus is not None:
            return Limits(low - high, high - low)
        if loss.higher_is_better:
            low, high = 0.0 - high, 0.0 - low
        if not (loss.influence or method.scaled):
            return Limits(low, high)
        near = _NEAR if loss.influence and not method.metrics else math.inf
        trials = None
        if self.table.target is not None or loss.of_losses or not loss.influence:
            trials = partial(trials_of, self.table, learner)
        return Limits(low, high, near, trials)

    def of_all(self, **options: Any) -> GlobalResult:
        """Return what a method for all learners at once says."""
        blocks = Blocks.of(self.table, pointwise=self.method.pointwise)
        found: GlobalResult = self.method.function(blocks, **options)
        return replace(
            found, learners=self.table.learners, notes=distinct(found.notes + self.notes)
        )


def settle(spec: Method, table: LossTable) -> Settled:
    """Find the plan the method works on: its natural kind before others, more repeats before fewer."""
    splits = table.splits

    def preference(position: int) -> tuple[int, int]:
        kind = splits.designs[position].kind
        return (*spec.plans, kind).index(kind), -splits.repeats(position)

    problems = []
    for position in sorted(range(len(splits.designs)), key=preference):
        try:
            return _settled_on(spec, table, position)
        except InvalidInputError as error:
            problems.append(error)
    raise problems[0]


def _settled_on(spec: Method, table: LossTable, plan: int) -> Settled:
    own = table.of_plan(plan)
    [design] = own.splits.designs
    if design.kind == NestedKFold.kind and KFold.kind in spec.plans:
        # The outer folds are a cross-validation of their own.
        own = own.select(own.splits.labels["inner"] == NO_LABEL)
        [design] = own.splits.designs
    notes = require_fit(spec, own.loss, design, own.splits.repeats(0))
    # Scores alone will do for a method that takes numbers of splits, too.
    if spec.metrics and not table.blank and (spec.pointwise or own.predictions is not None):
        own = own.with_influence()
    notes += notes_of_table(own, spec)
    if averages(spec, design):
        own, note = over_seeds(own)
        notes += (note,)
    return Settled(spec, own, plan, notes)


def require_table(value: Any) -> LossTable:
    must = (
        "must be a LossTable, as errbar.from_scores, errbar.run or the `table` of a comparison is"
    )
    _check.require(isinstance(value, LossTable), must, type(value), "table")
    return value


_SUBJECTS = {
    "all": "all learners at once; use errbar.overall",
    "pair": "two learners; name the second with `minus`",
    "learner": "one learner, not for a difference",
}


def require_subject(spec: Method, *, pair: bool) -> None:
    if spec.subject not in ("either", "pair" if pair else "learner"):
        partner = "".join(f"; try {key!r}" for key in spec.partners[:1])
        raise InvalidInputError(f"method {spec.key!r} is for {_SUBJECTS[spec.subject]}{partner}")


_FEW: Facts = {"resamples": 50}


class Suitability(NamedTuple):
    """Whether one method fits a table.

    Attributes
    ----------
    key : Key of the method.
    suitable : Whether it can be applied.
    reason : What it estimates, or why it cannot be applied.
    naive : Whether it ignores the correlation between splits and serves for contrast only.
    """

    key: str
    suitable: bool
    reason: str
    naive: bool


def suitable(table: LossTable) -> tuple[Suitability, ...]:
    """Say of every method of the catalogue whether it fits a table, and why the others do not.

    Every method is really asked, on the first learner or the first two.

    Parameters
    ----------
    table : LossTable

    Returns
    -------
    tuple of Suitability
        One entry per method, those that fit first.

    Examples
    --------
    >>> import errbar
    >>> table = errbar.from_scores({"tree": [0.31, 0.28, 0.35], "1-NN": [0.25, 0.27, 0.26]}, n_train=90, n_test=10)
    >>> [found.key for found in errbar.methods.suitable(table) if found.suitable and not found.naive]
    ['bayes-correlated-t', 'corrected-t']
    """
    found = []
    for method in catalogue().values():
        reason = None
        try:
            if method.subject in ("pair", "all") and len(table.learners) < 2:
                raise InvalidInputError(f"method {method.key!r} compares learners, and here is one")
            if method.subject == "all":
                settle(method, table).of_all()
            else:
                names = table.learners[: 1 + (method.subject == "pair")]
                settled = settle(method, table.common(*names))
                settled.result(*names, **(_FEW if "resamples" in method.options else {}))
        except InvalidInputError as error:
            reason = str(error)
        fits = reason is None
        found.append(Suitability(method.key, fits, reason or method.claim, method.naive))
    return tuple(sorted(found, key=lambda one: (not one.suitable, one.naive, one.key)))


# With fewer examples of a class, the coverage of intervals of metrics is too low.
_FEW_OF_A_CLASS = 20
# With fewer training examples for a feature, the coverage of intervals of least squares is far too low.
_FEW_FOR_A_FEATURE = 5


def notes_of_table(table: LossTable, method: Method) -> Notes:
    found: list[Note] = []
    if method.estimand is Estimand.EXPECTED_RISK and not method.naive:
        found += _of_features(table)
        # Learners that weigh classes otherwise than the loss, so that training sets add to the variance at every size; the
        # shares of the classes are nothing to a metric given the class.
        reweighted = _told(table, "reweighted")
        if reweighted and not (method.learning or table.loss.given_class):
            found.append(Note("reweighted-classes", learners=reweighted))
    if seeded := _told(table, "seeded"):
        found.append(Note("fixed-seed", learners=seeded))
    weights = table.splits.designs[0].weights
    if weights is not None and table.cells is not None:
        own = weights[np.unique(table.cells.example)]
        as_many = f"as much as {effective_number(own):.1f} of {own.size} examples of equal weight"
        found.append(Note("read", weights=[as_many]))
    if not (table.loss.pointwise or table.loss.of_losses or table.blank):
        found += _of_metric(table, method)
    return tuple(found)


def _of_features(table: LossTable) -> Iterator[Note]:
    # The largest training sets are those of the outer folds, where there are inner ones.
    features, trained = int(table.provenance.get("features", 0)), float(table.splits.n_train.max())
    counted, target = "in all", table.target
    if target is not None and target.classes is not None:
        counts = np.bincount(target.values, minlength=target.n_classes)
        trained *= counts.min() / counts.sum()
        counted = "of the rarest class"
    if _FEW_FOR_A_FEATURE * features > trained:  # false where the sizes are not known
        yield Note("many-features", features=features, trained=round(trained), counted=counted)


def _told(table: LossTable, fact: str) -> list[str]:
    """Return the learners of which a run has told something."""
    told = json.loads(table.provenance.get(fact, "[]"))
    return [name for name in told if name in table.learners]


def _of_metric(table: LossTable, method: Method) -> Iterator[Note]:
    loss, target, cells = table.loss, table.target, table.cells
    if target is None or cells is None:
        return
    words, tested = in_words(loss.key), Tested(target, table.splits, cells)
    if table.scores.shape[1] > 1:
        how = "averaged over splits"
        if np.bincount(tested.together(loss.pool)).max() > 1:
            of = "all splits" if loss.pool == "splits" else "all folds of a repeat"
            how = f"computed from {of} together"
        yield Note("combined", metric=words, how=how)
    if loss.skill and tested.lacks_training(loss.pool):
        baseline = f"the baseline of {words}"
        yield Note("taken-as", what=baseline, kind="that of the test targets", say=["fold"])
    if method.metrics:
        yield Note("influence-values", metric=words)
    if target.classes is not None:
        seen = target.values[np.unique(cells.example)]
        counts = np.bincount(seen, minlength=target.n_classes)
        count = int(counts.min())
        if count < _FEW_OF_A_CLASS:
            yield Note("few-of-a-class", count=count, label=target.classes[counts.argmin()])


def trials_of(table: LossTable, learner: str) -> float:
    """Return the number of independent examples that an estimate at an edge is the share of: clusters, where examples have them.

    Of a metric that says of which examples it is a share, those; by default, those of the rarest
    class. Of examples with weights, the effective number.
    """
    loss, target, cells = table.loss, table.target, table.cells
    weights = table.splits.designs[0].weights
    if cells is None:
        return 1.0
    # Losses by the judge are not a sample of those by people.
    own = cells.example[table.splits.labels["judge"][cells.split] < 1]
    trials = 1.0
    weights = np.ones(own.size) if weights is None else weights[own]
    if loss.pointwise or loss.of_losses:
        trials = effective_number(weights)
    elif target is None or target.classes is None or table.predictions is None:
        return 1.0
    elif loss.trials is None:
        classes = target.values[own]
        of_class = [effective_number(weights[classes == k]) for k in np.unique(classes)]
        trials = min(filter(None, of_class))
    else:
        predicted = table.predictions[table.position(learner)]
        sample = loss.sample(target, target.values[own], predicted, weights=weights)
        trials = loss.trials(sample)
    clusters = table.splits.designs[0].n_clusters or math.inf
    return min(clusters, float(trials) * _check.distinct(own) / own.size)


def over_seeds(table: LossTable) -> tuple[LossTable, Note]:
    """Return the table of one plan with means over the seeds of each split, and a note that says so."""
    labels = table.splits.labels
    split = _check.numbered(*(labels[role] for role in labels if role != "seed"))
    points = table.points
    if points is not None and table.cells is not None:
        cell = _check.numbered(split[table.cells.split], table.cells.example)
        points = _means(points, cell)
    no_seed = labels | {"seed": np.full_like(split, NO_LABEL)}
    averaged = replace(
        table,
        splits=replace(table.splits, labels=no_seed),
        scores=_means(table.scores, split),
        points=points,
        predictions=None,
    )
    first = np.isin(np.arange(split.size), np.unique(split, return_index=True)[1])
    count = int(np.bincount(split).max())
    unit = "data set" if table.splits.kinds[0] == DATA_SETS else "split"
    return averaged.select(first), Note("means", unit=unit, count=count, of="seeds")


def _means(rows: FloatArray, code: IntArray) -> FloatArray:
    times = np.bincount(code)
    return np.stack([(np.bincount(code, row) / times)[code] for row in rows])
