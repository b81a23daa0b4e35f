"""Coverage of intervals for the generalization error, on problems whose truth is known.

Varied: the problem, the size of the data sets and the method. Recorded: every interval, and the risk R of the model
trained on the whole data set. The summary is the coverage: the share of intervals that cover R, its expectation ER(n) over data sets,
and ER(n1) at the training size of the method.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Unpack

import numpy as np

from errbar import _check, metrics
from errbar.errors import InvalidInputError
from errbar.methods import catalogue
from errbar.needs import CLUSTERS
from errbar_lab._replicates import SimulationOptions, with_root
from errbar_lab._scenario import Analysis, Procedure
from errbar_lab._simulation import Simulation, as_procedures
from errbar_lab._summary import Performance, standard_error
from errbar_lab._truth import DRAWS, ExpectedRisk
from errbar_lab._verdict import LIBERAL
from errbar_lab.studies._advice import narrowest
from errbar_lab.studies._cells import nominal, percent, stated
from errbar_lab.studies._problems import Problem, problem
from errbar_lab.studies._study import (
    SimulationStudy,
    StudyTable,
    coverage_columns,
    judged,
    tabulate,
)

__all__ = ["Check", "CoverageStudy", "coverage", "every_method"]

METHODS = ("holdout-t", "corrected-t", "conservative-z", "cv-wald", "nested-cv")
"""The methods of the study, unless others are named."""

ABOUT = ("R", "ER(n)", "ER(n1)")
"""The true values that intervals should cover."""

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
class CoverageStudy(SimulationStudy):
    """Coverage of the risk R of the model at hand, and of the expected risks ER(n) and ER(n1).

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

    key: ClassVar[str] = "coverage"

    performances: tuple[Performance, ...]
    words: Mapping[tuple[str, str], str]
    checks: tuple[Check, ...]
    level: float

    def select(
        self, *, about: str, scenario: str | None = None, target: str | None = None
    ) -> list[Performance]:
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
        found = [
            one
            for one in self.performances
            if one.about == about and scenario in (None, one.scenario)
        ]
        return [one for one in found if target in (None, one.target)]

    def tables(self) -> tuple[StudyTable, ...]:
        """Return a table per problem, n and learner, and the check of the truths."""
        return (*(self._table(*place) for place in self.words), self._check_table())

    def conclusion(self) -> tuple[str, ...]:
        """Return which methods are liberal, and the narrowest that was shown to hold, per problem, n, learner and truth."""
        return tuple(self._sentence(about, *place) for place in self.words for about in ABOUT)

    def content(self) -> Mapping[str, Any]:
        """Return performances, and the checks of the truths."""
        return {
            "title": self.title,
            "settings": self.settings,
            "level": self.level,
            "performances": [
                {"problem": self.words[one.scenario, one.target]} | one.to_dict()
                for one in self.performances
            ],
            "checks": [vars(one) | {"deviation": one.deviation} for one in self.checks],
        }

    def records(self) -> Sequence[Mapping[str, Any]]:
        """Return the rows from which ``errbar.methods.evidence`` is made."""
        own = {_place(one): one for one in self.performances if one.about == "ER(n1)"}
        return [
            {
                "method": one.method,
                "problem": self.words[one.scenario, one.target],
                "n": one.n,
                "target": one.about,
                "level": one.level,
                "covered": one.coverage.count,
                "replicates": one.coverage.total,
                "width": round(one.width, 4),
                "n_train": float(one.n_train),
                "bias": round(own[_place(one)].bias, 5),
                "bias_error": round(own[_place(one)].bias_error, 5),
            }
            for one in self.performances
        ]

    def _table(self, scenario: str, learner: str) -> StudyTable:
        found = [
            one
            for about in ABOUT
            for one in self.select(about=about, scenario=scenario, target=learner)
        ]
        return tabulate(
            f"coverage-{scenario}-{learner}".replace(", n = ", "-").replace(" ", "-"),
            f"Share of {nominal(self.level)} % intervals that cover the true value: {self.words[scenario, learner]}, "
            f"n = {found[0].n}",
            [
                *coverage_columns(found, ABOUT, "{}, %"),
                ("Width", lambda own: f"{own.width:.4g} ± {own.width_error:.2g}"),
                ("Bias", lambda own: f"{own.bias:+.4f} ± {own.bias_error:.4f}"),
                ("Degenerate, %", lambda own: percent(own.degenerate / own.coverage.total)),
            ],
            [one for one in found if one.about == "ER(n1)"],
            "R is the risk of the model trained on all n examples, ER(n) its expectation over data sets, ER(n1) that at "
            "the training size of the method; the bias is against the last. ± is one Monte-Carlo standard error.",
            optional=("Bias", "Degenerate, %"),
        )

    def _check_table(self) -> StudyTable:
        return tabulate(
            "truths",
            "The mean of R over the data sets against ER(n)",
            [
                (
                    "Problem",
                    lambda one: (
                        f"{self.words[one.scenario, one.learner]}, {one.scenario.rpartition(', ')[2]}"
                    ),
                ),
                (
                    "ER(n)",
                    lambda one: (
                        f"{one.expected:.4f}"
                        + (f" ± {one.expected_error:.4f}" if one.expected_error else "")
                    ),
                ),
                ("Mean of R", lambda one: f"{one.mean:.4f} ± {one.mean_error:.4f}"),
                (
                    "Difference in standard errors",
                    lambda one: "" if math.isnan(one.deviation) else f"{one.deviation:+.2f}",
                ),
            ],
            self.checks,
            "ER(n) comes from a formula or from training sets of its own; without ± it is exact.",
        )

    def _sentence(self, about: str, scenario: str, learner: str) -> str:
        found = self.select(about=about, scenario=scenario, target=learner)
        liberal = [
            f"{one.method} ({stated(one.coverage)})" for one in found if one.verdict == LIBERAL
        ]
        where = f"{self.words[scenario, learner]}, n = {found[0].n}, {about}"
        short = f"more than two points below {nominal(self.level)} %: {', '.join(liberal) or 'none was shown to be'}"
        # Intervals for risks at different training sizes are not compared.
        sizes = sorted({one.n_train for one in found}) if about == "ER(n1)" else [found[0].n]
        bests = {
            size: narrowest(one for one in found if about != "ER(n1)" or one.n_train == size)
            for size in sizes
        }
        narrow = ", ".join(
            ("none" if best is None else best.method)
            + (f" at n1 = {size}" if len(bests) > 1 else "")
            for size, best in bests.items()
        )
        return f"{where}: {short}; the narrowest that was shown to hold: {narrow}."


