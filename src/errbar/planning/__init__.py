"""Planning: what the corrected resampled t can find, and the splits or examples that a difference needs.

The power functions take assumed numbers. `pilot` reads those numbers from a small study, `plan_study` answers all
questions at once, and `power_curve` is what `errbar.plots.power` draws.
"""

from errbar.planning._curve import PowerCurve, power_curve
from errbar.planning._pilot import Pilot, pilot
from errbar.planning._power import detectable_difference, power, smallest_examples, smallest_repeats
from errbar.planning._study import Prospect, Study, plan_study

__all__ = [
    "Pilot",
    "PowerCurve",
    "Prospect",
    "Study",
    "detectable_difference",
    "pilot",
    "plan_study",
    "power",
    "power_curve",
    "smallest_examples",
    "smallest_repeats",
]
