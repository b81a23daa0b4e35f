"""The coverage that the package quotes, made again with fewer data sets, and compared with what theory knows."""

import math

import pytest
from scipy import stats

import errbar_lab as lab
from errbar.methods import METHODS, evidence
from tests.bands import binomial_band

pytestmark = pytest.mark.long


def recorded(method, n, target):
    [row] = [row for row in evidence.of(method) if (row.n, row.target) == (n, target)]
    return row


def test_every_figure_belongs_to_a_method_and_is_possible():
    rows = [row for key in METHODS for row in evidence.of(key)]
    assert len(rows) == 18 * 2 * 3
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
def test_a_smaller_run_agrees_with_what_was_recorded():
    found = lab.coverage(n=[100], replicates=200, random_state=1, n_jobs=2)
    for row in found.records:
        before = recorded(row["method"], 100, row["target"])
        table = [
            [row["covered"], 200 - row["covered"]],
            [before.covered, before.replicates - before.covered],
        ]
        assert stats.fisher_exact(table).pvalue > 1e-6
        assert abs(row["bias"]) < 5 * row["bias_error"]
    [check] = found.content["checks"]
    assert round(check["expected"], 4) == 1.2690
    assert abs(check["deviation"]) < 5


@pytest.mark.slow
def test_the_risks_of_the_models_average_to_the_formula():
    problem = lab.problem("gaussian-regression-20")
    experiment = lab.Experiment([problem], [100], ["holdout-t"], about=["R"])
    risks = experiment.run(4000, test_examples=1, random_state=2, n_jobs=2)["R"]
    assert abs(risks.mean() - 1.26896) < 4.5 * risks.std(ddof=1) / math.sqrt(risks.size)
