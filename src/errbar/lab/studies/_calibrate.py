"""Size and coverage of methods for your own learners, with your own data as the population."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from errbar import _check, _rng
from errbar.engine import Executor, Progress, learners as learners_module
from errbar.engine.data import prepare
from errbar.errors import InvalidInputError
from errbar.lab._scenario import Judge, Scenario
from errbar.lab._simulation import Simulation, simulate
from errbar.lab._summary import Performance, Proportion, judge, power, proportion
from errbar.lab._truth import ExpectedRisk, expected_risks
from errbar.lab.populations import FinitePopulation
from errbar.lab.studies._advice import Recommendation, parts, recommend, warnings
from errbar.lab.studies._coverage import analyses, rehearse
from errbar.lab.studies._study import StudyTable
from errbar.lab.studies._verdicts import in_percent, nominal, verdict

__all__ = ["ABOUT", "METHODS", "Calibration", "Recommendation", "calibrate", "recommend"]

METHODS = ("holdout-t", "resampled-t", "corrected-t", "kfold-t", "cv-wald", "5x2cv-t")
"""The methods that are calibrated unless others are named; together they cost 36 fits per learner and data set."""

ABOUT = ("ER(n1)", "ER(n)")
"""What intervals may be asked to hold: the expected risk at the method's own training size, or at that of a data set."""

_SHARE, _LEAST, _MOST = 10, 50, 300
_TEST_EXAMPLES = 2000


