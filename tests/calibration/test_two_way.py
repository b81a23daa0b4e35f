"""How often equal learners are called different, of series by dates that share shocks."""

import pytest
from scipy import stats

from tests.scripts import loaded

pytestmark = pytest.mark.long

DATA_SETS = 1000
study = loaded("benchmarks/two_way.py")


@pytest.mark.slow
@pytest.mark.parametrize("cell", study.cells(), ids=lambda cell: cell.name)
def test_sizes(cell):
    """Not those of the documentation: the seeds are others."""
    found = study.rejected(cell, [77, study.cells().index(cell)], DATA_SETS)
    rejected = dict(zip(study.METHODS, found, strict=True))
    lasts = "lasting" in cell.shared or cell.horizon > 1
    # Shocks that last are more than so few dates can tell; the guide has the numbers.
    assert rejected["two-way-t"] <= stats.binom.ppf(0.999, DATA_SETS, 0.12 if lasts else 0.06)
    if not lasts:
        assert rejected["two-way-t"] >= stats.binom.ppf(0.001, DATA_SETS, 0.02)
        assert rejected["horizon"] <= stats.binom.ppf(0.999, DATA_SETS, 0.06)
        assert rejected["horizon"] >= stats.binom.ppf(0.001, DATA_SETS, 0.04)
