"""Experiments: methods on data sets that are drawn from populations, and the truths that their intervals should hold."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any, Unpack
from uuid import uuid4

import numpy as np

from errbar import _check, _rng, fits, metrics
from errbar._check import FloatArray
from errbar.errors import InvalidInputError
from errbar.fits import learners as learners_module
from errbar.fits.learners import identify
from errbar.methods import infer
from errbar.methods._core.fitting import require_fit
from errbar.methods._core.registry import lookup
from errbar.metrics import Loss
from errbar.plans import Plan, Union
from errbar.table import LossTable
from errbar_lab import _fitting
from errbar_lab._replicates import (
    Arrays,
    Repeated,
    SimulationOptions,
    replicates as repeated,
    with_root,
)
from errbar_lab.populations import Population

Target = tuple[str, str]
"""A learner, and the one that is subtracted from it, or an empty text."""

COLUMNS = ("estimate", "se", "df", "statistic", "pvalue", "low", "high", "n_train")
"""What is kept of every result."""

CELL = ["problem", "n", "method", "learner", "minus"]
"""Columns of a frame of outcomes that tell which replicates belong together."""

ABOUT = ("ER(n1)", "ER(n)", "PQ", "R")
"""The truths that intervals may cover: the expected risk at the training size of the method, or at that of a data set; the mean
risk of just the models of the method's splits; and the risk of the model that is trained on the whole data set."""

DRAWS, TRUTH_EXAMPLES = 4000, 2000

_FORMAT = "3"
"""Part of every digest; it changes when the numbers of equal settings would."""


@dataclass(frozen=True, eq=False)
class Problem:
    """A population, and learners that are to learn from its data sets.

    Parameters
    ----------
    population : Population
        Where data sets come from, such as `FinitePopulation` or `GaussianRegression`.
    learners : mapping of str to estimator
        Learners by name: those of the papers, or any estimators of scikit-learn.
    loss : str, Loss or callable, optional
        As for `errbar.run`.
    key : str, optional
        Name for tables; by default that of the population.
    words : str, optional
        The data in words.
    smallest : int, default 2
        Smallest data set that the learners can be trained on part of.

    Examples
    --------
    >>> from sklearn.linear_model import LinearRegression
    >>> import errbar_lab as lab
    >>> lab.Problem(lab.GaussianRegression(), {"least squares": LinearRegression()}).targets()
    (('least squares', ''),)
    """

    population: Population
    learners: Mapping[str, Any]
    loss: Any = None
    key: str = ""
    words: str = ""
    smallest: int = 2

    def __post_init__(self) -> None:
        """Check what can be checked without data."""
        checked, task = learners_module.check(self.learners)
        if task != self.population.task:
            raise InvalidInputError(
                f"the population {self.population.name!r} is for {self.population.task}, and the "
                f"learners do {task}"
            )
        object.__setattr__(self, "learners", checked)
        object.__setattr__(self, "key", self.key or self.population.name)
        metrics.resolve(self.loss, task)

    @property
    def resolved_loss(self) -> Loss:
        """The loss that is computed."""
        return metrics.resolve(self.loss, self.population.task)

    def targets(self, *, pairs: bool = True) -> tuple[Target, ...]:
        """Return what is estimated: every learner, then every pair."""
        names = list(self.learners)
        single = [(name, "") for name in names]
        return tuple(
            single + [(a, b) for i, a in enumerate(names) for b in names[i + 1 :] if pairs]
        )

    def digest(self, *more: object) -> str:
        """Return a digest of the problem and of anything else that numbers depend on."""
        own = [f"{name}={_content(learner)}" for name, learner in self.learners.items()]
        named = isinstance(self.loss, str) or self.loss is None
        loss = self.resolved_loss.key if named else _content(self.loss)
        positive = repr(getattr(self.population, "positive", None))
        parts = [_FORMAT, self.population.digest, positive, loss, *own, *map(repr, more)]
        return blake2b("|".join(parts).encode(), digest_size=12).hexdigest()


def _content(value: Any) -> str:
    # What cannot be written down is never the same again.
    return identify(value).digest or uuid4().hex


