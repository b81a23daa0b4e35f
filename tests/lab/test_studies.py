"""What all studies share: the options of a run, and the form of what they return."""

import inspect
from dataclasses import replace

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression

import errbar_lab as lab
from errbar_lab._replicates import SimulationOptions, with_root
from errbar_lab._summary import MeanInterval, mean_interval, plain
from tests.refusals import refused

pytestmark = pytest.mark.long

X = np.random.default_rng(0).normal(size=(400, 16))
LETTERS = lab.FinitePopulation(X, X[:, 0] > 0)
GAUSSIAN = lab.GaussianRegression(features=2, relevant=1)
SQUARES = {"least squares": LinearRegression()}
STUDIES = {
    lab.figure1: (LETTERS,),
    lab.habitat: (GAUSSIAN, SQUARES),
    lab.table1: (GAUSSIAN, SQUARES),
    lab.table2: (LETTERS,),
    lab.coverage: (),
    lab.calibrate: (X[:, :2], X[:, 0], SQUARES),
}


@pytest.mark.parametrize("study", STUDIES, ids=lambda study: study.__name__)
def test_a_keyword_that_no_run_has_is_refused_at_once(study):
    with pytest.raises(TypeError):
        study(*STUDIES[study], jobs=2)


@pytest.mark.parametrize("function", [lab.expected_risks, lab.moments])
def test_other_functions_that_run_refuse_it_too(function):
    with pytest.raises(TypeError):
        function(lab.Scenario(lab.Friedman1(), 20, SQUARES), jobs=2)


def test_the_options_of_a_run_are_those_of_simulate():
    taken = inspect.signature(lab.simulate).parameters
    assert list(SimulationOptions.__annotations__) == list(taken)[-5:]


def test_a_root_is_drawn_once():
    rng = np.random.default_rng(1)
    how = with_root({"random_state": rng, "n_jobs": 2})
    assert how == with_root(how)
    assert how["random_state"] == np.random.default_rng(1).integers(0, 2**63 - 1)
    assert with_root({}) == {"random_state": 0}


@pytest.mark.parametrize("n", [41, 43])
def test_figure1_takes_even_sizes_only(n):
    """Two folds of an odd number of examples have different training sizes, and neither is that of the others."""
    with refused("n"):
        lab.figure1(LETTERS, n=n)


def test_plain_data_have_no_arrays_no_tuples_and_nothing_that_json_lacks():
    values = {
        "mean": MeanInterval(1.0, float("-inf"), float("nan")),
        "curve": np.array([0.5, np.inf]),
        "sizes": (1, 2),
    }
    assert plain(values) == {
        "mean": {"value": 1.0, "low": None, "high": None},
        "curve": [0.5, None],
        "sizes": [1, 2],
    }


def test_the_interval_of_a_mean_is_the_textbook_one():
    found = mean_interval(np.array([1.0, 2.0, 3.0, 6.0]))
    assert found.value == 3.0
    assert found.high - found.value == pytest.approx(1.959963984540054 * np.sqrt(14.0 / 3.0) / 2.0)
    assert found.value - found.low == pytest.approx(found.high - found.value)


def test_performances_say_whether_a_method_is_liberal():
    verdicts, more = [], []
    for covered in (150, 190, 200, 184):
        scenario = lab.Scenario(GAUSSIAN, 20, SQUARES)
        [outcomes] = lab.simulate(scenario, ["holdout-t"], replicates=200)
        low = np.where(np.arange(200) < covered, -1e6, 1e5)
        moved = replace(outcomes, low=low, high=np.full(200, 1e6))
        truths = {
            scenario.name: lab.expected_risks(
                scenario, [outcomes.training_size], draws=2, test_examples=10
            )
        }
        [found] = lab.judge([moved], truths)
        assert found.coverage.count == covered
        verdicts.append(found.verdict)
        more.append(found.more)
    assert verdicts == ["liberal", "undecided", "conservative", "undecided"]
    # At 95 % two points above the level less two points, 626 would tell; at 92 % one below it, 2501.
    assert more == [0.0, 626 - 200, 0.0, 2501 - 200]
