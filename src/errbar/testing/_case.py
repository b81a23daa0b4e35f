"""What a law is tried on, and what scaling, swapping and reordering mean for a table of losses."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Self

import numpy as np
from numpy.random import Generator

from errbar._check import ALTERNATIVES, FloatArray, IntArray
from errbar.losses import Losses
from errbar.methods import Method
from errbar.result import Result

Numbers = Callable[[FloatArray], FloatArray]


@dataclass(frozen=True, eq=False)
class Case:
    """One method, one table of losses, one choice of the method's own options."""

    method: Method
    view: Any
    options: dict[str, Any] = field(default_factory=dict)
    rng: Generator = field(default_factory=np.random.default_rng)

    def run(self, **request: Any) -> Result:
        """Call the method with these `level`, `null` and `alternative`."""
        result: Result = self.method.function(self.view, **self.options, **request)
        return result

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

    def reordered(self) -> Self | None:
        """Return the case with rows in another order."""
        order = self.rng.permutation(self.view.index.rows)
        return replace(self, view=_moved(self.view, order))

    def remade(self) -> Self:
        """Return the case with a view made again from the same numbers."""
        return self.mapped(np.copy)

    @property
    def alternatives(self) -> tuple[str, ...]:
        """Alternatives that the method can test."""
        return ALTERNATIVES if self.method.sides else ALTERNATIVES[:1]


def columns_of(losses: Losses) -> dict[str, Any]:
    names = ("value", "kind", "metric", "between")
    return {name: getattr(losses, name) for name in names} | dict(losses.index)


def remade(losses: Losses, **columns: Any) -> Losses:
    """Return the losses of one learner with other columns."""
    return Losses(**(columns_of(losses) | columns))


def _mapped(losses: Losses, change: Numbers) -> Losses:
    """A constant that is added to a difference is added to the losses of the first learner alone."""
    sign = float(change(np.ones(1))[0] - change(np.zeros(1))[0])
    changes: tuple[Numbers, ...] = (change, partial(np.multiply, sign))
    parts = zip(losses.each, changes, strict=False)
    return _difference([remade(one, value=own(np.array(one.value))) for one, own in parts])


def _moved(losses: Losses, order: IntArray) -> Losses:
    moved = []
    for one in losses.each:
        columns = columns_of(one)
        arrays = {name: c[order] for name, c in columns.items() if isinstance(c, np.ndarray)}
        moved.append(remade(one, **arrays))
    return _difference(moved)


def _difference(parts: list[Losses]) -> Losses:
    return parts[0].minus(parts[1]) if len(parts) > 1 else parts[0]
