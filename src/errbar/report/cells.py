"""What tables and sentences are made of: typed values, which each form writes in its own way."""

import math
from abc import ABC, abstractmethod
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


class Cell(ABC):
    """A value that can be written.

    Attributes
    ----------
    value : float
        The number by which rows are sorted; NaN where there is none.
    strong : bool
        Whether it stands out.
    """

    value: float
    strong: bool

    @abstractmethod
    def written(self, style: Style) -> str:
        """Return the value as a form writes it."""

    def __str__(self) -> str:
        return self.written(PLAIN)


@dataclass(frozen=True)
class Number(Cell):
    """A number with the decimals of its table."""

    value: float
    scale: Scale
    strong: bool = False

    def written(self, style: Style) -> str:
        """Return its digits."""
        return style.words("unknown") if math.isnan(self.value) else style.digits(self.scale.number(self.value))


@dataclass(frozen=True)
class Bounds(Cell):
    """Both ends of an interval; its value is the estimate."""

    low: float
    high: float
    scale: Scale
    value: float = math.nan
    strong: bool = False

    def written(self, style: Style) -> str:
        """Return both ends in brackets, round ones where there is no bound."""
        left, right = "(" if math.isinf(self.low) else "[", ")" if math.isinf(self.high) else "]"
        low, high = (style.digits(self.scale.number(end)) for end in (self.low, self.high))
        return f"{left}{low}, {high}{right}"


@dataclass(frozen=True)
class PValue(Cell):
    """A p-value, marked where it stands out.

    Attributes
    ----------
    alpha : float
        Level of the test; the digits show on which side of it the value lies.
    named : bool
        Whether ``p =`` stands before it, as in a sentence.
    """

    value: float
    alpha: float
    strong: bool = False
    named: bool = False

    def written(self, style: Style) -> str:
        """Return the digits, or a bound where they would be 0."""
        sign, digits = numbers.pvalue(self.value, self.alpha)
        if self.named:
            return f"p{style.space}{style.words(sign)}{style.space}{style.digits(digits)}"
        bound = style.words(sign) if sign == "<" else ""
        return f"{bound}{style.digits(digits)}{style.words(' *') if self.strong else ''}"


@dataclass(frozen=True)
class Percent(Cell):
    """A share in percent."""

    value: float
    strong: bool = False

    def written(self, style: Style) -> str:
        """Return the percentage with its sign."""
        return f"{style.words(f'{100 * self.value:.6g}')}{style.space}{style.words('%')}"


@dataclass(frozen=True)
class Minus(Cell):
    """The difference of two names."""

    a: str
    b: str
    value: float = math.nan
    strong: bool = False

    def written(self, style: Style) -> str:
        """Return the names with a minus sign between them."""
        return f"{style.words(self.a)} {style.minus} {style.words(self.b)}"


@dataclass(frozen=True)
class Text(Cell):
    """Words, and typed values among them; a name is a text of one word."""

    parts: tuple[str | Cell, ...]
    value: float = math.nan
    strong: bool = False

    def written(self, style: Style) -> str:
        """Return all parts, one after the other."""
        return "".join(style.words(part) if isinstance(part, str) else part.written(style) for part in self.parts)


NONE = Text(("none",))
"""Stands where there is no number."""


def sentence(*parts: str | Cell, value: float = math.nan, strong: bool = False) -> Text:
    """Return a text of words and typed values."""
    return Text(parts, value, strong)
