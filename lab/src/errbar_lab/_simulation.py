"""Simulations: the results of methods in independent replicates of scenarios."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errbar import _check, _rng
from errbar._check import FloatArray
from errbar.errors import InvalidInputError
from errbar.fits import Progress
from errbar.methods._core.infer import require_loss
from errbar.methods._core.registry import lookup
from errbar.plans import draw
from errbar_lab._replicates import replicates as run_replicates
from errbar_lab._scenario import (
    COLUMNS,
    Analysis,
    Procedure,
    Scenario,
    Target,
    joined,
    simulated,
    target_name,
)

__all__ = ["Outcomes", "Simulation", "simulate"]


@dataclass(frozen=True, eq=False)
class Outcomes:
    """The results of one method about one target, in every replicate of a scenario.

    Attributes
    ----------
    scenario, method : str
        Names.
    learner, minus : str
        The target; `minus` is None for a single learner.
    n : int
        Examples in a data set.
    level : float
        Confidence level of the intervals.
    estimate, se, df, statistic, pvalue, low, high, n_train : ndarray, shape (replicates,)
        Of the results; `df` is NaN where the reference distribution has none.
    risk : ndarray, shape (replicates,), or None
        Risk of the model trained on the whole data set, or the difference of two, where it was asked for.
    """

    scenario: str
    method: str
    learner: str
    minus: str | None
    n: int
    level: float
    estimate: FloatArray
    se: FloatArray
    df: FloatArray
    statistic: FloatArray
    pvalue: FloatArray
    low: FloatArray
    high: FloatArray
    n_train: FloatArray
    risk: FloatArray | None = None

    @property
    def target(self) -> str:
        """The target in words."""
        return target_name(self.learner, self.minus)

    @property
    def training_size(self) -> int:
        """Training size of the estimand, rounded."""
        return round(float(self.n_train.mean()))

    def rejects(self, null: float | FloatArray) -> NDArray[np.bool_]:
        """Return in which replicates a hypothetical value, or each replicate's own, lies outside of the interval."""
        return np.asarray((self.low > null) | (self.high < null))


@dataclass(frozen=True, eq=False)
class Run:
    """The replicates of one scenario."""

    scenario: Scenario
    procedures: tuple[Procedure, ...]
    targets: tuple[Target, ...]
    level: float
    results: FloatArray
    risks: FloatArray | None


@dataclass(frozen=True, eq=False)
class Simulation:
    """The results of all methods in all replicates of all scenarios.

    Attributes
    ----------
    runs : tuple of Run
        One per scenario.
    """

    runs: tuple[Run, ...]

    def __repr__(self) -> str:
        """Return the shape in words."""
        first = self.runs[0]
        return f"Simulation({len(self.runs)} scenarios, {len(first.procedures)} methods, {first.results.shape[0]} replicates)"

    def __iter__(self) -> Iterator[Outcomes]:
        """Yield the results of each method about each target of each scenario."""
        for run in self.runs:
            for i, procedure in enumerate(run.procedures):
                for j, target in enumerate(run.targets):
                    if procedure.applies_to(target):
                        yield _outcomes(run, i, j)

    def about(self, learner: str, minus: str | None = None) -> list[Outcomes]:
        """Return the results of every method about one target, in the order of scenarios and methods.

        Parameters
        ----------
        learner, minus : str
            Names; `minus` is None for a single learner.
        """
        return [found for found in self if (found.learner, found.minus) == (learner, minus)]

    def select(
        self, method: str, learner: str, minus: str | None = None, scenario: str | None = None
    ) -> Outcomes:
        """Return the results of one method about one target.

        Parameters
        ----------
        method, learner, minus, scenario : str
            Names; the scenario may be left out where there is one only.

        Raises
        ------
        InvalidInputError
            If there is no such outcome.
        """
        asked = self.runs[0].scenario.name if scenario is None and len(self.runs) == 1 else scenario
        for found in self:
            if (found.scenario, found.method, found.learner, found.minus) == (
                asked,
                method,
                learner,
                minus,
            ):
                return found
        raise InvalidInputError(
            f"there is no method {method!r} about {learner!r} minus {minus!r} in scenario {asked!r} of this simulation"
        )

    def to_frame(self) -> Any:
        """Return a pandas frame with one row per scenario, method, target and replicate."""
        pandas = _check.package("pandas", "app")
        columns = ("scenario", "method", "learner", "minus", "replicate", *COLUMNS)
        frames = []
        for found in self:
            values = vars(found) | {"replicate": np.arange(found.estimate.size)}
            frames.append(pandas.DataFrame({name: values[name] for name in columns}))
        return pandas.concat(frames, ignore_index=True)