Procedure = Any
"""A method with its plans and options: `name`, `plans`, `applies_to(target)`, and `infer(table, positions, target, level)`,
which returns an object with `COLUMNS`; positions are those of its own plans among the table's."""


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
        if spec.subject == "all" or (self.plan is None and spec.default_plan is None):
            raise InvalidInputError(
                f"method {self.method!r} has no interval from one data set that could be judged"
            )
        text = " ".join([self.method, *(f"{key}={value}" for key, value in self.options.items())])
        object.__setattr__(self, "name", self.name or text)

    @property
    def plans(self) -> tuple[Plan, ...]:
        """The plan it works on."""
        plan = self.plan or lookup(self.method).default_plan
        assert plan is not None
        return (plan,)

    def applies_to(self, target: Target) -> bool:
        """Tell whether it infers about this target: a learner, or a difference of two."""
        return lookup(self.method).subject in ("either", "pair" if target[1] else "learner")

    def infer(
        self, table: LossTable, positions: Sequence[int], target: Target, level: float
    ) -> Any:
        """Return its result on one target."""
        own = table.of_plan(positions[0])
        return infer(own, self.method, target[0], target[1] or None, level=level, **self.options)


def procedures_of(methods: Sequence[Procedure]) -> list[Procedure]:
    """Return methods with their plans, those that are named by their keys with the default ones."""
    if isinstance(methods, str) or not methods:
        raise InvalidInputError(
            f"must be a list of keys such as ['corrected-t', 'cv-wald'], got {methods!r}",
            argument="methods",
        )
    found = [Analysis(method) if isinstance(method, str) else method for method in methods]
    _check.names([one.name for one in found], "method")
    return found


def joined(procedures: Sequence[Procedure]) -> tuple[Plan, list[list[int]]]:
    """Return the union of all plans, each once, and which of them belong to each method."""
    every = list(dict.fromkeys(plan for procedure in procedures for plan in procedure.plans))
    positions = [[every.index(plan) for plan in procedure.plans] for procedure in procedures]
    return (every[0] if len(every) == 1 else Union(tuple(every))), positions


def data_stream(base: int, population: Population, n: int, number: int) -> np.random.Generator:
    """Return the stream of one data set, the same in all experiments that draw such data sets."""
    return _rng.stream(base, "data set", population.digest, n, number)


@dataclass(frozen=True)
class Simulated(Repeated):
    """Draw a data set, fit the learners on the splits of all plans, and apply every method."""

    procedures: tuple[Procedure, ...]
    targets: tuple[Target, ...]
    level: float
    proxies: bool

    def replicate(self, base: int, number: int) -> Arrays:
        """Return every column of every result, and the risks of the models if there are test examples."""
        rng = data_stream(base, self.population, self.n, number)
        data = self.population.drawn(self.n, self.test_examples, rng)
        plan, positions = joined(self.procedures)
        seed = _rng.seed(base, "splits", self.n, number)
        positive = getattr(self.population, "positive", None)
        found = {}
        if self.proxies:
            table, models, found["risks"] = _fitting.fitted_and_tested(
                self.learners, data, plan, self.loss, seed, positive
            )
            own = [np.isin(table.splits.plan, places) for places in positions]
            found["proxies"] = np.array([models[chosen].mean(axis=0) for chosen in own])
        else:
            table = _fitting.fitted(self.learners, data, plan, self.loss, seed, positive)
            if self.test_examples:
                found["risks"] = _fitting.risks(
                    self.population, self.learners, self.loss, data, seed
                )
        found["results"] = self._results(table, positions)
        return found

    def _results(self, table: LossTable, positions: Any) -> FloatArray:
        values = np.full((len(self.procedures), len(self.targets), len(COLUMNS)), np.nan)
        for i, (procedure, own) in enumerate(zip(self.procedures, positions, strict=True)):
            for j, target in enumerate(self.targets):
                if procedure.applies_to(target):
                    found = procedure.infer(table, own, target, self.level)
                    values[i, j] = [_number(getattr(found, name)) for name in COLUMNS]
        return values


