"""Rounding: from floats to the digits that people read. Nothing below this package rounds."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

from errbar._markup import INFINITY, MINUS
from errbar.result import Result

_SIGNIFICANT = 4
_OF_ERROR = 3
_MOST_DECIMALS = 8
_TOO_LARGE = 1e9


@dataclass(frozen=True)
class Scale:
    """How many decimals the numbers of one table get, so that they can be compared at a glance.

    Attributes
    ----------
    decimals : int or None
        Digits after the point; None for scientific notation.
    """

    decimals: int | None

    @classmethod
    def of(cls, results: Iterable[Result]) -> "Scale":
        """Choose decimals such that the largest standard error shows three digits, or estimates four without any."""
        rows = list(results)
        sizes = [abs(row.estimate) for row in rows if row.estimate]
        errors = [row.se for row in rows if row.se > 0.0 and math.isfinite(row.se)]
        largest = max(sizes + errors, default=0.0)
        if errors:
            # A smaller one gets two digits, but a tiny one must not give all the others digits without meaning.
            usual = _decimals(max(errors), _OF_ERROR)
            decimals = max(usual, min(usual + 2, _decimals(min(errors), _OF_ERROR - 1)))
        else:
            decimals = _decimals(min(sizes, default=1.0), _SIGNIFICANT)
        readable = decimals <= _MOST_DECIMALS and largest < _TOO_LARGE
        return cls(max(0, decimals) if readable else None)

    def number(self, value: float) -> str:
        """Return one number; the text is plain ASCII."""
        if math.isnan(value):
            return "unknown"
        if math.isinf(value):
            return "inf" if value > 0 else "-inf"
        text = f"{value:.3e}" if self.decimals is None else f"{value:.{self.decimals}f}"
        return text.removeprefix("-") if float(text) == 0.0 else text


def pvalue(p: float, alpha: float) -> tuple[str, str]:
    """Return ``=`` or ``<`` and three decimals, or as many as show on which side of `alpha` the p-value lies."""
    if p < 0.001:
        return ("<", "0.001") if alpha >= 0.001 else ("=", f"{p:.2g}")
    for decimals in (3, 4, 5, 6):
        text = f"{p:.{decimals}f}"
        if (float(text) <= alpha) == (p <= alpha):
            return "=", text
    return "=", f"{p:.6g}"


def plain(value: float) -> str:
    """Return a number as short as it goes without loss for reading, such as a size or a margin."""
    return f"{value:.6g}"


def size(n: float) -> str:
    """Return a number of examples, which is a mean where splits differ in size."""
    return f"{n:.0f}" if n == round(n) else f"about {n:.0f}"


def typeset(digits: str) -> str:
    """Return a number in plain ASCII with a true minus sign and the sign of infinity."""
    return digits.replace("inf", INFINITY).replace("-", MINUS)


def _decimals(value: float, digits: int) -> int:
    """Return the decimals that show `value` with so many significant digits."""
    return digits - 1 - math.floor(math.log10(value))
