"""From a table to a result: find the method, the plan and the view, and call."""

import math
from dataclasses import field, replace
from functools import partial
from typing import Any

from errbar import _check
from errbar._check import Facts
from errbar._plain import record
from errbar.errors import InvalidInputError
from errbar.losses import Losses
from errbar.methods._core.fitting import averages, require_fit
from errbar.methods._core.inputs import Blocks
from errbar.methods._core.registry import Method, lookup
from errbar.methods._core.seeds import over_seeds
from errbar.methods._core.table_facts import notes_of_table, trials_of
from errbar.methods.distributions import UNLIMITED, Limits
from errbar.metrics import known
from errbar.plans import KFold, NestedKFold
from errbar.plans._base import NO_LABEL
from errbar.result import OPPOSITE, GlobalResult, Notes, Result, distinct
from errbar.table import LossTable

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
        view: Any = None,
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
        seen = self.view(learner, minus) if view is None else view
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