@dataclass(frozen=True, eq=False)
class Calibration:
    """Size and coverage of methods on data sets drawn from the user's data.

    Attributes
    ----------
    title : str
        What was studied.
    settings : mapping of str to str
        What was done.
    performances : tuple of Performance
        One per learner or difference, method and truth.
    differences : mapping of tuple of str to Proportion
        Share of data sets in which equality is rejected, by target and method; for differences only.
    truths : mapping of int to ExpectedRisk
        Expected risks by training size.
    recommendations : tuple of Recommendation
        One per learner and difference, and the last for all together where there are several.
    warnings : tuple of str
        What to bear in mind, in sentences.
    about : {"ER(n1)", "ER(n)"}
        The truth that the recommendations are about.
    level : float
        Nominal coverage; tests are at 1 - level.
    """

    title: str
    settings: Mapping[str, str]
    performances: tuple[Performance, ...]
    differences: Mapping[tuple[str, str], Proportion]
    truths: Mapping[int, ExpectedRisk]
    recommendations: tuple[Recommendation, ...]
    warnings: tuple[str, ...]
    about: str
    level: float

    @property
    def targets(self) -> tuple[str, ...]:
        """Learners, then differences."""
        return tuple(dict.fromkeys(one.target for one in sorted(self.performances, key=self._rank)))

    def select(self, target: str, about: str | None = None) -> list[Performance]:
        """Return how the methods do about a learner or a difference.

        Parameters
        ----------
        target : str
            Such as ``"tree"`` or ``"tree - forest"``.
        about : {"ER(n1)", "ER(n)"}, optional
            Truth; by default that of the recommendations.

        Returns
        -------
        list of Performance
            One per method.
        """
        asked = self.about if about is None else _check.choice(about, ABOUT, "about")
        return [one for one in self.performances if (one.target, one.about) == (target, asked)]

    def tables(self) -> tuple[StudyTable, ...]:
        """Return a table per learner and difference, and the true values."""
        return (*(self._table(target) for target in self.targets), self._truth_table())

    def conclusion(self) -> tuple[str, ...]:
        """Return the recommendations, the one for all together first, then the warnings."""
        texts = [one.text for one in sorted(self.recommendations, key=lambda one: one.target is not None)]
        return (*texts, *self.warnings)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {
            "study": "calibrate",
            "title": self.title,
            "settings": dict(self.settings),
            "level": self.level,
            "about": self.about,
            "performances": list(self.records()),
            "truths": self._truths(),
            "recommendations": [
                {"target": one.target, "method": one.method, "text": one.text} for one in self.recommendations
            ],
            "warnings": list(self.warnings),
        }

    def records(self) -> Sequence[Mapping[str, Any]]:
        """Return one flat row per target, method and truth."""
        return [self._record(one) for one in self.performances]

    def _record(self, one: Performance) -> dict[str, Any]:
        found = self.differences.get((one.target, one.method))
        plain = one.to_dict()
        return {
            "method": one.method,
            "target": one.target,
            "n": one.n,
            "about": one.about,
            "n_train": one.n_train,
            "truth": plain["truth"],
            "level": one.level,
            "replicates": one.coverage.total,
            "coverage": one.coverage.value,
            "coverage_low": one.coverage.low,
            "coverage_high": one.coverage.high,
            "size": one.size.value,
            "size_low": one.size.low,
            "size_high": one.size.high,
            "width": plain["width"],
            "width_error": plain["width_error"],
            "bias": plain["bias"],
            "bias_error": plain["bias_error"],
            "degenerate": one.degenerate,
            "finds_difference": None if found is None else found.value,
            "verdict": verdict(one),
        }

    def _truths(self) -> list[dict[str, Any]]:
        targets = {(one.target, one.n_train) for one in self.performances} | {
            (one.target, one.n) for one in self.performances
        }
        rows = []
        for target, size in sorted(targets, key=lambda place: (self.targets.index(place[0]), place[1])):
            value, error = self.truths[size].of(*self._parts(target))
            rows.append({"target": target, "n_train": size, "value": value, "standard_error": error})
        return rows

    def _parts(self, target: str) -> tuple[str, str | None]:
        return parts(target, next(iter(self.truths.values())).learners)

    def _rank(self, one: Performance) -> int:
        names = next(iter(self.truths.values())).learners
        return names.index(one.target) if one.target in names else len(names)

    def _table(self, target: str) -> StudyTable:
        pair = self._parts(target)[1] is not None
        both = zip(self.select(target, "ER(n1)"), self.select(target, "ER(n)"), strict=True)
        headers = ("Method", "n1", "Coverage of ER(n1), %", "Coverage of ER(n), %", "Size, %", "Width", "Bias")
        title = f"Share of {nominal(self.level)} % intervals that hold the truth about {target}"
        return StudyTable(
            f"calibrate-{target}".replace(" ", "-"),
            title,
            (*headers, *(["Finds a difference, %"] if pair else []), "Verdict"),
            tuple(self._cells(own, whole, pair=pair) for own, whole in both),
            "The size is the share of tests that reject the true value of ER(n1)"
            + (", and the column after the bias the share that reject equality. " if pair else ". ")
            + f"± is one Monte-Carlo standard error. The verdict is about {self.about}.",
            optional=("Bias",),
        )

    def _cells(self, own: Performance, whole: Performance, *, pair: bool) -> tuple[str, ...]:
        found = self.differences.get((own.target, own.method))
        return (
            own.method,
            str(own.n_train),
            in_percent(own.coverage),
            in_percent(whole.coverage),
            in_percent(own.size),
            f"{own.width:.3g} ± {own.width_error:.1g}",
            f"{own.bias:+.3g} ± {own.bias_error:.1g}",
            *(["" if found is None else in_percent(found)] if pair else []),
            verdict(own if self.about == "ER(n1)" else whole),
        )

    def _truth_table(self) -> StudyTable:
        rows = [
            (row["target"], str(row["n_train"]), f"{row['value']:.4g} ± {row['standard_error']:.1g}")
            for row in self._truths()
        ]
        return StudyTable(
            "truths",
            "Expected risks in the population",
            ("Learner or difference", "Training size", "Expected risk"),
            tuple(rows),
            f"From {next(iter(self.truths.values())).draws} independent training sets of each size; ± is one standard error.",
        )


