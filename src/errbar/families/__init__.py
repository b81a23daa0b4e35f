"""Several learners at once: which pairs are compared, what that does to intervals and p-values, and who may be the best."""

from typing import TYPE_CHECKING

from errbar._lazy import names_of

if TYPE_CHECKING:
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

_HOMES = {
    "_adjust": ("ADJUSTMENTS", "JOINT", "adjust", "check_adjustment", "pairs_of"),
    "_best": ("Best", "best"),
    "_confidence_set": ("ConfidenceSet", "confidence_set"),
    "_correlation": ("Spread", "shrunk"),
    "_max_t": ("Family", "max_t"),
    "_maximum": ("Maximum",),
}

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

__getattr__ = names_of(__name__, _HOMES)
