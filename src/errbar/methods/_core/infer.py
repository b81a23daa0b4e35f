"""From a table to a result: find the method, the plan and the view, and call."""

from collections.abc import Callable, Iterable
from typing import Any

from errbar import _check
from errbar.errors import InvalidInputError, UnsuitablePlanError
from errbar.losses import Loss
from errbar.methods._core.registry import METHODS, Method, lookup
from errbar.result import OPPOSITE, Result
from errbar.table import LossTable, SplitColumns
from errbar.views import Rows, View


def infer(
    table: LossTable,
    method: str,
    learner: str | None = None,
    minus: str | None = None,
    *,
    level: float = 0.95,
    null: float = 0.0,
    alternative: str = "two-sided",
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
    null : float, default 0.0
        Value under the null hypothesis.
    alternative : {"two-sided", "less", "greater"}, default "two-sided"
        Alternative hypothesis.
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
    if learner is None:
        if len(table.learners) > 1:
            raise InvalidInputError(f"`learner` must name one of {', '.join(map(repr, table.learners))}")
        learner = table.learners[0]
    require_loss(spec, table.loss)
    _, view = choose_plan(spec, table.splits, lambda plan: table.rows(learner, minus, plan))
    if not table.loss.higher_is_better:
        return spec.function(view, level=level, null=null, alternative=alternative, **options)
    opposite = OPPOSITE[_check.alternative(alternative)]
    inside = 0.0 - _check.finite(null, "null")
    return spec.function(view, level=level, null=inside, alternative=opposite, **options).mirrored()


def require_loss(spec: Method, loss: Loss) -> None:
    """Raise if the method needs one loss per example and the loss is one number per split."""
    if spec.pointwise and not loss.pointwise:
        others = [other.key for other in METHODS.values() if not other.pointwise and not other.naive]
        raise InvalidInputError(
            f"method {spec.key!r} needs one loss per example, and {loss.key!r} is one number per split; try {_listed(others)}"
        )


def choose_plan(spec: Method, splits: SplitColumns, rows_of: Callable[[int], Rows]) -> tuple[int, View]:
    """Return position and view of the first plan the method can work on, its natural kind of plan before others.

    Raises
    ------
    UnsuitablePlanError
        If no plan is of a kind that the method is made for.
    InvalidInputError
        If plans are, and none has the structure that the method needs.
    """
    repeats = [splits.repeats(position) for position in range(len(splits.kinds))]
    problem: InvalidInputError | None = None
    for position in _candidates(spec, splits.kinds, repeats):
        try:
            return position, spec.view.of(rows_of(position))
        except InvalidInputError as error:
            problem = problem or error
    raise problem or _unsuitable(spec, splits.kinds, repeats)


def _candidates(spec: Method, kinds: tuple[str, ...], repeats: list[int]) -> list[int]:
    fitting = [p for p, kind in enumerate(kinds) if kind in spec.plans and not (spec.once and repeats[p] > 1)]
    return sorted(fitting, key=lambda p: spec.plans.index(kinds[p]))


def _unsuitable(spec: Method, kinds: tuple[str, ...], repeats: list[int]) -> UnsuitablePlanError:
    repeated = spec.once and any(kind in spec.plans for kind in kinds)
    needs = f"a plan of kind {_listed(spec.plans)}" + (" with a single repeat" if repeated else "")
    have = [f"{k!r}" + (f" with {r} repeats" if repeated else "") for k, r in zip(kinds, repeats, strict=True)]
    natural = (*kinds, "subsampling")
    methods = [m for m in METHODS.values() if not m.naive and m.plans[0] in natural]
    others = [method.key for method in methods if _candidates(method, kinds, repeats)]
    advice = f"try {_listed(others)}" if others else f"try plan={spec.default_plan}"
    return UnsuitablePlanError(f"method {spec.key!r} needs {needs}, and this is {', '.join(have)}; {advice}")


def _listed(words: Iterable[str]) -> str:
    quoted = [repr(word) for word in words]
    return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} or {quoted[-1]}"
