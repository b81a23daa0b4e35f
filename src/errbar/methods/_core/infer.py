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
from errbar.methods._core.registry import Method, catalogue, lookup
from errbar.methods._core.seeds import over_seeds
from errbar.methods._core.table_facts import notes_of_table, trials_of, units_of
from errbar.methods.distributions import Limits
from errbar.methods.inputs import Blocks
from errbar.metrics import LOSSES, Loss, known
from errbar.needs import judge, right_call
from errbar.plans import KINDS, Kind, Subsampling, Testing, Training
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
        From `errbar.run`, or from your own numbers.
    method : str
        Key of a method, such as ``"corrected-t"``.
    learner : str, optional
        Name of the learner; may be left out where the table has only one.
    minus : str, optional
        Name of the learner that is subtracted.
    level : float, default 0.95
        Confidence level.
    null : float, optional
        Value under the null hypothesis; by default the method's own, which is 0 for differences of losses.
    alternative : {"two-sided", "less", "greater"}, default "two-sided"
        Alternative hypothesis.
    plan : int, optional
        Which of the table's plans, counted from 0; by default the one that the method is made for, and of several such
        the one with most repeats.
    **options
        Options of the method's own, such as ``rho=0.7``.

    Returns
    -------
    Result
        Losses are estimated as they are; scores such as accuracy or AUC in their own direction, higher is better,
        and `null` and `alternative` are read in that direction.

    Raises
    ------
    UnsuitablePlanError
        If the table's plan is not one the method is made for.
    InvalidInputError
        If a name, an option or the kind of loss does not fit.

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
        From `errbar.run`, or from your own numbers.
    method : str
        Key of a method for all learners at once, such as ``"cochran-q"``.
    level : float, default 0.95
        The test is at 1 - level.
    **options
        Options of the method's own.

    Returns
    -------
    GlobalResult
        Statistic and p-value, and what it was computed from.

    Raises
    ------
    UnsuitablePlanError
        If the table's plan is not one the method is made for.
    InvalidInputError
        If the method is for single learners or pairs, or there is one learner only.

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
    """A method and the plan of a table that it works on: found once, and applied to every learner and pair.

    Attributes
    ----------
    method : Method
        The method.
    table : LossTable
        Numbers of the one plan.
    plan : int
        Position of this plan among those of the whole table.
    notes : tuple of Note
        Caveats of the design.
    """

    method: Method
    table: LossTable
    plan: int
    notes: tuple[Note, ...]
    seen: dict[str, Any] = field(default_factory=dict, init=False)

    def view(self, learner: str, minus: str | None = None) -> Any:
        """Return what the method sees of a learner, or of the difference of two.

        The losses of a learner are made once: what is known of their rows takes longer to find than a difference.
        """
        if minus == learner:
            raise InvalidInputError(f"a learner cannot be compared with itself: {learner!r}")
        for name in (learner, minus):
            if name is not None and name not in self.seen:
                self.seen[name] = self.table.losses(name)
        found = self.seen[learner] if minus is None else self.seen[learner].minus(self.seen[minus])
        kind: Any = self.method.view
        return found if kind is Losses else kind.of(found)

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
        """Apply the method to a learner, or to the difference of two, in the direction shown."""
        method, seen = self.method, self.view(learner, minus) if view is None else view
        options = options | self._limits(learner, pair=minus is not None)
        require_mean(method, self.table.loss, options)
        chosen = method.null if null is None else _check.finite(null, "null")
        result: Result
        if method.own_units or not self.table.loss.higher_is_better:
            result = method.function(
                seen, level=level, null=chosen, alternative=alternative, **options
            )
        else:
            opposite = OPPOSITE[_check.alternative(alternative)]
            result = method.function(
                seen, level=level, null=0.0 - chosen, alternative=opposite, **options
            ).mirrored()
        asked = null is not None or alternative != "two-sided" or self._tests_zero(minus)
        about: dict[str, Any] = {"learner": learner, "minus": minus, "loss": self.table.loss.key}
        about["quantity"] = method.quantity
        return replace(result, tested=asked, **about).with_notes(*self.notes)

    def _tests_zero(self, minus: str | None) -> bool:
        """Return whether the method's own null is a question: every risk is above 0, but a difference may be 0."""
        ready_made = not self.table.provenance and known(self.table.loss.key) is None
        return minus is not None or self.method.own_units or ready_made

    def _limits(self, learner: str, *, pair: bool) -> dict[str, Any]:
        """Return the range of what is estimated, inside: larger is worse."""
        loss = self.table.loss
        low, high = loss.range
        if self.method.own_units or not (math.isfinite(low) or math.isfinite(high)):
            return {}
        if pair:
            return {"limits": Limits(low - high, high - low)}
        ends = (low, high) if loss.sign > 0 else (0.0 - high, 0.0 - low)
        near = math.inf if self.method.scaled else 0.0
        if loss.influence:
            near = math.inf if self.method.metrics else _NEAR
        trials = partial(units_of, self.table) if self.method.scaled else None
        if loss.influence:
            trials = (
                partial(trials_of, self.table, learner) if self.table.target is not None else None
            )
        return {"limits": Limits(*ends, near=near, trials=trials)}

    def of_all(self, *, level: float = 0.95, **options: Any) -> GlobalResult:
        """Return what the method says of all learners at once."""
        view = Blocks.of(self.table, pointwise=self.method.pointwise)
        result: GlobalResult = self.method.function(view, level=level, **options)
        return replace(
            result, learners=self.table.learners, notes=distinct(result.notes + self.notes)
        )


