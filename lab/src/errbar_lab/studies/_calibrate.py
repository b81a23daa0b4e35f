"""Size and coverage of methods for your own learners, with your own data as the population.

Varied: the learner, or the difference of two, and the method. Recorded: every interval, and the risks of the models that it
was computed from. The summary is the coverage of each risk that an interval may be about, the share of tests that
reject the expected risk at the method's own training size, and a recommendation for each of these risks.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Unpack

import numpy as np

from errbar import _check, _rng
from errbar.errors import InvalidInputError
from errbar.fits import learners as learners_module
from errbar.methods._core.registry import lookup
from errbar_lab._replicates import (
    Arrays,
    SimulationOptions,
    replicates as run_replicates,
    with_root,
)
from errbar_lab._scenario import Analysis, Procedure, Scenario, named_targets
from errbar_lab._simulation import Outcomes, Run, Simulation
from errbar_lab._summary import performance, rejections
from errbar_lab._truth import TEST_EXAMPLES, ExpectedRisk
from errbar_lab.studies._advice import ABOUT, OWN, Claim, recommend, warnings
from errbar_lab.studies._calibration import Calibration
from errbar_lab.studies._candidates import KnownData, candidates
from errbar_lab.studies._cells import nominal
from errbar_lab.studies._own import TESTS_PER_EXAMPLE, OwnResults, OwnTruths, digest_of
from errbar_lab.studies._population import OwnData

__all__ = ["calibrate"]

_REHEARSALS = 20


def calibrate(
    X: Any,
    y: Any,
    learners: Mapping[str, Any],
    *,
    n: int | None = None,
    methods: Sequence[str | Procedure] | None = None,
    replicates: int = 1000,
    level: float = 0.95,
    loss: Any = None,
    positive: Any = None,
    groups: Any = None,
    stratify: bool = False,
    about: str | Sequence[str] = ABOUT,
    replacement: bool = False,
    truth_draws: int = 2000,
    **how: Unpack[SimulationOptions],
) -> Calibration:
    r"""Measure size and coverage of methods for your own learners on data sets drawn from your own data.

    The data serve as the population: data sets of n examples are drawn from them again and again, and every
    method is applied to every learner and every difference. In the population the true risks are known, so the
    coverage of intervals and the size of tests can be counted.

    Parameters
    ----------
    X : array-like, sparse matrix or data frame, shape (size, features)
        Features, as for `errbar.run`: text and gaps are the learners' business.
    y : array-like, shape (size,)
        Classes, or numbers for regressors.
    learners : mapping of str to estimator
        Learners by name.
    n : int, optional
        Examples in a data set. By default a tenth of the data, but at least 50, and 20 groups, at most 300 and at most half.
    methods : sequence of str or Analysis, optional
        Methods by key, or with plan and options. By default those that are often used and fit the data; ``left_out`` of the result says
        why others do not.
    replicates : int, default 1000
        Data sets. A method whose coverage is 95 % is shown to be nominal with 626 of them if exactly 95 % of its intervals
        cover the truth, and needs more if chance is against it.
    level : float, default 0.95
        Confidence level of the intervals; tests are at 1 - level, two-sided.
    loss : str, Loss or callable, optional
        As for `errbar.run`.
    positive : object, optional
        Label of the positive class, for metrics such as F1.
    groups : array-like, shape (size,), optional
        Group (cluster) of each example: whole groups are drawn, the same number for every data set, and splits keep them together.
    stratify : bool, default False
        Whether splits keep the shares of the classes.
    about : str or sequence of str, default ("ER(n1)", "ER(n)", "PQ", "R")
        Truths: the expected risk at the training size of the method, or at that of a data set; the mean risk of just the models of
        the method's splits; the risk of the model that is trained on the whole data set. Without the last two, models need
        not be tested on other examples, which saves time where predictions are slow.
    replacement : bool, default False
        Whether the examples, or groups, of a data set are drawn with replacement.
    truth_draws : int, default 2000
        Independent training sets from which each expected risk is computed.
    **how
        `random_state`, `n_jobs`, `store`, `executor` and `progress`, as for `errbar_lab.simulate`.

    Returns
    -------
    Calibration
        Sizes, coverages and widths, a recommendation, and warnings.

    Raises
    ------
    InvalidInputError
        If there are too few examples, or a method that was asked for does not fit.
    FitFailedError
        If replicates failed; all others were finished, and kept, first.

    Notes
    -----
    *Verdicts.* A coverage has a 95 % Wilson interval. A method is nominal where the whole of it lies within two points of the level,
    liberal or conservative where the whole of it lies beyond them, and undecided otherwise; its attribute ``more`` says how many more
    data sets would tell. A method is recommended only if the interval begins at the level less two points or above:
    never because no fault was found. Of those, the one with the narrowest intervals is taken, among methods about the same risk
    at the same training size. With k methods some may pass by chance: the interval is that of one share.

    *Why a tenth.* Without replacement a mean over n of N examples has only the share :math:`1 - (n-1)/(N-1)` of the
    variance that independent examples would give it, while methods estimate the variance of independent ones. So with n
    a large part of N every method that uses all n examples looks more conservative than it is: at n = N/10 a 95 %
    interval that is exact for independent examples covers the truth in up to 96.1 % of the data sets, at n = N/2 in up to
    99.4 %. *With replacement* the examples are independent, which is a valid simulation for any n up to N; but then
    a test example may also be a training example, which makes learners that memorize look better than they are. The data sets
    are independent draws in both cases, though they overlap, so the Monte-Carlo intervals are about the truth in this
    very population, not in the one it was drawn from.

    *What the truth is measured on.* The risks of models, PQ and R, are measured on 20 n other examples where there are as many. Where these
    are few of many, the noise of the measurement is counted against the intervals: it lowers a coverage of 95 % by up to half a
    point.

    Sizes found with n examples are those for data sets of n. With more examples the estimates of neighbouring folds
    or splits become less dependent on single training sets, as a rule, and tests come nearer to their level.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LinearRegression, Ridge
    >>> from errbar_lab.studies._calibrate import calibrate
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(600, 3))
    >>> y = X[:, 0] + rng.normal(size=600)
    >>> learners = {"least squares": LinearRegression(), "ridge": Ridge()}
    >>> found = calibrate(X, y, learners, methods=["corrected-t", "cv-wald"], replicates=10, truth_draws=20)
    >>> found.targets
    ('least squares', 'ridge', 'least squares - ridge')
    """
    asked = _about(about)
    checked, task = learners_module.check(learners)
    population = OwnData.of(X, y, task, groups=groups, positive=positive, replacement=replacement)
    size = population.chosen_size(n)
    scenario = Scenario(population, size, checked, loss, name=f"data sets of {size}")  # type: ignore[arg-type] # draws its own way
    procedures, left_out = candidates(
        methods, _rehearsed(scenario, population), stratify=_check.flag(stratify, "stratify")
    )
    level, count = _check.level(level), _check.count(replicates, "replicates", 2)
    draws, how = _check.count(truth_draws, "truth_draws", 2), with_root(how)
    sets = _data_sets(scenario, procedures, level, positive, tested=bool({"PQ", "R"} & set(asked)))
    [found] = run_replicates([sets], count, **how)
    outcomes = _outcomes(
        Run(scenario, procedures, sets.targets, level, found["results"], None), population
    )
    sizes = sorted({size, *(one.training_size for one in outcomes if "ER(n1)" in asked)})
    truths = _truths(scenario, sizes, positive, draws, how)
    performances = tuple(
        performance(one, _truth(one, truth, truths, found, procedures, scenario), truth)
        for one in outcomes
        for truth in asked
    )
    names = list(named_targets(list(checked)))
    performances = tuple(sorted(performances, key=lambda one: names.index(one.target)))
    claims = {one.name: _claim(one) for one in procedures}
    main = [one for one in performances if one.about == (claims[one.method].about or asked[0])]
    return Calibration(
        title="Size and coverage of methods for these learners, with the data as the population",
        settings=_settings(scenario, population, procedures, count, level, draws)
        | {"Random state": str(how["random_state"])},
        performances=performances,
        differences={
            (one.target, one.method): rejections(one, 0.0)
            for one in outcomes
            if one.minus is not None
        },
        truths=truths,
        recommendations=recommend(performances, claims),
        warnings=warnings(main or performances, truths, population, left_out),
        about=asked,
        level=level,
        claims=claims,
        left_out=left_out,
    )


def _about(about: str | Sequence[str]) -> tuple[str, ...]:
    wanted = (about,) if isinstance(about, str) else tuple(about)
    if not wanted:
        raise InvalidInputError(
            f"must name a truth, such as 'ER(n1)'; it is one of {', '.join(ABOUT)}",
            argument="about",
        )
    for one in wanted:
        _check.choice(one, ABOUT, "about")
    return tuple(one for one in ABOUT if one in wanted)


def _settings(
    scenario: Scenario,
    population: OwnData,
    procedures: Sequence[Procedure],
    count: int,
    level: float,
    draws: int,
) -> dict[str, str]:
    n, grouped = scenario.n, population.groups is not None
    return {
        "Population": f"the data, {population.size} examples"
        + (f" in {population.units} groups" if grouped else ""),
        "Data sets": f"{count} of {n} examples"
        + (f" or so in {population.units_of(n)} groups" if grouped else "")
        + f", drawn {'with' if population.replacement else 'without'} replacement",
        "Learners": ", ".join(scenario.learners),
        "Loss": scenario.resolved_loss.key,
        "Methods": ", ".join(one.name for one in procedures),
        "Level": f"{nominal(level)} %",
        "Truth": f"{draws} independent training sets of each size",
    }


def _rehearsed(scenario: Scenario, population: OwnData) -> list[KnownData]:
    """Return data sets on which methods are tried without any fit; several where a metric may be undefined on some."""
    loss, rng, found = scenario.resolved_loss, _rng.stream(0, "rehearsal"), []
    for _ in range(1 if loss.pointwise else _REHEARSALS):
        drawn = population.drawn(scenario.n, 0, rng)
        found.append(
            KnownData(
                drawn, replace(population.data.target, values=drawn.codes), loss, scenario.targets()
            )
        )
    return found


def _data_sets(
    scenario: Scenario,
    procedures: tuple[Procedure, ...],
    level: float,
    positive: Any,
    *,
    tested: bool,
) -> OwnResults:
    tests = TESTS_PER_EXAMPLE * scenario.n if tested else 0
    digest = digest_of(
        scenario, positive, "calibrated", *procedures, level, scenario.targets(), tests
    )
    return OwnResults.of(
        scenario,
        digest,
        procedures=procedures,
        targets=scenario.targets(),
        level=level,
        test_examples=tests,
        positive=positive,
    )


def _outcomes(run: Run, population: OwnData) -> list[Outcomes]:
    """Return the results of all methods; their training sizes are those of whole groups."""
    return [
        replace(
            one,
            n_train=np.full(one.n_train.size, float(population.rounded(float(one.n_train.mean())))),
        )
        for one in Simulation((run,))
    ]


def _truths(
    scenario: Scenario, sizes: Sequence[int], positive: Any, draws: int, how: SimulationOptions
) -> dict[int, ExpectedRisk]:
    """Return the expected risks at several training sizes."""
    experiments = [
        OwnTruths.of(
            scenario,
            digest_of(scenario, positive, "truth", size),
            name=f"risk at {size}",
            n=size,
            test_examples=TEST_EXAMPLES,
            positive=positive,
        )
        for size in sizes
    ]
    found = {}
    for size, arrays in zip(sizes, run_replicates(experiments, draws, **how), strict=True):
        values = arrays["risks"]
        covariance = np.atleast_2d(np.cov(values, rowvar=False)) / draws
        found[size] = ExpectedRisk(
            size, tuple(scenario.learners), values.mean(axis=0), covariance, draws
        )
    return found


def _truth(
    one: Outcomes,
    about: str,
    truths: Mapping[int, ExpectedRisk],
    found: Arrays,
    procedures: Sequence[Procedure],
    scenario: Scenario,
) -> Any:
    """Return what an interval should cover, in every data set."""
    if about in ("ER(n1)", "ER(n)"):
        size = one.n if about == "ER(n)" else one.training_size
        return np.full(one.estimate.size, truths[size].of(one.learner, one.minus)[0])
    place = [own.name for own in procedures].index(one.method)
    risks, names = (
        found["risks"] if about == "R" else found["proxies"][:, place],
        list(scenario.learners),
    )
    return risks[:, names.index(one.learner)] - (
        0.0 if one.minus is None else risks[:, names.index(one.minus)]
    )


def _claim(procedure: Procedure) -> Claim:
    about = (
        OWN.get(lookup(procedure.method).estimand, "") if isinstance(procedure, Analysis) else ""
    )
    return Claim(about, " and ".join(map(str, procedure.plans)))
