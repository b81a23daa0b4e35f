"""Gates of ``--fail-if``: read before anything is fitted, and judged when the answer is there."""

import math
from collections.abc import Iterable, Sequence
from typing import Any

import errbar
from errbar.cli import output
from errbar.cli.messages import print_error, printable
from errbar.comparison import Comparison
from errbar.errors import InvalidInputError, hint
from errbar.methods import Method, lookup

AnyGate = Any


def read(asked: output.Asked, learners: Iterable[str], losses: Sequence[str]) -> list[AnyGate]:
    """Return the gates, or say what is wrong with one; of `losses` there is none where the task decides which."""
    if not asked["fail_if"]:
        return []
    kind = errbar.Gate if "alternative" in asked else errbar.Threshold
    names, gates = list(learners), []
    if asked["method"]:
        _require_sides(lookup(asked["method"][0]), kind)
    for text in asked["fail_if"]:
        try:
            gate = kind.parse(text)
            gate.require_loss(losses)
        except InvalidInputError as error:
            raise InvalidInputError(f": {error}", argument="fail_if") from None
        for name in gate.learners:
            if name not in names:
                raise InvalidInputError(
                    f"names {name!r}; learners are {', '.join(names)}{hint(name, names)}",
                    argument="fail_if",
                )
        gates.append(gate)
    return gates


def _require_sides(method: Method, kind: type) -> None:
    """Raise unless a method, or its partner, has the one-sided test of a gate."""
    own = method.about("pair" if kind is errbar.Gate else "learner")
    if own is None or not own.sides or own.own_units:
        raise InvalidInputError(
            f"needs a --method with such a one-sided test, as corrected-t has, got {method.key!r}",
            argument="fail_if",
        )


def _judged(gate: AnyGate, found: Sequence[Comparison]) -> dict[str, Any]:
    """Return what became of a gate, as plain data; one that cannot be judged is not passed."""
    own = next((one for one in found if gate.is_of(one.table.loss.key)), None)
    told: dict[str, Any] = {"text": str(gate), "passed": False}
    if own is None or not {*gate.learners} <= {*own.table.learners}:
        sentence = f"{str(gate)!r} cannot be judged: learners failed, or the metric is undefined"
        return told | {"sentence": sentence} | dict.fromkeys(("estimate", "bound", "pvalue"))
    passed, sentence, test = gate.judge(own)
    low, high = test.interval
    bound = high if math.isinf(low) else low
    return told | {
        "passed": passed,
        "sentence": sentence,
        "estimate": test.estimate,
        "bound": bound if math.isfinite(bound) else None,
        "pvalue": test.pvalue,
    }


def data(gates: Sequence[AnyGate], found: Sequence[Comparison]) -> dict[str, Any]:
    """Return what became of the gates, for the JSON object; nothing where none was given."""
    return {"gates": [_judged(gate, found) for gate in gates]} if gates else {}


def answer(
    found: Sequence[Comparison], gates: Sequence[AnyGate], asked: output.Asked, **more: Any
) -> int:
    """Show comparisons and what became of the gates, failed ones on standard error too; return the exit status."""
    judged = data(gates, found)
    output.show(found, asked, **judged, **more)
    if not judged:
        return 0
    from rich.text import Text

    lines: list[Any] = []
    for one in judged["gates"]:
        word = ("passed", "bold green") if one["passed"] else ("failed", "bold red")
        lines.append(Text.assemble("gate ", word, printable(f": {one['sentence']}")))
        if not one["passed"]:
            print_error(f"gate failed: {one['sentence']}")
    if not asked["as_json"]:
        output.say(f"\n{output.styled(*lines)}")
    return 0 if all(one["passed"] for one in judged["gates"]) else 1
