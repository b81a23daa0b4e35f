"""Expected risks, which methods are judged against: in closed form, or from many independent training sets."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from errbar import _check, _rng
from errbar._check import FloatArray
from errbar.errors import InvalidInputError
from errbar_lab import _risk
from errbar_lab._replicates import Experiment, SimulationOptions, replicates
from errbar_lab._scenario import Scenario, data_stream, drawn
from errbar_lab._simulation import Simulation
from errbar_lab.populations import Population

__all__ = ["ExpectedRisk", "expected_risks"]

DRAWS = 4000
TEST_EXAMPLES = 2000


class _Drawn(Experiment):
    """The experiment behind an expected risk: train on one data set, test on other examples."""

    def replicate(self, base: int, number: int) -> dict[str, NDArray[Any]]:
        """Return the mean loss of every learner."""
        rng = data_stream(_rng.seed(base, "truth"), self.population, self.n, number)
        sample, test = drawn(self.population, self.n, self.test_examples, rng)
        assert test is not None
        seed = _rng.seed(base, "truth", self.n, number)
        return {"risks": _risk.risks(self.population, self.learners, self.loss, sample, test, seed)}


@dataclass(frozen=True, eq=False)
class ExpectedRisk:
    """Expected risks of learners at one training size.

    Attributes
    ----------
    n_train : int
        Training size.
    learners : tuple of str
        Names.
    values : ndarray, shape (learners,)
        Expected risks.
    covariance : ndarray, shape (learners, learners)
        Monte-Carlo covariance of the values; zeros where they are exact.
    draws : int
        Independent training sets; 0 where the values are exact.
    """

    n_train: int
    learners: tuple[str, ...]
    values: FloatArray
    covariance: FloatArray
    draws: int

    def of(self, learner: str, minus: str | None = None) -> tuple[float, float]:
        """Return the expected risk of a learner, or the difference of two, and its Monte-Carlo standard error."""
        weights = np.zeros(len(self.learners))
        weights[self._position(learner)] += 1.0
        if minus is not None:
            weights[self._position(minus)] -= 1.0
        return float(weights @ self.values), math.sqrt(
            max(0.0, float(weights @ self.covariance @ weights))
        )

    def _position(self, learner: str) -> int:
        return self.learners.index(_check.choice(learner, self.learners, "learner"))


def expected_risks(
    scenario: Scenario,
    sizes: Sequence[int] | None = None,
    *,
    draws: int = DRAWS,
    test_examples: int = TEST_EXAMPLES,
    **how: Unpack[SimulationOptions],
) -> dict[int, ExpectedRisk]:
    r"""Return the expected risks ER(n1) of the learners of a scenario at several training sizes.

    Each is the mean over many independent training sets of size n1 of the mean loss on other examples of the
    population. Learners share training sets and test examples, so differences are sharper than the values themselves.
    Where a closed form is known, as for least squares on Gaussian data, that is returned.

    Parameters
    ----------
    scenario : Scenario
        Population and learners.
    sizes : sequence of int, optional
        Training sizes; by default that of the scenario.
    draws : int, default 4000
        Independent training sets of each size.
    test_examples : int, default 2000
        Test examples of each; a finite population without replacement may have fewer left, and gives those.
    **how
        `random_state`, `n_jobs`, `store`, `executor` and `progress`, as for `simulate`.

    Returns
    -------
    dict of int to ExpectedRisk
        By training size.

    Examples
    --------
    >>> from sklearn.linear_model import LinearRegression
    >>> import errbar_lab as lab
    >>> scenario = lab.Scenario(lab.GaussianRegression(), 100, {"least squares": LinearRegression()})
    >>> value, error = lab.expected_risks(scenario)[100].of("least squares")
    >>> round(value, 4), error
    (1.269, 0.0)
    """
    count = _check.count(draws, "draws", 2)
    wanted = [
        _check.count(int(size), "sizes", 2) for size in ([scenario.n] if sizes is None else sizes)
    ]
    names, known = tuple(scenario.learners), {}
    for size in wanted:
        value = _risk.expected(scenario.population, scenario.learners, scenario.resolved_loss, size)
        if value is not None:
            nothing = np.zeros((len(names), len(names)))
            known[size] = ExpectedRisk(size, names, np.full(len(names), value), nothing, 0)
    experiments = [_drawn(scenario, size, test_examples) for size in wanted if size not in known]
    found = replicates(experiments, count, **how)
    for experiment, arrays in zip(experiments, found, strict=True):
        values = arrays["risks"]
        covariance = np.atleast_2d(np.cov(values, rowvar=False)) / count
        known[experiment.n] = ExpectedRisk(
            experiment.n, names, values.mean(axis=0), covariance, count
        )
    return {size: known[size] for size in wanted}


def expected_risks_of(found: Simulation, **options: Any) -> dict[str, dict[int, ExpectedRisk]]:
    """Return what a simulation is judged against: by scenario, the risks at the size of its data sets and of its methods.

    Parameters
    ----------
    found : Simulation
        Its methods have one training size each.
    **options
        As for `expected_risks`.
    """
    return {
        run.scenario.name: expected_risks(
            run.scenario,
            sorted({one.training_size for one in Simulation((run,))} | {run.scenario.n}),
            **options,
        )
        for run in found.runs
    }


def _drawn(scenario: Scenario, n: int, test_examples: int) -> _Drawn:
    tests = min(_check.count(test_examples, "test_examples"), _left(scenario.population, n))
    digest = scenario.digest("truth", n, tests, *scenario.exact)
    return _Drawn.of(
        scenario, digest, name=f"risk at {n} of {scenario.name}", n=n, test_examples=tests
    )


def _left(population: Population, n: int) -> int:
    """Return how many test examples a population has left when a data set of n is drawn."""
    size = getattr(population, "size", None)
    if size is None or getattr(population, "replacement", False):
        return 2**31
    if n >= size:
        raise InvalidInputError(
            f"the population {population.name!r} has {size} examples, too few to train on {n} and to test"
        )
    return int(size) - n
