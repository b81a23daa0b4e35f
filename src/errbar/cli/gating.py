"""Gates: sentences given with --fail-if, judged after the fits, and read before them."""

import math
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from errbar.cli import show
from errbar.cli.learners_app import Evaluate
from errbar.cli.messages import print_error, printable
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
    """Return the gates, if each can be judged by the first method: what is wrong with one is said before any fit.

    Of `losses` there is none where the task decides which.
    """
    single = isinstance(question, Evaluate)
    texts = getattr(question, "fail_if", None) or ()
    gates = [_gate(text, Threshold if single else Gate, [*learners], losses) for text in texts]
    if gates and question.methods[0] is not None:
        _require_sides(question.methods[0], single=single)
    return gates


def _gate(
    text: str, kind: type[Gate | Threshold], learners: Sequence[str], losses: Sequence[str]
) -> Gate | Threshold:
    try:
        gate = kind.parse(text)
    except InvalidInputError as error:
        raise InvalidInputError(f": {error}", argument="fail_if") from None
    for name in _learners(gate):
        if name not in learners:
            raise InvalidInputError(
                f"names {name!r}; learners are {', '.join(learners)}{hint(name, learners)}",
                argument="fail_if",
            )
    named = [key for key in losses if _is_of(gate, key)]
    if len(named) != 1 and (losses or gate.loss is not None):
        raise InvalidInputError(
            f"{text!r} must name one of --loss, {', '.join(losses)}",
            argument="fail_if",
        )
    if isinstance(gate, Threshold):
        for key in named:
            gate.require_possible(key)
    return gate


def _is_of(gate: Gate | Threshold, key: str) -> bool:
    return gate.loss is None or same(gate.loss, key) or same(key, gate.loss)


def _learners(gate: Gate | Threshold) -> tuple[str, ...]:
    return (gate.new, gate.old) if isinstance(gate, Gate) else ()


def data(outcomes: Sequence[GateOutcome]) -> dict[str, Any]:
    """Return what is added to the JSON object; nothing where no gate was given."""
    return {"gates": [one._asdict() for one in outcomes]} if outcomes else {}


def report(outcomes: Sequence[GateOutcome], *, as_json: bool) -> int:
    """Say what became of the gates, the failed ones on standard error too; return the exit status."""
    from rich.text import Text

    if outcomes and not as_json:
        show.say("")
    for one in outcomes:
        word = ("passed", "bold green") if one.passed else ("failed", "bold red")
        if not as_json:
            line = Text.assemble("gate ", word, printable(f": {one.text}: {one.sentence}"))
            show.say(show.styled(line))
        if not one.passed:
            print_error(f"gate failed: {one.text}: {one.sentence}")
    return 0 if all(one.passed for one in outcomes) else 1


def _require_sides(method: str, *, single: bool) -> None:
    spec = lookup(method)
    found, subject = (spec.about("learner"), "learner") if single else (spec.about("pair"), "pair")
    suits = found is not None and found.subject in ("either", subject)
    if found is None or not suits or not found.sides or found.own_units:
        raise InvalidInputError(
            f"needs a --method with a one-sided test of a {subject}, such as corrected-t, got {spec.key!r}",
            argument="fail_if",
        )


def judge(gate: Gate | Threshold, found: Sequence[Comparison]) -> GateOutcome:
    """Judge a gate by the comparison of its loss; one about a learner whose fits failed is not passed."""
    own = next((one for one in found if _is_of(gate, one.table.loss.key)), None)
    if own is None:
        return _unjudged(gate, "too few learners are left")
    for name in _learners(gate):
        if name not in own.table.learners:
            return _unjudged(gate, _why_missing(name, own))
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


def _unjudged(gate: Gate | Threshold, why: str) -> GateOutcome:
    return GateOutcome(str(gate), passed=False, sentence=f"it cannot be judged, since {why}")


def _why_missing(learner: str, comparison: Comparison) -> str:
    """Return why a learner is not in a comparison."""
    left_out = [note.numbers for note in comparison.notes if note.code == "left-out"]
    if any(learner in one["what"] and one["why"] == UNDEFINED for one in left_out):
        return f"{in_words(comparison.table.loss.key)} is undefined for {learner}"
    return f"fits of {learner} failed"