def coverage(
    problems: Sequence[str | Problem] = ("gaussian-regression-20",),
    methods: Sequence[str | Procedure] = METHODS,
    *,
    n: int | Sequence[int] = (100, 500),
    loss: Any = None,
    replicates: int = 500,
    level: float = 0.95,
    truth_draws: int = DRAWS,
    test_examples: int = _TEST_EXAMPLES,
    **how: Unpack[SimulationOptions],
) -> CoverageStudy:
    """Measure the coverage of the intervals of methods, as in [1]_.

    Risks are exact where theory gives them: for linear models on Gaussian data. Elsewhere the risk R of a model is
    measured on test examples, and expected risks over independent training sets.

    Parameters
    ----------
    problems : sequence of str or Problem
        Keys such as ``"gaussian-regression-20"``, see `errbar_lab.PROBLEMS`, or problems of your own.
    methods : sequence of str or Analysis
        Methods that give an interval for a single learner, by key, or with plan and options.
    n : int or sequence of int, default (100, 500)
        Sizes of the data sets.
    loss : str, Loss or callable, optional
        As for `errbar.run`, a metric such as ``"f1"`` or ``"r2"`` too: then R is the metric of the trained model on the test examples,
        and an expected risk is its mean over training sets. By default the loss of each problem.
    replicates : int, default 500
        Data sets of each problem and size.
    level : float, default 0.95
        Confidence level of the intervals.
    truth_draws : int, default 4000
        Training sets for each expected risk that is not known exactly.
    test_examples : int, default 20000
        Test examples for each R that is not known exactly. They should be many more than n: the noise of R is counted
        against the intervals.
    **how
        `random_state`, `n_jobs`, `store`, `executor` and `progress`, as for `errbar_lab.simulate`.

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
    >>> from errbar_lab.studies._coverage import coverage
    >>> study = coverage(["gaussian-ridge-20"], ["holdout-t", "cv-wald"], n=60, replicates=5, truth_draws=20)
    >>> [(row["method"], row["target"], row["replicates"]) for row in study.records()][:3]
    [('holdout-t', 'R', 5), ('holdout-t', 'ER(n)', 5), ('holdout-t', 'ER(n1)', 5)]
    """
    posed = [one if loss is None else replace(one, loss=loss) for one in _posed(problems)]
    sizes: list[Any] = [n] if np.ndim(n) == 0 else list(n)  # type: ignore[arg-type]
    _check.count(test_examples, "test_examples")
    places = list(
        {made.name: (one, made) for one in posed for made in map(one.scenario, sizes)}.values()
    )
    if not places:
        raise InvalidInputError(
            f"must be a size of data sets such as 100, or several, got {n!r}", argument="n"
        )
    procedures, scenarios = as_procedures(methods), [scenario for _, scenario in places]
    how, asked = (
        with_root(how),
        {"replicates": replicates, "level": level, "test_examples": test_examples},
    )
    found, truths, performances = judged(
        scenarios, procedures, ABOUT, pairs=False, draws=truth_draws, how=how, **asked
    )
    settings = {
        "Problems": ", ".join(one.key for one in posed),
        "Methods": ", ".join(one.name for one in procedures),
        "Loss": ", ".join(dict.fromkeys(made.resolved_loss.key for _, made in places)),
        "Data sets": f"{replicates} of each size: {', '.join(map(str, sizes))} examples",
        "Level": f"{nominal(level)} %",
        "Random state": str(how["random_state"]),
    }
    return CoverageStudy(
        "Coverage of intervals for the generalization error",
        settings,
        performances,
        {
            (scenario.name, learner): one.words(learner)
            for one, scenario in places
            for learner in scenario.learners
        },
        tuple(_checks(found, truths)),
        found.runs[0].level,
    )