def simulate(
    scenarios: Scenario | Sequence[Scenario],
    methods: Sequence[str | Procedure],
    *,
    replicates: int = 500,
    level: float = 0.95,
    pairs: bool = True,
    test_examples: int = 0,
    random_state: Any = 0,
    n_jobs: int | None = None,
    store: str | Path | None = None,
    executor: Any = None,
    progress: Callable[[Progress], None] | None = None,
) -> Simulation:
    """Draw data sets, fit the learners on the splits of all methods, and keep the results of every method.

    In one replicate all methods see the same data set and the same fits, and scenarios that draw equal data sets draw
    the same ones (common random numbers). Every random choice has a stream named after what it is for.

    Parameters
    ----------
    scenarios : Scenario or sequence of Scenario
        Populations, sizes and learners.
    methods : sequence of str or Analysis
        Methods by key, or with plan and options.
    replicates : int, default 500
        Data sets of each scenario.
    level : float, default 0.95
        Confidence level of the intervals; tests are at 1 - level, two-sided.
    pairs : bool, default True
        Whether differences of learners are judged too.
    test_examples : int, default 0
        Test examples for the risk R of the learners trained on a whole data set; 0 leaves it out.
    random_state : None, int or NumPy generator, default 0
        Root of every random choice.
    n_jobs : int, optional
        Workers; None takes joblib's configuration, -1 all cores. The numbers do not depend on it.
    store : str or Path, optional
        File that keeps finished replicates; an interrupted simulation goes on from there.
    executor : concurrent.futures.Executor or distributed.Client, optional
        Where the replicates run, if not in workers on this machine, such as the client of a Dask cluster.
    progress : callable, optional
        Called with an `errbar.Progress` after every replicate.

    Returns
    -------
    Simulation
        One row per scenario, method, target and replicate.

    Raises
    ------
    InvalidInputError
        If an argument cannot be used.
    FitFailedError
        If replicates failed; all others were finished, and kept, first.

    Examples
    --------
    >>> from sklearn.linear_model import LinearRegression
    >>> import errbar_lab as lab
    >>> scenario = lab.Scenario(lab.GaussianRegression(), 50, {"least squares": LinearRegression()})
    >>> found = lab.simulate(scenario, ["holdout-t", "corrected-t"], replicates=10)
    >>> found
    Simulation(1 scenarios, 2 methods, 10 replicates)
    >>> found.to_frame().shape
    (20, 13)
    """
    asked = [scenarios] if isinstance(scenarios, Scenario) else list(scenarios)
    procedures = as_procedures(methods)
    _check.names([scenario.name for scenario in asked], "scenario")
    _check.names([procedure.name for procedure in procedures], "method")
    level, count = _check.level(level), _check.count(replicates, "replicates", 2)
    _check.count(test_examples, "test_examples", 0)
    experiments = [
        simulated(scenario, procedures, level=level, pairs=pairs, test_examples=test_examples)
        for scenario in asked
    ]
    found = run_replicates(
        experiments,
        count,
        random_state=random_state,
        n_jobs=n_jobs,
        store=store,
        executor=executor,
        progress=progress,
    )
    return Simulation(
        tuple(
            Run(
                scenario,
                tuple(procedures),
                one.targets,
                level,
                arrays["results"],
                arrays.get("risks"),
            )
            for scenario, one, arrays in zip(asked, experiments, found, strict=True)
        )
    )


def as_procedures(methods: Sequence[str | Procedure]) -> list[Procedure]:
    """Return methods with their plans and options; a key stands for the method with its own."""
    if isinstance(methods, str) or not methods:
        raise InvalidInputError(
            f"must be a list of keys such as ['corrected-t', 'cv-wald'], got {methods!r}",
            argument="methods",
        )
    return [Analysis(method) if isinstance(method, str) else method for method in methods]


def rehearse(scenario: Scenario, procedures: Sequence[Procedure], *, pairs: bool) -> None:
    """Raise if a method does not fit a scenario, before anything is trained.

    Parameters
    ----------
    scenario : Scenario
        Population, size and learners.
    procedures : sequence of Analysis
        Methods.
    pairs : bool
        Whether differences are targets too; if not, every method must apply to single learners.
    """
    _check.names([one.name for one in procedures], "method")
    targets = scenario.targets(pairs=pairs)
    for one in procedures:
        if not any(map(one.applies_to, targets)):
            raise InvalidInputError(
                f"method {one.name!r} compares two learners, and here single learners are judged"
            )
        if isinstance(one, Analysis):
            spec = lookup(one.method)
            require_loss(spec, scenario.resolved_loss)
            if spec.quantity is not None:
                raise InvalidInputError(
                    f"method {one.name!r} estimates the {spec.quantity}, and no risk that its interval could hold"
                )
    sample = scenario.population.sample(scenario.n, _rng.stream(0, "rehearsal"))
    draw(joined(procedures)[0], scenario.n, 0, sample.y)


def _outcomes(run: Run, method: int, target: int) -> Outcomes:
    name, (learner, minus), scenario = (
        run.procedures[method].name,
        run.targets[target],
        run.scenario,
    )
    columns = dict(zip(COLUMNS, run.results[:, method, target].T, strict=True))
    risk = _risk(run, learner, minus)
    return Outcomes(
        scenario.name, name, learner, minus, scenario.n, run.level, **columns, risk=risk
    )


def _risk(run: Run, learner: str, minus: str | None) -> FloatArray | None:
    if run.risks is None:
        return None
    names = list(run.scenario.learners)
    first = run.risks[:, names.index(learner)]
    return first if minus is None else np.asarray(first - run.risks[:, names.index(minus)])
