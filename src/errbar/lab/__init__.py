"""The laboratory: simulation studies of methods on populations whose truth is known."""

from typing import Any

from errbar.lab._moments import Moments, MomentValues, moments
from errbar.lab._scenario import Analysis, Scenario
from errbar.lab._simulation import Outcomes, Simulation, simulate
from errbar.lab._summary import Performance, Proportion, Ratio, judge, power, proportion, variance_ratio
from errbar.lab._truth import ExpectedRisk, expected_risks
from errbar.lab.loaders import binary_covertype, binary_letter, load_covertype, load_letter
from errbar.lab.populations import (
    FinitePopulation,
    Friedman1,
    GaussianClassification,
    GaussianRegression,
    Population,
    Sample,
)
from errbar.lab.studies import (
    PROBLEMS,
    Calibration,
    Check,
    CoverageStudy,
    Curve,
    Figure1,
    Habitat,
    Problem,
    Recommendation,
    Row,
    Table1,
    Table2,
    VarianceRatio,
    calibrate,
    coverage,
    every_method,
    figure1,
    habitat,
    problem,
    table1,
    table2,
)

# Their kernels are compiled, so that the package for that is imported when one of them is asked for.
_LEARNERS = ("DistortedNearestNeighbour", "GiniTree", "LeastSquares", "SplusTree")

__all__ = [
    "PROBLEMS",
    "Analysis",
    "Calibration",
    "Check",
    "CoverageStudy",
    "Curve",
    "DistortedNearestNeighbour",
    "ExpectedRisk",
    "Figure1",
    "FinitePopulation",
    "Friedman1",
    "GaussianClassification",
    "GaussianRegression",
    "GiniTree",
    "Habitat",
    "LeastSquares",
    "MomentValues",
    "Moments",
    "Outcomes",
    "Performance",
    "Population",
    "Problem",
    "Proportion",
    "Ratio",
    "Recommendation",
    "Row",
    "Sample",
    "Scenario",
    "Simulation",
    "SplusTree",
    "Table1",
    "Table2",
    "VarianceRatio",
    "binary_covertype",
    "binary_letter",
    "calibrate",
    "coverage",
    "every_method",
    "expected_risks",
    "figure1",
    "habitat",
    "judge",
    "load_covertype",
    "load_letter",
    "moments",
    "power",
    "problem",
    "proportion",
    "simulate",
    "table1",
    "table2",
    "variance_ratio",
]


def __getattr__(name: str) -> Any:
    if name in _LEARNERS:
        from errbar.lab import learners

        return getattr(learners, name)
    raise AttributeError(f"module 'errbar.lab' has no attribute {name!r}")
