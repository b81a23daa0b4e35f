"""Gates: sentences given with --fail-if, judged after the fits, and read before them."""

import math
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from errbar.cli import show
from errbar.cli.learners_app import Evaluate
from errbar.cli.messages import print_error
from errbar.cli.options import MethodOptions
from errbar.comparison import Comparison
from errbar.errors import InvalidInputError, hint
from errbar.gates import Gate, Threshold
from errbar.methods import lookup
from errbar.metrics import in_words, same
from errbar.study import UNDEFINED


class GateOutcome(NamedTuple):
    """What became of a gate."""

    text: str
    passed: bool
    sentence: str
    estimate: float | None = None
    bound: float | None = None
    pvalue: float | None = None


def read(
    question: MethodOptions, learners: Iterable[str], losses: Sequence[str]
) -> list[Gate | Threshold]:
    """Return the gates, if each can be judged by the first method: an unknown learner or loss is refused before any fit.

    Of `losses` there is none where the task decides which.
    """
    kind, known, method = (
        Threshold if isinstance(question, Evaluate) else Gate,
        list(learners),
        question.methods[0],
    )
    gates: list[Gate | Threshold] = []
    for text in getattr(question, "fail_if", None) or ():
        try:
            gate = kind.parse(text)
            _require_loss(gate, losses)
        except InvalidInputError as error:
            raise InvalidInputError(f"--fail-if: {error}") from None
        gates.append(gate)
        for name in [name for name in _learners(gate) if name not in known]:
            raise InvalidInputError(
                f"--fail-if {str(gate)!r}: {name!r} is no learner; there are {', '.join(map(repr, known))}"
                f"{hint(name, known)}"
            )
    if gates and method is not None:
        _require_sides(method, single=kind is Threshold)
    return gates


def _learners(gate: Gate | Threshold) -> tuple[str, ...]:
    return (gate.new, gate.old) if isinstance(gate, Gate) else ()


def _require_loss(gate: Gate | Threshold, losses: Sequence[str]) -> None:
    """Raise unless it is clear which of the losses a gate is about."""
    listed = ", ".join(map(repr, losses))
    if gate.loss is None and len(losses) > 1:
        how = "such as" if isinstance(gate, Threshold) else "at its end, such as"
        example = f"{losses[0]} {gate}" if isinstance(gate, Threshold) else f"{gate} on {losses[0]}"
        raise InvalidInputError(
            f"{str(gate)!r} must name one of the losses {listed}, {how} {example!r}"
        )
    if gate.loss is not None and not any(
        same(gate.loss, key) or same(key, gate.loss) for key in losses
    ):
        there = f"there is {listed}" if losses else "--loss is not given"
        raise InvalidInputError(
            f"{str(gate)!r} is about the loss {gate.loss!r}, and {there}; give --loss {gate.loss}"
        )
    if isinstance(gate, Threshold):
        for loss in losses[:1] if gate.loss is None else (gate.loss,):
            gate.require_possible(loss)


def data(outcomes: Sequence[GateOutcome]) -> dict[str, Any]:
    """Return what is added to the JSON object; nothing where no gate was given."""
    return {"gates": [one._asdict() for one in outcomes]} if outcomes else {}


def report(outcomes: Sequence[GateOutcome], *, as_json: bool) -> int:
    """Say what became of the gates, the failed ones on standard error too; return the exit status."""
    from rich.text import Text

    if outcomes and not as_json:
        show.say("")
    for one in outcomes:
        if not as_json:
            word = ("passed", "bold green") if one.passed else ("failed", "bold red")
            show.say(
                show.styled(
                    Text.assemble("gate ", word, show.printable(f": {one.text}: {one.sentence}"))
                )
            )
        if not one.passed:
            print_error(f"gate failed: {one.text}: {one.sentence}")
    return 0 if all(one.passed for one in outcomes) else 1


def _require_sides(method: str, *, single: bool) -> None:
    spec = lookup(method)
    found, subject = (spec.for_learners(), "learner") if single else (spec.for_pairs(), "pair")
    if (
        found is None
        or not found.sides
        or found.own_units
        or found.subject not in ("either", subject)
    ):
        what = "single learner" if single else "difference"
        raise InvalidInputError(
            f"--fail-if needs a method with a one-sided test of a {what}, such as corrected-t, and {spec.key!r} has "
            "none; gates are judged by the first --method"
        )


def judge(gate: Gate | Threshold, found: Sequence[Comparison]) -> GateOutcome:
    """Judge a gate by the comparison of its loss; one about a learner whose fits failed is not passed."""
    own = next(
        (one for one in found if gate.loss is None or same(gate.loss, one.table.loss.key)), None
    )
    missing = (
        [] if own is None else [name for name in _learners(gate) if name not in own.table.learners]
    )
    if own is None or missing:
        why = "too few learners are left" if own is None else _why_missing(missing[0], own)
        return GateOutcome(str(gate), passed=False, sentence=f"it cannot be judged, since {why}")
    test, verdict = gate.test(found), gate.judge(found)
    low, high = test.interval
    bound = high if math.isinf(low) else low
    return GateOutcome(
        str(gate),
        verdict.passed,
        verdict.sentence,
        test.estimate,
        bound if math.isfinite(bound) else None,
        test.pvalue,
    )


def _why_missing(learner: str, comparison: Comparison) -> str:
    """Return why a learner is not in a comparison."""
    left_out = [note.numbers for note in comparison.notes if note.code == "left-out"]
    if any(learner in one["what"] and one["why"] == UNDEFINED for one in left_out):
        return f"{in_words(comparison.table.loss.key)} is undefined for {learner}"
    return f"fits of {learner} failed"
