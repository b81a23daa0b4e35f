"""From a table to a result: find the method, the plan and the view, and call."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from errbar import _check
from errbar.design import Design, Origin
from errbar.errors import InvalidInputError, UnsuitablePlanError
from errbar.losses import Losses
from errbar.methods._core.given import require_table
from errbar.methods._core.registry import METHODS, Method, lookup
from errbar.methods._core.seeds import over_seeds
from errbar.methods._core.table_facts import notes_of_table, trials_of, units_of
from errbar.methods.distributions import UNLIMITED, Limits
from errbar.methods.inputs import Blocks
from errbar.metrics import LOSSES, Loss, known
from errbar.needs import judge, right_call
from errbar.plans import KINDS, Subsampling, Testing, Training
from errbar.result import OPPOSITE, GlobalResult, Note, Result, distinct
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
    plan: int | None = None,
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
    plan : int, optional
        Which of the table's plans, counted from 0; by default the one that suits the method best.
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
    name = _one_of(table, learner)
    # A single column of given numbers may hold ready-made differences.
    require_subject(
        spec, pair=minus is not None or (spec.subject == "pair" and not table.provenance)
    )
    settled = settle(spec, table, name, minus, plan=plan)
    return settled.result(name, minus, level=level, null=null, alternative=alternative, **options)


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


@dataclass(frozen=True, eq=False)
class Settled:
    """A method and the plan of a table that it works on: found once, applied to every learner and pair."""

    method: Method
    table: LossTable
    plan: int
    notes: tuple[Note, ...]
    seen: dict[str, Any] = field(default_factory=dict, init=False)

    def view(self, learner: str, minus: str | None = None) -> Any:
        """Return what the method sees of a learner or difference; losses of a learner are made once."""
        if minus == learner:
            raise InvalidInputError(f"a learner cannot be compared with itself: {learner!r}")
        for name in (learner, minus):
            if name is not None and name not in self.seen:
                self.seen[name] = self.table.losses(name)
        found = self.seen[learner]
        if minus is not None:
            found = found.minus(self.seen[minus])
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
        method, loss = self.method, self.table.loss
        require_mean(method, loss, options)
        asked: dict[str, Any] = {
            "level": level,
            "null": method.null if null is None else _check.finite(null, "null"),
            "alternative": alternative,
            "limits": UNLIMITED if method.own_units else self._limits(learner, minus),
        }
        turned = loss.higher_is_better and not method.own_units
        if turned:
            asked["null"] = 0.0 - asked["null"]
            asked["alternative"] = OPPOSITE[_check.alternative(alternative)]
        seen = self.view(learner, minus) if view is None else view
        result: Result = method.function(seen, **asked, **options)
        if turned:
            result = result.mirrored()
        # The method's own null is a question of a difference, and not of a risk, which is above 0.
        ready_made = not self.table.provenance and known(loss.key) is None
        of_difference = minus is not None or method.own_units or ready_made
        return replace(
            result,
            learner=learner,
            minus=minus,
            loss=loss.key,
            quantity=method.quantity,
            tested=null is not None or alternative != "two-sided" or of_difference,
            notes=distinct(result.notes + self.notes),
        )

    def _limits(self, learner: str, minus: str | None) -> Limits:
        method, loss = self.method, self.table.loss
        low, high = loss.range
        if minus is not None:
            return Limits(low - high, high - low)
        if loss.sign < 0:
            low, high = 0.0 - high, 0.0 - low
        if not loss.influence:
            return (
                Limits(low, high, math.inf, partial(units_of, self.table))
                if method.scaled
                else Limits(low, high)
            )
        near = math.inf if method.metrics else _NEAR
        if self.table.target is None:
            return Limits(low, high, near)
        return Limits(low, high, near, partial(trials_of, self.table, learner))

    def blocks(self) -> Blocks:
        return Blocks.of(self.table, pointwise=self.method.pointwise)

    def of_all(self, **options: Any) -> GlobalResult:
        result: GlobalResult = self.method.function(self.blocks(), **options)
        return replace(
            result, learners=self.table.learners, notes=distinct(result.notes + self.notes)
        )

    def attempt(self, learner: str, minus: str | None) -> None:
        others = [name for name in self.table.learners if name != learner]
        if self.method.subject == "all":
            self.blocks()
        elif self.method.subject == "pair" and others:
            self.view(learner, minus or others[0])
        else:
            self.view(learner, minus)


def settle(
    spec: Method,
    table: LossTable,
    learner: str | None = None,
    minus: str | None = None,
    *,
    plan: int | None = None,
) -> Settled:
    """Find the plan the method works on: its natural kind before others, more repeats before fewer."""
    designs = table.splits.designs
    repeats = [table.splits.repeats(position) for position in range(len(designs))]
    require_loss(spec, table.loss, designs, repeats)
    plans = range(len(designs))
    if plan is not None:
        plans = range(plan, _check.count(plan, "plan", 0, plans[-1]) + 1)
    fitting = [p for p in plans if spec.takes(designs[p].kind, repeats[p])]
    # Of several plans of one kind the one with most repeats says most.
    fitting.sort(key=lambda p: (spec.plans.index(designs[p].kind), -repeats[p]))
    problem: InvalidInputError | None = None
    for position in fitting:
        try:
            own = table.of_plan(position)
            # Scores alone will do for a method that takes numbers of splits, too.
            if spec.metrics and not table.blank and (spec.pointwise or own.predictions is not None):
                own = own.with_influence()
            said = suits(spec, designs[position]) + notes_of_table(own, spec)
            if averages(spec, designs[position]):
                own, note = over_seeds(own)
                said = (*said, note)
            settled = Settled(spec, own, position, said)
            if len(fitting) > 1:
                settled.attempt(learner or table.learners[0], minus)
            return settled
        except InvalidInputError as error:
            problem = problem or error
    raise problem or unsuitable(spec, designs, repeats)


def averages(spec: Method, design: Design) -> bool:
    several = design.training is Training.RANDOM and design.testing is not Testing.SAME
    return several and design.seeds > 1 and any(need.averages for need in spec.needs)


def _one_of(table: LossTable, learner: str | None) -> str:
    if learner is not None:
        return learner
    if len(table.learners) > 1:
        raise InvalidInputError(
            f"must name one of {', '.join(map(repr, table.learners))}", argument="learner"
        )
    return table.learners[0]


def require_subject(spec: Method, *, pair: bool) -> None:
    if spec.subject in ("either", "pair" if pair else "learner"):
        return
    what = {
        "all": "tests all learners at once; use errbar.overall",
        "pair": "compares two learners; name the second with `minus`",
        "learner": "is for one learner, not for a difference",
    }[spec.subject]
    partner = f"; try {spec.partner!r}" if spec.partner else ""
    raise InvalidInputError(f"method {spec.key!r} {what}{partner}")


def require_loss(
    spec: Method, loss: Loss, designs: Sequence[Design] = (), repeats: Sequence[int] = ()
) -> None:
    """Raise if the method needs one loss per example and the loss is one number per split, of these designs where they are known."""
    # Numbers that were made elsewhere may be errors by any name.
    named = bool(loss.needs) or loss.key in LOSSES
    if spec.loss not in (None, loss.key) and (named or spec.loss not in LOSSES):
        raise InvalidInputError(
            f"method {spec.key!r} is made for loss {spec.loss!r}, and this is {loss.key!r}"
        )
    metric = bool(loss.influence or loss.needs)
    if spec.pointwise and not (loss.pointwise or (spec.metrics and metric)):
        what = "a metric of all of them together" if metric else "one number per split"
        raise InvalidInputError(
            f"method {spec.key!r} needs one loss per example, and {loss.key!r} is {what};"
            f" {_advice(designs, repeats, scores=True)}"
        )


def require_mean(spec: Method, loss: Loss, options: Mapping[str, Any]) -> None:
    """Raise if a method is asked for another statistic than the mean of numbers whose mean alone has a meaning."""
    if spec.metrics and not loss.pointwise and options.get("statistic", "mean") != "mean":
        raise InvalidInputError(
            f"must be 'mean' for {loss.key!r}: its numbers per example are the metric plus influence values, and only "
            "their mean has a meaning",
            argument="statistic",
        )


def suits(spec: Method, design: Design) -> tuple[Note, ...]:
    if averages(spec, design):
        design = replace(design, seeds=1)
    notes, refused = judge(spec.needs, design)
    if refused is not None:
        raise UnsuitablePlanError(f"method {spec.key!r} needs {refused}")
    return notes


def unsuitable(spec: Method, designs: Sequence[Design], repeats: list[int]) -> UnsuitablePlanError:
    kinds = [repr(design.kind) for design in designs]
    once = " with a single repeat" * any(design.kind in spec.plans for design in designs)
    advice = _advice(designs, repeats)
    natural = KINDS[spec.plans[0]]
    assumed = all(design.origin is Origin.ASSUMED for design in designs)
    if natural.stated and assumed and not spec.pointwise:
        # A method does not say how the numbers came about; whoever made them does.
        advice = f"if the rows are that, say kind={natural!r} (--kind {natural}); else {advice}"
    return UnsuitablePlanError(
        f"method {spec.key!r} needs a plan of kind {_listed(spec.plans)}{once}, and this is"
        f" {', '.join(kinds)}; {advice}"
    )


def _advice(designs: Sequence[Design], repeats: Sequence[int], *, scores: bool = False) -> str:
    natural = {*(design.kind for design in designs), Subsampling.kind}
    fitting = [
        method.key
        for method in METHODS.values()
        if method.plans[0] in natural
        and method.subject == "either"
        and method.loss is None
        and not (method.naive or (scores and method.pointwise))
        and any(
            method.takes(design.kind, count) and judge(method.needs, design)[1] is None
            for design, count in zip(designs, repeats, strict=True)
        )
    ]
    if fitting:
        return f"try {_listed(sorted(fitting))}"
    return right_call(designs[0]) if designs else "try 'corrected-t'"


def _listed(words: Iterable[str]) -> str:
    return " or ".join(map(repr, words))