def _number(value: Any) -> float:
    # A normal law has no degrees of freedom and an F distribution has two; neither fits into one column.
    return math.nan if value is None or isinstance(value, tuple) else value


@dataclass(frozen=True)
class _Truth(Repeated):
    """Draw a data set, train the learners on it, and find their risks."""

    def replicate(self, base: int, number: int) -> Arrays:
        rng = data_stream(_rng.seed(base, "truth"), self.population, self.n, number)
        data = self.population.drawn(self.n, self.test_examples, rng)
        seed = _rng.seed(base, "truth", self.n, number)
        return {"risks": _fitting.risks(self.population, self.learners, self.loss, data, seed)}


@dataclass(frozen=True, eq=False)
class ExpectedRisk:
    """Expected risks of several learners at one training size, and how exactly they are known.

    Attributes
    ----------
    learners : tuple of str
        Names.
    values : ndarray
        The risk of each.
    covariance : ndarray
        Of their Monte-Carlo errors; zero where a formula gives the risks.
    """

    learners: tuple[str, ...]
    values: FloatArray
    covariance: FloatArray

    def of(self, learner: str, minus: str = "") -> tuple[float, float]:
        """Return the risk of a learner, or the difference of two, and its standard error."""
        weights = np.zeros(len(self.learners))
        weights[self.learners.index(learner)] += 1.0
        if minus:
            weights[self.learners.index(minus)] -= 1.0
        variance = float(weights @ self.covariance @ weights)
        return float(weights @ self.values), math.sqrt(max(0.0, variance))


def expected_risks(
    problem: Problem,
    sizes: Sequence[int],
    *,
    draws: int = DRAWS,
    test_examples: int = TRUTH_EXAMPLES,
    **how: Unpack[SimulationOptions],
) -> dict[int, ExpectedRisk]:
    """Return the expected risks of the learners at several training sizes.

    Parameters
    ----------
    problem : Problem
        Population and learners.
    sizes : sequence of int
        Training sizes.
    draws : int, default 4000
        Independent training sets behind each, where no closed form gives it.
    test_examples : int, default 2000
        Examples that each model is tested on, where no formula gives its risk.
    **how
        As for `Experiment.run`.

    Returns
    -------
    dict of int to ExpectedRisk
        By training size.

    Examples
    --------
    >>> from sklearn.linear_model import LinearRegression
    >>> import errbar_lab as lab
    >>> problem = lab.Problem(lab.GaussianRegression(), {"least squares": LinearRegression()})
    >>> value, error = lab.expected_risks(problem, [100])[100].of("least squares")
    >>> round(value, 4), error
    (1.269, 0.0)
    """
    count = _check.count(draws, "draws", 2)
    names, population = tuple(problem.learners), problem.population
    known, unknown = {}, []
    for n in sizes:
        value = _fitting.expected(population, problem.learners, problem.resolved_loss, n)
        if value is None:
            unknown.append(_truth(problem, n, test_examples))
        else:
            nothing = np.zeros((len(names), len(names)))
            known[n] = ExpectedRisk(names, np.full(len(names), value), nothing)
    for one, arrays in zip(unknown, repeated(unknown, count, **how), strict=True):
        values = arrays["risks"]
        covariance = np.atleast_2d(np.cov(values, rowvar=False)) / count
        known[one.n] = ExpectedRisk(names, values.mean(axis=0), covariance)
    return known


def _truth(problem: Problem, n: int, test_examples: int) -> _Truth:
    population = problem.population
    if not getattr(population, "replacement", True):
        size: int = population.size  # type: ignore[attr-defined]
        if n >= size:
            raise InvalidInputError(
                f"the population {population.name!r} has {size} examples, too few to train on {n} "
                "and to test"
            )
        test_examples = min(test_examples, size - n)
    exact = _fitting.formula(population, problem.resolved_loss) is not None
    return _Truth(
        population,
        f"risk at {n} of {problem.key}",
        problem.digest("truth", n, test_examples, exact),
        n,
        problem.learners,
        problem.resolved_loss,
        test_examples,
    )


