"""Rounding: from floats to the digits that people read. Nothing below this package rounds."""

import math
import re
from collections.abc import Iterable
from statistics import median_low
from typing import Any, NamedTuple

from errbar import _markup

_OF_ERROR, _OF_ESTIMATE = 2, 4
_MOST_DECIMALS = 8
_TOO_LARGE = 1e9


class Digits(NamedTuple):
    """How many decimals the numbers of one page get, so that they can be compared at a glance; None for powers of ten."""

    decimals: int | None

    @classmethod
    def of(cls, results: Iterable[Any]) -> "Digits":
        """Choose decimals for results."""
        rows = list(results)
        return cls.of_errors([row.se for row in rows], [row.estimate for row in rows])

    @classmethod
    def of_errors(cls, errors: Iterable[float], estimates: Iterable[float]) -> "Digits":
        """Choose decimals that show two digits of the median standard error, or four of an estimate without any."""
        known = [error for error in errors if error > 0.0 and math.isfinite(error)]
        sizes = [abs(estimate) for estimate in estimates if estimate]
        size, digits = min(sizes, default=1.0), _OF_ESTIMATE
        if known:
            size, digits = median_low(known), _OF_ERROR
        decimals = max(0, digits - 1 - math.floor(math.log10(size)))
        readable = decimals <= _MOST_DECIMALS and max(sizes + known, default=0.0) < _TOO_LARGE
        return cls(decimals if readable else None)

    def number(self, value: float) -> str:
        """Return a number in plain ASCII."""
        if not math.isfinite(value):
            return "unknown" if math.isnan(value) else f"{value:g}"
        text = f"{value:.3e}" if self.decimals is None else f"{value:.{self.decimals}f}"
        return text.removeprefix("-") if float(text) == 0.0 else text

    def span(self, low: float, high: float) -> str:
        """Return both ends of an interval."""
        if math.isinf(low) or math.isinf(high):
            if math.isinf(high):
                return "unbounded" if math.isinf(low) else f"{self.number(low)} or more"
            return f"{self.number(high)} or less"
        return f"{self.number(low)} to {self.number(high)}"


def pvalue(p: float, alpha: float) -> str:
    """Return a p-value such as ``.15``, ``.047`` or ``<.001``, with as many digits as tell on which side of `alpha` it lies."""
    if p < 0.001 <= alpha:
        return "<.001"
    if p >= 0.995:
        return "1"
    for decimals in range(2 if p >= 0.1 else 3, 13):
        text = f"{p:.{decimals}f}"
        if float(text) > 0.0 and (float(text) <= alpha) == (p <= alpha):
            return text.removeprefix("0")
    return f"{p:.2g}"


def named(p: str, name: str = "p") -> str:
    """Return a p-value or a probability as a sentence takes it."""
    return f"{name} {p[0]} {p[1:]}" if p[0] in "<>" else f"{name} = {p}"


def probability(value: float) -> str:
    """Return a probability with three decimals, or as a bound where these would make it certain."""
    if 0.9995 <= value < 1.0:
        return ">.999"
    if 0.0 < value < 0.0005:
        return "<.001"
    return f"{value:.3f}".removeprefix("0") if value < 1.0 else "1"


def plain(value: float) -> str:
    """Return a number as short as it goes without loss for reading, such as a size or a margin."""
    return f"{value:.6g}"


def percent(share: float) -> str:
    """Return a share in percent."""
    return f"{plain(100 * share)} %"


def rough(value: float) -> str:
    """Return a number with two digits, as a planned study asks for."""
    return f"{float(f'{value:.2g}'):g}"


def size(n: float) -> str:
    """Return a number of examples, which is a mean where splits differ in size."""
    return f"{n:.0f}" if n == round(n) else f"about {n:.0f}"


def minus(text: str) -> str:
    """Return numbers with a true minus sign."""
    return re.sub("(^| )-", rf"\1{_markup.MINUS}", text)


def prose(text: str) -> str:
    """Return a sentence of a page, in which no line ends between a figure and its sign or unit."""
    together = r"(?<=\d) (?=[%a-z])|(?<=\bp) (?=[<=>])|(?<=[<=>]) (?=[\d.])"
    return re.sub(together, "\N{NO-BREAK SPACE}", text)
