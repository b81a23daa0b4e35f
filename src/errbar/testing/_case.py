"""What a law is tried on, and what scaling, swapping and reordering mean for a table of losses."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.random import Generator

from errbar._check import ALTERNATIVES, FloatArray, IntArray
from errbar.errors import InvalidInputError
from errbar.losses import Losses
from errbar.methods import Method
from errbar.plans import FiveByTwo
from errbar.result import Result

Numbers = Callable[[FloatArray], FloatArray]


@dataclass(frozen=True, eq=False)
class Case:
    """One method, one table of losses, one choice of the method's own options."""

    method: Method
    view: Any
    options: dict[str, Any] = field(default_factory=dict)

    def run(self, **request: Any) -> Result:
        """Call the method with these `level`, `null` and `alternative`."""
        result: Result = self.method.function(self.view, **self.options, **request)
        return result

    @property
    def columns(self) -> dict[str, Any]:
        """Columns by name; of a difference, those of the first learner."""
        return columns_of(self.view)

    @property
    def has_losses(self) -> bool:
        """Whether losses can be scaled and shifted: not so counts, ranks and errors 0 or 1."""
        return self.method.loss != "zero-one" and not self.method.own_units

    def constant(self, value: float) -> Self:
        """Return the case with all losses equal."""
        return self.mapped(lambda losses: np.full_like(losses, value))

    def mapped(self, change: Numbers) -> Self:
        """Return the case with every loss changed by a function of arrays."""
        return replace(self, view=_mapped(self.view, change))

    def swapped(self) -> Self | None:
        """Return the case with both learners exchanged; of a single column, with losses negated."""
        if self.method.loss == "zero-one":
            return None
        if self.view.pair is None:
            return self.mapped(np.negative)
        one, other = self.view.pair
        return replace(self, view=other.minus(one))

    def reordered(self, rng: Generator) -> Self | None:
        """Return the case with rows in another order and folds with other numbers."""
        return replace(self, view=_reordered(self.view, rng))

    def remade(self) -> Self:
        """Return the case with a view made again from the same numbers."""
        return self.mapped(np.copy)

    def spoiled(self, rng: Generator, bad: float) -> Self:
        """Return the case with a bad number somewhere."""
        value = np.array(self.columns["value"])
        value[tuple(int(rng.integers(size)) for size in value.shape)] = bad
        return replace(self, view=remade(self.view, value=value))

    @cached_property
    def alternatives(self) -> tuple[str, ...]:
        """Alternatives that the method can test."""
        return tuple(name for name in ALTERNATIVES if self._tests(name))

    def _tests(self, alternative: str) -> bool:
        try:
            self.run(alternative=alternative)
        except InvalidInputError:
            return False
        return True

    def __str__(self) -> str:
        """Return columns and options, for messages."""
        given = [
            f"{name}={values!r}" for name, values in self.columns.items() if values is not None
        ]
        return f"{type(self.view).__name__}({', '.join(given)}), options {self.options}"


def columns_of(losses: Losses) -> dict[str, Any]:
    one = losses.each[0]
    more = {"value": one.value, "kind": one.kind, "metric": one.metric, "between": one.between}
    return more | dict(one.index)


def remade(losses: Losses, **columns: Any) -> Losses:
    """Return the losses with other columns; of a difference, those of the first learner are changed."""
    if losses.pair is not None:
        one, other = losses.pair
        return remade(one, **columns).minus(remade(other))
    return Losses(**(columns_of(losses) | columns))


def _mapped(losses: Losses, change: Numbers) -> Losses:
    """A constant that is added to a difference is added to the losses of the first learner alone."""
    if losses.pair is None:
        return remade(losses, value=change(np.array(losses.value)))
    one, other = losses.pair
    sign = float(change(np.ones(1))[0] - change(np.zeros(1))[0])
    return _mapped(one, change).minus(_mapped(other, lambda x: sign * x))


def _reordered(losses: Losses, rng: Generator) -> Losses:
    order = rng.permutation(losses.index.rows)
    # The first score of five by two may have a part of its own.
    folds = "fold" in losses.index and losses.kind != FiveByTwo.kind
    numbers = rng.permutation(int(losses.index["fold"].max()) + 3) if folds else None
    moved = [_moved(one, order, numbers) for one in losses.each]
    return moved[0] if len(moved) == 1 else moved[0].minus(moved[1])


def _moved(losses: Losses, order: IntArray, numbers: IntArray | None) -> Losses:
    columns = columns_of(losses)
    for role in ("fold", "inner"):
        if numbers is not None and role in columns:
            known = columns[role]
            columns[role] = np.where(known < 0, known, numbers[known])
    arrays = {name: c[order] for name, c in columns.items() if isinstance(c, np.ndarray)}
    return remade(losses, **arrays)
