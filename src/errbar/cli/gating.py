"""Gates: sentences given with --fail-if, judged after the fits, and read before them."""

import math
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from errbar.cli import checks, show
from errbar.cli.messages import print_error
from errbar.cli.options import MethodOptions
from errbar.errors import InvalidInputError
from errbar.gates import Gate
from errbar.methods import lookup
from errbar.study import Comparison


class GateOutcome(NamedTuple):
    """What became of a gate."""

    text: str
    passed: bool
    sentence: str
    estimate: float | None = None
    bound: float | None = None
    pvalue: float | None = None


def read(question: MethodOptions, learners: Iterable[str]) -> list[Gate]:
    """Return the gates, if each can be judged by the first method: a learner that is none is refused before any fit."""
    gates, known, method = [], list(learners), question.methods[0]
    for text in getattr(question, "fail_if", None) or ():  # errbar evaluate has no pairs, and so no gates
        try:
            gate = Gate.parse(text)
        except InvalidInputError as error:
            raise InvalidInputError(f"--fail-if: {error}") from None
        gates.append(gate)
        for name in [name for name in (gate.new, gate.old) if name not in known]:
            raise InvalidInputError(
                f"--fail-if {str(gate)!r}: {name!r} is no learner; there are {', '.join(map(repr, known))}"
                f"{checks.hint(name, known)}"
            )
    if gates and method is not None:
        _require_sides(method)
    return gates


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
            show.say(show.styled(Text.assemble("gate ", word, show.printable(f": {one.text}: {one.sentence}"))))
        if not one.passed:
            print_error(f"gate failed: {one.text}: {one.sentence}")
    return 0 if all(one.passed for one in outcomes) else 1


def _require_sides(method: str) -> None:
    spec = lookup(method)
    pairs = spec.for_pairs()
    if pairs is None or not pairs.sides or pairs.own_units or pairs.subject not in ("either", "pair"):
        raise InvalidInputError(
            f"--fail-if needs a method with a one-sided test of a difference, such as corrected-t, and {spec.key!r} has "
            "none; gates are judged by the first --method"
        )


def judge(gate: Gate, comparison: Comparison | None) -> GateOutcome:
    """Judge a gate by a comparison; one about a learner whose fits failed is not passed."""
    left = () if comparison is None else comparison.table.learners
    missing = [name for name in (gate.new, gate.old) if name not in left]
    if comparison is None or missing:
        why = f"fits of {missing[0]} failed" if left else "too few learners are left"
        return GateOutcome(str(gate), passed=False, sentence=f"it cannot be judged, since {why}")
    test, verdict = gate.test(comparison), gate.judge(comparison)
    low, high = test.interval
    bound = high if math.isinf(low) else low
    return GateOutcome(
        str(gate), verdict.passed, verdict.sentence, test.estimate, bound if math.isfinite(bound) else None, test.pvalue
    )
