"""Coverage of intervals for the generalization error, on problems whose truth is known."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from errbar import _check, _rng
from errbar.engine import Executor, Progress
from errbar.errors import InvalidInputError
from errbar.lab._scenario import Analysis, Judge, Scenario, joined
from errbar.lab._simulation import Outcomes, Run, Simulation, simulate
from errbar.lab._summary import Performance, judge
from errbar.lab._truth import DRAWS, ExpectedRisk, expected_risks
from errbar.lab.studies._problems import Problem, problem
from errbar.lab.studies._study import StudyTable, percent
from errbar.lab.studies._verdicts import LIBERAL, in_percent, narrowest, nominal, stated, verdict
from errbar.methods import catalogue
from errbar.methods._core.infer import require_loss
from errbar.methods._core.registry import lookup
from errbar.plans import draw

__all__ = ["ABOUT", "METHODS", "Check", "CoverageStudy", "coverage", "every_method", "rehearse"]

METHODS = ("holdout-t", "corrected-t", "conservative-z", "cv-wald", "nested-cv")
"""The methods of the study, unless others are named."""

ABOUT = ("R", "ER(n)", "ER(n1)")
"""What intervals are asked to hold."""

_TEST_EXAMPLES = 20_000


@dataclass(frozen=True)
class Check:
    """Mean risk of the models trained on whole data sets, against what is expected.

    Attributes
    ----------
    scenario, learner : str
        Names.
    expected, expected_error : float
        Expected risk ER(n), and its Monte-Carlo standard error; 0 where it is exact.
    mean, mean_error : float
        Mean of the risks R over the data sets, and its Monte-Carlo standard error.
    """

    scenario: str
    learner: str
    expected: float
    expected_error: float
    mean: float
    mean_error: float

    @property
    def deviation(self) -> float:
        """Mean less expectation in standard errors; NaN where both are exact."""
        error = math.hypot(self.expected_error, self.mean_error)
        return (self.mean - self.expected) / error if error > 0.0 else math.nan


@dataclass(frozen=True, eq=False)
class CoverageStudy:
    """How often intervals hold the risk R of the model at hand, and the expected risks ER(n) and ER(n1).

    Attributes
    ----------
    title : str
        What was studied.
    settings : mapping of str to str
        What was done.
    performances : tuple of Performance
        One per problem, size n, learner, method and truth.
    words : mapping of tuple of str to str
        Learner and data in words, by names of scenario and learner.
    checks : tuple of Check
        Mean of R against ER(n).
    level : float
        Nominal coverage.
    """

    title: str
    settings: Mapping[str, str]
    performances: tuple[Performance, ...]
    words: Mapping[tuple[str, str], str]
    checks: tuple[Check, ...]
    level: float

    def select(self, *, about: str, scenario: str | None = None, target: str | None = None) -> list[Performance]:
        """Return how the methods do about one truth.

        Parameters
        ----------
        about : {"R", "ER(n)", "ER(n1)"}
            Truth.
        scenario, target : str, optional
            Only this scenario, such as ``"gaussian-regression-20, n = 100"``, and this learner.

        Returns
        -------
        list of Performance
            In the order of scenarios, methods and learners.
        """
        _check.choice(about, ABOUT, "about")
        found = [one for one in self.performances if one.about == about and scenario in (None, one.scenario)]
        return [one for one in found if target in (None, one.target)]

    def tables(self) -> tuple[StudyTable, ...]:
        """Return a table per problem, n and learner, and the check of the truths."""
        return (*(self._table(*place) for place in self.words), self._check_table())

    def conclusion(self) -> tuple[str, ...]:
        """Return which methods hold what they should, per problem, n, learner and truth."""
        return tuple(self._sentence(about, *place) for place in self.words for about in ABOUT)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {
            "study": "coverage",
            "title": self.title,
            "settings": dict(self.settings),
            "level": self.level,
            "performances": [
                {"problem": self.words[one.scenario, one.target]} | one.to_dict() for one in self.performances
            ],
            "checks": [
                {
                    "scenario": one.scenario,
                    "learner": one.learner,
                    "expected": one.expected,
                    "expected_error": one.expected_error,
                    "mean": one.mean,
                    "mean_error": one.mean_error,
                    "deviation": None if math.isnan(one.deviation) else one.deviation,
                }
                for one in self.checks
            ],
        }

    def records(self) -> Sequence[Mapping[str, Any]]:
        """Return the rows from which ``errbar.methods.evidence`` is made."""
        own = {_place(one): one for one in self.performances if one.about == "ER(n1)"}
        return [self._record(one, own[_place(one)]) for one in self.performances]

    def _record(self, one: Performance, own: Performance) -> dict[str, Any]:
        return {
            "method": one.method,
            "problem": self.words[one.scenario, one.target],
            "n": one.n,
            "target": one.about,
            "level": one.level,
            "covered": one.coverage.count,
            "replicates": one.coverage.total,
            "width": round(one.width, 4),
            "n_train": float(one.n_train),
            "bias": round(own.bias, 5),
            "bias_error": round(own.bias_error, 5),
        }

    def _table(self, scenario: str, learner: str) -> StudyTable:
        found = {about: self.select(about=about, scenario=scenario, target=learner) for about in ABOUT}
        rows = [_cells(*three) for three in zip(*found.values(), strict=True)]
        headers = ("Method", "n1", *(f"{about}, %" for about in ABOUT), "Width", "Bias", "Degenerate, %")
        n = found["R"][0].n
        return StudyTable(
            f"coverage-{scenario}-{learner}".replace(", n = ", "-").replace(" ", "-"),
            f"Share of {nominal(self.level)} % intervals that hold the truth: {self.words[scenario, learner]}, n = {n}",
            headers,
            tuple(rows),
            "R is the risk of the model trained on all n examples, ER(n) its expectation over data sets, ER(n1) that at "
            "the training size of the method; the bias is against the last. ± is one Monte-Carlo standard error.",
            optional=("Bias", "Degenerate, %"),
        )

    def _check_table(self) -> StudyTable:
        rows = [
            (
                f"{self.words[one.scenario, one.learner]}, {one.scenario.rpartition(', ')[2]}",
                f"{one.expected:.4f}" + (f" ± {one.expected_error:.4f}" if one.expected_error else ""),
                f"{one.mean:.4f} ± {one.mean_error:.4f}",
                "" if math.isnan(one.deviation) else f"{one.deviation:+.2f}",
            )
            for one in self.checks
        ]
        return StudyTable(
            "truths",
            "The mean of R over the data sets against ER(n)",
            ("Problem", "ER(n)", "Mean of R", "Difference in standard errors"),
            tuple(rows),
            "ER(n) comes from a formula or from training sets of its own; without ± it is exact.",
        )

    def _sentence(self, about: str, scenario: str, learner: str) -> str:
        found = self.select(about=about, scenario=scenario, target=learner)
        liberal = [f"{one.method} ({stated(one.coverage)})" for one in found if verdict(one) == LIBERAL]
        best = narrowest(found)
        where = f"{self.words[scenario, learner]}, n = {found[0].n}, {about}"
        short = f"significantly below {nominal(self.level)} %: {', '.join(liberal) or 'none'}"
        narrow = "no method is left" if best is None else f"the narrowest of the others is {best.method}"
        return f"{where}: {short}; {narrow}."


def coverage(
    problems: Sequence[str | Problem] = ("gaussian-regression-20",),
    methods: Sequence[str | Judge] = METHODS,
    *,
    n: int | Sequence[int] = (100, 500),
    replicates: int = 500,
    level: float = 0.95,
    truth_draws: int = DRAWS,
    test_examples: int = _TEST_EXAMPLES,
    random_state: Any = 0,
    n_jobs: int | None = None,
    store: str | Path | None = None,
    executor: Executor | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> CoverageStudy:
    """Measure how often the intervals of methods hold the truth, as in [1]_.

    Risks are exact where theory gives them: for linear models on Gaussian data. Elsewhere the risk R of a model is
    measured on test examples, and expected risks over independent training sets.

    Parameters
    ----------
    problems : sequence of str or Problem
        Keys such as ``"gaussian-regression-20"``, see `errbar.lab.PROBLEMS`, or problems of your own.
    methods : sequence of str or Analysis
        Methods that give an interval for a single learner, by key, or with plan and options.
    n : int or sequence of int, default (100, 500)
        Sizes of the data sets.
    replicates : int, default 500
        Data sets of each problem and size.
    level : float, default 0.95
        Confidence level of the intervals.
    truth_draws : int, default 4000
        Training sets for each expected risk that is not known exactly.
    test_examples : int, default 20000
        Test examples for each R that is not known exactly. They should be many more than n: the noise of R is counted
        against the intervals.
    random_state, n_jobs, store, executor, progress
        As for `errbar.lab.simulate`.

    Returns
    -------
    CoverageStudy
        Coverage of R, ER(n) and ER(n1) with Monte-Carlo intervals, widths, biases.

    Raises
    ------
    InvalidInputError
        If a method does not fit a problem or an argument cannot be used.
    FitFailedError
        If replicates failed; all others were finished, and kept, first.

    References
    ----------
    .. [1] Schulz-Kuempel, H., Fischer, S., Hornung, R., Boulesteix, A.-L., Nagler, T. & Bischl, B. (2024). Constructing
           confidence intervals for 'the' generalization error: a comprehensive benchmark study. arXiv:2409.18836.

    Examples
    --------
    >>> from errbar.lab.studies._coverage import coverage
    >>> study = coverage(["gaussian-ridge-20"], ["holdout-t", "cv-wald"], n=60, replicates=5, truth_draws=20)
    >>> [(row["method"], row["target"], row["replicates"]) for row in study.records()][:3]
    [('holdout-t', 'R', 5), ('holdout-t', 'ER(n)', 5), ('holdout-t', 'ER(n1)', 5)]
    """
    posed = _posed(problems)
    sizes: list[Any] = [n] if np.ndim(n) == 0 else list(n)  # type: ignore[arg-type]
    _check.count(test_examples, "test_examples")
    scenarios = {one.scenario(size).name: (one, one.scenario(size)) for one in posed for size in sizes}
    if not scenarios:
        raise InvalidInputError(f"`n` must be a size of data sets such as 100, or several, got {n!r}")
    judges = analyses(methods)
    for _, scenario in scenarios.values():
        rehearse(scenario, judges, pairs=False)
    base = _rng.root(random_state)
    means: dict[str, Any] = {
        "random_state": base,
        "n_jobs": n_jobs,
        "store": store,
        "executor": executor,
        "progress": progress,
    }
    found = simulate(
        [scenario for _, scenario in scenarios.values()],
        judges,
        replicates=replicates,
        level=level,
        pairs=False,
        test_examples=test_examples,
        **means,
    )
    truths = {
        run.scenario.name: expected_risks(run.scenario, _sizes(run), draws=truth_draws, **means) for run in found.runs
    }
    settings = {
        "Problems": ", ".join(one.key for one in posed),
        "Methods": ", ".join(one.name for one in judges),
        "Data sets": f"{replicates} of each size: {', '.join(map(str, sizes))} examples",
        "Level": f"{nominal(level)} %",
        "Random state": str(base),
    }
    names = {name: one for name, (one, _) in scenarios.items()}
    return _study(found, truths, names, settings)


def analyses(methods: Sequence[str | Judge]) -> list[Judge]:
    """Return methods with their plans; keys become analyses.

    Parameters
    ----------
    methods : sequence of str or Analysis
        Methods by key, or with plan and options.
    """
    if isinstance(methods, str) or not methods:
        raise InvalidInputError(f"`methods` must be a list of keys such as ['corrected-t', 'cv-wald'], got {methods!r}")
    return [Analysis(one) if isinstance(one, str) else one for one in methods]


def every_method(loss: str = "squared-error", *, subject: str = "learner") -> tuple[Analysis, ...]:
    """Return all methods of the catalogue that give an interval under a loss for one data set.

    Parameters
    ----------
    loss : str, default "squared-error"
        Key of the loss.
    subject : {"learner", "pair"}, default "learner"
        Whether they are to speak of single learners, or of differences.

    Returns
    -------
    tuple of Analysis
        With their own plans; the K-fold t comes with rho = 0.7 too.

    Examples
    --------
    >>> from errbar.lab.studies._coverage import every_method
    >>> {"binomial", "cv-wald"} - {one.name for one in every_method()}
    {'binomial'}
    """
    _check.choice(subject, ("learner", "pair"), "subject")
    found = [
        Analysis(spec.key)
        for spec in catalogue().values()
        if spec.subject in ("either", subject)
        and spec.default_plan is not None
        and spec.loss in (None, loss)
        and spec.quantity is None
    ]
    return (*found, Analysis("kfold-t", options={"rho": 0.7}))


def rehearse(scenario: Scenario, judges: Sequence[Judge], *, pairs: bool) -> None:
    """Raise if a method does not fit a scenario, before anything is trained.

    Parameters
    ----------
    scenario : Scenario
        Population, size and learners.
    judges : sequence of Analysis
        Methods.
    pairs : bool
        Whether differences are judged too; if not, every method must speak of single learners.
    """
    _check.names([one.name for one in judges], "method")
    targets = scenario.targets(pairs=pairs)
    for one in judges:
        if not any(map(one.speaks_of, targets)):
            raise InvalidInputError(f"method {one.name!r} compares two learners, and here single learners are judged")
        if isinstance(one, Analysis):
            spec = lookup(one.method)
            require_loss(spec, scenario.resolved_loss)
            if spec.quantity is not None:
                raise InvalidInputError(
                    f"method {one.name!r} estimates the {spec.quantity}, and no risk that its interval could hold"
                )
    sample = scenario.population.sample(scenario.n, _rng.stream(0, "rehearsal"))
    draw(joined(judges)[0], scenario.n, 0, sample.y)


def _posed(problems: Sequence[str | Problem]) -> list[Problem]:
    if isinstance(problems, str) or not problems:
        raise InvalidInputError(f"`problems` must be a list of keys such as ['friedman-1'], got {problems!r}")
    posed = [problem(one) if isinstance(one, str) else one for one in problems]
    _check.names([one.key for one in posed], "problem")
    return posed


def _sizes(run: Run) -> list[int]:
    sizes = {found.training_size for found in Simulation((run,))}
    return sorted(sizes | {run.scenario.n})


def _study(
    found: Simulation,
    truths: Mapping[str, Mapping[int, ExpectedRisk]],
    problems: Mapping[str, Problem],
    settings: Mapping[str, str],
) -> CoverageStudy:
    judged = [judge(found, truths, about) for about in ABOUT]
    places = [(run.scenario.name, learner) for run in found.runs for learner in run.scenario.learners]
    return CoverageStudy(
        "Coverage of intervals for the generalization error",
        settings,
        tuple(one for three in zip(*judged, strict=True) for one in three),
        {(scenario, learner): problems[scenario].words(learner) for scenario, learner in places},
        tuple(_check_of(_first(found, *place), truths[place[0]]) for place in places),
        found.runs[0].level,
    )


def _first(found: Simulation, scenario: str, learner: str) -> Outcomes:
    return next(one for one in found if (one.scenario, one.learner) == (scenario, learner))


def _check_of(found: Outcomes, truths: Mapping[int, ExpectedRisk]) -> Check:
    assert found.risk is not None
    expected, error = truths[found.n].of(found.learner)
    spread = float(found.risk.std(ddof=1)) / math.sqrt(found.risk.size)
    return Check(found.scenario, found.learner, expected, error, float(found.risk.mean()), spread)


def _place(one: Performance) -> tuple[str, str, str]:
    return one.scenario, one.method, one.target


def _cells(risk: Performance, whole: Performance, own: Performance) -> tuple[str, ...]:
    return (
        own.method,
        str(own.n_train),
        *(in_percent(one.coverage) for one in (risk, whole, own)),
        f"{own.width:.4g} ± {own.width_error:.2g}",
        f"{own.bias:+.4f} ± {own.bias_error:.4f}",
        percent(own.degenerate / own.coverage.total),
    )
