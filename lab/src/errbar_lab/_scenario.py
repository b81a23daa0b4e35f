"""What is simulated: learners on data sets of one size from one population, and the methods that are applied to them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any, Protocol
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

from errbar import _check, _rng, metrics
from errbar._check import FloatArray
from errbar.errors import InvalidInputError
from errbar.fits import learners as learners_module
from errbar.fits.key import identify
from errbar.methods import infer
from errbar.methods._core.registry import Method, lookup
from errbar.metrics import CLASSIFICATION, Loss
from errbar.plans import Plan, Union
from errbar.result import Result
from errbar.table import LossTable
from errbar_lab import _risk
from errbar_lab._replicates import Experiment
from errbar_lab.populations import Population, Sample

__all__ = ["Analysis", "Scenario"]

Target = tuple[str, str | None]
"""A learner, and the one that is subtracted from it, if any."""


def target_name(learner: str, minus: str | None) -> str:
    """Return a target in words."""
    return learner if minus is None else f"{learner} - {minus}"


def every_target(learners: Sequence[str], *, pairs: bool = True) -> tuple[Target, ...]:
    """Return every learner, then every pair of learners."""
    single: list[Target] = [(name, None) for name in learners]
    return tuple(
        single + [(a, b) for i, a in enumerate(learners) for b in learners[i + 1 :] if pairs]
    )


def named_targets(learners: Sequence[str]) -> dict[str, Target]:
    """Return every target by its name; a learner goes before a pair of the same name."""
    found: dict[str, Target] = {}
    for target in every_target(learners):
        found.setdefault(target_name(*target), target)
    return found


COLUMNS = ("estimate", "se", "df", "statistic", "pvalue", "low", "high", "n_train")
"""What is kept of every result."""

_PATIENCE = 1000

_FORMAT = "2"
"""Part of every digest; it changes when the numbers of equal settings would."""


@dataclass(frozen=True)
class Scenario:
    """Learners on data sets of one size from one population.

    Parameters
    ----------
    population : Population
        Where data sets come from, such as `FinitePopulation` or `GaussianRegression`.
    n : int
        Examples in a data set.
    learners : mapping of str to estimator
        Learners by name: those of the papers, or any estimators of scikit-learn.
    loss : str, Loss or callable, optional
        As for `errbar.run`.
    name : str, optional
        Name for tables; by default that of the population with n.

    Examples
    --------
    >>> from sklearn.linear_model import LinearRegression
    >>> import errbar_lab as lab
    >>> scenario = lab.Scenario(lab.GaussianRegression(), 100, {"least squares": LinearRegression()})
    >>> scenario.targets()
    (('least squares', None),)
    """

    population: Population
    n: int
    learners: Mapping[str, Any]
    loss: Any = None
    name: str = ""

    def __post_init__(self) -> None:
        """Check what can be checked without data."""
        _check.count(self.n, "n", 2)
        checked, task = learners_module.check(self.learners)
        if task != self.population.task:
            raise InvalidInputError(
                f"the population {self.population.name!r} is for {self.population.task}, and the learners do {task}"
            )
        object.__setattr__(self, "learners", checked)
        object.__setattr__(self, "name", self.name or f"{self.population.name}, n = {self.n}")
        metrics.resolve(self.loss, task)

    @property
    def resolved_loss(self) -> Loss:
        """The loss that is computed."""
        return metrics.resolve(self.loss, self.population.task)

    def targets(self, *, pairs: bool = True) -> tuple[Target, ...]:
        """Return what is estimated: every learner, then every pair."""
        return every_target(list(self.learners), pairs=pairs)

    @property
    def exact(self) -> tuple[str, ...]:
        """A part of digests that tells whether risks of linear models are computed exactly."""
        return () if _risk.formula(self.population, self.resolved_loss) is None else ("exact",)

    def digest(self, *more: object) -> str:
        """Return a digest of the scenario and of anything else that numbers depend on."""
        own = [f"{name}={_content(learner)}" for name, learner in self.learners.items()]
        loss = (
            self.resolved_loss.key
            if isinstance(self.loss, str) or self.loss is None
            else _content(self.loss)
        )
        parts = [_FORMAT, self.population.digest, str(self.n), loss, *own, *map(repr, more)]
        return blake2b("|".join(parts).encode(), digest_size=12).hexdigest()


def _content(value: Any) -> str:
    """Return a digest of a learner or a loss with its code; one that cannot be written down is never the same again."""
    found = identify(value)
    return f"{found.digest or uuid4().hex} {found.environment}"


class Procedure(Protocol):
    """A method with its plan and options, as a simulation applies it."""

    @property
    def name(self) -> str:
        """Name, for people; unique in a simulation."""

    @property
    def plans(self) -> tuple[Plan, ...]:
        """The plans it works on."""

    def applies_to(self, target: Target) -> bool:
        """Tell whether it infers about this target: a learner, or a difference of two."""

    def infer(
        self, table: LossTable, positions: Sequence[int], target: Target, level: float
    ) -> Result:
        """Return its result on a target; `positions` are those of its own plans among the table's."""