def calibrate(
    X: Any,
    y: Any,
    learners: Mapping[str, Any],
    *,
    n: int | None = None,
    methods: Sequence[str | Judge] = METHODS,
    replicates: int = 300,
    level: float = 0.95,
    loss: Any = None,
    about: str = "ER(n1)",
    replacement: bool = False,
    truth_draws: int = 2000,
    random_state: Any = 0,
    n_jobs: int | None = None,
    store: str | Path | None = None,
    executor: Executor | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> Calibration:
    r"""Measure size and coverage of methods for your own learners on data sets drawn from your own data.

    The data are taken for the population: data sets of n examples are drawn from them again and again, and every
    method is asked about every learner and every difference. In the population the truth is known, so the share of
    intervals that hold it can be counted, and the share of tests that reject it.

    Parameters
    ----------
    X : array-like, shape (size, features)
        Features: numbers only and none missing. Encode categories and fill gaps first.
    y : array-like, shape (size,)
        Classes, or numbers for regressors. Learners see classes as whole numbers from 0, in sorted order.
    learners : mapping of str to estimator
        Learners by name.
    n : int, optional
        Examples in a data set. By default a tenth of the data, but at least 50, at most 300 and at most half.
    methods : sequence of str or Analysis
        Methods by key, or with plan and options. By default the cheap ones.
    replicates : int, default 300
        Data sets. At a coverage of 95 % the Monte-Carlo interval reaches 2.5 percentage points to either side with
        300, and 1 with 2000.
    level : float, default 0.95
        Confidence level of the intervals; tests are at 1 - level, two-sided.
    loss : str, Loss or callable, optional
        As for `errbar.run`.
    about : {"ER(n1)", "ER(n)"}, default "ER(n1)"
        Truth that recommendations are about: the expected risk at the training size of the method, of which it speaks,
        or that at n, of which most users think.
    replacement : bool, default False
        Whether the examples of a data set are drawn with replacement.
    truth_draws : int, default 2000
        Independent training sets from which each expected risk is computed.
    random_state, n_jobs, store, executor, progress
        As for `errbar.lab.simulate`.

    Returns
    -------
    Calibration
        Sizes, coverages and widths, a recommendation, and warnings.

    Raises
    ------
    InvalidInputError
        If features are not numbers, there are too few of them, or a method does not fit.
    FitFailedError
        If replicates failed; all others were finished, and kept, first.

    Notes
    -----
    *Why a tenth.* Without replacement a mean over n of N examples has only the share :math:`1 - (n-1)/(N-1)` of the
    variance that independent examples would give it, while methods estimate the variance of independent ones. So with n
    a large part of N every method that uses all n examples looks more conservative than it is: at n = N/10 a 95 %
    interval that is exact for independent examples holds the truth in up to 96.1 % of the data sets, at n = N/2 in up to
    99.4 %. *With replacement* the examples are independent, and that is an honest trial for any n up to N; but then an
    example that is tested on may also be one of those trained on, which flatters learners that memorize. The data sets
    are independent draws in both cases, though they overlap, so that the Monte-Carlo intervals hold for the truth in this
    very population, not for the one it was drawn from.

    Sizes found with n examples are those for data sets of n. With more examples the estimates of neighbouring folds
    or splits become less dependent on single training sets, as a rule, and tests come nearer to their level.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LinearRegression, Ridge
    >>> from errbar.lab.studies._calibrate import calibrate
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(600, 3))
    >>> y = X[:, 0] + rng.normal(size=600)
    >>> learners = {"least squares": LinearRegression(), "ridge": Ridge()}
    >>> found = calibrate(X, y, learners, methods=["corrected-t", "cv-wald"], replicates=10, truth_draws=20)
    >>> found.targets
    ('least squares', 'ridge', 'least squares - ridge')
    """
    _check.choice(about, ABOUT, "about")
    population = _population(X, y, learners, replacement=replacement)
    scenario = Scenario(population, _size(population, n), learners, loss, name=f"data sets of {_size(population, n)}")
    judges = analyses(methods)
    rehearse(scenario, judges, pairs=True)
    base = _rng.root(random_state)
    means: dict[str, Any] = {
        "random_state": base,
        "n_jobs": n_jobs,
        "store": store,
        "executor": executor,
        "progress": progress,
    }
    found = simulate(scenario, judges, replicates=replicates, level=level, **means)
    sizes = sorted({one.training_size for one in found} | {scenario.n})
    truths = expected_risks(scenario, sizes, draws=truth_draws, test_examples=_TEST_EXAMPLES, **means)
    settings = {
        "Population": f"the data, {population.size} examples",
        "Data sets": f"{replicates} of {scenario.n} examples, drawn {'with' if replacement else 'without'} replacement",
        "Learners": ", ".join(scenario.learners),
        "Loss": scenario.resolved_loss.key,
        "Methods": ", ".join(one.name for one in judges),
        "Level": f"{nominal(level)} %",
        "Truth": f"{truth_draws} independent training sets of each size",
        "Random state": str(base),
    }
    return _calibration(found, truths, population, about, settings)


def _calibration(
    found: Simulation,
    truths: Mapping[int, ExpectedRisk],
    population: FinitePopulation,
    about: str,
    settings: Mapping[str, str],
) -> Calibration:
    [run] = found.runs
    judged = {name: judge(found, {run.scenario.name: truths}, name) for name in ABOUT}
    found_differences = {
        (one.target, one.method): proportion(round(float(power(one, 0.0)) * one.low.size), one.low.size)
        for one in found
        if one.minus is not None
    }
    order = {target: place for place, target in enumerate(_names(run.targets))}
    main = sorted(judged[about], key=lambda one: order[one.target])
    return Calibration(
        title="Size and coverage of methods for these learners, with the data as the population",
        settings=settings,
        performances=tuple(one for both in zip(*judged.values(), strict=True) for one in both),
        differences=found_differences,
        truths=truths,
        recommendations=recommend(main),
        warnings=warnings(main, truths, population),
        about=about,
        level=run.level,
    )


def _names(targets: Sequence[tuple[str, str | None]]) -> list[str]:
    return [name if minus is None else f"{name} - {minus}" for name, minus in targets]


def _population(X: Any, y: Any, learners: Mapping[str, Any], *, replacement: bool) -> FinitePopulation:
    _, task = learners_module.check(learners)
    _numeric(X)
    rows = len(X) if hasattr(X, "__len__") else 0
    target = prepare(np.empty((rows, 0)), y, task).target
    values = target.values
    if target.classes is not None:
        values = target.classes[target.values]
        values = values.astype(np.int64) if values.dtype.kind == "f" else values
    return FinitePopulation(X, values, name="the data", replacement=replacement)


def _numeric(X: Any) -> None:
    """Name the first column that does not hold numbers, where columns have names."""
    columns = zip(X.columns, X.dtypes, strict=True) if hasattr(X, "columns") else ()
    for name, dtype in columns:
        numeric = dtype.kind in "biuf" if hasattr(dtype, "kind") else dtype.is_numeric()
        if not numeric:
            raise InvalidInputError(
                f"`X` must hold numbers only, and column {str(name)!r} does not: encode categories, and fill gaps, first"
            )


def _size(population: FinitePopulation, n: int | None) -> int:
    """Return the size of the data sets: a tenth of the data, where that is neither too small nor costly."""
    largest = population.size if population.replacement else population.size // 2
    if n is None:
        return max(2, min(max(population.size // _SHARE, _LEAST), _MOST, largest))
    if _check.count(n, "n", 2) > largest:
        way = "with replacement" if population.replacement else "without replacement, which is half of them"
        raise InvalidInputError(f"`n` must be at most {largest} of {population.size} examples {way}, got {n}")
    return int(n)
