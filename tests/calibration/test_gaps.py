"""Sizes of tests where learners lack numbers by chance, and of few independent runs."""

from itertools import product

import numpy as np
import pytest
from scipy import stats

from tests.scripts import loaded

pytestmark = [pytest.mark.long, pytest.mark.slow]

TABLES, PAIRS = 300, 1500
study = loaded("benchmarks/gaps.py")


@pytest.mark.parametrize(
    ("kind", "share"), [cell[:2] for cell in study.cells_of_gaps() if cell[2] == "by chance"]
)
def test_pairs_on_what_both_have(kind, share):
    """Not those of the documentation: the seeds are others."""
    found = study.rates_of_gaps(kind, share, "by chance", TABLES, 77)
    counts = np.round(np.array(found) / 100.0 * TABLES)
    assert (counts <= stats.binom.ppf(0.9999, TABLES, 0.06)).all()
    assert counts[0] >= stats.binom.ppf(0.0001, TABLES, 0.03)


@pytest.mark.parametrize(("counts", "ratio"), [*product(study.RUNS, study.RATIOS)])
def test_runs_with_normal_numbers(counts, ratio):
    """Unequal numbers of few runs miss 5 % by no more than two per cent, as the documentation says."""
    wrong = study.size_of_welch("normal", counts, ratio, PAIRS, 77) / 100.0 * PAIRS
    assert wrong >= stats.binom.ppf(0.0001, PAIRS, 0.03)
    assert wrong <= stats.binom.ppf(0.9999, PAIRS, 0.07)


@pytest.mark.parametrize("ratio", study.RATIOS)
def test_families_of_runs(ratio):
    found = study.rates_of_runs("normal", ratio, TABLES, 77)
    counts = np.round(np.array(found) / 100.0 * TABLES)
    assert (counts <= stats.binom.ppf(0.9999, TABLES, 0.07)).all()
