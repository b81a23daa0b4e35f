"""The laboratory: simulation studies of methods on populations whose truth is known."""

from errbar._lazy import names_of

_MODULES = ("plots",)

# Names are looked up on first use: help comes at once, and kernels are compiled only where a learner needs them.
_HOMES = {
    "_atlas": ("atlas", "read_atlas"),
    "_experiment": ("Analysis", "ExpectedRisk", "Experiment", "Problem", "expected_risks"),
    "_study": ("Study",),
    "_summary": ("Interval", "Performance", "Proportion", "summary"),
    "learners": ("DistortedNearestNeighbour", "GiniTree", "SplusTree"),
    "loaders": ("binary_covertype", "binary_letter", "load_covertype", "load_letter"),
    "populations": (
        "FinitePopulation",
        "Friedman1",
        "GaussianClassification",
        "GaussianRegression",
        "Population",
        "Sample",
    ),
    "studies.coverage": ("calibrate", "coverage"),
    "studies.figure1": ("figure1",),
    "studies.habitat": ("habitat",),
    "studies.problems": ("PROBLEMS", "problem"),
    "studies.table1": ("table1",),
    "studies.table2": ("table2",),
}

__all__ = sorted({*_MODULES, *(name for own in _HOMES.values() for name in own)})  # noqa: PLE0605 - the names stand in one place
__getattr__ = names_of(__name__, _HOMES, _MODULES)
