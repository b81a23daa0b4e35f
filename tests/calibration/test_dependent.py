"""Coverage where examples come in clusters, have several seeds or answers, or follow each other in time."""

from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

REPLICATES, LEAST, MOST = 1000, 0.93, 0.97
SPEC = spec_from_file_location("dependent_coverage", Path(__file__).parents[2] / "benchmarks" / "dependent_coverage.py")
study = module_from_spec(SPEC)
SPEC.loader.exec_module(study)

# One of each kind; the others are alike and take long. The documentation has them all.
CELLS = [
    study.Seeds(3, 200, 0.05),
    study.Seeds(5, 1000, 0.15),
    study.Seeds(10, 200, 0.0),
    *(study.Clusters(name, sizes, "zero-one") for name, sizes in study.CLUSTERS.items()),
    study.Answers(20, 5, 3, 0.05),
    study.Answers(40, 5, 5, 0.15),
    study.GroupedFolds(30, 10),
    study.Forecasts(200, 1),
    study.Forecasts(500, 5),
    study.Judges(200, 2000),
]


@pytest.mark.slow
@pytest.mark.parametrize("cell", CELLS, ids=lambda cell: " ".join(cell.name))
def test_intervals_hold(cell):
    """Not those of the documentation: the seeds are others."""
    held = np.array([study.one((cell, [77, k]))[:2] for k in range(REPLICATES)]).sum(axis=0)
    assert (held >= stats.binom.ppf(0.001, REPLICATES, LEAST)).all()
    assert (held <= stats.binom.ppf(0.999, REPLICATES, MOST)).all()
