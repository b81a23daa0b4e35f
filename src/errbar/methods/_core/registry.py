"""The catalogue: what each method declares about itself, and from which everything else is derived."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from errbar import _check
from errbar._references import REFERENCES
from errbar.errors import InvalidInputError
from errbar.plans import Plan
from errbar.result import Estimand, Result
from errbar.views import PointLosses, View

COMMON_OPTIONS = ("level", "null", "alternative")
Function = TypeVar("Function", bound=Callable[..., Result])


@dataclass(frozen=True)
class Method:
    """One entry of the catalogue.

    Attributes
    ----------
    key : str
        Name on the command line and in ``method=``.
    function : callable
        The method itself.
    view : type
        What it sees of a table: the annotation of its first parameter.
    plans : tuple of str
        Kinds of plan it is made for, the natural one first.
    default_plan : Plan
        Plan used when none is given.
    estimand : Estimand
        What it estimates.
    claim : str
        What it says, in words.
    formula : str
        Its standard error or statistic, in plain text.
    fits : str
        Cost in fits per learner, in words.
    references : tuple of str
        Keys of the literature.
    once : bool
        Whether it takes a single partition only.
    naive : bool
        Whether it ignores the correlation between splits and is kept for study.
    """

    key: str
    function: Callable[..., Result]
    view: type[View]
    plans: tuple[str, ...]
    default_plan: Plan
    estimand: Estimand
    claim: str
    formula: str
    fits: str
    references: tuple[str, ...]
    once: bool = False
    naive: bool = False

    @property
    def options(self) -> dict[str, Any]:
        """Options of its own, with their defaults."""
        parameters = list(inspect.signature(self.function).parameters.values())[1:]
        return {p.name: p.default for p in parameters if p.name not in COMMON_OPTIONS}

    @property
    def pointwise(self) -> bool:
        """Whether it needs one loss per example."""
        return self.view is PointLosses

    @property
    def summary(self) -> str:
        """First line of its documentation."""
        return (inspect.getdoc(self.function) or "").partition("\n")[0].rstrip(".")

    def check_options(self, options: dict[str, Any]) -> None:
        """Raise if an option is not one of the method's own."""
        for name in options:
            if name not in self.options:
                allowed = ", ".join(f"`{known}`" for known in self.options) or "none"
                raise InvalidInputError(f"method {self.key!r} has no option `{name}`; its own options are: {allowed}")


METHODS: dict[str, Method] = {}


def register(
    key: str,
    *,
    plans: tuple[str, ...],
    default_plan: Plan,
    estimand: Estimand,
    claim: str,
    formula: str,
    fits: str,
    references: tuple[str, ...],
    once: bool = False,
    naive: bool = False,
) -> Callable[[Function], Function]:
    """Enter the decorated function into the catalogue. The parameters are the attributes of `Method`."""

    def enter(function: Function) -> Function:
        view = next(iter(inspect.signature(function).parameters.values())).annotation
        unknown = [cited for cited in references if cited not in REFERENCES]
        if key in METHODS or unknown:
            raise InvalidInputError(f"method {key!r} is registered twice or cites unknown references {unknown}")
        METHODS[key] = Method(
            key, function, view, plans, default_plan, estimand, claim, formula, fits, references, once, naive
        )
        return function

    return enter


def lookup(key: str) -> Method:
    """Return the method of a key, or of a function name.

    Parameters
    ----------
    key : str
        Such as ``"corrected-t"``.

    Returns
    -------
    Method
        The entry of the catalogue.

    Raises
    ------
    InvalidInputError
        If there is no such method; the message lists all and the nearest.
    """
    by_name = {method.function.__name__: method.key for method in METHODS.values()}
    if isinstance(key, str) and key in by_name:
        return METHODS[by_name[key]]
    return METHODS[_check.choice(key, METHODS, "method")]
