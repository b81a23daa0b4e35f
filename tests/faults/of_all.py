"""Faults that every method can have, derived from what the catalogue says of it."""

import inspect
import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from errbar.methods import Method
from errbar.methods._core.registry import COMMON_OPTIONS
from errbar.result import Interval
from errbar.testing import Case
from tests.faults.fault import Fault, of_call, of_formula
from tests.laws import cases


def faults_of(method: Method, tests: tuple[str, ...]) -> Iterator[Fault]:
    """Yield the faults that a method of this kind can have."""
    own = _global_call if method.subject == "all" else _call
    for mistake, wrong in {**own(method), **_ignored(method)}.items():
        yield of_call(method.key, mistake, wrong, tests)
    formula = _global_formula() if method.subject == "all" else _formula(method)
    for mistake, change in formula.items():
        yield of_formula(method.key, mistake, _changed(change), tests)


def answer_of(case: Case) -> Any:
    """Return what the formula of a method says of a case."""
    return inspect.unwrap(case.method.function)(case.view, **case.options)


def _changed(change: Any) -> Any:
    return lambda right, view, options: change(right(view, **options))


def _forgotten(name: str, default: Any) -> Any:
    """Answer as if an option had its default, and say all the same that it was as asked."""

    def wrong(right: Any, asked: dict[str, Any]) -> Any:
        # What cannot be asked is still refused: this fault is not about that.
        said = getattr(right(**asked), name)
        return replace(right(**asked | {name: default}), **{name: said})

    return wrong


def _call(method: Method) -> dict[str, Any]:
    def one_tail(right: Any, asked: dict[str, Any]) -> Any:
        result = right(**asked)
        return (
            replace(result, pvalue=result.pvalue / 2)
            if result.alternative == "two-sided"
            else result
        )

    def two_tails(right: Any, asked: dict[str, Any]) -> Any:
        result = right(**asked)
        return (
            result
            if result.alternative == "two-sided"
            else replace(result, pvalue=min(1.0, 2 * result.pvalue))
        )

    def other_side(right: Any, asked: dict[str, Any]) -> Any:
        result = right(**asked)
        low, high = result.interval
        turned = {"less": (high, math.inf), "greater": (-math.inf, low)}
        return replace(result, interval=Interval(*turned.get(result.alternative, result.interval)))

    def turned(right: Any, asked: dict[str, Any]) -> Any:
        result = right(**asked)
        return replace(result, statistic=-result.statistic)

    found = {
        "level forgotten": _forgotten("level", 0.95),
        "null forgotten": _forgotten("null", method.null),
        "statistic of the other sign": turned,
        "p of one tail for two": one_tail,
    }
    if not method.sides:
        return found
    alternative = _forgotten("alternative", "two-sided")
    return found | {
        "alternative forgotten": alternative,
        "p of two tails for one": two_tails,
        "bound on the other side": other_side,
    }


def _global_call(method: Method) -> dict[str, Any]:
    def half(right: Any, asked: dict[str, Any]) -> Any:
        result = right(**asked)
        return replace(result, pvalue=result.pvalue / 2)

    def at_default(right: Any, asked: dict[str, Any]) -> Any:
        return replace(right(**asked), level=0.95)

    return {"level forgotten": at_default, "p of one tail for two": half}


def _ignored(method: Method) -> dict[str, Any]:
    """Options of the method's own that make no difference; a number of draws changes digits only."""

    def without(name: str) -> Any:
        return lambda right, asked: right(
            **{option: value for option, value in asked.items() if option != name}
        )

    names = [
        name for name in method.options if name not in (*COMMON_OPTIONS, "resamples", "samples")
    ]
    return {f"option {name} ignored": without(name) for name in names}


def _formula(method: Method) -> dict[str, Any]:
    answer = answer_of(cases(method)[0])
    found = {
        "standard error too large by a tenth": lambda answer: replace(answer, se=1.1 * answer.se),
        "wrong sign of the estimate": lambda answer: replace(answer, estimate=-answer.estimate),
        "another number of splits": lambda answer: replace(answer, n_splits=answer.n_splits + 1),
        "another training size": lambda answer: replace(answer, n_train=90.5),
    }
    if answer.notes:
        found["notes forgotten"] = lambda answer: replace(answer, notes=())
    if answer.posterior:
        found["posterior forgotten"] = lambda answer: replace(answer, posterior={})
    if answer.law is not None:
        return found
    if answer.df is None:
        return found | {"t for the normal law": lambda answer: replace(answer, df=9)}
    return found | {
        "one degree of freedom too many": lambda answer: replace(
            answer, df=answer.df and answer.df + 1
        ),
        "normal law for t": lambda answer: replace(answer, df=None),
    }


def _global_formula() -> dict[str, Any]:
    return {
        "k for k - 1 in the statistic": lambda answer: replace(
            answer, statistic=1.5 * answer.statistic
        ),
        "learners in reverse": lambda answer: replace(answer, means=answer.means[::-1]),
        "sums for means": lambda answer: replace(
            answer, means=tuple(answer.n_blocks * mean for mean in answer.means)
        ),
        "another number of blocks": lambda answer: replace(answer, n_blocks=answer.n_blocks + 1),
        "notes forgotten": lambda answer: replace(answer, notes=()),
    }
