"""Planning: what a study can find, and the splits, seeds, examples or clusters that a difference needs.

The power functions of the corrected resampled t take assumed numbers. `pilot` reads those numbers from a small study,
`plan_study` answers all questions at once, and `power_curve` is what `errbar.plots.curves` draws. For several seeds on the same
examples, and for examples in clusters, `crossed_components` and `cluster_components` read a pilot, and `plan_crossed` and
`plan_clusters` say what to buy next.
"""

from errbar.planning._components import ClusterComponents, CrossedComponents
from errbar.planning._curve import PowerCurve, power_curve
from errbar.planning._design_study import DesignProspect, DesignStudy, Purchase
from errbar.planning._designs import plan_clusters, plan_crossed
from errbar.planning._from_losses import cluster_components, crossed_components
from errbar.planning._pilot import Pilot, pilot
from errbar.planning._power import detectable_difference, power, smallest_examples, smallest_repeats
from errbar.planning._study import Prospect, Study, plan_study

__all__ = [
    "ClusterComponents",
    "CrossedComponents",
    "DesignProspect",
    "DesignStudy",
    "Pilot",
    "PowerCurve",
    "Prospect",
    "Purchase",
    "Study",
    "cluster_components",
    "crossed_components",
    "detectable_difference",
    "pilot",
    "plan_clusters",
    "plan_crossed",
    "plan_study",
    "power",
    "power_curve",
    "smallest_examples",
    "smallest_repeats",
]