@dataclass(frozen=True, eq=False)
class Experiment:
    """Methods, each with its plan and options, on data sets of several sizes from several problems.

    All methods see the same data sets and share their fits.

    Parameters
    ----------
    problems : sequence of Problem
        Populations with learners.
    sizes : sequence of int
        Examples in a data set.
    methods : sequence of str, Analysis or other procedures
        What is asked about every learner, and about every pair.
    level : float, default 0.95
        Confidence level of all intervals.
    pairs : bool, default True
        Whether differences of learners are estimated, too.
    about : sequence of {"ER(n1)", "ER(n)", "PQ", "R"}, default ("ER(n1)",)
        Truths that intervals are to be compared with; none are computed if it is empty.

    Examples
    --------
    >>> from sklearn.linear_model import LinearRegression
    >>> import errbar_lab as lab
    >>> problem = lab.Problem(lab.GaussianRegression(), {"least squares": LinearRegression()})
    >>> experiment = lab.Experiment([problem], [100], ["corrected-t", "cv-wald"])
    >>> outcomes = experiment.run(20, random_state=0)
    >>> outcomes.groupby("method")["estimate"].count().to_dict()
    {'corrected-t': 20, 'cv-wald': 20}
    """

    problems: Sequence[Problem]
    sizes: Sequence[int]
    methods: Sequence[Any]
    level: float = 0.95
    pairs: bool = True
    about: Sequence[str] = ("ER(n1)",)

    def __post_init__(self) -> None:
        """Check all but the methods' fitness, which needs data."""
        object.__setattr__(self, "methods", tuple(procedures_of(self.methods)))
        object.__setattr__(self, "level", _check.level(self.level))
        _check.names([problem.key for problem in self.problems], "problem")
        if isinstance(self.sizes, str) or not self.sizes:
            raise InvalidInputError(
                f"must be sizes of data sets such as [100], got {self.sizes!r}", argument="n"
            )
        for problem, n in self._cells():
            if _check.count(n, "n", 2) < problem.smallest:
                raise InvalidInputError(
                    f"must be at least {problem.smallest} for the problem {problem.key!r}, got {n}",
                    argument="n",
                )

    def run(
        self,
        replicates: int = 500,
        *,
        truth_draws: int = DRAWS,
        truth_examples: int = TRUTH_EXAMPLES,
        test_examples: int = 20_000,
        **how: Unpack[SimulationOptions],
    ) -> Any:
        """Draw data sets, apply all methods to them, and find the truths.

        Parameters
        ----------
        replicates : int, default 500
            Independent data sets of each problem and size.
        truth_draws : int, default 4000
            Independent training sets behind every expected risk that no formula gives.
        truth_examples : int, default 2000
            Test examples of each of them.
        test_examples : int, default 20000
            Test examples of models, for the truths R and PQ where no formula gives them.
        **how
            `random_state`, the root of all random streams (0 by default), `n_jobs`, a `store` that
            keeps finished replicates, an `executor`, and `progress`, a function that is told.

        Returns
        -------
        DataFrame
            A row per data set, method and target: its estimate, interval and training size, and for
            every truth asked about a column with its value and one with its standard error.

        Raises
        ------
        InvalidInputError
            If a method does not suit the data sets.
        FitFailedError
            If replicates failed; all others were finished, and stored, first.
        """
        import pandas as pd

        how, count = with_root(**how), _check.count(replicates, "replicates", 2)
        _check.count(test_examples, "test_examples")
        cells = list(self._cells())
        for problem, n in cells:
            for procedure in self.methods:
                rehearse(problem, n, procedure, pairs=self.pairs)
        tests = test_examples if {"R", "PQ"} & set(self.about) else 0
        simulated = [self.simulated(problem, n, tests) for problem, n in cells]
        frames = []
        for one, arrays, (problem, _) in zip(
            simulated, repeated(simulated, count, **how), cells, strict=True
        ):
            own = list(self._answers(problem, one, arrays))
            sizes = {size for frame in own for size in _sizes(frame, self.about)}
            truths = expected_risks(
                problem, sorted(sizes), draws=truth_draws, test_examples=truth_examples, **how
            )
            frames += [_with_truths(frame, self.about, truths) for frame in own]
        return pd.concat(frames, ignore_index=True)

    def _cells(self) -> Iterator[tuple[Problem, int]]:
        return ((problem, n) for problem in self.problems for n in dict.fromkeys(self.sizes))

    def simulated(self, problem: Problem, n: int, test_examples: int = 0) -> Simulated:
        """Return what is repeated for one problem and size."""
        targets, proxies = problem.targets(pairs=self.pairs), "PQ" in self.about
        exact = _fitting.formula(problem.population, problem.resolved_loss) is not None
        settings = (n, self.methods, self.level, targets, test_examples, proxies, exact)
        return Simulated(
            problem.population,
            f"{problem.key}, n = {n}",
            problem.digest("simulated", *settings),
            n,
            problem.learners,
            problem.resolved_loss,
            test_examples,
            tuple(self.methods),
            targets,
            self.level,
            proxies,
        )

    def _answers(self, problem: Problem, one: Simulated, arrays: Arrays) -> Iterator[Any]:
        """Yield a frame for each method and target, with the risks of the models."""
        import pandas as pd

        rounded = getattr(problem.population, "rounded", round)
        names = list(problem.learners)
        for i, procedure in enumerate(self.methods):
            for j, (learner, minus) in enumerate(one.targets):
                if not procedure.applies_to((learner, minus)):
                    continue
                columns = dict(zip(COLUMNS, arrays["results"][:, i, j].T, strict=True))
                for truth, models in (
                    ("R", arrays.get("risks")),
                    ("PQ", arrays["proxies"][:, i] if one.proxies else None),
                ):
                    if truth in self.about and models is not None:
                        risk = models[:, names.index(learner)]
                        columns[truth] = risk - models[:, names.index(minus)] if minus else risk
                cell = {
                    "problem": problem.key,
                    "n": one.n,
                    "method": procedure.name,
                    "target": f"{learner} - {minus}" if minus else learner,
                    "learner": learner,
                    "minus": minus,
                    "level": self.level,
                    "replicate": np.arange(len(columns["estimate"])),
                    "n1": rounded(float(columns["n_train"].mean())),
                }
                yield pd.DataFrame(cell | columns)


