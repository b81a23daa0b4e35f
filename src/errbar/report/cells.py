"""What tables and sentences are made of: typed values, which each form writes in its own way."""

import math
from collections.abc import Callable
from dataclasses import dataclass

from errbar.report import numbers
from errbar.report.numbers import Scale


@dataclass(frozen=True)
class Style:
    """How a form writes words and numbers.

    Attributes
    ----------
    words : callable
        Turns plain words into those of the form, such as by escaping them.
    digits : callable
        The same for one number in plain ASCII, such as ``-1.5``, ``2e-05`` or ``-inf``.
    minus : str
        Stands between two names.
    space : str
        Stands where no line may break.
    """

    words: Callable[[str], str]
    digits: Callable[[str], str]
    minus: str = "-"
    space: str = " "


PLAIN = Style(words=str, digits=str)


@dataclass(frozen=True)
class Cell:
    """A value of a table or a sentence.

    Attributes
    ----------
    written : callable
        Returns the value as a form writes it.
    value : float
        The number by which rows are sorted; NaN where there is none.
    strong : bool
        Whether it stands out.
    """

    written: Callable[[Style], str]
    value: float = math.nan
    strong: bool = False

    def __str__(self) -> str:
        return self.written(PLAIN)


def sentence(*parts: str | Cell, value: float = math.nan, strong: bool = False) -> Cell:
    """Return words, and typed values among them, one after the other; a name is a sentence of one word."""

    def written(style: Style) -> str:
        return "".join(
            style.words(part) if isinstance(part, str) else part.written(style) for part in parts
        )

    return Cell(written, value, strong)


NONE = sentence("none")
"""Stands where there is no number."""


def number(value: float, scale: Scale) -> Cell:
    """Return a number with the decimals of its table."""
    if math.isnan(value):
        return sentence("unknown")
    return Cell(lambda style: style.digits(scale.number(value)), value)


def bounds(low: float, high: float, scale: Scale, value: float = math.nan) -> Cell:
    """Return both ends of an interval in brackets, round ones where there is no bound; its value is the estimate."""
    left, right = "(" if math.isinf(low) else "[", ")" if math.isinf(high) else "]"

    def written(style: Style) -> str:
        return f"{left}{style.digits(scale.number(low))}, {style.digits(scale.number(high))}{right}"

    return Cell(written, value)


def pvalue(value: float, alpha: float, *, strong: bool = False, named: bool = False) -> Cell:
    """Return a p-value, marked where it stands out, or with ``p =`` before it, as in a sentence.

    The digits show on which side of `alpha`, the level of the test, it lies; where they would be 0, a bound stands.
    """
    sign, digits = numbers.pvalue(value, alpha)

    def written(style: Style) -> str:
        if named:
            return f"p{style.space}{style.words(sign)}{style.space}{style.digits(digits)}"
        bound = style.words(sign) if sign == "<" else ""
        return f"{bound}{style.digits(digits)}{style.words(' *') if strong else ''}"

    return Cell(written, value, strong)


def percent(share: float) -> Cell:
    """Return a share in percent."""
    digits = numbers.plain(100 * share)
    return Cell(lambda style: f"{style.words(digits)}{style.space}{style.words('%')}", share)


def minus(a: str, b: str) -> Cell:
    """Return the difference of two names."""
    return Cell(lambda style: f"{style.words(a)} {style.minus} {style.words(b)}")