@dataclass(frozen=True)
class Analysis:
    """A method of the catalogue, with its plan and its options.

    Parameters
    ----------
    method : str
        Key of the method.
    plan : Plan, optional
        By default that of the method.
    options : mapping, optional
        Options of the method's own.
    name : str, optional
        Name for tables; by default the key with the options.

    Examples
    --------
    >>> from errbar import plans
    >>> import errbar_lab as lab
    >>> lab.Analysis("kfold-t", options={"rho": 0.7}).name
    'kfold-t rho=0.7'
    """

    method: str
    plan: Plan | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    name: str = ""

    def __post_init__(self) -> None:
        """Look the method up."""
        spec = lookup(self.method)
        spec.check_options(dict(self.options))
        if spec.subject == "all":
            raise InvalidInputError(
                f"method {self.method!r} has no interval to be judged: it tests all learners at once"
            )
        if self.plan is None and spec.default_plan is None:
            raise InvalidInputError(
                f"method {self.method!r} works on several data sets, and a replicate is one"
            )
        text = " ".join([self.method, *(f"{key}={value}" for key, value in self.options.items())])
        object.__setattr__(self, "name", self.name or text)

    @property
    def _spec(self) -> Method:
        return lookup(self.method)

    @property
    def plans(self) -> tuple[Plan, ...]:
        """The plan it works on."""
        plan = self.plan or self._spec.default_plan
        assert plan is not None
        return (plan,)

    def applies_to(self, target: Target) -> bool:
        """Tell whether it infers about this target: a learner, or a difference of two."""
        return self._spec.subject in ("either", "learner" if target[1] is None else "pair")

    def infer(
        self, table: LossTable, positions: Sequence[int], target: Target, level: float
    ) -> Result:
        """Return its result on one target."""
        return infer(
            table, self.method, target[0], target[1], level=level, plan=positions[0], **self.options
        )


@dataclass(frozen=True)
class Simulated(Experiment):
    """The experiment of a simulation: draw a data set, fit the learners on the splits of all plans, apply every method."""

    procedures: tuple[Procedure, ...]
    targets: tuple[Target, ...]
    level: float

    def replicate(self, base: int, number: int) -> dict[str, NDArray[Any]]:
        """Return every column of every result, what `extra` adds, and the risks of the learners if they are asked for."""
        rng = data_stream(base, self.population, self.n, number)
        sample, test = drawn(self.population, self.n, self.test_examples, rng)
        plan, positions = joined(self.procedures)
        seed = _rng.seed(base, "splits", self.n, number)
        table = _risk.fitted(self.learners, sample.X, sample.y, plan, self.loss, seed)
        found = {"results": self._results(table, positions), **self.extra(table, positions)}
        if test is not None:
            found["risks"] = _risk.risks(
                self.population, self.learners, self.loss, sample, test, seed
            )
        return found

    def extra(
        self,
        table: LossTable,
        positions: Sequence[Sequence[int]],
    ) -> dict[str, NDArray[Any]]:
        """Return what else is recorded of a data set: nothing, unless a subclass records more."""
        return {}

    def _results(self, table: LossTable, positions: Sequence[Sequence[int]]) -> FloatArray:
        values = np.full((len(self.procedures), len(self.targets), len(COLUMNS)), np.nan)
        for i, (procedure, own) in enumerate(zip(self.procedures, positions, strict=True)):
            for j, target in enumerate(self.targets):
                if procedure.applies_to(target):
                    values[i, j] = _row(procedure.infer(table, own, target, self.level))
        return values


def data_stream(base: int, population: Population, n: int, number: int) -> np.random.Generator:
    """Return the stream of one data set, the same for all scenarios that draw such data sets."""
    return _rng.stream(base, "data set", population.digest, n, number)


def drawn(
    population: Population, n: int, test_examples: int, rng: np.random.Generator
) -> tuple[Sample, Sample | None]:
    """Draw a data set, and test examples if any are asked for; one with a single class is drawn again.

    No classifier can be trained on a single class, and no study would be made of such data.
    """
    for _ in range(_PATIENCE):
        if test_examples:
            sample, test = population.sample_with_test(n, test_examples, rng)
        else:
            sample, test = population.sample(n, rng), None
        if population.task != CLASSIFICATION or sample.y.min() != sample.y.max():
            return sample, test
    raise InvalidInputError(
        f"of {_PATIENCE} data sets of {n} examples from {population.name!r} none had two classes; take larger data sets"
    )


def joined(procedures: Sequence[Procedure]) -> tuple[Plan, list[list[int]]]:
    """Return the union of all plans, each once, and which of them belong to each method."""
    every = list(dict.fromkeys(plan for procedure in procedures for plan in procedure.plans))
    positions = [[every.index(plan) for plan in procedure.plans] for procedure in procedures]
    return (every[0] if len(every) == 1 else Union(tuple(every))), positions


def simulated(
    scenario: Scenario,
    procedures: Sequence[Procedure],
    *,
    level: float,
    pairs: bool,
    test_examples: int,
) -> Simulated:
    """Return the experiment of a scenario."""
    targets = scenario.targets(pairs=pairs)
    digest = scenario.digest(
        "simulated", *procedures, level, targets, test_examples, *scenario.exact
    )
    how = {
        "procedures": tuple(procedures),
        "targets": targets,
        "level": level,
        "test_examples": test_examples,
    }
    return Simulated.of(scenario, digest, **how)


def _row(result: Result) -> list[float]:
    # A normal reference law has no degrees of freedom and an F distribution has two; neither fits into one column.
    df = float("nan") if result.df is None or isinstance(result.df, tuple) else result.df
    return [df if name == "df" else getattr(result, name) for name in COLUMNS]
