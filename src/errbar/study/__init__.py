"""Evaluate one learner, compare several: plan, run and answer in one call."""

from errbar._pairs import Pair
from errbar.comparison import DEFAULTS as DEFAULTS
from errbar.study._answers import NAIVE as NAIVE, Comparison, compare_table
from errbar.study._default_plan import default_plan as default_plan
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
