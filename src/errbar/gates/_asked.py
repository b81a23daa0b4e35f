"""What a gate reads, and of what numbers it is asked."""

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from errbar.errors import InvalidInputError
from errbar.margins import Equivalence
from errbar.methods import lookup
from errbar.methods._core.default import method_for
from errbar.metrics import same
from errbar.result import Result
from errbar.table import LossTable

_WORDS = re.compile(r'"([^"]*)"|\'([^\']*)\'|(\S+)')


class Verdict(NamedTuple):
    """Whether a gate was passed, and the reason in one sentence."""

    passed: bool
    sentence: str


def of_loss(numbers: Any, loss: str | None, gate: str) -> Any:
    """Return what is to be judged: of several comparisons the first that is of the loss."""
    several = (
        list(numbers)
        if isinstance(numbers, Sequence) and not isinstance(numbers, str)
        else [numbers]
    )
    tables = [one if isinstance(one, LossTable) else getattr(one, "table", None) for one in several]
    keys = [table.loss.key for table in tables if isinstance(table, LossTable)]
    if len(keys) < len(several) or not several:
        return numbers  # refused where it is asked
    if loss is None and len(set(keys)) > 1:
        raise InvalidInputError(f"the gate {gate!r} must name one of the losses {_listed(keys)}")
    found = [one for one, key in zip(several, keys, strict=True) if loss is None or same(loss, key)]
    if not found:
        raise InvalidInputError(
            f"the gate {gate!r} is about the loss {loss!r}, and there is {_listed(keys)}"
        )
    return found[0]


def _listed(keys: Sequence[str]) -> str:
    return ", ".join(map(repr, dict.fromkeys(keys)))


def asked_of(
    numbers: Any, method: str | None, options: dict[str, Any], *names: str
) -> tuple[LossTable, str, dict[str, Any]]:
    """Return the table behind the learners, the key of the method of pairs, and its options."""
    known: dict[str, Any] = {}
    if isinstance(numbers, LossTable):
        table, key = numbers, method or method_for(numbers).key
    elif isinstance(getattr(numbers, "table", None), LossTable):
        # Learners may have stopped at different looks; one that is unknown is refused where the table is asked.
        table = (
            numbers.table_of(*names)
            if names and set(names) <= set(numbers.learners)
            else numbers.table
        )
        asked = (
            numbers.pairs[0].result if numbers.pairs else next(iter(numbers.learners.values()))
        ).method
        key = method or asked
        known = numbers.options if key == numbers.method else {}
    else:
        raise InvalidInputError(
            f"must be a Comparison or a LossTable, got {type(numbers).__name__}", argument="numbers"
        )
    spec = lookup(key)
    root = table.provenance.get("random_state")
    drawn = (
        {"random_state": int(root)} if root is not None and "random_state" in spec.options else {}
    )
    return table, spec.key, {**drawn, **known, **options}


def bound_of(test: Equivalence | Result, *, upper: bool) -> str:
    """Return the end of a one-sided interval in words."""
    end = test.interval.high if upper else test.interval.low
    return f"{'upper' if upper else 'lower'} bound {end:.4g} at {100 * test.level:.6g} %"


def words_of(text: Any, form: str) -> list[str]:
    """Return the words of a gate, of which some may stand in quotation marks; `form` says how it reads."""
    if not isinstance(text, str):
        raise InvalidInputError(f"a gate reads {form}, got {text!r}")
    found = [
        next(part for part in match.groups() if part is not None) for match in _WORDS.finditer(text)
    ]
    bare = [match.group(3) for match in _WORDS.finditer(text) if match.group(3) is not None]
    if any(mark in word for word in bare for mark in "\"'"):
        raise InvalidInputError(
            f"a quotation mark is not closed in the gate {text!r}; a gate reads {form}"
        )
    return found


def quoted(name: str) -> str:
    """Return a name as `words_of` reads it as one word."""
    if not re.search(r"[\s\"']", name):
        return name
    return f"'{name}'" if '"' in name else f'"{name}"'
