"""Evaluate one learner, compare several: plan, run and answer in one call."""

from typing import TYPE_CHECKING, Any

from errbar._pairs import Pair
from errbar.comparison import DEFAULTS as DEFAULTS
from errbar.study._answers import NAIVE as NAIVE, Comparison, compare_table
from errbar.study._default_plan import default_plan as default_plan

if TYPE_CHECKING:
    from errbar.study._runs import compare, compare_all, evaluate
    from errbar.study._several import Comparisons

__all__ = [
    "Comparison",
    "Comparisons",
    "Pair",
    "compare",
    "compare_all",
    "compare_table",
    "evaluate",
]


def __getattr__(name: str) -> Any:
    """Return what fits learners, or shows several comparisons; it is loaded when it is first asked for."""
    if name == "Comparisons":
        from errbar.study._several import Comparisons

        return Comparisons
    if name in ("compare", "compare_all", "evaluate"):
        from errbar.study import _runs

        return getattr(_runs, name)
    raise AttributeError(f"module 'errbar.study' has no attribute {name!r}")
