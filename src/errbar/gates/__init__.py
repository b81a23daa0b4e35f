"""Gates: a sentence such as ``new worse-than old by 0.01`` that a comparison passes or fails, or ``f1 below 0.7`` of one learner."""

from errbar.gates._asked import Verdict
from errbar.gates._gate import CLAIMS, Gate
from errbar.gates._threshold import SIDES, Threshold

__all__ = ["CLAIMS", "SIDES", "Gate", "Threshold", "Verdict"]
