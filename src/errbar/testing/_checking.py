"""What laws are made of: claims that hold or break a law, and results to compare."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from errbar.errors import InvalidInputError
from errbar.result import Result
from errbar.testing._cases import Case


class LawBrokenError(Exception):
    """What a law found, before it is known which law and method it was."""


def require(holds: Any, text: str) -> None:
    if not holds:
        raise LawBrokenError(text)


def same(got: float, wanted: float, what: str, *, rtol: float = 1e-8, scale: float = 0.0) -> None:
    """Compare up to rounding, relative to the number itself or to `scale`."""
    close = got == wanted or abs(got - wanted) <= rtol * max(abs(wanted), scale)
    require(close, f"{what} is {got!r} and should be {wanted!r}")


def same_numbers(
    got: Result, wanted: Result, what: str, *, factor: float = 1.0, offset: float = 0.0
) -> None:
    """Compare with a result whose estimate and ends are wanted `factor` times, plus `offset`."""
    size = factor * max(abs(wanted.estimate), wanted.se) + abs(offset)
    same(got.estimate, factor * wanted.estimate + offset, f"estimate {what}", scale=size)
    same(got.se, factor * wanted.se, f"standard error {what}")
    same(got.low, factor * wanted.low + offset, f"lower end {what}", scale=size)
    same(got.high, factor * wanted.high + offset, f"upper end {what}", scale=size)
    same(got.statistic, wanted.statistic, f"statistic {what}", scale=1.0)
    same(got.pvalue, wanted.pvalue, f"p-value {what}", rtol=1e-6, scale=1e-12)


def nulls_to_try(result: Result) -> list[float]:
    return [result.estimate + steps * result.se for steps in (-3.0, -1.2, -0.1, 0.4, 2.0)]


def answered(case: Case, nulls: list[float], **request: Any) -> list[Result]:
    """Return the results at those nulls that are possible values of what is estimated."""
    results = []
    for null in nulls:
        try:
            results.append(case.run(null=null, **request))
        except InvalidInputError as error:
            require(error.argument == "null", f"null {null} is refused without naming it: {error}")
    return results


def empty_interval(result: Result) -> bool:
    return any(
        note.code == "as-defined" and note.numbers["quantity"] == "interval"
        for note in result.notes
    )


@contextmanager
def refused(name: str | None, given: Any) -> Iterator[None]:
    try:
        yield
    except InvalidInputError as error:
        require(
            name in (None, error.argument),
            f"{name} = {given!r} is refused without naming it: {error}",
        )
    except Exception as error:  # noqa: BLE001 - any other exception is what the law is about
        raise LawBrokenError(
            f"{name} = {given!r} raises {error!r} instead of InvalidInputError"
        ) from None
    else:
        raise LawBrokenError(f"{name} = {given!r} is not refused")
