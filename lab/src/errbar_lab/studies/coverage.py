"""Coverage of intervals: where the truth is known, and with a user's own data as the population."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Unpack

from errbar import _check
from errbar._plain import plain
from errbar.errors import InvalidInputError
from errbar.fits import learners as learners_module
from errbar.plans import KFold, NestedKFold, Subsampling, plan_of
from errbar.study import with_folds_for
from errbar_lab._experiment import (
    ABOUT,
    DRAWS,
    Analysis,
    Experiment,
    Problem,
    Procedure,
    procedures_of,
    rehearse,
)
from errbar_lab._replicates import SimulationOptions, with_root
from errbar_lab._study import Study, StudyTable, spread_out
from errbar_lab._summary import (
    LIBERAL,
    TWO_SIDED_95,
    Interval,
    Performance,
    cells_of,
    rejects,
    summary,
)
from errbar_lab.plots import Panel, intervals
from errbar_lab.populations import OwnData
from errbar_lab.studies.advice import claim, narrowest, recommend, warnings
from errbar_lab.studies.problems import problem

METHODS = ("holdout-t", "corrected-t", "conservative-z", "cv-wald", "nested-cv")
TRUTHS = ("R", "ER(n)", "ER(n1)")

FOLDS = 10
USUAL = (
    Analysis("holdout-t"),
    Analysis("corrected-t", Subsampling(repeats=15)),
    Analysis("corrected-t", KFold(FOLDS, repeats=3), name="corrected-t 3x10 folds"),
    Analysis("cv-t", KFold(FOLDS, repeats=2)),
    Analysis("cv-jackknife"),
    Analysis("cv-wald"),
    Analysis("cluster-t"),
    Analysis("kfold-t"),
    Analysis("resampled-t"),
)
"""What a calibration asks unless it is told otherwise."""

# Test examples of a model per example of its data set; data sets that are tried where a metric may be undefined.
_TESTS_PER_EXAMPLE, _REHEARSALS = 20, 20

_VERDICTS = {"nominal": "o", "liberal": "<", "conservative": ">", "undecided": "s"}


def coverage(
    problems: Sequence[str | Problem] = ("gaussian-regression-20",),
    methods: Sequence[Procedure] = METHODS,
    *,
    n: Sequence[int] = (100, 500),
    loss: Any = None,
    replicates: int = 500,
    level: float = 0.95,
    truth_draws: int = DRAWS,
    test_examples: int = 20_000,
    **how: Unpack[SimulationOptions],
) -> Study:
    """Measure coverage and width of intervals for three risks where the truth is known.

    Parameters
    ----------
    problems : sequence of str or Problem
        Keys of `PROBLEMS`, or problems of your own.
    methods : sequence of str or Analysis
        Methods that estimate the risk of one learner.
    n : sequence of int, default (100, 500)
        Examples in a data set.
    loss : str, Loss or callable, optional
        In place of the losses of the problems.
    replicates : int, default 500
        Independent data sets of each size.
    level : float, default 0.95
        Confidence level.
    truth_draws : int, default 4000
        Independent training sets behind every expected risk that no formula gives.
    test_examples : int, default 20000
        Test examples of the models of whole data sets, where no formula gives their risk.
    **how
        As for `Experiment.run`.

    Returns
    -------
    Study
        By problem, size and method the coverage of R, ER(n) and ER(n1), width and bias.

    Examples
    --------
    >>> import errbar_lab as lab
    >>> found = lab.coverage(["gaussian-ridge-20"], ["holdout-t"], n=[60], replicates=20, truth_draws=20)
    >>> [(row["target"], row["covered"]) for row in found.records]
    [('R', 18), ('ER(n)', 19), ('ER(n1)', 18)]
    """
    if isinstance(problems, str) or not problems:
        raise InvalidInputError(
            f"must be a list of keys such as ['friedman-1'], got {problems!r}", argument="problems"
        )
    posed = [problem(one) if isinstance(one, str) else one for one in problems]
    if loss is not None:
        posed = [replace(one, loss=loss) for one in posed]
    how, experiment = (
        with_root(**how),
        Experiment(posed, n, methods, level, pairs=False, about=TRUTHS),
    )
    outcomes = experiment.run(
        replicates, truth_draws=truth_draws, test_examples=test_examples, **how
    )
    words = {
        (f"{one.key}, n = {size}", learner): f"{learner}, {one.words}"
        for one in posed
        for size in n
        for learner in one.learners
    }
    found = summary(outcomes, TRUTHS)
    places = {
        place: [one for one in found if (one.scenario, one.target) == place] for place in words
    }
    settings = {
        "Problems": ", ".join(one.key for one in posed),
        "Loss": ", ".join(dict.fromkeys(one.resolved_loss.key for one in posed)),
        "Data sets": f"{replicates} of each size: {', '.join(map(str, n))} examples",
        "Level": f"{100.0 * level:g} %",
        "Random state": str(how["random_state"]),
    }
    title = "Coverage of intervals for the generalization error"
    named = [words[one.scenario, one.target] for one in found]
    return Study(
        "coverage",
        title,
        settings,
        (
            *(
                _table(f"{words[place]}, n = {own[0].n}", own, TRUTHS, ER_N1)
                for place, own in places.items()
            ),
        ),
        tuple(
            _sentence(f"{words[place]}, n = {own[0].n}", own, truth)
            for place, own in places.items()
            for truth in TRUTHS
        ),
        {
            "title": title,
            "settings": settings,
            "level": level,
            "performances": [
                {"problem": name, **vars(one)} for name, one in zip(named, found, strict=True)
            ],
        },
        _records(found, named),
        [_panels(f"{words[place]}, n = {own[0].n}", own, TRUTHS) for place, own in places.items()],
        outcomes,
    )


ER_N1 = "ER(n1)"


def _records(found: Any, named: Any) -> Any:
    own = {(one.scenario, one.method, one.target): one for one in found if one.about == ER_N1}
    rows = []
    for name, one in zip(named, found, strict=True):
        at_n1 = own[one.scenario, one.method, one.target]
        rows.append(
            {
                "method": one.method,
                "problem": name,
                "n": one.n,
                "target": one.about,
                "level": one.level,
                "covered": one.coverage.count,
                "replicates": one.coverage.total,
                "width": round(one.width, 4),
                "n_train": float(one.n_train),
                "bias": round(at_n1.bias, 5),
                "bias_error": round(at_n1.bias_error, 5),
            }
        )
    return rows


def _sentence(where: str, own: Any, about: str) -> str:
    found = [one for one in own if one.about == about]
    liberal = [
        f"{one.method} ({100.0 * one.coverage.value:.1f} %)"
        for one in found
        if one.verdict == LIBERAL
    ]
    best = narrowest(found)
    return (
        f"{where}, {about}: more than two points below the level: {', '.join(liberal) or 'none'}; "
        f"the narrowest that was shown to hold: {best.method if best else 'none'}."
    )


def _table(
    name: str,
    own: Any,
    about: Any,
    main: str,
    verdicts: Mapping[str, str] | None = None,
) -> StudyTable:
    """Return the table of one target, a row per method."""
    shares = {(one.method, one.about): one.coverage for one in own}
    rows = [
        {
            "Method": one.method,
            "n1": one.n_train,
            **{truth: shares[one.method, truth].value for truth in about},
            "Width": one.width,
            "Bias": f"{one.bias:+.3g} ± {one.bias_error:.1g}",
            "Degenerate": one.degenerate,
            **({"Verdict": verdicts[one.method]} if verdicts else {}),
        }
        for one in own
        if one.about == main
    ]
    total = own[0].coverage.total
    return StudyTable(
        f"Share of {100.0 * own[0].level:g} % intervals that hold the true value: {name}",
        rows,
        "R is the risk of the model trained on all n examples, ER(n) its expectation over data "
        "sets, ER(n1) that at the training size of the method, PQ the mean risk of the models of "
        f"its splits; the bias is against {main}. One standard error of a share of .95 is "
        f"{math.sqrt(0.95 * 0.05 / total):.2g}.",
    )


def _panels(name: str, own: Any, about: Any) -> list[Panel]:
    """Return the panels of one target: the coverage of each truth, by verdict, and the width."""
    methods = list(dict.fromkeys(one.method for one in own))
    level, lowest = own[0].level, min(one.coverage.low for one in own)
    panels: list[Panel] = []
    for truth in about:
        series = [
            intervals(
                {
                    methods.index(one.method): one.coverage
                    for one in own
                    if (one.about, one.verdict) == (truth, verdict)
                },
                verdict,
                style=style,
                marker=marker,
            )
            for style, (verdict, marker) in enumerate(_VERDICTS.items())
        ]
        panels.append(
            Panel(
                series,
                title="" if panels else name,
                xlabel=f"coverage of {truth}, %",
                rows=methods,
                upright={f"level {100.0 * level:g} %": 100.0 * level},
                limits=(100.0 * lowest - 2.0, 101.0),
            )
        )
    widths = {
        methods.index(one.method): _around(one.width, one.width_error)
        for one in own
        if one.about == about[0] and math.isfinite(one.width)
    }
    widths_shown = intervals(widths, scale=1.0, style=4, marker="D")
    return [*panels, Panel([widths_shown], xlabel="mean width", rows=methods)]


def _around(value: float, error: float) -> Interval:
    return Interval(value, value - TWO_SIDED_95 * error, value + TWO_SIDED_95 * error)


def calibrate(
    X: Any,
    y: Any,
    learners: Mapping[str, Any],
    *,
    n: int | None = None,
    methods: Sequence[Procedure] | None = None,
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
) -> Study:
    """Measure coverage of each method with your data as the population, and say which to use.

    Parameters
    ----------
    X, y : array-like or frame
        Features and targets, as learners take them.
    learners : mapping of str to estimator
        Learners by name.
    n : int, optional
        Examples in a data set; by default a tenth of the data, within 50 and 300.
    methods : sequence of str or Analysis, optional
        By default eight that are often used, without those that do not suit the data.
    replicates : int, default 1000
        Data sets that are drawn.
    level : float, default 0.95
        Confidence level.
    loss, positive
        As for `errbar.run`.
    groups : array-like, optional
        Group of each example; whole groups are drawn then.
    stratify : bool, default False
        Whether splits keep the shares of the classes.
    about : str or sequence of str, default ("ER(n1)", "ER(n)", "PQ", "R")
        Truths that intervals are compared with.
    replacement : bool, default False
        Whether data sets are drawn with replacement.
    truth_draws : int, default 2000
        Training sets behind every expected risk.
    **how
        As for `Experiment.run`.

    Returns
    -------
    Study
        By learner and pair the coverages of each method; the content has recommendations and warnings.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import Ridge
    >>> import errbar_lab as lab
    >>> X = np.random.default_rng(0).normal(size=(400, 3))
    >>> found = lab.calibrate(X, X[:, 0], {"ridge": Ridge()}, methods=["cv-t"], replicates=3, truth_draws=3)
    >>> [one["method"] for one in found.content["recommendations"]]
    [None, None, None]
    """
    wanted = (about,) if isinstance(about, str) else tuple(about)
    for one in wanted or ("",):
        _check.choice(one, ABOUT, "about")
    asked = tuple(one for one in ABOUT if one in wanted)
    checked, task = learners_module.check(learners)
    population = OwnData.of(X, y, task, groups, positive=positive, replacement=replacement)
    size = population.chosen_size(n)
    posed, how = Problem(population, checked, loss, key="data"), with_root(**how)
    tried, left_out = _candidates(methods, posed, size, stratify=_check.flag(stratify, "stratify"))
    outcomes = Experiment([posed], [size], tried, level, about=asked).run(
        replicates, truth_draws=truth_draws, test_examples=_TESTS_PER_EXAMPLE * size, **how
    )
    targets = list(dict.fromkeys(outcomes["target"]))
    found = sorted(summary(outcomes, asked), key=lambda one: targets.index(one.target))
    claims = {one.name: claim(one) for one in tried}
    own = {name: one.about if one.about in asked else asked[0] for name, one in claims.items()}
    main = [one for one in found if one.about == (claims[one.method].about or asked[0])] or found
    differ = {
        (cell["target"].iloc[0], cell["method"].iloc[0]): float(rejects(cell, 0.0).mean())
        for cell in cells_of(outcomes[outcomes["minus"] != ""])
    }
    records = [
        plain(
            _record(one, differ.get((one.target, one.method)), claimed=own[one.method] == one.about)
        )
        for one in found
    ]
    advice, warned = recommend(found, claims), warnings(main, population, left_out)
    truths = _truths(outcomes)
    title = "Size and coverage of methods for these learners, with the data as the population"
    settings = _settings(posed, size, replicates, level, truth_draws) | {
        "Random state": str(how["random_state"])
    }
    by_target = {name: [one for one in found if one.target == name] for name in targets}
    several = len(targets) > 1
    said = [one["text"] for one in advice if (one["target"] is None) == several]
    return Study(
        "calibrate",
        title,
        settings,
        (
            *(
                _table(name, each, asked, asked[0], _verdicts(each, own))
                for name, each in by_target.items()
            ),
            *([StudyTable("Expected risks in the population", truths)] if truths else []),
        ),
        (*said, *warned),
        {
            "title": title,
            "settings": settings,
            "level": level,
            "about": asked,
            "performances": records,
            "truths": truths,
            "recommendations": advice,
            "warnings": warned,
            "left_out": left_out,
        },
        records,
        [_panels(name, each, asked) for name, each in by_target.items()],
        outcomes,
    )


def _candidates(
    methods: Sequence[Procedure] | None, posed: Problem, n: int, *, stratify: bool
) -> tuple[list[Procedure], dict[str, str]]:
    """Return the methods that suit the data, and why others were left out; those that were asked for must suit."""
    population: Any = posed.population
    units = population.units_of(n)
    times = 1 if posed.resolved_loss.pointwise else _REHEARSALS
    found, left_out = [], {}
    for one in procedures_of(USUAL if methods is None else methods):
        adapted = one
        if isinstance(one, Analysis):
            [plan] = one.plans
            if isinstance(plan, KFold) and plan.folds == FOLDS > units < n:
                plan = KFold(units, repeats=plan.repeats)
            elif isinstance(plan, NestedKFold):
                plan = with_folds_for(plan, units, grouped=units < n)
            adapted = Analysis(one.method, plan_of(plan, stratify=stratify), one.options, one.name)
        try:
            rehearse(posed, n, adapted, pairs=True, times=times)
        except InvalidInputError as error:
            if methods is not None:
                raise
            left_out[one.name] = str(error)
        else:
            found.append(adapted)
    if not found:
        name, reason = next(iter(left_out.items()))
        raise InvalidInputError(f"none of the usual methods fits such data sets; {name}: {reason}")
    return found, left_out


def _settings(posed: Problem, n: int, count: int, level: float, draws: int) -> dict[str, str]:
    population: Any = posed.population
    grouped = population.groups is not None
    among = f" in {population.units} groups" if grouped else ""
    within = f" or so in {population.units_of(n)} groups" if grouped else ""
    way = "with" if population.replacement else "without"
    return {
        "Population": f"the data, {population.size} examples{among}",
        "Data sets": f"{count} of {n} examples{within}, drawn {way} replacement",
        "Learners": ", ".join(posed.learners),
        "Loss": posed.resolved_loss.key,
        "Level": f"{100.0 * level:g} %",
        "Truth": f"{draws} independent training sets of each size",
    }


def _record(one: Performance, differ: float | None, *, claimed: bool) -> Any:
    def fields(*names: str) -> Any:
        return {name: getattr(one, name) for name in names}

    return {
        **fields("method", "target", "n", "about", "n_train", "truth", "level"),
        "replicates": one.coverage.total,
        **spread_out("coverage", one.coverage),
        **spread_out("size", one.size),
        **fields("width", "width_error", "bias", "bias_error", "degenerate"),
        "finds_difference": differ,
        "verdict": one.verdict,
        "more_data_sets": one.more,
        "claimed": claimed,
    }


def _truths(outcomes: Any) -> Any:
    """Return the expected risk of each target at each training size that was asked about."""
    rows = {}
    for cell in cells_of(outcomes):
        first = cell.iloc[0]
        for about, size in (("ER(n1)", "n1"), ("ER(n)", "n")):
            if about in cell:
                values = (float(first[about]), float(first[f"{about} error"]))
                rows[first["target"], int(first[size])] = values
    targets = list(dict.fromkeys(target for target, _ in rows))
    return [
        {"target": target, "n_train": size, "value": value, "standard_error": error}
        for (target, size), (value, error) in sorted(
            rows.items(), key=lambda row: (targets.index(row[0][0]), row[0][1])
        )
    ]


def _verdicts(each: Any, own: Any) -> dict[str, str]:
    """Return the verdict on the risk that each method is about, and how many more data sets would tell."""
    found = {}
    for one in each:
        if one.about == own[one.method]:
            more = f": {one.more:.2g} more" if 0.0 < one.more < math.inf else ""
            found[one.method] = f"{one.about} {one.verdict}{more}"
    return found
