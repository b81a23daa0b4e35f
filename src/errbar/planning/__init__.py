"""Planning: what a study can find, and the splits, seeds, examples or clusters that a difference needs.

`pilot` reads from a small study what the variance of a mean is made of, or assume it:
`SplitComponents` for random splits, `CrossedComponents` for several seeds on the same examples,
`ClusterComponents` for examples in clusters. `plan_study` answers the rest.
"""

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
