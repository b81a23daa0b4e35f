"""The laboratory: simulation studies of methods on populations whose truth is known."""

from errbar._lazy import names_of

_MODULES = ("learners", "loaders", "plots", "populations", "studies")

# Names are looked up on first use: help comes at once, and kernels are compiled only where a learner needs them.
_HOMES = {
    "_atlas": ("Atlas", "atlas"),
    "_moments": ("MomentValues", "Moments", "moments"),
    "_scenario": ("Analysis", "Scenario"),
    "_simulation": ("Outcomes", "Simulation", "simulate"),
    "_summary": (
        "Performance",
        "Proportion",
        "Ratio",
        "judge",
        "power",
        "proportion",
        "variance_ratio",
    ),
    "_truth": ("ExpectedRisk", "expected_risks"),
    "learners": ("DistortedNearestNeighbour", "GiniTree", "LeastSquares", "SplusTree"),
    "loaders": ("binary_covertype", "binary_letter", "load_covertype", "load_letter"),
    "populations": (
        "FinitePopulation",
        "Friedman1",
        "GaussianClassification",
        "GaussianRegression",
        "Population",
        "Sample",
    ),
    "studies": (
        "PROBLEMS",
        "Calibration",
        "Check",
        "CoverageStudy",
        "Curve",
        "Figure1",
        "Habitat",
        "Problem",
        "Recommendation",
        "Row",
        "Table1",
        "Table2",
        "VarianceRatio",
        "calibrate",
        "coverage",
        "every_method",
        "figure1",
        "habitat",
        "problem",
        "table1",
        "table2",
    ),
}

__all__ = sorted({*_MODULES, *(name for own in _HOMES.values() for name in own)})  # noqa: PLE0605 - the names stand in one place
__getattr__ = names_of(__name__, _HOMES, _MODULES)
