"""What the laws are tried on: views of every kind a method accepts, with every value of its options."""

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.random import Generator

from errbar._check import ALTERNATIVES
from errbar.errors import InvalidInputError
from errbar.methods import Method
from errbar.result import Result
from errbar.testing._views import VIEWS, Handling, columns_of, remade


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
        result: Result = self.method.function(self.view, **self.options, **request)
        return result

    @property
    def handling(self) -> Handling:
        """What is known about the type of view."""
        return VIEWS[type(self.view)]

    @property
    def has_losses(self) -> bool:
        """Whether the view holds real losses, which can be scaled and shifted; not so counts, ranks and errors 0 or 1."""
        return (
            self.handling.mapped is not None
            and self.method.loss != "zero-one"
            and not self.method.own_units
        )

    def mapped(self, change: Any) -> "Case":
        """Return the case with every loss changed by a function of arrays."""
        if self.handling.mapped is None:
            raise InvalidInputError(
                f"a {type(self.view).__name__} holds no losses that could be changed"
            )
        return replace(self, view=self.handling.mapped(self.view, change))

    def constant(self, value: float) -> "Case":
        """Return the case with all losses equal."""
        return self.mapped(lambda losses: np.full_like(losses, value))

    def swapped(self) -> "Case | None":
        """Return the case with both learners exchanged, where the view is about a difference."""
        if self.handling.mapped is not None and self.method.loss == "zero-one":
            return None
        if self.handling.swapped is None:
            return None if self.handling.mapped is None else self.mapped(np.negative)
        found = self.handling.swapped(self.view)
        return None if found is None else replace(self, view=found)

    def reordered(self, rng: Generator) -> "Case | None":
        """Return the case with the same numbers in another order."""
        if self.handling.reordered is None:
            return None
        return replace(self, view=self.handling.reordered(self.view, rng))

    def remade(self) -> "Case":
        """Return the case with a view made again from the same numbers."""
        return self.changed() if self.handling.mapped is None else self.mapped(np.copy)

    def changed(self, **columns: Any) -> "Case":
        """Return the case with other columns in its view."""
        return replace(self, view=remade(self.view, **columns))

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
        columns = columns_of(self.view)
        inside = ", ".join(f"{name}={_listed(c)}" for name, c in columns.items() if c is not None)
        return f"{type(self.view).__name__}({inside}){chosen}"


def _listed(column: Any) -> Any:
    return column.tolist() if isinstance(column, np.ndarray) else column


OPTION_VALUES: dict[str, tuple[Any, ...]] = {
    "bias_corrected": (True,),
    "bias_exponent": (1.5,),
    "binomial.kind": ("normal", "clopper-pearson", "agresti-coull", "jeffreys"),
    "bootstrap-auc.kind": ("basic", "bca", "normal"),
    "bootstrap.kind": ("basic", "bca", "normal"),
    "correction": ("none",),
    "correlation": (0.0, 0.3),
    "estimator": ("theta4", "theta5"),
    "factor": (0.5,),
    "floors": (False,),
    "horizon": (2, 3),
    "looks": (),
    "mcnemar.kind": ("mid-p", "chi2", "chi2-corrected"),
    "paired-proportions.kind": ("newcombe",),
    "pooled": (),
    "random": ("seeds", "examples"),
    "random_state": (7,),
    "reference": ("t",),
    "remove_monte_carlo": (True,),
    "resamples": (),
    "rho": (0.2, 0.7),
    "statistic": (np.median,),
    "rope": (0.02,),
    "seeds": ("shared",),
    "samples": (),
    "threshold": (0.9,),
    "wilcoxon.zeros": ("pratt",),
    "sign-test.zeros": ("split",),
    "law": ("normal",),
    "variance": ("within-fold",),
    "cv-t.variance": ("examples",),
    "diebold-mariano.variance": ("autocovariances", "cosines"),
    "weight": (0.0, 1.0),
}
"""Values of methods' own options that are tried besides the default, by name or by ``method.name``; add your own."""


QUICK = {"resamples": 299, "samples": 300}
"""Numbers of random draws with which the laws are tried, where a method draws."""


def option_values(method: Method, name: str) -> tuple[Any, ...]:
    """Return the values of an option that are tried besides its default."""
    return OPTION_VALUES.get(f"{method.key}.{name}", OPTION_VALUES.get(name, ()))


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
    quick = {name: count for name, count in QUICK.items() if name in method.options}
    tried = [{name: value} for name in method.options for value in option_values(method, name)]
    views = list(VIEWS[method.view].make(method, np.random.default_rng([seed, len(method.key)])))
    return [Case(method, view, quick | options) for view in views for options in ({}, *tried)]
