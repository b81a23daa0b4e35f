"""What is checked and settled before the first fit."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from errbar import fits
from errbar.errors import InvalidInputError, UndefinedMetricError
from errbar.fits import Setup
from errbar.methods import lookup
from errbar.methods._core.default import FIRST
from errbar.methods._core.infer import settle
from errbar.plans import Plan
from errbar.result import Note
from errbar.study._default_plan import default_plan
from errbar.study._question import Question
from errbar.table import LossTable, blank_table


def prepared(
    learners: Mapping[str, Any],
    X: Any,
    y: Any,
    questions: Sequence[Question],
    plan: Any,
    data: Mapping[str, Any],
    request: Mapping[str, Any] | None = None,
) -> tuple[Setup, list[list[Question]]]:
    """Check that methods, plan and losses fit together, and settle methods that are not named; nothing is fitted.

    Returned are the questions of each loss. They are asked of zeros on the drawn splits: only the methods themselves, also
    those from elsewhere, know all that they refuse.
    """
    named = [lookup(question.method or FIRST) for question in questions]
    given = plan is not None
    if not given:
        keys = [question.method for question in questions]
        plan = default_plan(
            keys,
            n=len(y) if hasattr(y, "__len__") else None,
            groups=data["groups"],
            time=data["time"],
        )
    made_for = next((spec.loss for spec in named if spec.loss is not None), None)
    wanted = {**data, "loss": made_for} if data["loss"] is None else data
    setup = _set_up(learners, X, y, plan, wanted, given=given)
    names, settled = [prototype.name for prototype in setup.prototypes][:2], []
    for loss in setup.losses:
        blank = blank_table(setup.draw, setup.splits, loss, names)
        settled.append([question.settled(blank) for question in questions])
        for question in settled[-1]:
            _rehearse(blank, question.cheaper, request)
    return setup, settled


def _set_up(
    learners: Mapping[str, Any], X: Any, y: Any, plan: Plan, data: Mapping[str, Any], *, given: bool
) -> Setup:
    """Check a run; where a metric would be undefined on splits that nobody asked for, these are stratified."""
    try:
        return fits.prepare(learners, X, y, plan=plan, **data)
    except UndefinedMetricError as undefined:
        if given or data["stratify"]:
            raise
        try:
            setup = fits.prepare(learners, X, y, plan=plan, **{**data, "stratify": True})
        except InvalidInputError:
            raise undefined from None
        note = Note(
            "taken-as", what="the plan", kind="stratified, as the metric needs it", say=["stratify"]
        )
        return replace(setup, notes=(*setup.notes, note))


def _rehearse(blank: LossTable, question: Question, request: Mapping[str, Any] | None) -> None:
    """Ask a question of zeros, so that whatever the method refuses is refused before a fit."""
    spec = question.spec
    first, *others = blank.learners
    rehearsed = settle(spec, blank)
    if spec.subject == "all":
        return
    asked: dict[str, Any] = dict(
        request or {"level": question.level, "alternative": question.alternative}
    )
    minus = others[0] if spec.subject == "pair" and others else None
    rehearsed.result(first, minus, **asked, **question.options_for(spec, blank))
