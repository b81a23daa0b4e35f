"""The laboratory: simulation studies of methods on populations whose truth is known."""

from typing import Any

from errbar.lab import populations, studies
from errbar.lab._moments import Moments, MomentValues, moments
from errbar.lab._scenario import Analysis, Scenario
from errbar.lab._simulation import Outcomes, Simulation, simulate
from errbar.lab._summary import Performance, Proportion, Ratio, judge, power, proportion, variance_ratio
from errbar.lab._truth import ExpectedRisk, expected_risks
from errbar.lab.loaders import binary_covertype, binary_letter, load_covertype, load_letter
from errbar.lab.populations import *  # noqa: F403 - their lists of public names stand there
from errbar.lab.studies import *  # noqa: F403

__all__ = [
    "Analysis",
    "ExpectedRisk",
    "MomentValues",
    "Moments",
    "Outcomes",
    "Performance",
    "Proportion",
    "Ratio",
    "Scenario",
    "Simulation",
    "binary_covertype",
    "binary_letter",
    "expected_risks",
    "judge",
    "load_covertype",
    "load_letter",
    "moments",
    "power",
    "proportion",
    "simulate",
    "variance_ratio",
]
__all__ += populations.__all__
__all__ += studies.__all__
# Their kernels are compiled, so that the package for that is imported when one of them is asked for.
__all__ += ["DistortedNearestNeighbour", "GiniTree", "LeastSquares", "SplusTree"]  # noqa: F405


def __getattr__(name: str) -> Any:
    if name in __all__:
        from errbar.lab import learners

        return getattr(learners, name)
    raise AttributeError(f"module 'errbar.lab' has no attribute {name!r}")