def every_method(loss: str = "squared-error", *, subject: str = "learner") -> tuple[Analysis, ...]:
    """Return all methods of the catalogue that give an interval under a loss for one data set.

    Parameters
    ----------
    loss : str, default "squared-error"
        Key of the loss, or of a metric.
    subject : {"learner", "pair"}, default "learner"
        Whether their targets are single learners, or differences of two.

    Returns
    -------
    tuple of Analysis
        With their own plans; the K-fold t comes with rho = 0.7 too.

    Examples
    --------
    >>> from errbar_lab.studies._coverage import every_method
    >>> {"binomial", "cv-wald"} - {one.name for one in every_method()}
    {'binomial'}
    """
    _check.choice(subject, ("learner", "pair"), "subject")
    asked = metrics.known(loss)
    per_example = asked is None or asked.pointwise
    found = [
        Analysis(spec.key)
        for spec in catalogue().values()
        if spec.subject in ("either", subject)
        and spec.default_plan is not None
        and spec.loss in (None, loss)
        and (per_example or spec.metrics or not spec.pointwise or spec.loss == loss)
        and spec.quantity is None
        and CLUSTERS not in spec.needs  # the problems have no groups
    ]
    return (*found, Analysis("kfold-t", options={"rho": 0.7}))


def _posed(problems: Sequence[str | Problem]) -> list[Problem]:
    if isinstance(problems, str) or not problems:
        raise InvalidInputError(
            f"must be a list of keys such as ['friedman-1'], got {problems!r}", argument="problems"
        )
    posed = [problem(one) if isinstance(one, str) else one for one in problems]
    _check.names([one.key for one in posed], "problem")
    return posed


def _checks(found: Simulation, truths: Mapping[str, Mapping[int, ExpectedRisk]]) -> Iterator[Check]:
    """Yield the mean of R against ER(n) for each learner of each scenario."""
    for run in found.runs:
        assert run.risks is not None
        for learner, risks in zip(run.scenario.learners, run.risks.T, strict=True):
            expected = truths[run.scenario.name][run.scenario.n].of(learner)
            yield Check(
                run.scenario.name, learner, *expected, float(risks.mean()), standard_error(risks)
            )


def _place(one: Performance) -> tuple[str, str, str]:
    return one.scenario, one.method, one.target
