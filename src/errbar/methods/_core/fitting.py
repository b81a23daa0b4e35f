"""Whether a method fits a design: it does, with these notes, or it does not, because, and what does; and which is the default."""

from dataclasses import replace
from typing import Any

import numpy as np

from errbar.design import Design, Origin, judge, right_call
from errbar.errors import InvalidInputError, UnsuitablePlanError
from errbar.methods._core.inputs import RankScores
from errbar.methods._core.registry import IN_TURN, METHODS, Method, lookup
from errbar.metrics import LOSSES, Loss
from errbar.plans import KINDS, Subsampling, Testing, Training
from errbar.result import Notes
from errbar.table import LossTable


def misfit(spec: Method, loss: Loss, design: Design, repeats: int) -> tuple[int, str]:
    """Return what does not fit, and its rank: 0 for nothing, 1 for what the design forbids, 2 for the plan, 3 for the loss."""
    # Numbers that were made elsewhere may be errors by any name.
    named = loss.needs or loss.key in LOSSES or spec.loss not in LOSSES
    if spec.loss not in (None, loss.key) and named:
        return 3, f"is made for loss {spec.loss!r}, and this is {loss.key!r}"
    if design.weights is not None and (
        spec.view is RankScores or not (spec.metrics or not spec.pointwise)
    ):
        return 3, "takes no weights, and the examples have them"
    metric = loss.influence or loss.needs
    if spec.pointwise and not (loss.pointwise or (spec.metrics and metric)):
        what = "a metric of all of them together" if metric else "one number per split"
        return 3, f"needs one loss per example, and {loss.key!r} is {what}"
    # Repeats of folds or of a split test examples again; those of other kinds may be one split each.
    again = repeats > 1 and design.kind.testing in (Testing.FOLDS, Testing.ONE_SET)
    if design.kind not in spec.plans or (spec.once and again):
        once = " with a single repeat" * (design.kind in spec.plans)
        kinds = " or ".join(map(repr, spec.plans))
        return 2, f"needs a plan of kind {kinds}{once}, and this is {design.kind!r}"
    refused = _judged(spec, design)[1]
    return (1, f"needs {refused}") if refused else (0, "")


def require_fit(spec: Method, loss: Loss, design: Design, repeats: int) -> Notes:
    """Return the notes that go with a method's answers, or raise with what does not fit and what does."""
    rank, reason = misfit(spec, loss, design, repeats)
    if rank > 1:
        reason += f"; {_advice(spec, loss, design, repeats)}"
    if rank:
        refusal = InvalidInputError if rank > 2 else UnsuitablePlanError
        raise refusal(f"method {spec.key!r} {reason}")
    return _judged(spec, design)[0]


def _judged(spec: Method, design: Design) -> tuple[Notes, str | None]:
    return judge(spec.needs, replace(design, seeds=1) if averages(spec, design) else design)


def averages(spec: Method, design: Design) -> bool:
    """Return whether a method takes the mean over the seeds of each split."""
    training_sets = design.training in (Training.RANDOM, Training.DATA_SETS)
    several = training_sets and design.testing is not Testing.SAME
    return several and design.seeds > 1 and any(need.averages for need in spec.needs)


def _advice(spec: Method, loss: Loss, design: Design, repeats: int) -> str:
    """Return the methods that are meant for this kind of plan and fit, or else what the design calls for."""
    fitting = [
        repr(key)
        for key, method in sorted(METHODS.items())
        if method.plans[0] in (design.kind, Subsampling.kind)
        and (method.subject, method.loss, method.naive) == ("either", None, False)
        and not misfit(method, loss, design, repeats)[0]
    ]
    advice = f"try {' or '.join(fitting)}" if fitting else right_call(design)
    natural = KINDS[spec.plans[0]]
    if natural.stated and design.origin is Origin.ASSUMED and not spec.pointwise:
        # A method does not say how the numbers came about; whoever made them does.
        return f"if the rows are that, say kind={natural!r} (--kind {natural}); else {advice}"
    return advice


FIRST = "cv-jackknife"
"""Its plan is used where neither method nor plan is named: the best of those measured with at most 36 fits."""

FOR_FOLDS = "cv-t"
"""For folds without those inside them: it has no term for what training sets add."""

FOR_SCORES = "corrected-t"
"""For random splits, and for folds of which only the scores are known."""

_FOR_DEPENDENT = ("crossed-t", "cluster-t", "two-way-t", "diebold-mariano")
"""For several seeds, clusters and time; they apply only where the design has these."""


def method_for(table: LossTable) -> Method:
    """Return the method that is applied where none is named: the design of the numbers decides, never their values."""
    losses = {None, table.loss.key}
    if table.points is not None and table.loss.pointwise and not table.blank:
        # Losses such as means over several answers are no longer right or wrong, whatever they are called.
        losses -= {"zero-one"}
        if np.isin(table.loss.sign * table.points[~table.gaps], (0.0, 1.0)).all():
            losses |= {"zero-one"}
    subjects = ("either", "learner" if len(table.learners) == 1 else "pair")
    splits = table.splits
    problems: dict[Any, Any] = {}
    for method in map(lookup, IN_TURN):
        if method.subject not in subjects or method.loss not in losses:
            continue
        for position, design in enumerate(splits.designs):
            asked = method, table.loss, design, splits.repeats(position)
            rank, _ = misfit(*asked)
            if not rank:
                return method
            # What the design forbids says most.
            problems.setdefault((rank, method.key in _FOR_DEPENDENT), asked)
    require_fit(*problems[min(problems)])
    return method