def settle(
    spec: Method,
    table: LossTable,
    learner: str | None = None,
    minus: str | None = None,
    *,
    plan: int | None = None,
) -> Settled:
    """Find the plan the method works on: its natural kind before others, more repeats before fewer.

    Parameters
    ----------
    spec : Method
        The method.
    table : LossTable
        Numbers of one plan or several.
    learner, minus : str, optional
        Learners with which plans are tried where several would do; by default the first ones.
    plan : int, optional
        That plan or none.

    Raises
    ------
    UnsuitablePlanError
        If no plan is of a kind that the method is made for, or its design forbids the method.
    InvalidInputError
        If plans are, and none has the structure that the method needs.
    """
    designs = table.splits.designs
    repeats = [table.splits.repeats(position) for position in range(len(designs))]
    require_loss(spec, table.loss, designs, repeats)
    if plan is not None and _check.count(plan, "plan", 0) >= len(designs):
        raise InvalidInputError(
            f"must be less than {len(designs)}, the number of plans, got {plan}", argument="plan"
        )
    candidates = [p for p in _candidates(spec, table.splits.kinds, repeats) if plan in (None, p)]
    problem: InvalidInputError | None = None
    for position in candidates:
        try:
            own = table.of_plan(position)
            # Scores alone will do for a method that takes numbers of splits, too.
            if spec.metrics and not table.blank and (spec.pointwise or own.predictions is not None):
                own = own.with_influence()
            said: tuple[Note, ...] = notes_of_table(own, spec)
            if averages(spec, designs[position]):
                own, note = over_seeds(own)
                said = (*said, note)
            settled = Settled(spec, own, position, suits(spec, own.splits.designs[0]) + said)
            if len(candidates) > 1:
                _try(settled, learner or table.learners[0], minus)
            return settled
        except InvalidInputError as error:
            problem = problem or error
    raise problem or unsuitable(spec, designs, repeats)


def averages(spec: Method, design: Design) -> bool:
    """Return whether a method takes means over the seeds of each split of a design."""
    several = design.training is Training.RANDOM and design.testing is not Testing.SAME
    return several and design.seeds > 1 and any(need.averages for need in spec.needs)


def _try(settled: Settled, learner: str, minus: str | None) -> None:
    """Raise if the numbers of a plan do not have the structure that the method needs."""
    if settled.method.subject == "all":
        Blocks.of(settled.table, pointwise=settled.method.pointwise)
        return
    learners = settled.table.learners
    if minus is None and settled.method.subject == "pair" and len(learners) > 1:
        minus = next(name for name in learners if name != learner)
    settled.view(learner, minus)


