"""What is asked of comparisons: methods with their options, and gates, which are read before anything is fitted."""

import ast
import math
from typing import Any

import errbar
from errbar._plain import Data, Names
from errbar.cli import output
from errbar.cli.app import print_error, printable
from errbar.errors import InvalidInputError, hint
from errbar.methods import lookup

NOT_LITERAL = (ValueError, SyntaxError, TypeError, MemoryError, RecursionError)
"""What Python raises of a text that is no plain value, or too deep to be read."""


def questions(asked: output.Asked) -> list[Data]:
    """Return keyword arguments of `errbar.compare_table`, for each of the methods; each gets the options that it has."""
    options = dict(map(_option, asked.get("options") or ()))
    common = output.taken(errbar.compare_table, asked)
    methods = common.pop("method", ())
    specs = [lookup(key) for key in dict.fromkeys(methods)]
    if not specs:
        return [{"method": None, **common, **options}]
    # An option that no method has is refused, in the words of the first.
    known = {name for spec in specs for name in spec.options}
    specs[0].check_options(dict.fromkeys(name for name in options if name not in known))
    return [
        {"method": spec.key, **common}
        | {name: value for name, value in options.items() if name in spec.options}
        for spec in specs
    ]


def _option(text: str) -> tuple[str, Any]:
    """Return name and value from a string such as ``rho=0.7``."""
    name, equals, value = map(str.strip, text.partition("="))
    if not equals or not name:
        raise InvalidInputError(f"--option must look like rho=0.7, got {text!r}")
    try:
        return name, ast.literal_eval(value)
    except NOT_LITERAL:
        return name, value


def read(asked: output.Asked, learners: Names, losses: Names) -> Any:
    """Return the gates, or say what is wrong with one; of `losses` there is none where the task decides which."""
    if not asked["fail_if"]:
        return []
    of_pairs = "alternative" in asked
    kind: Any = errbar.Gate if of_pairs else errbar.Threshold
    spec = lookup(asked["method"][0]) if asked["method"] else None
    own = spec and spec.about("pair" if of_pairs else "learner")
    if spec and not (own and own.sides and not own.own_units):
        raise InvalidInputError(
            f"needs a --method with such a one-sided test, as corrected-t has, got {spec.key!r}",
            argument="fail_if",
        )
    names, gates = list(learners), []
    for text in asked["fail_if"]:
        try:
            gate = kind.parse(text)
            gate.require_loss(losses)
        except InvalidInputError as error:
            raise InvalidInputError(f": {error}", argument="fail_if") from None
        for name in {*gate.learners}.difference(names):
            known = f"learners are {', '.join(names)}{hint(name, names)}"
            raise InvalidInputError(f"names {name!r}; {known}", argument="fail_if")
        gates.append(gate)
    return gates


def judged(gates: Any, found: Any) -> Data:
    """Return what became of the gates, for the JSON object; nothing where none was given."""
    return {"gates": [_judged(gate, found) for gate in gates]} if gates else {}


def _judged(gate: Any, found: Any) -> Data:
    """Return what became of a gate, as plain data; one that cannot be judged is not passed."""
    told = {"text": str(gate), "passed": False, "sentence": "", "estimate": None}
    for one in found:
        if gate.is_of(one.table.loss.key) and {*gate.learners} <= {*one.table.learners}:
            passed, sentence, test = gate.judge(one)
            bound = next(filter(math.isfinite, test.interval[::-1]), None)
            told |= {"passed": passed, "sentence": sentence, "estimate": test.estimate}
            return told | {"bound": bound, "pvalue": test.pvalue}
    why = f"{str(gate)!r} cannot be judged: learners failed, or the metric is undefined"
    return told | {"sentence": why, "bound": None, "pvalue": None}


def answer(found: Any, gates: Any, asked: output.Asked, **more: Any) -> int:
    """Show comparisons and what became of the gates, failed ones on standard error too; return the exit status."""
    told = judged(gates, found)
    output.show(found, asked, **told, **more)
    if not told:
        return 0
    from rich.text import Text

    lines = []
    for one in told["gates"]:
        word = ("passed", "bold green") if one["passed"] else ("failed", "bold red")
        lines.append(Text.assemble("gate ", word, printable(f": {one['sentence']}")))
        if not one["passed"]:
            print_error(f"gate failed: {one['sentence']}")
    if not asked["as_json"]:
        output.say(f"\n{output.styled(*lines)}")
    return int(not all(one["passed"] for one in told["gates"]))
