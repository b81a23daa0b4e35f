"""The coverage that the package quotes, made again with fewer data sets, and compared with what theory knows."""

import importlib.util
import math
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from errbar.methods import METHODS, evidence
from errbar.testing import binomial_band

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "coverage.py"


@pytest.fixture(scope="module")
def coverage():
    spec = importlib.util.spec_from_file_location("coverage_script", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def recorded(method, n, target):
    [row] = [row for row in evidence.of(method) if (row.n, row.target) == (n, target)]
    return row


def test_expected_risks_are_those_of_the_literature(coverage):
    assert round(coverage.expected_risk(100), 4) == 1.2690
    assert round(coverage.expected_risk(500), 4) == 1.0439


def test_every_figure_belongs_to_a_method_and_is_possible():
    rows = [row for key in METHODS for row in evidence.of(key)]
    assert len(rows) == 5 * 2 * 3
    assert all(0 < row.covered <= row.replicates == 2000 and row.width > 0 for row in rows)


@pytest.mark.parametrize("n", [100, 500])
def test_what_was_recorded_tells_the_story_of_theory(n):
    """Nested folds hold R and ER(n) as often as they should; the conservative Z more often; the Wald interval, which
    speaks of the fold models, falls short of ER where they differ."""
    low, high = binomial_band(2000, 0.95)
    assert low <= recorded("nested-cv", n, "R").covered <= high
    assert low <= recorded("nested-cv", n, "ER(n)").covered <= high
    assert recorded("conservative-z", n, "ER(n1)").covered > high - 60
    assert recorded("cv-wald", n, "ER(n)").covered < recorded("nested-cv", n, "ER(n)").covered
    assert recorded("corrected-t", n, "ER(n1)").coverage > 0.9
    assert recorded("holdout-t", n, "ER(n1)").coverage < recorded("nested-cv", n, "ER(n1)").coverage


@pytest.mark.slow
def test_a_smaller_run_agrees_with_what_was_recorded(coverage):
    replicates = 200
    found = coverage.simulate(100, replicates, seed=1, jobs=2)
    risks = np.array([risk for risk, _ in found])
    assert abs(risks.mean() - coverage.expected_risk(100)) < 5 * risks.std(ddof=1) / math.sqrt(replicates)
    for row in coverage.rows_of(100, found):
        before = recorded(row["method"], 100, row["target"])
        table = [[row["covered"], replicates - row["covered"]], [before.covered, before.replicates - before.covered]]
        assert stats.fisher_exact(table).pvalue > 1e-6
        assert abs(row["bias"]) < 5 * row["bias_error"]