def _one_of(table: LossTable, learner: str | None) -> str:
    if learner is not None:
        return learner
    if len(table.learners) > 1:
        raise InvalidInputError(
            f"must name one of {', '.join(map(repr, table.learners))}", argument="learner"
        )
    return table.learners[0]


def require_subject(spec: Method, *, pair: bool) -> None:
    """Raise if the method is not for a single learner, or not for a pair, as asked."""
    partner = f"; try {spec.partner!r}" if spec.partner else ""
    if spec.subject == "all":
        raise InvalidInputError(
            f"method {spec.key!r} tests all learners at once; use errbar.overall{partner and ', or'}{partner[1:]}"
        )
    if spec.subject == "pair" and not pair:
        raise InvalidInputError(
            f"method {spec.key!r} compares two learners; name the second with `minus`{partner}"
        )
    if spec.subject == "learner" and pair:
        raise InvalidInputError(
            f"method {spec.key!r} is for one learner, not for a difference{partner}"
        )


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
    if not spec.pointwise or loss.pointwise or (spec.metrics and (loss.influence or loss.needs)):
        return
    what = (
        "a metric of all of them together"
        if loss.influence or loss.needs
        else "one number per split"
    )
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


def _everyday(method: Method) -> bool:
    return not method.naive and method.subject == "either" and method.loss is None


def suits(spec: Method, design: Design) -> tuple[Note, ...]:
    """Return the caveats with which a method applies to numbers of this design.

    Raises
    ------
    UnsuitablePlanError
        If the design forbids it; the message says what to do instead.
    """
    notes, forbidden = judge(spec.needs, design)
    if forbidden is None:
        return notes
    words, refusal = forbidden
    raise UnsuitablePlanError(
        f"method {spec.key!r} needs {words}, and here {refusal.reason}; {refusal.remedy}"
    )


def _candidates(spec: Method, kinds: Sequence[Kind], repeats: Sequence[int]) -> list[int]:
    fitting = [p for p, kind in enumerate(kinds) if spec.takes(kind, repeats[p])]
    # Of several plans of one kind the one with most repeats says most.
    return sorted(fitting, key=lambda p: (spec.plans.index(kinds[p]), -repeats[p]))


def unsuitable(spec: Method, designs: Sequence[Design], repeats: list[int]) -> UnsuitablePlanError:
    """Return the error that says what kind of plan a method needs, and which methods take the numbers at hand."""
    kinds = tuple(design.kind for design in designs)
    repeated = spec.once and any(kind in spec.plans for kind in kinds)
    needs = f"a plan of kind {_listed(spec.plans)}" + (" with a single repeat" if repeated else "")
    have = [
        f"{k!r}" + (f" with {r} repeats" if repeated else "")
        for k, r in zip(kinds, repeats, strict=True)
    ]
    advice = _advice(designs, repeats)
    if (
        KINDS[spec.plans[0]].stated
        and not spec.pointwise
        and all(one.origin is Origin.ASSUMED for one in designs)
    ):
        # A method does not say how the numbers came about; whoever made them does.
        advice = f"if that is what the rows are, say kind={str(spec.plans[0])!r} (--kind {spec.plans[0]}); else {advice}"
    return UnsuitablePlanError(
        f"method {spec.key!r} needs {needs}, and this is {', '.join(have)}; {advice}"
    )


def _advice(designs: Sequence[Design], repeats: Sequence[int], *, scores: bool = False) -> str:
    """Return the methods that take numbers, or scores of splits alone, of these designs."""
    kinds = (*(design.kind for design in designs), Subsampling.kind)
    fitting = [
        method.key
        for method in catalogue().values()
        if _everyday(method)
        and method.plans[0] in kinds
        and not (scores and method.pointwise)
        and any(
            method.takes(design.kind, count) and judge(method.needs, design)[1] is None
            for design, count in zip(designs, repeats, strict=True)
        )
    ]
    if fitting:
        return f"try {_listed(fitting)}"
    return right_call(designs[0]) if designs else "try 'corrected-t'"


def _listed(words: Iterable[str]) -> str:
    quoted = [repr(word) for word in words]
    return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} or {quoted[-1]}"
