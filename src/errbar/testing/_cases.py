"""What the laws are tried on: views of every kind a method accepts, with every value of its options."""

import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.random import Generator

from errbar._check import ALTERNATIVES, FloatArray
from errbar.errors import InvalidInputError
from errbar.methods import Method
from errbar.result import Result
from errbar.views import FiveByTwo, PointLosses, SplitScores

_UNEQUAL_FOLDS = (7, 4, 9, 5, 2)


@dataclass(frozen=True, eq=False)
class Case:
    """One method, one view, one choice of the method's own options.

    Attributes
    ----------
    method : Method
        Entry of the catalogue.
    view : view
        What the method sees.
    options : dict
        Options of its own; what is not named stays at its default.
    """

    method: Method
    view: Any
    options: dict[str, Any] = field(default_factory=dict)

    def run(self, **request: Any) -> Result:
        """Call the method with these `level`, `null` and `alternative`."""
        return self.method.function(self.view, **self.options, **request)

    def changed(self, **columns: Any) -> "Case":
        """Return the same case with other columns in the view; the others are kept."""
        kind = type(self.view)
        columns = {name: getattr(self.view, name) for name in inspect.signature(kind).parameters} | columns
        return replace(self, view=kind(**columns))

    def reordered(self, order: Any) -> "Case":
        """Return the case with the entries of every column in another order."""
        count = len(self.view.value)
        columns = {name: getattr(self.view, name) for name in inspect.signature(type(self.view)).parameters}
        moved = {name: column[order] for name, column in columns.items() if np.shape(column)[:1] == (count,)}
        return self.changed(**moved)

    @property
    def value(self) -> FloatArray:
        """The losses or scores."""
        found: FloatArray = self.view.value
        return found

    @property
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
        """Return the call in words, for messages."""
        chosen = "".join(f", {name}={value!r}" for name, value in self.options.items())
        columns = {name: getattr(self.view, name) for name in inspect.signature(type(self.view)).parameters}
        inside = ", ".join(f"{name}={np.asarray(c).tolist()}" for name, c in columns.items() if c is not None)
        return f"{type(self.view).__name__}({inside}){chosen}"


def _split_scores(method: Method, rng: Generator) -> Iterator[SplitScores]:
    yield SplitScores(0.2 + 0.05 * rng.standard_normal(10), n_train=90, n_test=10)
    count = int(rng.integers(2, 30))
    n_test = rng.integers(5, 20, count)
    yield SplitScores(rng.standard_normal(count) - 0.5, n_train=120 - n_test, n_test=n_test)
    yield SplitScores(rng.gamma(1.0, size=3), n_train=[60, 50, 70], n_test=[30, 40, 20])


def _point_losses(method: Method, rng: Generator) -> Iterator[PointLosses]:
    single = method.plans == ("holdout",)
    sizes = (10,) if single else _UNEQUAL_FOLDS
    n = sum(sizes)
    fold = np.repeat(np.arange(len(sizes)), sizes)
    example = rng.permutation(n)
    zero_one = rng.permutation(np.arange(n) % 3 == 0).astype(float)
    yield PointLosses(rng.gamma(1.0, size=n), fold, example=example, n_train=80.0)
    yield PointLosses(zero_one - rng.permutation(zero_one[::-1]) + np.eye(n)[0], fold)
    if not single:
        even = rng.permutation(np.arange(24) % 4)
        yield PointLosses(rng.standard_normal(24), even, example=np.arange(24))


def _five_by_two(method: Method, rng: Generator) -> Iterator[FiveByTwo]:
    yield FiveByTwo(0.3 + 0.05 * rng.standard_normal((5, 2)), n_train=50.0)
    yield FiveByTwo(rng.standard_normal((5, 2)))


VIEWS: dict[type[Any], Callable[[Method, Generator], Iterator[Any]]] = {
    SplitScores: _split_scores,
    PointLosses: _point_losses,
    FiveByTwo: _five_by_two,
}
"""Makes views of each type; add an entry for a view type of your own."""

OPTION_VALUES: dict[str, tuple[Any, ...]] = {
    "correlation": (0.0, 0.3),
    "rho": (0.2, 0.7),
    "variance": ("within-fold",),
}
"""Values of methods' own options that are tried besides the default; add those of your own."""


def cases(method: Method, seed: int = 0) -> list[Case]:
    """Return what a method is tried on.

    Parameters
    ----------
    method : Method
        Entry of the catalogue.
    seed : int, default 0
        Another seed gives other numbers.

    Returns
    -------
    list of Case
        Views of the method's type, unequal folds and split sizes among them, each with every known value of the
        method's options.

    Raises
    ------
    InvalidInputError
        If nothing is known about the method's view type.

    Examples
    --------
    >>> from errbar.methods import METHODS
    >>> from errbar.testing import cases
    >>> sorted({case.options.get("rho", "default") for case in cases(METHODS["kfold-t"])}, key=str)
    [0.2, 0.7, 'default']
    """
    if method.view not in VIEWS:
        raise InvalidInputError(
            f"method {method.key!r} sees a {method.view.__name__}, and errbar.testing.VIEWS has no entry for that"
        )
    choices: list[dict[str, Any]] = [{}]
    choices += [{name: value} for name in method.options for value in OPTION_VALUES.get(name, ())]
    views = list(VIEWS[method.view](method, np.random.default_rng([seed, len(method.key)])))
    return [Case(method, view, options) for view in views for options in choices]
