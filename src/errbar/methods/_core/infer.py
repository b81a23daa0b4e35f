"""From a table to a result: find the method, the plan and the view, and call."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, NamedTuple

from errbar import _check
from errbar.design import Design
from errbar.errors import InvalidInputError, UnsuitablePlanError
from errbar.losses import LOSSES, Loss
from errbar.methods._core.registry import METHODS, Method, lookup
from errbar.needs import judge
from errbar.plans import Subsampling
from errbar.result import OPPOSITE, GlobalResult, Note, Result
from errbar.rows import Rows
from errbar.split_columns import SplitColumns
from errbar.table import LossTable
from errbar.views import Blocks


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
    spec = lookup(method)
    spec.check_options(options)
    learner = _one_of(table, learner)
    # A single column of given numbers may hold ready-made differences.
    require_subject(spec, pair=minus is not None or (spec.subject == "pair" and not table.provenance))
    require_loss(spec, table.loss)
    choice = choose_plan(spec, table.splits, lambda position: table.rows(learner, minus, position), plan)
    view = choice.view
    chosen = spec.null if null is None else _check.finite(null, "null")
    result: Result
    if spec.own_units or not table.loss.higher_is_better:
        result = spec.function(view, level=level, null=chosen, alternative=alternative, **options)
        return result.with_notes(*choice.notes)
    opposite = OPPOSITE[_check.alternative(alternative)]
    result = spec.function(view, level=level, null=0.0 - chosen, alternative=opposite, **options)
    return result.mirrored().with_notes(*choice.notes)


def overall(table: LossTable, method: str, *, level: float = 0.95, **options: Any) -> GlobalResult:
    """Test whether all learners of a table do equally well.

    Parameters
    ----------
    table : LossTable
        From `errbar.run`, or from your own numbers.
    method : str
        Key of a method that speaks of all learners at once, such as ``"cochran-q"``.
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
        If the method speaks of single learners or pairs, or there is one learner only.

    Examples
    --------
    >>> import errbar
    >>> errors = {"a": [0, 1, 1, 0, 1], "b": [0, 0, 1, 0, 1], "c": [0, 0, 0, 0, 1]}
    >>> table = errbar.from_losses(errors, metric="zero-one")
    >>> round(errbar.overall(table, "cochran-q").statistic, 4)
    3.0
    """
    spec = lookup(method)
    spec.check_options(options)
    if spec.subject != "all":
        raise InvalidInputError(f"method {spec.key!r} does not speak of all learners at once; try errbar.infer")
    require_loss(spec, table.loss)
    choice = choose_plan(spec, table.splits, lambda p: Blocks.of(table.of_plan(p), pointwise=spec.pointwise))
    result: GlobalResult = spec.function(choice.view, level=level, **options)
    return replace(result, learners=table.learners, notes=tuple(dict.fromkeys(result.notes + choice.notes)))


def _one_of(table: LossTable, learner: str | None) -> str:
    if learner is not None:
        return learner
    if len(table.learners) > 1:
        raise InvalidInputError(f"`learner` must name one of {', '.join(map(repr, table.learners))}")
    return table.learners[0]


def require_subject(spec: Method, *, pair: bool) -> None:
    """Raise if the method does not speak of a single learner, or of a pair, as it is asked to."""
    partner = f"; try {spec.partner!r}" if spec.partner else ""
    if spec.subject == "all":
        raise InvalidInputError(
            f"method {spec.key!r} speaks of all learners at once; use errbar.overall{partner and ', or'}{partner[1:]}"
        )
    if spec.subject == "pair" and not pair:
        raise InvalidInputError(f"method {spec.key!r} compares two learners; name the second with `minus`{partner}")
    if spec.subject == "learner" and pair:
        raise InvalidInputError(f"method {spec.key!r} speaks of one learner, not of a difference{partner}")


def require_loss(spec: Method, loss: Loss) -> None:
    """Raise if the method needs one loss per example and the loss is one number per split."""
    if spec.loss not in (None, loss.key) and (loss.key in LOSSES or spec.loss not in LOSSES):
        raise InvalidInputError(f"method {spec.key!r} is made for loss {spec.loss!r}, and this is {loss.key!r}")
    if spec.pointwise and not loss.pointwise:
        others = [m.key for m in METHODS.values() if not m.pointwise and not m.naive and _everyday(m)]
        raise InvalidInputError(
            f"method {spec.key!r} needs one loss per example, and {loss.key!r} is one number per split; try {_listed(others)}"
        )


def _everyday(method: Method) -> bool:
    return method.subject == "either" and method.loss is None and Subsampling.kind in method.plans


class Choice(NamedTuple):
    """The plan a method works on.

    Attributes
    ----------
    plan : int
        Position among the plans of the table.
    view : object
        What the method sees of it.
    notes : tuple of Note
        Caveats of its design.
    """

    plan: int
    view: Any
    notes: tuple[Note, ...]


def choose_plan(spec: Method, splits: SplitColumns, rows_of: Callable[[int], Any], wanted: int | None = None) -> Choice:
    """Return the plan the method works on: its natural kind before others, more repeats before fewer.

    With `wanted`, that plan or none.

    Raises
    ------
    UnsuitablePlanError
        If no plan is of a kind that the method is made for, or its design forbids the method.
    InvalidInputError
        If plans are, and none has the structure that the method needs.
    """
    if wanted is not None and _check.count(wanted, "plan", 0) >= len(splits.designs):
        raise InvalidInputError(f"`plan` must be less than {len(splits.designs)}, the number of plans, got {wanted}")
    repeats = [splits.repeats(position) for position in range(len(splits.designs))]
    problem: InvalidInputError | None = None
    for position in _candidates(spec, splits.kinds, repeats):
        if wanted not in (None, position):
            continue
        try:
            notes = suits(spec, splits.designs[position])
            found = rows_of(position)
            return Choice(position, spec.view.of(found) if isinstance(found, Rows) else found, notes)
        except InvalidInputError as error:
            problem = problem or error
    raise problem or unsuitable(spec, splits.kinds, repeats)


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
    raise UnsuitablePlanError(f"method {spec.key!r} needs {words}, and here {refusal.reason}; {refusal.remedy}")


def _candidates(spec: Method, kinds: tuple[str, ...], repeats: list[int]) -> list[int]:
    fitting = [p for p, kind in enumerate(kinds) if kind in spec.plans and not (spec.once and repeats[p] > 1)]
    # Of several plans of one kind the one with most repeats says most.
    return sorted(fitting, key=lambda p: (spec.plans.index(kinds[p]), -repeats[p]))


def unsuitable(spec: Method, kinds: tuple[str, ...], repeats: list[int]) -> UnsuitablePlanError:
    """Return the error that says what kind of plan a method needs, and which methods take the one at hand."""
    repeated = spec.once and any(kind in spec.plans for kind in kinds)
    needs = f"a plan of kind {_listed(spec.plans)}" + (" with a single repeat" if repeated else "")
    have = [f"{k!r}" + (f" with {r} repeats" if repeated else "") for k, r in zip(kinds, repeats, strict=True)]
    natural = (*kinds, Subsampling.kind)
    methods = [
        m
        for m in METHODS.values()
        if not m.naive and m.plans[0] in natural and m.subject == "either" and m.loss is None
    ]
    others = [method.key for method in methods if _candidates(method, kinds, repeats)]
    plan = f"try plan={spec.default_plan}" if spec.default_plan else "see errbar.datasets"
    advice = f"try {_listed(others)}" if others else plan
    return UnsuitablePlanError(f"method {spec.key!r} needs {needs}, and this is {', '.join(have)}; {advice}")


def _listed(words: Iterable[str]) -> str:
    quoted = [repr(word) for word in words]
    return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} or {quoted[-1]}"
