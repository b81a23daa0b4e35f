"""Several learners at once: which pairs are compared, what that does to intervals and p-values, and who may be the best."""

from errbar.families._adjust import (
    ADJUSTMENTS,
    JOINT,
    adjust,
    check_adjustment as check_adjustment,
    pairs_of,
)
from errbar.families._best import Best, best
from errbar.families._confidence_set import ConfidenceSet, confidence_set
from errbar.families._correlation import Spread, shrunk
from errbar.families._max_t import Family, max_t
from errbar.families._maximum import Maximum

__all__ = [
    "ADJUSTMENTS",
    "JOINT",
    "Best",
    "ConfidenceSet",
    "Family",
    "Maximum",
    "Spread",
    "adjust",
    "best",
    "confidence_set",
    "max_t",
    "pairs_of",
    "shrunk",
]
