"""Whether a method fits a design: it does, with these notes, or it does not, because, and what does; and which is the default."""

from dataclasses import replace

import numpy as np

from errbar.design import Design, Origin
from errbar.errors import InvalidInputError, UnsuitablePlanError
from errbar.methods._core.registry import METHODS, Method, lookup
from errbar.metrics import LOSSES, Loss
from errbar.needs import judge, right_call
from errbar.plans import KINDS, Subsampling, Testing, Training
from errbar.result import Note
from errbar.table import LossTable


def require_fit(spec: Method, loss: Loss, design: Design, repeats: int) -> tuple[Note, ...]:
    """Return the notes that go with a method's answers, or raise with what does not fit and what does."""
    reason = _loss_misfit(spec, loss)
    if reason:
        raise InvalidInputError(f"method {spec.key!r} {reason}; {_advice(loss, design, repeats)}")
    notes, refused = judge(spec.needs, _as_seen(spec, design))
    if not spec.takes(design.kind, repeats):
        once = " with a single repeat" * (design.kind in spec.plans)
        natural, advice = KINDS[spec.plans[0]], _advice(loss, design, repeats)
        if natural.stated and design.origin is Origin.ASSUMED and not spec.pointwise:
            # A method does not say how the numbers came about; whoever made them does.
            advice = f"if the rows are that, say kind={natural!r} (--kind {natural}); else {advice}"
        kinds = " or ".join(map(repr, spec.plans))
        refused = f"a plan of kind {kinds}{once}, and this is {design.kind!r}; {advice}"
    if refused is not None:
        raise UnsuitablePlanError(f"method {spec.key!r} needs {refused}")
    return notes


def averages(spec: Method, design: Design) -> bool:
    """Return whether a method takes the mean over the seeds of each split."""
    several = design.training is Training.RANDOM and design.testing is not Testing.SAME
    return several and design.seeds > 1 and any(need.averages for need in spec.needs)


def _as_seen(spec: Method, design: Design) -> Design:
    return replace(design, seeds=1) if averages(spec, design) else design


def _loss_misfit(spec: Method, loss: Loss) -> str:
    # Numbers that were made elsewhere may be errors by any name.
    named = bool(loss.needs) or loss.key in LOSSES
    if spec.loss not in (None, loss.key) and (named or spec.loss not in LOSSES):
        return f"is made for loss {spec.loss!r}, and this is {loss.key!r}"
    metric = bool(loss.influence or loss.needs)
    if spec.pointwise and not (loss.pointwise or (spec.metrics and metric)):
        what = "a metric of all of them together" if metric else "one number per split"
        return f"needs one loss per example, and {loss.key!r} is {what}"
    return ""


def _advice(loss: Loss, design: Design, repeats: int) -> str:
    """Return the methods that are meant for this kind of plan and fit, or else what the design calls for."""
    fitting = [
        method.key
        for method in METHODS.values()
        if method.plans[0] in (design.kind, Subsampling.kind)
        and method.subject == "either"
        and method.loss is None
        and not method.naive
        and not _loss_misfit(method, loss)
        and method.takes(design.kind, repeats)
        and judge(method.needs, design)[1] is None
    ]
    return f"try {' or '.join(map(repr, sorted(fitting)))}" if fitting else right_call(design)


FIRST = "cv-t"
"""Its plan is used where neither method nor plan is named: the best of those measured with at most 30 fits."""

FOR_SCORES = "corrected-t"
"""For random splits, and for folds of which only the scores are known."""

_FOR_DEPENDENT = ("crossed-t", "cluster-t", "diebold-mariano")
"""For several seeds, clusters and time; they apply only where the design has these."""

# Folds of whole groups go to `FIRST`: with 12 groups of 20, it held 86 to 90.5 % at 95 % and cluster-t 79 to 88 %.
_IN_TURN = (
    "crossed-t",
    "diebold-mariano",
    FIRST,
    "cluster-t",
    FOR_SCORES,
    "paired-proportions",
    "binomial",
    "holdout-t",
    "nested-cv",
    "632-plus",
    "oob-bootstrap",
    "conservative-z",
    "halved-kfold-t",
    "replace-one",
    "wilcoxon",
    "ppi",
)


def method_for(table: LossTable) -> Method:
    """Return the method that is applied where none is named: the design of the numbers decides, never their values."""
    learners = len(table.learners)
    losses = {None, table.loss.key}
    if table.points is not None and table.loss.pointwise and not table.blank:
        # Losses such as means over several answers are no longer right or wrong, whatever they are called.
        zero_one = np.isin(table.loss.sign * table.points, (0.0, 1.0)).all()
        losses = losses | {"zero-one"} if zero_one else losses - {"zero-one"}
    problems: dict[tuple[bool, ...], InvalidInputError] = {}
    for key in _IN_TURN:
        method = lookup(key)
        fits = method.subject in ("either", "learner" if learners == 1 else "pair")
        if not fits or method.loss not in losses:
            continue
        for position, design in enumerate(table.splits.designs):
            repeats = table.splits.repeats(position)
            try:
                require_fit(method, table.loss, design, repeats)
                return method
            except InvalidInputError as error:
                # What the design forbids says most.
                of_loss = not isinstance(error, UnsuitablePlanError)
                rank = of_loss, not method.takes(design.kind, repeats), key in _FOR_DEPENDENT
                problems.setdefault(rank, error)
    raise problems[min(problems)]