def _sizes(frame: Any, about: Any) -> Iterator[int]:
    first = frame.iloc[0]
    return (int(first[truth[3:-1]]) for truth in about if truth in ("ER(n)", "ER(n1)"))


def _with_truths(frame: Any, about: Any, truths: Any) -> Any:
    first = frame.iloc[0]
    for truth, size in zip(
        (truth for truth in about if truth in ("ER(n)", "ER(n1)")),
        _sizes(frame, about),
        strict=True,
    ):
        value, error = truths[size].of(first["learner"], first["minus"])
        frame = frame.assign(**{truth: value, f"{truth} error": error})
    return frame


def rehearse(
    problem: Problem, n: int, procedure: Procedure, *, pairs: bool, times: int = 1
) -> None:
    """Refuse a method that does not suit data sets of this kind."""
    if not any(map(procedure.applies_to, problem.targets(pairs=pairs))):
        raise InvalidInputError(
            f"method {procedure.name!r} is not for what is judged here, "
            f"{'learners and pairs' if pairs and len(problem.learners) > 1 else 'single learners'}"
        )
    population, rng = problem.population, _rng.stream(0, "rehearsal")
    for _ in range(times):
        data = population.drawn(n, 0, rng)
        for plan in procedure.plans:
            setup = fits.prepare(
                problem.learners,
                data.X,
                data.y,
                plan=plan,
                loss=problem.resolved_loss,
                groups=data.groups,
                positive=getattr(population, "positive", None),
                random_state=0,
            )
            if isinstance(procedure, Analysis):
                _require_fitting(procedure, setup)


def _require_fitting(procedure: Analysis, setup: fits.Setup) -> None:
    spec, [design] = lookup(procedure.method), setup.splits.designs
    if spec.quantity is not None:
        raise InvalidInputError(
            f"method {procedure.name!r} estimates the {spec.quantity}, and no risk that its "
            "interval could hold"
        )
    require_fit(spec, setup.losses[0], design, setup.splits.repeats(0))
