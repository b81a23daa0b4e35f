"""Planning: what a study can find, and the splits, seeds, examples or clusters that a difference needs."""

from errbar.planning._components import ClusterComponents, CrossedComponents, SplitComponents
from errbar.planning._pilot import pilot
from errbar.planning._study import Prospect, Study, plan_study

__all__ = [
    "ClusterComponents",
    "CrossedComponents",
    "Prospect",
    "SplitComponents",
    "Study",
    "pilot",
    "plan_study",
]
